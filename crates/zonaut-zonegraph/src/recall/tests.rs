//! Remembered steps.

use super::*;
use zonaut_base::Id;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{ConstantBound, Narrow};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;

impl<W: Width> Recall<W> {
    /// The number of questions in the current window that were remembered.
    pub(crate) fn answers_given(&self) -> u32 {
        self.rhythm.answered
    }
}

/// One frame with two clocks and another with other bounds for them.
fn frames() -> (Frame, Frame) {
    const TEXT: &str = "clock x, y; process P() { state a { x <= 4 }, b { x <= 5 }; init a; \
        trans a -> b { guard y >= 2; assign x = 0; }, b -> a { assign x = 0; }; } system P;";
    let (model, _) = model_of(TEXT, &["E<> y > 1"]).unwrap_or_else(|e| panic!("{e:?}"));
    let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
    let bounds = BoundsTable::new(&model, &goal);
    let mut frames = crate::frame::Frames::new(1);
    let (first, second) = (frames.of(&bounds, &[0]), frames.of(&bounds, &[1]));
    ((*first).clone(), (*second).clone())
}

/// A zone with a number in it.
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

/// Calls `visit` with questions that differ from each other in one thing each.
fn different_questions(
    (source, target): &(Frame, Frame),
    zone: &Zone,
    mut visit: impl FnMut(Question<'_, Narrow>),
) {
    let (cut, other) = (cut(Bound::le(3)), cut(Bound::lt(3)));
    let (before, arrival, images) = (&cut, &[], &IMAGES);
    let first = Question { zone, source, before, images, target, arrival, delayed: true };
    visit(first);
    visit(Question { before: &other, ..first });
    visit(Question { before: &[], ..first });
    visit(Question { before: &[], arrival: &cut, ..first });
    visit(Question { arrival: &cut, ..first });
    visit(Question { images: &OTHER_IMAGES, ..first });
    visit(Question { images: &IMAGES[..2], ..first });
    visit(Question { target: source, ..first });
    visit(Question { delayed: false, ..first });
}

#[test]
fn every_question_has_its_own_answer() {
    let (frames, mut recall) = (frames(), Recall::new(true));
    for round in 0..2 {
        for source in 0..20 {
            let source_zone = zone(source);
            recall.leave();
            let mut number = 0;
            different_questions(&frames, &source_zone, |question| {
                let expected = (number != 3).then(|| zone(100 * source + number));
                let recalled = recall.ask(question);
                match (round, &expected) {
                    (0, _) => assert_eq!(recalled, Recalled::Unknown),
                    (_, None) => assert_eq!(recalled, Recalled::Empty),
                    (_, Some(zone)) => assert_eq!(recalled, Recalled::Zone(zone.as_slice())),
                }
                if round == 0 {
                    recall.learn(expected.as_ref());
                }
                number += 1;
            });
        }
    }
}

#[test]
fn different_questions_are_written_differently() {
    // Constraints that differ in one thing each, and images that look like some of them as words.
    let (one, two) = (ConstantBound::le(1), ConstantBound::lt(2));
    let rows = [(0, 1, one), (0, 1, two), (0, 2, one), (1, 2, one), (1, 0, one)];
    let constraints = rows.map(|(x, y, bound)| ZoneConstraint { x, y, bound: bound.into() });
    let images = [(Row(1), one.encoded()), (Row(1), two.encoded()), (Row(2), one.encoded())];
    let lists = [&[][..], &[0], &[1], &[2], &[0, 0], &[0, 1], &[1, 0], &[0, 1, 1]];
    let images = lists.map(|list| list.iter().map(|&i| images[i]).collect::<Vec<_>>());
    let lists = lists.into_iter().chain([&[3][..], &[4]]);
    let constraints = lists.map(|list| list.iter().map(|&i| constraints[i]).collect::<Vec<_>>());
    let constraints: Vec<_> = constraints.collect();
    let (source, other) = frames();
    let small = Zone::origin(2);
    let (mut written, mut count) = (std::collections::BTreeSet::new(), 0);
    let mut check = |place, question: Question<'_, Narrow>| {
        let mut words = Vec::new();
        question.write(place, &mut words);
        written.insert(words);
        count += 1;
    };
    for (before, arrival) in
        constraints.iter().flat_map(|b| constraints.iter().map(move |a| (b, a)))
    {
        for images in &images {
            let (zone, target) = (&Zone::origin(3), &source);
            let (source, delayed) = (&source, false);
            let first = Question { zone, source, before, images, target, arrival, delayed };
            check(0, first);
            check(1, first);
            check(0, Question { zone: &small, ..first });
            check(0, Question { target: &other, ..first });
            check(0, Question { delayed: true, ..first });
        }
    }
    assert_eq!(written.len(), count);
}

