//! The predicates of an abstraction: which there are, and the numbers of their literals.

use crate::difference::{Difference, Reader};
use crate::goal::Disjunct;
use crate::table::{Both, Table, Tabulator};
use std::collections::BTreeSet;
use zonaut_analysis::action::Action;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::normal_form::{Binding, Bindings, Condition, Test, TestKind};
use zonaut_model::{Expression, ExpressionId, Model, PlaceIndex};

/// Which predicates an abstraction has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Vocabulary {
    /// Where processes are, and nothing else.
    Locations,
    /// Everything that guards, invariants and the goal test.
    #[default]
    Text,
}

/// A predicate over data, with its literals as tables.
#[derive(Clone, Debug)]
pub(crate) struct DataPredicate {
    pub(crate) test: Test,
    pub(crate) holds: Table,
    pub(crate) fails: Table,
}

/// All predicates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    pub(crate) data: Vec<DataPredicate>,
    pub(crate) clocks: Vec<Difference>,
}

/// Everything that the text of a model and a goal tests.
#[derive(Default)]
struct Mentioned {
    tests: BTreeSet<Test>,
    differences: BTreeSet<Difference>,
}

impl Predicates {
    pub(crate) fn new(
        vocabulary: &Vocabulary,
        (model, actions, goal): (&Model, &[Action], &[Disjunct]),
        reader: Reader<'_>,
        tabulator: &mut Tabulator<'_>,
    ) -> Self {
        let mut mentioned = Mentioned::default();
        if *vocabulary == Vocabulary::Text {
            mentioned.add_model(model, actions, reader);
            for disjunct in goal {
                disjunct.tests.iter().for_each(|test| mentioned.add_test(model, test));
                let canonical = disjunct.differences.iter().map(|d| d.canonical().0);
                mentioned.differences.extend(canonical);
            }
        }
        let clocks = mentioned.differences.into_iter().collect();
        let tests = mentioned.tests.into_iter();
        let data = tests.filter_map(|test| {
            let Both { holds, fails } =
                tabulator.ask(&test.bindings, |walk| walk.satisfies(&test))?;
            // A literal that always holds, or never, says nothing.
            let says = !holds.is_trivial() && !holds.is_impossible();
            says.then_some(DataPredicate { test, holds, fails })
        });
        Self { data: data.collect(), clocks }
    }
}

impl Mentioned {
    fn add_model(&mut self, model: &Model, actions: &[Action], reader: Reader<'_>) {
        for action in actions {
            self.add_condition(model, &action.guard);
            for constraint in &action.edge(model).guard.clocks {
                let said = reader.read(constraint, &action.bindings).differences;
                self.differences.extend(said.into_iter().map(|d| d.canonical().0));
            }
        }
        for location in model.processes.iter().flat_map(|process| &process.locations) {
            if let Some(data) = location.invariant.data {
                let none = Bindings::new();
                let invariant = Condition::of_expression(&model.expressions, data, false, &none);
                self.add_condition(model, &invariant);
            }
            for constraint in &location.invariant.clocks {
                let said = reader.read(constraint, &Bindings::new()).differences;
                self.differences.extend(said.into_iter().map(|d| d.canonical().0));
            }
        }
    }

    fn add_condition(&mut self, model: &Model, condition: &Condition) {
        match condition {
            Condition::Test(test) => self.add_test(model, test),
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| self.add_condition(model, part));
            }
        }
    }

    /// Adds a test without its sign. What chooses channels, and what is open, is no predicate.
    fn add_test(&mut self, model: &Model, test: &Test) {
        let TestKind::Holds { expression, .. } = test.kind else { return };
        let test = relevant(model, test);
        let is_open = test.bindings.iter().any(|(_, b)| matches!(b, Binding::Any(..)));
        if !is_open && !matches!(model.expressions[expression], Expression::At(..)) {
            let kind = TestKind::Holds { expression, negated: false };
            self.tests.insert(Test { kind, bindings: test.bindings });
        }
    }
}

/// A test without bindings that it does not read, so that equal tests are equal.
pub(crate) fn relevant(model: &Model, test: &Test) -> Test {
    let mut walk = Footprints::walk(model);
    for root in roots(test) {
        walk.evaluate(root);
    }
    let mut test = test.clone();
    test.bindings.retain(|(local, _)| walk.domain.found.locals.contains(*local));
    test
}

/// The expressions that a test evaluates.
pub(crate) fn roots(test: &Test) -> Vec<ExpressionId> {
    match &test.kind {
        TestKind::Holds { expression, .. } => vec![*expression],
        TestKind::Chooses { indices, .. } => {
            indices.iter().map(|index: &PlaceIndex| index.value).collect()
        }
    }
}

/// The numbers of literals: where processes are, then data, then clocks. A literal and its negation
/// follow one another.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// By process, the number of its first location.
    first: Vec<u32>,
    pub(crate) data: u32,
    pub(crate) clocks: u32,
    end: u32,
}

impl Layout {
    pub(crate) fn new(model: &Model, predicates: &Predicates) -> Self {
        let mut first = Vec::new();
        let mut next = 0;
        for process in &model.processes {
            first.push(next);
            next += process.locations.len() as u32;
        }
        let clocks = next + 2 * predicates.data.len() as u32;
        Self { first, data: next, clocks, end: clocks + 2 * predicates.clocks.len() as u32 }
    }

    /// That a process is in a location.
    pub(crate) fn at(&self, process: usize, location: u32) -> u32 {
        self.first[process] + location
    }

    pub(crate) fn words(&self) -> usize {
        self.end.div_ceil(64) as usize
    }

    /// The number of processes.
    pub(crate) fn processes(&self) -> usize {
        self.first.len()
    }
}
