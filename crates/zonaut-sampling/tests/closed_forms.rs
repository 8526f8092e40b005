//! Probabilities and means with closed forms: 10,000 runs of each model with a fixed seed agree
//! with the exact value within six standard deviations.

mod support;

use support::{Experiment, RUNS};

/// Whether the frequency of `query` agrees with the exact probability.
fn check(model: &str, query: &str, exact: f64) {
    check_runs(model, query, exact, RUNS);
}

/// The same for a number of runs.
fn check_runs(model: &str, query: &str, exact: f64, runs: u64) {
    let found = Experiment::new(model, query).frequency_of(runs);
    let deviation = (exact * (1.0 - exact) / runs as f64).sqrt();
    assert!((found - exact).abs() <= 6.0 * deviation.max(1e-12), "{query}: {found}, exact {exact}");
}

/// Whether the mean of `query` agrees with the exact one.
fn check_mean(model: &str, query: &str, exact: f64) {
    let (mean, deviation) = Experiment::new(model, query).mean();
    let error = deviation / (RUNS as f64).sqrt();
    assert!((mean - exact).abs() <= 6.0 * error.max(1e-12), "{query}: {mean}, exact {exact}");
}

/// Two processes that leave their first location with these labels.
fn race(first: &str, second: &str) -> String {
    format!(
        "clock x; int winner;
         process A() {{ state a {first}, b; init a; trans a -> b {{ assign winner = winner == 0 ? 1 : winner; }}; }}
         process B() {{ state a {second}, b; init a; trans a -> b {{ assign winner = winner == 0 ? 2 : winner; }}; }}
         system A, B;"
    )
}

#[test]
fn the_faster_of_two_exponentials_wins_in_proportion_to_the_rates() {
    let model = race("{ ; 3 }", "{ ; 1:2 }");
    check(&model, "Pr[<=1000](<> winner == 1)", 3.0 / 3.5);
    check(&model, "Pr[<=0.5](<> winner > 0)", 1.0 - (-3.5f64 * 0.5).exp());
}

#[test]
fn uniform_delays_race_like_uniform_numbers() {
    let model = race("{ x <= 2 }", "{ x <= 6 }");
    check(&model, "Pr[<=10](<> winner == 1)", 5.0 / 6.0);
    check(&model, "Pr[<=1](<> winner > 0)", 1.0 - 0.5 * 5.0 / 6.0);
}

#[test]
fn a_delay_is_uniform_between_the_guard_and_the_invariant() {
    let model = "clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 3; }; } system P;";
    check(model, "Pr[<=3.5](<> P.b)", 0.25);
    check(model, "Pr[<=5](<> P.b)", 1.0);
    check(model, "Pr[<=10]([] P.a or x >= 4)", 0.5);
    check_mean(model, "E[<=3; 1](max: x)", 3.0);
}

#[test]
fn an_exponential_delay_starts_where_the_guard_does() {
    let model = "clock x; process P() { state a { ; 2 }, b; init a; trans a -> b { guard x >= 1; }; } system P;";
    check(model, "Pr[<=1.5](<> P.b)", 1.0 - (-1.0f64).exp());
}

#[test]
fn branches_are_taken_by_weight_and_select_values_uniformly() {
    let model = "int n; process P() { state a { ; 1 }, b, c; branchpoint k; init a;
        trans a -> k { select i : int[1,4]; assign n = i; }, k -> b { probability 1; }, k -> c { probability n0(); }; } system P;"
        .replace("n0()", "3");
    check(&model, "Pr[<=1000](<> P.b)", 0.25);
    check(&model, "Pr[<=1000](<> P.c and n == 2)", 0.75 / 4.0);
}

#[test]
fn an_edge_is_chosen_uniformly_whatever_the_number_of_its_select_values() {
    let model = "int n; process P() { state a { ; 1 }, b; init a;
        trans a -> b { select i : int[1,9]; assign n = i; }, a -> b { assign n = 10; }; } system P;";
    check(model, "Pr[<=1000](<> n == 10)", 0.5);
    check(model, "Pr[#<=1](<> n == 3)", 0.5 / 9.0);
}

