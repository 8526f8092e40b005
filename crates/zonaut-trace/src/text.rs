//! Printing of runs as text.
//!
//! Dates and delays are in columns, beside the transitions; of a state only the changes are shown:
//! variables with a new value, and clocks that were reset. The first state and the last one are
//! shown in full.

use crate::explained::ExplainedStep;
use crate::trace::{Continuation, Trace, TraceEdge, TraceState, TraceStep};
use std::fmt::Display;
use std::io::{self, Write};
use zonaut_base::one_line;

/// The text of a run.
#[derive(Clone, Copy, Debug)]
pub struct TraceText<'t> {
    /// The run.
    pub trace: &'t Trace,
    /// The explanation of its last state: the parts of a formula that it decides.
    pub ending: &'t [String],
    /// The explanations of its steps; edges are shown as written without them.
    pub explained: &'t [ExplainedStep],
    /// Whether the reasons of each step are shown.
    pub reasons: bool,
    /// The maximum line width, where possible.
    pub width: usize,
    /// Whether escape sequences of terminals add colours.
    pub colour: bool,
}

impl<'t> TraceText<'t> {
    /// The text of a run with default settings.
    #[must_use]
    pub fn new(trace: &'t Trace) -> Self {
        Self { trace, ending: &[], explained: &[], reasons: false, width: 100, colour: false }
    }

    /// Writes the run.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        Table::new(self).write(out)
    }
}

/// The colours of terminals.
#[derive(Clone, Copy)]
enum Ink {
    Plain,
    Bold,
    Changed,
    Wrong,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\u{1b}[1m",
            Self::Changed => "\u{1b}[36m",
            Self::Wrong => "\u{1b}[1;31m",
        }
    }
}

/// A run with the widths of its columns.
struct Table<'t> {
    text: &'t TraceText<'t>,
    dates: Vec<String>,
    time: usize,
    delay: usize,
    /// The width of `start`, `end` and the numbers of steps.
    mark: usize,
}

