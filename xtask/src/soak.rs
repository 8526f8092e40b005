//! Runs programs of the test kit in the soak profile; passes on options and exit code.

use std::path::Path;
use std::process::Command;

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome};

/// A program of the test kit.
pub(crate) struct Program {
    package: &'static str,
    name: &'static str,
    features: &'static [&'static str],
}

/// Random models in many configurations against the oracles.
pub(crate) const SOAK: Program = Program { package: "zonaut-testkit", name: "soak", features: &[] };

/// Fault injection: faults in the engine, until random models detect them.
const FAULT_INJECTION: Program = Program {
    package: "zonaut-testkit",
    name: "fault_injection",
    features: &["--features", "faults"],
};

/// The name of the unit tests of a library that contain the word `faults`.
const OF_LIBRARY: &str = "library";

/// Tests, by package and name, of the faults that random networks of the test kit do not reach:
/// those of stopwatches, queries, scalar sets, costs, pictures, random runs, the language server and other
/// searches.
const FAULT_TESTS: [(&str, &str); 18] = [
    ("zonaut-testkit", "stopwatches"),
    ("zonaut-testkit", "mutated_queries"),
    ("zonaut-symmetry", "faults"),
    ("zonaut-engine", "faults"),
    ("zonaut-heuristics", "heuristics"),
    ("zonaut-pdb", "faults"),
    ("zonaut-lazy", "agreement"),
    ("zonaut-merge", "merged"),
    ("zonaut-predicates", "abstraction"),
    ("zonaut-cost", "faults"),
    ("zonaut-scheduling", "faults"),
    ("zonaut-scheduling", OF_LIBRARY),
    ("zonaut-priced", "faults"),
    ("zonaut-certify", "faults"),
    ("zonaut-draw", "faults"),
    ("zonaut-trace", "faults"),
    ("zonaut-sampling", "faults"),
    ("zonaut-lsp", "faults"),
];

/// Damaged certificates, and the checker's answers to them.
pub(crate) const MUTATE_CERTIFICATES: Program =
    Program { package: "zonaut-testkit", name: "damage", features: &[] };

/// The cost of checks and certificates.
pub(crate) const CERTIFICATE_COST: Program =
    Program { package: "zonaut-testkit", name: "cost", features: &[] };

/// Runs a program in the folder `root`.
pub(crate) fn run(root: &Path, program: &Program, options: &[String]) -> Outcome {
    cargo(root, program.name, &arguments(program, options))
}

/// Injects faults and examines random networks, then runs the fault tests of other crates unless
/// one fault is named.
pub(crate) fn fault_injection(root: &Path, options: &[String]) -> Outcome {
    let caught = run(root, &FAULT_INJECTION, options);
    if options.iter().any(|option| option == "--fault") {
        return caught;
    }
    FAULT_TESTS.iter().fold(caught, |before, (package, test)| {
        let tested = cargo(root, "fault-injection", &fault_test(package, test));
        before.and(tested)
    })
}

fn fault_test(package: &str, test: &str) -> Vec<String> {
    let words =
        ["test", "--quiet", "--profile", "soak", "--features", "faults", "--package", package];
    let tests: &[&str] =
        if test == OF_LIBRARY { &["--lib", "--", "faults"] } else { &["--test", test] };
    words.iter().chain(tests).map(|&word| word.to_owned()).collect()
}

/// Runs cargo for a task, in the folder `root`.
fn cargo(root: &Path, task: &'static str, arguments: &[String]) -> Outcome {
    let status = Command::new(cargo_program())
        .args(arguments)
        .current_dir(root)
        .status()
        .map_err(|error| Failure::Environment(format!("cargo: {error}")))?;
    if status.success() {
        return Ok(());
    }
    // Without an exit code, a signal ended it.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Failure::Program { task, code })
}

fn arguments(program: &Program, options: &[String]) -> Vec<String> {
    let cargo = ["run", "--quiet", "--profile", "soak", "--package", program.package];
    let binary = ["--bin", program.name, "--"];
    let words = cargo.iter().chain(program.features).chain(&binary);
    words.map(|&word| word.to_owned()).chain(options.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_run_optimised_with_the_options_given() {
        let options = ["--models", "5"].map(str::to_owned);
        let soak = "run --quiet --profile soak --package zonaut-testkit --bin soak -- --models 5";
        assert_eq!(arguments(&SOAK, &options).join(" "), soak);
        let injection = "run --quiet --profile soak --package zonaut-testkit --features faults --bin fault_injection --";
        assert_eq!(arguments(&FAULT_INJECTION, &[]).join(" "), injection);
        let own = "test --quiet --profile soak --features faults --package zonaut-testkit --test stopwatches";
        assert_eq!(fault_test(FAULT_TESTS[0].0, FAULT_TESTS[0].1).join(" "), own);
        let library =
            "test --quiet --profile soak --features faults --package zonaut-cost --lib -- faults";
        assert_eq!(fault_test("zonaut-cost", OF_LIBRARY).join(" "), library);
    }

    #[test]
    fn the_exit_code_of_a_program_is_passed_on() {
        for code in [1, 2] {
            assert_eq!(Failure::Program { task: "soak", code }.exit_code(), code);
        }
    }
}
