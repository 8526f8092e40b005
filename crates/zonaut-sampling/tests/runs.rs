//! Runs: reproducibility, and the errors that end them.

mod support;

use support::Experiment;
use zonaut_model::interpret::ErrorKind;
use zonaut_sampling::{Outcome, RunError};

/// The first outcome that is an error.
fn error_of(model: &str, query: &str) -> RunError {
    let outcomes = Experiment::new(model, query).outcomes(7, 0..20);
    outcomes.into_iter().find_map(Result::err).expect("an error")
}

/// The kind of the first error of evaluation, in a model whose only edge has these labels.
fn failure_of(declarations: &str, state: &str, edge: &str) -> ErrorKind {
    let model = format!(
        "{declarations} process P() {{ state a {state}, b; branchpoint k; init a; trans {edge}; }} system P;"
    );
    match error_of(&model, "Pr[<=10](<> P.b)") {
        RunError::Evaluation(error) => error.kind,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_run_depends_on_the_seed_and_its_number_alone() {
    let model = "int n; double d; process P() { state a { ; 2 }; init a; trans a -> a { select i : int[0,5]; assign n = i, d = random(1.0); }; } system P;";
    let experiment = Experiment::new(model, "simulate[<=5; 1]{n, d}");
    let forwards = experiment.outcomes(3, 0..10);
    let later = experiment.outcomes(3, 5..10);
    assert_eq!(forwards[5..], later[..]);
    assert_ne!(forwards[0], forwards[1]);
    assert_ne!(forwards[0], experiment.outcomes(4, 0..1)[0]);
}

#[test]
fn trajectories_jump_at_transitions_and_are_linear_between_them() {
    let model = "clock x; int n; process P() { state a { x <= 2 }; init a; trans a -> a { guard x >= 2; assign n = n + 1, x = 0; }; } system P;";
    let outcome = Experiment::new(model, "simulate[<=5; 1]{n, x}").outcomes(0, 0..1).remove(0);
    let Ok(Outcome::Trajectory { values, is_kept }) = outcome else { unreachable!("{outcome:?}") };
    assert!(is_kept);
    let jumps = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (4.0, 1.0), (4.0, 2.0), (5.0, 2.0)];
    assert_eq!(values[0].points, jumps);
    let value_at = |date: f64| {
        let before = values[1].points.windows(2).find(|w| w[0].0 < date && date <= w[1].0);
        let [(from, low), (to, high)] = before.expect("within the run") else { unreachable!() };
        low + (high - low) * (date - from) / (to - from)
    };
    assert_eq!((value_at(1.0), value_at(3.5), value_at(5.0)), (1.0, 1.5, 1.0));
}

#[test]
fn a_time_lock_is_an_error() {
    let model = "clock x; process P() { state a { x <= 3 }; init a; } system P;";
    assert_eq!(error_of(model, "Pr[<=10](<> x > 5)"), RunError::TimeLock);
    let waiting =
        "clock x; chan c; process P() { state a { x <= 3 }, b; init a; trans a -> b { sync c?; }; }
        process Q() { state a, b; init a; trans a -> b { guard x > 4; sync c!; }; } system P, Q;";
    assert_eq!(error_of(waiting, "Pr[<=10](<> P.b)"), RunError::TimeLock);
}

#[test]
fn a_process_that_waits_for_another_is_served_before_time_stops() {
    let model =
        "clock x; chan c; process P() { state a { x <= 1 }, b; init a; trans a -> b { sync c?; }; }
        process Q() { state a { ; 1:1000 }, b; init a; trans a -> b { sync c!; }; } system P, Q;";
    let outcomes = Experiment::new(model, "Pr[<=1](<> P.b)").outcomes(0, 0..50);
    for outcome in outcomes {
        assert!(matches!(outcome, Ok(Outcome::Path { holds: true, .. })), "{outcome:?}");
    }
}

#[test]
fn endless_runs_in_finite_time_end_at_the_step_limit() {
    let model = "process P() { urgent state a; state b; init a; trans a -> a {}; } system P;"
        .replace("urgent state a; state b;", "state a, b;")
        .replace("init a;", "urgent a; init a;");
    let experiment = Experiment::new(&model, "Pr[<=1](<> P.b)");
    let error = experiment.outcomes_within(1000).remove(0).expect_err("an endless run");
    assert_eq!(error, RunError::StepLimit(1000));
}

#[test]
fn runs_that_begin_beyond_their_bound_are_errors() {
    let model = "clock x; process P() { state a; init a; } system P;";
    assert_eq!(error_of(model, "Pr[<=0 - 1](<> P.a)"), RunError::EmptyRun);
    let holds = Experiment::new(model, "Pr[<=0](<> P.a)").outcomes(0, 0..1).remove(0);
    assert!(matches!(holds, Ok(Outcome::Path { holds: true, .. })), "{holds:?}");
}

#[test]
fn wrong_numbers_are_errors_of_the_run() {
    let plain = "{ ; 1 }";
    assert_eq!(failure_of("", "{ ; 0 - 2 }", "a -> b {}"), ErrorKind::NegativeRate);
    assert_eq!(failure_of("", "{ ; 1 : 0 }", "a -> b {}"), ErrorKind::Division);
    let weights = "a -> k {}, k -> b { probability w; }, k -> a { probability 0; }";
    assert_eq!(failure_of("int w = -1;", plain, weights), ErrorKind::NegativeRate);
    assert_eq!(failure_of("int w = 0;", plain, weights), ErrorKind::NoWeight);
    let random = "a -> b { assign d = random(z); }";
    assert_eq!(failure_of("double d, z;", plain, random), ErrorKind::Distribution);
    let division = "a -> b { assign d = 1.0 / z; }";
    assert_eq!(failure_of("double d, z;", plain, division), ErrorKind::Division);
    let root = "a -> b { guard sqrt(z - 1.0) > 0.0; }";
    assert_eq!(failure_of("double d, z;", plain, root), ErrorKind::NotANumber);
    let large = "a -> b { assign n = fint(1e10); }";
    assert_eq!(failure_of("int n;", plain, large), ErrorKind::Overflow);
    let range = "a -> b { assign n = fint(5.5); }";
    assert!(matches!(failure_of("int[0,3] n;", plain, range), ErrorKind::Range(5, _)));
}
