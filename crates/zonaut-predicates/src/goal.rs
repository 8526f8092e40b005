//! The goal as a disjunction: for each disjunct the locations, tests and differences that it
//! implies.

use crate::difference::{Difference, Reader};
use zonaut_analysis::normal_form::{Bindings, Condition, Literal, NormalForm, Test, TestKind};
use zonaut_base::Id;
use zonaut_model::{Expression, Formula, Model};

/// The maximal number of disjuncts; a formula with more is approximated by `true`.
const MOST: usize = 128;

/// Conditions that hold in all goal states of a disjunct.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disjunct {
    /// The known locations, as pairs of process and location.
    pub(crate) locations: Vec<(u32, u32)>,
    pub(crate) tests: Vec<Test>,
    pub(crate) differences: Vec<Difference>,
}

/// Disjuncts such that every goal state satisfies one of them.
pub(crate) fn disjuncts(model: &Model, goal: &Formula, reader: Reader<'_>) -> Vec<Disjunct> {
    let all = Splitting { model, reader }.form(&NormalForm::new(goal));
    all.into_iter().filter(|disjunct| !disjunct.is_contradictory()).collect()
}

impl Disjunct {
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.locations.extend(&other.locations);
        both.locations.sort_unstable();
        both.locations.dedup();
        both.tests.extend(other.tests.iter().cloned());
        both.differences.extend(&other.differences);
        both
    }

    /// Whether a process would have to be in two locations at once.
    fn is_contradictory(&self) -> bool {
        self.locations.windows(2).any(|pair| pair[0].0 == pair[1].0)
    }
}

struct Splitting<'m> {
    model: &'m Model,
    reader: Reader<'m>,
}

impl Splitting<'_> {
    fn form(&self, form: &NormalForm<'_>) -> Vec<Disjunct> {
        match form {
            NormalForm::All(parts) => all(parts.iter().map(|part| self.form(part))),
            NormalForm::Any(parts) => any(parts.iter().map(|part| self.form(part))),
            NormalForm::Literal { literal: Literal::Deadlock, .. } => vec![Disjunct::default()],
            NormalForm::Literal { literal: Literal::Data(data), negated } => {
                let none = Bindings::new();
                let expressions = &self.model.expressions;
                self.condition(&Condition::of_expression(expressions, *data, *negated, &none))
            }
            NormalForm::Literal { literal: Literal::Clock(constraint), negated } => {
                let said = self.reader.read(constraint, &Bindings::new());
                let hold = |differences| Disjunct { differences, ..Disjunct::default() };
                match negated {
                    false => vec![hold(said.differences)],
                    true if said.is_exact => {
                        said.differences.iter().map(|d| hold(vec![d.negated()])).collect()
                    }
                    true => vec![Disjunct::default()],
                }
            }
        }
    }

    fn condition(&self, condition: &Condition) -> Vec<Disjunct> {
        match condition {
            Condition::All(parts) => all(parts.iter().map(|part| self.condition(part))),
            Condition::Any(parts) => any(parts.iter().map(|part| self.condition(part))),
            Condition::Test(test) => self.test(test),
        }
    }

    fn test(&self, test: &Test) -> Vec<Disjunct> {
        let place = match test.kind {
            TestKind::Holds { expression, negated } => match self.model.expressions[expression] {
                Expression::At(process, location) => Some((process, location, negated)),
                _ => None,
            },
            TestKind::Chooses { .. } => None,
        };
        let at = |process: usize, location: usize| Disjunct {
            locations: vec![(process as u32, location as u32)],
            ..Disjunct::default()
        };
        match place {
            None => vec![Disjunct { tests: vec![test.clone()], ..Disjunct::default() }],
            Some((process, location, false)) => vec![at(process.index(), location.index())],
            Some((process, location, true)) => {
                let locations = self.model.processes[process].locations.ids();
                let others = locations.filter(|&other| other != location);
                any([others.map(|other| at(process.index(), other.index())).collect()].into_iter())
            }
        }
    }
}

fn any(parts: impl Iterator<Item = Vec<Disjunct>>) -> Vec<Disjunct> {
    let all: Vec<Disjunct> = parts.flatten().collect();
    if all.len() > MOST { vec![Disjunct::default()] } else { all }
}

fn all(parts: impl Iterator<Item = Vec<Disjunct>>) -> Vec<Disjunct> {
    parts.fold(vec![Disjunct::default()], |all, more| {
        if all.len() * more.len() > MOST {
            return all;
        }
        all.iter().flat_map(|one| more.iter().map(|other| one.and(other))).collect()
    })
}
