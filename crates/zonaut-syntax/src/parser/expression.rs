//! Expressions: operator precedence parsing with an explicit operator stack.
//!
//! Binary operators do not recurse: a chain of any length takes one stack frame, and each level of
//! brackets takes one more. Right-nested constructs (prefix operators, `?:`, assignments) count as
//! nesting, so that consumers of the tree may recurse into all but left operands.

use super::{Parsed, Parser};
use crate::codes;
use crate::lexer::{Mode, TokenKind};
use crate::tree::{
    AssignmentOperator, BinaryOperator, Binder, ExpressionId, ExpressionKind, QuantifierKind,
    StepOperator, UnaryOperator,
};
use zonaut_base::Diagnostic;

/// Binding strengths of operators, loosest first.
pub(crate) mod level {
    /// Any expression, quantifiers included.
    pub(crate) const ANY: u8 = 0;
    /// Assignments, right-associative.
    pub(crate) const ASSIGNMENT: u8 = 1;
    /// `?:`, right-associative.
    pub(crate) const CONDITIONAL: u8 = 2;
    /// `||`, `or`, `xor`, `imply`: the loosest binary operators.
    pub(crate) const OR: u8 = 3;
    /// `&&`, `and`.
    pub(crate) const AND: u8 = 4;
    /// Prefix operators.
    pub(crate) const PREFIX: u8 = 15;
    /// Indices, fields, calls, rates, and postfix `++` and `--`.
    pub(crate) const POSTFIX: u8 = 16;
}

/// The binding strength of a binary operator.
pub(crate) const fn binary_level(operator: BinaryOperator) -> u8 {
    use BinaryOperator::*;
    match operator {
        Or | Xor | Imply => level::OR,
        And => level::AND,
        BitOr => 5,
        BitXor => 6,
        BitAnd => 7,
        Equal | NotEqual => 8,
        Less | LessEqual | GreaterEqual | Greater => 9,
        Minimum | Maximum => 10,
        ShiftLeft | ShiftRight => 11,
        Add | Subtract => 12,
        Multiply | Divide | Remainder => 13,
        Power => 14,
    }
}

/// An operator on the stack that lacks its last operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    Prefix(UnaryOperator, u32),
    StepBefore(StepOperator, u32),
    Binary(BinaryOperator, ExpressionId),
    Assignment(AssignmentOperator, ExpressionId),
    Conditional(ExpressionId, ExpressionId),
}

impl Pending {
    fn level(self) -> u8 {
        match self {
            Self::Prefix(..) | Self::StepBefore(..) => level::PREFIX,
            Self::Binary(operator, _) => binary_level(operator),
            Self::Assignment(..) => level::ASSIGNMENT,
            Self::Conditional(..) => level::CONDITIONAL,
        }
    }

    /// Whether its operand counts as nesting, unlike a link of a chain.
    fn nests(self) -> bool {
        !matches!(self, Self::Binary(..))
    }
}

/// An operator that can follow an operand.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOperator),
    Assignment(AssignmentOperator),
    Conditional,
}

impl Infix {
    fn level(self) -> u8 {
        match self {
            Self::Binary(operator) => binary_level(operator),
            Self::Assignment(_) => level::ASSIGNMENT,
            Self::Conditional => level::CONDITIONAL,
        }
    }
}

