//! Shrinking: reduces a program while it still fails.
//!
//! Cuts are made in the syntax tree, and the tree is printed: a program that the front end refuses
//! does not fail, so cuts need not preserve validity.

use super::Program;
use zonaut_base::{Id, SourceFile, SourceMap};
use zonaut_syntax::tree::{
    Declaration, DeclarationKind, Document, Edge, ExpressionId, ExpressionKind, Expressions,
    Function, Initializer, LocationKind, Queries, Query, Statement, StatementKind, Template,
};
use zonaut_syntax::{ParseOptions, parse_model, parse_query_text, print_queries, print_xta};

/// The maximal number of candidates.
const TRIALS: usize = 6_000;

/// The syntax tree of a program; `None` if it cannot be parsed.
pub(crate) fn parsed(program: &Program) -> Option<(Document, Queries)> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", program.text.as_str()));
    let (document, problems) = parse_model(&mut sources, file, &ParseOptions::default());
    let file = sources.add(SourceFile::new("query.q", program.query.as_str()));
    let (queries, more) = parse_query_text(&mut sources, file, &ParseOptions::default());
    (!problems.has_errors() && !more.has_errors()).then_some((document, queries))
}

/// Prints a syntax tree.
pub(crate) fn printed(document: &Document, queries: &Queries) -> Program {
    let query = print_queries(queries).trim().to_owned();
    Program { text: print_xta(document), query }
}

/// A program, reached from `program` by single cuts, that still `fails` and none of whose cuts
/// does. `program` must fail.
pub fn shrink(program: Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    // Cuts are compared by length, so the original is printed in the same format.
    let again = parsed(&program).map(|(document, queries)| printed(&document, &queries));
    let mut smallest = again.filter(|again| fails(again)).unwrap_or(program);
    let (mut number, mut has_changed) = (0, false);
    for _ in 0..TRIALS {
        let Some((mut document, mut queries)) = parsed(&smallest) else { return smallest };
        let mut cutter = Cutter { left: Some(number) };
        cutter.cut(&mut document, &mut queries);
        if cutter.left.is_some() {
            if !has_changed {
                break;
            }
            (number, has_changed) = (0, false);
            continue;
        }
        let candidate = printed(&document, &queries);
        let size = |program: &Program| {
            let length = program.text.len() + program.query.len();
            (length, program.text.clone(), program.query.clone())
        };
        if size(&candidate) < size(&smallest) && fails(&candidate) {
            (smallest, has_changed) = (candidate, true);
        } else {
            number += 1;
        }
    }
    smallest
}

/// Makes one of all possible cuts.
struct Cutter {
    /// The number of cuts to skip; `None` once the cut is made.
    left: Option<usize>,
}

impl Cutter {
    /// Whether to make the cut here.
    fn is_here(&mut self) -> bool {
        match self.left {
            Some(0) => {
                self.left = None;
                true
            }
            Some(left) => {
                self.left = Some(left - 1);
                false
            }
            None => false,
        }
    }

    /// Removes one item of a list.
    fn one_of<T>(&mut self, list: &mut Vec<T>) {
        for position in (0..list.len()).rev() {
            if self.is_here() {
                list.remove(position);
                return;
            }
        }
    }

    fn cut(&mut self, document: &mut Document, queries: &mut Queries) {
        let levels = document.system.levels.iter_mut();
        levels.filter(|level| level.len() > 1).for_each(|level| self.one_of(level));
        document.templates.iter_mut().for_each(|template| self.one_of(&mut template.edges));
        self.one_of(&mut document.templates);
        self.one_of(&mut document.declarations);
        self.one_of(&mut document.system.declarations);
        for template in &mut document.templates {
            self.one_of(&mut template.declarations);
            self.template(template);
        }
        for_each_function(document, |function| self.statement(&mut function.body));
        self.parameters(document);
        for_each_declaration(document, |declaration| self.declaration(declaration));
        self.query(queries);
        self.expressions(&mut document.expressions);
        self.expressions(&mut queries.expressions);
    }

    fn template(&mut self, template: &mut Template) {
        for edge in &mut template.edges {
            self.edge(edge);
        }
        for location in template.locations.iter_mut() {
            self.one_of(&mut location.invariant);
            if location.kind != LocationKind::Ordinary && self.is_here() {
                location.kind = LocationKind::Ordinary;
            }
        }
        self.location(template);
    }

    fn edge(&mut self, edge: &mut Edge) {
        self.one_of(&mut edge.updates);
        self.one_of(&mut edge.guard);
        self.one_of(&mut edge.select);
        if edge.synchronisation.is_some() && self.is_here() {
            edge.synchronisation = None;
        }
    }

