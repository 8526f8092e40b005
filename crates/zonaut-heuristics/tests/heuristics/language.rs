//! The laws of heuristics on models that use the whole language.

use crate::goals::Task;
use crate::laws::{flaw_of_distance, flaw_of_large_clocks, flaw_of_lower, flaw_of_upper};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zonaut_base::Id;
use zonaut_heuristics::{DiscreteHeuristic, Invariants, Relaxation};
use zonaut_model::QueryId;
use zonaut_space::{Estimate, Meter, StopReason};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;
use zonaut_testkit::world::World;

/// Checks all laws on a model with a query; returns the estimate of `hl` for the initial state.
fn check(text: &str, query: &str) -> Estimate<u32> {
    let (model, _) = model_of(text, &[query]).expect("a valid model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a reachability query");
    let task = Task { model, goal };
    let space = World::new(&task.model, &task.goal).expect("a small space");
    for law in [flaw_of_lower, flaw_of_upper, flaw_of_distance] {
        assert_eq!(law(&task, &space), None, "{query}");
    }
    Relaxation::new(&task.model, &task.goal).lower().estimate(&space.states[0].values)
}

const QUEUE: &str = "
    const int N = 3;
    typedef int[0, N - 1] id_t;
    id_t list[N];
    int[0, N] length;
    int[0, 9] served;
    chan come[N], leave;
    void enqueue(id_t e) { list[length] = e; length++; }
    id_t front() { return list[0]; }
    void dequeue() {
        int i = 0;
        length -= 1;
        while (i < length) { list[i] = list[i + 1]; i++; }
        list[i] = 0;
    }
    process Customer(const id_t id) {
        state away, here;
        init away;
        trans away -> here { sync come[id]!; },
              here -> away { guard length > 0 && front() == id; sync leave?; assign dequeue(); };
    }
    process Desk() {
        state idle;
        init idle;
        trans idle -> idle { select i : id_t; guard length < N; sync come[i]?; assign enqueue(i); },
              idle -> idle { guard served < 5; sync leave!; assign served = served + 1; };
    }
    system Customer, Desk;
";

#[test]
fn arrays_functions_and_selections_are_followed() {
    assert_eq!(check(QUEUE, "E<> length == 3 and list[2] == 0"), Estimate::Distance(3));
    assert_eq!(check(QUEUE, "E<> served == 2"), Estimate::Distance(3));
    assert_eq!(check(QUEUE, "E<> exists (i : id_t) list[i] == 2"), Estimate::Distance(1));
    check(QUEUE, "A[] (forall (i : id_t) Customer(i).here) imply served < 4");
    check(QUEUE, "E<> (sum (i : id_t) Customer(i).here) == 2 and served == 1");
}

const BROADCAST: &str = "
    broadcast chan go;
    int[0, 5] first, count;
    process Starter() {
        state a, b;
        init a;
        trans a -> b { sync go!; assign first = 2; };
    }
    process Runner(const int[0, 2] id) {
        state w, r, s;
        init w;
        trans w -> r { guard first == 0; sync go?; assign count = count + first - 1; },
              w -> s { guard id == 2; };
    }
    system Starter, Runner;
";

#[test]
fn all_receivers_join_in_one_layer_and_read_earlier_writes() {
    // Each of the three receivers adds one to the result of the ones before.
    assert_eq!(check(BROADCAST, "E<> count == 3"), Estimate::Distance(1));
    assert_eq!(check(BROADCAST, "E<> count == 1 and Runner(0).r"), Estimate::Distance(1));
    check(BROADCAST, "E<> Runner(2).s and count == 2");
}

const CHAIN: &str = "
    chan c;
    int[0, 3] u, v, w;
    process S() { state a, b; init a; trans a -> b { sync c!; assign u = 1, v = u + 1; }; }
    process R() { state a, b; init a; trans a -> b { sync c?; assign w = v + 1; }; }
    process T() { state a, b; commit a; init a; trans a -> b { assign u = 3; }; }
    system S, R, T;
";

#[test]
fn updates_of_one_transition_run_in_order() {
    assert_eq!(check(CHAIN, "E<> w == 3"), Estimate::Distance(1));
    assert_eq!(check(CHAIN, "E<> v == 2 and u == 1"), Estimate::Distance(1));
    // The sender's own value of `u` is used, not the one from before.
    assert_eq!(check(CHAIN, "E<> v == 1"), Estimate::DeadEnd);
}

const WIDE: &str = "
    int steps;
    int[0, 3] v;
    process P() {
        state a, b;
        init a;
        trans a -> a { guard steps < 300; assign steps = steps + 1; },
              a -> b { guard steps * 2 > 500; assign v = steps % 4; };
    }
    system P;
";