#[test]
fn what_has_the_same_hash_is_told_apart() {
    let Recall { mut zones, mut questions, .. } = Recall::new(true);
    let all = [zone(1), zone(2), zone(3)];
    let places = all.each_ref().map(|zone| zones.place(7, zone.as_slice()));
    assert_eq!(all.each_ref().map(|zone| zones.place(7, zone.as_slice())), places);
    assert_eq!(places, [0, 9, 18]);
    let all = [&[1, 2][..], &[1, 3], &[1, 2, 3], &[]];
    for (number, question) in (0..).zip(all) {
        assert_eq!(questions.answer(7, question), None);
        questions.add(7, question, (number, u32::MAX - number));
    }
    for (number, question) in (0..).zip(all) {
        assert_eq!(questions.answer(7, question), Some((number, u32::MAX - number)));
    }
}

#[test]
fn a_zone_that_begins_a_larger_one_has_its_own_answers() {
    let (small, large) = (Zone::<Narrow>::origin(1), Zone::<Narrow>::origin(2));
    assert!(large.as_slice().starts_with(small.as_slice()));
    let mut recall = Recall::new(true);
    for zone in [&large, &small] {
        recall.leave();
        let (source, target) = frames();
        let question = Question {
            zone,
            source: &source,
            before: &[],
            images: &IMAGES[..1],
            target: &target,
            arrival: &[],
            delayed: false,
        };
        assert_eq!(recall.ask(question), Recalled::Unknown);
        recall.learn(None);
    }
}

#[test]
fn a_full_memory_is_emptied_and_goes_on() {
    let (frames, mut recall) = (frames(), Recall::new(true));
    let (mut known, mut bytes) = (0, 0);
    for source in 0..4_000 {
        let source_zone = zone(source);
        // Half of the questions are asked twice, so that there is no rest.
        for _ in 0..2 {
            recall.leave();
            different_questions(&frames, &source_zone, |question| match recall.ask(question) {
                Recalled::Zone(found) => {
                    assert_eq!(found, zone(source + 1).as_slice());
                    known += 1;
                }
                Recalled::Unknown => recall.learn(Some(&zone(source + 1))),
                other => panic!("{other:?}"),
            });
            let kept = 4 * recall.zones.bounds.len() + 8 * recall.questions.words.len();
            assert_eq!(recall.bytes(), kept);
            bytes = bytes.max(kept);
        }
    }
    assert!(known > 4_000 * 8, "{known}");
    assert!((BYTES..BYTES + (1 << 16)).contains(&bytes), "{bytes}");
}

#[test]
fn memory_that_does_not_pay_rests_and_tries_again() {
    let (frames, mut recall) = (frames(), Recall::new(true));
    let (mut remembered, mut ignored) = (0, 0);
    for source in 0..20_000 {
        recall.leave();
        different_questions(&frames, &zone(source), |question| match recall.ask(question) {
            Recalled::Unknown => {
                remembered += 1;
                recall.learn(None);
            }
            Recalled::Ignored => ignored += 1,
            other => panic!("{other:?}"),
        });
    }
    assert!(remembered > 2 * WINDOW && ignored > 10 * remembered, "{remembered} {ignored}");
    let mut never = Recall::new(false);
    different_questions(&frames, &zone(1), |question| {
        assert_eq!(never.ask(question), Recalled::Ignored)
    });
}
