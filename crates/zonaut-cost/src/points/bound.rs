//! Lower bounds of the cost ahead in a network of tasks.
//!
//! *Each process alone.* To get where the goal wants it, a process has to work on the tasks of some
//! path there, one after the other: the shortest path takes no longer than any.
//!
//! *Each lock alone.* Tasks in which a lock is held exclude each other. If every path of a process from
//! where it is to where the goal wants it passes such a task, the process works on it once at least:
//! not before its head, the shortest path there; for its length; and then there is its tail, the
//! shortest path from there to the goal. What the tasks of all processes need together on one machine,
//! in the best of all cases and even if tasks could be interrupted, is told exactly by Jackson's
//! preemptive schedule: at every instant work on the available task with the longest tail (J. Carlier:
//! "The one-machine sequencing problem", DOI 10.1016/S0377-2217(82)80007-6).
//!
//! *All locks together.* Once a schedule is known, only those are of interest that are over sooner. What
//! has to be so for them makes heads and tails longer ([`super::propagation`]), and with them the bound
//! of each lock; where something does not fit any more, nothing better follows.
//!
//! *Each sleeper alone.* A move sleeps until something happens that it depends on, and before its
//! deadline ([`super::system`]). Where the shortest paths of all other processes to such a move take
//! longer, nothing good can follow.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

use zonaut_base::Id;
use zonaut_model::LocationId;

use super::distance::{Distance, FARTHEST, Span};
use super::propagation::{Activity, Propagation};
use super::state::Point;
use super::system::TaskSystem;
use super::tasks::{Move, Stay, Tasks};
use crate::estimate::Estimate;
use crate::infimum::Infimum;

/// A use of a lock that lies before a process: when it can begin after the process leaves where it is,
/// how long it takes, and what follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Use {
    pub(crate) lock: usize,
    pub(crate) head: Span,
    pub(crate) length: Span,
    pub(crate) tail: Span,
    /// The location.
    at: usize,
    /// By how much its head is longer, and its tail shorter, than those of the use before it in the
    /// list, which it certainly follows.
    after: Option<(Span, Span)>,
}

/// The work ahead of a process in a location.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ahead {
    /// The shortest path to where the goal wants it, from leaving the location on; nothing if there is
    /// no demand.
    pub(crate) distance: Option<Distance>,
    /// Its certain uses of locks on the path, in the order of heads.
    pub(crate) uses: Vec<Use>,
    /// The locks that it holds while it works here.
    pub(crate) held: Vec<usize>,
}

/// A task on one machine: its head, what is left of it, and its tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    pub(crate) head: Span,
    pub(crate) length: Span,
    pub(crate) tail: Span,
}

/// The size up to which the table of times until sleepers wake is computed.
const MOST_DISTANCES: usize = 1 << 22;

/// The cost of the incumbent schedule, if one is known; shared by the search and its estimate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(Rc<Cell<Option<Infimum>>>);

impl Known {
    pub(crate) fn tell(&self, cost: Infimum) {
        self.0.set(Some(cost));
    }

    /// The last date of a better schedule, where time has this rate.
    fn limit(&self, rate: i64) -> Option<Span> {
        Some((self.0.get()?.value() - 1).div_euclid(rate))
    }
}

/// The estimate of a network of tasks.
pub(crate) struct TaskBound<'s, 'n> {
    system: &'s TaskSystem<'n>,
    known: Known,
    /// By process and location.
    ahead: Vec<Vec<Ahead>>,
    /// By move, process and location, the shortest time from leaving the location to a move that the
    /// first one depends on; nothing where the table would be too large.
    waking: Option<Vec<Vec<Vec<Distance>>>>,
    /// The sum of the bounds of single locks, which breaks ties between equal estimates.
    weight: u64,
    /// The sum of the work ahead of single processes.
    work: i64,
    /// The uses of locks, by process; a buffer.
    activities: Vec<Activity>,
    /// By lock, its uses; a buffer.
    jobs: Vec<Vec<Job>>,
    /// By lock, when it is given back; a buffer.
    free: Vec<Span>,
    propagation: Propagation,
}

