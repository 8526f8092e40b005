//! Random networks that are networks of tasks, or nearly so.
//!
//! Processes alternate between rests and tasks, with all features of networks of tasks: several
//! exits, cycles, dates, locks, counters, capacities, release dates and deadlines, cells of their own
//! that copy shared ones. Some networks have a feature that networks of tasks exclude: locations with
//! an invariant and no exit, ends of tasks that others observe, members of a crew that others wait for or that do not
//! come back, exits before the bound, deadlines that become earlier, upper bounds in guards, a shared clock.

use crate::random::Random;

use super::network::{
    Comparison, Edge, MOST, Network, Process, ProcessLocation, Relation, Units, Update,
};

/// The clocks of a process: that of its tasks, and that of the waiting times of its rests.
const OWN_CLOCKS: usize = 2;
/// The shared cells: two locks, a counter, a flag, and a counter of a crew.
const SHARED: usize = 5;
const COUNTER: usize = 2;
const FLAG: usize = 3;
const CREW: usize = 4;

/// Builds a network.
struct Builder {
    random: Random,
    /// Whether it may have features that networks of tasks exclude.
    has_extras: bool,
    /// Whether comparisons may be strict.
    is_open: bool,
    /// Whether edges may have prices.
    has_prices: bool,
    /// The clock that is never set.
    date: usize,
    processes: Vec<Process>,
}

/// The random network of a seed.
pub(crate) fn network(seed: u64) -> Network {
    build(seed, true)
}

/// The random network of a seed; some have strict comparisons if they are allowed.
fn build(seed: u64, may_be_open: bool) -> Network {
    let mut random = Random::new(seed ^ 0x4ea7);
    let has_extras = random.chance(40);
    let count = 1 + random.below(3);
    // The last process is that of a deadline, if the network has one.
    let date = OWN_CLOCKS * (count + 1);
    let mut builder = Builder {
        has_extras,
        is_open: has_extras && random.chance(15) && may_be_open,
        has_prices: has_extras && random.chance(15),
        date,
        processes: Vec::new(),
        random,
    };
    for index in 0..count {
        let process = match builder.random.chance(15) {
            true => builder.cycle(index),
            false => builder.worker(index),
        };
        builder.processes.push(process);
    }
    if builder.extra(30) {
        let process = builder.deadline(count);
        builder.processes.push(process);
    }
    let rate = builder.random.chance(30).then(|| builder.random.between(1, 5));
    let goal = builder.goal(count);
    let processes = builder.processes;
    Network {
        cells: SHARED + processes.len(),
        clocks: date + 1,
        processes,
        goal,
        rate,
        units: Units::ONE,
    }
}

/// The random network of a seed, printed in large units: costs are up to 2^31 and beyond.
pub(crate) fn large_network(seed: u64) -> Network {
    let mut random = Random::new(seed ^ 0x1a46);
    let mut network = build(seed, false);
    let mut unit = |most: i32| {
        let bits = random.below(1 + most.ilog2() as usize);
        (1i32 << bits) - i32::from(random.chance(50) && bits > 0) + random.between(0, 1)
    };
    network.units = Units { time: unit(1 << 26), price: unit(1 << 28) };
    if network.rate.is_some() {
        network.rate = Some(unit(1 << 16));
    }
    network
}

impl Builder {
    fn extra(&mut self, percent: usize) -> bool {
        self.has_extras && self.random.chance(percent)
    }

    fn at_least(&mut self, clock: usize, value: i32) -> Comparison {
        let is_strict = self.is_open && self.random.chance(30);
        let relation = if is_strict { Relation::Above } else { Relation::AtLeast };
        Comparison { subject: clock, relation, value }
    }

    fn at_most(&mut self, clock: usize, value: i32) -> Comparison {
        let is_strict = self.is_open && value > 0 && self.random.chance(30);
        let relation = if is_strict { Relation::Below } else { Relation::AtMost };
        Comparison { subject: clock, relation, value }
    }

