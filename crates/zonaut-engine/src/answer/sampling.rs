//! Statistical queries: samples of random runs, and the statistics about them.
//!
//! Run number `n` depends on the seed and `n` alone, and outcomes are absorbed in the order of the
//! numbers. The answer is therefore the same for any number of threads.

use crate::answer::{Answer, Findings, Reason, Verdict, verdict_of};
use crate::resources::{SampleProgress, SearchEvent, SearchListener, Watch};
use crate::session::Session;
use crate::threads::{STACK_BYTES, worker_meter};
use crate::verify::VerifyOptions;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use zonaut_compile::{CompileError, CompiledNetwork};
use zonaut_model::{
    Direction, Experiment, LocationKind, Model, QueryId, Relation, RunBound, RunFilter,
    StatisticalQuery,
};
use zonaut_sampling::estimate::{
    Decision, Interval, Mean, Parameters, Proportion, SequentialTest, clopper_pearson, comparison,
};
use zonaut_sampling::{
    Histogram, Outcome, RunError, RunSubject, SampledQuery, Sampler, SamplerOptions, Trajectory,
};
use zonaut_space::{Meter, StopReason};

/// The options of statistical queries.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SamplingOptions {
    /// The statistical parameters.
    pub parameters: Parameters,
    /// The number of buckets of histograms; by default the square root of the number of values.
    pub buckets: Option<usize>,
    /// The integration step and the step limit of runs.
    pub sampler: SamplerOptions,
}

impl SamplingOptions {
    /// The error of the first parameter that is outside its range.
    #[must_use]
    pub fn wrong(&self) -> Option<String> {
        if let Some((name, range)) = self.parameters.wrong() {
            return Some(format!("{name} must be {range}"));
        }
        let step = self.sampler.integration_step;
        let fits = step > 0.0 && step.is_finite();
        (!fits).then(|| "the integration step must be positive".to_owned())
    }
}

/// The number of runs after which a sequential procedure gives up.
const MOST_RUNS: u64 = 10_000_000;

/// The maximal number of runs that a worker samples at a time.
const RUNS_PER_BLOCK: u64 = 16;

/// The time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// The result of a statistical query.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sample {
    /// The seed of the runs.
    pub seed: u64,
    /// The number of runs that count.
    pub runs: u64,
    /// The number of transitions of all sampled runs, also of those that do not count.
    #[serde(skip)]
    pub transitions: u64,
    /// The confidence of intervals, `1 - alpha`.
    pub confidence: f64,
    /// The estimates.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// The estimates of a statistical query.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Estimate {
    /// A probability.
    Probability {
        /// The path operator, as in `<>`.
        path: &'static str,
        /// The number of runs that satisfy the formula.
        successes: u64,
        /// The confidence interval.
        interval: IntervalRecord,
        /// The values of the bounding quantity when the formula was decided.
        histogram: Option<HistogramRecord>,
    },
    /// The test of a hypothesis.
    Hypothesis {
        /// The path operator.
        path: &'static str,
        /// The number of runs that satisfy the formula.
        successes: u64,
        /// The relation, `>=` or `<=`.
        relation: &'static str,
        /// The probability of the hypothesis.
        probability: f64,
        /// The probability of rejecting a true hypothesis.
        alpha: f64,
        /// The probability of accepting a false hypothesis.
        beta: f64,
    },
    /// The comparison of two probabilities.
    Comparison {
        /// The number of runs that satisfy the first formula.
        first: u64,
        /// The number of runs that satisfy the second formula.
        second: u64,
    },
    /// The mean of an extreme value.
    Expectation {
        /// `max` or `min`.
        extreme: &'static str,
        /// The expression as written.
        expression: String,
        /// The mean.
        mean: f64,
        /// Half of the width of the confidence interval; `None` for fewer than two runs.
        half_width: Option<f64>,
        /// The standard deviation of the values.
        deviation: f64,
        /// The values.
        histogram: Option<HistogramRecord>,
    },
    /// Trajectories.
    Simulation {
        /// The expressions as written.
        expressions: Vec<String>,
        /// The runs that are kept.
        trajectories: Vec<RunRecord>,
        /// The number of runs that satisfy the filter, if there is one.
        successes: Option<u64>,
        /// The confidence interval of the probability that a run satisfies the filter.
        interval: Option<IntervalRecord>,
    },
}

