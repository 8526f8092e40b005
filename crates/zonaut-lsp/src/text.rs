//! A text with positions as the protocol counts them: lines, and UTF-16 units in a line.

use lsp_types::{Position, Range as PositionRange};
use std::ops::Range;

/// The text of a document and the starts of its lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Text {
    content: String,
    starts: Vec<usize>,
}

impl Text {
    /// Lines end at `\n`, `\r\n` or a lone `\r`.
    pub(crate) fn new(content: String) -> Self {
        let bytes = content.as_bytes();
        let mut starts = vec![0];
        for (offset, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || (byte == b'\r' && bytes.get(offset + 1) != Some(&b'\n')) {
                starts.push(offset + 1);
            }
        }
        Self { content, starts }
    }

    pub(crate) fn content(&self) -> &str {
        &self.content
    }

    /// The bytes of a line without its end; empty for a line behind the last one.
    pub(crate) fn line(&self, line: usize) -> Range<usize> {
        let length = self.content.len();
        let start = self.starts.get(line).copied().unwrap_or(length);
        let end = self.starts.get(line + 1).copied().unwrap_or(length);
        let text = self.content[start..end].trim_end_matches(['\n', '\r']);
        start..start + text.len()
    }

    pub(crate) fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The offset of a position. A position behind the end of its line is the end of that line, one
    /// behind the last line is the end of the text, and one inside a character is its start.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return self.content.len();
        }
        let range = self.line(line);
        let mut units = position.character as usize;
        for (offset, character) in self.content[range.clone()].char_indices() {
            let length = character.len_utf16();
            #[cfg(feature = "faults")]
            let length = match crate::faults::Fault::BytesForUnits.is_selected() {
                true => character.len_utf8(),
                false => length,
            };
            if units < length {
                return range.start + offset;
            }
            units -= length;
        }
        range.end
    }

    /// The position of an offset; one behind the end is the end.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.content.len());
        while !self.content.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = &self.content[self.starts[line]..offset];
        let units: usize = before.chars().map(char::len_utf16).sum();
        Position { line: line as u32, character: units as u32 }
    }

    pub(crate) fn range(&self, bytes: Range<usize>) -> PositionRange {
        PositionRange { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The whole text.
    pub(crate) fn all(&self) -> PositionRange {
        self.range(0..self.content.len())
    }

    /// Replaces a range, or the whole text. The ends of a reversed range are exchanged.
    pub(crate) fn replace(&mut self, range: Option<PositionRange>, with: &str) {
        let content = match range {
            None => with.to_owned(),
            Some(range) => {
                let (a, b) = (self.offset(range.start), self.offset(range.end));
                let mut content = std::mem::take(&mut self.content);
                content.replace_range(a.min(b)..a.max(b), with);
                content
            }
        };
        *self = Self::new(content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn positions_count_utf16_units() {
        let text = Text::new("aä\r\n𝄞b\rc\n".to_owned());
        for (offset, position) in
            [(0, at(0, 0)), (3, at(0, 2)), (5, at(1, 0)), (9, at(1, 2)), (11, at(2, 0))]
        {
            assert_eq!(text.position(offset), position, "{offset}");
            assert_eq!(text.offset(position), offset, "{position:?}");
        }
        assert_eq!(text.position(13), at(3, 0));
        assert_eq!(text.line_count(), 4);
    }

    #[test]
    fn positions_outside_are_clamped() {
        let text = Text::new("ab\n𝄞\n".to_owned());
        assert_eq!(text.offset(at(0, 99)), 2);
        assert_eq!(text.offset(at(1, 1)), 3);
        assert_eq!(text.offset(at(9, 0)), 8);
        assert_eq!(text.position(4), at(1, 0));
        assert_eq!(text.position(99), at(2, 0));
    }

    #[test]
    fn reversed_and_distant_ranges_are_replaced() {
        let mut text = Text::new("abc\ndef".to_owned());
        text.replace(Some(PositionRange { start: at(1, 1), end: at(0, 2) }), "-");
        assert_eq!(text.content(), "ab-ef");
        text.replace(Some(PositionRange { start: at(7, 7), end: at(9, 9) }), "!");
        assert_eq!(text.content(), "ab-ef!");
        text.replace(None, "");
        assert_eq!(text, Text::new(String::new()));
    }
}
