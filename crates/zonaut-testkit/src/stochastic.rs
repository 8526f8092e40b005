//! Random runs of random stochastic models: the sampler against the naive simulator of the syntax
//! tree, by two-sample tests.
//!
//! A model is first sampled a few hundred times by both. If a test then finds the samples unlikely
//! to have the same distribution, which happens by chance, too, both sample it again with other
//! seeds and ten times as often; only a difference in these samples counts.

mod generator;
mod two_samples;

pub use generator::generate;
pub use two_samples::{chi_square, kolmogorov_smirnov};

use crate::differential::{Failure, Mistake, Tally};
use crate::tree::{RandomRun, RunEnd, RunLimits, Simulator};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_compile::CompiledNetwork;
use zonaut_lower::{LowerOptions, lower};
use zonaut_model::Model;
use zonaut_sampling::{Observer, RunError, Sampler, SamplerOptions};
use zonaut_space::Meter;
use zonaut_syntax::tree::Document;
use zonaut_syntax::{ParseOptions, parse_model};

/// The limits of a run.
const LIMITS: RunLimits = RunLimits { duration: 8.0, transitions: 8, steps: 400 };

/// The runs of the first samples.
const FIRST: Range<u64> = 0..200;

/// The runs of the second samples.
const SECOND: Range<u64> = 1_000..3_000;

/// The probability of the first samples below which there are second ones.
const UNLIKELY: f64 = 0.002;

/// The probability of the second samples below which the distributions differ.
const IMPOSSIBLE: f64 = 1e-7;

/// The names of observed variables and clocks.
const OBSERVED: [&str; 5] = ["v", "w", "d", "x", "y"];

/// A run of either simulator, as far as it is compared.
#[derive(Clone, PartialEq, Debug)]
struct Outcome {
    end: RunEnd,
    locations: Vec<usize>,
    dates: Vec<f64>,
    /// The values of [`OBSERVED`] at the end.
    values: Vec<f64>,
}

/// Compares the sampler with the naive simulator on the model of a seed.
///
/// # Errors
/// A difference in distribution.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let text = generate(seed);
    compare(&text, seed, tally).map_err(|mistake| {
        let query = format!("simulate[<={}; 1]{{{}}}", LIMITS.duration, OBSERVED.join(", "));
        Box::new(Failure::of_text(seed, text.clone(), query, Mistake::Beyond(mistake)))
    })
}

fn compare(text: &str, seed: u64, tally: &mut Tally) -> Result<(), String> {
    tally.models += 1;
    let (document, model) = read(text)?;
    let Ok(mut simulator) = Simulator::new(&document) else {
        tally.undecided += 1;
        return Ok(());
    };
    let naive = naive_sample(&mut simulator, seed, FIRST)?;
    let fast = fast_sample(&model, seed, FIRST)?;
    tally.answers += 1;
    tally.failing += u64::from(fast.iter().any(|run| run.end == RunEnd::Failed));
    tally.open += u64::from(fast.iter().any(|run| run.end == RunEnd::TimeLock));
    let (name, first) = least_likely(&naive, &fast);
    if first >= UNLIKELY {
        return Ok(());
    }
    tally.commands += 1;
    let naive = naive_sample(&mut simulator, seed, SECOND)?;
    let fast = fast_sample(&model, seed, SECOND)?;
    let (again, second) = least_likely(&naive, &fast);
    if second >= IMPOSSIBLE {
        return Ok(());
    }
    Err(format!("{name} has probability {first:.1e}, then {again} has {second:.1e}"))
}

fn read(text: &str) -> Result<(Document, Model), String> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, problems) = parse_model(&mut sources, file, &ParseOptions::default());
    if problems.has_errors() {
        return Err(format!("{problems:?}"));
    }
    let lowered = lower(&document, &[], &LowerOptions::default());
    match lowered.model {
        Some(model) if !lowered.diagnostics.has_errors() => Ok((document, model)),
        _ => Err(format!("{:?}", lowered.diagnostics)),
    }
}

fn naive_sample(
    simulator: &mut Simulator<'_>,
    seed: u64,
    runs: Range<u64>,
) -> Result<Vec<Outcome>, String> {
    let outcome = |run: u64| {
        let seed = (seed ^ 0xa1f3).wrapping_mul(1_000_003).wrapping_add(run);
        let RandomRun { end, dates, state } = simulator.run(seed, &LIMITS)?;
        let value = |name: &&str| simulator.value(&state, name).unwrap_or(0.0);
        let values = OBSERVED.iter().map(value).collect();
        Ok(Outcome { end, locations: state.locations, dates, values })
    };
    runs.map(outcome).collect::<Result<_, &str>>().map_err(ToOwned::to_owned)
}

