//! The least cost that a process still pays, as a function of the date.
//!
//! A *date clock* is never set, so it has the time since the start. A process alone, with its
//! constraints on date clocks and without all others, is an automaton with one clock. Let V(l, d) be
//! the least cost of its own rates and prices from location l at date d to the location that the goal
//! demands. The sum of V over all processes is a lower bound of the remaining cost of the network:
//! rates are added, prices belong to edges, and every constraint that is left out is a relaxation.
//!
//! # Uses
//! Some edges may be known to be disabled until a date e, because they wait for others
//! (`separation.rs`); they are *uses* here. Let W(l, d, e) be the least cost if no use is taken
//! before e. Let p be the least rate of the locations that l reaches without a use, and G(l, e) the
//! least cost, with all rates reduced by p before e, of a process that is in l at any date up to e
//! and takes no use before e. Then `W(l, d, e) >= p (e - d) + G(l, e)`.
//!
//! # Claims
//! *V and G are concave between two neighbouring constants.* There, the same edges are enabled, so
//! both are least values of functions that are affine in the date: all time between two constants is
//! best spent in one location of the path. Hence lines that are nowhere above V or G at the constants,
//! with their limits from both sides, are nowhere above them at all.
//!
//! *Behind the last constant* V is constant, and G grows at least with the least rate of the
//! locations in which the process may be.
//!
//! Strict comparisons are relaxed to weak ones. Lines have integer slopes, as priced zones have.

use crate::separation::Separations;
use zonaut_base::Id;
use zonaut_cost::LocationRates;
use zonaut_cost::tasks::{FARTHEST, price_of, simple};
use zonaut_model::{
    ClockConstraint, ClockId, Condition, EdgeId, LocationId, Model, Process, ProcessId, Relation,
};

/// No path leads to the goal.
const NEVER: i64 = i64::MAX;

/// The function `slope * date + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) slope: i64,
    pub(crate) offset: i64,
}

impl Line {
    /// Its value at a date.
    pub(crate) fn at(self, date: i64) -> i128 {
        i128::from(self.slope) * i128::from(date) + i128::from(self.offset)
    }
}

/// The remaining cost of a process in a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LocationCost {
    /// Whether a use comes before the goal on every path. If not, nothing has to be waited for.
    pub(crate) needs_use: bool,
    /// The least rate until a use.
    pub(crate) rate: i64,
    /// Lower bounds of the other costs, as functions of the date from which uses are enabled. Empty
    /// if the goal is unreachable.
    pub(crate) lines: Vec<Line>,
    /// The last date from which the goal is reachable, if it is not always.
    pub(crate) latest: Option<i64>,
}

/// The dates at which something is permitted: from the first to the last of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    from: i64,
    until: i64,
}

impl Window {
    const ALWAYS: Self = Self { from: 0, until: i64::MAX };

    /// The dates that satisfy the constraints of a condition on date clocks.
    fn of(model: &Model, condition: &Condition, dates: &[ClockId]) -> Self {
        let mut window = Self::ALWAYS;
        for (relation, bound) in date_constraints(model, condition, dates) {
            if matches!(relation, Relation::Greater | Relation::GreaterEqual | Relation::Equal) {
                window.from = window.from.max(bound);
            }
            if matches!(relation, Relation::Less | Relation::LessEqual | Relation::Equal) {
                window.until = window.until.min(bound);
            }
        }
        window
    }
}

fn date_constraints<'c>(
    model: &'c Model,
    condition: &'c Condition,
    dates: &'c [ClockId],
) -> impl Iterator<Item = (Relation, i64)> + 'c {
    let of = |constraint: &ClockConstraint| {
        let (clock, bound) = simple(model, constraint)?;
        dates.contains(&clock).then_some((constraint.relation, i64::from(bound)))
    };
    condition.clocks.iter().filter_map(of)
}

