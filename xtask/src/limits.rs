//! Random limits on time and memory: checks that all processes of a query respect them.
//!
//! Runs the optimised program. The limits are about wall-clock time and resident memory, so the
//! machine should be idle during the measurement.

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const TASK: &str = "limits";
const USAGE: &str = "usage: cargo xtask limits [--runs N] [--seed S] [--program FILE]";
/// The maximal excess over a time limit.
const GRACE: Duration = Duration::from_millis(500);
/// The maximal excess over a memory limit, for all processes together.
const ROOM: u64 = 50 << 20;
/// The sampling period of memory.
const PERIOD: Duration = Duration::from_millis(2);

/// Families of models with long-running queries, and the arguments of their commands.
const MODELS: [(&str, &[&str]); 6] = [
    ("fischer", &["8"]),
    ("fischer", &["9"]),
    ("fischer", &["10"]),
    ("csmacd", &["8"]),
    ("critical-region", &["4"]),
    ("fddi", &["8"]),
];
const STRATEGIES: [&str; 6] = ["auto", "bfs", "dfs", "lazy", "greedy(hu)", "astar(rd)"];
const CHECKS: [&str; 2] = ["auto", "always"];

struct Options {
    runs: u64,
    seed: u64,
    program: Option<PathBuf>,
}

/// Tries random limits.
pub(crate) fn run(root: &Path, words: &[String]) -> Outcome {
    let options = options(words).ok_or_else(|| Failure::Usage(USAGE.to_owned()))?;
    let program = match options.program {
        Some(program) => program,
        None => built(root)?,
    };
    let folder = root.join("target").join(TASK);
    fs::create_dir_all(&folder).map_err(|error| Failure::Environment(error.to_string()))?;
    let models = generated(&program, &folder)?;
    let mut random = Random(options.seed);
    let (mut late, mut large) = (Duration::ZERO, 0);
    let mut wrong = 0;
    for number in 0..options.runs {
        let trial = Trial::new(&models, &mut random);
        let seen = trial.run(&program).map_err(|error| Failure::Environment(error.to_string()))?;
        (late, large) = (late.max(seen.late), large.max(seen.beyond));
        let is_kept = seen.late <= GRACE && seen.beyond <= ROOM;
        wrong += u64::from(!is_kept);
        let mark = if is_kept { "kept" } else { "BROKEN" };
        eprintln!(
            "{number:>4} {mark}: {:.3} s late, {:.1} MB beyond, {}: {}",
            seen.late.as_secs_f64(),
            seen.beyond as f64 / f64::from(1 << 20),
            trial.words.join(" "),
            seen.answer,
        );
    }
    eprintln!(
        "{} limits, {wrong} broken; at most {:.3} s late and {:.1} MB beyond",
        options.runs,
        late.as_secs_f64(),
        large as f64 / f64::from(1 << 20)
    );
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::Program { task: TASK, code: 1 }),
    }
}

fn options(words: &[String]) -> Option<Options> {
    let mut options = Options { runs: 200, seed: 1, program: None };
    for pair in words.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--runs" => options.runs = value.parse().ok()?,
            "--seed" => options.seed = value.parse().ok()?,
            "--program" => options.program = Some(value.into()),
            _ => return None,
        }
    }
    Some(options)
}

fn built(root: &Path) -> Result<PathBuf, Failure> {
    let mut build = Command::new(cargo_program());
    build.args(["build", "--quiet", "--release", "--package", "zonaut"]).current_dir(root);
    match build.status() {
        Ok(status) if status.success() => Ok(root.join("target/release/zonaut")),
        _ => Err(Failure::Environment("zonaut cannot be built".to_owned())),
    }
}

fn generated(program: &Path, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut models = Vec::new();
    for (family, parameters) in MODELS {
        let path = folder.join(format!("{family}-{}.xta", parameters.join("-")));
        let mut generate = Command::new(program);
        generate.args(["generate", family]).args(parameters).arg("-o").arg(&path);
        match generate.status() {
            Ok(status) if status.success() => models.push(path),
            _ => return Err(Failure::Environment(format!("{family} cannot be generated"))),
        }
    }
    Ok(models)
}

