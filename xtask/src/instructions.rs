//! Instruction counts of a few small runs against recorded ones.
//!
//! Instruction counts hardly depend on the load of a machine, so a few percent more are a
//! regression. They depend on the compiler and on the processor's instruction set: if these differ
//! from the recorded ones, or valgrind is missing, the check is skipped with a message. The thread
//! that watches memory reads it at intervals of elapsed time, which depends on the load: these
//! readings are not counted.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome, outcome_of};

const TASK: &str = "instructions";
const RECORD: &str = "--record";
/// The path of the counts, below the root of the repository.
const FILE: &str = "bench/instructions.tsv";
/// More than this many percent above the recorded count is a regression.
const TOLERANCE: u64 = 2;
/// The function whose instructions depend on the elapsed time.
const NOT_COUNTED: &str = "*held_memory::held_memory*";

/// A run that is counted.
struct Run {
    /// The family with its parameters.
    family: &'static str,
    arguments: &'static [&'static str],
}

/// Explores the whole state space.
const EVERYTHING: &[&str] = &[
    "verify",
    "--query",
    "A[] true",
    "--certify",
    "never",
    "--abstraction",
    "lu+",
    "--strategy",
    "bfs",
];

/// Searches a shortest path with the relaxation.
const RELAXED: &[&str] = &["verify", "--certify", "never", "--strategy", "astar(hl)"];

const RUNS: [Run; 8] = [
    Run { family: "fischer 7", arguments: EVERYTHING },
    Run { family: "csmacd 7", arguments: EVERYTHING },
    Run { family: "fddi 6", arguments: EVERYTHING },
    Run { family: "train-gate 4", arguments: EVERYTHING },
    Run { family: "parallel 11", arguments: EVERYTHING },
    Run { family: "fireflies 5", arguments: EVERYTHING },
    Run { family: "fischer-b 15", arguments: RELAXED },
    // Guards test values that updates write, which exercises relaxed updates.
    Run { family: "hanoi 6", arguments: RELAXED },
];

impl Run {
    fn name(&self) -> String {
        match self.arguments {
            EVERYTHING => self.family.to_owned(),
            [.., strategy] => format!("{} {strategy}", self.family),
            [] => String::new(),
        }
    }
}

/// The counts of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Count {
    name: String,
    explored: u64,
    instructions: u64,
}

