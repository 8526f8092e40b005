//! Several samples of a run as one: medians and spread.

use crate::measure::Measurement;
use serde::{Deserialize, Serialize};

/// The spread of samples.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Spread {
    /// The number of samples.
    pub(crate) samples: usize,
    /// The least and the greatest number of explored states.
    pub(crate) explored: Option<(u64, u64)>,
}

/// The medians of all numbers separately: of an even number of samples, the lower one. If samples
/// have different outcomes, all are named.
pub(crate) fn median(samples: &[Measurement]) -> Measurement {
    let mut outcomes: Vec<&str> = Vec::new();
    for sample in samples {
        if !outcomes.contains(&sample.outcome.as_str()) {
            outcomes.push(&sample.outcome);
        }
    }
    let worst = samples.iter().find(|sample| sample.is_broken()).or(samples.first());
    let outcome = match worst {
        Some(worst) if worst.is_broken() => worst.outcome.clone(),
        _ => outcomes.join(" or "),
    };
    let count = |value: fn(&Measurement) -> Option<u64>| {
        let mut values: Vec<u64> = samples.iter().filter_map(value).collect();
        values.sort_unstable();
        middle(&values)
    };
    let amount = |value: fn(&Measurement) -> Option<f64>| {
        let mut values: Vec<f64> = samples.iter().filter_map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        middle(&values)
    };
    Measurement {
        outcome,
        exit_code: worst.and_then(|worst| worst.exit_code),
        transitions: count(|sample| sample.transitions),
        explored: count(|sample| sample.explored),
        stored: count(|sample| sample.stored),
        cost: count(|sample| sample.cost),
        lower_bound: count(|sample| sample.lower_bound),
        first_cost: count(|sample| sample.first_cost),
        first_explored: count(|sample| sample.first_explored),
        search_seconds: amount(|sample| sample.search_seconds),
        guide_seconds: amount(|sample| sample.guide_seconds),
        wall_seconds: amount(|sample| Some(sample.wall_seconds)).unwrap_or_default(),
        user_seconds: amount(|sample| Some(sample.user_seconds)).unwrap_or_default(),
        peak_bytes: count(|sample| Some(sample.peak_bytes)).unwrap_or_default(),
    }
}

/// The spread of the samples; `None` for a single one.
pub(crate) fn spread(samples: &[Measurement]) -> Option<Spread> {
    let explored = || samples.iter().filter_map(|sample| sample.explored);
    (samples.len() > 1).then(|| Spread {
        samples: samples.len(),
        explored: explored().min().zip(explored().max()),
    })
}

fn middle<T: Copy>(sorted: &[T]) -> Option<T> {
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(outcome: &str, explored: Option<u64>, wall_seconds: f64) -> Measurement {
        Measurement { outcome: outcome.to_owned(), explored, wall_seconds, ..Default::default() }
    }

    #[test]
    fn medians_are_taken_of_each_number() {
        let samples = [
            sample("satisfied", Some(9), 1.0),
            sample("satisfied", Some(2), 3.0),
            sample("satisfied", Some(5), 2.0),
        ];
        let median = median(&samples);
        assert_eq!((median.explored, median.wall_seconds), (Some(5), 2.0));
        assert_eq!(median.outcome, "satisfied");
        let expected = Spread { samples: 3, explored: Some((2, 9)) };
        assert_eq!(spread(&samples), Some(expected));
        assert_eq!(spread(&samples[..1]), None);
    }

    #[test]
    fn different_ends_are_all_named_unless_one_is_a_bug() {
        let mut samples = vec![sample("satisfied", Some(1), 1.0), sample("time limit", None, 9.0)];
        assert_eq!(median(&samples).outcome, "satisfied or time limit");
        assert_eq!(median(&samples).explored, Some(1));
        samples.push(sample("crashed", None, 0.0));
        assert!(median(&samples).is_broken());
    }
}
