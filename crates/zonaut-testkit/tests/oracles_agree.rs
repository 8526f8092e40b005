//! The oracles agree with each other on random models.

use zonaut_base::Id;
use zonaut_model::{Model, QueryId, QueryKind};
use zonaut_testkit::generate::{Stratum, generate, generate_in, pattern};
use zonaut_testkit::oracle::{self, Limits, Verdict};
use zonaut_testkit::replay::{goal_of, replay};
use zonaut_testkit::specification::{Specification, Update, Value, shrink};

fn query(model: &Model) -> &QueryKind {
    &model.queries[QueryId::from_index(0)].kind
}

fn region(specification: &Specification) -> Verdict {
    let model = specification.to_model();
    oracle::region(&model, query(&model), Limits::default())
}

#[test]
fn the_shares_of_reachable_and_discarded_goals_are_within_their_limits() {
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
    for seed in 0..3000 {
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
    assert!(compared > 750, "only {compared} models were compared");
}

#[test]
fn a_seed_always_gives_the_same_model() {
    for seed in 0..50 {
        assert_eq!(generate(seed), generate(seed));
    }
}

#[test]
fn every_goal_that_an_oracle_finds_is_confirmed_by_a_concrete_run() {
    let limits = Limits { witness: true, ..Limits::default() };
    let mut replayed = 0;
    for seed in 0..1500 {
        let model = generate(seed).to_model();
        for oracle in [oracle::region, oracle::integer_time] {
            let Verdict::Decided(answer) = oracle(&model, query(&model), limits) else { continue };
            let Some(actions) = answer.goal else { continue };
            let run = answer.run.expect("a short run can be written");
            let acting = run.steps.iter().filter(|step| !step.participants.is_empty());
            assert_eq!(acting.count(), actions as usize, "{seed}");
            let flaw = replay(&model, &goal_of(query(&model)).unwrap(), &run);
            assert_eq!(flaw, Ok(()), "{seed}: {}", generate(seed).to_xta());
            replayed += 1;
        }
    }
    assert!(replayed > 600, "only {replayed} runs");
}

#[test]
fn regions_agree_with_integer_time_on_a_grid_that_is_fine_enough() {
    let (mut confirmed, mut refuted) = (0, 0);
    for seed in 0..2000 {
        let specification = generate(seed);
        let Verdict::Decided(answer) = region(&specification) else { continue };
        if answer.failure.is_some() {
            continue;
        }
        let slots = answer.goal.map_or(4, |actions| actions as i32 + 2);
        let Some(grid) = specification.on_grid(slots) else { continue };
        let model = grid.to_model();
        let limits = Limits { states: 100_000, ..Limits::default() };
        let Verdict::Decided(on_grid) = oracle::integer_time(&model, query(&model), limits) else {
            continue;
        };
        assert_eq!(on_grid.goal, answer.goal, "{seed} {slots}: {}", specification.to_xta());
        *if answer.goal.is_some() { &mut confirmed } else { &mut refuted } += 1;
    }
    assert!(confirmed > 300 && refuted > 300, "{confirmed} {refuted}");
}

#[test]
fn metamorphic_changes_preserve_the_answer() {
    for seed in 0..1000 {
        let specification = generate(seed);
        let Verdict::Decided(answer) = region(&specification) else { continue };
        let mut others =
            vec![specification.with_unused_clock(), specification.with_clocks_reversed()];
        others.extend(specification.scaled(3));
        if specification.variables.is_empty() && answer.failure.is_none() {
            let mut copies = false;
            let edges = specification.processes.iter().flat_map(|process| &process.edges);
            edges.flat_map(|edge| &edge.updates).for_each(|update| {
                copies |= !matches!(update, Update::Reset(_, Value::Constant(0)));
            });
            others.extend((!copies).then(|| specification.with_processes_reversed()));
        }
        for other in others {
            let Verdict::Decided(same) = region(&other) else { continue };
            assert_eq!(same.goal, answer.goal, "{seed}: {}", other.to_xta());
        }
    }
}

#[test]
fn shrinking_preserves_the_failure_and_removes_the_rest() {
    let mut shrunk = 0;
    for seed in 0..40 {
        let specification = generate(seed);
        // The property to preserve: reaching the goal takes an action.
        let fails = |candidate: &Specification| match region(candidate) {
            Verdict::Decided(answer) => answer.goal.is_some_and(|actions| actions >= 1),
            _ => false,
        };
        if fails(&specification) {
            let small = shrink(specification, fails);
            assert!(fails(&small));
            assert_eq!(small.edges(), 1, "{}", small.to_xta());
            assert_eq!(
                (small.clocks.len(), small.channels.len(), small.processes.len()),
                (0, 0, 1)
            );
            shrunk += 1;
        }
    }
    assert!(shrunk > 5);
}

#[test]
fn nested_fractions_are_reachable_in_dense_time_but_not_on_a_fixed_grid() {
    let on_grid = |rounds, slots| {
        let model = pattern::nested_fractions(rounds).on_grid(slots).unwrap().to_model();
        oracle::integer_time(&model, query(&model), Limits::default()).is_reachable()
    };
    for rounds in [1, 2, 3, 8, 12] {
        assert_eq!(region(&pattern::nested_fractions(rounds)).is_reachable(), Some(true));
        assert_eq!(on_grid(rounds, 2 * rounds as i32 + 4), Some(true));
        assert_eq!(on_grid(rounds, 3), Some(false));
    }
    assert_eq!((on_grid(1, 4), on_grid(2, 4)), (Some(true), Some(false)));
    assert_eq!((on_grid(3, 12), on_grid(8, 12)), (Some(true), Some(false)));
}
