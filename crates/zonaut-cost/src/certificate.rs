//! The bodies of certificates of kind `mincost`, as `docs/CERTIFICATES.md` describes them: a run that
//! costs as much as is claimed, and the zones that are reached for less.
//!
//! The zones are found by one more search, by cost alone and without estimates: what it leaves behind
//! is closed under all that costs less, whatever the first search looked at.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Write};

use zonaut_base::Id;
use zonaut_compile::{ActionId, ClockRow, CompiledNetwork};
use zonaut_concrete::ConcreteRun;
use zonaut_dbm::{NO_BOUND, Wide, Zone};
use zonaut_model::Model;
use zonaut_search::{ArenaStore, Budget, NodeTable, Outcome, Search};
use zonaut_space::{Cost, NodeId, PassedStore, StopReason};
use zonaut_strategy::CostOrder;
use zonaut_zonegraph::{
    Abstraction, Comparison, StateEncoding, Step, SymbolicState, ZoneCovering, ZoneGoal, ZoneGraph,
};

use crate::drive::{OptimizationObserver, Watched};
use crate::estimate::Nothing;
use crate::infimum::Infimum;
use crate::order::Estimated;
use crate::zones::{Failure, ZonePricing, Zones};

/// Why there is no proof.
#[derive(Debug)]
pub enum Unproven {
    /// The zones cannot be searched.
    Failure(Failure),
    /// The search had to end.
    Stopped(StopReason),
    /// There is a cheaper path: a bug, unless an author's estimate was believed.
    Contradiction,
    /// Something that costs less fails: what estimates dropped need not have been looked at.
    Fails,
    /// Writing failed.
    Write(io::Error),
}

impl From<io::Error> for Unproven {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// A run as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenRun {
    /// The denominator of whole delays.
    pub denominator: i64,
    /// The actions of each transition.
    pub steps: Vec<Vec<ActionId>>,
    /// The delay before each transition, and the one at the end.
    pub delays: Vec<WrittenDelay>,
}

/// A delay as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenDelay {
    /// Its numerator.
    pub whole: i64,
    /// A multiple of an arbitrarily small number, if the cost of the run is only approached.
    pub grains: i64,
}

impl WrittenRun {
    /// The run that has this cost.
    ///
    /// If the cost is not attained, the run is written as one without strict bounds, with the offset
    /// of every date in grains. The dates of the earliest run are sums of integers and of multiples of
    /// the least delay that a strict bound requires, whose total is below one.
    #[must_use]
    pub fn of(run: &ConcreteRun, cost: Infimum) -> Self {
        let is_attained = cost.is_attained();
        let mut date = 0;
        let delay = |length: i64| {
            let (before, after) = (date, date + length);
            date = after;
            if is_attained {
                return WrittenDelay { whole: length, grains: 0 };
            }
            let whole = |date: i64| date.div_euclid(run.denominator);
            let grains = |date: i64| date.rem_euclid(run.denominator);
            WrittenDelay {
                whole: whole(after) - whole(before),
                grains: grains(after) - grains(before),
            }
        };
        let lengths = run.steps.iter().map(|step| step.delay).chain([run.last_delay]);
        Self {
            denominator: if is_attained { run.denominator } else { 1 },
            delays: lengths.map(delay).collect(),
            steps: run.steps.iter().map(|step| step.participants.clone()).collect(),
        }
    }
}

/// Writes what is claimed, and a run that costs that much.
///
/// # Errors
/// Errors of `out`.
pub fn write_run(
    network: &CompiledNetwork,
    run: &WrittenRun,
    cost: Infimum,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_attained = cost.is_attained();
    writeln!(out, "cost {} {}", cost.value(), if is_attained { "attained" } else { "approached" })?;
    writeln!(out, "denom {}", run.denominator)?;
    let mut steps = run.steps.iter();
    for &WrittenDelay { whole, grains } in &run.delays {
        match (whole, grains) {
            (0, 0) => {}
            _ if is_attained => writeln!(out, "delay {whole}")?,
            _ => writeln!(out, "delay {whole} {grains}")?,
        }
        if let Some(step) = steps.next() {
            write!(out, "act")?;
            write_participants(network, step, out)?;
            writeln!(out)?;
        }
    }
    writeln!(out, "goal")
}

/// Writes the actions that take part in a transition, each after a space.
///
/// # Errors
/// Errors of `out`.
pub fn write_participants(
    network: &CompiledNetwork,
    participants: &[ActionId],
    out: &mut dyn Write,
) -> io::Result<()> {
    for &action in participants {
        let action = network.action(action);
        write!(out, " {}.{}", action.process.index(), action.edge.index())?;
        let values: Vec<String> = action.select.iter().map(i32::to_string).collect();
        if !values.is_empty() {
            write!(out, ":{}", values.join(","))?;
        }
    }
    Ok(())
}

/// Writes the locations and the changed cells of a state with these values.
///
/// # Errors
/// Errors of `out`.
pub fn write_discrete(model: &Model, values: &[i32], out: &mut dyn Write) -> io::Result<()> {
    let (locations, cells) = values.split_at(model.processes.len());
    let locations: Vec<String> = locations.iter().map(i32::to_string).collect();
    let locations = if locations.is_empty() { "-".to_owned() } else { locations.join(",") };
    let changed = model.cells.iter().zip(cells).enumerate();
    let changed: Vec<String> = changed
        .filter(|(_, (cell, value))| cell.initial != **value)
        .map(|(number, (_, value))| format!("{number}={value}"))
        .collect();
    let changed = if changed.is_empty() { "-".to_owned() } else { changed.join(",") };
    write!(out, "{locations} {changed}")
}

