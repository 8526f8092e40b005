//! LU bounds per location, by static guard analysis, and the active clocks.
//!
//! For a process in a location, the lower bound of a clock is the greatest constant that the clock
//! may be compared with from below (`x > c`, `x >= c`) before the process sets it again, and the
//! upper bound likewise for `x < c` and `x <= c`. A clock with neither bound is not active: no test
//! reads its present value, so it need not be part of a zone. Along an edge that does not set a
//! clock the bounds of the target flow to the source; along a copy `x := y` the bounds of `x` flow
//! to `y` (G. Behrmann, P. Bouyer, E. Fleury, K. G. Larsen: "Static guard analysis in timed
//! automata verification", DOI 10.1007/3-540-36577-X_18).
//!
//! The bounds of a location vector are the greatest of its processes' bounds. That is sound for
//! shared clocks too: a process that does not set a clock itself keeps its bounds, even if another
//! one sets it. A copy made by another process is the exception, so a copied clock takes the
//! greatest bounds that any process has anywhere for the copy.
//!
//! If the goal contains `deadlock`, or transitions have priorities, it also matters where guards
//! and invariants fail. Then they bound from both sides, so that valuations which the bounds do not
//! distinguish can do the same, in both directions
//! (`docs/decisions/0021-what-is-possible-is-subtracted.md`). For deadlocks that is necessary only in
//! locations of states in which some valuation is deadlocked: [`TwoSidedLocations`]
//! (`docs/decisions/0034-deadlock-bounds-where-deadlocks-are-possible.md`).
//!
//! A query about the values of a clock needs larger bounds of it wherever its present value may
//! still be the one that is asked for (`docs/decisions/0040-values-with-a-pinned-clock.md`).

mod clock_writes;
mod constants;
mod flow;
mod pinned;
#[cfg(test)]
mod tests;
mod two_sided;

pub use two_sided::TwoSidedLocations;

use clock_writes::{AllClockWrites, ClockCopy};
pub use constants::BoundedDifference;
use constants::{Constants, Seen};
use flow::{NEITHER, Pair, ProcessBounds, raise, sparse};
use pinned::PinnedClock;
use two_sided::TwoSidedTests;
use zonaut_base::{Id, IndexVec};
use zonaut_dbm::{ConstantBound, NO_BOUND};
use zonaut_model::{ClockId, Formula, LocationId, Model, Process, ProcessId};

/// The bounds of one clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockBounds {
    /// The clock.
    pub clock: ClockId,
    /// Its lower bound, or [`NO_BOUND`].
    pub lower: i32,
    /// Its upper bound, or [`NO_BOUND`].
    pub upper: i32,
}

impl ClockBounds {
    /// Whether a clock with these bounds is active: some test may still read it.
    #[must_use]
    #[inline]
    pub fn is_active(lower: i32, upper: i32) -> bool {
        lower != NO_BOUND || upper != NO_BOUND
    }
}

/// The bounds of every location, sparse: a clock without an entry is not active.
#[derive(Clone, Debug)]
pub struct BoundsTable {
    locations: IndexVec<ProcessId, IndexVec<LocationId, Box<[ClockBounds]>>>,
    everywhere: Box<[ClockBounds]>,
    pinned: Option<PinnedClock>,
    clocks: usize,
    greatest: i32,
    differences: Vec<BoundedDifference>,
    subtracts: bool,
}

impl BoundsTable {
    /// Analyses `model` for a search whose goal is `goal`.
    #[must_use]
    pub fn new(model: &Model, goal: &Formula) -> Self {
        let everywhere = goal.mentions_deadlock() || model.has_priorities();
        let locations =
            if everywhere { TwoSidedLocations::all() } else { TwoSidedLocations::none() };
        Self::analyse(model, goal, &locations)
    }

