//! Cheapest paths on priced toys: branch and bound finds them in any order, and its bounds hold.

use std::collections::BTreeMap;

use zonaut_search::{
    Age, ArenaStore, Budget, Fifo, Frontier, LeastCost, Lifo, Outcome, Random, RandomDepthFirst,
    Search, Status, Uninformed,
};
use zonaut_space::{Cost, NodeId, Observer, Pricing};

use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

/// An amount, and whether it is only approached: costs need not be numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Price {
    amount: u64,
    is_strict: bool,
}

impl Cost for Price {
    const ZERO: Self = Self { amount: 0, is_strict: false };

    fn plus(self, other: Self) -> Self {
        Self {
            amount: self.amount.saturating_add(other.amount),
            is_strict: self.is_strict | other.is_strict,
        }
    }
    fn about(self) -> u32 {
        self.amount as u32
    }
}

/// Prices of steps that depend on the step and on the place it leads to.
#[derive(Clone, Copy)]
pub(crate) struct Toll {
    pub(crate) salt: u64,
}

impl Toll {
    fn price(self, step: u32, state: &State) -> Price {
        let mut random = Random::new(self.salt ^ (u64::from(step) << 32 | state.place[0]));
        Price { amount: random.below(6) as u64, is_strict: random.below(4) == 0 }
    }
}

impl Pricing<Toy> for Toll {
    type Cost = Price;

    fn of_initial(&self, state: &State) -> Price {
        self.price(99, state)
    }
    fn after(&self, before: Price, step: u32, state: &State) -> Price {
        before.plus(self.price(step, state))
    }
}

/// The least price of a goal, by relaxation to a fixpoint.
pub(crate) fn least_price(toy: &Toy, toll: Toll) -> Option<Price> {
    let mut prices: BTreeMap<State, Price> = BTreeMap::new();
    for state in toy.initial() {
        prices.insert(state.clone(), toll.of_initial(state));
    }
    loop {
        let before = prices.clone();
        for (state, &price) in &before {
            for (step, target) in toy.successors(state) {
                let target = target.expect("no failures here");
                let reached = toll.after(price, step, &target);
                let known = prices.entry(target).or_insert(reached);
                *known = reached.min(*known);
            }
        }
        if prices == before {
            let goals = prices.iter().filter(|(state, _)| toy.is_goal(state));
            return goals.map(|(_, &price)| price).min();
        }
    }
}

/// Records every reported goal.
#[derive(Default)]
struct Goals(Vec<NodeId>);

impl Observer<State, u32> for Goals {
    fn goal_met(&mut self, node: NodeId) {
        self.0.push(node);
    }
}

/// Checks the cost and the bounds during the search; returns the number of improvements and the
/// number of dropped states.
fn check(toy: &Toy, toll: Toll, frontier: impl Frontier<State, u32, Price>) -> (usize, usize) {
    let truth = least_price(toy, toll);
    let store = ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
    let mut search = Search::cheapest(toy, toll, ToyGoal(toy), store, frontier);
    let mut goals = Goals::default();
    while search.run(Budget::of(2), &mut goals) == Status::Paused {
        let best = search.best().map(|node| search.nodes().cost(node));
        assert_eq!(search.best(), goals.0.last().copied());
        assert!(best.is_none_or(|best| truth.is_some_and(|truth| truth <= best)));
        assert!(truth.is_none_or(|truth| search.lower_bound() <= truth || best == Some(truth)));
    }
    let prices: Vec<Price> = goals.0.iter().map(|&node| search.nodes().cost(node)).collect();
    assert!(prices.is_sorted_by(|one, two| one > two), "each goal is better: {prices:?}");
    assert_eq!(prices.last().copied(), truth, "{toy:?}");
    match search.outcome() {
        Some(Outcome::Reached { node, steps }) => {
            assert_eq!(search.nodes().steps(*node), *steps);
            assert!(toy.replays_to_goal(steps));
        }
        other => assert!(matches!(other, Some(Outcome::Exhausted)) && truth.is_none()),
    }
    (prices.len().saturating_sub(1), search.statistics().bounded)
}

#[test]
fn the_cheapest_path_is_found_in_any_order() {
    let [mut improved, mut bounded] = [0; 2];
    let mut explored_by_cost = 0;
    for seed in 0..800 {
        let toy = &Toy::random(&mut Random::new(seed));
        let toll = Toll { salt: seed };
        let counts = [
            check(toy, toll, Uninformed(Fifo::default())),
            check(toy, toll, Uninformed(Lifo::default())),
            check(toy, toll, Uninformed(RandomDepthFirst::new(seed))),
            check(toy, toll, LeastCost::new(Age::Fifo)),
            check(toy, toll, LeastCost::new(Age::Random { seed })),
        ];
        improved += counts.iter().map(|count| count.0).sum::<usize>();
        bounded += counts.iter().map(|count| count.1).sum::<usize>();
        explored_by_cost += counts[3].0;
    }
    assert!(improved > 100 && bounded > 500, "{improved} {bounded}");
    assert!(
        explored_by_cost * 8 < improved,
        "the least cost first seldom errs: {explored_by_cost}"
    );
}
