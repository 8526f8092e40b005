//! Minimal separations: edges that are disabled until some time after an edge of another process.
//!
//! A *renewal* of a clock x is an action that sets x to 0. A *separation* is a lower bound on x in the
//! guard of an action whose amount may depend on cells, such that every action that sets x or writes
//! one of these cells is a renewal of x. An edge all of whose actions have a separation is a *use*.
//!
//! # Claim
//! Consider a state with date d, and let s be the date at which x was set last, so that x = d - s. Let
//! `wait(j)` be the least amount of the separations of process j by the cells of this state, 0 if it
//! can renew x without one, and `gap(j, k)` the least amount that j needs in any state that a renewal
//! of x by process k leads to. Let `distance(j)` be the length of a shortest path to j, which begins
//! with `wait` of its first process and continues with gaps, over processes that may still renew x.
//! *Process j takes no use that waits for x before the date `s + distance(j)`.*
//!
//! By induction over the number of renewals before the use: without one, the cells are unchanged and x
//! is the time since s, so the use needs `wait(j)`. Otherwise let k be the process of the last renewal
//! and t its date. If it is a use of k, then t is at least `s + distance(k)` by induction, and otherwise
//! it is at least s and `wait(k)` is 0. Then x is the time since t, and the cells are those that the
//! renewal has left, so that j needs `gap(j, k)`.
//!
//! If j may use one of several clocks, it does not do so before the least of these dates.

use std::collections::HashMap;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::interval::{Contents, Intervals, declared_walk};
use zonaut_analysis::{Overlay, Symbols, Truth, Walk};
use zonaut_base::{Id, Meter, StopReason};
use zonaut_compile::{Action, ActionId, CompiledNetwork};
use zonaut_model::interval::{Interval, of_range, only};
use zonaut_model::{
    CellId, ClockConstraint, ClockId, Edge, EdgeId, Expression, Model, ProcessId, Relation, Select,
    Storage,
};

/// A gap after which no use follows.
const NEVER: i64 = i64::MAX / 4;

/// A lower bound on a clock in the guard of an action.
#[derive(Clone, Copy, Debug)]
struct Wait {
    action: ActionId,
    /// The position of the constraint in the guard.
    constraint: usize,
}

/// A clock with its separations.
#[derive(Clone, Debug)]
pub(crate) struct Separation {
    pub(crate) clock: ClockId,
    /// The cells that amounts depend on.
    cells: Vec<CellId>,
    waits: Vec<Wait>,
    /// By process, whether it can renew the clock without a use.
    renews_freely: Vec<bool>,
    /// By process and location, whether it may still renew the clock.
    may_renew: Vec<Vec<bool>>,
    /// By process and location, whether its next use may be one that waits for the clock.
    may_wait: Vec<Vec<bool>>,
    /// By process, row by row: the least amount after a renewal by the other.
    gaps: Vec<i64>,
    /// By contents of the cells, the least amount of each process.
    known: HashMap<Vec<i32>, Vec<i64>>,
}

/// All separations of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Separations {
    pub(crate) all: Vec<Separation>,
    /// By process and edge; empty without separations.
    uses: Vec<Vec<bool>>,
}

/// The contents of a state.
struct StateContents<'s> {
    model: &'s Model,
    values: &'s [i32],
}

impl Contents for StateContents<'_> {
    fn of(&mut self, address: Storage) -> Interval {
        match address {
            Storage::Cell(cell) => only(self.values[self.model.processes.len() + cell.index()]),
            Storage::Constant(constant) => only(self.model.constants[constant]),
            Storage::Local(local) => of_range(self.model.locals[local].range),
        }
    }
}

/// The select variables of an action with their values.
fn selected(model: &Model, action: &Action) -> Vec<Select> {
    let edge = &model.processes[action.process].edges[action.edge];
    let values = edge.select.iter().zip(&action.select);
    values.map(|(select, &value)| Select { low: value, high: value, ..*select }).collect()
}

fn edge_of<'m>(model: &'m Model, action: &Action) -> &'m Edge {
    &model.processes[action.process].edges[action.edge]
}

/// The least amount of a lower bound that may apply; 0 if it may not.
fn amount<C: Contents>(walk: &mut Walk<'_, Intervals<'_, C>>, constraint: &ClockConstraint) -> i64 {
    let applies = match constraint.condition {
        Some(condition) => walk.holds(condition),
        None => Some(Truth::Holds),
    };
    match applies {
        Some(Truth::Holds) => walk.evaluate(constraint.bound).map_or(NEVER, |(low, _)| low.max(0)),
        Some(_) => 0,
        // The guard fails at run time, so the edge is not taken.
        None => NEVER,
    }
}

/// The analysis of one model.
struct Analysis<'m> {
    model: &'m Model,
    network: &'m CompiledNetwork,
    /// By action, the cells and clocks that its updates may write.
    writes: Vec<Symbols>,
}

impl<'m> Analysis<'m> {
    fn new(model: &'m Model, network: &'m CompiledNetwork) -> Self {
        let written = |action: &Action| {
            let mut walk = Footprints::walk(model);
            let _ = walk.select(&selected(model, action));
            let _ = walk.update(&edge_of(model, action).updates);
            walk.domain.found.writes
        };
        Self { model, network, writes: network.actions().iter().map(written).collect() }
    }

