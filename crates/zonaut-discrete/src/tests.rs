//! A second time domain, of integer dates: the discrete layer needs no zones.

use crate::{Candidate, DiscreteScratch, Urgency, for_each_candidate};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_compile::{CompiledNetwork, Constraint, LocationFlags};
use zonaut_model::builder::NetworkBuilder;
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{Model, Range};

/// Clocks stop at this value.
const LAST: i32 = 8;

/// A state with integer clock values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct DatedState {
    values: Vec<i32>,
    clocks: Vec<i32>,
}

impl DatedState {
    fn satisfies(&self, constraints: &[Constraint]) -> bool {
        let value = |row: u32| row.checked_sub(1).map_or(0, |clock| self.clocks[clock as usize]);
        constraints.iter().all(|&Constraint { x, y, bound }| {
            let difference = value(x) - value(y);
            difference < bound.value() || difference == bound.value() && !bound.is_strict()
        })
    }
}

/// The working memory of the domain: that of the discrete layer, and the successors.
struct DatedScratch {
    discrete: DiscreteScratch,
    successors: Vec<DatedState>,
}

impl AsMut<DiscreteScratch> for DatedScratch {
    fn as_mut(&mut self) -> &mut DiscreteScratch {
        &mut self.discrete
    }
}

/// The states that `network` reaches with integer delays.
fn reachable(network: &CompiledNetwork) -> BTreeSet<DatedState> {
    let discrete = DiscreteScratch::new(network, &Meter::default());
    let mut scratch = DatedScratch { discrete, successors: Vec::new() };
    let clocks = network.initial_clocks.to_vec();
    let start = DatedState { values: network.initial.to_vec(), clocks };
    let (mut reached, mut open) = (BTreeSet::from([start.clone()]), vec![start]);
    while let Some(state) = open.pop() {
        scratch.discrete.leave(&state.values);
        let flow = for_each_candidate(network, &mut scratch, |candidate, scratch| {
            let Candidate::Joint(participants) = candidate else { unreachable!("no broadcasts") };
            let DatedScratch { discrete, successors } = scratch;
            let mut guards = Vec::new();
            discrete.add_clock_guards(network, participants, &mut guards).expect("no error");
            if state.satisfies(&guards) {
                let mut target = state.clone();
                discrete.take(network, participants, &mut target.values).expect("no error");
                for effect in &discrete.machine.clock_effects {
                    match *effect {
                        ClockEffect::Set(clock, value) => target.clocks[clock.index()] = value,
                        ClockEffect::Copy(clock, from) => {
                            target.clocks[clock.index()] = target.clocks[from.index()];
                        }
                    }
                }
                successors.push(target);
            }
            ControlFlow::Continue(())
        });
        assert_eq!(flow, Ok(ControlFlow::Continue(())));
        let mut later = state.clone();
        let flags = network.location_flags(&later.values);
        let urgency = scratch.discrete.urgency(network, flags, &mut later.values);
        let may_stay = match urgency.expect("no error") {
            Urgency::Free => true,
            Urgency::Now => false,
            Urgency::When(conditions) => !conditions.iter().any(|all| state.satisfies(all)),
        };
        if may_stay {
            later.clocks.iter_mut().for_each(|value| *value = (*value + 1).min(LAST));
            scratch.successors.push(later);
        }
        for mut target in std::mem::take(&mut scratch.successors) {
            let mut invariants = Vec::new();
            let DatedState { values, .. } = &mut target;
            let holds = scratch.discrete.add_invariants(network, values, &mut invariants);
            if holds.expect("no error").is_some()
                && target.satisfies(&invariants)
                && reached.insert(target.clone())
            {
                open.push(target);
            }
        }
    }
    reached
}

/// A sender that waits from 2 to 5 units, and a receiver that is ready from 3 units on. It counts
/// the messages in a variable.
fn two_processes(is_urgent: bool) -> Model {
    let mut network = NetworkBuilder::new();
    let (x, y) = (network.clock("x"), network.clock("y"));
    let count = network.integer("count", Range { low: 0, high: 2 }, 0);
    let channel = if is_urgent { network.urgent_channel("c") } else { network.channel("c") };
    let sender = network.process("Sender");
    let (wait, sent) = (network.location(sender, "wait"), network.location(sender, "sent"));
    network.invariant(sender, wait, x.at_most(5));
    network.edge(sender, wait, sent).guard(x.at_least(2)).send(channel);
    let receiver = network.process("Receiver");
    let ready = network.location(receiver, "ready");
    let busy = network.committed_location(receiver, "busy");
    network.edge(receiver, ready, busy).guard(y.at_least(3)).receive(channel);
    network.edge(receiver, busy, ready).update(count.set(count + 1)).update(y.reset());
    network.finish().expect("a valid model")
}

/// The values of both clocks in the reachable states with these locations.
fn dates(is_urgent: bool, locations: [i32; 2]) -> Vec<Vec<i32>> {
    let model = two_processes(is_urgent);
    let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
    let states = reachable(&network).into_iter();
    states.filter(|state| state.values[..2] == locations).map(|state| state.clocks).collect()
}

#[test]
fn guards_and_invariants_bound_the_dates_of_a_synchronisation() {
    assert_eq!(dates(false, [0, 0]), [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]);
    assert_eq!(dates(false, [1, 1]), [[3, 3], [4, 4], [5, 5]]);
}

#[test]
fn urgent_channels_stop_time_when_both_sides_are_ready() {
    assert_eq!(dates(true, [0, 0]), [[0, 0], [1, 1], [2, 2], [3, 3]]);
    assert_eq!(dates(true, [1, 1]), [[3, 3]]);
}

#[test]
fn committed_locations_let_no_time_pass_and_updates_run() {
    let model = two_processes(false);
    let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
    let states = reachable(&network);
    assert!(
        states
            .iter()
            .all(|state| (state.values[0] == 1 && state.values[1] == 0) == (state.values[2] == 1))
    );
    let is_committed = |state: &&DatedState| {
        network.location_flags(&state.values).include(LocationFlags::COMMITTED)
    };
    assert_eq!(states.iter().filter(is_committed).count(), 3);
    assert!(states.contains(&DatedState { values: vec![1, 0, 1], clocks: vec![3, 0] }));
}
