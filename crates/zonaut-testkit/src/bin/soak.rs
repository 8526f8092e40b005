//! Random models in many configurations against the oracles:
//! `soak [--models N] [--seed S] [--strata LIST] [--save DIR]`.
//!
//! Exit codes: 0 no disagreement, 1 a disagreement (the shrunk model is printed), 2 wrong usage.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use zonaut_testkit::command::run_checker;
use zonaut_testkit::costs::Kind;
use zonaut_testkit::differential::{Failure, ProgramExamination, Tally, examine_theme};
use zonaut_testkit::generate::Theme;
use zonaut_testkit::program::Stratum;
use zonaut_testkit::{
    costs, differential, engine_deadlocks, liveness, mutated, sampled_runs, several_threads,
    stochastic, values,
};

/// The number of networks for each program, if both are examined: a program takes longer.
const NETWORKS_FOR_A_PROGRAM: u64 = 20;

/// The number of networks for each one that is examined by an additional kind of query, if all
/// kinds are chosen.
const NETWORKS_FOR_MORE: u64 = 5;

/// An additional kind of examination of networks, besides their own queries.
#[derive(Clone, Copy)]
enum More {
    /// Queries with `deadlock`, by the engine.
    EngineDeadlocks,
    /// Queries about maximal runs.
    Runs,
    /// Queries for infima and suprema.
    Values,
    /// Least costs.
    Costs,
    /// Least costs with different rates of locations.
    Rates,
    /// Least costs of networks of tasks and of networks near them.
    Tasks,
    /// The same with costs up to 2^31 and beyond.
    LargeCosts,
    /// Their own queries again, with the portfolio strategy `auto`.
    Auto,
    /// Heuristics along shortest paths.
    Heuristics,
    /// Their own queries again, with lazy searches.
    Lazy,
    /// Their own queries with one character changed, inserted or deleted.
    Mutated,
    /// Random runs, replayed.
    SampledRuns,
    /// Random runs of stochastic models, compared in distribution.
    Stochastic,
    /// Networks with several threads.
    Threads,
}

/// The parsed command line.
struct Plan {
    models: u64,
    seed: u64,
    /// The themes of the examined networks, in turn.
    themes: Vec<Theme>,
    /// Additional examinations of networks.
    more: Vec<More>,
    /// The strata of examined programs.
    programs: Vec<Stratum>,
    save: Option<PathBuf>,
}

impl Plan {
    /// The numbers of examined networks and programs.
    fn counts(&self) -> (u64, u64) {
        match (self.themes.is_empty() && self.more.is_empty(), self.programs.is_empty()) {
            (false, true) => (self.models, 0),
            (false, false) => (self.models, self.models / NETWORKS_FOR_A_PROGRAM),
            (true, _) => (0, self.models),
        }
    }

    /// Examines the model of a number.
    fn examine(&self, number: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
        let (networks, _) = self.counts();
        if number < networks {
            return self.examine_network(number, tally);
        }
        let seed = self.seed.wrapping_add(number - networks);
        let stratum = self.programs[(seed % self.programs.len() as u64) as usize];
        ProgramExamination::of_stratum(stratum, seed).examine(stratum, seed, tally)
    }

    /// Examines the network of a number.
    fn examine_network(&self, number: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
        let seed = self.seed.wrapping_add(number);
        if !self.themes.is_empty() {
            let theme = self.themes[(seed % self.themes.len() as u64) as usize];
            examine_theme(theme, seed, tally)?;
        }
        if !self.themes.is_empty() && !number.is_multiple_of(NETWORKS_FOR_MORE) {
            return Ok(());
        }
        self.more.iter().try_for_each(|more| match more {
            More::EngineDeadlocks => engine_deadlocks::examine(seed, tally),
            More::Runs => liveness::examine(seed, tally),
            More::Values => values::examine(seed, tally),
            More::Costs => costs::examine(seed, tally),
            More::Rates => costs::examine_rates(seed, tally),
            More::Tasks => costs::examine_kind(Kind::NearTasks, seed, tally),
            More::LargeCosts => costs::examine_kind(Kind::LargeCosts, seed, tally),
            More::Auto => differential::examine_auto(seed, tally),
            More::Heuristics => differential::examine_heuristics(seed, tally),
            More::Lazy => differential::examine_lazy(seed, tally),
            More::Mutated => mutated::examine(seed, tally),
            More::SampledRuns => sampled_runs::examine(seed, tally),
            More::Stochastic => stochastic::examine(seed, tally),
            More::Threads => several_threads::examine(seed, tally),
        })
    }
}

