//! Networks with `meta` variables.
//!
//! Guards, bounds, invariants and the goal read `meta` variables like others, and see their initial
//! values. The updates of one transition pass values through them, within an edge and from a sender
//! to its receivers.

use super::Stratum;
use super::knobs::Knobs;
use super::structure;
use crate::random::Random;
use crate::specification::{Specification, Update, Value};

/// The strata of the underlying networks.
const STRATA: [Stratum; 7] = [
    Stratum::Data,
    Stratum::Data,
    Stratum::Language,
    Stratum::Broadcast,
    Stratum::Committed,
    Stratum::UrgentChannels,
    Stratum::Updates,
];

/// The network of a seed with at least one `meta` variable.
pub(super) fn network(seed: u64) -> Specification {
    let mut random = Random::new(seed ^ 0x3e7a);
    let mut knobs = Knobs::of(random.choose(&STRATA), &mut random);
    knobs.variables = random.choose(&[2, 2, 3]);
    knobs.add_data();
    knobs.data = knobs.data.max(40);
    let mut network = structure::network(&knobs, &mut random);
    let meta = random.below(network.variables.len());
    for (position, variable) in network.variables.iter_mut().enumerate() {
        variable.meta = position == meta || random.chance(20);
        if variable.meta && random.chance(50) {
            variable.initial = random.between(0, variable.high);
        }
    }
    pass_values(&mut network, meta, &mut random);
    network
}

/// Changes the initial value of a variable, or whether it is `meta`.
pub(super) fn change_variable(network: &mut Specification, random: &mut Random) {
    if network.variables.is_empty() {
        return;
    }
    let position = random.below(network.variables.len());
    let variable = &mut network.variables[position];
    match random.chance(50) {
        true => variable.meta = !variable.meta,
        false => variable.initial = random.between(0, variable.high),
    }
}

/// Adds updates that write the variable `meta`, and updates that read it while it has the value:
/// later on the same edge, or on a receiving one.
fn pass_values(network: &mut Specification, meta: usize, random: &mut Random) {
    let (count, high) = (network.variables.len(), network.variables[meta].high);
    for edge in network.processes.iter_mut().flat_map(|process| &mut process.edges) {
        if random.chance(35) {
            let value = match random.chance(60) {
                true => Value::Constant(random.between(0, high)),
                false => Value::Variable(random.below(count)),
            };
            let place = random.below(edge.updates.len() + 1);
            edge.updates.insert(place, Update::Set(meta, value));
        }
        if random.chance(25) {
            edge.updates.push(Update::Set(random.below(count), Value::Variable(meta)));
        }
    }
}
