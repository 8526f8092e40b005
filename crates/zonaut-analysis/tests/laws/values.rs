//! Intervals and value sets contain the values of the interpreter, and its failures.

use crate::concrete::{BUDGET, Sets, cells, interpreted};
use crate::program::{Program, Random};
use zonaut_analysis::interval::{Contents, Declared, Intervals};
use zonaut_analysis::value_set::{SetContents, ValueSet, ValueSets};
use zonaut_analysis::{Domain, Failure, FailureKind, Overlay, Truth, Walk};
use zonaut_base::Id;
use zonaut_model::interval::{Interval, TRUTH, only};
use zonaut_model::{ExpressionId, LocationId, Model, ProcessId, Storage};

/// Contents by sets.
#[derive(Clone, Debug)]
pub(crate) struct BySets<'m> {
    pub(crate) declared: Declared<'m>,
    pub(crate) sets: Sets,
}

impl Contents for BySets<'_> {
    fn of(&mut self, address: Storage) -> Interval {
        match self.sets.of(address) {
            Some(values) => (only(values[0]).0, only(values[values.len() - 1]).1),
            None => self.declared.of(address),
        }
    }
    fn at(&mut self, _: ProcessId, location: LocationId) -> Interval {
        let is_there = self.sets.locations.contains(&(location.index() as i32));
        match (is_there, self.sets.locations.len()) {
            (false, _) => only(0),
            (true, 1) => only(1),
            _ => TRUTH,
        }
    }
}

impl SetContents for BySets<'_> {
    fn of(&mut self, address: Storage) -> ValueSet {
        match self.sets.of(address) {
            Some(values) => ValueSet::Few(values.to_vec()),
            None => ValueSet::Between(self.declared.of(address)),
        }
    }
    fn at(&mut self, process: ProcessId, location: LocationId) -> ValueSet {
        match Contents::at(self, process, location) {
            (0, 1) => ValueSet::Few(vec![0, 1]),
            (value, _) => ValueSet::only(value as i32),
        }
    }
}

/// Membership of a number in the concretisation of a value.
pub(crate) trait Stands: Domain {
    fn stands_for(&self, value: &Self::Value, number: i32) -> bool {
        let (low, high) = self.span(value);
        (low..=high).contains(&number) && self.may_be(value, number)
    }
}

impl<C: Contents> Stands for Intervals<'_, C> {}
impl<C: SetContents> Stands for ValueSets<'_, C> {}

/// Coverage counters, which show that the test is meaningful.
#[derive(Default, Debug)]
pub(crate) struct Seen {
    pub(crate) valuations: u32,
    pub(crate) failures: u32,
    pub(crate) decided: u32,
    pub(crate) hopeless: u32,
    pub(crate) safe: u32,
    /// Whether walks are aborted early, so that a failure may stand for others.
    pub(crate) gives_up: bool,
}

/// Compares the walk with the interpreter on all valuations; returns the first difference.
pub(crate) fn counterexample<D: Stands>(
    model: &Model,
    sets: &Sets,
    domain: D,
    memory: D::Memory,
    id: ExpressionId,
    seen: &mut Seen,
) -> Option<String> {
    let mut walk = Walk::new(model, domain, memory).with_budget(BUDGET);
    let value = walk.evaluate(id);
    seen.safe += u32::from(walk.failures().is_empty());
    seen.hopeless += u32::from(value.is_none());
    let truth = value.as_ref().map(|value| walk.domain.truth(value));
    seen.decided += u32::from(truth.is_some_and(|truth| truth != Truth::Either));
    if value.is_none() && walk.failures().is_empty() {
        return Some("neither a value nor a failure".to_owned());
    }
    for valuation in sets.valuations() {
        seen.valuations += 1;
        match interpreted(model, &valuation, id) {
            Err(error) => {
                seen.failures += 1;
                let failure = Failure::from(error);
                let may_exceed =
                    || walk.failures().iter().any(|known| known.kind == FailureKind::Budget);
                let is_foreseen = walk.failures().contains(&failure)
                    || ((failure.kind == FailureKind::Budget || seen.gives_up) && may_exceed());
                if !is_foreseen {
                    return Some(format!("{valuation:?} fails: {error:?}"));
                }
            }
            Ok(left) => {
                let Some(value) = &value else {
                    return Some(format!("{valuation:?} succeeds: {left:?}"));
                };
                if !walk.domain.stands_for(value, left.value) {
                    return Some(format!("{valuation:?} has {left:?}, not {value:?}"));
                }
                for cell in cells(model) {
                    let content = walk.domain.load(&walk.memory, Storage::Cell(cell))?;
                    if !walk.domain.stands_for(&content, left.cells[cell.index()]) {
                        return Some(format!(
                            "{valuation:?} leaves {left:?}: {cell:?} {content:?}"
                        ));
                    }
                }
            }
        }
    }
    None
}

