//! The cache of zone steps.

use super::*;
use zonaut_base::Id;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{ConstantBound, Narrow};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;

impl<W: Width> ZoneStepCache<W> {
    /// The number of hits in the current window.
    pub(crate) fn hits(&self) -> u32 {
        self.policy.answered
    }
}

/// Active clocks with two clocks, and others with different bounds for them.
fn active_clocks() -> (ActiveClocks, ActiveClocks) {
    const TEXT: &str = "clock x, y; process P() { state a { x <= 4 }, b { x <= 5 }; init a; \
        trans a -> b { guard y >= 2; assign x = 0; }, b -> a { assign x = 0; }; } system P;";
    let (model, _) = model_of(TEXT, &["E<> y > 1"]).unwrap_or_else(|e| panic!("{e:?}"));
    let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
    let bounds = BoundsTable::new(&model, &goal);
    let mut active_clocks = crate::active_clocks::ActiveClocksTable::new(1);
    let (first, second) = (active_clocks.of(&bounds, &[0]), active_clocks.of(&bounds, &[1]));
    ((*first).clone(), (*second).clone())
}

/// A zone that contains a number.
fn zone(number: i32) -> Zone {
    let mut zone = Zone::origin(3);
    zone.delay();
    zone.constrain(Row(1), Row::ZERO, Bound::le(number)).expect("not empty");
    zone
}

/// A constraint on the first clock.
fn cut(bound: Bound) -> [ZoneConstraint<Narrow>; 1] {
    [ZoneConstraint { x: 1, y: 0, bound }]
}

const IMAGES: [(Row, i32); 3] = [(Row::ZERO, 0), (Row(1), 0), (Row::ZERO, 0)];
const OTHER_IMAGES: [(Row, i32); 3] = [(Row::ZERO, 0), (Row(1), 0), (Row::ZERO, 1)];

/// Calls `visit` with steps that differ from each other in one input each.
fn different_steps(
    (source, target): &(ActiveClocks, ActiveClocks),
    zone: &Zone,
    mut visit: impl FnMut(ZoneStep<'_, Narrow>),
) {
    let (cut, other) = (cut(Bound::le(3)), cut(Bound::lt(3)));
    let (before, arrival, images) = (&cut, &[], &IMAGES);
    let first = ZoneStep { zone, source, before, images, target, arrival, delayed: true };
    visit(first);
    visit(ZoneStep { before: &other, ..first });
    visit(ZoneStep { before: &[], ..first });
    visit(ZoneStep { before: &[], arrival: &cut, ..first });
    visit(ZoneStep { arrival: &cut, ..first });
    visit(ZoneStep { images: &OTHER_IMAGES, ..first });
    visit(ZoneStep { images: &IMAGES[..2], ..first });
    visit(ZoneStep { target: source, ..first });
    visit(ZoneStep { delayed: false, ..first });
}

#[test]
fn every_step_has_its_own_result() {
    let (active_clocks, mut zone_step_cache) = (active_clocks(), ZoneStepCache::new(true));
    for round in 0..2 {
        for source in 0..20 {
            let source_zone = zone(source);
            zone_step_cache.leave();
            let mut number = 0;
            different_steps(&active_clocks, &source_zone, |step| {
                let expected = (number != 3).then(|| zone(100 * source + number));
                let recalled = zone_step_cache.ask(step);
                match (round, &expected) {
                    (0, _) => assert_eq!(recalled, CachedStep::Unknown),
                    (_, None) => assert_eq!(recalled, CachedStep::Empty),
                    (_, Some(zone)) => assert_eq!(recalled, CachedStep::Zone(zone.as_slice())),
                }
                if round == 0 {
                    zone_step_cache.learn(expected.as_ref());
                }
                number += 1;
            });
        }
    }
}

#[test]
fn different_steps_have_different_keys() {
    // Constraints that differ in one input each, and images that equal some of them as words.
    let (one, two) = (ConstantBound::le(1), ConstantBound::lt(2));
    let rows = [(0, 1, one), (0, 1, two), (0, 2, one), (1, 2, one), (1, 0, one)];
    let constraints = rows.map(|(x, y, bound)| ZoneConstraint { x, y, bound: bound.into() });
    let images = [(Row(1), one.encoded()), (Row(1), two.encoded()), (Row(2), one.encoded())];
    let lists = [&[][..], &[0], &[1], &[2], &[0, 0], &[0, 1], &[1, 0], &[0, 1, 1]];
    let images = lists.map(|list| list.iter().map(|&i| images[i]).collect::<Vec<_>>());
    let lists = lists.into_iter().chain([&[3][..], &[4]]);
    let constraints = lists.map(|list| list.iter().map(|&i| constraints[i]).collect::<Vec<_>>());
    let constraints: Vec<_> = constraints.collect();
    let (source, other) = active_clocks();
    let small = Zone::origin(2);
    let (mut written, mut count) = (std::collections::BTreeSet::new(), 0);
    let mut check = |place, step: ZoneStep<'_, Narrow>| {
        let mut words = Vec::new();
        step.write(place, &mut words);
        written.insert(words);
        count += 1;
    };
    for (before, arrival) in
        constraints.iter().flat_map(|b| constraints.iter().map(move |a| (b, a)))
    {
        for images in &images {
            let (zone, target) = (&Zone::origin(3), &source);
            let (source, delayed) = (&source, false);
            let first = ZoneStep { zone, source, before, images, target, arrival, delayed };
            check(0, first);
            check(1, first);
            check(0, ZoneStep { zone: &small, ..first });
            check(0, ZoneStep { target: &other, ..first });
            check(0, ZoneStep { delayed: true, ..first });
        }
    }
    assert_eq!(written.len(), count);
}

