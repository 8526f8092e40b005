//! A short soak of programs, and what they are made of.

use zonaut_testkit::differential::{ProgramExamination, Tally};
use zonaut_testkit::program::{Stratum, generate};

/// The programs of some seeds of one stratum.
fn check(stratum: Stratum, seeds: std::ops::Range<u64>) {
    let models = seeds.end - seeds.start;
    let mut tally = Tally::default();
    for seed in seeds {
        if let Err(failure) = ProgramExamination::of(seed).examine(stratum, seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert_eq!(tally.models + tally.refused, models);
    assert!(tally.refused * 10 < models && tally.undecided * 4 < models, "{tally:?}");
    assert!(tally.answers > 4 * (models - tally.refused - tally.undecided), "{tally:?}");
    let [unreachable, least] = [models - tally.reachable - tally.failing, models / 10];
    assert!(tally.reachable > least && unreachable > least && tally.failing > 0, "{tally:?}");
}

#[test]
fn programs_with_arrays_and_structs_are_answered_rightly() {
    check(Stratum::Aggregates, 0..40);
}

#[test]
fn programs_with_side_effects_are_answered_rightly() {
    check(Stratum::Effects, 0..40);
}

#[test]
fn programs_that_fail_are_answered_rightly() {
    check(Stratum::Failures, 0..40);
}

#[test]
fn programs_with_clocks_are_answered_rightly() {
    check(Stratum::Clocks, 0..40);
}

#[test]
fn programs_at_the_limits_are_answered_rightly() {
    check(Stratum::Limits, 0..40);
}

#[test]
fn the_strata_of_programs_have_what_they_are_for() {
    let share = |stratum: Stratum, has: &dyn Fn(&str) -> bool| {
        (0..100).filter(|&seed| has(&generate(stratum, seed).text)).count()
    };
    let returns_aggregate = |text: &str| text.contains("\nrow") || text.contains("\nrec");
    assert!(share(Stratum::Aggregates, &returns_aggregate) > 80);
    let has_effects = |text: &str| text.contains("++") || text.contains("(g");
    assert!(share(Stratum::Effects, &has_effects) > 80);
    assert!(share(Stratum::Clocks, &|text| text.contains("clock x")) == 100);
    assert!(share(Stratum::Limits, &|text| text.contains("67108") || text.contains("21474")) > 60);
}
