//! Lowering of floating point: expressions, storage, and the stand-ins that symbolic analysis
//! evaluates instead.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, Linear, Operand, RealCode, RealPlace, Side, Truth};
use crate::scope::{Access, Entity, Level};
use crate::value_type::Type;
use zonaut_base::{Id, Span};
use zonaut_model::statistical::{
    ExternalArgument, RealCell, RealCellId, RealExpression, RealFunction, RealId, RealKind,
    RealResult, RealRole, RealUse,
};
use zonaut_model::{
    Argument, BinaryOperator as Operator, ClockConstraint, Effects, Expression, ExpressionId,
    FunctionId, Place, Relation,
};
use zonaut_syntax::tree::{self, Initializer};

/// Whether an operator on floating-point numbers yields a number.
fn is_arithmetic(operator: Operator) -> bool {
    use Operator as O;
    matches!(
        operator,
        O::Add | O::Subtract | O::Multiply | O::Divide | O::Power | O::Minimum | O::Maximum
    )
}

/// The value of an operator on constants.
fn compute(operator: Operator, a: f64, b: f64) -> f64 {
    match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Power => a.powf(b),
        Operator::Minimum => a.min(b),
        _ => a.max(b),
    }
}

/// Whether a comparison of constants holds.
fn compare(operator: Operator, a: f64, b: f64) -> bool {
    match operator {
        Operator::Less => a < b,
        Operator::LessEqual => a <= b,
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        Operator::GreaterEqual => a >= b,
        _ => a > b,
    }
}

/// The integer equal to a number, if it fits 32 bits.
pub(crate) fn as_integer(value: f64) -> Option<i32> {
    let is_integer =
        value.trunc() == value && value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX);
    #[allow(clippy::cast_possible_truncation, reason = "the range is checked above")]
    is_integer.then_some(value as i32)
}

impl<'a> Lowering<'a> {
    /// Adds a floating-point expression to the model and records its effects.
    pub(crate) fn push_real(&mut self, expression: RealExpression) -> RealId {
        if let RealExpression::Read(place) = &expression {
            let role = self.model.statistical.cells[place.root].role;
            self.effects.reads |= matches!(role, RealRole::Variable | RealRole::HybridClock);
        }
        self.model.statistical.expressions.push(expression)
    }

    /// The floating-point expression for a number.
    pub(crate) fn real_of(&mut self, code: RealCode) -> RealId {
        match code {
            RealCode::Constant(value) => {
                let value = zonaut_model::statistical::Real::new(value);
                self.push_real(RealExpression::Constant(value))
            }
            RealCode::Run(id) => id,
        }
    }

    /// Adds a floating-point expression that is evaluated at run time.
    fn computed(&mut self, expression: RealExpression) -> RealCode {
        RealCode::Run(self.push_real(expression))
    }

    /// The operand as a floating-point number.
    pub(crate) fn real_operand(&mut self, operand: Operand, span: Span) -> Option<RealCode> {
        match operand {
            Operand::Real(code) => Some(code),
            Operand::RealData(data) if data.is_number() => Some(self.read_real(data)),
            Operand::Clock(place, Type::Clock) => Some(self.computed(RealExpression::Clock(place))),
            Operand::Linear(linear) => Some(self.real_of_linear(linear)),
            other => Some(match self.number_operand(other, span)? {
                Code::Constant(value) => RealCode::Constant(value.into()),
                Code::Run(id) => self.computed(RealExpression::Integer(id)),
            }),
        }
    }

    /// Lowers an expression to a number, floating-point or integer.
    pub(crate) fn real(&mut self, id: tree::ExpressionId) -> Option<RealId> {
        let operand = self.operand(id);
        let code = self.real_operand(operand, self.span_of(id))?;
        Some(self.real_of(code))
    }

    fn real_of_linear(&mut self, linear: Linear) -> RealCode {
        let Linear { plus, minus, offset } = linear;
        let mut sum = match offset {
            None => RealCode::Constant(0.0),
            Some(Code::Constant(value)) => RealCode::Constant(value.into()),
            Some(Code::Run(id)) => self.computed(RealExpression::Integer(id)),
        };
        for (operator, place) in [(Operator::Add, plus), (Operator::Subtract, minus)] {
            if let Some(place) = place {
                let clock = self.computed(RealExpression::Clock(place));
                sum = self.real_binary(operator, sum, clock);
            }
        }
        sum
    }