#[test]
fn counts_of_trials_are_geometric_and_binomial() {
    let model = "int n; int[0,1000] tries; process P() { state a { ; 1 }, done; init a; branchpoint k;
        trans a -> k { assign tries = tries + 1; }, k -> a { probability 4; }, k -> done { probability 1; }; } system P;";
    check(model, "Pr[#<=3](<> P.done)", 1.0 - 0.8f64.powi(3));
    check_mean(model, "E[#<=1000; 1](max: tries)", 5.0);
    let coins = "int heads; process P() { state a { ; 1 }; init a; branchpoint k;
        trans a -> k {}, k -> a { assign heads = heads + 1; probability 1; }, k -> a { probability 1; }; } system P;";
    check(coins, "Pr[#<=4](<> heads == 4)", 1.0 / 16.0);
    check_mean(coins, "E[#<=10; 1](max: heads)", 5.0);
}

#[test]
fn a_poisson_process_has_poisson_counts() {
    let model = "int n; process P() { state a { ; 2 }; init a; trans a -> a { assign n = n + 1; }; } system P;";
    check_mean(model, "E[<=3; 1](max: n)", 6.0);
    check(model, "Pr[<=3]([] n == 0)", (-6.0f64).exp());
}

#[test]
fn a_queue_with_one_server_is_empty_with_its_stationary_probability() {
    // After 60 time units the state of an M/M/1 queue with rates 1 and 2 is stationary up to 1e-3.
    let model = "int[0,1000] n; clock x; broadcast chan tick;
        process In() { state a { ; 1 }; init a; trans a -> a { assign n = n + 1; }; }
        process Out() { state a { ; 2 }; init a; trans a -> a { guard n > 0; assign n = n - 1; }; }
        system In, Out;";
    let found = Experiment::new(model, "Pr[<=60](<> x >= 60 and n == 0)").frequency();
    assert!((found - 0.5).abs() < 6.0 * 0.005 + 1e-3, "{found}");
}

#[test]
fn a_biased_walk_reaches_its_end_as_the_gambler_does() {
    let model = "int[0,6] n = 2; process P() { state a { ; 1 }; init a; branchpoint k;
        trans a -> k { guard n > 0 && n < 6; }, k -> a { assign n = n + 1; probability 2; },
              k -> a { assign n = n - 1; probability 3; }; } system P;";
    let ratio = 1.5f64;
    let exact = (ratio.powi(2) - 1.0) / (ratio.powi(6) - 1.0);
    check(model, "Pr[#<=100000](<> n == 6)", exact);
}

#[test]
fn birthdays_coincide_as_often_as_they_should() {
    let model = "bool taken[365]; int people; bool twice;
        process P() { state a { ; 1 }; init a; trans a -> a { select d : int[0,364];
            assign twice = twice || taken[d], taken[d] = true, people = people + 1; }; } system P;";
    let exact = 1.0 - (0..23).fold(1.0, |p, k| p * f64::from(365 - k) / 365.0);
    check(model, "Pr[#<=23](<> twice)", exact);
}

#[test]
fn every_enabled_receiver_takes_part_in_a_broadcast() {
    let model = "broadcast chan go; int n; clock x;
        process S() { state a { ; 1 }, b; init a; trans a -> b { sync go!; }; }
        process R(const int[0,2] id) { state a, b; init a; trans a -> b { guard x >= id; sync go?; assign n = n + 1; }; }
        system S, R;";
    check(model, "Pr[<=1000](<> S.b and n == 1)", 1.0 - (-1.0f64).exp());
    check(model, "Pr[<=1000](<> n == 3)", (-2.0f64).exp());
}

#[test]
fn floating_point_and_random_functions_have_their_moments() {
    let one = |update: &str| {
        format!(
            "double d; process P() {{ state a {{ ; 1 }}, b; init a; trans a -> b {{ assign d = {update}; }}; }} system P;"
        )
    };
    check_mean(&one("random(3.0)"), "E[#<=1; 1](max: d)", 1.5);
    check_mean(&one("random_normal(2, 0.5)"), "E[#<=1; 1](min: 0 - d)", -2.0);
    check_mean(&one("random_poisson(4)"), "E[#<=1; 1](max: d)", 4.0);
    check_mean(&one("random_gamma(2, 3)"), "E[#<=1; 1](max: d)", 6.0);
    check_mean(&one("random_beta(2, 3)"), "E[#<=1; 1](max: d)", 0.4);
    check_mean(&one("random_tri(0, 1, 5)"), "E[#<=1; 1](max: d)", 2.0);
    check_mean(&one("random_arcsine(1, 3)"), "E[#<=1; 1](max: d)", 2.0);
    check_mean(&one("random_weibull(1, 2)"), "E[#<=1; 1](max: d)", 2.0);
    check_mean(&one("sqrt(exp(2.0)) + 1.0 * fint(2.9)"), "E[#<=1; 1](max: d)", 1f64.exp() + 2.0);
}

