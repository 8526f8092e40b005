//! Tests whether two samples have the same distribution.

/// The least number of values of both samples in a category; rarer categories are joined.
const FEWEST: u64 = 20;

/// The probability of a difference at least this large between the numbers of values in categories,
/// by the chi-square test with the approximation of Wilson and Hilferty, 1931,
/// doi:10.1073/pnas.17.12.684.
#[must_use]
pub fn chi_square(counts: Vec<[u64; 2]>) -> f64 {
    let mut rest = [0; 2];
    let mut kept = Vec::new();
    for count in counts {
        if count[0] + count[1] < FEWEST {
            rest = [rest[0] + count[0], rest[1] + count[1]];
        } else {
            kept.push(count);
        }
    }
    if rest[0] + rest[1] >= FEWEST {
        kept.push(rest);
    }
    if kept.len() < 2 {
        return 1.0;
    }
    let total = |position: usize| kept.iter().map(|count| count[position]).sum::<u64>() as f64;
    let (first, second) = (total(0), total(1));
    if first == 0.0 || second == 0.0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for [one, other] in &kept {
        let both = (one + other) as f64;
        let difference =
            *one as f64 * (second / first).sqrt() - *other as f64 * (first / second).sqrt();
        sum += difference * difference / both;
    }
    let freedom = (kept.len() - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    upper_tail(((sum / freedom).cbrt() - (1.0 - spread)) / spread.sqrt())
}

/// The probability that a standard normal number is greater: Abramowitz and Stegun, 26.2.17, and its
/// asymptotic form far from 0.
fn upper_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - upper_tail(-z);
    }
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z > 6.0 {
        return density / z;
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let factors = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    density * factors.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t)
}

/// The probability of a distance at least this large between the empirical distributions of two
/// samples, by the test of Kolmogorov and Smirnov. Equal values make it cautious.
#[must_use]
pub fn kolmogorov_smirnov(mut one: Vec<f64>, mut other: Vec<f64>) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 1.0;
    }
    one.sort_unstable_by(f64::total_cmp);
    other.sort_unstable_by(f64::total_cmp);
    let (n, m) = (one.len() as f64, other.len() as f64);
    let (mut i, mut j, mut distance) = (0, 0, 0.0_f64);
    while i < one.len() && j < other.len() {
        let least = one[i].min(other[j]);
        while i < one.len() && one[i] == least {
            i += 1;
        }
        while j < other.len() && other[j] == least {
            j += 1;
        }
        distance = distance.max((i as f64 / n - j as f64 / m).abs());
    }
    let root = (n * m / (n + m)).sqrt();
    let scaled = (root + 0.12 + 0.11 / root) * distance;
    if scaled < 0.2 {
        return 1.0;
    }
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * f64::from(k * k) * scaled * scaled).exp()
    };
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}
