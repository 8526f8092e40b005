//! Sets of zones in certificates.

use crate::Hashed;
use std::collections::HashMap;
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

/// The least number of nodes of packed sets; smaller sets are legible.
const LEAST_PACKED: usize = 100;

/// Writes sets of states of a zone graph.
pub struct SetWriter<'s, 'g, W: Width> {
    /// The model.
    pub model: &'s Model,
    /// Its zone graph.
    pub graph: &'s ZoneGraph<'g, W>,
    /// The form of the sets.
    pub form: SetForm,
}

/// The form of a set of zones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SetForm {
    /// Large sets are packed; small ones are text.
    #[default]
    BySize,
    /// Text.
    Legible,
    /// Records of bytes.
    Packed,
}

/// The size of a set that is written as text, its comparison, and the text before its nodes.
#[derive(Clone, Copy)]
struct Listed<'s> {
    count: usize,
    comparison: Comparison,
    before: &'s [u8],
}

/// States of a store that form a set.
#[derive(Clone, Copy)]
pub struct StoredSet<'s, 'g, W: Width> {
    /// The store.
    pub store: &'s ZoneStore<'g, W>,
    /// The nodes of the states, in the order of [`ArenaStore::grouped_nodes`].
    pub nodes: &'s [NodeId],
    /// The comparison under which they cover their successors.
    pub comparison: Comparison,
    /// The text to write before the nodes.
    pub before: &'s [u8],
}

impl<W: Width> SetWriter<'_, '_, W> {
    /// Writes a set in the form of this writer.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_set(&self, set: StoredSet<'_, '_, W>, out: &mut Hashed<'_>) -> io::Result<()> {
        match self.form {
            SetForm::BySize if set.nodes.len() >= LEAST_PACKED => self.write_packed(set, out),
            SetForm::Packed => self.write_packed(set, out),
            SetForm::BySize | SetForm::Legible => self.write_nodes(set, out),
        }
    }

    /// Writes the states of a store as text, in the order of insertion.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_store(
        &self,
        store: &ZoneStore<'_, W>,
        comparison: Comparison,
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let nodes: Vec<NodeId> = store.live_nodes().collect();
        self.write_nodes(StoredSet { store, nodes: &nodes, comparison, before: b"" }, out)
    }

    /// Writes a set of stored states as text.
    fn write_nodes(&self, set: StoredSet<'_, '_, W>, out: &mut Hashed<'_>) -> io::Result<()> {
        let StoredSet { store, nodes, comparison, before } = set;
        let listed = Listed { count: nodes.len(), comparison, before };
        self.write_text(listed, |position, state| store.load(nodes[position], state), out)
    }

    /// Writes states that cover their successors under a comparison, as text. An infinite bound of a
    /// pinned clock is written as a number that exceeds all its values.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_states(
        &self,
        states: &[SymbolicState<W>],
        comparison: Comparison,
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let listed = Listed { count: states.len(), comparison, before: b"" };
        self.write_text(listed, |position, state| state.clone_from(&states[position]), out)
    }

    /// Writes states as text; `load` reads the one at a position.
    fn write_text(
        &self,
        listed: Listed<'_>,
        load: impl Fn(usize, &mut SymbolicState<W>),
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let Listed { count, comparison, before } = listed;
        let mut state = SymbolicState::buffer();
        let mut tables = Tables::default();
        let has_tables = comparison == Comparison::Simulation;
        writeln!(out, "abs {}", abstraction(comparison))?;
        if has_tables {
            for position in 0..count {
                load(position, &mut state);
                self.write_new_table(&mut tables, &state, comparison, out)?;
            }
        }
        out.write_all(before)?;
        writeln!(out, "nodes {count}")?;
        for position in 0..count {
            load(position, &mut state);
            let table = has_tables.then(|| tables.intern(&state, self.graph, comparison).0);
            self.write_state(position, &state, table, out)?;
        }
        Ok(())
    }

    /// Writes the table of a state if no state before has it; returns its number.
    pub(super) fn write_new_table(
        &self,
        tables: &mut Tables,
        state: &SymbolicState<W>,
        comparison: Comparison,
        out: &mut Hashed<'_>,
    ) -> io::Result<usize> {
        let (table, line) = tables.intern(state, self.graph, comparison);
        if let Some(line) = line {
            writeln!(out, "{line}")?;
        }
        Ok(table)
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

/// The name of a comparison of nodes.
pub(super) fn abstraction(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Simulation => "lu",
        Comparison::Inclusion | Comparison::Equality => "incl",
    }
}

/// Tables of active clocks, with their bounds if nodes are compared by simulation. Each is written
/// once; states of one location vector share theirs.
#[derive(Default)]
pub(super) struct Tables {
    by_locations: HashMap<Vec<i32>, usize>,
    by_text: HashMap<String, usize>,
}

impl Tables {
    /// The table of the state, and the line to write if it is new.
    pub(super) fn intern<W: Width>(
        &mut self,
        state: &SymbolicState<W>,
        graph: &ZoneGraph<'_, W>,
        comparison: Comparison,
    ) -> (usize, Option<String>) {
        let locations = &state.values[..graph.network().process_count()];
        if let Some(&table) = self.by_locations.get(locations) {
            return (table, None);
        }
        let (keyword, text) = match comparison {
            Comparison::Simulation => {
                let active = graph.active_clocks(state);
                let entry = |row: usize| {
                    let (lower, upper) = (active.lower()[row], active.upper()[row]);
                    format!(" {}:{}:{}", active.rows()[row], constant(lower), constant(upper))
                };
                ("bounds", (1..active.rows().len()).map(entry).collect::<String>())
            }
            Comparison::Inclusion | Comparison::Equality => {
                let rows = graph.rows(state);
                ("rows", rows.iter().skip(1).map(|row| format!(" {row}")).collect())
            }
        };
        let next = self.by_text.len();
        let known = self.by_text.get(&text).copied();
        let table = known.unwrap_or(next);
        self.by_locations.insert(locations.to_vec(), table);
        if known.is_some() {
            return (table, None);
        }
        let line = format!("{keyword} {next}{text}");
        self.by_text.insert(text, next);
        (table, Some(line))
    }
}