/// An interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct IntervalRecord {
    /// The least number.
    pub low: f64,
    /// The greatest number.
    pub high: f64,
}

impl From<Interval> for IntervalRecord {
    fn from(Interval { low, high }: Interval) -> Self {
        Self { low, high }
    }
}

/// A histogram.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HistogramRecord {
    /// The left end of the first bucket.
    pub first: f64,
    /// The width of a bucket.
    pub width: f64,
    /// The number of values in each bucket.
    pub counts: Vec<u64>,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
    /// The mean.
    pub mean: f64,
}

impl From<Histogram> for HistogramRecord {
    fn from(histogram: Histogram) -> Self {
        let Histogram { first, width, counts, least, greatest, mean } = histogram;
        Self { first, width, counts, least, greatest, mean }
    }
}

/// The trajectories of one run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunRecord {
    /// The number of the run, from 0.
    pub run: u64,
    /// For each expression, dates and values: linear between them, jumps at equal dates.
    pub values: Vec<Vec<(f64, f64)>>,
}

impl Sample {
    /// The confidence interval of the probability of an event that occurred in this number of runs.
    #[must_use]
    pub fn interval_of(&self, successes: u64) -> (f64, f64) {
        let alpha = 1.0 - self.confidence;
        let Interval { low, high } = clopper_pearson(successes, self.runs, alpha);
        (low, high)
    }

    /// The trajectories of a simulation, one line for each point: run, expression, date, value.
    #[must_use]
    pub fn csv(&self) -> Option<String> {
        let Estimate::Simulation { expressions, trajectories, .. } = &self.estimate else {
            return None;
        };
        let mut text = "run,expression,time,value\n".to_owned();
        for RunRecord { run, values } in trajectories {
            for (expression, points) in expressions.iter().zip(values) {
                let quoted = expression.replace('"', "\"\"");
                for (date, value) in points {
                    text += &format!("{run},\"{quoted}\",{date},{value}\n");
                }
            }
        }
        Some(text)
    }
}

/// A number with six significant digits.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let digits = 5 - value.abs().log10().floor() as i32;
    let text = format!("{value:.*}", digits.clamp(0, 12) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Numbers rounded to two significant digits of their uncertainty `half_width`.
fn rounded(value: f64, half_width: f64) -> String {
    match half_width > 0.0 && half_width.is_finite() {
        true => {
            let digits = 1 - half_width.log10().floor() as i32;
            format!("{value:.*}", digits.clamp(0, 12) as usize)
        }
        false => short(value),
    }
}

impl fmt::Display for IntervalRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half_width = (self.high - self.low) / 2.0;
        write!(f, "[{}, {}]", rounded(self.low, half_width), rounded(self.high, half_width))
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, runs, confidence, estimate, .. } = self;
        let percent = short(confidence * 100.0);
        match estimate {
            Estimate::Probability { path, successes, interval, .. } => write!(
                f,
                "Pr({path} ...) in {interval} with {percent}% confidence ({successes} of {runs} runs"
            )?,
            Estimate::Hypothesis { path, successes, relation, probability, alpha, beta } => write!(
                f,
                "Pr({path} ...) {relation} {probability}: {successes} of {runs} runs \
                 (errors below {alpha} and {beta}"
            )?,
            Estimate::Comparison { first, second } => {
                write!(f, "{first} against {second} of {runs} runs each (")?;
            }
            Estimate::Expectation { extreme, expression, mean, half_width, .. } => {
                let uncertain = half_width.unwrap_or(0.0);
                write!(f, "E({extreme}: {expression}) = {}", rounded(*mean, uncertain))?;
                if let Some(half_width) = half_width {
                    let half_width = rounded(*half_width, *half_width);
                    write!(f, " \u{b1} {half_width} with {percent}% confidence")?;
                }
                write!(f, " ({runs} runs")?;
            }
            Estimate::Simulation { trajectories, interval, successes, .. } => {
                write!(f, "{} of {runs} runs simulated", trajectories.len())?;
                if let (Some(interval), Some(successes)) = (interval, successes) {
                    write!(f, ", {successes} satisfy the filter, Pr in {interval}")?;
                    write!(f, " with {percent}% confidence")?;
                }
                f.write_str(" (")?;
            }
        }
        let is_alone =
            matches!(estimate, Estimate::Comparison { .. } | Estimate::Simulation { .. });
        write!(f, "{}seed {seed})", if is_alone { "" } else { ", " })
    }
}

