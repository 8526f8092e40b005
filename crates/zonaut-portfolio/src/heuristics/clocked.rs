//! Heuristics that depend on the least values of clocks.

use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockRow, row_of};
use zonaut_dbm::{Row, Width, Zone};
use zonaut_heuristics::{ClockClasses, DiscreteHeuristic};
use zonaut_model::Model;
use zonaut_pdb::Activity;
use zonaut_space::{Admissible, Arrival, CacheableHeuristic, Estimate, Heuristic};
use zonaut_zonegraph::{Step, SymbolicState};

/// A heuristic over the values of a state followed by the classes of its clocks, with working memory
/// of its own.
pub(super) struct Clocked<G> {
    heuristic: G,
    classes: ClockClasses,
    activity: Activity,
    rows: Vec<ClockRow>,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    mask: Vec<u64>,
    positions: Vec<Option<Row>>,
    /// The values of the state, then the classes of clocks.
    values: Vec<i32>,
}

impl<G: DiscreteHeuristic> Clocked<G> {
    /// The heuristic for states that are explored with these bounds.
    pub(super) fn new(
        heuristic: G,
        model: &Model,
        bounds: &BoundsTable,
        classes: ClockClasses,
    ) -> Self {
        let activity = Activity::new(model, bounds);
        let rows = classes.clocks().map(row_of).collect();
        Self { heuristic, classes, activity, rows, scratch: Scratch::default() }
    }

    /// Collects the values of a state and the classes of its clocks. A clock that is inactive in
    /// this state may have any value.
    fn collect<W: Width>(&mut self, state: &SymbolicState<W>) {
        let Scratch { mask, positions, values } = &mut self.scratch;
        values.clear();
        values.extend_from_slice(&state.values);
        self.activity.positions(&state.values, &self.rows, mask, positions);
        for (number, position) in positions.iter().enumerate() {
            let (least, is_exclusive) = position.map_or((0, false), |x| least(&state.zone, x));
            values.push(self.classes.class(number, least, is_exclusive));
        }
    }
}

/// The least value of a clock, and whether the bound is strict.
fn least<W: Width>(zone: &Zone<W>, clock: Row) -> (i64, bool) {
    let bound = zone.bound(Row::ZERO, clock);
    if bound.is_infinite() { (0, false) } else { (-bound.value(), bound.is_strict()) }
}

impl<G: Admissible> Admissible for Clocked<G> {}

impl<W: Width, G: DiscreteHeuristic> Heuristic<SymbolicState<W>, Step> for Clocked<G> {
    fn estimate(
        &mut self,
        state: &SymbolicState<W>,
        _arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
    ) -> Estimate<u32> {
        self.collect(state);
        self.heuristic.estimate(&self.scratch.values)
    }

    fn name(&self) -> &'static str {
        self.heuristic.name()
    }
}

impl<W: Width, G: DiscreteHeuristic> CacheableHeuristic<SymbolicState<W>, Step> for Clocked<G> {
    fn read(
        &mut self,
        state: &SymbolicState<W>,
        _arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
        into: &mut Vec<i32>,
    ) {
        self.collect(state);
        let values = &self.scratch.values;
        into.clear();
        into.extend(self.heuristic.reads().iter().map(|variable| values[variable.index()]));
    }
}
