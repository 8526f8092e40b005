//! The values that cells and expressions can have in any run of a network.
//!
//! One interval for every cell: it contains the initial value and every value that some transition
//! writes, in any order of transitions. All updates are walked until a fixpoint is reached; cells
//! that keep growing get their declared range. A bound `x <= delay` on a plain `int` is thus known
//! to be at most the largest delay that the model ever sets, not 32767, which determines the number
//! of zones.
//!
//! Every expression has the union of its values in all these walks: a function that is called with
//! small numbers in one place and large ones in another has both.

use crate::arithmetic::numbers;
use crate::interval::{Contents, Declared, Intervals};
use crate::overlay::Overlay;
use crate::symbols::IdSet;
use crate::walk::Walk;
use std::mem::take;
use zonaut_base::IndexVec;
use zonaut_model::interval::{Interval, hull, only};
use zonaut_model::{
    CellId, Condition, Edge, ExpressionId, Location, Model, QueryKind, Range, Storage,
};

/// Number of rounds after which cells that still grow get their declared range.
const ROUNDS: u32 = 12;
/// Number of rounds of loops that are unrolled.
const UNROLLING: u32 = 64;
/// Number of expressions of an update that are walked.
const PATIENCE: u64 = 1 << 13;

/// The reachable values of a network.
#[derive(Clone, Debug)]
pub struct Reachable<'m> {
    model: &'m Model,
    cells: IndexVec<CellId, Interval>,
    expressions: IndexVec<ExpressionId, Option<Interval>>,
}

impl<'m> Reachable<'m> {
    /// Analyses `model`.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        let cells = model.cells.iter().map(|cell| only(cell.initial)).collect();
        let mut walk = walk(model, cells);
        stabilise(&mut walk);
        walk.domain.contents.evaluated = model.expressions.iter().map(|_| None).collect();
        for step in steps(model) {
            walk.restart(Overlay::default());
            step.go(&mut walk);
        }
        walk.restart(Overlay::default());
        evaluate_the_rest(&mut walk);
        let RecordedValues { cells, evaluated, .. } = walk.domain.contents;
        Self { model, cells, expressions: evaluated }
    }

    /// The values that a cell can have.
    #[must_use]
    pub fn cell(&self, cell: CellId) -> Interval {
        self.cells[cell]
    }

    /// The values that an expression can have without a run-time error, if it is evaluated in the
    /// network, otherwise in any reachable state. Only 0 if it has none.
    #[must_use]
    pub fn expression(&self, id: ExpressionId) -> Range {
        let values = self.expressions[id]
            .or_else(|| walk(self.model, self.cells.clone()).evaluate(id))
            .unwrap_or((0, 0));
        let numbers = numbers(values);
        Range { low: *numbers.start(), high: *numbers.end() }
    }
}

/// Walks the updates until no cell grows.
fn stabilise(walk: &mut Walker<'_>) {
    let model = walk.model();
    let mut steps = steps(model);
    let mut changed: IdSet<CellId> = model.cells.ids().collect();
    for round in 0.. {
        if changed.is_empty() {
            break;
        }
        let before = take(&mut changed);
        for step in &mut steps {
            if round > 0 && !step.reads.meets(&before) {
                continue;
            }
            walk.restart(Overlay::default());
            let is_done = step.go(walk).is_some();
            step.reads = take(&mut walk.domain.contents.read);
            if !is_done {
                continue;
            }
            for (address, &values) in walk.memory.iter() {
                if let Storage::Cell(cell) = address
                    && walk.domain.contents.grow(cell, values, round >= ROUNDS)
                {
                    changed.insert(cell);
                }
            }
        }
    }
}

/// The reachable values found so far, and the recorded values of expressions.
struct RecordedValues<'m> {
    declared: Declared<'m>,
    cells: IndexVec<CellId, Interval>,
    read: IdSet<CellId>,
    /// By expression, its values, if they are recorded.
    evaluated: IndexVec<ExpressionId, Option<Interval>>,
}

impl RecordedValues<'_> {
    /// Adds values to a cell; returns whether there are new ones.
    fn grow(&mut self, cell: CellId, values: Interval, widen: bool) -> bool {
        let known = self.cells[cell];
        let both = hull(known, values);
        if both == known {
            return false;
        }
        let declared = self.declared.of(Storage::Cell(cell));
        self.cells[cell] = if widen { hull(both, declared) } else { both };
        true
    }
}

impl Contents for RecordedValues<'_> {
    fn of(&mut self, address: Storage) -> Interval {
        match address {
            Storage::Cell(cell) => {
                self.read.insert(cell);
                self.cells[cell]
            }
            _ => self.declared.of(address),
        }
    }

    fn evaluated(&mut self, expression: ExpressionId, value: Interval) {
        if !self.evaluated.is_empty() {
            let known = &mut self.evaluated[expression];
            *known = Some(known.map_or(value, |known| hull(known, value)));
        }
    }
}

type Walker<'m> = Walk<'m, Intervals<'m, RecordedValues<'m>>>;

fn walk(model: &Model, cells: IndexVec<CellId, Interval>) -> Walker<'_> {
    let (declared, evaluated) = (Declared(model), IndexVec::new());
    let contents = RecordedValues { declared, cells, read: IdSet::default(), evaluated };
    let domain = Intervals::new(model, contents).with_unrolling(UNROLLING);
    let domain = domain.with_patience(PATIENCE);
    Walk::new(model, domain, Overlay::default())
}

/// A sequence of updates that changes cells.
struct Step<'m> {
    edge: Option<&'m Edge>,
    updates: &'m [ExpressionId],
    reads: IdSet<CellId>,
}

fn steps(model: &Model) -> Vec<Step<'_>> {
    let step = |edge, updates| Step { edge, updates, reads: IdSet::default() };
    let edges = model.processes.iter().flat_map(|process| &process.edges);
    let hooks = [step(None, &*model.before_update), step(None, &*model.after_update)];
    edges.map(|edge| step(Some(edge), &*edge.updates)).chain(hooks).collect()
}

impl Step<'_> {
    /// Walks the step; `None` if it is never completed.
    fn go(&self, walk: &mut Walker<'_>) -> Option<()> {
        if let Some(edge) = self.edge {
            walk.select(&edge.select)?;
            if !walk.condition(&edge.guard)?.may_hold() {
                return None;
            }
            if let Some(synchronisation) = &edge.synchronisation {
                walk.channel(synchronisation)?;
            }
        }
        walk.update(self.updates)
    }
}

/// Evaluates the expressions that change no cell.
fn evaluate_the_rest(walk: &mut Walker<'_>) {
    let model = walk.model();
    let locations = model.processes.iter().flat_map(|process| &process.locations);
    for Location { invariant, rates, cost_rate, .. } in locations {
        walk.condition(invariant);
        for rate in rates {
            let condition = Condition { data: rate.condition, clocks: Vec::new() };
            walk.condition(&condition);
            walk.displacements(&rate.clock.indices);
            walk.evaluate(rate.rate);
        }
        cost_rate.map(|rate| walk.evaluate(rate));
    }
    for query in &model.queries {
        if let QueryKind::Possibly(formula) | QueryKind::Always(formula) = &query.kind {
            walk.formula(formula);
        }
    }
}
