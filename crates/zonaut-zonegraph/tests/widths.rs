//! Zones with narrow and with wide bounds, step by step.

mod explorer;

use explorer::Subject;
use std::ops::ControlFlow;
use zonaut_base::Meter;
use zonaut_dbm::{Bound, Narrow, Wide, Width};
use zonaut_model::CLOCK_LIMIT;
use zonaut_space::TransitionSystem;
use zonaut_testkit::generate::generate;
use zonaut_zonegraph::{Abstraction, Scratch, StepError, SymbolicState, Unsound, ZoneGraph};

/// A bound as a value and its strictness, in any width.
type Written = Option<(i64, bool)>;

/// A successor in any width: its values and its zone, or the error.
type Seen = Result<(Vec<i32>, Vec<Written>), StepError>;

fn seen<W: Width>(state: Result<&SymbolicState<W>, StepError>) -> Seen {
    let written =
        |b: &Bound<W>| if b.is_infinite() { None } else { Some((b.value(), b.is_strict())) };
    state.map(|state| (state.values.clone(), state.zone.as_slice().iter().map(written).collect()))
}

/// The initial states, or the successors of a state.
fn next<W: Width>(
    graph: &ZoneGraph<'_, W>,
    from: Option<&SymbolicState<W>>,
    scratch: &mut Scratch<W>,
) -> (Vec<Seen>, Vec<SymbolicState<W>>) {
    let (mut all, mut states) = (Vec::new(), Vec::new());
    let visit = &mut |_, _: &_, state: Result<&mut SymbolicState<W>, StepError>| {
        all.push(seen(state.as_deref().map_err(|error| *error)));
        states.extend(state.ok().cloned());
        ControlFlow::Continue(())
    };
    let _ = match from {
        None => graph.visit_initial(scratch, visit),
        Some(state) => graph.visit_successors(state, scratch, visit),
    };
    (all, states)
}

/// Compares the first states of both graphs; returns their number.
fn compare(narrow: &ZoneGraph<'_, Narrow>, wide: &ZoneGraph<'_, Wide>) -> usize {
    let (mut narrow_scratch, mut wide_scratch) = (narrow.scratch(), wide.scratch());
    let (expected, mut narrow_states) = next(narrow, None, &mut narrow_scratch);
    let (found, mut wide_states) = next(wide, None, &mut wide_scratch);
    assert_eq!(found, expected);
    let mut position = 0;
    while position < narrow_states.len().min(60) {
        let (expected, more) = next(narrow, Some(&narrow_states[position]), &mut narrow_scratch);
        narrow_states.extend(more);
        let (found, more) = next(wide, Some(&wide_states[position]), &mut wide_scratch);
        wide_states.extend(more);
        assert_eq!(found, expected);
        position += 1;
    }
    position
}

#[test]
fn small_networks_are_the_same_in_both_widths() {
    let mut compared = 0;
    for seed in 0..300 {
        let subject = Subject::of_model(generate(seed).to_model());
        for abstraction in Abstraction::ALL {
            let (network, bounds) = (&subject.network, &subject.bounds);
            let wide = ZoneGraph::new(network, bounds, abstraction, &Meter::default());
            match subject.graph(abstraction) {
                Some(narrow) => compared += compare(&narrow, &wide.expect("sound")),
                None => assert_eq!(wide.err(), Some(Unsound::Differences)),
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

fn unsound<W: Width>(subject: &Subject) -> Option<Unsound> {
    ZoneGraph::<W>::new(&subject.network, &subject.bounds, Abstraction::Maximum, &Meter::default())
        .err()
}

#[test]
fn constants_that_do_not_fit_are_refused() {
    let most = Bound::<Narrow>::MAX_CONSTANT;
    let check = |text: &str, is_refused: bool| {
        let text = format!("int[-{CLOCK_LIMIT},{CLOCK_LIMIT}] v; {text} system P;");
        let subject = Subject::of_text(&text, "E<> P.b");
        assert_eq!(unsound::<Narrow>(&subject), is_refused.then_some(Unsound::Constants), "{text}");
        assert_eq!(unsound::<Wide>(&subject), None);
    };
    let process = |clock: &str, label: &str| {
        let edge = format!("trans a -> b {{ {label}; }};");
        format!("clock x{clock}; process P() {{ state a, b; init a; {edge} }}")
    };
    for (value, is_refused) in [(most, false), (most + 1, true), (CLOCK_LIMIT, true)] {
        check(&process("", &format!("guard x >= {value}")), is_refused);
        check(&process("", &format!("guard x > -{value}")), is_refused);
        check(&process("", &format!("guard x >= 0; assign x = {value}")), is_refused);
        check(&process(&format!(" = {value}"), "guard x >= 0"), is_refused);
        let stored = format!("guard v >= 0; assign v = {value}, x = v");
        check(&process("", &stored), is_refused);
    }
}

#[test]
fn constants_of_both_widths_are_read_by_the_graph() {
    let text = format!(
        "clock x, y; process P() {{ state a {{ x <= {CLOCK_LIMIT} }}, b, c; init a; \
         trans a -> b {{ guard x >= {CLOCK_LIMIT}; assign y = {CLOCK_LIMIT}; }}, \
         b -> c {{ guard y <= {CLOCK_LIMIT} && x <= {CLOCK_LIMIT}; }}; }} system P;"
    );
    let subject = Subject::of_text(&text, "E<> P.c");
    for abstraction in Abstraction::ALL {
        let (network, bounds) = (&subject.network, &subject.bounds);
        let graph =
            ZoneGraph::<Wide>::new(network, bounds, abstraction, &Meter::default()).expect("sound");
        assert!(ZoneGraph::<Wide>::keeps_range(network, bounds));
        assert!(!ZoneGraph::<Narrow>::keeps_range(network, bounds));
        let mut scratch = graph.scratch();
        let (_, initial) = next(&graph, None, &mut scratch);
        let (_, after_one) = next(&graph, Some(&initial[0]), &mut scratch);
        let (_, after_two) = next(&graph, Some(&after_one[0]), &mut scratch);
        let locations: Vec<i32> = [initial, after_one, after_two].map(|s| s[0].values[0]).into();
        assert_eq!(locations, [0, 1, 2], "{abstraction:?}");
    }
}
