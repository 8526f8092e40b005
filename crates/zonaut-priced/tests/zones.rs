//! Operations of priced zones against enumerated valuations.

mod enumeration;

use enumeration::{
    BOX, X, Y, closure, comparison_is_exact, delay_is_exact, elimination_is_exact, image_is_exact,
    infimum_is_exact, zone_of,
};
use proptest::prelude::*;
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_priced::{CostFunction, PricedZone};

fn any_bound() -> impl Strategy<Value = Option<Bound<Wide>>> {
    let finite = (-BOX..=BOX, any::<bool>())
        .prop_map(|(value, strict)| if strict { Bound::lt(value) } else { Bound::le(value) });
    prop_oneof![1 => Just(None), 2 => finite.prop_map(Some)]
}

fn any_zone() -> impl Strategy<Value = Zone<Wide>> {
    proptest::array::uniform6(any_bound()).prop_filter_map("empty", zone_of)
}

fn any_cost() -> impl Strategy<Value = CostFunction> {
    (-5..=5_i64, -3..=3_i64, -3..=3_i64, any::<bool>())
        .prop_map(|(constant, x, y, attained)| CostFunction::new(constant, &[x, y], attained))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_delay_reaches_valuations_at_their_least_cost(
        zone in any_zone(),
        cost in any_cost(),
        rate in 0..8_i64,
    ) {
        let zone = PricedZone { zone, cost };
        prop_assert!(delay_is_exact(&zone, rate));
    }

    #[test]
    fn a_clock_is_forgotten_at_the_least_cost(zone in any_zone(), cost in any_cost()) {
        let zone = PricedZone { zone, cost };
        prop_assert!(elimination_is_exact(&zone, X));
        prop_assert!(elimination_is_exact(&zone, Y));
    }

    #[test]
    fn an_image_has_the_least_cost_of_its_sources(
        zone in any_zone(),
        cost in any_cost(),
        sources in proptest::array::uniform2((0..3_u16, 0..3_i32)),
    ) {
        let zone = PricedZone { zone: closure(&zone), cost };
        prop_assert!(image_is_exact(&zone, sources.map(|(row, value)| (Row(row), value))));
    }

    #[test]
    fn the_infimum_is_at_a_vertex(zone in any_zone(), cost in any_cost()) {
        let zone = PricedZone { zone, cost };
        prop_assert!(infimum_is_exact(&zone));
    }

    #[test]
    fn covering_compares_all_valuations(
        zone in any_zone(),
        cost in any_cost(),
        other in any_cost(),
    ) {
        prop_assert!(comparison_is_exact(&zone, &cost, &other));
    }
}
