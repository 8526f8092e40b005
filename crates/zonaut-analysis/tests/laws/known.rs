//! Partial valuations: a result holds for all valuations that agree on the symbols that were read.

use crate::concrete::{Sets, Valuation, interpreted};
use crate::program::{Program, Random, SELECT};
use zonaut_analysis::known::{self, Answer, Restricted, ask, minimal};
use zonaut_analysis::{Domain, Failure, FailureKind, Symbols, Truth};
use zonaut_base::Id;
use zonaut_model::interval::{Interval, only};
use zonaut_model::{CellId, ExpressionId, LocationId, Model, ProcessId, Storage};

/// A valuation of which some cells are known.
struct PartialState {
    valuation: Valuation,
    is_known: Vec<bool>,
    knows_location: bool,
}

impl known::Valuation for PartialState {
    fn cell(&self, cell: CellId) -> Option<Interval> {
        self.is_known[cell.index()].then(|| only(self.valuation.cells[cell.index()]))
    }
    fn location(&self, _: ProcessId) -> Option<LocationId> {
        self.knows_location.then(|| Id::from_index(self.valuation.location))
    }
}

impl PartialState {
    fn random(model: &Model, random: &mut Random) -> Self {
        let mut sets = Sets::random(model, random, true);
        sets.cells.iter_mut().for_each(|values| values.truncate(1));
        let valuation = sets.valuations().remove(0);
        let is_known = model.cells.iter().map(|_| random.chance(60)).collect();
        Self { valuation, is_known, knows_location: random.chance(50) }
    }

    /// Valuations that agree on these symbols: all of them, or a sample if there are too many.
    fn agreeing(&self, model: &Model, symbols: &Symbols) -> Vec<Valuation> {
        let cells = model.cells.iter_enumerated().map(|(id, cell)| {
            if symbols.cells.contains(id) {
                vec![self.valuation.cells[id.index()]]
            } else {
                (cell.range.low..=cell.range.high).collect()
            }
        });
        let locations = if symbols.processes.is_empty() {
            vec![0, 1]
        } else {
            vec![self.valuation.location as i32]
        };
        let select = vec![self.valuation.select];
        let all = Sets { locations, cells: cells.collect(), select }.valuations();
        let step = all.len() / 200 + 1;
        all.into_iter().step_by(step).collect()
    }
}

/// The value, the truth and the cells after the evaluation.
type After = (Interval, Truth, Vec<Interval>);

fn asked<P: known::Valuation>(
    model: &Model,
    partly: P,
    select: i32,
    id: ExpressionId,
) -> Answer<After> {
    ask(model, partly, |walk| {
        walk.bind(Id::from_index(SELECT), select);
        let value = walk.evaluate(id)?;
        let truth = walk.domain.truth(&value);
        let memory = walk.memory.clone();
        let cells = model.cells.ids();
        let after = cells.map(|cell| walk.domain.content(&memory, Storage::Cell(cell))).collect();
        Some((value, truth, after))
    })
}

#[test]
fn answers_hold_for_every_valuation_that_agrees_on_the_reads() {
    let (mut decided, mut partial) = (0, 0);
    for seed in 0..1500 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let partly = PartialState::random(model, &mut Random(seed));
        let select = partly.valuation.select;
        // Contents after the evaluation are not queried, so that the recorded reads are those of
        // the evaluation.
        let answer = ask(model, &partly, |walk| {
            walk.bind(Id::from_index(SELECT), select);
            let value = walk.evaluate(id)?;
            Some((value, walk.domain.truth(&value)))
        });
        let known = partly.is_known.iter().filter(|&&is_known| is_known).count();
        partial += u32::from(answer.read.cells.len() < known);
        for valuation in partly.agreeing(model, &answer.read) {
            match (interpreted(model, &valuation, id), &answer.answer) {
                (Err(error), _) => {
                    let failure = Failure::from(error);
                    let is_foreseen =
                        failure.kind == FailureKind::Budget || answer.failures.contains(&failure);
                    assert!(is_foreseen, "{seed}: {valuation:?} {error:?}");
                }
                (Ok(left), Some(((low, high), truth))) => {
                    let value = i64::from(left.value);
                    assert!(*low <= value && value <= *high, "{seed}: {valuation:?}");
                    decided += u32::from(*truth != Truth::Either);
                }
                (Ok(left), None) => panic!("{seed}: {valuation:?} {left:?}"),
            }
        }
    }
    assert!(decided > 10_000 && partial > 500, "{decided} {partial}");
}

#[test]
fn unread_symbols_are_irrelevant() {
    for seed in 0..1500 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let partly = PartialState::random(model, &mut Random(seed));
        let select = partly.valuation.select;
        let answer = asked(model, &partly, select, id);
        let again = asked(model, Restricted { valuation: &partly, to: &answer.read }, select, id);
        assert_eq!(answer, again, "{seed}");
    }
}

#[test]
fn a_minimal_reason_is_sufficient_and_irreducible() {
    let (mut refuted, mut smaller) = (0, 0);
    for seed in 0..3000 {
        let mut program = Program::new(seed);
        let id = program.expression(3);
        let model = &program.model;
        let partly = PartialState::random(model, &mut Random(seed));
        let select = partly.valuation.select;
        let is_refuted = |to: &Symbols| {
            let answer = ask(model, Restricted { valuation: &partly, to }, |walk| {
                walk.bind(Id::from_index(SELECT), select);
                walk.holds(id)
            });
            (answer.is_refuted(), answer.read)
        };
        let mut all = Symbols::default();
        all.cells.extend(&model.cells.ids().collect());
        all.processes.extend(&model.processes.ids().collect());
        let (true, read) = is_refuted(&all) else { continue };
        refuted += 1;
        let kept = minimal(&read, |symbols| is_refuted(symbols).0);
        smaller += u32::from(kept != read);
        assert!(kept.is_within(&read) && is_refuted(&kept).0, "{seed}");
        for cell in kept.cells.iter() {
            let mut less = kept.clone();
            less.cells.remove(cell);
            assert!(!is_refuted(&less).0, "{seed}: {cell:?}");
        }
        for valuation in partly.agreeing(model, &kept) {
            let left = interpreted(model, &valuation, id);
            assert_eq!(left.map(|left| left.value), Ok(0), "{seed}: {valuation:?}");
        }
    }
    assert!(refuted > 200 && smaller > 20, "{refuted} {smaller}");
}
