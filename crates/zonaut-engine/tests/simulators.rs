//! Stepping through symbolic states.

use zonaut_engine::{Impossible, LoadOptions, Simulator, load_text};

fn simulator(text: &str) -> Simulator {
    let loaded = load_text("m.xta", text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    session.simulator().expect("an initial state")
}

fn obstacles(simulator: &Simulator) -> Vec<(String, String)> {
    let impossible = simulator.obstacles().expect("no failure");
    let named = |one: Impossible| (one.edges[0].target.clone(), one.why);
    impossible.into_iter().map(named).collect()
}

const LOCK: &str = "clock x, y; int n; chan turn;
    process P() { state a { x <= 3 }, early, odd, stuck, late { y - x > 1 }; init a;
        trans a -> a { guard x > 1; assign n = n + 1, y = 0; }, a -> early { guard x > 3; },
              a -> odd { guard n == 7; }, a -> stuck { sync turn!; }, a -> late { }; }
    system P;";

#[test]
fn what_cannot_be_taken_says_why() {
    let expected = [
        ("early", "the guard needs `x > 3`"),
        ("late", "the invariant needs `y - x > 1` where `P` comes to"),
        ("odd", "the guard is false"),
        ("stuck", "nobody synchronises on `turn`"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
    assert_eq!(obstacles(&simulator(LOCK)), expected);
}

#[test]
fn a_run_stays_as_long_as_it_is_asked_to_if_it_can() {
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
fn a_copy_goes_its_own_way_on_another_thread() {
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
