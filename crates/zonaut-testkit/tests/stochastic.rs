//! The sampler has the distribution of the naive simulator of the syntax tree.

use zonaut_testkit::differential::Tally;
use zonaut_testkit::random::Random;
use zonaut_testkit::stochastic::{chi_square, examine, kolmogorov_smirnov};

#[test]
fn sampled_runs_have_the_distribution_of_naive_ones() {
    let mut tally = Tally::default();
    for seed in 0..60 {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert!(tally.answers >= 50, "{tally:?}");
}

/// Weights that sum to 0 in an edge that is not chosen, and dates that differ in the last digits.
#[test]
fn models_that_once_seemed_to_differ_agree() {
    for seed in [252, 1815] {
        assert!(examine(seed, &mut Tally::default()).is_ok(), "{seed}");
    }
}

/// The share of pairs of samples whose probability is below 0.05.
fn share(probability: impl Fn(&mut Random) -> f64) -> f64 {
    let mut random = Random::new(7);
    let unlikely = (0..500).filter(|_| probability(&mut random) < 0.05).count();
    unlikely as f64 / 500.0
}

#[test]
fn samples_of_one_distribution_are_rarely_unlikely_and_others_are() {
    let numbers = |random: &mut Random, shift: f64| -> Vec<f64> {
        (0..200).map(|_| random.unit() + shift).collect()
    };
    let same = share(|random| kolmogorov_smirnov(numbers(random, 0.0), numbers(random, 0.0)));
    assert!((0.02..0.09).contains(&same), "{same}");
    let different = share(|random| kolmogorov_smirnov(numbers(random, 0.0), numbers(random, 0.3)));
    assert!(different > 0.95, "{different}");
    let counts = |random: &mut Random, most: usize| {
        let mut counts = vec![[0; 2]; 6];
        for _ in 0..300 {
            counts[random.below(6)][0] += 1;
            counts[random.below(most)][1] += 1;
        }
        counts
    };
    let same = share(|random| chi_square(counts(random, 6)));
    assert!((0.02..0.09).contains(&same), "{same}");
    let different = share(|random| chi_square(counts(random, 5)));
    assert!(different > 0.95, "{different}");
}
