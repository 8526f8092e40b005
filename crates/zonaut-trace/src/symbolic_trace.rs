//! The symbolic states along a run, as in UPPAAL's trace files.
//!
//! A concrete run determines its transitions and, if zones were split, the part that it passes
//! through. The same transitions are executed again with exact zones over all clocks, including
//! inactive ones, so that every state contains exactly the valuations that its transitions lead to,
//! or more if clocks are stopped.

use crate::trace::{Rational, Trace, TraceEdge, TraceState, least_common_multiple};
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork, row_of};
use zonaut_dbm::{Row, Wide};
use zonaut_model::Model;
use zonaut_model::interpret::ClockEffect;
use zonaut_space::TransitionSystem;
use zonaut_zonegraph::{StepError, ZoneConstraint, before_effects};

/// Wide bounds, because nothing is extrapolated: values grow with the length of the run.
pub(crate) type Bound = zonaut_dbm::Bound<Wide>;
type Zone = zonaut_dbm::Zone<Wide>;
type Scratch = zonaut_zonegraph::Scratch<Wide>;
type SymbolicState = zonaut_zonegraph::SymbolicState<Wide>;
type Transition = zonaut_zonegraph::Transition<Wide>;
type ZoneGraph<'g> = zonaut_zonegraph::ZoneGraph<'g, Wide>;

/// A sequence of symbolic states. It has one state more than transitions.
#[derive(Clone, Debug)]
pub struct SymbolicTrace {
    /// The number of processes.
    pub(crate) processes: usize,
    pub(crate) states: Vec<SymbolicTraceState>,
    pub(crate) transitions: Vec<Vec<TakenEdge>>,
    /// The transition to each state, including the first one.
    incoming: Vec<Transition>,
}

/// A symbolic state of a run.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicTraceState {
    /// The location of every process, followed by the content of every cell.
    pub(crate) values: Vec<i32>,
    /// The zone over all clocks, after the delay.
    pub(crate) zone: Zone,
}

/// An edge of a transition, by ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TakenEdge {
    pub(crate) process: usize,
    pub(crate) edge: usize,
    pub(crate) select: Vec<i32>,
}

impl SymbolicTrace {
    /// The zone of each state in the user's names: bounds such as `x>=3` and `x-y<2`, separated by
    /// commas.
    #[must_use]
    pub fn zones(&self, model: &Model) -> Vec<String> {
        let name = |row: usize| model.clocks[Id::from_index(row - 1)].name.as_str();
        let shown = |&(x, y, bound): &(usize, usize, Bound)| {
            let equal = if bound.is_strict() { "" } else { "=" };
            match (x, y) {
                (0, y) => format!("{}>{equal}{}", name(y), -bound.value()),
                (x, 0) => format!("{}<{equal}{}", name(x), bound.value()),
                (x, y) => format!("{}-{}<{equal}{}", name(x), name(y), bound.value()),
            }
        };
        let list = |state: &SymbolicTraceState| {
            let bounds = listed_bounds(&state.zone);
            bounds.iter().map(shown).collect::<Vec<_>>().join(", ")
        };
        self.states.iter().map(list).collect()
    }

    /// The number of states: one more than there are transitions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is no state: always false, because a run has a first one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The valuations in which the run may be in the state at `position`, after any delay. The
    /// clock after the reference clock is the first of the model.
    #[must_use]
    pub fn zone(&self, position: usize) -> &Zone {
        &self.states[position].zone
    }

    /// The valuations of the state at `position` in which the next transition is enabled; `None`
    /// for the last state.
    #[must_use]
    pub fn leaving(&self, position: usize) -> Option<Zone> {
        let next = self.incoming.get(position + 1)?;
        let mut zone = self.states[position].zone.clone();
        constrain(&mut zone, &next.before)?;
        Some(zone)
    }

    /// The run with smaller states: every valuation has a successor in the next state, as every one
    /// has a predecessor in the state before.
    #[must_use]
    pub fn stable(&self) -> Self {
        let mut stable = self.clone();
        for position in (1..self.states.len()).rev() {
            let mut zone = stable.states[position].zone.clone();
            before(&self.incoming[position], &mut zone)
                .and_then(|()| zone.intersect(&self.states[position - 1].zone).ok())
                .expect("invariant: a run passes through all states");
            stable.states[position - 1].zone = zone;
        }
        stable
    }
}

