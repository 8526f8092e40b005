//! Random prices.
//!
//! The oracle supports rates of 0 and 1. A model with a greater rate has prices that are multiples
//! of it, so its costs are those of the model with rate 1 and divided prices, times the rate.

use crate::front_end::{messages, model_of};
use crate::random::Random;
use crate::specification::Specification;
use zonaut_base::{Id, Severity};
use zonaut_model::{Expression, Formula, LocationKind, Model, QueryId, QueryKind};

/// The costs of the runs of a network. Without annotations, the rate is 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pricing {
    /// Elapsed time alone.
    Time,
    /// Prices of edges alone; time is free.
    Prices,
    /// Prices of edges, and this rate; all prices are multiples of it.
    Both(i32),
}

impl Pricing {
    fn of(random: &mut Random) -> Self {
        let all = [Self::Time, Self::Prices, Self::Both(1), Self::Both(1), Self::Both(3)];
        random.choose(&all)
    }

    fn factor(self) -> i32 {
        match self {
            Self::Time | Self::Prices => 1,
            Self::Both(factor) => factor,
        }
    }

    /// Adds random prices, multiplied by `factor`, and the rate `factor`.
    fn add(self, model: &mut Model, random: &mut Random, factor: i32) {
        if self == Self::Time {
            return;
        }
        let Model { processes, expressions, .. } = model;
        for (position, process) in processes.iter_mut().enumerate() {
            for edge in process.edges.iter_mut() {
                if random.chance(40) {
                    continue;
                }
                let price = Expression::Constant(factor * random.between(0, 4));
                let price = expressions.push(price);
                edge.updates.push(expressions.push(Expression::AddCost(price)));
            }
            let patient = process.locations.iter_mut().filter(|l| l.kind == LocationKind::Ordinary);
            for location in patient.filter(|_| self != Self::Prices && position == 0) {
                location.cost_rate = Some(expressions.push(Expression::Constant(factor)));
            }
        }
    }
}

/// A priced network with the goal as its first query, and the equivalent network for the oracle.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The network.
    pub model: Model,
    /// The network with costs divided by `factor`, for the oracle.
    pub(crate) judged: Model,
    pub(crate) goal: Formula,
    /// The ratio of the costs.
    pub(crate) factor: i32,
}

/// The goal of the first query, which becomes `E<>`; `None` if it has no goal for costs.
pub(super) fn goal_of_costs(model: &mut Model) -> Option<Formula> {
    let query = model.queries.iter_mut().next()?;
    let (QueryKind::Possibly(goal) | QueryKind::Always(goal)) = query.kind.clone() else {
        return None;
    };
    query.kind = QueryKind::Possibly(goal.clone());
    (!goal.mentions_deadlock()).then_some(goal)
}

impl Priced {
    /// The network of `specification` with random prices, and its goal; `None` if its query is not
    /// a reachability goal for costs.
    #[must_use]
    pub fn of(specification: &Specification, seed: u64) -> Option<Self> {
        let mut model = specification.to_model();
        let goal = goal_of_costs(&mut model)?;
        if model.has_priorities() {
            return None;
        }
        let random = Random::new(seed ^ 0xc057);
        let pricing = Pricing::of(&mut random.clone());
        let with_factor = |factor| {
            let mut model = model.clone();
            pricing.add(&mut model, &mut random.clone(), factor);
            model
        };
        let factor = pricing.factor();
        Some(Self { model: with_factor(factor), judged: with_factor(1), goal, factor })
    }

    /// A model as text and the goal of its query, unchanged.
    ///
    /// # Errors
    /// The messages of the front end.
    pub fn of_text(text: &str, query: &str) -> Result<Self, Vec<String>> {
        let read = model_of(text, &[query]);
        let (model, _) = read.map_err(|problems| messages(&problems, Severity::Error))?;
        match model.queries[QueryId::from_index(0)].kind.clone() {
            QueryKind::Possibly(goal) => Ok(Self { judged: model.clone(), model, goal, factor: 1 }),
            _ => Err(vec!["the query does not say what to reach".to_owned()]),
        }
    }
}
