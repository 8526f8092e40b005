//! The least cost in a smaller network, as an estimate.
//!
//! Some processes are left out, and whatever has to go with them ([`AbstractModel`]). Every run of the model
//! has an image there, with the same delays, in which who takes part takes part in the run itself; so
//! it costs no more. What a goal costs at least from the image of a state is therefore no more than
//! what it costs from the state.
//!
//! # The claim about clocks
//! The images of all states with the same locations and values are looked at together, whatever their
//! clocks are. For that each clock has a flag, which is false at first, true after the clock was set
//! to 0, and false after anything else was done to it; a constraint counts only while the flags of its
//! clocks are true. Let a run of the child begin in some state with any clocks. The same delays and
//! transitions are a run with flags that begins with all clocks at 0 and all flags false: while a flag
//! is true its clock has the same value in both, since it was set to 0 at the same moment; so a
//! constraint that counts holds in both or in neither, and one that does not count asks for nothing.
//! Additional transitions are optional: urgent channels have no clocks in their guards in a child,
//! and a broadcast with clocks in a guard has no estimate.
//!
//! Each combination of locations and values is looked at once, when it is asked for, by the search
//! for least costs itself; where that would take too long, its lower bound so far is the answer.

use std::collections::HashMap;
use std::ops::ControlFlow;

use zonaut_analysis::footprint::Footprints;
use zonaut_base::{Id, IndexVec, Meter};
use zonaut_model::{
    Cell, CellId, CellKind, ClockConstraint, ClockId, Direction, Edge, Expression, ExpressionId,
    Formula, Location, LocationId, Model, Place, ProcessId, Range, Storage, ValueOf,
};
use zonaut_pdb::{AbstractModel, IdSet, Inputs, Pattern, Symbols, error_path_pattern};
use zonaut_space::{Cost, Progress, StopReason};
use zonaut_strategy::CostOrder;

use crate::costing::Costing;
use crate::drive::{OptimizationObserver, OptimizationOutcome};
use crate::estimate::Nothing;
use crate::infimum::Infimum;
use crate::tasks::{Distance, fixed, resets};
use crate::zones::Zones;

/// The most states that are explored for one combination of locations and values.
const MOST_FOR_ONE: usize = 1_000;
/// The most for all of them together, each of which counts [`PREPARATION`] besides.
const MOST: usize = 50_000;
/// The price of the preparation of a search, in states.
const PREPARATION: usize = 20;

/// A part of a model, and what it costs there to reach the goal.
pub(crate) struct Smaller {
    /// The child with flags.
    model: Model,
    goal: Formula,
    costing: Costing,
    /// By position among the values of the child without flags, where they are in the model.
    positions: Vec<Option<usize>>,
    /// The least cost ahead, by the values of the child; nothing where no path exists.
    known: HashMap<Vec<i32>, Option<Infimum>>,
    /// The number of states that may still be explored.
    left: usize,
    /// The meter of the search that asks.
    meter: Meter,
}

/// Ends a search for one combination.
struct Patience<'m>(&'m Meter);

impl OptimizationObserver for Patience<'_> {
    fn progress(&mut self, now: &Progress, _: Infimum) -> ControlFlow<StopReason> {
        match now.explored >= MOST_FOR_ONE {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => ControlFlow::Continue(()),
        }
    }

    fn meter(&self) -> Meter {
        self.0.clone()
    }
}

