//! Least costs of random networks whose locations have different rates.

use zonaut_testkit::generate::generate;
use zonaut_testkit::priced::Rated;

/// Examines the networks of some seeds; returns how many the oracle judged, how many of these can
/// reach their goal, and how many of these do not attain their least cost.
fn examine(seeds: std::ops::Range<u64>) -> Result<[u64; 3], String> {
    let (mut judged, mut reachable, mut approached) = (0, 0, 0);
    for seed in seeds {
        let Some(rated) = Rated::of(&generate(seed), seed) else { continue };
        match rated.examine(seed) {
            Ok(examined) if examined.is_judged => {
                judged += 1;
                reachable += u64::from(examined.least.is_some());
                approached += u64::from(examined.least.is_some_and(|least| !least.is_attained()));
            }
            Ok(_) => {}
            Err(mistake) => {
                let text = generate(seed).to_xta();
                return Err(format!("seed {seed}: {mistake}\n{text}"));
            }
        }
    }
    Ok([judged, reachable, approached])
}

#[test]
fn least_costs_are_those_of_the_oracle() {
    // More seeds by `ZONAUT_SEEDS=from..to`, for a long run.
    let range = std::env::var("ZONAUT_SEEDS").ok().and_then(|range| {
        let (from, to) = range.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let seeds = range.unwrap_or(0..400);
    let count = seeds.end - seeds.start;
    let [judged, reachable, approached] = examine(seeds).unwrap_or_else(|why| panic!("{why}"));
    assert!(judged * 2 > count, "{judged} of {count} judged");
    assert!(reachable * 8 > count && approached * 50 > count, "{reachable}, {approached}");
}

/// Estimates along the path of this network followed all parts of parts of its zones, exponentially many
/// of which cover each other, and did not end.
#[test]
fn estimates_along_a_path_of_many_parts_end() {
    let seed = 2_100_010_197;
    let examined = examine(seed..seed + 1);
    assert_eq!(examined.map(|[judged, ..]| judged), Ok(1));
}
