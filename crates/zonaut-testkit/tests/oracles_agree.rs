//! The oracles agree with each other on random models.

use zonaut_base::Id;
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_testkit::generate::{Stratum, generate, generate_in};
use zonaut_testkit::oracle::{self, Limits, Verdict};
use zonaut_testkit::replay::replay;
use zonaut_testkit::specification::Specification;

fn query(model: &Model) -> &QueryKind {
    &model.queries[QueryId::from_index(0)].kind
}

fn region(specification: &Specification) -> Verdict {
    let model = specification.to_model();
    oracle::region(&model, query(&model), Limits::default())
}

#[test]
fn the_shares_of_reachable_goals_and_of_discards_are_as_planned() {
    let (mut reachable, mut decided, mut failed, mut discarded, mut states) = (0, 0, 0, 0, 0);
    for stratum in Stratum::ALL {
        let mut share = [0; 4];
        for seed in 0..200 {
            match region(&generate_in(stratum, seed)) {
                Verdict::Decided(answer) => {
                    states += answer.states;
                    match (answer.goal, answer.failure) {
                        (Some(_), _) => share[0] += 1,
                        (None, None) => share[1] += 1,
                        (None, Some(_)) => share[2] += 1,
                    }
                }
                Verdict::TooLarge => share[3] += 1,
                Verdict::Refused(_) => {}
            }
        }
        println!("{stratum:?}: {share:?}");
        reachable += share[0];
        decided += share[0] + share[1];
        failed += share[2];
        discarded += share[3];
    }
    println!("{reachable} of {decided}, {failed} failed, {discarded} discarded, {states} states");
    assert!(reachable * 100 > decided * 35 && reachable * 100 < decided * 65);
    assert!(discarded * 20 < decided);
}

#[test]
fn integer_time_and_regions_agree_on_closed_models() {
    let mut compared = 0;
    for seed in 0..6000 {
        let stratum = if seed % 2 == 0 { Stratum::Closed } else { Stratum::of(seed) };
        let model = generate_in(stratum, seed).to_model();
        let by_integers = oracle::integer_time(&model, query(&model), Limits::default());
        let by_regions = oracle::region(&model, query(&model), Limits::default());
        let (Verdict::Decided(integers), Verdict::Decided(regions)) = (by_integers, by_regions)
        else {
            continue;
        };
        compared += 1;
        let outcome = |answer: &oracle::Answer| (answer.goal, answer.failure.map(|f| f.actions));
        if integers.failure.is_none() || regions.failure.is_none() {
            assert_eq!(outcome(&integers), outcome(&regions), "{stratum:?} {seed}");
        }
    }
    assert!(compared > 1500, "only {compared} models were compared");
}

#[test]
fn a_seed_always_gives_the_same_model() {
    for seed in 0..50 {
        assert_eq!(generate(seed), generate(seed));
    }
}

/// The states that decide a query.
fn goal(query: &QueryKind) -> Formula {
    match query {
        QueryKind::Possibly(formula) => formula.clone(),
        QueryKind::Always(formula) => Formula::Not(Box::new(formula.clone())),
        _ => panic!("not a query of the generator"),
    }
}

#[test]
fn every_goal_that_an_oracle_finds_is_confirmed_by_a_concrete_run() {
    let limits = Limits { witness: true, ..Limits::default() };
    let mut replayed = 0;
    for seed in 0..3000 {
        let model = generate(seed).to_model();
        for oracle in [oracle::region, oracle::integer_time] {
            let Verdict::Decided(answer) = oracle(&model, query(&model), limits) else { continue };
            let Some(actions) = answer.goal else { continue };
            let run = answer.run.unwrap_or_else(|| panic!("no run: {seed}"));
            let acting = run.steps.iter().filter(|step| !step.participants.is_empty());
            assert_eq!(acting.count(), actions as usize, "{seed}");
            let flaw = replay(&model, &goal(query(&model)), &run);
            assert_eq!(flaw, Ok(()), "{seed}: {}", generate(seed).to_xta());
            replayed += 1;
        }
    }
    assert!(replayed > 1000, "only {replayed} runs");
}