    /// The same where guards and invariants bound from both sides in these locations only, if that
    /// can be enough: not with priorities, clock differences or stopwatches.
    ///
    /// Sound for a goal that mentions `deadlock` if every reachable discrete state in which some
    /// valuation of its invariants is deadlocked has all of its locations among these.
    #[must_use]
    pub fn with_two_sided(
        model: &Model,
        goal: &Formula,
        locations: &TwoSidedLocations,
    ) -> Option<Self> {
        if model.has_priorities() || model.has_rates() {
            return None;
        }
        let table = Self::analyse(model, goal, locations);
        table.differences.is_empty().then_some(table)
    }

    /// The table for the states where `condition` holds and the values of a clock in them: the
    /// clock has at least the bounds `pinned` in every state from which such a state may be
    /// reachable without setting it.
    ///
    /// `None` if the clock is copied from another one, whose values would matter as well, or if the
    /// model has stopwatches.
    #[must_use]
    pub fn with_pinned(model: &Model, condition: &Formula, pinned: ClockBounds) -> Option<Self> {
        if model.has_rates() {
            return None;
        }
        let pinned = Some(PinnedClock::new(model, condition, pinned)?);
        Some(Self { pinned, ..Self::new(model, condition) })
    }

    /// The bounds of the pinned clock in a location vector; `None` if they do not apply there.
    #[must_use]
    #[inline]
    pub fn pinned_in(&self, locations: &[i32]) -> Option<ClockBounds> {
        self.pinned.as_ref().and_then(|pinned| pinned.bounds_in(locations))
    }

    /// The same table without a pinned clock; `None` if it has none.
    #[must_use]
    pub fn unpinned(&self) -> Option<Self> {
        self.pinned.is_some().then(|| Self { pinned: None, ..self.clone() })
    }

    /// The same table in which the pinned clock, if there is one, has the bounds that `change` returns
    /// for its present ones; it stays pinned in the same states.
    #[must_use]
    pub fn repinned(&self, change: impl FnOnce(ClockBounds) -> ClockBounds) -> Self {
        let mut table = self.clone();
        if let Some(pinned) = &mut table.pinned {
            pinned.bounds = change(pinned.bounds);
        }
        table
    }

    /// Whether clocks and their differences have the same bounds in `other`.
    #[must_use]
    pub fn bounds_as(&self, other: &Self) -> bool {
        self.locations == other.locations
            && self.everywhere == other.everywhere
            && self.pinned == other.pinned
            && self.differences == other.differences
    }

    fn analyse(model: &Model, goal: &Formula, two_sided: &TwoSidedLocations) -> Self {
        let writes = AllClockWrites::new(model);
        let mut copies: Vec<ClockCopy> = writes.copies().collect();
        copies.sort_unstable();
        copies.dedup();
        let mut constants = Constants::new(model, &copies);
        let mut of_goal = Vec::new();
        constants.of_goal(goal, &mut of_goal);
        let mut anywhere: IndexVec<ClockId, Pair> = model.clocks.iter().map(|_| NEITHER).collect();
        for b in &of_goal {
            raise(&mut anywhere[b.clock], (b.lower, b.upper));
        }
        let everywhere = {
            let clocks: Vec<ClockId> = model.clocks.ids().collect();
            let pairs: Vec<Pair> = anywhere.iter().copied().collect();
            sparse(&clocks, &pairs)
        };
        let tests = model.processes.iter_enumerated().map(|(process, definition)| {
            tests_of(model, definition, &two_sided.of_process(process, definition), &mut constants)
        });
        let tests: Vec<Vec<LocationTest>> = tests.collect();
        #[cfg(feature = "faults")]
        let (tests, unsettled) = without_flow(model, &mut constants, tests);
        let tables = settled(model, &writes, tests, &mut anywhere);
        #[cfg(feature = "faults")]
        let tables = raised(tables, unsettled);
        Self {
            subtracts: goal.mentions_deadlock() || model.has_priorities(),
            locations: tables.iter().map(ProcessBounds::sparse).collect(),
            everywhere,
            pinned: None,
            clocks: model.clocks.len(),
            greatest: constants.greatest(),
            differences: constants.into_differences(&copies),
        }
    }

