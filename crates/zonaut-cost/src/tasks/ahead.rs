//! The work ahead of a process, and of a lock.
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

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use zonaut_base::{Id, Meter, StopReason};
use zonaut_model::LocationId;

use super::distance::{Distance, FARTHEST, Span};
use super::{Move, Stay, Tasks};

/// A use of a lock that lies before a process: when it can begin after the process leaves where it is,
/// how long it takes, and what follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The lock.
    pub lock: usize,
    /// The shortest path there, from leaving the location on.
    pub head: Span,
    /// The time for which the lock is needed.
    pub length: Span,
    /// The shortest path from there to the goal.
    pub tail: Span,
    /// The location.
    pub at: usize,
    /// The use before it in the list, if it certainly follows that one.
    pub after: Option<Follows>,
}

/// A use of a lock in one of several locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The lock.
    pub lock: usize,
    /// The least head, length and tail of all locations, from leaving the location on.
    pub job: Job,
}

/// A use of a counter that lies before a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load {
    /// The counter.
    pub counter: usize,
    /// The amount that is held.
    pub amount: Span,
    /// The place in time.
    pub job: Job,
}

/// The offsets of a use of a lock from the use before it in the list, which it certainly follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Follows {
    /// By how much its head is longer.
    pub head: Span,
    /// By how much its tail is shorter.
    pub tail: Span,
}

/// The work ahead of a process in a location.
#[derive(Clone, Default, Debug)]
pub struct Ahead {
    /// The shortest path to where the goal wants it, from leaving the location on; nothing if there is
    /// no demand.
    pub distance: Option<Distance>,
    /// Its certain uses of locks on the path, in the order of heads.
    pub uses: Vec<Use>,
    /// Its certain uses of locks in one of several locations: that of a choice.
    pub choices: Vec<Choice>,
    /// The locks that it holds while it works here.
    pub held: Vec<usize>,
    /// Its certain uses of counters on the path, from leaving the location on.
    pub loads: Vec<Load>,
    /// The counters of which it holds something here, with the amounts.
    pub holding: Vec<(usize, Span)>,
}

/// A task on one machine: its head, what is left of it, and its tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Job {
    /// When it can begin.
    pub head: Span,
    /// How long it takes.
    pub length: Span,
    /// The duration of its successors.
    pub tail: Span,
}

/// The work ahead of a process in each of its locations; the analysis counts on `meter`.
///
/// # Errors
/// The reason of the meter to stop.
pub fn look_ahead(
    tasks: &Tasks,
    process: usize,
    wanted: Option<LocationId>,
    meter: &Meter,
) -> Result<Vec<Ahead>, StopReason> {
    let graph = Locations { tasks, process };
    let count = tasks.stays[process].len();
    let held = |location: usize| -> Vec<usize> {
        let is_held = |lock: &usize| graph.is_use(*lock, location);
        (0..tasks.locks.len()).filter(is_held).collect()
    };
    let holding = |location: usize| -> Vec<(usize, Span)> {
        let (process, at) = (Id::from_index(process), LocationId::from_index(location));
        let amounts = tasks.counters.iter().map(|counter| counter.amount(process, at)).enumerate();
        amounts.filter(|(_, amount)| *amount > 0).collect()
    };
    let here = |l: usize| Ahead { held: held(l), holding: holding(l), ..Ahead::default() };
    let mut all: Vec<Ahead> = (0..count).map(here).collect();
    let Some(wanted) = wanted else { return Ok(all) };
    let to_goal = graph.distances_to(wanted.index(), &[], meter)?;
    for (location, ahead) in all.iter_mut().enumerate() {
        ahead.distance = Some(graph.leaving_time(location, &to_goal));
    }
    for used in (0..count).filter(|&l| !held(l).is_empty() || !holding(l).is_empty()) {
        let Stay::Task { length, .. } = tasks.stays[process][used] else { continue };
        let to_used = graph.distances_to(used, &[], meter)?;
        let around = graph.distances_to(wanted.index(), &[used], meter)?;
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
                let job = Job { head, length, tail };
                let of_counter = |(counter, amount)| Load { counter, amount, job };
                ahead.loads.extend(holding(used).into_iter().map(of_counter));
            }
        }
    }
    graph.link_uses(&mut all, meter)?;
    graph.find_choices(wanted.index(), &mut all, meter)?;
    // A process in the location that the goal demands has nothing ahead of it.
    all[wanted.index()].distance = Some(Distance::ZERO);
    Ok(all)
}

/// The graph of the locations of a process, in which staying on a task takes its length.
#[derive(Clone, Copy, Debug)]
pub struct Locations<'t> {
    /// The tasks of all processes.
    pub tasks: &'t Tasks,
    /// The process.
    pub process: usize,
}

