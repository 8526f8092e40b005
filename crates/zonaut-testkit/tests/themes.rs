//! A short soak of the themes of random networks.

use zonaut_base::Id;
use zonaut_model::QueryId;
use zonaut_testkit::differential::{Tally, examine_heuristics, examine_theme};
use zonaut_testkit::features::{Feature, Features};
use zonaut_testkit::generate::Theme;
use zonaut_testkit::judge::truth;
use zonaut_testkit::oracle::Limits;
use zonaut_testkit::specification::Specification;

fn check(theme: Theme, models: u64) {
    let mut tally = Tally::default();
    for seed in 0..models {
        if let Err(failure) = examine_theme(theme, seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert_eq!(tally.models, models);
    assert!(tally.undecided * 50 < models && tally.answers > 4 * models, "{tally:?}");
    assert!((models / 4..3 * models / 4).contains(&tally.reachable), "{tally:?}");
}

#[test]
fn deadlocks_agree_with_the_oracles() {
    check(Theme::Deadlock, 1500);
}

#[test]
fn priorities_disable_exactly_the_lower_transitions() {
    check(Theme::Priorities, 1500);
}

#[test]
fn every_strategy_handles_meta_variables() {
    check(Theme::Meta, 600);
}

/// Makes all variables ordinary ones.
fn without_meta(seed: u64) -> Specification {
    let mut network = Theme::Meta.network(seed);
    network.variables.iter_mut().for_each(|variable| variable.meta = false);
    network
}

#[test]
fn replacing_meta_variables_by_ordinary_ones_changes_answers() {
    let answer = |network: Specification| {
        let model = network.to_model();
        let query = &model.queries[QueryId::from_index(0)].kind;
        truth(&model, query, Limits::default()).map(|(_, answer)| answer.goal)
    };
    let is_other = |&seed: &u64| answer(Theme::Meta.network(seed)) != answer(without_meta(seed));
    let others = (0..300).filter(is_other).count();
    assert!(others >= 20, "{others} of 300");
}

#[test]
fn a_theme_has_its_feature() {
    for (theme, feature) in [
        (Theme::Deadlock, Feature::Deadlock),
        (Theme::Priorities, Feature::Priorities),
        (Theme::Meta, Feature::Meta),
    ] {
        let mut features = Features::default();
        for seed in 0..100 {
            let model = theme.network(seed).to_model();
            features.count_query(&model, &model.queries[QueryId::from_index(0)].kind);
        }
        assert!(features.of(feature) >= 95, "{theme:?}: {features}");
    }
}

#[test]
fn heuristics_are_sound_along_shortest_paths() {
    let mut tally = Tally::default();
    for seed in 3_000..4_500 {
        if let Err(failure) = examine_heuristics(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert_eq!(tally.models, 1500);
    assert!(tally.reachable > 500, "{tally:?}");
}
