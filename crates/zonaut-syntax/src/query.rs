//! Lists of queries: `.q` files, single formulas, and `query` blocks of XTA.

mod split;

use crate::codes;
use crate::context::Context;
use crate::fragment::Fragment;
use crate::lexer::Mode;
use crate::limits::ParseOptions;
use crate::parser::Parser;
use crate::tree::{Expectation, Queries, QueryEntry};
use split::{Piece, split};
use std::ops::Range;
use zonaut_base::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

pub(crate) use split::block_length;

/// Parses the queries of a `.q` file and returns them with their diagnostics.
///
/// Each line is a query; a backslash at its end continues it. Lines without a formula do not count.
#[must_use]
pub fn parse_queries(
    sources: &mut SourceMap,
    file: FileId,
    options: &ParseOptions,
) -> (Queries, Diagnostics) {
    let mut reader = Reader::new(file, options);
    let text = sources.file(file).text();
    let lines = text.trim_start_matches('\u{feff}');
    reader.read_lines(lines, (text.len() - lines.len()) as u32);
    reader.finish()
}

/// Parses the whole of `file` as one query and returns it with its diagnostics.
#[must_use]
pub fn parse_query_text(
    sources: &mut SourceMap,
    file: FileId,
    options: &ParseOptions,
) -> (Queries, Diagnostics) {
    let mut reader = Reader::new(file, options);
    let text = sources.file(file).text();
    let entry = reader.entry(&Fragment::part(file, text, 0));
    reader.add(entry);
    reader.finish()
}

/// Parses the texts at `places` of `file`, each as one query, and returns them with their
/// diagnostics.
///
/// An unterminated comment, string or continuation in one of them does not extend into the next.
#[must_use]
pub fn parse_formulas(
    sources: &mut SourceMap,
    file: FileId,
    places: &[Range<u32>],
    options: &ParseOptions,
) -> (Queries, Diagnostics) {
    let mut reader = Reader::new(file, options);
    let text = sources.file(file).text();
    for place in places {
        let formula = &text[place.start as usize..place.end as usize];
        let entry = reader.entry(&Fragment::part(file, formula, place.start));
        reader.add(entry);
    }
    reader.finish()
}

/// Collects queries from consecutive texts.
pub(crate) struct Reader {
    file: FileId,
    context: Context,
    entries: Vec<QueryEntry>,
    /// The number of entries that are queries, without headings.
    query_count: u32,
}

impl Reader {
    pub(crate) fn new(file: FileId, options: &ParseOptions) -> Self {
        Self { file, context: Context::new(options.limits), entries: Vec::new(), query_count: 0 }
    }

    pub(crate) fn finish(self) -> (Queries, Diagnostics) {
        let queries = Queries { expressions: self.context.expressions, entries: self.entries };
        (queries, self.context.diagnostics)
    }

    /// Appends `entry`, numbered if it is a query, unless the list is full.
    pub(crate) fn add(&mut self, mut entry: QueryEntry) {
        let limit = self.context.limits.queries;
        if self.entries.len() >= limit as usize {
            let message = format!("more than {limit} queries");
            self.context.report(Diagnostic::error(codes::TOO_MANY_QUERIES, entry.span, message));
            self.context.stop();
            return;
        }
        if !entry.is_heading() {
            self.query_count += 1;
            entry.index = self.query_count;
        }
        self.entries.push(entry);
    }

    /// The entry for the formula in `fragment`, after reporting its errors.
    pub(crate) fn entry(&mut self, fragment: &Fragment<'_>) -> QueryEntry {
        let text = split::without_comments(fragment.text());
        let span = fragment.span(0, fragment.text().len() as u32);
        let query = self.context.flawlessly(|context| {
            let mut parser = Parser::new(context, fragment, Mode::Query);
            if parser.is_at_end() { Ok(None) } else { parser.query().map(Some) }
        });
        let (comment, options, expect) = (String::new(), Vec::new(), None);
        QueryEntry { index: 0, query, text, comment, options, expect, span }
    }

    /// Reads a list of lines that starts at byte `start` of the file. Returns a final comment that
    /// no formula follows.
    fn read_lines(&mut self, text: &str, start: u32) -> String {
        let mut comment = String::new();
        let mut expect = None;
        for piece in split(text) {
            if self.context.is_stopped() {
                break;
            }
            match piece {
                Piece::Comment(body) => match body.trim().strip_prefix("EXPECT:") {
                    Some(word) => expect = Some(expectation(word)),
                    None => add_comment(&mut comment, body),
                },
                Piece::Formula(range, remark) => {
                    let at = start + range.start as u32;
                    let mut entry = self.entry(&Fragment::part(self.file, &text[range], at));
                    entry.comment = std::mem::take(&mut comment);
                    let word = remark.and_then(|body| body.trim().strip_prefix("EXPECT:"));
                    entry.expect = word.map(expectation).or(expect.take());
                    expect = None;
                    self.add(entry);
                }
            }
        }
        comment
    }

    /// Reads a block of XTA: its lines, or a heading if it has no formulas.
    pub(crate) fn read_block(&mut self, text: &str, start: u32) {
        let before = self.entries.len();
        let comment = self.read_lines(text, start);
        if self.entries.len() == before {
            self.add_heading(comment, start);
        }
    }

    fn add_heading(&mut self, comment: String, at: u32) {
        let span = Span { file: self.file, start: at, end: at };
        let (query, text, options, expect) = (None, String::new(), Vec::new(), None);
        self.add(QueryEntry { index: 0, query, text, comment, options, expect, span });
    }
}

fn add_comment(comment: &mut String, body: &str) {
    let body = body.trim();
    if !body.is_empty() {
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(body);
    }
}

fn expectation(word: &str) -> Expectation {
    let outcome = word.split_whitespace().next().unwrap_or("").to_owned();
    Expectation { outcome, kind: None, value: None }
}
