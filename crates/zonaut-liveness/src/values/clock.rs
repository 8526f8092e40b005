//! The values of a clock, found by exploring zones in which it is exact.
//!
//! All other clocks are forgotten above their greatest constants, part by part, which changes nothing
//! that the watched clock could notice ([`super::pump`]). Then the infimum and the supremum of the
//! clock in every zone are those of valuations that are reached.
//!
//! *There may be no greatest value.* A zone without an upper bound shows that by itself: time may pass
//! without end. So does a loop that drives the clock up, and there the upper bounds of the clock are
//! taken away: for every number some valuation of the loop has more, with any values of the other
//! clocks that the zone has.
//!
//! *It ends.* The zones of the other clocks are finitely many. Zones in which the watched clock is at
//! most its greatest constant are, too, and so are those with a given bound on it, as every other
//! clock is bounded or unrelated. So infinitely many zones would need a way on which the clock is not
//! set from some state on, above its constant, without a bound on it that holds for all. All its upper
//! bounds are within a constant of each other, so that two zones with the same other clocks would come
//! where each is at least one higher: a loop that drives it up. Behind it only lower bounds change, and
//! higher ones are covered.

use super::pump::{drives_up, is_above, regular_parts, without_upper_bounds};
use super::{Extreme, Range, Unknown, Value};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use zonaut_compile::{BoundsTable, ClockRow, CompiledNetwork, Step, row_of};
use zonaut_dbm::{Bound, Clock, Wide, Zone};
use zonaut_model::ClockId;
use zonaut_model::interpret::ClockEffect;
use zonaut_search::{Ledger, Statistics, ask};
use zonaut_space::{Observer, Progress, TransitionSystem};
use zonaut_zonegraph::{
    Abstraction, CompiledGoal, Differences, SymbolicState, ZoneConstraint, ZoneGoal, ZoneGraph,
};

/// What an exploration of all states tells of a clock.
pub struct ClockValues {
    /// Its values where the condition holds; nothing if it holds nowhere.
    pub range: Result<Option<Range>, Unknown>,
    /// All states, where the exploration has come to its end.
    pub states: Vec<SymbolicState<Wide>>,
    /// What was done, in numbers.
    pub statistics: Statistics,
}

impl ClockValues {
    fn unknown(why: Unknown) -> Self {
        let (states, statistics) = (Vec::new(), Statistics::default());
        Self { range: Err(why), states, statistics }
    }
}

/// The values of `clock` in the states where `condition` holds; nothing if it holds nowhere.
/// `bounds` keep the clock in every zone. There is no range where the exploration does not end, or
/// something goes wrong in it; where clock differences are compared, or the clock is set to the
/// value of another one.
pub fn clock_range<Ob>(
    (network, bounds): (&CompiledNetwork, &BoundsTable),
    condition: &CompiledGoal,
    clock: ClockId,
    observer: &mut Ob,
) -> ClockValues
where
    Ob: Observer<SymbolicState<Wide>, Step>,
{
    let graph = match ZoneGraph::new(network, bounds, Abstraction::Exact) {
        Ok(graph) => graph,
        Err(why) => return ClockValues::unknown(why.into()),
    };
    if graph.differences() != Differences::Absent {
        let why = "values of clocks with clock differences";
        return ClockValues::unknown(Unknown::Unsupported(why));
    }
    let mut survey = Survey::new(&graph, condition, clock);
    let outcome = survey.explore(observer);
    let range = outcome.map(|()| survey.range());
    let statistics = survey.statistics();
    let nodes = survey.nodes.into_iter().filter(|node| !node.is_covered);
    let states = nodes.map(|node| node.state).collect();
    ClockValues { range, states, statistics }
}

/// A state that was reached.
struct Node {
    /// From which node, by which step.
    arrival: Option<(usize, Step)>,
    state: SymbolicState<Wide>,
    /// Whether the clock was set on the way from the node before.
    is_set: bool,
    /// Whether a loop on the way to it drives the clock up, so that once through it need not do.
    is_driven_up: bool,
    /// Whether a later node covers it.
    is_covered: bool,
}

/// The best bound so far.
#[derive(Clone, Copy)]
struct Best {
    bound: Bound<Wide>,
    /// Whether no loop on the way has to be taken again and again.
    is_direct: bool,
    node: usize,
}

/// The clocks of a zone: their rows over all clocks, and their greatest constants.
struct Layout {
    rows: Vec<ClockRow>,
    maxima: Vec<i32>,
    watched: Clock,
}

impl Layout {
    fn constrain(&self, zone: &mut Zone<Wide>, way: &[ZoneConstraint<Wide>]) -> bool {
        way.iter().all(|c| match (self.position(c.x), self.position(c.y)) {
            (Some(x), Some(y)) => zone.constrain(x, y, c.bound).is_ok(),
            _ => false,
        })
    }

