//! Estimators and tests of samples. Nothing here knows models.
//!
//! | question | method |
//! |---|---|
//! | the probability of an event | the interval of Clopper and Pearson, exact for a fixed number of runs; without a number, runs are added until the interval is at most `2 * epsilon` wide |
//! | whether a probability is at least a number | Wald's sequential probability ratio test with an indifference region around the number |
//! | whether a probability is at least another | Wald's test of the odds ratio, over the pairs of runs with different outcomes |
//! | the mean of a value | the interval of Student's t distribution |
//!
//! References: Clopper and Pearson, 1934, doi:10.1093/biomet/26.4.404; Wald, 1945,
//! doi:10.1214/aoms/1177731118.

use crate::beta::{beta_quantile, student_quantile};

/// The statistical parameters of a query.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameters {
    /// The probability that an interval does not contain the true value, and of rejecting a true
    /// hypothesis; in (0, 1).
    pub alpha: f64,
    /// The probability of accepting a false hypothesis; in (0, 1).
    pub beta: f64,
    /// Half of the greatest width of an interval; in (0, 1).
    pub epsilon: f64,
    /// The indifference region below the probability of a hypothesis.
    pub lower_delta: f64,
    /// The indifference region above the probability of a hypothesis.
    pub upper_delta: f64,
    /// The odds ratio at or below which a comparison fails; below 1.
    pub lower_ratio: f64,
    /// The odds ratio at or above which a comparison holds; above 1.
    pub upper_ratio: f64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            beta: 0.05,
            epsilon: 0.05,
            lower_delta: 0.01,
            upper_delta: 0.01,
            lower_ratio: 0.9,
            upper_ratio: 1.1,
        }
    }
}

impl Parameters {
    /// The first parameter that is outside its range, with the range.
    #[must_use]
    pub fn wrong(&self) -> Option<(&'static str, &'static str)> {
        let inside = |value: f64| value > 0.0 && value < 1.0;
        let checks = [
            (inside(self.alpha), "alpha", "between 0 and 1, without the ends"),
            (inside(self.beta), "beta", "between 0 and 1, without the ends"),
            (inside(self.epsilon), "epsilon", "between 0 and 1, without the ends"),
            (inside(self.lower_delta), "lower delta", "between 0 and 1, without the ends"),
            (inside(self.upper_delta), "upper delta", "between 0 and 1, without the ends"),
            (inside(self.lower_ratio), "u0", "between 0 and 1, without the ends"),
            (self.upper_ratio > 1.0 && self.upper_ratio.is_finite(), "u1", "above 1"),
        ];
        checks.into_iter().find(|(fits, ..)| !fits).map(|(_, name, range)| (name, range))
    }
}

/// A closed interval of numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The least number.
    pub low: f64,
    /// The greatest number.
    pub high: f64,
}

/// The Clopper-Pearson interval of a probability after `successes` of `runs`, with confidence
/// `1 - alpha`.
#[must_use]
pub fn clopper_pearson(successes: u64, runs: u64, alpha: f64) -> Interval {
    let (k, n) = (successes as f64, runs as f64);
    if runs == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let half = alpha / 2.0;
    let low = match successes {
        0 => 0.0,
        _ if successes == runs => half.powf(1.0 / n),
        _ => beta_quantile(k, n - k + 1.0, half),
    };
    let high = match successes {
        _ if successes == runs => 1.0,
        0 => 1.0 - half.powf(1.0 / n),
        _ => beta_quantile(k + 1.0, n - k, 1.0 - half),
    };
    Interval { low, high }
}

/// The sequential estimation of a probability.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Proportion {
    /// The number of runs with the event.
    pub successes: u64,
    /// The number of runs.
    pub runs: u64,
    next_check: u64,
}

impl Proportion {
    /// Adds the outcome of a run.
    pub fn add(&mut self, is_success: bool) {
        self.successes += u64::from(is_success);
        self.runs += 1;
    }

    /// The interval with confidence `1 - alpha`.
    #[must_use]
    pub fn interval(&self, alpha: f64) -> Interval {
        clopper_pearson(self.successes, self.runs, alpha)
    }

