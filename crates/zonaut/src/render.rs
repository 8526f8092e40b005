//! Diagnostics as text.

use crate::excerpt::{Excerpt, WINDOW, excerpt};
use std::fmt::Write;
use zonaut_console::one_line;
use zonaut_engine::report::{DiagnosticRecord, severity_name};
use zonaut_engine::{Diagnostic, InputError, Label, Position, Severity, SourceMap};

/// Turns diagnostics into text.
pub(crate) struct Renderer<'s> {
    pub(crate) sources: &'s SourceMap,
    pub(crate) colour: bool,
}

/// A label, prepared for output.
struct RenderedLabel<'s> {
    position: Position<'s>,
    shown: Excerpt,
    remark: String,
}

impl RenderedLabel<'_> {
    fn shares_line_with(&self, other: &Self) -> bool {
        let line = |place: &Self| (place.position.file.to_owned(), place.position.line);
        line(self) == line(other) && self.shown.text == other.shown.text
    }
}

/// A diagnostic as text without colours: its message, excerpts of the sources and its help.
#[must_use]
pub fn rendered(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    Renderer { sources, colour: false }.render(diagnostic).trim_end().to_owned()
}

#[derive(Clone, Copy)]
enum Paint {
    Error,
    Warning,
    Frame,
    Strong,
}