/// An edge of a process with its dates.
#[derive(Clone, Copy, Debug)]
struct DatedEdge {
    source: usize,
    target: usize,
    window: Window,
    price: i64,
    is_use: bool,
}

/// A point or an open interval of dates in which the same edges are enabled; of an interval its
/// beginning or its end.
#[derive(Clone, Copy, Debug)]
struct Moment {
    date: i64,
    /// The next constant, within an interval.
    until: Option<i64>,
}

impl Moment {
    fn is_in(self, window: Window) -> bool {
        window.from <= self.date && self.until.unwrap_or(self.date) <= window.until
    }
}

/// A process with the constraints on its dates.
struct DatedProcess {
    windows: Vec<Window>,
    rates: Vec<i64>,
    edges: Vec<DatedEdge>,
    goal: usize,
    /// The constants, ascending, 0 first.
    constants: Vec<i64>,
}

/// By location, the least cost at each moment.
type Costs = Vec<i64>;

/// The costs at a constant, and behind it until the next constant.
#[derive(Clone, Debug)]
struct Stretch {
    at: Costs,
    begin: Costs,
    end: Costs,
}

fn plus(cost: i64, more: i64) -> i64 {
    if cost == NEVER { NEVER } else { cost.saturating_add(more).min(FARTHEST) }
}

impl DatedProcess {
    fn new(from: &Ingredients<'_>, id: ProcessId, goal: LocationId) -> Self {
        let Ingredients { model, rates, dates, separations } = *from;
        let process: &Process = &model.processes[id];
        let windows = process.locations.iter();
        let windows: Vec<_> =
            windows.map(|location| Window::of(model, &location.invariant, dates)).collect();
        let rate = |location: LocationId| rates.of_location(id, location);
        let edge = |edge: EdgeId| {
            let content = &process.edges[edge];
            DatedEdge {
                source: content.source.index(),
                target: content.target.index(),
                window: Window::of(model, &content.guard, dates),
                price: price_of(model, content),
                is_use: separations.is_use(id, edge),
            }
        };
        let edges: Vec<_> = process.edges.ids().map(edge).collect();
        let all = windows.iter().copied().chain(edges.iter().map(|edge| edge.window));
        let ends = all.flat_map(|window| [window.from, window.until]);
        let mut constants: Vec<i64> = ends.filter(|&date| date != i64::MAX).chain([0]).collect();
        constants.sort_unstable();
        constants.dedup();
        let rates = process.locations.ids().map(rate).collect();
        Self { windows, rates, edges, goal: goal.index(), constants }
    }

    /// The moment of a constant, and of the interval behind it.
    fn moments(&self, index: usize) -> (Moment, Moment) {
        let date = self.constants[index];
        let until = self.constants.get(index + 1).copied().unwrap_or(i64::MAX);
        (Moment { date, until: None }, Moment { date, until: Some(until) })
    }

    fn may_be(&self, location: usize, moment: Moment) -> bool {
        moment.is_in(self.windows[location])
    }

