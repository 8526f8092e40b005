//! Changes of a model's source text that leave everything else in it as it is: one label, one
//! declaration, or positions of locations.

use zonaut_draw::lay_out;
use zonaut_engine::Id;
use zonaut_syntax::tree::{Document, Node, Point, Template};
use zonaut_syntax::xml_escaped;

/// The labels of an edge in the order of the file: the kind in XML, and the keyword in XTA.
const EDGE_LABELS: [(&str, &str); 4] = [
    ("select", "select"),
    ("guard", "guard"),
    ("synchronisation", "sync"),
    ("assignment", "assign"),
];

/// A range of bytes of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A part of an XML file that is edited on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) text: String,
    range: Range,
}

/// The new position of a location in the drawing of its template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) template: usize,
    pub(crate) location: usize,
    pub(crate) by: Point,
}

pub(crate) fn is_xml(source: &str) -> bool {
    source.trim_start().starts_with('<')
}

fn replaced(source: &str, range: Range, text: &str) -> String {
    format!("{}{text}{}", &source[..range.start], &source[range.end..])
}

fn unescaped(text: &str) -> String {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |all, (entity, c)| all.replace(entity, c))
}

/// The declarations and the system part of an XML file; none for other files.
pub(crate) fn parts(source: &str) -> Vec<Part> {
    let mut found = Vec::new();
    if !is_xml(source) {
        return found;
    }
    let mut template = None;
    let mut at = 0;
    while let Some(open) = source[at..].find('<').map(|offset| at + offset) {
        if source[open..].starts_with("<!--") {
            at = source[open..].find("-->").map_or(source.len(), |offset| open + offset + 3);
            continue;
        }
        let Some(close) = source[open..].find('>').map(|offset| open + offset) else { break };
        at = close + 1;
        let tag = &source[open + 1..close];
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let end = |name: &str| source[at..].find(&format!("</{name}>")).map(|offset| at + offset);
        match name {
            "template" if !tag.ends_with('/') => template = Some(String::new()),
            "name" if template.as_deref() == Some("") => {
                template = end("name").map(|end| unescaped(source[at..end].trim()));
            }
            "declaration" | "system" if !tag.ends_with('/') => {
                let Some(end) = end(name) else { break };
                let title = match (name, &template) {
                    ("system", _) => "System".to_owned(),
                    (_, Some(owner)) => format!("Declarations of {owner}"),
                    (_, None) => "Declarations".to_owned(),
                };
                let range = Range { start: at, end };
                // A section without entities is left as it is.
                if !source[at..end].contains("<![CDATA[") {
                    let text = unescaped(&source[at..end]);
                    found.push(Part { name: title, text, range });
                }
                at = end;
            }
            _ if tag == "/template" => template = None,
            _ => {}
        }
    }
    found
}

/// The source with another text of one of its parts; `None` if there is no such part.
pub(crate) fn with_part(source: &str, index: usize, text: &str) -> Option<String> {
    let part = parts(source).into_iter().nth(index)?;
    Some(replaced(source, part.range, &xml_escaped(text)))
}

/// The source with another label of the edge in `range`, of this kind of XML.
pub(crate) fn with_edge_label(
    source: &str,
    range: Range,
    kind: &str,
    text: &str,
) -> Option<String> {
    let position = EDGE_LABELS.iter().position(|(name, _)| *name == kind)?;
    match is_xml(source) {
        true => with_xml_label(source, range, kind, text, "target"),
        false => with_xta_label(source, range, position, text),
    }
}

/// The source with another invariant of the location in `range`.
pub(crate) fn with_invariant(source: &str, range: Range, text: &str) -> Option<String> {
    if is_xml(source) {
        return with_xml_label(source, range, "invariant", text, "name");
    }
    let own = source.get(range.start..range.end)?;
    let name = own.split('{').next()?.trim_end();
    let text = text.trim();
    let new = if text.is_empty() { name.to_owned() } else { format!("{name} {{ {text} }}") };
    Some(replaced(source, range, &new))
}