fn fast_sample(model: &Model, seed: u64, runs: Range<u64>) -> Result<Vec<Outcome>, String> {
    let meter = Meter::default();
    let network =
        CompiledNetwork::for_sampling(model, &meter).map_err(|error| format!("{error:?}"))?;
    let options = SamplerOptions { step_limit: LIMITS.steps as u64, ..SamplerOptions::default() };
    let mut sampler = Sampler::new(&network, options, &meter);
    let processes = model.processes.len();
    let mut outcomes = Vec::new();
    for run in runs {
        let mut dates = Dates(Vec::new());
        let end = match sampler.run(seed, run, &mut dates) {
            Ok(()) => RunEnd::Limit,
            Err(RunError::StepLimit(_)) => RunEnd::Endless,
            Err(RunError::TimeLock) => RunEnd::TimeLock,
            Err(RunError::Evaluation(_)) => RunEnd::Failed,
            Err(other) => return Err(format!("{other:?}")),
        };
        let clocks = sampler.clocks().to_vec();
        let (state, machine) = sampler.state();
        let reals = machine.reals.as_ref().map_or(&[][..], |reals| &reals.cells);
        let value = |name: &&str| {
            let cell = model.cells.iter().position(|cell| cell.name == **name);
            let real = model.statistical.cells.iter().position(|cell| cell.name == **name);
            let clock = model.clocks.iter().position(|clock| clock.name == **name);
            let cell = cell.map(|cell| f64::from(state[processes + cell]));
            let real = real.map(|real| reals[real]);
            cell.or(real).or(clock.map(|clock| clocks[clock])).unwrap_or(0.0)
        };
        let values = OBSERVED.iter().map(value).collect();
        let locations = state[..processes].iter().map(|&location| location as usize).collect();
        outcomes.push(Outcome { end, locations, dates: dates.0, values });
    }
    Ok(outcomes)
}

/// Records the dates of transitions.
struct Dates(Vec<f64>);

impl Observer for Dates {
    fn state(&mut self, sampler: &mut Sampler<'_>) -> Result<ControlFlow<()>, RunError> {
        if sampler.transitions > 0 {
            self.0.push(sampler.time);
        }
        Ok(match sampler.transitions < LIMITS.transitions as u64 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    }

    fn delay(&mut self, _: &mut Sampler<'_>, _: f64) -> Result<ControlFlow<()>, RunError> {
        Ok(ControlFlow::Continue(()))
    }

    fn remaining(&mut self, sampler: &mut Sampler<'_>) -> Result<f64, RunError> {
        Ok((LIMITS.duration - sampler.time).max(0.0))
    }
}

/// The observation in which two samples differ most, and its probability if their distributions are
/// the same.
fn least_likely(one: &[Outcome], other: &[Outcome]) -> (String, f64) {
    let mut found = vec![("the end".to_owned(), by_categories(one, other))];
    let mut add = |name: String, value: &dyn Fn(&Outcome) -> f64| {
        let values = |sample: &[Outcome]| sample.iter().map(value).collect::<Vec<_>>();
        found.push((name, kolmogorov_smirnov(values(one), values(other))));
    };
    for number in 0..LIMITS.transitions {
        let date = |run: &Outcome| run.dates.get(number).map_or(f64::INFINITY, rounded);
        add(format!("the date of transition {number}"), &date);
    }
    for (position, name) in OBSERVED.iter().enumerate() {
        let value = |run: &Outcome| rounded(&run.values[position]);
        add(format!("the value of {name}"), &value);
    }
    let least = found.into_iter().min_by(|one, other| one.1.total_cmp(&other.1));
    least.unwrap_or((String::new(), 1.0))
}

/// Numbers that agree but for the last digits are the same.
fn rounded(number: &f64) -> f64 {
    (number * 1e7).round()
}

/// The probability of the numbers of runs by their end, their number of transitions, their last
/// locations and integers.
fn by_categories(one: &[Outcome], other: &[Outcome]) -> f64 {
    let mut counts: BTreeMap<_, [u64; 2]> = BTreeMap::new();
    for (position, sample) in [one, other].into_iter().enumerate() {
        for run in sample {
            let integers = [run.values[0] as i64, run.values[1] as i64];
            let category = (run.end, run.dates.len(), run.locations.clone(), integers);
            counts.entry(category).or_default()[position] += 1;
        }
    }
    chi_square(counts.into_values().collect())
}
