//! Whether an answer about a random network is right, by whichever oracle can tell.

use crate::oracle::{Answer, Limits, Verdict, integer_time, region};
use crate::specification::Specification;
use std::fmt;
use zonaut_base::Id;
use zonaut_model::{Model, QueryId, QueryKind};

/// An answer to the query of a specification, as `E<> goal`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The goal can be reached.
    Reachable {
        /// By this many actions and no fewer, where that is claimed, too.
        shortest: Option<u32>,
    },
    /// The goal cannot be reached, and no run-time error either.
    Unreachable,
    /// A run-time error can be reached.
    Failed,
}

/// What the oracles say about a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It is right.
    Right,
    /// No oracle could tell.
    Undecided,
    /// It is wrong.
    Wrong(Contradiction),
}

/// Why a claim is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The oracle that says so.
    pub oracle: &'static str,
    /// What was claimed.
    pub claim: Claim,
    /// What the oracle found.
    pub answer: Answer,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answer { goal, failure, .. } = &self.answer;
        write!(f, "claimed {:?}; by {} the goal is at {goal:?}", self.claim, self.oracle)?;
        match failure {
            Some(failure) => write!(f, " and an error at {}", failure.actions),
            None => Ok(()),
        }
    }
}

/// Compares a claim about a specification with the oracles.
///
/// Regions decide everything without clock differences, and integer time what is closed. For open
/// models with clock differences a grid is used, which is exact for runs of bounded length: it
/// confirms or refutes every claim of a shortest length, and can refute, but not confirm, that a
/// goal is unreachable.
#[must_use]
pub fn judge(specification: &Specification, claim: Claim, limits: Limits) -> Judgement {
    let model = specification.to_model();
    judge_exactly(&model, query(&model), claim, limits).unwrap_or_else(|| {
        let slots = match claim {
            Claim::Reachable { shortest: Some(actions) } => actions as i32 + 2,
            _ => 4,
        };
        let Some(grid) = specification.on_grid(slots) else { return Judgement::Undecided };
        let model = grid.to_model();
        let Verdict::Decided(answer) = integer_time(&model, query(&model), limits) else {
            return Judgement::Undecided;
        };
        judge_by_grid(claim, answer)
    })
}

/// Compares a claim about a query of a model with the oracles that decide it; `None` where none
/// does.
#[must_use]
pub fn judge_exactly(
    model: &Model,
    query: &QueryKind,
    claim: Claim,
    limits: Limits,
) -> Option<Judgement> {
    // Errors count behind the goal as well: which one is met first depends on the order of search.
    let limits = Limits { complete: true, ..limits };
    let (oracle, answer) = match region(model, query, limits) {
        Verdict::Decided(answer) => ("regions", answer),
        _ => match integer_time(model, query, limits) {
            Verdict::Decided(answer) => ("integer time", answer),
            _ => return None,
        },
    };
    let is_right = match claim {
        Claim::Reachable { shortest: None } => answer.goal.is_some(),
        Claim::Reachable { shortest } => answer.goal == shortest,
        Claim::Unreachable => answer.goal.is_none() && answer.failure.is_none(),
        Claim::Failed => answer.failure.is_some(),
    };
    Some(judgement(is_right, Contradiction { oracle, claim, answer }))
}

fn judge_by_grid(claim: Claim, answer: Answer) -> Judgement {
    let found = answer.goal.is_some() || answer.failure.is_some();
    let is_right = match claim {
        Claim::Reachable { shortest: Some(actions) } => answer.goal == Some(actions),
        Claim::Reachable { shortest: None } if answer.goal.is_some() => true,
        Claim::Failed if answer.failure.is_some() => true,
        Claim::Unreachable if found => false,
        Claim::Reachable { .. } | Claim::Failed | Claim::Unreachable => {
            return Judgement::Undecided;
        }
    };
    judgement(is_right, Contradiction { oracle: "integer time on a grid", claim, answer })
}

fn judgement(is_right: bool, contradiction: Contradiction) -> Judgement {
    if is_right { Judgement::Right } else { Judgement::Wrong(contradiction) }
}

fn query(model: &Model) -> &QueryKind {
    &model.queries[QueryId::from_index(0)].kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Stratum, generate_in};

    /// How many claims are judged right, wrong and not at all.
    fn check(stratum: Stratum, claim: Claim) -> [usize; 3] {
        let mut counts = [0; 3];
        for seed in 0..200 {
            match judge(&generate_in(stratum, seed), claim, Limits::default()) {
                Judgement::Right => counts[0] += 1,
                Judgement::Wrong(_) => counts[1] += 1,
                Judgement::Undecided => counts[2] += 1,
            }
        }
        counts
    }

    #[test]
    fn without_differences_opposite_claims_are_judged_oppositely() {
        for stratum in [Stratum::Open, Stratum::Broadcast, Stratum::UrgentChannels] {
            let [reachable, not_reachable, undecided] =
                check(stratum, Claim::Reachable { shortest: None });
            let [unreachable, not_unreachable, _] = check(stratum, Claim::Unreachable);
            assert!(undecided < 10);
            assert!(reachable <= not_unreachable && unreachable <= not_reachable);
            assert!(reachable > 50 && unreachable > 50);
        }
    }

    #[test]
    fn with_differences_most_claims_are_judged() {
        let [_, wrong, undecided] = check(Stratum::Diagonal, Claim::Unreachable);
        assert!(wrong > 50 && undecided < 100, "{wrong} wrong, {undecided} undecided");
    }

    #[test]
    fn a_wrong_shortest_length_is_noticed() {
        let mut noticed = 0;
        for seed in 0..100 {
            let specification = generate_in(Stratum::Diagonal, seed);
            for actions in 0..6 {
                let claim = Claim::Reachable { shortest: Some(actions) };
                let other = Claim::Reachable { shortest: Some(actions + 1) };
                let limits = Limits::default();
                if judge(&specification, claim, limits) == Judgement::Right {
                    let judged = judge(&specification, other, limits);
                    assert!(matches!(judged, Judgement::Wrong(_) | Judgement::Undecided));
                    noticed += usize::from(judged != Judgement::Undecided);
                }
            }
        }
        assert!(noticed > 20);
    }
}
