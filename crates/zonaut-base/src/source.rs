//! Source files, spans inside them, and positions as line and column.

use crate::{Id, IndexVec, define_id};
use std::fmt;

define_id!(
    /// A file of a [`SourceMap`].
    pub struct FileId
);

/// A range of bytes of a source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds this one and `other`, which is in the same file.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether all of `other` is in this one.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// A part of a structured file with the path that names it, such as
/// `/nta/template[2]/location[3]/label[1]` in XML.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The path, as the language of the file writes it.
    pub path: String,
}

/// The text of one input with its name and the starts of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    /// How many characters start before each multiple of [`BLOCK`].
    characters: Vec<u32>,
    regions: Vec<Region>,
}

/// The bytes between two places of a text whose number of characters is kept, so that a column in
/// a line of many megabytes is found without counting from its start.
const BLOCK: usize = 4096;

fn count_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32
}

impl SourceFile {
    /// A file of this name and text. Lines end at `\n`, `\r\n` or a lone `\r`.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        for (offset, &byte) in bytes.iter().enumerate() {
            let ends_line =
                byte == b'\n' || (byte == b'\r' && bytes.get(offset + 1) != Some(&b'\n'));
            if ends_line {
                line_starts.push(offset as u32 + 1);
            }
        }
        let mut characters = vec![0];
        for block in bytes.chunks(BLOCK) {
            characters.push(characters[characters.len() - 1] + count_characters(block));
        }
        Self { name: name.into(), text, line_starts, characters, regions: Vec::new() }
    }

    /// The name to show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Records the path of a range of text. Inner regions must be added after their outer ones.
    pub fn add_region(&mut self, region: Region) {
        self.regions.push(region);
    }

    /// The path of the innermost region around `offset`.
    #[must_use]
    pub fn path_at(&self, offset: u32) -> Option<&str> {
        let holds = |region: &&Region| region.start <= offset && offset <= region.end;
        let innermost = self.regions.iter().filter(holds).min_by_key(|r| r.end - r.start);
        innermost.map(|region| region.path.as_str())
    }

    /// The line and column of `offset`, both from 1. A column is a character; a tab is one.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column = self.characters_before(offset) - self.characters_before(start);
        (line as u32 + 1, column + 1)
    }

    /// How many characters start before `offset`.
    fn characters_before(&self, offset: usize) -> u32 {
        let block = offset / BLOCK;
        self.characters[block] + count_characters(&self.text.as_bytes()[block * BLOCK..offset])
    }

    /// The offset at which line `line` (from 1) starts.
    #[must_use]
    pub fn line_start(&self, line: u32) -> usize {
        let index = (line as usize).saturating_sub(1);
        self.line_starts.get(index).map_or(self.text.len(), |&start| start as usize)
    }

    /// The text of line `line` (from 1), without its end.
    #[must_use]
    pub fn line_text(&self, line: u32) -> &str {
        let index = (line as usize).saturating_sub(1);
        let Some(&start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// A position as shown to users and to other programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position<'s> {
    /// The file's name.
    pub file: &'s str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The path of the element in a structured file.
    pub path: Option<&'s str>,
}

impl fmt::Display for Position<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// All source files of one run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IndexVec<FileId, SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file)
    }

    /// The file of `id`.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The file of `id`, to record regions in.
    pub fn file_mut(&mut self, id: FileId) -> &mut SourceFile {
        &mut self.files[id]
    }

    /// The span from `start` to `end` in `file`.
    #[must_use]
    pub fn span(&self, file: FileId, start: u32, end: u32) -> Span {
        debug_assert!(file.index() < self.files.len(), "the file is of this map");
        Span { file, start, end }
    }

    /// The position at which `span` starts.
    #[must_use]
    pub fn position(&self, span: Span) -> Position<'_> {
        let file = self.file(span.file);
        let (line, column) = file.line_column(span.start);
        Position { file: file.name(), line, column, path: file.path_at(span.start) }
    }

    /// The text that `span` covers.
    #[must_use]
    pub fn snippet(&self, span: Span) -> &str {
        self.file(span.file).text().get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offset: u32, line: u32, column: u32) {
        assert_eq!(SourceFile::new("t", text).line_column(offset), (line, column), "{text:?}");
    }

    #[test]
    fn positions_count_lines_of_every_ending_and_characters() {
        check("ab\ncd", 3, 2, 1);
        check("ab\r\ncd", 4, 2, 1);
        check("ab\rcd", 3, 2, 1);
        check("\tx", 1, 1, 2);
        check("äx", 2, 1, 2);
        check("", 0, 1, 1);
        check("ab", 99, 1, 3);
        for length in [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let text = format!("a\n{}x", "ä".repeat(length));
            check(&text, text.len() as u32 - 1, 2, length as u32 + 1);
            check(&text, text.len() as u32, 2, length as u32 + 2);
        }
    }

    #[test]
    fn a_line_is_shown_without_its_end() {
        let file = SourceFile::new("t", "one\r\ntwo\n");
        assert_eq!(file.line_text(1), "one");
        assert_eq!(file.line_text(2), "two");
        assert_eq!(file.line_text(9), "");
    }

    #[test]
    fn the_innermost_region_names_the_place() {
        let mut file = SourceFile::new("t", "0123456789");
        file.add_region(Region { start: 0, end: 10, path: "/nta".into() });
        file.add_region(Region { start: 3, end: 5, path: "/nta/system".into() });
        assert_eq!(file.path_at(4), Some("/nta/system"));
        assert_eq!(file.path_at(8), Some("/nta"));
    }
}
