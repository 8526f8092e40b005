//! The regularised incomplete beta function, and quantiles by it.
//!
//! The continued fraction of Lentz converges quickly for `x < (a + 1) / (a + b + 2)`; the other side
//! follows by symmetry. Quantiles are found by bisection, which needs no derivative and is exact to
//! the last bits.

/// The relative error at which the continued fraction ends.
const PRECISION: f64 = 1e-15;

/// The maximal number of terms of the continued fraction; it needs about the square root of the
/// parameters.
const TERMS: u32 = 100_000;

/// The regularised incomplete beta function of `x` in [0, 1], for positive parameters.
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let logarithm = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    libm::exp(logarithm) * continued_fraction(a, b, x) / a
}

fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    // Lentz's method replaces denominators of zero by a tiny number.
    let nonzero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for term in 1..TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        value *= d * c;
        if (d * c - 1.0).abs() < PRECISION {
            break;
        }
    }
    value
}

/// The `x` at which the regularised incomplete beta function is `p`.
pub(crate) fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if incomplete_beta(a, b, middle) < p { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The quantile of Student's t distribution for `p` above 1/2.
pub(crate) fn student_quantile(degrees: f64, p: f64) -> f64 {
    // The tail beyond t is half of the beta function at degrees / (degrees + t^2).
    let x = beta_quantile(degrees / 2.0, 0.5, 2.0 * (1.0 - p));
    (degrees * (1.0 - x) / x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binomial_tail(successes: u32, runs: u32, p: f64) -> f64 {
        let mut sum = 0.0;
        for k in successes..=runs {
            let choices = (0..k).fold(1.0, |c, j| c * f64::from(runs - j) / f64::from(j + 1));
            sum += choices * p.powi(k as i32) * (1.0 - p).powi((runs - k) as i32);
        }
        sum
    }

    #[test]
    fn the_function_is_the_tail_of_the_binomial_distribution() {
        for runs in [1, 2, 5, 17, 40] {
            for successes in 1..=runs {
                for p in [0.01, 0.2, 0.5, 0.77, 0.999] {
                    let (a, b) = (f64::from(successes), f64::from(runs - successes + 1));
                    let exact = binomial_tail(successes, runs, p);
                    assert!((incomplete_beta(a, b, p) - exact).abs() < 1e-12, "{a} {b} {p}");
                }
            }
        }
    }

    #[test]
    fn quantiles_invert_the_function() {
        for (a, b) in [(1.0, 1.0), (3.0, 7.5), (500.0, 20.0), (1e6, 2e6)] {
            for p in [0.001, 0.025, 0.5, 0.975] {
                let x = beta_quantile(a, b, p);
                assert!((incomplete_beta(a, b, x) - p).abs() < 1e-7, "{a} {b} {p}");
            }
        }
    }

    #[test]
    fn quantiles_of_student_agree_with_tables() {
        for (degrees, exact) in [(1.0, 12.706_2), (4.0, 2.776_4), (30.0, 2.042_3), (1e6, 1.959_97)]
        {
            assert!((student_quantile(degrees, 0.975) - exact).abs() < 1e-4, "{degrees}");
        }
    }
}
