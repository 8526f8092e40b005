//! The commands `verify` and `optimize` in this process: exit code, verdict, cost and attainment.
//!
//! The oracles determine which outcomes are right. The exit code of each outcome is taken from the
//! table of `docs/EXIT-CODES.md`, not from the program, so that a wrong code is a mistake even if
//! the answer is right.
//!
//! Most commands run without certification. A program that [can run the checker](run_checker) lets
//! one command in 64 certify its answer as usual.

use crate::differential::{Mistake, Tally};
use crate::judge::Claim;
use crate::oracle::Answer;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, fs, io};
use tempfile::TempDir;
use zonaut::Console;
use zonaut_model::QueryKind;

/// One command in this many certifies its answer.
const COMMANDS_FOR_CERTIFICATE: u64 = 64;

/// Whether this program is able to run the checker.
static RUNS_CHECKER: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The folder of the models of this thread.
    static FOLDER: io::Result<TempDir> = tempfile::Builder::new().prefix("zonaut-soak-").tempdir();
}

/// Runs the checker if that is the task of this process, and returns its exit code. A command that
/// certifies its answer starts its own program for that.
///
/// A program calls this function first; otherwise no command certifies anything.
pub fn run_checker() -> Option<u8> {
    let words: Vec<OsString> = std::env::args_os().collect();
    if words.get(1).is_none_or(|word| word != "check-certificate") {
        RUNS_CHECKER.store(true, Ordering::Relaxed);
        return None;
    }
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let mut console = Console::plain(&mut out, &mut err);
    Some(zonaut::run(&words, &mut console).code())
}

/// The format of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text.
    Xta,
    /// XML.
    Xml,
}

/// The input of a command.
#[derive(Clone, Copy, Debug)]
pub struct Input<'t> {
    /// The content of the model's file.
    pub model: &'t str,
    /// Its format.
    pub format: Format,
    /// The query; `None` if the file contains it.
    pub query: Option<&'t str>,
    /// The seed of the model, which selects the certified commands.
    pub seed: u64,
}

/// An outcome of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The query is satisfied.
    Satisfied,
    /// The query is not satisfied.
    NotSatisfied,
    /// The query has an error, or the model has no initial state.
    WrongInput,
    /// The query is undecided.
    Unknown,
    /// The model fails at run time.
    RunTimeError,
    /// The least cost is known.
    Least {
        /// The cost.
        cost: i64,
        /// Whether some run has this cost.
        is_attained: bool,
    },
    /// No run reaches the goal.
    Unreachable,
}

impl Outcome {
    /// The exit code by the documentation.
    fn code(self) -> u8 {
        match self {
            Self::Satisfied | Self::Least { .. } => 0,
            Self::NotSatisfied | Self::Unreachable => 1,
            Self::WrongInput => 2,
            Self::Unknown => 3,
            Self::RunTimeError => 5,
        }
    }

    /// The verdict in the JSON output.
    fn verdict(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::NotSatisfied => "not_satisfied",
            Self::WrongInput | Self::RunTimeError => "error",
            Self::Unknown => "unknown",
            Self::Least { .. } => "optimal",
            Self::Unreachable => "unreachable",
        }
    }

    /// Whether a row of the output has this outcome.
    fn is_in(self, row: &Row) -> bool {
        let is_same_cost = match self {
            Self::Least { cost, is_attained } => {
                row.cost == Some(cost) && row.attained == Some(is_attained)
            }
            Self::Unreachable => row.cost.is_none() && row.attained.is_none(),
            _ => true,
        };
        row.verdict == self.verdict() && is_same_cost
    }
}

/// A row of the JSON output; events before the result are skipped.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Row {
    /// The verdict.
    pub verdict: String,
    /// The cost of the best run.
    pub cost: Option<i64>,
    /// Whether that run has this cost.
    pub attained: Option<bool>,
    /// The lower bound of the cost.
    pub lower_bound: Option<i64>,
    /// Whether the checker accepted the certificate.
    pub certified: bool,
}

/// A command that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    /// The exit code.
    pub code: u8,
    /// The rows of the output.
    pub rows: Vec<Row>,
    /// The diagnostics.
    pub complaint: String,
}

/// A command whose exit code or output is wrong.
#[derive(Clone, Debug)]
pub struct WrongCommand {
    ended: Ended,
    expected: String,
}

impl fmt::Display for WrongCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ended { code, rows, complaint } = &self.ended;
        write!(f, "the command ends with exit code {code} and")?;
        rows.iter().try_for_each(|Row { verdict, cost, attained, .. }| {
            write!(f, " `{verdict}`")?;
            match cost {
                Some(cost) => write!(f, " (cost {cost}, attained {attained:?})"),
                None => Ok(()),
            }
        })?;
        let complaint = complaint.lines().find(|line| line.starts_with("error"));
        write!(f, ", but expected is {}; {}", self.expected, complaint.unwrap_or("no complaint"))
    }
}