    /// A task from one rest to others: its location, its start and its exits.
    fn task(&mut self, index: usize, from: usize, to: &[usize], process: &mut Process) {
        let (work, wait) = (OWN_CLOCKS * index, OWN_CLOCKS * index + 1);
        let location = process.invariants.len();
        let length = self.random.between(0, 4);
        let invariant = self.at_most(work, length);
        process.invariants.push(Some(invariant));
        let mut start = Edge { source: from, target: location, ..Edge::default() };
        let mut end = Edge { source: location, ..Edge::default() };
        if !self.extra(6) {
            start.updates.push(Update::Reset { clock: work, value: 0 });
        }
        self.dates(wait, &mut start);
        self.data(index, &mut start, &mut end);
        let is_early = self.extra(10) && length > 0;
        let least = if is_early { self.random.between(0, length) } else { length };
        let due = match self.random.chance(10) && !is_early {
            true => Comparison { subject: work, relation: Relation::Equal, value: length },
            false => self.at_least(work, least),
        };
        end.clocks.push(due);
        if self.random.chance(6) {
            let deadline = self.deadline_on(self.date);
            process.deadlines.insert(location, deadline);
        }
        if self.extra(4) {
            let deadline = self.deadline_on(self.date);
            end.clocks.push(deadline);
        }
        process.edges.push(start);
        for &target in to {
            let mut exit = Edge { target, ..end.clone() };
            if self.extra(8) {
                exit.cells.push(self.comparison(FLAG));
            }
            if self.random.chance(20) {
                exit.updates.push(Update::Reset { clock: wait, value: 0 });
            }
            if self.has_prices && self.random.chance(50) {
                exit.price = self.random.between(1, 4);
            }
            process.edges.push(exit);
        }
    }

    /// Adds lower bounds of the waiting clock, and occasionally other guards.
    fn dates(&mut self, wait: usize, start: &mut Edge) {
        if self.random.chance(25) {
            let value = self.random.between(1, 6);
            let guard = self.at_least(wait, value);
            start.clocks.push(guard);
        }
        if self.extra(8) {
            let value = self.random.between(1, 6);
            let guard = self.at_most(wait, value);
            start.clocks.push(guard);
        }
        if self.extra(6) {
            // The clock of another process.
            let value = self.random.between(1, 5);
            let guard = self.at_least(1, value);
            start.clocks.push(guard);
        }
        if self.random.chance(12) {
            let value = self.random.between(1, 8);
            let guard = self.at_least(self.date, value);
            start.clocks.push(guard);
        }
        if self.random.chance(5) {
            let guard = self.deadline_on(self.date);
            start.clocks.push(guard);
        }
        if self.random.chance(25) {
            let value = if self.random.chance(20) { self.random.between(1, 3) } else { 0 };
            start.updates.push(Update::Reset { clock: wait, value });
        }
        if self.has_prices && self.random.chance(30) {
            start.price = self.random.between(1, 4);
        }
    }

    /// An upper bound on a date.
    fn deadline_on(&mut self, clock: usize) -> Comparison {
        let value = self.random.between(3, 14);
        self.at_most(clock, value)
    }

    fn comparison(&mut self, cell: usize) -> Comparison {
        let relation = self.random.choose(&[Relation::Equal, Relation::AtLeast, Relation::AtMost]);
        Comparison { subject: cell, relation, value: self.random.between(0, 2) }
    }

    /// Adds updates and guards of cells to a task.
    fn data(&mut self, index: usize, start: &mut Edge, end: &mut Edge) {
        let own = SHARED + index;
        let equal = |subject, value| Comparison { subject, relation: Relation::Equal, value };
        if self.random.chance(55) {
            let lock = self.random.below(COUNTER);
            if !self.extra(6) {
                start.cells.push(equal(lock, 0));
            }
            let value = self.random.between(1, MOST);
            start.updates.push(Update::Set { cell: lock, value });
            if !self.extra(6) {
                end.updates.push(Update::Set { cell: lock, value: 0 });
            }
        }
        if self.random.chance(15) {
            let relation = Relation::Below;
            start.cells.push(Comparison { subject: COUNTER, relation, value: MOST });
            start.updates.push(Update::Add { cell: COUNTER, step: 1 });
        }
        if self.random.chance(35) {
            self.crew(start, end);
        }
        if self.random.chance(15) {
            let guard = self.comparison(FLAG);
            start.cells.push(guard);
        }
        if self.random.chance(15) {
            let value = self.random.between(0, MOST);
            start.updates.push(Update::Set { cell: FLAG, value });
        }
        if self.extra(10) {
            let value = self.random.between(0, MOST);
            end.updates.push(Update::Set { cell: FLAG, value });
        }
        if self.random.chance(20) {
            let from = self.random.below(SHARED);
            let edge = if self.random.chance(70) { start } else { &mut *end };
            edge.updates.push(Update::Copy { cell: own, from });
        } else if self.random.chance(15) {
            end.updates.push(Update::Set { cell: own, value: self.random.between(0, MOST) });
        } else if self.random.chance(25) {
            let guard = self.comparison(own);
            start.cells.push(guard);
        }
    }

    /// Lets a task need members of the crew.
    fn crew(&mut self, start: &mut Edge, end: &mut Edge) {
        let need = self.random.between(1, MOST);
        let relation = Relation::AtMost;
        start.cells.push(Comparison { subject: CREW, relation, value: MOST - need });
        start.updates.push(Update::Add { cell: CREW, step: need });
        if !self.extra(10) {
            end.updates.push(Update::Add { cell: CREW, step: -need });
        }
        if self.extra(10) {
            let guard = self.comparison(CREW);
            start.cells.push(guard);
        }
    }