fn check(seeds: std::ops::Range<u64>, convex: bool, most: Option<usize>) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        assert_eq!(program.model.validate(), Ok(()), "{seed}");
        let model = &program.model;
        let sets = Sets::random(model, &mut Random(seed ^ 0xabcd), convex);
        let contents = BySets { declared: Declared(model), sets: sets.clone() };
        let memory = Overlay::default();
        let found = match most {
            None => {
                let domain = Intervals::new(model, contents);
                counterexample(model, &sets, domain, memory, id, &mut seen)
            }
            Some(most) => {
                let domain = ValueSets::new(model, contents, most);
                counterexample(model, &sets, domain, Overlay::default(), id, &mut seen)
            }
        };
        assert_eq!(found, None, "seed {seed}: {id:?} of {model:#?}");
    }
    seen
}

#[test]
fn aborted_walks_are_sound() {
    let mut seen = Seen { gives_up: true, ..Seen::default() };
    for seed in 0..3000 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let sets = Sets::random(model, &mut Random(seed ^ 0xabcd), true);
        let contents = BySets { declared: Declared(model), sets: sets.clone() };
        let domain = Intervals::new(model, contents).with_patience(seed % 40);
        let found = counterexample(model, &sets, domain, Overlay::default(), id, &mut seen);
        assert_eq!(found, None, "seed {seed}: {id:?} of {model:#?}");
    }
    assert!(seen.failures > 1000 && seen.safe > 300, "{seen:?}");
}

fn is_interesting(seen: &Seen) {
    assert!(seen.failures > 1000 && seen.failures < seen.valuations / 2, "{seen:?}");
    assert!(seen.decided > 100 && seen.hopeless > 20 && seen.safe > 300, "{seen:?}");
}

#[test]
fn intervals_contain_every_value_and_failure() {
    is_interesting(&check(0..4000, true, None));
}

#[test]
fn value_sets_contain_every_value_and_failure() {
    is_interesting(&check(0..2000, false, Some(8)));
}

#[test]
fn value_sets_that_fall_back_to_intervals_are_sound() {
    is_interesting(&check(0..2000, false, Some(2)));
}

#[test]
fn single_valuations_are_decided_like_the_interpreter_decides_them() {
    for seed in 0..2000 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let mut sets = Sets::random(model, &mut Random(seed), true);
        let first = |values: &mut Vec<i32>| values.truncate(1);
        first(&mut sets.locations);
        first(&mut sets.select);
        sets.cells.iter_mut().for_each(first);
        let valuation = sets.valuations().remove(0);
        let domain = Intervals::new(model, BySets { declared: Declared(model), sets });
        let mut walk = Walk::new(model, domain, Overlay::default()).with_budget(BUDGET);
        let value = walk.evaluate(id);
        let is_open = walk.failures().iter().any(|failure| failure.kind == FailureKind::Budget)
            || model.expressions.iter().any(|e| {
                matches!(
                e, zonaut_model::Expression::Quantifier { low, high, .. } if high - low > 500)
            })
            || has_long_iteration(model);
        if is_open {
            continue;
        }
        let expected = interpreted(model, &valuation, id).ok().map(|left| only(left.value));
        assert_eq!(value, expected, "seed {seed}: {id:?} of {model:#?}");
        assert_eq!(walk.failures().is_empty(), expected.is_some(), "seed {seed}");
    }
}

/// Whether a loop has more rounds than domains unroll.
fn has_long_iteration(model: &Model) -> bool {
    format!("{:?}", model.functions).contains("high: 700")
}
