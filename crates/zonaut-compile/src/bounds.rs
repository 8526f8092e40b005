//! Lower and upper bounds per location, by static guard analysis, and the clocks that matter.
//!
//! For a process in a location, the lower bound of a clock is the greatest constant that the clock
//! may be compared with from below (`x > c`, `x >= c`) before the process sets it again, and the
//! upper bound likewise for `x < c` and `x <= c`. A clock with neither bound is not active: no test
//! sees its present value, so it need not be part of a zone. Along an edge that does not set a
//! clock the bounds of the target flow to the source; along a copy `x := y` the bounds of `x` flow
//! to `y` (G. Behrmann, P. Bouyer, E. Fleury, K. G. Larsen: "Static guard analysis in timed
//! automata verification", DOI 10.1007/3-540-36577-X_18).
//!
//! The bounds of a location vector are the greatest of its processes' bounds. That is sound for
//! shared clocks too: a process that does not set a clock itself keeps its bounds, whoever else
//! sets it. A copy made by another process is the exception, so a copied clock takes the greatest
//! bounds that any process has anywhere for the copy.

use crate::interval::Intervals;
use zonaut_base::{Id, IndexVec};
use zonaut_dbm::{Bound, NO_BOUND};
use zonaut_model::{
    ClockConstraint, ClockId, Direction, Edge, Expression, ExpressionId, Formula, LocationId,
    Model, Place, ProcessId, Relation, Statement,
};

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

/// The bounds of every location, sparse: a clock that is missing is not active.
#[derive(Clone, Debug)]
pub struct BoundsTable {
    locations: IndexVec<ProcessId, IndexVec<LocationId, Box<[ClockBounds]>>>,
    everywhere: Box<[ClockBounds]>,
    clocks: usize,
    differences: Vec<(ClockId, ClockId, Option<Bound>)>,
}

/// A dense table of bounds for one process, or for all.
#[derive(Clone)]
struct Dense {
    lower: Vec<i32>,
    upper: Vec<i32>,
}

impl Dense {
    fn new(clocks: usize) -> Self {
        Self { lower: vec![NO_BOUND; clocks], upper: vec![NO_BOUND; clocks] }
    }

    /// Raises the bounds of `clock`; whether that changed anything.
    fn raise(&mut self, clock: usize, lower: i32, upper: i32) -> bool {
        let changed = lower > self.lower[clock] || upper > self.upper[clock];
        self.lower[clock] = self.lower[clock].max(lower);
        self.upper[clock] = self.upper[clock].max(upper);
        changed
    }

    fn sparse(&self) -> Box<[ClockBounds]> {
        let bounds = |(k, (&lower, &upper))| ClockBounds { clock: Id::from_index(k), lower, upper };
        let active = |b: &ClockBounds| b.lower != NO_BOUND || b.upper != NO_BOUND;
        self.lower.iter().zip(&self.upper).enumerate().map(bounds).filter(active).collect()
    }
}

impl BoundsTable {
    /// Analyses `model` for a search whose goal is `goal`.
    #[must_use]
    pub fn new(model: &Model, goal: &Formula) -> Self {
        let mut analysis = Analysis::new(model);
        analysis.goal(goal, true);
        analysis.collect();
        analysis.propagate();
        analysis.finish()
    }

    /// The bounds of a location of a process.
    #[must_use]
    #[inline]
    pub fn of(&self, process: ProcessId, location: LocationId) -> &[ClockBounds] {
        &self.locations[process][location]
    }

    /// Bounds that hold in every state: those of the goal.
    #[must_use]
    #[inline]
    pub fn everywhere(&self) -> &[ClockBounds] {
        &self.everywhere
    }

    /// The greatest bound of any clock anywhere.
    #[must_use]
    pub fn greatest(&self) -> i32 {
        let lists = self.locations.iter().flatten().chain([&self.everywhere]);
        let bounds = lists.flat_map(|list| list.iter().map(|b| b.lower.max(b.upper)));
        bounds.max().unwrap_or(NO_BOUND)
    }

    /// The number of clocks of the network.
    #[must_use]
    pub fn clock_count(&self) -> usize {
        self.clocks
    }

    /// The bounded clock differences of model and goal, `x - y` within a bound; without bound
    /// where it is computed at run time.
    #[must_use]
    pub fn differences(&self) -> &[(ClockId, ClockId, Option<Bound>)] {
        &self.differences
    }
}

/// What an edge does to clocks for certain, and what it may copy.
#[derive(Default)]
struct ClockWrites {
    /// Clocks that are set on every way through the updates, whatever they held before.
    killed: Vec<ClockId>,
    /// Copies `(target, source)` that may happen.
    copies: Vec<(ClockId, ClockId)>,
}

struct Analysis<'m> {
    model: &'m Model,
    intervals: Intervals<'m>,
    dense: IndexVec<ProcessId, IndexVec<LocationId, Dense>>,
    everywhere: Dense,
    differences: Vec<(ClockId, ClockId, Option<Bound>)>,
    tested: Vec<bool>,
}