    /// Lowers the costs to the goal by the edges that are enabled at a moment.
    fn close_backward(&self, moment: Moment, costs: &mut Costs) {
        for (location, cost) in costs.iter_mut().enumerate() {
            if !self.may_be(location, moment) {
                *cost = NEVER;
            }
        }
        if self.may_be(self.goal, moment) {
            costs[self.goal] = 0;
        }
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for edge in self.edges.iter().filter(|edge| moment.is_in(edge.window)) {
                let through = plus(costs[edge.target], edge.price);
                if self.may_be(edge.source, moment) && through < costs[edge.source] {
                    (costs[edge.source], is_changed) = (through, true);
                }
            }
        }
    }

    /// The costs V, by constant.
    fn costs_to_goal(&self) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::with_capacity(self.constants.len());
        for index in (0..self.constants.len()).rev() {
            let (point, interval) = self.moments(index);
            let mut end = match stretches.last() {
                Some(next) => next.at.clone(),
                None => vec![NEVER; self.windows.len()],
            };
            self.close_backward(interval, &mut end);
            let mut begin = end.clone();
            if let Some(next) = self.constants.get(index + 1) {
                let length = next - self.constants[index];
                let stay = |(&cost, &rate): (&i64, &i64)| plus(cost, rate.saturating_mul(length));
                begin = end.iter().zip(&self.rates).map(stay).collect();
                self.close_backward(interval, &mut begin);
            }
            let mut at = begin.clone();
            self.close_backward(point, &mut at);
            stretches.push(Stretch { at, begin, end });
        }
        stretches.reverse();
        stretches
    }

    /// Lowers the costs from `start`, which may be left at any moment, by the edges that are enabled
    /// and no uses.
    fn close_forward(&self, start: usize, moment: Moment, costs: &mut Costs) {
        for (location, cost) in costs.iter_mut().enumerate() {
            if !self.may_be(location, moment) {
                *cost = NEVER;
            }
        }
        if self.may_be(start, moment) {
            costs[start] = 0;
        }
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            let edges = self.edges.iter().filter(|edge| !edge.is_use);
            for edge in edges.filter(|edge| moment.is_in(edge.window)) {
                let through = plus(costs[edge.source], edge.price);
                if self.may_be(edge.target, moment) && through < costs[edge.target] {
                    (costs[edge.target], is_changed) = (through, true);
                }
            }
        }
    }

    /// The locations that are reached from `start` without a use.
    fn reached(&self, start: usize) -> Vec<bool> {
        let mut reached = vec![false; self.windows.len()];
        reached[start] = true;
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for edge in self.edges.iter().filter(|edge| !edge.is_use) {
                if reached[edge.source] && !reached[edge.target] {
                    (reached[edge.target], is_changed) = (true, true);
                }
            }
        }
        reached
    }

    /// The remaining cost in location `start`, from the costs V.
    fn location_cost(&self, start: usize, to_goal: &[Stretch]) -> LocationCost {
        let reached = self.reached(start);
        if reached[self.goal] {
            return self.unhindered(start, to_goal);
        }
        let rates = self.rates.iter().zip(&reached).filter(|(_, reached)| **reached);
        let rate = rates.map(|(&rate, _)| rate).min().unwrap_or(0);
        let reduced: Vec<i64> = self.rates.iter().map(|own| (own - rate).max(0)).collect();
        let mut corners = Corners::default();
        let mut costs = vec![NEVER; self.windows.len()];
        for (index, stretch) in to_goal.iter().enumerate() {
            let (point, interval) = self.moments(index);
            self.close_forward(start, point, &mut costs);
            corners.add(point.date, &costs, &stretch.at);
            self.close_forward(start, interval, &mut costs);
            let is_finite = corners.add(point.date, &costs, &stretch.begin);
            let Some(&next) = self.constants.get(index + 1) else {
                let stays = self.may_be(start, interval);
                let slopes = costs.iter().zip(&reduced).filter(|(cost, _)| **cost != NEVER);
                let slope = slopes.map(|(_, &slope)| slope).min().unwrap_or(0);
                corners.last_slope = is_finite.then_some(if stays { 0 } else { slope });
                break;
            };
            let length = next - point.date;
            for (cost, slope) in costs.iter_mut().zip(&reduced) {
                *cost = plus(*cost, slope.saturating_mul(length));
            }
            self.close_forward(start, interval, &mut costs);
            corners.add(next, &costs, &stretch.end);
        }
        LocationCost { needs_use: true, rate, lines: corners.lines(), latest: corners.latest() }
    }

    /// The costs V of one location.
    fn unhindered(&self, location: usize, to_goal: &[Stretch]) -> LocationCost {
        let mut corners = Corners::default();
        for (index, stretch) in to_goal.iter().enumerate() {
            let mut add =
                |date, costs: &Costs| corners.add(date, &[0], &costs[location..=location]);
            let date = self.constants[index];
            add(date, &stretch.at);
            let is_finite = add(date, &stretch.begin);
            match self.constants.get(index + 1) {
                Some(&next) => {
                    add(next, &stretch.end);
                }
                None => corners.last_slope = is_finite.then_some(0),
            }
        }
        let (lines, latest) = (corners.lines(), corners.latest());
        LocationCost { needs_use: false, rate: 0, lines, latest }
    }
}

