//! Simulation of symbolic states.

use zonaut_engine::{
    DisabledTransition, LoadOptions, Random, Rational, Simulator, Trace, load_text,
};

fn simulator(text: &str) -> Simulator {
    let loaded = load_text("m.xta", text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    session.simulator().expect("an initial state")
}

fn obstacles(simulator: &Simulator) -> Vec<(String, String)> {
    let disabled = simulator.obstacles().expect("no failure");
    let named = |one: DisabledTransition| (one.edges[0].target.clone(), one.why);
    disabled.into_iter().map(named).collect()
}

const LOCK: &str = "clock x, y; int n; chan turn;
    process P() { state a { x <= 3 }, early, odd, stuck, late { y - x > 1 }; init a;
        trans a -> a { guard x > 1; assign n = n + 1, y = 0; }, a -> early { guard x > 3; },
              a -> odd { guard n == 7; }, a -> stuck { sync turn!; }, a -> late { }; }
    system P;";

#[test]
fn disabled_transitions_have_reasons() {
    let expected = [
        ("early", "the guard requires `x > 3`"),
        ("late", "the invariant of the target location of `P` requires `y - x > 1`"),
        ("odd", "the guard is false: `n == 7` (n = 0)"),
        ("stuck", "no process can synchronise on `turn`"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
    assert_eq!(obstacles(&simulator(LOCK)), expected);
}

#[test]
fn false_conjuncts_of_a_guard_are_shown_with_their_values() {
    let check = |guard: &str, expected: &str| {
        let text = format!(
            "const int K = 3; int n = 1; int a[3] = {{ 4, 5, 6 }}; bool b; clock x;
             bool odd(int i) {{ return i % 2 == 1; }}
             process P() {{ state s, t; init s; trans s -> t {{ {guard} }}; }} system P;"
        );
        let expected = format!("the guard is false: {expected}");
        assert_eq!(obstacles(&simulator(&text)), [("t".to_owned(), expected)], "{guard}");
    };
    check("guard n > 0 && n > K;", "`n > 3` (n = 1)");
    check("guard x > 2 && a[n] == 4 && b;", "`a[n] == 4` (a[1] = 5, n = 1); `b` (b = 0)");
    // The index is out of range only if the preceding conjunct is false.
    check("guard n > 2 && a[n + 9] > 0;", "`n > 2` (n = 1)");
    check("guard b || n == 2;", "`b` (b = 0); `n == 2` (n = 1)");
    check("guard !(n == 1);", "`n == 1` is true (n = 1)");
    check("guard odd(n + 1);", "`odd(n + 1)` (n = 1)");
    check("guard forall (i : int[0,2]) a[i] != 6;", "`a[i] != 6` with i = 2 (a[2] = 6)");
    check("select i : int[0,0]; guard n == i;", "`n == i` (n = 1, i = 0)");
}

#[test]
fn a_run_respects_requested_delays_if_possible() {
    let mut simulator = simulator(LOCK);
    assert!(simulator.take(0) && simulator.take(0));
    let delays = |stays: &[Option<i64>]| {
        let trace = simulator.trace_staying(stays)?;
        let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
        Some(delays.map(|delay| delay.to_string()).collect::<Vec<_>>().join(" "))
    };
    // The edge asks for x > 1, and the invariant for x <= 3.
    assert_eq!(delays(&[]).as_deref(), Some("2 0 0"));
    assert_eq!(delays(&[Some(3)]).as_deref(), Some("3 0 0"));
    assert_eq!(delays(&[Some(2), Some(1)]).as_deref(), Some("2 1 0"));
    assert_eq!(delays(&[None, None, Some(1)]).as_deref(), Some("2 0 1"));
    assert_eq!(delays(&[Some(1)]), None);
    assert_eq!(delays(&[Some(4)]), None);
    assert_eq!(delays(&[Some(2), Some(2)]), None);
    assert_eq!(simulator.path().len(), 2);
    assert_eq!(simulator.zone().1, ["x", "y"]);
}

#[test]
fn a_cloned_simulator_is_independent_on_another_thread() {
    let mut here = simulator(LOCK);
    assert!(here.take(0));
    let mut there = here.clone();
    let there = std::thread::spawn(move || {
        assert!(there.take(0));
        there
    });
    let there = there.join().expect("no panic");
    assert_eq!((here.position(), there.position()), (1, 2));
    assert_eq!(here.state().variables, [("n".to_owned(), 1)]);
    assert_eq!(there.state().variables, [("n".to_owned(), 2)]);
    assert_eq!(there.trace().expect("a run").steps.len(), 2);
    assert!(here.go_to(0) && !here.go_to(2));
    assert_eq!(here.state().variables, [("n".to_owned(), 0)]);
}

#[test]
fn requested_delays_are_respected_with_stopwatches() {
    let mut simulator = simulator(
        "clock x, y; process P() { state a { x' == 0 }, b, c; init a;
            trans a -> b { guard y >= 2; }, b -> c { guard x >= 1; }; } system P;",
    );
    assert!(simulator.take(0) && simulator.take(0));
    let delays = |stays: &[Option<i64>]| {
        let trace = simulator.trace_staying(stays)?;
        let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
        Some(delays.map(|delay| delay.to_string()).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(delays(&[Some(5), Some(1), Some(3)]).as_deref(), Some("5 1 3"));
    assert!(delays(&[]).is_some());
    // However long the first delay is, x is stopped in it.
    assert_eq!(delays(&[Some(5), Some(0)]), None);
    assert_eq!(delays(&[Some(1)]), None);
}

const FISCHER: &str = "const int K = 2; int[0,2] turn;
    process P(const int[1,2] id) { clock x; state idle, request { x <= K }, waiting, inside; init idle;
        trans idle -> request { guard turn == 0; assign x = 0; },
              request -> waiting { guard x <= K; assign turn = id, x = 0; },
              waiting -> request { guard turn == 0; assign x = 0; },
              waiting -> inside { guard x > K && turn == id; },
              inside -> idle { guard x < 9; assign turn = 0; }; }
    system P;";

/// Delays that the earliest run has anyway change nothing; others are respected exactly, or there
/// is no such run.
#[test]
fn requested_delays_are_respected_on_random_walks() {
    let mut random = Random::new(7);
    let (mut kept, mut disabled) = (0, 0);
    for model in [LOCK, FISCHER].repeat(30) {
        let mut simulator = simulator(model);
        for _ in 0..8 {
            let choices = simulator.choices().len();
            if choices == 0 || !simulator.take(random.below(choices)) {
                break;
            }
        }
        let earliest = simulator.trace().expect("a run");
        let delays = |trace: &Trace| -> Vec<Rational> {
            trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]).collect()
        };
        let whole = |delay: &Rational| (delay.denominator == 1).then_some(delay.numerator);
        let own: Vec<Option<i64>> = delays(&earliest).iter().map(whole).collect();
        assert_eq!(simulator.trace_staying(&own).as_ref(), Some(&earliest), "{own:?}");
        let other = |stay: &Option<i64>| match random.below(3) {
            0 => None,
            _ => stay.map(|stay| stay + random.below(3) as i64),
        };
        let wanted: Vec<Option<i64>> = own.iter().map(other).collect();
        match simulator.trace_staying(&wanted) {
            Some(trace) => {
                kept += 1;
                for (delay, wanted) in delays(&trace).iter().zip(&wanted) {
                    assert!(wanted.is_none_or(|wanted| *delay == Rational::new(wanted, 1)));
                }
            }
            None => disabled += 1,
        }
    }
    assert!(kept > 10 && disabled > 5, "{kept} kept, {disabled} impossible");
}

#[test]
fn with_stopwatches_only_transitions_with_a_run_are_offered() {
    // On entering b, x is 0 and y is s, so y - x is always s, which no zone represents.
    let mut simulator = simulator(
        "clock x, y, s;
        process P() { state a { s <= 1 }, b { s' == 0 }, c, d; init a;
            trans a -> b { assign x = 0; }, b -> c { guard y == 2 && x == 2 && s == 1; },
                  b -> d { guard y == 2 && x > 1 && s > 0; }; }
        system P;",
    );
    assert!(simulator.take(0));
    let targets: Vec<&str> =
        simulator.choices().iter().map(|choice| choice.edges[0].target.as_str()).collect();
    assert_eq!(targets, ["d"]);
    assert!(simulator.take(0) && simulator.trace().is_some());
}
