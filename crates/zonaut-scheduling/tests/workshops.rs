//! Shops beyond the job shop: the least makespans of small ones are those of brute force, over zones
//! and, where the model is a network of tasks, over points.

use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Nothing, Optimisation, OptimizationOutcome, Zones,
};
use zonaut_families::{
    CrewShop, Generated, JobShop, NoWaitShop, OpenShop, Operation, SetupShop, WindowShop,
};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::random::Random;
use zonaut_scheduling::{Beams, ScheduleSearch, TaskHeuristic};

/// The least makespan that a search has found; nothing if the goal is unreachable.
fn makespan(found: &Optimisation) -> Option<i64> {
    match found.ending {
        OptimizationOutcome::Optimal | OptimizationOutcome::Unreachable => {}
        ref other => unreachable!("no limit was set: {other:?}"),
    }
    found.best.as_ref().map(|best| {
        assert!(best.cost.is_attained() && best.cost == found.lower_bound);
        best.cost.value()
    })
}

/// Compares all searches with the least makespan by brute force; whether points were searched.
fn check(shop: &Generated, expected: Option<i64>) -> bool {
    let (model, _) = model_of(&shop.model, &[&shop.queries[0]]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let meter = Meter::default();
    let zones = Zones::new(&model, goal, costing, &meter).expect("small");
    let blind = zones.optimise(CostOrder::LeastCost, Nothing, &mut ()).expect("small");
    assert_eq!(makespan(&blind), expected, "zones: {}", shop.model);
    let guided = zones.optimise_with(&model, goal, CostOrder::LeastTotal, Estimates::ALL, &mut ());
    assert_eq!(makespan(&guided.expect("small")), expected, "zones, guided: {}", shop.model);
    let Ok(points) = ScheduleSearch::new(&model, goal, costing, &meter).expect("small") else {
        return false;
    };
    for order in CostOrder::ALL {
        for heuristic in [TaskHeuristic::Blind, TaskHeuristic::Automatic] {
            let found = makespan(&points.optimise(order, heuristic, &mut ()));
            assert_eq!(found, expected, "{order:?}, {heuristic:?}: {}", shop.model);
        }
    }
    for widest in [0, 4, 1 << 20] {
        let found = points.schedule(Beams { widest, ..Beams::default() }, &mut ());
        assert_eq!(makespan(&found), expected, "beams up to {widest}: {}", shop.model);
    }
    true
}

/// A place in a shop: a job, and an operation of it.
#[derive(Clone, Copy)]
struct Place {
    job: usize,
    step: usize,
}

/// Calls `visit` with every order of all operations; those of a job are in their order, unless the
/// shop is `open`.
fn for_each_order(counts: &[usize], is_open: bool, visit: &mut dyn FnMut(&[Place])) {
    fn go(
        left: &mut [Vec<usize>],
        is_open: bool,
        order: &mut Vec<Place>,
        visit: &mut dyn FnMut(&[Place]),
    ) {
        if left.iter().all(Vec::is_empty) {
            visit(order);
        }
        for job in 0..left.len() {
            let choices = if is_open { left[job].len() } else { left[job].len().min(1) };
            for choice in 0..choices {
                let step = left[job].remove(choice);
                order.push(Place { job, step });
                go(left, is_open, order, visit);
                order.pop();
                left[job].insert(choice, step);
            }
        }
    }
    let mut left: Vec<Vec<usize>> = counts.iter().map(|&count| (0..count).collect()).collect();
    go(&mut left, is_open, &mut Vec::new(), visit);
}

/// The dates from which jobs and machines are free.
struct Free {
    jobs: Vec<i64>,
    machines: Vec<i64>,
}

impl Free {
    fn new(jobs: usize, machines: usize) -> Self {
        Self { jobs: vec![0; jobs], machines: vec![0; machines] }
    }

    /// Puts an operation as early as it can be after all before it; its end.
    fn append(&mut self, job: usize, machine: usize, length: u32) -> i64 {
        let end = self.jobs[job].max(self.machines[machine]) + i64::from(length);
        (self.jobs[job], self.machines[machine]) = (end, end);
        end
    }
}

fn counts(shop: &JobShop) -> Vec<usize> {
    shop.jobs.iter().map(Vec::len).collect()
}

/// The least makespan over all orders, of which `schedule` gives one each.
fn least(
    counts: &[usize],
    is_open: bool,
    mut schedule: impl FnMut(&[Place]) -> Option<i64>,
) -> Option<i64> {
    let mut best = None;
    for_each_order(counts, is_open, &mut |order| {
        if let Some(end) = schedule(order) {
            best = Some(best.map_or(end, |best: i64| best.min(end)));
        }
    });
    best
}

fn least_of_open_shop(shop: &OpenShop) -> Option<i64> {
    let machines = shop.durations[0].len();
    least(&vec![machines; shop.durations.len()], true, |order| {
        let mut free = Free::new(shop.durations.len(), machines);
        order.iter().map(|at| free.append(at.job, at.step, shop.durations[at.job][at.step])).max()
    })
}

fn least_of_setup_shop(shop: &SetupShop) -> Option<i64> {
    least(&counts(&shop.shop), false, |order| {
        let mut free = Free::new(shop.shop.jobs.len(), shop.shop.machines);
        let mut loaded = vec![None; shop.shop.machines];
        let ends = order.iter().map(|&Place { job, step }| {
            let Operation { machine, length } = shop.shop.jobs[job][step];
            let colour = shop.colours[job];
            let before = loaded[machine].replace(colour);
            free.append(job, machine, length + before.map_or(0, |b: usize| shop.setups[b][colour]))
        });
        ends.max()
    })
}

fn least_of_window_shop(shop: &WindowShop) -> Option<i64> {
    least(&counts(&shop.shop), false, |order| {
        let mut free = Free::new(shop.shop.jobs.len(), shop.shop.machines);
        free.jobs = shop.releases.iter().map(|&release| i64::from(release)).collect();
        let mut last = 0;
        for &Place { job, step } in order {
            let Operation { machine, length } = shop.shop.jobs[job][step];
            let end = free.append(job, machine, length);
            if end > i64::from(shop.deadlines[job]) {
                return None;
            }
            last = last.max(end);
        }
        Some(last)
    })
}

/// Every active schedule puts the operations, in some order, on the first date on which the crew
/// has enough free members for their whole duration.
fn least_of_crew_shop(shop: &CrewShop) -> Option<i64> {
    let horizon: u32 = shop.shop.jobs.iter().flatten().map(|operation| operation.length).sum();
    least(&counts(&shop.shop), false, |order| {
        let mut busy = vec![vec![0; horizon as usize + 1]; shop.crews.len()];
        let mut free = vec![0; shop.shop.jobs.len()];
        for &Place { job, step } in order {
            let Operation { machine, length } = shop.shop.jobs[job][step];
            let (need, crew) = (shop.needs[job][step], &mut busy[machine]);
            let length = length as usize;
            let fits = |start: &usize| {
                crew[*start..*start + length].iter().all(|b| b + need <= shop.crews[machine])
            };
            let start = (free[job]..).find(fits).expect("a date within the horizon");
            crew[start..start + length].iter_mut().for_each(|busy| *busy += need);
            free[job] = start + length;
        }
        free.into_iter().max().map(|end| end as i64)
    })
}

/// The start of a job fixes all its operations.
fn least_of_no_wait_shop(shop: &NoWaitShop) -> Option<i64> {
    fn go(shop: &JobShop, starts: &mut Vec<u32>, best: &mut u32) {
        let uses = |job: usize, start: u32| {
            shop.jobs[job].iter().scan(start, |now, operation| {
                let from = std::mem::replace(now, *now + operation.length);
                Some((operation.machine, from, *now))
            })
        };
        let job = starts.len();
        if job == shop.jobs.len() {
            let ends = starts.iter().enumerate().filter_map(|(j, &s)| uses(j, s).last());
            *best = ends.map(|(.., end)| end).max().unwrap_or(0).min(*best);
            return;
        }
        for start in 0..*best {
            let clashes = (0..job).any(|other| {
                uses(other, starts[other]).any(|(m, from, to)| {
                    uses(job, start).any(|(n, f, t)| m == n && from < t && f < to)
                })
            });
            if !clashes {
                starts.push(start);
                go(shop, starts, best);
                starts.pop();
            }
        }
    }
    let mut best = shop.shop.jobs.iter().flatten().map(|operation| operation.length).sum();
    go(&shop.shop, &mut Vec::new(), &mut best);
    Some(i64::from(best))
}

fn length(random: &mut Random) -> u32 {
    number(random, 1, 6)
}

fn number(random: &mut Random, least: i32, greatest: i32) -> u32 {
    u32::try_from(random.between(least, greatest)).expect("not negative")
}

/// A shop whose jobs have equally many operations, on any machines.
fn job_shop(random: &mut Random) -> JobShop {
    let (jobs, steps, machines) = random.choose(&[(2, 2, 2), (2, 3, 2), (3, 2, 2), (3, 2, 1)]);
    let mut operation = || Operation { machine: random.below(machines), length: length(random) };
    let jobs = (0..jobs).map(|_| (0..steps).map(|_| operation()).collect()).collect();
    JobShop { machines, jobs }
}

#[test]
fn open_shops_have_the_least_makespan_of_brute_force() {
    let mut random = Random::new(1);
    for _ in 0..40 {
        let (jobs, machines) = random.choose(&[(2, 2), (2, 3), (3, 2)]);
        let mut job = || (0..machines).map(|_| length(&mut random)).collect();
        let shop = OpenShop { durations: (0..jobs).map(|_| job()).collect() };
        check(&shop.generate(), least_of_open_shop(&shop));
    }
}

#[test]
fn shops_with_setup_times_have_the_least_makespan_of_brute_force() {
    let mut random = Random::new(2);
    for _ in 0..60 {
        let shop = job_shop(&mut random);
        let colours = shop.jobs.iter().map(|_| random.below(2)).collect();
        let setups = vec![vec![0, number(&mut random, 0, 5)], vec![number(&mut random, 0, 5), 0]];
        let shop = SetupShop { shop, colours, setups };
        check(&shop.generate(), least_of_setup_shop(&shop));
    }
}

#[test]
fn shops_without_waiting_have_the_least_makespan_of_brute_force() {
    let mut random = Random::new(3);
    for _ in 0..60 {
        let shop = NoWaitShop { shop: job_shop(&mut random) };
        check(&shop.generate(), least_of_no_wait_shop(&shop));
    }
}

#[test]
fn shops_with_crews_have_the_least_makespan_of_brute_force() {
    let mut random = Random::new(4);
    for _ in 0..60 {
        let shop = job_shop(&mut random);
        let crews: Vec<u32> = (0..shop.machines).map(|_| number(&mut random, 1, 4)).collect();
        let mut need = |operation: &Operation| {
            let most = i32::try_from(crews[operation.machine]).expect("small");
            number(&mut random, 1, most)
        };
        let needs = shop.jobs.iter().map(|job| job.iter().map(&mut need).collect()).collect();
        let shop = CrewShop { crews, needs, shop };
        assert!(check(&shop.generate(), least_of_crew_shop(&shop)), "searched over points");
    }
}

#[test]
fn shops_with_release_dates_and_deadlines_have_the_least_makespan_of_brute_force() {
    let mut random = Random::new(5);
    let mut unreachable = 0;
    for _ in 0..80 {
        let shop = job_shop(&mut random);
        let releases: Vec<u32> = shop.jobs.iter().map(|_| number(&mut random, 0, 8)).collect();
        let deadline = |(job, release): (&Vec<Operation>, &u32)| {
            let work: u32 = job.iter().map(|operation| operation.length).sum();
            release + work + number(&mut random, 0, 8)
        };
        let deadlines = shop.jobs.iter().zip(&releases).map(deadline).collect();
        let shop = WindowShop { shop, releases, deadlines };
        let expected = least_of_window_shop(&shop);
        unreachable += usize::from(expected.is_none());
        assert!(check(&shop.generate(), expected), "searched over points");
    }
    assert!((5..60).contains(&unreachable), "{unreachable} shops without a schedule");
}
