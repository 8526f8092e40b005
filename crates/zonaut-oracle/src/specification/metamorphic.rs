//! Metamorphic relations: changes of a specification that preserve its verdict, or change it in a
//! known direction.

use super::{ClockSpecification, Specification, Update, Value};
use zonaut_model::Relation;

impl Specification {
    /// The same network with every clock constant multiplied: the same verdict and the same number
    /// of actions. `None` if constants are computed or would be too large.
    #[must_use]
    pub fn scaled(&self, factor: i32) -> Option<Self> {
        self.with_clock_constants(|_, number| number.checked_mul(factor))
    }

    /// The network on a grid: time is multiplied by `slots`, and strict bounds become non-strict
    /// ones, one slot away.
    ///
    /// A run of the result is a run of the original. A run of the original with fewer than
    /// `slots - 1` actions has its counterpart in the result: the constraints on its dates have a solution
    /// on the grid if they have one at all.
    #[must_use]
    pub fn on_grid(&self, slots: i32) -> Option<Self> {
        let closed = |relation: &mut Relation, number: i32| {
            let number = number.checked_mul(slots)?;
            match relation {
                Relation::Less => {
                    *relation = Relation::LessEqual;
                    number.checked_sub(1)
                }
                Relation::Greater => {
                    *relation = Relation::GreaterEqual;
                    number.checked_add(1)
                }
                Relation::LessEqual | Relation::Equal | Relation::GreaterEqual => Some(number),
            }
        };
        self.with_clock_constants(closed)
    }

    /// The same network with one more clock, which is never read.
    #[must_use]
    pub fn with_unused_clock(&self) -> Self {
        let mut more = self.clone();
        more.clocks.push(ClockSpecification { owner: None });
        let added = self.clocks.len();
        for edge in more.processes.iter_mut().flat_map(|process| &mut process.edges).step_by(2) {
            edge.updates.push(Update::Reset(added, Value::Constant(0)));
        }
        more
    }

    /// The same network with its clocks in the opposite order, and therefore with other names.
    #[must_use]
    pub fn with_clocks_reversed(&self) -> Self {
        let mut reversed = self.clone();
        reversed.clocks.reverse();
        let last = self.clocks.len().saturating_sub(1);
        let rename = |clock: &mut usize| *clock = last - *clock;
        reversed.for_each_atom_mut(&mut |atom| {
            rename(&mut atom.left);
            atom.right.iter_mut().for_each(rename);
        });
        reversed.for_each_update_mut(&mut |update| match update {
            Update::Reset(clock, _) => rename(clock),
            Update::Copy(to, from) => {
                rename(to);
                rename(from);
            }
            Update::Set(..) | Update::SetElement(..) => {}
        });
        reversed
    }

    /// The same network with its processes in the opposite order: the same verdict if no update of
    /// a receiver can read another's result, as without variables and clock copies.
    #[must_use]
    pub fn with_processes_reversed(&self) -> Self {
        let mut reversed = self.clone();
        reversed.processes.reverse();
        let last = self.processes.len().saturating_sub(1);
        reversed.query.for_each_location_mut(&mut |(process, _)| *process = last - *process);
        for clock in &mut reversed.clocks {
            clock.owner = clock.owner.map(|owner| last - owner);
        }
        reversed
    }

    /// Replaces every constant that a clock is compared with or set to.
    fn with_clock_constants(
        &self,
        change: impl Fn(&mut Relation, i32) -> Option<i32>,
    ) -> Option<Self> {
        let mut changed = self.clone();
        let mut possible = true;
        let mut replace = |relation: &mut Relation, value: &mut Value| {
            let Value::Constant(number) = value else { return possible = false };
            match change(relation, *number) {
                Some(other) => *number = other,
                None => possible = false,
            }
        };
        // The goal is searched, never its negation, so its relations keep their direction.
        changed.for_each_atom_mut(&mut |atom| replace(&mut atom.relation, &mut atom.bound));
        changed.for_each_update_mut(&mut |update| {
            if let Update::Reset(_, value) = update {
                replace(&mut Relation::Equal, value);
            }
        });
        possible.then_some(changed)
    }
}
