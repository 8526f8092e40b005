//! The independent checker of Zonaut's answers.
//!
//! [`check`] decides whether a certificate shows what it claims about a network and a query, both
//! given as text: the `core` text is the flattened network, the certificate is a run or a set of
//! zones. The checker shares no code with the engine. It reads the texts with its own readers,
//! evaluates expressions with its own machine, enumerates what the network can do from
//! `docs/SEMANTICS.md`, and has zones of its own. It is meant to be slow and obvious. What it
//! trusts is the way from the model to the core text.
//!
//! Both formats are described in `docs/CERTIFICATES.md`, for those who write them. In short, a
//! certificate is a text of lines,
//!
//! ```text
//! tacert 1
//! kind unreach
//! core sha256:…                     the fingerprint of the core text
//! clocks 2 x P.y                    clocks 1 and 2; clock 0 is the constant 0
//! abs incl                          nodes are compared by inclusion
//! nodes 1
//! node 0 0,3 2=1 1-0<=5 0-2<-3      locations, values, constraints
//! end sha256:…                      the fingerprint of everything above
//! ```
//!
//! and `core`, runs, `abs lu` sets and all that other kinds have look alike.
//!
//! Answers: a certificate is accepted, or rejected with a reason, or malformed with a line, or
//! about another model, or nothing is known because of a limit. Nothing that is announced is
//! allocated before it is seen, nothing panics, and there is no recursion.

mod cartesian;
mod cells;
mod certificate;
mod clocks;
mod code;
mod core;
mod deadlock;
// These tests ask what only the crate knows.
#[cfg(test)]
#[path = "../tests/differential/checker.rs"]
mod differential;
mod driven;
mod formula;
mod lasso;
mod live;
mod machine;
mod mincost;
mod moments;
mod network;
mod nodes;
mod partial;
mod path;
mod reach;
mod refusal;
mod sha256;
mod simulation;
mod span;
mod stay;
mod unreach;
mod values;
mod zone;

pub use certificate::{Kind, seal};
pub use core::MeasureKind;
pub use refusal::{Refusal, Text};
pub use sha256::fingerprint;
pub use values::{Value, Values};

use std::fmt;

/// How much a check may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most nodes.
    pub nodes: usize,
    /// The most bounds of all zones together; each takes eight bytes.
    pub bounds: usize,
    /// The longest line of a certificate, in bytes.
    pub line: usize,
    /// The most steps of one evaluation.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 100_000_000, bounds: 1 << 30, line: 1 << 20, steps: 40_000_000 }
    }
}

/// What an accepted certificate shows about the query of the core text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It is satisfied.
    Satisfied,
    /// It is not satisfied.
    NotSatisfied,
    /// The model fails at run time.
    Fails,
    /// The least cost of a run to a state where the formula holds.
    LeastCost(i64),
    /// The infimum of the costs of such runs, which none of them costs.
    CostInfimum(i64),
}

/// A certificate that was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Its kind.
    pub kind: Kind,
    /// What it shows.
    pub claim: Claim,
    /// How many nodes, or delays and transitions, it has.
    pub size: usize,
    /// The values that it shows, by the expressions of the query.
    pub values: Vec<Values>,
    /// The quantity that the cost is, where it shows a least cost.
    pub measure: Option<MeasureKind>,
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = match self.claim {
            Claim::Satisfied => "satisfied".to_owned(),
            Claim::NotSatisfied => "not satisfied".to_owned(),
            Claim::Fails => "the model fails at run time".to_owned(),
            Claim::LeastCost(cost) => format!("the least cost is {cost}"),
            Claim::CostInfimum(cost) => format!("the infimum of costs is {cost}, not attained"),
        };
        match self.kind {
            Kind::Reach | Kind::Deadlock => {
                write!(f, "accepted: {claim} (a run of {} steps)", self.size)
            }
            Kind::Unreach | Kind::NoDeadlock | Kind::Live => {
                write!(f, "accepted: {claim} ({} nodes)", self.size)
            }
            Kind::MinCost => {
                let measure = self.measure.map_or("", MeasureKind::name);
                write!(f, "accepted: {claim} (measure {measure}, {} nodes)", self.size)
            }
            Kind::Lasso => write!(f, "accepted: {claim} (a maximal run, {} steps)", self.size),
            Kind::Values => {
                let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
                let (values, size) = (values.join(", "), self.size);
                write!(f, "accepted: {claim} (values {values}; {size} steps and nodes)")
            }
        }
    }
}

