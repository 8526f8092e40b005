//! Random models for tests in other languages: `random_models [--models N] [--seed S]` prints one
//! JSON object for each model: its seed, its text and its query.
//!
//! Exit codes: 0 printed, 2 wrong usage or a closed output.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use zonaut_testkit::generate::varied;

/// The parsed command line.
struct Plan {
    models: u64,
    seed: u64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(plan) = parse(&words) else {
        eprintln!("usage: random_models [--models N] [--seed S]");
        return ExitCode::from(2);
    };
    match print(&plan) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

fn parse(words: &[String]) -> Option<Plan> {
    let mut plan = Plan { models: 100, seed: 0 };
    for pair in words.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--models" => plan.models = value.parse().ok()?,
            "--seed" => plan.seed = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(plan)
}

fn print(plan: &Plan) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout());
    for seed in plan.seed..plan.seed.saturating_add(plan.models) {
        let model = varied(seed);
        let (text, query) = (model.to_xta(), model.query_text());
        let record = serde_json::json!({ "seed": seed, "text": text, "query": query });
        writeln!(out, "{record}")?;
    }
    out.flush()
}
