//! Injected faults, which the comparisons with closed forms must detect.

mod support;

use support::{Experiment, RUNS};
use zonaut_sampling::faults::{Fault, select};

/// Whether the frequency of a query agrees with the exact probability at six sigma, and no run
/// fails.
fn agrees(model: &str, query: &str, exact: f64) -> bool {
    let experiment = Experiment::new(model, query);
    if experiment.outcomes(1, 0..1).iter().any(Result::is_err) {
        return false;
    }
    let found = experiment.frequency();
    (found - exact).abs() <= 6.0 * (exact * (1.0 - exact) / RUNS as f64).sqrt()
}

#[test]
fn every_fault_is_detected() {
    let broadcast = "broadcast chan go; int n;
        process S() { state a { ; 1 }, b; init a; trans a -> b { sync go!; }; }
        process R(const int[0,1] id) { state a, b; init a; trans a -> b { sync go?; assign n = n + 1; }; }
        system S, R;";
    let instant = "clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 5; }; } system P;";
    let exponential = "process P() { state a { ; 3 }, b; init a; trans a -> b {}; } system P;";
    let checks = || {
        [
            (
                Fault::ForgottenReceiver,
                agrees(broadcast, "Pr[<=0.5](<> n == 2)", 1.0 - (-0.5f64).exp()),
            ),
            (Fault::OpenInterval, agrees(instant, "Pr[<=5](<> P.b)", 1.0)),
            (Fault::IgnoredRate, agrees(exponential, "Pr[<=0.5](<> P.b)", 1.0 - (-1.5f64).exp())),
        ]
    };
    select(None);
    assert!(checks().iter().all(|(_, agrees)| *agrees));
    for fault in Fault::ALL {
        select(Some(*fault));
        for (detected, agrees) in checks() {
            assert_eq!(agrees, detected != *fault, "{fault:?} by the check for {detected:?}");
        }
    }
    select(None);
}