    /// A process that alternates between rests and tasks.
    fn worker(&mut self, index: usize) -> Process {
        let rests = 2 + self.random.below(2);
        let mut process = Process { invariants: vec![None; rests], ..Process::default() };
        if self.random.chance(12) {
            self.start_with_task(index, &mut process);
        }
        for rest in 0..rests {
            if self.random.chance(5) {
                let deadline = self.deadline_on(self.date);
                process.deadlines.insert(rest, deadline);
            }
            let is_last = rest + 1 == rests;
            if is_last && !self.random.chance(30) {
                continue;
            }
            for _ in 0..=usize::from(self.random.chance(25)) {
                let next =
                    if is_last { self.random.below(rests) } else { (rest + 1).min(rests - 1) };
                let mut exits = vec![next];
                if self.random.chance(20) {
                    exits.push(self.random.below(rests));
                }
                if self.extra(4) {
                    exits.clear();
                }
                let last = process.invariants.len() - 1;
                if self.extra(4) && !gives_members(&process, last) {
                    // Another task, if one exists already.
                    exits.push(last);
                }
                self.task(index, rest, &exits, &mut process);
            }
            if self.random.chance(20) {
                self.edge_between_rests(index, rest, rests, &mut process);
            }
        }
        process
    }

    /// Makes the first location of a process a task that leads to its second.
    fn start_with_task(&mut self, index: usize, process: &mut Process) {
        let (clock, length) = (OWN_CLOCKS * index, self.random.between(0, 3));
        process.invariants[0] =
            Some(Comparison { subject: clock, relation: Relation::AtMost, value: length });
        let due = Comparison { subject: clock, relation: Relation::AtLeast, value: length };
        let target = process.invariants.len() - 1;
        process.edges.push(Edge { source: 0, target, clocks: vec![due], ..Edge::default() });
    }

    /// An edge from rest to rest.
    fn edge_between_rests(
        &mut self,
        index: usize,
        from: usize,
        rests: usize,
        process: &mut Process,
    ) {
        let target = self.random.below(rests);
        let mut edge = Edge { source: from, target, ..Edge::default() };
        self.dates(OWN_CLOCKS * index + 1, &mut edge);
        if self.random.chance(40) {
            let cell = self.random.below(SHARED);
            let guard = self.comparison(cell);
            edge.cells.push(guard);
        }
        if self.random.chance(40) {
            let (cell, value) = (FLAG, self.random.between(0, MOST));
            edge.updates.push(Update::Set { cell, value });
        }
        process.edges.push(edge);
    }

    /// A process with a cycle of tasks.
    fn cycle(&mut self, index: usize) -> Process {
        let mut process = Process { invariants: vec![None], ..Process::default() };
        self.task(index, 0, &[0], &mut process);
        process
    }

    /// A process that stops time at a deadline.
    fn deadline(&mut self, index: usize) -> Process {
        let value = self.random.between(0, 9);
        let invariant = self.at_most(OWN_CLOCKS * index, value);
        Process { invariants: vec![Some(invariant)], ..Process::default() }
    }

    /// Locations of some processes, occasionally with alternatives.
    fn goal(&mut self, count: usize) -> Vec<Vec<ProcessLocation>> {
        let alternatives = 1 + usize::from(self.random.chance(20));
        let mut goal = Vec::new();
        for _ in 0..alternatives {
            let mut all = Vec::new();
            for process in 0..count {
                if !all.is_empty() && self.random.chance(30) {
                    continue;
                }
                let locations = self.processes[process].invariants.iter().enumerate();
                let rests: Vec<usize> =
                    locations.filter(|(_, i)| i.is_none()).map(|(at, _)| at).collect();
                let anywhere = self.extra(10) || rests.is_empty();
                let location = match (anywhere, rests.last()) {
                    (false, Some(&last)) if self.random.chance(60) => last,
                    (false, _) => self.random.choose(&rests),
                    _ => self.random.below(self.processes[process].invariants.len()),
                };
                all.push(ProcessLocation { process, location });
            }
            goal.push(all);
        }
        goal
    }
}

/// Whether an edge from a location gives members of the crew back.
fn gives_members(process: &Process, location: usize) -> bool {
    let leaving = process.edges.iter().filter(|edge| edge.source == location);
    let gives = |update: &Update| matches!(update, Update::Add { cell: CREW, step: ..0 });
    leaving.flat_map(|edge| &edge.updates).any(gives)
}
