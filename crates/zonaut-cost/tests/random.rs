//! Random priced models and networks of tasks: whatever finds a least cost finds the same, the oracle
//! agrees, and the checker accepts the certificate.

use zonaut_testkit::costs::examine;
use zonaut_testkit::differential::Tally;
use zonaut_testkit::priced::{Kind, Sample};

#[test]
fn orders_estimates_points_oracle_and_checker_agree_on_random_priced_models() {
    let mut tally = Tally::default();
    for seed in 0..120 {
        if let Err(failure) = examine(seed, &mut tally) {
            panic!("{failure}");
        }
    }
    let Tally { models, reachable, undecided, certified, .. } = tally;
    assert!(models > 100 && reachable > 60 && undecided < models / 4, "{tally:?}");
    assert!(certified > 100, "{tally:?}");
}

#[test]
fn strategies_over_points_and_zones_agree_with_integer_dates_near_tasks() {
    let (mut by_points, mut answers, mut reachable, mut refused) = (0, 0, 0, 0);
    for seed in 0..400 {
        let sample = Sample::of(Kind::NearTasks, seed);
        let found = sample.examine(seed);
        let found = found
            .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}\n{}", sample.text, sample.query));
        by_points += found.by_points;
        answers += found.answers;
        refused += found.refused;
        reachable += u64::from(found.is_reachable);
    }
    let counts = format!(
        "{by_points} of {answers} answers by points, {reachable} reachable, {refused} refused"
    );
    assert!(answers > 800 && by_points > 250 && (100..350).contains(&reachable), "{counts}");
}

#[test]
fn large_costs_are_right_or_refused() {
    let (mut answers, mut refused) = (0, 0);
    for seed in 0..400 {
        let sample = Sample::of(Kind::LargeCosts, seed);
        let found = sample.examine(seed);
        let found = found
            .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}\n{}", sample.text, sample.query));
        answers += found.answers;
        refused += found.refused;
    }
    assert!(answers > 600, "{answers} answers, {refused} refused");
}
