//! `--report`: answers as HTML reports.

use crate::certified_answer::{Checked, numbered};
use crate::verify::{attempt_line, chosen_strategy};
use std::path::{Path, PathBuf};
use zonaut_console::{Console, Status, format_size, write_file};
use zonaut_engine::report::{AnswerRecord, Certificate, LazyRecord};
use zonaut_engine::{Answer, Explanation, QueryId, Session, Trace, Verdict};
use zonaut_report::{Chart, Report, Run, Tone, write_report};

/// The destination of reports.
pub(crate) struct Reports<'a> {
    /// The file that the user requested, if any.
    pub(crate) target: Option<&'a Path>,
    /// Whether there are several queries, each with its own report.
    pub(crate) has_several: bool,
}

impl Reports<'_> {
    /// Writes the report of an answer, if requested.
    pub(crate) fn write(
        &self,
        session: &Session,
        id: QueryId,
        checked: &Checked,
        console: &mut Console<'_>,
    ) -> Status {
        let Some(target) = self.target else { return Status::Success };
        let Checked { answer, certified } = checked;
        let certificate = certified.certification.record();
        let record = checked.record(session, id);
        Page {
            query: record.formula,
            verdict: &record.verdict.replace('_', " "),
            tone: tone(&answer.verdict),
            reason: record.reason.as_deref(),
            certificate: &described(&certificate),
            facts: &facts(&record),
            lists: &lists(&record, answer),
            charts: &[],
            trace: answer.trace.as_ref(),
        }
        .write(session, Some(id), &self.path(target, record.index), console)
    }

    fn path(&self, target: &Path, index: u32) -> PathBuf {
        match self.has_several {
            true => numbered(target, index),
            false => target.to_owned(),
        }
    }
}

/// The content of a report.
pub(crate) struct Page<'p> {
    pub(crate) query: &'p str,
    pub(crate) verdict: &'p str,
    pub(crate) tone: Tone,
    pub(crate) reason: Option<&'p str>,
    pub(crate) certificate: &'p str,
    pub(crate) facts: &'p [(&'p str, String)],
    pub(crate) lists: &'p [(&'p str, Vec<String>)],
    pub(crate) charts: &'p [Chart<'p>],
    pub(crate) trace: Option<&'p Trace>,
}

impl Page<'_> {
    /// Writes the report, which is about a query of `session` or about the model.
    pub(crate) fn write(
        &self,
        session: &Session,
        id: Option<QueryId>,
        target: &Path,
        console: &mut Console<'_>,
    ) -> Status {
        let symbolic = self.trace.and_then(|trace| session.symbolic_trace(trace));
        let page = write_report(&Report {
            labels: session.labels(),
            model: &file_name(session),
            digest: &session.digest(id),
            command: &command(),
            program: concat!("zonaut ", env!("CARGO_PKG_VERSION")),
            query: self.query,
            verdict: self.verdict,
            tone: self.tone,
            reason: self.reason,
            certificate: self.certificate,
            facts: self.facts,
            lists: self.lists,
            charts: self.charts,
            run: self.trace.map(|trace| Run { trace, symbolic: symbolic.as_ref() }),
        });
        write_file(target, &page, console)
    }
}

/// The name of the model's file, without folders of the author's machine.
pub(crate) fn file_name(session: &Session) -> String {
    let path = Path::new(session.sources().file(session.labels().document.file).name());
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The command line, quoted for a shell.
pub(crate) fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    ["zonaut".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=+,:@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn tone(verdict: &Verdict) -> Tone {
    match verdict {
        Verdict::Satisfied => Tone::Good,
        Verdict::NotSatisfied | Verdict::Error(_) => Tone::Bad,
        _ => Tone::Open,
    }
}

/// A description of the certification.
pub(crate) fn described(certificate: &Certificate) -> String {
    match certificate {
        Certificate::Accepted => "accepted by the independent checker".to_owned(),
        Certificate::Missing(why) | Certificate::Refuted(why) => format!("not checked: {why}"),
        Certificate::Rejected(why) => format!("rejected: {why}"),
    }
}

/// A number of states as text.
pub(crate) fn states(count: usize) -> String {
    format!("{count} state{}", if count == 1 { "" } else { "s" })
}

/// The statistics of the answer.
fn facts(record: &AnswerRecord<'_>) -> Vec<(&'static str, String)> {
    let mut facts = vec![("strategy", chosen_strategy(record))];
    facts.extend(record.abstraction.map(|name| ("abstraction", name.to_owned())));
    facts.extend(record.differences.map(|how| ("clock differences", how.to_owned())));
    facts.extend(record.symmetry.map(|how| ("symmetry", how.to_owned())));
    let memory = format_size(record.effort.search_bytes as u64);
    facts.push(("explored", states(record.effort.explored)));
    facts.push(("stored", format!("{} in {memory}", states(record.effort.stored))));
    if record.pruned > 0 {
        facts.push(("pruned by the heuristic", states(record.pruned)));
    }
    if let Some(lazy) = record.lazy {
        let LazyRecord { covered, refinements, .. } = lazy;
        facts.push(("covered", format!("{}, after {refinements} refinements", states(covered))));
    }
    let certificate =
        format!(", including {:.3} s for the certificate", record.certification_seconds);
    let certificate = if record.certification_seconds > 0.0 { &certificate } else { "" };
    facts.push(("time", format!("{:.3} s{certificate}", record.effort.seconds)));
    facts
}

/// The members of the portfolio, and the facts that a lazy proof depends on.
fn lists(record: &AnswerRecord<'_>, answer: &Answer) -> Vec<(&'static str, Vec<String>)> {
    // A single member is not listed: the strategy names it.
    let turns = record.attempts.iter().filter(|_| record.attempts.len() > 1);
    vec![
        ("Portfolio members", turns.map(attempt_line).collect()),
        (
            "Variables and clock bounds of the proof",
            answer.explanation.iter().flat_map(Explanation::lines).collect(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("models/fischer.xta", "models/fischer.xta");
        check("A[] not P.bad", "'A[] not P.bad'");
        check("it's", "'it'\\''s'");
        check("", "''");
    }
}
