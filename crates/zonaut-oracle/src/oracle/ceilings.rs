//! The largest constant that each clock is compared with.

use super::explore::Learnt;
use super::scope::formulas;
use std::cell::Cell;
use zonaut_base::Id;
use zonaut_model::{ClockConstraint, ClockId, Expression, Model, QueryKind};

/// The largest constant that the oracles support. A model with larger constants has too many
/// states, unless time hardly passes in it.
pub(super) const ROOM: i32 = 1 << 24;

/// The ceiling of each clock: above it, the exact value does not matter.
///
/// Ceilings are learnt. They start with the constants that occur in the model; every comparison and
/// every copy is observed, and if one needs a larger ceiling, the exploration is repeated with
/// larger ones. The last exploration needed none, so it is exact, whatever functions and variables
/// the bounds are computed from.
#[derive(Clone, Debug)]
pub(super) struct Ceilings {
    known: Vec<i32>,
    wanted: Vec<Cell<i32>>,
}

impl Ceilings {
    /// The constants in guards, invariants and query.
    pub(super) fn new(model: &Model, query: &QueryKind) -> Self {
        let mut known = vec![0; model.clocks.len()];
        let mut note = |constraint: &ClockConstraint| {
            let Expression::Constant(bound) = model.expressions[constraint.bound] else { return };
            for place in std::iter::once(&constraint.left).chain(&constraint.right) {
                if let Some(ceiling) = known.get_mut(place.root.index()) {
                    *ceiling =
                        bound.unsigned_abs().min(i32::MAX as u32).max(*ceiling as u32) as i32;
                }
            }
        };
        for process in &model.processes {
            for location in &process.locations {
                location.invariant.clocks.iter().for_each(&mut note);
            }
            for edge in &process.edges {
                edge.guard.clocks.iter().for_each(&mut note);
            }
        }
        for formula in formulas(query) {
            formula.for_each_constraint(&mut note);
        }
        let wanted = known.iter().map(|&ceiling| Cell::new(ceiling)).collect();
        Self { known, wanted }
    }

    /// The same with a ceiling of at least `ceiling` for a clock.
    pub(super) fn raised(mut self, clock: ClockId, ceiling: i32) -> Self {
        self.known[clock.index()] = self.known[clock.index()].max(ceiling);
        self.wanted[clock.index()].set(self.known[clock.index()]);
        self
    }

    /// The ceiling of a clock.
    pub(super) fn of(&self, clock: ClockId) -> i32 {
        self.known[clock.index()]
    }

    /// The largest ceiling.
    pub(super) fn largest(&self) -> i32 {
        self.known.iter().copied().max().unwrap_or(0)
    }

    /// Records that the value of `clock` matters up to `bound`.
    pub(super) fn want(&self, clock: ClockId, bound: i32) {
        let wanted = &self.wanted[clock.index()];
        wanted.set(wanted.get().max(bound));
    }

    /// Raises the ceilings to the recorded bounds.
    pub(super) fn learn(&mut self) -> Learnt {
        let mut learnt = Learnt::Enough;
        for (known, wanted) in self.known.iter_mut().zip(&self.wanted) {
            if wanted.get() > *known {
                *known = wanted.get();
                learnt = Learnt::More;
            }
        }
        if self.largest() > ROOM { Learnt::NoRoom } else { learnt }
    }
}
