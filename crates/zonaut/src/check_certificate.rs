//! The checker process of other commands. It is not a command for users: it exits when its standard
//! input closes, so that it never outlives its parent process.

use crate::arguments::CheckCertificateArguments;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::panic;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use zonaut_certify::{Accepted, Claim, Kind, Limits, MeasureKind, Refusal, check};
use zonaut_console::{Console, Status};

/// The checker's result, as it passes between the processes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The certificate proves a claim.
    Accepted(Shown),
    /// The certificate does not prove its claim.
    Rejected { reason: String },
    /// One of the texts is malformed.
    Malformed { reason: String },
    /// The certificate is about another model or query.
    WrongModel { reason: String },
    /// The checker does not support it, or a limit was reached.
    Undecided { reason: String },
    /// A file cannot be read.
    Unreadable { reason: String },
}

/// The claim of an accepted certificate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) claim: ShownClaim,
    /// The kind of certificate.
    pub(crate) kind: String,
    /// The number of its nodes, or of its delays and transitions.
    pub(crate) size: usize,
    /// The values, by the expressions of the query, such as `>=2 <5`.
    pub(crate) values: Vec<String>,
    /// The cost measure, if a cost is proven.
    pub(crate) measure: Option<String>,
    /// The checker's output as text.
    pub(crate) text: String,
}

/// A claim about the query of a core text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ShownClaim {
    Satisfied,
    NotSatisfied,
    Fails,
    LeastCost(i64),
    CostInfimum(i64),
}

impl From<Claim> for ShownClaim {
    fn from(claim: Claim) -> Self {
        match claim {
            Claim::Satisfied => Self::Satisfied,
            Claim::NotSatisfied => Self::NotSatisfied,
            Claim::Fails => Self::Fails,
            Claim::LeastCost(cost) => Self::LeastCost(cost),
            Claim::CostInfimum(cost) => Self::CostInfimum(cost),
        }
    }
}

impl From<Result<Accepted, Refusal>> for Outcome {
    fn from(checked: Result<Accepted, Refusal>) -> Self {
        let refusal = match checked {
            Ok(accepted) => return Self::Accepted(accepted.into()),
            Err(refusal) => refusal,
        };
        let reason = refusal.to_string();
        match refusal {
            Refusal::Rejected(_) => Self::Rejected { reason },
            Refusal::Undecided(reason) => Self::Undecided { reason },
            Refusal::Malformed { .. } => Self::Malformed { reason },
            Refusal::WrongModel { .. } => Self::WrongModel { reason },
        }
    }
}

impl From<Accepted> for Shown {
    fn from(accepted: Accepted) -> Self {
        let kind = match accepted.kind {
            Kind::Reach => "reach",
            Kind::Unreach => "unreach",
            Kind::Deadlock => "deadlock",
            Kind::NoDeadlock => "nodeadlock",
            Kind::Lasso => "lasso",
            Kind::Live => "live",
            Kind::Values => "values",
            Kind::MinCost => "mincost",
        };
        Self {
            claim: accepted.claim.into(),
            kind: kind.to_owned(),
            size: accepted.size,
            values: accepted.values.iter().map(ToString::to_string).collect(),
            measure: accepted.measure.map(|measure| MeasureKind::name(measure).to_owned()),
            text: accepted.to_string(),
        }
    }
}

pub(crate) fn run(
    arguments: &CheckCertificateArguments,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let (answer, answers) = mpsc::channel();
    let orphaned = answer.clone();
    thread::Builder::new().spawn(move || {
        let mut byte = [0];
        while io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {}
        let _ = orphaned.send(None);
    })?;
    let (core, certificate) = (arguments.core.clone(), arguments.certificate.clone());
    let most = arguments.max_file_size;
    thread::Builder::new().spawn(move || {
        // A checker that panics has no result; the parent process must not wait for one.
        let _ = answer.send(panic::catch_unwind(|| outcome(&core, &certificate, most)).ok());
    })?;
    match answers.recv() {
        Ok(Some(outcome)) => {
            serde_json::to_writer(&mut *console.out, &outcome)?;
            writeln!(console.out)?;
            Ok(Status::Success)
        }
        _ => Ok(Status::Undecided),
    }
}

/// The checker's result for the certificate.
fn outcome(core: &Path, certificate: &Path, most: Option<u64>) -> Outcome {
    match (read(core, None), read(certificate, most)) {
        (Ok(core), Ok(certificate)) => check(&core, &certificate, &Limits::default()).into(),
        (Err(error), _) | (_, Err(error)) => Outcome::Unreadable { reason: error.to_string() },
    }
}

/// The text of a file with at most this many bytes.
fn read(path: &Path, most: Option<u64>) -> io::Result<String> {
    let mut bytes = Vec::new();
    let most = most.unwrap_or(u64::MAX);
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(io::Error::other)
}