impl<'t> Table<'t> {
    fn new(text: &'t TraceText<'t>) -> Self {
        let trace = text.trace;
        let dates: Vec<String> = trace.dates().iter().map(ToString::to_string).collect();
        let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
        let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        Self {
            text,
            time: widest(&mut dates.iter().map(String::len).chain(["time".len()])),
            delay: widest(&mut delays.map(|d| d.to_string().len()).chain(["delay".len()])),
            mark: (trace.steps.len().to_string().len() + 1).max("start".len()),
            dates,
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let trace = self.text.trace;
        writeln!(
            out,
            "  {:>time$}  {:>delay$}",
            "time",
            "delay",
            time = self.time,
            delay = self.delay
        )?;
        self.row(out, [&self.dates[0], "", "start"], &locations(&trace.start), Ink::Plain)?;
        self.values(out, &trace.start)?;
        let mut before = &trace.start;
        for (position, step) in trace.steps.iter().enumerate() {
            if trace.continuation == Some(Continuation::Repeats { from: position }) {
                self.row(out, ["", "", "loop"], "the cycle starts here", Ink::Bold)?;
            }
            self.step(out, position + 1, step, before)?;
            before = &step.state;
        }
        if trace.fails {
            self.row(out, [""; 3], "fails", Ink::Wrong)?;
        } else {
            self.end(out, before)?;
        }
        self.continuation(out)?;
        let count = trace.steps.len();
        let plural = |count: &str| if count == "1" { "" } else { "s" };
        // The delay behind the last transition of a loop belongs to the next round.
        let ends = self.dates.len() - usize::from(self.repeats());
        let (transitions, duration) = (count.to_string(), &self.dates[ends - 1]);
        writeln!(
            out,
            "  {transitions} transition{} in {duration} time unit{}",
            plural(&transitions),
            plural(duration),
        )
    }

    fn step(
        &self,
        out: &mut dyn Write,
        number: usize,
        step: &TraceStep,
        before: &TraceState,
    ) -> io::Result<()> {
        let (delay, number_text) = (step.delay.to_string(), format!("{number}."));
        let mut columns = [self.dates[number].as_str(), &delay, &number_text];
        let explained = self.text.explained.get(number - 1);
        for (position, edge) in step.edges.iter().enumerate() {
            let evaluated = explained.and_then(|explained| explained.edges.get(position)).cloned();
            let text = evaluated.unwrap_or_else(|| edge_text(edge));
            self.row(out, columns, &text, Ink::Bold)?;
            columns = [""; 3];
        }
        if step.edges.is_empty() {
            self.row(out, columns, "evaluation of the enabled transitions", Ink::Bold)?;
        }
        for reason in explained.iter().filter(|_| self.text.reasons).flat_map(|it| &it.reasons) {
            self.row(out, [""; 3], &format!("because {reason}"), Ink::Plain)?;
        }
        let changes = changes(step, before);
        if changes.is_empty() {
            return Ok(());
        }
        self.row(out, [""; 3], &changes.join(", "), Ink::Changed)
    }

    /// The last state, after the last delay, unless it is the first one.
    fn end(&self, out: &mut dyn Write, state: &TraceState) -> io::Result<()> {
        let trace = self.text.trace;
        let delay = trace.last_delay;
        if !self.repeats() && (!trace.steps.is_empty() || delay.numerator > 0) {
            let last = self.dates.last().map_or("", String::as_str);
            self.row(out, [last, &delay.to_string(), "end"], &locations(state), Ink::Plain)?;
            let clocks = state.clocks.iter().zip(&trace.last_clocks);
            let clocks = clocks.map(|((name, _), value)| (name.clone(), *value));
            self.values(out, &TraceState { clocks: clocks.collect(), ..state.clone() })?;
        }
        for line in self.text.ending {
            self.row(out, [""; 3], &one_line(line), Ink::Bold)?;
        }
        Ok(())
    }

    fn repeats(&self) -> bool {
        matches!(self.text.trace.continuation, Some(Continuation::Repeats { .. }))
    }

    /// The continuation of a maximal run.
    fn continuation(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = match self.text.trace.continuation {
            Some(Continuation::Repeats { .. }) => "the cycle from `loop` on repeats for \
                                                   ever"
                .to_owned(),
            Some(other) => other.described(),
            None => return Ok(()),
        };
        self.row(out, [""; 3], &text, Ink::Bold)
    }

    fn values(&self, out: &mut dyn Write, state: &TraceState) -> io::Result<()> {
        let values: Vec<String> =
            assignments(&state.variables).chain(assignments(&state.clocks)).collect();
        match values.is_empty() {
            true => Ok(()),
            false => self.row(out, [""; 3], &values.join(", "), Ink::Plain),
        }
    }

    /// Writes a row: three columns, and a text in as many lines as it needs.
    fn row(&self, out: &mut dyn Write, columns: [&str; 3], text: &str, ink: Ink) -> io::Result<()> {
        let [time, delay, mark] = columns;
        let (t, d, m) = (self.time, self.delay, self.mark);
        let mut front = format!("  {time:>t$}  {delay:>d$}  {mark:<m$} ");
        let room = self.text.width.saturating_sub(front.len()).max(24);
        for line in wrapped(text, room) {
            if self.text.colour && !ink.code().is_empty() {
                writeln!(out, "{front}{}{line}\u{1b}[0m", ink.code())?;
            } else {
                writeln!(out, "{front}{line}")?;
            }
            front = " ".repeat(front.len());
        }
        Ok(())
    }
}

fn locations(state: &TraceState) -> String {
    let names: Vec<String> = state.locations.iter().map(|location| one_line(location)).collect();
    names.join(", ")
}

/// The changes of a step: variables with a new value, and clocks that were reset.
pub(crate) fn changes(step: &TraceStep, before: &TraceState) -> Vec<String> {
    let variables = before.variables.iter().zip(&step.state.variables);
    let variables = variables
        .filter(|(old, new)| old.1 != new.1)
        .map(|(old, new)| format!("{}: {} -> {}", one_line(&new.0), old.1, new.1));
    let clocks = before.clocks.iter().zip(&step.state.clocks);
    let set = clocks.filter(|(old, new)| old.1 + step.delay != new.1);
    let set = set.map(|(_, (name, value))| format!("{} = {value}", one_line(name)));
    variables.chain(set).collect()
}

/// A text in lines of at most `room` characters, broken after commas, and between words if the part
/// between commas is too long for a line; further lines are indented. A longer word has a line of
/// its own.
#[must_use]
pub fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(", ") {
        match part.trim_end().chars().count() + 2 <= room {
            true => push_part(&mut lines, part, room),
            false => part.split_inclusive(' ').for_each(|word| push_part(&mut lines, word, room)),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Appends `part` to the last line, or as a new line if it does not fit.
fn push_part(lines: &mut Vec<String>, part: &str, room: usize) {
    match lines.last_mut() {
        Some(line)
            if line.is_empty()
                || line.chars().count() + part.trim_end().chars().count() <= room =>
        {
            line.push_str(part);
        }
        _ => lines.push(format!("  {part}")),
    }
}

/// An edge with its labels, and the values of its select variables.
#[must_use]
pub fn edge_text(edge: &TraceEdge) -> String {
    let labels = [&edge.guard, &edge.synchronisation, &edge.updates].map(Clone::clone);
    edge_text_with(edge, &labels)
}

/// An edge with other texts of its guard, synchronisation and updates.
pub(crate) fn edge_text_with(edge: &TraceEdge, labels: &[String; 3]) -> String {
    let process = one_line(&edge.process);
    let [source, target] = [&edge.source, &edge.target].map(|location| one_line(location));
    let mut text = format!("{process}.{source} -> {process}.{target}");
    let labels = labels.each_ref().map(|label| one_line(label));
    let labels: Vec<&str> =
        labels.iter().map(|label| label.trim()).filter(|label| !label.is_empty()).collect();
    if !labels.is_empty() {
        text.push_str(&format!(" {{ {} }}", labels.join("; ")));
    }
    if !edge.select.is_empty() {
        let values: Vec<String> = assignments(&edge.select).collect();
        text.push_str(&format!(" with {}", values.join(", ")));
    }
    text
}

fn assignments<V: Display>(values: &[(String, V)]) -> impl Iterator<Item = String> {
    values.iter().map(|(name, value)| format!("{} = {value}", one_line(name)))
}

/// Writes items separated by commas; nothing for an empty list.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write_list(out: &mut dyn Write, items: impl Iterator<Item = String>) -> io::Result<()> {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return Ok(());
    }
    writeln!(out, "      {}", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Rational;

    fn state(location: &str, n: i32, x: Rational) -> TraceState {
        TraceState {
            locations: vec![format!("P.{location}")],
            variables: vec![("n".to_owned(), n), ("m".to_owned(), 7)],
            clocks: vec![("x".to_owned(), x), ("y".to_owned(), Rational::new(1, 2))],
        }
    }

    fn run() -> Trace {
        let edge = TraceEdge {
            process: "P".to_owned(),
            source: "a".to_owned(),
            target: "b".to_owned(),
            edge: 0,
            guard: "x > 0".to_owned(),
            synchronisation: String::new(),
            updates: "x = 0, n = i".to_owned(),
            select: vec![("i".to_owned(), 3)],
        };
        let start = TraceState {
            clocks: vec![
                ("x".to_owned(), Rational::new(0, 1)),
                ("y".to_owned(), Rational::new(0, 1)),
            ],
            ..state("a", 0, Rational::new(0, 1))
        };
        let step = TraceStep {
            delay: Rational::new(1, 2),
            edges: vec![edge],
            state: state("b", 3, Rational::new(0, 1)),
        };
        Trace {
            start,
            steps: vec![step],
            last_delay: Rational::new(2, 1),
            last_clocks: vec![Rational::new(2, 1), Rational::new(5, 2)],
            fails: false,
            continuation: None,
        }
    }

    fn written(text: &TraceText<'_>) -> String {
        let mut out = Vec::new();
        text.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_run_shows_dates_changes_and_its_last_state() {
        let trace = run();
        let ending = ["holds: x >= 2".to_owned()];
        let text = TraceText { ending: &ending, ..TraceText::new(&trace) };
        let expected = "  time  delay
     0         start P.a
                     n = 0, m = 7, x = 0, y = 0
   1/2    1/2  1.    P.a -> P.b { x > 0; x = 0, n = i } with i = 3
                     n: 0 -> 3, x = 0
   5/2      2  end   P.b
                     n = 3, m = 7, x = 2, y = 5/2
                     holds: x >= 2
  1 transition in 5/2 time units
";
        assert_eq!(written(&text), expected);
    }

    #[test]
    fn a_run_that_fails_ends_there() {
        let trace = Trace { fails: true, last_delay: Rational::new(0, 1), ..run() };
        let text = written(&TraceText::new(&trace));
        assert!(
            text.contains("                     fails\n  1 transition in 1/2 time units\n"),
            "{text}"
        );
        assert!(!text.contains("end "), "{text}");
    }

    #[test]
    fn lines_fit_the_width_and_lose_nothing() {
        let mut trace = run();
        trace.start.variables = (0..60).map(|n| (format!("variable{n}"), n)).collect();
        trace.steps[0].state.variables = trace.start.variables.clone();
        for width in [60, 80, 120] {
            let text = written(&TraceText { width, ..TraceText::new(&trace) });
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            assert_eq!(text.matches("variable").count(), 120);
        }
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let trace = run();
        let plain = written(&TraceText::new(&trace));
        let coloured = written(&TraceText { colour: true, ..TraceText::new(&trace) });
        assert_ne!(plain, coloured);
        let codes = [Ink::Bold.code(), Ink::Changed.code(), Ink::Wrong.code(), "\u{1b}[0m"];
        let bare = codes.iter().fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(bare, plain);
    }

    #[test]
    fn a_word_that_is_too_long_has_a_line_of_its_own() {
        let long = "m".repeat(40);
        assert_eq!(wrapped(&format!("a {long} b c"), 24), ["a", &format!("  {long}"), "  b c"]);
    }

    #[test]
    fn a_value_stays_beside_its_name() {
        let text = "first = 1, second = 2, third = 3";
        assert_eq!(wrapped(text, 24), ["first = 1, second = 2,", "  third = 3"]);
        assert_eq!(wrapped(text, 22), ["first = 1, second = 2,", "  third = 3"]);
        assert_eq!(wrapped(text, 21), ["first = 1,", "  second = 2,", "  third = 3"]);
        assert_eq!(wrapped("", 21), [""]);
    }
}
