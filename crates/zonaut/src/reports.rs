//! `--report`: answers as HTML reports.

use crate::certified_answer::{Checked, numbered};
use crate::plots::pictures;
use crate::verify::{attempt_line, chosen_strategy};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use zonaut_console::{Console, Status, format_seconds, format_size, one_line, write_file};
use zonaut_draw::Picture;
use zonaut_engine::report::{AnswerRecord, Certificate, LazyRecord};
use zonaut_engine::{
    Answer, Estimate, Explanation, Query, QueryId, QueryKind, Session, Trace, Verdict,
};
use zonaut_report::{
    Chart, Dead, IndexEntry, IndexReport, Report, Run, Tone, write_index, write_report,
};

/// The destination of reports.
pub(crate) struct Reports<'a> {
    /// The file that the user requested, if any.
    target: Option<&'a Path>,
    /// Whether there are several queries, each with its own report.
    has_several: bool,
    /// The reports that were written.
    entries: Vec<IndexEntry>,
}

impl<'a> Reports<'a> {
    pub(crate) fn new(target: Option<&'a Path>, has_several: bool) -> Self {
        Self { target, has_several, entries: Vec::new() }
    }

    /// Writes the report of an answer, if requested.
    pub(crate) fn write(
        &mut self,
        session: &Session,
        id: QueryId,
        checked: &Checked,
        console: &mut Console<'_>,
    ) -> Status {
        let Some(target) = self.target else { return Status::Success };
        let Checked { answer, certified } = checked;
        let certificate = certified.certification.record();
        let record = checked.record(session, id);
        let path = self.path(target, record.index);
        let verdict = verdict_word(&record).replace('_', " ");
        let tone = if verdict == record.verdict.replace('_', " ") {
            tone(&answer.verdict)
        } else {
            Tone::Neutral
        };
        let summary = summary(session, id, answer);
        let (sentence, parameters) = match answer.sample() {
            Some(_) => without_parameters(&summary),
            None => (summary.as_str(), None),
        };
        let parameters = parameters.map(capital);
        // The run of a query about values belongs to one of them.
        let trace = answer.trace.as_ref();
        let trace = trace.or_else(|| answer.values().iter().find_map(|found| found.run.as_ref()));
        let remark = match trace {
            None if answer.sample().is_none() => Some(searched(&record)),
            _ => parameters,
        };
        let index = target.file_name().filter(|_| self.has_several).map(OsStr::to_string_lossy);
        let status = Page {
            query: record.formula,
            verdict: &verdict,
            tone,
            summary: sentence,
            reason: record.reason.as_deref().or(remark.as_deref()),
            certificate: &described(&certificate),
            is_certified: matches!(certificate, Certificate::Accepted),
            facts: &facts(&record),
            lists: &lists(&record, answer),
            charts: &[],
            plots: &answer.sample().map_or_else(Vec::new, |it| pictures(it, record.formula)),
            trace,
            is_schedule: false,
            index: index.as_deref(),
            dead: &Dead::default(),
        }
        .write(session, Some(id), &path, console);
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (index, query) = (record.index, record.formula.to_owned());
        let is_certified = matches!(certificate, Certificate::Accepted);
        self.entries.push(IndexEntry { index, query, verdict, tone, is_certified, summary, file });
        status
    }

    /// Writes the page that links the reports of several queries, at the requested file.
    pub(crate) fn write_index(&self, session: &Session, console: &mut Console<'_>) -> Status {
        let Some(target) = self.target.filter(|_| self.has_several) else {
            return Status::Success;
        };
        let page = write_index(&IndexReport {
            model: &file_name(session),
            program: concat!("zonaut ", env!("CARGO_PKG_VERSION")),
            entries: &self.entries,
        });
        write_file(target, &page, console)
    }

    fn path(&self, target: &Path, index: u32) -> PathBuf {
        match self.has_several {
            true => numbered(target, index),
            false => target.to_owned(),
        }
    }
}