impl Input<'_> {
    /// Runs `zonaut COMMAND` with JSON output.
    ///
    /// # Errors
    /// If the model's file cannot be written, or the output cannot be read.
    pub fn run(&self, command: &str, options: &[&str]) -> Result<Ended, String> {
        let file = self.written().map_err(|error| format!("the model's file: {error}"))?;
        let is_certified = RUNS_CHECKER.load(Ordering::Relaxed)
            && self.seed.is_multiple_of(COMMANDS_FOR_CERTIFICATE);
        let certify = if is_certified { "auto" } else { "never" };
        let mut words: Vec<OsString> =
            ["zonaut", command, "--json", "--certify", certify].map(OsString::from).into();
        words.extend(options.iter().map(OsString::from));
        // In one word: a query may start with a hyphen.
        words.extend(self.query.map(|query| OsString::from(format!("--query={query}"))));
        words.push(file.into());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::plain(&mut out, &mut err);
        let code = zonaut::run(&words, &mut console).code();
        let complaint = String::from_utf8_lossy(&err).into_owned();
        Ok(Ended { code, rows: rows(&out)?, complaint })
    }

    /// Writes the model's file, which replaces the previous one of this thread.
    fn written(&self) -> io::Result<PathBuf> {
        let name = match self.format {
            Format::Xta => "model.xta",
            Format::Xml => "model.xml",
        };
        let path = FOLDER.with(|folder| match folder {
            Ok(folder) => Ok(folder.path().join(name)),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        })?;
        fs::write(&path, self.model)?;
        Ok(path)
    }
}

/// The rows of a JSON output, without improvements of an optimisation.
fn rows(out: &[u8]) -> Result<Vec<Row>, String> {
    let values = serde_json::Deserializer::from_slice(out).into_iter::<serde_json::Value>();
    let mut rows = Vec::new();
    for value in values {
        let value = value.map_err(|error| format!("the output is no JSON: {error}"))?;
        if value.get("event").is_some_and(|event| event == "improvement") {
            continue;
        }
        let row = serde_json::from_value(value);
        rows.push(row.map_err(|error| format!("the output has a wrong row: {error}"))?);
    }
    Ok(rows)
}

/// Exit codes in the order in which one of several determines that of the command.
const PRECEDENCE: [u8; 6] = [4, 5, 2, 3, 1, 0];

/// The exit code of a command with these two.
fn worse(one: u8, other: u8) -> u8 {
    PRECEDENCE.into_iter().find(|code| [one, other].contains(code)).unwrap_or(one)
}

impl Ended {
    /// Requires one of the allowed outcomes in each row, and the exit code that they imply.
    ///
    /// # Errors
    /// If exit code or output differ.
    pub fn require(self, allowed: &[Vec<Outcome>]) -> Result<(), WrongCommand> {
        // The exit codes that the rows allow: an error in a row has one of two codes.
        let mut codes = vec![0];
        for (row, outcomes) in self.rows.iter().zip(allowed) {
            let shown = outcomes.iter().filter(|outcome| outcome.is_in(row));
            let shown: Vec<u8> = shown.map(|outcome| outcome.code()).collect();
            codes = codes.iter().flat_map(|&c| shown.iter().map(move |&d| worse(c, d))).collect();
        }
        match self.rows.len() == allowed.len() && codes.contains(&self.code) {
            true => Ok(()),
            false => Err(WrongCommand { ended: self, expected: format!("{allowed:?}") }),
        }
    }

    /// Requires the exit code of an outcome, and no rows.
    ///
    /// # Errors
    /// If exit code or output differ.
    pub fn require_refusal(self, outcome: Outcome) -> Result<(), WrongCommand> {
        match self.rows.is_empty() && self.code == outcome.code() {
            true => Ok(()),
            false => {
                let expected = format!("{outcome:?} without a row");
                Err(WrongCommand { ended: self, expected })
            }
        }
    }
}

/// The outcomes that an oracle allows for a query of the form `E<> goal` or `A[] not goal`. If a
/// goal and a run-time error are both reachable, the search order decides which is met first.
pub(crate) fn outcomes_by_oracle(query: &QueryKind, answer: &Answer) -> Vec<Outcome> {
    let claims = [Claim::Reachable { shortest: None }, Claim::Unreachable, Claim::Failed];
    let right = claims.into_iter().filter(|claim| claim.agrees_with(answer));
    right.map(|claim| outcome_of(query, claim)).collect()
}

/// The outcomes that are compatible with an answer of the engine.
pub(crate) fn outcomes_by_engine(query: &QueryKind, known: Claim) -> Vec<Outcome> {
    let claims = [Claim::Reachable { shortest: None }, Claim::Unreachable, Claim::Failed];
    let right = claims.into_iter().filter(|claim| claim.is_compatible_with(known));
    right.map(|claim| outcome_of(query, claim)).collect()
}

fn outcome_of(query: &QueryKind, claim: Claim) -> Outcome {
    match (query, claim) {
        (_, Claim::Failed) => Outcome::RunTimeError,
        (QueryKind::Possibly(_), Claim::Reachable { .. }) => Outcome::Satisfied,
        (QueryKind::Possibly(_), Claim::Unreachable) => Outcome::NotSatisfied,
        (_, Claim::Reachable { .. }) => Outcome::NotSatisfied,
        (_, Claim::Unreachable) => Outcome::Satisfied,
    }
}

