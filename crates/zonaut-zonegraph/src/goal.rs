//! Goals: state formulas evaluated on symbolic states.

#[cfg(test)]
mod tests;

use crate::active_clocks::{ActiveClocks, ActiveClocksTable};
use crate::constraints::{Valuation, ZoneConstraint, constrain};
use crate::graph::{StepError, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::Scratch;
use std::ops::ControlFlow;
use zonaut_analysis::normal_form::{Literal, NormalForm};
use zonaut_compile::{CompiledCondition, CompiledQuery, Constraint, Machine, Translation};
use zonaut_dbm::{Federation, Narrow, Row, Width, Zone};
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Condition, Formula, Model};
use zonaut_space::{Goal, Meter};

/// A formula in negation normal form.
#[derive(Clone, Debug)]
enum Node {
    /// A condition on data, or its negation.
    Data(CompiledCondition, bool),
    /// A clock constraint, or its negation.
    Clock(CompiledCondition, bool),
    /// `deadlock`, or its negation.
    Deadlock(bool),
    And(Box<[Node]>),
    Or(Box<[Node]>),
}

impl Node {
    fn is_data(&self) -> bool {
        matches!(self, Self::Data(..))
    }
}

/// A compiled state formula.
#[derive(Clone, Debug)]
pub struct CompiledGoal {
    root: Node,
    query: CompiledQuery,
    mentions_deadlock: bool,
    /// The factor by which clocks run faster than time.
    scale: i32,
}

/// A function that computes the deadlocked valuations of a state, as disjoint zones. Called at most
/// once.
type Deadlocked<'d, W> = dyn FnMut(&SymbolicState<W>) -> Result<Vec<Zone<W>>, RunTimeError> + 'd;

/// The working memory of a goal.
#[derive(Clone, Debug)]
pub(crate) struct GoalScratch {
    machine: Machine,
    values: Vec<i32>,
}

impl GoalScratch {
    /// Whether a condition on data, or its negation, holds for the values.
    fn data_holds(
        &mut self,
        query: &CompiledQuery,
        condition: &CompiledCondition,
        negated: bool,
    ) -> Result<bool, RunTimeError> {
        Ok(query.data_holds(condition, &mut self.values, &mut self.machine)? != negated)
    }
}

impl CompiledGoal {
    /// Compiles `formula`.
    #[must_use]
    pub fn new(model: &Model, formula: &Formula) -> Self {
        let mut translation = Translation::new(model);
        let root = compile(&mut translation, &NormalForm::new(formula));
        let mentions_deadlock = formula.mentions_deadlock();
        Self { root, query: translation.finish(), mentions_deadlock, scale: 1 }
    }

    /// The same goal for a network whose clocks run `scale` times as fast as time.
    #[must_use]
    pub fn scaled(self, scale: i32) -> Self {
        Self { scale, ..self }
    }

    /// Whether the formula holds for these values and clocks; `is_deadlocked` decides whether the
    /// point is deadlocked. Evaluations count on `meter`.
    pub fn holds_at(
        &self,
        values: &[i32],
        valuation: Valuation<'_>,
        meter: &Meter,
        is_deadlocked: &mut dyn FnMut() -> Result<bool, RunTimeError>,
    ) -> Result<bool, RunTimeError> {
        let GoalScratch { mut machine, .. } = self.scratch(meter);
        let mut values = values.to_vec();
        self.node_holds(&self.root, &mut |node| match node {
            Node::Deadlock(_) => is_deadlocked(),
            Node::Data(condition, _) => self.query.data_holds(condition, &mut values, &mut machine),
            Node::Clock(condition, _) => {
                let mut holds = true;
                let all = |c: Constraint| holds &= valuation.satisfies(c.scaled(self.scale));
                self.query.for_each_constraint(condition, &mut values, &mut machine, all)?;
                Ok(holds)
            }
            Node::And(_) | Node::Or(_) => Ok(false),
        })
    }

    /// Whether a subformula holds, given `test` for unnegated conditions.
    fn node_holds(
        &self,
        node: &Node,
        test: &mut dyn FnMut(&Node) -> Result<bool, RunTimeError>,
    ) -> Result<bool, RunTimeError> {
        match node {
            Node::Data(_, negated) | Node::Clock(_, negated) | Node::Deadlock(negated) => {
                Ok(test(node)? != *negated)
            }
            Node::And(parts) | Node::Or(parts) => {
                let is_and = matches!(node, Node::And(_));
                for part in parts {
                    if self.node_holds(part, test)? != is_and {
                        return Ok(!is_and);
                    }
                }
                Ok(is_and)
            }
        }
    }

