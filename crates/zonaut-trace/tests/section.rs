//! Charts of the `gantt` section: the exact times at which bars are shown.

mod support;

use proptest::prelude::*;
use support::{MODEL, Stage, flaw_of_section, model, rows, run};
use zonaut_model::interpret::ErrorKind;
use zonaut_trace::{Chart, Rational};

#[test]
fn conditions_on_clocks_change_in_the_middle_of_a_delay() {
    assert_eq!(flaw_of_section(), None);
}

#[test]
fn rows_and_bars_are_written_out_for_every_value() {
    let text = "clock x; int[0,1] n; process P(int[0,1] i) { state a, b; init a; } system P;
        gantt { P(i : int[0,1]) : P(i).a -> i, P(i).b && x > i -> 3;
                All(i : int[2,3], j : int[0,0]) : for (k : int[0,1]) P(k).a -> k + i + j;
                None : n == 1 -> 0; }";
    let (model, warnings) = model(text);
    assert_eq!(warnings, [""; 0]);
    let shown = |row: &zonaut_model::ChartRow| {
        let bars: Vec<&str> = row.bars.iter().map(|bar| bar.label.as_str()).collect();
        format!("{}: {}", row.name, bars.join(", "))
    };
    let expected = [
        "P(0): a, b && x > i",
        "P(1): a, b && x > i",
        "All(2,0): P(0).a, P(1).a",
        "All(3,0): P(0).a, P(1).a",
        "None: n == 1",
    ];
    assert_eq!(model.chart.iter().map(shown).collect::<Vec<_>>(), expected);
}

#[test]
fn errors_in_a_section_are_warnings_and_omit_their_bars() {
    let check = |section: &str, expected: &[&str], bars: usize| {
        let (model, warnings) = model(&format!("{MODEL} gantt {{ {section} }}"));
        let found = model.chart.iter().map(|row| row.bars.len()).sum::<usize>();
        assert_eq!(found, bars, "{section}: {warnings:?}");
        assert_eq!(warnings.len(), expected.len(), "{section}: {warnings:?}");
        for (warning, expected) in warnings.iter().zip(expected) {
            assert!(warning.contains(expected), "{section}: {warning}");
        }
    };
    check("R : m > 0 -> 1, n > 0 -> 2;", &["`m`"], 1);
    check("R : n > 0 -> Red;", &["`Red`"], 0);
    check("R : Q.go -> 1;", &["`Q`"], 0);
    check("R : P.gone -> 1;", &["`gone`"], 0);
    check("R : deadlock -> 1;", &["`deadlock`"], 0);
    check("R : 0.5 < n -> 1;", &["floating point"], 0);
    check("R : n++ > 0 -> 1;", &["side effects"], 0);
    check("R(i : int) : n > i -> 1;", &["cannot be listed"], 0);
    check("R(i : int[0,3]) : a[i] > 0 -> 1;", &[], 4);
    check("R(i : int[0,20000]) : n > 0 -> 1;", &["more than 10000"], 10_000);
}

#[test]
fn a_run_time_error_leaves_a_gap_and_is_reported_once() {
    let text =
        format!("{MODEL} gantt {{ R : true -> a[n]; S : a[n] == 0 -> 1; T : true -> 5 / n; }}");
    let (model, _) = model(&text);
    let stage = |n: i32, clock| (n, clock);
    let stages = [stage(1, 0), stage(5, 2), stage(5, 4), stage(0, 6)];
    let values: Vec<[i32; 3]> = stages.iter().map(|&(n, _)| [n, 0, 0]).collect();
    let clocks: Vec<[i64; 2]> = stages.iter().map(|&(_, clock)| [clock; 2]).collect();
    let stages = values.iter().zip(&clocks).map(|(variables, clocks)| Stage {
        location: "go",
        variables,
        clocks,
        delay: 2,
    });
    let (chart, failures) = Chart::of_section(&model, &run(&model, &stages.collect::<Vec<_>>()));
    let expected = [
        "R: true 0-1 #0, true 3-4 #0",
        "S: a[n] == 0 0-1 #1, a[n] == 0 3-4 #1",
        "T: true 0-1 #5, true 1-3 #1",
    ];
    assert_eq!(rows(&chart), expected);
    let kinds: Vec<String> = failures.iter().map(|failure| failure.kind.to_string()).collect();
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    assert!(failures.iter().any(|failure| failure.kind == ErrorKind::Division));
}

#[test]
fn an_endless_evaluation_ends() {
    let text = format!(
        "int f() {{ int i = 0; while (true) {{ i = (i + 1) % 7; }} return i; }} {MODEL}
         gantt {{ R : f() > 0 -> 1; S : f() > 0 -> 1; }}"
    );
    let (model, _) = model(&text);
    let stage = Stage { location: "go", variables: &[0, 0, 0], clocks: &[0, 0], delay: 2 };
    let (chart, failures) = Chart::of_section(&model, &run(&model, &[stage]));
    assert_eq!(rows(&chart), ["R: ", "S: "]);
    assert!(failures.iter().all(|failure| failure.kind == ErrorKind::Budget));
}

/// A clock or a difference, a relation, and a bound.
type Part = (usize, usize, i64);

fn text_of((clock, relation, bound): Part) -> String {
    let clock = ["x", "y", "x - y", "y - x"][clock];
    format!("{clock} {} {bound}", ["<", "<=", ">=", ">"][relation])
}

/// Whether it holds for these values of `x` and `y`, in eighths.
fn holds((clock, relation, bound): Part, [x, y]: [i64; 2]) -> bool {
    let value = [x, y, x - y, y - x][clock];
    [value < 8 * bound, value <= 8 * bound, value >= 8 * bound, value > 8 * bound][relation]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Bars are shown at exactly those instants at which their conditions hold; conditions change
    /// only at multiples of a quarter.
    #[test]
    fn bars_are_shown_while_their_conditions_hold(
        parts in prop::collection::vec((0..4_usize, 0..4_usize, -4..9_i64), 4),
        delays in prop::collection::vec((0..9_i64, any::<bool>()), 1..6),
    ) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| text_of(parts[at]));
        let text = format!("{MODEL} gantt {{ R : ({a} && {b}) || ({c} && !({d})) -> 1; }}");
        let (model, _) = model(&text);
        let (mut clocks, mut list) = ([0_i64; 2], Vec::new());
        for &(delay, stands) in &delays {
            list.push((if stands { "stand" } else { "go" }, clocks, delay));
            clocks = [clocks[0] + delay, clocks[1] + if stands { 0 } else { delay }];
        }
        let stages: Vec<Stage<'_>> = list.iter().map(|(location, clocks, delay)| {
            Stage { location, variables: &[0, 0, 0], clocks, delay: *delay }
        }).collect();
        let (chart, _) = Chart::of_section(&model, &run(&model, &stages));
        let mut date = 0;
        for &(location, clocks, delay) in &list {
            for elapsed in (1..4 * delay).step_by(2) {
                let rate = i64::from(location == "go");
                let now = [4 * clocks[0] + elapsed, 4 * clocks[1] + elapsed * rate];
                let [a, b, c, d] = [0, 1, 2, 3].map(|at| holds(parts[at], now));
                let moment = Rational::new(4 * date + elapsed, 8);
                let mut stays = chart.rows[0].stays.iter();
                let is_shown = stays.any(|stay| stay.from < moment && moment < stay.to);
                prop_assert_eq!(is_shown, (a && b) || (c && !d), "{} at {}", text, moment);
            }
            date += delay;
        }
    }
}
