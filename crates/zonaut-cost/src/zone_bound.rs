//! Lower bounds of the cost of a path through a zone.
//!
//! The sum of the cost so far and the cost ahead is bounded. A process that has been in a location
//! for x, and stays for c at least, leaves it when c - x more is paid: not less than the infimum of
//! cost - x over the zone, and c. From there on it has the path of its own to go, and its uses of
//! [locks](crate::tasks) to wait for, as in a network of tasks, with costs for dates.
//!
//! To that the author's own estimate may be added, `remaining`, which is believed, and what the goal
//! costs in a [smaller network](crate::smaller).

use zonaut_base::Id;
use zonaut_dbm::{Row, Wide};
use zonaut_model::{Expression, ExpressionId, Formula, LocationId, Model, ProcessId};
use zonaut_space::{Cost, StopReason};
use zonaut_strategy::Estimates;
use zonaut_zonegraph::{SymbolicState, ZoneGraph};

use crate::costing::Costing;
use crate::estimate::Estimate;
use crate::infimum::Infimum;
use crate::labels::CostLabels;
use crate::smaller::Smaller;
use crate::tasks::{
    Ahead, Choice, FARTHEST, Job, Load, Span, Stay, Tasks, Use, energetic, look_ahead, preemptive,
};

/// Larger costs are not estimated.
const LARGEST: Span = FARTHEST / 4;

/// The estimate of a model over its zones.
pub(crate) struct ZoneBound<'g, 'n> {
    graph: &'g ZoneGraph<'n, Wide>,
    tasks: Tasks,
    /// By process and location; nothing where no process has a demand.
    ahead: Vec<Vec<Ahead>>,
    /// By process, where the goal wants it.
    wanted: Vec<Option<i32>>,
    is_in_zones: bool,
    /// The positions of labels among the values of a state.
    remaining: Option<usize>,
    /// The label that decides the order, and whether greater values come first.
    rank: Option<(usize, bool)>,
    rank_of_last: i64,
    /// The sum of the costs ahead of all processes; of the last state.
    work: i64,
    smaller: Option<Smaller>,
    jobs: Vec<Vec<Job>>,
    free: Vec<Span>,
    /// By counter, its uses.
    loads: Vec<Vec<Load>>,
}

/// The ingredients of estimates.
pub(crate) struct Ingredients<'m> {
    pub(crate) model: &'m Model,
    pub(crate) goal: &'m Formula,
    pub(crate) costing: Costing,
    pub(crate) labels: CostLabels,
    pub(crate) estimates: Estimates,
}

impl<'g, 'n> ZoneBound<'g, 'n> {
    /// The estimate from these ingredients; its preparation counts on the meter of the graph.
    pub(crate) fn new(
        graph: &'g ZoneGraph<'n, Wide>,
        from: &Ingredients<'_>,
    ) -> Result<Self, StopReason> {
        let meter = graph.meter();
        let Ingredients { model, goal, costing, labels, estimates } = *from;
        let rate = costing.rate;
        let mut demands = Vec::new();
        if estimates.automatic || estimates.smaller {
            demands_of(model, goal, &mut demands);
        }
        let tasks = Tasks::relaxed(model, costing, meter)?;
        let wanted = |process: usize| {
            demands.iter().find(|(p, _)| p.index() == process).map(|(_, location)| *location)
        };
        let count = model.processes.len();
        let mut ahead = Vec::new();
        if !demands.is_empty() {
            for process in 0..count {
                ahead.push(look_ahead(&tasks, process, wanted(process), meter)?);
            }
        }
        let smaller = estimates.smaller.then(|| {
            let of_process = |(process, ahead): (usize, &Vec<Ahead>)| {
                let process = ProcessId::from_index(process);
                let distance = ahead[model.processes[process].initial.index()].distance;
                distance.map(|distance| (process, distance))
            };
            let distances = ahead.iter().enumerate().filter_map(of_process).collect();
            Smaller::of(model, goal, costing, distances, meter)
        });
        let ahead = if estimates.automatic { ahead } else { Vec::new() };
        let place = |cell: zonaut_model::CellId| count + cell.index();
        let rank = labels.heur.map(|cell| (place(cell), false));
        let locks = tasks.locks.len();
        Ok(Self {
            graph,
            ahead,
            wanted: (0..count).map(|p| wanted(p).map(|at| at.index() as i32)).collect(),
            is_in_zones: rate > 0,
            remaining: labels.remaining.map(place),
            rank: rank.or(labels.priority.map(|cell| (place(cell), true))),
            rank_of_last: 0,
            work: 0,
            smaller: smaller.flatten(),
            jobs: vec![Vec::new(); locks],
            free: vec![0; locks],
            loads: vec![Vec::new(); tasks.counters.len()],
            tasks,
        })
    }

