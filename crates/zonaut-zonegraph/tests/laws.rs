//! The laws of transition systems, encodings and coverings, on random networks.

mod explorer;

use explorer::Subject;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::row_of;
use zonaut_dbm::{Bound, Row};
use zonaut_space::{Covering, Encoding, Member, NodeId, SummaryWord, TransitionSystem};
use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_zonegraph::{
    Abstraction, Comparison, Scratch, StateEncoding, Step, SymbolicState, ZoneCovering, ZoneGraph,
};

/// Calls `check` with random networks of every stratum in every sound abstraction, and the first
/// states of each.
fn check(seeds: u64, mut check: impl FnMut(&ZoneGraph<'_>, &[SymbolicState])) {
    for stratum in Stratum::ALL {
        for seed in 0..seeds {
            let subject = Subject::of_model(generate_in(stratum, seed).to_model());
            for abstraction in Abstraction::ALL {
                let Some(graph) = subject.graph(abstraction) else { continue };
                let Some((states, _)) = subject.explore(abstraction, 30) else { continue };
                check(&graph, &states);
            }
        }
    }
}

/// The comparable part of a successor.
type Seen = (Step, Option<(Vec<i32>, Vec<u64>, Vec<Bound>)>);

fn successors(graph: &ZoneGraph<'_>, state: &SymbolicState, scratch: &mut Scratch) -> Vec<Seen> {
    let mut all = Vec::new();
    let _ = graph.visit_successors(state, scratch, &mut |step, _, target| {
        let seen = target.ok().map(|target| {
            let zone = target.zone.as_slice().to_vec();
            assert!(target.zone.is_canonical());
            let seen = (target.values.clone(), target.key().to_vec(), zone);
            // The visitor may overwrite its argument.
            target.values.fill(0);
            target.zone.assign_origin(1);
            seen
        });
        all.push((step, seen));
        ControlFlow::Continue(())
    });
    all
}

#[test]
fn the_same_state_has_the_same_successors_whatever_the_scratch_did_before() {
    check(12, |graph, states| {
        let mut used = graph.scratch();
        let first: Vec<_> = states.iter().map(|s| successors(graph, s, &mut used)).collect();
        for (state, expected) in states.iter().zip(&first).rev() {
            assert_eq!(&successors(graph, state, &mut used), expected);
            assert_eq!(&successors(graph, state, &mut graph.scratch()), expected);
            let steps: Vec<Step> = expected.iter().map(|&(step, _)| step).collect();
            let different: std::collections::BTreeSet<Step> = steps.iter().copied().collect();
            assert_eq!(different.len(), steps.len(), "steps are pairwise different");
        }
    });
}

#[test]
fn a_visitor_that_breaks_is_not_called_again_and_leaves_the_scratch_usable() {
    check(6, |graph, states| {
        let mut scratch = graph.scratch();
        for state in states {
            let all = successors(graph, state, &mut scratch);
            for stop in 0..all.len() {
                let mut calls = 0;
                let flow = graph.visit_successors(state, &mut scratch, &mut |_, _, _| {
                    calls += 1;
                    if calls > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                assert_eq!((flow, calls), (ControlFlow::Break(()), stop + 1));
                assert_eq!(successors(graph, state, &mut scratch), all);
            }
        }
    });
}

#[test]
fn a_loaded_state_is_the_stored_one() {
    check(8, |graph, states| {
        let encoding = StateEncoding::new(graph);
        let mut scratch = graph.scratch();
        for (state, other) in states.iter().zip(states.iter().rev()) {
            let (key, payload) = (encoding.bucket(state), encoding.payload(state));
            assert_eq!(key.len(), encoding.bucket_words());
            let mut loaded = other.clone();
            encoding.load(key, payload, &mut loaded);
            assert_eq!((loaded.key(), loaded.zone.as_slice()), (key, payload));
            assert_eq!(loaded.values, state.values);
            assert_eq!(graph.rows(&loaded).len(), state.zone.dim());
            let expected = successors(graph, state, &mut scratch);
            assert_eq!(successors(graph, &loaded, &mut scratch), expected);
        }
    });
}

#[test]
fn many_values_are_stored_in_several_words() {
    let text = "int v[9]; process P() { state a; init a; trans a -> a { assign v[8] = -7, v[0] = 5; }; } system P;";
    let subject = Subject::of_text(text, "E<> v[3] == 1");
    let graph = subject.graph(Abstraction::Simulation).expect("sound");
    let (states, _) = subject.explore(Abstraction::Simulation, 9).expect("sound");
    let encoding = StateEncoding::new(&graph);
    assert!(states.len() == 2 && encoding.bucket_words() > 1);
    for state in &states {
        assert_eq!(encoding.bucket(state).len(), encoding.bucket_words());
        let mut loaded = SymbolicState::buffer();
        encoding.load(encoding.bucket(state), encoding.payload(state), &mut loaded);
        assert_eq!(loaded.values, state.values);
    }
}

#[test]
fn the_bounds_of_a_state_are_the_greatest_of_its_locations() {
    check(8, |graph, states| {
        for state in states {
            let locations = &state.values[..graph.network().process_count()];
            let of_process = |(process, &location): (usize, &i32)| {
                graph.bounds().of(Id::from_index(process), Id::from_index(location as usize))
            };
            let lists = locations.iter().enumerate().map(of_process);
            let all: Vec<_> = lists.chain([graph.bounds().everywhere()]).flatten().collect();
            let found = graph.active_clocks(state);
            assert_eq!(found.rows(), graph.rows(state));
            assert_eq!(found.rows().len(), state.zone.dim());
            for (position, &row) in found.rows().iter().enumerate().skip(1) {
                let own = || all.iter().filter(|b| row_of(b.clock) == row);
                assert_eq!(Some(found.lower()[position]), own().map(|b| b.lower).max());
                assert_eq!(Some(found.upper()[position]), own().map(|b| b.upper).max());
            }
        }
    });
}

/// A member with a fixed node, on which comparisons of zones do not depend.
fn member(payload: &[Bound]) -> Member<'_, Bound> {
    Member { node: NodeId::from_index(0), payload }
}

#[test]
fn equality_and_inclusion_compare_matrices() {
    check(4, |graph, states| {
        let coverings = [Comparison::Equality, Comparison::Inclusion, Comparison::Simulation]
            .map(|comparison| ZoneCovering::new(graph, comparison));
        assert_eq!(coverings.each_ref().map(ZoneCovering::is_equality), [true, false, false]);
        let [equality, inclusion, _] = coverings;
        let mut scratch = equality.scratch();
        let same_rows = |a: &SymbolicState, b: &SymbolicState| graph.rows(a) == graph.rows(b);
        for a in states {
            for b in states.iter().filter(|b| same_rows(a, b)) {
                let (one, two) = (a.zone.as_slice(), b.zone.as_slice());
                assert_eq!(
                    equality.covers(member(one), member(two), &mut scratch),
                    a.zone == b.zone
                );
                assert_eq!(
                    inclusion.covers(member(one), member(two), &mut scratch),
                    a.zone.includes(&b.zone)
                );
            }
        }
    });
}

#[test]
fn covering_is_a_preorder_that_respects_inclusion() {
    check(10, |graph, states| {
        let encoding = StateEncoding::new(graph);
        let comparison = Comparison::of(graph.abstraction());
        let covering = ZoneCovering::new(graph, comparison);
        let mut scratch = covering.scratch();
        for a in states {
            let key = encoding.bucket(a).to_vec();
            covering.focus(&key, &mut scratch);
            let same: Vec<_> = states.iter().filter(|b| encoding.bucket(b) == key).collect();
            let mut covers = |x: &SymbolicState, y: &SymbolicState| {
                covering.covers(
                    member(encoding.payload(x)),
                    member(encoding.payload(y)),
                    &mut scratch,
                )
            };
            assert!(covers(a, a));
            for b in &same {
                assert!(covers(a, b) || !a.zone.includes(&b.zone));
                for c in &same {
                    assert!(covers(a, c) || !(covers(a, b) && covers(b, c)));
                }
            }
        }
    });
}

#[test]
fn summaries_are_monotone_in_their_zones() {
    let mut covered = 0;
    check(10, |graph, states| {
        let encoding = StateEncoding::new(graph);
        for comparison in [Comparison::Inclusion, Comparison::of(graph.abstraction())] {
            let covering = ZoneCovering::new(graph, comparison);
            let mut scratch = covering.scratch();
            for a in states {
                let key = encoding.bucket(a);
                covering.focus(key, &mut scratch);
                let same = states.iter().filter(|b| encoding.bucket(b) == key);
                let summaries: Vec<_> = std::iter::once(a)
                    .chain(same.clone())
                    .map(|state| {
                        let payload = encoding.payload(state);
                        let words = covering.summary_words(payload.len());
                        let mut summary = vec![SummaryWord::default(); words];
                        covering.summarise(key, payload, &mut scratch, &mut summary);
                        summary
                    })
                    .collect();
                assert!(!summaries[0].is_empty());
                for (b, small) in same.zip(&summaries[1..]) {
                    let (larger, smaller) = (encoding.payload(a), encoding.payload(b));
                    if covering.covers(member(larger), member(smaller), &mut scratch) {
                        covered += usize::from(a.zone != b.zone);
                        let mut words = summaries[0].iter().zip(small);
                        assert!(words.all(|(large, small)| large.is_at_least(*small)));
                    }
                }
            }
        }
    });
    assert!(covered > 500, "{covered}");
}

#[test]
fn a_covering_state_has_covering_successors() {
    let mut compared = 0;
    check(10, |graph, states| {
        let covering = ZoneCovering::new(graph, Comparison::of(graph.abstraction()));
        let mut focused = covering.scratch();
        let mut scratch = graph.scratch();
        for state in states {
            let mut smaller = state.clone();
            let upper = (Row(1), Row::ZERO, Bound::le(1));
            if state.zone.dim() == 1 || smaller.zone.constrain(upper.0, upper.1, upper.2).is_err() {
                continue;
            }
            compared += 1;
            let large = successors(graph, state, &mut scratch);
            for (_, target) in successors(graph, &smaller, &mut scratch) {
                let Some((_, key, zone)) = target else { continue };
                covering.focus(&key, &mut focused);
                let found = large.iter().flat_map(|(_, target)| target).any(|(_, k, z)| {
                    *k == key && covering.covers(member(z), member(&zone), &mut focused)
                });
                assert!(found || zone_is_split(graph));
            }
        }
    });
    assert!(compared > 500, "{compared}");
}

/// Whether successors are split into parts, so that one of a smaller state may need two.
fn zone_is_split(graph: &ZoneGraph<'_>) -> bool {
    graph.network().has_urgent_channels() || !graph.bounds().differences().is_empty()
}

#[test]
fn every_abstraction_agrees_with_the_oracles_on_random_networks() {
    let (mut reachable, mut decided) = (0, 0);
    for stratum in Stratum::ALL {
        for seed in 0..60 {
            let specification = generate_in(stratum, seed ^ 0x20_0000);
            let subject = Subject::of_model(specification.to_model());
            let context = format!("{stratum:?} {seed}: {}", specification.to_xta());
            if let Some(found) = subject.agrees_with_oracles(&context) {
                decided += 1;
                reachable += usize::from(found);
            }
        }
    }
    assert!(decided > 500 && reachable > 200, "{reachable} of {decided}");
}

#[test]
fn every_action_is_taken_or_has_an_obstacle() {
    let (mut blocked, mut asked) = (0, 0);
    check(8, |graph, states| {
        let network = graph.network();
        let mut scratch = graph.scratch();
        for state in states {
            let mut taken = vec![false; network.actions().len()];
            let mut fails = false;
            let _ = graph.visit_successors(state, &mut scratch, &mut |_, transition, target| {
                fails |= target.is_err();
                transition.participants.iter().for_each(|a| taken[a.index()] = true);
                ControlFlow::Continue(())
            });
            let Ok(obstacles) = graph.obstacles(state, &mut scratch) else { continue };
            for obstacle in &obstacles {
                blocked += 1;
                obstacle.participants.iter().for_each(|a| taken[a.index()] = true);
            }
            for process in 0..network.process_count() {
                let location = network.location(process, &state.values);
                for action in location.internal.iter().chain(&location.sends) {
                    asked += 1;
                    assert!(
                        taken[action.index()] || fails,
                        "neither taken nor blocked: {action:?}"
                    );
                }
            }
        }
    });
    assert!(blocked > 500 && asked > blocked, "{blocked} of {asked}");
}

#[test]
fn steps_name_the_same_actions_under_every_abstraction() {
    let mut compared = 0;
    for stratum in Stratum::ALL {
        for seed in 0..10 {
            let subject = Subject::of_model(generate_in(stratum, seed).to_model());
            let graphs = Abstraction::ALL.map(|abstraction| subject.graph(abstraction));
            let graphs: Vec<_> = graphs.into_iter().flatten().collect();
            let Some((states, _)) = subject.explore(Abstraction::Exact, 20) else { continue };
            for state in &states {
                let named = |graph: &ZoneGraph<'_>| {
                    let mut names = Vec::new();
                    let mut scratch = graph.scratch();
                    let _ = graph.visit_successors(state, &mut scratch, &mut |step, t, _| {
                        names.push((step, t.participants.clone()));
                        ControlFlow::Continue(())
                    });
                    names
                };
                for (step, participants) in graphs.iter().flat_map(named) {
                    compared += 1;
                    for other in &graphs {
                        assert_eq!(other.read_step(step, <[_]>::to_vec), participants);
                    }
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}
