//! Least costs with rates of locations, by Dijkstra's algorithm over a grid of times, or over the
//! corner points of regions.
//!
//! The dates of a run along one path solve a system of difference constraints with integer
//! constants, and its cost is a linear function of them. Without strict bounds the least cost of a
//! path is attained at a vertex, and vertices are integral: whole times suffice. With strict bounds,
//! a cost that some run along a path with n transitions attains is attained at multiples of
//! 1 / (n + 1), and a cost that is only approached is exceeded by a multiple of one over the
//! resolution that does not depend on it. So on a fine grid the least cost is the infimum if it is a
//! whole number, and otherwise the infimum is the next smaller one. Corner points give the infimum
//! on any grid, and not whether it is attained.

use super::explore::{FiniteClocks, Goal, Learnt, Limits, Passing, let_time_pass};
use super::integer_time::Integers;
use super::priced::Metered;
use super::reached::{pack, unpack};
use super::region::Corners;
use super::scope::{is_closed, is_diagonal_free};
use super::table::Table;
use crate::network::{Machine, State};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_model::{Expression, Model, QueryKind};

/// The least cost of a goal at times on a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GridCost {
    /// The goal is unreachable.
    Unreachable,
    /// All runs to the goal, if there are any, cost more than the greatest cost of interest.
    Above,
    /// The least cost, in units of one over the resolution of the grid.
    Least(i64),
}

/// Prices of one transition are at most this.
const MOST_PRICE: i32 = 1 << 20;

/// The least cost of a goal of `E<> p`, at times that are multiples of 1 / `parts`, if it is at most
/// `most` multiples of 1 / `parts`; the rates of processes are constants, and are added. `None` if it cannot be decided: the model fails, has too
/// many states, compares differences of clocks at fractions of a unit, or has an open guard of an
/// urgent channel, before which no grid has a last time.
#[must_use]
pub fn least_cost_on_grid(
    model: &Model,
    query: &QueryKind,
    parts: i32,
    most: Option<i64>,
    limits: Limits,
) -> Option<GridCost> {
    let is_urgent = model.channels.iter().any(|channel| channel.urgent);
    if model.has_rates() || is_urgent && !is_closed(model, query) {
        return None;
    }
    // Differences of clocks are cut off in whole units only.
    if parts > 1 && !is_diagonal_free(model, query) {
        return None;
    }
    let metered = Metered::new(model, MOST_PRICE)?;
    let clocks = Integers::new(&metered.model, query, parts);
    let units = Units { parts, most: most.unwrap_or(i64::MAX) };
    least_cost(&metered, model, query, clocks, units, limits)
}

/// The infimum of the costs of a goal of `E<> p`, by corner points, if it is at most `most`; the rates
/// of processes are constants, and are added. `None` if it cannot be decided: the model fails, has too
/// many states, or compares differences of clocks.
#[must_use]
pub fn infimum_at_corners(
    model: &Model,
    query: &QueryKind,
    most: Option<i64>,
    limits: Limits,
) -> Option<GridCost> {
    if model.has_rates() || !is_diagonal_free(model, query) {
        return None;
    }
    let metered = Metered::new(model, MOST_PRICE)?;
    let clocks = Corners::new(&metered.model, query)?;
    let units = Units { parts: 1, most: most.unwrap_or(i64::MAX) };
    least_cost(&metered, model, query, clocks, units, limits)
}

/// The units of costs.
#[derive(Clone, Copy, Debug)]
struct Units {
    /// The parts of a unit of time.
    parts: i32,
    /// The greatest cost of interest, in multiples of 1 / `parts`.
    most: i64,
}

/// A representation of clocks for costs.
pub(super) trait CostClocks: FiniteClocks {
    /// The cost of a delay to the next different valuations, in multiples of the rate.
    const DELAY: i64;

    /// Goes on for a unit of time among the same valuations; returns whether that is possible.
    fn go_on(&self, values: &mut [i32]) -> bool;
}

impl CostClocks for Integers {
    const DELAY: i64 = 1;

    fn go_on(&self, _: &mut [i32]) -> bool {
        false
    }
}

fn least_cost<C: CostClocks>(
    metered: &Metered,
    model: &Model,
    query: &QueryKind,
    clocks: C,
    units: Units,
    limits: Limits,
) -> Option<GridCost> {
    let rates = rates(model)?;
    let goal = Goal::of(query).ok().filter(|goal| !goal.mentions_deadlock())?;
    let mut machine = Machine::new(&metered.model, clocks);
    loop {
        let paid = metered.paid.index();
        let search = CostSearch { machine: &mut machine, goal, rates: &rates, paid, units, limits };
        let found = search.run();
        match machine.clocks.learn() {
            Learnt::Enough => return found,
            Learnt::NoRoom => return None,
            Learnt::More => {}
        }
    }
}

/// The rate of each location of each process; `None` if one is no constant.
fn rates(model: &Model) -> Option<Vec<Vec<i64>>> {
    let rate = |rate: Option<_>| match rate.map(|rate| &model.expressions[rate]) {
        None => Some(0),
        Some(&Expression::Constant(rate)) => Some(i64::from(rate)),
        Some(_) => None,
    };
    let processes = model.processes.iter();
    processes.map(|p| p.locations.iter().map(|at| rate(at.cost_rate)).collect()).collect()
}

