//! Least costs of models as text.

use zonaut_base::{Id, Meter};
use zonaut_cost::{Combination, CostOrder, Estimates, Infimum, LocationRates, OptimizationOutcome};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_priced::PricedSearch;

/// The first example of Behrmann et al. (TACAS 2001), after its description.
pub(crate) const TWO_RATES: &str = "clock x, y; process P() {
    state L { x <= 2 && cost' == 3 }, M { y <= 5 && cost' == 1 }, R;
    init L;
    trans L -> M { assign cost += 6; }, M -> L { assign x = 0; }, L -> R { guard y > 6; };
    } system P;";

/// Each cycle costs something or nothing, and y grows for ever.
pub(crate) const CYCLES: &str = "clock x, y; process P() {
    state a { cost' == 2 }, b { x <= 1 }, c { cost' == 1 };
    init a;
    trans a -> b { assign x = 0; }, b -> a { guard x >= 1; },
          a -> c { guard y >= 3; assign x = 0; }, c -> c { guard x > 2; assign x = 0; };
    } system P;";

/// C waits for less time if B comes first.
pub(crate) const BETWEEN: &str = "clock x; int[0, 2] last;
    const int SEPARATION[3][3] = { { 0, 1, 10 }, { 0, 0, 1 }, { 0, 0, 0 } };
    process Job(const int id, const int rate) {
    state waiting { cost' == rate }, done;
    init waiting;
    trans waiting -> done { guard x >= SEPARATION[last][id]; assign x = 0, last = id; };
    } B = Job(1, 0); C = Job(2, 5); system B, C;";

/// The least cost of a goal in this order; `None` if it is unreachable. No estimate along the path
/// exceeds it.
pub(crate) fn least_cost(text: &str, query: &str, order: CostOrder) -> Option<Infimum> {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let rates = LocationRates::of(&model, Combination::Sum).expect("constant rates");
    let search = PricedSearch::new(&model, goal, rates, &Meter::default()).expect("small");
    let found = search.optimise(order, Estimates::ALL, &mut ()).expect("small");
    let ending = match found.best {
        Some(_) => OptimizationOutcome::Optimal,
        None => OptimizationOutcome::Unreachable,
    };
    assert_eq!(found.ending, ending, "{order:?}");
    let best = found.best?;
    let totals = search.totals_along(&best.steps).expect("small");
    let is_admissible = |total: &Option<Infimum>| total.is_some_and(|total| total <= best.cost);
    assert!(totals.iter().all(is_admissible), "{order:?}: {} and {totals:?}", best.cost);
    Some(best.cost)
}
