//! Cartesian invariants around dead ends: the reasons in certificates why nodes were not expanded.

use std::io::{self, Write};
use zonaut_base::Id;
use zonaut_dbm::Width;
use zonaut_heuristics::{CartesianInvariant, Invariants};
use zonaut_model::{Formula, Model};
use zonaut_space::{Arrival, Estimate, Heuristic, Meter, StopReason};
use zonaut_zonegraph::{Step, SymbolicState};

/// The maximal number of invariants of one certificate; each is checked as a whole.
const INVARIANTS: usize = 256;
/// The maximal number of states around which an invariant is computed.
const ATTEMPTS: usize = 10_000;

/// A heuristic that only detects dead ends, and keeps the invariant of each.
pub(crate) struct Reasons<'m> {
    invariants: Invariants<'m>,
    found: Vec<CartesianInvariant>,
    attempts: usize,
}

impl<'m> Reasons<'m> {
    pub(crate) fn new(model: &'m Model, goal: &Formula, meter: &Meter) -> Result<Self, StopReason> {
        let invariants = Invariants::metered(model, goal, meter)?;
        Ok(Self { invariants, found: Vec::new(), attempts: 0 })
    }

    /// The invariants found so far.
    pub(crate) fn into_invariants(self) -> Vec<CartesianInvariant> {
        self.found
    }
}

impl<W: Width> Heuristic<SymbolicState<W>, Step> for Reasons<'_> {
    fn estimate(
        &mut self,
        state: &SymbolicState<W>,
        _arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
    ) -> Estimate<u32> {
        if self.found.iter().any(|invariant| invariant.contains(&state.values)) {
            return Estimate::DeadEnd;
        }
        if self.found.len() == INVARIANTS || self.attempts == ATTEMPTS {
            return Estimate::Distance(0);
        }
        self.attempts += 1;
        match self.invariants.around(&state.values) {
            Some(invariant) => {
                self.found.push(invariant);
                Estimate::DeadEnd
            }
            None => Estimate::Distance(0),
        }
    }

    fn name(&self) -> &'static str {
        "reasons"
    }
}

/// The reasons of the nodes of a certificate, with the invariants that they refer to.
#[derive(Default)]
pub(crate) struct NamedReasons<'i> {
    /// The invariants that are referred to; an invariant's number is its position.
    used: Vec<&'i CartesianInvariant>,
    /// The nodes, ascending, with the numbers of their invariants.
    nodes: Vec<(usize, usize)>,
}

impl<'i> NamedReasons<'i> {
    /// Assigns a node its reason. Every node that was not expanded is inside some invariant.
    pub(crate) fn add(&mut self, node: usize, values: &[i32], all: &'i [CartesianInvariant]) {
        let holds = |invariant: &&CartesianInvariant| invariant.contains(values);
        let known = self.used.iter().position(holds);
        let number = known.unwrap_or(self.used.len());
        if known.is_none() {
            let Some(first) = all.iter().find(holds) else { return };
            self.used.push(first);
        }
        self.nodes.push((node, number));
    }

    /// Writes the invariants, which precede the nodes.
    pub(crate) fn write_invariants(&self, model: &Model, out: &mut dyn Write) -> io::Result<()> {
        let processes = model.processes.iter().map(|process| process.initial.index() as i32);
        let initial: Vec<i32> = processes.chain(model.cells.iter().map(|c| c.initial)).collect();
        for (number, invariant) in self.used.iter().enumerate() {
            writeln!(out, "invariant {number}")?;
            for (variable, (set, &value)) in invariant.sets().iter().zip(&initial).enumerate() {
                if set[..] == [(value, value)] {
                    continue;
                }
                match variable.checked_sub(model.processes.len()) {
                    None => write!(out, "within {variable} ")?,
                    Some(cell) => write!(out, "values {cell} ")?,
                }
                writeln!(out, "{}", ranges(set))?;
            }
        }
        Ok(())
    }

    /// Writes the reasons, which follow the nodes.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.nodes.iter().try_for_each(|(node, number)| writeln!(out, "reason {node} {number}"))
    }
}

fn ranges(set: &[(i32, i32)]) -> String {
    let range = |&(low, high): &(i32, i32)| match low == high {
        true => low.to_string(),
        false => format!("{low}..{high}"),
    };
    set.iter().map(range).collect::<Vec<_>>().join(",")
}