    /// The bounds of a location of a process.
    #[must_use]
    #[inline]
    pub fn of(&self, process: ProcessId, location: LocationId) -> &[ClockBounds] {
        &self.locations[process][location]
    }

    /// The bounds of each location of a process.
    pub fn of_locations(&self, process: ProcessId) -> impl Iterator<Item = &[ClockBounds]> {
        self.locations[process].iter().map(|bounds| &**bounds)
    }

    /// Bounds that hold in every state: those of the goal.
    #[must_use]
    #[inline]
    pub fn everywhere(&self) -> &[ClockBounds] {
        &self.everywhere
    }

    /// The greatest magnitude of all constants that clocks are compared with or set to, and of
    /// those that differences of clocks lead to.
    #[must_use]
    pub fn greatest(&self) -> i32 {
        let lists = self.locations.iter().flatten().chain([&self.everywhere]);
        let bounds = lists.flat_map(|list| list.iter().map(|b| b.lower.max(b.upper)));
        bounds.max().unwrap_or(NO_BOUND).max(self.greatest)
    }

    /// The greatest magnitude of all constants that clocks are compared with or set to.
    #[must_use]
    pub fn greatest_constant(&self) -> i32 {
        self.greatest
    }

    /// The table with every entry changed by `change`, which also gets the location, or `None` for
    /// the bounds that hold everywhere.
    ///
    /// A clock stays active while one of its bounds differs from [`NO_BOUND`]; a negative bound has
    /// no effect. For tests of incorrect bounds.
    #[must_use]
    pub fn mapped(
        &self,
        mut change: impl FnMut(Option<(ProcessId, LocationId)>, ClockBounds) -> ClockBounds,
    ) -> Self {
        let mut table = self.clone();
        for (process, locations) in self.locations.iter_enumerated() {
            for (location, bounds) in locations.iter_enumerated() {
                let at = Some((process, location));
                table.locations[process][location] =
                    bounds.iter().map(|&b| change(at, b)).collect();
            }
        }
        table.everywhere = self.everywhere.iter().map(|&b| change(None, b)).collect();
        table
    }

    /// Whether a search with this table subtracts zones, to find deadlocks or to respect priorities.
    #[must_use]
    pub fn subtracts_zones(&self) -> bool {
        self.subtracts
    }

    /// The table with one more clock, the last one, which is active everywhere and has the bounds
    /// `bound`; with `ALWAYS_EXACT` its values are never abstracted.
    #[must_use]
    pub fn with_clock(mut self, bound: i32) -> Self {
        let clock = ClockId::from_index(self.clocks);
        let bounded = ClockBounds { clock, lower: bound, upper: bound };
        self.everywhere = self.everywhere.iter().copied().chain([bounded]).collect();
        self.clocks += 1;
        self
    }

    /// The table for clocks that run `factor` times as fast, so that all constants are multiplied
    /// by it; `None` if a constant leaves the range of bounds.
    #[must_use]
    pub fn scaled(&self, factor: i32) -> Option<Self> {
        let greatest = self.greatest().max(self.greatest).checked_mul(factor)?;
        let scale = |bound: i32| if bound < 0 { bound } else { bound * factor };
        let scaled = |b: ClockBounds| ClockBounds {
            clock: b.clock,
            lower: scale(b.lower),
            upper: scale(b.upper),
        };
        let difference = |d: &BoundedDifference| BoundedDifference {
            low: d.low * factor,
            high: d.high * factor,
            ..*d
        };
        (greatest <= ConstantBound::MAX).then(|| Self {
            greatest: self.greatest * factor,
            differences: self.differences.iter().map(difference).collect(),
            ..self.mapped(|_, bounds| scaled(bounds))
        })
    }

    /// The number of clocks of the network.
    #[must_use]
    pub fn clock_count(&self) -> usize {
        self.clocks
    }

    /// The clock differences that model and goal compare with constants.
    #[must_use]
    pub fn differences(&self) -> &[BoundedDifference] {
        &self.differences
    }
}

