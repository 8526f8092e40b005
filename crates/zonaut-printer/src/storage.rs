//! Scopes of temporary storage.
//!
//! In a model, temporary storage is one address space. In a text, a variable belongs to the
//! function that declares it, and is visible to others only if it is passed to them. Functions of a
//! model are specialised for the storage of their reference parameters, so their bodies contain
//! variables of their callers; arrays and structs that they return are left in storage that the
//! caller reads. Both become reference parameters again.

use crate::names::Names;
use std::collections::BTreeSet;
use zonaut_analysis::mention::{Mention, Mentions};
use zonaut_analysis::{IdSet, roots};
use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    Expression, ExpressionId, Function, FunctionId, LocalId, Model, Parameter, Statement,
};

/// The temporary storage that occurs in code.
#[derive(Clone, Default, Debug)]
pub(crate) struct Mentioned {
    /// Variables, by the index of their block.
    pub(crate) blocks: BTreeSet<usize>,
    /// Variables that quantifiers, loops and selections bind.
    pub(crate) bound: BTreeSet<usize>,
}

impl Mentioned {
    pub(crate) fn extend(&mut self, other: &Self) {
        self.blocks.extend(&other.blocks);
        self.bound.extend(&other.bound);
    }
}

/// The temporary storage of a function.
#[derive(Clone, Default, Debug)]
pub(crate) struct Storage {
    /// The storage that is passed to it besides its parameters.
    pub(crate) passed: Mentioned,
    /// The blocks that it declares.
    pub(crate) declared: BTreeSet<usize>,
    /// The passed blocks that it may write.
    pub(crate) written: BTreeSet<usize>,
}

/// The temporary storage of all functions.
pub(crate) struct Scopes {
    binders: IdSet<LocalId>,
    pub(crate) functions: IndexVec<FunctionId, Storage>,
}

impl Scopes {
    pub(crate) fn new(mentions: &Mentions<'_>, names: &Names) -> Self {
        let model = mentions.model();
        let mut this = Self { binders: binders(model), functions: IndexVec::new() };
        let own: IndexVec<FunctionId, Mentioned> =
            model.functions.ids().map(|id| this.of_access(&mentions.of_body(id), names)).collect();
        // Variables that belong to no function, and results that callers read.
        let mut foreign: BTreeSet<usize> = BTreeSet::new();
        for root in roots::of_model(model) {
            foreign.extend(this.of_access(&mentions.outside_functions(root), names).blocks);
        }
        let contents = model.functions.iter().filter(|function| returns_content(function));
        let results: BTreeSet<usize> =
            contents.filter_map(|f| f.result).flat_map(|r| blocks_of(names, r)).collect();
        for (id, function) in model.functions.iter_enumerated() {
            let mut needed = own[id].clone();
            let calls = inside(model, function);
            for &callee in &calls.callees {
                needed.extend(&this.functions[callee].passed);
            }
            let parameters: BTreeSet<usize> =
                function.parameters.iter().flat_map(|&p| blocks_of(names, p)).collect();
            let mut passed = Mentioned::default();
            if returns_content(function) {
                passed.blocks.extend(function.result.iter().flat_map(|&r| blocks_of(names, r)));
            }
            for &block in needed.blocks.difference(&results) {
                // The function that declares it calls all the others.
                let mut callers = own.iter_enumerated().filter(|&(other, _)| other > id);
                let is_foreign = foreign.contains(&block)
                    || callers.any(|(_, mentioned)| mentioned.blocks.contains(&block));
                if is_foreign && !parameters.contains(&block) {
                    passed.blocks.insert(block);
                }
            }
            passed.bound = needed.bound.difference(&calls.bound).copied().collect();
            let mut declared = needed.blocks;
            declared.extend(&parameters);
            declared.retain(|block| !passed.blocks.contains(block));
            let written = mentions.functions()[id].locals_written.iter();
            let written = written.map(|local| names.locals.number(local.index()));
            let written = written.filter(|block| passed.blocks.contains(block)).collect();
            this.functions.push(Storage { passed, declared, written });
        }
        this
    }

