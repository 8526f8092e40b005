//! A reader for the part of XML that models use: elements, attributes, text, CDATA and comments.
//!
//! No external resource is fetched and no entity can be declared: a document type with an internal
//! subset is refused, and only the five standard entities and character references are known. The
//! reader does not recurse, stops at the first error, and preserves the position of every byte.

use crate::codes;
use crate::fragment::Fragment;
use crate::limits::Limits;
use crate::parser::shown;
use std::borrow::Cow;
use zonaut_base::{Diagnostic, FileId, IndexVec, Span, define_id};

define_id!(
    /// An element of a [`Tree`].
    pub(crate) struct ElementId
);

/// An attribute with its decoded value.
#[derive(Debug)]
struct Attribute<'t> {
    name: &'t str,
    value: Cow<'t, str>,
    span: Span,
}

/// A piece of an element's own text.
#[derive(Clone, Copy, Debug)]
struct TextPiece {
    start: u32,
    end: u32,
    /// Whether it is CDATA, in which `&` is an ordinary character.
    verbatim: bool,
}

/// An element.
#[derive(Debug)]
pub(crate) struct Element<'t> {
    pub(crate) name: &'t str,
    pub(crate) children: Vec<ElementId>,
    /// The whole element.
    pub(crate) span: Span,
    /// Its start tag.
    pub(crate) tag: Span,
    attributes: Vec<Attribute<'t>>,
    pieces: Vec<TextPiece>,
}

/// The elements of a file; parents come before their children.
#[derive(Debug)]
pub(crate) struct Tree<'t> {
    pub(crate) file: FileId,
    pub(crate) root: ElementId,
    elements: IndexVec<ElementId, Element<'t>>,
    text: &'t str,
}

impl<'t> Tree<'t> {
    pub(crate) fn element(&self, id: ElementId) -> &Element<'t> {
        &self.elements[id]
    }

    /// The children of `id` with this name.
    pub(crate) fn children_named<'a>(
        &'a self,
        id: ElementId,
        name: &'a str,
    ) -> impl Iterator<Item = ElementId> + 'a {
        let children = self.elements[id].children.iter().copied();
        children.filter(move |&child| self.elements[child].name == name)
    }

    /// The first child of `id` with this name.
    pub(crate) fn child(&self, id: ElementId, name: &str) -> Option<ElementId> {
        self.elements[id].children.iter().copied().find(|&c| self.elements[c].name == name)
    }

    /// The value and the position of an attribute.
    pub(crate) fn attribute(&self, id: ElementId, name: &str) -> Option<(&str, Span)> {
        let found = self.elements[id].attributes.iter().find(|a| a.name == name)?;
        Some((&found.value, found.span))
    }

    /// The text of an element, without that of its children.
    pub(crate) fn fragment(&self, id: ElementId) -> Fragment<'t> {
        let element = &self.elements[id];
        let mut fragment = Fragment::empty(self.file, element.tag.end);
        for piece in &element.pieces {
            let text = &self.text[piece.start as usize..piece.end as usize];
            if piece.verbatim {
                fragment.push_verbatim(text, piece.start);
            } else {
                decode_into(&mut fragment, text, piece.start);
            }
        }
        fragment
    }
}

fn decode_into<'t>(fragment: &mut Fragment<'t>, text: &'t str, start: u32) {
    let mut at = 0;
    while let Some(found) = text[at..].find('&') {
        let reference = at + found;
        fragment.push_verbatim(&text[at..reference], start + at as u32);
        let (character, length) = decode(&text[reference..]).unwrap_or(('&', 1));
        let source = start + reference as u32;
        fragment.push_decoded(character, source, source + length as u32);
        at = reference + length;
    }
    fragment.push_verbatim(&text[at..], start + at as u32);
}

/// The character that the reference at the start of `text` denotes, and the length of the
/// reference.
fn decode(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|b| b == b';')?;
    let character = match &text[1..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|&c| !is_forbidden(c))?
        }
    };
    Some((character, end + 1))
}

