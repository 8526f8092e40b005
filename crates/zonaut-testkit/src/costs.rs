//! Least costs of random priced networks: orders, estimates, points and beams with each other and with
//! an oracle, and certificates that the checker accepts.
//!
//! The oracle knows a rate of 0 or 1. A model in which a unit of time costs more has prices that are
//! multiples of that, so it costs as many times what it costs with a rate of 1 and the prices divided.

use crate::differential::{Failure, Mistake, Tally, examine_queries};
use crate::front_end::{messages, model_of};
use crate::oracle::Limits;
use crate::oracle::priced::{Claim, is_true};
use crate::random::Random;
use crate::specification::Specification;
use std::ops::ControlFlow;
use zonaut_base::{Id, Meter, Severity};
use zonaut_cost::{
    Combination, Costing, Ending, Estimates, Guide, Infimum, Nothing, Optimisation, Order, Points,
    Watcher, Zones,
};
use zonaut_engine::{OptimizeOptions, Optimum, Session};
use zonaut_model::{Expression, Formula, LocationKind, Model, QueryId, QueryKind};
use zonaut_space::{Progress, StopReason};

/// The most states that the oracle looks at.
const STATES: usize = 6_000;
/// More states than a network of this size can need.
const MOST: usize = 200_000;
/// Of so many networks one is a network of tasks, and one a shop written by hand.
const NETWORKS_FOR_TEXTS: u64 = 5;

/// What the runs of a network cost besides their time, which costs 1 unless something is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pricing {
    /// Nothing.
    Time,
    /// Edges have prices, and time is free.
    Prices,
    /// Edges have prices, and a unit of time has this one; so much is everything multiplied by.
    Both(i32),
}

impl Pricing {
    fn of(random: &mut Random) -> Self {
        let all = [Self::Time, Self::Prices, Self::Both(1), Self::Both(1), Self::Both(3)];
        random.choose(&all)
    }

    fn factor(self) -> i32 {
        match self {
            Self::Time | Self::Prices => 1,
            Self::Both(factor) => factor,
        }
    }

    /// Adds random prices, multiplied by `factor`, and a rate of that.
    fn add(self, model: &mut Model, random: &mut Random, factor: i32) {
        if self == Self::Time {
            return;
        }
        let Model { processes, expressions, .. } = model;
        for (position, process) in processes.iter_mut().enumerate() {
            for edge in process.edges.iter_mut() {
                if random.chance(40) {
                    continue;
                }
                let price = Expression::Constant(factor * random.between(0, 4));
                let price = expressions.push(price);
                edge.updates.push(expressions.push(Expression::AddCost(price)));
            }
            let patient = process.locations.iter_mut().filter(|l| l.kind == LocationKind::Ordinary);
            for location in patient.filter(|_| self != Self::Prices && position == 0) {
                location.cost_rate = Some(expressions.push(Expression::Constant(factor)));
            }
        }
    }
}

/// A priced network of which costs are asked, and the one that the oracle is asked about.
struct Priced {
    model: Model,
    judged: Model,
    goal: Formula,
    factor: i32,
}

/// The network of `specification` with random prices, and its goal; nothing where costs are not
/// measured to what it asks for.
fn priced(specification: &Specification, seed: u64) -> Option<Priced> {
    let mut model = specification.to_model();
    let query = model.queries.iter_mut().next()?;
    let (QueryKind::Possibly(goal) | QueryKind::Always(goal)) = query.kind.clone() else {
        return None;
    };
    query.kind = QueryKind::Possibly(goal.clone());
    if goal.mentions_deadlock() || model.has_priorities() {
        return None;
    }
    let random = Random::new(seed ^ 0xc057);
    let pricing = Pricing::of(&mut random.clone());
    let with_factor = |factor| {
        let mut model = model.clone();
        pricing.add(&mut model, &mut random.clone(), factor);
        model
    };
    let factor = pricing.factor();
    Some(Priced { model: with_factor(factor), judged: with_factor(1), goal, factor })
}

