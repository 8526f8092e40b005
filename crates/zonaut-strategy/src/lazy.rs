//! Strategies of lazy abstraction.

use super::Strategy;
use super::catalogue::Part;
use super::expression::{Call, StrategyError, Value};
use super::meaning::Meaning;
use crate::Order;
use std::fmt;

/// The data domain of a lazy search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Data {
    /// All data is in the label.
    Explicit,
    /// The label fixes the cells that were needed.
    #[default]
    Visible,
    /// The label has ranges of the cells that were needed.
    Interval,
}

impl Data {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::Explicit, Self::Visible, Self::Interval];

    /// The name in strategies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Visible => "visible",
            Self::Interval => "interval",
        }
    }
}

/// The clock domain of a lazy search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Clocks {
    /// The zone, compared as in an eager search.
    Eager,
    /// Lower and upper bounds that were needed.
    LowerUpper,
    /// Zones that were needed.
    #[default]
    Zone,
}

impl Clocks {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::Eager, Self::LowerUpper, Self::Zone];

    /// The name in strategies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::LowerUpper => "lu",
            Self::Zone => "zone",
        }
    }
}

/// The order in which candidates for covering are tried.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CoveringOrder {
    /// The last expanded first.
    #[default]
    Newest,
    /// The first expanded first.
    Oldest,
    /// The nodes whose labels fix most data first.
    Nearest,
    /// The nodes whose labels fix least data first.
    MostGeneral,
}

impl CoveringOrder {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::Newest, Self::Oldest, Self::Nearest, Self::MostGeneral];

    /// The name in strategies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Nearest => "nearest",
            Self::MostGeneral => "general",
        }
    }
}

/// A strategy of refinement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Refinement {
    /// Whenever a step is disabled, backwards step by step.
    #[default]
    Backward,
    /// Whenever a step is disabled. Data labels are refined forwards: first the facts that the
    /// earliest node needs so that all later steps lead to the learnt facts, then those of the next
    /// node. This is the direction of D. Beyer, S. Löwe, "Explicit-state software model checking
    /// based on CEGAR and interpolation" (FASE 2013).
    Forward,
    /// Backwards, but only along abstract counterexamples: reasons for disabled steps are not
    /// learnt as long as other work is left. A search for a shortest run learns them at once.
    Late,
}

impl Refinement {
    /// All strategies.
    pub const ALL: [Self; 3] = [Self::Backward, Self::Forward, Self::Late];

    /// The name in strategies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Backward => "backward",
            Self::Forward => "forward",
            Self::Late => "late",
        }
    }
}

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