    /// The storage that occurs in `id`, with the storage that is passed to called functions, and
    /// without the variables that it binds itself.
    pub(crate) fn of(&self, mentions: &Mentions<'_>, names: &Names, id: ExpressionId) -> Mentioned {
        let mut mentioned = self.of_access(&mentions.outside_functions(id), names);
        let (mut open, mut bound) = (vec![id], BTreeSet::new());
        while let Some(id) = open.pop() {
            let expression = &mentions.model().expressions[id];
            match expression {
                Expression::Call(function, _) => {
                    mentioned.extend(&self.functions[*function].passed);
                }
                Expression::Quantifier { binder, .. } => {
                    bound.insert(binder.index());
                }
                _ => {}
            }
            expression.for_each_child(|child| open.push(child));
        }
        mentioned.bound.retain(|local| !bound.contains(local));
        mentioned
    }

    /// Whether variables are passed to a function.
    pub(crate) fn needs_storage(&self, function: FunctionId) -> bool {
        !self.functions[function].passed.blocks.is_empty()
    }

    /// Whether free temporary storage occurs.
    pub(crate) fn mentions_variable(&self, access: &Mention) -> bool {
        let mut all = access.locals_read.iter().chain(access.locals_written.iter());
        all.any(|local| !self.binders.contains(local))
    }

    fn of_access(&self, access: &Mention, names: &Names) -> Mentioned {
        let mut mentioned = Mentioned::default();
        for local in access.locals_read.iter().chain(access.locals_written.iter()) {
            if self.binders.contains(local) {
                mentioned.bound.insert(local.index());
            } else {
                mentioned.blocks.insert(names.locals.number(local.index()));
            }
        }
        mentioned
    }
}

/// Whether a function leaves an array or a struct in the storage of its result.
pub(crate) fn returns_content(function: &Function) -> bool {
    let mut found = false;
    function.for_each_statement(|statement| {
        found |= matches!(statement, Statement::ReturnContent { .. });
    });
    found
}

/// The blocks of a parameter or a result.
pub(crate) fn blocks_of(names: &Names, storage: Parameter) -> impl Iterator<Item = usize> {
    storage.locals().map(|local| names.locals.number(local.index()))
}

/// The contents of a body.
struct Inside {
    callees: BTreeSet<FunctionId>,
    bound: BTreeSet<usize>,
}

fn inside(model: &Model, function: &Function) -> Inside {
    let mut found = Inside { callees: BTreeSet::new(), bound: BTreeSet::new() };
    let mut open = Vec::new();
    roots::of_function(function, &mut open);
    function.for_each_statement(|statement| {
        if let Statement::Iterate { binder, .. } = statement {
            found.bound.insert(binder.index());
        }
    });
    while let Some(id) = open.pop() {
        let expression = &model.expressions[id];
        match expression {
            Expression::Call(callee, _) => {
                found.callees.insert(*callee);
            }
            Expression::Quantifier { binder, .. } => {
                found.bound.insert(binder.index());
            }
            _ => {}
        }
        expression.for_each_child(|child| open.push(child));
    }
    found
}

/// The variables that quantifiers, loops and selections bind anywhere.
fn binders(model: &Model) -> IdSet<LocalId> {
    let quantified = model.expressions.iter().filter_map(|expression| match expression {
        Expression::Quantifier { binder, .. } => Some(*binder),
        _ => None,
    });
    let edges = model.processes.iter().flat_map(|process| &process.edges);
    let selected = edges.flat_map(|edge| edge.select.iter().map(|select| select.binder));
    let mut all: IdSet<LocalId> = quantified.chain(selected).collect();
    for function in &model.functions {
        function.for_each_statement(|statement| {
            if let Statement::Iterate { binder, .. } = statement {
                all.insert(*binder);
            }
        });
    }
    all
}