/// The priced network of `specification`, with the goal as its only question; nothing where costs are
/// not measured to what it asks for.
#[must_use]
pub fn priced_model(specification: &Specification, seed: u64) -> Option<Model> {
    priced(specification, seed).map(|priced| priced.model)
}

/// Ends a search that takes longer than it can need.
struct Patience;

impl Watcher for Patience {
    fn progress(&mut self, now: &Progress, _: Infimum) -> ControlFlow<StopReason> {
        match now.explored > MOST {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => ControlFlow::Continue(()),
        }
    }
}

/// What a search claims; nothing where the model fails.
fn claim(found: &Optimisation) -> Result<Option<Claim>, String> {
    match (&found.ending, &found.best) {
        (Ending::Unreachable, None) => Ok(Some(Claim::Unreachable)),
        (Ending::Optimal, Some(best)) if found.lower_bound == best.cost => {
            Ok(Some(claim_of(best.cost)))
        }
        (Ending::Failed { .. }, _) => Ok(None),
        other => Err(format!("{other:?}, at least {}", found.lower_bound)),
    }
}

fn claim_of(cost: Infimum) -> Claim {
    let value = i32::try_from(cost.value()).unwrap_or(i32::MAX);
    if cost.is_attained() { Claim::Least(value) } else { Claim::Infimum(value) }
}

/// The same for costs that are not multiplied.
fn divided(claim: Claim, factor: i32) -> Result<Claim, String> {
    match claim {
        Claim::Unreachable => Ok(claim),
        Claim::Least(value) if value % factor == 0 => Ok(Claim::Least(value / factor)),
        Claim::Infimum(value) if value % factor == 0 => Ok(Claim::Infimum(value / factor)),
        _ => Err(format!("{claim:?} is no multiple of {factor}")),
    }
}

/// What is asked for.
struct Asked<'m> {
    model: &'m Model,
    goal: &'m Formula,
    costing: Costing,
}

impl Asked<'_> {
    fn zones(&self) -> Result<Zones, String> {
        let Self { model, goal, costing } = *self;
        Zones::labelled(model, goal, costing, &Meter::default()).map_err(|why| format!("{why:?}"))
    }

    /// The least cost in the order of costs, without estimates.
    fn least(&self) -> Result<Option<Claim>, String> {
        let found = self.zones()?.optimise(Order::LeastCost, Nothing, &mut Patience);
        claim(&found.map_err(|why| format!("{why:?}"))?)
    }

    /// Compares a search by zones with what is known; whether it said anything. With estimates,
    /// nothing on a cheapest way may be believed to cost more than that.
    fn compare(&self, order: Order, estimates: Estimates, known: Claim) -> Result<bool, String> {
        let (zones, asked) = (self.zones()?, (self.model, self.goal));
        let fail = |why| format!("{order:?}, {estimates:?}: {why:?}");
        let found = zones.optimise_with(asked, order, estimates, &mut Patience).map_err(fail)?;
        let Some(other) = claim(&found)? else { return Ok(false) };
        if other != known {
            return Err(format!("{order:?}, {estimates:?}: {other:?} and not {known:?}"));
        }
        if let Some(best) = found.best.filter(|_| estimates.automatic) {
            let totals = zones.totals_along(asked, estimates, &best.steps).map_err(fail)?;
            let is_true = |total: &Option<Infimum>| total.is_some_and(|total| total <= best.cost);
            if totals.len() != best.steps.len() + 1 || !totals.iter().all(is_true) {
                return Err(format!("{totals:?} on a way that costs {}", best.cost));
            }
        }
        Ok(true)
    }

    /// Compares searches by points with what is known, in a network of tasks; how many there were.
    fn compare_points(&self, order: Order, widest: usize, known: Claim) -> Result<u64, String> {
        let points = Points::new(self.model, self.goal, self.costing, &Meter::default());
        let Ok(points) = points.map_err(|why| format!("{why:?}"))? else { return Ok(0) };
        let found = [
            points.optimise(order, Guide::Blind, &mut Patience),
            points.optimise(order, Guide::Automatic, &mut Patience),
            points.schedule(widest, &mut Patience),
        ];
        for found in &found {
            let other = claim(found)?;
            if other.is_some_and(|other| other != known) {
                return Err(format!("points, {order:?}, {widest}: {other:?} and not {known:?}"));
            }
        }
        Ok(found.len() as u64)
    }
}

