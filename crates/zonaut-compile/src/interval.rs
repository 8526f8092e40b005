//! Which values expressions and storage can have, as intervals: the evaluator over ranges.
//!
//! One interval for every cell and every local, for the whole behaviour of the network: it holds
//! the initial value and every value that some assignment anywhere may store, whatever the order of
//! transitions. It is found by going over all assignments until nothing changes; storage that keeps
//! growing gets its declared range. A bound `x <= delay` on a plain `int` is so known to be at most
//! the largest delay that the model ever sets, not 32767, which decides how many zones there are.

#[cfg(test)]
mod tests;

use zonaut_base::IndexVec;
use zonaut_model::interval::{ALL, Combined, Interval, TRUTH, combine, hull, of_range, only};
use zonaut_model::{
    Argument, CellId, Expression, ExpressionId, LocalId, Model, Place, QuantifierKind, Statement,
    Storage, UnaryOperator,
};

/// Rounds after which storage that still grows gets its declared range.
const ROUNDS: u32 = 12;

/// Intervals for all storage of a model.
#[derive(Clone, Debug)]
pub(crate) struct Intervals<'m> {
    model: &'m Model,
    cells: IndexVec<CellId, Interval>,
    locals: IndexVec<LocalId, Option<Interval>>,
    changed: bool,
    widen: bool,
}

impl<'m> Intervals<'m> {
    /// Analyses `model`.
    pub(crate) fn new(model: &'m Model) -> Self {
        let mut this = Self {
            model,
            cells: model.cells.iter().map(|cell| only(cell.initial)).collect(),
            locals: model.locals.iter().map(|_| None).collect(),
            changed: true,
            widen: false,
        };
        this.bind_selects();
        for round in 0.. {
            if !std::mem::take(&mut this.changed) {
                break;
            }
            this.widen = round >= ROUNDS;
            this.go_over_everything();
        }
        this
    }

    /// An interval that holds every value `id` can have without a run-time error.
    pub(crate) fn of(&self, id: ExpressionId) -> (i32, i32) {
        let (low, high) = self.interval(id);
        (low.clamp(ALL.0, ALL.1) as i32, high.clamp(ALL.0, ALL.1) as i32)
    }

    fn bind_selects(&mut self) {
        for edge in self.model.processes.iter().flat_map(|process| &process.edges) {
            for select in &edge.select {
                self.join(Storage::Local(select.binder), (select.low.into(), select.high.into()));
            }
        }
    }