    /// The content of a single cell in floating-point storage.
    pub(crate) fn read_real(&mut self, data: RealPlace) -> RealCode {
        let read = self.push_real(RealExpression::Read(data.place));
        if data.prelude.is_empty() {
            return RealCode::Run(read);
        }
        self.computed(RealExpression::After(data.prelude, read))
    }

    /// `left operator right`, folded if both are constant.
    pub(crate) fn real_binary(
        &mut self,
        operator: Operator,
        left: RealCode,
        right: RealCode,
    ) -> RealCode {
        match (left, right, operator) {
            (RealCode::Constant(a), RealCode::Constant(b), _) => {
                RealCode::Constant(compute(operator, a, b))
            }
            (RealCode::Constant(0.0), right, Operator::Add) => right,
            _ => {
                let (left, right) = (self.real_of(left), self.real_of(right));
                self.computed(RealExpression::Binary(operator, left, right))
            }
        }
    }

    /// An operator with at least one floating-point operand.
    pub(crate) fn real_operation(
        &mut self,
        operator: Operator,
        left: Side,
        right: Side,
        span: Span,
    ) -> Operand {
        if operator.is_comparison() {
            return self.real_comparison(operator, left, right, span);
        }
        if !is_arithmetic(operator) {
            let message = "this operator needs integers, not floating-point numbers";
            let help = "convert with `fint`, or use `fmod`";
            self.error(codes::FLOATING_POINT, span, message, help);
            return Operand::Damaged;
        }
        let left = self.real_operand(left.operand, left.span);
        let right = self.real_operand(right.operand, right.span);
        match (left, right) {
            (Some(left), Some(right)) => Operand::Real(self.real_binary(operator, left, right)),
            _ => Operand::Damaged,
        }
    }

    /// Arithmetic on clocks other than a difference of two clocks.
    pub(crate) fn clocks_as_numbers(
        &mut self,
        operator: Operator,
        left: &Side,
        right: &Side,
    ) -> Option<Operand> {
        if !is_arithmetic(operator) {
            return None;
        }
        let left = self.real_operand(left.operand.clone(), left.span);
        let right = self.real_operand(right.operand.clone(), right.span);
        Some(match (left, right) {
            (Some(left), Some(right)) => Operand::Real(self.real_binary(operator, left, right)),
            _ => Operand::Damaged,
        })
    }

    fn real_comparison(
        &mut self,
        operator: Operator,
        left: Side,
        right: Side,
        span: Span,
    ) -> Operand {
        if let Some(operand) = self.rate_equation(operator, &left, &right, span) {
            return operand;
        }
        match (Self::linear(&left.operand), Self::linear(&right.operand)) {
            (Some(clocks), None) => {
                let bound = self.real_operand(right.operand, right.span);
                return self.clock_against_real(operator, clocks, bound, span);
            }
            (None, Some(clocks)) => {
                let bound = self.real_operand(left.operand, left.span);
                return self.clock_against_real(mirrored(operator), clocks, bound, span);
            }
            _ => {}
        }
        let left = self.real_operand(left.operand, left.span);
        let right = self.real_operand(right.operand, right.span);
        let (Some(left), Some(right)) = (left, right) else { return Operand::Damaged };
        if let (RealCode::Constant(a), RealCode::Constant(b)) = (left, right) {
            return Operand::constant(i32::from(compare(operator, a, b)), Type::Boolean);
        }
        if self.is_clock_arithmetic(left) && self.is_clock_arithmetic(right) {
            let message = "this arithmetic on clocks is not a difference of two clocks";
            let help = "compare `x - y + c` with an integer, nothing more complex";
            self.error(codes::CLOCK_ARITHMETIC, span, message, help);
            return Operand::Damaged;
        }
        let (left, right) = (self.real_of(left), self.real_of(right));
        let id = self.stand_in(RealUse::Compare(operator, left, right), span);
        Operand::Value(Code::Run(id), Type::Boolean)
    }

