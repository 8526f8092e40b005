//! Certificates: what a separate program needs to check an answer. The format is described in
//! `docs/CERTIFICATES.md`; the checker shares nothing with this writer but that text.

use crate::digest::Hashed;
use crate::reasons::NamedReasons;
use crate::search::{Quest, Searched};
use std::collections::BTreeMap;
use std::io::{self, Write};
use zonaut_base::Id;
use zonaut_compile::{ClockRow, CompiledNetwork};
use zonaut_concrete::ConcreteRun;
use zonaut_dbm::{Bound, NO_BOUND, Width, Zone};
use zonaut_model::{Model, Query, QueryKind, core_text};
use zonaut_search::{ArenaStore, Outcome};
use zonaut_space::{NodeId, PassedStore};
use zonaut_zonegraph::{Comparison, StateEncoding, SymbolicState, ZoneCovering, ZoneGraph};

/// The store of a search over a zone graph.
pub(crate) type ZoneStore<'g, W> = ArenaStore<StateEncoding<'g, W>, ZoneCovering<'g, W>>;

/// What every certificate begins with.
pub(crate) struct Subject<'m> {
    pub(crate) model: &'m Model,
    pub(crate) query: &'m Query,
}

impl Subject<'_> {
    fn begin(&self, kind: &str, out: &mut dyn Write) -> io::Result<()> {
        let core = core_text::write(self.model, Some(&self.query.kind));
        let version = env!("CARGO_PKG_VERSION");
        writeln!(out, "tacert 1")?;
        writeln!(out, "kind {kind}")?;
        writeln!(out, "core sha256:{}", crate::digest::of(core.as_bytes()))?;
        writeln!(out, "query {} {}", self.query.index, quoted(&self.query.text))?;
        writeln!(out, "tool zonaut {version}")?;
        write!(out, "clocks {}", self.model.clocks.len())?;
        for clock in &self.model.clocks {
            write!(out, " {}", core_text::escaped(&clock.name))?;
        }
        writeln!(out)
    }

    /// The kind of a certificate, which is another one where the query asks for deadlocks.
    fn kind(&self, plain: &'static str, deadlock: &'static str) -> &'static str {
        match &self.query.kind {
            QueryKind::Possibly(formula) | QueryKind::Always(formula)
                if formula.mentions_deadlock() =>
            {
                deadlock
            }
            _ => plain,
        }
    }

    /// Writes what shows the answer, if there is one: a run, or the store of an exhausted search.
    pub(crate) fn write<W: Width>(
        &self,
        quest: &Quest<'_, W>,
        searched: &Searched<'_, W>,
        run: Option<&ConcreteRun>,
        out: &mut dyn Write,
    ) -> Option<io::Result<()>> {
        match (&searched.report.outcome, run) {
            (Outcome::Exhausted, _) => Some(self.write_unreach(quest, searched, out)),
            (Outcome::Reached { .. }, Some(run)) => {
                Some(self.write_reach(quest.graph.network(), run, out))
            }
            // Where the query itself could not be evaluated, the model does not fail.
            (Outcome::Failed { .. }, Some(run)) if run.fails => {
                Some(self.write_reach(quest.graph.network(), run, out))
            }
            (Outcome::Failed { steps, .. }, None) if steps.is_empty() => {
                Some(self.write_failing_start(quest.graph.network(), out))
            }
            _ => None,
        }
    }

    /// Writes the run that shows an answer.
    fn write_reach(
        &self,
        network: &CompiledNetwork,
        run: &ConcreteRun,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, network.meter());
        self.begin(self.kind("reach", "deadlock"), &mut out)?;
        writeln!(out, "denom {}", run.denominator)?;
        let delay = |numerator: i64, out: &mut Hashed<'_>| match numerator {
            0 => Ok(()),
            _ => writeln!(out, "delay {numerator}"),
        };
        // The transition that fails at run time is not taken: its predecessor is where it fails.
        let taken = run.steps.len().saturating_sub(usize::from(run.fails));
        for step in &run.steps[..taken] {
            delay(step.delay, &mut out)?;
            write!(out, "act")?;
            for &action in &step.participants {
                let action = network.action(action);
                write!(out, " {}.{}", action.process.index(), action.edge.index())?;
                let values: Vec<String> = action.select.iter().map(i32::to_string).collect();
                if !values.is_empty() {
                    write!(out, ":{}", values.join(","))?;
                }
            }
            writeln!(out)?;
        }
        match run.steps.get(taken) {
            Some(failing) => delay(failing.delay, &mut out)?,
            None => delay(run.last_delay, &mut out)?,
        }
        writeln!(out, "{}", if run.fails { "fails" } else { "goal" })?;
        out.finish()
    }

    /// Writes that the model fails before anything happens.
    fn write_failing_start(
        &self,
        network: &CompiledNetwork,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, network.meter());
        self.begin("reach", &mut out)?;
        writeln!(out, "denom 1")?;
        writeln!(out, "fails")?;
        out.finish()
    }

    /// Writes the explored states as a set that is closed under all steps, with the reasons of
    /// those that were not expanded.
    fn write_unreach<W: Width>(
        &self,
        quest: &Quest<'_, W>,
        searched: &Searched<'_, W>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Searched { store, reasons, report, .. } = searched;
        let graph = quest.graph;
        let meter = graph.network().meter();
        let mut out = Hashed::new(out, meter);
        self.begin(self.kind("unreach", "nodeadlock"), &mut out)?;
        let nodes: Vec<NodeId> = store.live_nodes().collect();
        let mut state = SymbolicState::buffer();
        let mut tables = Tables::default();
        if quest.comparison == Comparison::Simulation {
            writeln!(out, "abs lu")?;
            for &node in &nodes {
                store.load(node, &mut state);
                let table = graph.bounds_of(&state);
                if let Some(line) = tables.intern(&state, graph, table) {
                    writeln!(out, "{line}")?;
                }
            }
        } else {
            writeln!(out, "abs incl")?;
        }
        let mut named = NamedReasons::default();
        for (position, &node) in nodes.iter().enumerate() {
            if !report.nodes.is_expanded(node) {
                store.load(node, &mut state);
                named.add(position, &state.values, reasons);
            }
        }
        named.write_invariants(self.model, &mut out)?;
        writeln!(out, "nodes {}", nodes.len())?;
        for (position, &node) in nodes.iter().enumerate() {
            store.load(node, &mut state);
            // To find the fewest constraints takes longer than to write them.
            let steps = (state.zone.dim() * state.zone.dim()) as u32;
            meter.spend(steps).map_err(|why| io::Error::other(why.to_string()))?;
            self.write_node(position, &state, &tables, graph, &mut out)?;
        }
        named.write(&mut out)?;
        out.finish()
    }

    fn write_node<W: Width>(
        &self,
        position: usize,
        state: &SymbolicState<W>,
        tables: &Tables,
        graph: &ZoneGraph<'_, W>,
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let (locations, cells) = state.values.split_at(self.model.processes.len());
        let locations: Vec<String> = locations.iter().map(i32::to_string).collect();
        write!(out, "node {position} {} ", locations.join(","))?;
        let changed = self.model.cells.iter().zip(cells).enumerate();
        let changed: Vec<String> = changed
            .filter(|(_, (cell, value))| cell.initial != **value)
            .map(|(number, (_, value))| format!("{number}={value}"))
            .collect();
        write!(out, "{}", if changed.is_empty() { "-".to_owned() } else { changed.join(",") })?;
        if let Some(table) = tables.of(state, graph) {
            write!(out, " {table}")?;
        }
        write_zone(&state.zone, &graph.rows(state), out)?;
        writeln!(out)
    }
}

fn write_zone<W: Width>(zone: &Zone<W>, rows: &[ClockRow], out: &mut Hashed<'_>) -> io::Result<()> {
    for (x, y, bound) in zone.minimal_constraints() {
        let (x, y) = (rows[x.index()], rows[y.index()]);
        write!(out, " {x}-{y}{}", relation(bound))?;
    }
    Ok(())
}

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
    /// Gives the state its table; the line to write if it is new.
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
        let constant = |c: i32| if c == NO_BOUND { "-".to_owned() } else { c.to_string() };
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

/// A text between quotes, on one line.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{plain}\"")
}
