//! Models of the built-in families, with known verdicts and numbers of states.

use super::{ABSTRACTIONS, Findings, certified, loaded};
use zonaut_engine::{Abstraction, Order, Session, Verdict, VerifyOptions};

/// A model of a family, with its known results.
pub(super) struct Example {
    family: &'static str,
    parameters: &'static [u32],
    /// The number of states that the first query stores, breadth first with the coarser
    /// extrapolation.
    stored: usize,
    /// Whether each query is satisfied.
    satisfied: &'static [bool],
}

pub(super) const EXAMPLES: [Example; 10] = [
    Example { family: "fischer", parameters: &[3], stored: 65, satisfied: &[true] },
    Example { family: "csmacd", parameters: &[3], stored: 70, satisfied: &[true, true] },
    Example { family: "fddi", parameters: &[3], stored: 56, satisfied: &[true] },
    Example { family: "critical-region", parameters: &[1], stored: 13, satisfied: &[true, true] },
    Example { family: "train-gate", parameters: &[2], stored: 56, satisfied: &[true, true] },
    Example { family: "leader-election", parameters: &[3], stored: 154, satisfied: &[true, false] },
    Example { family: "arbiter-tree", parameters: &[1], stored: 5, satisfied: &[true, true] },
    Example { family: "parallel", parameters: &[2], stored: 5, satisfied: &[true, true] },
    Example {
        family: "dining-philosophers",
        parameters: &[2],
        stored: 11,
        satisfied: &[true, true],
    },
    Example { family: "fireflies", parameters: &[3], stored: 25, satisfied: &[true, true] },
];

impl Example {
    pub(super) fn name(&self) -> String {
        format!("{} {:?}", self.family, self.parameters)
    }

    /// Answers its queries in every order and with every abstraction.
    pub(super) fn examine(&self) -> Findings {
        let mut findings = Findings::default();
        let family = zonaut_families::find(self.family);
        let Some(Ok(generated)) = family.map(|family| family.generate(self.parameters)) else {
            findings.problems.push("the model does not exist".to_owned());
            return findings;
        };
        let loaded = loaded(&generated.text());
        let Some(session) = loaded.session() else {
            findings.problems.push("the model cannot be read".to_owned());
            return findings;
        };
        if session.queries().count() != self.satisfied.len() {
            findings.problems.push("the number of queries is wrong".to_owned());
        }
        for order in Order::ALL {
            for abstraction in ABSTRACTIONS {
                let options = VerifyOptions {
                    strategy: order.into(),
                    abstraction: Some(abstraction),
                    ..Default::default()
                };
                let found = self.problems_with(&session, &options).into_iter();
                findings.answers += self.satisfied.len();
                let place = format!("{order}, {abstraction:?}");
                findings.problems.extend(found.map(|problem| format!("{place}: {problem}")));
            }
        }
        findings
    }

    fn problems_with(&self, session: &Session, options: &VerifyOptions) -> Vec<String> {
        let mut problems = Vec::new();
        for ((id, query), &satisfied) in session.queries().zip(self.satisfied) {
            let answer = match certified(session, id, options) {
                Ok(answer) => answer,
                Err(why) => {
                    problems.push(format!("query {}: {why}", query.index));
                    continue;
                }
            };
            let right = if satisfied { Verdict::Satisfied } else { Verdict::NotSatisfied };
            if answer.verdict != right {
                let verdict = answer.verdict.name();
                problems.push(format!("query {}: the verdict is {verdict}", query.index));
            }
            if query.index == 1 && is_reference(options) && answer.statistics.stored != self.stored
            {
                let (found, known) = (answer.statistics.stored, self.stored);
                problems.push(format!("{found} states are stored; expected {known}"));
            }
        }
        problems
    }
}

/// Whether the numbers of states are known for this search.
fn is_reference(options: &VerifyOptions) -> bool {
    options.strategy == Order::BreadthFirst.into()
        && options.abstraction == Some(Abstraction::LowerUpperPlus)
}
