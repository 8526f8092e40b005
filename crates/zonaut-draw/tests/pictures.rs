//! The content of pictures of models and runs, and their robustness against names with markup.

mod support;

use std::time::{Duration, Instant};
use support::{
    CROWDED, HOSTILE, document, flaw_of_states, models, overlap, overlap_in, run, states, texts,
};
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_draw::{
    Picture, ZoneView, draw_clocks, draw_document, draw_gantt, draw_sequence, draw_states,
    draw_template, draw_variables, draw_zone, print_dot,
};
use zonaut_trace::{Chart, Stay, Trace};

#[test]
fn no_label_lies_over_another_in_our_models() {
    let models = models();
    assert!(models.len() >= 14);
    for (path, document) in models {
        assert_eq!(overlap_in(&document), Ok(None), "{}", path.display());
        assert_eq!(overlap(&draw_document(&document).standalone()).map(|_| ()), Ok(()));
    }
}

#[test]
fn a_drawing_shows_every_name_and_label_of_the_model() {
    for (path, document) in models() {
        for template in &document.templates {
            let svg = draw_template(&document, template).standalone();
            let shown: Vec<String> =
                texts(&svg).unwrap().into_iter().map(|(text, _)| text).collect();
            for location in template.locations.iter().filter_map(|l| l.name.as_ref()) {
                assert!(shown.iter().any(|text| **text == *location.text), "{}", path.display());
            }
            assert_eq!(svg.matches("<g data-e=").count(), template.edges.len());
            assert_eq!(svg.matches("<g data-l=").count(), template.locations.len());
        }
    }
}

#[test]
fn written_places_colours_and_marks_are_kept() {
    let document = document("crowded.xml", CROWDED);
    assert_eq!(overlap_in(&document), Ok(None));
    let svg = draw_document(&document).standalone();
    assert!(svg.contains("fill=\"#ff8800\""), "{svg}");
    assert!(svg.contains(">C</text>") && svg.contains("class=\"ring\""), "{svg}");
    assert!(svg.contains(">x &lt;= 5</text>") && svg.contains(">x &gt; 2</text>"));
}

#[test]
fn places_that_are_no_drawing_are_laid_out() {
    let far = CROWDED.replace("x=\"200\"", "x=\"2147483647\"");
    let same = CROWDED.replace("x=\"200\"", "x=\"0\"");
    let none = CROWDED.replace("x=\"200\" y=\"0\"", "");
    for text in [far, same, none] {
        let picture = draw_document(&document("odd.xml", &text));
        assert!(picture.width() < 1000.0 && picture.height() < 1000.0, "{}", picture.width());
    }
}

