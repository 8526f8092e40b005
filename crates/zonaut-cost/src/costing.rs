//! Cost annotations of a model: prices of edges, and rates of locations.

use zonaut_base::Id;
use zonaut_model::{Expression, ExpressionId, LocationId, LocationKind, Model, ProcessId};

use crate::tasks::constant;

/// The combination of the rates of processes to the cost of a unit of time. Processes without rates do
/// not count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Combination {
    /// All pay.
    #[default]
    Sum,
    /// The least of them is paid.
    Least,
    /// The greatest of them is paid.
    Greatest,
}

impl Combination {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sum, Self::Least, Self::Greatest];

    /// The name that the command line uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Least => "min",
            Self::Greatest => "max",
        }
    }

    /// The cost of a unit of time where processes have these rates.
    fn of(self, rates: &[i32]) -> Option<i32> {
        match self {
            Self::Sum => rates.iter().try_fold(0i32, |sum, &rate| sum.checked_add(rate)),
            Self::Least => Some(rates.iter().min().copied().unwrap_or(0)),
            Self::Greatest => Some(rates.iter().max().copied().unwrap_or(0)),
        }
    }
}

/// The rate of time, and whether transitions have prices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costing {
    /// The cost of a unit of time.
    pub rate: i32,
    /// Whether some transition has a price.
    pub has_prices: bool,
    /// Whether the model has no cost annotations, so that the cost of a run is its time.
    pub is_time: bool,
    /// How the rates of processes were combined.
    pub combination: Combination,
}

/// The reason for which the costs of a model are not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Time has different prices in two locations of a process.
    NonUniform(ProcessId, LocationId),
    /// The rate of a location is no constant.
    Computed(ProcessId, LocationId, ExpressionId),
    /// The rate of a location is negative.
    NegativeRate(ProcessId, LocationId, ExpressionId),
    /// A price is always negative.
    NegativePrice(ExpressionId),
    /// The rate times a constant of the model is out of range.
    TooLarge,
    /// A location sets the rate of a clock.
    Stopwatches(ProcessId, LocationId),
}

impl Costing {
    /// Runs cost the time that they take, whatever the model says.
    pub const TIME: Self =
        Self { rate: 1, has_prices: false, is_time: true, combination: Combination::Sum };

    /// Reads the costs of `model`. Without cost annotations, cost is elapsed time.
    ///
    /// The rates of all processes are combined to one that is the same everywhere, so each has one
    /// wherever time can pass: in urgent and committed locations a rate means nothing.
    ///
    /// # Errors
    /// Costs that are not of that kind.
    pub fn of(model: &Model, combination: Combination) -> Result<Self, Refusal> {
        no_stopwatches(model)?;
        let has_prices = price_is_paid(model)?;
        let mut rates = Vec::new();
        for process in model.processes.ids() {
            rates.extend(rate_of(model, process)?);
        }
        let is_time = !has_prices && rates.is_empty();
        let rate = if is_time { Some(1) } else { combination.of(&rates) };
        let rate = rate.ok_or(Refusal::TooLarge)?;
        Ok(Self { rate, has_prices, is_time, combination })
    }
}

/// Refuses a location that sets the rate of a clock.
fn no_stopwatches(model: &Model) -> Result<(), Refusal> {
    for (process, content) in model.processes.iter_enumerated() {
        let mut locations = content.locations.iter_enumerated();
        if let Some((location, _)) = locations.find(|(_, location)| !location.rates.is_empty()) {
            return Err(Refusal::Stopwatches(process, location));
        }
    }
    Ok(())
}

/// Whether some expression adds to the cost.
fn price_is_paid(model: &Model) -> Result<bool, Refusal> {
    let mut is_paid = false;
    for (id, expression) in model.expressions.iter_enumerated() {
        if let Expression::AddCost(price) = expression {
            is_paid = true;
            if constant(model, *price).is_some_and(|price| price < 0) {
                return Err(Refusal::NegativePrice(id));
            }
        }
    }
    Ok(is_paid)
}

/// The rate of a process; nothing if none of its locations has one.
fn rate_of(model: &Model, process: ProcessId) -> Result<Option<i32>, Refusal> {
    let (mut common, mut has_rates) = (None, false);
    for (id, location) in model.processes[process].locations.iter_enumerated() {
        has_rates |= location.cost_rate.is_some();
        let rate = rate_at(model, process, id)?;
        if location.kind != LocationKind::Ordinary {
            continue;
        }
        if *common.get_or_insert(rate) != rate {
            return Err(Refusal::NonUniform(process, id));
        }
    }
    Ok(has_rates.then_some(common.unwrap_or(0)))
}

/// The rate of a location; 0 if it has none.
fn rate_at(model: &Model, process: ProcessId, location: LocationId) -> Result<i32, Refusal> {
    let Some(rate) = model.processes[process].locations[location].cost_rate else { return Ok(0) };
    match constant(model, rate) {
        None => Err(Refusal::Computed(process, location, rate)),
        Some(..0) => Err(Refusal::NegativeRate(process, location, rate)),
        Some(value) => Ok(value),
    }
}

