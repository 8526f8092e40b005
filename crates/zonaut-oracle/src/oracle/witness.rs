//! From the path that an oracle found to a concrete run.

use super::explore::FiniteClocks;
use crate::network::Participant;
use crate::replay::{Player, Run, RunStep};
use zonaut_model::Model;

/// A step on the path of an oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PathStep {
    /// Time passes from the clock values given.
    Delay(Vec<i32>),
    /// Edges act together.
    Act(Vec<Participant>),
}

/// How much of the time up to the next instant at which some clock is an integer passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Amount {
    /// One unit.
    Unit,
    /// All of it.
    All,
    /// Half of it.
    Half,
}

/// The denominator allows this many halvings.
const LARGEST_HALVINGS: usize = 80;

/// A run along `path`, if its denominator is not too large.
///
/// Valuations that an oracle writes alike can do the same, so it does not matter which of them a
/// run passes through: every delay into an open interval goes half the way.
pub(super) fn run_along<C: FiniteClocks>(
    model: &Model,
    clocks: &C,
    path: &[PathStep],
) -> Option<Run> {
    let halvings = path.iter().filter(
        |step| matches!(step, PathStep::Delay(before) if clocks.amount(before) == Amount::Half),
    );
    let halvings = halvings.count();
    if halvings > LARGEST_HALVINGS {
        return None;
    }
    let denominator = 1_i128 << halvings;
    let mut player = Player::new(model, denominator).ok()?;
    let mut steps = Vec::new();
    let mut waited = 0;
    for step in path {
        match step {
            PathStep::Delay(before) => {
                let values: Vec<i128> = player.clocks().collect();
                let matters = |&(clock, _): &(usize, &i128)| clocks.matters(before, clock);
                let rests = values.iter().enumerate().filter(matters);
                let rest = rests.map(|(_, value)| denominator - value % denominator).min();
                let delay = match clocks.amount(before) {
                    Amount::Unit => denominator,
                    Amount::All => rest?,
                    Amount::Half => rest? / 2,
                };
                player.delay(delay).ok()?;
                waited += delay;
            }
            PathStep::Act(participants) => {
                player.act(participants).ok()?;
                steps.push(RunStep { delay: waited, participants: participants.clone() });
                waited = 0;
            }
        }
    }
    if waited > 0 {
        steps.push(RunStep { delay: waited, participants: Vec::new() });
    }
    Some(Run { denominator, steps })
}
