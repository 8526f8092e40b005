//! Runs with floating-point delays, rounded to exact ones.

use super::{Flaw, FlawKind, Player, Run, RunStep, at, exact};
use crate::network::Participant;
use zonaut_base::Id;
use zonaut_model::{ClockId, Model};

/// A delay as a floating-point number, and the action after it.
#[derive(Clone, PartialEq, Debug)]
pub struct RoundedStep {
    /// The delay.
    pub delay: f64,
    /// The edges that then synchronise; empty for a delay without an action.
    pub participants: Vec<Participant>,
}

/// The denominator of rounded delays.
const DENOMINATOR: i128 = 1 << 40;

/// A clock, or a difference of clocks, that is this close to an integer becomes one.
const NEAR: i128 = DENOMINATOR * 4 / 1_000_000_000;

/// The exact run that is closest to one with floating-point delays, and that delays so long that a
/// clock equals an integer if the floating-point one does, up to its error.
///
/// # Errors
/// The first step that no run has.
pub fn rounded(model: &Model, steps: &[RoundedStep]) -> Result<Run, Flaw> {
    let mut player = Player::new(model, DENOMINATOR).map_err(at(0))?;
    let mut run = Run { denominator: DENOMINATOR, steps: Vec::new() };
    for (position, step) in steps.iter().enumerate() {
        let delay = player.rounded(step.delay).map_err(at(position))?;
        player.delay(delay).map_err(at(position))?;
        if !step.participants.is_empty() {
            player.act(&step.participants).map_err(at(position))?;
        }
        run.steps.push(RunStep { delay, participants: step.participants.clone() });
    }
    Ok(run)
}

impl Player<'_> {
    /// The exact delay for a floating-point one.
    fn rounded(&mut self, delay: f64) -> Result<i128, FlawKind> {
        if !(0.0..1e9).contains(&delay) {
            return Err(FlawKind::Delay);
        }
        let delay = (delay * DENOMINATOR as f64).round() as i128;
        let stopped = self.machine.stopped(&self.state).map_err(FlawKind::Failed)?;
        let runs = |clock: usize| !stopped.contains(&ClockId::from_index(clock));
        let values: Vec<i128> = self.state.clocks.iter().map(|&v| v / exact::UNIT).collect();
        let mut corrections = Vec::new();
        for (_, &value) in values.iter().enumerate().filter(|(clock, _)| runs(*clock)) {
            let fixed = values.iter().enumerate().filter(|(clock, _)| !runs(*clock));
            corrections.push(correction(value + delay));
            corrections.extend(fixed.map(|(_, &other)| correction(value + delay - other)));
        }
        let near = corrections.into_iter().filter(|correction| correction.abs() <= NEAR);
        let nearest = near.min_by_key(|correction| correction.abs()).unwrap_or(0);
        Ok((delay + nearest).max(0))
    }
}

/// The distance from a value to the nearest integer.
fn correction(value: i128) -> i128 {
    let below = value.rem_euclid(DENOMINATOR);
    if 2 * below <= DENOMINATOR { -below } else { DENOMINATOR - below }
}