/// A statistical query with its options.
pub(crate) struct SamplingQuestion<'q> {
    pub(crate) session: &'q Session,
    pub(crate) query: QueryId,
    pub(crate) statistical: &'q StatisticalQuery,
    pub(crate) options: &'q VerifyOptions,
}

/// The outcomes of the runs with one number: one for each experiment of the query.
type Outcomes = Vec<Outcome>;

impl SamplingQuestion<'_> {
    pub(crate) fn answer<'l>(
        &self,
        listener: Option<&'l mut SearchListener<'l>>,
        start: Instant,
    ) -> Result<Answer, Reason> {
        let sampling = &self.options.sampling;
        if let Some(message) = sampling.wrong() {
            return Err(Reason::Parameter(message));
        }
        let model = self.session.model();
        let mut watch = Watch::new(&self.options.resources, start, listener);
        let network =
            CompiledNetwork::for_sampling(model, watch.work()).map_err(|error| match error {
                CompileError::TooManyActions(..) => {
                    Reason::Unsuited("too many values of select variables".to_owned())
                }
                CompileError::Stopped(why) => Reason::Stopped(why),
            })?;
        let queries: Vec<SampledQuery> = subjects(self.statistical)
            .iter()
            .map(|(bound, subject)| SampledQuery::new(model, bound, subject))
            .collect();
        let mut collector = Collector::new(self.statistical, sampling);
        let workers = Workers {
            network: &network,
            queries: &queries,
            seed: self.options.seed,
            sampler: sampling.sampler,
            threads: self.options.threads.map_or(1, NonZeroUsize::get),
            most: collector.most(),
        };
        let transitions = AtomicU64::new(0);
        let ended = workers.run(&mut collector, &mut watch, &transitions);
        let (verdict, failed) = match ended {
            Ok(()) => (collector.verdict(), None),
            Err(RunFailure { error: RunError::Stopped(why), .. }) => {
                (Verdict::Unknown(Reason::Stopped(why)), None)
            }
            Err(failure) => {
                let seed = self.options.seed;
                let text = failure.describe(seed, model);
                match failure.error {
                    RunError::Evaluation(error) => (Verdict::Error(error), Some(text)),
                    RunError::NoInitialState => (Verdict::NoInitialState, None),
                    _ => (Verdict::FailedRun(text), None),
                }
            }
        };
        let transitions = transitions.into_inner();
        let texts = &self.session.origin.values[self.query];
        let mut sample = collector.finish(self.options.seed, texts);
        sample.transitions = transitions;
        let mut warnings: Vec<String> = default_rates(self.session).into_iter().collect();
        warnings.extend(failed);
        Ok(Answer {
            findings: Findings::Sample(Box::new(sample)),
            warnings,
            seconds: start.elapsed().as_secs_f64(),
            ..Answer::unexplored(verdict, self.options, start)
        })
    }
}

