//! Sets of zones in certificates.

use crate::Hashed;
use std::collections::BTreeMap;
use std::io::{self, Write};
use zonaut_base::Id;
use zonaut_compile::ClockRow;
use zonaut_dbm::{ALWAYS_EXACT, Bound, Width, Zone};
use zonaut_model::{CellId, Model};
use zonaut_search::ArenaStore;
use zonaut_space::{NodeId, PassedStore};
use zonaut_zonegraph::{
    Comparison, StateEncoding, SymbolicState, ZoneConstraint, ZoneCovering, ZoneGraph,
};

/// The store of a search over a zone graph.
pub type ZoneStore<'g, W> = ArenaStore<StateEncoding<'g, W>, ZoneCovering<'g, W>>;

/// Writes sets of states of a zone graph.
pub struct SetWriter<'s, 'g, W: Width> {
    /// The model.
    pub model: &'s Model,
    /// Its zone graph.
    pub graph: &'s ZoneGraph<'g, W>,
}

impl<W: Width> SetWriter<'_, '_, W> {
    /// Writes the states of a store, preceded by the text `before`.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_store(
        &self,
        store: &ZoneStore<'_, W>,
        comparison: Comparison,
        before: &[u8],
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let nodes: Vec<NodeId> = store.live_nodes().collect();
        let mut state = SymbolicState::buffer();
        let mut tables = Tables::default();
        if comparison == Comparison::Simulation {
            writeln!(out, "abs lu")?;
            for &node in &nodes {
                store.load(node, &mut state);
                let table = self.graph.bounds_of(&state);
                if let Some(line) = tables.intern(&state, self.graph, table) {
                    writeln!(out, "{line}")?;
                }
            }
        } else {
            writeln!(out, "abs incl")?;
        }
        out.write_all(before)?;
        writeln!(out, "nodes {}", nodes.len())?;
        for (position, &node) in nodes.iter().enumerate() {
            store.load(node, &mut state);
            self.write_state(position, &state, tables.of(&state, self.graph), out)?;
        }
        Ok(())
    }

    /// Writes states with covering by inclusion.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_states(
        &self,
        states: &[SymbolicState<W>],
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        writeln!(out, "abs incl")?;
        writeln!(out, "nodes {}", states.len())?;
        let mut states = states.iter().enumerate();
        states.try_for_each(|(position, state)| self.write_state(position, state, None, out))
    }

    /// Writes states with covering by simulation. An infinite bound of a pinned clock is written as a
    /// number that exceeds all its values.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_simulated_states(
        &self,
        states: &[SymbolicState<W>],
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let mut tables = Tables::default();
        writeln!(out, "abs lu")?;
        for state in states {
            let table = self.graph.bounds_of(state);
            if let Some(line) = tables.intern(state, self.graph, table) {
                writeln!(out, "{line}")?;
            }
        }
        writeln!(out, "nodes {}", states.len())?;
        let mut states = states.iter().enumerate();
        states.try_for_each(|(position, state)| {
            self.write_state(position, state, tables.of(state, self.graph), out)
        })
    }

    fn write_state(
        &self,
        position: usize,
        state: &SymbolicState<W>,
        table: Option<usize>,
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        // Computing a minimal set of constraints takes longer than writing it.
        let steps = (state.zone.dim() * state.zone.dim()) as u32;
        let meter = self.graph.meter();
        meter.spend(steps).map_err(|why| io::Error::other(why.to_string()))?;
        write_values(self.model, position, &state.values, out)?;
        if let Some(table) = table {
            write!(out, " {table}")?;
        }
        write_zone(&state.zone, &self.graph.rows(state), out)?;
        writeln!(out)
    }
}

/// Writes the rest of a node whose valuations satisfy these constraints.
pub(super) fn write_constraints<W: Width>(
    constraints: &[ZoneConstraint<W>],
    out: &mut Hashed<'_>,
) -> io::Result<()> {
    for constraint in constraints.iter().filter(|constraint| !constraint.bound.is_infinite()) {
        write!(out, " {}-{}{}", constraint.x, constraint.y, relation(constraint.bound))?;
    }
    writeln!(out)
}