/// Has the engine optimise the first query, and its answer checked.
fn certify(model: &Model, known: Claim) -> Result<(), String> {
    let session = Session::of_model(model.clone());
    let (id, options) = (QueryId::from_index(0), OptimizeOptions::default());
    let mut nobody = |_, _| {};
    let found =
        session.optimize(id, &options, &mut nobody).map_err(|why| format!("refused: {why:?}"))?;
    let claimed = match (&found.optimum, found.cost) {
        (Optimum::Unreachable, None) => Claim::Unreachable,
        (Optimum::Proven, Some(cost)) => claim_of(cost),
        (Optimum::Error(_), _) => return Ok(()),
        other => return Err(format!("{other:?}")),
    };
    if claimed != known {
        return Err(format!("the engine claims {claimed:?} and not {known:?}"));
    }
    let mut bytes = Vec::new();
    session
        .certify_optimum((id, &found), &options, None, &mut bytes)
        .map_err(|why| format!("no certificate: {why:?}"))?;
    let text = String::from_utf8(bytes).map_err(|why| why.to_string())?;
    let accepted = zonaut_certify::check(&session.core_text(Some(id)), &text, &Default::default())
        .map_err(|refusal| format!("the certificate is refused: {refusal}"))?;
    let shown = match accepted.claim {
        zonaut_certify::Claim::NotSatisfied => Claim::Unreachable,
        zonaut_certify::Claim::LeastCost(cost) => claim_of(Infimum::attained(cost)),
        zonaut_certify::Claim::CostInfimum(cost) => claim_of(Infimum::approached(cost)),
        other => return Err(format!("the certificate shows {other:?}")),
    };
    if shown == known { Ok(()) } else { Err(format!("the certificate shows {shown:?}")) }
}

/// Examines the priced network, the network of tasks or the shop of a seed.
///
/// # Errors
/// The first wrong answer; a network is shrunk as far as one stays wrong.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    match seed % NETWORKS_FOR_TEXTS {
        0 => return examine_text(random_tasks(seed), seed, tally),
        1 => return examine_text(random_shop(seed), seed, tally),
        _ => {}
    }
    examine_queries(seed, tally, |specification, seed, tally| {
        let Some(priced) = priced(specification, seed) else { return Ok(()) };
        let wrong = |mistake| (specification.query_text(), mistake);
        examine_priced(&priced, seed, tally).map_err(wrong)
    })
}

fn examine_priced(priced: &Priced, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let Priced { model, judged, goal, factor } = priced;
    let Ok(costing) = Costing::of(model, Combination::Sum) else { return Ok(()) };
    let asked = Asked { model, goal, costing };
    tally.models += 1;
    tally.answers += 1;
    let Some(known) = asked.least()? else {
        tally.failing += 1;
        return Ok(());
    };
    tally.reachable += u64::from(known != Claim::Unreachable);
    let mut random = Random::new(seed ^ 0x0bde);
    let mut order = || random.choose(&Order::ALL);
    for (order, estimates) in
        [(order(), Estimates::NONE), (order(), Estimates::ALL), (Order::LeastTotal, Estimates::ALL)]
    {
        tally.answers += u64::from(asked.compare(order, estimates, known)?);
    }
    tally.answers += asked.compare_points(order(), 4, known)?;
    let query = QueryKind::Possibly(goal.clone());
    let limits = Limits { states: STATES, ..Limits::default() };
    let rate = costing.rate.min(1);
    match is_true(judged, &query, rate, divided(known, *factor)?, limits) {
        Some(false) => return Err(format!("{known:?} is not true")),
        judged => tally.undecided += u64::from(judged.is_none()),
    }
    certify(model, known)?;
    tally.certified += 1;
    Ok(())
}