/// The element in `range` with another label, which is inserted behind the child `after` if it is
/// new.
fn with_xml_label(
    source: &str,
    range: Range,
    kind: &str,
    text: &str,
    after: &str,
) -> Option<String> {
    let own = source.get(range.start..range.end)?;
    let text = text.trim();
    let mut at = 0;
    while let Some(open) = own[at..].find("<label").map(|offset| at + offset) {
        let close = open + own[open..].find('>')?;
        let tag = &own[open..close];
        let is_empty = tag.ends_with('/');
        let end = match is_empty {
            true => close + 1,
            false => close + own[close..].find("</label>")? + "</label>".len(),
        };
        let is_kind = [format!("kind=\"{kind}\""), format!("kind='{kind}'")]
            .iter()
            .any(|it| tag.contains(it.as_str()));
        if is_kind {
            let new = match text.is_empty() {
                true => String::new(),
                false => format!("{}>{}</label>", tag.trim_end_matches('/'), xml_escaped(text)),
            };
            let range = Range { start: range.start + open, end: range.start + end };
            return Some(replaced(source, range, &new));
        }
        at = end;
    }
    if text.is_empty() {
        return Some(source.to_owned());
    }
    let place = behind_child(own, after).or_else(|| Some(own.find('>')? + 1))?;
    let label = format!("<label kind=\"{kind}\">{}</label>", xml_escaped(text));
    // An element without children has no end tag.
    if own[..place].ends_with("/>") && place == own.len() {
        let name = own[1..].split(|c: char| c.is_whitespace()).next()?;
        let open = own[..place - 2].trim_end();
        return Some(replaced(source, range, &format!("{open}>{label}</{name}>")));
    }
    let at = range.start + place;
    Some(replaced(source, Range { start: at, end: at }, &label))
}

/// The position behind the first child with this name.
fn behind_child(own: &str, name: &str) -> Option<usize> {
    let open = own.find(&format!("<{name}"))?;
    let close = open + own[open..].find('>')?;
    if own[..close].ends_with('/') {
        return Some(close + 1);
    }
    let end = format!("</{name}>");
    Some(close + own[close..].find(&end)? + end.len())
}

/// The edge in `range` with another section, of the label at `position`.
fn with_xta_label(source: &str, range: Range, position: usize, text: &str) -> Option<String> {
    let own = source.get(range.start..range.end)?;
    let text = text.trim().trim_end_matches(';');
    let body = own.find('{')? + 1;
    let sections = sections(own, body);
    let (_, keyword) = EDGE_LABELS[position];
    let section = match text.is_empty() {
        true => String::new(),
        false => format!("{keyword} {text};"),
    };
    if let Some((_, found)) = sections.iter().find(|(name, _)| *name == keyword) {
        let range = Range { start: range.start + found.start, end: range.start + found.end };
        return Some(replaced(source, range, &section));
    }
    // A new section follows those before it.
    let before = EDGE_LABELS[..position].iter().rev();
    let before = before.filter_map(|(_, name)| sections.iter().find(|(own, _)| own == name));
    let at = range.start + before.map(|(_, it)| it.end).next().unwrap_or(body);
    Some(replaced(source, Range { start: at, end: at }, &format!(" {section}")))
}

