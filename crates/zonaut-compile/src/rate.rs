//! Compiled stopwatches.

use crate::ClockRow;
use crate::code::{CodeRef, Machine, Program};
use crate::condition::ClockRef;
use crate::sampling::TimeUse;
use crate::translate::Translator;
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{ExpressionId, Range, Rate};

/// The rates that clocks may have.
const RATES: Range = Range { low: 0, high: 1 };

/// A rate of a clock: 0 or 1, computed in the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompiledRate {
    condition: Option<CodeRef>,
    clock: ClockRef,
    rate: CodeRef,
    blame: ExpressionId,
    /// Whether the rate changes while time passes.
    pub(crate) is_curved: bool,
}

impl CompiledRate {
    /// The compiled rate; `None` if it has no effect.
    pub(crate) fn new(translator: &mut Translator<'_>, rate: &Rate) -> Option<Self> {
        let condition = match rate.condition {
            None => None,
            Some(condition) => match translator.constant(condition) {
                Some(0) => return None,
                Some(_) => None,
                None => Some(translator.expression(condition)),
            },
        };
        let clock = ClockRef::new(translator, &rate.clock);
        // A rate of constant 1 has no effect, unless the selection of the clock may fail.
        if translator.constant(rate.rate) == Some(1) && matches!(clock, ClockRef::Fixed(_)) {
            return None;
        }
        let blame = rate.rate;
        let time = TimeUse::of(translator.model);
        let is_curved =
            time.expression(rate.rate) || rate.condition.is_some_and(|c| time.expression(c));
        let code = match translator.has_reals() {
            true => translator.number_expression(rate.rate),
            false => translator.expression(rate.rate),
        };
        Some(Self { condition, clock, rate: code, blame, is_curved })
    }

    /// The clock and its rate, if the rate applies; compiled for sampling.
    pub(crate) fn number(
        &self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<Option<(ClockRow, f64)>, RunTimeError> {
        if let Some(condition) = self.condition
            && program.run(condition, values, machine)? == 0
        {
            return Ok(None);
        }
        let row = self.clock.row(program, values, machine)?;
        Ok(Some((row, program.run_real(self.rate, values, machine)?)))
    }

    /// The clock that it stops.
    pub(crate) fn stopped(
        &self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<Option<ClockRow>, RunTimeError> {
        if let Some(condition) = self.condition
            && program.run(condition, values, machine)? == 0
        {
            return Ok(None);
        }
        let row = self.clock.row(program, values, machine)?;
        match program.run(self.rate, values, machine)? {
            0 => Ok(Some(row)),
            1 => Ok(None),
            other => {
                let kind = ErrorKind::Range(i64::from(other), RATES);
                Err(RunTimeError { kind, expression: self.blame })
            }
        }
    }
}