#[test]
fn steps_with_equal_hashes_are_distinguished() {
    let ZoneStepCache { mut zones, mut steps, .. } = ZoneStepCache::new(true);
    let all = [zone(1), zone(2), zone(3)];
    let places = all.each_ref().map(|zone| zones.place(7, zone.as_slice()));
    assert_eq!(all.each_ref().map(|zone| zones.place(7, zone.as_slice())), places);
    assert_eq!(places, [0, 9, 18]);
    let all = [&[1, 2][..], &[1, 3], &[1, 2, 3], &[]];
    for (number, step) in (0..).zip(all) {
        assert_eq!(steps.answer(7, step), None);
        steps.add(7, step, number, u32::MAX - number);
    }
    for (number, step) in (0..).zip(all) {
        assert_eq!(steps.answer(7, step), Some((number, u32::MAX - number)));
    }
}

#[test]
fn a_zone_that_is_a_prefix_of_another_has_its_own_results() {
    let (small, large) = (Zone::<Narrow>::origin(1), Zone::<Narrow>::origin(2));
    assert!(large.as_slice().starts_with(small.as_slice()));
    let mut zone_step_cache = ZoneStepCache::new(true);
    for zone in [&large, &small] {
        zone_step_cache.leave();
        let (source, target) = active_clocks();
        let step = ZoneStep {
            zone,
            source: &source,
            before: &[],
            images: &IMAGES[..1],
            target: &target,
            arrival: &[],
            delayed: false,
        };
        assert_eq!(zone_step_cache.ask(step), CachedStep::Unknown);
        zone_step_cache.learn(None);
    }
}

#[test]
fn a_full_cache_is_emptied_and_goes_on() {
    let (active_clocks, mut zone_step_cache) = (active_clocks(), ZoneStepCache::new(true));
    let (mut known, mut bytes) = (0, 0);
    for source in 0..4_000 {
        let source_zone = zone(source);
        // Half of the steps are looked up twice, so that caching does not pause.
        for _ in 0..2 {
            zone_step_cache.leave();
            different_steps(&active_clocks, &source_zone, |step| match zone_step_cache.ask(step) {
                CachedStep::Zone(found) => {
                    assert_eq!(found, zone(source + 1).as_slice());
                    known += 1;
                }
                CachedStep::Unknown => zone_step_cache.learn(Some(&zone(source + 1))),
                other => panic!("{other:?}"),
            });
            let kept =
                4 * zone_step_cache.zones.bounds.len() + 8 * zone_step_cache.steps.words.len();
            assert_eq!(zone_step_cache.bytes(), kept);
            bytes = bytes.max(kept);
        }
    }
    assert!(known > 4_000 * 8, "{known}");
    assert!((BYTES..BYTES + (1 << 16)).contains(&bytes), "{bytes}");
}

#[test]
fn a_cache_without_hits_pauses_and_tries_again() {
    let (active_clocks, mut zone_step_cache) = (active_clocks(), ZoneStepCache::new(true));
    let (mut remembered, mut ignored) = (0, 0);
    for source in 0..20_000 {
        zone_step_cache.leave();
        different_steps(&active_clocks, &zone(source), |step| match zone_step_cache.ask(step) {
            CachedStep::Unknown => {
                remembered += 1;
                zone_step_cache.learn(None);
            }
            CachedStep::Ignored => ignored += 1,
            other => panic!("{other:?}"),
        });
    }
    assert!(remembered > 2 * WINDOW && ignored > 10 * remembered, "{remembered} {ignored}");
    let mut never = ZoneStepCache::new(false);
    different_steps(&active_clocks, &zone(1), |step| {
        assert_eq!(never.ask(step), CachedStep::Ignored)
    });
}