#[test]
fn values_are_counted_up_to_the_limit_of_distinguished_ones() {
    let Estimate::Distance(value) = check(WIDE, "E<> P.b and v == 1") else {
        panic!("the goal is reachable");
    };
    assert!((100..=254).contains(&value), "{value}");
}

const META: &str = "
    meta int[0, 3] letter;
    int[0, 3] got;
    chan c;
    process S() { state a; init a; trans a -> a { select i : int[1, 2]; sync c!; assign letter = i; }; }
    process R() {
        state a, b;
        init a;
        trans a -> a { sync c?; assign got = letter; },
              a -> b { guard letter == 0 && got == 2; };
    }
    system S, R;
";

#[test]
fn a_meta_variable_carries_a_value_within_a_transition() {
    assert_eq!(check(META, "E<> R.b"), Estimate::Distance(2));
    check(META, "E<> letter == 1");
}

const AROUND: &str = "
    int[0, 3] before, after, v;
    before_update { before = v }
    after_update { after = before + 1 }
    process P() { state a, b; init a; trans a -> a { guard v < 2; assign v = v + 1; }, a -> b { }; }
    system P;
";

#[test]
fn updates_around_transitions_belong_to_them() {
    assert_eq!(check(AROUND, "E<> after == 2 and P.b"), Estimate::Distance(2));
    check(AROUND, "E<> before == 2");
}

const ERRORS: &str = "
    int[0, 2] v;
    int[0, 9] a[3];
    process P() {
        state s, t, u;
        init s;
        trans s -> t { assign v = 2; },
              t -> u { guard a[v + 1] == 1; },
              s -> u { guard a[v] == 1; };
    }
    system P;
";

#[test]
fn a_guard_that_may_fail_keeps_a_state_alive() {
    assert_eq!(check(ERRORS, "E<> P.u"), Estimate::Last);
    let (model, _) = model_of(ERRORS, &["E<> P.u"]).expect("a valid model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    // In the last location nothing is evaluated.
    let relaxation = Relaxation::new(&model, &goal);
    assert_eq!(relaxation.lower().estimate(&[1, 1, 0, 0, 0]), Estimate::DeadEnd);
}

#[test]
fn values_beyond_the_limit_of_clocks_are_failures() {
    assert_eq!(flaw_of_large_clocks(), None);
}

#[test]
fn quantifiers_that_take_too_long_are_failures() {
    let text = "int[0,1] v; process P() { state a, b; init a;
        trans a -> b { guard forall (i : int[0,30000000]) i + v >= 0; }; } system P;";
    let (model, _) = model_of(text, &["E<> v == 1"]).expect("a valid model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a reachability query");
    assert_eq!(Relaxation::new(&model, &goal).lower().estimate(&[0, 0]), Estimate::Last);
}

#[test]
fn arrays_and_structs_of_one_integer_are_returned() {
    let text =
        "typedef struct { int[0,9] x; } S; S s; S one(int[0,9] k) { S it = { k }; return it; }
        process P() { state a, b; init a; trans a -> b { assign s = one(4); }; } system P;";
    assert_eq!(check(text, "E<> s.x == 4"), Estimate::Distance(1));
}

const COUNTER: &str = "
    int[0, 5] v;
    process P() {
        state s, t, u;
        init s;
        trans s -> s { guard v < 5; assign v = v + 1; }, s -> u { }, t -> t { assign v = 0; };
    }
    system P;
";

#[test]
fn a_stopped_heuristic_returns_no_information() {
    let (model, _) = model_of(COUNTER, &["E<> v == 5 and P.u"]).expect("a valid model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    let is_over = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_over);
    let meter = Meter::new(move |_| asked.load(Ordering::Relaxed).then_some(StopReason::Cancelled));
    let relaxation = Relaxation::metered(&model, &goal, &meter).expect("there is time");
    let mut invariants = Invariants::metered(&model, &goal, &meter).expect("there is time");
    let (mut lower, mut upper) = (relaxation.lower(), relaxation.upper());
    let (start, dead) = ([0, 0], [1, 0]);
    assert_eq!(lower.estimate(&start), Estimate::Distance(5));
    assert_eq!(upper.path(&start).map(|path| path.len()), Some(6));
    assert_eq!(upper.estimate(&dead), Estimate::DeadEnd);
    assert!(invariants.around(&dead).is_some());
    is_over.store(true, Ordering::Relaxed);
    assert_eq!(meter.poll(0), Err(StopReason::Cancelled));
    for state in [start, dead] {
        assert_eq!(lower.estimate(&state), Estimate::Distance(0));
        assert_eq!(upper.estimate(&state), Estimate::Distance(0));
        assert_eq!(upper.path(&state), None);
        assert!(invariants.around(&state).is_none());
    }
    let again = Relaxation::metered(&model, &goal, &meter).map(|_| ());
    assert_eq!(again, Err(StopReason::Cancelled));
}
