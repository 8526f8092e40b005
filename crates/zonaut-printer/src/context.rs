//! The shared context of all parts of a text, and the functions that are added to those of the
//! model.

use crate::block::{ANY, Block};
use crate::code::Code;
use crate::names::Names;
use crate::shape::Shapes;
use crate::storage::{Mentioned, Scopes, returns_content};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use zonaut_analysis::interval::declared_walk;
use zonaut_analysis::mention::Mentions;
use zonaut_base::Id;
use zonaut_model::{
    Expression, ExpressionId, FunctionId, LocationId, Model, PlaceIndex, ProcessId, Range,
    Statement,
};

/// The context of a model that is printed.
pub(crate) struct Context<'m> {
    pub(crate) model: &'m Model,
    pub(crate) names: Names,
    pub(crate) mentions: Mentions<'m>,
    pub(crate) scopes: Scopes,
    pub(crate) shapes: Shapes,
    added: RefCell<Added>,
}

/// Functions that the model does not have.
#[derive(Default)]
struct Added {
    /// The ranges that values are checked against.
    checks: BTreeSet<(i64, i64)>,
    /// The functions with statements, by name.
    functions: BTreeMap<String, String>,
}

impl<'m> Context<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let names = Names::new(model);
        let mentions = Mentions::new(model);
        let scopes = Scopes::new(&mentions, &names);
        let shapes = Shapes::new(&mentions, &names, &scopes);
        Self { model, names, mentions, scopes, shapes, added: RefCell::default() }
    }

    /// `value`, which is a run-time error outside of a range.
    pub(crate) fn checked(&self, low: i64, high: i64, value: &str) -> String {
        self.added.borrow_mut().checks.insert((low, high));
        format!("{}({value})", self.names.check(low, high))
    }

    /// Whether evaluating an expression can fail, by the declared ranges.
    pub(crate) fn may_fail(&self, id: ExpressionId) -> bool {
        let mut walk = declared_walk(self.model);
        walk.evaluate(id);
        !walk.failures().is_empty()
    }

    /// Whether an index is never out of range, by the declared ranges.
    pub(crate) fn index_fits(&self, index: &PlaceIndex) -> bool {
        let (low, size) = (i64::from(index.low), i64::from(index.size));
        let values = declared_walk(self.model).evaluate(index.value);
        values.is_none_or(|values| low <= values.0 && values.1 < low + size)
    }

    /// Whether an expression can be printed although parts of it need statements: those become
    /// calls, each with temporary storage of its own.
    pub(crate) fn is_divisible(&self, id: ExpressionId) -> bool {
        let expression = &self.model.expressions[id];
        let is_operator = matches!(
            expression,
            Expression::Unary(..)
                | Expression::Binary(..)
                | Expression::And(..)
                | Expression::Or(..)
                | Expression::Conditional(..)
                | Expression::Quantifier { .. }
        );
        let (mut seen, mut is_apart) = (BTreeSet::new(), true);
        expression.for_each_child(|child| {
            for block in self.scopes.of(&self.mentions, &self.names, child).blocks {
                is_apart &= seen.insert(block);
            }
        });
        is_operator && is_apart
    }

    /// Whether free temporary storage occurs.
    pub(crate) fn mentions_variables(&self, id: ExpressionId) -> bool {
        self.scopes.mentions_variable(&self.mentions.outside_functions(id))
    }

    /// The call of a function with the value of `id`.
    pub(crate) fn value_call(&self, id: ExpressionId) -> String {
        let name = self.names.value(id);
        let mut block = Block::new(Code { context: self, is_outside: false });
        let value = block.value(id);
        block.line(&format!("return {value};"));
        self.add_function(ANY, &name, &[id], block)
    }

    /// The call of a function that executes updates.
    pub(crate) fn updates_call(&self, name: &str, updates: &[ExpressionId]) -> String {
        let mut block = Block::new(Code { context: self, is_outside: false });
        updates.iter().for_each(|&update| block.statement(update));
        self.add_function("void", name, updates, block)
    }

    fn add_function(
        &self,
        result: &str,
        name: &str,
        roots: &[ExpressionId],
        body: Block<'_>,
    ) -> String {
        let mut mentioned = Mentioned::default();
        let mut present = BTreeSet::new();
        for &root in roots {
            mentioned.extend(&self.scopes.of(&self.mentions, &self.names, root));
            self.collect_locations(root, &mut present);
        }
        let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
        for &local in &mentioned.bound {
            let name = self.names.local(local);
            parameters.push(format!("{} {name}", self.type_of(local)));
            arguments.push(name);
        }
        for (process, location) in present {
            parameters.push(format!("int[0,1] {}", self.names.presence(process, location)));
            arguments.push(format!(
                "{}.{}",
                self.names.process(process),
                self.names.location(process, location)
            ));
        }
        let mut text = format!("{result} {name}({})\n{{\n", parameters.join(", "));
        mentioned.blocks.iter().for_each(|&block| self.declare(block, &mut text));
        text += &body.finish();
        self.added.borrow_mut().functions.insert(name.to_owned(), text + "}");
        format!("{name}({})", arguments.join(", "))
    }

    fn collect_locations(&self, root: ExpressionId, into: &mut BTreeSet<(ProcessId, LocationId)>) {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            if let Expression::At(process, location) = expression {
                into.insert((*process, *location));
            }
            expression.for_each_child(|child| open.push(child));
        }
    }

    /// The functions that were added so far, those that check ranges first.
    pub(crate) fn added(&self) -> (Vec<String>, Vec<String>) {
        let added = self.added.borrow();
        let check = |&(low, high): &(i64, i64)| {
            let name = self.names.check(low, high);
            format!("{ANY} {name}(int[{low},{high}] value)\n{{\n    return value;\n}}")
        };
        (added.checks.iter().map(check).collect(), added.functions.values().cloned().collect())
    }

    /// A function of the model. Parameters are numbers, and copied to the storage that the body
    /// reads.
    pub(crate) fn function(&self, id: FunctionId) -> String {
        let function = &self.model.functions[id];
        let storage = &self.scopes.functions[id];
        let has_content = returns_content(function);
        let result = match function.result {
            Some(result) if !has_content => self.type_of(result.first.index()),
            _ => "void".to_owned(),
        };
        let arguments = function.parameters.iter().flat_map(|&p| p.locals());
        let arguments: Vec<usize> = arguments.map(|local| local.index()).collect();
        let mut parameters: Vec<String> = arguments
            .iter()
            .map(|&local| format!("{} {}", self.type_of(local), self.names.argument(local)))
            .collect();
        parameters.extend(storage.passed.blocks.iter().map(|&block| {
            let range = &self.names.locals.blocks[block];
            let is_array = self.names.locals.is_array(range.start);
            let is_copied = !is_array && !storage.written.contains(&block);
            let mark = if is_copied { "" } else { "&" };
            format!("{} {mark}{}", self.type_of_block(block), self.names.locals.declared(range))
        }));
        parameters.extend(
            storage
                .passed
                .bound
                .iter()
                .map(|&local| format!("{} {}", self.type_of(local), self.names.local(local))),
        );
        let name = &self.names.functions[id.index()];
        let mut text = format!("{result} {name}({})\n{{\n", parameters.join(", "));
        storage.declared.iter().for_each(|&block| self.declare(block, &mut text));
        let mut block = Block::new(Code { context: self, is_outside: false });
        for &local in &arguments {
            block.line(&format!("{} = {};", self.names.local(local), self.names.argument(local)));
        }
        block.statements(&function.body);
        if has_content && !always_returns(&function.body) {
            // The end of a function with a result is an error.
            block.line("assert(false);");
        }
        text + &block.finish() + "}"
    }

    fn declare(&self, block: usize, text: &mut String) {
        let declared = self.names.locals.declared(&self.names.locals.blocks[block]);
        let _ = writeln!(text, "    {} {declared};", self.type_of_block(block));
    }

    fn type_of(&self, local: usize) -> String {
        format!("int{}", self.model.locals[Id::from_index(local)].range)
    }

    fn type_of_block(&self, block: usize) -> String {
        let locals = self.names.locals.blocks[block].clone();
        let ranges = locals.map(|k| self.model.locals[Id::from_index(k)].range);
        format!("int{}", ranges.reduce(crate::hull).unwrap_or(Range::BOOLEAN))
    }
}

/// Whether a body with a result cannot end without one.
fn always_returns(body: &[Statement]) -> bool {
    match body.last() {
        Some(Statement::Return(_) | Statement::ReturnContent { .. }) => true,
        Some(Statement::If(_, yes, no)) => always_returns(yes) && always_returns(no),
        _ => false,
    }
}
