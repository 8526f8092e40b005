//! Lower bounds of the cost ahead in a network of tasks.
//!
//! Each process alone and each lock alone are bounded as in any model ([`zonaut_cost::tasks`]).
//!
//! *All locks together.* Once a schedule is known, only those are of interest that are over sooner. What
//! has to be so for them makes heads and tails longer ([`crate::propagation`]), and with them the bound
//! of each lock; where something does not fit any more, nothing better follows.
//!
//! *Each counter alone.* The amounts of its capacity that tasks hold, times their lengths, need time
//! ([`energetic`]).
//!
//! *Dates.* A process is in a location not before the earliest date that the bounds on dates and the
//! lengths of tasks on the way from its initial location allow. A use in a location with a deadline is over by then:
//! for the limit of better schedules, or any limit that is late enough, this is a longer tail. Other tails
//! follow from it only for that limit, so it serves to refute points and not to bound dates.
//!
//! *Each sleeper alone.* A move sleeps until something happens that it depends on, and before its
//! deadline ([`crate::system`]). Where the shortest paths of all other processes to such a move take
//! longer, nothing good can follow.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use zonaut_base::{Id, Meter, StopReason};
use zonaut_cost::tasks::{
    Ahead, Choice, Distance, Job, Load, Locations, Span, Stay, Use, energetic, look_ahead,
    preemptive,
};
use zonaut_cost::{Estimate, Infimum};
use zonaut_model::ClockId;

use crate::propagation::{Activity, LARGEST, Propagation};
use crate::state::Point;
use crate::system::TaskSystem;
use crate::task_network::TaskNetwork;

/// The size up to which the table of times until sleepers wake is computed.
const MOST_DISTANCES: usize = 1 << 22;

/// The cost of the incumbent schedule, if one is known; shared by the search and its estimate, which
/// may run on another thread.
#[derive(Clone, Debug)]
pub(crate) struct Known(Arc<AtomicI64>);

/// No schedule is known; above every cost.
const UNKNOWN: i64 = i64::MAX;

impl Default for Known {
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(UNKNOWN)))
    }
}

impl Known {
    pub(crate) fn tell(&self, cost: Infimum) {
        self.0.fetch_min(cost.value(), Ordering::Relaxed);
    }

    /// The last date of a better schedule, where time has this rate.
    pub(crate) fn limit(&self, rate: i64) -> Option<Span> {
        let cost = self.0.load(Ordering::Relaxed);
        (cost != UNKNOWN).then(|| limit_below(Infimum::attained(cost), rate))
    }
}

/// The last date of a schedule that costs less, where time has this rate.
pub(crate) fn limit_below(cost: Infimum, rate: i64) -> Span {
    (cost.value() - 1).div_euclid(rate)
}

/// A use of a lock that no run to the goal avoids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CertainUse {
    pub(crate) process: usize,
    /// The location in which the process uses the lock.
    pub(crate) location: usize,
    pub(crate) activity: Activity,
}

/// The estimate of a network of tasks.
pub(crate) struct TaskBound<'s, 'n> {
    system: &'s TaskSystem<'n>,
    known: Known,
    /// By process and location.
    ahead: Vec<Vec<Ahead>>,
    /// By process, where the goal wants it.
    wanted: Vec<Option<usize>>,
    /// By move, process and location, the shortest time from leaving the location to a move that the
    /// first one depends on; nothing where the table would be too large.
    waking: Option<Vec<Vec<Vec<Distance>>>>,
    /// The sum of the bounds of single locks, which breaks ties between equal estimates.
    weight: u64,
    /// The sum of the work ahead of single processes.
    work: i64,
    /// The uses of locks, by process; a buffer.
    activities: Vec<Activity>,
    /// The uses of locks in one of several locations; a buffer.
    choices: Vec<Choice>,
    /// By lock, its uses; a buffer.
    jobs: Vec<Vec<Job>>,
    /// By lock, when it is given back; a buffer.
    free: Vec<Span>,
    /// By counter, its uses; a buffer.
    loads: Vec<Vec<Load>>,
    /// By process and location, the earliest date on which the process enters it, if it can.
    arrivals: Vec<Vec<Span>>,
    /// Of the activities, the last dates on which they may be over; a buffer.
    latest: Vec<Option<Span>>,
    propagation: Propagation,
}

