//! Statements of functions.

use super::{Parsed, Parser, Reported};
use crate::codes;
use crate::lexer::TokenKind;
use crate::tree::{Declaration, DeclarationKind, ExpressionId, Statement, StatementKind};
use zonaut_base::Diagnostic;

impl Parser<'_> {
    /// `{ declarations statements }`, with recovery from errors inside.
    pub(super) fn block(&mut self) -> Parsed<Statement> {
        self.enter()?;
        let open = self.expect(TokenKind::BraceOpen, "`{`")?;
        let mut declarations = Vec::new();
        let mut statements = Vec::new();
        while !self.at(TokenKind::BraceClose) {
            if self.at(TokenKind::End) {
                let diagnostic = self
                    .unexpected_diagnostic("`}`")
                    .with_label(self.span_of(open), "this block is open");
                return Err(self.report(diagnostic));
            }
            self.block_comments(&mut declarations, &mut statements);
            self.block_item(&mut declarations, &mut statements);
        }
        self.block_comments(&mut declarations, &mut statements);
        self.advance();
        self.leave();
        let kind = StatementKind::Block(declarations, statements);
        Ok(Statement { kind, span: self.span_from(open.start) })
    }

    fn block_comments(
        &mut self,
        declarations: &mut Vec<Declaration>,
        statements: &mut Vec<Statement>,
    ) {
        if statements.is_empty() {
            return self.comments_into(declarations);
        }
        let span = self.span(self.previous_end, self.current.start);
        let comments = self.comments(true).into_iter().map(StatementKind::Comment);
        statements.extend(comments.map(|kind| Statement { kind, span }));
    }

    #[inline(never)]
    fn block_item(&mut self, declarations: &mut Vec<Declaration>, statements: &mut Vec<Statement>) {
        let (start, depth) = (self.current.start, self.depth);
        // `assert flag;` looks like a declaration of `flag`, but `assert` is not a plausible type
        // name.
        let is_spawn = self.at_word("spawn") && self.peek_kind(2) == TokenKind::ParenOpen;
        let is_word = self.at_word("assert") || is_spawn;
        if self.at(TokenKind::Typedef) || (self.at_type() && !is_word) {
            if !statements.is_empty() {
                let message = "a declaration after a statement";
                let diagnostic = Diagnostic::error(
                    codes::MISPLACED_DECLARATION,
                    self.span_of(self.current),
                    message,
                )
                .with_help("declarations come first in a block");
                self.context.report(diagnostic);
            }
            self.declaration_into(declarations);
            if let Some(Declaration { kind: DeclarationKind::Function(function), .. }) =
                declarations.last()
            {
                let message = "functions cannot be declared inside functions";
                let diagnostic =
                    Diagnostic::error(codes::MISPLACED_DECLARATION, function.name.span, message);
                self.context.report(diagnostic);
            }
            return;
        }
        match self.statement() {
            Ok(statement) => statements.push(statement),
            Err(Reported) => {
                self.depth = depth;
                if self.current.start == start && !self.at(TokenKind::End) {
                    self.advance();
                }
                self.skip_declaration();
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.enter()?;
        let start = self.current.start;
        let kind = match self.current.kind {
            TokenKind::BraceOpen => self.nested_block()?,
            TokenKind::Semicolon => {
                self.advance();
                StatementKind::Empty
            }
            TokenKind::If => self.if_statement()?,
            TokenKind::While => self.while_statement()?,
            TokenKind::Do => self.do_statement()?,
            TokenKind::For => self.for_statement()?,
            TokenKind::Return => self.return_statement()?,
            _ => self.expression_statement()?,
        };
        self.leave();
        let span = self.span_from(start);
        self.context.count(span);
        Ok(Statement { kind, span })
    }

    #[inline(never)]
    fn nested_block(&mut self) -> Parsed<StatementKind> {
        // The block counts a level itself; with its statement it is still one level.
        self.leave();
        let kind = self.block()?.kind;
        self.enter()?;
        Ok(kind)
    }

    #[inline(never)]
    fn boxed_statement(&mut self) -> Parsed<Box<Statement>> {
        Ok(Box::new(self.statement()?))
    }

    #[inline(never)]
    fn if_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.condition()?;
        let then = self.boxed_statement()?;
        let mut otherwise = None;
        if self.eat(TokenKind::Else) {
            otherwise = Some(self.boxed_statement()?);
        }
        Ok(StatementKind::If(condition, then, otherwise))
    }

    #[inline(never)]
    fn while_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.condition()?;
        Ok(StatementKind::While(condition, self.boxed_statement()?))
    }

    #[inline(never)]
    fn do_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let body = self.boxed_statement()?;
        self.expect(TokenKind::While, "`while` after the body of `do`")?;
        let condition = self.condition()?;
        self.semicolon("`do ... while (...)`")?;
        Ok(StatementKind::DoWhile(body, condition))
    }

    fn condition(&mut self) -> Parsed<ExpressionId> {
        self.expect(TokenKind::ParenOpen, "`(` and a condition")?;
        let condition = self.sequence()?;
        self.expect(TokenKind::ParenClose, "`)` after the condition")?;
        Ok(condition)
    }

    #[inline(never)]
    fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect(TokenKind::ParenOpen, "`(` after `for`")?;
        if self.at(TokenKind::Identifier) && self.peek_kind(1) == TokenKind::Colon {
            let binder = Box::new(self.binder()?);
            self.expect(TokenKind::ParenClose, "`)` after the type")?;
            return Ok(StatementKind::Iterate(binder, self.boxed_statement()?));
        }
        let start = self.optional_sequence(TokenKind::Semicolon)?;
        self.expect(TokenKind::Semicolon, "`;` after the start of the loop")?;
        let condition = self.optional_sequence(TokenKind::Semicolon)?;
        self.expect(TokenKind::Semicolon, "`;` after the condition of the loop")?;
        let step = self.optional_sequence(TokenKind::ParenClose)?;
        self.expect(TokenKind::ParenClose, "`)` after the loop's header")?;
        Ok(StatementKind::For([start, condition, step], self.boxed_statement()?))
    }

    fn optional_sequence(&mut self, end: TokenKind) -> Parsed<Option<ExpressionId>> {
        if self.at(end) { Ok(None) } else { self.sequence().map(Some) }
    }

    #[inline(never)]
    fn return_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let mut value = None;
        if !self.at(TokenKind::Semicolon) {
            value = Some(self.expression()?);
        }
        self.semicolon("`return`")?;
        Ok(StatementKind::Return(value))
    }

    #[inline(never)]
    fn expression_statement(&mut self) -> Parsed<StatementKind> {
        if self.at(TokenKind::Identifier) {
            let word = self.text_of(self.current);
            let next = self.peek_kind(1);
            if word == "assert" && starts_operand(next) {
                return self.assert_statement();
            }
            let is_jump = matches!(word, "break" | "continue") && next == TokenKind::Semicolon;
            if is_jump || (word == "switch" && next == TokenKind::ParenOpen) {
                return Err(self.not_supported(&format!("`{word}`")));
            }
        }
        let value = self.sequence()?;
        self.semicolon("a statement")?;
        Ok(StatementKind::Expression(value))
    }

    fn assert_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.expression()?;
        self.semicolon("`assert`")?;
        Ok(StatementKind::Assert(condition))
    }
}

/// Whether an expression can start with `kind` where an operator could not stand.
fn starts_operand(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Identifier
            | Integer
            | Float
            | True
            | False
            | ParenOpen
            | Not
            | Exclamation
            | Forall
            | Exists
            | Sum
    )
}