impl<'s, 'n> TaskBound<'s, 'n> {
    pub(crate) fn new(system: &'s TaskSystem<'n>, known: Known) -> Self {
        let tasks = system.tasks;
        let mut demands = Vec::new();
        system.goal.demands(&mut demands);
        let ahead = (0..system.process_count()).map(|process| {
            let wanted = demands.iter().find(|(p, _)| p.index() == process).map(|(_, l)| *l);
            look_ahead(tasks, process, wanted)
        });
        let places: usize = tasks.stays.iter().map(Vec::len).sum();
        let is_small = places.saturating_mul(tasks.moves.len()) <= MOST_DISTANCES;
        let waking = is_small
            .then(|| (0..tasks.moves.len()).map(|this| times_to_wake(tasks, this)).collect());
        Self {
            system,
            known,
            ahead: ahead.collect(),
            waking,
            weight: 0,
            work: 0,
            activities: Vec::new(),
            jobs: vec![Vec::new(); tasks.locks.len()],
            free: vec![0; tasks.locks.len()],
            propagation: Propagation::default(),
        }
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
        self.work = 0;
        self.free.fill(now);
        for (process, ahead) in self.ahead.iter().enumerate() {
            let here = &ahead[point.values[process] as usize];
            let end = self.system.end(point, process).map(Span::from);
            if let Some(end) = end {
                here.held.iter().for_each(|&lock| self.free[lock] = self.free[lock].max(end));
            }
            let Some(distance) = here.distance else { continue };
            let distance = distance.finite()?;
            let from = end.unwrap_or(now);
            least = least.max(from + distance);
            self.work = self.work.saturating_add(from + distance - now);
            self.activities.extend(here.uses.iter().map(|one| {
                let Use { head, length, tail, lock, after, .. } = *one;
                Activity { lock, head: from + head, length, tail, after }
            }));
        }
        for activity in &mut self.activities {
            activity.head = activity.head.max(self.free[activity.lock]);
        }
        least = least.max(self.of_locks());
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
    /// The greatest of the bounds of single locks; their sum is the weight.
    fn of_locks(&mut self) -> Span {
        self.weight = 0;
        self.jobs.iter_mut().for_each(Vec::clear);
        for &Activity { lock, head, length, tail, .. } in &self.activities {
            self.jobs[lock].push(Job { head, length, tail });
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

/// By process and location, the shortest time from leaving it to a move that `sleeper` depends on.
fn times_to_wake(tasks: &Tasks, sleeper: usize) -> Vec<Vec<Distance>> {
    let of_process = |process: usize| {
        let graph = Locations { tasks, process };
        let count = tasks.stays[process].len();
        let wakes = |this: &usize| tasks.depends(sleeper, *this);
        // The time from leaving a location, which is none where a move out of it is looked for.
        let mut times = vec![Distance::NEVER; count];
        for (location, time) in times.iter_mut().enumerate() {
            if tasks.leaving[process][location].iter().any(wakes) {
                *time = Distance::ZERO;
            }
        }
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for location in 0..count {
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
        times
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

/// The work ahead of a process in each of its locations.
pub(crate) fn look_ahead(tasks: &Tasks, process: usize, wanted: Option<LocationId>) -> Vec<Ahead> {
    let graph = Locations { tasks, process };
    let count = tasks.stays[process].len();
    let held = |location: usize| -> Vec<usize> {
        let is_held = |lock: &usize| graph.is_use(*lock, location);
        (0..tasks.locks.len()).filter(is_held).collect()
    };
    let mut all: Vec<Ahead> =
        (0..count).map(|l| Ahead { held: held(l), ..Ahead::default() }).collect();
    let Some(wanted) = wanted else { return all };
    let to_goal = graph.distances_to(wanted.index(), None);
    for (location, ahead) in all.iter_mut().enumerate() {
        ahead.distance = Some(graph.leaving_time(location, &to_goal));
    }
    for used in (0..count).filter(|&l| !held(l).is_empty()) {
        let Stay::Task { length, .. } = tasks.stays[process][used] else { continue };
        let (to_used, around) =
            (graph.distances_to(used, None), graph.distances_to(wanted.index(), Some(used)));
        let tail = graph.leaving_time(used, &to_goal).finite();
        for (location, ahead) in all.iter_mut().enumerate() {
            let is_certain = location != wanted.index()
                && location != used
                && graph.leaving_time(location, &around) == Distance::NEVER;
            let head = graph.leaving_time(location, &to_used).finite();
            if let (true, Some(head), Some(tail)) = (is_certain, head, tail) {
                let (at, after) = (used, None);
                let of_lock = |lock| Use { lock, head, length, tail, at, after };
                ahead.uses.extend(held(used).into_iter().map(of_lock));
            }
        }
    }
    graph.link_uses(&mut all);
    // A process in the location that the goal demands has nothing ahead of it.
    all[wanted.index()].distance = Some(Distance::ZERO);
    all
}

/// The graph of the locations of a process, in which staying on a task takes its length.
struct Locations<'t> {
    tasks: &'t Tasks,
    process: usize,
}

impl Locations<'_> {
    /// Brings uses into order, and finds those that certainly follow the one before: each path to them
    /// passes that one first. A location counts when it is entered first.
    fn link_uses(&self, all: &mut [Ahead]) {
        let mut around: BTreeMap<(usize, usize), Vec<Distance>> = BTreeMap::new();
        for (location, ahead) in all.iter_mut().enumerate() {
            ahead.uses.sort_by_key(|one| (one.head, Reverse(one.tail), one.at));
            for index in 1..ahead.uses.len() {
                let (before, this) = (ahead.uses[index - 1], ahead.uses[index]);
                let lengths = around
                    .entry((before.at, this.at))
                    .or_insert_with(|| self.distances_to(this.at, Some(before.at)));
                let is_only_path = self.leaving_time(location, lengths) == Distance::NEVER;
                let follows = before.at == this.at || is_only_path;
                ahead.uses[index].after =
                    follows.then_some((this.head - before.head, before.tail - this.tail));
            }
        }
    }

    fn length(&self, location: usize) -> Span {
        match self.tasks.stays[self.process][location] {
            Stay::Rest => 0,
            Stay::Task { length, .. } => length,
        }
    }

    /// Whether a process works in a location while it holds a lock.
    fn is_use(&self, lock: usize, location: usize) -> bool {
        matches!(self.tasks.stays[self.process][location], Stay::Task { .. })
            && self.tasks.locks[lock]
                .is_held(Id::from_index(self.process), LocationId::from_index(location))
    }

    /// By location, the shortest time from entering it to entering `wanted`, without ever being in
    /// `avoided`.
    fn distances_to(&self, wanted: usize, avoided: Option<usize>) -> Vec<Distance> {
        let count = self.tasks.stays[self.process].len();
        let mut distances = vec![Distance::NEVER; count];
        distances[wanted] = Distance::ZERO;
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for location in (0..count).filter(|&l| l != wanted && Some(l) != avoided) {
                let leaving = self.leaving_time(location, &distances);
                let distance = leaving.plus(self.length(location));
                if distance < distances[location] {
                    distances[location] = distance;
                    is_changed = true;
                }
            }
        }
        distances
    }

    /// The shortest time from leaving a location, given the times from entering others.
    fn leaving_time(&self, location: usize, distances: &[Distance]) -> Distance {
        let leaving = self.tasks.leaving[self.process][location].iter();
        let through = leaving.map(|&this| {
            let Move { target, price, .. } = self.tasks.moves[this];
            distances[target.index()].plus(price)
        });
        through.min().unwrap_or(Distance::NEVER)
    }
}

/// When the last tail is over in Jackson's preemptive schedule, which no schedule beats. The order of
/// `jobs` and their lengths are changed.
pub(crate) fn preemptive(jobs: &mut [Job]) -> Span {
    jobs.sort_unstable_by_key(|job| job.head);
    let (mut last, mut released, mut time): (Span, usize, Span) = (0, 0, 0);
    let mut left = jobs.len();
    while left > 0 {
        // The available job with the longest tail.
        let mut best: Option<usize> = None;
        while released < jobs.len() && jobs[released].head <= time {
            released += 1;
        }
        for (index, job) in jobs[..released].iter().enumerate() {
            if job.length > 0 && best.is_none_or(|best| job.tail > jobs[best].tail) {
                best = Some(index);
            }
        }
        let next = jobs.get(released).map(|job| job.head);
        let Some(best) = best else {
            // Jobs without length are over when they are released.
            let Some(next) = next else { break };
            time = next;
            let empty = jobs[released..].iter().filter(|job| job.head == next && job.length == 0);
            left -= empty.count();
            continue;
        };
        let job = &mut jobs[best];
        let until = time.saturating_add(job.length);
        match next {
            Some(next) if next < until => {
                job.length -= next - time;
                time = next;
                let empty =
                    jobs[released..].iter().filter(|job| job.head == next && job.length == 0);
                left -= empty.count();
            }
            _ => {
                time = until;
                job.length = 0;
                last = last.max(time.saturating_add(job.tail));
                left -= 1;
            }
        }
    }
    last.min(FARTHEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least date over all schedules that work on whole units.
    fn naive(jobs: &[Job]) -> Span {
        fn best(jobs: &mut Vec<Job>, time: Span, last: Span) -> Span {
            if jobs.iter().all(|job| job.length == 0) {
                return last;
            }
            let mut least = best_idle(jobs, time, last);
            for index in 0..jobs.len() {
                if jobs[index].length > 0 && jobs[index].head <= time {
                    jobs[index].length -= 1;
                    let over =
                        if jobs[index].length == 0 { time + 1 + jobs[index].tail } else { 0 };
                    least = least.min(best(jobs, time + 1, last.max(over)));
                    jobs[index].length += 1;
                }
            }
            least
        }
        fn best_idle(jobs: &mut Vec<Job>, time: Span, last: Span) -> Span {
            let is_waiting = jobs.iter().any(|job| job.length > 0 && job.head > time);
            if is_waiting { best(jobs, time + 1, last) } else { Span::MAX }
        }
        best(&mut jobs.to_vec(), 0, 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
        #[test]
        fn jacksons_schedule_is_the_best_one(
            jobs in prop::collection::vec((0..5i64, 1..3i64, 0..6i64), 1..4)
        ) {
            let jobs: Vec<Job> = jobs
                .into_iter()
                .map(|(head, length, tail)| Job { head, length, tail })
                .collect();
            prop_assert_eq!(preemptive(&mut jobs.clone()), naive(&jobs));
        }
    }

    #[test]
    fn jobs_without_length_do_not_matter() {
        let job = |head, length, tail| Job { head, length, tail };
        assert_eq!(preemptive(&mut [job(3, 0, 9), job(1, 4, 2), job(9, 0, 0)]), 7);
        assert_eq!(preemptive(&mut []), 0);
    }
}