/// Counts, and compares with the counts recorded in the folder `root`, or records them.
pub(crate) fn run(root: &Path, options: &[String]) -> Outcome {
    let records = match options {
        [] => false,
        [option] if option == RECORD => true,
        _ => return Err(Failure::Usage(format!("usage: cargo xtask {TASK} [{RECORD}]"))),
    };
    if !is_installed() {
        eprintln!("{TASK}: skipped, valgrind is not installed");
        return Ok(());
    }
    let environment = environment()?;
    let path = root.join(FILE);
    let recorded = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(_) if records => None,
        Err(error) => return Err(Failure::Environment(format!("{FILE}: {error}"))),
    };
    if !records
        && let Some(other) = recorded_environment(recorded.as_deref())
        && other != environment
    {
        eprintln!("{TASK}: skipped, recorded with {other}, not with {environment}");
        return Ok(());
    }
    let program = build(root)?;
    let folder = std::env::temp_dir().join(format!("zonaut-{TASK}-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| Failure::Environment(error.to_string()))?;
    let counts: Result<Vec<Count>, Failure> =
        RUNS.iter().map(|run| count(run, &program, &folder)).collect();
    // A temporary folder that cannot be removed is no failure.
    let _ = fs::remove_dir_all(&folder);
    let counts = counts?;
    eprint!("{}", table(&environment, &counts));
    if records {
        let text = table(&environment, &counts);
        return fs::write(&path, text).map_err(|error| Failure::Environment(error.to_string()));
    }
    outcome_of(TASK, problems(&parse(&recorded.unwrap_or_default()), &counts))
}

fn is_installed() -> bool {
    let mut command = Command::new("valgrind");
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The compiler and processor that counts depend on.
fn environment() -> Result<String, Failure> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = output(Command::new(compiler).arg("--version"))?;
    Ok(format!("{} on {}", version.trim(), std::env::consts::ARCH))
}

fn output(command: &mut Command) -> Result<String, Failure> {
    let shown = format!("{command:?}");
    let failed = |why: String| Failure::Environment(format!("{shown}: {why}"));
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// Builds the optimised program.
fn build(root: &Path) -> Result<PathBuf, Failure> {
    let mut command = Command::new(cargo_program());
    command.args(["build", "--release", "--package", "zonaut", "--message-format", "json"]);
    let messages = output(command.current_dir(root))?;
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let executable =
        messages.filter_map(|message| Some(message["executable"].as_str()?.into())).next_back();
    executable.ok_or_else(|| Failure::Environment("cargo built no program".to_owned()))
}

fn count(run: &Run, program: &Path, folder: &Path) -> Result<Count, Failure> {
    let name = run.name();
    let model = folder.join("model.xta");
    output(
        Command::new(program).arg("generate").args(run.family.split(' ')).arg("-o").arg(&model),
    )?;
    let counts = folder.join("counts");
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", counts.display()));
    // Counting begins switched on, and each call and return of the function switches it.
    command.arg(format!("--toggle-collect={NOT_COUNTED}")).arg("--collect-atstart=yes");
    let report = output(command.arg(program).args(run.arguments).arg("--json").arg(&model))?;
    let failed = |what: &str| Failure::Environment(format!("{name}: {what}"));
    let report: Value = report
        .lines()
        .next()
        .and_then(|line| serde_json::from_str(line).ok())
        .ok_or_else(|| failed("no report"))?;
    let explored = report["explored"].as_u64().ok_or_else(|| failed("no count of states"))?;
    let text = fs::read_to_string(&counts).map_err(|error| failed(&error.to_string()))?;
    let instructions = total(&text).ok_or_else(|| failed("no count of instructions"))?;
    Ok(Count { name, explored, instructions })
}

/// The total in a file of callgrind.
fn total(text: &str) -> Option<u64> {
    let line = |word| text.lines().find_map(|line| line.strip_prefix(word));
    line("totals: ").or_else(|| line("summary: "))?.trim().parse().ok()
}

fn table(environment: &str, counts: &[Count]) -> String {
    let mut text = format!("# recorded with {environment}\nrun\texplored\tinstructions\teach\n");
    for count in counts {
        let each = count.instructions / count.explored.max(1);
        let Count { name, explored, instructions } = count;
        let _ = writeln!(text, "{name}\t{explored}\t{instructions}\t{each}");
    }
    text
}

fn recorded_environment(text: Option<&str>) -> Option<&str> {
    text?.lines().find_map(|line| line.strip_prefix("# recorded with "))
}

fn parse(text: &str) -> Vec<Count> {
    let count = |line: &str| {
        let mut cells = line.split('\t');
        let name = cells.next()?.to_owned();
        let explored = cells.next()?.parse().ok()?;
        Some(Count { name, explored, instructions: cells.next()?.parse().ok()? })
    };
    text.lines().filter_map(count).collect()
}

/// The regressions and other differences from the recorded counts.
fn problems(recorded: &[Count], counts: &[Count]) -> Vec<String> {
    let mut lines = Vec::new();
    for count in counts {
        let name = &count.name;
        let Some(before) = recorded.iter().find(|before| before.name == *name) else {
            lines.push(format!("{name}: nothing is recorded"));
            continue;
        };
        if count.explored != before.explored {
            let (now, before) = (count.explored, before.explored);
            lines.push(format!("{name}: {now} states are explored, {before} are recorded"));
        } else if count.instructions * 100 > before.instructions * (100 + TOLERANCE) {
            let (now, before) = (count.instructions, before.instructions);
            let more = 100.0 * now as f64 / before as f64 - 100.0;
            lines.push(format!("{name}: {now} instructions, {more:.1} % more than recorded"));
        }
    }
    if !lines.is_empty() {
        lines.push(format!("if that is intended: cargo xtask {TASK} {RECORD}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(recorded: (u64, u64), now: (u64, u64)) -> Vec<String> {
        let count = |(explored, instructions)| Count { name: "a b".into(), explored, instructions };
        let recorded = parse(&table("rustc 1", &[count(recorded)]));
        problems(&recorded, &[count(now)])
    }

    #[test]
    fn an_increase_of_a_few_percent_is_a_regression() {
        assert!(check((10, 1000), (10, 1000)).is_empty());
        assert!(check((10, 1000), (10, 1020)).is_empty());
        assert!(check((10, 1000), (10, 500)).is_empty());
        assert_eq!(
            check((10, 1000), (10, 1021))[0],
            "a b: 1021 instructions, 2.1 % more than recorded"
        );
        assert_eq!(check((10, 1000), (11, 900))[0], "a b: 11 states are explored, 10 are recorded");
    }

    #[test]
    fn a_run_that_is_not_recorded_is_a_problem() {
        let count = Count { name: "new".to_owned(), explored: 1, instructions: 1 };
        assert_eq!(problems(&[], &[count])[0], "new: nothing is recorded");
    }

    #[test]
    fn the_environment_is_read_back() {
        let text = table("rustc 1 on x", &[]);
        assert_eq!(recorded_environment(Some(&text)), Some("rustc 1 on x"));
        assert_eq!(recorded_environment(None), None);
    }

    #[test]
    fn totals_are_found_in_both_forms() {
        assert_eq!(total("events: Ir\nsummary: 17\n"), Some(17));
        assert_eq!(total("events: Ir\nsummary: 17\ntotals: 18\n"), Some(18));
        assert_eq!(total("events: Ir\n"), None);
    }

    #[test]
    fn runs_have_distinct_names() {
        let mut names: Vec<String> = RUNS.iter().map(Run::name).collect();
        assert_eq!(names[6], "fischer-b 15 astar(hl)");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), RUNS.len());
    }

    #[test]
    fn unknown_options_are_refused() {
        let failure = run(Path::new("."), &["--rekord".to_owned()]).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
    }
}
