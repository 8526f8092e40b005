//! Queries: what is asked of a network.

use crate::{ClockConstraint, ClockId, ExpressionId, Place};
use zonaut_base::define_id;

define_id!(
    /// A query.
    pub struct QueryId
);

/// A query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// Its number among those of its file, from 1; headings do not count.
    pub index: u32,
    /// The formula as written.
    pub text: String,
    /// What it asks.
    pub kind: QueryKind,
}

/// What a query asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueryKind {
    /// `E<> p`
    Possibly(Formula),
    /// `A[] p`
    Always(Formula),
    /// `E[] p`
    PossiblyAlways(Formula),
    /// `A<> p`
    Eventually(Formula),
    /// `p --> q`
    LeadsTo(Formula, Formula),
    /// `sup{p}: e, ...`
    Supremum(Formula, Vec<Extremum>),
    /// `inf{p}: e, ...`
    Infimum(Formula, Vec<Extremum>),
    /// `bounds{p}: e, ...`
    Bounds(Formula, Vec<Extremum>),
    /// A query that Zonaut recognises and does not answer, with the name of its kind.
    Unsupported(String),
    /// A query with an error, of which nobody knows what it asks.
    Damaged,
}

/// A state formula. Nesting is limited by the parser, so recursion over it is safe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// A condition on data and locations.
    Data(ExpressionId),
    /// A clock constraint.
    Clock(ClockConstraint),
    /// No action is possible, now or after any delay.
    Deadlock,
    /// The negation.
    Not(Box<Formula>),
    /// All of them, evaluated in order.
    And(Vec<Formula>),
    /// Some of them, evaluated in order.
    Or(Vec<Formula>),
}

impl Formula {
    /// The formula that always holds.
    #[must_use]
    pub fn truth() -> Self {
        Self::And(Vec::new())
    }

    /// Whether `deadlock` occurs.
    #[must_use]
    pub fn mentions_deadlock(&self) -> bool {
        match self {
            Self::Deadlock => true,
            Self::Data(_) | Self::Clock(_) => false,
            Self::Not(inner) => inner.mentions_deadlock(),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::mentions_deadlock),
        }
    }

    /// Calls `visit` with every clock constraint.
    pub fn for_each_constraint<'f>(&'f self, visit: &mut impl FnMut(&'f ClockConstraint)) {
        match self {
            Self::Clock(constraint) => visit(constraint),
            Self::Data(_) | Self::Deadlock => {}
            Self::Not(inner) => inner.for_each_constraint(visit),
            Self::And(parts) | Self::Or(parts) => {
                for part in parts {
                    part.for_each_constraint(visit);
                }
            }
        }
    }
}

/// An expression whose extreme values are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// An integer.
    Integer(ExpressionId),
    /// A clock.
    Clock(Place<ClockId>),
    /// The cost.
    Cost,
}
