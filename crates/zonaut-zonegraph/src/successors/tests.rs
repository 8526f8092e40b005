//! Successors with and without cached zone steps.

use super::*;
use crate::abstraction::Abstraction;
use crate::graph::ZoneGraph;
use zonaut_base::{Id, Meter};
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_space::TransitionSystem;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::goal_of;

/// Two processes whose edges draw from few guards and updates of three shared clocks, while
/// invariants and urgency differ from location to location: the same operation applies to the same
/// matrix repeatedly, with different bounds, clocks and delays.
fn network_text(random: &mut Random) -> String {
    let mut text = String::from("clock x, y, z; int v; ");
    for process in ["P", "Q"] {
        let mut states = Vec::new();
        let mut edges = Vec::new();
        for from in 0..3 {
            let clock = random.choose(&["x", "y", "z"]);
            let invariant = format!("{{ {clock} <= {} }}", random.between(1, 6));
            states.push(format!("l{from} {}", random.choose(&[String::new(), invariant])));
            for to in 0..3 {
                let guard = random.choose(&["v >= 0", "x >= 1", "y >= 1", "y <= 2", "z > 1"]);
                let guard = random.choose(&[guard, "v >= 0", "y >= 5", "z <= 4"]);
                let update = random.choose(&["v = 0", "x = 0", "y = 0", "z = 0, y = 1", "z = x"]);
                edges.push(format!("l{from} -> l{to} {{ guard {guard}; assign {update}; }}"));
            }
        }
        let (states, edges) = (states.join(", "), edges.join(", "));
        let urgent = random.choose(&["", "urgent l1;", "urgent l2;"]);
        text +=
            &format!("process {process}() {{ state {states}; {urgent} init l0; trans {edges}; }} ");
    }
    text + "system P, Q;"
}

/// The values and zones of all successors, in order.
fn successors(
    graph: &ZoneGraph<'_>,
    state: &SymbolicState,
    scratch: &mut Scratch,
) -> Vec<SymbolicState> {
    let mut all = Vec::new();
    let _ = graph.visit_successors(state, scratch, &mut |_, _, target| {
        all.push(target.expect("no error").clone());
        ControlFlow::Continue(())
    });
    all
}

/// Compares the successors of the first `most` states with and without the cache; returns the
/// number of hits.
fn compare(graph: &ZoneGraph<'_>, most: usize) -> u32 {
    let (mut cached, mut uncached) = (graph.scratch(), graph.scratch());
    uncached.zone_step_cache = ZoneStepCache::new(false);
    let mut states = Vec::new();
    let _ = graph.visit_initial(&mut cached, &mut |_, _, state| {
        states.push(state.expect("no error").clone());
        ControlFlow::Continue(())
    });
    let mut next = 0;
    while next < states.len().min(most) {
        let expected = successors(graph, &states[next], &mut uncached);
        let found = successors(graph, &states[next], &mut cached);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.into_iter().zip(expected) {
            assert_eq!((&found.values, &found.zone), (&expected.values, &expected.zone));
            let is_known = |s: &SymbolicState| s.values == found.values && s.zone == found.zone;
            if !states.iter().any(is_known) {
                states.push(found);
            }
        }
        next += 1;
    }
    assert_eq!(uncached.zone_step_cache.hits(), 0);
    cached.zone_step_cache.hits()
}

#[test]
fn cached_steps_equal_those_computed_anew() {
    let mut random = Random::new(5);
    let mut hits = 0;
    for _ in 0..40 {
        let text = network_text(&mut random);
        let (model, _) =
            model_of(&text, &["E<> P.l1 and Q.l2"]).unwrap_or_else(|e| panic!("{e:?}"));
        let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
        let bounds = BoundsTable::new(&model, &goal);
        let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
        for abstraction in Abstraction::ALL {
            let graph = ZoneGraph::new(&network, &bounds, abstraction, &Meter::default())
                .expect("no differences");
            hits += compare(&graph, 100);
        }
    }
    assert!(hits > 5_000, "{hits}");
}
