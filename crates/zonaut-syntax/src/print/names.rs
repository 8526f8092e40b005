//! Generated names for anonymous locations, and XML ids.

use crate::tree::{Document, Location, LocationId, Node, Template};
use std::collections::HashSet;
use zonaut_base::Id;

/// The names of a template's locations and branchpoints.
pub(super) struct NodeNames {
    pub(super) locations: Vec<String>,
    branchpoints: Vec<String>,
}

impl NodeNames {
    /// Names for the textual format. An anonymous location is named `_` and its XML id.
    pub(super) fn of_text(template: &Template) -> Self {
        let mut used = UsedNames::default();
        for location in template.locations.iter().filter_map(|l| l.name.as_ref()) {
            used.0.insert(location.text.to_string());
        }
        let name =
            |(id, location): (LocationId, &Location), used: &mut UsedNames| match &location.name {
                Some(name) => super::spelled(&name.text).into_owned(),
                None => {
                    let wanted = match &location.xml_id {
                        Some(xml) if is_identifier(xml) => format!("_{xml}"),
                        _ => format!("_id{}", id.index()),
                    };
                    used.claim(wanted)
                }
            };
        let locations =
            template.locations.iter_enumerated().map(|entry| name(entry, &mut used)).collect();
        let branchpoint = |name: &str, used: &mut UsedNames| {
            let wanted = if is_identifier(name) { name.to_owned() } else { "branch".to_owned() };
            used.claim(super::spelled(&wanted).into_owned())
        };
        let points = template.branchpoints.iter();
        let branchpoints = points.map(|b| branchpoint(&b.name.text, &mut used)).collect();
        Self { locations, branchpoints }
    }

    /// The name of a node; `?` if it is unknown.
    pub(super) fn name(&self, node: Option<Node>) -> &str {
        match node {
            Some(Node::Location(id)) => &self.locations[id.index()],
            Some(Node::Branchpoint(id)) => &self.branchpoints[id.index()],
            None => "?",
        }
    }
}

/// The XML ids of all templates, unique in the document.
pub(super) fn xml_ids(document: &Document) -> Vec<NodeNames> {
    let mut used = UsedNames::default();
    let mut next = 0;
    let mut ids_of = |template: &Template| {
        let mut claim = |wanted: Option<&str>| match wanted {
            Some(id) if used.0.insert(id.to_owned()) => id.to_owned(),
            _ => loop {
                let id = format!("id{next}");
                next += 1;
                if used.0.insert(id.clone()) {
                    break id;
                }
            },
        };
        let locations = template.locations.iter().map(|l| claim(l.xml_id.as_deref())).collect();
        let points = template.branchpoints.iter();
        let branchpoints = points.map(|b| claim(Some(&b.name.text))).collect();
        NodeNames { locations, branchpoints }
    };
    document.templates.iter().map(&mut ids_of).collect()
}

/// The names in use.
#[derive(Default)]
struct UsedNames(HashSet<String>);

impl UsedNames {
    /// `wanted`, or a similar name that is not in use.
    fn claim(&mut self, mut wanted: String) -> String {
        while !self.0.insert(wanted.clone()) {
            wanted.push('_');
        }
        wanted
    }
}

fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
