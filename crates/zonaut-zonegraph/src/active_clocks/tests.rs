//! Active clocks of location vectors.

use super::*;
use zonaut_compile::CompiledNetwork;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;

const TEXT: &str = "clock x, y, z; \
    process P() { state a { x <= 4 }, b; init a; trans a -> b { guard y >= 2; }, b -> a { assign x = 0; }; } \
    process Q() { state c, d { y < 7 }; init c; trans c -> d { assign y = 0; }; } system P, Q;";

fn bounds() -> BoundsTable {
    let (model, _) = model_of(TEXT, &["E<> z > 1"]).unwrap_or_else(|e| panic!("{e:?}"));
    let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
    BoundsTable::new(&model, &goal)
}

/// Rows, lower and upper bounds of one location vector.
fn check(locations: &[i32], rows: &[ClockRow], lower: &[i32], upper: &[i32]) {
    let active = ActiveClocks::new(&bounds(), locations);
    assert_eq!((&*active.rows, &*active.lower, &*active.upper), (rows, lower, upper));
    for row in 0..4 {
        let position = active.rows.iter().position(|&r| r == row);
        assert_eq!(active.position_if_active(row).map(Row::index), position);
    }
}

#[test]
fn active_clocks_have_the_greatest_bounds_of_processes_and_goal() {
    check(&[0, 0], &[0, 1, 2, 3], &[0, NO_BOUND, 2, 1], &[0, 4, NO_BOUND, NO_BOUND]);
    check(&[0, 1], &[0, 1, 2, 3], &[0, NO_BOUND, 2, 1], &[0, 4, 7, NO_BOUND]);
    check(&[1, 0], &[0, 2, 3], &[0, 2, 1], &[0, NO_BOUND, NO_BOUND]);
}

#[test]
fn cached_active_clocks_equal_those_computed_anew() {
    let bounds = bounds();
    let mut active_clocks = ActiveClocksTable::new(2);
    for round in 0..3 {
        for locations in [[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]] {
            // Cells after the locations are irrelevant.
            let values = [locations[0], locations[1], round];
            let (found, fresh) =
                (active_clocks.of(&bounds, &values), ActiveClocks::new(&bounds, &locations));
            assert_eq!((&found.rows, &found.lower), (&fresh.rows, &fresh.lower));
            assert_eq!((&found.upper, &found.position), (&fresh.upper, &fresh.position));
        }
    }
}

#[test]
fn different_bounds_have_different_shapes() {
    let bounds = bounds();
    let mut active_clocks = ActiveClocksTable::new(2);
    let all =
        [[0, 0], [1, 1], [0, 1], [1, 0]].map(|locations| active_clocks.of(&bounds, &locations));
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        let is_same = (&a.lower, &a.upper) == (&b.lower, &b.upper);
        assert_eq!(a.shape() == b.shape(), is_same);
    }
    let mut shapes = by_bounds::Shapes::default();
    assert_ne!(shapes.number(&[0, 1], &[0, 1]), shapes.number(&[0, 2], &[0, 1]));
    assert_eq!(shapes.number(&[0, 2], &[0, 1]), shapes.number(&[0, 2], &[0, 1]));
    // More shapes than are kept have their own ids.
    let ids = (3..10_000).map(|bound| shapes.number(&[0, bound], &[0, 1]));
    let ids: std::collections::BTreeSet<u64> = ids.collect();
    assert_eq!(ids.len(), 10_000 - 3);
}

/// Replaced entries have other numbers, and their memory is used again only where no one refers to
/// it.
#[test]
fn active_clocks_in_use_are_not_changed() {
    let bounds = bounds();
    let mut active_clocks = ActiveClocksByBounds::default();
    active_clocks.limit(usize::MAX >> 8);
    assert_eq!(active_clocks.most(), 1);
    let (first, kept) = active_clocks.of(&bounds, &[0, 0]);
    let kept = Arc::clone(kept);
    assert!(active_clocks.get(Number::NONE).is_none());
    let (second, other) = active_clocks.of(&bounds, &[0, 1]);
    assert_eq!(other.upper, ActiveClocks::new(&bounds, &[0, 1]).upper);
    assert_eq!(kept.upper, ActiveClocks::new(&bounds, &[0, 0]).upper);
    assert!(active_clocks.get(first).is_none() && active_clocks.get(second).is_some());
    let (third, again) = active_clocks.of(&bounds, &[1, 0]);
    assert_eq!(again.rows, ActiveClocks::new(&bounds, &[1, 0]).rows);
    assert!(active_clocks.get(second).is_none() && active_clocks.get(third).is_some());
}

