//! Strategies of lazy abstraction.

use super::Strategy;
use super::catalogue::Part;
use super::expression::{Call, StrategyError, Value};
use super::meaning::Meaning;
use crate::Order;
use std::fmt;
use zonaut_lazy::{Choice, Clocks, CoveringOrder, Data, Options, Refinement};

/// The domains and the order of a lazy search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LazyStrategy {
    /// The domain of labels for data.
    pub data: Data,
    /// The domain of labels for clocks.
    pub clocks: Clocks,
    /// The order in which candidate covering nodes are tried.
    pub covering: CoveringOrder,
    /// The time and the kind of strengthening of labels.
    pub refine: Refinement,
    /// The order of expansion: a single search that is not lazy.
    pub order: Box<Strategy>,
}

impl Default for LazyStrategy {
    fn default() -> Self {
        Self {
            data: Data::default(),
            clocks: Clocks::default(),
            covering: CoveringOrder::default(),
            refine: Refinement::default(),
            order: Box::new(Strategy::Blind(Order::BreadthFirst)),
        }
    }
}

impl LazyStrategy {
    /// The configuration of the search, which has to find a shortest path or not.
    pub fn choice(&self, shortest: bool) -> Choice {
        let options = Options { covering: self.covering, shortest, refinement: self.refine };
        Choice { data: self.data, clocks: self.clocks, options }
    }
}

impl fmt::Display for LazyStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { data, clocks, covering, refine, order } = self;
        write!(f, "lazy(data={}, clocks={}, order={order}", data.name(), clocks.name())?;
        if *covering != CoveringOrder::default() {
            write!(f, ", covering={}", covering.name())?;
        }
        if *refine != Refinement::default() {
            write!(f, ", refine={}", refine.name())?;
        }
        f.write_str(")")
    }
}

impl Meaning<'_> {
    /// The lazy search that `call` describes.
    pub(super) fn lazy(&self, call: &Call<'_>, part: &Part) -> Result<LazyStrategy, StrategyError> {
        let given = self.given(call, part, 0)?;
        let usual = LazyStrategy::default();
        let order = match given.argument("order") {
            None => usual.order,
            Some(argument) => match &argument.value {
                Value::Call(inner) if ![part.name, "auto"].contains(&inner.name) => {
                    Box::new(self.strategy(inner)?)
                }
                Value::Call(_) | Value::Number(_) => {
                    let message = "`order` must be a single search except lazy, as in order=dfs";
                    return Err(self.reader.error(argument.at.clone(), message));
                }
            },
        };
        Ok(LazyStrategy {
            data: self.choice(&given, "data", &Data::ALL, Data::name)?.unwrap_or(usual.data),
            clocks: self
                .choice(&given, "clocks", &Clocks::ALL, Clocks::name)?
                .unwrap_or(usual.clocks),
            covering: self
                .choice(&given, "covering", &CoveringOrder::ALL, CoveringOrder::name)?
                .unwrap_or(usual.covering),
            refine: self
                .choice(&given, "refine", &Refinement::ALL, Refinement::name)?
                .unwrap_or(usual.refine),
            order,
        })
    }
}
