//! Fault injection: injects one fault after another into the engine and reports the number of
//! random networks until one is answered wrongly, and how many networks of a sample are:
//! `fault_injection [--models N] [--seed S] [--save DIR] [--fault NAME]`.
//!
//! Exit codes: 0 every fault was detected, 1 one was not, 2 wrong usage.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use zonaut_testkit::fault::{Fault, detect, survey};

/// The size of the sample that measures how often a fault is detected.
const SAMPLE: u64 = 500;

/// The parsed command line.
struct Plan {
    models: u64,
    seed: u64,
    save: Option<PathBuf>,
    /// The only fault to inject.
    fault: Option<String>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(plan) = parse(&words) else {
        eprintln!("usage: fault_injection [--models N] [--seed S] [--save DIR] [--fault NAME]");
        return ExitCode::from(2);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut escaped = 0;
    let line = |line: String| {
        // A closed standard output is no error.
        let _ = writeln!(std::io::stdout(), "{line}");
    };
    let sample = plan.models.min(SAMPLE);
    let all = format!("of {sample}");
    line(format!("{:<30} {:>7} {all:>8} {:>6}  by", "fault", "first", "edges"));
    let wanted = |name: &str| plan.fault.as_ref().is_none_or(|only| only == name);
    let faults: Vec<_> = Fault::ALL.iter().filter(|(name, _)| wanted(name)).collect();
    for &&(name, fault) in &faults {
        let Some(caught) = detect(fault, plan.seed, plan.models, threads) else {
            escaped += 1;
            line(format!("{name:<30} escaped"));
            continue;
        };
        let failure = caught.failure;
        let (edges, mistake) = (failure.edges, &failure.finding.mistake);
        let (first, noticed) = (caught.models, survey(fault, plan.seed, sample, threads));
        line(format!("{name:<30} {first:>7} {noticed:>8} {edges:>6}  {mistake}"));
        if let Some(folder) = &plan.save
            && let Err(error) = failure.save(folder, name)
        {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::from(2);
        }
    }
    let all = faults.len();
    line(format!("{} of {all} faults caught within {} models", all - escaped, plan.models));
    ExitCode::from(u8::from(escaped > 0))
}

fn parse(words: &[String]) -> Option<Plan> {
    let mut plan = Plan { models: 100_000, seed: 0, save: None, fault: None };
    for pair in words.chunks(2) {
        let [option, value] = pair else { return None };
        match option.as_str() {
            "--models" => plan.models = value.parse().ok()?,
            "--seed" => plan.seed = value.parse().ok()?,
            "--save" => plan.save = Some(PathBuf::from(value)),
            "--fault" => plan.fault = Some(value.clone()),
            _ => return None,
        }
    }
    Some(plan)
}
