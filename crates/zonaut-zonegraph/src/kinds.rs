//! Kinds of discrete states: those whose zones have the same bounds row by row, so that their
//! successors have the same zone steps.

use crate::active_clocks::mix;
use std::collections::BTreeSet;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockBounds, CompiledNetwork};

/// Below this number of combinations of bounds, kinds are too few to be divided among workers.
const FEW_COMBINATIONS: usize = 1 << 10;

/// The kinds of discrete states, by the bounds of clocks in the locations of their processes.
#[derive(Clone, Debug)]
pub(crate) struct Kinds {
    processes: Vec<ProcessKinds>,
}

/// The position of a process's location in a bucket, and a number for its bounds in each location.
#[derive(Clone, Debug)]
struct ProcessKinds {
    word: usize,
    bits: u64,
    by_location: Box<[u64]>,
}

impl Kinds {
    /// The kinds of the states of a network; `None` if there are few.
    pub(crate) fn new(network: &CompiledNetwork, bounds: &BoundsTable) -> Option<Self> {
        let places = network.packing.places();
        let mut processes = Vec::new();
        let mut combinations: usize = 1;
        for (process, place) in places.into_iter().take(network.process_count()).enumerate() {
            let Some((word, bits)) = place else { continue };
            let kind = |list: &[ClockBounds]| {
                list.iter().fold(0, |kind, of| mix(mix(kind, of.lower as u64), of.upper as u64))
            };
            let by_location: Box<[u64]> =
                bounds.of_locations(Id::from_index(process)).map(kind).collect();
            let distinct = by_location.iter().collect::<BTreeSet<_>>().len();
            combinations = combinations.saturating_mul(distinct);
            if distinct > 1 {
                processes.push(ProcessKinds { word, bits, by_location });
            }
        }
        (combinations >= FEW_COMBINATIONS).then_some(Self { processes })
    }

    /// The kind of the discrete states with this bucket. Processes without active clocks do not
    /// contribute, so that the kind depends on the rows of the zone and not on the names of clocks.
    pub(crate) fn of(&self, bucket: &[u64]) -> u64 {
        self.processes.iter().fold(0, |kind, process| {
            let location = (bucket[process.word] & process.bits) >> process.bits.trailing_zeros();
            match process.by_location[location as usize] {
                0 => kind,
                own => mix(kind, own),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::active_clocks::ActiveClocks;
    use std::collections::HashMap;
    use zonaut_base::Meter;
    use zonaut_model::Formula;
    use zonaut_testkit::front_end::model_of;

    fn text(processes: usize) -> String {
        let ids: Vec<String> = (0..processes).map(|id| format!("P{id} = P();")).collect();
        let names: Vec<String> = (0..processes).map(|id| format!("P{id}")).collect();
        format!(
            "process P() {{ clock x; state a, b {{ x <= 4 }}, c; init a; \
             trans a -> b {{ assign x = 0; }}, b -> c {{}}, c -> a {{ guard x >= 7; }}; }} \
             {} system {};",
            ids.join(" "),
            names.join(", ")
        )
    }

    fn kinds_of(processes: usize) -> Option<(Kinds, CompiledNetwork, BoundsTable)> {
        let (model, _) = model_of(&text(processes), &[]).unwrap_or_else(|e| panic!("{e:?}"));
        let bounds = BoundsTable::new(&model, &Formula::truth());
        let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
        Kinds::new(&network, &bounds).map(|kinds| (kinds, network, bounds))
    }

    #[test]
    fn states_of_one_kind_have_the_same_bounds_row_by_row() {
        let (kinds, network, bounds) = kinds_of(7).expect("many kinds");
        let (mut of_bounds, mut key) = (HashMap::new(), Vec::new());
        for number in 0..3_usize.pow(7) {
            let locations: Vec<i32> =
                (0..7).map(|process| (number / 3_usize.pow(process) % 3) as i32).collect();
            network.packing.pack(&locations, &mut key);
            let active = ActiveClocks::new(&bounds, &locations);
            let rows = (active.lower().to_vec(), active.upper().to_vec());
            let kind = kinds.of(&key);
            assert_eq!(*of_bounds.entry(rows).or_insert(kind), kind, "{locations:?}");
        }
        let distinct = of_bounds.values().collect::<BTreeSet<_>>().len();
        assert_eq!(distinct, of_bounds.len());
        assert!(distinct < 3_usize.pow(7) / 2, "{distinct} kinds");
    }

    #[test]
    fn few_kinds_are_not_distinguished() {
        assert!(kinds_of(3).is_none());
    }
}
