//! `zonaut certify`: checks a certificate.
//!
//! The check runs in a separate process, as for `zonaut verify`, so that limits on time and memory
//! can stop it at any point. The limits begin with the command: loading the model counts.

use crate::arguments::CertifyArguments;
use crate::certified_answer::checker;
use crate::loading::{read, with_problems_shown, within};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::Arc;
use zonaut_certification::{
    CheckResult, CheckedFiles, CheckerAnswer, Patience, Statement, core_file,
};
use zonaut_console::{Console, Interrupt, Status, one_line, wants_old_syntax};
use zonaut_engine::{QueryKind, QuerySource, Resources, StopReason, default_memory_limit};

/// The JSON object of a check.
#[derive(Serialize)]
struct Record<'a> {
    answer: &'static str,
    formula: &'a str,
    /// The claim of an accepted certificate.
    verdict: Option<&'static str>,
    kind: Option<&'a str>,
    /// The number of its nodes, or of its delays and transitions.
    size: Option<usize>,
    /// The values that it proves, by the expressions of the query, such as `>=2 <5`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    /// The minimal cost that it proves.
    cost: Option<i64>,
    /// Whether some run attains the cost.
    attained: Option<bool>,
    /// The cost measure.
    measure: Option<&'a str>,
    reason: Option<&'a str>,
}

/// The header of a certificate.
struct Opening {
    /// The formula that it names.
    formula: Option<String>,
    /// Whether it claims a minimal cost.
    is_of_cost: bool,
}

