//! The values of a clock, computed by exploring zones in which it is exact where that matters.
//!
//! *Pinned clock.* Zones are exact and compared by LU simulation, in which the clock is pinned: where
//! its present value may still be one of the values asked for, no state covers another with a
//! smaller (for the supremum) or a greater (for the infimum) value of it
//! (`docs/decisions/0040-values-with-a-pinned-clock.md`).
//!
//! *Copied clocks and stopwatches.* If a clock is assigned the value of another one, the value
//! continues under another name; [`super::copy_chain`] determines the clock to watch then. All other
//! clocks are abstracted above their greatest constants, part by part, which has no effect on the
//! watched clock ([`super::pump`]), and zones are compared by inclusion. If clock differences are
//! compared, [`super::probes`] is used instead.
//!
//! In both cases the infimum and the supremum of the clock in every zone are those of reachable
//! valuations.
//!
//! *Unbounded values.* A zone without an upper bound on the clock proves unboundedness: time may
//! diverge. So does a pumping loop, and behind it the upper bounds of the clock are removed: for
//! every number some valuation of the loop exceeds it, with any values of the other clocks that the
//! zone admits.
//!
//! *Termination.* Zones in which the clock is far above all constants are split as for copied clocks.
//! The number of parts over the other clocks is finite. So is the number of those in which the
//! watched clock is at most its greatest constant, and of those with a given bound on it, as every
//! other clock is bounded or unrelated. So infinitely many zones would require a path on which the
//! clock is not reset from some state on, above its constant, without a uniform bound on it. All its
//! upper bounds are within a constant of each other, so that two zones with equal other clocks would
//! occur of which each bound of the second is at least one higher: a pumping loop. Behind it only
//! lower bounds change, and states with higher ones are covered.

use super::copy_chain::{CopyChain, ValueCopy};
use super::probes::probed_range;
use super::pump::{is_above, pumps, regular_parts, without_upper_bounds};
use super::{Ends, Extended, Extreme, PumpingLoop, PumpingStart, Range, Unknown, Value};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use zonaut_compile::{BoundsTable, ClockBounds, ClockRow, CompiledNetwork, Step, row_of};
use zonaut_dbm::{ALWAYS_EXACT, Bound, NO_BOUND, Row, Wide, Zone};
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{ClockId, Formula, Model};
use zonaut_search::{Ledger, Statistics, ask};
use zonaut_space::{Observer, Progress, TransitionSystem};
use zonaut_zonegraph::{
    Abstraction, ActiveClocks, Comparison, CompiledGoal, Differences, SymbolicState,
    ZoneConstraint, ZoneGoal, ZoneGraph,
};

/// The values of a clock, from an exploration of all states.
pub struct ClockValues {
    /// Its values where the condition holds; `None` if it holds nowhere.
    pub range: Result<Option<Range>, Unknown>,
    /// All states, if the exploration was completed; `None` if the values come from several clocks,
    /// each of which was watched in some of the states.
    pub states: Option<CoveringStates>,
    /// The statistics.
    pub statistics: Statistics,
}

/// States that cover all reachable ones.
pub struct CoveringStates {
    /// The states.
    pub states: Vec<SymbolicState<Wide>>,
    /// The comparison under which they do.
    pub comparison: Comparison,
    /// The bounds of clocks for this comparison.
    pub bounds: BoundsTable,
}

impl ClockValues {
    fn unknown(why: Unknown) -> Self {
        Self { range: Err(why), states: None, statistics: Statistics::default() }
    }
}

/// The bounds of clocks for [`clock_range`]: the clock is pinned for the requested ends of the range,
/// or active everywhere if it is copied from another one or may be stopped.
#[must_use]
pub fn value_bounds(model: &Model, condition: &Formula, clock: ClockId, ends: Ends) -> BoundsTable {
    let exact_if = |is_requested| if is_requested { ALWAYS_EXACT } else { NO_BOUND };
    let (lower, upper) = (exact_if(ends.greatest), exact_if(ends.least));
    #[cfg(feature = "faults")]
    let (lower, upper) =
        if Fault::PinnedFromOtherSide.is_selected() { (upper, lower) } else { (lower, upper) };
    let pinned = ClockBounds { clock, lower, upper };
    BoundsTable::with_pinned(model, condition, pinned).unwrap_or_else(|| {
        let mut extended = Extended::of(model);
        let watched = extended.watched(condition, clock);
        BoundsTable::new(&extended.model, &watched)
    })
}