impl<'m> Analysis<'m> {
    fn new(model: &'m Model) -> Self {
        let clocks = model.clocks.len();
        let table = |process: &zonaut_model::Process| {
            process.locations.iter().map(|_| Dense::new(clocks)).collect()
        };
        Self {
            model,
            intervals: Intervals::new(model),
            dense: model.processes.iter().map(table).collect(),
            everywhere: Dense::new(clocks),
            differences: Vec::new(),
            tested: vec![false; clocks],
        }
    }

    /// Adds the constants of the goal, whose constraints are seen positively or negated.
    fn goal(&mut self, goal: &Formula, positive: bool) {
        match goal {
            Formula::Data(_) | Formula::Deadlock => {}
            Formula::Not(inner) => self.goal(inner, !positive),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.goal(part, positive));
            }
            Formula::Clock(constraint) => {
                let mut everywhere = self.everywhere.clone();
                self.constraint(constraint, Seen::of(positive), &mut everywhere);
                self.everywhere = everywhere;
            }
        }
    }

    /// Adds the constants of guards and invariants.
    fn collect(&mut self) {
        let model = self.model;
        let mut dense = std::mem::take(&mut self.dense);
        for (process, definition) in model.processes.iter_enumerated() {
            for (location, at) in definition.locations.iter_enumerated() {
                for constraint in &at.invariant.clocks {
                    self.constraint(constraint, Seen::Positive, &mut dense[process][location]);
                }
            }
            for edge in &definition.edges {
                let seen = self.how_guard_is_seen(edge);
                for constraint in &edge.guard.clocks {
                    self.constraint(constraint, seen, &mut dense[process][edge.source]);
                }
            }
        }
        self.dense = dense;
    }

    /// A receiver of a broadcast stays out only where its guard fails, and time stops where the
    /// guard of an urgent synchronisation begins to hold: there the negation is tested too.
    fn how_guard_is_seen(&self, edge: &Edge) -> Seen {
        let Some(sync) = &edge.synchronisation else { return Seen::Positive };
        let first = sync.channel.root.index();
        let mut channels = (first..=first + sync.channel.extent())
            .map(|k| &self.model.channels[Id::from_index(k)]);
        let receives = sync.direction == Direction::Receive;
        let negated = channels.any(|channel| channel.urgent || (channel.broadcast && receives));
        if negated { Seen::Both } else { Seen::Positive }
    }

    fn constraint(&mut self, constraint: &ClockConstraint, seen: Seen, into: &mut Dense) {
        let (low, high) = self.intervals.of(constraint.bound);
        let most = low.unsigned_abs().max(high.unsigned_abs());
        let most = most.min(Bound::MAX_CONSTANT.unsigned_abs()) as i32;
        if let Some(right) = &constraint.right {
            self.difference(constraint, right, (low, high), most, into);
            return;
        }
        let high = high.min(Bound::MAX_CONSTANT);
        let from_below = matches!(
            constraint.relation,
            Relation::Equal | Relation::GreaterEqual | Relation::Greater
        );
        let from_above =
            matches!(constraint.relation, Relation::Equal | Relation::LessEqual | Relation::Less);
        let both = seen == Seen::Both;
        let negative = seen == Seen::Negative;
        let lower = both || (if negative { from_above } else { from_below });
        let upper = both || (if negative { from_below } else { from_above });
        // A clock is never negative, so a negative constant distinguishes nothing; the clock is
        // still read, and has to be there.
        let value = high.max(0);
        let bound = |applies| if applies { value } else { NO_BOUND };
        for clock in targets(&constraint.left) {
            self.tested[clock.index()] = true;
            into.raise(clock.index(), bound(lower), bound(upper));
        }
    }

    /// A clock difference: both clocks are kept with their greatest constants, and the difference
    /// is recorded so that zones are split on it.
    fn difference(
        &mut self,
        constraint: &ClockConstraint,
        right: &Place<ClockId>,
        (low, high): (i32, i32),
        most: i32,
        into: &mut Dense,
    ) {
        for x in targets(&constraint.left) {
            for y in targets(right) {
                let fixed = |bound: fn(i32) -> Bound, v| (low == high).then(|| bound(v));
                let upper = matches!(
                    constraint.relation,
                    Relation::Equal | Relation::LessEqual | Relation::Greater
                );
                let bounds = match constraint.relation {
                    Relation::Equal => [Some(fixed(Bound::le, high)), Some(fixed(Bound::lt, high))],
                    _ if upper => [Some(fixed(Bound::le, high)), None],
                    _ => [Some(fixed(Bound::lt, high)), None],
                };
                for bound in bounds.into_iter().flatten() {
                    if !self.differences.contains(&(x, y, bound)) {
                        self.differences.push((x, y, bound));
                    }
                }
                for clock in [x, y] {
                    self.tested[clock.index()] = true;
                    into.raise(clock.index(), most, most);
                }
            }
        }
    }

    /// Lets bounds flow against the edges until nothing changes.
    fn propagate(&mut self) {
        let model = self.model;
        let writes: IndexVec<ProcessId, Vec<ClockWrites>> = model
            .processes
            .iter()
            .map(|process| process.edges.iter().map(|edge| clock_writes(model, edge)).collect())
            .collect();
        let copied = self.copied_by_hooks();
        let tested: Vec<usize> = (0..model.clocks.len()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            let anywhere = self.greatest();
            for (process, definition) in model.processes.iter_enumerated() {
                for (edge, writes) in definition.edges.iter().zip(&writes[process]) {
                    let target = self.dense[process][edge.target].clone();
                    let source = &mut self.dense[process][edge.source];
                    for &clock in &tested {
                        if !writes.killed.contains(&ClockId::from_index(clock)) {
                            changed |=
                                source.raise(clock, target.lower[clock], target.upper[clock]);
                        }
                    }
                    for &(x, y) in writes.copies.iter().chain(&copied) {
                        let (lower, upper) = (anywhere.lower[x.index()], anywhere.upper[x.index()]);
                        changed |= source.raise(y.index(), lower, upper);
                    }
                }
            }
        }
    }

    /// Copies in the updates that frame every transition.
    fn copied_by_hooks(&self) -> Vec<(ClockId, ClockId)> {
        let mut writes = ClockWrites::default();
        for &update in self.model.before_update.iter().chain(&self.model.after_update) {
            collect_copies(self.model, update, &mut writes.copies);
        }
        writes.copies
    }

    /// The greatest bounds of every clock in any location and in the goal.
    fn greatest(&self) -> Dense {
        let mut all = self.everywhere.clone();
        for location in self.dense.iter().flatten() {
            for clock in 0..self.model.clocks.len() {
                all.raise(clock, location.lower[clock], location.upper[clock]);
            }
        }
        all
    }

    fn finish(self) -> BoundsTable {
        let table = |process: &IndexVec<LocationId, Dense>| {
            process.iter().map(Dense::sparse).collect::<IndexVec<_, _>>()
        };
        BoundsTable {
            locations: self.dense.iter().map(table).collect(),
            everywhere: self.everywhere.sparse(),
            clocks: self.model.clocks.len(),
            differences: self.differences,
        }
    }
}