/// One sentence about an answer: the parts of the formula that the end of its run decides, or the
/// meaning of the verdict.
fn summary(session: &Session, id: QueryId, answer: &Answer) -> String {
    let query = &session.model().queries[id];
    if let Some(sentence) = answer.trace.as_ref().and_then(|trace| lasting(query, trace)) {
        return sentence;
    }
    if let Some(trace) = &answer.trace {
        let parts = session.decided_parts(id, trace);
        let named = |prefix: &str| -> Vec<String> {
            parts.iter().filter_map(|part| part.strip_prefix(prefix)).map(str::to_owned).collect()
        };
        let (holds, fails) = (named("holds: "), named("fails: "));
        let when = moment(trace);
        return match (&holds[..], &fails[..]) {
            ([], []) => format!("The run ends {when}."),
            (holds, []) => format!("{} {when}.", clause(holds, ["holds", "hold"])),
            ([], fails) => format!("{} {when}.", clause(fails, ["fails", "fail"])),
            (holds, fails) => format!(
                "{} and {} {when}.",
                clause(holds, ["holds", "hold"]),
                clause(fails, ["fails", "fail"]),
            ),
        };
    }
    if let Some(sample) = answer.sample() {
        return format!("{sample}.");
    }
    if !answer.values().is_empty() {
        let values: Vec<String> = answer.values().iter().map(ToString::to_string).collect();
        return format!("{}.", values.join("; "));
    }
    let text = one_line(&query.text);
    let formula = formula_of(&text);
    match (&answer.verdict, &query.kind) {
        (Verdict::Satisfied, QueryKind::Always(_)) => {
            "The formula holds in every reachable state.".to_owned()
        }
        (Verdict::NotSatisfied, QueryKind::Possibly(_)) => {
            "No reachable state satisfies the formula.".to_owned()
        }
        (Verdict::Satisfied, QueryKind::Eventually(_)) => {
            format!("Every run reaches a state with {formula}.")
        }
        (Verdict::NotSatisfied, QueryKind::PossiblyAlways(_)) => {
            format!("Every run has a state without {formula}.")
        }
        (Verdict::Satisfied, QueryKind::LeadsTo(..)) => match text.split_once("-->") {
            Some((premise, goal)) => {
                format!("Every state with {} leads to one with {}.", premise.trim(), goal.trim())
            }
            None => "The query holds.".to_owned(),
        },
        (Verdict::Satisfied, _) => "The query holds.".to_owned(),
        (Verdict::NotSatisfied, _) => "The query does not hold.".to_owned(),
        _ => "The query is undecided.".to_owned(),
    }
}

/// A text that begins with a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

/// A sentence about a sample, and the parameters behind it in parentheses.
fn without_parameters(summary: &str) -> (&str, Option<&str>) {
    match summary.trim_end_matches(").").rsplit_once(" (") {
        Some((sentence, parameters)) => (sentence, Some(parameters)),
        None => (summary, None),
    }
}

