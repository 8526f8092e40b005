//! Options of statistical queries.

use clap::Args;
use zonaut_engine::{Parameters, SamplerOptions, SamplingOptions};

/// Statistical parameters.
#[derive(Args, Debug)]
#[command(next_help_heading = "Statistical queries")]
pub(crate) struct SamplingArguments {
    /// The probability that a confidence interval misses the true value, and of rejecting a true
    /// hypothesis.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05)]
    alpha: f64,
    /// The probability of accepting a false hypothesis.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05)]
    beta: f64,
    /// Half of the width that a confidence interval may have: runs are added until it has.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.05)]
    epsilon: f64,
    /// The indifference region below the probability of a hypothesis.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01)]
    lower_delta: f64,
    /// The indifference region above the probability of a hypothesis.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01)]
    upper_delta: f64,
    /// The odds ratio at which a comparison of probabilities fails.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.9)]
    u0: f64,
    /// The odds ratio at which a comparison of probabilities holds.
    #[arg(long, value_name = "NUMBER", default_value_t = 1.1)]
    u1: f64,
    /// The number of buckets of histograms; by default the square root of the number of values.
    #[arg(long, value_name = "COUNT")]
    histogram: Option<usize>,
    /// The longest step of the integration of differential equations.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01)]
    integration_step: f64,
    /// The number of steps at which a run is reported as endless.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000_000)]
    run_steps: u64,
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