/// Examines a model and its query, which are text.
fn examine_text(
    (text, query): (String, String),
    seed: u64,
    tally: &mut Tally,
) -> Result<(), Box<Failure>> {
    let fail = |mistake| Box::new(Failure::of_text(seed, (text.clone(), query.clone()), mistake));
    let model = match model_of(&text, &[&query]) {
        Ok((model, _)) => model,
        Err(diagnostics) => {
            let messages = messages(&diagnostics, Severity::Error);
            return Err(fail(Mistake::Unreadable(messages)));
        }
    };
    let QueryKind::Possibly(goal) = model.queries[QueryId::from_index(0)].kind.clone() else {
        return Ok(());
    };
    let priced = Priced { judged: model.clone(), model, goal, factor: 1 };
    examine_priced(&priced, seed, tally).map_err(|mistake| fail(Mistake::Beyond(mistake)))
}

/// The text of a random network of tasks, and its query.
#[must_use]
pub fn random_tasks(seed: u64) -> (String, String) {
    let mut random = Random::new(seed ^ 0x7a5c);
    let processes = 2 + random.below(2);
    let mut text = "int[0,2] s[2]; ".to_owned();
    let mut wanted = Vec::new();
    for process in 0..processes {
        let (process_text, rests) = random_process(&mut random, process);
        text.push_str(&process_text);
        wanted.push(format!("P{process}.r{}", random.below(rests)));
    }
    let names: Vec<String> = (0..processes).map(|process| format!("P{process}")).collect();
    text.push_str(&format!("system {};", names.join(", ")));
    let all = wanted.join(" && ");
    let query = match random.chance(20) {
        true => format!("E<> {} || {all}", wanted[0]),
        false => format!("E<> {all}"),
    };
    (text, query)
}

/// A process of a random network, and how many rests it has: rests and tasks in any order, with
/// choices, semaphores that are held over several tasks, clocks that rests wait for, and cells of its
/// own.
fn random_process(random: &mut Random, name: usize) -> (String, usize) {
    let mut places = vec!["r0".to_owned()];
    let mut edges = Vec::new();
    let rests = 2 + random.below(3);
    for rest in 0..rests {
        if rest > 0 {
            places.push(format!("r{rest}"));
        }
        for way in 0..=random.below(2) {
            let next = if rest + 1 < rests { rest + 1 } else { random.below(rests) };
            let (lock, length) = (random.below(2), random.between(0, 4));
            let age = match random.chance(30) {
                true => format!(" && y >= {}", random.between(1, 6)),
                false => String::new(),
            };
            let reset = if random.chance(40) { ", y = 0" } else { "" };
            let count = if random.chance(30) { ", n = 1 - n" } else { "" };
            let own = if random.chance(20) { " && n == 0" } else { "" };
            places.push(format!("t{rest}{way} {{ x <= {length} }}"));
            edges.push(format!(
                "r{rest} -> t{rest}{way} {{ guard s[{lock}] == 0{own}{age}; \
                 assign s[{lock}] = {}, x = 0{reset}; }}",
                random.between(1, 2)
            ));
            edges.push(format!(
                "t{rest}{way} -> r{next} {{ guard x >= {length}; assign s[{lock}] = 0{count}; }}"
            ));
        }
    }
    let (places, edges) = (places.join(", "), edges.join(", "));
    let text = format!(
        "process P{name}() {{ clock x, y; int[0,1] n; state {places}; init r0; trans {edges}; }} "
    );
    (text, rests)
}

/// How something is kept that one job at a time may use.
#[derive(Clone, Copy)]
enum Keeping {
    Cell,
    Process,
    Semaphore,
}

