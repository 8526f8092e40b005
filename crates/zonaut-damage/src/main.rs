//! Damaged certificates, and what the checker says about them: `damage [--models N] [--seed S]`.
//! Each model gives twenty, and four for each of its queries about maximal runs and values.
//!
//! Exit codes: 0 no harm, 1 a false claim was accepted or the checker panicked, 2 wrong usage.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use zonaut_damage::{Count, Harm, damage, damage_beyond};

/// How many damaged certificates each model gives.
const TIMES: u64 = 20;

/// How many each query about maximal runs or values gives.
const TIMES_BEYOND: u64 = 4;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((models, seed)) = parse(&words) else {
        eprintln!("usage: damage [--models N] [--seed S]");
        return ExitCode::from(2);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicU64::new(0);
    let (total, harms) = (Mutex::new(Count::default()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work((models, seed), &next, &total, &harms));
        }
    });
    let harms: Vec<Harm> = harms.into_inner().unwrap_or_default();
    for Harm { seed, what, core, certificate } in &harms {
        eprintln!("seed {seed}: {what}\n{core}\n{certificate}");
    }
    let count = total.into_inner().unwrap_or_default();
    let Count { damaged, accepted, rejected, malformed, undecided } = count;
    let summary = format!(
        "{damaged} damaged certificates of {models} models from seed {seed}: {accepted} accepted \
         with a true claim, {rejected} rejected, {malformed} malformed, {undecided} undecided, \
         {} harmful\n",
        harms.len()
    );
    // A closed standard output is the reader's choice.
    let _ = std::io::stdout().write_all(summary.as_bytes());
    if harms.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn parse(words: &[String]) -> Option<(u64, u64)> {
    let (mut models, mut seed) = (6_000, 0);
    for pair in words.chunks(2) {
        let [option, value] = pair else { return None };
        match option.as_str() {
            "--models" => models = value.parse().ok()?,
            "--seed" => seed = value.parse().ok()?,
            _ => return None,
        }
    }
    Some((models, seed))
}

fn work(
    (models, seed): (u64, u64),
    next: &AtomicU64,
    total: &Mutex<Count>,
    harms: &Mutex<Vec<Harm>>,
) {
    let mut count = Count::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= models {
            break;
        }
        let seed = seed.wrapping_add(number);
        let examined = damage(seed, TIMES, &mut count)
            .and_then(|()| damage_beyond(seed, TIMES_BEYOND, &mut count));
        if let Err(harm) = examined
            && let Ok(mut harms) = harms.lock()
        {
            harms.push(*harm);
        }
    }
    if let Ok(mut total) = total.lock() {
        total.add(count);
    }
}
