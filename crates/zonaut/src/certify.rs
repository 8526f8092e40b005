//! `zonaut certify`: a certificate, checked.

use crate::arguments::CertifyArguments;
use crate::loading::with_problems_shown;
use serde::Serialize;
use std::fs;
use std::io;
use zonaut_certify::{Accepted, Claim, Kind, Limits, Refusal, check};
use zonaut_console::{Console, Status, one_line, wants_old_syntax};
use zonaut_engine::{QueryKind, QuerySource, load};

/// The JSON object of a check.
#[derive(Serialize)]
struct Record<'a> {
    answer: &'static str,
    formula: &'a str,
    /// What an accepted certificate shows.
    verdict: Option<&'static str>,
    kind: Option<&'static str>,
    /// How many nodes, or delays and transitions, it has.
    size: Option<usize>,
    /// The values that it shows, by the expressions of the query, such as `>=2 <5`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    reason: Option<String>,
}

pub(crate) fn run(arguments: &CertifyArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(certificate) = read_certificate(arguments, console) else {
        return Ok(Status::WrongInput);
    };
    let options = arguments.limits.options(arguments.define.clone(), wants_old_syntax());
    let source = match (&arguments.query, arguments.query_index, named_query(&certificate)) {
        (Some(formula), _, _) => QuerySource::Formulas(vec![formula.clone()]),
        (None, None, Some(formula)) => QuerySource::Formulas(vec![formula.to_owned()]),
        _ => QuerySource::WithModel,
    };
    let loaded = match with_problems_shown(load(&arguments.model, &source, &options), console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
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
    let result = check(&session.core_text(Some(id)), &certificate, &Limits::default());
    if arguments.json {
        serde_json::to_writer(&mut *console.out, &record(&query.text, &result))?;
        writeln!(console.out)?;
    } else {
        let answer = match &result {
            Ok(accepted) => accepted.to_string(),
            Err(refusal) => refusal.to_string(),
        };
        writeln!(console.out, "{}", one_line(&answer))?;
        writeln!(console.out, "  about {}", one_line(&query.text))?;
    }
    Ok(match result {
        Ok(_) => Status::Success,
        Err(Refusal::Rejected(_)) => Status::Bug,
        Err(Refusal::Malformed { .. } | Refusal::WrongModel { .. }) => Status::WrongInput,
        Err(Refusal::Undecided(_)) => Status::Undecided,
    })
}

/// The text of the certificate; complains if there is none.
fn read_certificate(arguments: &CertifyArguments, console: &mut Console<'_>) -> Option<String> {
    let path = &arguments.certificate;
    // Asked before opening: opening a pipe waits for its writer.
    let is_file = fs::metadata(path).map(|metadata| metadata.is_file());
    let text = match is_file {
        Ok(true) => fs::read_to_string(path),
        Ok(false) => Err(io::Error::other("this is not a regular file")),
        Err(error) => Err(error),
    };
    match text {
        Ok(text) => Some(text),
        Err(error) => {
            let shown = one_line(&path.display().to_string());
            console.complain(&format!("error: `{shown}` cannot be read: {error}"));
            None
        }
    }
}

/// The formula that a certificate says it is about.
fn named_query(certificate: &str) -> Option<&str> {
    // It stands near the beginning; the rest can be long.
    let mut lines = certificate.lines().take(8);
    let words = lines.find_map(|line| line.strip_prefix("query "))?;
    let (_, quoted) = words.split_once(' ')?;
    quoted.strip_prefix('"')?.strip_suffix('"')
}

fn record<'a>(formula: &'a str, result: &Result<Accepted, Refusal>) -> Record<'a> {
    let (verdict, kind, size) = match result {
        Ok(accepted) => (
            Some(match accepted.claim {
                Claim::Satisfied => "satisfied",
                Claim::NotSatisfied => "not_satisfied",
                Claim::Fails => "error",
                Claim::LeastCost(_) | Claim::CostInfimum(_) => "optimal",
            }),
            Some(match accepted.kind {
                Kind::Reach => "reach",
                Kind::Unreach => "unreach",
                Kind::Deadlock => "deadlock",
                Kind::NoDeadlock => "nodeadlock",
                Kind::Lasso => "lasso",
                Kind::Live => "live",
                Kind::Values => "values",
                Kind::MinCost => "mincost",
            }),
            Some(accepted.size),
        ),
        Err(_) => (None, None, None),
    };
    let answer = match result {
        Ok(_) => "accepted",
        Err(Refusal::Rejected(_)) => "rejected",
        Err(Refusal::Malformed { .. }) => "malformed",
        Err(Refusal::WrongModel { .. }) => "wrong_model",
        Err(Refusal::Undecided(_)) => "undecided",
    };
    let reason = result.as_ref().err().map(ToString::to_string);
    let values = result.as_ref().map(|accepted| &accepted.values[..]).unwrap_or_default();
    let values = values.iter().map(ToString::to_string).collect();
    Record { answer, formula, verdict, kind, size, values, reason }
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