    fn position(&self, row: ClockRow) -> Option<Clock> {
        self.rows.binary_search(&row).ok().map(Clock::from_index)
    }
}

struct Survey<'s, 'n> {
    graph: &'s ZoneGraph<'n, Wide>,
    condition: ZoneGoal<'s, 'n, Wide>,
    clock: ClockId,
    nodes: Vec<Node>,
    /// By discrete part, the nodes that no later one covers.
    live: HashMap<Box<[u64]>, Vec<usize>, FixedState>,
    layouts: HashMap<Vec<i32>, Rc<Layout>, FixedState>,
    /// The best lower and the best upper bound, with the nodes that have them.
    least: Option<Best>,
    greatest: Option<Best>,
    ledger: Ledger,
}

impl<'s, 'n> Survey<'s, 'n> {
    fn new(graph: &'s ZoneGraph<'n, Wide>, condition: &'s CompiledGoal, clock: ClockId) -> Self {
        Self {
            graph,
            condition: ZoneGoal::new(graph, condition),
            clock,
            nodes: Vec::new(),
            live: HashMap::default(),
            layouts: HashMap::default(),
            least: None,
            greatest: None,
            ledger: Ledger::default(),
        }
    }

    fn explore<Ob>(&mut self, observer: &mut Ob) -> Result<(), Unknown>
    where
        Ob: Observer<SymbolicState<Wide>, Step>,
    {
        let graph = self.graph;
        let mut scratch = graph.scratch();
        let mut failure = None;
        let _ = graph.visit_initial(&mut scratch, &mut |_, _, state| {
            let arrived = match state {
                Ok(state) => self.arrive(None, true, state),
                Err(error) => Err(Unknown::of_error(error, Vec::new())),
            };
            failure = arrived.err();
            as_flow(&failure)
        });
        let mut next = 0;
        while failure.is_none() && next < self.nodes.len() {
            if self.ledger.count_event() {
                ask(observer, &self.progress(next))?;
            }
            if !self.nodes[next].is_covered {
                self.ledger.statistics.explored += 1;
                let state = self.nodes[next].state.clone();
                let _ =
                    graph.visit_successors(&state, &mut scratch, &mut |step, transition, to| {
                        let arrived = match to {
                            Ok(to) => self
                                .is_set_by(&transition.effects)
                                .and_then(|is_set| self.arrive(Some((next, step)), is_set, to)),
                            Err(error) => Err(Unknown::of_error(error, self.steps_by(next, step))),
                        };
                        failure = arrived.err();
                        as_flow(&failure)
                    });
            }
            next += 1;
        }
        let _ = observer.progress(&self.progress(next));
        failure.map_or(Ok(()), Err)
    }

    /// Whether effects set the clock.
    fn is_set_by(&self, effects: &[ClockEffect]) -> Result<bool, Unknown> {
        let mut is_set = false;
        for effect in effects {
            match *effect {
                ClockEffect::Set(clock, _) => is_set |= clock == self.clock,
                ClockEffect::Copy(clock, source) if clock == self.clock && source != clock => {
                    let why = "values of a clock that is set to the value of another one";
                    return Err(Unknown::Unsupported(why));
                }
                ClockEffect::Copy(..) => {}
            }
        }
        Ok(is_set)
    }

    /// Notes the parts of a state that was reached.
    fn arrive(
        &mut self,
        arrival: Option<(usize, Step)>,
        is_set: bool,
        state: &SymbolicState<Wide>,
    ) -> Result<(), Unknown> {
        self.ledger.statistics.generated += 1;
        let layout = self.layout(state);
        for zone in regular_parts(state.zone.clone(), &layout.maxima, layout.watched) {
            let mut part = state.clone();
            part.zone = zone;
            let mut is_driven_up = arrival.is_some_and(|(node, _)| self.nodes[node].is_driven_up);
            if !is_set && self.is_driven_up(arrival, &part, &layout) {
                part.zone = without_upper_bounds(&part.zone, layout.watched);
                is_driven_up = true;
            }
            let node = Node { arrival, state: part, is_set, is_driven_up, is_covered: false };
            self.insert(node, &layout)?;
        }
        Ok(())
    }

    fn insert(&mut self, new: Node, layout: &Layout) -> Result<(), Unknown> {
        let (arrival, state) = (new.arrival, &new.state);
        let Self { nodes, live, .. } = self;
        let peers = live.entry(state.key().into()).or_default();
        if peers.iter().any(|&node| nodes[node].state.zone.includes(&state.zone)) {
            self.ledger.statistics.covered += 1;
            return Ok(());
        }
        peers.retain(|&node| {
            nodes[node].is_covered = state.zone.includes(&nodes[node].state.zone);
            !nodes[node].is_covered
        });
        let node = nodes.len();
        peers.push(node);
        self.note(&new, layout, node)
            .map_err(|error| Unknown::of_error(error.into(), self.steps_to(arrival)))?;
        self.nodes.push(new);
        Ok(())
    }

