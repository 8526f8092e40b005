//! Random models in many configurations against the oracles:
//! `soak [--models N] [--seed S] [--save DIR]`.
//!
//! Exit codes: 0 no disagreement, 1 a disagreement (the shrunk model is printed), 2 wrong usage.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use zonaut_testkit::differential::{Failure, Tally, examine};

/// What to run.
struct Plan {
    models: u64,
    seed: u64,
    save: Option<PathBuf>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(plan) = parse(&words) else {
        eprintln!("usage: soak [--models N] [--seed S] [--save DIR]");
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
    let Tally { models, reachable, failing, undecided, answers } =
        total.into_inner().unwrap_or_default();
    let summary = format!(
        "{models} models from seed {}: {answers} answers, {reachable} reachable, {failing} failing \
         at run time, {undecided} without oracle, {} disagreements\n",
        plan.seed,
        failures.len()
    );
    // A closed standard output is the reader's choice.
    let _ = std::io::stdout().write_all(summary.as_bytes());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn parse(words: &[String]) -> Option<Plan> {
    let mut plan = Plan { models: 20_000, seed: 0, save: None };
    for pair in words.chunks(2) {
        let [option, value] = pair else { return None };
        match option.as_str() {
            "--models" => plan.models = value.parse().ok()?,
            "--seed" => plan.seed = value.parse().ok()?,
            "--save" => plan.save = Some(PathBuf::from(value)),
            _ => return None,
        }
    }
    Some(plan)
}

/// Takes seeds until there are none left, or too much is wrong to go on.
fn work(plan: &Plan, next: &AtomicU64, failures: &Mutex<Vec<Failure>>, total: &Mutex<Tally>) {
    const ENOUGH: usize = 3;
    let mut tally = Tally::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.models {
            break;
        }
        if let Err(failure) = examine(plan.seed.wrapping_add(number), &mut tally)
            && let Ok(mut failures) = failures.lock()
        {
            failures.push(*failure);
            if failures.len() >= ENOUGH {
                next.store(plan.models, Ordering::Relaxed);
            }
        }
    }
    if let Ok(mut total) = total.lock() {
        total.add(tally);
    }
}
