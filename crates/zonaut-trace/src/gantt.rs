//! Gantt charts of runs: the locations of processes over time.
//!
//! A row for each process with a bar for each of its stays; or a row for each resource with a bar
//! for each process that holds it; or the chart that the model describes. Charts are printed as
//! text for terminals here; `zonaut-draw` draws the bars.

use std::io::{self, Write};

use zonaut_base::Id;
use zonaut_model::{LocationId, Model, ProcessId};

use crate::trace::{Rational, Trace, TraceEdge, TraceState, TraceStep};

/// A stay of a process in a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stay {
    /// The location, without the process; the process in a row of a resource.
    pub location: String,
    /// The date at which it is entered.
    pub from: Rational,
    /// The date at which it is left, or the run ends.
    pub to: Rational,
    /// The index of the colour that the model defines.
    pub colour: Option<i32>,
}

/// The stays of a process, or of processes at a resource, in order of their beginnings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The process or the resource.
    pub process: String,
    /// The stays, or some of them.
    pub stays: Vec<Stay>,
}

impl Row {
    /// The stays in as many lanes as overlap at most, without overlaps in a lane; at least one
    /// lane.
    #[must_use]
    pub fn lanes(&self) -> Vec<Vec<&Stay>> {
        let mut lanes: Vec<Vec<&Stay>> = vec![Vec::new()];
        for stay in &self.stays {
            let is_free = |lane: &&mut Vec<&Stay>| lane.last().is_none_or(|it| it.to <= stay.from);
            match lanes.iter_mut().find(is_free) {
                Some(lane) => lane.push(stay),
                None => lanes.push(vec![stay]),
            }
        }
        lanes
    }
}

/// A chart of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chart {
    /// A row for each process, or for each resource.
    pub rows: Vec<Row>,
    /// The date at which the run ends.
    pub end: Rational,
}

/// The process and the location of a text such as `Train(2).Cross`.
#[must_use]
pub fn split_location(place: &str) -> (&str, &str) {
    place.rsplit_once('.').unwrap_or((place, ""))
}

impl Chart {
    /// The chart of the locations of every process. A self-loop does not end a stay.
    #[must_use]
    pub fn of_locations(trace: &Trace) -> Self {
        let mut chart = Self::of_entries(trace);
        for row in &mut chart.rows {
            row.stays.dedup_by(|later, earlier| {
                let is_same = later.location == earlier.location;
                if is_same {
                    earlier.to = later.to;
                }
                is_same
            });
        }
        chart
    }

    /// The chart of the tasks in a run of `model`: stays in locations with an upper bound, as tasks
    /// have. If there are none, all stays are shown.
    #[must_use]
    pub fn of_work(model: &Model, trace: &Trace) -> Self {
        let mut chart = Self::of_entries(trace);
        for (row, process) in chart.rows.iter_mut().zip(model.processes.iter()) {
            let is_work = |name: &str| {
                let mut named = process.locations.iter().filter(|location| location.name == name);
                named.any(|location| !location.invariant.clocks.is_empty())
            };
            row.stays.retain(|stay| stay.to > stay.from && is_work(&stay.location));
        }
        if chart.rows.iter().all(|row| row.stays.is_empty()) {
            return Self::of_locations(trace);
        }
        chart.name_acquired(trace);
        chart
    }

    /// Names bars by the array elements that their entry sets, such as `busy[2]`, if the location
    /// alone does not distinguish the bars of a process.
    fn name_acquired(&mut self, trace: &Trace) {
        let dates = trace.dates();
        for row in &mut self.rows {
            let is_repeated = |stay: &Stay| {
                row.stays.iter().filter(|other| other.location == stay.location).count() > 1
            };
            let repeated: Vec<bool> = row.stays.iter().map(is_repeated).collect();
            for (stay, _) in row.stays.iter_mut().zip(repeated).filter(|(_, it)| *it) {
                let enters = |(position, step): &(usize, &TraceStep)| {
                    let is_here = |edge: &TraceEdge| {
                        edge.process == row.process && edge.target == stay.location
                    };
                    dates[position + 1] == stay.from && step.edges.iter().any(is_here)
                };
                let Some((position, step)) = trace.steps.iter().enumerate().find(enters) else {
                    continue;
                };
                let before =
                    position.checked_sub(1).map_or(&trace.start, |it| &trace.steps[it].state);
                let cells = before.variables.iter().zip(&step.state.variables);
                let acquired =
                    cells.filter(|(old, new)| new.0.ends_with(']') && old.1 == 0 && new.1 != 0);
                let names: Vec<&str> = acquired.map(|(_, (name, _))| name.as_str()).collect();
                if !names.is_empty() {
                    stay.location = names.join(" ");
                }
            }
        }
    }

