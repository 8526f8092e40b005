//! Goals: state formulas evaluated on symbolic states.

#[cfg(test)]
mod tests;

use crate::constraints::constrain;
use crate::frame::{Frame, Frames};
use crate::graph::{StepError, ZoneGraph};
use crate::state::SymbolicState;
use zonaut_compile::{
    BoundsTable, CompiledCondition, CompiledQuery, Constraint, Machine, Translation,
};
use zonaut_dbm::Zone;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Condition, Formula, Model};
use zonaut_space::Goal;

/// A formula in negation normal form.
#[derive(Clone, Debug)]
enum Node {
    /// A condition on data, or its negation.
    Data(CompiledCondition, bool),
    /// A clock constraint, or its negation.
    Clock(CompiledCondition, bool),
    And(Box<[Node]>),
    Or(Box<[Node]>),
}

/// A compiled state formula without `deadlock`.
#[derive(Clone, Debug)]
pub struct CompiledGoal {
    root: Node,
    query: CompiledQuery,
}

/// The working memory of a goal.
#[derive(Clone, Debug)]
pub(crate) struct GoalScratch {
    machine: Machine,
    values: Vec<i32>,
}

impl CompiledGoal {
    /// Compiles `formula`, in which `deadlock` must not occur.
    #[must_use]
    pub fn new(model: &Model, formula: &Formula) -> Self {
        let mut translation = Translation::new(model);
        let root = compile(&mut translation, formula, false);
        Self { root, query: translation.finish() }
    }

    pub(crate) fn scratch(&self) -> GoalScratch {
        GoalScratch { machine: self.query.machine(), values: Vec::new() }
    }

    /// The constraints that a valuation of `state` has to satisfy for the formula to hold there,
    /// for one way to satisfy it that is possible in the zone; nothing if there is none.
    pub(crate) fn witness(
        &self,
        state: &SymbolicState,
        frame: &Frame,
        scratch: &mut GoalScratch,
    ) -> Result<Option<Vec<Constraint>>, RunTimeError> {
        scratch.values.clone_from(&state.values);
        let mut search = Search { goal: self, frame, scratch, chosen: Vec::new() };
        let found = search.meets(&mut vec![&self.root], &state.zone)?;
        Ok(found.then_some(search.chosen))
    }
}

struct Search<'g> {
    goal: &'g CompiledGoal,
    frame: &'g Frame,
    scratch: &'g mut GoalScratch,
    chosen: Vec<Constraint>,
}

impl<'g> Search<'g> {
    /// Whether all of `pending` hold together somewhere in `zone`. The last one is taken first,
    /// so that parts of a conjunction are pushed in reverse.
    fn meets(&mut self, pending: &mut Vec<&'g Node>, zone: &Zone) -> Result<bool, RunTimeError> {
        let Some(node) = pending.pop() else { return Ok(true) };
        match node {
            Node::Data(condition, negated) => {
                let GoalScratch { machine, values } = &mut *self.scratch;
                let holds = self.goal.query.data_holds(condition, values, machine)?;
                if holds == *negated { Ok(false) } else { self.meets(pending, zone) }
            }
            Node::And(parts) => {
                pending.extend(parts.iter().rev());
                self.meets(pending, zone)
            }
            Node::Or(parts) => {
                for part in parts {
                    let mut branch = pending.clone();
                    branch.push(part);
                    if self.meets(&mut branch, zone)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Clock(condition, negated) => {
                let constraints = self.constraints(condition)?;
                if !*negated {
                    return self.meets_with(pending, zone, &constraints);
                }
                for c in constraints {
                    let opposite = Constraint { x: c.y, y: c.x, bound: c.bound.negated() };
                    if self.meets_with(&mut pending.clone(), zone, &[opposite])? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn constraints(
        &mut self,
        condition: &CompiledCondition,
    ) -> Result<Vec<Constraint>, RunTimeError> {
        let mut all = Vec::new();
        let GoalScratch { machine, values } = &mut *self.scratch;
        self.goal.query.for_each_constraint(condition, values, machine, |c| all.push(c))?;
        Ok(all)
    }

    fn meets_with(
        &mut self,
        pending: &mut Vec<&'g Node>,
        zone: &Zone,
        constraints: &[Constraint],
    ) -> Result<bool, RunTimeError> {
        let mut zone = zone.clone();
        if constrain(&mut zone, self.frame, constraints).is_err() {
            return Ok(false);
        }
        let before = self.chosen.len();
        self.chosen.extend(constraints);
        let met = self.meets(pending, &zone)?;
        if !met {
            self.chosen.truncate(before);
        }
        Ok(met)
    }
}

fn compile(translation: &mut Translation<'_>, formula: &Formula, negated: bool) -> Node {
    match formula {
        Formula::Data(data) => {
            let condition = Condition { data: Some(*data), clocks: Vec::new() };
            Node::Data(translation.condition(&condition), negated)
        }
        Formula::Clock(constraint) => {
            let condition = Condition { data: None, clocks: vec![constraint.clone()] };
            Node::Clock(translation.condition(&condition), negated)
        }
        // Queries with `deadlock` are refused before they get here.
        Formula::Deadlock => Node::Or(Box::new([])),
        Formula::Not(inner) => compile(translation, inner, !negated),
        Formula::And(parts) | Formula::Or(parts) => {
            let conjunction = matches!(formula, Formula::And(_)) != negated;
            let parts = parts.iter().map(|part| compile(translation, part, negated)).collect();
            if conjunction { Node::And(parts) } else { Node::Or(parts) }
        }
    }
}

/// A goal ready to be asked of the states of one graph.
pub struct ZoneGoal<'g, 'n> {
    goal: &'g CompiledGoal,
    bounds: &'n BoundsTable,
    frames: Frames,
    scratch: GoalScratch,
}

impl<'g, 'n> ZoneGoal<'g, 'n> {
    /// `goal` on the states of `graph`.
    #[must_use]
    pub fn new(graph: &ZoneGraph<'n>, goal: &'g CompiledGoal) -> Self {
        let frames = Frames::new(graph.network().process_count());
        Self { goal, bounds: graph.bounds(), frames, scratch: goal.scratch() }
    }

    /// The clock constraints of one way to satisfy the goal in `state`; nothing if there is none.
    ///
    /// # Errors
    /// Where evaluation fails.
    pub fn witness(
        &mut self,
        state: &SymbolicState,
    ) -> Result<Option<Vec<Constraint>>, RunTimeError> {
        let frame = self.frames.of(self.bounds, &state.values);
        self.goal.witness(state, &frame, &mut self.scratch)
    }
}

impl<'n> Goal<ZoneGraph<'n>> for ZoneGoal<'_, 'n> {
    fn holds_in(&mut self, state: &SymbolicState) -> Result<bool, StepError> {
        Ok(self.witness(state)?.is_some())
    }
}
