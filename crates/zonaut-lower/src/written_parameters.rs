//! Analysis of value parameters that a template writes: by an assignment, by `++` or `--`, or by
//! passing them to a reference parameter that is not `const`. Such a parameter is a variable of the
//! process; all others are constants.
//!
//! The result is needed before the template is lowered. Names are therefore resolved here by the
//! rules of lowering: parameters and locals of functions, iterations, quantifiers and selections
//! shadow parameters of the template.

use crate::expressions::for_each_child;
use std::collections::HashMap;
use zonaut_base::IndexVec;
use zonaut_syntax::tree::{
    Binder, BranchpointId, Declaration, DeclarationKind, Dialect, Document, Edge, ExpressionId,
    ExpressionKind, Expressions, Function, Initializer, Node, Parameter, Statement, StatementKind,
    Template,
};

/// For each parameter of each template of the document, whether the template writes it.
pub(crate) fn written_parameters(document: &Document) -> Vec<Vec<bool>> {
    let global = functions(&document.declarations);
    document.templates.iter().map(|template| written_in(document, &global, template)).collect()
}

type Functions<'a> = HashMap<&'a str, &'a Function>;

fn functions(declarations: &[Declaration]) -> Functions<'_> {
    let named = declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Function(function) => Some((&*function.name.text, function)),
        _ => None,
    });
    named.collect()
}

fn written_in(document: &Document, global: &Functions<'_>, template: &Template) -> Vec<bool> {
    let none = vec![false; template.parameters.len()];
    // Parameters of the 3.x language are constants or references.
    if document.dialect == Dialect::Old {
        return none;
    }
    let is_variable =
        |parameter: &Parameter| !parameter.by_reference && !parameter.ty.prefix.constant;
    let candidates: HashMap<&str, usize> = template
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| is_variable(parameter))
        .map(|(position, parameter)| (&*parameter.declarator.name.text, position))
        .collect();
    if candidates.is_empty() {
        return none;
    }
    let mut analysis = WriteAnalysis {
        expressions: &document.expressions,
        global,
        own: functions(&template.declarations),
        hidden: vec![0; template.parameters.len()],
        written: none,
        candidates,
    };
    analysis.template(template);
    analysis.written
}

struct WriteAnalysis<'a> {
    expressions: &'a Expressions,
    global: &'a Functions<'a>,
    own: Functions<'a>,
    /// Positions of the parameters that could be written, by name.
    candidates: HashMap<&'a str, usize>,
    /// For each parameter, the number of names in scope that shadow it.
    hidden: Vec<u32>,
    written: Vec<bool>,
}

/// A step of the traversal of an expression, without recursion: chains of operators may be long.
enum Work {
    Visit(ExpressionId),
    Reveal(usize),
}

impl<'a> WriteAnalysis<'a> {
    fn template(&mut self, template: &'a Template) {
        self.declarations(&template.declarations);
        for location in &template.locations {
            self.expressions(&location.invariant);
        }
        let mut branches: IndexVec<BranchpointId, Vec<&'a Edge>> =
            template.branchpoints.iter().map(|_| Vec::new()).collect();
        for edge in &template.edges {
            if let Some(Node::Branchpoint(point)) = edge.source.node {
                branches[point].push(edge);
            }
        }
        for edge in &template.edges {
            if !matches!(edge.source.node, Some(Node::Branchpoint(_))) {
                let before = self.hidden.clone();
                self.edge(edge);
                if let Some(Node::Branchpoint(point)) = edge.target.node {
                    self.branches(&branches[point]);
                }
                self.hidden = before;
            }
        }
    }

