//! Options of statistical queries.

use clap::Args;
use std::path::PathBuf;
use zonaut_engine::{Parameters, SamplerOptions, SamplingOptions};

/// Statistical parameters.
#[derive(Args, Debug)]
#[command(next_help_heading = "Statistical queries")]
pub(crate) struct SamplingArguments {
    /// The probability that a confidence interval misses the true value, and of rejecting a true
    /// hypothesis.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05, value_parser = inside_unit)]
    alpha: f64,
    /// The probability of accepting a false hypothesis.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05, value_parser = inside_unit)]
    beta: f64,
    /// Half of the width that a confidence interval may have: runs are added until it has.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.05, value_parser = inside_unit)]
    epsilon: f64,
    /// The indifference region below the probability of a hypothesis.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01, value_parser = inside_unit)]
    lower_delta: f64,
    /// The indifference region above the probability of a hypothesis.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01, value_parser = inside_unit)]
    upper_delta: f64,
    /// The odds ratio at which a comparison of probabilities fails.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.9, value_parser = inside_unit)]
    u0: f64,
    /// The odds ratio at which a comparison of probabilities holds.
    #[arg(long, value_name = "NUMBER", default_value_t = 1.1, value_parser = above_one)]
    u1: f64,
    /// The number of buckets of histograms; by default the square root of the number of values.
    #[arg(long, value_name = "COUNT")]
    histogram: Option<usize>,
    /// The longest step of the integration of differential equations.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01, value_parser = positive)]
    integration_step: f64,
    /// Write the plots of a statistical answer as SVG.
    ///
    /// These are the histogram, the cumulative probability with its confidence band, or the
    /// trajectories. With several queries, file names are numbered.
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Write the trajectories of `simulate` as a table.
    ///
    /// Its columns are run, expression, time and value. With several queries, file names are
    /// numbered.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// The number of steps at which a run is reported as endless.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000_000)]
    run_steps: u64,
}

/// A number between 0 and 1, without the ends.
fn inside_unit(text: &str) -> Result<f64, String> {
    number(text, "between 0 and 1, without the ends", |value| value > 0.0 && value < 1.0)
}

/// A number above 1.
fn above_one(text: &str) -> Result<f64, String> {
    number(text, "above 1", |value| value > 1.0 && value.is_finite())
}

/// A positive number.
fn positive(text: &str) -> Result<f64, String> {
    number(text, "positive", |value| value > 0.0 && value.is_finite())
}

fn number(text: &str, range: &str, fits: fn(f64) -> bool) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| fits(*value));
    value.ok_or_else(|| format!("the number must be {range}"))
}

impl SamplingArguments {
    /// The options of statistical queries.
    pub(crate) fn options(&self) -> SamplingOptions {
        SamplingOptions {
            parameters: Parameters {
                alpha: self.alpha,
                beta: self.beta,
                epsilon: self.epsilon,
                lower_delta: self.lower_delta,
                upper_delta: self.upper_delta,
                lower_ratio: self.u0,
                upper_ratio: self.u1,
            },
            buckets: self.histogram,
            sampler: SamplerOptions {
                integration_step: self.integration_step,
                step_limit: self.run_steps,
            },
        }
    }
}