/// The bounds and subjects of the runs of a query.
fn subjects(query: &StatisticalQuery) -> Vec<(&RunBound, RunSubject)> {
    let of = |experiment: &Experiment| RunSubject::Path(experiment.path.clone());
    match query {
        StatisticalQuery::Probability(experiment)
        | StatisticalQuery::Hypothesis { experiment, .. } => {
            vec![(&experiment.bound, of(experiment))]
        }
        StatisticalQuery::Comparison(one, other) => {
            vec![(&one.bound, of(one)), (&other.bound, of(other))]
        }
        StatisticalQuery::Expectation { bound, greatest, value } => {
            let subject = RunSubject::Extreme { value: value.clone(), greatest: *greatest };
            vec![(bound, subject)]
        }
        StatisticalQuery::Simulation { bound, values, filter } => {
            let filter = filter.as_ref().map(|filter| filter.formula.clone());
            vec![(bound, RunSubject::Trajectory { values: values.clone(), filter })]
        }
    }
}

/// A warning about locations that can be left at any time and have no exponential rate, at the first
/// one. Sending on an urgent channel takes no time and needs none.
fn default_rates(session: &Session) -> Option<String> {
    let model = session.model();
    let (mut names, mut first) = (Vec::new(), None);
    for (id, process) in model.processes.iter_enumerated() {
        for (location, found) in process.locations.iter_enumerated() {
            let is_output = |edge: &zonaut_model::Edge| {
                let sync = edge.synchronisation.as_ref();
                edge.source == location
                    && sync.is_none_or(|s| {
                        s.direction == Direction::Send && !model.channels[s.channel.root].urgent
                    })
            };
            let is_bound = |relation| {
                matches!(relation, Relation::Less | Relation::LessEqual | Relation::Equal)
            };
            let is_bounded = found.invariant.clocks.iter().any(|c| is_bound(c.relation))
                || found.invariant.data.is_some();
            let has_rate = model.statistical.exponential_rates.contains_key(&(id, location));
            if found.kind == LocationKind::Ordinary
                && !is_bounded
                && !has_rate
                && process.edges.iter().any(is_output)
            {
                names.push(format!("`{}.{}`", process.name, found.name));
                first.get_or_insert_with(|| session.place_of_location(id, location));
            }
        }
    }
    let name = names.first()?;
    let place = first.flatten().map_or(String::new(), |place| format!("{place}: "));
    let (others, verb) = match names.len() {
        1 => (String::new(), "has"),
        2 => (" and another location".to_owned(), "have"),
        count => (format!(" and {} other locations", count - 1), "have"),
    };
    Some(format!(
        "{place}{name}{others} can be left at any time and {verb} no exponential rate: it is 1"
    ))
}

/// A run that is no sample.
struct RunFailure {
    error: RunError,
    run: u64,
    time: f64,
    /// The values of the last state.
    values: Vec<i32>,
}

impl RunFailure {
    fn describe(&self, seed: u64, model: &Model) -> String {
        let Self { error, run, time, values } = self;
        let at = model.processes.iter().zip(values).map(|(process, &location)| {
            let location = zonaut_base::Id::from_index(location as usize);
            format!("{}.{}", process.name, process.locations[location].name)
        });
        let place = at.collect::<Vec<_>>().join(", ");
        let what = match error {
            RunError::Evaluation(error) => format!("fails: {}", error.kind),
            RunError::TimeLock => "is stopped by a time lock: an invariant or urgency ends the \
                                   delay, and no transition is enabled"
                .to_owned(),
            RunError::StepLimit(limit) => {
                format!("has more than {limit} steps: perhaps infinitely many in finite time")
            }
            RunError::NoInitialState => "has no initial state".to_owned(),
            RunError::EmptyRun => "is empty: its bound is below the first value".to_owned(),
            RunError::Stopped(why) => format!("was stopped: {why}"),
        };
        format!("run {run} of seed {seed} {what}; at time {} in ({place})", short(*time))
    }
}

/// The workers that sample runs.
struct Workers<'n> {
    network: &'n CompiledNetwork,
    queries: &'n [SampledQuery],
    seed: u64,
    sampler: SamplerOptions,
    threads: usize,
    /// The number of runs after which the collector has enough.
    most: u64,
}

/// The outcomes of consecutive runs, up to the first failure.
struct Block {
    number: u64,
    outcomes: Vec<Outcomes>,
    failure: Option<RunFailure>,
}

