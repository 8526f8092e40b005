//! Footprints: no other symbol is read or written, and unrelated symbols do not affect the result.

use crate::concrete::{Evaluated, Sets, Valuation, interpreted};
use crate::program::{Program, Random, SELECT};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use zonaut_analysis::Symbols;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::normal_form::Binding;
use zonaut_analysis::runs::{Exactly, Limits, Outcome, Runs};
use zonaut_base::Id;
use zonaut_model::{CellId, ExpressionId, Model};

/// The results of the evaluation on all valuations.
fn outcomes(model: &Model, sets: &Sets, id: ExpressionId) -> Vec<(Valuation, Option<Evaluated>)> {
    let all = sets.valuations().into_iter();
    all.map(|v| (v.clone(), interpreted(model, &v, id).ok())).collect()
}

/// The part of a valuation for these symbols.
fn part(valuation: &Valuation, symbols: &Symbols) -> (Option<usize>, Vec<i32>, i32) {
    let location = (!symbols.processes.is_empty()).then_some(valuation.location);
    let cells = symbols.cells.iter().map(|cell: CellId| valuation.cells[cell.index()]).collect();
    (location, cells, valuation.select)
}

#[test]
fn unread_symbols_are_irrelevant_and_unwritten_ones_are_unchanged() {
    for seed in 0..1500 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let sets = Sets::random(model, &mut Random(seed ^ 0x77), true);
        let mut walk = Footprints::walk(model);
        walk.evaluate(id);
        let found = &walk.domain.found;
        let mut known: BTreeMap<_, _> = BTreeMap::new();
        for (valuation, left) in outcomes(model, &sets, id) {
            if let Some(left) = &left {
                for cell in model.cells.ids().filter(|&cell| !found.writes.cells.contains(cell)) {
                    let (before, after) = (valuation.cells[cell.index()], left.cells[cell.index()]);
                    assert_eq!(before, after, "{seed}: {cell:?}");
                }
                for &(clock, value, from) in &left.effects {
                    assert!(found.writes.clocks.contains(Id::from_index(clock)), "{seed}");
                    let is_read = found.reads.clocks.contains(Id::from_index(from));
                    assert!(value.is_some() || is_read, "{seed}");
                }
            }
            // Its failure, its value and its writes depend on the symbols it reads only.
            let written = left.map(|left| {
                let cells = found.writes.cells.iter();
                let changed = cells.map(|cell: CellId| {
                    let (before, after) = (valuation.cells[cell.index()], left.cells[cell.index()]);
                    (before != after).then_some(after)
                });
                (left.value, left.effects, changed.flatten().count())
            });
            let outcome = written.map(|(value, effects, _)| (value, effects));
            let before = known.insert(part(&valuation, &found.reads), outcome.clone());
            assert!(before.is_none_or(|before| before == outcome), "{seed}: {valuation:?}");
        }
    }
}

#[test]
fn values_depend_only_on_their_data_flow() {
    let mut narrow = 0;
    for seed in 0..1500 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let sets = Sets::random(model, &mut Random(seed ^ 0x99), true);
        let mut walk = Footprints::walk(model);
        walk.evaluate(id);
        let outcomes = outcomes(model, &sets, id);
        for (target, from) in walk.memory.flows() {
            let Some(cell) = target.cells.iter().next() else { continue };
            narrow += u32::from(from.cells.len() < walk.domain.found.reads.cells.len());
            let mut known: BTreeMap<_, _> = BTreeMap::new();
            for (valuation, left) in &outcomes {
                let Some(left) = left else { continue };
                let after = left.cells[cell.index()];
                let before = known.insert(part(valuation, from), after);
                assert!(before.is_none_or(|before| before == after), "{seed}: {cell:?}");
            }
        }
    }
    assert!(narrow > 150, "{narrow}");
}

#[test]
fn runs_stay_within_their_footprint_and_perform_all_certain_writes() {
    let mut certain = 0;
    for seed in 0..1500 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let sets = Sets::random(model, &mut Random(seed ^ 0x55), true);
        let mut walk = Footprints::walk(model);
        walk.evaluate(id);
        let found = &walk.domain.found;
        certain += walk.memory.written().cells.len();
        let mut runs = Runs::new(model, Limits { runs: 2, steps: 1 << 14 });
        for valuation in sets.valuations().into_iter().take(50) {
            let mut values = vec![valuation.location as i32];
            values.extend(&valuation.cells);
            let bindings = vec![(Id::from_index(SELECT), Binding::Value(valuation.select))];
            let outcome = runs.for_each(&Exactly(&values), &bindings, |walk_of_run| {
                walk_of_run.evaluate(id)?;
                let cells = walk_of_run.written().map(|(v, _)| CellId::from_index(v.index() - 1));
                let written = Symbols { cells: cells.collect(), ..Symbols::default() };
                assert!(written.is_within(&found.writes), "{seed}");
                assert!(walk.memory.written().cells.is_within(&written.cells), "{seed}");
                for (variable, _) in walk_of_run.choices() {
                    let is_read = match variable.index().checked_sub(1) {
                        None => !found.reads.processes.is_empty(),
                        Some(cell) => found.reads.cells.contains(CellId::from_index(cell)),
                    };
                    assert!(is_read, "{seed}: {variable:?}");
                }
                Some(ControlFlow::Continue(()))
            });
            assert_ne!(outcome, Outcome::Stopped);
        }
    }
    assert!(certain > 250, "{certain}");
}
