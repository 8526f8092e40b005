//! State formulas, evaluated on one valuation or on a zone.

use crate::clocks::{Clocks, MANY_PARTS, PARTS, limited};
use crate::core::{Formula, State};
use crate::deadlock::Stuck;
use crate::network::Network;
use crate::partial::Partial;
use crate::refusal::Trouble;
use std::ops::ControlFlow;

/// A part of the formula, as it stands or negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    /// The number of the part.
    pub(crate) part: usize,
    /// Whether it has to hold, not to fail.
    pub(crate) positive: bool,
}

impl Condition {
    /// The part as it stands.
    pub(crate) fn holds(part: usize) -> Self {
        Self { part, positive: true }
    }

    /// The negated part.
    pub(crate) fn fails(part: usize) -> Self {
        Self { part, positive: false }
    }
}

/// A branch of the evaluation of a formula: the conditions that still have to hold, the last one
/// first, and the valuations at which all others hold.
struct Branch<C> {
    open: Vec<Condition>,
    clocks: C,
}

/// The treatment of `deadlock` in a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deadlocks {
    /// The deadlocked valuations are computed.
    Decided,
    /// Every valuation may be deadlocked, or not.
    Possible,
}

/// Whether `goal` holds in `state` at some of `clocks`.
pub(crate) fn holds_somewhere<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &State,
    goal: Condition,
    clocks: C,
) -> Result<bool, Trouble> {
    may_hold_somewhere(network, &state.clone().into(), goal, clocks)
}

/// The same with unknown cells: a condition may hold if it holds for some contents.
pub(crate) fn may_hold_somewhere<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &Partial,
    goal: Condition,
    clocks: C,
) -> Result<bool, Trouble> {
    has_branch(network, state, Branch { open: vec![goal], clocks }, Deadlocks::Decided)
}

/// Sets whose union is the part of `clocks` where `goal` holds in `state`.
pub(crate) fn holding<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &State,
    goal: Condition,
    clocks: C,
) -> Result<Vec<C>, Trouble> {
    let mut all = Vec::new();
    let (state, branch) = (state.clone().into(), Branch { open: vec![goal], clocks });
    for_each_branch(network, &state, branch, Deadlocks::Decided, &mut |clocks| {
        all.push(clocks);
        if all.len() > PARTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    limited(all, PARTS, MANY_PARTS)
}

/// Whether all conditions of a branch can hold together.
fn has_branch<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &Partial,
    branch: Branch<C>,
    deadlocks: Deadlocks,
) -> Result<bool, Trouble> {
    let mut holds = false;
    for_each_branch(network, state, branch, deadlocks, &mut |_| {
        holds = true;
        ControlFlow::Break(())
    })?;
    Ok(holds)
}

/// Finds the valuations at which all conditions of `branch` hold in `state`.
///
/// All branches are explored, in the order of the parts. Skipping a part is sound if the parts
/// before it cannot hold anywhere. Deadlocks are computed only where the conditions after them can
/// hold: that needs constants that the others do not need.
fn for_each_branch<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &Partial,
    branch: Branch<C>,
    deadlocks: Deadlocks,
    found: &mut dyn FnMut(C) -> ControlFlow<()>,
) -> Result<(), Trouble> {
    let core = network.core;
    let mut branches = vec![branch];
    while let Some(mut branch) = branches.pop() {
        let Some(Condition { part, positive }) = branch.open.pop() else {
            match found(branch.clocks) {
                ControlFlow::Continue(()) => continue,
                ControlFlow::Break(()) => return Ok(()),
            }
        };
        match &core.formula[part] {
            Formula::Data(code) => {
                let answers = network.each(state, |network| network.machine.holds(code))?;
                if answers.contains(&positive) {
                    branches.push(branch);
                }
            }
            Formula::Clock(constraint) => {
                for atoms in network.each(state, |network| network.atoms(constraint))? {
                    let mut clocks = branch.clocks.clone();
                    let parts = match positive {
                        true if clocks.meet_all(&atoms)? => vec![clocks],
                        true => Vec::new(),
                        false => clocks.outside(&atoms)?,
                    };
                    let branch = |clocks| Branch { open: branch.open.clone(), clocks };
                    branches.extend(parts.into_iter().map(branch));
                }
            }
            Formula::Deadlock if deadlocks == Deadlocks::Possible => branches.push(branch),
            Formula::Deadlock => {
                let rest = Branch { open: branch.open.clone(), clocks: branch.clocks.clone() };
                let is_last = rest.open.is_empty();
                if !is_last && has_branch(network, state, rest, Deadlocks::Possible) == Ok(false) {
                    continue;
                }
                let Some(state) = state.exact() else {
                    return Err(Trouble::undecided("deadlocks where contents are not known"));
                };
                let parts = match network.known_future(state)? {
                    Some(future) => branch.clocks.stuck(&future, positive)?,
                    None if positive => Vec::new(),
                    None => vec![branch.clocks],
                };
                branches.extend(
                    parts.into_iter().map(|clocks| Branch { open: branch.open.clone(), clocks }),
                );
            }
            Formula::Not(inner) => {
                branch.open.push(Condition { part: *inner, positive: !positive });
                branches.push(branch);
            }
            Formula::And(parts) | Formula::Or(parts) => {
                let all = matches!(core.formula[part], Formula::And(_)) == positive;
                let parts = parts.iter().rev().map(|&part| Condition { part, positive });
                if all {
                    branch.open.extend(parts);
                    branches.push(branch);
                    continue;
                }
                for part in parts {
                    let open = [&branch.open[..], &[part]].concat();
                    branches.push(Branch { open, clocks: branch.clocks.clone() });
                }
            }
        }
    }
    Ok(())
}