    /// The clock with a lower bound, and the cells that the amount depends on.
    fn bounded(&self, action: &Action, constraint: &ClockConstraint) -> Option<(ClockId, Symbols)> {
        use Relation::{Equal, Greater, GreaterEqual};
        if constraint.right.is_some()
            || !matches!(constraint.relation, Greater | GreaterEqual | Equal)
        {
            return None;
        }
        let selected = selected(self.model, action);
        let mut walk = declared_walk(self.model);
        walk.select(&selected)?;
        let chosen = walk.displacements(&constraint.left.indices)?;
        let &[displacement] = chosen.as_slice() else { return None };
        let mut walk = Footprints::walk(self.model);
        walk.select(&selected)?;
        let _ = walk.constraint(constraint);
        let reads = walk.domain.found.reads;
        let clock = ClockId::from_index(constraint.left.root.index() + displacement);
        reads.processes.is_empty().then_some((clock, reads))
    }

    /// Whether an action sets a clock to 0, and to nothing else.
    fn renews(&self, action: &Action, clock: ClockId) -> bool {
        let selected = selected(self.model, action);
        let mut is_renewed = false;
        for &update in &edge_of(self.model, action).updates {
            let mut walk = Footprints::walk(self.model);
            let _ = walk.select(&selected);
            let _ = walk.update(&[update]);
            if !walk.domain.found.writes.clocks.contains(clock) {
                continue;
            }
            let Expression::AssignClock(place, value) = &self.model.expressions[update] else {
                return false;
            };
            let mut walk = declared_walk(self.model);
            let _ = walk.select(&selected);
            let chosen = walk.displacements(&place.indices);
            let is_single = chosen.is_some_and(|chosen| chosen.as_slice().len() == 1);
            is_renewed = is_single && walk.evaluate(*value) == Some((0, 0));
            if !is_renewed {
                return false;
            }
        }
        is_renewed
    }

    /// The least amount of a constraint in a state that another action leads to.
    fn gap(&self, wait: Wait, renewal: &Action) -> i64 {
        let mut walk = declared_walk(self.model);
        let edge = edge_of(self.model, renewal);
        let is_taken = walk.select(&selected(self.model, renewal)).is_some()
            && walk.condition(&edge.guard).is_some_and(Truth::may_hold)
            && walk.update(&edge.updates).is_some();
        let action = self.network.action(wait.action);
        if !is_taken || walk.select(&selected(self.model, action)).is_none() {
            return NEVER;
        }
        amount(&mut walk, &edge_of(self.model, action).guard.clocks[wait.constraint])
    }

    /// The lower bounds on each clock that every writer of it or of their cells renews.
    fn candidates(&self, dates: &[ClockId]) -> Vec<(ClockId, Symbols, Vec<Wait>)> {
        let mut found: Vec<(ClockId, Symbols, Vec<Wait>)> = Vec::new();
        for (id, action) in self.network.actions().iter_enumerated() {
            let guard = &edge_of(self.model, action).guard;
            for (constraint, content) in guard.clocks.iter().enumerate() {
                let Some((clock, reads)) = self.bounded(action, content) else { continue };
                if dates.contains(&clock) {
                    continue;
                }
                let wait = Wait { action: id, constraint };
                match found.iter_mut().find(|(known, ..)| *known == clock) {
                    Some((_, cells, waits)) => {
                        cells.extend(&reads);
                        waits.push(wait);
                    }
                    None => found.push((clock, reads, vec![wait])),
                }
            }
        }
        found.retain(|(clock, reads, _)| {
            self.network.actions().iter().zip(&self.writes).all(|(action, writes)| {
                let is_touched = writes.clocks.contains(*clock)
                    || self
                        .model
                        .cells
                        .ids()
                        .any(|cell| reads.cells.contains(cell) && writes.cells.contains(cell));
                !is_touched || self.renews(action, *clock)
            })
        });
        found
    }
}

