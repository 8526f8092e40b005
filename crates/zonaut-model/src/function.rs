//! Functions, specialised for one process and for the storage that reference parameters are bound
//! to.

use crate::{ExpressionId, LocalId, Place, Storage};
use zonaut_base::{Id, define_id};

define_id!(
    /// A function.
    pub struct FunctionId
);

/// A function. Its parameters, its result and its local variables have fixed addresses, which no
/// other function uses: recursion is forbidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its display name, such as `Gate.enqueue`.
    pub name: String,
    /// Its parameters, in the order of the arguments.
    pub parameters: Vec<Parameter>,
    /// The storage of the result; absent for `void`. If a function with a result ends without
    /// `return`, that is a run-time error.
    pub result: Option<Parameter>,
    /// Its body.
    pub body: Vec<Statement>,
}

impl Function {
    /// Calls `visit` with every statement of the body, nested ones included.
    pub fn for_each_statement<'b>(&'b self, mut visit: impl FnMut(&'b Statement)) {
        let mut open: Vec<&'b Statement> = self.body.iter().rev().collect();
        while let Some(statement) = open.pop() {
            visit(statement);
            match statement {
                Statement::If(_, yes, no) => open.extend(yes.iter().chain(no).rev()),
                Statement::While(_, body)
                | Statement::DoWhile(body, _)
                | Statement::Iterate { body, .. } => open.extend(body.iter().rev()),
                _ => {}
            }
        }
    }
}

/// Storage of a parameter or a result: `length` integers from `first` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The first integer.
    pub first: LocalId,
    /// The number of integers: 1 for a number, more for arrays and structs.
    pub length: u32,
}

impl Parameter {
    /// The integers of the storage.
    pub fn locals(self) -> impl Iterator<Item = LocalId> {
        let first = self.first.index();
        (first..first + self.length as usize).map(LocalId::from_index)
    }
}

/// A statement. Nesting is limited by the parser, so recursion over it is safe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Evaluates an expression for its effect.
    Expression(ExpressionId),
    /// Chooses one of two bodies.
    If(ExpressionId, Vec<Statement>, Vec<Statement>),
    /// Runs the body while the condition holds; tests before each iteration.
    While(ExpressionId, Vec<Statement>),
    /// Runs the body while the condition holds; tests after each iteration.
    DoWhile(Vec<Statement>, ExpressionId),
    /// Runs the body for each value of `low..=high`, ascending.
    Iterate {
        /// The storage of the bound variable.
        binder: LocalId,
        /// The first value.
        low: i32,
        /// The last value.
        high: i32,
        /// The body.
        body: Vec<Statement>,
    },
    /// Leaves the function.
    Return(Option<ExpressionId>),
    /// Leaves the function with an array or a struct, copied to the storage of the result.
    ReturnContent {
        /// The array or struct that is returned.
        source: Place<Storage>,
        /// The storage of the result.
        target: Parameter,
        /// The expression that run-time errors are attributed to.
        at: ExpressionId,
    },
    /// A run-time error unless the condition holds.
    Assert(ExpressionId),
}