    /// Every expression is evaluated somewhere, so it is enough to go over the arena: children
    /// come before parents, and functions are reached through their statements.
    fn go_over_everything(&mut self) {
        let model = self.model;
        for expression in &model.expressions {
            match expression {
                Expression::Assign { place, operator, value, .. } => {
                    let value = self.interval(*value);
                    let before = self.content(place);
                    let after = operator.map_or(value, |o| combine(o, before, value).values);
                    self.join_place(place, after);
                }
                Expression::CopyContent(target, source, length) => {
                    self.join_content(target, source, *length);
                }
                Expression::Quantifier { binder, low, high, .. } if low <= high => {
                    let values = (i64::from(*low), i64::from(*high));
                    self.join(Storage::Local(*binder), values);
                }
                Expression::Call(function, arguments) => {
                    let function = &model.functions[*function];
                    for (argument, parameter) in arguments.iter().zip(&function.parameters) {
                        match argument {
                            Argument::Value(value) => {
                                let value = self.interval(*value);
                                self.join(Storage::Local(parameter.first), value);
                            }
                            Argument::Content(source) => {
                                let target = Place::fixed(Storage::Local(parameter.first));
                                self.join_content(&target, source, parameter.length);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        for function in &model.functions {
            let result = function.result.map(|result| result.first);
            self.go_over_statements(&function.body, result);
        }
    }

    fn go_over_statements(&mut self, body: &[Statement], result: Option<LocalId>) {
        for statement in body {
            match statement {
                Statement::If(_, yes, no) => {
                    self.go_over_statements(yes, result);
                    self.go_over_statements(no, result);
                }
                Statement::While(_, body) | Statement::DoWhile(body, _) => {
                    self.go_over_statements(body, result);
                }
                Statement::Iterate { binder, low, high, body } => {
                    if low <= high {
                        let values = (i64::from(*low), i64::from(*high));
                        self.join(Storage::Local(*binder), values);
                    }
                    self.go_over_statements(body, result);
                }
                Statement::Return(Some(value)) => {
                    if let Some(result) = result {
                        let value = self.interval(*value);
                        self.join(Storage::Local(result), value);
                    }
                }
                Statement::ReturnContent { source, target, .. } => {
                    let place = Place::fixed(Storage::Local(target.first));
                    self.join_content(&place, source, target.length);
                }
                Statement::Return(None) | Statement::Expression(_) | Statement::Assert(_) => {}
            }
        }
    }

    /// Adds values to every element that `place` can stand for.
    fn join_place(&mut self, place: &Place<Storage>, values: Interval) {
        for element in elements(place) {
            self.join(element, values);
        }
    }

    /// Adds to each of `length` elements from `target` on what those from `source` on can hold.
    fn join_content(&mut self, target: &Place<Storage>, source: &Place<Storage>, length: u32) {
        for k in 0..length as usize {
            let source = displaced(source, k);
            let values = self.content(&source);
            self.join_place(&displaced(target, k), values);
        }
    }

    fn join(&mut self, element: Storage, (low, high): Interval) {
        let (known, range) = match element {
            Storage::Cell(cell) => (Some(self.cells[cell]), self.model.cells[cell].range),
            Storage::Local(local) => (self.locals[local], self.model.locals[local].range),
            Storage::Constant(_) => return,
        };
        // A store outside the range is a run-time error, so it leaves no value behind.
        let declared = of_range(range);
        if high < declared.0 || low > declared.1 {
            return;
        }
        let stored = (low.max(declared.0), high.min(declared.1));
        let joined = known.map_or(stored, |known| hull(known, stored));
        if known == Some(joined) {
            return;
        }
        self.changed = true;
        let joined = if self.widen && known.is_some() { declared } else { joined };
        match element {
            Storage::Cell(cell) => self.cells[cell] = joined,
            Storage::Local(local) => self.locals[local] = Some(joined),
            Storage::Constant(_) => {}
        }
    }

    fn interval(&self, id: ExpressionId) -> Interval {
        match &self.model.expressions[id] {
            Expression::Constant(value) => only(*value),
            Expression::Read(place) => self.content(place),
            Expression::Unary(UnaryOperator::Negate, operand) => {
                let (low, high) = self.interval(*operand);
                Combined::fitting((-high, -low)).values
            }
            Expression::Binary(..) => self.chain(id),
            Expression::Conditional(_, yes, no) => hull(self.interval(*yes), self.interval(*no)),
            Expression::Quantifier { kind: QuantifierKind::Sum, low, high, body, .. } => {
                let count = (i64::from(*high) - i64::from(*low) + 1).max(0);
                let (least, most) = self.interval(*body);
                let all = (least.min(0).saturating_mul(count), most.max(0).saturating_mul(count));
                Combined::fitting(all).values
            }
            Expression::Call(function, _) => match self.model.functions[*function].result {
                Some(result) => self.element(Storage::Local(result.first)),
                None => (0, 0),
            },
            Expression::Assign { place, .. } => self.content(place),
            Expression::Sequence(parts) => parts.last().map_or((0, 0), |&last| self.interval(last)),
            Expression::CopyContent(..)
            | Expression::AssignClock(..)
            | Expression::CopyClock(..)
            | Expression::AddCost(_) => (0, 0),
            Expression::At(..)
            | Expression::SameContent(..)
            | Expression::And(..)
            | Expression::Or(..)
            | Expression::Unary(UnaryOperator::Not, _)
            | Expression::Quantifier { .. } => TRUTH,
        }
    }

    /// A left-leaning chain, from its innermost operand outwards.
    fn chain(&self, id: ExpressionId) -> Interval {
        let mut spine = Vec::new();
        let mut left = id;
        while let Expression::Binary(operator, next, right) = self.model.expressions[left] {
            spine.push((operator, right));
            left = next;
        }
        let innermost = self.interval(left);
        spine.into_iter().rev().fold(innermost, |value, (operator, right)| {
            combine(operator, value, self.interval(right)).values
        })
    }

    fn content(&self, place: &Place<Storage>) -> Interval {
        let intervals = elements(place).map(|element| self.element(element));
        intervals.reduce(hull).unwrap_or(ALL)
    }

    /// What one element can hold. A local that nothing was stored in yet holds the zero that
    /// working storage starts with, as far as anybody reads it.
    fn element(&self, element: Storage) -> Interval {
        match element {
            Storage::Cell(cell) => self.cells[cell],
            Storage::Local(local) => self.locals[local].unwrap_or((0, 0)),
            Storage::Constant(constant) => only(self.model.constants[constant]),
        }
    }
}

/// Every element that `place` can stand for.
fn elements(place: &Place<Storage>) -> impl Iterator<Item = Storage> + use<> {
    // Every element is a multiple of the common divisor of the strides away from the root.
    let step = place.indices.iter().fold(0, |divisor, index| common(divisor, index.stride)).max(1);
    let root = place.root;
    (0..=place.extent()).step_by(step as usize).map(move |k| offset(root, k))
}

fn displaced(place: &Place<Storage>, distance: usize) -> Place<Storage> {
    Place { root: offset(place.root, distance), indices: place.indices.clone() }
}

fn offset(storage: Storage, distance: usize) -> Storage {
    zonaut_model::interpret::offset(storage, distance)
}

/// The greatest common divisor.
fn common(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common(b, a % b) }
}