fn is_forbidden(character: char) -> bool {
    character < ' ' && !matches!(character, '\t' | '\n' | '\r')
}

/// Parses `text` into a tree; fails with the first error.
pub(crate) fn read<'t>(
    file: FileId,
    text: &'t str,
    limits: &Limits,
) -> Result<Tree<'t>, Box<Diagnostic>> {
    let mut reader = Reader {
        file,
        text,
        at: 0,
        depth_limit: limits.xml_depth as usize,
        items_left: limits.xml_items,
        elements: IndexVec::new(),
        open: Vec::new(),
        root: None,
    };
    reader.run()?;
    match reader.root {
        Some(root) => Ok(Tree { file, root, elements: reader.elements, text }),
        None => Err(reader.error(codes::XML_SYNTAX, reader.at, 0, "the file has no element")),
    }
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    depth_limit: usize,
    items_left: u32,
    elements: IndexVec<ElementId, Element<'t>>,
    open: Vec<ElementId>,
    root: Option<ElementId>,
}

type Outcome<T> = Result<T, Box<Diagnostic>>;

impl<'t> Reader<'t> {
    #[cold]
    fn error(
        &self,
        code: &'static str,
        at: usize,
        length: usize,
        message: impl Into<String>,
    ) -> Box<Diagnostic> {
        let mut end = (at + length).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let span = Span { file: self.file, start: at as u32, end: end as u32 };
        Box::new(Diagnostic::error(code, span, message))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn run(&mut self) -> Outcome<()> {
        if self.rest().starts_with('\u{feff}') {
            self.at += '\u{feff}'.len_utf8();
        }
        while self.at < self.text.len() {
            let rest = self.rest();
            if !rest.starts_with('<') {
                self.characters()?;
            } else if rest.starts_with("<!--") {
                self.skip_past("<!--", "-->", "comment")?;
            } else if rest.starts_with("<?") {
                self.skip_past("<?", "?>", "processing instruction")?;
            } else if rest.starts_with("<![CDATA[") {
                self.cdata()?;
            } else if rest.starts_with("<!") {
                self.document_type()?;
            } else if rest.starts_with("</") {
                self.end_tag()?;
            } else {
                self.start_tag()?;
            }
        }
        self.check_closed()
    }

    fn check_closed(&self) -> Outcome<()> {
        let Some(&last) = self.open.last() else { return Ok(()) };
        let element = &self.elements[last];
        let message = format!("the file ends inside the element `{}`", shown(element.name));
        let error = self.error(codes::XML_UNCLOSED, self.text.len(), 0, message);
        Err(Box::new(error.with_label(element.tag, "the element starts here")))
    }

    fn skip_past(&mut self, open: &str, close: &str, what: &str) -> Outcome<usize> {
        match self.rest()[open.len()..].find(close) {
            Some(length) => {
                let end = self.at + open.len() + length;
                self.at = end + close.len();
                Ok(end)
            }
            None => {
                let message = format!("the {what} that starts here has no end");
                Err(self.error(codes::XML_SYNTAX, self.at, open.len(), message))
            }
        }
    }

    fn characters(&mut self) -> Outcome<()> {
        let start = self.at;
        let length = self.rest().find('<').unwrap_or(self.rest().len());
        let text = &self.rest()[..length];
        self.check_text(text, start, false)?;
        self.at += length;
        match self.open.last() {
            Some(&element) => {
                let (start, end) = (start as u32, self.at as u32);
                self.elements[element].pieces.push(TextPiece { start, end, verbatim: false });
                Ok(())
            }
            None if text.trim().is_empty() => Ok(()),
            None => {
                let blanks = text.len() - text.trim_start().len();
                let message = "text outside the root element";
                Err(self.error(codes::XML_SYNTAX, start + blanks, 1, message))
            }
        }
    }

    /// Rejects control characters and unknown references.
    fn check_text(&self, text: &str, start: usize, verbatim: bool) -> Outcome<()> {
        for (offset, byte) in text.bytes().enumerate() {
            if is_forbidden(char::from(byte)) {
                let message = format!("illegal character U+{byte:04X}");
                return Err(self.error(codes::ILLEGAL_CHARACTER, start + offset, 1, message));
            }
            if byte == b'&' && !verbatim && decode(&text[offset..]).is_none() {
                let end = text[offset..].find([';', ' ', '\n']).unwrap_or(text.len() - offset);
                let shown = shown(&text[offset..offset + end]);
                let message = format!("unknown entity `{shown}`");
                let error = self.error(codes::XML_UNKNOWN_ENTITY, start + offset, 1, message);
                return Err(Box::new(error.with_help("write `&amp;` for a plain `&`")));
            }
        }
        Ok(())
    }

    fn cdata(&mut self) -> Outcome<()> {
        let start = self.at + "<![CDATA[".len();
        let end = self.skip_past("<![CDATA[", "]]>", "CDATA section")?;
        self.check_text(&self.text[start..end], start, true)?;
        let Some(&element) = self.open.last() else {
            let message = "text outside the root element";
            return Err(self.error(codes::XML_SYNTAX, start, 1, message));
        };
        let (start, end) = (start as u32, end as u32);
        self.elements[element].pieces.push(TextPiece { start, end, verbatim: true });
        Ok(())
    }

    fn document_type(&mut self) -> Outcome<()> {
        let start = self.at;
        let mut quote = None;
        for (offset, byte) in self.rest().bytes().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'[') => {
                    let message = "entity declarations are not supported";
                    let at = start + offset;
                    return Err(self.error(codes::XML_ENTITY_DECLARATION, at, 1, message));
                }
                (None, b'>') => {
                    self.at = start + offset + 1;
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(self.error(codes::XML_SYNTAX, start, 2, "the declaration that starts here has no end"))
    }

    fn end_tag(&mut self) -> Outcome<()> {
        let start = self.at;
        self.at += 2;
        let name = self.tag_name()?;
        self.skip_blanks();
        if !self.rest().starts_with('>') {
            return Err(self.error(codes::XML_SYNTAX, self.at, 1, "expected `>`"));
        }
        self.at += 1;
        let Some(element) = self.open.pop() else {
            let message = format!("`</{}>` closes nothing", shown(name));
            return Err(self.error(codes::XML_MISMATCHED_TAG, start, self.at - start, message));
        };
        let element = &mut self.elements[element];
        element.span.end = self.at as u32;
        if element.name == name {
            return Ok(());
        }
        let (opened, tag) = (shown(element.name), element.tag);
        let message = format!("`</{}>` where `</{opened}>` is expected", shown(name));
        let error = self.error(codes::XML_MISMATCHED_TAG, start, self.at - start, message);
        Err(Box::new(error.with_label(tag, "the open element starts here")))
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().bytes().take_while(u8::is_ascii_whitespace).count();
    }

    fn tag_name(&mut self) -> Outcome<&'t str> {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || "<>/='\"&".contains(c) || c.is_control();
        let length = rest.find(ends).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.error(codes::XML_SYNTAX, self.at, 1, "expected a name"));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn start_tag(&mut self) -> Outcome<()> {
        let start = self.at;
        if self.open.len() >= self.depth_limit {
            let message = format!("elements nested deeper than {} levels", self.depth_limit);
            return Err(self.error(codes::XML_DEPTH, start, 1, message));
        }
        self.count()?;
        self.at += 1;
        let name = self.tag_name()?;
        let (attributes, empty) = self.attributes(start)?;
        let span = Span { file: self.file, start: start as u32, end: self.at as u32 };
        let (children, pieces) = (Vec::new(), Vec::new());
        let element = Element { name, children, span, tag: span, attributes, pieces };
        let id = self.elements.push(element);
        match self.open.last() {
            Some(&parent) => self.elements[parent].children.push(id),
            None if self.root.is_none() => self.root = Some(id),
            None => {
                let message = "a second root element";
                return Err(self.error(codes::XML_SYNTAX, start, self.at - start, message));
            }
        }
        if !empty {
            self.open.push(id);
        }
        Ok(())
    }