/// The cost rates of all locations of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocationRates {
    /// By process, the rates of its locations; processes without rates are left out.
    rates: Vec<(ProcessId, Vec<i32>)>,
    combination: Combination,
}

impl LocationRates {
    /// Reads the rates of `model`, which may differ between the locations of a process.
    ///
    /// # Errors
    /// Costs that are not supported; never [`Refusal::NonUniform`].
    pub fn of(model: &Model, combination: Combination) -> Result<Self, Refusal> {
        no_stopwatches(model)?;
        price_is_paid(model)?;
        let mut rates = Vec::new();
        for (id, process) in model.processes.iter_enumerated() {
            if process.locations.iter().any(|location| location.cost_rate.is_some()) {
                let all = process.locations.ids().map(|location| rate_at(model, id, location));
                rates.push((id, all.collect::<Result<_, _>>()?));
            }
        }
        Ok(Self { rates, combination })
    }

    /// The rate of a location.
    #[must_use]
    pub fn of_location(&self, process: ProcessId, location: LocationId) -> i64 {
        let own = self.rates.iter().find(|(id, _)| *id == process);
        own.map_or(0, |(_, rates)| i64::from(rates[location.index()]))
    }

    /// A location with the greatest rate.
    #[must_use]
    pub fn dearest(&self) -> Option<(ProcessId, LocationId)> {
        let all = self.rates.iter().flat_map(|(process, rates)| {
            let locations = (0..rates.len()).map(LocationId::from_index);
            locations.zip(rates).map(|(location, rate)| (rate, (*process, location)))
        });
        all.max_by_key(|(rate, _)| **rate).map(|(_, place)| place)
    }

    /// The combination of the rates of processes.
    #[must_use]
    pub fn combination(&self) -> Combination {
        self.combination
    }

    /// The cost of a unit of time in a state whose values begin with the location of every process.
    #[must_use]
    pub fn at(&self, values: &[i32]) -> i64 {
        let rates = self.rates.iter().map(|(process, rates)| {
            let location = values[process.index()];
            i64::from(rates[location as usize])
        });
        match self.combination {
            Combination::Sum => rates.sum(),
            Combination::Least => rates.min().unwrap_or(0),
            Combination::Greatest => rates.max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_oracle::front_end::model_of;

    fn costing(system: &str) -> Result<Costing, Refusal> {
        let (model, _) = model_of(system, &[]).expect("a correct model");
        Costing::of(&model, Combination::Sum)
    }

    #[test]
    fn a_model_that_says_nothing_costs_its_time() {
        let costing = costing("process P() { state a; init a; } system P;").expect("understood");
        assert_eq!(costing, Costing::TIME);
    }

    #[test]
    fn rates_of_processes_are_added() {
        let system = "process P(const int r) { state a { cost' == r }, b { cost' == r }; init a; \
            trans a -> b { assign cost += 4; }; } A = P(2); B = P(3); system A, B;";
        let costing = costing(system).expect("understood");
        assert_eq!((costing.rate, costing.has_prices, costing.is_time), (5, true, false));
    }

    #[test]
    fn rates_may_be_combined_by_the_least_or_the_greatest() {
        let system = "process P(const int r) { state a { cost' == r }; init a; } \
            process Q() { state a; init a; } A = P(2); B = P(3); system A, B, Q;";
        let (model, _) = model_of(system, &[]).expect("a correct model");
        let rates = Combination::ALL.map(|how| Costing::of(&model, how).map(|found| found.rate));
        assert_eq!(rates, [Ok(5), Ok(2), Ok(3)]);
    }

    #[test]
    fn time_that_cannot_pass_has_no_price() {
        let system = "process P() { state a { cost' == 1 }, b; urgent b; init a; } system P;";
        assert_eq!(costing(system).map(|costing| costing.rate), Ok(1));
        let system = "process P() { state a { cost' == 1 }, b; init a; } system P;";
        assert!(matches!(costing(system), Err(Refusal::NonUniform(..))));
    }

    #[test]
    fn rates_may_differ_between_locations() {
        let system = "process P(const int r) { state a { cost' == r }, b { cost' == 7 }, c; init a; } \
            process Q() { state a; init a; } A = P(2); B = P(3); system A, Q, B;";
        let (model, _) = model_of(system, &[]).expect("a correct model");
        let at =
            |how, values: [i32; 3]| LocationRates::of(&model, how).expect("constant").at(&values);
        assert_eq!(at(Combination::Sum, [0, 0, 1]), 9);
        assert_eq!(Combination::ALL.map(|how| at(how, [1, 0, 2])), [7, 0, 7]);
        assert!(matches!(Costing::of(&model, Combination::Sum), Err(Refusal::NonUniform(..))));
    }

    #[test]
    fn negative_prices_are_refused() {
        let system =
            "process P() { state a; init a; trans a -> a { assign cost += -1; }; } system P;";
        assert!(matches!(costing(system), Err(Refusal::NegativePrice(_))));
        let system = "process P() { state a { cost' == -1 }; init a; } system P;";
        assert!(matches!(costing(system), Err(Refusal::NegativeRate(..))));
    }
}
