//! Reading of templates in XML.

use super::ElementId;
use super::model::Model;
use crate::codes;
use crate::parser::shown;
use crate::tree::{
    Branchpoint, BranchpointId, Edge, EdgeLayout, Endpoint, LabelKind, Location, LocationId,
    LocationKind, LocationLayout, Name, Node, Point, Template,
};
use std::collections::HashMap;
use std::sync::Arc;
use zonaut_base::IndexVec;

/// The template of the element `id`.
pub(super) fn read(model: &mut Model<'_, '_>, id: ElementId) -> Option<Template> {
    let tree = model.tree;
    let span = tree.element(id).span;
    let name = model.template_name(id)?;
    let mut parameters = Vec::new();
    let mut declarations = Vec::new();
    let mut locations: IndexVec<LocationId, Location> = IndexVec::new();
    let mut branchpoints: IndexVec<BranchpointId, Branchpoint> = IndexVec::new();
    let mut nodes = Nodes::default();
    for &child in &tree.element(id).children {
        match tree.element(child).name {
            "parameter" => {
                let found = model.parse(child, "the parameters", |p| p.parameters());
                parameters = found.unwrap_or_default();
            }
            "declaration" => declarations.append(&mut model.declarations(child)),
            "location" => {
                let location = model.location(child);
                let node = Node::Location(locations.push(location));
                nodes.add(model, child, node);
            }
            "branchpoint" => {
                let branchpoint = model.branchpoint(child);
                let node = Node::Branchpoint(branchpoints.push(branchpoint));
                nodes.add(model, child, node);
            }
            _ => {}
        }
    }
    let initial = model.initial(id, &name, &nodes);
    let transitions: Vec<ElementId> = tree.children_named(id, "transition").collect();
    let edges = transitions.into_iter().map(|edge| model.edge(edge, &nodes)).collect();
    Some(Template {
        name,
        parameters,
        declarations,
        locations,
        branchpoints,
        initial,
        mentions: Vec::new(),
        edges,
        span,
    })
}

/// Locations and branchpoints by their ids.
#[derive(Default)]
struct Nodes {
    by_id: HashMap<String, Node>,
}

impl Nodes {
    fn add(&mut self, model: &mut Model<'_, '_>, element: ElementId, node: Node) {
        let tree = model.tree;
        match tree.attribute(element, "id") {
            Some((id, span)) => {
                if self.by_id.insert(id.to_owned(), node).is_some() {
                    let message = format!("the id `{}` is given twice", shown(id));
                    model.error(codes::XML_REPEATED_ID, span, message);
                }
            }
            None => {
                let element = tree.element(element);
                let message = format!("a {} without an `id`", element.name);
                model.error(codes::XML_MISSING, element.tag, message);
            }
        }
    }
}

fn point(model: &Model<'_, '_>, id: ElementId) -> Option<Point> {
    let number = |name| model.tree.attribute(id, name)?.0.trim().parse().ok();
    Some(Point { x: number("x")?, y: number("y")? })
}

fn colour(model: &Model<'_, '_>, id: ElementId) -> Option<Arc<str>> {
    model.tree.attribute(id, "color").map(|(value, _)| Arc::from(value))
}

impl Model<'_, '_> {
    fn template_name(&mut self, id: ElementId) -> Option<Name> {
        let tree = self.tree;
        let found = tree.child(id, "name");
        let name = found.map(|child| {
            let is_blank = tree.fragment(child).text().trim().is_empty();
            (is_blank, self.parse(child, "the template's name", |p| p.only_name("a name")))
        });
        match name {
            Some((false, name)) => name,
            _ => {
                let span = found.map_or(tree.element(id).tag, |child| tree.element(child).tag);
                self.error(codes::XML_MISSING, span, "a template without a name");
                None
            }
        }
    }

    fn initial(&mut self, id: ElementId, name: &Name, nodes: &Nodes) -> Option<LocationId> {
        let tree = self.tree;
        let Some(child) = tree.child(id, "init") else {
            let message = format!("template `{}` has no initial location", shown(&name.text));
            self.error(codes::NO_INITIAL_LOCATION, name.span, message);
            return None;
        };
        let endpoint = self.endpoint(child, nodes);
        match endpoint.node? {
            Node::Location(id) => Some(id),
            Node::Branchpoint(_) => {
                let message = "the initial location is a branchpoint";
                self.error(codes::NO_INITIAL_LOCATION, endpoint.span, message);
                None
            }
        }
    }

    /// The node that the `ref` of an element names.
    fn endpoint(&mut self, id: ElementId, nodes: &Nodes) -> Endpoint {
        let tree = self.tree;
        let Some((reference, span)) = tree.attribute(id, "ref") else {
            let element = tree.element(id);
            let message = format!("`{}` without a `ref`", element.name);
            self.error(codes::XML_MISSING, element.tag, message);
            return Endpoint { node: None, span: element.tag };
        };
        let node = nodes.by_id.get(reference).copied();
        if node.is_none() {
            let message = format!("no location has the id `{}`", shown(reference));
            self.error(codes::XML_UNKNOWN_ID, span, message);
        }
        Endpoint { node, span }
    }

