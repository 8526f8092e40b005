//! A short soak of random programs, and tests of their composition.

use zonaut_testkit::differential::{ProgramExamination, Tally};
use zonaut_testkit::fault::{Fault, detect};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::program::{Stratum, generate};

/// Examines the programs of some seeds of one stratum.
fn check(stratum: Stratum, seeds: std::ops::Range<u64>) {
    let models = seeds.end - seeds.start;
    let mut tally = Tally::default();
    for seed in seeds {
        let examination = ProgramExamination::of_stratum(stratum, seed);
        if let Err(failure) = examination.examine(stratum, seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert_eq!(tally.models + tally.refused, models);
    assert!(tally.refused * 10 < models && tally.undecided * 4 < models, "{tally:?}");
    let least = if examines_all(stratum) { 4 } else { 1 };
    assert!(tally.answers >= least * (models - tally.refused - tally.undecided), "{tally:?}");
    let [unreachable, least] = [models - tally.reachable - tally.failing, models / 10];
    assert!(tally.reachable > least && unreachable > least && tally.failing > 0, "{tally:?}");
}

/// Whether a value parameter is assigned by a process.
fn writes_parameter(text: &str) -> bool {
    let Ok((model, _)) = model_of(text, &[]) else { return false };
    model.cells.iter().any(|cell| {
        let member = cell.name.split_once('.').map_or("", |(_, member)| member);
        let name = member.split(['.', '[']).next().unwrap_or_default();
        let is_parameter = |line: &str| {
            line.starts_with("process") && {
                line.split(['(', ',', ')'])
                    .any(|part| part.split(' ').next_back() == Some(name) && !name.is_empty())
            }
        };
        text.lines().any(is_parameter)
    })
}

/// Whether every program of a stratum is answered in many configurations.
fn examines_all(stratum: Stratum) -> bool {
    !ProgramExamination::of_stratum(stratum, 2).is_lean
}

#[test]
fn programs_with_arrays_and_structs_are_answered_correctly() {
    check(Stratum::Aggregates, 0..40);
}

#[test]
fn programs_with_side_effects_are_answered_correctly() {
    check(Stratum::Effects, 0..40);
}

#[test]
fn programs_that_fail_are_answered_correctly() {
    check(Stratum::Failures, 0..40);
}

#[test]
fn programs_with_clocks_are_answered_correctly() {
    check(Stratum::Clocks, 0..40);
}

#[test]
fn programs_at_the_limits_are_answered_correctly() {
    check(Stratum::Limits, 0..40);
}

#[test]
fn programs_that_assign_parameters_are_answered_correctly() {
    check(Stratum::Parameters, 0..300);
}

#[test]
fn programs_with_branches_are_answered_correctly() {
    check(Stratum::Branches, 0..300);
}

#[test]
fn every_stratum_of_programs_has_its_feature() {
    let share = |stratum: Stratum, has: &dyn Fn(&str) -> bool| {
        (0..100).filter(|&seed| has(&generate(stratum, seed).text)).count()
    };
    let returns_aggregate = |text: &str| text.contains("\nrow") || text.contains("\nrec");
    assert!(share(Stratum::Aggregates, &returns_aggregate) > 80);
    let has_effects = |text: &str| text.contains("++") || text.contains("(g");
    assert!(share(Stratum::Effects, &has_effects) > 80);
    assert!(share(Stratum::Clocks, &|text| text.contains("clock x")) == 100);
    assert!(share(Stratum::Limits, &|text| text.contains("67108") || text.contains("21474")) > 60);
    let sends_in_branch =
        |text: &str| text.lines().any(|line| line.starts_with('h') && line.contains("sync"));
    let guards_branch =
        |text: &str| text.lines().any(|line| line.starts_with('h') && line.contains("guard"));
    assert!(share(Stratum::Branches, &sends_in_branch) > 10);
    assert!(share(Stratum::Branches, &guards_branch) > 60);
    let is_partial = |text: &str| text.contains("x(const int[0,1] k) = P");
    assert!(share(Stratum::Parameters, &is_partial) > 10);
    assert!(share(Stratum::Parameters, &writes_parameter) > 60);
}

#[test]
fn faults_of_parameters_and_branches_are_detected() {
    for name in ["parameter-unchecked", "branch-guard-late", "branch-updates-first"] {
        let (_, fault) = Fault::ALL.iter().find(|(own, _)| *own == name).expect("a fault");
        let caught = detect(*fault, 0, 1_000, 2);
        println!("{name}: {:?}", caught.as_ref().map(|caught| caught.models));
        assert!(caught.is_some(), "{name}");
    }
}