fn paint(colour: bool, paint: Paint, text: &str) -> String {
    if !colour {
        return text.to_owned();
    }
    let code = match paint {
        Paint::Error => "1;31",
        Paint::Warning => "1;33",
        Paint::Frame => "1;34",
        Paint::Strong => "1",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

fn paint_of(severity: Severity) -> Paint {
    match severity {
        Severity::Error => Paint::Error,
        Severity::Warning => Paint::Warning,
    }
}

impl Renderer<'_> {
    /// One diagnostic, with an empty line after it.
    pub(crate) fn render(&self, diagnostic: &Diagnostic) -> String {
        let severity = format!("{}[{}]", severity_name(diagnostic.severity), diagnostic.code);
        let severity = self.paint(paint_of(diagnostic.severity), &severity);
        let message = format!(": {}", one_line(&diagnostic.message));
        let mut text = format!("{severity}{}\n", self.paint(Paint::Strong, &message));
        let margin = self.margin(diagnostic);
        let mut previous: Option<RenderedLabel<'_>> = None;
        for label in &diagnostic.labels {
            let place = self.place(label);
            let arrow = if previous.is_none() { "-->" } else { ":::" };
            // Labels on one line share its excerpt.
            if previous.is_none_or(|previous| !previous.shares_line_with(&place)) {
                self.push_line(&mut text, &place, margin, arrow);
            }
            let paint = if arrow == "-->" { paint_of(diagnostic.severity) } else { Paint::Frame };
            self.push_marks(&mut text, &place, margin, paint);
            previous = Some(place);
        }
        let path = self.sources.position(diagnostic.span()).path;
        self.push_note(&mut text, margin, "path", path);
        self.push_note(&mut text, margin, "help", diagnostic.help.as_deref());
        text.push('\n');
        text
    }

    fn paint(&self, paint: Paint, text: &str) -> String {
        self::paint(self.colour, paint, text)
    }

    /// The width of the largest line number.
    fn margin(&self, diagnostic: &Diagnostic) -> usize {
        let lines = diagnostic.labels.iter().map(|label| self.sources.position(label.span).line);
        lines.max().unwrap_or(1).to_string().len()
    }

    fn place<'l>(&'l self, label: &'l Label) -> RenderedLabel<'l> {
        let position = self.sources.position(label.span);
        let file = self.sources.file(label.span.file);
        let line = file.line_text(position.line);
        let at = (label.span.start as usize).saturating_sub(file.line_start(position.line));
        let (before, rest) = line.split_at_checked(at).unwrap_or((line, ""));
        let shown = excerpt(before, rest, self.marked_characters(label));
        RenderedLabel { position, shown, remark: one_line(&label.text) }
    }

    /// The position, and the line of the file.
    fn push_line(&self, text: &mut String, place: &RenderedLabel<'_>, margin: usize, arrow: &str) {
        let Position { file, line, column, .. } = place.position;
        let (gap, bar) = (" ".repeat(margin), self.paint(Paint::Frame, "|"));
        let number = self.paint(Paint::Frame, &format!("{line:>margin$}"));
        let arrow = self.paint(Paint::Frame, arrow);
        let _ = writeln!(text, "{gap}{arrow} {}:{line}:{column}", one_line(file));
        let _ = writeln!(text, "{gap} {bar}");
        let shown = format!("{number} {bar} {}", place.shown.text);
        let _ = writeln!(text, "{}", shown.trim_end());
    }

    /// The marks below a line, with their message.
    fn push_marks(
        &self,
        text: &mut String,
        place: &RenderedLabel<'_>,
        margin: usize,
        paint: Paint,
    ) {
        let mark = if matches!(paint, Paint::Frame) { "-" } else { "^" };
        let marks = format!("{} {}", mark.repeat(place.shown.width), place.remark);
        let marks = self.paint(paint, marks.trim_end());
        let (gap, bar) = (" ".repeat(margin), self.paint(Paint::Frame, "|"));
        let _ = writeln!(text, "{gap} {bar} {}{marks}", " ".repeat(place.shown.indent));
    }

    /// The number of characters of the label's first line that its span covers.
    fn marked_characters(&self, label: &Label) -> usize {
        let snippet = self.sources.snippet(label.span);
        snippet.chars().take(WINDOW).take_while(|c| !matches!(c, '\n' | '\r')).count()
    }

    fn push_note(&self, text: &mut String, margin: usize, name: &str, note: Option<&str>) {
        if let Some(note) = note {
            let sign = self.paint(Paint::Frame, "=");
            let name = self.paint(Paint::Strong, &format!("{name}:"));
            let _ = writeln!(text, "{} {sign} {name} {}", " ".repeat(margin), one_line(note));
        }
    }
}

/// A file that could not be read.
pub(crate) fn input_error(error: &InputError, colour: bool) -> String {
    let record = DiagnosticRecord::of_input_error(error);
    let severity = paint(colour, Paint::Error, &format!("error[{}]", record.code));
    let file = one_line(&record.place.file);
    let mut text = format!("{severity}: {file}: {}\n", one_line(&record.message));
    if let Some(help) = record.help {
        let _ = writeln!(text, "  = help: {help}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_engine::{Region, SourceFile};

    fn check(text: &str, diagnose: impl FnOnce(&SourceMap) -> Diagnostic, expected: &str) {
        let mut sources = SourceMap::default();
        let mut file = SourceFile::new("gate.xml", text);
        file.add_region(Region { start: 0, end: 9, path: "/nta/declaration".into() });
        sources.add(file);
        let diagnostic = diagnose(&sources);
        let renderer = Renderer { sources: &sources, colour: false };
        assert_eq!(renderer.render(&diagnostic), expected);
    }

    fn span(sources: &SourceMap, start: u32, end: u32) -> zonaut_engine::Span {
        let file = zonaut_engine::Id::from_index(0);
        sources.span(file, start, end)
    }

    #[test]
    fn a_diagnostic_shows_its_place_path_and_help() {
        check(
            "int x;\nclock x;\n",
            |sources| {
                Diagnostic::error("TA0999", span(sources, 13, 14), "`x` is declared twice")
                    .with_label(span(sources, 4, 5), "the first one")
                    .with_help("rename one of them")
            },
            "\
error[TA0999]: `x` is declared twice
 --> gate.xml:2:7
  |
2 | clock x;
  |       ^
 ::: gate.xml:1:5
  |
1 | int x;
  |     - the first one
  = help: rename one of them

",
        );
        check(
            "int x;\nclock x;\n",
            |sources| {
                Diagnostic::warning("TA0999", span(sources, 4, 99), "odd").with_remark("this")
            },
            "\
warning[TA0999]: odd
 --> gate.xml:1:5
  |
1 | int x;
  |     ^ this
  = path: /nta/declaration

",
        );
    }

    #[test]
    fn the_end_of_the_file_can_be_marked() {
        check(
            "a\n",
            |sources| Diagnostic::error("TA0999", span(sources, 2, 2), "the file ends here"),
            "\
error[TA0999]: the file ends here
 --> gate.xml:2:1
  |
2 |
  | ^
  = path: /nta/declaration

",
        );
    }
}