impl Input<'_> {
    /// Runs `verify` and requires one of the allowed outcomes in each row; without any, the exit
    /// code of wrong input.
    ///
    /// # Errors
    /// If exit code or output differ.
    pub(crate) fn require_verdicts(
        &self,
        allowed: &[Vec<Outcome>],
        tally: &mut Tally,
    ) -> Result<(), Mistake> {
        let ended = self.run("verify", &[]).map_err(Mistake::Beyond)?;
        tally.count_command(&ended);
        let required = match allowed.is_empty() {
            true => ended.require_refusal(Outcome::WrongInput),
            false => ended.require(allowed),
        };
        required.map_err(|wrong| Mistake::Command(Box::new(wrong)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "clock x; int[0,3] v;\nprocess P() { state a { x <= 4 }, b, c; init a;\n\
                         trans a -> b { guard x >= 2; }, b -> c { guard x > 7; assign v = 3; }; }\n\
                         system P;\n";

    fn ended_with(model: &str, command: &str, query: &str) -> Ended {
        let input = Input { model, format: Format::Xta, query: Some(query), seed: 1 };
        input.run(command, &[]).expect("the command runs")
    }

    fn ended(command: &str, query: &str) -> Ended {
        ended_with(MODEL, command, query)
    }

    fn check(command: &str, query: &str, outcome: Outcome) {
        check_model(MODEL, command, query, outcome);
    }

    fn check_model(model: &str, command: &str, query: &str, outcome: Outcome) {
        let ended = ended_with(model, command, query);
        assert!(ended.clone().require(&[vec![outcome]]).is_ok(), "{query}: {ended:?}");
    }

    const TWO: Outcome = Outcome::Least { cost: 2, is_attained: true };

    #[test]
    fn every_outcome_has_its_exit_code() {
        check("verify", "E<> P.b", Outcome::Satisfied);
        check("verify", "A[] not P.b", Outcome::NotSatisfied);
        let failing = MODEL.replace("v = 3", "v = 4");
        check_model(&failing, "verify", "E<> P.c", Outcome::RunTimeError);
        check_model(&failing, "optimize", "E<> P.c", Outcome::RunTimeError);
        check("verify", "E<> P.\u{ac}b", Outcome::WrongInput);
        check("verify", "control: A<> P.b", Outcome::Unknown);
        check("optimize", "E<> P.b", TWO);
        check("optimize", "E<> P.a and P.b", Outcome::Unreachable);
        let open = Outcome::Least { cost: 7, is_attained: false };
        check("optimize", "E<> P.b and x > 7", open);
    }

    #[test]
    fn a_wrong_exit_code_verdict_cost_or_attainment_is_noticed() {
        let right = ended("optimize", "E<> P.b");
        let is_right = |ended: &Ended, outcome| ended.clone().require(&[vec![outcome]]).is_ok();
        assert!(is_right(&right, TWO));
        assert!(!is_right(&Ended { code: 1, ..right.clone() }, TWO));
        assert!(!is_right(&right, Outcome::Unreachable));
        assert!(!is_right(&right, Outcome::Least { cost: 3, is_attained: true }));
        assert!(!is_right(&right, Outcome::Least { cost: 2, is_attained: false }));
        assert!(right.clone().require(&[vec![TWO], vec![TWO]]).is_err());
        assert!(right.require_refusal(TWO).is_err());
        let satisfied = ended("verify", "E<> P.b");
        for code in [1, 2, 3, 4, 5, 130] {
            let wrong = Ended { code, ..satisfied.clone() };
            let mistake = wrong.require(&[vec![Outcome::Satisfied, Outcome::RunTimeError]]);
            let text = mistake.expect_err("the code is wrong").to_string();
            assert!(text.contains(&format!("exit code {code}")), "{text}");
        }
        // The code of a failing model, with the verdict of another outcome.
        assert!(!is_right(&Ended { code: 5, ..satisfied }, Outcome::RunTimeError));
    }

    /// The comparison once expected that the first of two queries is satisfied, although the model
    /// may fail.
    #[test]
    fn the_worst_of_several_rows_determines_the_exit_code() {
        let row = |verdict: &str| Row {
            verdict: verdict.to_owned(),
            cost: None,
            attained: None,
            lower_bound: None,
            certified: false,
        };
        let rows = vec![row("error"), row("error")];
        let may_fail = vec![Outcome::Satisfied, Outcome::RunTimeError];
        let allowed = [may_fail, vec![Outcome::WrongInput]];
        for code in 0..6 {
            let ended = Ended { code, rows: rows.clone(), complaint: String::new() };
            assert_eq!(ended.require(&allowed).is_ok(), code == 5, "{code}");
        }
        let rows = vec![row("satisfied"), row("error")];
        for code in 0..6 {
            let ended = Ended { code, rows: rows.clone(), complaint: String::new() };
            assert_eq!(ended.require(&allowed).is_ok(), code == 2, "{code}");
        }
    }
}
