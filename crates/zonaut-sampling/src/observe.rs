//! Observation of runs for a query: path formulas, extreme values and trajectories.

use crate::formula::CompiledFormula;
use crate::motion::SLACK;
use crate::sampler::{Observer, RunError, Sampler};
use std::ops::ControlFlow;
use zonaut_compile::{CompiledNumber, CompiledQuery, Translation};
use zonaut_model::{ExpressionId, Formula, Model, Observed, PathFormula, RunBound, RunMeasure};

/// The observed subject of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunSubject {
    /// Whether the run satisfies a path formula.
    Path(PathFormula),
    /// The greatest or the least value.
    Extreme {
        /// The value.
        value: Observed,
        /// Whether the greatest value counts.
        greatest: bool,
    },
    /// The values along the run, and whether it reaches a state that satisfies the filter.
    Trajectory {
        /// The values.
        values: Vec<Observed>,
        /// The filter.
        filter: Option<Formula>,
    },
}

/// The values of one expression along a run: linear between points.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trajectory {
    /// Dates and values, in order; two points with the same date are a jump.
    pub points: Vec<(f64, f64)>,
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// Whether the path formula holds, and the value of the bounding quantity when this was decided.
    Path {
        /// Whether it holds.
        holds: bool,
        /// The time, clock value or number of steps at the decision.
        at: f64,
    },
    /// The extreme value.
    Extreme(f64),
    /// The trajectories, in the order of the query, and whether the filter is satisfied.
    Trajectory {
        /// The trajectories.
        values: Vec<Trajectory>,
        /// Whether the filter is satisfied; without a filter it is.
        is_kept: bool,
    },
}

#[derive(Clone, Copy, Debug)]
enum CompiledMeasure {
    Time,
    Steps,
    Value(CompiledNumber),
}

#[derive(Clone, Debug)]
enum CompiledValue {
    Number(CompiledNumber),
    Truth(CompiledFormula),
}

#[derive(Clone, Debug)]
enum CompiledSubject {
    Path(CompiledPath),
    Extreme(CompiledValue, bool),
    Trajectory(Vec<CompiledValue>, Option<CompiledFormula>),
}

#[derive(Clone, Debug)]
enum CompiledPath {
    Eventually(CompiledFormula),
    Always(CompiledFormula),
    Until(CompiledFormula, CompiledFormula),
}

/// The expressions of one bound and subject, compiled; shared by all workers.
#[derive(Clone, Debug)]
pub struct SampledQuery {
    query: CompiledQuery,
    measure: CompiledMeasure,
    limit: CompiledNumber,
    subject: CompiledSubject,
    /// Whether an observed formula or value depends on clocks.
    is_timed: bool,
    /// Whether a formula depends on floating point that changes while time passes.
    is_stepped: bool,
}

impl SampledQuery {
    /// Compiles the observation of `subject` in runs of this length.
    #[must_use]
    pub fn new(model: &Model, bound: &RunBound, subject: &RunSubject) -> Self {
        let mut translation = Translation::for_sampling(model);
        let at = bound.at;
        let limit = translation.number(bound.limit, at);
        let measure = match bound.measure {
            RunMeasure::Time => CompiledMeasure::Time,
            RunMeasure::Steps => CompiledMeasure::Steps,
            RunMeasure::Value(value) => CompiledMeasure::Value(translation.number(value, at)),
        };
        let subject = CompiledSubject::new(&mut translation, subject, at);
        let query = translation.finish();
        let (is_timed, is_stepped) = (subject.is_timed(), subject.is_stepped());
        Self { query, measure, limit, subject, is_timed, is_stepped }
    }

    /// Samples run number `run` under `seed`.
    ///
    /// # Errors
    /// If the run is no sample.
    pub fn sample(
        &self,
        sampler: &mut Sampler<'_>,
        seed: u64,
        run: u64,
    ) -> Result<Outcome, RunError> {
        if self.is_stepped {
            sampler.step_always();
        }
        let mut observation = Observation::new(self);
        sampler.run(seed, run, &mut observation)?;
        observation.finish(sampler)
    }
}

impl CompiledSubject {
    fn new(translation: &mut Translation<'_>, subject: &RunSubject, at: ExpressionId) -> Self {
        match subject {
            RunSubject::Path(path) => Self::Path(match path {
                PathFormula::Eventually(p) => {
                    CompiledPath::Eventually(CompiledFormula::new(translation, p))
                }
                PathFormula::Always(p) => {
                    CompiledPath::Always(CompiledFormula::new(translation, p))
                }
                PathFormula::Until(p, q) => CompiledPath::Until(
                    CompiledFormula::new(translation, p),
                    CompiledFormula::new(translation, q),
                ),
            }),
            RunSubject::Extreme { value, greatest } => {
                Self::Extreme(CompiledValue::new(translation, value, at), *greatest)
            }
            RunSubject::Trajectory { values, filter } => {
                let values = values.iter().map(|v| CompiledValue::new(translation, v, at));
                let values = values.collect();
                let filter = filter.as_ref().map(|f| CompiledFormula::new(translation, f));
                Self::Trajectory(values, filter)
            }
        }
    }