impl<'s, 'n> TaskBound<'s, 'n> {
    /// The estimate of `system`; its preparation counts on the meter of the system.
    pub(crate) fn new(system: &'s TaskSystem<'n>, known: Known) -> Result<Self, StopReason> {
        let tasks = &system.network.tasks;
        let mut demands = Vec::new();
        system.goal.demands(&mut demands);
        let wanted = |process: usize| {
            demands.iter().find(|(p, _)| p.index() == process).map(|(_, location)| *location)
        };
        let ahead = (0..system.process_count())
            .map(|process| look_ahead(tasks, process, wanted(process), system.meter));
        let places: usize = tasks.stays.iter().map(Vec::len).sum();
        let is_small = places.saturating_mul(tasks.moves.len()) <= MOST_DISTANCES;
        let waking = (0..tasks.moves.len()).filter(|_| is_small);
        let waking = waking.map(|this| times_to_wake(system.network, this, system.meter));
        let waking = waking.collect::<Result<_, _>>()?;
        Ok(Self {
            system,
            known,
            ahead: ahead.collect::<Result<_, _>>()?,
            wanted: (0..system.process_count()).map(|p| wanted(p).map(Id::index)).collect(),
            waking: is_small.then_some(waking),
            weight: 0,
            work: 0,
            activities: Vec::new(),
            choices: Vec::new(),
            jobs: vec![Vec::new(); tasks.locks.len()],
            free: vec![0; tasks.locks.len()],
            loads: vec![Vec::new(); tasks.counters.len()],
            arrivals: arrivals(system),
            latest: Vec::new(),
            propagation: Propagation::default(),
        })
    }

    /// The least date at which the goal can be met, as far as the constraints of all locks together
    /// tell: the least limit that they do not contradict. For once, at the start.
    pub(crate) fn least_limit(&mut self, point: &Point) -> Option<Span> {
        let least = self.date(point)?;
        let given = self.activities.clone();
        let mut is_possible = |limit: Span| self.propagation.tighten(&mut given.clone(), limit);
        if is_possible(least) {
            return Some(least);
        }
        let (mut contradicted, mut step) = (least, 1);
        while !is_possible(contradicted + step) {
            contradicted += step;
            step *= 2;
        }
        let mut possible = contradicted + step;
        while possible - contradicted > 1 {
            let middle = contradicted + (possible - contradicted) / 2;
            match is_possible(middle) {
                true => possible = middle,
                false => contradicted = middle,
            }
        }
        Some(possible)
    }

    /// The certain uses of locks from a point on, in the order of their processes, without regard to
    /// an incumbent.
    pub(crate) fn certain_uses(&mut self, point: &Point) -> Vec<CertainUse> {
        let known = std::mem::take(&mut self.known);
        let is_possible = self.date(point).is_some();
        self.known = known;
        let places = self.ahead.iter().enumerate().flat_map(|(process, ahead)| {
            let here = &ahead[point.values[process] as usize];
            let uses = here.distance.map_or(&[][..], |_| &here.uses);
            uses.iter().map(move |one| (process, one.at))
        });
        let uses = places.zip(&self.activities).filter(|_| is_possible);
        uses.map(|((process, location), &activity)| CertainUse { process, location, activity })
            .collect()
    }

    /// Records the cost of a new incumbent.
    pub(crate) fn tell(&self, cost: Infimum) {
        self.known.tell(cost);
    }

