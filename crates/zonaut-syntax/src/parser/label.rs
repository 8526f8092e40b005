//! Labels of locations and edges, both in XML elements and in XTA sections.

use super::{Parsed, Parser};
use crate::codes;
use crate::lexer::{Mode, TokenKind};
use crate::parser::level;
use crate::tree::{Binder, Direction, ExpressionId, ExpressionKind, Name, Synchronisation};
use zonaut_base::Diagnostic;

impl Parser<'_> {
    /// A guard or an invariant. In the 3.x language it is a list, which denotes a conjunction.
    pub(crate) fn conjunction(&mut self) -> Parsed<Vec<ExpressionId>> {
        let conjuncts =
            if self.mode == Mode::Old { self.expressions()? } else { vec![self.expression()?] };
        for &conjunct in &conjuncts {
            self.check_condition(conjunct);
        }
        if self.mode == Mode::Current && self.at(TokenKind::Comma) {
            let diagnostic = self
                .unexpected_diagnostic("an operator or the end of the condition")
                .with_help("write `&&` between conditions");
            return Err(self.report(diagnostic));
        }
        Ok(conjuncts)
    }

    pub(super) fn check_condition(&mut self, condition: ExpressionId) {
        let expression = &self.context.expressions[condition];
        if matches!(expression.kind, ExpressionKind::Assignment(..)) {
            let message = "an assignment where a condition is expected";
            let diagnostic =
                Diagnostic::error(codes::ASSIGNMENT_IN_CONDITION, expression.span, message)
                    .with_help("did you mean `==`?");
            self.context.report(diagnostic);
        }
    }

    /// Updates, in order.
    pub(crate) fn updates(&mut self) -> Parsed<Vec<ExpressionId>> {
        self.expressions()
    }

    /// `i : T, j : U`
    pub(crate) fn select(&mut self) -> Parsed<Vec<Binder>> {
        let mut binders = vec![self.binder()?];
        while self.eat(TokenKind::Comma) {
            binders.push(self.binder()?);
        }
        Ok(binders)
    }

    /// `c!`, `c?` or `c`
    pub(crate) fn synchronisation(&mut self) -> Parsed<Synchronisation> {
        let start = self.current.start;
        let mut channel = self.expression_above(level::OR)?;
        let receives = self.at(TokenKind::Question)
            && matches!(self.peek_kind(1), TokenKind::Semicolon | TokenKind::End);
        if self.at(TokenKind::Question) && !receives {
            channel = self.chosen_channel(channel, start)?;
        }
        let direction = match self.current.kind {
            TokenKind::Exclamation => Direction::Send,
            TokenKind::Question => Direction::Receive,
            _ => Direction::Together,
        };
        if direction != Direction::Together {
            self.advance();
        }
        Ok(Synchronisation { channel, direction, span: self.span_from(start) })
    }

    /// `condition ? a : b` as a channel.
    fn chosen_channel(&mut self, condition: ExpressionId, start: u32) -> Parsed<ExpressionId> {
        self.advance();
        let yes = self.expression()?;
        self.expect(TokenKind::Colon, "`:` and the other channel")?;
        let no = self.expression_above(level::OR)?;
        Ok(self.push(ExpressionKind::Conditional(condition, yes, no), start))
    }

    /// The weight of a branch.
    pub(crate) fn probability(&mut self) -> Parsed<ExpressionId> {
        self.expression()
    }

    /// `rate` or `numerator : denominator`
    pub(crate) fn exponential_rate(&mut self) -> Parsed<Vec<ExpressionId>> {
        let mut rate = vec![self.expression()?];
        if self.eat(TokenKind::Colon) {
            rate.push(self.expression()?);
        }
        Ok(rate)
    }

    /// A single name.
    pub(crate) fn only_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        self.finish(what)?;
        Ok(name)
    }
}