/// Checks `certificate` against the network and the query of a `core` text.
///
/// # Errors
/// Where it is not accepted.
pub fn check(core: &str, certificate: &str, limits: &Limits) -> Result<Accepted, Refusal> {
    let mut network = core::Core::read(core)?;
    let (kind, mut lines) = certificate::open(certificate, (&network, core), limits)?;
    let subject = about(&network)?;
    if kind != Kind::Reach {
        network.require_zones()?;
    }
    let cost = match kind {
        Kind::MinCost => Some(mincost::open(&mut network, &mut lines, limits)?),
        _ => None,
    };
    let mut explorer = network::Network::new(&network, limits.steps);
    let mut values = Vec::new();
    let (claim, size) = match (kind, subject) {
        (Kind::Reach | Kind::Deadlock, subject) => {
            let goal = match subject {
                About::States { goal } => Some(goal),
                About::Runs(_) | About::Values(_) => None,
            };
            match reach::check(&mut explorer, goal, &mut lines)? {
                (reach::End::Goal, size) => (network.claim(true), size),
                (reach::End::Fails, size) => (Claim::Fails, size),
            }
        }
        (Kind::Unreach | Kind::NoDeadlock, About::States { goal }) => {
            (network.claim(false), unreach::check(&mut explorer, goal, &mut lines, limits)?)
        }
        (Kind::MinCost, About::States { goal }) => {
            mincost::check(&mut explorer, goal, (cost, &mut lines), limits)?
        }
        (Kind::Lasso, About::Runs(aim)) => {
            (network.claim(true), lasso::check(&mut explorer, aim, &mut lines, limits)?)
        }
        (Kind::Live, About::Runs(aim)) => {
            (network.claim(false), live::check(&mut explorer, aim, &mut lines, limits)?)
        }
        (Kind::Values, About::Values(condition)) => {
            let (found, size) = values::check(&mut explorer, condition, &mut lines, limits)?;
            values = found;
            (Claim::Satisfied, size)
        }
        _ => return Err(lines.malformed("the kind does not fit the query")),
    };
    let measure = network.measured.filter(|_| kind == Kind::MinCost);
    Ok(Accepted { kind, claim, size, values, measure })
}

/// What a query is about.
#[derive(Clone, Copy)]
enum About {
    /// States where a part of the formula holds, as it stands or negated.
    States {
        goal: (usize, bool),
    },
    Runs(stay::Aim),
    /// Values where a part of the formula holds.
    Values(usize),
}

fn about(network: &core::Core) -> Result<About, Refusal> {
    let aim = |avoided, begin| About::Runs(stay::Aim { avoided, begin });
    Ok(match (network.query.as_str(), &network.roots[..]) {
        ("possibly", &[root]) => About::States { goal: (root, true) },
        ("always", &[root]) => About::States { goal: (root, false) },
        ("eventually", &[root]) => aim((root, true), None),
        ("possibly-always", &[root]) => aim((root, false), None),
        ("leads-to", &[from, to]) => aim((to, true), Some(from)),
        ("supremum" | "infimum" | "bounds", &[condition]) => About::Values(condition),
        _ => return Err(Refusal::Undecided("this kind of query is not supported".to_owned())),
    })
}

impl core::Core {
    /// What it means for the query whether there is a state or a run of the kind that it is about.
    fn claim(&self, exists: bool) -> Claim {
        let is_wanted = matches!(self.query.as_str(), "possibly" | "possibly-always");
        if exists == is_wanted { Claim::Satisfied } else { Claim::NotSatisfied }
    }
}
