//! The independent checker of Zonaut's certificates.
//!
//! [`check`] decides whether a certificate proves its claim about a network and a query. Both are
//! texts: the `core` text is the flattened network with the query, the certificate is a run or a
//! set of zones. The checker shares no code with the engine. It has its own parsers, its own
//! interpreter for expressions, its own zones, and it computes the transitions of the network by
//! the rules of `docs/SEMANTICS.md`. It favours simplicity over speed. It trusts the translation of
//! the model into the core text; everything after that is checked.
//!
//! `docs/CERTIFICATES.md` specifies both formats for authors of certificates. A certificate is a
//! text of lines:
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
//! The core text, runs, sets with `abs lu` and the bodies of the other kinds have the same form.
//!
//! There are five answers: a certificate is accepted; rejected with a reason; malformed, with a
//! line; about another model; or undecided because of a limit. The checker is safe on untrusted
//! input: it allocates nothing on the word of an announced size, it never panics, and it does not
//! recurse.

mod cartesian;
mod cells;
mod certificate;
mod clocks;
mod code;
mod core;
mod deadlock;
// These tests need access to private items of the crate.
#[cfg(test)]
#[path = "../tests/differential/checker.rs"]
mod differential;
mod driven;
#[cfg(feature = "faults")]
pub mod faults;
mod formula;
mod groups;
mod lasso;
mod live;
mod machine;
mod mincost;
mod moments;
mod network;
mod nodes;
mod packed;
mod partial;
mod path;
mod priced;
mod reach;
mod refusal;
mod regions;
mod sha256;
mod simulation;
mod span;
mod stay;
mod unreach;
mod values;
mod zone;

pub use certificate::{Kind, seal, seal_of};
pub use core::MeasureKind;
pub use refusal::{Refusal, Text};
pub use sha256::fingerprint;
pub use values::{Value, Values};

use formula::Condition;
use std::fmt;
use std::num::NonZeroUsize;

/// Resource limits of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximal number of nodes.
    pub nodes: usize,
    /// The maximal number of bounds in all zones together; each takes eight bytes.
    pub bounds: usize,
    /// The maximal length of a line of a certificate, in bytes.
    pub line: usize,
    /// The maximal number of steps of one evaluation.
    pub steps: u64,
    /// The maximal number of threads.
    pub threads: NonZeroUsize,
}

impl Default for Limits {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { nodes: 100_000_000, bounds: 1 << 30, line: 1 << 20, steps: 40_000_000, threads }
    }
}

/// The claim about the query of the core text that an accepted certificate proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The query is satisfied.
    Satisfied,
    /// The query is not satisfied.
    NotSatisfied,
    /// The model fails at run time.
    Fails,
    /// The least cost of a run to a state where the formula holds.
    LeastCost(i64),
    /// The infimum of the costs of such runs, which no run attains.
    CostInfimum(i64),
}

/// An accepted certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Its kind.
    pub kind: Kind,
    /// The proved claim.
    pub claim: Claim,
    /// The number of its nodes, or of delays and transitions.
    pub size: usize,
    /// The proved extreme values, one entry for each expression of the query.
    pub values: Vec<Values>,
    /// The cost measure, if it proves a least cost.
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
/// A [`Refusal`] if the certificate is not accepted.
pub fn check(
    core: &str,
    certificate: &(impl AsRef<[u8]> + ?Sized),
    limits: &Limits,
) -> Result<Accepted, Refusal> {
    let mut network = core::Core::read(core)?;
    let (kind, mut lines) = certificate::open(certificate.as_ref(), &network, core, limits)?;
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
            let cost = cost.ok_or_else(|| lines.malformed("the cost is missing"))?;
            mincost::check(&mut explorer, goal, cost, &mut lines, limits)?
        }
        (Kind::Lasso, About::Runs(objective)) => {
            (network.claim(true), lasso::check(&mut explorer, objective, &mut lines, limits)?)
        }
        (Kind::Live, About::Runs(objective)) => {
            (network.claim(false), live::check(&mut explorer, objective, &mut lines, limits)?)
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

/// The subject of a query.
#[derive(Clone, Copy)]
enum About {
    /// States where a part of the formula holds, as it stands or negated.
    States {
        goal: Condition,
    },
    Runs(stay::Objective),
    /// Values where a part of the formula holds.
    Values(usize),
}

fn about(network: &core::Core) -> Result<About, Refusal> {
    let objective = |avoided, begin| About::Runs(stay::Objective { avoided, begin });
    Ok(match (network.query.as_str(), &network.roots[..]) {
        ("possibly", &[root]) => About::States { goal: Condition::holds(root) },
        ("always", &[root]) => About::States { goal: Condition::fails(root) },
        ("eventually", &[root]) => objective(Condition::holds(root), None),
        ("possibly-always", &[root]) => objective(Condition::fails(root), None),
        ("leads-to", &[from, to]) => objective(Condition::holds(to), Some(from)),
        ("supremum" | "infimum" | "bounds", &[condition]) => About::Values(condition),
        _ => return Err(Refusal::Undecided("this kind of query is not supported".to_owned())),
    })
}

impl core::Core {
    /// The claim about the query, given whether a state or run of the kind in question exists.
    fn claim(&self, exists: bool) -> Claim {
        let is_wanted = matches!(self.query.as_str(), "possibly" | "possibly-always");
        if exists == is_wanted { Claim::Satisfied } else { Claim::NotSatisfied }
    }
}
