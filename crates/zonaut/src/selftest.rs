//! `zonaut selftest`: tests the installation.
//!
//! Three parts, each with answers that the independent checker has to accept: models of the
//! built-in families with known numbers of states, the pitfalls of `docs/SEMANTICS.md` with known
//! verdicts, and random networks that are answered twice.

mod family;
mod pitfall;
mod random_network;

use std::io;
use zonaut_certify::{Claim, Limits, check};
use zonaut_console::{Console, Status};
use zonaut_engine::{
    Abstraction, Answer, CertificateRequest, LoadOptions, Loaded, OptimizeOptions, QueryId,
    Session, Task, Unwritten, Verdict, VerifyOptions, WithCertificate, load_text,
};

/// All abstractions but exact zones, with which a search may not terminate.
const ABSTRACTIONS: [Abstraction; 4] = [
    Abstraction::Maximum,
    Abstraction::LowerUpper,
    Abstraction::LowerUpperPlus,
    Abstraction::Simulation,
];

/// The results of a part of the test.
#[derive(Default)]
struct Findings {
    /// The number of answers.
    answers: usize,
    /// All failures.
    problems: Vec<String>,
}

pub(crate) fn run(console: &mut Console<'_>) -> io::Result<Status> {
    let mut problems = 0;
    for example in &family::EXAMPLES {
        problems += report(console, &example.name(), &example.examine())?;
    }
    problems += report(console, "pitfalls", &pitfall::examine())?;
    let name = format!("{} random networks", random_network::COUNT);
    problems += report(console, &name, &random_network::examine())?;
    if problems == 0 {
        writeln!(console.out, "passed: every verdict is correct and certified")?;
        return Ok(Status::Success);
    }
    console.complain("error: this installation gives wrong verdicts; please report it");
    Ok(Status::Bug)
}

/// Prints the result of a part. Returns the number of its failures.
fn report(console: &mut Console<'_>, name: &str, findings: &Findings) -> io::Result<usize> {
    let Findings { answers, problems } = findings;
    let result = if problems.is_empty() { "ok" } else { "WRONG" };
    writeln!(console.out, "{name:<30} {result:<6} {answers} answers")?;
    console.out.flush()?;
    for problem in problems {
        console.complain(&format!("error: {name}: {problem}"));
    }
    Ok(problems.len())
}

fn loaded(text: &str) -> Loaded {
    load_text("selftest.xta", text, &LoadOptions::default())
}

/// The minimal cost of a run to the goal of a query, as text.
///
/// # Errors
/// The reason why it is unknown, or not certified.
fn certified_cost(session: &Session, query: QueryId) -> Result<String, String> {
    let options = OptimizeOptions::default();
    let task = Task::optimize(session, query, &options);
    let task = task.map_err(|why| format!("refused: {why:?}"))?;
    let running =
        task.start_with_certificate(CertificateRequest { sink: Vec::new(), closing: None });
    let WithCertificate { result: found, sink: certificate } =
        running.join().map_err(|panicked| panicked.to_string())?;
    let cost = found.cost();
    let (claim, cost) = match (&found.verdict, cost) {
        (Verdict::NotSatisfied, None) => (Claim::NotSatisfied, "unreachable".to_owned()),
        (Verdict::Satisfied, Some(cost)) => {
            let value = cost.value();
            let is_attained = cost.is_attained();
            let claim =
                if is_attained { Claim::LeastCost(value) } else { Claim::CostInfimum(value) };
            (claim, cost.to_string())
        }
        other => return Err(format!("{other:?}")),
    };
    match &found.certificate {
        Some(Ok(())) => {}
        // Some answers have no certificates yet, and report that.
        Some(Err(Unwritten::NoSuchKind(_))) => return Ok(cost),
        why => return Err(format!("{cost}, uncertified: {why:?}")),
    }
    let core = session.core_text_of_answer(query, &found);
    match check(&core, &certificate, &Limits::default()) {
        Ok(accepted) if accepted.claim == claim => Ok(cost),
        other => Err(format!("{cost}, uncertified: {other:?}")),
    }
}

/// The answer to a query.
///
/// # Errors
/// The reason why it is not certified.
fn certified(session: &Session, query: QueryId, options: &VerifyOptions) -> Result<Answer, String> {
    let request = CertificateRequest { sink: Vec::new(), closing: None };
    let running = session.start_verify_with_certificate(query, options, request);
    let answered = running.join().map_err(|panicked| panicked.to_string())?;
    let WithCertificate { result: answer, sink: certificate } = answered;
    let verdict = answer.verdict.name();
    let uncertified = |why: &str| format!("{verdict}, uncertified: {why}");
    let claim = match answer.verdict {
        Verdict::Satisfied => Claim::Satisfied,
        Verdict::NotSatisfied => Claim::NotSatisfied,
        Verdict::Error(_) => Claim::Fails,
        _ => return Ok(answer),
    };
    // Some answers have no certificates yet, and report that.
    if let Some(Err(Unwritten::NoSuchKind(_))) = answer.certificate {
        return Ok(answer);
    }
    match check(&session.core_text(Some(query)), &certificate, &Limits::default()) {
        Ok(accepted) if accepted.claim == claim => Ok(answer),
        Ok(accepted) => Err(uncertified(&accepted.to_string())),
        Err(refusal) => Err(uncertified(&refusal.to_string())),
    }
}