    /// Whether a number is computed from clocks and integers alone, without floating point.
    fn is_clock_arithmetic(&self, code: RealCode) -> bool {
        let mut open = match code {
            RealCode::Constant(value) => return as_integer(value).is_some(),
            RealCode::Run(id) => vec![id],
        };
        while let Some(id) = open.pop() {
            match &self.model.statistical.expressions[id] {
                RealExpression::Integer(_) | RealExpression::Clock(_) => {}
                RealExpression::Constant(value) if as_integer(value.value()).is_some() => {}
                RealExpression::Negate(a) => open.push(*a),
                RealExpression::Binary(_, a, b) => open.extend([*a, *b]),
                _ => return false,
            }
        }
        true
    }

    /// `clocks operator bound`, a clock constraint.
    fn clock_against_real(
        &mut self,
        operator: Operator,
        clocks: Linear,
        bound: Option<RealCode>,
        span: Span,
    ) -> Operand {
        let Some(bound) = bound else { return Operand::Damaged };
        let Linear { plus, minus, offset } = clocks;
        let offset = self.real_of_linear(Linear { plus: None, minus: None, offset });
        let (left, right, operator, from, to) = match (plus, minus) {
            (Some(plus), minus) => (plus, minus, operator, bound, offset),
            (None, Some(minus)) => (minus, None, mirrored(operator), offset, bound),
            (None, None) => return Operand::Damaged,
        };
        let bound = match to {
            RealCode::Constant(0.0) => from,
            _ => self.real_binary(Operator::Subtract, from, to),
        };
        let relation = match operator {
            Operator::Less => Relation::Less,
            Operator::LessEqual => Relation::LessEqual,
            Operator::GreaterEqual => Relation::GreaterEqual,
            Operator::Greater => Relation::Greater,
            _ => Relation::Equal,
        };
        let bound = self.number_for_clocks(bound, span);
        self.check_clock_constant(&bound, span);
        let bound = self.expression_of(bound, span);
        let constraint = ClockConstraint { condition: None, left, right, relation, bound };
        Operand::Truth(if operator == Operator::NotEqual {
            Truth::ClockDiffers(constraint, span)
        } else {
            Truth::Clock(constraint, span)
        })
    }

    /// The integer equal to a number, or a stand-in for it, as a bound, a new value or a rate of a
    /// clock.
    pub(crate) fn number_for_clocks(&mut self, code: RealCode, span: Span) -> Code {
        if let RealCode::Constant(value) = code
            && let Some(value) = as_integer(value)
        {
            return Code::Constant(value);
        }
        let real = self.real_of(code);
        Code::Run(self.stand_in(RealUse::Number(real), span))
    }

    /// `-e` and `+e` for floating-point numbers and clocks.
    pub(crate) fn real_sign(&mut self, is_minus: bool, side: Side) -> Operand {
        let Some(code) = self.real_operand(side.operand, side.span) else {
            return Operand::Damaged;
        };
        Operand::Real(match (is_minus, code) {
            (false, code) => code,
            (true, RealCode::Constant(value)) => RealCode::Constant(-value),
            (true, RealCode::Run(id)) => self.computed(RealExpression::Negate(id)),
        })
    }

    /// `condition ? yes : no` with at least one floating-point side.
    pub(crate) fn real_conditional(&mut self, condition: Code, yes: Side, no: Side) -> Operand {
        let span = yes.span;
        let yes = self.real_operand(yes.operand, yes.span);
        let no = self.real_operand(no.operand, no.span);
        let (Some(yes), Some(no)) = (yes, no) else { return Operand::Damaged };
        match condition {
            Code::Constant(0) => return Operand::Real(no),
            Code::Constant(_) => return Operand::Real(yes),
            Code::Run(_) => {}
        }
        let condition = self.expression_of(condition, span);
        let (yes, no) = (self.real_of(yes), self.real_of(no));
        Operand::Real(self.computed(RealExpression::Conditional(condition, yes, no)))
    }