impl Workers<'_> {
    /// The number of runs of a block: few runs are divided among the workers.
    fn runs_per_block(&self) -> u64 {
        (self.most / (4 * self.threads as u64)).clamp(1, RUNS_PER_BLOCK)
    }

    /// Samples runs until the collector has enough.
    fn run(
        &self,
        collector: &mut Collector,
        watch: &mut Watch<'_>,
        transitions: &AtomicU64,
    ) -> Result<(), RunFailure> {
        let mut reported = Instant::now();
        let mut absorb = |block: Block, watch: &mut Watch<'_>| {
            for outcomes in block.outcomes {
                if collector.add(outcomes).is_break() {
                    return ControlFlow::Break(Ok(()));
                }
            }
            if reported.elapsed() >= REPORT_INTERVAL {
                reported = Instant::now();
                watch.report(SearchEvent::Sampled(collector.progress()));
            }
            match block.failure {
                Some(failure) => ControlFlow::Break(Err(failure)),
                None => ControlFlow::Continue(()),
            }
        };
        if self.threads <= 1 {
            let mut sampler = Sampler::new(self.network, self.sampler, watch.work());
            let mut number = 0;
            loop {
                let block = self.sample(&mut sampler, number);
                transitions.store(sampler.total_transitions, Ordering::Relaxed);
                number += 1;
                if let ControlFlow::Break(ended) = absorb(block, watch) {
                    return ended;
                }
            }
        }
        let (next, is_ended) = (AtomicU64::new(0), AtomicBool::new(false));
        let (send, receive) = mpsc::sync_channel(4 * self.threads);
        let common = watch.work().clone();
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let (send, common) = (send.clone(), common.clone());
                let (next, is_ended) = (&next, &is_ended);
                let work = move || {
                    let meter: Meter = worker_meter(&common);
                    let mut sampler = Sampler::new(self.network, self.sampler, &meter);
                    while !is_ended.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number * self.runs_per_block() >= self.most {
                            break;
                        }
                        let block = self.sample(&mut sampler, number);
                        if send.send(block).is_err() {
                            break;
                        }
                    }
                    transitions.fetch_add(sampler.total_transitions, Ordering::Relaxed);
                };
                let builder = thread::Builder::new().name("sampler".into()).stack_size(STACK_BYTES);
                if builder.spawn_scoped(scope, work).is_err() {
                    is_ended.store(true, Ordering::Relaxed);
                    return Err(RunFailure::stopped(StopReason::MemoryLimit));
                }
            }
            drop(send);
            let (mut early, mut wanted) = (BTreeMap::new(), 0);
            let mut ended = Err(RunFailure::stopped(StopReason::Cancelled));
            'all: for block in &receive {
                early.insert(block.number, block);
                while let Some(block) = early.remove(&wanted) {
                    wanted += 1;
                    if let ControlFlow::Break(found) = absorb(block, watch) {
                        ended = found;
                        break 'all;
                    }
                }
            }
            is_ended.store(true, Ordering::Relaxed);
            // Workers that wait for room learn that nothing is received any more.
            drop(receive);
            ended
        })
    }

    /// Samples the runs of a block.
    fn sample(&self, sampler: &mut Sampler<'_>, number: u64) -> Block {
        let mut block = Block { number, outcomes: Vec::new(), failure: None };
        let count = self.queries.len() as u64;
        let first = number * self.runs_per_block();
        for run in first..(first + self.runs_per_block()).min(self.most) {
            let mut outcomes = Vec::with_capacity(self.queries.len());
            for (k, query) in (0..).zip(self.queries) {
                match query.sample(sampler, self.seed, run * count + k) {
                    Ok(outcome) => outcomes.push(outcome),
                    Err(error) => {
                        let values = sampler.state().0.clone();
                        let time = sampler.time;
                        let run = run * count + k;
                        block.failure = Some(RunFailure { error, run, time, values });
                        return block;
                    }
                }
            }
            block.outcomes.push(outcomes);
        }
        block
    }
}

impl RunFailure {
    fn stopped(why: StopReason) -> Self {
        Self { error: RunError::Stopped(why), run: 0, time: 0.0, values: Vec::new() }
    }
}