/// The text of a random shop, and its query: jobs that need two things one after the other, which are
/// kept in several ways, now and then with a mistake.
#[must_use]
pub fn random_shop(seed: u64) -> (String, String) {
    let mut random = Random::new(seed ^ 0x5409);
    let keeping = [(); 2].map(|()| {
        random.choose(&[Keeping::Cell, Keeping::Process, Keeping::Process, Keeping::Semaphore])
    });
    let mut text = "chan take[2], give[2]; int[0,1] free[2] = { 1, 1 }; ".to_owned();
    let mut system = Vec::new();
    for (thing, keeping) in keeping.into_iter().enumerate() {
        if let Some(keeper) = keeper(&mut random, thing, keeping) {
            text.push_str(&keeper);
            system.push(format!("K{thing}"));
        }
    }
    if random.chance(15) {
        let wrong = random.choose(&["sync give[0]!;", "sync take[1]!;", "assign free[0] = 1;"]);
        text.push_str(&format!(
            "process Cat() {{ state c, d; init c; trans c -> d {{ {wrong} }}; }} "
        ));
        system.push("Cat".to_owned());
    }
    let jobs = 2 + random.below(2);
    for job in 0..jobs {
        text.push_str(&random_job(&mut random, job, keeping));
        system.push(format!("J{job}"));
    }
    text.push_str(&format!("system {};", system.join(", ")));
    let done: Vec<String> = (0..jobs).map(|job| format!("J{job}.done")).collect();
    (text, format!("E<> {}", done.join(" && ")))
}

/// The process that keeps a thing, if one does.
fn keeper(random: &mut Random, thing: usize, keeping: Keeping) -> Option<String> {
    let (take, give) = (format!("sync take[{thing}]?;"), format!("sync give[{thing}]?;"));
    let mistake = if random.chance(15) { 1 + random.below(3) } else { 0 };
    let edges = match keeping {
        Keeping::Cell => return None,
        Keeping::Process => {
            let more = match mistake {
                1 => format!(", taken -> taken {{ {take} }}"),
                2 => ", taken -> idle { }".to_owned(),
                3 => format!(", idle -> idle {{ {give} }}"),
                _ => String::new(),
            };
            format!("idle -> taken {{ {take} }}, taken -> idle {{ {give} }}{more}")
        }
        Keeping::Semaphore => {
            let guard =
                if mistake == 1 { String::new() } else { format!("guard free[{thing}] > 0;") };
            let down = if mistake == 2 { "= 1" } else { "= 0" };
            format!(
                "idle -> idle {{ {guard} {take} assign free[{thing}] {down}; }}, \
                 idle -> idle {{ {give} assign free[{thing}] = 1; }}"
            )
        }
    };
    let states = if matches!(keeping, Keeping::Process) { "idle, taken" } else { "idle" };
    Some(format!("process K{thing}() {{ state {states}; init idle; trans {edges}; }} "))
}

/// A job that needs both things.
fn random_job(random: &mut Random, job: usize, keeping: [Keeping; 2]) -> String {
    let first = random.below(2);
    let mut edges = Vec::new();
    for (step, thing) in [first, 1 - first].into_iter().enumerate() {
        let next = ["w1", "done"][step];
        let length = random.between(0, 4);
        let mistake = if random.chance(10) { 1 + random.below(4) } else { 0 };
        let reset = if mistake == 1 { "" } else { "assign x = 0;" };
        let guard = if mistake == 2 { "x >= 0".to_owned() } else { format!("x >= {length}") };
        let (take, give) = match keeping[thing] {
            Keeping::Cell => (
                format!("guard free[{thing}] == 1; assign free[{thing}] = 0, x = 0;"),
                format!("guard {guard}; assign free[{thing}] = 1;"),
            ),
            Keeping::Process | Keeping::Semaphore => (
                format!("sync take[{thing}]!; {reset}"),
                format!("guard {guard}; sync give[{thing}]!;"),
            ),
        };
        edges.push(format!("w{step} -> u{step} {{ {take} }}, u{step} -> {next} {{ {give} }}"));
        if mistake == 3 {
            edges.push(format!("w{step} -> {next} {{ guard x >= {length}; }}"));
        }
        if mistake == 4 {
            edges.push(format!("u{step} -> {next} {{ guard x >= {length}; }}"));
        }
    }
    let edges = edges.join(", ");
    format!("process J{job}() {{ clock x; state w0, u0, w1, u1, done; init w0; trans {edges}; }} ")
}