/// Whether a constraint is tested as it stands, negated, or both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Positive,
    Negative,
    Both,
}

impl Seen {
    fn of(positive: bool) -> Self {
        if positive { Self::Positive } else { Self::Negative }
    }
}

/// The clocks that a place can stand for.
fn targets(place: &Place<ClockId>) -> impl Iterator<Item = ClockId> + use<> {
    let first = place.root.index();
    (first..=first + place.extent()).map(ClockId::from_index)
}

fn clock_writes(model: &Model, edge: &Edge) -> ClockWrites {
    let mut writes = ClockWrites::default();
    for &update in &edge.updates {
        match &model.expressions[update] {
            Expression::AssignClock(place, _) if place.is_fixed() => writes.killed.push(place.root),
            // After a copy the target no longer holds its old value, but what was copied may have
            // been set by this very edge: the source keeps its bounds either way.
            Expression::CopyClock(target, source) => {
                copies(target, source, &mut writes.copies);
                if target.is_fixed() && target.root != source.root {
                    writes.killed.push(target.root);
                }
            }
            _ => collect_copies(model, update, &mut writes.copies),
        }
    }
    // A clock that is copied from after being killed, or killed after being copied from, is
    // handled conservatively by the copies; a clock that is killed first and then only copied to
    // is still killed.
    writes
}

fn copies(target: &Place<ClockId>, source: &Place<ClockId>, into: &mut Vec<(ClockId, ClockId)>) {
    for x in targets(target) {
        into.extend(targets(source).filter(|&y| x != y).map(|y| (x, y)));
    }
}

/// Every copy that evaluating `id` may make, in functions too.
fn collect_copies(model: &Model, id: ExpressionId, into: &mut Vec<(ClockId, ClockId)>) {
    match &model.expressions[id] {
        Expression::CopyClock(target, source) => copies(target, source, into),
        Expression::Call(function, _) => {
            for_each_statement_expression(&model.functions[*function].body, &mut |inner| {
                collect_copies(model, inner, into);
            });
        }
        Expression::Sequence(parts) => {
            parts.iter().for_each(|&part| collect_copies(model, part, into));
        }
        Expression::Conditional(_, yes, no) => {
            collect_copies(model, *yes, into);
            collect_copies(model, *no, into);
        }
        _ => {}
    }
}

fn for_each_statement_expression(body: &[Statement], visit: &mut impl FnMut(ExpressionId)) {
    for statement in body {
        match statement {
            Statement::Expression(id) => visit(*id),
            Statement::If(_, yes, no) => {
                for_each_statement_expression(yes, visit);
                for_each_statement_expression(no, visit);
            }
            Statement::While(_, body)
            | Statement::DoWhile(body, _)
            | Statement::Iterate { body, .. } => for_each_statement_expression(body, visit),
            Statement::Return(Some(id)) => visit(*id),
            Statement::Return(None) | Statement::ReturnContent { .. } | Statement::Assert(_) => {}
        }
    }
}