    /// Notes the values of the clock where the condition holds.
    fn note(
        &mut self,
        Node { state, is_driven_up, .. }: &Node,
        layout: &Layout,
        node: usize,
    ) -> Result<(), zonaut_model::interpret::RunTimeError> {
        for way in self.condition.ways(state)? {
            let mut zone = state.zone.clone();
            if !layout.constrain(&mut zone, &way) {
                continue;
            }
            // The loosest bounds are the extreme ones. Of two ways to the same value, one that goes
            // there directly says more.
            let keep = |best: &mut Option<Best>, bound| {
                let new = Best { bound, is_direct: !is_driven_up, node };
                if best.is_none_or(|best| (new.bound, new.is_direct) > (best.bound, best.is_direct))
                {
                    *best = Some(new);
                }
            };
            keep(&mut self.least, zone.bound(Clock::ZERO, layout.watched));
            keep(&mut self.greatest, zone.bound(layout.watched, Clock::ZERO));
        }
        Ok(())
    }

    /// Whether a loop that ends in `state` drives the clock up.
    fn is_driven_up(
        &self,
        arrival: Option<(usize, Step)>,
        state: &SymbolicState<Wide>,
        layout: &Layout,
    ) -> bool {
        let (x, zone) = (layout.watched, &state.zone);
        let is_above = |zone: &Zone<Wide>| is_above(zone, x, layout.maxima[x.index()]);
        if !is_above(zone) || zone.bound(x, Clock::ZERO).is_infinite() {
            return false;
        }
        #[cfg(feature = "faults")]
        if Fault::UnboundedAboveConstant.is_selected() {
            return true;
        }
        let mut next = arrival;
        while let Some((node, _)) = next {
            let Node { arrival, state: ancestor, is_set, .. } = &self.nodes[node];
            let is_same_place = ancestor.key() == state.key() && is_above(&ancestor.zone);
            if is_same_place && drives_up(&ancestor.zone, zone, x) {
                return true;
            }
            if *is_set {
                return false;
            }
            next = *arrival;
        }
        false
    }

    fn layout(&mut self, state: &SymbolicState<Wide>) -> Rc<Layout> {
        let locations = &state.values[..self.graph.network().process_count()];
        if let Some(layout) = self.layouts.get(locations) {
            return Rc::clone(layout);
        }
        let bounds = self.graph.bounds_of(state);
        let rows: Vec<ClockRow> = [0].into_iter().chain(bounds.iter().map(|b| b.0)).collect();
        let maxima = [0].into_iter().chain(bounds.iter().map(|&(_, l, u)| l.max(u))).collect();
        let watched = rows.binary_search(&row_of(self.clock));
        let watched = watched.expect("invariant: a watched clock is in every zone");
        let layout = Rc::new(Layout { rows, maxima, watched: Clock::from_index(watched) });
        self.layouts.insert(locations.to_vec(), Rc::clone(&layout));
        layout
    }

    fn steps_by(&self, node: usize, step: Step) -> Vec<Step> {
        self.steps_to(Some((node, step)))
    }

    fn steps_to(&self, arrival: Option<(usize, Step)>) -> Vec<Step> {
        let back = |&(node, _): &(usize, Step)| self.nodes[node].arrival;
        let mut steps: Vec<Step> =
            std::iter::successors(arrival, back).map(|(_, step)| step).collect();
        steps.reverse();
        steps
    }

    /// What was found.
    fn range(&self) -> Option<Range> {
        let (least, greatest) = (self.least?, self.greatest?);
        let (lower, upper) = (least.bound, greatest.bound);
        let value = |bound: Bound<Wide>, number: i64| match (bound.is_infinite(), bound.is_strict())
        {
            (true, _) => Value::Unbounded,
            (false, true) => Value::Approached(number),
            (false, false) => Value::Attained(number),
        };
        let extreme = |value, best: Best| Extreme {
            value,
            steps: self.steps_to(self.nodes[best.node].arrival),
            is_driven_up: !best.is_direct,
        };
        Some(Range {
            least: extreme(value(lower, -lower.value()), least),
            greatest: extreme(value(upper, upper.value()), greatest),
        })
    }

    fn statistics(&self) -> Statistics {
        let Progress { stored, bytes, .. } = self.progress(self.nodes.len());
        Statistics { stored, bytes, ..self.ledger.statistics }
    }

    fn progress(&self, next: usize) -> Progress {
        let state = self.nodes.first().map_or(0, |node| {
            size_of_val(node.state.zone.as_slice()) + size_of_val(node.state.values.as_slice())
        });
        Progress {
            explored: self.ledger.statistics.explored,
            stored: self.nodes.len(),
            waiting: self.nodes.len() - next,
            bytes: self.nodes.len() * (state + size_of::<Node>()),
            depth: 0,
        }
    }
}

fn as_flow(failure: &Option<Unknown>) -> ControlFlow<()> {
    if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