    /// Working memory whose evaluations count on `meter`.
    pub(crate) fn scratch(&self, meter: &Meter) -> GoalScratch {
        GoalScratch { machine: self.query.machine(meter), values: Vec::new() }
    }

    /// The clock constraints of one disjunct of the formula that is satisfiable in the zone of
    /// `state`; `None` if the formula holds nowhere in it.
    pub(crate) fn witness<W: Width>(
        &self,
        state: &SymbolicState<W>,
        active: &ActiveClocks,
        scratch: &mut GoalScratch,
        deadlocked: &mut Deadlocked<'_, W>,
    ) -> Result<Option<Vec<ZoneConstraint<W>>>, RunTimeError> {
        scratch.values.clone_from(&state.values);
        Search { goal: self, active, state, scratch, deadlocked, dead: None }.run()
    }

    /// Whether the formula holds for these values, if it is about data alone: one condition, or
    /// several in one conjunction or disjunction. Most formulas are, and constants are empty ones.
    fn data_alone(
        &self,
        values: &[i32],
        scratch: &mut GoalScratch,
    ) -> Result<Option<bool>, RunTimeError> {
        let (parts, is_or) = match &self.root {
            one @ Node::Data(..) => (std::slice::from_ref(one), true),
            Node::And(parts) => (&**parts, false),
            Node::Or(parts) => (&**parts, true),
            Node::Clock(..) | Node::Deadlock(_) => return Ok(None),
        };
        if !parts.iter().all(Node::is_data) {
            return Ok(None);
        }
        scratch.values.clear();
        scratch.values.extend_from_slice(values);
        for part in parts {
            if let Node::Data(condition, negated) = part
                && scratch.data_holds(&self.query, condition, *negated)? == is_or
            {
                return Ok(Some(is_or));
            }
        }
        Ok(Some(!is_or))
    }

    /// The clock constraints of all disjuncts of the formula that are satisfiable in the zone of
    /// `state`; their union is the part of it in which the formula holds, and they may overlap.
    fn disjuncts<W: Width>(
        &self,
        state: &SymbolicState<W>,
        active: &ActiveClocks,
        scratch: &mut GoalScratch,
        deadlocked: &mut Deadlocked<'_, W>,
    ) -> Result<Vec<Vec<ZoneConstraint<W>>>, RunTimeError> {
        scratch.values.clone_from(&state.values);
        let mut search = Search { goal: self, active, state, scratch, deadlocked, dead: None };
        let mut disjuncts = Vec::new();
        search.for_each_disjunct(|branch| {
            disjuncts.push(branch.chosen);
            ControlFlow::Continue(())
        })?;
        Ok(disjuncts)
    }
}

/// The search for satisfiable disjuncts of a formula: a stack of branches, so that large formulas
/// need no deep recursion.
struct Search<'g, 'd, W: Width> {
    goal: &'g CompiledGoal,
    active: &'g ActiveClocks,
    state: &'g SymbolicState<W>,
    scratch: &'g mut GoalScratch,
    deadlocked: &'g mut Deadlocked<'d, W>,
    /// The deadlocked valuations of the state, once they are known.
    dead: Option<Vec<Zone<W>>>,
}

/// A partial choice of disjuncts that is still satisfiable.
#[derive(Clone, Default)]
struct Branch<'g, W: Width> {
    /// The remaining conjuncts; the last one is processed first.
    pending: Vec<&'g Node>,
    /// The chosen constraints.
    chosen: Vec<ZoneConstraint<W>>,
    /// The part of the zone that satisfies them; absent while it is the whole zone.
    zone: Option<Zone<W>>,
}

