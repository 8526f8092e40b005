//! Operators: types of their operands, folding of constants, and conditions on clocks.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Linear, Operand, Truth};
use crate::scope::Access;
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::interpret::{apply, apply_unary};
use zonaut_model::{
    BinaryOperator as Operator, ClockConstraint, Expression, Place, Rate, Relation, Storage,
    UnaryOperator,
};
use zonaut_syntax::tree::{self, BinaryOperator as Written, ExpressionKind};

/// An operand and where it stands.
#[derive(Clone)]
struct Side {
    operand: Operand,
    span: Span,
}

impl<'a> Lowering<'a> {
    /// Lowers a left-leaning chain of infix operators from its innermost operand outwards.
    pub(crate) fn chain(&mut self, id: tree::ExpressionId) -> Operand {
        let source = self.source;
        let mut links = Vec::new();
        let mut innermost = id;
        while let tree::Expression { kind: ExpressionKind::Binary(operator, left, right), span } =
            &source[innermost]
        {
            links.push((*operator, *right, *span));
            innermost = *left;
        }
        let mut left = Side { operand: self.operand(innermost), span: source[innermost].span };
        for (operator, right, span) in links.into_iter().rev() {
            let right = Side { operand: self.operand(right), span: source[right].span };
            left = Side { operand: self.binary(operator, left, right, span), span };
        }
        left.operand
    }

    fn binary(&mut self, written: Written, left: Side, right: Side, span: Span) -> Operand {
        if matches!(left.operand, Operand::Damaged) || matches!(right.operand, Operand::Damaged) {
            return Operand::Damaged;
        }
        match written {
            Written::And => self.conjunction(left, right, span),
            Written::Or => self.disjunction(left, right, span),
            Written::Imply => {
                let left_span = left.span;
                match self.negation(left) {
                    Operand::Damaged => Operand::Damaged,
                    operand => self.disjunction(Side { operand, span: left_span }, right, span),
                }
            }
            Written::Xor => self.exclusive(left, right, span),
            _ => {
                let operator = operator_of(written);
                if is_floating(&left.operand) || is_floating(&right.operand) {
                    return self.floating_operation(operator, &left, &right, span);
                }
                if operator.is_comparison() {
                    self.comparison(operator, left, right, span)
                } else {
                    self.arithmetic(operator, left, right, span)
                }
            }
        }
    }

    /// Floating point spreads, except into the rates of what is left out anyway.
    fn floating_operation(
        &mut self,
        operator: Operator,
        left: &Side,
        right: &Side,
        span: Span,
    ) -> Operand {
        let is_rate = |side: &Side| matches!(side.operand, Operand::IgnoredRate);
        if operator == Operator::Equal && (is_rate(left) || is_rate(right)) {
            return Operand::Truth(Truth::Data(Code::Constant(1), span));
        }
        let is_cost =
            |side: &Side| matches!(side.operand, Operand::ClockRate(_) | Operand::CostRate);
        if is_cost(left) || is_cost(right) {
            let message = "floating point is not part of symbolic analysis";
            self.error(codes::FLOATING_POINT, span, message, "use an integer rate");
            return Operand::Damaged;
        }
        Operand::Floating
    }

    fn arithmetic(&mut self, operator: Operator, left: Side, right: Side, span: Span) -> Operand {
        if let Some(operand) = self.clock_arithmetic(operator, &left, &right, span) {
            return operand;
        }
        let left = self.number_operand(left.operand, left.span);
        let right = self.number_operand(right.operand, right.span);
        match (left, right) {
            (Some(left), Some(right)) => {
                Operand::Value(self.fold_binary(operator, left, right, span), Type::NUMBER)
            }
            _ => Operand::Damaged,
        }
    }

    /// `left operator right`, computed now where that cannot fail.
    pub(crate) fn fold_binary(
        &mut self,
        operator: Operator,
        left: Code,
        right: Code,
        span: Span,
    ) -> Code {
        if let (Code::Constant(a), Code::Constant(b)) = (left, right)
            && let Ok(value) = apply(operator, a, b)
        {
            return Code::Constant(value);
        }
        let left = self.expression_of(left, span);
        let right = self.expression_of(right, span);
        Code::Run(self.push(Expression::Binary(operator, left, right), span))
    }