    fn formulas(&self) -> Vec<&CompiledFormula> {
        match self {
            Self::Path(CompiledPath::Eventually(p) | CompiledPath::Always(p)) => vec![p],
            Self::Path(CompiledPath::Until(p, q)) => vec![p, q],
            Self::Extreme(value, _) => value.formula().into_iter().collect(),
            Self::Trajectory(values, filter) => {
                values.iter().filter_map(CompiledValue::formula).chain(filter).collect()
            }
        }
    }

    fn numbers(&self) -> Vec<CompiledNumber> {
        let values = match self {
            Self::Path(_) => return Vec::new(),
            Self::Extreme(value, _) => std::slice::from_ref(value),
            Self::Trajectory(values, _) => values,
        };
        values.iter().filter_map(CompiledValue::number).collect()
    }

    fn is_timed(&self) -> bool {
        self.formulas().iter().any(|f| f.constrains_clocks() || f.is_timed())
            || self.numbers().iter().any(CompiledNumber::is_timed)
    }

    fn is_stepped(&self) -> bool {
        self.formulas().iter().any(|formula| formula.is_timed())
    }
}

impl CompiledValue {
    fn new(translation: &mut Translation<'_>, value: &Observed, at: ExpressionId) -> Self {
        match value {
            Observed::Number(number) => Self::Number(translation.number(*number, at)),
            Observed::Truth(formula) => Self::Truth(CompiledFormula::new(translation, formula)),
        }
    }

    fn formula(&self) -> Option<&CompiledFormula> {
        match self {
            Self::Number(_) => None,
            Self::Truth(formula) => Some(formula),
        }
    }

    fn number(&self) -> Option<CompiledNumber> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Truth(_) => None,
        }
    }

    /// Its value now.
    fn now(&self, query: &CompiledQuery, sampler: &mut Sampler<'_>) -> Result<f64, RunError> {
        match self {
            Self::Number(number) => {
                let (values, machine) = sampler.state();
                Ok(query.number(*number, values, machine)?)
            }
            Self::Truth(formula) => Ok(f64::from(u8::from(formula.holds(query, sampler, 0.0)?))),
        }
    }
}

/// The observation of one run.
struct Observation<'q> {
    query: &'q SampledQuery,
    limit: Option<f64>,
    decided: Option<(bool, f64)>,
    extreme: Option<f64>,
    trajectories: Vec<Trajectory>,
    is_kept: bool,
    instants: Vec<f64>,
}

impl<'q> Observation<'q> {
    fn new(query: &'q SampledQuery) -> Self {
        let (trajectories, is_kept) = match &query.subject {
            CompiledSubject::Trajectory(values, filter) => {
                (vec![Trajectory::default(); values.len()], filter.is_none())
            }
            _ => (Vec::new(), true),
        };
        Self {
            query,
            limit: None,
            decided: None,
            extreme: None,
            trajectories,
            is_kept,
            instants: Vec::new(),
        }
    }

    /// The value of the bounding quantity, `later` time units from now.
    fn measured(&self, sampler: &mut Sampler<'_>, later: f64) -> Result<f64, RunError> {
        match self.query.measure {
            CompiledMeasure::Time => Ok(sampler.time + later),
            CompiledMeasure::Steps => Ok(sampler.transitions as f64),
            CompiledMeasure::Value(number) => {
                sampler.number_after(&self.query.query, number, later)
            }
        }
    }

