//! Resolution of the locations and branchpoints that a process names.

use super::Body;
use crate::codes;
use crate::context::Context;
use crate::parser::shown;
use crate::tree::{Endpoint, LocationId, Name, Node, Parameter, Template};
use std::collections::HashMap;
use std::sync::Arc;
use zonaut_base::{Diagnostic, Span, most_similar};

/// The head of a process and the span of the whole.
pub(super) struct Head {
    pub(super) name: Name,
    pub(super) parameters: Vec<Parameter>,
    pub(super) span: Span,
}

/// The locations and branchpoints of a process by name.
struct Nodes {
    by_name: HashMap<Arc<str>, Node>,
    damaged: bool,
}

impl Body {
    /// The template, with its names resolved.
    pub(super) fn resolve(mut self, context: &mut Context, head: Head) -> Template {
        let nodes = self.nodes(context);
        let mut mentions = Vec::new();
        for (name, kind) in std::mem::take(&mut self.kinds) {
            if let Some(id) = nodes.location(context, &name) {
                let location = &mut self.locations[id];
                location.kind = location.kind.max(kind);
                mentions.push(mention(id, &name));
            }
        }
        let initial = match &self.initial {
            Some(name) => {
                let id = nodes.location(context, name);
                mentions.extend(id.map(|id| mention(id, name)));
                id
            }
            None => {
                let message = format!("template `{}` has no initial location", head.name.text);
                let diagnostic =
                    Diagnostic::error(codes::NO_INITIAL_LOCATION, head.name.span, message)
                        .with_help("add `init` and the name of a location");
                context.report(diagnostic);
                None
            }
        };
        let mut edges = Vec::with_capacity(self.edges.len());
        for (source, target, mut edge) in self.edges {
            edge.source.node = nodes.node(context, &source);
            edge.target.node = nodes.node(context, &target);
            edges.push(edge);
        }
        Template {
            name: head.name,
            parameters: head.parameters,
            declarations: self.declarations,
            locations: self.locations,
            branchpoints: self.branchpoints,
            initial,
            mentions,
            edges,
            span: head.span,
        }
    }

    fn nodes(&self, context: &mut Context) -> Nodes {
        let located = self.locations.iter_enumerated().filter_map(|(id, location)| {
            location.name.as_ref().map(|name| (name, Node::Location(id)))
        });
        let branched =
            self.branchpoints.iter_enumerated().map(|(id, b)| (&b.name, Node::Branchpoint(id)));
        let mut by_name = HashMap::new();
        for (name, node) in located.chain(branched) {
            if by_name.insert(Arc::clone(&name.text), node).is_some() {
                let message = format!("`{}` is declared twice in one process", shown(&name.text));
                context.report(Diagnostic::error(codes::REPEATED_LOCATION, name.span, message));
            }
        }
        Nodes { by_name, damaged: self.damaged }
    }
}

/// The use of a location's name.
fn mention(id: LocationId, name: &Name) -> Endpoint {
    Endpoint { node: Some(Node::Location(id)), span: name.span }
}

impl Nodes {
    fn node(&self, context: &mut Context, name: &Name) -> Option<Node> {
        let node = self.by_name.get(&name.text).copied();
        if node.is_none() && !self.damaged {
            let message = format!("no location is named `{}`", shown(&name.text));
            let unknown = Diagnostic::error(codes::UNKNOWN_LOCATION, name.span, message);
            let near = most_similar(&name.text, self.by_name.keys().map(AsRef::as_ref));
            context.report(match near {
                Some(near) => unknown.with_help(format!("did you mean `{}`?", shown(&near))),
                None => unknown,
            });
        }
        node
    }

    fn location(&self, context: &mut Context, name: &Name) -> Option<LocationId> {
        match self.node(context, name)? {
            Node::Location(id) => Some(id),
            Node::Branchpoint(_) => {
                let message = format!("`{}` is a branchpoint, not a location", shown(&name.text));
                context.report(Diagnostic::error(codes::UNKNOWN_LOCATION, name.span, message));
                None
            }
        }
    }
}