struct CostSearch<'s, 'm, C: CostClocks> {
    machine: &'s mut Machine<'m, C>,
    goal: Goal<'m>,
    rates: &'s [Vec<i64>],
    /// The cell that holds the price of a transition.
    paid: usize,
    units: Units,
    limits: Limits,
}

/// The states by their least known costs.
struct Costs {
    table: Table,
    least: Vec<i64>,
    open: BinaryHeap<Reverse<(i64, u32)>>,
    row: Vec<i32>,
    /// The greatest cost of interest.
    most: i64,
    /// Whether a state with a greater cost was left out.
    is_cut: bool,
}

impl Costs {
    fn note(&mut self, state: &State<i32>, cost: i64) {
        if cost > self.most {
            self.is_cut = true;
            return;
        }
        pack(state, &mut self.row);
        let (id, is_new) = self.table.insert(&self.row);
        if is_new {
            self.least.push(i64::MAX);
        }
        let known = &mut self.least[id as usize];
        if cost < *known {
            *known = cost;
            self.open.push(Reverse((cost, id)));
        }
    }
}

impl<C: CostClocks> CostSearch<'_, '_, C> {
    fn run(self) -> Option<GridCost> {
        let Self { machine, goal, rates, paid, units, limits } = self;
        let mut state = machine.initial().ok()?;
        let width = state.locations.len() + state.cells.len() + state.clocks.len();
        let mut costs = Costs {
            table: Table::new(width),
            least: Vec::new(),
            open: BinaryHeap::new(),
            row: Vec::new(),
            most: units.most,
            is_cut: false,
        };
        costs.note(&state, 0);
        let mut after = state.clone();
        while let Some(Reverse((cost, id))) = costs.open.pop() {
            if cost > costs.least[id as usize] {
                continue;
            }
            if costs.table.len() > limits.states {
                return None;
            }
            unpack(costs.table.row(id), &mut state);
            if goal.holds_in(machine, &state).ok()? {
                return Some(GridCost::Least(cost));
            }
            machine.look(&state).ok()?;
            let mut is_failing = false;
            let _ = machine.for_each_step(&state, |_, _, outcome| {
                let Ok(successor) = outcome else {
                    is_failing = true;
                    return ControlFlow::Break(());
                };
                after.copy_from(successor);
                let price = i64::from(std::mem::take(&mut after.cells[paid]));
                costs.note(&after, cost + price * i64::from(units.parts));
                ControlFlow::Continue(())
            });
            if is_failing {
                return None;
            }
            if machine.time_may_pass(&state) {
                let locations = state.locations.iter().zip(rates);
                let rate: i64 = locations.map(|(at, rates)| rates[at.index()]).sum();
                if machine.clocks.go_on(&mut state.clocks) {
                    costs.note(&state, cost + rate);
                } else if let_time_pass(machine, &mut state).ok()? == Passing::On {
                    costs.note(&state, cost + rate * C::DELAY);
                }
            }
        }
        Some(if costs.is_cut { GridCost::Above } else { GridCost::Unreachable })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front_end::model_of;
    use zonaut_model::QueryId;

    fn check(guard: &str, parts: i32, expected: GridCost) {
        let text = format!(
            "clock x, y; process P() {{ state L {{ x <= 2 && cost' == 3 }}, \
             M {{ y <= 5 && cost' == 1 }}, R; init L; trans L -> M {{ assign cost += 6; }}, \
             M -> L {{ assign x = 0; }}, L -> R {{ guard {guard}; }}; }} system P;"
        );
        let (model, _) = model_of(&text, &["E<> P.R"]).expect("correct");
        let query = &model.queries[QueryId::from_index(0)].kind;
        let found = least_cost_on_grid(&model, query, parts, None, Limits::default());
        assert_eq!(found, Some(expected));
        let GridCost::Least(least) = expected else { return };
        for (most, expected) in [(least, expected), (least - 1, GridCost::Above)] {
            let found = least_cost_on_grid(&model, query, parts, Some(most), Limits::default());
            assert_eq!(found, Some(expected));
        }
    }

    fn check_infimum(guard: &str, expected: GridCost) {
        let text = format!(
            "clock x, y; process P() {{ state L {{ x <= 2 && cost' == 3 }}, \
             M {{ y < 5 && cost' == 1 }}, R; init L; trans L -> M {{ assign cost += 6; }}, \
             M -> L {{ assign x = 0; }}, L -> R {{ guard {guard}; }}; }} system P;"
        );
        let (model, _) = model_of(&text, &["E<> P.R"]).expect("correct");
        let query = &model.queries[QueryId::from_index(0)].kind;
        let found = infimum_at_corners(&model, query, None, Limits::default());
        assert_eq!(found, Some(expected), "{guard}");
    }

    #[test]
    fn corners_of_regions_have_the_infimum() {
        check_infimum("y > 6", GridCost::Least(14));
        check_infimum("y > 6 && y < 7", GridCost::Least(14));
        check_infimum("y > 4 && x > 0", GridCost::Least(10));
        check_infimum("x > 1 && y > 1", GridCost::Least(3));
        check_infimum("y > 7", GridCost::Unreachable);
    }

    #[test]
    fn time_is_spent_where_it_is_cheap() {
        check("y >= 6", 1, GridCost::Least(14));
        check("y > 6", 10, GridCost::Least(143));
        check("y > 7", 10, GridCost::Unreachable);
    }
}