impl Smaller {
    /// A part of `model` that has the processes which have the longest paths to the goal, with those
    /// paths; nothing where there is no such part, or it cannot be looked at like this.
    pub(crate) fn of(
        model: &Model,
        goal: &Formula,
        costing: Costing,
        distances: Vec<(ProcessId, Distance)>,
        meter: &Meter,
    ) -> Option<Self> {
        let mut has_clocks = false;
        goal.for_each_constraint(&mut |_| has_clocks = true);
        if has_clocks || goal.mentions_deadlock() || model.has_rates() {
            return None;
        }
        let child = AbstractModel::new(model, goal, &pattern(model, goal, distances));
        let is_smaller = !child.processes.is_empty() && !child.dropped.is_empty();
        if !is_smaller || asks_all_receivers(&child.model) {
            return None;
        }
        let count = model.processes.len();
        let kept = child.processes.iter().map(|process| Some(process.index()));
        let stubs = child.model.processes.len() - child.processes.len();
        let cells = child
            .model
            .cells
            .ids()
            .map(|cell| (!child.dropped.cells.contains(cell)).then_some(count + cell.index()));
        let positions = kept.chain(std::iter::repeat_n(None, stubs)).chain(cells).collect();
        let model = with_flags(child.model)?;
        let mut expressions = model.expressions.iter();
        // Prices count only if the measure has them.
        let has_prices =
            costing.has_prices && expressions.any(|one| matches!(one, Expression::AddCost(_)));
        let costing = Costing { has_prices, ..costing };
        let known = HashMap::new();
        let (goal, meter) = (child.goal, meter.clone());
        Some(Self { model, goal, costing, positions, known, left: MOST, meter })
    }

    /// The least cost ahead in a state with these values, or nothing if no goal can be
    /// reached.
    pub(crate) fn left_to_pay(&mut self, values: &[i32]) -> Option<Infimum> {
        let processes = self.model.processes.len();
        let initial = |at: usize| match at.checked_sub(processes) {
            Some(cell) => self.model.cells[CellId::from_index(cell)].initial,
            None => self.model.processes[ProcessId::from_index(at)].initial.index() as i32,
        };
        let places = self.positions.iter().enumerate();
        let key: Vec<i32> = places
            .map(|(at, from)| from.map_or_else(|| initial(at), |from| values[from]))
            .collect();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.left == 0 {
            return Some(Infimum::ZERO);
        }
        let found = self.search(&key);
        self.known.insert(key, found);
        found
    }

    fn search(&mut self, key: &[i32]) -> Option<Infimum> {
        let mut model = self.model.clone();
        let (locations, cells) = key.split_at(model.processes.len());
        for (process, &at) in model.processes.iter_mut().zip(locations) {
            process.initial = LocationId::from_index(at as usize);
        }
        for (cell, &value) in model.cells.iter_mut().zip(cells) {
            cell.initial = value;
        }
        let nothing = Some(Infimum::ZERO);
        let zones = Zones::new(&model, &self.goal, self.costing, &self.meter);
        let patience = &mut Patience(&self.meter);
        let Ok(Ok(found)) =
            zones.map(|zones| zones.optimise(CostOrder::LeastCost, Nothing, patience))
        else {
            self.left = 0;
            return nothing;
        };
        self.left = self.left.saturating_sub(found.statistics.explored + PREPARATION);
        match (found.ending, found.best) {
            (OptimizationOutcome::Optimal, Some(best)) => Some(best.cost),
            (OptimizationOutcome::Unreachable, _) => None,
            (OptimizationOutcome::Stopped(_), _) => Some(found.lower_bound),
            _ => nothing,
        }
    }
}

/// The processes that are kept: of several that have to go somewhere the half with the longest paths, and
/// all that have not; otherwise what one abstract path to the goal touches.
fn pattern(model: &Model, goal: &Formula, mut distances: Vec<(ProcessId, Distance)>) -> Pattern {
    if distances.len() < 2 {
        return error_path_pattern(model, goal, Inputs::Dropped);
    }
    distances.sort_by_key(|&(process, distance)| (std::cmp::Reverse(distance), process));
    let short = &distances[distances.len().div_ceil(2)..];
    let processes: IdSet<ProcessId> = short.iter().map(|(process, _)| *process).collect();
    Pattern::dropping(model, &Symbols { processes, ..Symbols::default() })
}