    /// A call of a function of the language on floating-point numbers.
    pub(crate) fn real_function(
        &mut self,
        function: RealFunction,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Operand {
        let (name, arity) = (function.name(), function.arity());
        if arguments.len() != arity {
            return self.wrong_count(name, arity, arguments.len(), span);
        }
        let mut codes = Vec::with_capacity(arity);
        for (number, &argument) in arguments.iter().enumerate() {
            let operand = self.operand(argument);
            let at = self.span_of(argument);
            let code = if function == RealFunction::Scale && number == 1 {
                self.number_operand(operand, at).map(|code| match code {
                    Code::Constant(value) => RealCode::Constant(value.into()),
                    Code::Run(id) => self.computed(RealExpression::Integer(id)),
                })
            } else {
                self.real_operand(operand, at)
            };
            codes.push(code);
        }
        let codes: Option<Vec<RealCode>> = codes.into_iter().collect();
        let Some(codes) = codes else { return Operand::Damaged };
        let known: Option<Vec<f64>> = codes.iter().map(|code| code.constant()).collect();
        let known = known.and_then(|known| function.constant(&known));
        match (function.result(), known) {
            (RealResult::Double, Some(value)) => return Operand::Real(RealCode::Constant(value)),
            (RealResult::Integer, Some(value)) if as_integer(value).is_some() => {
                return Operand::constant(as_integer(value).unwrap_or_default(), Type::NUMBER);
            }
            _ => {}
        }
        let reals = codes.into_iter().map(|code| self.real_of(code)).collect();
        let applied = self.push_real(RealExpression::Apply(function, reals));
        match function.result() {
            RealResult::Double => Operand::Real(RealCode::Run(applied)),
            RealResult::Random => {
                self.effects.draws = true;
                Operand::Real(RealCode::Run(applied))
            }
            RealResult::Integer => {
                let id = self.stand_in(RealUse::Integer(applied), span);
                Operand::Value(Code::Run(id), Type::NUMBER)
            }
            RealResult::Boolean => {
                let id = self.stand_in(RealUse::Integer(applied), span);
                Operand::Value(Code::Run(id), Type::Boolean)
            }
        }
    }

    /// A stand-in for `meaning`: an expression with the integer effects of `meaning` and the value
    /// 0.
    pub(crate) fn stand_in(&mut self, meaning: RealUse, span: Span) -> ExpressionId {
        let mut effects = IntegerEffects::default();
        effects.of_use(self, &meaning);
        let zero = self.push(Expression::Constant(0), span);
        let id = if effects.run.is_empty() {
            zero
        } else {
            effects.run.push(zero);
            self.push(Expression::Sequence(effects.run), span)
        };
        if effects.is_lossy {
            self.model.statistical.lossy.insert(id);
        }
        match &meaning {
            RealUse::Assign(place, _)
            | RealUse::CopyContent(place, ..)
            | RealUse::Clear(place, _) => {
                let root = place.root;
                let before = self.effects.real_stores;
                self.effects.real_stores = before.into_iter().chain([root]).min();
            }
            RealUse::Evaluate(_) | RealUse::Run(_) => {}
            _ => self.effects.reals = true,
        }
        self.model.statistical.uses.insert(id, meaning);
        id
    }

    /// Marks a call as lossy if its floating-point arguments have integer effects, which are
    /// omitted.
    pub(crate) fn note_lost_effects(&mut self, call: ExpressionId, reals: &[RealId]) {
        let mut effects = IntegerEffects::default();
        effects.of_reals(self, reals);
        if effects.is_lossy || !effects.run.is_empty() {
            self.model.statistical.lossy.insert(call);
        }
    }

    /// A floating-point value that is evaluated for its effect; `None` if it has none.
    pub(crate) fn real_effect(
        &mut self,
        code: RealCode,
        effects: Effects,
        span: Span,
    ) -> Option<ExpressionId> {
        let is_idle = !effects.changes_anything()
            && effects.real_stores.is_none()
            && !effects.asserts
            && !effects.draws;
        let RealCode::Run(id) = code else { return None };
        match &self.model.statistical.expressions[id] {
            RealExpression::After(run, _) if run.len() == 1 => return run.first().copied(),
            _ if is_idle => {
                let help = "write `=` to assign, or remove it";
                self.warning(codes::NO_EFFECT, span, "this has no effect", help);
                return None;
            }
            _ => {}
        }
        Some(self.stand_in(RealUse::Evaluate(id), span))
    }

    /// A call without a value; replaced by a stand-in if it depends on floating point and writes
    /// only floating-point storage.
    pub(crate) fn without_reals(
        &mut self,
        call: ExpressionId,
        function: FunctionId,
        span: Span,
    ) -> ExpressionId {
        if !self.function_effects[function].reals || self.has_effect(call) {
            return call;
        }
        self.stand_in(RealUse::Run(call), span)
    }

    /// Allocates floating-point storage; reports and returns `None` beyond the limit.
    pub(crate) fn allocate_reals(
        &mut self,
        name: &str,
        ty: &Type,
        role: RealRole,
        initial: &[RealId],
        span: Span,
    ) -> Option<RealCellId> {
        let used = self.model.statistical.cells.len();
        if !self.check_storage(used, ty.size(), span) {
            return None;
        }
        let first = self.model.statistical.cells.next_id();
        let owner = match role {
            RealRole::Local => None,
            _ => self.owner.as_ref().map(|owner| owner.process),
        };
        let mut full = match role {
            RealRole::Local => name.to_owned(),
            _ => self.full_name(name),
        };
        let mut initial = initial.iter().copied();
        let cells = &mut self.model.statistical.cells;
        ty.for_each_leaf(&mut full, &mut |name, leaf| {
            let kind = match leaf {
                Type::Floating | Type::HybridClock | Type::Text => RealKind::Double,
                other => RealKind::Integer(other.range()),
            };
            let is_clock = matches!(leaf, Type::HybridClock);
            let role = match role {
                RealRole::Variable if is_clock => RealRole::HybridClock,
                role => role,
            };
            let name = name.to_owned();
            cells.push(RealCell { name, owner, role, kind, initial: initial.next() });
        });
        Some(first)
    }

    /// Declares a variable or constant of a type with floating-point numbers.
    pub(crate) fn real_entity(
        &mut self,
        ty: Type,
        is_constant: bool,
        declarator: &'a tree::Declarator,
        level: Level,
    ) -> Entity {
        let span = declarator.name.span;
        if is_constant
            && ty == Type::Floating
            && let Some((name, value)) = self.define_of(declarator, level)
        {
            self.used_defines.insert(name);
            #[allow(clippy::cast_precision_loss, reason = "numbers of a command line are small")]
            return Entity::RealConstant(value as f64);
        }
        let mut initial = Vec::new();
        match &declarator.initializer {
            Some(initializer) if !self.real_values(&ty, initializer, &mut initial) => {
                return Entity::Damaged;
            }
            Some(_) => {}
            None if is_constant => {
                let message = format!("the constant `{}` has no value", declarator.name.text);
                let help = "write `= value` after its name";
                self.error(codes::MISSING_INITIALISER, span, message, help);
                return Entity::Damaged;
            }
            None => {}
        }
        self.real_storage(&declarator.name.text, ty, is_constant, &initial, span)
    }

    /// Storage with these initial values; a constant with a known value needs no storage.
    pub(crate) fn real_storage(
        &mut self,
        name: &str,
        ty: Type,
        is_constant: bool,
        initial: &[RealId],
        span: Span,
    ) -> Entity {
        if let (true, Type::Floating, [one]) = (is_constant, &ty, initial)
            && let RealExpression::Constant(value) = self.model.statistical.expressions[*one]
        {
            return Entity::RealConstant(value.value());
        }
        let (role, access) = if is_constant {
            (RealRole::Constant, Access::Constant)
        } else {
            (RealRole::Variable, Access::Writable)
        };
        match self.allocate_reals(name, &ty, role, initial, span) {
            Some(first) => Entity::Real(Place::fixed(first), ty, access),
            None => Entity::Damaged,
        }
    }

    /// The initial values of all cells of a `ty`, which must not depend on the state.
    pub(crate) fn real_values(
        &mut self,
        ty: &Type,
        initializer: &'a Initializer,
        values: &mut Vec<RealId>,
    ) -> bool {
        match (initializer, ty) {
            (Initializer::Value(id), _) => self.real_value(ty, *id, values),
            (Initializer::List(items, span), Type::Array(array)) => {
                self.check_list(items, array.size as usize, *span)
                    && items
                        .iter()
                        .all(|item| self.real_values(&array.element, &item.value, values))
            }
            (Initializer::List(items, span), Type::Struct(structure)) => {
                let Some(order) = self.field_order(items, structure, *span) else { return false };
                let mut pairs = structure.fields.iter().zip(order);
                pairs.all(|(field, item)| self.real_values(&field.ty, &items[item].value, values))
            }
            (Initializer::List(_, span), _) => {
                let message = format!("a list cannot initialise a {ty}");
                let help = "lists are for arrays and structs";
                self.error(codes::INITIALISER_SHAPE, *span, message, help);
                false
            }
        }
    }

    /// The value of an expression as the initial value of a `ty`.
    pub(crate) fn real_value(
        &mut self,
        ty: &Type,
        id: tree::ExpressionId,
        values: &mut Vec<RealId>,
    ) -> bool {
        let span = self.span_of(id);
        let outer = std::mem::take(&mut self.effects);
        let floor = std::mem::replace(&mut self.local_floor, self.model.locals.len());
        let operand = self.operand(id);
        let made = self.real_value_of(ty, operand, span);
        self.local_floor = floor;
        let effects = std::mem::replace(&mut self.effects, outer);
        let Some(made) = made else {
            self.record_loss(span);
            return false;
        };
        if effects.reads || effects.changes_anything() || effects.real_stores.is_some() {
            let help = "use constants, parameters and functions of them";
            let message = "this must be known before the model runs, but depends on its state";
            self.error(codes::NOT_CONSTANT, span, message, help);
            return false;
        }
        if effects.draws {
            let help = "draw the number in the update of an edge";
            let message = "this must be known before the model runs, but is drawn at random";
            self.error(codes::NOT_CONSTANT, span, message, help);
            return false;
        }
        values.extend(made);
        true
    }

    fn real_value_of(&mut self, ty: &Type, operand: Operand, span: Span) -> Option<Vec<RealId>> {
        if ty.is_aggregate() {
            let data = match operand {
                Operand::RealData(data) if data.ty.matches(ty) && data.prelude.is_empty() => data,
                Operand::Damaged => return None,
                other => {
                    let message = format!("{} is not a {ty}", other.describe());
                    let help = "use a list in braces or a constant of the same type";
                    self.error(codes::TYPE_MISMATCH, span, message, help);
                    return None;
                }
            };
            let cells = 0..ty.size() as usize;
            let cells = cells.map(|k| RealCellId::from_index(data.place.root.index() + k));
            let place = |root| Place { root, indices: data.place.indices.clone() };
            let reads: Vec<RealExpression> =
                cells.map(|root| RealExpression::Read(place(root))).collect();
            return Some(reads.into_iter().map(|read| self.push_real(read)).collect());
        }
        let code = self.real_converted(ty, operand, span)?;
        Some(vec![self.real_of(code)])
    }

    /// The value of an operand as a value of a single cell of type `ty`.
    pub(crate) fn real_converted(
        &mut self,
        ty: &Type,
        operand: Operand,
        span: Span,
    ) -> Option<RealCode> {
        match ty {
            Type::Floating | Type::HybridClock => self.real_operand(operand, span),
            Type::Text => match operand {
                Operand::Text(_) => Some(RealCode::Constant(0.0)),
                other => {
                    let message = format!("{} is not a string", other.describe());
                    self.error(codes::TYPE_MISMATCH, span, message, "write it in quotes");
                    None
                }
            },
            _ => {
                let code = self.converted(operand, ty, span)?;
                Some(match code {
                    Code::Constant(value) => RealCode::Constant(value.into()),
                    Code::Run(id) => self.computed(RealExpression::Integer(id)),
                })
            }
        }
    }

    /// The initial value of a clock if it is a floating-point constant; adds nothing to the model.
    pub(crate) fn real_clock_start(&mut self, id: tree::ExpressionId) -> Option<f64> {
        let checkpoint = self.checkpoint();
        let before = std::mem::take(&mut self.diagnostics);
        let effects = self.effects;
        let operand = self.operand(id);
        let value = match operand {
            Operand::Real(RealCode::Constant(value)) => Some(value),
            _ => None,
        };
        self.effects = effects;
        self.diagnostics = before;
        self.roll_back(&checkpoint);
        value
    }

    /// Stores a value in floating-point storage.
    pub(crate) fn assign_real(&mut self, target: RealPlace, value: Side, span: Span) -> Operand {
        if target.ty.is_aggregate() {
            return self.copy_reals(target, value, span);
        }
        let Some(code) = self.real_converted(&target.ty, value.operand, value.span) else {
            return Operand::Damaged;
        };
        let real = self.real_of(code);
        let place = target.place;
        let id = self.stand_in(RealUse::Assign(place.clone(), real), span);
        if !target.ty.is_real_number() {
            return Operand::Effect(id);
        }
        let read = self.push_real(RealExpression::Read(place));
        Operand::Real(self.computed(RealExpression::After(vec![id], read)))
    }

    fn copy_reals(&mut self, target: RealPlace, value: Side, span: Span) -> Operand {
        match value.operand {
            Operand::RealData(source) if source.ty.matches(&target.ty) => {
                let length = target.ty.size() as u32;
                let copy = RealUse::CopyContent(target.place, source.place, length);
                let copy = self.stand_in(copy, span);
                Operand::Effect(self.after(source.prelude, copy, span))
            }
            Operand::Damaged => Operand::Damaged,
            other => {
                let message = format!("{} cannot be assigned to a {}", other.describe(), target.ty);
                let help =
                    "arrays and structs are assigned as a whole, with `=`, if their types agree";
                self.error(codes::TYPE_MISMATCH, span, message, help);
                Operand::Damaged
            }
        }
    }

    /// Whether two arrays or structs with floating-point numbers are equal (`==`) or differ (`!=`).
    pub(crate) fn same_reals(
        &mut self,
        operator: Operator,
        a: RealPlace,
        b: RealPlace,
        span: Span,
    ) -> Operand {
        if !self.are_comparable(operator, &a.ty, &b.ty, span) {
            return Operand::Damaged;
        }
        let length = a.ty.size() as u32;
        let mut prelude = a.prelude;
        prelude.extend(b.prelude);
        let same = self.stand_in(RealUse::SameContent(a.place, b.place, length), span);
        let same = Code::Run(self.after(prelude, same, span));
        let code = if operator == Operator::Equal { same } else { self.fold_not(same, span) };
        Operand::Value(code, Type::Boolean)
    }

    /// Initialises floating-point storage of a function at every entry of its block.
    pub(crate) fn initialise_reals(
        &mut self,
        to: RealCellId,
        ty: &Type,
        initializer: &'a Initializer,
        out: &mut Vec<ExpressionId>,
    ) {
        match (initializer, ty) {
            (Initializer::Value(id), _) => {
                let span = self.span_of(*id);
                let target = RealPlace::fixed(to, ty.clone());
                let value = Side { operand: self.operand(*id), span };
                if matches!(value.operand, Operand::Damaged) {
                    return self.record_loss(span);
                }
                let assigned = self.assign_real(target, value, span);
                match assigned {
                    Operand::Effect(id) => out.push(id),
                    Operand::Real(code) => {
                        out.extend(self.real_effect(code, Effects::default(), span));
                    }
                    _ => self.record_loss(span),
                }
            }
            (Initializer::List(items, span), Type::Array(array)) => {
                if !self.check_list(items, array.size as usize, *span) {
                    return;
                }
                let stride = array.element.size() as usize;
                for (position, item) in items.iter().enumerate() {
                    let element = RealCellId::from_index(to.index() + position * stride);
                    self.initialise_reals(element, &array.element, &item.value, out);
                }
            }
            (Initializer::List(items, span), Type::Struct(structure)) => {
                let Some(order) = self.field_order(items, structure, *span) else { return };
                let mut fields: Vec<_> = order.into_iter().zip(&structure.fields).collect();
                fields.sort_unstable_by_key(|(item, _)| *item);
                for (item, field) in fields {
                    let element = RealCellId::from_index(to.index() + field.offset as usize);
                    self.initialise_reals(element, &field.ty, &items[item].value, out);
                }
            }
            (Initializer::List(_, span), _) => {
                let message = format!("a list cannot initialise a {ty}");
                let help = "lists are for arrays and structs";
                self.error(codes::INITIALISER_SHAPE, *span, message, help);
            }
        }
    }

    /// Whether an expression writes an integer or a clock, or can fail by an `assert`.
    fn has_effect(&self, id: ExpressionId) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            let is_effect = match expression {
                Expression::Assign { .. }
                | Expression::CopyContent(..)
                | Expression::AssignClock(..)
                | Expression::CopyClock(..)
                | Expression::AddCost(_) => true,
                Expression::Call(function, _) => {
                    let effects = self.function_effects[*function];
                    effects.changes_anything() || effects.asserts
                }
                _ => false,
            };
            if is_effect || self.model.statistical.lossy.contains(&id) {
                return true;
            }
            expression.for_each_child(|child| open.push(child));
        }
        false
    }
}