    /// Visits the branches of an edge, in which its selections are visible.
    fn branches(&mut self, branches: &[&'a Edge]) {
        for branch in branches {
            let before = self.hidden.clone();
            self.edge(branch);
            self.hidden = before;
        }
    }

    fn edge(&mut self, edge: &'a Edge) {
        for Binder { name, .. } in &edge.select {
            self.hide(&name.text);
        }
        self.expressions(&edge.guard);
        self.expressions(edge.synchronisation.as_ref().map(|sync| &sync.channel));
        self.expressions(&edge.updates);
    }

    /// Records a declaration; returns the parameter that it shadows.
    fn hide(&mut self, name: &str) -> Option<usize> {
        let position = self.candidates.get(name).copied()?;
        self.hidden[position] += 1;
        Some(position)
    }

    fn declarations(&mut self, declarations: &'a [Declaration]) {
        for declaration in declarations {
            match &declaration.kind {
                DeclarationKind::Variables(_, declarators) => {
                    for declarator in declarators {
                        if let Some(initializer) = &declarator.initializer {
                            self.initializer(initializer);
                        }
                        self.hide(&declarator.name.text);
                    }
                }
                DeclarationKind::Function(function) => self.function(function),
                _ => {}
            }
        }
    }

    fn function(&mut self, function: &'a Function) {
        let before = self.hidden.clone();
        for parameter in &function.parameters {
            self.hide(&parameter.declarator.name.text);
        }
        self.statement(&function.body);
        self.hidden = before;
    }

    fn initializer(&mut self, initializer: &'a Initializer) {
        match initializer {
            Initializer::Value(value) => self.expressions([value]),
            Initializer::List(items, _) => {
                items.iter().for_each(|item| self.initializer(&item.value));
            }
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Block(declarations, body) => {
                let before = self.hidden.clone();
                self.declarations(declarations);
                body.iter().for_each(|statement| self.statement(statement));
                self.hidden = before;
            }
            StatementKind::Empty | StatementKind::Comment(_) => {}
            StatementKind::Expression(id) | StatementKind::Assert(id) => self.expressions([id]),
            StatementKind::If(condition, then, otherwise) => {
                self.expressions([condition]);
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
            }
            StatementKind::While(condition, body) | StatementKind::DoWhile(body, condition) => {
                self.expressions([condition]);
                self.statement(body);
            }
            StatementKind::For(parts, body) => {
                self.expressions(parts.iter().flatten());
                self.statement(body);
            }
            StatementKind::Iterate(binder, body) => {
                let before = self.hidden.clone();
                self.hide(&binder.name.text);
                self.statement(body);
                self.hidden = before;
            }
            StatementKind::Return(value) => self.expressions(value),
        }
    }

    fn expressions<'b>(&mut self, ids: impl IntoIterator<Item = &'b ExpressionId>) {
        ids.into_iter().for_each(|id| self.expression(*id));
    }

    fn expression(&mut self, id: ExpressionId) {
        let mut open = vec![Work::Visit(id)];
        while let Some(work) = open.pop() {
            let id = match work {
                Work::Visit(id) => id,
                Work::Reveal(position) => {
                    self.hidden[position] -= 1;
                    continue;
                }
            };
            let kind = &self.expressions[id].kind;
            match kind {
                ExpressionKind::Assignment(_, target, _) | ExpressionKind::Step(_, target) => {
                    self.write(*target);
                }
                ExpressionKind::Call(callee, arguments) => self.call(*callee, arguments),
                ExpressionKind::Quantifier(_, binder, _) => {
                    open.extend(self.hide(&binder.name.text).map(Work::Reveal));
                }
                _ => {}
            }
            for_each_child(kind, |child| open.push(Work::Visit(child)));
        }
    }

    fn call(&mut self, callee: ExpressionId, arguments: &[ExpressionId]) {
        let ExpressionKind::Name(name) = &self.expressions[callee].kind else { return };
        let function = self.own.get(&**name).or_else(|| self.global.get(&**name));
        let Some(function) = function.copied() else { return };
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            if parameter.by_reference && !parameter.ty.prefix.constant {
                self.write(*argument);
            }
        }
    }

    /// Records that the variables whose storage an expression may denote are written.
    fn write(&mut self, target: ExpressionId) {
        let mut open = vec![target];
        while let Some(id) = open.pop() {
            match &self.expressions[id].kind {
                ExpressionKind::Name(name) => {
                    if let Some(&position) = self.candidates.get(&**name)
                        && self.hidden[position] == 0
                    {
                        self.written[position] = true;
                    }
                }
                ExpressionKind::Index(inner, _) | ExpressionKind::Field(inner, _) => {
                    open.push(*inner);
                }
                ExpressionKind::Conditional(_, yes, no) => open.extend([*yes, *no]),
                _ => {}
            }
        }
    }
}
