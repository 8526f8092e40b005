//! Two runs side by side.
//!
//! Transitions are aligned by a longest common subsequence: two transitions are the same if their
//! edges have the same processes, locations, synchronisations and select values. Positions of edges
//! and other labels may differ, so that runs of two versions of a model can be compared.

use crate::text::{edge_text, wrapped};
use crate::trace::{Trace, TraceEdge, TraceState, TraceStep};
use std::fmt::Display;
use std::io::{self, Write};
use zonaut_base::one_line;

/// Maximum product of the lengths for which an alignment is computed; longer runs are compared step
/// by step.
const MOST_CELLS: usize = 16_000_000;

/// A row of the comparison: the steps with these indices, at least one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiffRow {
    /// The step of the first run.
    pub left: Option<usize>,
    /// The step of the second run.
    pub right: Option<usize>,
}

/// Whether two edges are the same one.
fn is_same_edge(left: &TraceEdge, right: &TraceEdge) -> bool {
    let key = |it: &TraceEdge| {
        [&it.process, &it.source, &it.target, &it.synchronisation].map(|text| one_line(text))
    };
    key(left) == key(right) && left.select == right.select
}

fn is_same_transition(left: &TraceStep, right: &TraceStep) -> bool {
    let pairs = left.edges.iter().zip(&right.edges);
    left.edges.len() == right.edges.len() && pairs.into_iter().all(|(a, b)| is_same_edge(a, b))
}

/// The rows of the comparison of two runs, in order. As many transitions as possible are aligned.
#[must_use]
pub fn aligned(left: &Trace, right: &Trace) -> Vec<DiffRow> {
    let (first, second) = (&left.steps, &right.steps);
    let (rows, columns) = (first.len(), second.len());
    if rows.saturating_mul(columns) > MOST_CELLS {
        let index = |at: usize, count: usize| (at < count).then_some(at);
        let all = 0..rows.max(columns);
        return all
            .map(|at| DiffRow { left: index(at, rows), right: index(at, columns) })
            .collect();
    }
    // The length of a longest common subsequence of the rests from each position on.
    let mut lengths = vec![0_u32; (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            lengths[at(row, column)] = match is_same_transition(&first[row], &second[column]) {
                true => lengths[at(row + 1, column + 1)] + 1,
                false => lengths[at(row + 1, column)].max(lengths[at(row, column + 1)]),
            };
        }
    }
    let (mut row, mut column, mut found) = (0, 0, Vec::new());
    while row < rows || column < columns {
        let (mut next, now) = (DiffRow { left: None, right: None }, lengths[at(row, column)]);
        let is_pair = row < rows
            && column < columns
            && is_same_transition(&first[row], &second[column])
            && lengths[at(row + 1, column + 1)] + 1 == now;
        if is_pair || column == columns || row < rows && lengths[at(row + 1, column)] == now {
            next.left = Some(row);
        }
        if is_pair || next.left.is_none() {
            next.right = Some(column);
        }
        row += usize::from(next.left.is_some());
        column += usize::from(next.right.is_some());
        found.push(next);
    }
    found
}

/// Writes two runs with their names side by side, in lines of about `width` characters.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write_difference(
    runs: [(&str, &Trace); 2],
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let [(left_name, left), (right_name, right)] = runs;
    let table = Table { column: (width.saturating_sub(5) / 2).max(24) };
    let dates = [left, right].map(Trace::dates);
    table.row(out, ' ', [vec![one_line(left_name)], vec![one_line(right_name)]])?;
    table.values(out, [&left.start, &right.start])?;
    let rows = aligned(left, right);
    let (mut common, mut first_difference) = (0, None);
    for row in &rows {
        let steps = [row.left.map(|at| &left.steps[at]), row.right.map(|at| &right.steps[at])];
        let mark = match steps {
            [Some(a), Some(b)] if !is_same_transition(a, b) => '!',
            [Some(a), Some(b)] if a.delay == b.delay && a.state == b.state => '=',
            [Some(_), Some(_)] => '~',
            [Some(_), None] => '<',
            [None, _] => '>',
        };
        common += usize::from(matches!(mark, '=' | '~'));
        if mark != '=' && first_difference.is_none() {
            first_difference = row.left.or(row.right).map(|at| at + 1);
        }
        let number = [row.left, row.right];
        let cells = [0, 1].map(|side| match (steps[side], number[side]) {
            (Some(step), Some(at)) => {
                let front = format!("{}. at {} ", at + 1, dates[side][at + 1]);
                let edges: Vec<String> = step.edges.iter().map(edge_text).collect();
                vec![front + &edges.join(" | ")]
            }
            _ => Vec::new(),
        });
        table.row(out, mark, cells)?;
        if let [Some(a), Some(b)] = steps {
            table.values(out, [&a.state, &b.state])?;
        }
    }
    let (counts, ends) =
        ([left, right].map(|it| it.steps.len()), [left, right].map(Trace::duration));
    let first = match first_difference {
        Some(step) => format!("the first difference is at step {step}"),
        None => "no difference".to_owned(),
    };
    writeln!(
        out,
        "{} and {} transitions, {common} in common; {first}; duration {} and {}",
        counts[0], counts[1], ends[0], ends[1]
    )
}