/// The pre-image of a set of valuations under a transition and the delay behind it.
fn before(transition: &Transition, zone: &mut Zone) -> Option<()> {
    constrain(zone, transition.departure())?;
    if transition.delayed && transition.stopped.is_empty() {
        zone.past();
    } else if transition.delayed {
        *zone = past_except(zone, &transition.stopped)?;
    }
    constrain(zone, &transition.arrival)?;
    let rows: Vec<u32> = (0..zone.dim() as u32).collect();
    *zone = before_effects(&rows, &rows, &transition.effects, zone)?;
    constrain(zone, &transition.before)
}

/// The smallest zone that contains the past of a zone while the clocks of the rows `stopped`, which
/// are ascending, are stopped: the lead of running clocks over stopped ones has no least value.
fn past_except(zone: &Zone, stopped: &[u32]) -> Option<Zone> {
    let stands = |x: Row| x == Row::ZERO || stopped.binary_search(&(x.index() as u32)).is_ok();
    let mut past = Zone::universe(zone.dim());
    let rows = || (0..zone.dim()).map(Row::from_index);
    for (x, y) in rows().flat_map(|x| rows().map(move |y| (x, y))).filter(|(x, y)| x != y) {
        if !stands(x) || stands(y) {
            past.constrain(x, y, zone.bound(x, y)).ok()?;
        }
    }
    Some(past)
}

impl SymbolicTrace {
    /// The symbolic states along a run of the model in `graph`, whose zones are exact; a failing
    /// transition at its end is omitted. `None` if clocks leave the range of exact zones.
    #[must_use]
    pub fn along(trace: &Trace, model: &Model, graph: &ZoneGraph<'_>) -> Option<Self> {
        Walk::new(model, graph, Moments::of(trace)).finish(trace)
    }
}

/// The clock values of a run, as integers with a common denominator.
struct Moments {
    denominator: i128,
    /// Before each transition and at the end: the values on arrival, and the delay.
    stays: Vec<(Vec<i128>, i128)>,
    /// The values at the end of the preceding stay.
    left: Vec<i128>,
}

impl Moments {
    fn of(trace: &Trace) -> Self {
        let states = std::iter::once(&trace.start).chain(trace.steps.iter().map(|s| &s.state));
        let delays = trace.steps.iter().map(|s| s.delay).chain([trace.last_delay]);
        let clocks = |state: &TraceState| state.clocks.iter().map(|c| c.1).collect::<Vec<_>>();
        let stays: Vec<(Vec<Rational>, Rational)> = states.map(clocks).zip(delays).collect();
        let numbers = stays.iter().flat_map(|(clocks, delay)| clocks.iter().chain([delay]));
        let denominator =
            numbers.fold(1, |all, n| least_common_multiple(all, n.denominator.into()));
        let scaled =
            |n: &Rational| i128::from(n.numerator) * (denominator / i128::from(n.denominator));
        let stays = stays
            .iter()
            .map(|(clocks, delay)| (clocks.iter().map(scaled).collect(), scaled(delay)));
        Self { denominator, stays: stays.collect(), left: Vec::new() }
    }

    fn satisfies(&self, clocks: &[i128], constraints: &[ZoneConstraint<Wide>]) -> bool {
        let value = |row: u32| if row == 0 { 0 } else { clocks[row as usize - 1] };
        constraints.iter().all(|&ZoneConstraint { x, y, bound }| {
            let (difference, limit) =
                (value(x) - value(y), i128::from(bound.value()) * self.denominator);
            bound.is_infinite() || difference < limit || difference == limit && !bound.is_strict()
        })
    }

