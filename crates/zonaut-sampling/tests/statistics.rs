//! Estimators and tests on samples of known distributions.

use zonaut_compile::random::{generator, uniform};
use zonaut_sampling::estimate::{
    Decision, Mean, Parameters, Proportion, SequentialTest, clopper_pearson, comparison,
};

/// The share of 1,000 estimates whose interval contains the true probability.
fn coverage(probability: f64, runs: Option<u64>) -> f64 {
    let mut covered = 0;
    for seed in 0..1000 {
        let mut random = generator(seed, 0);
        let mut proportion = Proportion::default();
        loop {
            proportion.add(uniform(&mut random) < probability);
            let is_enough = match runs {
                Some(runs) => proportion.runs >= runs,
                None => proportion.is_precise(0.05, 0.05),
            };
            if is_enough {
                break;
            }
        }
        let interval = proportion.interval(0.05);
        covered += u32::from(interval.low <= probability && probability <= interval.high);
    }
    f64::from(covered) / 1000.0
}

/// `1 - alpha`, minus three standard errors of 1,000 estimates.
const LEAST_COVERAGE: f64 = 0.95 - 3.0 * 0.006_892;

#[test]
fn intervals_of_fixed_numbers_of_runs_have_their_confidence() {
    for probability in [0.01, 0.1, 0.3, 0.5, 0.9] {
        let found = coverage(probability, Some(200));
        assert!(found >= LEAST_COVERAGE, "{probability}: {found}");
    }
}

#[test]
fn intervals_of_sequential_estimates_have_their_confidence() {
    for probability in [0.01, 0.1, 0.3, 0.5, 0.9] {
        let found = coverage(probability, None);
        assert!(found >= LEAST_COVERAGE, "{probability}: {found}");
    }
}

#[test]
fn intervals_agree_with_published_ones() {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
    assert!(close(clopper_pearson(0, 17, 0.05).high, 0.195_064));
    assert!(close(clopper_pearson(1000, 1000, 0.05).low, 0.996_318));
    // 5 of 20 with confidence 0.95: the textbook example.
    let interval = clopper_pearson(5, 20, 0.05);
    assert!((interval.low - 0.086_57).abs() < 1e-4 && (interval.high - 0.491_05).abs() < 1e-4);
    let all = clopper_pearson(310, 400, 0.05);
    assert!((all.low - 0.731).abs() < 2e-3 && (all.high - 0.815).abs() < 2e-3);
}

#[test]
fn an_impossible_event_needs_36_runs_with_the_defaults() {
    let mut proportion = Proportion::default();
    while !proportion.is_precise(0.05, 0.05) {
        proportion.add(false);
    }
    assert_eq!(proportion.runs, 36);
}

#[test]
fn skipped_checks_do_not_change_the_number_of_runs() {
    for seed in 0..20 {
        let mut random = generator(seed, 1);
        let probability = uniform(&mut random);
        let (mut fast, mut slow) = (Proportion::default(), Proportion::default());
        loop {
            let outcome = uniform(&mut random) < probability;
            fast.add(outcome);
            slow.add(outcome);
            let interval = slow.interval(0.05);
            let is_precise = interval.high - interval.low <= 0.1;
            assert_eq!(fast.is_precise(0.05, 0.05), is_precise, "{} runs", slow.runs);
            if is_precise {
                break;
            }
        }
    }
}

#[test]
fn a_sequential_test_errs_as_rarely_as_promised() {
    // The probability is outside the indifference region, so that one answer is wrong.
    for (probability, wrong) in [(0.45, Decision::Accepted), (0.55, Decision::Rejected)] {
        let mut errors = 0;
        for seed in 0..1000 {
            let mut random = generator(seed, 2);
            let mut test = SequentialTest::new(0.45, 0.55, 0.05, 0.05);
            while test.decision() == Decision::Open {
                test.add(uniform(&mut random) < probability);
            }
            errors += u32::from(test.decision() == wrong);
        }
        assert!(f64::from(errors) / 1000.0 <= 0.05 + 3.0 * 0.0069, "{probability}: {errors}");
    }
}

#[test]
fn certain_and_impossible_events_decide_at_once() {
    let mut test = SequentialTest::new(0.98, 1.01, 0.05, 0.05);
    assert_eq!(test.add(false), Decision::Rejected);
    let mut test = SequentialTest::new(-0.01, 0.02, 0.05, 0.05);
    assert_eq!(test.add(true), Decision::Accepted);
}

#[test]
fn comparisons_find_the_larger_probability() {
    let mut right = 0;
    for seed in 0..200 {
        let mut random = generator(seed, 3);
        let mut test = comparison(&Parameters::default());
        while test.decision() == Decision::Open {
            let (first, second) = (uniform(&mut random) < 0.6, uniform(&mut random) < 0.4);
            if first != second {
                test.add(first);
            }
        }
        right += u32::from(test.decision() == Decision::Accepted);
    }
    assert!(right >= 185, "{right}");
}

#[test]
fn means_have_intervals_of_student() {
    let mut mean = Mean::default();
    [1.0, 2.0, 3.0, 4.0, 5.0].iter().for_each(|&value| mean.add(value));
    assert_eq!(mean.mean, 3.0);
    assert!((mean.deviation() - 2.5f64.sqrt()).abs() < 1e-12);
    // The quantile of 4 degrees of freedom is 2.776.
    assert!((mean.half_width(0.05) - 2.776_445 * mean.deviation() / 5f64.sqrt()).abs() < 1e-5);
}

#[test]
fn parameters_outside_their_ranges_are_named() {
    let with = |change: fn(&mut Parameters)| {
        let mut parameters = Parameters::default();
        change(&mut parameters);
        parameters.wrong().map(|(name, _)| name)
    };
    assert_eq!(with(|_| {}), None);
    assert_eq!(with(|p| p.alpha = 0.0), Some("alpha"));
    assert_eq!(with(|p| p.beta = 1.0), Some("beta"));
    assert_eq!(with(|p| p.epsilon = f64::NAN), Some("epsilon"));
    assert_eq!(with(|p| p.upper_ratio = 1.0), Some("u1"));
}
