//! Small models with known distances.

use crate::goals::Task;
use crate::laws::{added, ask, shared};
use zonaut_base::Id;
use zonaut_model::QueryId;
use zonaut_predicates::{Cut, Rounds, Vocabulary};
use zonaut_space::Estimate;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;
use zonaut_testkit::world::World;

pub(crate) fn task(text: &str, query: &str) -> Task {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    Task { model, goal }
}

/// The estimates of the initial state: admissible, then added.
fn first(
    task: &Task,
    split: Option<usize>,
    vocabulary: Vocabulary,
) -> (Estimate<u32>, Estimate<u32>) {
    let world = World::new(&task.model, &task.goal).expect("a small world");
    let cut = Cut { split, vocabulary, ..Cut::default() };
    let state = &world.states[0];
    (ask(&mut shared(task, &cut, 20_000), state), ask(&mut added(task, &cut, 20_000), state))
}

/// One part with all conditions is better than locations alone.
#[test]
fn guards_count_if_they_are_predicates() {
    let counter = task(
        "int[0,3] n; clock x;
        process P() {
            state a, b; init a;
            trans a -> a { guard x >= 1; assign n := n + 1, x := 0; }, a -> b { guard n == 3; };
        }
        system P;",
        "E<> P.b",
    );
    use Estimate::Distance;
    assert_eq!(first(&counter, None, Vocabulary::Locations).0, Distance(1));
    // The only predicate about `n` is `n == 3`.
    assert_eq!(first(&counter, None, Vocabulary::Text).0, Distance(2));
}

/// Every round finds the condition one increment earlier, until the path is feasible.
#[test]
fn refinement_finds_conditions_of_earlier_steps() {
    let counter = task(
        "int[0,9] n;
        process P() {
            state a, b; init a;
            trans a -> a { guard n < 9; assign n := n + 1; }, a -> b { guard n == 3; };
        }
        system P;",
        "E<> P.b",
    );
    let at = |rounds: Rounds| first(&counter, None, Vocabulary::Refined(rounds.into())).0;
    let exact = Estimate::Distance(4);
    assert_eq!(at(Rounds::AtMost(0)), Estimate::Distance(1));
    assert_eq!(at(Rounds::AtMost(9)), exact);
    assert_eq!(at(Rounds::WhileGrowing), exact);
    let waiting = task(
        "clock x, y;
        process P() {
            state a, b, c, d; init a;
            trans a -> b { assign x := 0; }, b -> c { guard x >= 2; },
                c -> d { guard y <= 1; }, c -> c { assign y := 0; };
        }
        system P;",
        "E<> P.d",
    );
    let at = |rounds: Rounds| first(&waiting, None, Vocabulary::Refined(rounds.into())).0;
    assert_eq!(at(Rounds::AtMost(0)), Estimate::Distance(3));
    assert_eq!(at(Rounds::AtMost(9)), exact);
}

#[test]
fn contradicting_clock_constraints_are_detected() {
    let apart = task(
        "clock x;
        process P() {
            state a, b, c; init a;
            trans a -> b { guard x >= 5; }, b -> c { guard x <= 4; }, b -> b { assign x := 0; };
        }
        system P;",
        "E<> P.c",
    );
    assert_eq!(first(&apart, None, Vocabulary::Locations).0, Estimate::Distance(2));
    assert_eq!(first(&apart, None, Vocabulary::Text).0, Estimate::Distance(3));
}

/// A synchronisation of two parts: each part counts it, or half of it.
#[test]
fn a_synchronisation_between_parts_counts_twice_or_by_halves() {
    let meeting = task(
        "chan c;
        process P() { state a, b; init a; trans a -> b { sync c!; }; }
        process Q() { state a, b; init a; trans a -> b { sync c?; }; }
        system P, Q;",
        "E<> P.b && Q.b",
    );
    use Estimate::Distance;
    assert_eq!(first(&meeting, Some(1), Vocabulary::Text), (Distance(1), Distance(2)));
    assert_eq!(first(&meeting, Some(2), Vocabulary::Text), (Distance(1), Distance(1)));
    assert_eq!(first(&meeting, None, Vocabulary::Text).0, Distance(1));
}

/// For a goal with alternatives, the estimate is the minimum over them of the sum over all parts.
#[test]
fn the_nearest_alternative_counts_as_a_whole() {
    let either = task(
        "process P() { state a, b, c; init a; trans a -> b { }, b -> c { }; }
        process Q() { state a, b, c; init a; trans a -> b { }, b -> c { }; }
        system P, Q;",
        "E<> (P.c && Q.a) or (P.c && Q.c)",
    );
    assert_eq!(first(&either, Some(1), Vocabulary::Text).0, Estimate::Distance(2));
    let both = task(
        "process P() { state a, b, c; init a; trans a -> b { }, b -> c { }; }
        process Q() { state a, b, c; init a; trans a -> b { }, b -> c { }; }
        system P, Q;",
        "E<> (P.b && Q.c) or (P.c && Q.b)",
    );
    assert_eq!(first(&both, Some(1), Vocabulary::Text).0, Estimate::Distance(3));
}

/// A guard of a synchronisation that stays inside a part.
#[test]
fn guards_of_kept_interactions_stay() {
    let guarded = task(
        "chan c; bool ready;
        process P() { state a, b; init a; trans a -> a { assign ready := true; }, a -> b { guard ready; sync c!; }; }
        process Q() { state a, b; init a; trans a -> b { sync c?; }; }
        system P, Q;",
        "E<> Q.b",
    );
    assert_eq!(first(&guarded, None, Vocabulary::Text).0, Estimate::Distance(2));
}

/// A guard waits for longer than an invariant lets another clock grow: that clock has to be reset
/// twice before, and the difference between the two clocks is in no guard.
#[test]
fn a_wait_that_is_longer_than_rounds_counts_the_rounds() {
    let rounds = task(
        "clock y, z;
        process P() {
            state a { z <= 10 }, b; init a;
            trans a -> a { assign z := 0; }, a -> b { guard y >= 25; };
        }
        system P;",
        "E<> P.b",
    );
    assert_eq!(first(&rounds, None, Vocabulary::Locations).0, Estimate::Distance(1));
    assert_eq!(first(&rounds, None, Vocabulary::Text).0, Estimate::Distance(3));
}

/// In a part, a process outside may raise the alarm at once; near the goal all locations are known.
#[test]
fn near_the_goal_all_locations_are_known() {
    let alarm = task(
        "chan alarm;
        process P() { state a, b, c; init a; trans a -> b { }, b -> c { sync alarm!; }; }
        process Bell() {
            state quiet, rung, loud; init quiet;
            trans quiet -> rung { sync alarm?; }, rung -> loud { sync alarm?; };
        }
        One = P(); Two = P(); Three = P();
        system One, Two, Three, Bell;",
        "E<> Bell.loud",
    );
    let world = World::new(&alarm.model, &alarm.goal).expect("a small world");
    let at = |near: usize| {
        let cut = Cut { split: Some(1), near, ..Cut::default() };
        ask(&mut shared(&alarm, &cut, 20_000), &world.states[0])
    };
    assert_eq!(at(0), Estimate::Distance(1));
    assert_eq!(at(200), Estimate::Distance(4));
}
