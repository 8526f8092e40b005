//! The predicates of an abstraction, and the numbers of their literals.

use crate::difference::{Difference, Reader};
use crate::goal::Disjunct;
use crate::table::{Domains, Table, Tabulator, TestTables};
use std::collections::{BTreeMap, BTreeSet};
use zonaut_analysis::action::Action;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::normal_form::{Binding, Bindings, Condition, Test, TestKind};
use zonaut_analysis::runs::{Choices, RunWalk};
use zonaut_analysis::{Domain, Meaning, Symbols, VariableId, Variables};
use zonaut_base::Id;
use zonaut_compile::ClockRow;
use zonaut_dbm::ConstantBound;
use zonaut_model::{Expression, ExpressionId, Model, PlaceIndex, Storage};

/// The choice of predicates of an abstraction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Vocabulary {
    /// The locations of processes only.
    Locations,
    /// All conditions of guards, invariants and the goal.
    #[default]
    Text,
    /// Locations first, then predicates that exclude infeasible abstract paths to the goal.
    Refined(Learning),
}

/// The options of refinement by infeasible abstract paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Learning {
    /// The number of refinement rounds.
    pub rounds: Rounds,
    /// The paths that are examined in a round.
    pub paths: PathChoice,
    /// The predicates that a path yields.
    pub lesson: LessonKind,
    /// The distance from the goal up to which the predicates of the text are used as well.
    pub perimeter: u32,
}

impl From<Rounds> for Learning {
    /// The default refinement with these rounds.
    fn from(rounds: Rounds) -> Self {
        Self { rounds, paths: PathChoice::default(), lesson: LessonKind::default(), perimeter: 0 }
    }
}

/// The choice of abstract paths in a refinement round.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PathChoice {
    /// One shortest path.
    One,
    /// All shortest paths.
    All,
    /// Of all shortest paths, those that the most frequent set of predicates excludes.
    #[default]
    Most,
}

/// The predicates that an infeasible path yields.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LessonKind {
    /// The condition that does not hold where the path gets stuck, and its pre-images under the
    /// earlier steps.
    #[default]
    Needed,
    /// The guards that do not hold along the path.
    Guards,
}

/// The end of refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// At most this many rounds.
    AtMost(u32),
    /// Until the shortest abstract path, if infeasible, is no longer than in the round before; that
    /// round is discarded.
    WhileGrowing,
}

/// The definition of a data predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A test of the text.
    Test(Test),
    /// Its table alone.
    Values,
}

/// A predicate over data, with its literals as tables.
#[derive(Clone, Debug)]
pub(crate) struct DataPredicate {
    pub(crate) source: Source,
    pub(crate) holds: Table,
    pub(crate) fails: Table,
}

/// All predicates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    pub(crate) data: Vec<DataPredicate>,
    pub(crate) clocks: Vec<Difference>,
}

/// The source text that predicates are taken from.
pub(crate) struct SourceText<'a> {
    pub(crate) model: &'a Model,
    /// By process, whether its text is included.
    pub(crate) is_inside: &'a [bool],
    /// The actions of these processes.
    pub(crate) actions: &'a [&'a Action],
    pub(crate) goal: &'a [Disjunct],
}

/// All conditions in the text of a model and a goal.
#[derive(Default)]
struct Mentioned {
    tests: BTreeSet<Test>,
    differences: BTreeSet<Difference>,
    /// Clocks, and the lower bounds that guards require of them.
    waits: BTreeSet<(ClockRow, i32)>,
    /// By clock, the greatest upper bound by the invariants of a process.
    limits: BTreeMap<ClockRow, i32>,
}

/// The maximal number of rounds of a shorter clock within one wait that have a predicate.
const ROUNDS: i32 = 4;

impl Predicates {
    /// All conditions in the text of some processes and a goal.
    pub(crate) fn of_text(
        said: &SourceText<'_>,
        reader: Reader<'_>,
        tabulator: &mut Tabulator<'_>,
    ) -> Self {
        let mut mentioned = Mentioned::default();
        mentioned.add_processes(said, reader);
        for disjunct in said.goal {
            disjunct.tests.iter().for_each(|test| mentioned.add_test(said.model, test));
            let canonical = disjunct.differences.iter().map(|d| d.canonical().0);
            mentioned.differences.extend(canonical);
        }
        mentioned.add_waits();
        let clocks = mentioned.differences.into_iter().collect();
        let tests = mentioned.tests.into_iter();
        let data = tests.filter_map(|test| {
            let TestTables { holds, fails } =
                tabulator.ask(&test.bindings, |walk| walk.satisfies(&test))?;
            // A literal that is constant carries no information.
            let is_informative = !holds.is_trivial() && !holds.is_impossible();
            is_informative.then_some(DataPredicate { source: Source::Test(test), holds, fails })
        });
        Self { data: data.collect(), clocks }
    }
}

impl DataPredicate {
    /// The predicate that a table describes exactly.
    pub(crate) fn of_values(holds: Table) -> Self {
        Self { source: Source::Values, fails: holds.negated(), holds }
    }