pub(crate) fn run(arguments: &CertifyArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let resources = Resources {
        time: arguments.time,
        memory: arguments.memory.or_else(default_memory_limit).map(|bytes| bytes as usize),
        ..Resources::default()
    };
    let interrupt = Interrupt::watch(&resources.cancelled);
    let patience = Patience::of(&resources);
    let Some(opening) = open_certificate(arguments, console) else {
        return Ok(Status::WrongInput);
    };
    let options = arguments.limits.options(arguments.define.clone(), wants_old_syntax());
    let mut options = within(options, &resources);
    options.resources.cancelled = Arc::clone(&resources.cancelled);
    let source = match (&arguments.query, arguments.query_index, opening.formula) {
        (Some(formula), _, _) => QuerySource::Formulas(vec![formula.clone()]),
        (None, None, Some(formula)) => QuerySource::Formulas(vec![formula]),
        _ => QuerySource::WithModel,
    };
    let loaded = match with_problems_shown(read(&arguments.model, &source, &options), console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(interrupt.status().unwrap_or(status)),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let index = arguments.query_index.unwrap_or(1);
    let Some((id, query)) = session.queries().find(|(_, query)| query.index == index) else {
        console.complain(&format!("error: there is no query {index}"));
        console.complain("  = help: give the formula that the certificate is about with -q");
        return Ok(Status::WrongInput);
    };
    if query.kind == QueryKind::Damaged {
        return Ok(Status::WrongInput);
    }
    let core = match opening.is_of_cost {
        true => session.core_text_of_cost(id, arguments.rates),
        false => session.core_text(Some(id)),
    };
    let outcome = match checked(arguments, &core, &patience) {
        Ok(CheckResult::Answered(answer)) => answer,
        Ok(CheckResult::Stopped(StopReason::Cancelled)) => {
            return Ok(interrupt.status().unwrap_or(Status::Undecided));
        }
        Ok(CheckResult::Stopped(why)) => CheckerAnswer::Undecided { reason: why.to_string() },
        Ok(CheckResult::NoAnswer) => {
            console.complain("error: the checker cannot be run: it has no answer");
            return Ok(Status::Undecided);
        }
        Err(error) => {
            console.complain(&format!("error: the checker cannot be run: {error}"));
            return Ok(Status::Undecided);
        }
    };
    if let CheckerAnswer::Unreadable { reason } = &outcome {
        complain_unreadable(arguments, reason, console);
        return Ok(Status::WrongInput);
    }
    if arguments.json {
        serde_json::to_writer(&mut *console.out, &Record::of(&query.text, &outcome))?;
        writeln!(console.out)?;
    } else {
        let answer = match &outcome {
            CheckerAnswer::Accepted(proof) => proof.text.clone(),
            CheckerAnswer::Undecided { reason } => format!("undecided: {reason}"),
            CheckerAnswer::Rejected { reason }
            | CheckerAnswer::Malformed { reason }
            | CheckerAnswer::WrongModel { reason }
            | CheckerAnswer::Unreadable { reason } => reason.clone(),
        };
        writeln!(console.out, "{}", one_line(&answer))?;
        writeln!(console.out, "  about {}", one_line(&query.text))?;
    }
    Ok(match outcome {
        CheckerAnswer::Accepted(_) => Status::Success,
        CheckerAnswer::Rejected { .. } => Status::Bug,
        CheckerAnswer::Malformed { .. }
        | CheckerAnswer::WrongModel { .. }
        | CheckerAnswer::Unreadable { .. } => Status::WrongInput,
        CheckerAnswer::Undecided { .. } => Status::Undecided,
    })
}

/// Checks the certificate against a core text, within the limits.
fn checked(
    arguments: &CertifyArguments,
    core: &str,
    patience: &Patience,
) -> io::Result<CheckResult> {
    let core = core_file(core)?;
    let files = CheckedFiles {
        core: core.to_path_buf(),
        certificate: arguments.certificate.clone(),
        max_file_size: Some(arguments.limits.max_file_size()),
    };
    Ok(checker().check(&files, patience)?.result)
}

/// Reads the header of the certificate; reports an error if it cannot be read or is too large.
fn open_certificate(arguments: &CertifyArguments, console: &mut Console<'_>) -> Option<Opening> {
    /// An upper bound of the length of the header.
    const BEGINNING: u64 = 1 << 20;
    let path = &arguments.certificate;
    let most = arguments.limits.max_file_size();
    // Checked before opening: opening a pipe blocks until it has a writer.
    let beginning = fs::metadata(path).and_then(|metadata| {
        if !metadata.is_file() {
            return Err(io::Error::other("this is not a regular file"));
        }
        if metadata.len() > most {
            return Err(io::Error::other(format!("it has more than {most} bytes")));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(BEGINNING).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    });
    match beginning {
        Ok(text) => Some(Opening {
            formula: named_query(&text).map(str::to_owned),
            is_of_cost: text.lines().take(8).any(|line| line == "kind mincost"),
        }),
        Err(error) => {
            complain_unreadable(arguments, &error.to_string(), console);
            None
        }
    }
}

fn complain_unreadable(arguments: &CertifyArguments, why: &str, console: &mut Console<'_>) {
    let shown = one_line(&arguments.certificate.display().to_string());
    console.complain(&format!("error: `{shown}` cannot be read: {}", one_line(why)));
}

/// The formula that a certificate names.
fn named_query(certificate: &str) -> Option<&str> {
    // It is in the header; the rest can be long.
    let mut lines = certificate.lines().take(8);
    let words = lines.find_map(|line| line.strip_prefix("query "))?;
    let (_, quoted) = words.split_once(' ')?;
    quoted.strip_prefix('"')?.strip_suffix('"')
}

impl<'a> Record<'a> {
    fn of(formula: &'a str, outcome: &'a CheckerAnswer) -> Self {
        let answer = match outcome {
            CheckerAnswer::Accepted(_) => "accepted",
            CheckerAnswer::Rejected { .. } => "rejected",
            CheckerAnswer::Malformed { .. } | CheckerAnswer::Unreadable { .. } => "malformed",
            CheckerAnswer::WrongModel { .. } => "wrong_model",
            CheckerAnswer::Undecided { .. } => "undecided",
        };
        let (proof, reason) = match outcome {
            CheckerAnswer::Accepted(proof) => (Some(proof), None),
            CheckerAnswer::Rejected { reason }
            | CheckerAnswer::Malformed { reason }
            | CheckerAnswer::WrongModel { reason }
            | CheckerAnswer::Undecided { reason }
            | CheckerAnswer::Unreadable { reason } => (None, Some(reason.as_str())),
        };
        let (verdict, cost) = match proof.map(|proof| proof.claim.statement) {
            None => (None, None),
            Some(Statement::Satisfied) => (Some("satisfied"), None),
            Some(Statement::NotSatisfied) => (Some("not_satisfied"), None),
            Some(Statement::Fails) => (Some("error"), None),
            Some(Statement::LeastCost(cost)) => (Some("optimal"), Some((cost, true))),
            Some(Statement::CostInfimum(cost)) => (Some("optimal"), Some((cost, false))),
        };
        Self {
            answer,
            formula,
            verdict,
            kind: proof.map(|proof| proof.kind.as_str()),
            size: proof.map(|proof| proof.size),
            values: proof.map_or_else(Vec::new, |proof| {
                proof.claim.values.iter().map(ToString::to_string).collect()
            }),
            cost: cost.map(|(cost, _)| cost),
            attained: cost.map(|(_, is_attained)| is_attained),
            measure: proof.and_then(|proof| proof.measure.as_deref()),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_names_its_formula_between_quotes() {
        let check =
            |line: &str| named_query(&format!("tacert 1\nkind reach\n{line}\n")).map(str::to_owned);
        assert_eq!(check("query 1 \"E<> P.a\"").as_deref(), Some("E<> P.a"));
        assert_eq!(check("query 1 \"E<> \"x\"\"").as_deref(), Some("E<> \"x\""));
        for line in ["query", "query 1", "query 1 E<> P.a", "query 1 \"", "tool zonaut"] {
            assert_eq!(check(line), None, "{line}");
        }
    }
}
