//! Explanations of proofs: the labels of a lazy search, in the user's names.

use crate::proof::{Proof, ProofNode};
use std::collections::BTreeMap;
use zonaut_base::Id;
use zonaut_compile::ClockRow;
use zonaut_dbm::{NO_BOUND, Width, Zone};
use zonaut_model::{CellId, LocationId, Model, ProcessId};

/// The facts that a proof depends on, and the variables it does not need.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// The variables whose values the proof needs in some node.
    pub variables: Vec<String>,
    /// The variables whose values it needs in no node.
    pub unneeded: Vec<String>,
    /// The needs of the proof by location; locations without needs are omitted.
    pub locations: Vec<LocationNeeds>,
}

/// The needs of a proof while a process is in a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocationNeeds {
    /// The process and its location.
    pub location: String,
    /// The variables.
    pub variables: Vec<String>,
    /// Bounds of clocks, the greatest of each kind.
    pub clocks: Vec<String>,
}

/// The needs of some nodes.
#[derive(Clone, Debug, Default)]
struct Needs {
    /// By cell, whether it is needed.
    cells: Vec<bool>,
    /// By clock difference, the greatest constant that it is compared with; a lower bound if the
    /// first clock is the reference.
    clocks: BTreeMap<(ClockRow, ClockRow), i64>,
}

impl Needs {
    fn add(&mut self, other: &Self) {
        self.cells.resize(other.cells.len().max(self.cells.len()), false);
        self.cells.iter_mut().zip(&other.cells).for_each(|(own, other)| *own |= other);
        for (&clocks, &constant) in &other.clocks {
            let own = self.clocks.entry(clocks).or_insert(constant);
            *own = constant.max(*own);
        }
    }
}

impl Explanation {
    /// The explanation of a proof about `model`.
    #[must_use]
    pub fn of<W: Width>(model: &Model, proof: &dyn Proof<W>) -> Self {
        let mut by_location: BTreeMap<(ProcessId, LocationId), Needs> = BTreeMap::new();
        let mut everywhere = Needs::default();
        for position in 0..proof.len() {
            proof.with_node(position, &mut |node| {
                let needs = needs_of(model, node);
                everywhere.add(&needs);
                for process in model.processes.ids() {
                    let location = LocationId::from_index(node.values[process.index()] as usize);
                    by_location.entry((process, location)).or_default().add(&needs);
                }
            });
        }
        let is_variable = |&(cell, _): &(CellId, _)| may_differ(model, cell);
        let all = everywhere.cells.iter().enumerate();
        let all = all.map(|(cell, &needed)| (CellId::from_index(cell), needed));
        let (needed, unneeded): (Vec<_>, Vec<_>) = all.filter(is_variable).partition(|all| all.1);
        let names = |cells: Vec<(CellId, bool)>| {
            cells.into_iter().map(|(cell, _)| model.cells[cell].name.clone()).collect()
        };
        let described = by_location
            .into_iter()
            .map(|((process, location), needs)| described(model, process, location, &needs));
        let is_empty = |at: &LocationNeeds| at.variables.is_empty() && at.clocks.is_empty();
        Self {
            variables: names(needed),
            unneeded: names(unneeded),
            locations: described.filter(|at| !is_empty(at)).collect(),
        }
    }

    /// The explanation as lines of text.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => names.join(", "),
        };
        let mut lines = vec![
            format!("relevant variables: {}", list(&self.variables)),
            format!("irrelevant variables: {}", list(&self.unneeded)),
        ];
        lines.extend(self.locations.iter().map(|at| {
            let needs: Vec<&str> =
                at.variables.iter().chain(&at.clocks).map(String::as_str).collect();
            format!("in {}: {}", at.location, needs.join(", "))
        }));
        lines
    }
}

/// Whether a cell can have different values between transitions.
fn may_differ(model: &Model, cell: CellId) -> bool {
    let definition = &model.cells[cell];
    !definition.meta && definition.range.low < definition.range.high
}

fn needs_of<W: Width>(model: &Model, node: ProofNode<'_, W>) -> Needs {
    let mut cells: Vec<bool> = model.cells.ids().map(|cell| may_differ(model, cell)).collect();
    node.unconstrained.iter().for_each(|cell| cells[cell.index()] = false);
    let mut clocks = BTreeMap::new();
    if let Some((lower, upper)) = node.region.bounds {
        for (position, &row) in node.rows.iter().enumerate().skip(1) {
            let bounds = [((0, row), lower[position]), ((row, 0), upper[position])];
            let known = bounds.into_iter().filter(|(_, bound)| *bound != NO_BOUND);
            clocks.extend(known.map(|(clocks, bound)| (clocks, i64::from(bound))));
        }
    } else {
        let zone = Zone::from_slice(node.rows.len(), node.region.zone);
        for (x, y, bound) in zone.minimal_constraints() {
            let (x, y) = (node.rows[x.index()], node.rows[y.index()]);
            clocks.insert((x, y), if x == 0 { -bound.value() } else { bound.value() });
        }
    }
    Needs { cells, clocks }
}

fn described(
    model: &Model,
    process: ProcessId,
    location: LocationId,
    needs: &Needs,
) -> LocationNeeds {
    let of_clock = |row: ClockRow| model.clocks[row_id(row)].name.as_str();
    let clocks = needs.clocks.iter().map(|(&(x, y), constant)| match (x, y) {
        (0, y) => format!("{} >= {constant}", of_clock(y)),
        (x, 0) => format!("{} <= {constant}", of_clock(x)),
        (x, y) => format!("{} - {} <= {constant}", of_clock(x), of_clock(y)),
    });
    let process = &model.processes[process];
    let cells = model.cells.iter().zip(&needs.cells).filter(|(_, needed)| **needed);
    LocationNeeds {
        location: format!("{}.{}", process.name, process.locations[location].name),
        variables: cells.map(|(cell, _)| cell.name.clone()).collect(),
        clocks: clocks.collect(),
    }
}

/// The clock of a zone row other than the reference.
fn row_id(row: ClockRow) -> zonaut_model::ClockId {
    zonaut_model::ClockId::from_index(row as usize - 1)
}