impl Parser<'_> {
    /// An expression of any kind.
    pub(crate) fn expression(&mut self) -> Parsed<ExpressionId> {
        self.expression_above(level::ANY)
    }

    /// An expression whose operators bind at least as tightly as `minimum`.
    pub(super) fn expression_above(&mut self, minimum: u8) -> Parsed<ExpressionId> {
        let (depth, base) = (self.depth, self.pending.len());
        self.enter()?;
        let result = self.climb(base, minimum);
        self.pending.truncate(base);
        self.depth = depth;
        result
    }

    fn climb(&mut self, base: usize, minimum: u8) -> Parsed<ExpressionId> {
        let mut left = self.operand()?;
        while let Some(infix) = self.infix() {
            if infix.level() < minimum {
                break;
            }
            left = match infix {
                Infix::Binary(operator) => {
                    let left = self.reduce(base, infix.level(), left);
                    self.advance();
                    self.pending.push(Pending::Binary(operator, left));
                    self.operand()?
                }
                Infix::Assignment(operator) => {
                    let left = self.reduce(base, level::ASSIGNMENT + 1, left);
                    self.advance();
                    self.push_nesting(Pending::Assignment(operator, left))?;
                    self.operand()?
                }
                Infix::Conditional => self.conditional(base, left)?,
            };
        }
        Ok(self.reduce(base, level::ANY, left))
    }

    #[inline(never)]
    fn conditional(&mut self, base: usize, left: ExpressionId) -> Parsed<ExpressionId> {
        let condition = self.reduce(base, level::CONDITIONAL + 1, left);
        self.advance();
        let yes = self.expression()?;
        self.expect(TokenKind::Colon, "`:` and the other case of `?`")?;
        self.push_nesting(Pending::Conditional(condition, yes))?;
        self.operand()
    }

    fn push_nesting(&mut self, pending: Pending) -> Parsed<()> {
        self.enter()?;
        self.pending.push(pending);
        Ok(())
    }

    /// Applies all operators above `base` that bind at least as tightly as `minimum` to `operand`.
    fn reduce(&mut self, base: usize, minimum: u8, mut operand: ExpressionId) -> ExpressionId {
        while self.pending.len() > base {
            let Some(&pending) = self.pending.last() else { break };
            if pending.level() < minimum {
                break;
            }
            self.pending.pop();
            if pending.nests() {
                self.leave();
            }
            operand = self.combine(pending, operand);
        }
        operand
    }

    fn combine(&mut self, pending: Pending, operand: ExpressionId) -> ExpressionId {
        let end = self.context.expressions[operand].span;
        let (kind, start) = match pending {
            Pending::Prefix(operator, start) => {
                (ExpressionKind::Unary(operator, operand), self.span(start, start))
            }
            Pending::StepBefore(operator, start) => {
                (ExpressionKind::Step(operator, operand), self.span(start, start))
            }
            Pending::Binary(operator, left) => {
                let start = self.context.expressions[left].span;
                (ExpressionKind::Binary(operator, left, operand), start)
            }
            Pending::Assignment(operator, left) => {
                let start = self.context.expressions[left].span;
                (ExpressionKind::Assignment(operator, left, operand), start)
            }
            Pending::Conditional(condition, yes) => {
                let start = self.context.expressions[condition].span;
                (ExpressionKind::Conditional(condition, yes, operand), start)
            }
        };
        self.context.push(kind, start.to(end))
    }

    /// An operand; its prefix operators go on the stack.
    fn operand(&mut self) -> Parsed<ExpressionId> {
        loop {
            let start = self.current.start;
            let pending = match self.current.kind {
                TokenKind::Plus => Pending::Prefix(UnaryOperator::Plus, start),
                TokenKind::Minus => Pending::Prefix(UnaryOperator::Minus, start),
                TokenKind::Exclamation | TokenKind::Not => {
                    Pending::Prefix(UnaryOperator::Not, start)
                }
                TokenKind::Increment => Pending::StepBefore(StepOperator::IncrementBefore, start),
                TokenKind::Decrement => Pending::StepBefore(StepOperator::DecrementBefore, start),
                _ => break,
            };
            self.push_nesting(pending)?;
            self.advance();
            if self.at(TokenKind::Integer)
                && matches!(pending, Pending::Prefix(UnaryOperator::Minus, _))
            {
                let number = self.integer(i64::from(i32::MAX) + 1);
                return self.postfix(number, start);
            }
        }
        let start = self.current.start;
        let primary = self.primary()?;
        self.postfix(primary, start)
    }

    fn primary(&mut self) -> Parsed<ExpressionId> {
        match self.current.kind {
            TokenKind::Identifier => self.word(),
            TokenKind::Integer => Ok(self.integer(i64::from(i32::MAX))),
            TokenKind::ParenOpen => self.parenthesised(),
            TokenKind::True => Ok(self.literal(ExpressionKind::Boolean(true))),
            TokenKind::False => Ok(self.literal(ExpressionKind::Boolean(false))),
            TokenKind::Float => {
                let text = self.context.intern(self.text_of(self.current));
                Ok(self.literal(ExpressionKind::Float(text)))
            }
            TokenKind::Text => {
                let quoted = self.text_of(self.current);
                let text = self.context.intern(&quoted[1..quoted.len() - 1]);
                Ok(self.literal(ExpressionKind::Text(text)))
            }
            TokenKind::Forall => self.quantifier(QuantifierKind::ForAll),
            TokenKind::Exists => self.quantifier(QuantifierKind::Exists),
            TokenKind::Sum => self.quantifier(QuantifierKind::Sum),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn literal(&mut self, kind: ExpressionKind) -> ExpressionId {
        let start = self.advance().start;
        self.push(kind, start)
    }

    fn parenthesised(&mut self) -> Parsed<ExpressionId> {
        let start = self.advance().start;
        let inner = self.expression()?;
        if !self.eat(TokenKind::ParenClose) {
            return Err(self.unclosed(start));
        }
        self.context.expressions[inner].span = self.span_from(start);
        Ok(inner)
    }

    #[cold]
    fn unclosed(&mut self, start: u32) -> super::Reported {
        let diagnostic = self
            .unexpected_diagnostic("`)`")
            .with_label(self.span(start, start + 1), "this bracket is open");
        self.report(diagnostic)
    }

    #[inline(never)]
    fn word(&mut self) -> Parsed<ExpressionId> {
        let token = self.current;
        if self.mode == Mode::Query {
            if self.at_path_quantifier() {
                let message = "path quantifiers cannot be nested";
                let span = self.span_of(token);
                let diagnostic = Diagnostic::error(codes::QUERY_NESTED, span, message);
                return Err(self.report(diagnostic));
            }
            if self.text_of(token) == "deadlock" {
                return Ok(self.literal(ExpressionKind::Deadlock));
            }
        } else if self.text_of(token) == "spawn" && self.peek_kind(1) == TokenKind::Identifier {
            return self.spawn();
        }
        self.advance();
        let name = self.name_of(token);
        Ok(self.context.push(ExpressionKind::Name(name.text), name.span))
    }

    /// `spawn T(arguments)`
    fn spawn(&mut self) -> Parsed<ExpressionId> {
        let start = self.current.start;
        self.advance();
        let template = self.name("a template")?;
        let arguments = self.arguments()?;
        Ok(self.push(ExpressionKind::Spawn(template, arguments), start))
    }

    /// Reports that `what` is not supported.
    #[cold]
    pub(super) fn not_supported(&mut self, what: &str) -> super::Reported {
        let message = format!("{what} is not supported");
        let span = self.span_of(self.current);
        self.report(Diagnostic::error(codes::NOT_SUPPORTED, span, message))
    }

    fn integer(&mut self, maximum: i64) -> ExpressionId {
        let token = self.current;
        let value = self.text_of(token).parse::<i64>().ok().filter(|&value| value <= maximum);
        if value.is_none() {
            self.too_large();
        }
        self.literal(ExpressionKind::Integer(value.unwrap_or(0)))
    }

    #[cold]
    fn too_large(&mut self) {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::LargeNumberIsZero.is_selected() {
            return;
        }
        let digits = super::shown(self.text_of(self.current));
        let message = format!("the number {digits} is too large");
        let diagnostic =
            Diagnostic::error(codes::INTEGER_TOO_LARGE, self.span_of(self.current), message)
                .with_help("integers go up to 2147483647");
        self.context.report(diagnostic);
    }

    /// All postfix operators of `operand`, which starts at `start`.
    fn postfix(&mut self, mut operand: ExpressionId, start: u32) -> Parsed<ExpressionId> {
        loop {
            operand = match self.current.kind {
                TokenKind::BracketOpen => self.index(operand, start)?,
                TokenKind::ParenOpen => self.call(operand, start)?,
                TokenKind::Dot => self.field(operand, start)?,
                TokenKind::Prime => {
                    self.advance();
                    self.push(ExpressionKind::Rate(operand), start)
                }
                TokenKind::Increment => {
                    self.advance();
                    self.push(ExpressionKind::Step(StepOperator::IncrementAfter, operand), start)
                }
                TokenKind::Decrement => {
                    self.advance();
                    self.push(ExpressionKind::Step(StepOperator::DecrementAfter, operand), start)
                }
                _ => return Ok(operand),
            };
        }
    }

    fn index(&mut self, array: ExpressionId, start: u32) -> Parsed<ExpressionId> {
        self.advance();
        let index = self.expression()?;
        self.expect(TokenKind::BracketClose, "`]`")?;
        Ok(self.push(ExpressionKind::Index(array, index), start))
    }

    #[inline(never)]
    fn field(&mut self, value: ExpressionId, start: u32) -> Parsed<ExpressionId> {
        self.advance();
        let name = self.name("a name after `.`")?;
        Ok(self.push(ExpressionKind::Field(value, name), start))
    }

    #[inline(never)]
    fn call(&mut self, function: ExpressionId, start: u32) -> Parsed<ExpressionId> {
        let arguments = self.arguments()?;
        Ok(self.push(ExpressionKind::Call(function, arguments), start))
    }

    /// `(a, b, ...)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<ExpressionId>> {
        self.expect(TokenKind::ParenOpen, "`(` and arguments")?;
        let mut arguments = Vec::new();
        if !self.at(TokenKind::ParenClose) {
            arguments = self.expressions()?;
        }
        self.expect(TokenKind::ParenClose, "`,` or `)`")?;
        Ok(arguments)
    }

    /// Expressions, separated by commas.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<ExpressionId>> {
        let mut list = vec![self.expression()?];
        while self.eat(TokenKind::Comma) {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    /// Expressions, separated by commas, as one expression.
    pub(super) fn sequence(&mut self) -> Parsed<ExpressionId> {
        let start = self.current.start;
        let list = self.expressions()?;
        match list.as_slice() {
            [single] => Ok(*single),
            _ => Ok(self.push(ExpressionKind::Sequence(list), start)),
        }
    }

    #[inline(never)]
    fn quantifier(&mut self, kind: QuantifierKind) -> Parsed<ExpressionId> {
        let start = self.advance().start;
        self.expect(TokenKind::ParenOpen, "`(` after the quantifier")?;
        let binder = Box::new(self.binder()?);
        self.expect(TokenKind::ParenClose, "`)` after the quantifier's type")?;
        let body = self.expression()?;
        Ok(self.push(ExpressionKind::Quantifier(kind, binder, body), start))
    }

    /// `name : type`
    pub(super) fn binder(&mut self) -> Parsed<Binder> {
        let name = self.name("a name to bind")?;
        self.expect(TokenKind::Colon, "`:` and a type")?;
        Ok(Binder { name, ty: self.ty()? })
    }

    fn infix(&self) -> Option<Infix> {
        let infix = match self.current.kind {
            TokenKind::Question => Infix::Conditional,
            TokenKind::Set => Infix::Assignment(AssignmentOperator::Set),
            TokenKind::AddSet => Infix::Assignment(AssignmentOperator::Add),
            TokenKind::SubtractSet => Infix::Assignment(AssignmentOperator::Subtract),
            TokenKind::MultiplySet => Infix::Assignment(AssignmentOperator::Multiply),
            TokenKind::DivideSet => Infix::Assignment(AssignmentOperator::Divide),
            TokenKind::RemainderSet => Infix::Assignment(AssignmentOperator::Remainder),
            TokenKind::BitAndSet => Infix::Assignment(AssignmentOperator::BitAnd),
            TokenKind::BitOrSet => Infix::Assignment(AssignmentOperator::BitOr),
            TokenKind::BitXorSet => Infix::Assignment(AssignmentOperator::BitXor),
            TokenKind::ShiftLeftSet => Infix::Assignment(AssignmentOperator::ShiftLeft),
            TokenKind::ShiftRightSet => Infix::Assignment(AssignmentOperator::ShiftRight),
            _ => Infix::Binary(self.binary()?),
        };
        Some(infix)
    }

    fn binary(&self) -> Option<BinaryOperator> {
        let operator = match self.current.kind {
            TokenKind::Power => BinaryOperator::Power,
            TokenKind::Star => BinaryOperator::Multiply,
            TokenKind::Slash => BinaryOperator::Divide,
            TokenKind::Percent => BinaryOperator::Remainder,
            TokenKind::Plus => BinaryOperator::Add,
            TokenKind::Minus => BinaryOperator::Subtract,
            TokenKind::ShiftLeft => BinaryOperator::ShiftLeft,
            TokenKind::ShiftRight => BinaryOperator::ShiftRight,
            TokenKind::Minimum => BinaryOperator::Minimum,
            TokenKind::Maximum => BinaryOperator::Maximum,
            TokenKind::Less => BinaryOperator::Less,
            TokenKind::LessEqual => BinaryOperator::LessEqual,
            TokenKind::GreaterEqual => BinaryOperator::GreaterEqual,
            TokenKind::Greater => BinaryOperator::Greater,
            TokenKind::Equal => BinaryOperator::Equal,
            TokenKind::NotEqual => BinaryOperator::NotEqual,
            TokenKind::Ampersand => BinaryOperator::BitAnd,
            TokenKind::Caret => BinaryOperator::BitXor,
            TokenKind::Bar => BinaryOperator::BitOr,
            TokenKind::AndAnd | TokenKind::And => BinaryOperator::And,
            TokenKind::OrOr | TokenKind::Or => BinaryOperator::Or,
            TokenKind::Imply => BinaryOperator::Imply,
            TokenKind::Identifier if self.at_word("xor") => BinaryOperator::Xor,
            _ => return None,
        };
        Some(operator)
    }
}
