//! Motion of clocks while time passes.
//!
//! If no rate depends on a clock, all clocks are linear until the next transition, and one segment
//! of any length is exact. Otherwise time passes in segments of bounded length. The slope of a
//! segment is the mean slope of a Runge-Kutta step of order 4; the difference to the step of order
//! 2 estimates its error, and the segment is halved until the estimate is below
//! [`TOLERANCE`], relative to values above 1.

use zonaut_compile::{CompiledNetwork, Flow, FlowTarget, Machine, RealConstraint, RealMemory};
use zonaut_model::interpret::RunTimeError;

/// The accepted error of one segment.
const TOLERANCE: f64 = 1e-6;

/// The maximal number of times that a segment is halved.
const HALVINGS: u32 = 12;

/// Differences of clocks below this count as equal: the error of adding delays.
pub(crate) const SLACK: f64 = 1e-9;

/// Time stops this long before a strict upper bound of an invariant.
pub(crate) const GAP: f64 = 1e-8;

/// The rates of all clocks during one segment of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    /// The rates of clocks, by index.
    clocks: Vec<f64>,
    /// The rates of hybrid clocks, in the order of their cells.
    cells: Vec<f64>,
    /// The length of the segment.
    pub(crate) length: f64,
    is_set: Vec<bool>,
    /// By clock, whether its rate changes while time passes.
    is_curved: Vec<bool>,
    slopes: [Slopes; 4],
    start: Slopes,
}

/// Slopes, or values, of all quantities.
#[derive(Clone, Debug, Default)]
struct Slopes {
    clocks: Vec<f64>,
    cells: Vec<f64>,
}

fn memory(machine: &Machine) -> &RealMemory {
    machine.reals.as_ref().expect("invariant: a run has started")
}

fn memory_mut(machine: &mut Machine) -> &mut RealMemory {
    machine.reals.as_mut().expect("invariant: a run has started")
}

impl Motion {
    /// Computes the rates from the current state on, for a segment of at most `most`; the segment
    /// is at most `step` long if rates depend on clocks or if `is_stepped`.
    pub(crate) fn plan(
        &mut self,
        network: &CompiledNetwork,
        values: &mut [i32],
        machine: &mut Machine,
        most: f64,
        step: Option<f64>,
    ) -> Result<(), RunTimeError> {
        let mut first = std::mem::take(&mut self.slopes[0]);
        self.evaluate(network, values, machine, &mut first)?;
        self.clocks.clone_from(&first.clocks);
        self.cells.clone_from(&first.cells);
        self.slopes[0] = first;
        self.length = most;
        let Some(step) = step else { return Ok(()) };
        self.length = most.min(step);
        if !network.is_curved(values) {
            return Ok(());
        }
        self.start.clocks.clone_from(&memory(machine).clocks);
        let cells = network.hybrid_cells().iter().map(|&cell| memory(machine).cells[cell]);
        self.start.cells.clear();
        self.start.cells.extend(cells);
        for _ in 0..HALVINGS {
            let error = self.runge_kutta(network, values, machine)?;
            if error <= TOLERANCE {
                break;
            }
            self.length /= 2.0;
        }
        self.place(network, machine, None, 0.0);
        Ok(())
    }

    /// Sets the rates to the mean slopes of a step of order 4; returns the estimated error.
    fn runge_kutta(
        &mut self,
        network: &CompiledNetwork,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<f64, RunTimeError> {
        let length = self.length;
        for (k, part) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            self.place(network, machine, Some(k - 1), part * length);
            let mut slopes = std::mem::take(&mut self.slopes[k]);
            self.evaluate(network, values, machine, &mut slopes)?;
            self.slopes[k] = slopes;
        }
        let mut error: f64 = 0.0;
        let [one, two, three, four] = &self.slopes;
        let mean =
            |k: &dyn Fn(&Slopes) -> f64| (k(one) + 2.0 * k(two) + 2.0 * k(three) + k(four)) / 6.0;
        for (k, rate) in self.clocks.iter_mut().enumerate() {
            *rate = mean(&|slopes| slopes.clocks[k]);
            let scale = self.start.clocks[k].abs().max(1.0);
            error = error.max((*rate - two.clocks[k]).abs() * length / scale);
        }
        for (k, rate) in self.cells.iter_mut().enumerate() {
            *rate = mean(&|slopes| slopes.cells[k]);
            let scale = self.start.cells[k].abs().max(1.0);
            error = error.max((*rate - two.cells[k]).abs() * length / scale);
        }
        Ok(error)
    }

    /// Sets the state to the start, moved for `time` along the slopes of a stage.
    fn place(
        &self,
        network: &CompiledNetwork,
        machine: &mut Machine,
        stage: Option<usize>,
        time: f64,
    ) {
        let memory = memory_mut(machine);
        let slope = |k: usize, is_cell: bool| {
            stage.map_or(0.0, |stage| {
                let slopes = &self.slopes[stage];
                if is_cell { slopes.cells[k] } else { slopes.clocks[k] }
            })
        };
        for (k, clock) in memory.clocks.iter_mut().enumerate() {
            *clock = self.start.clocks[k] + time * slope(k, false);
        }
        for (k, &cell) in network.hybrid_cells().iter().enumerate() {
            memory.cells[cell] = self.start.cells[k] + time * slope(k, true);
        }
    }