    /// Whether the interval is at most `2 * epsilon` wide.
    ///
    /// A width `w` after `n` runs is at least `w * n / m` after `m` runs, because ends of intervals
    /// approach the frequency no faster than in inverse proportion to the number of runs. Half of
    /// that distance is skipped without computing the interval.
    pub fn is_precise(&mut self, alpha: f64, epsilon: f64) -> bool {
        if self.runs < self.next_check {
            return false;
        }
        let Interval { low, high } = self.interval(alpha);
        let excess = (high - low) / (2.0 * epsilon) - 1.0;
        if excess <= 0.0 {
            return true;
        }
        self.next_check = self.runs + 1 + (self.runs as f64 * excess / 2.0) as u64;
        false
    }
}

/// The state of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// More runs are needed.
    Open,
    /// The hypothesis is accepted.
    Accepted,
    /// The hypothesis is rejected.
    Rejected,
}

/// Wald's sequential test of the hypothesis that a probability is `high` or more, against `low` or
/// less.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SequentialTest {
    low: f64,
    high: f64,
    accept: f64,
    reject: f64,
    ratio: f64,
}

impl SequentialTest {
    /// A test whose hypothesis is wrongly rejected with probability `alpha` and wrongly accepted
    /// with probability `beta`.
    #[must_use]
    pub fn new(low: f64, high: f64, alpha: f64, beta: f64) -> Self {
        let accept = (beta / (1.0 - alpha)).ln();
        let reject = ((1.0 - beta) / alpha).ln();
        Self { low: low.max(0.0), high: high.min(1.0), accept, reject, ratio: 0.0 }
    }

    /// Adds an outcome.
    pub fn add(&mut self, is_success: bool) -> Decision {
        self.ratio += match is_success {
            true => (self.low / self.high).ln(),
            false => ((1.0 - self.low) / (1.0 - self.high)).ln(),
        };
        self.decision()
    }

    /// The decision so far.
    #[must_use]
    pub fn decision(&self) -> Decision {
        if self.ratio <= self.accept {
            Decision::Accepted
        } else if self.ratio >= self.reject {
            Decision::Rejected
        } else {
            Decision::Open
        }
    }
}

/// The test whether one probability is at least another: pairs of runs with different outcomes
/// are outcomes of a test whether the odds ratio is at least 1.
#[must_use]
pub fn comparison(parameters: &Parameters) -> SequentialTest {
    let share = |ratio: f64| ratio / (1.0 + ratio);
    let (low, high) = (share(parameters.lower_ratio), share(parameters.upper_ratio));
    SequentialTest::new(low, high, parameters.alpha, parameters.beta)
}

/// The estimation of a mean.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Mean {
    /// The number of values.
    pub runs: u64,
    /// Their mean.
    pub mean: f64,
    squares: f64,
}

/// The least number of values before a sequential estimation of a mean ends.
pub const FEWEST_VALUES: u64 = 30;

impl Mean {
    /// Adds a value, by the method of Welford.
    pub fn add(&mut self, value: f64) {
        self.runs += 1;
        let before = value - self.mean;
        self.mean += before / self.runs as f64;
        self.squares += before * (value - self.mean);
    }

    /// The standard deviation of the values; 0 for fewer than two.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        if self.runs < 2 { 0.0 } else { (self.squares / (self.runs - 1) as f64).max(0.0).sqrt() }
    }

    /// Half of the width of the interval with confidence `1 - alpha`; infinite for fewer than two
    /// values.
    #[must_use]
    pub fn half_width(&self, alpha: f64) -> f64 {
        if self.runs < 2 {
            return f64::INFINITY;
        }
        let quantile = student_quantile((self.runs - 1) as f64, 1.0 - alpha / 2.0);
        quantile * self.deviation() / (self.runs as f64).sqrt()
    }

    /// Whether half of the width is at most `epsilon`, relative to means above 1.
    ///
    /// It is computed for one number of runs in 64 only.
    #[must_use]
    pub fn is_precise(&self, alpha: f64, epsilon: f64) -> bool {
        let is_due = self.runs < 64 || self.runs.is_multiple_of(self.runs / 64);
        is_due
            && self.runs >= FEWEST_VALUES
            && self.half_width(alpha) <= epsilon * self.mean.abs().max(1.0)
    }
}
