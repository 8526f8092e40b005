//! Execution of statements of functions.

use super::machine::{Machine, Outcome, Stop};
use super::value::Value;
use zonaut_model::interpret::ErrorKind;
use zonaut_syntax::tree::{Statement, StatementKind};

/// The control flow after a statement.
pub(super) enum Flow {
    Next,
    Return(Option<Value>),
}

impl<'d> Machine<'d> {
    pub(super) fn run(&mut self, statement: &'d Statement) -> Outcome<Flow> {
        self.step()?;
        match &statement.kind {
            StatementKind::Empty | StatementKind::Comment(_) => {}
            StatementKind::Block(declarations, body) => {
                return self.in_block(|machine| {
                    machine.declare(declarations)?;
                    for statement in body {
                        if let Flow::Return(value) = machine.run(statement)? {
                            return Ok(Flow::Return(value));
                        }
                    }
                    Ok(Flow::Next)
                });
            }
            StatementKind::Expression(expression) => {
                self.value(*expression)?;
            }
            StatementKind::If(condition, yes, no) => {
                if self.holds(*condition)? {
                    return self.run(yes);
                } else if let Some(no) = no {
                    return self.run(no);
                }
            }
            StatementKind::While(condition, body) => {
                while self.holds(*condition)? {
                    if let Flow::Return(value) = self.run(body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            StatementKind::DoWhile(body, condition) => loop {
                if let Flow::Return(value) = self.run(body)? {
                    return Ok(Flow::Return(value));
                }
                if !self.holds(*condition)? {
                    break;
                }
            },
            StatementKind::For([start, condition, step], body) => {
                start.map(|start| self.value(start)).transpose()?;
                while condition.map_or(Ok(true), |condition| self.holds(condition))? {
                    if let Flow::Return(value) = self.run(body)? {
                        return Ok(Flow::Return(value));
                    }
                    step.map(|step| self.value(step)).transpose()?;
                }
            }
            StatementKind::Iterate(binder, body) => {
                let (low, high) = self.values_of(&binder.ty)?;
                for value in low..=high {
                    let flow = self.with_bound(binder, value, |machine| machine.run(body))?;
                    if let Flow::Return(value) = flow {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            StatementKind::Return(value) => {
                return Ok(Flow::Return(value.map(|value| self.value(value)).transpose()?));
            }
            StatementKind::Assert(condition) => {
                if !self.holds(*condition)? {
                    return Err(Stop::Failed(ErrorKind::Assertion));
                }
            }
        }
        Ok(Flow::Next)
    }
}
