//! The automatic estimate for rates that differ between locations.
//!
//! For each process, `date_cost.rs` bounds its remaining cost by lines over the date from which its
//! uses are enabled, and `separation.rs` bounds this date by clocks. So the cost of a valuation u plus
//! the remaining cost of all processes is at least an affine function of u, for every choice of one
//! line of each process. The estimate is the infimum of such a function over the zone, which is
//! computed as the least cost of a priced zone.
//!
//! # Claim
//! Let a process in location l have the rate p, and let `a e + c` be one of its lines. If its uses are
//! disabled for a time of at least w, its remaining cost at date d is at least `(p + a) w + a d + c` if
//! p + a is not negative, and always at least `a d + c`: a process that may take its uses later pays
//! no less, so the bound may be used with any earlier date, and d is one.
//!
//! The choice does not matter for correctness. The lines are those that are greatest at some
//! valuation: first at the least value of all clocks, then at a valuation with the least sum.

use crate::date_cost::{Ingredients, Line, LocationCost, location_costs};
use crate::flow::{Shipment, minimum};
use crate::separation::Separations;
use crate::state::PricedState;
use zonaut_analysis::footprint::Footprints;
use zonaut_base::{Id, Meter, StopReason};
use zonaut_compile::{CompiledNetwork, row_of};
use zonaut_cost::{Combination, Infimum, LocationRates, demands_of};
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_model::{ClockId, Formula, Model};
use zonaut_zonegraph::{ActiveClocks, ZoneGraph};

/// The number of valuations at which lines are chosen.
const CHOICES: usize = 4;

/// The estimate of a model.
pub(crate) struct DateBound<'g, 'n> {
    zones: &'g ZoneGraph<'n, Wide>,
    model: &'g Model,
    /// The clocks that are never set.
    dates: Vec<ClockId>,
    /// By process that the goal demands in a location, and by location.
    costs: Vec<(usize, Vec<LocationCost>)>,
    separations: Separations,
}

/// The time that a process waits for its next use, at least.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    /// As long.
    Constant(i64),
    /// The difference of an amount and a clock.
    Until(i64, Row),
}

impl Waiting {
    fn at(self, point: &[i64]) -> i64 {
        match self {
            Self::Constant(time) => time,
            Self::Until(amount, clock) => (amount - point[clock.index()]).max(0),
        }
    }
}

/// The remaining cost of a process in a state.
struct Share<'c> {
    cost: &'c LocationCost,
    waiting: Waiting,
}

/// The clocks that no update of `model` sets, and that begin at 0.
fn date_clocks(model: &Model) -> Vec<ClockId> {
    let mut walk = Footprints::walk(model);
    let _ = walk.update(&model.before_update);
    let _ = walk.update(&model.after_update);
    for edge in model.processes.iter().flat_map(|process| &process.edges) {
        let _ = walk.select(&edge.select);
        let _ = walk.update(&edge.updates);
    }
    let written = walk.domain.found.writes.clocks;
    let is_date = |&clock: &ClockId| model.clocks[clock].initial == 0 && !written.contains(clock);
    model.clocks.ids().filter(is_date).collect()
}

impl<'g, 'n> DateBound<'g, 'n> {
    /// The estimate for `goal`; `None` if rates of processes are not added, or the goal demands no
    /// locations.
    ///
    /// # Errors
    /// The reason of the meter to stop.
    pub(crate) fn new(
        zones: &'g ZoneGraph<'n, Wide>,
        model: &'g Model,
        goal: &Formula,
        rates: &LocationRates,
    ) -> Result<Option<Self>, StopReason> {
        let mut demands = Vec::new();
        demands_of(model, goal, &mut demands);
        if rates.combination() != Combination::Sum || demands.is_empty() {
            return Ok(None);
        }
        let (network, meter): (&CompiledNetwork, &Meter) = (zones.network(), zones.meter());
        let dates = date_clocks(model);
        let separations = Separations::of(model, network, &dates, meter)?;
        let from = Ingredients { model, rates, dates: &dates, separations: &separations };
        let mut costs: Vec<(usize, Vec<LocationCost>)> = Vec::new();
        for (process, location) in demands {
            if costs.iter().any(|(known, _)| *known == process.index()) {
                continue;
            }
            meter.spend(model.processes[process].edges.len() as u32)?;
            costs.push((process.index(), location_costs(&from, process, location)));
        }
        Ok(Some(Self { zones, model, dates, costs, separations }))
    }

