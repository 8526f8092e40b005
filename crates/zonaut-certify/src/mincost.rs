//! Certificates of kind `mincost`: a run to a state where the formula holds, and a set of zones
//! that shows that no run costs less.
//!
//! The core text names the cost measure. One more clock, the last one, holds the cost of a run. If
//! a unit of time costs r > 0, all clocks of the model run r times as fast as time, and the
//! constants that they are compared with and set to are scaled by r, so that this clock is the
//! cost; if time is free, it is stopped. Prices of transitions are added to it, and nothing else
//! reads or writes it.
//!
//! *No run costs less than C.* The set of zones is closed under all steps of the network as long as
//! the cost is below C, and the formula holds nowhere in it. Initially the cost may be any number,
//! so that a node contains each valuation with every cost that is at least the one paid; a run that
//! costs less than C stays below C throughout, since costs never decrease. With LU constants, the
//! cost clock has an upper constant of at least C: a valuation is then below another one only if
//! the latter costs no more, or both cost C. Adding a price to both preserves this.
//!
//! If the rates of a process differ between its locations, the cost is no clock, and the set is one of
//! priced zones ([`crate::priced`]); the last clock then holds the cost of the run only.
//!
//! *Some runs cost nearly C.* If C is approached but not attained, the run is written with grains,
//! and the zones are closed as long as the cost is at most C.

use crate::Claim;
use crate::Limits;
use crate::certificate::Lines;
use crate::code::{Code, Operation};
use crate::core::{Clock, Core, Measure, MeasureKind};
use crate::formula::Condition;
use crate::network::Network;
use crate::priced::{self, CostRates};
use crate::reach::{End, GRAINS, Replayed, replay};
use crate::refusal::{Evaluated, Refusal, require};
use crate::unreach::check_within;
use crate::zone::{Atom, Bound};

/// A claimed least cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) value: i64,
    pub(crate) is_attained: bool,
}

/// The unit of runs with grains, in grains.
const GRAIN: i128 = 1 << 40;

/// Reads the first lines, and adds the cost clock to the network.
pub(crate) fn open(
    core: &mut Core,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<Cost, Refusal> {
    let Some(kind) = core.measured else {
        return Err(lines.malformed("the core text does not ask for costs"));
    };
    let words = lines.expect("cost")?;
    let [value, how @ ("attained" | "approached")] = words[..] else {
        return Err(lines.malformed("a cost is a number that is attained or approached"));
    };
    let cost = Cost { value: lines.natural(value)?, is_attained: how == "attained" };
    if core.has_rates() || core.asks_for_deadlock() || core.query != "possibly" {
        let what = "costs are measured to states without stopwatches and deadlocks";
        return Err(Refusal::Undecided(what.to_owned()));
    }
    let (rate, differing) = match kind {
        MeasureKind::Time => (1, None),
        _ => price_of_time(core, kind, limits)?,
    };
    let has_prices = kind != MeasureKind::Time;
    core.clocks.iter_mut().for_each(|clock| clock.initial *= rate.max(1));
    core.measure = Some(Measure { clock: core.clocks.len(), rate, has_prices });
    core.cost_rates = differing;
    core.clocks.push(Clock { name: "#cost".to_owned(), initial: 0 });
    Ok(cost)
}

/// Checks the body of a certificate; returns its claim and the number of nodes.
pub(crate) fn check(
    network: &mut Network<'_>,
    goal: Condition,
    cost: Cost,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<(Claim, usize), Refusal> {
    let Some(measure) = network.core.measure else {
        return Err(lines.malformed("the cost is missing"));
    };
    let grain = if cost.is_attained { 1 } else { GRAIN };
    let run = replay(network, Some(goal), lines, grain)?;
    costs(&run, measure, cost, grain)?;
    let nodes = match network.core.cost_rates {
        Some(_) => priced::check(network, goal, cost, lines, limits)?,
        None => {
            let bound = Bound::new(cost.value, cost.is_attained).at("the cost")?;
            let within = Atom { x: measure.clock, y: 0, bound };
            check_within(network, goal, Some(within), lines, limits)?
        }
    };
    let claim = match cost.is_attained {
        true => Claim::LeastCost(cost.value),
        false => Claim::CostInfimum(cost.value),
    };
    Ok((claim, nodes))
}

/// Checks the cost of a run, without its grains.
fn costs(run: &Replayed, measure: Measure, cost: Cost, grain: i128) -> Result<(), Refusal> {
    let wanted = i128::from(cost.value).checked_mul(run.denominator);
    let found = run.point.value(measure.clock);
    let is_right = wanted.is_some_and(|wanted| (found - wanted).abs() < (grain / GRAINS).max(1));
    require(run.end == End::Goal, "the run fails")
        .and_then(|()| require(is_right, "the run does not cost that"))
        .at("the run")
}

/// The cost of a unit of time, or 0 and the rates of all locations if they differ within a process.
/// Without prices and rates, cost is elapsed time.
fn price_of_time(
    core: &Core,
    how: MeasureKind,
    limits: &Limits,
) -> Result<(i64, Option<CostRates>), Refusal> {
    let undecided = |why: &str| Err(Refusal::Undecided(why.to_owned()));
    let mut network = Network::new(core, limits.steps);
    let (mut of_processes, mut all, mut differ) = (Vec::new(), Vec::new(), false);
    for (number, process) in core.processes.iter().enumerate() {
        if process.locations.iter().all(|location| location.cost_rate.is_none()) {
            continue;
        }
        let (mut common, mut rates) = (None, Vec::new());
        for location in &process.locations {
            let rate = match &location.cost_rate {
                None => 0,
                Some(code) if code.is_constant() => network.machine.evaluate(code).at("a rate")?,
                Some(_) => return undecided("the rate of the cost is computed"),
            };
            if rate < 0 {
                return undecided("the rate of the cost is negative");
            }
            rates.push(rate);
            let is_patient = !location.urgent && !location.committed;
            differ |= is_patient && *common.get_or_insert(rate) != rate;
        }
        of_processes.push(common.unwrap_or(0));
        all.push((number, rates));
    }
    if differ {
        return Ok((0, Some(CostRates::new(how, all))));
    }
    let is_silent = of_processes.is_empty() && !core.codes().any(pays);
    let rate = if is_silent { 1 } else { how.combined(of_processes.into_iter()) };
    match i32::try_from(rate) {
        Ok(_) => Ok((rate, None)),
        Err(_) => undecided("the rate of the cost is too large"),
    }
}

/// Whether code adds to the cost.
fn pays(code: &Code) -> bool {
    code.operations.iter().any(|operation| matches!(operation, Operation::Cost))
}
