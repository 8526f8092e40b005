//! Equivalent models have the same answers: bounds that are computed or enumerated, and constants
//! that are small or near the end of their range.

mod support;

use std::fmt::Write;
use std::path::Path;
use support::ask;
use zonaut_engine::{
    LoadOptions, Order, QuerySource, Random, Resources, TraceWish, Verdict, VerifyOptions, load,
};

const CLOCKS: [&str; 3] = ["x", "y", "z"];
const RELATIONS: [&str; 5] = ["<", "<=", "==", ">=", ">"];
/// The values of the variable `d`.
const VALUES: std::ops::RangeInclusive<i32> = -2..=2;

/// The notation of a random model.
#[derive(Clone, Copy)]
struct Style {
    /// The factor of all constants.
    scale: i32,
    /// Whether clock differences are compared with `d`, or with each of its values on a separate
    /// edge; `None` for a model without differences.
    computed: Option<bool>,
}

/// A random process; the same seed gives the same process in each style.
fn process(seed: u64, style: Style) -> String {
    let mut random = Random::new(seed);
    let mut pick = |count: usize| random.below(count);
    let (mut locations, mut edges) = (String::new(), Vec::new());
    for location in 0..4 {
        let (has_invariant, clock, bound) = (pick(3) == 0, pick(3), pick(4) as i32 * style.scale);
        let invariant = format!("{{ {} <= {bound} }}", CLOCKS[clock]);
        let separator = if location == 0 { "" } else { ", " };
        let _ = write!(
            locations,
            "{separator}l{location} {}",
            if has_invariant && location > 0 { &invariant } else { "" }
        );
    }
    for edge in 0..8 {
        // Some edges lead forward, so that some goals are reachable.
        let (source, target) = if edge < 3 { (edge, edge + 1) } else { (pick(4), pick(4)) };
        let mut guard = format!("n < {}", 2 + pick(5));
        for _ in 0..pick(3) {
            let (clock, relation, bound) = (pick(3), pick(5), pick(4) as i32 * style.scale);
            let _ = write!(guard, " && {} {} {bound}", CLOCKS[clock], RELATIONS[relation]);
        }
        let mut update = format!("n = n % 6 + 1, d = {}", pick(5) as i32 - 2);
        for clock in CLOCKS {
            if pick(2) == 0 {
                let value = if pick(4) == 0 { pick(4) as i32 * style.scale } else { 0 };
                let _ = write!(update, ", {clock} = {value}");
            }
        }
        let (left, right, relation) = (pick(3), pick(2), pick(5));
        let has_difference = pick(3) == 0;
        let right = (left + 1 + right) % 3;
        let difference = format!("{} - {} {}", CLOCKS[left], CLOCKS[right], RELATIONS[relation]);
        let mut push = |more: &str| {
            edges
                .push(format!("l{source} -> l{target} {{ guard {guard}{more}; assign {update}; }}"))
        };
        match style.computed.filter(|_| has_difference) {
            None => push(""),
            Some(true) => push(&format!(" && {difference} d")),
            Some(false) => {
                VALUES.for_each(|d| push(&format!(" && d == {d} && {difference} {d}")));
            }
        }
    }
    format!(
        "clock x, y, z; int[1,6] n = 1; int[-2,2] d;\nprocess P() {{\n state {locations}; init l0;\n \
         trans {};\n}}\nsystem P;\n",
        edges.join(",\n  ")
    )
}

/// The verdict whether the last location is reachable; its run is replayed.
fn answer(folder: &Path, text: &str, options: &VerifyOptions) -> Verdict {
    let path = folder.join("p.xta");
    std::fs::write(&path, text).expect("a writable folder");
    let queries = QuerySource::Formulas(vec!["E<> P.l3".to_owned()]);
    let loaded = load(&path, &queries, &LoadOptions::default()).expect("a file");
    assert!(loaded.diagnostics.is_empty(), "{text}\n{:?}", loaded.diagnostics);
    let session = loaded.session().expect("a correct model");
    let (query, _) = session.queries().next().expect("a query");
    ask(&loaded, query, options).verdict
}

/// Every order, with runs and a limit.
fn configurations() -> impl Iterator<Item = VerifyOptions> {
    Order::ALL.into_iter().map(|order| VerifyOptions {
        strategy: order.into(),
        trace: TraceWish::Some,
        resources: Resources { states: Some(100_000), ..Resources::default() },
        ..VerifyOptions::default()
    })
}

/// Compares two styles on many random models; returns the number of reached goals.
fn compare(seeds: std::ops::Range<u64>, plain: Style, other: Style) -> usize {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut reached = 0;
    for seed in seeds {
        let expected = answer(folder.path(), &process(seed, plain), &VerifyOptions::default());
        reached += usize::from(expected == Verdict::Satisfied);
        let text = process(seed, other);
        for options in configurations() {
            assert_eq!(answer(folder.path(), &text, &options), expected, "{options:?}\n{text}");
        }
    }
    reached
}

#[test]
fn computed_bounds_of_differences_equal_enumerated_ones() {
    let style = |is_computed| Style { scale: 1, computed: Some(is_computed) };
    let reached = compare(0..300, style(false), style(true));
    assert!((60..240).contains(&reached), "{reached}");
}

#[test]
fn large_constants_have_the_answers_of_small_ones() {
    let style = |scale| Style { scale, computed: None };
    for scale in [1 << 23, 11_000_000, 22_000_000] {
        let reached = compare(0..100, style(1), style(scale));
        assert!((20..80).contains(&reached), "{reached}");
    }
}
