//! Translation of expressions and functions to code.

mod reals;
#[cfg(test)]
mod tests;

use crate::code::{Address, CodeRef, Op, Program, Segment};
use std::collections::BTreeMap;
use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    Argument, BinaryOperator, Expression, ExpressionId, FunctionId, LocalId, Model, Parameter,
    Place, PlaceIndex, QuantifierKind, Range, Statement, Storage, ValueOf,
};

/// The translation of the expressions of one model into one program.
pub(crate) struct Translator<'m> {
    pub(crate) model: &'m Model,
    pub(crate) program: Program,
    entries: IndexVec<FunctionId, u32>,
    /// Select variables of the edge being translated, which are constants there.
    pub(crate) bindings: BTreeMap<LocalId, i32>,
    /// The number of instructions after which the next `Wait` is due.
    next_wait: usize,
    /// Whether stand-ins are translated by their floating-point meaning.
    with_reals: bool,
}

/// Maximum number of consecutive instructions that count no step.
const STRAIGHT: usize = 256;

impl<'m> Translator<'m> {
    /// A translator whose program contains all functions of `model`.
    pub(crate) fn new(model: &'m Model) -> Self {
        Self::of_model(model, false)
    }

    /// A translator that translates stand-ins by their floating-point meaning.
    pub(crate) fn with_reals(model: &'m Model) -> Self {
        Self::of_model(model, true)
    }

    fn of_model(model: &'m Model, with_reals: bool) -> Self {
        let processes = model.processes.iter();
        let locations =
            processes.map(|process| Range { low: 0, high: process.locations.len() as i32 - 1 });
        let program = Program {
            constants: model.constants.iter().copied().collect(),
            state_ranges: locations.chain(model.cells.iter().map(|cell| cell.range)).collect(),
            local_ranges: model.locals.iter().map(|local| local.range).collect(),
            real_kinds: model.statistical.cells.iter().map(|cell| cell.kind).collect(),
            ..Program::default()
        };
        let mut this = Self {
            model,
            program,
            entries: IndexVec::new(),
            bindings: BTreeMap::new(),
            next_wait: STRAIGHT,
            with_reals,
        };
        for function in &model.functions {
            this.function(function);
        }
        this
    }

    /// Translates an expression that is evaluated on its own.
    pub(crate) fn expression(&mut self, id: ExpressionId) -> CodeRef {
        let start = self.start();
        self.bind_for_calls([id]);
        self.value(id);
        self.emit(Op::End, id);
        CodeRef(start)
    }