    fn branchpoint(&mut self, id: ElementId) -> Branchpoint {
        let tree = self.tree;
        let (text, span) = tree.attribute(id, "id").unwrap_or(("", tree.element(id).tag));
        let name = Name { text: self.context.intern(text), span };
        Branchpoint { name, position: point(self, id) }
    }

    fn location(&mut self, id: ElementId) -> Location {
        let tree = self.tree;
        let xml_id = tree.attribute(id, "id").map(|(value, _)| Arc::from(value));
        let position = point(self, id);
        let layout = LocationLayout { position, colour: colour(self, id), ..Default::default() };
        let mut location = Location {
            name: None,
            xml_id,
            kind: LocationKind::Ordinary,
            invariant: Vec::new(),
            exponential_rate: Vec::new(),
            notes: Vec::new(),
            layout,
            span: tree.element(id).span,
        };
        for &child in &tree.element(id).children {
            match tree.element(child).name {
                "name" => {
                    location.name =
                        self.parse(child, "the location's name", |p| p.only_name("a name"));
                    location.layout.name = point(self, child);
                }
                "urgent" => location.kind = location.kind.max(LocationKind::Urgent),
                "committed" => location.kind = location.kind.max(LocationKind::Committed),
                "label" => self.location_label(child, &mut location),
                _ => {}
            }
        }
        location
    }

    fn label_kind(&self, id: ElementId) -> &str {
        self.tree.attribute(id, "kind").map_or("", |(value, _)| value)
    }

    fn location_label(&mut self, id: ElementId, location: &mut Location) {
        let kind = match self.label_kind(id) {
            "invariant" => {
                let found = self.parse(id, "the invariant", |p| p.conjunction());
                location.invariant.extend(found.unwrap_or_default());
                LabelKind::Invariant
            }
            "exponentialrate" => {
                let found = self.parse(id, "the rate", |p| p.exponential_rate());
                location.exponential_rate = found.unwrap_or_default();
                LabelKind::ExponentialRate
            }
            _ => return location.notes.extend(self.note(id)),
        };
        location.layout.labels.extend(point(self, id).map(|place| (kind, place)));
    }

    /// A label that is preserved verbatim.
    fn note(&mut self, id: ElementId) -> Option<(Arc<str>, String)> {
        let text = self.tree.fragment(id).text().to_owned();
        let kind = self.label_kind(id);
        (!text.is_empty()).then(|| (Arc::from(kind), text))
    }

    fn edge(&mut self, id: ElementId, nodes: &Nodes) -> Edge {
        let tree = self.tree;
        let controllable = tree.attribute(id, "controllable").is_none_or(|(v, _)| v != "false");
        let layout = EdgeLayout { colour: colour(self, id), ..EdgeLayout::default() };
        let mut edge = Edge {
            source: self.edge_end(id, "source", nodes),
            target: self.edge_end(id, "target", nodes),
            select: Vec::new(),
            guard: Vec::new(),
            synchronisation: None,
            updates: Vec::new(),
            probability: None,
            controllable,
            notes: Vec::new(),
            layout,
            span: tree.element(id).span,
        };
        for &child in &tree.element(id).children {
            match tree.element(child).name {
                "label" => self.edge_label(child, &mut edge),
                "nail" => edge.layout.nails.extend(point(self, child)),
                _ => {}
            }
        }
        edge
    }

    fn edge_end(&mut self, id: ElementId, which: &str, nodes: &Nodes) -> Endpoint {
        if let Some(child) = self.tree.child(id, which) {
            return self.endpoint(child, nodes);
        }
        let span = self.tree.element(id).tag;
        self.error(codes::XML_MISSING, span, format!("a transition without a `{which}`"));
        Endpoint { node: None, span }
    }

    fn edge_label(&mut self, id: ElementId, edge: &mut Edge) {
        let kind = match self.label_kind(id) {
            "select" => {
                edge.select = self.parse(id, "the select", |p| p.select()).unwrap_or_default();
                LabelKind::Select
            }
            "guard" => {
                let found = self.parse(id, "the guard", |p| p.conjunction());
                edge.guard.extend(found.unwrap_or_default());
                LabelKind::Guard
            }
            "synchronisation" => {
                let found = self.parse(id, "the synchronisation", |p| p.synchronisation());
                edge.synchronisation = found;
                LabelKind::Synchronisation
            }
            "assignment" => {
                let found = self.parse(id, "the updates", |p| p.updates());
                edge.updates.extend(found.unwrap_or_default());
                LabelKind::Assignment
            }
            "probability" => {
                edge.probability = self.parse(id, "the weight", |p| p.probability());
                LabelKind::Probability
            }
            _ => return edge.notes.extend(self.note(id)),
        };
        edge.layout.labels.extend(point(self, id).map(|place| (kind, place)));
    }
}