/// The verdict in words: queries without a bound ask for an estimate or for runs, so that
/// "satisfied" would say nothing about them.
pub(crate) fn verdict_word(record: &AnswerRecord<'_>) -> &'static str {
    match record.sample.map(|sample| &sample.estimate) {
        Some(Estimate::Probability { .. } | Estimate::Expectation { .. })
            if record.verdict == "satisfied" =>
        {
            "estimated"
        }
        Some(Estimate::Simulation { successes: None, .. }) if record.verdict == "satisfied" => {
            "simulated"
        }
        _ => record.verdict,
    }
}

/// One sentence about a run without end that decides a liveness query; `None` for other queries.
fn lasting(query: &Query, trace: &Trace) -> Option<String> {
    let then = trace.continuation?.described();
    let (when, text) = (moment(trace), one_line(&query.text));
    let formula = formula_of(&text);
    Some(match &query.kind {
        QueryKind::Eventually(_) => format!("{formula} never holds: {when}, {then}."),
        QueryKind::PossiblyAlways(_) => format!("{formula} always holds: {when}, {then}."),
        QueryKind::LeadsTo(..) => {
            let (premise, goal) = text.split_once("-->")?;
            let (premise, goal) = (premise.trim(), goal.trim());
            format!("{premise} holds, and {goal} never does after it: {when}, {then}.")
        }
        _ => return None,
    })
}

/// The formula of a query such as `A<> P.done`, without its path operator.
fn formula_of(text: &str) -> &str {
    text.split_once([']', '>']).map_or(text, |(_, formula)| formula).trim()
}

/// The size of the search of an answer without a run, in one line.
fn searched(record: &AnswerRecord<'_>) -> String {
    let effort = &record.effort;
    let (explored, seconds) = (states(effort.explored), format_seconds(effort.seconds));
    format!("{explored} explored and {} stored in {seconds}", effort.stored)
}

/// The end of a run, such as `after 6 transitions at time 4`.
pub(crate) fn moment(trace: &Trace) -> String {
    let time = trace.duration();
    match trace.steps.len() {
        0 if time == 0.into() => "in the initial state".to_owned(),
        0 => format!("in the initial locations at time {time}"),
        1 => format!("after 1 transition at time {time}"),
        count => format!("after {count} transitions at time {time}"),
    }
}

/// Parts of a formula with a verb, such as `a and b hold`.
fn clause(parts: &[String], [singular, plural]: [&str; 2]) -> String {
    let verb = if parts.len() == 1 { singular } else { plural };
    format!("{} {verb}", parts.join(" and "))
}

/// The content of a report.
pub(crate) struct Page<'p> {
    pub(crate) query: &'p str,
    pub(crate) verdict: &'p str,
    pub(crate) tone: Tone,
    pub(crate) summary: &'p str,
    pub(crate) reason: Option<&'p str>,
    pub(crate) certificate: &'p str,
    pub(crate) is_certified: bool,
    pub(crate) facts: &'p [(&'p str, String)],
    pub(crate) lists: &'p [(&'p str, Vec<String>)],
    pub(crate) charts: &'p [Chart<'p>],
    pub(crate) plots: &'p [(String, Picture)],
    pub(crate) trace: Option<&'p Trace>,
    pub(crate) is_schedule: bool,
    /// The name of the file with the index of several reports.
    pub(crate) index: Option<&'p str>,
    pub(crate) dead: &'p Dead,
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
        let evaluated = self.trace.map(|trace| session.evaluated_trace(trace));
        let page = write_report(&Report {
            labels: session.labels(),
            model: &file_name(session),
            digest: &session.digest(id),
            command: &command(),
            program: concat!("zonaut ", env!("CARGO_PKG_VERSION")),
            query: self.query,
            verdict: self.verdict,
            tone: self.tone,
            summary: self.summary,
            reason: self.reason,
            certificate: self.certificate,
            is_certified: self.is_certified,
            facts: self.facts,
            lists: self.lists,
            charts: self.charts,
            plots: self.plots,
            run: evaluated.as_ref().map(|trace| Run { trace, symbolic: symbolic.as_ref() }),
            is_schedule: self.is_schedule,
            index: self.index,
            dead: self.dead,
        });
        write_file(target, &page, console)
    }
}

/// The name of the model's file, without folders of the author's machine.
pub(crate) fn file_name(session: &Session) -> String {
    let path = Path::new(session.sources().file(session.labels().document.file).name());
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A word of the command line; an absolute path without the folders of this machine.
fn local(word: &OsStr) -> String {
    let path = Path::new(word);
    let name = path.file_name().filter(|_| path.is_absolute());
    name.unwrap_or(word).to_string_lossy().into_owned()
}

/// The command line, quoted for a shell.
pub(crate) fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&local(&word)));
    ["zonaut".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// A word, quoted for a shell if needed.
pub(crate) fn quoted(word: &str) -> String {
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
        format!(", including {} for the certificate", format_seconds(record.certification_seconds));
    let certificate = if record.certification_seconds > 0.0 { &certificate } else { "" };
    facts.push(("time", format_seconds(record.effort.seconds) + certificate));
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

    #[test]
    fn folders_of_the_machine_are_left_out() {
        assert_eq!(local(OsStr::new("/models/gate.xta")), "gate.xta");
        assert_eq!(local(OsStr::new("models/gate.xta")), "models/gate.xta");
        assert_eq!(local(OsStr::new("A[] not deadlock")), "A[] not deadlock");
    }
}
