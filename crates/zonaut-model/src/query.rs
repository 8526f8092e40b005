//! Queries in typed form.

use crate::{ClockConstraint, ClockId, ExpressionId, Place};
use zonaut_base::define_id;

define_id!(
    /// The number of a query in its model.
    pub struct QueryId
);

/// A query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// Its number in its file, from 1; headings do not count.
    pub index: u32,
    /// The formula as written.
    pub text: String,
    /// Its type and its formulas.
    pub kind: QueryKind,
}

/// The type of a query, with its formulas.
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
    /// A query about a sample of random runs.
    Statistical(Box<crate::StatisticalQuery>),
    /// A query that Zonaut recognises but cannot answer, with the name of its type.
    Unsupported(String),
    /// A query with an error; it has no meaning.
    Damaged,
}

/// A state formula. Nesting is limited by the parser, so recursion over it is safe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// A condition on data and locations.
    Data(ExpressionId),
    /// A clock constraint.
    Clock(ClockConstraint),
    /// No transition is enabled, now or after any delay.
    Deadlock,
    /// The negation.
    Not(Box<Formula>),
    /// The conjunction; conjuncts are evaluated in order.
    And(Vec<Formula>),
    /// The disjunction; disjuncts are evaluated in order.
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

/// An expression whose supremum or infimum is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// An integer.
    Integer(ExpressionId),
    /// A clock.
    Clock(Place<ClockId>),
    /// The cost.
    Cost,
}