/// The integer expressions with effects in a floating-point expression, in order of evaluation.
#[derive(Default)]
struct IntegerEffects {
    run: Vec<ExpressionId>,
    /// Whether some of them are evaluated conditionally or repeatedly, and are therefore omitted.
    is_lossy: bool,
}

impl IntegerEffects {
    fn of_use(&mut self, lowering: &Lowering<'_>, meaning: &RealUse) {
        match meaning {
            RealUse::Compare(_, a, b) => self.of_reals(lowering, &[*a, *b]),
            RealUse::Integer(a) | RealUse::Number(a) | RealUse::Evaluate(a) => {
                self.of_reals(lowering, &[*a]);
            }
            RealUse::Assign(place, value) => {
                self.of_place(lowering, place);
                self.of_reals(lowering, &[*value]);
            }
            RealUse::SameContent(a, b, _) | RealUse::CopyContent(a, b, _) => {
                self.of_place(lowering, a);
                self.of_place(lowering, b);
            }
            RealUse::Clear(place, _) => self.of_place(lowering, place),
            // Symbolic analysis needs these in any case, so the effects of their arguments do not
            // matter.
            RealUse::External(..) | RealUse::Spawn(_) | RealUse::Exit | RealUse::NumberOf(_) => {}
            // Constructed only for calls without integer effects.
            RealUse::Run(_) => {}
        }
    }