#[test]
fn an_automaton_of_a_hundred_locations_is_drawn_in_time() {
    let names: Vec<String> = (0..100).map(|n| format!("place{n}")).collect();
    let edge = |n: usize, to: usize| {
        format!("place{n} -> place{to} {{ guard x > {n} && x <= 99; sync c!; assign x = 0; }}")
    };
    let edges: Vec<String> =
        (0..100).flat_map(|n| [edge(n, (n * 7 + 1) % 100), edge(n, (n + 1) % 100)]).collect();
    let text = format!(
        "clock x; chan c; process P() {{ state {}; init place0; trans {}; }} system P;",
        names.join(", "),
        edges.join(", "),
    );
    let document = document("large.xta", &text);
    let start = Instant::now();
    assert_eq!(overlap_in(&document), Ok(None));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn states_of_a_graph_are_apart_and_lines_lead_where_they_should() {
    for (count, seed) in [(0, 1), (1, 2), (7, 3), (40, 4), (120, 5), (300, 6), (300, 1)] {
        assert_eq!(flaw_of_states(&states(count, seed)), None, "{count} {seed}");
    }
    let size = draw_states(&states(300, 6)).inline().len();
    assert!(size < 300_000, "{size}");
    // Arcs with missing ends are omitted.
    let mut odd = states(2, 1);
    odd.arcs[0].target = 9;
    odd.nodes[1].parent = Some(1);
    assert!(draw_states(&odd).height() > 0.0);
}

fn pictures_of(names: [&str; 2]) -> Vec<Picture> {
    let trace = run(names, 3);
    let zone: Zone<Wide> = Zone::universe(3);
    let view = ZoneView {
        zone: &zone,
        leaving: None,
        clocks: [(Row(1), names[0]), (Row(2), names[1])],
        stay: [[0.0, 1.0], [2.0, 3.0]],
    };
    [Some(draw_sequence(&trace)), Some(gantt(&trace)), draw_clocks(&trace), draw_variables(&trace)]
        .into_iter()
        .flatten()
        .chain([draw_zone(&view)])
        .collect()
}

#[test]
fn hostile_names_stay_names() {
    for first in HOSTILE {
        for second in HOSTILE {
            let pictures = pictures_of([first, second]);
            assert_eq!(pictures.len(), 5);
            for picture in pictures {
                let svg = picture.standalone();
                let tree = roxmltree::Document::parse(&svg).expect("a well-formed picture");
                let elements = tree.descendants().filter(|node| node.is_element());
                for element in elements {
                    assert_ne!(element.tag_name().name(), "script", "{svg}");
                    assert!(element.attributes().all(|a| !a.name().starts_with("on")), "{svg}");
                }
                assert!(!svg.contains(['\u{1b}', '\u{0}', '\u{202e}']), "{svg}");
            }
        }
    }
}

fn gantt(trace: &Trace) -> Picture {
    draw_gantt(trace, &Chart::of_locations(trace))
}

#[test]
fn tasks_that_follow_each_other_are_two_bars_and_a_blink_is_a_tick_between_two() {
    let trace = run(["P", "Q"], 1);
    assert_eq!(bars(&trace, vec![stay("cut", 0, 2), stay("cut", 2, 5)]), ["f0", "f0"]);
    assert_eq!(bars(&trace, vec![stay("a", 0, 2), stay("b", 2, 2), stay("a", 2, 5)]), ["f0", "f0"]);
    assert_eq!(bars(&trace, vec![stay("a", 0, 2), stay("b", 2, 2), stay("c", 2, 5)]).len(), 2);
    assert_eq!(bars(&trace, vec![stay("a", 0, 2), stay("a", 3, 5)]).len(), 2);
    let blink = vec![stay("a", 0, 2), stay("b", 2, 2), stay("c", 2, 2), stay("a", 2, 5)];
    let svg = chart_of(&trace, vec![("P", blink)]);
    assert_eq!(svg.matches("class=\"instant\"").count(), 1, "{svg}");
    assert!(svg.contains("<title>b \u{2192} c</title>"), "{svg}");
}

#[test]
fn a_location_that_is_entered_at_the_end_is_named_behind_it() {
    let mut trace = run(["P", "Q"], 1);
    trace.last_delay = 0.into();
    let svg = chart_of(&trace, vec![("P", vec![stay("idle", 0, 5), stay("critical", 5, 5)])]);
    assert!(svg.contains("class=\"instant\"") && svg.contains("class=\"final\""), "{svg}");
    let svg = chart_of(&trace, vec![("P", vec![stay("idle", 0, 5)])]);
    assert!(!svg.contains("class=\"final\""), "{svg}");
}

#[test]
fn a_value_that_is_assigned_at_the_end_is_written_behind_it() {
    let mut trace = run(["P", "Q"], 3);
    trace.last_delay = 0.into();
    for (number, step) in trace.steps.iter_mut().enumerate() {
        step.state.variables[0].1 = if number == 5 { 1234 } else { 0 };
    }
    let behind = |trace: &Trace| {
        let svg = draw_variables(trace).expect("a variable that changes").standalone();
        svg.contains("class=\"final\"") && svg.contains(">1234<")
    };
    assert!(behind(&trace));
    // The value before, which the last instants keep at first, is written at the end of its line.
    trace.steps[3].state.variables[0].1 = 77;
    trace.steps[4].state.variables[0].1 = 77;
    let svg = draw_variables(&trace).expect("a variable that changes").standalone();
    assert!(svg.contains(">77<"), "{svg}");
    trace.last_delay = 2.into();
    assert!(!behind(&trace));
}

#[test]
fn a_location_has_one_colour_in_all_rows() {
    let trace = run(["P", "Q"], 1);
    let first = vec![stay("idle", 0, 2), stay("busy", 2, 5)];
    let second = vec![stay("busy", 0, 2), stay("idle", 2, 5)];
    let svg = chart_of(&trace, vec![("P", first), ("Q", second)]);
    assert_eq!(classes(&svg), ["f0", "f1", "f1", "f0"]);
}

/// The chart of rows with these names and stays.
fn chart_of(trace: &Trace, rows: Vec<(&str, Vec<Stay>)>) -> String {
    let row = |(name, stays): (&str, Vec<Stay>)| zonaut_trace::Row { process: name.into(), stays };
    let rows = rows.into_iter().map(row).collect();
    draw_gantt(trace, &Chart { rows, end: 5.into() }).standalone()
}

fn stay(location: &str, from: i32, to: i32) -> Stay {
    Stay { location: location.into(), from: from.into(), to: to.into(), colour: None }
}

/// The classes of the bars of a row with these stays.
fn bars(trace: &Trace, stays: Vec<Stay>) -> Vec<String> {
    classes(&chart_of(trace, vec![("P", stays)]))
}

/// The classes of the bars of a chart.
fn classes(svg: &str) -> Vec<String> {
    let after = svg.split("<rect class=\"").skip(1);
    let classes = after.filter_map(|text| text.split('"').next()?.strip_suffix(" bar"));
    classes.map(str::to_owned).collect()
}

#[test]
fn bars_have_the_colours_of_the_model_and_do_not_hide_each_other() {
    let trace = run(["P", "Q"], 1);
    let stay = |number, from, to| Stay { colour: Some(number), ..stay("a", from, to) };
    // Red, green, blue, cyan, then red again; numbers below zero are colours, too.
    let stays = vec![stay(0, 0, 1), stay(1, 1, 2), stay(2, 2, 3), stay(9, 3, 4), stay(10, 4, 5)];
    assert_eq!(bars(&trace, stays), ["f8", "f2", "f0", "f6", "f8"]);
    assert_eq!(bars(&trace, vec![stay(-1, 0, 5)]), ["f6"]);
    assert_eq!(bars(&trace, vec![stay(i32::MIN, 0, 5)]).len(), 1);
    let height = |stays: Vec<Stay>| {
        let rows = vec![zonaut_trace::Row { process: "P".into(), stays }];
        draw_gantt(&trace, &Chart { rows, end: 5.into() }).height()
    };
    let (one, two) = (height(vec![stay(0, 0, 5)]), height(vec![stay(0, 0, 5), stay(1, 2, 3)]));
    assert!(two > one, "two at a time need more room: {two} and {one}");
    assert_eq!(height(vec![stay(0, 0, 2), stay(1, 2, 5)]), one);
}

#[test]
fn charts_of_a_run_have_its_messages_dates_and_values() {
    let trace = run(["Train(1)", "Gate"], 2);
    let shown = |picture: &Picture| -> Vec<String> {
        texts(&picture.standalone()).unwrap().into_iter().map(|(text, _)| text).collect()
    };
    let sequence = draw_sequence(&trace);
    let has = |picture: &Picture, text: &str| shown(picture).iter().any(|found| found == text);
    for text in ["Train(1)", "Gate", "go", "busy", "idle", "5/2", "5"] {
        assert!(has(&sequence, text), "{text}: {:?}", shown(&sequence));
    }
    assert_eq!(sequence.standalone().matches("<g data-s=").count(), 5);
    let gantt = gantt(&trace);
    assert!(
        has(&gantt, "Train(1)") && has(&gantt, "idle") && has(&gantt, "5"),
        "{:?}",
        shown(&gantt)
    );
    let clocks = draw_clocks(&trace).expect("clocks");
    assert!(has(&clocks, "Train(1).x") && has(&clocks, "2.5"), "{:?}", shown(&clocks));
    let variables = draw_variables(&trace).expect("a variable that changes");
    assert!(has(&variables, "Train(1).count") && !has(&variables, "fixed"));
}

#[test]
fn the_loop_of_a_run_that_repeats_is_marked() {
    let mut trace = run(["P", "Q"], 2);
    let marks = |trace: &Trace| draw_sequence(trace).standalone().matches(">loop<").count();
    assert_eq!(marks(&trace), 0);
    let whole = trace.duration();
    trace.continuation = Some(zonaut_trace::Continuation::Repeats { from: 1 });
    assert_eq!(marks(&trace), 1);
    // The last delay belongs to the next round.
    assert_eq!(trace.duration() + trace.last_delay, whole);
}

#[test]
fn charts_of_a_run_without_time_or_steps_are_drawn() {
    let mut trace = run(["P", "Q"], 0);
    trace.last_delay = zonaut_trace::Rational::new(0, 1);
    for picture in [draw_sequence(&trace), gantt(&trace)] {
        let svg = picture.standalone();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
    assert!(draw_variables(&trace).is_none());
}

#[test]
fn long_runs_give_small_pictures_of_time() {
    let trace = run(["P", "Q"], 1000);
    for picture in [Some(gantt(&trace)), draw_clocks(&trace), draw_variables(&trace)] {
        assert!(picture.expect("a chart").standalone().len() < 200_000);
    }
    assert!(draw_sequence(&trace).standalone().len() < 1_000_000);
}

#[test]
fn many_clocks_of_a_long_run_are_drawn_as_far_as_there_is_room() {
    let mut trace = run(["P", "Q"], 1000);
    let steps = trace.steps.iter_mut().map(|step| &mut step.state);
    for state in [&mut trace.start].into_iter().chain(steps) {
        let clock = state.clocks[0].clone();
        state.clocks.extend((0..50).map(|number| (format!("more{number}"), clock.1)));
    }
    let picture = draw_clocks(&trace).expect("a chart").standalone();
    assert!(picture.len() < 400_000, "{}", picture.len());
    assert!(picture.contains("more0") && picture.contains("more not drawn"));
}

#[test]
fn strict_sides_of_a_zone_are_dashed() {
    let mut zone: Zone<Wide> = Zone::universe(3);
    zone.constrain(Row(1), Row::ZERO, Bound::lt(5)).unwrap();
    zone.constrain(Row(2), Row(1), Bound::le(2)).unwrap();
    let view = ZoneView {
        zone: &zone,
        leaving: Some(&zone),
        clocks: [(Row(1), "x"), (Row(2), "y")],
        stay: [[0.0, 1.0], [2.0, 3.0]],
    };
    let svg = draw_zone(&view).standalone();
    assert_eq!(svg.matches("class=\"side strict\"").count(), 1, "{svg}");
    assert_eq!(svg.matches("class=\"side\"").count(), 3, "{svg}");
    assert!(svg.contains("class=\"leave\"") && svg.contains("class=\"stand\""));
}

#[test]
fn a_graph_has_a_cluster_for_each_template() {
    let document = document(
        "m.xta",
        "clock x; chan c; process P() { state a { x <= 5 }, b; branchpoint q; commit b; init a; \
         trans a -> q { guard x > 1; sync c!; assign x = 0; }, q -u-> b { }; } system P;",
    );
    let expected = "digraph model {
    node [shape=ellipse, fontsize=10];
    edge [fontsize=9];
    subgraph cluster_0 {
        label=\"P\";
        t0_l0 [label=\"a\\nx <= 5\", peripheries=2];
        t0_l1 [label=\"b\\ncommitted\"];
        t0_b0 [shape=point];
        t0_l0 -> t0_b0 [label=\"x > 1\\nc!\\nx = 0\"];
        t0_b0 -> t0_l1 [label=\"\", style=dashed];
    }
}
";
    assert_eq!(print_dot(&document), expected);
}