    /// The values at the end of stay `position`, if the run enters it through this transition.
    fn passes(&self, position: usize, transition: &Transition) -> Option<Vec<i128>> {
        let (arrival, delay) = &self.stays[position];
        let runs = |row: u32| transition.stopped.binary_search(&row).is_err();
        let later = |(row, value): (u32, &i128)| value + if runs(row) { *delay } else { 0 };
        let departure: Vec<i128> = (1..).zip(arrival).map(later).collect();
        let is_passed = (position == 0 || self.satisfies(&self.left, &transition.before))
            && self.satisfies(arrival, &transition.arrival)
            && self.satisfies(&departure, transition.departure())
            && (transition.delayed || *delay == 0);
        is_passed.then_some(departure)
    }
}

/// A replay of a run.
struct Walk<'g> {
    model: &'g Model,
    graph: &'g ZoneGraph<'g>,
    scratch: Scratch,
    moments: Moments,
    /// The current state, with its active clocks.
    state: Option<SymbolicState>,
    /// The zone over all clocks.
    zone: Zone,
    found: SymbolicTrace,
}

impl<'g> Walk<'g> {
    fn new(model: &'g Model, graph: &'g ZoneGraph<'g>, moments: Moments) -> Self {
        let mut zone = Zone::origin(model.clocks.len() + 1);
        for (clock, declared) in model.clocks.iter_enumerated() {
            zone.reset(row(row_of(clock)), declared.initial);
        }
        let processes = model.processes.len();
        let (states, transitions, incoming) = (Vec::new(), Vec::new(), Vec::new());
        let found = SymbolicTrace { processes, states, transitions, incoming };
        Self { model, graph, scratch: graph.scratch(), moments, state: None, zone, found }
    }

    fn finish(mut self, trace: &Trace) -> Option<SymbolicTrace> {
        let arrival = self.find(0, &[])?;
        self.enter(&arrival)?;
        let taken = trace.steps.len() - usize::from(trace.fails);
        for (position, step) in trace.steps[..taken].iter().enumerate() {
            let edges: Option<Vec<TakenEdge>> =
                step.edges.iter().map(|edge| self.numbered(edge)).collect();
            let edges = edges?;
            let transition = self.find(position + 1, &edges)?;
            self.enter(&transition)?;
            self.found.transitions.push(edges);
        }
        Some(self.found)
    }

    fn numbered(&self, edge: &TraceEdge) -> Option<TakenEdge> {
        Some(TakenEdge {
            process: self.model.process_named(&edge.process)?.index(),
            edge: edge.edge,
            select: edge.select.iter().map(|&(_, value)| value).collect(),
        })
    }

    /// The transition of these edges that the run takes into stay `position`, whose state becomes
    /// the current one.
    fn find(&mut self, position: usize, edges: &[TakenEdge]) -> Option<Transition> {
        let Self { graph, moments, scratch, state, .. } = self;
        let from = state.take();
        let mut found = None;
        let mut visit =
            |_, transition: &Transition, target: Result<&mut SymbolicState, StepError>| {
                let Ok(target) = target else { return ControlFlow::Continue(()) };
                if !takes(graph.network(), &transition.participants, edges) {
                    return ControlFlow::Continue(());
                }
                let Some(left) = moments.passes(position, transition) else {
                    return ControlFlow::Continue(());
                };
                moments.left = left;
                found = Some(transition.clone());
                *state = Some(target.clone());
                ControlFlow::Break(())
            };
        let _ = match &from {
            None => graph.visit_initial(scratch, &mut visit),
            Some(from) => graph.visit_successors(from, scratch, &mut visit),
        };
        found
    }

    /// Applies `transition` to the zone over all clocks and records the state that it leads to.
    fn enter(&mut self, transition: &Transition) -> Option<()> {
        constrain(&mut self.zone, &transition.before)?;
        for effect in &transition.effects {
            match *effect {
                ClockEffect::Set(clock, value) => self.zone.reset(row(row_of(clock)), value),
                ClockEffect::Copy(target, source) => {
                    self.zone.copy(row(row_of(target)), row(row_of(source)));
                }
            }
        }
        constrain(&mut self.zone, &transition.arrival)?;
        if transition.delayed {
            let stands = |x: Row| transition.stopped.binary_search(&(x.index() as u32)).is_ok();
            self.zone.delay_except(stands);
        }
        constrain(&mut self.zone, transition.departure())?;
        if !self.zone.is_within_range() {
            return None;
        }
        let values = self.state.as_ref()?.values.clone();
        self.found.states.push(SymbolicTraceState { values, zone: self.zone.clone() });
        self.found.incoming.push(transition.clone());
        Some(())
    }
}