/// The values of `clock` in the states where `condition`, a formula of `model`, holds; `None` if it
/// holds nowhere. `bounds` are its [`value_bounds`]; an end of the range that they were not made for
/// is that of the explored states only. The range is an error if the exploration does not complete,
/// or a run-time error occurs in it.
pub fn clock_range<Ob>(
    model: &Model,
    network: &CompiledNetwork,
    bounds: &BoundsTable,
    condition: &Formula,
    clock: ClockId,
    observer: &mut Ob,
) -> ClockValues
where
    Ob: Observer<SymbolicState<Wide>, Step>,
{
    let graph = match ZoneGraph::new(network, bounds, Abstraction::Exact, &observer.meter()) {
        Ok(graph) => graph,
        Err(why) => return ClockValues::unknown(why.into()),
    };
    if graph.differences() != Differences::Absent {
        if model.has_rates() {
            let why = "values of clocks with clock differences and stopwatches";
            return ClockValues::unknown(Unknown::Unsupported(why));
        }
        return probed_range(model, network, condition, clock, observer);
    }
    let condition = &CompiledGoal::new(model, condition);
    let mut copy_chain = CopyChain::of(clock);
    loop {
        let mut survey = Survey::new(&graph, condition, copy_chain.clone());
        match survey.explore(observer) {
            Err(Halt::Copied(source)) => copy_chain.add(source),
            Err(Halt::Unknown(why)) => return survey.finish(Err(why)),
            Ok(()) => {
                let range = survey.range();
                return survey.finish(Ok(range));
            }
        }
    }
}

/// The reason for which an exploration ends early.
enum Halt {
    Unknown(Unknown),
    /// A clock that is not watched is copied to one that is.
    Copied(ClockId),
}

impl From<Unknown> for Halt {
    fn from(why: Unknown) -> Self {
        Self::Unknown(why)
    }
}

/// A reached state.
struct Node {
    /// The parent node, and the step from it.
    arrival: Option<(usize, Step)>,
    /// The exact clock, and whether its value is new since the parent.
    copy: ValueCopy,
    state: SymbolicState<Wide>,
    /// A pumping loop on the path to it; its upper bounds are removed then.
    pumping_loop: Option<LoopEnds>,
    /// Whether a later node covers it.
    is_covered: bool,
}

/// A pumping loop, by its first and last nodes.
#[derive(Clone, Copy)]
struct LoopEnds {
    before: usize,
    after: usize,
}

/// The best bound so far.
#[derive(Clone, Copy)]
struct Best {
    bound: Bound<Wide>,
    /// Whether the path contains no loop that has to be repeated.
    is_direct: bool,
    node: usize,
}

/// The clocks of a zone: their rows over all clocks, their greatest constants, and their bounds in
/// the comparison of zones.
struct Layout {
    rows: Vec<ClockRow>,
    maxima: Vec<i32>,
    lower: Vec<i32>,
    upper: Vec<i32>,
    /// The watched clock; `None` if its value does not matter.
    watched: Option<Row>,
}

impl Layout {
    fn constrain(&self, zone: &mut Zone<Wide>, disjunct: &[ZoneConstraint<Wide>]) -> bool {
        disjunct.iter().all(|c| match (self.position(c.x), self.position(c.y)) {
            (Some(x), Some(y)) => zone.constrain(x, y, c.bound).is_ok(),
            _ => false,
        })
    }

    fn position(&self, row: ClockRow) -> Option<Row> {
        self.rows.binary_search(&row).ok().map(Row::from_index)
    }

    /// Whether greater values of the watched clock may still matter.
    fn is_supremum_open(&self) -> bool {
        self.watched.is_some_and(|x| self.lower[x.index()] == ALWAYS_EXACT)
    }

    /// Whether some upper bound of the watched clock, on its own or against another clock, is finite
    /// and above `number`.
    fn is_beyond(&self, zone: &Zone<Wide>, number: i64) -> bool {
        let Some(x) = self.watched else { return false };
        let bounds = (0..zone.dim()).map(|y| zone.bound(x, Row::from_index(y)));
        bounds.into_iter().any(|bound| !bound.is_infinite() && bound.value() > number)
    }
}

/// The bounds that the pinned clock still needs for the requested ends of its range, given the best
/// ones so far: above an attained infimum, values need not be distinguished any more, and none if the
/// supremum is infinite. The clock stays active.
fn pinned_for(pinned: ClockBounds, least: Option<Best>, greatest: Option<Best>) -> ClockBounds {
    let mut needed = pinned;
    if greatest.is_some_and(|best| best.bound.is_infinite()) {
        needed.lower = needed.lower.min(-1);
    }
    if let Some(best) = least {
        let least = i32::try_from(-best.bound.value()).unwrap_or(ALWAYS_EXACT);
        needed.upper = needed.upper.min(least);
    }
    if !ClockBounds::is_active(needed.lower, needed.upper) {
        needed.upper = -1;
    }
    needed
}

