//! Strategies for cheapest runs.

use super::catalogue::Kind;
use super::expression::{Argument, Call, Reader, StrategyError, Value};
use super::meaning::{Given, Meaning};
use crate::cost_order::{Beams, CostOrder, Estimates};
use std::fmt;
use std::str::FromStr;

/// A strategy for finding a cheapest run. All of them are complete; they differ in speed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CostStrategy {
    /// Beam search if the model is a network of tasks, otherwise the least sum of cost and estimate
    /// first.
    #[default]
    Automatic,
    /// Beam search through a network of tasks.
    Beam(Beams),
    /// Best-first search in an order.
    Ordered {
        /// The order.
        order: CostOrder,
        /// The estimates that prune states beyond the incumbent.
        estimates: Estimates,
        /// The explored state space.
        over: Over,
    },
}

/// The state space of a search for a cheapest run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Over {
    /// Points if they are exact for the model, otherwise zones.
    #[default]
    Either,
    /// Zones with costs.
    Zones,
}

impl Over {
    const ALL: [Self; 2] = [Self::Either, Self::Zones];

    fn name(self) -> &'static str {
        match self {
            Self::Either => "auto",
            Self::Zones => "zones",
        }
    }
}

/// The sources of estimates of the remaining cost, with their names. Without a name, all of
/// [`Estimates::ALL`] are used.
const SOURCES: [(&str, Estimates); 3] = [
    ("auto", Estimates { automatic: true, ..Estimates::NONE }),
    ("remaining", Estimates { remaining: true, ..Estimates::NONE }),
    ("smaller", Estimates { smaller: true, ..Estimates::NONE }),
];

/// The union of the sources of two estimates.
fn union(one: Estimates, other: Estimates) -> Estimates {
    Estimates {
        automatic: one.automatic || other.automatic,
        remaining: one.remaining || other.remaining,
        smaller: one.smaller || other.smaller,
    }
}

/// The alternative name of A*.
const LEAST_TOTAL: &str = "mc+";

/// The default estimates of an order; `None` if they are mandatory.
fn usual(order: CostOrder) -> Option<Estimates> {
    match order {
        CostOrder::LeastTotal => None,
        CostOrder::BestDepthFirst { .. } | CostOrder::RankedDepthFirst => Some(Estimates::ALL),
        _ => Some(Estimates::NONE),
    }
}

impl FromStr for CostStrategy {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Self, StrategyError> {
        let mut reader = Reader::new(text);
        let call = reader.whole()?;
        Meaning { reader }.cost(&call)
    }
}

impl Meaning<'_> {
    fn cost(&self, call: &Call<'_>) -> Result<CostStrategy, StrategyError> {
        let part = self.part(call, |kind| kind == Kind::CostSearch, "strategy")?;
        let takes_estimate = part.parameters.iter().any(|parameter| parameter.name.is_empty());
        let mut asked = None;
        for argument in &call.arguments {
            match argument.key {
                Some(key) => self.check_key(key, argument, part)?,
                None if takes_estimate && asked.is_none() => {
                    asked = Some(self.estimates(argument)?);
                }
                None => {
                    let message = format!("`{}` does not take this argument", call.name);
                    return Err(self.reader.error(argument.at.clone(), message));
                }
            }
        }
        let given = Given { call, heuristics: Vec::new() };
        match part.name {
            "auto" => return Ok(CostStrategy::Automatic),
            "beam" => return self.beams(&given).map(CostStrategy::Beam),
            _ => {}
        }
        let is_shorthand = part.name == LEAST_TOTAL;
        let order = CostOrder::named(if is_shorthand { "astar" } else { part.name });
        let order = match order.unwrap_or(CostOrder::LeastTotal) {
            CostOrder::BestDepthFirst { total, work } => CostOrder::BestDepthFirst {
                total: self.number(&given, "total")?.unwrap_or(total),
                work: self.number(&given, "work")?.unwrap_or(work),
            },
            order => order,
        };
        let unsaid = usual(order).or(is_shorthand.then_some(Estimates::ALL));
        let estimates = asked.or(unsaid).ok_or_else(|| {
            let message = format!(
                "`{}` needs a lower bound of the remaining cost, as in {}",
                call.name, part.example
            );
            self.reader.error(call.at.clone(), message)
        })?;
        let over = self.choice(&given, "over", &Over::ALL, Over::name)?.unwrap_or_default();
        Ok(CostStrategy::Ordered { order, estimates, over })
    }

    /// The estimates of an argument: `rem`, optionally with sources.
    fn estimates(&self, argument: &Argument<'_>) -> Result<Estimates, StrategyError> {
        let Value::Call(call) = &argument.value else {
            let message = "a lower bound is written as in rem(auto)";
            return Err(self.reader.error(argument.at.clone(), message));
        };
        self.part(call, |kind| kind == Kind::Estimate, "lower bound")?;
        let mut all = (!call.arguments.is_empty()).then_some(Estimates::NONE);
        for argument in &call.arguments {
            let name = match (argument.key, &argument.value) {
                (None, Value::Call(source)) if source.arguments.is_empty() => source.name,
                _ => "",
            };
            let source = SOURCES.iter().find(|(known, _)| *known == name).ok_or_else(|| {
                let names = SOURCES.map(|(name, _)| name).join(", ");
                let message = format!("`rem` takes one or more of {names}");
                self.reader.error(argument.at.clone(), message)
            })?;
            all = all.map(|all| union(all, source.1));
        }
        Ok(all.unwrap_or(Estimates::ALL))
    }

    fn beams(&self, given: &Given<'_, '_>) -> Result<Beams, StrategyError> {
        let usual = Beams::default();
        let number = |key, usual: usize| -> Result<usize, StrategyError> {
            Ok(self.number(given, key)?.map_or(usual, |number| number as usize))
        };
        let beams = Beams {
            width: number("width", usual.width)?,
            growth: number("growth", usual.growth)?,
            widest: number("widest", usual.widest)?,
        };
        if beams.width == 0 || beams.growth < 2 {
            let message = "`width` must be at least 1, `growth` at least 2";
            return Err(self.reader.error(given.call.at.clone(), message));
        }
        Ok(beams)
    }
}

impl fmt::Display for CostStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut arguments = Vec::new();
        let number =
            |key, value: usize, usual: usize| (value != usual).then(|| format!("{key}={value}"));
        let name = match *self {
            Self::Automatic => "auto",
            Self::Beam(Beams { width, growth, widest }) => {
                let usual = Beams::default();
                arguments.extend(number("width", width, usual.width));
                arguments.extend(number("growth", growth, usual.growth));
                arguments.extend(number("widest", widest, usual.widest));
                "beam"
            }
            Self::Ordered { order, estimates, over } => {
                let asked = SOURCES.iter().filter(|(_, one)| union(*one, estimates) == estimates);
                let asked: Vec<&str> = asked.map(|(name, _)| *name).collect();
                if estimates == Estimates::ALL {
                    arguments.push("rem".to_owned());
                } else if !asked.is_empty() {
                    arguments.push(format!("rem({})", asked.join(", ")));
                }
                if let CostOrder::BestDepthFirst { total, work } = order {
                    arguments.extend(number("total", total as usize, 1));
                    arguments.extend(number("work", work as usize, 0));
                }
                if over != Over::default() {
                    arguments.push(format!("over={}", over.name()));
                }
                order.name()
            }
        };
        match arguments.is_empty() {
            true => f.write_str(name),
            false => write!(f, "{name}({})", arguments.join(", ")),
        }
    }
}
