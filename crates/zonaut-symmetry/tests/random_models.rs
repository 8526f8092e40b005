//! Searches with and without symmetry reduction agree with each other and with the oracle.

mod support;

use support::{compare, write};

#[test]
fn symmetry_changes_neither_verdicts_nor_lengths_and_paths_have_runs() {
    let (mut with, mut without, mut judged, mut reduced, mut reachable) = (0, 0, 0, 0, 0);
    for seed in 0..250 {
        let written = write(seed);
        let found = compare(&written).unwrap_or_else(|problem| {
            panic!("seed {seed}: {problem}\n{}\n{}", written.symmetric, written.query)
        });
        let Some(compared) = found else { continue };
        judged += u32::from(compared.is_judged);
        if let Some(states) = compared.symmetric {
            reduced += 1;
            reachable += u32::from(compared.is_reachable);
            with += states;
            without += compared.plain;
        }
    }
    assert!(judged > 80, "{judged} judged");
    assert!(reduced > 80 && reachable > 20, "{reduced} reduced, {reachable} reachable");
    assert!(4 * with < 3 * without, "{with} states with symmetry, {without} without");
}