struct Survey<'s, 'n> {
    graph: &'s ZoneGraph<'n, Wide>,
    condition: ZoneGoal<'s, 'n, Wide>,
    /// The bounds without the pinned clock, if the clock is pinned.
    unpinned: Option<BoundsTable>,
    /// Zones in which the pinned clock has a finite upper bound above this number are split.
    far: i64,
    /// The queried clock, first, and the clocks that its values come from.
    copy_chain: CopyChain,
    nodes: Vec<Node>,
    /// By watched clock and discrete part, the nodes that no later one covers.
    live: HashMap<(ClockId, Box<[u64]>), Vec<usize>, FixedState>,
    /// By watched clock and locations.
    layouts: HashMap<(ClockId, Vec<i32>), Rc<Layout>, FixedState>,
    /// The best lower and the best upper bound, with the nodes that have them.
    least: Option<Best>,
    greatest: Option<Best>,
    ledger: Ledger,
}

impl<'s, 'n> Survey<'s, 'n> {
    fn new(
        graph: &'s ZoneGraph<'n, Wide>,
        condition: &'s CompiledGoal,
        copy_chain: CopyChain,
    ) -> Self {
        let (bounds, clocks) = (graph.bounds(), graph.network().clock_count());
        Self {
            graph,
            condition: ZoneGoal::new(graph, condition),
            unpinned: bounds.unpinned(),
            far: i64::from(bounds.greatest().max(1)).saturating_mul(clocks as i64 + 1),
            copy_chain,
            nodes: Vec::new(),
            live: HashMap::default(),
            layouts: HashMap::default(),
            least: None,
            greatest: None,
            ledger: Ledger::default(),
        }
    }

    fn finish(self, range: Result<Option<Range>, Unknown>) -> ClockValues {
        let statistics = self.statistics();
        let is_single = self.copy_chain.clocks().len() == 1;
        let nodes = self.nodes.into_iter().filter(|node| !node.is_covered);
        let (least, greatest) = (self.least, self.greatest);
        let pinned = |bounds| pinned_for(bounds, least, greatest);
        let states = is_single.then(|| CoveringStates {
            states: nodes.map(|node| node.state).collect(),
            comparison: match self.unpinned {
                Some(_) => Comparison::Simulation,
                None => Comparison::Inclusion,
            },
            bounds: self.graph.bounds().repinned(pinned),
        });
        ClockValues { range, states, statistics }
    }

