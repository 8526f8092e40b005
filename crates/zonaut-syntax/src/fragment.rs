//! A piece of text to parse, with a map from its bytes to those of the file.

use std::borrow::Cow;
use zonaut_base::{FileId, Span};

/// A section of a fragment's text and the section of the file that it came from.
///
/// Either both have the same length and correspond byte by byte, or the whole text corresponds to
/// the whole section of the file (`<` to `&lt;`).
#[derive(Clone, Copy, Debug)]
struct Segment {
    text: u32,
    source: u32,
    source_end: u32,
}

/// Text to parse: a whole file, a part of one, or the decoded content of an XML element.
#[derive(Clone, Debug)]
pub(crate) struct Fragment<'t> {
    file: FileId,
    text: Cow<'t, str>,
    segments: Vec<Segment>,
    /// The position of an empty fragment.
    anchor: u32,
}

impl<'t> Fragment<'t> {
    /// The fragment for `text`, which starts at byte `start` of `file`.
    pub(crate) fn part(file: FileId, text: &'t str, start: u32) -> Self {
        let segment = Segment { text: 0, source: start, source_end: start + text.len() as u32 };
        Self { file, text: Cow::Borrowed(text), segments: vec![segment], anchor: start }
    }

    /// A fragment without text, at byte `anchor` of `file`.
    pub(crate) fn empty(file: FileId, anchor: u32) -> Self {
        Self { file, text: Cow::Borrowed(""), segments: Vec::new(), anchor }
    }

    /// Appends text that occurs verbatim in the file, at byte `source`.
    pub(crate) fn push_verbatim(&mut self, text: &'t str, source: u32) {
        if text.is_empty() {
            return;
        }
        let source_end = source + text.len() as u32;
        self.segments.push(Segment { text: self.text.len() as u32, source, source_end });
        if self.text.is_empty() {
            self.text = Cow::Borrowed(text);
        } else {
            self.text.to_mut().push_str(text);
        }
    }

    /// Appends a character that the file encodes as a reference, in `source..source_end`.
    pub(crate) fn push_decoded(&mut self, character: char, source: u32, source_end: u32) {
        self.segments.push(Segment { text: self.text.len() as u32, source, source_end });
        self.text.to_mut().push(character);
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text, without its positions.
    pub(crate) fn into_text(self) -> Cow<'t, str> {
        self.text
    }

    /// The span in the file of `start..end` of the text.
    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        let source = self.source_of(start);
        let source_end = if end > start { self.source_end_of(end) } else { source };
        Span { file: self.file, start: source, end: source_end.max(source) }
    }

    fn segment_at(&self, offset: u32) -> Option<usize> {
        self.segments.partition_point(|segment| segment.text <= offset).checked_sub(1)
    }

    fn text_end(&self, index: usize) -> u32 {
        self.segments.get(index + 1).map_or(self.text.len() as u32, |next| next.text)
    }

    fn source_of(&self, offset: u32) -> u32 {
        let Some(index) = self.segment_at(offset) else { return self.anchor };
        let segment = self.segments[index];
        if offset >= self.text_end(index) {
            return segment.source_end;
        }
        (segment.source + (offset - segment.text)).min(segment.source_end)
    }

    /// The end in the file of text that ends at `offset`, which is not 0.
    fn source_end_of(&self, offset: u32) -> u32 {
        let Some(index) = self.segment_at(offset - 1) else { return self.anchor };
        let segment = self.segments[index];
        if offset >= self.text_end(index) {
            return segment.source_end;
        }
        segment.source + (offset - segment.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;

    #[test]
    fn decoded_characters_span_the_whole_reference() {
        let mut fragment = Fragment::empty(FileId::from_index(0), 10);
        fragment.push_verbatim("x ", 10);
        fragment.push_decoded('<', 12, 16);
        fragment.push_verbatim("= 5", 16);
        let check = |start, end, expected: (u32, u32)| {
            let span = fragment.span(start, end);
            assert_eq!((span.start, span.end), expected);
        };
        check(0, 1, (10, 11));
        check(2, 3, (12, 16));
        check(2, 4, (12, 17));
        check(5, 6, (18, 19));
        check(6, 6, (19, 19));
        assert_eq!(fragment.text(), "x <= 5");
    }

    #[test]
    fn the_span_of_an_empty_fragment_is_its_anchor() {
        let fragment = Fragment::empty(FileId::from_index(0), 7);
        assert_eq!(fragment.span(0, 0).start, 7);
    }
}