#[test]
fn clocks_run_at_their_rates() {
    let model = "clock x; double v = 0.5; process P() { state a { x' == v && x <= 2 }, b; init a; trans a -> b { guard x >= 1; }; } system P;";
    check(model, "Pr[<=3](<> P.b)", 0.5);
    check_mean(model, "E[<=1; 1](max: x)", 0.5);
}

#[test]
fn differential_equations_are_integrated() {
    let model =
        "clock x, t; hybrid clock h; process P() { state a { x' == 0 - x && h' == x && t <= 3 }, b;
        init a; trans a -> b { guard t >= 3; }; } system P;"
            .replace("clock x, t;", "clock x = 2.0, t;");
    let (mean, _) = Experiment::new(&model, "E[<=1; 1](min: x)").mean_of(1);
    assert!((mean - 2.0 * (-1.0f64).exp()).abs() < 1e-4, "{mean}");
    let (mean, _) = Experiment::new(&model, "E[<=1; 1](max: h)").mean_of(1);
    assert!((mean - 2.0 * (1.0 - (-1.0f64).exp())).abs() < 1e-3, "{mean}");
}

/// Checks the model beside a process whose clock follows a differential equation, so that time
/// passes in steps.
fn check_beside_a_curve(model: &str, query: &str, exact: f64) {
    let curve = "clock falling = 1.0;
        process Curve() { state a { falling' == 0 - falling }; init a; }";
    let model = model
        .replacen("process", &format!("{curve} process"), 1)
        .replace("system ", "system Curve, ");
    check_runs(&model, query, exact, RUNS / 10);
}

#[test]
fn delays_do_not_depend_on_clocks_of_other_processes_that_follow_equations() {
    // The invariant ends after the bound of the run.
    let late =
        "clock x; process P() { state a { x <= 10 }, b; init a; trans a -> b { }; } system P;";
    check_beside_a_curve(late, "Pr[<=2](<> P.b)", 0.2);
    let uniform = race("{ x <= 2 }", "{ x <= 6 }");
    check_beside_a_curve(&uniform, "Pr[<=10](<> winner == 1)", 5.0 / 6.0);
    check_beside_a_curve(&uniform, "Pr[<=1](<> winner > 0)", 1.0 - 0.5 * 5.0 / 6.0);
    let exponential = race("{ ; 3 }", "{ ; 1:2 }");
    check_beside_a_curve(&exponential, "Pr[<=10](<> winner == 1)", 3.0 / 3.5);
    let mixed = race("{ ; 2 }", "{ x <= 4 }");
    let exact = (1.0 - (-8.0f64).exp()) / 8.0;
    check_beside_a_curve(&mixed, "Pr[<=10](<> winner == 2)", exact);
}

#[test]
fn the_end_of_a_curved_invariant_bounds_delays_beyond_the_run() {
    // The clock falls from 1 to 1/2 until ln 2, and the delay is uniform up to then.
    let model = "clock y = 1.0; process P() { state a { y' == 0 - y && y >= 0.5 }, b;
        init a; trans a -> b { }; } system P;";
    check_runs(model, "Pr[<=0.2](<> P.b)", 0.2 / 2f64.ln(), RUNS / 10);
    // An invariant that always holds does not bound it.
    let free = "clock y = 1.0; process P() { state a { y' == 0 - y && y >= 0 ; 2 }, b;
        init a; trans a -> b { }; } system P;";
    check_runs(free, "Pr[<=0.5](<> P.b)", 1.0 - (-1.0f64).exp(), 50);
}

#[test]
fn an_urgent_channel_ends_delays_when_a_curve_enables_it() {
    // The urgent edge is enabled at ln 2 and bounds the delay, whatever the rate is.
    let model = "clock y = 1.0; urgent broadcast chan now;
        process P() { state a { y' == 0 - y ; 0.01 }, b, c;
        init a; trans a -> b { guard y <= 0.5; sync now!; }, a -> c { }; } system P;";
    check_runs(model, "Pr[<=0.3](<> P.c)", 0.3 / 2f64.ln(), RUNS / 10);
    check_runs(model, "Pr[<=0.7](<> P.c)", 1.0, RUNS / 10);
}
