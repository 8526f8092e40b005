//! Parsing of statistical queries.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::tree::{
    BinaryOperator, Experiment, ExpressionKind, PathFormula, Query, RunBound, RunFilter,
    RunMeasure, StatisticalQuery,
};

impl Parser<'_> {
    /// Whether a statistical query is next.
    pub(super) fn statistical_start(&self) -> bool {
        if !self.at(TokenKind::Identifier) {
            return false;
        }
        match (self.text_of(self.current), self.peek_kind(1)) {
            ("Pr", TokenKind::BracketOpen) => true,
            ("simulate", TokenKind::BracketOpen | TokenKind::Integer) => true,
            ("E", TokenKind::BracketOpen) => self.is_expectation(),
            _ => false,
        }
    }

    /// Whether `E[...](max:` or `E[...](min:` is next.
    fn is_expectation(&self) -> bool {
        let mut lexer = self.lexer;
        let mut depth = 0u32;
        loop {
            let Ok(token) = lexer.next() else { continue };
            match token.kind {
                TokenKind::End => return false,
                TokenKind::BracketOpen | TokenKind::ParenOpen => depth += 1,
                TokenKind::BracketClose | TokenKind::ParenClose => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
        let mut next = || lexer.next().ok();
        next().is_some_and(|open| open.kind == TokenKind::ParenOpen)
            && next().is_some_and(|word| matches!(self.text_of(word), "max" | "min"))
            && next().is_some_and(|colon| colon.kind == TokenKind::Colon)
    }

    /// Whether `foreach (` follows in the query, which iterates over running processes.
    fn has_foreach(&self) -> bool {
        let mut lexer = self.lexer;
        let mut is_word = false;
        loop {
            let Ok(token) = lexer.next() else { continue };
            match token.kind {
                TokenKind::End => return false,
                TokenKind::ParenOpen if is_word => return true,
                _ => is_word = self.text_of(token) == "foreach",
            }
        }
    }

    pub(super) fn statistical_query(&mut self) -> Parsed<Query> {
        if self.has_foreach() {
            return Ok(self.unsupported("dynamic templates in `foreach`"));
        }
        let query = match self.text_of(self.current) {
            "Pr" => self.probability_query()?,
            "E" => self.expectation()?,
            _ => self.simulation()?,
        };
        self.eat(TokenKind::Question);
        Ok(Query::Statistical(query))
    }

    fn probability_query(&mut self) -> Parsed<StatisticalQuery> {
        let experiment = self.experiment()?;
        let at_least = self.at(TokenKind::GreaterEqual);
        if !at_least && !self.at(TokenKind::LessEqual) {
            return Ok(StatisticalQuery::Probability(experiment));
        }
        self.advance();
        if self.at_word("Pr") && self.peek_kind(1) == TokenKind::BracketOpen {
            if !at_least {
                return Err(self.unexpected("a number, because probabilities are compared by `>=`"));
            }
            return Ok(StatisticalQuery::Comparison(experiment, self.experiment()?));
        }
        let probability = self.expression()?;
        Ok(StatisticalQuery::Hypothesis { experiment, at_least, probability })
    }

    /// `Pr[bound](path)`.
    fn experiment(&mut self) -> Parsed<Experiment> {
        self.advance();
        let bound = self.run_bound()?;
        self.expect(TokenKind::ParenOpen, "`(` and `<>` or `[]`")?;
        let path = match (self.current.kind, self.peek_kind(1)) {
            (TokenKind::Less, TokenKind::Greater) => {
                self.advance();
                self.advance();
                PathFormula::Eventually(self.formula()?)
            }
            (TokenKind::BracketOpen, TokenKind::BracketClose) => {
                self.advance();
                self.advance();
                PathFormula::Always(self.formula()?)
            }
            _ => {
                let before = self.formula()?;
                if !self.at_word("U") {
                    return Err(self.unexpected("`U`, or `<>` or `[]` in front of the formula"));
                }
                self.advance();
                PathFormula::Until(before, self.formula()?)
            }
        };
        self.expect(TokenKind::ParenClose, "`)` after the formula")?;
        Ok(Experiment { bound, path })
    }

    /// `[measure <= limit; runs]`, from the bracket on.
    fn run_bound(&mut self) -> Parsed<RunBound> {
        self.expect(TokenKind::BracketOpen, "`[` and the bound of runs")?;
        let (measure, limit) = if self.eat(TokenKind::LessEqual) {
            (RunMeasure::Time, self.expression()?)
        } else if self.eat(TokenKind::Hash) {
            self.expect(TokenKind::LessEqual, "`<=` and a number of transitions")?;
            (RunMeasure::Steps, self.expression()?)
        } else {
            let bound = self.expression()?;
            match self.context.expressions[bound].kind {
                ExpressionKind::Binary(BinaryOperator::LessEqual, measure, limit) => {
                    (RunMeasure::Expression(measure), limit)
                }
                _ => return Err(self.unexpected("a bound such as `<=100`, `#<=50` or `x<=20`")),
            }
        };
        let runs = match self.eat(TokenKind::Semicolon) {
            true => Some(self.expression()?),
            false => None,
        };
        self.expect(TokenKind::BracketClose, "`]` after the bound of runs")?;
        Ok(RunBound { measure, limit, runs })
    }

    fn expectation(&mut self) -> Parsed<StatisticalQuery> {
        self.advance();
        let bound = self.run_bound()?;
        self.expect(TokenKind::ParenOpen, "`(` and `max:` or `min:`")?;
        let greatest = self.at_word("max");
        self.advance();
        self.expect(TokenKind::Colon, "`:` and an expression")?;
        let value = self.written_expression()?;
        self.expect(TokenKind::ParenClose, "`)` after the expression")?;
        Ok(StatisticalQuery::Expectation { bound, greatest, value })
    }

    fn simulation(&mut self) -> Parsed<StatisticalQuery> {
        self.advance();
        let written_first = match self.at(TokenKind::Integer) {
            true => Some(self.expression_before_bracket()?),
            false => None,
        };
        let mut bound = self.run_bound()?;
        bound.runs = bound.runs.or(written_first);
        self.expect(TokenKind::BraceOpen, "`{` and expressions")?;
        let mut values = vec![self.written_expression()?];
        while self.eat(TokenKind::Comma) {
            values.push(self.written_expression()?);
        }
        self.expect(TokenKind::BraceClose, "`}` after the expressions")?;
        let mut filter = None;
        if self.eat(TokenKind::Colon) {
            let first = self.formula()?;
            filter = Some(match self.eat(TokenKind::Colon) {
                true => RunFilter { count: Some(first), formula: self.formula()? },
                false => RunFilter { count: None, formula: first },
            });
        }
        Ok(StatisticalQuery::Simulation { bound, values, filter })
    }

    /// The number of runs of the older form `simulate 10 [...]`; the bracket is not an index.
    fn expression_before_bracket(&mut self) -> Parsed<crate::tree::ExpressionId> {
        let token = self.advance();
        let value = self.text_of(token).parse().unwrap_or(i64::MAX);
        Ok(self.push(ExpressionKind::Integer(value), token.start))
    }
}