    /// Counts an element or attribute; fails if there are more than the limit allows.
    fn count(&mut self) -> Outcome<()> {
        let Some(left) = self.items_left.checked_sub(1) else {
            let message = "too many elements and attributes";
            return Err(self.error(codes::XML_TOO_MANY_ITEMS, self.at, 1, message));
        };
        self.items_left = left;
        Ok(())
    }

    /// The attributes of a start tag, and whether the tag is an empty element.
    fn attributes(&mut self, tag: usize) -> Outcome<(Vec<Attribute<'t>>, bool)> {
        let mut attributes = Vec::new();
        loop {
            self.skip_blanks();
            let rest = self.rest();
            if rest.starts_with('>') {
                self.at += 1;
                return Ok((attributes, false));
            }
            if rest.starts_with("/>") {
                self.at += 2;
                return Ok((attributes, true));
            }
            if rest.is_empty() {
                let message = "the tag that starts here has no end";
                return Err(self.error(codes::XML_SYNTAX, tag, 1, message));
            }
            attributes.push(self.attribute()?);
        }
    }

    fn attribute(&mut self) -> Outcome<Attribute<'t>> {
        self.count()?;
        let name = self.tag_name()?;
        self.skip_blanks();
        if !self.rest().starts_with('=') {
            return Err(self.error(codes::XML_SYNTAX, self.at, 1, "expected `=`"));
        }
        self.at += 1;
        self.skip_blanks();
        let start = self.at;
        let quote = match self.rest().chars().next() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => return Err(self.error(codes::XML_SYNTAX, start, 1, "expected a quoted value")),
        };
        let Some(length) = self.text[start + 1..].find(quote) else {
            return Err(self.error(codes::XML_SYNTAX, start, 1, "the value has no closing quote"));
        };
        let raw = &self.text[start + 1..start + 1 + length];
        self.check_text(raw, start + 1, false)?;
        if let Some(offset) = raw.find('<') {
            let message = "`<` in an attribute";
            return Err(self.error(codes::XML_SYNTAX, start + 1 + offset, 1, message));
        }
        self.at = start + length + 2;
        let mut fragment = Fragment::empty(self.file, start as u32);
        decode_into(&mut fragment, raw, start as u32 + 1);
        let span = Span { file: self.file, start: start as u32, end: self.at as u32 };
        Ok(Attribute { name, value: fragment.into_text(), span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;

    fn check(text: &str, expected: &str) {
        let result = read(FileId::from_index(0), text, &Limits::default());
        let shown = match result {
            Ok(tree) => {
                let root = tree.element(tree.root);
                let inner = tree.fragment(tree.root);
                format!("{} {} {:?}", root.name, root.children.len(), inner.text())
            }
            Err(error) => format!("{} at {}: {}", error.code, error.span().start, error.message),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn text_references_and_cdata_are_decoded() {
        check("<a>x &lt; <![CDATA[&amp;]]>&#65;&#x42;</a>", "a 0 \"x < &amp;AB\"");
        check(
            "<?xml version='1.0'?><!DOCTYPE nta PUBLIC 'x>' \"y\"><a><b/><c></c></a>",
            "a 2 \"\"",
        );
    }

    #[test]
    fn malformed_xml_is_rejected_at_its_position() {
        check("<a></b>", "TA0302 at 3: `</b>` where `</a>` is expected");
        check("<a>", "TA0303 at 3: the file ends inside the element `a`");
        check("<a>&foo;</a>", "TA0305 at 3: unknown entity `&foo`");
        check("<a>\0</a>", "TA0101 at 3: illegal character U+0000");
        check("<a x></a>", "TA0301 at 4: expected `=`");
        check("<a/><b/>", "TA0301 at 4: a second root element");
        check("<a/>x", "TA0301 at 4: text outside the root element");
        check(
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
            "TA0304 at 12: entity declarations are not supported",
        );
        check(
            &format!("<a>{}", "<b/>".repeat(1_000_000)),
            "TA0312 at 3999999: too many elements and attributes",
        );
        check(&"<a>".repeat(300_000), "TA0306 at 768: elements nested deeper than 256 levels");
    }
}