fn main() -> ExitCode {
    if let Some(code) = run_checker() {
        return ExitCode::from(code);
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(plan) = parse(&words) else {
        let names: Vec<&str> = Stratum::ALL.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        eprintln!("usage: soak [--models N] [--seed S] [--strata LIST] [--save DIR]");
        let themes = Theme::ALL.map(|(name, _)| name).join(", ");
        eprintln!(
            "strata, with commas: {themes}, auto, heuristics, lazy, queries, \
             engine-deadlocks, runs, values, costs, rates, tasks, large-costs, sampled-runs, \
             stochastic, threads, programs, or {names}"
        );
        return ExitCode::from(2);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicU64::new(0);
    let failures: Mutex<Vec<Failure>> = Mutex::new(Vec::new());
    let total = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&plan, &next, &failures, &total));
        }
    });
    let tally = total.into_inner().unwrap_or_default();
    let mut failures = failures.into_inner().unwrap_or_default();
    failures.sort_by_key(|failure| failure.seed);
    for failure in &failures {
        eprintln!("{failure}");
        if let Some(folder) = &plan.save
            && let Err(error) = failure.save(folder, &format!("seed-{}", failure.seed))
        {
            eprintln!("{}: {error}", folder.display());
        }
    }
    let Tally { models, reachable, failing, undecided, answers, refused, certified, .. } = tally;
    let Tally { commands, open, checked, features, .. } = tally;
    let summary = format!(
        "{models} models from seed {}: {answers} answers, {reachable} reachable, {failing} failing \
         at run time, {undecided} without oracle, {refused} refused, {certified} besides with \
         evidence, {} disagreements\n{commands} commands, {open} with exit code 3, {checked} \
         certified\nasked for: {features}\n",
        plan.seed,
        failures.len()
    );
    // A closed standard output is no error.
    let _ = std::io::stdout().write_all(summary.as_bytes());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn parse(words: &[String]) -> Option<Plan> {
    let programs = Stratum::ALL.map(|(_, stratum)| stratum).to_vec();
    let themes = vec![Theme::Reachability];
    let more = vec![More::Runs, More::Values, More::Costs];
    let mut plan = Plan { models: 20_000, seed: 0, themes, more, programs, save: None };
    for pair in words.chunks(2) {
        let [option, value] = pair else { return None };
        match option.as_str() {
            "--models" => plan.models = value.parse().ok()?,
            "--seed" => plan.seed = value.parse().ok()?,
            "--strata" => choose(&mut plan, value)?,
            "--save" => plan.save = Some(PathBuf::from(value)),
            _ => return None,
        }
    }
    Some(plan)
}

/// Selects strata by their names.
fn choose(plan: &mut Plan, names: &str) -> Option<()> {
    (plan.themes, plan.more, plan.programs) = (Vec::new(), Vec::new(), Vec::new());
    for name in names.split(',') {
        let theme = Theme::ALL.into_iter().find(|(own, _)| *own == name);
        match (theme, name) {
            (Some((_, theme)), _) => plan.themes.push(theme),
            (None, "engine-deadlocks") => plan.more.push(More::EngineDeadlocks),
            (None, "runs") => plan.more.push(More::Runs),
            (None, "values") => plan.more.push(More::Values),
            (None, "costs") => plan.more.push(More::Costs),
            (None, "rates") => plan.more.push(More::Rates),
            (None, "tasks") => plan.more.push(More::Tasks),
            (None, "large-costs") => plan.more.push(More::LargeCosts),
            (None, "auto") => plan.more.push(More::Auto),
            (None, "heuristics") => plan.more.push(More::Heuristics),
            (None, "lazy") => plan.more.push(More::Lazy),
            (None, "queries") => plan.more.push(More::Mutated),
            (None, "sampled-runs") => plan.more.push(More::SampledRuns),
            (None, "stochastic") => plan.more.push(More::Stochastic),
            (None, "threads") => plan.more.push(More::Threads),
            (None, "programs") => plan.programs.extend(Stratum::ALL.map(|(_, stratum)| stratum)),
            (None, name) => {
                let stratum = Stratum::ALL.into_iter().find(|(own, _)| *own == name)?.1;
                plan.programs.push(stratum);
            }
        }
    }
    Some(())
}

/// Examines numbers until all are done, or enough failures were found.
fn work(plan: &Plan, next: &AtomicU64, failures: &Mutex<Vec<Failure>>, total: &Mutex<Tally>) {
    const ENOUGH: usize = 3;
    let (networks, programs) = plan.counts();
    let all = networks + programs;
    let mut tally = Tally::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= all {
            break;
        }
        if let Err(failure) = plan.examine(number, &mut tally)
            && let Ok(mut failures) = failures.lock()
        {
            failures.push(*failure);
            if failures.len() >= ENOUGH {
                next.store(all, Ordering::Relaxed);
            }
        }
    }
    if let Ok(mut total) = total.lock() {
        total.add(tally);
    }
}
