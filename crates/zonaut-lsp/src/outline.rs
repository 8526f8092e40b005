//! The parts of a document in which names are visible, and its functions, by position.

use crate::analysis::Analysis;
use std::collections::BTreeSet;
use zonaut_engine::{Definition, Loaded, NameKind, Span};
use zonaut_syntax::tree::{
    Declaration, DeclarationKind, Instantiation, Parameter, StatementKind, Template,
};

/// A part of a document whose names are visible only inside it.
#[derive(Clone, Copy, Debug)]
struct Container {
    span: Span,
    /// The name of the part itself, which is visible around it.
    name: Option<Span>,
}

/// A function, a template or an instantiation with parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callable<'l> {
    pub(crate) name: Span,
    pub(crate) parameters: &'l [Parameter],
}

/// The structure of a loaded model and its queries.
#[derive(Debug)]
pub(crate) struct Outline<'l> {
    loaded: &'l Loaded,
    containers: Vec<Container>,
    callables: Vec<Callable<'l>>,
    parameters: BTreeSet<Span>,
}

impl<'l> Outline<'l> {
    pub(crate) fn of(analysis: &'l Analysis) -> Self {
        let loaded = &analysis.loaded;
        let mut outline = Self {
            loaded,
            containers: Vec::new(),
            callables: Vec::new(),
            parameters: BTreeSet::new(),
        };
        let document = &*loaded.document;
        outline.declarations(&document.declarations);
        outline.declarations(&document.system.declarations);
        for template in &document.templates {
            let name = template.name.span;
            outline.callable(template.span, name, &template.parameters);
            outline.declarations(&template.declarations);
            for edge in &template.edges {
                outline.containers.push(Container { span: edge.span, name: None });
            }
        }
        for entry in loaded.query_entries() {
            outline.containers.push(Container { span: entry.span, name: None });
        }
        outline
    }

    fn declarations(&mut self, declarations: &'l [Declaration]) {
        for declaration in declarations {
            match &declaration.kind {
                DeclarationKind::Function(function) => {
                    let name = function.name.span;
                    self.callable(declaration.span, name, &function.parameters);
                    if let StatementKind::Block(inner, _) = &function.body.kind {
                        self.declarations(inner);
                    }
                }
                DeclarationKind::Instantiation(made) => {
                    self.callable(declaration.span, made.name.span, &made.parameters);
                }
                DeclarationKind::Import(import) => {
                    for function in &import.functions {
                        let name = function.alias.as_ref().unwrap_or(&function.name).span;
                        let parameters = &function.parameters;
                        self.callables.push(Callable { name, parameters });
                    }
                }
                _ => {}
            }
        }
    }

    fn callable(&mut self, span: Span, name: Span, parameters: &'l [Parameter]) {
        self.containers.push(Container { span, name: Some(name) });
        self.callables.push(Callable { name, parameters });
        self.parameters.extend(parameters.iter().map(|parameter| parameter.declarator.name.span));
    }

    /// The function, template or instantiation whose name is declared at `span`.
    pub(crate) fn callable_at(&self, span: Span) -> Option<Callable<'l>> {
        self.callables.iter().find(|callable| callable.name == span).copied()
    }

    /// Whether the name that is declared at `span` is a parameter.
    pub(crate) fn is_parameter(&self, span: Span) -> bool {
        self.parameters.contains(&span)
    }

    /// The smallest part around a declaration.
    fn container(&self, declared: Span) -> Option<Container> {
        let around = self.containers.iter().filter(|container| {
            container.span.contains(declared) && container.name != Some(declared)
        });
        around.min_by_key(|container| container.span.end - container.span.start).copied()
    }

    /// The definitions that are visible at `place`, fields excepted; inner ones come first.
    pub(crate) fn visible(&self, place: Span) -> Vec<&'l Definition> {
        let mut found: Vec<(u32, &Definition)> = Vec::new();
        for definition in self.loaded.names.definitions() {
            let is_named = !matches!(definition.kind, NameKind::Field | NameKind::Branchpoint);
            match self.container(definition.span) {
                _ if !is_named => {}
                None => found.push((u32::MAX, definition)),
                Some(part) if part.span.contains(place) => {
                    found.push((part.span.end - part.span.start, definition));
                }
                Some(_) => {}
            }
        }
        found.sort_by_key(|(size, _)| *size);
        found.into_iter().map(|(_, definition)| definition).collect()
    }

    /// The names of a template that queries can mention.
    pub(crate) fn members(&self, template: &Template) -> Vec<&'l Definition> {
        let definitions = self.loaded.names.definitions();
        let is_member = |definition: &&Definition| {
            let is_shown = !matches!(
                definition.kind,
                NameKind::Field | NameKind::Branchpoint | NameKind::Type | NameKind::Template
            );
            is_shown
                && self
                    .container(definition.span)
                    .is_some_and(|part| part.name == Some(template.name.span))
        };
        definitions.filter(is_member).collect()
    }

    /// The template whose processes have the name that is declared at `span`.
    pub(crate) fn template_of(&self, span: Span) -> Option<&'l Template> {
        let document = &*self.loaded.document;
        let mut span = span;
        // A chain of instantiations is no longer than there are declarations.
        for _ in 0..=document.system.declarations.len() + document.declarations.len() {
            let template = document.templates.iter().find(|template| template.name.span == span);
            if template.is_some() {
                return template;
            }
            let made = self.instantiation(span)?;
            let (_, definition) = self.loaded.names.at(made.template.span)?;
            span = definition.span;
        }
        None
    }

    fn instantiation(&self, span: Span) -> Option<&'l Instantiation> {
        let document = &*self.loaded.document;
        let all = document.system.declarations.iter().chain(&document.declarations);
        let mut made = all.filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Instantiation(made) => Some(made),
            _ => None,
        });
        made.find(|made| made.name.span == span)
    }

    /// The template around `place`.
    pub(crate) fn template_around(&self, place: Span) -> Option<&'l Template> {
        self.loaded.document.templates.iter().find(|template| template.span.contains(place))
    }
}
