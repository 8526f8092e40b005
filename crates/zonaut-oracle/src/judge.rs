//! Judgement of answers about random networks, by whichever oracle is exact for the network.

use crate::oracle::{Answer, Limits, Verdict, integer_time, region};
use crate::specification::Specification;
use std::fmt;
use zonaut_base::Id;
use zonaut_model::{Model, QueryId, QueryKind};

/// An answer to the query of a specification, as `E<> goal`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The goal is reachable.
    Reachable {
        /// The claimed minimal number of actions, if any.
        shortest: Option<u32>,
    },
    /// Neither the goal nor a run-time error is reachable.
    Unreachable,
    /// A run-time error is reachable.
    Failed,
}

/// The judgement of a claim by the oracles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It is right.
    Right,
    /// No oracle could decide it.
    Undecided,
    /// It is wrong.
    Wrong(Contradiction),
}

/// The refutation of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The oracle that refutes it.
    pub oracle: &'static str,
    /// The refuted claim.
    pub claim: Claim,
    /// The answer of the oracle.
    pub answer: Box<Answer>,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answer { goal, failure, .. } = &*self.answer;
        write!(f, "claimed {:?}; by {} the goal is at {goal:?}", self.claim, self.oracle)?;
        match failure {
            Some(failure) => write!(f, " and an error at {}", failure.actions),
            None => Ok(()),
        }
    }
}

/// Compares a claim about a specification with the oracles.
#[must_use]
pub fn judge(specification: &Specification, claim: Claim, limits: Limits) -> Judgement {
    let model = specification.to_model();
    judge_query(&model, &model.queries[QueryId::from_index(0)].kind, claim, limits)
}

/// Compares a claim about a query of a model with the oracles.
#[must_use]
pub fn judge_query(model: &Model, query: &QueryKind, claim: Claim, limits: Limits) -> Judgement {
    match truth(model, query, limits) {
        None => Judgement::Undecided,
        Some((_, answer)) if claim.agrees_with(&answer) => Judgement::Right,
        Some((oracle, answer)) => {
            Judgement::Wrong(Contradiction { oracle, claim, answer: Box::new(answer) })
        }
    }
}

/// The true answer to a query, and the oracle that found it. Errors behind the goal are included:
/// the search order decides which of the two is met first.
#[must_use]
pub fn truth(model: &Model, query: &QueryKind, limits: Limits) -> Option<(&'static str, Answer)> {
    let limits = Limits { complete: true, ..limits };
    if let Verdict::Decided(answer) = region(model, query, limits) {
        return Some(("regions", answer));
    }
    match integer_time(model, query, limits) {
        Verdict::Decided(answer) => Some(("integer time", answer)),
        Verdict::Refused(_) | Verdict::TooLarge => None,
    }
}

impl Claim {
    /// Whether the claim is right if the answer is.
    #[must_use]
    pub fn agrees_with(self, answer: &Answer) -> bool {
        match self {
            Self::Reachable { shortest: None } => answer.goal.is_some(),
            Self::Reachable { shortest } => answer.goal == shortest,
            Self::Unreachable => answer.goal.is_none() && answer.failure.is_none(),
            Self::Failed => answer.failure.is_some(),
        }
    }

    /// Whether two claims about one query can both be right: if a goal and an error are both
    /// reachable, the search order decides which is met first.
    #[must_use]
    pub fn is_compatible_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Reachable { shortest: Some(a) }, Self::Reachable { shortest: Some(b) }) => {
                a == b
            }
            (Self::Unreachable, Self::Unreachable) => true,
            (Self::Unreachable, _) | (_, Self::Unreachable) => false,
            (Self::Reachable { .. } | Self::Failed, Self::Reachable { .. } | Self::Failed) => true,
        }
    }
}
