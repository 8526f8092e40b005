//! UPPAAL's trace files, `.xtr`: numbers that are interpreted together with the intermediate format
//! of the same model.
//!
//! A state is the location of every process, a list of bounds on clock differences, and the
//! variables, each part ended by a dot on its own line. The first state stands alone; after it
//! comes, for every transition, its target and then its edges. A bound is twice its value, plus
//! one if it is strict, the opposite of what zones use.

use crate::symbolic_trace::{Bound, SymbolicTrace, SymbolicTraceState, listed_bounds};
use std::io::{self, Write};

impl SymbolicTrace {
    /// Writes the run as an `.xtr` file. Processes, locations, edges, clocks and variables have
    /// the numbers that [`crate::write_intermediate_format`] gives them.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn write_xtr(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut states = self.states.iter();
        if let Some(first) = states.next() {
            write_state(first, self.processes, out)?;
        }
        for (state, edges) in states.zip(&self.transitions) {
            write_state(state, self.processes, out)?;
            for edge in edges {
                write!(out, "{} {} ", edge.process, edge.edge)?;
                for value in &edge.select {
                    write!(out, "{value} ")?;
                }
                write!(out, "; ")?;
            }
            writeln!(out, ".")?;
        }
        writeln!(out, ".")
    }
}

fn write_state(
    state: &SymbolicTraceState,
    processes: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (locations, cells) = state.values.split_at(processes);
    write_numbers(locations, out)?;
    for (x, y, bound) in listed_bounds(&state.zone) {
        writeln!(out, "{x} {y} {}\n.", encoded(bound))?;
    }
    writeln!(out, ".")?;
    write_numbers(cells, out)
}

fn write_numbers(numbers: &[i32], out: &mut dyn Write) -> io::Result<()> {
    for number in numbers {
        write!(out, "{number} ")?;
    }
    writeln!(out, "\n.")
}

fn encoded(bound: Bound) -> i64 {
    2 * bound.value() + i64::from(bound.is_strict())
}