    /// A lower bound of the cost of a goal through a state; `None` if no goal is reachable.
    pub(crate) fn total(&mut self, state: &PricedState, cost: Infimum) -> Option<Infimum> {
        let active = self.zones.active_clocks(&state.symbolic);
        let zone = &state.symbolic.zone;
        let mut dates = self.dates.iter();
        let date = dates.find_map(|&clock| active.position_if_active(row_of(clock)));
        let shares = self.shares(state, &active, date)?;
        let mut point: Vec<i64> = (0..zone.dim())
            .map(|row| -zone.bound(Row::ZERO, Row::from_index(row)).value())
            .collect();
        let mut best = cost;
        for _ in 0..CHOICES {
            let Some(sum) = sum_at(state, &shares, date, &point) else { break };
            let Some(found) = minimum(zone.as_slice(), &sum.slopes) else { break };
            let Ok(value) = i64::try_from(found.value + sum.constant) else { break };
            best = best.max(Infimum::attained(value));
            let Some(next) = corner(zone, &found.flow).filter(|next| *next != point) else {
                break;
            };
            point = next;
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::EstimateTooLarge.is_selected() && best > cost {
            return Some(Infimum::attained(best.value() + 1));
        }
        Some(best)
    }

    /// The remaining costs of all processes; `None` if one of them cannot reach its goal.
    fn shares(
        &mut self,
        state: &PricedState,
        active: &ActiveClocks,
        date: Option<Row>,
    ) -> Option<Vec<Share<'_>>> {
        let (zone, values) = (&state.symbolic.zone, &state.symbolic.values);
        let (model, network) = (self.model, self.zones.network());
        let earliest = date.map(|date| -zone.bound(Row::ZERO, date).value());
        let mut distances = Vec::new();
        for separation in &mut self.separations.all {
            let row = active.position_if_active(row_of(separation.clock));
            distances.push((row, separation.distances(model, network, values)));
        }
        let mut shares = Vec::with_capacity(self.costs.len());
        for (process, costs) in &self.costs {
            let cost = &costs[values[*process] as usize];
            let separations = self.separations.all.iter().zip(&distances);
            let uses = separations.filter(|(one, _)| one.may_wait(*process, values));
            let uses = uses.map(|(_, (row, distances))| (*row, distances[*process]));
            let waiting = match cost.needs_use {
                true => least_wait(zone, uses),
                false => Waiting::Constant(0),
            };
            let soonest = match waiting {
                Waiting::Constant(time) => time,
                Waiting::Until(amount, row) => {
                    greatest(zone, row).map_or(0, |greatest| (amount - greatest).max(0))
                }
            };
            let is_missed = |(latest, earliest): (i64, i64)| earliest + soonest > latest;
            if cost.lines.is_empty() || cost.latest.zip(earliest).is_some_and(is_missed) {
                return None;
            }
            shares.push(Share { cost, waiting });
        }
        Some(shares)
    }
}

/// An affine function of clocks.
struct Sum {
    constant: i128,
    slopes: Vec<i64>,
}

impl Sum {
    fn add(&mut self, row: Row, slope: i64) -> Option<()> {
        let sum = &mut self.slopes[row.index()];
        *sum = sum.checked_add(slope).filter(|slope| slope.abs() < 1 << 60)?;
        Some(())
    }
}

/// The cost so far plus the lines that are greatest at a point; `None` if numbers are too large.
fn sum_at(
    state: &PricedState,
    shares: &[Share<'_>],
    date: Option<Row>,
    point: &[i64],
) -> Option<Sum> {
    let mut sum =
        Sum { constant: i128::from(state.cost.constant), slopes: state.cost.slopes.clone() };
    for Share { cost, waiting } in shares {
        let waited = waiting.at(point);
        let today = date.map(|date| point[date.index()]);
        let value = |line: &Line| {
            let slope = i128::from(cost.rate) + i128::from(line.slope);
            slope.max(0) * i128::from(waited) + line.at(today.unwrap_or(0))
        };
        // Without a date, only constant lines are bounds.
        let lines = cost.lines.iter().filter(|line| date.is_some() || line.slope == 0);
        let Some(line) = lines.max_by_key(|line| value(line)) else { continue };
        sum.constant += i128::from(line.offset);
        if let Some(date) = date {
            sum.add(date, line.slope)?;
        }
        let slope = cost.rate.checked_add(line.slope)?;
        match *waiting {
            _ if slope <= 0 || waited == 0 => {}
            Waiting::Constant(time) => sum.constant += i128::from(slope) * i128::from(time),
            Waiting::Until(amount, clock) => {
                sum.constant += i128::from(slope) * i128::from(amount);
                sum.add(clock, -slope)?;
            }
        }
    }
    Some(sum)
}

/// The greatest value of a clock; `None` if it is unbounded.
fn greatest(zone: &Zone<Wide>, row: Row) -> Option<i64> {
    let bound = zone.bound(row, Row::ZERO);
    (!bound.is_infinite()).then(|| bound.value())
}

/// The least time until one of several clocks has its amount.
fn least_wait(zone: &Zone<Wide>, uses: impl Iterator<Item = (Option<Row>, i64)>) -> Waiting {
    let mut known = Vec::new();
    for (row, amount) in uses {
        // A clock that is not in the zone is never compared again.
        match row.and_then(|row| Some((row, greatest(zone, row)?))) {
            Some((row, greatest)) => known.push((row, amount, greatest)),
            None => return Waiting::Constant(0),
        }
    }
    let is_first = |&(row, amount, _): &(Row, i64, i64)| {
        known.iter().all(|&(other, later, _)| zone.bound(other, row) <= Bound::le(later - amount))
    };
    match known.iter().find(|one| is_first(one)) {
        Some(&(row, amount, _)) => Waiting::Until(amount, row),
        None => {
            let least = known.iter().map(|&(_, amount, greatest)| amount - greatest).min();
            Waiting::Constant(least.unwrap_or(0).max(0))
        }
    }
}

/// The least values of all clocks at which the bounds of a flow are attained; `None` if they are
/// strict.
fn corner(zone: &Zone<Wide>, flow: &[Shipment]) -> Option<Vec<i64>> {
    let mut face = zone.clone();
    for &Shipment { from, to, .. } in flow {
        let bound = zone.bound(from, to);
        face.constrain(to, from, Bound::le(-bound.value())).ok()?;
    }
    let least = |row| -face.bound(Row::ZERO, Row::from_index(row)).value();
    Some((0..face.dim()).map(least).collect())
}
