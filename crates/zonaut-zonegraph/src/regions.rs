//! Regions of discrete states: the parts of a state space that several processes divide.
//!
//! A step changes the locations of few processes of the network. A region is the set of states with
//! the same locations of some of them, so that most successors of a state are in its region and do
//! not leave the process that owns it. Its states are also of fewer kinds, for which successors are
//! computed alike.

use zonaut_compile::CompiledNetwork;

/// The least number of regions, if there are as many: enough that different sizes even out.
const LEAST_REGIONS: u64 = 1 << 9;

/// The bits of a bucket that determine its region, word by word: those of the locations of as few
/// processes as give enough regions, and all bits if those of all processes do not.
pub(crate) fn region_bits(network: &CompiledNetwork) -> Vec<u64> {
    let mut places = network.packing.places();
    places.truncate(network.process_count());
    let located: Vec<(usize, u64)> = places.into_iter().flatten().collect();
    let (words, processes) = (network.packing.words(), located.len());
    // Neighbours in the system line often do the same at the same time.
    let spread = |count: usize| (0..count).map(move |at| at * processes / count);
    let regions = |count: usize| {
        spread(count).fold(1_u64, |regions, at| {
            let (_, bits) = located[at];
            regions.saturating_mul((bits >> bits.trailing_zeros()).saturating_add(1))
        })
    };
    let Some(count) = (1..=processes).find(|&count| regions(count) >= LEAST_REGIONS) else {
        return vec![u64::MAX; words];
    };
    let mut masks = vec![0; words];
    for (word, bits) in spread(count).map(|at| located[at]) {
        masks[word] |= bits;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Meter;
    use zonaut_testkit::front_end::model_of;

    /// The bits of a network with this many processes of four locations, and of their locations.
    fn bits_of(processes: usize) -> (Vec<u64>, Vec<Option<(usize, u64)>>) {
        let ids: Vec<String> = (0..processes).map(|id| format!("P{id} = P();")).collect();
        let names: Vec<String> = (0..processes).map(|id| format!("P{id}")).collect();
        let text = format!(
            "int[0,9] v; process P() {{ state a, b, c, d; init a; \
             trans a -> b {{ assign v = 1; }}, b -> c {{}}, c -> d {{}}, d -> a {{}}; }} \
             {} system {};",
            ids.join(" "),
            names.join(", ")
        );
        let (model, _) = model_of(&text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
        let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
        (region_bits(&network), network.packing.places())
    }

    #[test]
    fn a_region_is_determined_by_the_locations_of_some_processes() {
        let (bits, places) = bits_of(10);
        let of_locations = places.iter().take(10).flatten();
        let chosen = of_locations.filter(|&&(word, own)| bits[word] & own != 0);
        let chosen: Vec<_> = chosen.collect();
        // 4^5 is the first power of 4 that is large enough.
        assert_eq!(chosen.len(), 5);
        let all: u32 = bits.iter().map(|word| word.count_ones()).sum();
        assert_eq!(all, 5 * 2, "no other bits");
    }

    #[test]
    fn every_bucket_is_a_region_if_there_are_few() {
        let (bits, _) = bits_of(3);
        assert!(bits.iter().all(|&word| word == u64::MAX));
    }
}