impl Locations<'_> {
    /// Brings uses into order, and finds those that certainly follow the one before: each path to them
    /// passes that one first. A location counts when it is entered first.
    fn link_uses(&self, all: &mut [Ahead], meter: &Meter) -> Result<(), StopReason> {
        let mut around: BTreeMap<(usize, usize), Vec<Distance>> = BTreeMap::new();
        for (location, ahead) in all.iter_mut().enumerate() {
            ahead.uses.sort_by_key(|one| (one.head, Reverse(one.tail), one.at));
            for index in 1..ahead.uses.len() {
                let (before, this) = (ahead.uses[index - 1], ahead.uses[index]);
                let lengths = match around.entry((before.at, this.at)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        new.insert(self.distances_to(this.at, &[before.at], meter)?)
                    }
                };
                let is_only_path = self.leaving_time(location, lengths) == Distance::NEVER;
                let follows = before.at == this.at || is_only_path;
                let (head, tail) = (this.head - before.head, before.tail - this.tail);
                ahead.uses[index].after = follows.then_some(Follows { head, tail });
            }
        }
        Ok(())
    }

    /// Finds the uses of locks for which a process has a choice between several locations.
    ///
    /// The locations are entered from one rest only, so that choices of different rests have none in
    /// common; and none of them alone is certain. If no path avoids all of them, the process is in one
    /// of them once at least, at another time than in its other uses.
    fn find_choices(
        &self,
        wanted: usize,
        all: &mut [Ahead],
        meter: &Meter,
    ) -> Result<(), StopReason> {
        let to_goal = self.distances_to(wanted, &[], meter)?;
        let moves = || self.tasks.moves.iter().filter(|this| this.process.index() == self.process);
        let is_entered_from = |rest: usize, location: usize| {
            let mut entering = moves().filter(|this| this.target.index() == location);
            entering.all(|this| this.source.index() == rest)
        };
        for rest in 0..all.len() {
            for lock in 0..self.tasks.locks.len() {
                let targets = moves().filter(|this| this.source.index() == rest);
                let mut chosen: Vec<usize> = targets
                    .map(|this| this.target.index())
                    .filter(|&location| self.is_use(lock, location))
                    .filter(|&location| is_entered_from(rest, location))
                    .collect();
                chosen.sort_unstable();
                chosen.dedup();
                if chosen.len() < 2 {
                    continue;
                }
                let around = self.distances_to(wanted, &chosen, meter)?;
                let to_chosen = chosen
                    .iter()
                    .map(|&location| self.distances_to(location, &[], meter))
                    .collect::<Result<Vec<_>, _>>()?;
                let length = chosen.iter().map(|&location| self.length(location)).min();
                let tail = chosen.iter().map(|&location| self.leaving_time(location, &to_goal));
                let (Some(length), Some(tail)) = (length, tail.min().and_then(Distance::finite))
                else {
                    continue;
                };
                for (location, ahead) in all.iter_mut().enumerate() {
                    let is_certain = location != wanted
                        && !chosen.contains(&location)
                        && self.leaving_time(location, &around) == Distance::NEVER
                        && ahead.uses.iter().all(|one| !chosen.contains(&one.at));
                    let heads =
                        to_chosen.iter().map(|distances| self.leaving_time(location, distances));
                    if let (true, Some(head)) = (is_certain, heads.min().and_then(Distance::finite))
                    {
                        ahead.choices.push(Choice { lock, job: Job { head, length, tail } });
                    }
                }
            }
        }
        Ok(())
    }

    /// The time of a stay in a location.
    #[must_use]
    pub fn length(&self, location: usize) -> Span {
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
    /// one of `avoided`.
    fn distances_to(
        &self,
        wanted: usize,
        avoided: &[usize],
        meter: &Meter,
    ) -> Result<Vec<Distance>, StopReason> {
        let count = self.tasks.stays[self.process].len();
        let mut distances = vec![Distance::NEVER; count];
        distances[wanted] = Distance::ZERO;
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            meter.spend(count as u32)?;
            // Paths tend to lead to later locations, which are settled first.
            for location in (0..count).rev().filter(|l| *l != wanted && !avoided.contains(l)) {
                let leaving = self.leaving_time(location, &distances);
                let distance = leaving.plus(self.length(location));
                if distance < distances[location] {
                    distances[location] = distance;
                    is_changed = true;
                }
            }
        }
        Ok(distances)
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

/// A date before which the last tail of loads of one counter is not over: for every date and every
/// tail, the loads that begin no earlier and have no shorter tail need the capacity for a time.
#[must_use]
pub fn energetic(loads: &mut [Load], capacity: Span) -> Span {
    if capacity <= 0 {
        return 0;
    }
    loads.sort_unstable_by_key(|load| Reverse(load.job.tail));
    let mut least: Span = 0;
    for first in loads.iter().map(|load| load.job.head) {
        let mut work: i128 = 0;
        for Load { amount, job, .. } in loads.iter().filter(|load| load.job.head >= first) {
            work += i128::from(*amount) * i128::from(job.length);
            let capacity = i128::from(capacity);
            #[cfg(feature = "faults")]
            let capacity = match crate::faults::Fault::CapacityTooSmall.is_selected() {
                true => (capacity - 1).max(1),
                false => capacity,
            };
            let time = (work + capacity - 1) / capacity;
            let time = Span::try_from(time).unwrap_or(FARTHEST).min(FARTHEST);
            least = least.max(first.saturating_add(time).saturating_add(job.tail));
        }
    }
    least.min(FARTHEST)
}

/// When the last tail is over in Jackson's preemptive schedule, which no schedule beats. The order of
/// `jobs` and their lengths are changed.
pub fn preemptive(jobs: &mut [Job]) -> Span {
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
    fn loads_need_their_share_of_the_capacity() {
        let load = |amount, head, length, tail| Load {
            counter: 0,
            amount,
            job: Job { head, length, tail },
        };
        // 2 * 3 + 1 * 4 + 2 * 5 = 20 units of work of three workers take 7; nothing begins before 1.
        let mut loads = [load(2, 1, 3, 0), load(1, 2, 4, 0), load(2, 1, 5, 0)];
        assert_eq!(energetic(&mut loads, 3), 8);
        // 9 follow after the first one, which takes the time of all workers for 2.
        loads[0].job.tail = 9;
        assert_eq!(energetic(&mut loads, 3), 1 + 2 + 9);
        assert_eq!(energetic(&mut [], 3), 0);
    }

    #[test]
    fn jobs_without_length_do_not_matter() {
        let job = |head, length, tail| Job { head, length, tail };
        assert_eq!(preemptive(&mut [job(3, 0, 9), job(1, 4, 2), job(9, 0, 0)]), 7);
        assert_eq!(preemptive(&mut []), 0);
    }
}