    /// Sums and differences in which clocks occur.
    fn clock_arithmetic(
        &mut self,
        operator: Operator,
        left: &Side,
        right: &Side,
        span: Span,
    ) -> Option<Operand> {
        let (a, b) = (Self::linear(&left.operand), Self::linear(&right.operand));
        if a.is_none() && b.is_none() {
            return None;
        }
        let a = self.as_linear(a, left);
        let b = self.as_linear(b, right);
        let (Some(a), Some(b)) = (a, b) else { return Some(Operand::Damaged) };
        let sum = match operator {
            Operator::Add => self.add_linear(a, b, span),
            Operator::Subtract => {
                let zero = b.offset.map(|_| Code::Constant(0));
                let offset = match (zero, b.offset) {
                    (Some(zero), Some(offset)) => {
                        Some(self.fold_binary(Operator::Subtract, zero, offset, span))
                    }
                    _ => None,
                };
                let negative = Linear { plus: b.minus, minus: b.plus, offset };
                self.add_linear(a, negative, span)
            }
            _ => None,
        };
        Some(sum.map_or_else(
            || {
                let message = "this arithmetic on clocks is not a difference of two clocks";
                let help = "compare `x - y + c` with an integer, nothing more complex";
                self.error(codes::CLOCK_ARITHMETIC, span, message, help);
                Operand::Damaged
            },
            Operand::Linear,
        ))
    }

    fn as_linear(&mut self, linear: Option<Linear>, side: &Side) -> Option<Linear> {
        match linear {
            Some(linear) => Some(linear),
            None => {
                let offset = self.number_operand(side.operand.clone(), side.span)?;
                Some(Linear { offset: Some(offset), ..Linear::default() })
            }
        }
    }

    fn add_linear(&mut self, a: Linear, b: Linear, span: Span) -> Option<Linear> {
        let offset = match (a.offset, b.offset) {
            (Some(a), Some(b)) => Some(self.fold_binary(Operator::Add, a, b, span)),
            (a, b) => a.or(b),
        };
        let (mut plus, mut minus) = (vec![], vec![]);
        plus.extend(a.plus.into_iter().chain(b.plus));
        minus.extend(a.minus.into_iter().chain(b.minus));
        (plus.len() <= 1 && minus.len() <= 1).then(|| Linear {
            plus: plus.pop(),
            minus: minus.pop(),
            offset,
        })
    }

    fn comparison(&mut self, operator: Operator, left: Side, right: Side, span: Span) -> Operand {
        if let Some(operand) = self.rate_equation(operator, &left, &right, span) {
            return operand;
        }
        let (a, b) = (Self::linear(&left.operand), Self::linear(&right.operand));
        if a.is_some() || b.is_some() {
            let a = self.as_linear(a, &left);
            let b = self.as_linear(b, &right);
            let (Some(a), Some(b)) = (a, b) else { return Operand::Damaged };
            return self.clock_comparison(operator, a, b, span);
        }
        if let (Operand::Data(a), Operand::Data(b)) = (&left.operand, &right.operand)
            && a.ty.is_aggregate()
        {
            return self.same_content(operator, a.clone(), b.clone(), span);
        }
        let left_value = self.scalar_operand(left.operand, left.span);
        let right_value = self.scalar_operand(right.operand, right.span);
        let (Some((a, a_type)), Some((b, b_type))) = (left_value, right_value) else {
            return Operand::Damaged;
        };
        let is_equation = matches!(operator, Operator::Equal | Operator::NotEqual);
        if !a_type.matches(&b_type) || (!is_equation && !a_type.is_number()) {
            let message = format!("{a_type} and {b_type} cannot be compared this way");
            let help =
                "numbers are compared with numbers, scalars only by == and != with the same set";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return Operand::Damaged;
        }
        Operand::Value(self.fold_binary(operator, a, b, span), Type::Boolean)
    }

