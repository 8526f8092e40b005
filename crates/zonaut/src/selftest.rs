//! `zonaut selftest`: whether this installation works.

use crate::console::Console;
use crate::status::Status;
use crate::verify::verdict_name;
use std::io;
use zonaut_certify::{Claim, Limits, check};
use zonaut_engine::{
    Abstraction, Answer, Evidence, LoadOptions, Order, Session, Verdict, VerifyOptions, load_text,
};

/// A member of a family, and what is known about it.
struct Example {
    family: &'static str,
    parameters: &'static [u32],
    /// How many states the first query stores, breadth first with the coarser extrapolation.
    stored: usize,
    /// Whether each query is satisfied.
    satisfied: &'static [bool],
}

const EXAMPLES: [Example; 9] = [
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
];

/// Without the exact zones, with which a search may not end.
const ABSTRACTIONS: [Abstraction; 4] = [
    Abstraction::Maximum,
    Abstraction::LowerUpper,
    Abstraction::LowerUpperPlus,
    Abstraction::Simulation,
];

pub(crate) fn run(console: &mut Console<'_>) -> io::Result<Status> {
    let mut problems = 0;
    for example in &EXAMPLES {
        let name = format!("{} {:?}", example.family, example.parameters);
        let found = example.problems();
        writeln!(console.out, "{name:<30} {}", if found.is_empty() { "ok" } else { "WRONG" })?;
        console.out.flush()?;
        for problem in &found {
            console.complain(&format!("error: {name}: {problem}"));
        }
        problems += found.len();
    }
    if problems == 0 {
        writeln!(console.out, "passed: every answer is right and certified")?;
        return Ok(Status::Success);
    }
    console.complain("error: this installation gives wrong answers; please report it");
    Ok(Status::Bug)
}

impl Example {
    /// Everything that is not as it should be.
    fn problems(&self) -> Vec<String> {
        let family = zonaut_families::find(self.family);
        let Some(Ok(generated)) = family.map(|family| family.generate(self.parameters)) else {
            return vec!["there is no such model".to_owned()];
        };
        let loaded = load_text("selftest.xta", &generated.text(), &LoadOptions::default());
        let Some(session) = loaded.session() else {
            return vec!["the model cannot be read".to_owned()];
        };
        let mut problems = Vec::new();
        if session.queries().count() != self.satisfied.len() {
            problems.push("the number of queries is wrong".to_owned());
        }
        for order in Order::ALL {
            for abstraction in ABSTRACTIONS {
                let options = VerifyOptions {
                    strategy: order.into(),
                    abstraction: Some(abstraction),
                    ..Default::default()
                };
                let found = self.problems_with(session, &options).into_iter();
                problems
                    .extend(found.map(|problem| format!("{order}, {abstraction:?}: {problem}")));
            }
        }
        problems
    }

    fn problems_with(&self, session: Session<'_>, options: &VerifyOptions) -> Vec<String> {
        let mut problems = Vec::new();
        for ((id, query), &satisfied) in session.queries().zip(self.satisfied) {
            let mut certificate = Vec::new();
            let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
            let answer = session.verify_with_certificate(id, options, evidence);
            let right = if satisfied { Verdict::Satisfied } else { Verdict::NotSatisfied };
            if answer.verdict != right {
                let verdict = verdict_name(&answer.verdict);
                problems.push(format!("query {}: the verdict is {verdict}", query.index));
            }
            if query.index == 1 && is_reference(options) && answer.statistics.stored != self.stored
            {
                let (found, known) = (answer.statistics.stored, self.stored);
                problems.push(format!("{found} states are stored in the place of {known}"));
            }
            if let Some(why) = why_uncertified(&answer, &session.core_text(Some(id)), &certificate)
            {
                problems.push(format!("query {}: uncertified: {why}", query.index));
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

fn why_uncertified(answer: &Answer, core: &str, certificate: &[u8]) -> Option<String> {
    let Ok(certificate) = std::str::from_utf8(certificate) else {
        return Some("the certificate is no text".to_owned());
    };
    match check(core, certificate, &Limits::default()) {
        Ok(accepted) => {
            let claim = match accepted.claim {
                Claim::Satisfied => Verdict::Satisfied,
                Claim::NotSatisfied => Verdict::NotSatisfied,
                Claim::Fails => return Some(accepted.to_string()),
            };
            (claim != answer.verdict).then(|| accepted.to_string())
        }
        Err(refusal) => Some(refusal.to_string()),
    }
}
