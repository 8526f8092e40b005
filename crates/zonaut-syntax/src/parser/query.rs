//! Parsing of queries.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::tree::{ExpressionId, Query, WrittenExpression};

impl Parser<'_> {
    /// One query, up to the end of the text.
    pub(crate) fn query(&mut self) -> Parsed<Query> {
        if let Some(name) = self.unsupported_start() {
            return Ok(self.unsupported(name));
        }
        let query = match self.statistical_start() {
            true => self.statistical_query()?,
            false => self.supported_query()?,
        };
        if self.at_word("under") && self.peek_kind(1) == TokenKind::Identifier {
            return Ok(self.unsupported("strategy query `under`"));
        }
        self.finish("the query")?;
        Ok(query)
    }

    fn supported_query(&mut self) -> Parsed<Query> {
        if self.at(TokenKind::Identifier) {
            let extremum = matches!(self.peek_kind(1), TokenKind::Colon | TokenKind::BraceOpen);
            match self.text_of(self.current) {
                "sup" if extremum => return self.extremum(Query::Supremum),
                "inf" if extremum => return self.extremum(Query::Infimum),
                "bounds" if extremum => return self.extremum(Query::Bounds),
                _ => {}
            }
        }
        if self.at_path_quantifier() {
            return self.path_query();
        }
        let premise = self.formula()?;
        self.expect(TokenKind::LeadsTo, "`-->`, or `A[]`, `E<>`, `A<>` or `E[]` in front")?;
        Ok(Query::LeadsTo(premise, self.formula()?))
    }

    /// Whether `A[]`, `A<>`, `E[]` or `E<>` is next.
    pub(super) fn at_path_quantifier(&self) -> bool {
        if !self.at_word("A") && !self.at_word("E") {
            return false;
        }
        let brackets = (self.peek_kind(1), self.peek_kind(2));
        matches!(
            brackets,
            (TokenKind::BracketOpen, TokenKind::BracketClose)
                | (TokenKind::Less, TokenKind::Greater)
        )
    }

    fn path_query(&mut self) -> Parsed<Query> {
        let for_all = self.at_word("A");
        self.advance();
        let always = self.at(TokenKind::BracketOpen);
        self.advance();
        self.advance();
        if self.at_word("control") && self.peek_kind(1) == TokenKind::Colon {
            return Ok(self.unsupported("game query `control`"));
        }
        let formula = self.formula()?;
        Ok(match (for_all, always) {
            (true, true) => Query::Always(formula),
            (true, false) => Query::Eventually(formula),
            (false, true) => Query::PossiblyAlways(formula),
            (false, false) => Query::Possibly(formula),
        })
    }

    pub(super) fn formula(&mut self) -> Parsed<ExpressionId> {
        let formula = self.expression()?;
        self.check_condition(formula);
        Ok(formula)
    }

    /// A query of a kind that Zonaut does not support; its tokens are consumed to the end, and
    /// lexical errors in them are reported.
    pub(super) fn unsupported(&mut self, name: &'static str) -> Query {
        while !self.at(TokenKind::End) {
            self.advance();
        }
        Query::Unsupported(name)
    }

    fn extremum(
        &mut self,
        make: fn(Option<ExpressionId>, Vec<WrittenExpression>) -> Query,
    ) -> Parsed<Query> {
        self.advance();
        let mut condition = None;
        if self.eat(TokenKind::BraceOpen) {
            condition = Some(self.expression()?);
            self.expect(TokenKind::BraceClose, "`}` after the condition")?;
        }
        self.expect(TokenKind::Colon, "`:` and expressions")?;
        let mut values = vec![self.written_expression()?];
        while self.eat(TokenKind::Comma) {
            values.push(self.written_expression()?);
        }
        Ok(make(condition, values))
    }

    pub(super) fn written_expression(&mut self) -> Parsed<WrittenExpression> {
        let start = self.current.start;
        let id = self.expression()?;
        Ok(WrittenExpression { id, text: self.text_from(start).to_owned() })
    }

    /// The name of the unsupported kind of query that starts here, if any.
    fn unsupported_start(&self) -> Option<&'static str> {
        use TokenKind::{BraceOpen, BracketOpen, Colon, Identifier, ParenOpen};
        if self.at(BraceOpen) {
            return Some("game query `control`");
        }
        if !self.at(Identifier) {
            return None;
        }
        let next = self.peek_kind(1);
        let word = self.text_of(self.current);
        let name = match (word, next) {
            ("Pr", ParenOpen) => "MITL query `Pr(...)`",
            ("Pmax", BracketOpen | ParenOpen | Identifier) => "strategy query `Pmax`",
            ("control", Colon | BracketOpen) => "game query `control`",
            ("minE", BracketOpen | ParenOpen) => "strategy query `minE`",
            ("maxE", BracketOpen | ParenOpen) => "strategy query `maxE`",
            ("minPr", BracketOpen | ParenOpen) => "strategy query `minPr`",
            ("maxPr", BracketOpen | ParenOpen) => "strategy query `maxPr`",
            ("strategy", Identifier) => "strategy query `strategy`",
            ("loadStrategy", BraceOpen | ParenOpen) => "strategy query `loadStrategy`",
            ("saveStrategy", BraceOpen | ParenOpen) => "strategy query `saveStrategy`",
            ("imitate", Identifier | BraceOpen | ParenOpen) => "strategy query `imitate`",
            ("sat", Colon) => "sequence chart query `sat`",
            ("refinement", Colon) => "refinement query `refinement`",
            ("consistency", Colon) => "refinement query `consistency`",
            ("specification", Colon) => "refinement query `specification`",
            ("implementation", Colon) => "refinement query `implementation`",
            ("A", BracketOpen) => return self.until(),
            ("control_t", TokenKind::Star | ParenOpen) => "game query `control_t`",
            _ => return None,
        };
        Some(name)
    }

    /// `A[p U q]` and `A[p W q]`.
    fn until(&self) -> Option<&'static str> {
        let mut lexer = self.lexer;
        let mut previous = TokenKind::Identifier;
        let mut depth = 0u32;
        loop {
            let Ok(token) = lexer.next() else { continue };
            match token.kind {
                TokenKind::End => return None,
                TokenKind::BracketOpen | TokenKind::ParenOpen => depth += 1,
                TokenKind::BracketClose | TokenKind::ParenClose => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return None;
                    }
                }
                TokenKind::Identifier if depth == 1 && ends_operand(previous) => {
                    match self.text_of(token) {
                        "U" => return Some("until query `A[p U q]`"),
                        "W" => return Some("weak until query `A[p W q]`"),
                        _ => {}
                    }
                }
                _ => {}
            }
            previous = token.kind;
        }
    }
}

fn ends_operand(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Identifier | Integer | True | False | BracketClose | ParenClose | Prime)
}
