//! Random numbers of the distributions of the language.

use rand_distr::{Beta, Distribution, Exp1, Gamma, Normal, Poisson, StandardNormal, Triangular};
use rand_distr::{StandardUniform, Weibull};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use std::f64::consts::PI;
use zonaut_model::interpret::ErrorKind;
use zonaut_model::statistical::RealFunction;

/// The generator of random numbers of a run.
pub type Generator = Pcg64;

/// The generator of run number `run` under `seed`: a stream of its own for each run, from a start
/// that is a mixture of both.
#[must_use]
pub fn generator(seed: u64, run: u64) -> Generator {
    let (high, low) = (mixed(seed), mixed(mixed(seed) ^ run));
    Pcg64::new(u128::from(high) << 64 | u128::from(low), u128::from(run))
}

/// The finaliser of SplitMix64: a permutation in which every bit depends on every other.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A number uniform in [0, 1).
pub fn uniform(random: &mut Generator) -> f64 {
    StandardUniform.sample(random)
}

/// A number uniform in 0 to `count` - 1; `count` is not 0. The bias is below 2^-32 for counts that
/// fit 32 bits.
pub fn index(count: usize, random: &mut Generator) -> usize {
    let wide = u128::from(random.next_u64()) * count as u128;
    (wide >> 64) as usize
}

/// A number that is exponentially distributed with rate 1.
pub fn exponential(random: &mut Generator) -> f64 {
    Exp1.sample(random)
}

/// Draws from the distribution of a random function.
pub(crate) fn draw(
    function: RealFunction,
    [a, b, c]: [f64; 3],
    random: &mut Generator,
) -> Result<f64, ErrorKind> {
    let wrong = ErrorKind::Distribution;
    let drawn = match function {
        RealFunction::Uniform if a > 0.0 && a.is_finite() => Some(a * uniform(random)),
        RealFunction::RandomNormal if b == 0.0 => Some(a),
        RealFunction::RandomNormal if b > 0.0 => {
            let standard: f64 = StandardNormal.sample(random);
            Normal::new(a, b).ok().map(|_| a + b * standard)
        }
        RealFunction::RandomArcSine if a < b => {
            let half = libm::sin(PI * uniform(random) / 2.0);
            Some(a + (b - a) * half * half)
        }
        RealFunction::RandomBeta => Beta::new(a, b).ok().map(|d| d.sample(random)),
        RealFunction::RandomGamma => Gamma::new(a, b).ok().map(|d| d.sample(random)),
        RealFunction::RandomPoisson => Poisson::new(a).ok().map(|d| d.sample(random)),
        RealFunction::RandomTriangular => Triangular::new(a, c, b).ok().map(|d| d.sample(random)),
        RealFunction::RandomWeibull => Weibull::new(b, a).ok().map(|d| d.sample(random)),
        _ => None,
    };
    drawn.ok_or(wrong)
}