    /// The rates in the current state. A clock without a rate has rate 1; of several rates, 0 wins,
    /// otherwise the last in system order.
    fn evaluate(
        &mut self,
        network: &CompiledNetwork,
        values: &mut [i32],
        machine: &mut Machine,
        into: &mut Slopes,
    ) -> Result<(), RunTimeError> {
        let cells = network.hybrid_cells();
        into.clocks.clear();
        into.clocks.resize(network.initial_clocks.len(), 1.0);
        into.cells.clear();
        into.cells.resize(cells.len(), 1.0);
        let first_cell = into.clocks.len();
        self.is_set.clear();
        self.is_set.resize(first_cell + cells.len(), false);
        self.is_curved.clear();
        self.is_curved.resize(first_cell, false);
        network.for_each_flow(values, machine, |Flow { target, rate, is_curved }| {
            if let FlowTarget::Clock(clock) = target {
                self.is_curved[clock] |= is_curved;
            }
            let (slot, position) = match target {
                FlowTarget::Clock(clock) => (&mut into.clocks[clock], clock),
                FlowTarget::Cell(cell) => match cells.binary_search(&cell) {
                    Ok(k) => (&mut into.cells[k], first_cell + k),
                    Err(_) => return,
                },
            };
            if !(std::mem::replace(&mut self.is_set[position], true) && *slot == 0.0) {
                *slot = rate;
            }
        })
    }

    /// Lets time pass, within the segment.
    pub(crate) fn advance(&self, network: &CompiledNetwork, machine: &mut Machine, time: f64) {
        let memory = memory_mut(machine);
        for (clock, rate) in memory.clocks.iter_mut().zip(&self.clocks) {
            *clock = settled(*clock + rate * time);
        }
        for (&cell, rate) in network.hybrid_cells().iter().zip(&self.cells) {
            memory.cells[cell] += rate * time;
        }
    }

    /// The excess of a constraint over its bound after `time`: it holds if the excess is not
    /// positive.
    pub(crate) fn excess(&self, machine: &Machine, constraint: &RealConstraint, time: f64) -> f64 {
        let (value, rate) = self.difference(machine, constraint);
        value + rate * time - constraint.bound
    }

    /// Whether a constraint holds after `time`.
    pub(crate) fn holds(&self, machine: &Machine, constraint: &RealConstraint, time: f64) -> bool {
        let excess = self.excess(machine, constraint, time);
        if constraint.is_strict {
            excess < 0.0
        } else {
            excess <= SLACK * constraint.bound.abs().max(1.0)
        }
    }

    /// The difference of the clocks of a constraint, and its rate.
    fn difference(&self, machine: &Machine, constraint: &RealConstraint) -> (f64, f64) {
        let memory = memory(machine);
        let value = |row: u32| match row.checked_sub(1) {
            None => (0.0, 0.0),
            Some(clock) => (memory.clocks[clock as usize], self.clocks[clock as usize]),
        };
        let ((x, x_rate), (y, y_rate)) = (value(constraint.x), value(constraint.y));
        (x - y, x_rate - y_rate)
    }

    /// Whether the clocks of a constraint keep their rates until the next transition.
    pub(crate) fn is_straight(&self, constraint: &RealConstraint) -> bool {
        let is_curved = |row: u32| row.checked_sub(1).is_some_and(|k| self.is_curved[k as usize]);
        !is_curved(constraint.x) && !is_curved(constraint.y)
    }

    /// The time at which a constraint begins or ceases to hold, if there is one.
    pub(crate) fn crossing(&self, machine: &Machine, constraint: &RealConstraint) -> Option<f64> {
        let (value, rate) = self.difference(machine, constraint);
        (rate != 0.0).then(|| (constraint.bound - value) / rate)
    }

    /// Restricts a window of delays to those at which a constraint holds.
    pub(crate) fn restrict(
        &self,
        machine: &Machine,
        constraint: &RealConstraint,
        window: &mut Window,
    ) {
        let (value, rate) = self.difference(machine, constraint);
        let excess = value - constraint.bound;
        if rate > 0.0 {
            window.end(-excess / rate, constraint.is_strict);
        } else if rate < 0.0 {
            window.begin(-excess / rate, constraint.is_strict);
        } else if excess > SLACK * constraint.bound.abs().max(1.0)
            || excess >= 0.0 && constraint.is_strict
        {
            window.to = f64::NEG_INFINITY;
        }
    }
}

/// A value close to an integer becomes the integer: the sum of delays to a date is rounded.
fn settled(value: f64) -> f64 {
    let whole = value.round();
    if (value - whole).abs() <= SLACK { whole } else { value }
}

/// An interval of delays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Window {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Whether `from` itself is excluded.
    pub(crate) is_open: bool,
    /// Whether `to` itself is excluded.
    pub(crate) is_open_at_end: bool,
}

impl Window {
    /// All delays.
    pub(crate) const ALL: Self =
        Self { from: 0.0, to: f64::INFINITY, is_open: false, is_open_at_end: false };

    /// Removes the delays before a date, and the date itself if `is_open`.
    fn begin(&mut self, date: f64, is_open: bool) {
        if date > self.from {
            (self.from, self.is_open) = (date, is_open);
        } else if date == self.from {
            self.is_open |= is_open;
        }
    }

    /// Removes the delays after a date, and the date itself if `is_open`.
    fn end(&mut self, date: f64, is_open: bool) {
        if date < self.to {
            (self.to, self.is_open_at_end) = (date, is_open);
        } else if date == self.to {
            self.is_open_at_end |= is_open;
        }
    }

    /// The delays in both intervals.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.begin(other.from, other.is_open);
        self.end(other.to, other.is_open_at_end);
        self
    }

    pub(crate) fn is_empty(self) -> bool {
        match self.is_open || self.is_open_at_end {
            true => self.to <= self.from + SLACK,
            false => self.to < self.from - SLACK,
        }
    }
}
