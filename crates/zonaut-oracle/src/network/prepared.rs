//! The model, prepared for many evaluations: edges by location, constants precomputed.

use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    ClockConstraint, ClockId, Condition, EdgeId, Expression, ExpressionId, LocationId, Model,
    Place, ProcessId, Relation,
};

/// A clock of a constraint.
#[derive(Clone, Copy, Debug)]
pub(super) enum ClockRef<'m> {
    /// Fixed.
    Fixed(ClockId),
    /// Selected by indices.
    Computed(&'m Place<ClockId>),
}

/// A bound of a constraint.
#[derive(Clone, Copy, Debug)]
pub(super) enum BoundRef {
    /// A number.
    Constant(i32),
    /// An expression over data.
    Computed(ExpressionId),
}

/// A clock constraint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom<'m> {
    pub(super) condition: Option<ExpressionId>,
    pub(super) left: ClockRef<'m>,
    pub(super) right: Option<ClockRef<'m>>,
    pub(super) relation: Relation,
    pub(super) bound: BoundRef,
    /// The expression to report for an index out of range.
    pub(super) at: ExpressionId,
}

impl<'m> Atom<'m> {
    pub(super) fn new(model: &'m Model, constraint: &'m ClockConstraint) -> Self {
        let clock = |place: &'m Place<ClockId>| {
            if place.is_fixed() { ClockRef::Fixed(place.root) } else { ClockRef::Computed(place) }
        };
        let bound = match model.expressions[constraint.bound] {
            Expression::Constant(value) => BoundRef::Constant(value),
            _ => BoundRef::Computed(constraint.bound),
        };
        Self {
            condition: constraint.condition,
            left: clock(&constraint.left),
            right: constraint.right.as_ref().map(clock),
            relation: constraint.relation,
            bound,
            at: constraint.bound,
        }
    }
}

/// A guard or an invariant.
#[derive(Clone, Debug)]
pub(super) struct Test<'m> {
    pub(super) data: Option<ExpressionId>,
    pub(super) atoms: Vec<Atom<'m>>,
}

impl<'m> Test<'m> {
    fn new(model: &'m Model, condition: &'m Condition) -> Self {
        let atoms = condition.clocks.iter().map(|atom| Atom::new(model, atom)).collect();
        Self { data: condition.data, atoms }
    }
}

/// The edges and invariants of one process.
#[derive(Clone, Debug)]
pub(super) struct PreparedProcess<'m> {
    /// The edges that leave each location.
    pub(super) leaving: IndexVec<LocationId, Vec<EdgeId>>,
    /// The guard of each edge.
    pub(super) guards: IndexVec<EdgeId, Test<'m>>,
    /// The invariant of each location.
    pub(super) invariants: IndexVec<LocationId, Test<'m>>,
}

/// All processes.
pub(super) type Prepared<'m> = IndexVec<ProcessId, PreparedProcess<'m>>;

/// Prepares a model.
pub(super) fn prepare(model: &Model) -> Prepared<'_> {
    let processes = model.processes.iter().map(|process| {
        let mut leaving: IndexVec<LocationId, Vec<EdgeId>> =
            process.locations.ids().map(|_| Vec::new()).collect();
        for (id, edge) in process.edges.iter_enumerated() {
            leaving[edge.source].push(id);
        }
        PreparedProcess {
            leaving,
            guards: process.edges.iter().map(|edge| Test::new(model, &edge.guard)).collect(),
            invariants: (process.locations.iter())
                .map(|location| Test::new(model, &location.invariant))
                .collect(),
        }
    });
    processes.collect()
}

/// The location of a process in a location vector.
pub(super) fn location_of(locations: &[LocationId], process: ProcessId) -> LocationId {
    locations[process.index()]
}
