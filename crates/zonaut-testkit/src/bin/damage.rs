//! Damaged and forged certificates, and the checker's answers to them:
//! `damage [--models N] [--seed S] [--only damaged|forged]`. Each model yields twenty damaged
//! certificates, twenty with packed sets, ten of a least cost with different rates, four for each of
//! its queries about maximal runs and values, and those of three changed models, sealed for it.
//!
//! Exit codes: 0 no error, 1 a false claim was accepted or the checker panicked, 2 wrong usage.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use zonaut_testkit::damage::{
    Count, KINDS, Violation, damage, damage_beyond, damage_packed, damage_rates, forge,
};

/// The number of damaged certificates for each model.
const TIMES: u64 = 20;

/// The number of damaged certificates with packed sets for each model.
const TIMES_PACKED: u64 = 20;

/// The number of damaged certificates of a least cost with different rates for each model.
const TIMES_RATES: u64 = 10;

/// The number of changed models that certificates are forged from.
const CHANGED_MODELS: u64 = 3;

/// The parsed command line.
#[derive(Clone, Copy)]
struct Plan {
    models: u64,
    seed: u64,
    damages: bool,
    forges: bool,
}

/// The number of damaged certificates for each query about maximal runs or values.
const TIMES_BEYOND: u64 = 4;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(plan) = parse(&words) else {
        eprintln!("usage: damage [--models N] [--seed S] [--only damaged|forged]");
        return ExitCode::from(2);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicU64::new(0);
    let (total, violations) = (Mutex::new(Count::default()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(plan, &next, &total, &violations));
        }
    });
    let violations: Vec<Violation> = violations.into_inner().unwrap_or_default();
    for Violation { seed, what, core, certificate } in &violations {
        eprintln!("seed {seed}: {what}\n{core}\n{}", String::from_utf8_lossy(certificate));
    }
    let count = total.into_inner().unwrap_or_default();
    let Count { damaged, accepted, rejected, malformed, undecided, unjudged, forged } = count;
    let Plan { models, seed, .. } = plan;
    let kinds = KINDS.iter().zip(forged).filter(|(_, count)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(kind, count)| format!("{kind} {count}")).collect();
    let total: u64 = forged.iter().sum();
    let summary = format!(
        "{damaged} certificates of {models} models from seed {seed}, {total} of them forged: \
         {accepted} accepted with a true claim, {unjudged} without oracle, {rejected} rejected, \
         {malformed} malformed, {undecided} undecided, {} harmful\nforged: {}\n",
        violations.len(),
        kinds.join(", ")
    );
    // A closed standard output is no error.
    let _ = std::io::stdout().write_all(summary.as_bytes());
    if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn parse(words: &[String]) -> Option<Plan> {
    let mut plan = Plan { models: 6_000, seed: 0, damages: true, forges: true };
    for pair in words.chunks(2) {
        let [option, value] = pair else { return None };
        match option.as_str() {
            "--models" => plan.models = value.parse().ok()?,
            "--seed" => plan.seed = value.parse().ok()?,
            "--only" => match value.as_str() {
                "damaged" => plan.forges = false,
                "forged" => plan.damages = false,
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(plan)
}

fn work(plan: Plan, next: &AtomicU64, total: &Mutex<Count>, violations: &Mutex<Vec<Violation>>) {
    let mut count = Count::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.models {
            break;
        }
        let seed = plan.seed.wrapping_add(number);
        if let Err(violation) = examine(plan, seed, &mut count)
            && let Ok(mut violations) = violations.lock()
        {
            violations.push(*violation);
        }
    }
    if let Ok(mut total) = total.lock() {
        total.add(count);
    }
}

/// Damages and forges certificates about the network of a seed.
fn examine(plan: Plan, seed: u64, count: &mut Count) -> Result<(), Box<Violation>> {
    if plan.damages {
        damage(seed, TIMES, count)?;
        damage_packed(seed, TIMES_PACKED, count)?;
        damage_beyond(seed, TIMES_BEYOND, count)?;
        damage_rates(seed, TIMES_RATES, count)?;
    }
    if plan.forges {
        forge(seed, CHANGED_MODELS, count)?;
    }
    Ok(())
}