struct Table {
    /// The width of a column.
    column: usize,
}

impl Table {
    fn row(&self, out: &mut dyn Write, mark: char, cells: [Vec<String>; 2]) -> io::Result<()> {
        let cells = cells.map(|lines| -> Vec<String> {
            lines.iter().flat_map(|line| wrapped(line, self.column)).collect()
        });
        for line in 0..cells[0].len().max(cells[1].len()) {
            let [left, right] = [0, 1].map(|side| cells[side].get(line).map_or("", String::as_str));
            let padding = " ".repeat(self.column.saturating_sub(left.chars().count()));
            let shown = if line == 0 { mark } else { ' ' };
            writeln!(out, "{}", format!("{left}{padding} {shown} {right}").trim_end())?;
        }
        Ok(())
    }

    /// The variables and clocks with different values.
    fn values(&self, out: &mut dyn Write, states: [&TraceState; 2]) -> io::Result<()> {
        let [left, right] = states;
        let variables = different(&left.variables, &right.variables);
        let clocks = different(&left.clocks, &right.clocks);
        let sides = [0, 1].map(|side: usize| {
            let parts = [&variables, &clocks].into_iter().flatten();
            let parts: Vec<&str> = parts.map(|pair| pair[side].as_str()).collect();
            if parts.is_empty() { Vec::new() } else { vec![format!("   {}", parts.join(", "))] }
        });
        self.row(out, ' ', sides)
    }
}

/// The names with different values, as assignments; names that one side lacks are omitted there.
fn different<V: PartialEq + Display>(
    left: &[(String, V)],
    right: &[(String, V)],
) -> Vec<[String; 2]> {
    let value = |side: &[(String, V)], name: &str| -> Option<String> {
        let found = side.iter().find(|(other, _)| other == name);
        found.map(|(name, value)| format!("{} = {value}", one_line(name)))
    };
    let new = right.iter().filter(|(name, _)| !left.iter().any(|(other, _)| other == name));
    let names = left.iter().chain(new).map(|(name, _)| name);
    let pairs = names.map(|name| [value(left, name), value(right, name)]);
    let absent = || "absent".to_owned();
    let other = pairs.filter(|[a, b]| a != b);
    other.map(|pair| pair.map(|side| side.unwrap_or_else(absent))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Rational;

    /// A run of one process through these locations, one time unit in each.
    fn run(places: &[&str]) -> Trace {
        let state = |place: &str| TraceState {
            locations: vec![format!("P.{place}")],
            variables: vec![("n".to_owned(), place.len() as i32)],
            clocks: Vec::new(),
        };
        let step = |pair: &[&str]| TraceStep {
            delay: Rational::from(1),
            edges: vec![TraceEdge {
                process: "P".to_owned(),
                source: pair[0].to_owned(),
                target: pair[1].to_owned(),
                edge: 0,
                guard: String::new(),
                synchronisation: String::new(),
                updates: String::new(),
                select: Vec::new(),
            }],
            state: state(pair[1]),
        };
        Trace {
            start: state(places[0]),
            steps: places.windows(2).map(step).collect(),
            last_delay: Rational::from(0),
            last_clocks: Vec::new(),
            fails: false,
            continuation: None,
        }
    }

    fn check(left: &[&str], right: &[&str], expected: &str) {
        let rows = aligned(&run(left), &run(right));
        let shown = |at: Option<usize>| at.map_or("-".to_owned(), |at| at.to_string());
        let text: Vec<String> =
            rows.iter().map(|row| shown(row.left) + &shown(row.right)).collect();
        assert_eq!(text.join(" "), expected, "{left:?} {right:?}");
    }

    #[test]
    fn as_many_transitions_as_possible_are_aligned() {
        check(&["a", "b", "c"], &["a", "b", "c"], "00 11");
        check(&["a", "b", "c", "d"], &["a", "b", "d"], "00 1- 2- -1");
        check(&["a", "b", "a", "b"], &["a", "b"], "00 1- 2-");
        check(&["a"], &["a", "b"], "-0");
        check(&["a"], &["a"], "");
    }

    #[test]
    fn runs_are_shown_side_by_side() {
        let (left, mut right) = (run(&["a", "b", "c"]), run(&["a", "b", "d"]));
        right.steps[0].delay = Rational::from(2);
        right.steps[0].state.variables[0].1 = 7;
        let mut out = Vec::new();
        write_difference([("one", &left), ("two", &right)], 60, &mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        let expected = "\
one                           two
1. at 1 P.a -> P.b          ~ 1. at 2 P.a -> P.b
   n = 1                         n = 7
2. at 2 P.b -> P.c          <
                            > 2. at 3 P.b -> P.d
2 and 2 transitions, 1 in common; the first difference is at step 1; duration 2 and 3
";
        assert_eq!(text, expected);
    }
}