/// The sections of the body of an edge, each from its keyword to its semicolon. Comments are
/// skipped.
fn sections(own: &str, body: usize) -> Vec<(&'static str, Range)> {
    let mut found = Vec::new();
    let (mut at, mut open): (usize, Option<(&'static str, usize)>) = (body, None);
    while at < own.len() {
        let rest = &own[at..];
        let skipped = [("//", "\n"), ("/*", "*/")].iter().find_map(|(start, end)| {
            let inner = rest.strip_prefix(start)?;
            Some(start.len() + inner.find(end).map_or(inner.len(), |offset| offset + end.len()))
        });
        if let Some(length) = skipped {
            at += length;
            continue;
        }
        let word: usize =
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
        if word > 0 {
            let keyword = EDGE_LABELS.iter().find(|(_, name)| *name == &rest[..word]);
            if let (Some((_, name)), None) = (keyword, open) {
                open = Some((name, at));
            }
            at += word;
            continue;
        }
        if rest.starts_with(';')
            && let Some((name, start)) = open.take()
        {
            found.push((name, Range { start, end: at + 1 }));
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
    }
    found
}

/// The document with moved locations, whose labels follow them, and whose edges are drawn again.
pub(crate) fn moved(document: &Document, moves: &[Move]) -> Document {
    let mut document = document.clone();
    lay_out(&mut document);
    for &Move { template, location, by } in moves {
        let Some(template) = document.templates.get_mut(template) else { continue };
        let id = Id::from_index(location);
        if location >= template.locations.len() {
            continue;
        }
        let layout = &mut template.locations[id].layout;
        let places = layout.position.iter_mut().chain(&mut layout.name);
        for place in places.chain(layout.labels.iter_mut().map(|(_, place)| place)) {
            place.x = place.x.saturating_add(by.x);
            place.y = place.y.saturating_add(by.y);
        }
        for edge in &mut template.edges {
            if [&edge.source, &edge.target].iter().any(|end| end.node == Some(Node::Location(id))) {
                edge.layout.nails.clear();
                edge.layout.labels.clear();
            }
        }
    }
    document
}

/// The XML source with the positions of the locations and branchpoints of the moved templates.
/// `None` if the file is not XML, which has no coordinates.
pub(crate) fn with_positions(source: &str, document: &Document, moves: &[Move]) -> Option<String> {
    if !is_xml(source) {
        return None;
    }
    let drawn = moved(document, moves);
    let mut changes: Vec<(Range, String)> = Vec::new();
    for (number, (old, new)) in document.templates.iter().zip(&drawn.templates).enumerate() {
        if moves.iter().any(|it| it.template == number) {
            template_changes(source, old, new, &mut changes);
        }
    }
    // From the end, so that earlier positions stay valid.
    changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let text =
        changes.iter().fold(source.to_owned(), |text, (range, new)| replaced(&text, *range, new));
    Some(text)
}

fn template_changes(
    source: &str,
    old: &Template,
    new: &Template,
    changes: &mut Vec<(Range, String)>,
) {
    for (before, after) in old.locations.iter().zip(&new.locations) {
        let range = Range { start: before.span.start as usize, end: before.span.end as usize };
        let Some(own) = source.get(range.start..range.end) else { continue };
        let Some(place) = after.layout.position else { continue };
        let mut text = at_place(own, 0, place);
        if let (Some(name), Some(at)) = (after.layout.name, text.find("<name")) {
            text = at_place(&text, at, name);
        }
        let mut from = 0;
        for (_, place) in &after.layout.labels {
            let Some(at) = text[from..].find("<label").map(|offset| from + offset) else { break };
            text = at_place(&text, at, *place);
            from = at + 1;
        }
        changes.push((range, text));
    }
    for (before, after) in old.edges.iter().zip(&new.edges) {
        let is_cleared = after.layout.nails.is_empty() && after.layout.labels.is_empty();
        let had_places = !(before.layout.nails.is_empty() && before.layout.labels.is_empty());
        if is_cleared && had_places {
            let range = Range { start: before.span.start as usize, end: before.span.end as usize };
            if let Some(own) = source.get(range.start..range.end) {
                changes.push((range, without_places(own)));
            }
        }
    }
}

/// The text with the coordinates of the tag that starts at `at`.
fn at_place(text: &str, at: usize, Point { x, y }: Point) -> String {
    let Some(close) = text[at..].find('>').map(|offset| at + offset) else {
        return text.to_owned();
    };
    let tag = without_attributes(&text[at..close], &["x", "y"]);
    let (front, end) = match tag.strip_suffix('/') {
        Some(front) => (front.trim_end(), "/"),
        None => (tag.trim_end(), ""),
    };
    format!("{}{front} x=\"{x}\" y=\"{y}\"{end}{}", &text[..at], &text[close..])
}

/// An edge without nails and positions of labels.
fn without_places(own: &str) -> String {
    let mut text = String::new();
    let mut rest = own;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('>').map(|offset| open + offset) else { break };
        let tag = &rest[open..close];
        rest = &rest[close + 1..];
        if tag.starts_with("<nail") {
            continue;
        }
        match tag.starts_with("<label") {
            true => text.push_str(&without_attributes(tag, &["x", "y"])),
            false => text.push_str(tag),
        }
        text.push('>');
    }
    text + rest
}

/// A tag without these attributes.
fn without_attributes(tag: &str, names: &[&str]) -> String {
    let mut text = tag.to_owned();
    for name in names {
        for quote in ['"', '\''] {
            let key = format!(" {name}={quote}");
            if let Some(start) = text.find(&key)
                && let Some(length) = text[start + key.len()..].find(quote)
            {
                text.replace_range(start..start + key.len() + length + 1, "");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGE: &str = "<transition><source ref=\"a\"/><target ref=\"b\"/>\
        <label kind=\"guard\" x=\"1\" y=\"2\">x &gt; 1</label><nail x=\"5\" y=\"6\"/></transition>";

    fn whole(text: &str) -> Range {
        Range { start: 0, end: text.len() }
    }

    #[test]
    fn labels_of_xml_are_replaced_added_and_removed() {
        let check = |kind: &str, text: &str, expected: &str| {
            let changed = with_edge_label(EDGE, whole(EDGE), kind, text).expect("an edge");
            assert!(changed.contains(expected), "{changed}");
            changed
        };
        let changed = check("guard", "x < 2", "y=\"2\">x &lt; 2</label><nail");
        assert!(!changed.contains("&gt; 1"), "{changed}");
        check("assignment", "n = 1", "<target ref=\"b\"/><label kind=\"assignment\">n = 1</label>");
        let removed = check("guard", " ", "<target ref=\"b\"/><nail");
        assert!(!removed.contains("label"), "{removed}");
        assert_eq!(with_edge_label(EDGE, whole(EDGE), "onclick", "x"), None);
        let place = "<location id=\"a\" x=\"0\" y=\"0\"/>";
        let changed = with_invariant(place, whole(place), "x <= 3").expect("a location");
        let expected = "<location id=\"a\" x=\"0\" y=\"0\">\
            <label kind=\"invariant\">x &lt;= 3</label></location>";
        assert_eq!(changed, expected);
    }

    #[test]
    fn labels_of_text_are_replaced_added_and_removed() {
        let edge = "a -> b { guard x > 1; /* sync no; */ assign n = 1; }";
        let check = |kind: &str, text: &str, expected: &str| {
            let changed = with_edge_label(edge, whole(edge), kind, text).expect("an edge");
            assert_eq!(changed, expected);
        };
        check("guard", "x < 2", "a -> b { guard x < 2; /* sync no; */ assign n = 1; }");
        check(
            "synchronisation",
            "go!",
            "a -> b { guard x > 1; sync go!; /* sync no; */ assign n = 1; }",
        );
        check("assignment", "", "a -> b { guard x > 1; /* sync no; */  }");
        check(
            "select",
            "i : int[0,1]",
            "a -> b { select i : int[0,1]; guard x > 1; /* sync no; */ assign n = 1; }",
        );
        assert_eq!(
            with_invariant("a { x <= 3 }", Range { start: 0, end: 12 }, ""),
            Some("a".to_owned())
        );
        assert_eq!(
            with_invariant("a", Range { start: 0, end: 1 }, "x < 1"),
            Some("a { x < 1 }".to_owned())
        );
    }

    #[test]
    fn parts_are_declarations_and_the_system() {
        let source = "<nta><!-- <declaration>no</declaration> --><declaration>int n; // a &lt; b\n\
            </declaration><template><name>P</name><declaration>clock x;</declaration></template>\
            <system>system P;</system></nta>";
        let found = parts(source);
        let names: Vec<&str> = found.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["Declarations", "Declarations of P", "System"]);
        assert_eq!(found[0].text, "int n; // a < b\n");
        let changed = with_part(source, 1, "clock x, y; // <").expect("a part");
        assert!(changed.contains("<declaration>clock x, y; // &lt;</declaration>"), "{changed}");
        assert_eq!(with_part(source, 9, ""), None);
    }

    #[test]
    fn positions_are_attributes() {
        let text = at_place(
            "<location id=\"a\" x=\"1\" y=\"2\"><name x=\"0\">a</name></location>",
            0,
            Point { x: 7, y: -3 },
        );
        assert!(text.starts_with("<location id=\"a\" x=\"7\" y=\"-3\"><name x=\"0\">"), "{text}");
        let plain = without_places(EDGE);
        assert!(plain.contains("<label kind=\"guard\">x &gt; 1</label></transition>"), "{plain}");
    }
}