    fn of_expression(&mut self, lowering: &Lowering<'_>, id: ExpressionId) {
        if lowering.has_effect(id) {
            self.run.push(id);
        }
    }

    fn of_argument(&mut self, lowering: &Lowering<'_>, argument: &ExternalArgument) {
        match argument {
            ExternalArgument::Integer(Argument::Value(id)) => self.of_expression(lowering, *id),
            ExternalArgument::Integer(Argument::Content(place)) => self.of_place(lowering, place),
            // The library may write it.
            ExternalArgument::Reference(..) => self.is_lossy = true,
            ExternalArgument::Real(id) => self.of_reals(lowering, &[*id]),
            ExternalArgument::RealContent(place, _) => self.of_place(lowering, place),
            ExternalArgument::Text(_) => {}
        }
    }

    fn of_place<Root>(&mut self, lowering: &Lowering<'_>, place: &Place<Root>) {
        for index in &place.indices {
            self.of_expression(lowering, index.value);
        }
    }

    /// Adds the effects of floating-point expressions that are evaluated in order.
    fn of_reals(&mut self, lowering: &Lowering<'_>, reals: &[RealId]) {
        let mut open: Vec<RealId> = reals.iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            match &lowering.model.statistical.expressions[id] {
                RealExpression::Constant(_) => {}
                RealExpression::Integer(id) => self.of_expression(lowering, *id),
                RealExpression::Read(place) => self.of_place(lowering, place),
                RealExpression::Clock(place) => self.of_place(lowering, place),
                RealExpression::Negate(a) => open.push(*a),
                RealExpression::Binary(_, a, b) => open.extend([*b, *a]),
                RealExpression::Apply(_, arguments) => open.extend(arguments.iter().rev()),
                RealExpression::After(run, last) => {
                    // Stand-ins and calls; those without effects are not added.
                    for &id in run {
                        self.of_expression(lowering, id);
                    }
                    open.push(*last);
                }
                RealExpression::Conditional(condition, yes, no) => {
                    self.of_expression(lowering, *condition);
                    let mut inner = Self::default();
                    inner.of_reals(lowering, &[*yes, *no]);
                    self.is_lossy |= inner.is_lossy || !inner.run.is_empty();
                }
                RealExpression::Sum { body, .. } => {
                    let mut inner = Self::default();
                    inner.of_reals(lowering, &[*body]);
                    self.is_lossy |= inner.is_lossy || !inner.run.is_empty();
                }
                RealExpression::External(_, arguments) => {
                    for argument in arguments {
                        self.of_argument(lowering, argument);
                    }
                }
            }
        }
    }
}

/// The operator with the sides exchanged: `a < b` is `b > a`.
fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::GreaterEqual => Operator::LessEqual,
        Operator::Greater => Operator::Less,
        other => other,
    }
}