/// Writes the constraints of a zone whose rows are these clocks, each after a space.
///
/// # Errors
/// Errors of `out`.
pub fn write_constraints(
    zone: &Zone<Wide>,
    clocks: &[ClockRow],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (x, y, bound) in zone.minimal_constraints() {
        let relation = if bound.is_strict() { "<" } else { "<=" };
        write!(out, " {}-{}{relation}{}", clocks[x.index()], clocks[y.index()], bound.value())?;
    }
    Ok(())
}

impl Zones {
    /// Writes that no path costs less than `cost`: all that is reached for less.
    ///
    /// # Errors
    /// A search that is not possible, and errors of `out`.
    pub fn write_proof(
        &self,
        model: &Model,
        cost: Infimum,
        watcher: &mut dyn OptimizationObserver,
        out: &mut dyn Write,
    ) -> Result<(), Unproven> {
        let abstraction = Abstraction::best(&self.bounds);
        let graph = self.graph(abstraction).map_err(Unproven::Failure)?;
        let comparison = Comparison::of(abstraction);
        let store =
            ArenaStore::new(StateEncoding::new(&graph), ZoneCovering::new(&graph, comparison));
        let goal = ZoneGoal::new(&graph, &self.goal);
        let pricing = ZonePricing::new(ZoneGoal::new(&graph, &self.goal), self.costing);
        let frontier = Estimated::new(CostOrder::LeastCost, Nothing);
        let mut search = Search::cheapest(&graph, pricing, goal, store, frontier).below(cost);
        let _ = search.run(Budget::UNLIMITED, &mut Watched { watcher, lower_bound: Infimum::ZERO });
        let (report, store) = search.into_report();
        match report.outcome {
            Outcome::Exhausted => {}
            Outcome::Stopped { why, .. } => return Err(Unproven::Stopped(why)),
            Outcome::Reached { .. } => return Err(Unproven::Contradiction),
            Outcome::Failed { .. } => return Err(Unproven::Fails),
        }
        let proof = Proof { graph: &graph, model, nodes: &report.nodes, zones: self, cost };
        proof.write(&store, comparison, out)?;
        Ok(())
    }
}

/// The states that are reached for less than a cost.
struct Proof<'p> {
    graph: &'p ZoneGraph<'p, Wide>,
    model: &'p Model,
    nodes: &'p NodeTable<Step, Infimum>,
    zones: &'p Zones,
    cost: Infimum,
}

type State = SymbolicState<Wide>;

impl Proof<'_> {
    fn write(
        &self,
        store: &ArenaStore<StateEncoding<'_, Wide>, ZoneCovering<'_, Wide>>,
        comparison: Comparison,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let nodes: Vec<NodeId> = store.live_nodes().collect();
        let mut state = SymbolicState::buffer();
        let mut tables: BTreeMap<String, usize> = BTreeMap::new();
        let is_simulation = comparison == Comparison::Simulation;
        writeln!(out, "abs {}", if is_simulation { "lu" } else { "incl" })?;
        if is_simulation {
            for &node in &nodes {
                store.load(node, &mut state);
                let next = tables.len();
                if let Entry::Vacant(entry) = tables.entry(self.table(&state)) {
                    writeln!(out, "bounds {next}{}", entry.key())?;
                    entry.insert(next);
                }
            }
        }
        writeln!(out, "nodes {}", nodes.len())?;
        for (position, &node) in nodes.iter().enumerate() {
            store.load(node, &mut state);
            // To find the fewest constraints takes longer than to write them.
            let steps = (state.zone.dim() * state.zone.dim()) as u32;
            let meter = self.graph.meter();
            meter.spend(steps).map_err(|why| io::Error::other(why.to_string()))?;
            let table = is_simulation.then(|| tables.get(&self.table(&state)).copied()).flatten();
            self.write_node(position, node, &state, table, out)?;
        }
        Ok(())
    }

    /// The clock that measures costs, in the certificate.
    fn measure(&self) -> ClockRow {
        self.model.clocks.len() as ClockRow + 1
    }

    /// The bounds of the clocks of a state. What costs less is better, so there is no lower one for
    /// the cost.
    fn table(&self, state: &State) -> String {
        let constant = |c: i32| if c == NO_BOUND { "-".to_owned() } else { c.to_string() };
        let active = self.graph.active_clocks(state);
        let mut text = String::new();
        for (position, &row) in active.rows().iter().enumerate().skip(1) {
            if row != self.measure() {
                let (lower, upper) = (active.lower()[position], active.upper()[position]);
                text.push_str(&format!(" {row}:{}:{}", constant(lower), constant(upper)));
            }
        }
        text.push_str(&format!(" {}:-:{}", self.measure(), self.cost.value()));
        text
    }

    fn write_node(
        &self,
        position: usize,
        node: NodeId,
        state: &State,
        table: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write!(out, "node {position} ")?;
        write_discrete(self.model, &state.values, out)?;
        if let Some(table) = table {
            write!(out, " {table}")?;
        }
        write_constraints(&state.zone, &self.graph.rows(state), out)?;
        if self.zones.costing.rate == 0 {
            write!(out, " 0-{}<=-{}", self.measure(), self.nodes.cost(node).value())?;
        }
        writeln!(out)
    }
}
