//! Evaluation by the interpreter on single valuations, and all valuations of a box.

use crate::program::{Random, SELECT};
use zonaut_base::Id;
use zonaut_model::interpret::{ClockEffect, Interpreter, RunTimeError};
use zonaut_model::{CellId, ExpressionId, Model, Storage};

/// Maximum number of steps of one evaluation.
pub(crate) const BUDGET: u64 = 20_000;

/// A state, and the value of the select variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Valuation {
    pub(crate) location: usize,
    pub(crate) cells: Vec<i32>,
    pub(crate) select: i32,
}

/// The result of an evaluation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Evaluated {
    pub(crate) value: i32,
    pub(crate) cells: Vec<i32>,
    pub(crate) effects: Vec<(usize, Option<i32>, usize)>,
}

/// Evaluates `id`.
pub(crate) fn interpreted(
    model: &Model,
    valuation: &Valuation,
    id: ExpressionId,
) -> Result<Evaluated, RunTimeError> {
    let mut interpreter = Interpreter::new(model, BUDGET);
    interpreter.cells.clone_from(&valuation.cells);
    interpreter.locations = vec![Id::from_index(valuation.location)];
    interpreter.set_local(Id::from_index(SELECT), valuation.select);
    let value = interpreter.evaluate(id)?;
    let effect = |effect: &ClockEffect| match *effect {
        ClockEffect::Set(clock, value) => (clock.index(), Some(value), 0),
        ClockEffect::Copy(clock, from) => (clock.index(), None, from.index()),
    };
    let effects = interpreter.clock_effects.iter().map(effect).collect();
    Ok(Evaluated { value, cells: interpreter.cells, effects })
}

/// A set of values for every location, cell and select variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sets {
    pub(crate) locations: Vec<i32>,
    pub(crate) cells: Vec<Vec<i32>>,
    pub(crate) select: Vec<i32>,
}

impl Sets {
    /// Random subsets of the declared ranges; intervals, if `convex`.
    pub(crate) fn random(model: &Model, random: &mut Random, convex: bool) -> Self {
        let mut subset = |low: i32, high: i32| {
            let start = random.between(low, high);
            let end = if random.chance(40) { start } else { random.between(start, high) };
            let keeps = |random: &mut Random| convex || random.chance(60);
            let mut values = vec![start];
            values.extend((start + 1..=end).filter(|_| keeps(random)));
            values
        };
        let locations = subset(0, 1);
        let cells = model.cells.iter().map(|cell| subset(cell.range.low, cell.range.high));
        let cells = cells.collect();
        let select = subset(0, 2);
        Self { locations, cells, select }
    }

    /// All tuples of values.
    pub(crate) fn valuations(&self) -> Vec<Valuation> {
        let mut all = Vec::new();
        for &location in &self.locations {
            for &select in &self.select {
                let cells = Vec::new();
                all.push(Valuation { location: location as usize, cells, select });
            }
        }
        for values in &self.cells {
            let extended = all.iter().flat_map(|valuation| {
                values.iter().map(|&value| {
                    let mut valuation = valuation.clone();
                    valuation.cells.push(value);
                    valuation
                })
            });
            all = extended.collect();
        }
        all
    }

    /// The content of an address before evaluation; `None` for temporary storage without a value.
    pub(crate) fn of(&self, address: Storage) -> Option<&[i32]> {
        match address {
            Storage::Cell(cell) => Some(&self.cells[cell.index()]),
            Storage::Local(local) if local.index() == SELECT => Some(&self.select),
            _ => None,
        }
    }
}

/// All cells.
pub(crate) fn cells(model: &Model) -> impl Iterator<Item = CellId> {
    model.cells.ids()
}