impl<'g, W: Width> Search<'g, '_, W> {
    /// The first disjunct.
    fn run(&mut self) -> Result<Option<Vec<ZoneConstraint<W>>>, RunTimeError> {
        let mut found = None;
        self.for_each_disjunct(|branch| {
            found = Some(branch.chosen);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Visits the satisfiable disjuncts of the formula, until the visitor breaks.
    fn for_each_disjunct(
        &mut self,
        mut visit: impl FnMut(Branch<'g, W>) -> ControlFlow<()>,
    ) -> Result<(), RunTimeError> {
        let mut open = vec![Branch { pending: vec![&self.goal.root], ..Branch::default() }];
        while let Some(mut branch) = open.pop() {
            self.scratch.machine.spend(1 + branch.pending.len())?;
            if self.follow(&mut branch, &mut open)? && visit(branch).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Whether `branch` is satisfiable; alternatives are added to `open`.
    fn follow(
        &mut self,
        branch: &mut Branch<'g, W>,
        open: &mut Vec<Branch<'g, W>>,
    ) -> Result<bool, RunTimeError> {
        while let Some(node) = branch.pending.pop() {
            let possible = match node {
                Node::Data(condition, negated) => self.data_holds(condition, *negated)?,
                Node::And(parts) => {
                    branch.pending.extend(parts.iter().rev());
                    true
                }
                Node::Or(parts) => self.choose(parts, branch, open)?,
                Node::Clock(condition, negated) => {
                    let constraints = self.constraints(condition)?;
                    if *negated {
                        self.choose_failing(&constraints, branch, open)
                    } else {
                        self.restrict(branch, &constraints)
                    }
                }
                Node::Deadlock(negated) => self.choose_deadlocked(*negated, branch, open)?,
            };
            if !possible {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Continues with the first satisfiable part, and adds the others to `open`. A condition on
    /// data is decided at once; if it holds, no choice remains. If it fails at run time, it is
    /// evaluated again, and fails, only if no part before it leads to a disjunct.
    fn choose(
        &mut self,
        parts: &'g [Node],
        branch: &mut Branch<'g, W>,
        open: &mut Vec<Branch<'g, W>>,
    ) -> Result<bool, RunTimeError> {
        let mut possible = Vec::new();
        for part in parts {
            let Node::Data(condition, negated) = part else {
                possible.push(part);
                continue;
            };
            match self.data_holds(condition, *negated) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(_) if !possible.is_empty() => {
                    possible.push(part);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let Some((first, others)) = possible.split_first() else { return Ok(false) };
        for other in others.iter().rev() {
            let mut alternative = branch.clone();
            alternative.pending.push(other);
            open.push(alternative);
        }
        branch.pending.push(first);
        Ok(true)
    }

    /// Continues where the first of `constraints` fails, and adds the others to `open`.
    fn choose_failing(
        &self,
        constraints: &[ZoneConstraint<W>],
        branch: &mut Branch<'g, W>,
        open: &mut Vec<Branch<'g, W>>,
    ) -> bool {
        let opposite =
            |c: &ZoneConstraint<W>| ZoneConstraint { x: c.y, y: c.x, bound: c.bound.negated() };
        let Some((first, others)) = constraints.split_first() else { return false };
        for other in others.iter().rev() {
            let mut alternative = branch.clone();
            if self.restrict(&mut alternative, &[opposite(other)]) {
                open.push(alternative);
            }
        }
        self.restrict(branch, &[opposite(first)])
    }

    /// Continues in the first zone of the deadlocked valuations or, if `negated`, of the others,
    /// and adds the other zones to `open`.
    fn choose_deadlocked(
        &mut self,
        negated: bool,
        branch: &mut Branch<'g, W>,
        open: &mut Vec<Branch<'g, W>>,
    ) -> Result<bool, RunTimeError> {
        let dead = match self.dead.take() {
            Some(dead) => dead,
            None => (self.deadlocked)(self.state)?,
        };
        let mut zones = dead.clone();
        self.dead = Some(dead);
        if negated {
            let mut alive = Federation::from(self.state.zone.clone());
            zones.iter().for_each(|zone| alive.subtract_zone(zone));
            zones = alive.into_zones();
        }
        let row = |clock: Row| self.active.rows[clock.index()];
        let constraint = |(x, y, bound)| ZoneConstraint { x: row(x), y: row(y), bound };
        let constraints = |zone: &Zone<W>| -> Vec<ZoneConstraint<W>> {
            zone.minimal_constraints().into_iter().map(constraint).collect()
        };
        let Some((first, others)) = zones.split_first() else { return Ok(false) };
        for other in others.iter().rev() {
            let mut alternative = branch.clone();
            if self.restrict(&mut alternative, &constraints(other)) {
                open.push(alternative);
            }
        }
        Ok(self.restrict(branch, &constraints(first)))
    }

    /// Adds constraints to a branch; returns whether it is still satisfiable.
    fn restrict(&self, branch: &mut Branch<'g, W>, constraints: &[ZoneConstraint<W>]) -> bool {
        branch.chosen.extend(constraints);
        let zone = branch.zone.get_or_insert_with(|| self.state.zone.clone());
        constrain(zone, self.active, constraints).is_ok()
    }

    fn data_holds(
        &mut self,
        condition: &CompiledCondition,
        negated: bool,
    ) -> Result<bool, RunTimeError> {
        self.scratch.data_holds(&self.goal.query, condition, negated)
    }

    fn constraints(
        &mut self,
        condition: &CompiledCondition,
    ) -> Result<Vec<ZoneConstraint<W>>, RunTimeError> {
        let mut all = Vec::new();
        let GoalScratch { machine, values } = &mut *self.scratch;
        let CompiledGoal { query, scale, .. } = self.goal;
        let add = |c: Constraint| all.push(c.scaled(*scale).into());
        query.for_each_constraint(condition, values, machine, add)?;
        Ok(all)
    }
}

fn compile(translation: &mut Translation<'_>, form: &NormalForm<'_>) -> Node {
    match form {
        NormalForm::Literal { literal: Literal::Data(data), negated } => {
            let condition = Condition { data: Some(*data), clocks: Vec::new() };
            Node::Data(translation.condition(&condition), *negated)
        }
        NormalForm::Literal { literal: Literal::Clock(constraint), negated } => {
            let condition = Condition { data: None, clocks: vec![(*constraint).clone()] };
            Node::Clock(translation.condition(&condition), *negated)
        }
        NormalForm::Literal { literal: Literal::Deadlock, negated } => Node::Deadlock(*negated),
        NormalForm::All(parts) => {
            Node::And(parts.iter().map(|part| compile(translation, part)).collect())
        }
        NormalForm::Any(parts) => {
            Node::Or(parts.iter().map(|part| compile(translation, part)).collect())
        }
    }
}

/// A goal bound to one zone graph.
pub struct ZoneGoal<'g, 'n, W: Width = Narrow> {
    goal: &'g CompiledGoal,
    graph: ZoneGraph<'n, W>,
    active_clocks: ActiveClocksTable,
    scratch: GoalScratch,
    /// The scratch for computing enabled transitions, if the goal contains `deadlock`.
    moves: Option<Box<Scratch<W>>>,
}

impl<'g, 'n, W: Width> ZoneGoal<'g, 'n, W> {
    /// `goal` on the states of `graph`.
    #[must_use]
    pub fn new(graph: &ZoneGraph<'n, W>, goal: &'g CompiledGoal) -> Self {
        let active_clocks = ActiveClocksTable::new(graph.network().process_count());
        let moves = goal.mentions_deadlock.then(|| Box::new(Scratch::new(graph)));
        let scratch = goal.scratch(graph.meter());
        Self { goal, graph: graph.clone(), active_clocks, scratch, moves }
    }

    /// The clock constraints of one disjunct of the goal that is satisfiable in `state`; `None` if
    /// the goal holds nowhere in it.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn witness(
        &mut self,
        state: &SymbolicState<W>,
    ) -> Result<Option<Vec<ZoneConstraint<W>>>, RunTimeError> {
        let Self { goal, graph, active_clocks, scratch, moves } = self;
        if let Some(holds) = goal.data_alone(&state.values, scratch)? {
            return Ok(holds.then(Vec::new));
        }
        let active = active_clocks.of(graph.bounds(), &state.values);
        goal.witness(state, &active, scratch, &mut |state| match moves {
            Some(moves) => graph.deadlocked(state, moves),
            None => Ok(Vec::new()),
        })
    }

    /// The clock constraints of all disjuncts of the goal that are satisfiable in `state`: their
    /// union is the part of its zone in which the goal holds.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn disjuncts(
        &mut self,
        state: &SymbolicState<W>,
    ) -> Result<Vec<Vec<ZoneConstraint<W>>>, RunTimeError> {
        let Self { goal, graph, active_clocks, scratch, moves } = self;
        let active = active_clocks.of(graph.bounds(), &state.values);
        goal.disjuncts(state, &active, scratch, &mut |state| match moves {
            Some(moves) => graph.deadlocked(state, moves),
            None => Ok(Vec::new()),
        })
    }
}

impl<W: Width> ZoneGoal<'_, '_, W> {
    /// Visits zones whose union is the part of the zone of `state` in which the goal holds.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn for_each_part(
        &mut self,
        state: &SymbolicState<W>,
        mut visit: impl FnMut(&Zone<W>),
    ) -> Result<(), RunTimeError> {
        let Self { goal, graph, active_clocks, scratch, moves } = self;
        let active = active_clocks.of(graph.bounds(), &state.values);
        scratch.values.clone_from(&state.values);
        let deadlocked = &mut |state: &SymbolicState<W>| match moves {
            Some(moves) => graph.deadlocked(state, moves),
            None => Ok(Vec::new()),
        };
        let mut search = Search { goal, active: &active, state, scratch, deadlocked, dead: None };
        search.for_each_disjunct(|branch| {
            visit(branch.zone.as_ref().unwrap_or(&state.zone));
            ControlFlow::Continue(())
        })
    }
}

impl<'n, W: Width> Goal<ZoneGraph<'n, W>> for ZoneGoal<'_, 'n, W> {
    fn holds_in(&mut self, state: &SymbolicState<W>) -> Result<bool, StepError> {
        Ok(self.witness(state)?.is_some())
    }
}
