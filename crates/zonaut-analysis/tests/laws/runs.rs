//! Runs are exactly the evaluations of all tuples.

use crate::concrete::{Sets, Valuation, interpreted};
use crate::program::{Program, Random, SELECT};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use zonaut_analysis::VariableId;
use zonaut_analysis::normal_form::Binding;
use zonaut_analysis::runs::{Choices, Limits, Outcome, Runs};
use zonaut_base::Id;

struct Tuples<'s>(&'s Sets);

impl Tuples<'_> {
    fn set(&self, variable: VariableId) -> &[i32] {
        match variable.index() {
            0 => &self.0.locations,
            cell => &self.0.cells[cell - 1],
        }
    }
}

impl Choices for Tuples<'_> {
    fn count(&self, variable: VariableId) -> Option<u32> {
        Some(self.set(variable).len() as u32)
    }
    fn value(&self, variable: VariableId, position: u32) -> i32 {
        self.set(variable)[position as usize]
    }
}

const LIMITS: Limits = Limits { runs: 1 << 16, steps: 1 << 18 };

#[test]
fn runs_have_exactly_the_values_of_all_tuples() {
    let (mut complete, mut failing) = (0, 0);
    for seed in 0..500 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let mut sets = Sets::random(model, &mut Random(seed ^ 0x1234), false);
        sets.select.truncate(2);
        let ends = (sets.select[0], sets.select[sets.select.len() - 1]);
        sets.select = (ends.0..=ends.1).collect();
        let bindings = vec![(Id::from_index(SELECT), Binding::Any(ends.0, ends.1))];
        let mut found = BTreeSet::new();
        let mut runs = Runs::new(model, LIMITS);
        let outcome = runs.for_each(&Tuples(&sets), &bindings, |walk| {
            let value = walk.evaluate(id)?;
            let written: Vec<_> = walk.written().map(|(v, value)| (v.index(), value)).collect();
            let chosen = walk.choices().map(|(v, k)| (v.index(), Tuples(&sets).set(v)[k as usize]));
            found.insert((chosen.collect::<Vec<_>>(), value, written));
            Some(ControlFlow::Continue(()))
        });
        let Outcome::Complete { failed } = outcome else { continue };
        complete += 1;
        failing += u32::from(failed);
        let mut fails = false;
        let mut tuples = BTreeSet::new();
        for valuation in sets.valuations() {
            let Ok(left) = interpreted(model, &valuation, id) else {
                fails = true;
                continue;
            };
            // The run of this tuple: its choices agree with the tuple.
            let mut is_found = false;
            let agreeing = found.iter().filter(|(chosen, value, written)| {
                let agrees = |&(variable, value): &(usize, i32)| match variable {
                    0 => value == valuation.location as i32,
                    cell => value == valuation.cells[cell - 1],
                };
                chosen.iter().all(agrees)
                    && *value == left.value
                    && after(&valuation, written) == left.cells
            });
            for run in agreeing {
                is_found = true;
                tuples.insert(run.clone());
            }
            assert!(is_found, "{seed}: {valuation:?} {left:?} {found:?}");
        }
        assert_eq!(fails, failed, "{seed}");
        assert_eq!(tuples, found, "{seed}");
    }
    assert!(complete > 400 && failing > 50, "{complete} {failing}");
}

fn after(valuation: &Valuation, written: &[(usize, i32)]) -> Vec<i32> {
    let mut cells = valuation.cells.clone();
    written.iter().for_each(|&(variable, value)| cells[variable - 1] = value);
    cells
}

#[test]
fn evaluations_beyond_the_limit_are_unknown() {
    let mut unknown = 0;
    for seed in 0..300 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let sets = Sets::random(&program.model, &mut Random(seed), true);
        let mut runs = Runs::new(&program.model, Limits { runs: 3, steps: 40 });
        let mut count = 0;
        let outcome = runs.for_each(&Tuples(&sets), &Vec::new(), |walk| {
            count += 1;
            walk.evaluate(id).map(|_| ControlFlow::Continue(()))
        });
        assert!(count <= 3);
        unknown += u32::from(outcome == Outcome::Unknown);
    }
    assert!(unknown > 20, "{unknown}");
}