/// Collects the outcomes of runs for one query.
struct Collector {
    parameters: Parameters,
    buckets: Option<usize>,
    /// The number of runs, if the query has one.
    wanted: Option<u64>,
    runs: u64,
    kind: Collected,
}

enum Collected {
    Probability {
        path: &'static str,
        proportion: Proportion,
        decided: Vec<f64>,
    },
    Hypothesis {
        path: &'static str,
        successes: u64,
        at_least: bool,
        probability: f64,
        test: SequentialTest,
    },
    Comparison {
        first: u64,
        second: u64,
        test: SequentialTest,
    },
    Expectation {
        greatest: bool,
        mean: Mean,
        values: Vec<f64>,
    },
    Simulation {
        filter: Option<RunFilter>,
        proportion: Proportion,
        kept: Vec<RunRecord>,
    },
}

fn path_name(experiment: &Experiment) -> &'static str {
    match experiment.path {
        zonaut_model::PathFormula::Eventually(_) => "<>",
        zonaut_model::PathFormula::Always(_) => "[]",
        zonaut_model::PathFormula::Until(..) => "U",
    }
}

impl Collector {
    fn new(query: &StatisticalQuery, options: &SamplingOptions) -> Self {
        let parameters = options.parameters;
        let wanted = query.bounds().filter_map(|bound| bound.runs).max().map(u64::from);
        let mut wanted = wanted;
        let kind = match query {
            StatisticalQuery::Probability(experiment) => Collected::Probability {
                path: path_name(experiment),
                proportion: Proportion::default(),
                decided: Vec::new(),
            },
            StatisticalQuery::Hypothesis { experiment, at_least, probability } => {
                let probability = probability.value();
                let low = probability - parameters.lower_delta;
                let high = probability + parameters.upper_delta;
                Collected::Hypothesis {
                    path: path_name(experiment),
                    successes: 0,
                    at_least: *at_least,
                    probability,
                    test: SequentialTest::new(low, high, parameters.alpha, parameters.beta),
                }
            }
            StatisticalQuery::Comparison(..) => {
                Collected::Comparison { first: 0, second: 0, test: comparison(&parameters) }
            }
            StatisticalQuery::Expectation { greatest, .. } => Collected::Expectation {
                greatest: *greatest,
                mean: Mean::default(),
                values: Vec::new(),
            },
            StatisticalQuery::Simulation { filter, .. } => {
                wanted = wanted.or(Some(1));
                let filter = filter.clone();
                Collected::Simulation {
                    filter,
                    proportion: Proportion::default(),
                    kept: Vec::new(),
                }
            }
        };
        Self { parameters, buckets: options.buckets, wanted, runs: 0, kind }
    }

    /// The maximal number of runs.
    fn most(&self) -> u64 {
        self.wanted.unwrap_or(MOST_RUNS)
    }