/// The bounds of all processes at the fixpoint. `anywhere` initially has the bounds of the goal,
/// and finally the greatest ones of every clock.
fn settled(
    model: &Model,
    writes: &AllClockWrites,
    tests: Vec<Vec<LocationTest>>,
    anywhere: &mut IndexVec<ClockId, Pair>,
) -> IndexVec<ProcessId, ProcessBounds> {
    let mut tables = IndexVec::new();
    for ((process, definition), tests) in model.processes.iter_enumerated().zip(tests) {
        let copied = writes.edges[process].iter().flat_map(|writes| &writes.copies);
        let copied = copied.chain(&writes.hooks).map(|&(_, source)| source);
        let columns = tests.iter().map(|test| test.bounds.clock).chain(copied).collect();
        let mut table = ProcessBounds::new(definition, columns);
        tests.into_iter().for_each(|test| table.raise(test.location, test.bounds));
        tables.push(table);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (process, definition) in model.processes.iter_enumerated() {
            let table: &mut ProcessBounds = &mut tables[process];
            for (edge, own) in definition.edges.iter().zip(&writes.edges[process]) {
                for &(target, source) in own.copies.iter().chain(&writes.hooks) {
                    let (lower, upper) = anywhere[target];
                    table.raise(edge.source, ClockBounds { clock: source, lower, upper });
                }
            }
            if table.settle(definition, &writes.edges[process]) {
                table.for_each(|clock, pair| changed |= raise(&mut anywhere[clock], pair));
            }
        }
    }
    tables
}

/// The tests that flow backwards, and those that do not, under the selected fault.
#[cfg(feature = "faults")]
fn without_flow(
    model: &Model,
    constants: &mut Constants<'_>,
    tests: Vec<Vec<LocationTest>>,
) -> (Vec<Vec<LocationTest>>, Vec<Vec<LocationTest>>) {
    if !crate::faults::Fault::TwoSidedWithoutFlow.is_selected() {
        return (tests, Vec::new());
    }
    let none = TwoSidedLocations::none();
    let one_sided = model.processes.iter_enumerated().map(|(process, definition)| {
        tests_of(model, definition, &none.of_process(process, definition), constants)
    });
    (one_sided.collect(), tests)
}

/// The bounds of all processes with those of `tests` where they are tested, and not before.
#[cfg(feature = "faults")]
fn raised(
    mut tables: IndexVec<ProcessId, ProcessBounds>,
    tests: Vec<Vec<LocationTest>>,
) -> IndexVec<ProcessId, ProcessBounds> {
    for (table, tests) in tables.iter_mut().zip(tests) {
        tests.into_iter().for_each(|test| table.raise(test.location, test.bounds));
    }
    tables
}

/// The bounds that a guard or an invariant gives to a clock, and the location where it is tested.
struct LocationTest {
    location: LocationId,
    bounds: ClockBounds,
}

/// The bounds that guards and invariants of one process give to clocks.
fn tests_of(
    model: &Model,
    process: &Process,
    two_sided: &TwoSidedTests,
    constants: &mut Constants<'_>,
) -> Vec<LocationTest> {
    let (mut tests, mut found) = (Vec::new(), Vec::new());
    for (location, definition) in process.locations.iter_enumerated() {
        let seen = Seen::Positive.or_both(two_sided.invariants[location]);
        for constraint in &definition.invariant.clocks {
            constants.of_constraint(constraint, seen, &mut found);
        }
        tests.extend(found.drain(..).map(|bounds| LocationTest { location, bounds }));
    }
    for edge in &process.edges {
        let seen = Seen::of_guard(model, edge).or_both(two_sided.guards[edge.source]);
        for constraint in &edge.guard.clocks {
            constants.of_constraint(constraint, seen, &mut found);
        }
        let location = edge.source;
        tests.extend(found.drain(..).map(|bounds| LocationTest { location, bounds }));
    }
    tests
}
