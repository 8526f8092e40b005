//! Infima and suprema of expressions, by enumeration of all states.
//!
//! A clock is followed up to a ceiling far above all constants of a small model. Values above it
//! count as unbounded: in a small model, a clock that gets this far can grow without bound.

use super::explore::{FiniteClocks, Learnt, Limits};
use super::maximal::holding;
use crate::network::{Machine, State};
use zonaut_base::Id;
use zonaut_model::{CellId, ClockId, Formula, Model};

/// The infimum or supremum of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extreme {
    /// Some state has this value.
    Attained(i64),
    /// Values come arbitrarily close; no state has this value.
    Approached(i64),
    /// There are arbitrarily large values.
    Unbounded,
}

/// The extreme values of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremes {
    /// All states were enumerated.
    Decided {
        /// The infimum and the supremum; `None` if the formula holds nowhere.
        range: Option<(Extreme, Extreme)>,
        /// Whether a run-time error is reachable.
        fails: bool,
    },
    /// The oracle cannot decide it.
    Unknown,
}

/// The value of a clock in some state: its integer part, and whether its fractional part is
/// positive; `None` above the ceiling.
pub(super) type Reading = Option<(i32, bool)>;

/// Clock representations with readable values.
pub(super) trait ReadableClocks: FiniteClocks {
    /// The value of a clock.
    fn read(&self, values: &[i32], clock: ClockId) -> Reading;
}

/// The values of a clock in all states where `formula` holds.
pub(super) fn clock_extremes<C: ReadableClocks>(
    model: &Model,
    formula: &Formula,
    clock: ClockId,
    clocks: C,
    limits: Limits,
) -> Extremes {
    let mut found: Option<((i32, bool), Reading)> = None;
    let note = |machine: &Machine<'_, C>, state: &State<i32>| {
        // The supremum is unknown once a value is above the ceiling.
        let reading = machine.clocks.read(&state.clocks, clock);
        let ceiling = (i32::MAX, true);
        let (least, greatest) = found.get_or_insert((reading.unwrap_or(ceiling), reading));
        *least = (*least).min(reading.unwrap_or(ceiling));
        *greatest = greatest.zip(reading).map(|(one, other)| one.max(other));
    };
    let Some(fails) = survey(model, formula, clocks, limits, note) else {
        return Extremes::Unknown;
    };
    let range = found.map(|((least, is_above), greatest)| {
        let low = i64::from(least);
        let least = if is_above { Extreme::Approached(low) } else { Extreme::Attained(low) };
        let greatest = match greatest {
            None => Extreme::Unbounded,
            Some((high, true)) => Extreme::Approached(i64::from(high) + 1),
            Some((high, false)) => Extreme::Attained(high.into()),
        };
        (least, greatest)
    });
    Extremes::Decided { range, fails }
}

/// The contents of a cell in all states where `formula` holds.
pub(super) fn cell_extremes<C: FiniteClocks>(
    model: &Model,
    formula: &Formula,
    cell: CellId,
    clocks: C,
    limits: Limits,
) -> Extremes {
    let mut found: Option<(i32, i32)> = None;
    let note = |_: &Machine<'_, C>, state: &State<i32>| {
        let value = state.cells[cell.index()];
        let (least, greatest) = found.get_or_insert((value, value));
        (*least, *greatest) = ((*least).min(value), (*greatest).max(value));
    };
    let Some(fails) = survey(model, formula, clocks, limits, note) else {
        return Extremes::Unknown;
    };
    let attained = |value: i32| Extreme::Attained(value.into());
    let range = found.map(|(least, greatest)| (attained(least), attained(greatest)));
    Extremes::Decided { range, fails }
}

/// Visits every state where `formula` holds, once the clocks are represented precisely enough;
/// returns whether a run-time error is reachable.
fn survey<C: FiniteClocks>(
    model: &Model,
    formula: &Formula,
    clocks: C,
    limits: Limits,
    mut note: impl FnMut(&Machine<'_, C>, &State<i32>),
) -> Option<bool> {
    if model.has_rates() {
        return None;
    }
    let mut machine = Machine::new(model, clocks);
    loop {
        let (states, fails) = holding(&mut machine, formula, limits)?;
        match machine.clocks.learn() {
            Learnt::Enough => {
                states.iter().for_each(|state| note(&machine, state));
                return Some(fails);
            }
            Learnt::NoRoom => return None,
            Learnt::More => {}
        }
    }
}