/// Values of a function at constants, and its slope behind the last of them.
#[derive(Debug, Default)]
struct Corners {
    points: Vec<(i64, i64)>,
    last_slope: Option<i64>,
}

impl Corners {
    /// Adds the least sum over all locations, if one is finite.
    fn add(&mut self, date: i64, costs: &[i64], left: &[i64]) -> bool {
        let finite = costs.iter().zip(left).filter(|(cost, left)| **cost.max(left) != NEVER);
        let least = finite.map(|(&cost, &left)| plus(cost, left)).min();
        self.points.extend(least.map(|value| (date, value)));
        least.is_some()
    }

    fn latest(&self) -> Option<i64> {
        match self.last_slope {
            Some(_) => None,
            None => self.points.last().map(|point| point.0),
        }
    }

    /// Lines with integer slopes that are nowhere above the function: those next to the slopes of
    /// its convex hull.
    fn lines(&self) -> Vec<Line> {
        let mut slopes = vec![0];
        let mut hull: Vec<(i64, i64)> = Vec::new();
        for &(date, value) in &self.points {
            if hull.last().is_some_and(|last| last.0 == date && last.1 <= value) {
                continue;
            }
            while let Some(&last) = hull.last() {
                let is_above = match hull.len().checked_sub(2).map(|before| hull[before]) {
                    _ if last.0 == date => true,
                    Some(before) => rise(before, last, (date, value)) >= 0,
                    None => false,
                };
                if !is_above {
                    break;
                }
                hull.pop();
            }
            hull.push((date, value));
        }
        for (one, other) in hull.iter().zip(hull.iter().skip(1)) {
            let slope = (other.1 - one.1).div_euclid(other.0 - one.0);
            slopes.extend([slope, slope + 1]);
        }
        slopes.extend(self.last_slope);
        slopes.retain(|&slope| self.last_slope.is_none_or(|last| slope <= last));
        slopes.sort_unstable();
        slopes.dedup();
        let line = |slope: i64| {
            let offset = |&(date, value): &(i64, i64)| {
                i128::from(value) - i128::from(slope) * i128::from(date)
            };
            let offset = i64::try_from(hull.iter().map(offset).min()?).ok()?;
            (offset.abs() <= FARTHEST).then_some(Line { slope, offset })
        };
        slopes.into_iter().filter_map(line).collect()
    }
}

/// Positive if the middle point is above the straight line between the others.
fn rise(first: (i64, i64), middle: (i64, i64), last: (i64, i64)) -> i128 {
    let difference = |one: i64, other: i64| i128::from(one) - i128::from(other);
    difference(middle.1, first.1) * difference(last.0, first.0)
        - difference(last.1, first.1) * difference(middle.0, first.0)
}

/// The ingredients of dated costs.
#[derive(Clone, Copy)]
pub(crate) struct Ingredients<'m> {
    pub(crate) model: &'m Model,
    pub(crate) rates: &'m LocationRates,
    /// The clocks that are never set.
    pub(crate) dates: &'m [ClockId],
    pub(crate) separations: &'m Separations,
}

/// By location of a process that the goal wants in `goal`, the remaining cost.
pub(crate) fn location_costs(
    from: &Ingredients<'_>,
    process: ProcessId,
    goal: LocationId,
) -> Vec<LocationCost> {
    let dated = DatedProcess::new(from, process, goal);
    let to_goal = dated.costs_to_goal();
    (0..dated.windows.len()).map(|start| dated.location_cost(start, &to_goal)).collect()
}
