//! Cartesian invariants of random networks: accepted claims are true.

use super::prover::{Covering, explore};
use super::{core_of, is_accepted, model_of, query};
use crate::core::Core;
use std::collections::BTreeSet;
use zonaut_testkit::generate::Stratum;
use zonaut_testkit::oracle::{self, Verdict};
use zonaut_testkit::random::Random;

/// The values of every process and every cell in some states; tests add and remove some.
struct Sets {
    locations: Vec<BTreeSet<i64>>,
    cells: Vec<BTreeSet<i64>>,
}

impl Sets {
    /// The body of a certificate whose only node, the initial one, has these sets as its invariant.
    fn body(&self, core: &Core) -> String {
        let line = |keyword: &str, number: usize, set: &BTreeSet<i64>| {
            let values: Vec<String> = set.iter().map(i64::to_string).collect();
            format!("{keyword} {number} {}\n", values.join(","))
        };
        let mut text = "abs incl\ninvariant 0\n".to_owned();
        for (number, set) in self.locations.iter().enumerate() {
            text.push_str(&line("within", number, set));
        }
        for (number, set) in self.cells.iter().enumerate() {
            text.push_str(&line("values", number, set));
        }
        let initial: Vec<String> =
            core.processes.iter().map(|process| process.initial.to_string()).collect();
        text + &format!("nodes 1\nnode 0 {} -\nreason 0 0\n", initial.join(","))
    }

    /// Adds and removes values at random, but never the initial one.
    fn disturb(&mut self, core: &Core, random: &mut Random) {
        let places =
            core.processes.iter().map(|p| (0, p.locations.len() as i64 - 1, p.initial as i64));
        let cells = core.cells.iter().map(|cell| (cell.range.0, cell.range.1, cell.initial));
        let sets = self.locations.iter_mut().chain(&mut self.cells);
        for (set, (low, high, initial)) in sets.zip(places.chain(cells)) {
            let value = low + random.below((high - low + 1).clamp(1, 50) as usize) as i64;
            match random.below(4) {
                0 => drop(set.insert(value)),
                1 if value != initial => drop(set.remove(&value)),
                _ => {}
            }
        }
    }
}

#[test]
fn no_invariant_for_a_false_claim_is_accepted() {
    let (mut tried, mut proved) = (0, 0);
    for stratum in Stratum::ALL {
        for seed in 0..60 {
            let model = model_of(stratum, seed);
            let verdict = oracle::region(&model, query(&model), oracle::Limits::default());
            let Verdict::Decided(answer) = verdict else { continue };
            let text = core_of(&model);
            let Ok(core) = Core::read(&text) else { panic!("{text}") };
            let states = explore(&text, Covering::Inclusion).states();
            let mut sets = Sets {
                locations: (0..core.processes.len())
                    .map(|k| states.iter().map(|state| state.locations[k] as i64).collect())
                    .collect(),
                cells: (0..core.cells.len())
                    .map(|k| states.iter().map(|state| state.cells[k]).collect())
                    .collect(),
            };
            let mut random = Random::new(seed);
            for _ in 0..6 {
                let body = sets.body(&core);
                let is_true = answer.goal.is_none() && answer.failure.is_none();
                let accepted = is_accepted(&model, &text, &body);
                assert!(is_true || !accepted, "{stratum:?} {seed}\n{text}\n{body}");
                tried += 1;
                proved += usize::from(accepted);
                sets.disturb(&core, &mut random);
            }
        }
    }
    assert!(tried > 3_000 && proved > 30, "{tried} {proved}");
}