    /// Adds the outcomes of the next run; `Break` if no more are needed.
    fn add(&mut self, outcomes: Outcomes) -> ControlFlow<()> {
        let Parameters { alpha, epsilon, .. } = self.parameters;
        let run = self.runs;
        self.runs += 1;
        let is_last = self.runs >= self.most();
        let mut outcomes = outcomes.into_iter();
        let is_enough = match (&mut self.kind, outcomes.next()) {
            (
                Collected::Probability { proportion, decided, path },
                Some(Outcome::Path { holds, at }),
            ) => {
                proportion.add(holds);
                // The date of a decision: when the formula was satisfied, or violated for `[]`.
                if holds != (*path == "[]") {
                    decided.push(at);
                }
                self.wanted.is_none() && proportion.is_precise(alpha, epsilon)
            }
            (Collected::Hypothesis { successes, test, .. }, Some(Outcome::Path { holds, .. })) => {
                *successes += u64::from(holds);
                test.add(holds) != Decision::Open
            }
            (Collected::Comparison { first, second, test }, Some(Outcome::Path { holds, .. })) => {
                let other = matches!(outcomes.next(), Some(Outcome::Path { holds: true, .. }));
                *first += u64::from(holds);
                *second += u64::from(other);
                holds != other && test.add(holds) != Decision::Open
            }
            (Collected::Expectation { mean, values, .. }, Some(Outcome::Extreme(value))) => {
                mean.add(value);
                values.push(value);
                self.wanted.is_none() && mean.is_precise(alpha, epsilon)
            }
            (
                Collected::Simulation { filter, proportion, kept },
                Some(Outcome::Trajectory { values, is_kept }),
            ) => {
                proportion.add(is_kept);
                if is_kept {
                    let values = values.into_iter().map(|Trajectory { points }| points).collect();
                    kept.push(RunRecord { run, values });
                }
                let most = filter.as_ref().and_then(|filter| filter.count);
                most.is_some_and(|most| kept.len() >= most as usize)
            }
            _ => false,
        };
        if is_enough || is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn progress(&self) -> SampleProgress {
        let alpha = self.parameters.alpha;
        let proportion = |successes| clopper_pearson(successes, self.runs, alpha);
        let interval = match &self.kind {
            Collected::Probability { proportion, .. } => Some(proportion.interval(alpha)),
            Collected::Hypothesis { successes, .. } => Some(proportion(*successes)),
            Collected::Expectation { mean, .. } => {
                let half = mean.half_width(alpha);
                Some(Interval { low: mean.mean - half, high: mean.mean + half })
            }
            Collected::Comparison { .. } | Collected::Simulation { .. } => None,
        };
        SampleProgress { runs: self.runs, interval: interval.map(|i| (i.low, i.high)) }
    }

    fn verdict(&self) -> Verdict {
        let undecided = || Verdict::Unknown(Reason::Undecided(self.runs));
        match &self.kind {
            Collected::Hypothesis { at_least, test, .. } => match test.decision() {
                Decision::Open => undecided(),
                Decision::Accepted => verdict_of(*at_least),
                Decision::Rejected => verdict_of(!*at_least),
            },
            Collected::Comparison { test, .. } => match test.decision() {
                Decision::Open => undecided(),
                Decision::Accepted => Verdict::Satisfied,
                Decision::Rejected => Verdict::NotSatisfied,
            },
            Collected::Probability { .. } | Collected::Expectation { .. }
                if self.wanted.is_none() && self.runs >= MOST_RUNS =>
            {
                undecided()
            }
            _ => Verdict::Satisfied,
        }
    }

    fn finish(self, seed: u64, texts: &[String]) -> Sample {
        let Self { parameters, buckets, runs, kind, .. } = self;
        let Parameters { alpha, beta, .. } = parameters;
        let histogram = |values: &[f64]| Histogram::new(values, buckets).map(HistogramRecord::from);
        let estimate = match kind {
            Collected::Probability { path, proportion, decided } => Estimate::Probability {
                path,
                successes: proportion.successes,
                interval: proportion.interval(alpha).into(),
                histogram: histogram(&decided),
            },
            Collected::Hypothesis { path, successes, at_least, probability, .. } => {
                let relation = if at_least { ">=" } else { "<=" };
                Estimate::Hypothesis { path, successes, relation, probability, alpha, beta }
            }
            Collected::Comparison { first, second, .. } => Estimate::Comparison { first, second },
            Collected::Expectation { greatest, mean, values } => Estimate::Expectation {
                extreme: if greatest { "max" } else { "min" },
                expression: texts.first().cloned().unwrap_or_default(),
                mean: mean.mean,
                half_width: (mean.runs >= 2).then(|| mean.half_width(alpha)),
                deviation: mean.deviation(),
                histogram: histogram(&values),
            },
            Collected::Simulation { filter, proportion, kept } => Estimate::Simulation {
                expressions: texts.to_vec(),
                trajectories: kept,
                successes: filter.as_ref().map(|_| proportion.successes),
                interval: filter.map(|_| proportion.interval(alpha).into()),
            },
        };
        Sample { seed, runs, transitions: 0, confidence: 1.0 - alpha, estimate }
    }
}