    /// The least date at which the goal can be met, or nothing if it cannot.
    pub(crate) fn date(&mut self, point: &Point) -> Option<Span> {
        let now = Span::from(point.now());
        let mut least = now;
        if !self.sleepers_may_wake(point) {
            return None;
        }
        self.activities.clear();
        self.latest.clear();
        self.choices.clear();
        self.work = 0;
        self.free.fill(now);
        self.loads.iter_mut().for_each(Vec::clear);
        for (process, ahead) in self.ahead.iter().enumerate() {
            let here = &ahead[point.values[process] as usize];
            let end = self.system.end(point, process).map(Span::from);
            if let Some(end) = end {
                here.held.iter().for_each(|&lock| self.free[lock] = self.free[lock].max(end));
            }
            let Some(distance) = here.distance else { continue };
            let distance = distance.finite()?;
            let location = point.values[process] as usize;
            // A process that is where the goal wants it need not leave.
            let leaves = match self.wanted[process] == Some(location) {
                true => now,
                false => self.leaves_from(process, location),
            };
            let from = end.unwrap_or(now.max(leaves));
            least = least.max(from + distance);
            self.work = self.work.saturating_add(from + distance - now);
            let arrivals = &self.arrivals[process];
            self.activities.extend(here.uses.iter().map(|one| {
                let Use { head, length, tail, lock, after, at } = *one;
                Activity { lock, head: (from + head).max(arrivals[at]), length, tail, after }
            }));
            let deadlines = &self.system.network.deadlines[process];
            self.latest.extend(here.uses.iter().map(|one| deadlines[one.at].map(Span::from)));
            for &(counter, amount) in here.holding.iter().filter(|_| end.is_some()) {
                let job = Job { head: now, length: from - now, tail: distance };
                self.loads[counter].push(Load { counter, amount, job });
            }
            self.choices.extend(here.choices.iter().map(|&Choice { lock, job }| Choice {
                lock,
                job: Job { head: from + job.head, ..job },
            }));
            for load in &here.loads {
                let job = Job { head: from + load.job.head, ..load.job };
                self.loads[load.counter].push(Load { job, ..*load });
            }
        }
        let capacities = self.system.network.tasks.counters.iter().map(|counter| counter.capacity);
        for (loads, capacity) in self.loads.iter_mut().zip(capacities) {
            least = least.max(energetic(loads, capacity));
        }
        for activity in &mut self.activities {
            activity.head = activity.head.max(self.free[activity.lock]);
        }
        for Choice { lock, job } in &mut self.choices {
            job.head = job.head.max(self.free[*lock]);
        }
        least = least.max(self.of_locks());
        if !self.is_in_time(least) {
            return None;
        }
        if let Some(limit) = self.known.limit(self.system.rate)
            && least <= limit
        {
            #[cfg(feature = "faults")]
            let sooner = 3 * Span::from(crate::faults::Fault::LimitTooEarly.is_selected());
            #[cfg(not(feature = "faults"))]
            let sooner = 0;
            least = match self.propagation.tighten(&mut self.activities, limit - sooner) {
                true => least.max(self.of_locks()).min(limit + 1),
                false => limit + 1,
            };
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::EstimateTooLarge.is_selected() && least > now {
            return Some(least + 1);
        }
        Some(least)
    }
}

impl TaskBound<'_, '_> {
    /// The earliest date on which a process can leave a rest, as far as bounds on dates tell.
    fn leaves_from(&self, process: usize, location: usize) -> Span {
        let leaving = self.system.network.tasks.leaving[process][location].iter();
        leaving.map(|&this| released(self.system, this)).min().unwrap_or(0)
    }

    /// Whether all uses can be over by their deadlines, and by the limit of better schedules, if one
    /// is known and not before `least`.
    fn is_in_time(&mut self, least: Span) -> bool {
        if self.latest.iter().all(Option::is_none) {
            return true;
        }
        let known = self.known.limit(self.system.rate).filter(|limit| *limit >= least);
        let limit = known.unwrap_or(LARGEST);
        let mut windows = self.activities.clone();
        for (activity, latest) in windows.iter_mut().zip(&self.latest) {
            activity.tail = activity.tail.max(latest.map_or(0, |latest| limit - latest));
        }
        self.propagation.tighten(&mut windows, limit)
    }

    /// The greatest of the bounds of single locks; their sum is the weight.
    fn of_locks(&mut self) -> Span {
        self.weight = 0;
        self.jobs.iter_mut().for_each(Vec::clear);
        for &Activity { lock, head, length, tail, .. } in &self.activities {
            self.jobs[lock].push(Job { head, length, tail });
        }
        for &Choice { lock, job } in &self.choices {
            self.jobs[lock].push(job);
        }
        let mut least = 0;
        for jobs in self.jobs.iter_mut().filter(|jobs| !jobs.is_empty()) {
            let date = preemptive(jobs);
            self.weight = self.weight.saturating_add(date.unsigned_abs());
            least = least.max(date);
        }
        least
    }

