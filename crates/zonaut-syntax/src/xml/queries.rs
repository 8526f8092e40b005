//! Queries inside an XML model.

use super::{ElementId, Tree};
use crate::query::Reader;
use crate::tree::Expectation;

/// Reads every `query` of the element `id`, headings included.
pub(super) fn read(reader: &mut Reader, tree: &Tree<'_>, id: ElementId) {
    for query in tree.children_named(id, "query") {
        let formula = tree.child(query, "formula").unwrap_or(query);
        let mut entry = reader.entry(&tree.fragment(formula));
        if let Some(comment) = tree.child(query, "comment") {
            tree.fragment(comment).text().trim().clone_into(&mut entry.comment);
        }
        for option in tree.children_named(query, "option") {
            let value = |name| tree.attribute(option, name).map_or("", |(v, _)| v).to_owned();
            entry.options.push((value("key"), value("value")));
        }
        entry.expect = tree.child(query, "expect").map(|expect| {
            let value = |name| tree.attribute(expect, name).map(|(v, _)| v.to_owned());
            let outcome = value("outcome").unwrap_or_default();
            Expectation { outcome, kind: value("type"), value: value("value") }
        });
        reader.add(entry);
    }
}