    /// The least cost at which every process can leave where it is.
    fn leaving(&self, state: &SymbolicState<Wide>, now: Span, ends: &mut Vec<Span>) {
        let rows = self.graph.rows(state);
        let zone = &state.zone;
        let cost = Row((zone.dim() - 1) as u16);
        let end = |process: usize| {
            let location = state.values[process] as usize;
            let Stay::Task { clock, length } = self.tasks.stays[process][location] else {
                return now;
            };
            let row = rows.iter().position(|&row| row as usize == clock.index() + 1);
            let Some(x) = row.filter(|_| self.is_in_zones) else { return now };
            let ahead = zone.bound(Row(x as u16), cost);
            if ahead.is_infinite() {
                return now;
            }
            let begun = (-ahead.value()).clamp(-LARGEST, LARGEST);
            #[cfg(feature = "faults")]
            if crate::faults::Fault::StayBegunAgain.is_selected() {
                return now + length;
            }
            now.max(begun + length)
        };
        ends.clear();
        ends.extend((0..self.tasks.stays.len()).map(end));
    }

    /// The least cost of a goal through a state that costs `now`, or nothing if no goal is reachable.
    fn date(&mut self, state: &SymbolicState<Wide>, now: Span) -> Option<Span> {
        let mut ends = Vec::new();
        self.leaving(state, now, &mut ends);
        let mut least = now;
        self.work = 0;
        self.jobs.iter_mut().for_each(Vec::clear);
        self.free.fill(now);
        self.loads.iter_mut().for_each(Vec::clear);
        for (process, ahead) in self.ahead.iter().enumerate() {
            let (here, from) = (&ahead[state.values[process] as usize], ends[process]);
            here.held.iter().for_each(|&lock| self.free[lock] = self.free[lock].max(from));
            let Some(distance) = here.distance else { continue };
            let distance = distance.finite()?;
            // Who is where the goal wants it need not leave.
            let is_there = self.wanted[process] == Some(state.values[process]);
            let arrival = if is_there { now } else { from + distance };
            // Only a process that has to leave certainly does so before the goal.
            for &(counter, amount) in here.holding.iter().filter(|_| !is_there) {
                let job = Job { head: now, length: from - now, tail: distance };
                self.loads[counter].push(Load { counter, amount, job });
            }
            least = least.max(arrival);
            self.work = self.work.saturating_add(arrival - now);
            for &Use { lock, head, length, tail, .. } in &here.uses {
                self.jobs[lock].push(Job { head: from + head, length, tail });
            }
            for &Choice { lock, job } in &here.choices {
                self.jobs[lock].push(Job { head: from + job.head, ..job });
            }
            for load in &here.loads {
                let job = Job { head: from + load.job.head, ..load.job };
                self.loads[load.counter].push(Load { job, ..*load });
            }
        }
        for (loads, counter) in self.loads.iter_mut().zip(&self.tasks.counters) {
            least = least.max(energetic(loads, counter.capacity));
        }
        for (jobs, &free) in self.jobs.iter_mut().zip(&self.free) {
            jobs.iter_mut().for_each(|job| job.head = job.head.max(free));
            least = least.max(preemptive(jobs));
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::EstimateTooLarge.is_selected() && least > now {
            return Some(least + 1);
        }
        Some(least)
    }
}

impl Estimate<SymbolicState<Wide>> for ZoneBound<'_, '_> {
    fn total(&mut self, state: &SymbolicState<Wide>, cost: Infimum) -> Option<Infimum> {
        self.rank_of_last = match self.rank {
            Some((place, true)) => -i64::from(state.values[place]),
            Some((place, false)) => i64::from(state.values[place]),
            None => 0,
        };
        let mut total = cost;
        if let Some(place) = self.remaining {
            let left = i64::from(state.values[place]).max(0);
            total = total.max(Infimum::attained(cost.value() + left));
        }
        if let Some(smaller) = &mut self.smaller {
            total = total.max(cost.plus(smaller.left_to_pay(&state.values)?));
        }
        let now = cost.value();
        if self.ahead.is_empty() || now > LARGEST {
            return Some(total);
        }
        let date = self.date(state, now)?;
        Some(total.max(Infimum::attained(date)))
    }

    fn work(&self) -> i64 {
        self.work
    }

    fn rank(&self) -> i64 {
        self.rank_of_last
    }
}

/// The locations that the goal demands; its other parts are ignored.
pub fn demands_of(model: &Model, goal: &Formula, into: &mut Vec<(ProcessId, LocationId)>) {
    match goal {
        Formula::Data(data) => demands_of_expression(model, *data, into),
        Formula::And(parts) => parts.iter().for_each(|part| demands_of(model, part, into)),
        Formula::Or(parts) => {
            if let [part] = parts.as_slice() {
                demands_of(model, part, into);
            }
        }
        Formula::Clock(_) | Formula::Deadlock | Formula::Not(_) => {}
    }
}

/// The same for an expression, whose chains lean to the left and may be long.
fn demands_of_expression(model: &Model, id: ExpressionId, into: &mut Vec<(ProcessId, LocationId)>) {
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        match model.expressions[id] {
            Expression::At(process, location) => into.push((process, location)),
            Expression::And(left, right) => open.extend([left, right]),
            _ => {}
        }
    }
}
