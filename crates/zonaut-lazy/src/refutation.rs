//! Reasons for which a goal does not hold.
//!
//! The goal is explored branch by branch, as in its evaluation: a branch that chooses disjuncts
//! ends with a false literal, or with clock constraints that no valuation of the zone satisfies.
//! Each is an obstacle that the label of an expanded node must preserve.

use crate::domain::{Exact, Obstacle};
use zonaut_analysis::normal_form::{Literal, NormalForm};
use zonaut_compile::{CompiledCondition, CompiledQuery, Machine, Translation};
use zonaut_dbm::{Width, Zone};
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Condition, Formula, Model};
use zonaut_space::Meter;
use zonaut_zonegraph::ZoneConstraint;

/// A formula in negation normal form; literals by their numbers.
#[derive(Clone, Debug)]
enum Node {
    Data(usize),
    Clock(usize),
    All(Vec<Node>),
    Any(Vec<Node>),
}

/// A compiled literal.
#[derive(Clone, Debug)]
struct CompiledLiteral {
    condition: CompiledCondition,
    negated: bool,
}

/// A goal, compiled for refutation.
#[derive(Debug)]
pub struct Refutation<'m> {
    root: Node,
    literals: Vec<CompiledLiteral>,
    /// The literals as they are written, negated or not.
    written: Vec<(Literal<'m>, bool)>,
    query: CompiledQuery,
    machine: Machine,
}

/// The receiver of an obstacle.
type Report<'r, W> = dyn FnMut(Obstacle<'_, W>) + 'r;

/// A choice of disjuncts.
#[derive(Clone)]
struct Branch<'g, W: Width> {
    /// The remaining conjuncts; the last one is processed first.
    pending: Vec<&'g Node>,
    /// The chosen clock constraints.
    chosen: Vec<ZoneConstraint<W>>,
}

impl<'m> Refutation<'m> {
    /// Compiles `formula` for refutation; all evaluations count on `meter`. `None` if it contains
    /// `deadlock`.
    #[must_use]
    pub fn new(model: &'m Model, formula: &'m Formula, meter: &Meter) -> Option<Self> {
        let mut translation = Translation::new(model);
        let (mut literals, mut written) = (Vec::new(), Vec::new());
        let form = NormalForm::new(formula);
        let mut has_deadlock = false;
        form.for_each_literal(&mut |literal, _| has_deadlock |= literal == Literal::Deadlock);
        if has_deadlock {
            return None;
        }
        let root = compile(&form, &mut |literal, negated| {
            let condition = match literal {
                Literal::Data(data) => Condition { data: Some(data), clocks: Vec::new() },
                Literal::Clock(clock) => Condition { data: None, clocks: vec![clock.clone()] },
                Literal::Deadlock => Condition::default(),
            };
            literals
                .push(CompiledLiteral { condition: translation.condition(&condition), negated });
            written.push((literal, negated));
            literals.len() - 1
        });
        let query = translation.finish();
        let machine = query.machine(meter);
        Some(Self { root, literals, written, query, machine })
    }

    /// The literals, negated or not, by their numbers.
    #[must_use]
    pub fn literals(&self) -> Vec<(Literal<'m>, bool)> {
        self.written.clone()
    }

    /// Reports the obstacles for the goal in a state with these values in which it does not hold.
    ///
    /// # Errors
    /// If evaluation fails.
    pub(crate) fn refute<W: Width>(
        &mut self,
        values: &mut [i32],
        exact: Exact<'_, W>,
        report: &mut Report<'_, W>,
    ) -> Result<(), RunTimeError> {
        let Self { root, literals, query, machine, .. } = self;
        let mut search = Search { literals, query, machine, values, exact };
        let mut open = vec![Branch { pending: vec![&*root], chosen: Vec::new() }];
        while let Some(branch) = open.pop() {
            search.machine.spend(1 + branch.pending.len())?;
            search.follow(branch, &mut open, report)?;
        }
        Ok(())
    }
}

fn compile<'f>(form: &NormalForm<'f>, number: &mut impl FnMut(Literal<'f>, bool) -> usize) -> Node {
    match form {
        NormalForm::Literal { literal: literal @ Literal::Clock(_), negated } => {
            Node::Clock(number(*literal, *negated))
        }
        NormalForm::Literal { literal, negated } => Node::Data(number(*literal, *negated)),
        NormalForm::All(parts) => {
            Node::All(parts.iter().map(|part| compile(part, number)).collect())
        }
        NormalForm::Any(parts) => {
            Node::Any(parts.iter().map(|part| compile(part, number)).collect())
        }
    }
}

