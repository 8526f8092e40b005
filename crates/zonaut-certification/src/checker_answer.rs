//! Answers of the checker, as they pass from its process to the one that started it.

use crate::claim::{Claim, ValueRange};
use serde::{Deserialize, Serialize};
use zonaut_certify::{Accepted, Kind, MeasureKind, Refusal};

/// The checker's answer about a certificate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum CheckerAnswer {
    /// The certificate proves a claim.
    Accepted(Proof),
    /// The certificate does not prove its claim.
    Rejected {
        /// The reason.
        reason: String,
    },
    /// One of the texts is malformed.
    Malformed {
        /// The reason, with the line.
        reason: String,
    },
    /// The certificate is about another model or query.
    WrongModel {
        /// The reason.
        reason: String,
    },
    /// The checker does not support the certificate, or a limit was reached.
    Undecided {
        /// The reason.
        reason: String,
    },
    /// A file cannot be read.
    Unreadable {
        /// The reason.
        reason: String,
    },
}

/// An accepted certificate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// The proven claim.
    pub claim: Claim,
    /// The kind of certificate, as in its header.
    pub kind: String,
    /// The number of its nodes, or of its delays and transitions.
    pub size: usize,
    /// The cost measure, if a cost is proven.
    pub measure: Option<String>,
    /// A description.
    pub text: String,
}

impl From<Result<Accepted, Refusal>> for CheckerAnswer {
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

impl From<Accepted> for Proof {
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
            claim: Claim {
                statement: accepted.claim.into(),
                values: accepted.values.iter().map(ValueRange::from).collect(),
            },
            kind: kind.to_owned(),
            size: accepted.size,
            measure: accepted.measure.map(|measure| MeasureKind::name(measure).to_owned()),
            text: accepted.to_string(),
        }
    }
}