    /// Stores the values of select variables in temporary storage before a function is called: it
    /// may have a reference to one of them, and reads them there.
    fn bind_for_calls(&mut self, roots: impl IntoIterator<Item = ExpressionId>) {
        if self.bindings.is_empty() {
            return;
        }
        let mut open: Vec<ExpressionId> = roots.into_iter().collect();
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            if matches!(expression, Expression::Call(..)) || self.meaning(id).is_some() {
                for (local, value) in self.bindings.clone() {
                    self.emit(Op::Push(value), id);
                    self.emit(Op::Bind(local.index() as u32), id);
                }
                return;
            }
            expression.for_each_child(|child| open.push(child));
        }
    }

    /// Translates the displacement that `indices` compute.
    pub(crate) fn displacement(&mut self, indices: &[PlaceIndex]) -> CodeRef {
        let start = self.start();
        let blame = indices[0].value;
        self.bind_for_calls(indices.iter().map(|index| index.value));
        self.push_displacement(indices, blame);
        self.emit(Op::End, blame);
        CodeRef(start)
    }

    /// The value of an expression that is evidently constant. The front end has folded constants
    /// already; only select variables in short terms remain.
    pub(crate) fn constant(&self, id: ExpressionId) -> Option<i32> {
        const DEPTH: u32 = 16;
        self.constant_within(id, DEPTH)
    }

    fn constant_within(&self, id: ExpressionId, depth: u32) -> Option<i32> {
        let depth = depth.checked_sub(1)?;
        if self.meaning(id).is_some() {
            return None;
        }
        match &self.model.expressions[id] {
            Expression::Constant(value) => Some(*value),
            Expression::Read(Place { root: Storage::Local(local), indices })
                if indices.is_empty() =>
            {
                self.bindings.get(local).copied()
            }
            Expression::Unary(operator, operand) => {
                let operand = self.constant_within(*operand, depth)?;
                zonaut_model::interpret::apply_unary(*operator, operand).ok()
            }
            Expression::Binary(operator, left, right) => {
                let right = self.constant_within(*right, depth)?;
                let left = self.constant_within(*left, depth)?;
                zonaut_model::interpret::apply(*operator, left, right).ok()
            }
            Expression::Read(Place { root: Storage::Constant(first), indices }) => {
                let position = first.index() + self.constant_displacement(indices)?;
                Some(self.model.constants[Id::from_index(position)])
            }
            _ => None,
        }
    }

    /// The displacement of `indices`, if it is constant.
    pub(crate) fn constant_displacement(&self, indices: &[PlaceIndex]) -> Option<usize> {
        let mut sum = 0;
        for index in indices {
            let position = i64::from(self.constant(index.value)?) - i64::from(index.low);
            let position = u32::try_from(position).ok().filter(|&p| p < index.size)?;
            sum += position as usize * index.stride as usize;
        }
        Some(sum)
    }

    /// The position of a cell among the values of a state.
    pub(crate) fn cell_position(&self, cell: zonaut_model::CellId) -> u32 {
        (self.model.processes.len() + cell.index()) as u32
    }

    /// The start of the code of a separate expression.
    fn start(&mut self) -> u32 {
        self.next_wait = self.program.ops.len() + STRAIGHT;
        self.here()
    }

    fn here(&self) -> u32 {
        self.program.ops.len() as u32
    }

    fn emit(&mut self, op: Op, blame: ExpressionId) -> usize {
        if self.program.ops.len() >= self.next_wait {
            // Long code without loops takes time too.
            self.next_wait = self.program.ops.len() + STRAIGHT;
            self.emit(Op::Wait, blame);
        }
        self.program.ops.push(op);
        self.program.blame.push(blame);
        self.program.ops.len() - 1
    }

    /// The expression for an instruction that belongs to none: that of the one before it.
    fn last_blame(&self) -> ExpressionId {
        self.program.blame.last().copied().unwrap_or(ExpressionId::from_index(0))
    }

    /// Sets the target of the jump at `position` to the current position.
    fn land(&mut self, position: usize) {
        let here = self.here();
        match &mut self.program.ops[position] {
            Op::Jump(to) | Op::JumpIfZero(to) | Op::SkipIfZero(to) | Op::SkipUnlessZero(to) => {
                *to = here;
            }
            _ => {}
        }
    }

    fn address(&self, storage: Storage) -> Address {
        let (segment, position) = match storage {
            Storage::Cell(cell) => (Segment::State, self.cell_position(cell)),
            Storage::Local(local) => (Segment::Local, local.index() as u32),
            Storage::Constant(constant) => (Segment::Constant, constant.index() as u32),
        };
        Address { segment, position }
    }

    fn push_displacement(&mut self, indices: &[PlaceIndex], blame: ExpressionId) {
        if indices.is_empty() {
            self.emit(Op::Push(0), blame);
        }
        for (k, &PlaceIndex { value, low, size, stride }) in indices.iter().enumerate() {
            self.value(value);
            let op = match k {
                0 => Op::FirstIndex { low, size, stride },
                _ => Op::Index { low, size, stride },
            };
            self.emit(op, value);
        }
    }

    /// Code that leaves the value of `id` on the stack. Recursion follows nesting, which the
    /// parser limits, but not the left spine of a chain.
    fn value(&mut self, id: ExpressionId) {
        let model = self.model;
        if let Some(meaning) = self.meaning(id) {
            self.stand_in(id, meaning);
            return;
        }
        match &model.expressions[id] {
            Expression::Constant(value) => {
                self.emit(Op::Push(*value), id);
            }
            Expression::Read(place) => self.read(id, place),
            Expression::At(process, location) => {
                let position = process.index() as u32;
                self.emit(Op::Load(Address { segment: Segment::State, position }), id);
                self.emit(Op::BinaryWith(BinaryOperator::Equal, location.index() as i32), id);
            }
            Expression::Unary(operator, operand) => {
                self.value(*operand);
                self.emit(Op::Unary(*operator), id);
            }
            Expression::Binary(..) | Expression::And(..) | Expression::Or(..) => self.chain(id),
            Expression::Conditional(condition, yes, no) => {
                self.value(*condition);
                let to_no = self.emit(Op::JumpIfZero(0), id);
                self.value(*yes);
                let to_end = self.emit(Op::Jump(0), id);
                self.land(to_no);
                self.value(*no);
                self.land(to_end);
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                let range = Range { low: *low, high: *high };
                self.quantifier(id, *kind, *binder, range, *body);
            }
            Expression::SameContent(left, right, length) => {
                self.push_displacement(&left.indices, id);
                self.push_displacement(&right.indices, id);
                let (left, right) = (self.address(left.root), self.address(right.root));
                self.emit(Op::Same { left, right, length: *length }, id);
            }
            Expression::Assign { place, operator, value, result } => {
                self.push_displacement(&place.indices, id);
                self.value(*value);
                let target = self.address(place.root);
                self.emit(Op::Assign { target, operator: *operator, result: *result }, id);
            }
            Expression::CopyContent(target, source, length) => {
                self.push_displacement(&target.indices, id);
                self.push_displacement(&source.indices, id);
                let (target, source) = (self.address(target.root), self.address(source.root));
                self.emit(Op::Copy { target, source, length: *length }, id);
            }
            Expression::Call(function, arguments) => self.call(id, *function, arguments),
            Expression::AssignClock(clock, value) if self.with_reals => {
                self.set_real_clock(id, clock, *value);
            }
            Expression::CopyClock(target, source) if self.with_reals => {
                self.copy_real_clock(id, target, source);
            }
            Expression::AssignClock(clock, value) => {
                self.push_displacement(&clock.indices, id);
                self.value(*value);
                self.emit(Op::SetClock(clock.root.index() as u32), id);
                self.emit(Op::Push(0), id);
            }
            Expression::CopyClock(target, source) => {
                self.push_displacement(&target.indices, id);
                self.push_displacement(&source.indices, id);
                let (target, source) = (target.root.index() as u32, source.root.index() as u32);
                self.emit(Op::CopyClock { target, source }, id);
                self.emit(Op::Push(0), id);
            }
            Expression::AddCost(value) => {
                self.value(*value);
                self.emit(Op::AddCost, id);
                self.emit(Op::Push(0), id);
            }
            Expression::Sequence(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    if k > 0 {
                        self.emit(Op::Pop, id);
                    }
                    self.value(*part);
                }
            }
        }
    }

    fn read(&mut self, id: ExpressionId, place: &Place<Storage>) {
        if let Some(value) = self.constant(id) {
            self.emit(Op::Push(value), id);
            return;
        }
        let root = self.address(place.root);
        if let Some(displacement) = self.constant_displacement(&place.indices) {
            let position = root.position + displacement as u32;
            self.emit(Op::Load(Address { position, ..root }), id);
        } else {
            self.push_displacement(&place.indices, id);
            self.emit(Op::LoadDisplaced(root), id);
        }
    }

    /// A left-leaning chain, from its innermost operand outwards.
    fn chain(&mut self, id: ExpressionId) {
        let model = self.model;
        let mut spine = Vec::new();
        let mut left = id;
        while let Expression::Binary(_, next, _)
        | Expression::And(next, _)
        | Expression::Or(next, _) = model.expressions[left]
        {
            spine.push(left);
            left = next;
        }
        self.value(left);
        for link in spine.into_iter().rev() {
            match model.expressions[link] {
                Expression::And(_, right) => self.short_circuit(link, Op::SkipIfZero(0), right),
                Expression::Or(_, right) => self.short_circuit(link, Op::SkipUnlessZero(0), right),
                Expression::Binary(operator, _, right) => {
                    let start = self.program.ops.len();
                    self.value(right);
                    self.apply(operator, start, link);
                }
                _ => {}
            }
        }
    }

    /// Applies an operator to the top of the stack and to the value that the code from `start` on
    /// pushes.
    fn apply(&mut self, operator: BinaryOperator, start: usize, id: ExpressionId) {
        let Program { ops, blame, .. } = &mut self.program;
        if let [Op::Push(right)] = ops[start..] {
            ops.truncate(start);
            blame.truncate(start);
            self.emit(Op::BinaryWith(operator, right), id);
        } else {
            self.emit(Op::Binary(operator), id);
        }
    }

    fn short_circuit(&mut self, id: ExpressionId, skip: Op, right: ExpressionId) {
        self.emit(Op::Truth, id);
        let skip = self.emit(skip, id);
        self.value(right);
        self.emit(Op::Truth, id);
        self.land(skip);
    }

    fn quantifier(
        &mut self,
        id: ExpressionId,
        kind: QuantifierKind,
        binder: LocalId,
        range: Range,
        body: ExpressionId,
    ) {
        let Range { low, high } = range;
        let neutral = i32::from(kind == QuantifierKind::ForAll);
        self.emit(Op::Push(neutral), id);
        if low > high {
            return;
        }
        let local = binder.index() as u32;
        self.emit(Op::Push(low), id);
        self.emit(Op::Bind(local), id);
        let back = self.here();
        if kind == QuantifierKind::Sum {
            self.value(body);
            self.emit(Op::Binary(BinaryOperator::Add), id);
            self.emit(Op::Advance { local, high, back }, id);
            return;
        }
        // The neutral value below is replaced by each value of the body in turn; the loop ends with
        // the first one that decides.
        self.emit(Op::Pop, id);
        self.value(body);
        self.emit(Op::Truth, id);
        let for_all = kind == QuantifierKind::ForAll;
        let decide = if for_all { Op::SkipIfZero(0) } else { Op::SkipUnlessZero(0) };
        let decided = self.emit(decide, id);
        self.emit(Op::Push(neutral), id);
        self.emit(Op::Advance { local, high, back }, id);
        self.land(decided);
    }

    fn call(&mut self, id: ExpressionId, function: FunctionId, arguments: &[Argument]) {
        let model = self.model;
        let callee = &model.functions[function];
        for (argument, parameter) in arguments.iter().zip(&callee.parameters) {
            match argument {
                Argument::Value(value) => self.value(*value),
                Argument::Content(place) => {
                    self.push_displacement(&place.indices, id);
                    let source = self.address(place.root);
                    self.emit(Op::PushContent { source, length: parameter.length }, id);
                }
            }
        }
        // The numbers are computed before any parameter is stored: they may call the same function.
        self.real_argument_values(id);
        for parameter in callee.parameters.iter().rev() {
            self.store_parameter(*parameter, id);
        }
        self.store_real_arguments(id);
        let entry = self.entries[function];
        self.emit(Op::Call(entry), id);
    }

    fn store_parameter(&mut self, parameter: Parameter, blame: ExpressionId) {
        let first = parameter.first.index() as u32;
        self.emit(Op::StoreParameter { first, length: parameter.length }, blame);
    }

    fn function(&mut self, function: &zonaut_model::Function) {
        let entry = self.here();
        self.entries.push(entry);
        self.statements(&function.body, function.result);
        let blame = self.last_blame();
        if function.result.is_some() {
            self.emit(Op::MissingReturn, blame);
        } else {
            self.emit(Op::Push(0), blame);
            self.emit(Op::Return, blame);
        }
    }

    fn statements(&mut self, body: &[Statement], result: Option<Parameter>) {
        for statement in body {
            self.statement(statement, result);
        }
    }

    fn statement(&mut self, statement: &Statement, result: Option<Parameter>) {
        match statement {
            Statement::Expression(id) => {
                self.value(*id);
                self.emit(Op::Pop, *id);
            }
            Statement::If(condition, yes, no) => {
                self.value(*condition);
                let to_no = self.emit(Op::JumpIfZero(0), *condition);
                self.statements(yes, result);
                let to_end = self.emit(Op::Jump(0), *condition);
                self.land(to_no);
                self.statements(no, result);
                self.land(to_end);
            }
            Statement::While(condition, body) => {
                let back = self.here();
                self.value(*condition);
                let to_end = self.emit(Op::JumpIfZero(0), *condition);
                self.statements(body, result);
                self.emit(Op::Jump(back), *condition);
                self.land(to_end);
            }
            Statement::DoWhile(body, condition) => {
                let back = self.here();
                self.statements(body, result);
                self.value(*condition);
                let to_end = self.emit(Op::JumpIfZero(0), *condition);
                self.emit(Op::Jump(back), *condition);
                self.land(to_end);
            }
            Statement::Iterate { binder, low, high, body } => {
                if low > high {
                    return;
                }
                let blame = self.last_blame();
                let local = binder.index() as u32;
                self.emit(Op::Push(*low), blame);
                self.emit(Op::Bind(local), blame);
                let back = self.here();
                self.statements(body, result);
                self.emit(Op::Advance { local, high: *high, back }, blame);
            }
            Statement::Return(None) => {
                let blame = self.last_blame();
                self.emit(Op::Push(0), blame);
                self.emit(Op::Return, blame);
            }
            Statement::Return(Some(value)) => self.return_value(*value, result),
            Statement::ReturnContent { source, target, at } => {
                self.push_displacement(&source.indices, *at);
                let source = self.address(source.root);
                self.emit(Op::PushContent { source, length: target.length }, *at);
                self.store_parameter(*target, *at);
                self.emit(Op::Push(0), *at);
                self.emit(Op::Return, *at);
            }
            Statement::Assert(condition) => {
                self.value(*condition);
                self.emit(Op::Assert, *condition);
            }
        }
    }

    fn return_value(&mut self, value: ExpressionId, result: Option<Parameter>) {
        match result {
            Some(result) => {
                // The store checks the range of the declared type; its value is the result.
                self.emit(Op::Push(0), value);
                self.value(value);
                let target = self.address(Storage::Local(result.first));
                self.emit(Op::Assign { target, operator: None, result: ValueOf::After }, value);
            }
            None => {
                self.value(value);
                self.emit(Op::Pop, value);
                self.emit(Op::Push(0), value);
            }
        }
        self.emit(Op::Return, value);
    }
}