    /// The symbols that it reads.
    pub(crate) fn reads(&self, model: &Model) -> Symbols {
        match &self.source {
            Source::Test(test) => {
                let mut walk = Footprints::walk(model);
                roots(test).into_iter().for_each(|root| {
                    walk.evaluate(root);
                });
                walk.domain.found.reads
            }
            Source::Values => {
                let variables = Variables::new(model);
                let mut reads = Symbols::default();
                for &(variable, _) in &self.holds.inputs {
                    match variables.meaning(VariableId::from_index(variable as usize)) {
                        Meaning::Process(process) => reads.processes.insert(process),
                        Meaning::Cell(cell) => reads.cells.insert(cell),
                    };
                }
                reads
            }
        }
    }

    /// Whether it holds in a run. Returns `None` if evaluation fails or depends on unknown values.
    pub(crate) fn ask<S: Choices>(
        &self,
        walk: &mut RunWalk<'_, '_, S>,
        domains: &Domains,
    ) -> Option<bool> {
        if let Source::Test(test) = &self.source {
            return walk.satisfies(test);
        }
        let variables = Variables::new(walk.model());
        let mut row = 0;
        for &(variable, stride) in &self.holds.inputs {
            let variable_id = VariableId::from_index(variable as usize);
            let Meaning::Cell(cell) = variables.meaning(variable_id) else { return None };
            let value = walk.domain.load(&walk.memory, Storage::Cell(cell))?;
            row += domains.position(variable, value)? * stride;
        }
        Some(self.holds.may[row as usize])
    }

    /// The values of bound variables.
    pub(crate) fn bindings(&self) -> Bindings {
        match &self.source {
            Source::Test(test) => test.bindings.clone(),
            Source::Values => Bindings::new(),
        }
    }
}

impl Predicates {
    /// Adds new predicates. Returns whether there were any.
    pub(crate) fn extend(&mut self, tables: Vec<Table>, differences: Vec<Difference>) -> bool {
        let before = (self.data.len(), self.clocks.len());
        for table in tables {
            let is_known =
                self.data.iter().any(|known| known.holds == table || known.fails == table);
            if !is_known && !table.is_trivial() && !table.is_impossible() {
                self.data.push(DataPredicate::of_values(table));
            }
        }
        for difference in differences {
            let (difference, _) = difference.canonical();
            if !self.clocks.contains(&difference) {
                self.clocks.push(difference);
            }
        }
        before != (self.data.len(), self.clocks.len())
    }
}

impl Mentioned {
    fn add_processes(&mut self, said: &SourceText<'_>, reader: Reader<'_>) {
        let model = said.model;
        for action in said.actions {
            self.add_condition(model, &action.guard);
            for constraint in &action.edge(model).guard.clocks {
                let said = reader.read(constraint, &action.bindings).differences;
                let lower = said.iter().filter(|d| d.x == 0).map(|d| (d.y, -d.bound.value()));
                self.waits.extend(lower);
                self.differences.extend(said.into_iter().map(|d| d.canonical().0));
            }
        }
        let processes = model.processes.iter().zip(said.is_inside).filter(|(_, inside)| **inside);
        for location in processes.flat_map(|(process, _)| &process.locations) {
            if let Some(data) = location.invariant.data {
                let none = Bindings::new();
                let invariant = Condition::of_expression(&model.expressions, data, false, &none);
                self.add_condition(model, &invariant);
            }
            for constraint in &location.invariant.clocks {
                let said = reader.read(constraint, &Bindings::new()).differences;
                for upper in said.iter().filter(|d| d.y == 0) {
                    let limit = self.limits.entry(upper.x).or_insert(0);
                    *limit = upper.bound.value().max(*limit);
                }
                self.differences.extend(said.into_iter().map(|d| d.canonical().0));
            }
        }
    }

    /// Adds predicates that follow from a guard and an invariant together. If a guard waits until
    /// `y >= c`, and an invariant `z <= d` ends each round of a shorter clock, then `y - z >= c -
    /// d` holds at the end of the wait, `y - z >= c - 2 d` one round before, and so on. Time
    /// changes no difference, so these predicates count the remaining rounds, which the conditions
    /// of the text cannot.
    fn add_waits(&mut self) {
        for &(y, wait) in &self.waits {
            let shorter = self.limits.iter().filter(|&(&z, &d)| z != y && 0 < d && d < wait);
            for (&z, &limit) in shorter {
                let ahead =
                    (1..=ROUNDS).map(|round| wait.saturating_sub(limit.saturating_mul(round)));
                // The invariant excludes lower differences.
                let possible = ahead.take_while(|&ahead| -limit < ahead);
                let apart = possible.map(|ahead| {
                    Difference { x: z, y, bound: ConstantBound::le(-ahead) }.canonical().0
                });
                self.differences.extend(apart);
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

    /// Adds a test without its sign. Tests of channels and of locations, and tests with unbound
    /// variables, are no predicates.
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

/// The numbers of literals: locations, then data, then clocks. A literal and its negation are
/// adjacent.
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

    /// The literal that a process is in a location.
    pub(crate) fn at(&self, process: usize, location: u32) -> u32 {
        self.first[process] + location
    }

    /// How many literals there are.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    pub(crate) fn words(&self) -> usize {
        self.end.div_ceil(64) as usize
    }

    /// The number of processes.
    pub(crate) fn processes(&self) -> usize {
        self.first.len()
    }
}