impl Separations {
    /// The separations of `model`; the analysis counts on `meter`.
    ///
    /// # Errors
    /// The reason of the meter to stop.
    pub(crate) fn of(
        model: &Model,
        network: &CompiledNetwork,
        dates: &[ClockId],
        meter: &Meter,
    ) -> Result<Self, StopReason> {
        if !model.before_update.is_empty() || !model.after_update.is_empty() {
            return Ok(Self::default());
        }
        let actions = network.actions();
        meter.spend(actions.len() as u32)?;
        let analysis = Analysis::new(model, network);
        let mut candidates = analysis.candidates(dates);
        // Every action waits for one clock.
        let mut is_waiting = vec![false; actions.len()];
        for (.., waits) in &mut candidates {
            waits.retain(|wait| !std::mem::replace(&mut is_waiting[wait.action.index()], true));
        }
        let mut uses: Vec<Vec<bool>> =
            model.processes.iter().map(|process| vec![true; process.edges.len()]).collect();
        for (action, is_waiting) in actions.iter().zip(&is_waiting) {
            uses[action.process.index()][action.edge.index()] &= is_waiting;
        }
        let mut all = Vec::new();
        for (clock, reads, mut waits) in candidates {
            let is_use = |action: &Action| uses[action.process.index()][action.edge.index()];
            waits.retain(|wait| is_use(network.action(wait.action)));
            let renewals: Vec<&Action> = { actions.iter().zip(&analysis.writes) }
                .filter(|(_, writes)| writes.clocks.contains(clock))
                .map(|(action, _)| action)
                .collect();
            let count = model.processes.len();
            let mut gaps = vec![NEVER; count * count];
            for &wait in &waits {
                let own = network.action(wait.action).process.index();
                meter.spend(renewals.len() as u32)?;
                for renewal in &renewals {
                    let gap = &mut gaps[own * count + renewal.process.index()];
                    *gap = analysis.gap(wait, renewal).min(*gap);
                }
            }
            let mut renews_freely = vec![false; count];
            for renewal in &renewals {
                let waits = waits.iter().map(|wait| network.action(wait.action));
                let is_bound = waits.into_iter().any(|action| std::ptr::eq(action, *renewal));
                renews_freely[renewal.process.index()] |= !is_bound;
            }
            let (mut may_renew, mut may_wait) = (Vec::new(), Vec::new());
            for (id, process) in model.processes.iter_enumerated() {
                let own = renewals.iter().filter(|renewal| renewal.process == id);
                let sources = own.map(|renewal| renewal.source.index()).collect();
                may_renew.push(reaching(process, sources, |_| true));
                let own = waits.iter().map(|wait| network.action(wait.action));
                let own = own.filter(|action| action.process == id);
                let sources = own.map(|action| action.source.index()).collect();
                may_wait.push(reaching(process, sources, |edge| !uses[id.index()][edge.index()]));
            }
            let cells = model.cells.ids().filter(|&cell| reads.cells.contains(cell)).collect();
            let known = HashMap::new();
            let separation =
                Separation { clock, cells, waits, renews_freely, may_renew, may_wait, gaps, known };
            all.push(separation);
        }
        Ok(Self { all, uses })
    }

    /// Whether an edge is a use.
    pub(crate) fn is_use(&self, process: ProcessId, edge: EdgeId) -> bool {
        self.uses.get(process.index()).is_some_and(|uses| uses[edge.index()])
    }
}

/// The locations from which one of `sources` is reached by these edges.
fn reaching(
    process: &zonaut_model::Process,
    sources: Vec<usize>,
    is_followed: impl Fn(EdgeId) -> bool,
) -> Vec<bool> {
    let mut reaching = vec![false; process.locations.len()];
    sources.into_iter().for_each(|source| reaching[source] = true);
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for (id, edge) in process.edges.iter_enumerated() {
            let is_new = reaching[edge.target.index()] && !reaching[edge.source.index()];
            if is_new && is_followed(id) {
                (reaching[edge.source.index()], is_changed) = (true, true);
            }
        }
    }
    reaching
}

impl Separation {
    /// Whether the next use of a process may wait for this clock.
    pub(crate) fn may_wait(&self, process: usize, values: &[i32]) -> bool {
        self.may_wait[process][values[process] as usize]
    }

    /// The least amount of each process by the cells of a state.
    fn amounts(&mut self, model: &Model, network: &CompiledNetwork, values: &[i32]) -> Vec<i64> {
        let count = model.processes.len();
        let key: Vec<i32> = self.cells.iter().map(|cell| values[count + cell.index()]).collect();
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut amounts = vec![NEVER; count];
        for wait in &self.waits {
            let action = network.action(wait.action);
            let domain = Intervals::new(model, StateContents { model, values });
            let mut walk = Walk::new(model, domain, Overlay::default());
            if walk.select(&selected(model, action)).is_none() {
                continue;
            }
            let constraint = &edge_of(model, action).guard.clocks[wait.constraint];
            let least = &mut amounts[action.process.index()];
            *least = amount(&mut walk, constraint).min(*least);
        }
        for (least, _) in amounts.iter_mut().zip(&self.renews_freely).filter(|(_, free)| **free) {
            *least = 0;
        }
        self.known.insert(key, amounts.clone());
        amounts
    }

    /// By process, the least time between the last renewal of the clock and its next use.
    pub(crate) fn distances(
        &mut self,
        model: &Model,
        network: &CompiledNetwork,
        values: &[i32],
    ) -> Vec<i64> {
        let mut distances = self.amounts(model, network, values);
        let count = distances.len();
        let renewing: Vec<usize> = (0..count)
            .filter(|&process| self.may_renew[process][values[process] as usize])
            .collect();
        #[cfg(feature = "faults")]
        if crate::faults::Fault::GapForgotten.is_selected() {
            return distances;
        }
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for own in 0..count {
                for &other in &renewing {
                    if own == other && !self.renews_freely[own] {
                        continue;
                    }
                    let through = distances[other].saturating_add(self.gaps[own * count + other]);
                    if through < distances[own] {
                        (distances[own], is_changed) = (through, true);
                    }
                }
            }
        }
        distances
    }
}