    /// Removes the last location, if no edge names it.
    fn location(&mut self, template: &mut Template) {
        let Some(last) = template.locations.len().checked_sub(1) else { return };
        let node = zonaut_syntax::tree::Node::Location(Id::from_index(last));
        let is_used = template
            .edges
            .iter()
            .any(|edge| [edge.source.node, edge.target.node].contains(&Some(node)));
        if last > 0 && !is_used && self.is_here() {
            let mut locations: Vec<_> = template.locations.iter().cloned().collect();
            locations.pop();
            template.locations = locations.into_iter().collect();
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        let replacement = match &mut statement.kind {
            StatementKind::Block(declarations, body) => {
                self.one_of(declarations);
                self.one_of(body);
                declarations.iter_mut().for_each(|declaration| self.declaration(declaration));
                body.iter_mut().for_each(|statement| self.statement(statement));
                None
            }
            StatementKind::If(_, yes, no) => {
                self.statement(yes);
                if let Some(no) = no {
                    self.statement(no);
                }
                if no.is_some() && self.is_here() {
                    *no = None;
                }
                self.is_here().then(|| yes.kind.clone())
            }
            StatementKind::While(_, body)
            | StatementKind::DoWhile(body, _)
            | StatementKind::For(_, body)
            | StatementKind::Iterate(_, body) => {
                self.statement(body);
                self.is_here().then(|| body.kind.clone())
            }
            _ => None,
        };
        if let Some(kind) = replacement {
            statement.kind = kind;
        }
    }

    /// Removes a parameter of a function with its arguments.
    fn parameters(&mut self, document: &mut Document) {
        let mut removed = None;
        for_each_function(document, |function| {
            for position in 0..function.parameters.len() {
                if self.is_here() {
                    function.parameters.remove(position);
                    removed = Some((function.name.text.clone(), position));
                    return;
                }
            }
        });
        let Some((name, position)) = removed else { return };
        let named: Vec<bool> = document
            .expressions
            .iter()
            .map(|expression| matches!(&expression.kind, ExpressionKind::Name(n) if *n == name))
            .collect();
        for expression in document.expressions.iter_mut() {
            if let ExpressionKind::Call(callee, arguments) = &mut expression.kind
                && named[callee.index()]
                && position < arguments.len()
            {
                arguments.remove(position);
            }
        }
    }

    fn declaration(&mut self, declaration: &mut Declaration) {
        let (DeclarationKind::Variables(_, declarators) | DeclarationKind::Typedef(_, declarators)) =
            &mut declaration.kind
        else {
            return;
        };
        for declarator in declarators {
            if declarator.initializer.is_some() && self.is_here() {
                declarator.initializer = None;
            }
            if let Some(Initializer::List(items, _)) = &mut declarator.initializer {
                self.one_of(items);
            }
        }
    }

    fn query(&mut self, queries: &mut Queries) {
        for entry in &mut queries.entries {
            if let Some(query) = &mut entry.query
                && let Query::Always(formula) = **query
                && self.is_here()
            {
                **query = Query::Possibly(formula);
            }
        }
    }

    /// Replaces an expression by an operand or a number.
    fn expressions(&mut self, expressions: &mut Expressions) {
        for position in (0..expressions.len()).rev() {
            let id = ExpressionId::from_index(position);
            for child in children(&expressions[id].kind) {
                if self.is_here() {
                    expressions[id].kind = expressions[child].kind.clone();
                    return;
                }
            }
            for number in 0..2 {
                if self.is_here() {
                    expressions[id].kind = ExpressionKind::Integer(number);
                    return;
                }
            }
        }
    }
}

fn children(kind: &ExpressionKind) -> Vec<ExpressionId> {
    match kind {
        ExpressionKind::Unary(_, inner)
        | ExpressionKind::Step(_, inner)
        | ExpressionKind::Quantifier(_, _, inner)
        | ExpressionKind::Field(inner, _) => vec![*inner],
        ExpressionKind::Binary(_, left, right)
        | ExpressionKind::Assignment(_, left, right)
        | ExpressionKind::Index(left, right) => vec![*left, *right],
        ExpressionKind::Conditional(condition, yes, no) => vec![*condition, *yes, *no],
        ExpressionKind::Call(_, arguments) => arguments.clone(),
        _ => Vec::new(),
    }
}

fn for_each_declaration(document: &mut Document, mut visit: impl FnMut(&mut Declaration)) {
    document.declarations.iter_mut().for_each(&mut visit);
    for template in &mut document.templates {
        template.declarations.iter_mut().for_each(&mut visit);
    }
}

fn for_each_function(document: &mut Document, mut visit: impl FnMut(&mut Function)) {
    for_each_declaration(document, |declaration| {
        if let DeclarationKind::Function(function) = &mut declaration.kind {
            visit(function);
        }
    });
}
