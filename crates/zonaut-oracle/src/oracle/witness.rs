//! Construction of a concrete run from the path of an oracle.

use super::explore::FiniteClocks;
use crate::network::Participant;
use crate::replay::{Player, Run, RunStep};
use zonaut_model::Model;

/// A step on the path of an oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PathStep {
    /// A delay from the given clock values.
    Delay(Vec<i32>),
    /// A transition of these participants.
    Act(Vec<Participant>),
}

/// The fraction of the time to the next instant at which some clock is an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Amount {
    /// One unit.
    Unit,
    /// All of it.
    All,
    /// Half of it.
    Half,
}

/// The maximal number of halvings that the denominator has room for.
const LARGEST_HALVINGS: usize = 80;

/// A run along `path`; `None` if its denominator is too large.
///
/// Valuations with the same representation are equivalent, so any of them will do: every delay into
/// an open interval goes to its middle.
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
