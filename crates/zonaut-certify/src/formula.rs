//! State formulas, on one valuation or on a zone.

use crate::clocks::{Clocks, MANY_PARTS, PARTS, limited};
use crate::core::{Formula, State};
use crate::deadlock::Stuck;
use crate::network::Network;
use crate::partial::Partial;
use crate::refusal::Trouble;
use std::ops::ControlFlow;

/// A way to satisfy a formula that is still open: the parts that have to hold, the last one first,
/// each as it stands or negated, and the valuations at which all the others do.
struct Way<C> {
    open: Vec<(usize, bool)>,
    clocks: C,
}

/// Whether the part `root` of the formula, or its negation, holds in `state` at some of `clocks`.
pub(crate) fn holds_somewhere<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &State,
    goal: (usize, bool),
    clocks: C,
) -> Result<bool, Trouble> {
    may_hold_somewhere(network, &state.clone().into(), goal, clocks)
}

/// The same where cells may not be known: each condition may hold if it does for some contents.
pub(crate) fn may_hold_somewhere<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &Partial,
    goal: (usize, bool),
    clocks: C,
) -> Result<bool, Trouble> {
    let mut holds = false;
    each_way(network, state, goal, clocks, &mut |_| {
        holds = true;
        ControlFlow::Break(())
    })?;
    Ok(holds)
}

/// Sets that together have those of `clocks` at which the formula, or its negation, holds in `state`.
pub(crate) fn holding<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &State,
    goal: (usize, bool),
    clocks: C,
) -> Result<Vec<C>, Trouble> {
    let mut all = Vec::new();
    each_way(network, &state.clone().into(), goal, clocks, &mut |clocks| {
        all.push(clocks);
        if all.len() > PARTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    limited(all, PARTS, MANY_PARTS)
}

/// Finds the valuations at which the part `root` of the formula, or its negation, holds in `state`.
///
/// All ways to satisfy it are tried, in the order of the parts. A part that is not evaluated
/// because the parts before it cannot hold anywhere makes no difference.
fn each_way<C: Clocks + Stuck>(
    network: &mut Network<'_>,
    state: &Partial,
    (root, positive): (usize, bool),
    clocks: C,
    found: &mut dyn FnMut(C) -> ControlFlow<()>,
) -> Result<(), Trouble> {
    let core = network.core;
    let mut ways = vec![Way { open: vec![(root, positive)], clocks }];
    while let Some(mut way) = ways.pop() {
        let Some((part, positive)) = way.open.pop() else {
            match found(way.clocks) {
                ControlFlow::Continue(()) => continue,
                ControlFlow::Break(()) => return Ok(()),
            }
        };
        match &core.formula[part] {
            Formula::Data(code) => {
                let answers = network.each(state, |network| network.machine.holds(code))?;
                if answers.contains(&positive) {
                    ways.push(way);
                }
            }
            Formula::Clock(constraint) => {
                for atoms in network.each(state, |network| network.atoms(constraint))? {
                    let mut clocks = way.clocks.clone();
                    let parts = match positive {
                        true if clocks.meet_all(&atoms)? => vec![clocks],
                        true => Vec::new(),
                        false => clocks.outside(&atoms)?,
                    };
                    let way = |clocks| Way { open: way.open.clone(), clocks };
                    ways.extend(parts.into_iter().map(way));
                }
            }
            Formula::Deadlock => {
                let Some(state) = state.exact() else {
                    return Err(Trouble::undecided("deadlocks where contents are not known"));
                };
                let parts = match network.future(state)? {
                    Some(future) => way.clocks.stuck(&future, positive)?,
                    None if positive => Vec::new(),
                    None => vec![way.clocks],
                };
                ways.extend(parts.into_iter().map(|clocks| Way { open: way.open.clone(), clocks }));
            }
            Formula::Not(inner) => {
                way.open.push((*inner, !positive));
                ways.push(way);
            }
            Formula::And(parts) | Formula::Or(parts) => {
                let all = matches!(core.formula[part], Formula::And(_)) == positive;
                let parts = parts.iter().rev().map(|&part| (part, positive));
                if all {
                    way.open.extend(parts);
                    ways.push(way);
                    continue;
                }
                for part in parts {
                    let open = [&way.open[..], &[part]].concat();
                    ways.push(Way { open, clocks: way.clocks.clone() });
                }
            }
        }
    }
    Ok(())
}