/// Writes the beginning of a node, with its discrete state.
pub(super) fn write_values(
    model: &Model,
    position: usize,
    values: &[i32],
    out: &mut Hashed<'_>,
) -> io::Result<()> {
    write_known(model, position, values, |_| None, out)
}

/// Writes the beginning of a node, with its discrete state; cells without a fixed value are written
/// with their known range.
pub(super) fn write_known(
    model: &Model,
    position: usize,
    values: &[i32],
    instead: impl Fn(CellId) -> Option<String>,
    out: &mut Hashed<'_>,
) -> io::Result<()> {
    let (locations, cells) = values.split_at(model.processes.len());
    let locations: Vec<String> = locations.iter().map(i32::to_string).collect();
    write!(out, "node {position} {} ", locations.join(","))?;
    let cells = model.cells.iter_enumerated().zip(cells);
    let written = cells.filter_map(|((id, cell), value)| {
        if let Some(known) = instead(id) {
            return Some(format!("{}={known}", id.index()));
        }
        (cell.initial != *value).then(|| format!("{}={value}", id.index()))
    });
    let written: Vec<String> = written.collect();
    write!(out, "{}", if written.is_empty() { "-".to_owned() } else { written.join(",") })
}

pub(super) fn write_zone<W: Width>(
    zone: &Zone<W>,
    rows: &[ClockRow],
    out: &mut Hashed<'_>,
) -> io::Result<()> {
    for (x, y, bound) in zone.minimal_constraints() {
        let (x, y) = (rows[x.index()], rows[y.index()]);
        write!(out, " {x}-{y}{}", relation(bound))?;
    }
    Ok(())
}

/// A constant of a table of bounds. A negative one is equivalent to no bound: no comparison with it
/// distinguishes clock values. An infinite one is written as the largest number that is accepted.
pub(super) fn constant(constant: i32) -> String {
    match constant {
        ..0 => "-".to_owned(),
        ALWAYS_EXACT => LARGEST_NUMBER.to_string(),
        _ => constant.to_string(),
    }
}

/// The largest number of a certificate.
const LARGEST_NUMBER: i64 = 1 << 40;

fn relation<W: Width>(bound: Bound<W>) -> String {
    format!("{}{}", if bound.is_strict() { "<" } else { "<=" }, bound.value())
}

/// Tables of bounds, each written once; states of one location vector share theirs.
#[derive(Default)]
struct Tables {
    by_locations: BTreeMap<Vec<i32>, usize>,
    by_text: BTreeMap<String, usize>,
}

impl Tables {
    /// Assigns the state its table; returns the line to write if it is new.
    fn intern<W: Width>(
        &mut self,
        state: &SymbolicState<W>,
        graph: &ZoneGraph<'_, W>,
        table: Vec<(ClockRow, i32, i32)>,
    ) -> Option<String> {
        let locations = &state.values[..graph.network().process_count()];
        if self.by_locations.contains_key(locations) {
            return None;
        }
        let entry =
            |(row, l, u): (ClockRow, i32, i32)| format!(" {row}:{}:{}", constant(l), constant(u));
        let text: String = table.into_iter().map(entry).collect();
        let next = self.by_text.len();
        let known = self.by_text.get(&text).copied();
        self.by_locations.insert(locations.to_vec(), known.unwrap_or(next));
        if known.is_some() {
            return None;
        }
        let line = format!("bounds {next}{text}");
        self.by_text.insert(text, next);
        Some(line)
    }

    fn of<W: Width>(&self, state: &SymbolicState<W>, graph: &ZoneGraph<'_, W>) -> Option<usize> {
        self.by_locations.get(&state.values[..graph.network().process_count()]).copied()
    }
}