/// A command with limits.
struct Trial {
    words: Vec<String>,
    time: Option<Duration>,
    memory: Option<u64>,
}

/// The measurements of a command.
struct Seen {
    /// The excess over the time limit.
    late: Duration,
    /// The excess over the memory limit.
    beyond: u64,
    answer: String,
}

/// The time limit of commands without a time limit of their own, in seconds.
const LONGEST: u64 = 6;

impl Trial {
    fn new(models: &[PathBuf], random: &mut Random) -> Self {
        let model = &models[random.below(models.len() as u64) as usize];
        let pick = |random: &mut Random, words: &[&str]| {
            words[random.below(words.len() as u64) as usize].to_owned()
        };
        let (strategy, check) = (pick(random, &STRATEGIES), pick(random, &CHECKS));
        // Half of the trials limit time; the others limit memory, with a time limit that ends the
        // trial.
        let milliseconds = match random.below(2) {
            0 => 50 + random.below(1950),
            _ => LONGEST * 1000,
        };
        let megabytes = match milliseconds == LONGEST * 1000 {
            true => Some(5 + random.below(145)),
            false => None,
        };
        let time = format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
        let mut words = vec!["verify".to_owned(), model.display().to_string()];
        words.extend(["--strategy".into(), strategy, "--certify".into(), check]);
        words.extend(["--time".into(), time]);
        if let Some(megabytes) = megabytes {
            words.extend(["--memory".into(), format!("{megabytes}M")]);
        }
        let memory = megabytes.map(|megabytes| megabytes << 20);
        Self { words, time: Some(Duration::from_millis(milliseconds)), memory }
    }

    fn run(&self, program: &Path) -> std::io::Result<Seen> {
        let mut command = Command::new(program);
        command.args(&self.words).stdout(Stdio::piped()).stderr(Stdio::null());
        let begun = Instant::now();
        let mut child = command.spawn()?;
        let mut most = 0;
        while child.try_wait()?.is_none() {
            most = most.max(held_with_children(child.id()));
            thread::sleep(PERIOD);
        }
        let took = begun.elapsed();
        // The limit applies to each query of a model separately.
        let answer = text_of(&mut child);
        let is_answer = |line: &&str| line.split_whitespace().next().is_some_and(is_number);
        let queries = answer.lines().filter(is_answer).count().max(1) as u32;
        let late = self.time.map_or(Duration::ZERO, |time| took.saturating_sub(time * queries));
        let beyond = self.memory.map_or(0, |memory| most.saturating_sub(memory));
        let last = answer.lines().last().unwrap_or("no answer").to_owned();
        Ok(Seen { late, beyond, answer: last })
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn text_of(child: &mut Child) -> String {
    use std::io::Read;
    let mut text = String::new();
    if let Some(out) = &mut child.stdout {
        let _ = out.read_to_string(&mut text);
    }
    text
}

/// The resident memory of a process and its children.
fn held_with_children(process: u32) -> u64 {
    let folder = format!("/proc/{process}");
    let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let own = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    let tasks = fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children = children
        .flat_map(|text| text.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>());
    own.unwrap_or(0) * 1024 + children.map(held_with_children).sum::<u64>()
}

/// Random numbers with a seed (xorshift, after G. Marsaglia, DOI 10.18637/jss.v008.i14).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        (x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_pairs() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let given = options(&words("--runs 7 --seed 9")).expect("two options");
        assert_eq!((given.runs, given.seed, given.program), (7, 9, None));
        assert!(options(&words("--runs")).is_none());
        assert!(options(&words("--hurry 3")).is_none());
    }

    #[test]
    fn limits_are_the_same_for_the_same_seed() {
        let models = [PathBuf::from("a.xta"), PathBuf::from("b.xta")];
        let words = || {
            let mut random = Random(3);
            (0..20).map(|_| Trial::new(&models, &mut random).words).collect::<Vec<_>>()
        };
        let first = words();
        assert_eq!(first, words());
        assert!(first.iter().any(|words| words.contains(&"--memory".to_owned())));
        assert!(first.iter().any(|words| !words.contains(&"--memory".to_owned())));
    }
}