    /// The chart of the processes that hold some resources of `model`; a process holds a resource
    /// in some of its locations.
    #[must_use]
    pub fn of_resources<'r>(
        model: &Model,
        trace: &Trace,
        resources: impl IntoIterator<Item = (&'r str, &'r [(ProcessId, LocationId)])>,
    ) -> Self {
        let Self { rows, end } = Self::of_entries(trace);
        let row = |(name, held): (&str, &[(ProcessId, LocationId)])| {
            let mut stays = Vec::new();
            for (index, row) in rows.iter().enumerate() {
                let is_here = |location: &str| {
                    let mut here = held.iter().filter(|(process, _)| process.index() == index);
                    here.any(|&(process, at)| {
                        model.processes[process].locations[at].name == location
                    })
                };
                let holding = row.stays.iter().filter(|stay| is_here(&stay.location));
                let name = |stay: &Stay| Stay { location: row.process.clone(), ..stay.clone() };
                let first = stays.len();
                for stay in holding.map(name).filter(|stay| stay.to > stay.from) {
                    match stays[first..].last_mut() {
                        Some(Stay { to, .. }) if *to == stay.from => *to = stay.to,
                        _ => stays.push(stay),
                    }
                }
            }
            stays.sort_by_key(|stay| stay.from);
            Row { process: name.to_owned(), stays }
        };
        let rows = resources.into_iter().map(row).filter(|row| !row.stays.is_empty()).collect();
        Self { rows, end }
    }

    /// A stay for each time that a process moves.
    fn of_entries(trace: &Trace) -> Self {
        let dates = trace.dates();
        let end = dates.last().copied().unwrap_or(Rational::from(0));
        let later = trace.steps.iter().map(|step| &step.state);
        let states: Vec<&TraceState> = [&trace.start].into_iter().chain(later).collect();
        let rows = trace.start.locations.iter().enumerate().map(|(index, place)| {
            let process = split_location(place).0;
            let moves = |state: usize| {
                let step = state.checked_sub(1).map(|step| &trace.steps[step]);
                step.is_none_or(|step| step.edges.iter().any(|edge| edge.process == process))
            };
            let entries: Vec<usize> = (0..states.len()).filter(|&state| moves(state)).collect();
            let stays = entries.iter().enumerate().map(|(position, &state)| {
                let to = entries.get(position + 1).map_or(end, |&next| dates[next]);
                let location =
                    states[state].locations.get(index).map_or("", |at| split_location(at).1);
                Stay { location: location.to_owned(), from: dates[state], to, colour: None }
            });
            Row { process: process.to_owned(), stays: stays.collect() }
        });
        Self { rows: rows.collect(), end }
    }

    /// Writes the chart as lines of about `columns` characters at most.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn write_text(&self, out: &mut dyn Write, columns: usize) -> io::Result<()> {
        let name_width = self.rows.iter().map(|row| row.process.chars().count()).max().unwrap_or(0);
        let width = columns.saturating_sub(name_width + 3).max(10);
        let end = self.end.to_f64();
        let column = |date: Rational| match end > 0.0 {
            true => ((date.to_f64() / end) * width as f64).round() as usize,
            false => 0,
        };
        for row in &self.rows {
            for (number, lane) in row.lanes().into_iter().enumerate() {
                let mut line = vec![' '; width];
                for stay in lane.into_iter().filter(|stay| stay.to > stay.from) {
                    let (from, to) = (column(stay.from), column(stay.to));
                    let to = to.max(from + 1).min(width);
                    put(&stay.location, &mut line[from.min(width - 1)..to]);
                }
                let line: String = line.into_iter().collect();
                let name = if number == 0 { &row.process } else { "" };
                writeln!(out, "{name:name_width$} |{line}|")?;
            }
        }
        writeln!(out, "{:name_width$}  0{:>rest$}", "", short(end), rest = width)
    }
}

/// Writes a bar with as much of its label as fits into its cells.
fn put(label: &str, cells: &mut [char]) {
    let last = cells.len().saturating_sub(1);
    let mut label = label.chars();
    for (position, cell) in cells.iter_mut().enumerate() {
        *cell = match position {
            0 => '[',
            _ if position == last => ']',
            _ => label.next().unwrap_or('='),
        };
    }
}

/// A number without trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let bar = |location: &str, from, to| {
            let [from, to] = [from, to].map(|date| Rational::new(date, 2));
            Stay { location: location.to_owned(), from, to, colour: None }
        };
        let row = |process: &str, stays| Row { process: process.to_owned(), stays };
        let rows = vec![
            row("A", vec![bar("cut", 0, 10), bar("weld", 10, 40)]),
            row("B<1>", vec![bar("cut", 10, 25), bar("turn", 20, 40)]),
        ];
        Chart { rows, end: Rational::from(20) }
    }

    #[test]
    fn a_row_of_text_has_its_bars_where_they_are() {
        let mut text = Vec::new();
        chart().write_text(&mut text, 27).expect("memory takes everything");
        let text = String::from_utf8(text).expect("text");
        let expected = "A    |[cut][weld=========]|\nB<1> |     [cut===]       |\n     |          [turn====]|\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with(" 20\n"));
    }
}
