//! Random prices.
//!
//! The oracle knows a rate of 0 or 1. A model in which a unit of time costs more has prices that are
//! multiples of that, so it costs as many times what it costs with a rate of 1 and the prices divided.

use zonaut_base::{Id, Severity};
use zonaut_model::{Expression, Formula, LocationKind, Model, QueryId, QueryKind};
use zonaut_oracle::front_end::{messages, model_of};
use zonaut_oracle::random::Random;
use zonaut_oracle::specification::Specification;

/// What the runs of a network cost besides their time, which costs 1 unless something is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pricing {
    /// Nothing.
    Time,
    /// Edges have prices, and time is free.
    Prices,
    /// Edges have prices, and a unit of time has this one; so much is everything multiplied by.
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

    /// Adds random prices, multiplied by `factor`, and a rate of that.
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

/// A priced network of which costs are asked, with the goal as its first question, and the one that
/// the oracle is asked about.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The network.
    pub model: Model,
    /// The network that costs a part of that.
    pub(crate) judged: Model,
    pub(crate) goal: Formula,
    /// How many times.
    pub(crate) factor: i32,
}

impl Priced {
    /// The network of `specification` with random prices, and its goal; nothing where costs are not
    /// measured to what it asks for.
    #[must_use]
    pub fn of(specification: &Specification, seed: u64) -> Option<Self> {
        let mut model = specification.to_model();
        let query = model.queries.iter_mut().next()?;
        let (QueryKind::Possibly(goal) | QueryKind::Always(goal)) = query.kind.clone() else {
            return None;
        };
        query.kind = QueryKind::Possibly(goal.clone());
        if goal.mentions_deadlock() || model.has_priorities() {
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

    /// A model as text and the goal of its query, as they are.
    ///
    /// # Errors
    /// What the front end says against them.
    pub fn of_text(text: &str, query: &str) -> Result<Self, Vec<String>> {
        let read = model_of(text, &[query]);
        let (model, _) = read.map_err(|problems| messages(&problems, Severity::Error))?;
        match model.queries[QueryId::from_index(0)].kind.clone() {
            QueryKind::Possibly(goal) => Ok(Self { judged: model.clone(), model, goal, factor: 1 }),
            _ => Err(vec!["the query does not say what to reach".to_owned()]),
        }
    }
}
