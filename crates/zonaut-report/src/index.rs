//! The page that links the reports of several queries.

use crate::Tone;
use crate::page::{CERTIFIED, PAGE_STYLE, tone_class};
use crate::security::policy;
use std::fmt::Write as _;
use zonaut_draw::{STYLE, escaped};

/// The content of the page.
#[derive(Clone, Debug)]
pub struct IndexReport<'r> {
    /// The name of the model's file.
    pub model: &'r str,
    /// The program that produced the page.
    pub program: &'r str,
    /// A row for each query.
    pub entries: &'r [IndexEntry],
}

/// A query with its report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexEntry {
    /// The number of the query.
    pub index: u32,
    /// The query.
    pub query: String,
    /// The verdict.
    pub verdict: String,
    /// Its colour.
    pub tone: Tone,
    /// Whether the independent checker accepted the answer.
    pub is_certified: bool,
    /// One sentence about the answer.
    pub summary: String,
    /// The name of the file of its report, in the same folder.
    pub file: String,
}

/// The page that links the reports of several queries.
#[must_use]
pub fn write_index(report: &IndexReport<'_>) -> String {
    let style = format!("\n{STYLE}{PAGE_STYLE}");
    let mut counts: Vec<(usize, Tone, &str)> = Vec::new();
    for entry in report.entries {
        match counts.iter_mut().find(|(_, _, name)| *name == entry.verdict) {
            Some((count, _, _)) => *count += 1,
            None => counts.push((1, entry.tone, &entry.verdict)),
        }
    }
    let shown = counts.iter().map(|(count, tone, name)| {
        format!("<span class=\"verdict {}\">{count} {}</span>", tone_class(*tone), escaped(name))
    });
    let shown = shown.collect::<Vec<_>>().join(" ");
    let (model, program) = (escaped(report.model), escaped(report.program));
    let mut rows = String::new();
    for entry in report.entries {
        let IndexEntry { index, query, verdict, tone, is_certified, summary, file } = entry;
        let certified = if *is_certified { CERTIFIED } else { "" };
        let _ = writeln!(
            rows,
            "<li><a class=\"entry\" href=\"{}\"><span class=\"verdict {}\">{}</span> \
             <code>{index}. {}</code> <span class=\"hint\">{}{certified}</span></a></li>",
            address(file),
            tone_class(*tone),
            escaped(verdict),
            escaped(query),
            escaped(summary),
        );
    }
    // There is no script: the digest of the empty text permits none.
    let policy = policy(&style, "");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Queries of {model}</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <header>\n<h1>Queries of {model}</h1>\n<p class=\"chips\">{shown}</p>\n</header>\n<main>\n\
         <ol class=\"entries\">\n{rows}</ol>\n</main>\n\
         <footer>Made by {program}. This file is self-contained and sends no data.</footer>\n\
         </body>\n</html>\n"
    )
}

/// A file name as a relative address.
pub(crate) fn address(file: &str) -> String {
    let mut text = String::from("./");
    for byte in file.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        let _ = match is_plain {
            true => write!(text, "{}", char::from(byte)),
            false => write!(text, "%{byte:02X}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_links_every_report_and_escapes_names() {
        let entry = |index, tone| IndexEntry {
            index,
            query: "E<> a < b".to_owned(),
            verdict: if tone == Tone::Good { "satisfied" } else { "not satisfied" }.to_owned(),
            tone,
            is_certified: index == 1,
            summary: "<b>holds</b>".to_owned(),
            file: format!("a \"b\"-{index}.html"),
        };
        let entries = [entry(1, Tone::Good), entry(2, Tone::Bad)];
        let page =
            write_index(&IndexReport { model: "m<x>.xta", program: "zonaut", entries: &entries });
        assert!(page.contains("href=\"./a%20%22b%22-2.html\""), "{page}");
        assert!(page.contains("1. E&lt;&gt; a &lt; b") && !page.contains("<b>holds"), "{page}");
        assert!(page.contains(">1 satisfied<") && page.contains(">1 not satisfied<"), "{page}");
        assert_eq!(page.matches(CERTIFIED).count(), 1, "{page}");
        assert!(!page.contains("<script"));
    }
}