    fn same_content(
        &mut self,
        operator: Operator,
        a: DataPlace,
        b: DataPlace,
        span: Span,
    ) -> Operand {
        let is_equation = matches!(operator, Operator::Equal | Operator::NotEqual);
        if !a.ty.matches(&b.ty) || !is_equation {
            let message = format!("{} and {} cannot be compared this way", a.ty, b.ty);
            let help =
                "arrays and structs are compared as a whole by == and != if their types agree";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return Operand::Damaged;
        }
        let length = a.ty.size() as u32;
        let mut prelude = a.prelude;
        prelude.extend(b.prelude);
        let same = self.push(Expression::SameContent(a.place, b.place, length), span);
        let same = Code::Run(self.after(prelude, same, span));
        let code = if operator == Operator::Equal { same } else { self.fold_not(same, span) };
        Operand::Value(code, Type::Boolean)
    }

    fn clock_comparison(
        &mut self,
        operator: Operator,
        left: Linear,
        right: Linear,
        span: Span,
    ) -> Operand {
        let relation = match operator {
            Operator::Less => Relation::Less,
            Operator::LessEqual => Relation::LessEqual,
            Operator::GreaterEqual => Relation::GreaterEqual,
            Operator::Greater => Relation::Greater,
            _ => Relation::Equal,
        };
        let clocks = Linear { plus: left.plus, minus: left.minus, offset: None };
        let others = Linear { plus: right.minus, minus: right.plus, offset: None };
        let Some(Linear { plus, minus, .. }) = self.add_linear(clocks, others, span) else {
            let message = "more than two clocks are compared";
            let help = "compare `x - y` with an integer, nothing more complex";
            self.error(codes::CLOCK_ARITHMETIC, span, message, help);
            return Operand::Damaged;
        };
        // The bound of `plus - minus`; where only `minus` is there, its own bound on the other
        // side.
        let (to, from) = match plus {
            Some(_) => (right.offset, left.offset),
            None => (left.offset, right.offset),
        };
        let bound = match (to, from) {
            (to, None) => to.unwrap_or(Code::Constant(0)),
            (to, Some(from)) => {
                let to = to.unwrap_or(Code::Constant(0));
                self.fold_binary(Operator::Subtract, to, from, span)
            }
        };
        let bound = self.expression_of(bound, span);
        let (left, right, relation) = match (plus, minus) {
            (Some(plus), minus) => (plus, minus, relation),
            (None, Some(minus)) => (minus, None, relation.mirrored()),
            (None, None) => return Operand::Damaged,
        };
        let constraint = ClockConstraint { condition: None, left, right, relation, bound };
        Operand::Truth(if operator == Operator::NotEqual {
            Truth::ClockDiffers(constraint, span)
        } else {
            Truth::Clock(constraint, span)
        })
    }