#[test]
fn many_location_vectors_have_their_own_active_clocks() {
    const PROCESSES: usize = 3;
    const LOCATIONS: usize = 36;
    let process = |p: usize| {
        let states: Vec<_> = (0..LOCATIONS).map(|l| format!("l{l} {{ x{p} <= {l} }}")).collect();
        format!("process P{p}() {{ state {}; init l0; }} ", states.join(", "))
    };
    let processes: String = (0..PROCESSES).map(process).collect();
    let text = format!("clock x0, x1, x2; {processes} system P0, P1, P2;");
    let (model, _) = model_of(&text, &["E<> P0.l1"]).unwrap_or_else(|e| panic!("{e:?}"));
    let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
    let bounds = BoundsTable::new(&model, &goal);
    let mut active_clocks = ActiveClocksTable::new(PROCESSES);
    for number in (0..LOCATIONS.pow(3)).chain((0..LOCATIONS.pow(3)).rev()) {
        let digits = [1, LOCATIONS, LOCATIONS * LOCATIONS].map(|unit| number / unit % LOCATIONS);
        let expected: Vec<i32> = std::iter::once(0).chain(digits.map(|d| d as i32)).collect();
        assert_eq!(active_clocks.of(&bounds, &expected[1..]).upper, expected);
    }
    assert_eq!(active_clocks.slots.len(), active_clocks.most_slots);
}

#[test]
fn the_table_keeps_within_its_memory_limit() {
    for processes in [1, 3, 5, 40, 3_000, 200_000] {
        let active_clocks = ActiveClocksTable::new(processes);
        let (slots, slot) = (active_clocks.most_slots, size_of::<Number>() + 4 * processes);
        assert!(slots.is_power_of_two() && slots <= SLOTS);
        assert!(slots == 1 || slots * slot <= BYTES);
        assert!(slots == SLOTS || 4 * slots * slot > BYTES);
    }
    for clocks in [0, 1, 7, 30, 2_000, 50_000] {
        let mut by_bounds = ActiveClocksByBounds::default();
        by_bounds.limit(clocks);
        let (most, least) = (by_bounds.most(), size_of::<ActiveClocks>() + 24 * clocks);
        assert!(most.is_power_of_two() && (most == 1 || most * least <= BYTES));
    }
    assert_eq!(ActiveClocksTable::new(1).most_slots, SLOTS);
}

#[test]
fn active_clocks_of_packed_states_equal_those_of_their_locations() {
    const PROCESSES: usize = 5;
    const LOCATIONS: usize = 6;
    let process = |p: usize| {
        let states: Vec<_> = (0..LOCATIONS).map(|l| format!("l{l} {{ x{p} <= {l} }}")).collect();
        format!("process P{p}() {{ state {}; init l0; }} ", states.join(", "))
    };
    let clocks: Vec<String> = (0..PROCESSES).map(|p| format!("x{p}")).collect();
    let names: Vec<String> = (0..PROCESSES).map(|p| format!("P{p}")).collect();
    let processes: String = (0..PROCESSES).map(process).collect();
    let text = format!(
        "clock {}; int[0,1000] n; int[-5,5] m; {processes} system {};",
        clocks.join(", "),
        names.join(", ")
    );
    let (model, _) = model_of(&text, &["E<> P0.l1"]).unwrap_or_else(|e| panic!("{e:?}"));
    let bounds = BoundsTable::new(&model, &zonaut_model::Formula::truth());
    let network =
        CompiledNetwork::new(&model, &zonaut_base::Meter::default()).expect("few actions");
    let mut active_clocks = ActiveClocksOfBuckets::new(&network);
    let mut bucket = Vec::new();
    let all = LOCATIONS.pow(PROCESSES as u32);
    for number in (0..all).chain((0..all).rev()) {
        let digit = |p: usize| (number / LOCATIONS.pow(p as u32) % LOCATIONS) as i32;
        let mut values: Vec<i32> = (0..PROCESSES).map(digit).collect();
        let expected = ActiveClocks::new(&bounds, &values);
        values.extend([number as i32 % 1001, number as i32 % 11 - 5]);
        network.packing.pack(&values, &mut bucket);
        let found = active_clocks.of(&network, &bounds, &bucket);
        assert_eq!((&found.rows, &found.lower), (&expected.rows, &expected.lower));
        assert_eq!((&found.upper, &found.position), (&expected.upper, &expected.position));
    }
}