/// Whether `participants` take these edges.
fn takes(network: &CompiledNetwork, participants: &[ActionId], edges: &[TakenEdge]) -> bool {
    participants.len() == edges.len()
        && participants.iter().zip(edges).all(|(&action, edge)| {
            let action = network.action(action);
            (action.process.index(), action.edge.index()) == (edge.process, edge.edge)
                && *action.select == *edge.select
        })
}

fn row(row: u32) -> Row {
    Row::from_index(row as usize)
}

fn constrain(zone: &mut Zone, constraints: &[ZoneConstraint<Wide>]) -> Option<()> {
    let bounds = constraints.iter().map(|c| (row(c.x), row(c.y), c.bound));
    zone.constrain_all(bounds).ok()
}

/// A minimal list of bounds `x - y`, by rows, that defines a zone, including non-negativity.
///
/// After K. G. Larsen, F. Larsson, P. Pettersson, W. Yi (DOI 10.1109/REAL.1997.641265), like
/// [`Zone::minimal_constraints`], which omits bounds that readers of UPPAAL's files expect.
pub(crate) fn listed_bounds(zone: &Zone) -> Vec<(usize, usize, Bound)> {
    let rows = || 0..zone.dim();
    let bound = |x: usize, y: usize| zone.bound(Row::from_index(x), Row::from_index(y));
    let is_fixed = |x: usize, y: usize| bound(x, y) + bound(y, x) == Bound::ZERO;
    let leader = |x: usize| rows().find(|&y| is_fixed(x, y)).unwrap_or(x);
    let leaders: Vec<usize> = rows().filter(|&x| leader(x) == x).collect();
    let mut listed = Vec::new();
    for &first in &leaders {
        let class: Vec<usize> = rows().filter(|&x| leader(x) == first).collect();
        let cycle = class.iter().zip(class.iter().cycle().skip(1));
        listed.extend(cycle.filter(|(x, y)| x != y).map(|(&x, &y)| (x, y)));
        let is_needed = |y: usize| {
            let is_implied = |&z: &usize| {
                z != first && z != y && bound(first, z) + bound(z, y) <= bound(first, y)
            };
            y != first && !bound(first, y).is_infinite() && !leaders.iter().any(is_implied)
        };
        listed.extend(leaders.iter().filter(|&&y| is_needed(y)).map(|&y| (first, y)));
    }
    listed.sort_unstable();
    listed.into_iter().map(|(x, y)| (x, y, bound(x, y))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(constraints: &[(usize, usize, Bound)], listed: &[(usize, usize)]) {
        let rows = |&(x, y, b): &(usize, usize, Bound)| (Row::from_index(x), Row::from_index(y), b);
        let mut zone = Zone::universe(4);
        zone.constrain_all(constraints.iter().map(rows)).unwrap();
        let found = listed_bounds(&zone);
        let pairs: Vec<(usize, usize)> = found.iter().map(|&(x, y, _)| (x, y)).collect();
        assert_eq!(pairs, listed);
        let mut again = Zone::universe(4);
        again.constrain_all(found.iter().map(rows)).unwrap();
        assert_eq!(again, zone);
    }

    #[test]
    fn signs_are_listed_unless_they_follow() {
        check(&[], &[(0, 1), (0, 2), (0, 3)]);
        check(&[(0, 1, Bound::le(-3)), (1, 2, Bound::le(0))], &[(0, 1), (0, 3), (1, 2)]);
    }

    #[test]
    fn clocks_at_a_fixed_distance_form_a_cycle() {
        let together = |x, y| [(x, y, Bound::le(2)), (y, x, Bound::le(-2))];
        let fixed: Vec<_> = together(1, 2).into_iter().chain(together(2, 3)).collect();
        check(&fixed, &[(0, 1), (1, 2), (2, 3), (3, 1)]);
        let stopped = [(1, 0, Bound::le(0)), (2, 0, Bound::lt(5)), (3, 0, Bound::le(7))];
        check(&stopped, &[(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)]);
    }
}