    /// `x' == e` and `cost' == e`.
    fn rate_equation(
        &mut self,
        operator: Operator,
        left: &Side,
        right: &Side,
        span: Span,
    ) -> Option<Operand> {
        let is_rate = |operand: &Operand| {
            matches!(operand, Operand::ClockRate(_) | Operand::CostRate | Operand::IgnoredRate)
        };
        let (rate, value) = match (is_rate(&left.operand), is_rate(&right.operand)) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            (false, false) => return None,
            (true, true) => (left, right),
        };
        if operator != Operator::Equal || is_rate(&value.operand) {
            let message = "a rate can only be set to a value by ==";
            self.error(codes::RATE_HERE, span, message, "write `x' == e`");
            return Some(Operand::Damaged);
        }
        let Some(code) = self.number_operand(value.operand.clone(), value.span) else {
            return Some(Operand::Damaged);
        };
        let id = self.expression_of(code, value.span);
        Some(Operand::Truth(match &rate.operand {
            Operand::ClockRate(clock) => {
                Truth::Rate(Rate { condition: None, clock: clock.clone(), rate: id }, span)
            }
            Operand::CostRate => Truth::CostRate(id, span),
            _ => Truth::Data(Code::Constant(1), span),
        }))
    }

    pub(crate) fn unary(
        &mut self,
        operator: tree::UnaryOperator,
        inner: tree::ExpressionId,
        span: Span,
    ) -> Operand {
        if let (tree::UnaryOperator::Minus, ExpressionKind::Integer(2_147_483_648)) =
            (operator, &self.source[inner].kind)
        {
            return Operand::constant(i32::MIN, Type::NUMBER);
        }
        let side = Side { operand: self.operand(inner), span: self.span_of(inner) };
        if matches!(side.operand, Operand::Damaged) || is_floating(&side.operand) {
            return side.operand;
        }
        match operator {
            tree::UnaryOperator::Not => self.negation(side),
            tree::UnaryOperator::Plus => match self.number_operand(side.operand, side.span) {
                Some(code) => Operand::Value(code, Type::NUMBER),
                None => Operand::Damaged,
            },
            tree::UnaryOperator::Minus => match self.number_operand(side.operand, side.span) {
                Some(code) => {
                    Operand::Value(self.fold_unary(UnaryOperator::Negate, code, span), Type::NUMBER)
                }
                None => Operand::Damaged,
            },
        }
    }

    fn fold_unary(&mut self, operator: UnaryOperator, code: Code, span: Span) -> Code {
        if let Code::Constant(value) = code
            && let Ok(value) = apply_unary(operator, value)
        {
            return Code::Constant(value);
        }
        let inner = self.expression_of(code, span);
        Code::Run(self.push(Expression::Unary(operator, inner), span))
    }

    /// `!code`.
    pub(crate) fn fold_not(&mut self, code: Code, span: Span) -> Code {
        self.fold_unary(UnaryOperator::Not, code, span)
    }

    /// 1 for everything but 0.
    pub(crate) fn normalised(&mut self, code: Code, ty: &Type, span: Span) -> Code {
        match ty {
            Type::Boolean => code,
            _ => self.fold_binary(Operator::NotEqual, code, Code::Constant(0), span),
        }
    }

    /// `a && b`; the right side counts only if the left one holds.
    pub(crate) fn fold_and(&mut self, a: (Code, Type), b: (Code, Type), span: Span) -> Code {
        match a.0 {
            Code::Constant(0) => Code::Constant(0),
            Code::Constant(_) => self.normalised(b.0, &b.1, span),
            Code::Run(left) => {
                let right = self.expression_of(b.0, span);
                Code::Run(self.push(Expression::And(left, right), span))
            }
        }
    }

    /// `a || b`; the right side counts only if the left one fails.
    pub(crate) fn fold_or(&mut self, a: (Code, Type), b: (Code, Type), span: Span) -> Code {
        match a.0 {
            Code::Constant(0) => self.normalised(b.0, &b.1, span),
            Code::Constant(_) => Code::Constant(1),
            Code::Run(left) => {
                let right = self.expression_of(b.0, span);
                Code::Run(self.push(Expression::Or(left, right), span))
            }
        }
    }

    fn conjunction(&mut self, left: Side, right: Side, span: Span) -> Operand {
        self.junction(left, right, span, Self::fold_and, Truth::and)
    }

    fn disjunction(&mut self, left: Side, right: Side, span: Span) -> Operand {
        self.junction(left, right, span, Self::fold_or, Truth::or)
    }

    fn junction(
        &mut self,
        left: Side,
        right: Side,
        span: Span,
        fold: impl Fn(&mut Self, (Code, Type), (Code, Type), Span) -> Code,
        join: impl Fn(Truth, Truth) -> Truth,
    ) -> Operand {
        if is_floating(&left.operand) || is_floating(&right.operand) {
            return Operand::Floating;
        }
        if matches!(left.operand, Operand::Truth(_)) || matches!(right.operand, Operand::Truth(_)) {
            let left = self.truth(left.operand, left.span);
            let right = self.truth(right.operand, right.span);
            return match (left, right) {
                (Some(left), Some(right)) => Operand::Truth(join(left, right)),
                _ => Operand::Damaged,
            };
        }
        let left = self.condition_value(left);
        let right = self.condition_value(right);
        match (left, right) {
            (Some(left), Some(right)) => {
                Operand::Value(fold(self, left, right, span), Type::Boolean)
            }
            _ => Operand::Damaged,
        }
    }

    fn condition_value(&mut self, side: Side) -> Option<(Code, Type)> {
        let boolean = matches!(
            &side.operand,
            Operand::Value(_, Type::Boolean) | Operand::Data(DataPlace { ty: Type::Boolean, .. })
        );
        let code = self.number_operand(side.operand, side.span)?;
        Some((code, if boolean { Type::Boolean } else { Type::NUMBER }))
    }

    /// The operand as a condition.
    pub(crate) fn truth(&mut self, operand: Operand, span: Span) -> Option<Truth> {
        match operand {
            Operand::Truth(truth) => Some(truth),
            other => self.number_operand(other, span).map(|code| Truth::Data(code, span)),
        }
    }

    fn exclusive(&mut self, left: Side, right: Side, span: Span) -> Operand {
        if matches!(left.operand, Operand::Truth(_)) || matches!(right.operand, Operand::Truth(_)) {
            let left = self.truth(left.operand, left.span);
            let right = self.truth(right.operand, right.span);
            let (Some(left), Some(right)) = (left, right) else { return Operand::Damaged };
            let not_left = self.negated(left.clone());
            let not_right = self.negated(right.clone());
            return Operand::Truth(left.and(not_right).or(not_left.and(right)));
        }
        if is_floating(&left.operand) || is_floating(&right.operand) {
            return Operand::Floating;
        }
        let left = self.condition_value(left);
        let right = self.condition_value(right);
        let (Some((a, a_type)), Some((b, b_type))) = (left, right) else {
            return Operand::Damaged;
        };
        let a = self.normalised(a, &a_type, span);
        let b = self.normalised(b, &b_type, span);
        Operand::Value(self.fold_binary(Operator::NotEqual, a, b, span), Type::Boolean)
    }

    fn negation(&mut self, side: Side) -> Operand {
        match side.operand {
            Operand::Truth(truth) => Operand::Truth(self.negated(truth)),
            Operand::Floating => Operand::Floating,
            operand => match self.number_operand(operand, side.span) {
                Some(code) => Operand::Value(self.fold_not(code, side.span), Type::Boolean),
                None => Operand::Damaged,
            },
        }
    }

    /// The negation, pushed inwards.
    pub(crate) fn negated(&mut self, truth: Truth) -> Truth {
        match truth {
            Truth::Data(code, span) => Truth::Data(self.fold_not(code, span), span),
            Truth::Clock(mut constraint, span) => {
                constraint.relation = match constraint.relation {
                    Relation::Less => Relation::GreaterEqual,
                    Relation::LessEqual => Relation::Greater,
                    Relation::GreaterEqual => Relation::Less,
                    Relation::Greater => Relation::LessEqual,
                    Relation::Equal => return Truth::ClockDiffers(constraint, span),
                };
                Truth::Clock(constraint, span)
            }
            Truth::ClockDiffers(constraint, span) => Truth::Clock(constraint, span),
            Truth::Not(inner) => *inner,
            Truth::And(parts) => {
                Truth::Or(parts.into_iter().map(|part| self.negated(part)).collect())
            }
            Truth::Or(parts) => {
                Truth::And(parts.into_iter().map(|part| self.negated(part)).collect())
            }
            other => Truth::Not(Box::new(other)),
        }
    }

    pub(crate) fn conditional(&mut self, parts: [tree::ExpressionId; 3], span: Span) -> Operand {
        let [condition, yes, no] =
            parts.map(|part| Side { operand: self.operand(part), span: self.span_of(part) });
        if [&condition, &yes, &no].iter().any(|side| matches!(side.operand, Operand::Damaged)) {
            return Operand::Damaged;
        }
        if [&condition, &yes, &no].iter().any(|side| is_floating(&side.operand)) {
            return Operand::Floating;
        }
        let Some(condition) = self.number_operand(condition.operand, condition.span) else {
            return Operand::Damaged;
        };
        match (&yes.operand, &no.operand) {
            (Operand::Truth(_), _) | (_, Operand::Truth(_)) => {
                self.conditional_truth(condition, yes, no, span)
            }
            (Operand::Data(a), Operand::Data(b)) if a.ty.is_aggregate() => {
                let (a, b) = (a.clone(), b.clone());
                self.conditional_content(condition, a, b, span)
            }
            (Operand::Effect(_), _) | (_, Operand::Effect(_)) => {
                self.conditional_effect(condition, yes, no, span)
            }
            _ => self.conditional_value(condition, yes, no, span),
        }
    }

    fn conditional_value(&mut self, condition: Code, yes: Side, no: Side, span: Span) -> Operand {
        let yes = self.scalar_operand(yes.operand, yes.span);
        let no = self.scalar_operand(no.operand, no.span);
        let (Some((yes, yes_type)), Some((no, no_type))) = (yes, no) else {
            return Operand::Damaged;
        };
        if !yes_type.matches(&no_type) {
            let message = format!("the two sides have the types {yes_type} and {no_type}");
            let help = "both sides of `?:` need the same type";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return Operand::Damaged;
        }
        let ty = if yes_type == no_type { yes_type } else { Type::NUMBER };
        let code = match condition {
            Code::Constant(0) => no,
            Code::Constant(_) => yes,
            Code::Run(condition) => {
                let yes = self.expression_of(yes, span);
                let no = self.expression_of(no, span);
                Code::Run(self.push(Expression::Conditional(condition, yes, no), span))
            }
        };
        Operand::Value(code, ty)
    }

    fn conditional_effect(&mut self, condition: Code, yes: Side, no: Side, span: Span) -> Operand {
        let mut sides = [yes, no].into_iter().map(|side| match side.operand {
            Operand::Effect(id) => Some(id),
            operand => {
                let (code, _) = self.scalar_operand(operand, side.span)?;
                Some(self.expression_of(code, side.span))
            }
        });
        let (Some(Some(yes)), Some(Some(no))) = (sides.next(), sides.next()) else {
            return Operand::Damaged;
        };
        drop(sides);
        let condition = self.expression_of(condition, span);
        Operand::Effect(self.push(Expression::Conditional(condition, yes, no), span))
    }

    fn conditional_truth(&mut self, condition: Code, yes: Side, no: Side, span: Span) -> Operand {
        let yes = self.truth(yes.operand, yes.span);
        let no = self.truth(no.operand, no.span);
        let (Some(yes), Some(no)) = (yes, no) else { return Operand::Damaged };
        let negative = self.fold_not(condition, span);
        let when_true = Truth::Data(negative, span).or(yes);
        let when_false = Truth::Data(condition, span).or(no);
        Operand::Truth(when_true.and(when_false))
    }

    /// A choice between two arrays or structs: the chosen one is copied to working storage.
    fn conditional_content(
        &mut self,
        condition: Code,
        yes: DataPlace,
        no: DataPlace,
        span: Span,
    ) -> Operand {
        if !yes.ty.matches(&no.ty) {
            let message = format!("the two sides have the types {} and {}", yes.ty, no.ty);
            let help = "both sides of `?:` need the same type";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return Operand::Damaged;
        }
        let ty = yes.ty.clone();
        let Some(first) = self.allocate_locals("choice", &ty, span) else {
            return Operand::Damaged;
        };
        let place = Place::fixed(Storage::Local(first));
        let [yes, no] = [yes, no].map(|side| {
            let length = side.ty.size() as u32;
            let copy = Expression::CopyContent(place.clone(), side.place, length);
            let copy = self.push(copy, span);
            self.after(side.prelude, copy, span)
        });
        let condition = self.expression_of(condition, span);
        let choice = self.push(Expression::Conditional(condition, yes, no), span);
        Operand::Data(DataPlace { place, ty, access: Access::Constant, prelude: vec![choice] })
    }
}

fn is_floating(operand: &Operand) -> bool {
    matches!(operand, Operand::Floating | Operand::IgnoredRate)
}

/// The operator of the model; logical operators are treated before.
fn operator_of(written: Written) -> Operator {
    match written {
        Written::Power => Operator::Power,
        Written::Multiply => Operator::Multiply,
        Written::Divide => Operator::Divide,
        Written::Remainder => Operator::Remainder,
        Written::Add => Operator::Add,
        Written::Subtract => Operator::Subtract,
        Written::ShiftLeft => Operator::ShiftLeft,
        Written::ShiftRight => Operator::ShiftRight,
        Written::Minimum => Operator::Minimum,
        Written::Maximum => Operator::Maximum,
        Written::Less => Operator::Less,
        Written::LessEqual => Operator::LessEqual,
        Written::GreaterEqual => Operator::GreaterEqual,
        Written::Greater => Operator::Greater,
        Written::Equal => Operator::Equal,
        Written::NotEqual | Written::Xor => Operator::NotEqual,
        Written::BitAnd | Written::And => Operator::BitAnd,
        Written::BitXor => Operator::BitXor,
        Written::BitOr | Written::Or | Written::Imply => Operator::BitOr,
    }
}
