//! The development tasks of Zonaut: `cargo xtask ci`, `cargo xtask deps`, `cargo xtask tidy`,
//! `cargo xtask ui-test`, `cargo xtask python-test`,
//! `cargo xtask editor-test`, `cargo xtask package`, `cargo xtask soak`, `cargo xtask fault-injection`,
//! `cargo xtask mutate-certificates`, `cargo xtask certificate-cost`, `cargo xtask limits`.
//!
//! Exit codes: 0 every check passed, 1 a check failed, 2 wrong usage or a broken environment.

mod ci;
mod deps;
mod editor_test;
mod instructions;
mod limits;
mod package;
mod python_test;
mod report;
mod soak;
mod tidy;
mod ui_test;

use std::path::PathBuf;
use std::process::ExitCode;

use report::{Failure, Outcome};

const USAGE: &str = "\
usage: cargo xtask TASK [OPTIONS]

tasks:
  ci     everything a change must pass: formatting, deps, tidy, lints, tests, documentation
  deps   the dependencies between crates against the dependency table, and the copy of that table in
         docs/ARCHITECTURE.md; --update writes the copy
  tidy   names, left-over marks, tuple parameters, machine paths, links, white space
  ui-test
         pages and the explorer in a real browser; skipped where no browser is installed
  python-test
         the Python package with pytest and mypy, and the notebooks; skipped without Python
  editor-test
         the grammars and the package of the editor extension; skipped without npm
  package
         the packages of the published crates, each built alone; needs the package registry's index
  instructions
         instruction counts of small runs against recorded ones; --record
  limits
         random limits on time and memory, kept by all processes of a query together; --runs N,
         --seed S, --program FILE
  soak   random models in many configurations against the oracles; --models N, --seed S, --save DIR,
         --strata LIST (networks, deadlock, priorities, auto, heuristics, lazy, runs, values, costs,
         programs, or strata of programs)
  fault-injection
         injects faults into the engine, which random models and tests of single parts must detect;
         --models N, --seed S, --save DIR, --fault NAME; `fish` is an alias
  mutate-certificates
         whether the checker accepts a damaged certificate with a false claim; --models N, --seed S
  certificate-cost
         the time of checks and the size of certificates; [MODEL QUERIES]... besides the families";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(arguments: &[String]) -> Outcome {
    let Some((task, options)) = arguments.split_first() else {
        return Err(Failure::Usage(USAGE.to_owned()));
    };
    let root = repository_root()?;
    match task.as_str() {
        "limits" => limits::run(&root, options),
        "instructions" => instructions::run(&root, options),
        "soak" => soak::run(&root, &soak::SOAK, options),
        "fault-injection" | "fish" => soak::fault_injection(&root, options),
        "certificate-cost" => soak::run(&root, &soak::CERTIFICATE_COST, options),
        "mutate-certificates" => soak::run(&root, &soak::MUTATE_CERTIFICATES, options),
        "deps" if options == ["--update"] => deps::update(&root),
        _ if !options.is_empty() => Err(Failure::Usage(USAGE.to_owned())),
        "ci" => ci::run(&root),
        "deps" => deps::run(&root),
        "tidy" => tidy::run(&root),
        "ui-test" => ui_test::run(&root),
        "python-test" => python_test::run(&root),
        "editor-test" => editor_test::run(&root),
        "package" => package::run(&root),
        _ => Err(Failure::Usage(format!("no task `{task}`\n\n{USAGE}"))),
    }
}

/// The folder above this package, as given by cargo.
fn repository_root() -> Result<PathBuf, Failure> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| Failure::Environment("run this as `cargo xtask`".to_owned()))?;
    let mut root = PathBuf::from(package);
    root.pop();
    Ok(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit_code_of(arguments: &[&str]) -> u8 {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        run(&arguments).map_or_else(|failure| failure.exit_code(), |()| 0)
    }

    #[test]
    fn wrong_usage_exits_with_two() {
        assert_eq!(exit_code_of(&[]), 2);
        assert_eq!(exit_code_of(&["tidy", "deps"]), 2);
        assert_eq!(exit_code_of(&["polish"]), 2);
    }
}
