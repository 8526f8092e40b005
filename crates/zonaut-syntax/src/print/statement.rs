//! Printing of statements.

use super::declaration::binder;
use super::{Printer, print_expression};
use crate::tree::{ExpressionId, Statement, StatementKind};

impl Printer<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) {
        let expressions = self.expressions;
        let text = |id: ExpressionId| print_expression(expressions, id);
        match &statement.kind {
            StatementKind::Block(declarations, statements) => {
                self.line("{");
                self.indented(|printer| {
                    printer.declarations(declarations);
                    for statement in statements {
                        printer.statement(statement);
                    }
                });
                self.line("}");
            }
            StatementKind::Empty => self.line(";"),
            StatementKind::Expression(value) => self.line(&format!("{};", text(*value))),
            StatementKind::If(condition, then, otherwise) => {
                self.line(&format!("if ({})", text(*condition)));
                self.body(then, otherwise.is_some());
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.body(otherwise, false);
                }
            }
            StatementKind::While(condition, body) => {
                self.line(&format!("while ({})", text(*condition)));
                self.body(body, false);
            }
            StatementKind::DoWhile(body, condition) => {
                self.line("do");
                self.body(body, false);
                self.line(&format!("while ({});", text(*condition)));
            }
            StatementKind::For([start, condition, step], body) => {
                let part = |id: &Option<ExpressionId>| id.map(text).unwrap_or_default();
                let header = [part(start), part(condition), part(step)].join("; ");
                self.line(&format!("for ({header})"));
                self.body(body, false);
            }
            StatementKind::Iterate(bound, body) => {
                self.line(&format!("for ({})", binder(expressions, bound)));
                self.body(body, false);
            }
            StatementKind::Return(None) => self.line("return;"),
            StatementKind::Return(Some(value)) => self.line(&format!("return {};", text(*value))),
            StatementKind::Assert(condition) => {
                self.line(&format!("assert({});", text(*condition)));
            }
            StatementKind::Comment(comment) => self.comment(comment),
        }
    }

    /// Prints the body of the statement on the line before. If an `else` follows that could attach
    /// to the body, the body becomes a block.
    fn body(&mut self, statement: &Statement, before_else: bool) {
        if matches!(statement.kind, StatementKind::Block(..)) {
            self.statement(statement);
        } else if before_else && may_take_else(statement) {
            self.line("{");
            self.indented(|printer| printer.statement(statement));
            self.line("}");
        } else {
            self.indented(|printer| printer.statement(statement));
        }
    }
}

/// Whether an `else` right after `statement` would belong to an `if` inside it.
fn may_take_else(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::If(_, _, None) => true,
        StatementKind::If(_, _, Some(inner))
        | StatementKind::While(_, inner)
        | StatementKind::For(_, inner)
        | StatementKind::Iterate(_, inner) => may_take_else(inner),
        _ => false,
    }
}