    fn explore<Ob>(&mut self, observer: &mut Ob) -> Result<(), Halt>
    where
        Ob: Observer<SymbolicState<Wide>, Step>,
    {
        let graph = self.graph;
        let mut scratch = graph.scratch();
        let mut failure = None;
        let _ = graph.visit_initial(&mut scratch, &mut |_, _, state| {
            let clocks = self.copy_chain.clocks().to_vec();
            let arrived = match state {
                Ok(state) => clocks.into_iter().try_for_each(|clock| {
                    self.arrive(None, ValueCopy { clock, is_set: true }, state)
                }),
                Err(error) => Err(Unknown::of_error(error, Vec::new())),
            };
            failure = arrived.err().map(Halt::Unknown);
            as_flow(&failure)
        });
        let mut next = 0;
        while failure.is_none() && next < self.nodes.len() {
            if self.ledger.count_event() {
                ask(observer, &self.progress(next)).map_err(Unknown::from)?;
            }
            if !self.nodes[next].is_covered {
                self.ledger.statistics.explored += 1;
                let state = self.nodes[next].state.clone();
                let _ =
                    graph.visit_successors(&state, &mut scratch, &mut |step, transition, to| {
                        let arrived = match to {
                            Ok(to) => self.arrive_by(next, step, &transition.effects, to),
                            Err(error) => {
                                Err(Unknown::of_error(error, self.steps_by(next, step)).into())
                            }
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

    /// Adds the target of a transition with `effects`, once for each clock to watch.
    fn arrive_by(
        &mut self,
        node: usize,
        step: Step,
        effects: &[ClockEffect],
        state: &SymbolicState<Wide>,
    ) -> Result<(), Halt> {
        let watched = self.nodes[node].copy.clock;
        let copies = self.copy_chain.copies(effects, watched).map_err(Halt::Copied)?;
        for copy in copies {
            self.arrive(Some((node, step)), copy, state)?;
        }
        Ok(())
    }

    /// Adds the parts of a reached state.
    fn arrive(
        &mut self,
        arrival: Option<(usize, Step)>,
        copy: ValueCopy,
        state: &SymbolicState<Wide>,
    ) -> Result<(), Unknown> {
        self.ledger.statistics.generated += 1;
        let layout = self.layout(copy.clock, state);
        for zone in self.parts(&state.zone, &layout) {
            let mut part = state.clone();
            part.zone = zone;
            let mut pumping_loop = None;
            if let (Some(watched), false) = (layout.watched, copy.is_set) {
                pumping_loop = arrival.and_then(|(node, _)| self.nodes[node].pumping_loop);
                let before = self.loop_to(arrival, copy.clock, &part, &layout);
                if let Some(before) = before {
                    part.zone = without_upper_bounds(&part.zone, watched);
                    pumping_loop =
                        pumping_loop.or(Some(LoopEnds { before, after: self.nodes.len() }));
                }
            }
            let node = Node { arrival, copy, state: part, pumping_loop, is_covered: false };
            self.insert(node, &layout)?;
        }
        Ok(())
    }

    /// The parts of a zone that become nodes.
    fn parts(&self, zone: &Zone<Wide>, layout: &Layout) -> Vec<Zone<Wide>> {
        let is_split = self.unpinned.is_none()
            || (layout.is_supremum_open() && layout.is_beyond(zone, self.far));
        match layout.watched.filter(|_| is_split) {
            Some(watched) => regular_parts(zone.clone(), &layout.maxima, watched),
            // Without a row of its own, the value of a copied clock is never read.
            None if self.unpinned.is_none() => Vec::new(),
            None => vec![zone.clone()],
        }
    }

    fn insert(&mut self, new: Node, layout: &Layout) -> Result<(), Unknown> {
        let (arrival, state) = (new.arrival, &new.state);
        let Self { nodes, live, .. } = self;
        let is_pinned = self.unpinned.is_some();
        let covers = |larger: &Zone<Wide>, smaller: &Zone<Wide>| match is_pinned {
            true => smaller.included_in_alu(larger, &layout.lower, &layout.upper),
            false => larger.includes(smaller),
        };
        let peers = live.entry((new.copy.clock, state.key().into())).or_default();
        if peers.iter().any(|&node| covers(&nodes[node].state.zone, &state.zone)) {
            self.ledger.statistics.covered += 1;
            return Ok(());
        }
        peers.retain(|&node| {
            nodes[node].is_covered = covers(&state.zone, &nodes[node].state.zone);
            !nodes[node].is_covered
        });
        let node = nodes.len();
        peers.push(node);
        self.note(&new, layout, node)
            .map_err(|error| Unknown::of_error(error.into(), self.steps_to(arrival)))?;
        self.nodes.push(new);
        Ok(())
    }

    /// Records the values of the clock where the condition holds.
    fn note(
        &mut self,
        Node { state, pumping_loop, copy, .. }: &Node,
        layout: &Layout,
        node: usize,
    ) -> Result<(), zonaut_model::interpret::RunTimeError> {
        let is_queried = self.copy_chain.clocks().first() == Some(&copy.clock);
        let watched = layout.watched.filter(|_| is_queried);
        for disjunct in self.condition.disjuncts(state)? {
            let mut zone = state.zone.clone();
            let Some(watched) = watched.filter(|_| layout.constrain(&mut zone, &disjunct)) else {
                continue;
            };
            // The loosest bounds are the extreme ones. Of two paths to the same value, a direct one
            // is preferred. Layouts depend on the values.
            let layouts = &mut self.layouts;
            let mut keep = |best: &mut Option<Best>, bound| {
                let new = Best { bound, is_direct: pumping_loop.is_none(), node };
                if best.is_none_or(|best| (new.bound, new.is_direct) > (best.bound, best.is_direct))
                {
                    *best = Some(new);
                    layouts.clear();
                }
            };
            keep(&mut self.least, zone.bound(Row::ZERO, watched));
            keep(&mut self.greatest, zone.bound(watched, Row::ZERO));
        }
        Ok(())
    }

    /// The first node of a pumping loop that ends in `state`, if one exists.
    fn loop_to(
        &self,
        arrival: Option<(usize, Step)>,
        clock: ClockId,
        state: &SymbolicState<Wide>,
        layout: &Layout,
    ) -> Option<usize> {
        let (x, zone) = (layout.watched?, &state.zone);
        let is_above = |zone: &Zone<Wide>| is_above(zone, x, layout.maxima[x.index()]);
        let is_closed = self.unpinned.is_some() && !layout.is_supremum_open();
        if is_closed || !is_above(zone) || zone.bound(x, Row::ZERO).is_infinite() {
            return None;
        }
        #[cfg(feature = "faults")]
        if Fault::UnboundedAboveConstant.is_selected() {
            return arrival.map(|(node, _)| node);
        }
        let mut next = arrival;
        while let Some((node, _)) = next {
            let Node { arrival, state: ancestor, copy, .. } = &self.nodes[node];
            let is_same_place =
                copy.clock == clock && ancestor.key() == state.key() && is_above(&ancestor.zone);
            if is_same_place && pumps(&ancestor.zone, zone, x, &layout.maxima) {
                return Some(node);
            }
            let is_set = copy.is_set;
            #[cfg(feature = "faults")]
            let is_set = is_set && !Fault::PumpThroughSetting.is_selected();
            if is_set {
                return None;
            }
            next = *arrival;
        }
        None
    }

    fn layout(&mut self, clock: ClockId, state: &SymbolicState<Wide>) -> Rc<Layout> {
        let locations = &state.values[..self.graph.network().process_count()];
        let key = (clock, locations.to_vec());
        if let Some(layout) = self.layouts.get(&key) {
            return Rc::clone(layout);
        }
        let layout = Rc::new(self.layout_of(clock, state));
        self.layouts.insert(key, Rc::clone(&layout));
        layout
    }

    fn layout_of(&self, clock: ClockId, state: &SymbolicState<Wide>) -> Layout {
        let locations = &state.values[..self.graph.network().process_count()];
        let active = self.graph.active_clocks(state);
        let rows = active.rows().to_vec();
        let (mut lower, mut upper) = (active.lower().to_vec(), active.upper().to_vec());
        let mut watched = rows.binary_search(&row_of(clock)).ok();
        let mut maxima: Vec<i32> = lower.iter().zip(&upper).map(|(&l, &u)| l.max(u)).collect();
        if let Some(unpinned) = &self.unpinned {
            let pinned = self.graph.bounds().pinned_in(locations);
            watched = watched.filter(|_| pinned.is_some());
            if let (Some(x), Some(pinned)) = (watched, pinned) {
                let plain = ActiveClocks::new(unpinned, locations).bounds_of(clock);
                let pinned = pinned_for(pinned, self.least, self.greatest);
                lower[x] = plain.lower.max(pinned.lower);
                upper[x] = plain.upper.max(pinned.upper);
                maxima[x] = plain.lower.max(plain.upper);
            }
        }
        Layout { rows, maxima, lower, upper, watched: watched.map(Row::from_index) }
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

    /// The range found.
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
            pumping: None,
        };
        let pumping_loop = self.nodes[greatest.node].pumping_loop;
        Some(Range {
            least: extreme(value(lower, -lower.value()), least),
            greatest: Extreme {
                pumping: pumping_loop.and_then(|pumping_loop| self.pumping(pumping_loop)),
                ..extreme(value(upper, upper.value()), greatest)
            },
        })
    }

    /// A loop, by its steps and the valuations at its beginning. There, clocks above their
    /// constants are abstracted, and so are clocks that are reset before they are read.
    fn pumping(&self, LoopEnds { before, after }: LoopEnds) -> Option<PumpingLoop> {
        let depth = |node: usize| self.steps_to(self.nodes[node].arrival).len();
        let state = &self.nodes[before].state;
        let Layout { rows, maxima, watched, .. } =
            self.layout_of(self.nodes[before].copy.clock, state);
        let watched = watched?;
        let constant = |position: usize| Some(maxima[position]).filter(|&greatest| greatest >= 0);
        let abstracted = (1..rows.len()).filter(|&position| {
            position != watched.index()
                && is_above(&state.zone, Row::from_index(position), maxima[position])
        });
        let read = [watched.index()].into_iter().chain(abstracted);
        let read = read.map(|position| (rows[position], constant(position)));
        let all = self.graph.network().clock_count() as ClockRow;
        let unread = (1..=all).filter(|row| rows.binary_search(row).is_err());
        let above = read.chain(unread.map(|row| (row, None))).collect();
        let start = PumpingStart { above, rows, zone: state.zone.clone() };
        Some(PumpingLoop { round: depth(before)..depth(after), start })
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

fn as_flow(failure: &Option<Halt>) -> ControlFlow<()> {
    if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
