//! Lowering of infix and prefix operators: type checking and constant folding.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Operand, Side};
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::interpret::{apply, apply_unary};
use zonaut_model::{BinaryOperator as Operator, Expression, UnaryOperator};
use zonaut_syntax::tree::{self, BinaryOperator as Written, ExpressionKind};

/// The maximum length of a chain of implications over clocks: each link nests the conditions
/// deeper.
const IMPLICATIONS: usize = 200;

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
        let mut implications = 0;
        for (operator, right, span) in links.into_iter().rev() {
            implications += usize::from(
                operator == Written::Imply && matches!(left.operand, Operand::Truth(_)),
            );
            if implications > IMPLICATIONS {
                let message = "too many implications in a row over clocks";
                self.error(codes::EXPANSION_LIMIT, span, message, "use parentheses");
                return Operand::Damaged;
            }
            let is_dead = decides(operator, &left.operand);
            let (mut operand, effects) =
                self.observing(|this| this.perhaps_dead(is_dead, |this| this.operand(right)));
            if is_dead && matches!(operand, Operand::Damaged) {
                // Never evaluated, so an invalid constant in it is not an error.
                operand = Operand::constant(0, Type::Boolean);
            }
            let right = Side { operand, span: source[right].span };
            left.operand = self.preserved(left.operand, effects, left.span);
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
                if let (Operand::RealData(a), Operand::RealData(b)) =
                    (&left.operand, &right.operand)
                    && a.ty.is_aggregate()
                {
                    return self.same_reals(operator, a.clone(), b.clone(), span);
                }
                if left.operand.is_real() || right.operand.is_real() {
                    return self.real_operation(operator, left, right, span);
                }
                if operator.is_comparison() {
                    self.comparison(operator, left, right, span)
                } else {
                    self.arithmetic(operator, left, right, span)
                }
            }
        }
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

    /// `left operator right`, folded if the operation is constant and cannot fail.
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

    /// Whether an operator compares arrays or structs of these types; reports if not.
    pub(crate) fn are_comparable(
        &mut self,
        operator: Operator,
        a: &Type,
        b: &Type,
        span: Span,
    ) -> bool {
        let is_equation = matches!(operator, Operator::Equal | Operator::NotEqual);
        let are_comparable = a.matches(b) && is_equation;
        if !are_comparable {
            let message = format!("{a} and {b} cannot be compared this way");
            let help =
                "arrays and structs are compared as a whole by == and != if their types agree";
            self.error(codes::TYPE_MISMATCH, span, message, help);
        }
        are_comparable
    }

    fn same_content(
        &mut self,
        operator: Operator,
        a: DataPlace,
        b: DataPlace,
        span: Span,
    ) -> Operand {
        if !self.are_comparable(operator, &a.ty, &b.ty, span) {
            return Operand::Damaged;
        }
        let length = a.ty.size() as u32;
        let (mut before, mut between) = (a.prelude, b.prelude);
        if a.place.is_fixed() {
            before.append(&mut between);
        }
        let right = self.place_after(between, b.place, span);
        let same = self.push(Expression::SameContent(a.place, right, length), span);
        let same = Code::Run(self.after(before, same, span));
        let code = if operator == Operator::Equal { same } else { self.fold_not(same, span) };
        Operand::Value(code, Type::Boolean)
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
        if matches!(side.operand, Operand::Damaged) {
            return side.operand;
        }
        if operator != tree::UnaryOperator::Not && side.operand.is_real_or_clock() {
            return self.real_sign(operator == tree::UnaryOperator::Minus, side);
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

    pub(crate) fn fold_unary(&mut self, operator: UnaryOperator, code: Code, span: Span) -> Code {
        if let Code::Constant(value) = code
            && let Ok(value) = apply_unary(operator, value)
        {
            return Code::Constant(value);
        }
        let inner = self.expression_of(code, span);
        Code::Run(self.push(Expression::Unary(operator, inner), span))
    }
}

/// Whether the left side alone determines the value.
fn decides(operator: Written, left: &Operand) -> bool {
    let Operand::Value(Code::Constant(value), _) = left else { return false };
    match operator {
        Written::And | Written::Imply => *value == 0,
        Written::Or => *value != 0,
        _ => false,
    }
}

/// The operator of the model; logical operators are lowered elsewhere.
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