/// The search through all branches of one state.
struct Search<'s, W: Width> {
    literals: &'s [CompiledLiteral],
    query: &'s CompiledQuery,
    machine: &'s mut Machine,
    values: &'s mut [i32],
    exact: Exact<'s, W>,
}

impl<W: Width> Search<'_, W> {
    /// Follows a branch to its end; alternatives are added to `open`.
    fn follow<'g>(
        &mut self,
        mut branch: Branch<'g, W>,
        open: &mut Vec<Branch<'g, W>>,
        report: &mut Report<'_, W>,
    ) -> Result<(), RunTimeError> {
        while let Some(node) = branch.pending.pop() {
            match node {
                Node::Data(literal) => {
                    if !self.holds(*literal)? {
                        report(Obstacle::LiteralFails(*literal));
                        return Ok(());
                    }
                    report(Obstacle::LiteralIsSafe(*literal));
                }
                Node::All(parts) => branch.pending.extend(parts.iter().rev()),
                Node::Any(parts) => {
                    if !self.choose(parts, &branch, open, report)? {
                        return Ok(());
                    }
                }
                Node::Clock(literal) => {
                    if !self.restrict(*literal, &mut branch, open, report)? {
                        return Ok(());
                    }
                }
            }
        }
        // The goal would hold, which the caller has excluded.
        debug_assert!(false, "a goal that does not hold has no branch that does");
        report(Obstacle::AllClocks);
        Ok(())
    }

    /// Whether the branch continues unchanged, because a part holds already. Otherwise the parts
    /// that may hold are added to `open`, each with the rest of the branch.
    fn choose<'g>(
        &mut self,
        parts: &'g [Node],
        branch: &Branch<'g, W>,
        open: &mut Vec<Branch<'g, W>>,
        report: &mut Report<'_, W>,
    ) -> Result<bool, RunTimeError> {
        let mut failing = Vec::new();
        for part in parts {
            let Node::Data(literal) = part else { continue };
            if self.holds(*literal)? {
                let evaluated = failing.into_iter().chain([*literal]);
                evaluated.for_each(|literal| report(Obstacle::LiteralIsSafe(literal)));
                return Ok(true);
            }
            failing.push(*literal);
        }
        failing.into_iter().for_each(|literal| report(Obstacle::LiteralFails(literal)));
        for part in parts.iter().rev().filter(|part| !matches!(part, Node::Data(_))) {
            let mut alternative = branch.clone();
            alternative.pending.push(part);
            open.push(alternative);
        }
        Ok(false)
    }

    /// Whether the branch continues with the constraints of a literal.
    fn restrict<'g>(
        &mut self,
        literal: usize,
        branch: &mut Branch<'g, W>,
        open: &mut Vec<Branch<'g, W>>,
        report: &mut Report<'_, W>,
    ) -> Result<bool, RunTimeError> {
        report(Obstacle::LiteralBounds(literal));
        let constraints = self.constraints(literal)?;
        if !self.literals[literal].negated {
            branch.chosen.extend(constraints);
            return Ok(self.is_possible(branch, report));
        }
        let opposite =
            |c: &ZoneConstraint<W>| ZoneConstraint { x: c.y, y: c.x, bound: c.bound.negated() };
        for constraint in constraints.iter().rev() {
            let mut alternative = branch.clone();
            alternative.chosen.push(opposite(constraint));
            if self.is_possible(&alternative, report) {
                open.push(alternative);
            }
        }
        Ok(false)
    }

    /// Whether some valuation of the zone satisfies the choices of a branch.
    fn is_possible(&self, branch: &Branch<'_, W>, report: &mut Report<'_, W>) -> bool {
        let Exact { zone, active, .. } = self.exact;
        let mut zone = Zone::from_slice(active.rows.len(), zone);
        let positions =
            branch.chosen.iter().map(|c| (active.position(c.x), active.position(c.y), c.bound));
        let is_possible = zone.constrain_all(positions).is_ok();
        if !is_possible {
            report(Obstacle::Clocks(&branch.chosen));
        }
        is_possible
    }

    fn holds(&mut self, literal: usize) -> Result<bool, RunTimeError> {
        let CompiledLiteral { condition, negated } = &self.literals[literal];
        Ok(self.query.data_holds(condition, self.values, self.machine)? != *negated)
    }

    fn constraints(&mut self, literal: usize) -> Result<Vec<ZoneConstraint<W>>, RunTimeError> {
        let mut all = Vec::new();
        let condition = &self.literals[literal].condition;
        let push = |c: zonaut_compile::Constraint| all.push(c.into());
        self.query.for_each_constraint(condition, self.values, self.machine, push)?;
        Ok(all)
    }
}
