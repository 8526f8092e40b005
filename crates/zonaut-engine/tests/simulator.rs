//! Simulators: why something cannot happen, and copies.

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

#[test]
fn where_clocks_stand_still_only_what_a_run_shows_is_offered() {
    // On arrival in b: x is 0 and y is s, so that y - x is s throughout, which no zone tells.
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