/// Whether clocks decide who receives a broadcast.
fn asks_all_receivers(model: &Model) -> bool {
    let mut edges = model.processes.iter().flat_map(|process| &process.edges);
    let has_broadcasts = model.channels.iter().any(|channel| channel.broadcast);
    has_broadcasts
        && edges.any(|edge| {
            let sync = edge.synchronisation.as_ref();
            let receives = sync.is_some_and(|sync| sync.direction == Direction::Receive);
            receives && !edge.guard.clocks.is_empty()
        })
}

/// The same model with a flag for each clock; nothing where every transition does something to clocks.
fn with_flags(mut model: Model) -> Option<Model> {
    let mut hooks = Footprints::walk(&model);
    let _ = hooks.update(&model.before_update);
    let _ = hooks.update(&model.after_update);
    if !hooks.domain.found.writes.clocks.is_empty() {
        return None;
    }
    let flags: IndexVec<ClockId, CellId> = add_flags(&mut model);
    let known = [0, 1].map(|value| model.expressions.push(Expression::Constant(value)));
    for process in model.processes.ids().collect::<Vec<_>>() {
        for edge in model.processes[process].edges.ids().collect::<Vec<_>>() {
            let content = &model.processes[process].edges[edge];
            let effects = effects_on_clocks(&model, content);
            let mut guard = content.guard.clocks.clone();
            guard.retain_mut(|constraint| is_flagged(&mut model, constraint, &flags));
            let set = effects.into_iter().map(|(clock, is_reset)| Expression::Assign {
                place: Place::fixed(Storage::Cell(flags[clock])),
                operator: None,
                value: known[usize::from(is_reset)],
                result: ValueOf::After,
            });
            let set: Vec<ExpressionId> = set.map(|one| model.expressions.push(one)).collect();
            let content = &mut model.processes[process].edges[edge];
            content.guard.clocks = guard;
            content.updates.extend(set);
        }
        for location in model.processes[process].locations.ids().collect::<Vec<_>>() {
            let Location { invariant, .. } = &model.processes[process].locations[location];
            let mut clocks = invariant.clocks.clone();
            clocks.retain_mut(|constraint| is_flagged(&mut model, constraint, &flags));
            model.processes[process].locations[location].invariant.clocks = clocks;
        }
    }
    Some(model)
}

fn add_flags(model: &mut Model) -> IndexVec<ClockId, CellId> {
    #[cfg(feature = "faults")]
    let initial = i32::from(crate::faults::Fault::ClocksKnownTooSoon.is_selected());
    #[cfg(not(feature = "faults"))]
    let initial = 0;
    let Model { clocks, cells, .. } = model;
    let flag = |name: &str| Cell {
        name: format!("{name} is known"),
        owner: None,
        kind: CellKind::Boolean,
        range: Range { low: 0, high: 1 },
        initial,
        meta: false,
    };
    clocks.iter().map(|clock| cells.push(flag(&clock.name))).collect()
}

/// The clocks that an edge may do something to, and whether it certainly sets them to 0.
fn effects_on_clocks(model: &Model, edge: &Edge) -> Vec<(ClockId, bool)> {
    let mut walk = Footprints::walk(model);
    let _ = walk.select(&edge.select);
    let _ = walk.update(&edge.updates);
    let written = walk.domain.found.writes.clocks;
    let clocks = model.clocks.ids().filter(|&clock| written.contains(clock));
    clocks.map(|clock| (clock, resets(model, edge, clock))).collect()
}

/// Makes a constraint count only while its clocks are known; whether it can be made so.
fn is_flagged(
    model: &mut Model,
    constraint: &mut ClockConstraint,
    flags: &IndexVec<ClockId, CellId>,
) -> bool {
    for place in [Some(&constraint.left), constraint.right.as_ref()].into_iter().flatten() {
        let Some(clock) = fixed(place) else { return false };
        let flag = Expression::Read(Place::fixed(Storage::Cell(flags[clock])));
        let flag = model.expressions.push(flag);
        let both = constraint.condition.map(|condition| Expression::And(flag, condition));
        constraint.condition = Some(both.map_or(flag, |both| model.expressions.push(both)));
    }
    true
}