    /// Observes the state after `time` in the current segment.
    fn observe(
        &mut self,
        sampler: &mut Sampler<'_>,
        time: f64,
    ) -> Result<ControlFlow<()>, RunError> {
        let compiled = &self.query.query;
        match &self.query.subject {
            CompiledSubject::Path(path) => {
                let decided = match path {
                    CompiledPath::Eventually(p) => {
                        p.holds(compiled, sampler, time)?.then_some(true)
                    }
                    CompiledPath::Always(p) => {
                        (!p.holds(compiled, sampler, time)?).then_some(false)
                    }
                    CompiledPath::Until(p, q) => {
                        if q.holds(compiled, sampler, time)? {
                            Some(true)
                        } else {
                            (!p.holds(compiled, sampler, time)?).then_some(false)
                        }
                    }
                };
                if let Some(holds) = decided {
                    self.decided = Some((holds, self.measured(sampler, time)?));
                    return Ok(ControlFlow::Break(()));
                }
            }
            CompiledSubject::Extreme(value, greatest) => {
                let number = sampler.value_after(compiled, value, time)?;
                let better = if *greatest { f64::max } else { f64::min };
                self.extreme = Some(self.extreme.map_or(number, |best| better(best, number)));
            }
            CompiledSubject::Trajectory(values, filter) => {
                for (value, trajectory) in values.iter().zip(&mut self.trajectories) {
                    let number = sampler.value_after(compiled, value, time)?;
                    trajectory.add(sampler.time + time, number);
                }
                if let Some(filter) = filter
                    && !self.is_kept
                {
                    self.is_kept = filter.holds(compiled, sampler, time)?;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finish(self, sampler: &mut Sampler<'_>) -> Result<Outcome, RunError> {
        match &self.query.subject {
            CompiledSubject::Path(path) => {
                let undecided = matches!(path, CompiledPath::Always(_));
                let (holds, at) = match self.decided {
                    Some(decided) => decided,
                    None => (undecided, self.measured(sampler, 0.0)?),
                };
                Ok(Outcome::Path { holds, at })
            }
            CompiledSubject::Extreme(..) => Ok(Outcome::Extreme(self.extreme.unwrap_or(0.0))),
            CompiledSubject::Trajectory(..) => {
                let (mut values, is_kept) = (self.trajectories, self.is_kept);
                for trajectory in &mut values {
                    trajectory.extend_to(sampler.time);
                }
                Ok(Outcome::Trajectory { values, is_kept })
            }
        }
    }
}

impl Trajectory {
    /// Adds a point, without those that lie on the line of their neighbours.
    fn add(&mut self, date: f64, value: f64) {
        if let [.., (_, before), (last, same)] = self.points[..]
            && before == same
            && same == value
            && last <= date
        {
            self.points.pop();
        } else if let Some(&(last, before)) = self.points.last()
            && (last, before) == (date, value)
        {
            return;
        }
        self.points.push((date, value));
    }

    fn extend_to(&mut self, date: f64) {
        if let Some(&(last, value)) = self.points.last()
            && last < date
        {
            self.add(date, value);
        }
    }
}

impl Observer for Observation<'_> {
    fn state(&mut self, sampler: &mut Sampler<'_>) -> Result<ControlFlow<()>, RunError> {
        for trajectory in &mut self.trajectories {
            trajectory.extend_to(sampler.time);
        }
        self.observe(sampler, 0.0)
    }

    fn delay(&mut self, sampler: &mut Sampler<'_>, time: f64) -> Result<ControlFlow<()>, RunError> {
        if !self.query.is_timed {
            return Ok(ControlFlow::Continue(()));
        }
        // Between the instants at which a clock constraint changes, all formulas are constant.
        let mut instants = std::mem::take(&mut self.instants);
        instants.clear();
        for formula in self.query.subject.formulas() {
            formula.add_crossings(&self.query.query, sampler, &mut instants)?;
        }
        instants.retain(|&instant| instant > 0.0 && instant < time);
        instants.push(time);
        instants.sort_unstable_by(f64::total_cmp);
        let mut before = 0.0;
        let mut flow = ControlFlow::Continue(());
        for &instant in &instants {
            for point in [(before + instant) / 2.0, instant] {
                if flow.is_continue() && (point > before) {
                    flow = self.observe(sampler, point)?;
                }
            }
            before = instant;
        }
        self.instants = instants;
        Ok(flow)
    }

    fn remaining(&mut self, sampler: &mut Sampler<'_>) -> Result<f64, RunError> {
        let limit = match self.limit {
            Some(limit) => limit,
            None => {
                let (values, machine) = sampler.state();
                let limit = self.query.query.number(self.query.limit, values, machine)?;
                *self.limit.insert(limit)
            }
        };
        match self.query.measure {
            CompiledMeasure::Time => {
                let left = limit - sampler.time;
                Ok(if left < 0.0 && left > -SLACK { 0.0 } else { left })
            }
            CompiledMeasure::Steps => {
                let left = limit - sampler.transitions as f64;
                Ok(match left {
                    ..0.0 => -1.0,
                    0.0 => 0.0,
                    _ => f64::INFINITY,
                })
            }
            CompiledMeasure::Value(number) => {
                sampler.plan()?;
                let now = sampler.number_after(&self.query.query, number, 0.0)?;
                let then = sampler.number_after(&self.query.query, number, 1.0)?;
                let (left, slope) = (limit - now, then - now);
                Ok(match () {
                    () if left < -SLACK => -1.0,
                    () if slope > 0.0 => (left / slope).max(0.0),
                    () => f64::INFINITY,
                })
            }
        }
    }
}

impl Sampler<'_> {
    /// The value of a number, `time` from now in the current segment.
    fn number_after(
        &mut self,
        query: &CompiledQuery,
        number: CompiledNumber,
        time: f64,
    ) -> Result<f64, RunError> {
        if time == 0.0 || !number.is_timed() {
            let (values, machine) = self.state();
            return Ok(query.number(number, values, machine)?);
        }
        self.after(time, |sampler| {
            let (values, machine) = sampler.state();
            Ok(query.number(number, values, machine)?)
        })
    }

    /// The observed value, `time` from now in the current segment.
    fn value_after(
        &mut self,
        query: &CompiledQuery,
        value: &CompiledValue,
        time: f64,
    ) -> Result<f64, RunError> {
        match value {
            CompiledValue::Number(number) => self.number_after(query, *number, time),
            CompiledValue::Truth(formula) if time > 0.0 => {
                Ok(f64::from(u8::from(formula.holds(query, self, time)?)))
            }
            value @ CompiledValue::Truth(_) => value.now(query, self),
        }
    }
}