    /// The tie-breaker between points of equal estimates: less is better. Of the last point.
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    /// Whether every sleeper may wake up before its deadline.
    fn sleepers_may_wake(&self, point: &Point) -> bool {
        let Some(waking) = &self.waking else { return true };
        let processes = self.system.process_count();
        (0..processes).all(|process| {
            let Some((sleeper, deadline)) = self.system.sleeper(point, process) else {
                return true;
            };
            (0..processes).any(|other| {
                let from = Span::from(self.system.end(point, other).unwrap_or(point.now()));
                let distance = waking[sleeper][other][point.values[other] as usize];
                let is_in_time = |distance: Span| from + distance < Span::from(deadline);
                other != process && distance.finite().is_some_and(is_in_time)
            })
        })
    }
}

/// The date from which a move is possible by its bounds on dates.
fn released(system: &TaskSystem<'_>, this: usize) -> Span {
    let after = system.network.tasks.moves[this].after.iter();
    let dates = after.filter(|(clock, _)| system.network.is_date[clock.index()]);
    let date = |&(clock, age): &(ClockId, i32)| {
        Span::from(age) - Span::from(system.compiled.initial_clocks[clock.index()])
    };
    dates.map(date).max().unwrap_or(0).max(0)
}

/// By process and location, the earliest date on which the process enters it; for locations that it
/// never enters, any.
fn arrivals(system: &TaskSystem<'_>) -> Vec<Vec<Span>> {
    let tasks = &system.network.tasks;
    let of_process = |(process, stays): (usize, &Vec<Stay>)| {
        let mut found = vec![None; stays.len()];
        found[system.compiled.initial[process] as usize] = Some(0);
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for (index, this) in tasks.moves.iter().enumerate() {
                if this.process.index() != process {
                    continue;
                }
                let Some(entered) = found[this.source.index()] else { continue };
                let length = match stays[this.source.index()] {
                    Stay::Rest => 0,
                    Stay::Task { length, .. } => length,
                };
                let date: Span = released(system, index).max(entered + length);
                let target = &mut found[this.target.index()];
                if target.is_none_or(|known| date < known) {
                    *target = Some(date);
                    is_changed = true;
                }
            }
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::ArrivalTooLate.is_selected() {
            found.iter_mut().flatten().for_each(|date| *date += 1);
        }
        found.into_iter().map(|date| date.unwrap_or(0)).collect()
    };
    tasks.stays.iter().enumerate().map(of_process).collect()
}

/// By process and location, the shortest time from leaving it to a move that `sleeper` depends on.
fn times_to_wake(
    network: &TaskNetwork,
    sleeper: usize,
    meter: &Meter,
) -> Result<Vec<Vec<Distance>>, StopReason> {
    let tasks = &network.tasks;
    let of_process = |process: usize| {
        let graph = Locations { tasks, process };
        let count = tasks.stays[process].len();
        let wakes = |this: &usize| network.depends(sleeper, *this);
        // The time from leaving a location, which is none where a move out of it is looked for.
        let mut times = vec![Distance::NEVER; count];
        for (location, time) in times.iter_mut().enumerate() {
            if tasks.leaving[process][location].iter().any(wakes) {
                *time = Distance::ZERO;
            }
        }
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            meter.spend(count as u32)?;
            // Paths tend to lead to later locations, which are settled first.
            for location in (0..count).rev() {
                for &this in &tasks.leaving[process][location] {
                    let target = tasks.moves[this].target.index();
                    let time = times[target].plus(graph.length(target));
                    if time < times[location] {
                        times[location] = time;
                        is_changed = true;
                    }
                }
            }
        }
        Ok(times)
    };
    (0..tasks.stays.len()).map(of_process).collect()
}

impl Estimate<Point> for TaskBound<'_, '_> {
    fn weight(&self) -> u64 {
        self.weight
    }

    fn work(&self) -> i64 {
        self.work.saturating_mul(self.system.rate)
    }

    fn total(&mut self, state: &Point, cost: Infimum) -> Option<Infimum> {
        let date = self.date(state)?;
        Some(Infimum::attained(date.saturating_mul(self.system.rate)).max(cost))
    }
}
