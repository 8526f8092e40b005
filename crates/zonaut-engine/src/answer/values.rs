//! Extreme values of expressions: `sup`, `inf` and `bounds`.

use crate::answer::{
    Answer, Findings, Possibility, Reason, Unwritten, Verdict, possibly, verdict_of_failure,
};
use crate::certificate::write_failure_after;
use crate::prepared::Prepared;
use crate::resources::{SearchListener, Watch};
use crate::session::Session;
use crate::verify::{TraceWish, VerifyOptions};
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::{self, Write};
use std::time::Instant;
use zonaut_base::{FileId, Id, Span};
use zonaut_concrete::{Destination, concretise};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_evidence::{Bounded, PathTo, Side, Subject, ValueSet, ValuesBody};
use zonaut_liveness::{
    ClockValues, CoveringStates, Ends, Extended, Extreme, IntegerValues, Range, Unknown, Value,
    clock_range, integer_ranges, value_bounds,
};
use zonaut_model::{
    BinaryOperator, CLOCK_LIMIT, ClockId, Expression, ExpressionId, Extremum, Formula, Model,
    Place, QueryId, QueryKind, Relation,
};
use zonaut_search::Statistics;
use zonaut_strategy::Order;
use zonaut_trace::Trace;
use zonaut_zonegraph::{Abstraction, Comparison, CompiledGoal, Step, StepError, ZoneGraph};

/// The requested values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extremes {
    /// The states whose values count.
    pub condition: Formula,
    /// The expressions.
    pub subjects: Vec<Extremum>,
    /// Whether the infimum is requested.
    pub wants_least: bool,
    /// Whether the supremum is requested.
    pub wants_greatest: bool,
}

impl Extremes {
    /// The values that a query of this kind requests; `None` for other kinds.
    #[must_use]
    pub fn of(kind: &QueryKind) -> Option<Self> {
        let (condition, subjects, wants_least, wants_greatest) = match kind {
            QueryKind::Supremum(condition, subjects) => (condition, subjects, false, true),
            QueryKind::Infimum(condition, subjects) => (condition, subjects, true, false),
            QueryKind::Bounds(condition, subjects) => (condition, subjects, true, true),
            _ => return None,
        };
        let (condition, subjects) = (condition.clone(), subjects.clone());
        Some(Self { condition, subjects, wants_least, wants_greatest })
    }
}

/// The extreme values of one expression.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FoundValues {
    /// The expression as written.
    pub expression: String,
    /// The infimum, if it is requested and there are values.
    #[serde(serialize_with = "as_bound")]
    pub infimum: Option<Value>,
    /// The supremum, if it is requested and there are values.
    #[serde(serialize_with = "as_bound")]
    pub supremum: Option<Value>,
    /// Whether these are only bounds: no value is outside, but they may not be attained.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_bound: bool,
    /// A run to a state that attains or approaches the supremum or, if only that is requested, the
    /// infimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Trace>,
}

impl fmt::Display for FoundValues {
    /// One line for each value, such as `x >= 3` or `x < 5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expression, infimum, supremum, .. } = self;
        let lower = infimum.map(|value| match value {
            Value::Attained(number) => format!(">= {number}"),
            Value::Approached(number) => format!("> {number}"),
            Value::Unbounded => "< infinity".to_owned(),
        });
        let upper = supremum.map(|value| match value {
            Value::Attained(number) => format!("<= {number}"),
            Value::Approached(number) => format!("< {number}"),
            Value::Unbounded => "< infinity".to_owned(),
        });
        let lines: Vec<String> = lower.into_iter().chain(upper).collect();
        let bound = if self.is_bound { " (a bound)" } else { "" };
        match lines.is_empty() {
            true => write!(f, "{expression} has no values"),
            false => write!(f, "{expression} {}", lines.join(&format!(", {expression} ")))
                .and_then(|()| f.write_str(bound)),
        }
    }
}

/// A bound in the formats of reports.
#[derive(Serialize)]
struct BoundRecord {
    /// The number; `None` if unbounded.
    value: Option<i64>,
    /// Whether some state attains the value.
    attained: bool,
}

fn as_bound<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    let record = value.map(|value| match value {
        Value::Attained(number) => BoundRecord { value: Some(number), attained: true },
        Value::Approached(number) => BoundRecord { value: Some(number), attained: false },
        Value::Unbounded => BoundRecord { value: None, attained: false },
    });
    record.serialize(serializer)
}

/// A question about extreme values, with its options.
pub(crate) struct ValuesQuestion<'q, 'l> {
    pub(crate) session: &'q Session,
    pub(crate) query: QueryId,
    pub(crate) extremes: &'q Extremes,
    pub(crate) options: &'l VerifyOptions,
}

/// The maximal number of elements of an array of clocks that an index may select.
const MOST_ELEMENTS: usize = 64;

/// A range, and the evidence for its ends.
struct FoundRange {
    range: Range,
    /// A run to the reported end.
    run: Option<Trace>,
    /// The certified paths to the infimum and the supremum, if evidence is requested.
    paths: [Vec<u8>; 2],
}

/// A range; `None` if there are no values.
type Found = Option<FoundRange>;

impl<'q, 'l> ValuesQuestion<'q, 'l> {
    /// Explores all states once for the integers, and once for every clock.
    pub(crate) fn answer(
        &self,
        listener: Option<&'l mut SearchListener<'l>>,
        certificate: Option<&'l mut dyn Write>,
        start: Instant,
    ) -> Result<Answer, Reason> {
        let watch = Watch::new(&self.options.resources, start, listener);
        let mut body = certificate.is_some().then(|| ValuesBody::new(self.session.model()));
        if let (Some(body), true) = (&mut body, self.session.model().has_rates()) {
            body.give_up("values with stopwatches");
        }
        let mut work = Work { watch, statistics: Statistics::default(), body, failure: Vec::new() };
        let found = self.find_all(&mut work);
        let verdict = match &found {
            Ok(values) if values.iter().any(|found| found.is_bound) => {
                Verdict::Unknown(Reason::Stopwatches(Possibility::Values))
            }
            Ok(_) => Verdict::Satisfied,
            Err(Halt::Reason(why)) => return Err(why.clone()),
            Err(Halt::Unknown(Unknown::Failed(error, _))) => {
                let verdict = verdict_of_failure(*error);
                if self.has_rates() { possibly(&verdict) } else { verdict }
            }
            Err(Halt::Unknown(Unknown::Stopped(why))) => Verdict::Unknown(Reason::Stopped(*why)),
            Err(Halt::Unknown(Unknown::Unsupported(what))) => {
                Verdict::Unknown(Reason::Unsuited((*what).to_owned()))
            }
        };
        let is_decided = matches!(verdict, Verdict::Satisfied | Verdict::Error(_));
        let seconds = start.elapsed().as_secs_f64();
        let certificate = certificate.and_then(|out| self.certify(&work, &verdict, out));
        let heuristics = self.options.strategy.heuristics();
        let unled = (!heuristics.is_empty())
            .then(|| "the search for extreme values uses no heuristic".to_owned());
        Ok(Answer {
            findings: Findings::Values(found.unwrap_or_default()),
            certificate,
            abstraction: is_decided.then_some(Abstraction::Exact),
            strategy: Order::BreadthFirst.into(),
            statistics: work.statistics,
            warnings: unled.into_iter().collect(),
            seconds,
            ..Answer::unexplored(verdict, self.options, start)
        })
    }

    /// Writes the certificate, if one is requested and the answer can be certified.
    fn certify(
        &self,
        work: &Work<'_, '_>,
        verdict: &Verdict,
        out: &mut dyn Write,
    ) -> Option<Result<(), Unwritten>> {
        let written = match (verdict, &work.body) {
            (Verdict::Satisfied, Some(body)) => match body.obstacle() {
                Some(why) => {
                    let stopped = work.watch.work().stopped().map(Unwritten::Stopped);
                    return Some(Err(stopped.unwrap_or(Unwritten::NoSuchKind(why))));
                }
                None => self.subject().write_values(body, work.watch.work(), out),
            },
            (Verdict::Error(_), _) if !work.failure.is_empty() => {
                out.write_all(&work.failure).and_then(|()| out.flush())
            }
            _ => return None,
        };
        Some(written.map_err(|error| match work.watch.work().stopped() {
            Some(why) => Unwritten::Stopped(why),
            None => error.into(),
        }))
    }

    fn subject(&self) -> Subject<'_> {
        let model = self.session.model();
        Subject { model, query: &model.queries[self.query] }
    }

    fn find_all(&self, work: &mut Work<'_, '_>) -> Result<Vec<FoundValues>, Halt> {
        let Extremes { subjects, wants_least, wants_greatest, .. } = self.extremes;
        let mut integers = self.integers(work)?.into_iter();
        let mut values = Vec::new();
        // The values of a model that was constructed in code have no text.
        let texts = &self.session.origin.values[self.query];
        for (position, subject) in subjects.iter().enumerate() {
            let found = match subject {
                Extremum::Integer(_) => integers.next().flatten(),
                Extremum::Clock(place) => self.clock(position, place, work)?,
                Extremum::Cost => {
                    return Err(Halt::Unknown(Unknown::Unsupported("values of the cost")));
                }
            };
            let (range, run) = found.map_or((None, None), |found| (Some(found.range), found.run));
            let is_bound = range.as_ref().is_some_and(|range| !self.is_reached(range, &run));
            let run = run.filter(|_| self.options.trace != TraceWish::None);
            let range = range.as_ref();
            let infimum = range.filter(|_| *wants_least).map(|range| range.least.value);
            let supremum = range.filter(|_| *wants_greatest).map(|range| range.greatest.value);
            let expression = texts.get(position).cloned().unwrap_or_default();
            values.push(FoundValues { expression, infimum, supremum, is_bound, run });
        }
        Ok(values)
    }

    /// The ranges of the integer expressions, in order.
    fn integers(&self, work: &mut Work<'_, '_>) -> Result<Vec<Found>, Halt> {
        let integer = |(position, subject): (usize, &Extremum)| match subject {
            Extremum::Integer(expression) => Some((position, *expression)),
            Extremum::Clock(_) | Extremum::Cost => None,
        };
        let expressions: Vec<(usize, ExpressionId)> =
            self.extremes.subjects.iter().enumerate().filter_map(integer).collect();
        if expressions.is_empty() {
            return Ok(Vec::new());
        }
        let condition = &self.extremes.condition;
        let abstraction = self.options.abstraction;
        let meter = work.watch.work();
        let prepared = Prepared::metered(self.session, condition, abstraction, meter)?;
        if prepared.fits_narrow_bounds() {
            self.integers_with::<Narrow>(&prepared, &expressions, work)
        } else {
            self.integers_with::<Wide>(&prepared, &expressions, work)
        }
    }

    fn integers_with<W: Width>(
        &self,
        prepared: &Prepared,
        expressions: &[(usize, ExpressionId)],
        work: &mut Work<'_, '_>,
    ) -> Result<Vec<Found>, Halt> {
        let graph = prepared.graph::<W>()?;
        let model = self.session.model();
        let goal = CompiledGoal::new(model, &self.extremes.condition);
        let (positions, ids): (Vec<usize>, Vec<ExpressionId>) = expressions.iter().copied().unzip();
        let IntegerValues { ranges, states, statistics } =
            integer_ranges(model, &graph, &goal, &ids, &mut work.watch);
        add(&mut work.statistics, &statistics);
        let ranges = ranges.map_err(|why| self.halt(&graph, why, work))?.unwrap_or_default();
        for (&position, range) in positions.iter().zip(&ranges) {
            let paths = self.paths(position, range);
            work.write(|body| {
                let texts: io::Result<Vec<_>> =
                    paths.iter().map(|path| body.path(&graph, path)).collect();
                texts.map(|texts| texts.concat())
            });
        }
        let set = ValueSet::Store(&states, Comparison::of(graph.abstraction()));
        work.write(|body| body.set(&graph, &Bounded::All(&positions), &set));
        let found = ranges.into_iter().map(|range| {
            let run = self.run(&graph, &self.shown(&range).steps, &goal);
            Some(FoundRange { range, run, paths: Default::default() })
        });
        let mut found: Vec<Found> = found.collect();
        found.resize_with(expressions.len(), || None);
        Ok(found)
    }

    /// The paths to the requested ends of a range.
    fn paths(&self, subject: usize, range: &Range) -> Vec<PathTo> {
        let Extremes { wants_least, wants_greatest, .. } = *self.extremes;
        let ends = [
            (wants_least, Side::Least, &range.least),
            (wants_greatest, Side::Greatest, &range.greatest),
        ];
        let path = |(_, side, Extreme { value, steps, pumping }): (bool, Side, &Extreme)| PathTo {
            subject,
            side,
            value: *value,
            steps: steps.clone(),
            pumping: pumping.clone(),
        };
        ends.into_iter().filter(|(is_wanted, ..)| *is_wanted).map(path).collect()
    }

    /// The reason why values are unknown; a run-time error is certified.
    fn halt<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        why: Unknown,
        work: &mut Work<'_, '_>,
    ) -> Halt {
        if let (Unknown::Failed(StepError::RunTime(_), steps), Some(_)) = (&why, &work.body) {
            let written = write_failure_after(&self.subject(), graph, steps, &mut work.failure);
            if !matches!(written, Some(Ok(()))) {
                work.failure.clear();
            }
        }
        Halt::Unknown(why)
    }

    /// The range of a clock; if indices select it, the union over all clocks that they may select.
    fn clock(
        &self,
        position: usize,
        place: &Place<ClockId>,
        work: &mut Work<'_, '_>,
    ) -> Result<Found, Halt> {
        let mut extended = Extended::of(self.session.model());
        let (mut all, mut sets): (Found, Vec<u8>) = (None, Vec::new());
        let choices = choices(&mut extended, place)?;
        let is_single = choices.len() == 1;
        for (clock, chosen) in choices {
            let parts = [self.extremes.condition.clone()].into_iter().chain(chosen).collect();
            let condition = Formula::And(parts);
            let bounded = match is_single {
                true => Bounded::All(&[position]),
                false => Bounded::Case(position, clock),
            };
            let case = ClockCase { position, clock, condition, bounded };
            let (found, set) = self.range_of(&extended, &case, work)?;
            sets.extend(set);
            all = match (all, found) {
                (None, found) => found,
                (known, None) => known,
                (Some(known), Some(found)) => Some(self.joined(known, found)),
            };
        }
        // The certificate names values before the sets that prove them extreme.
        if let Some(body) = &mut work.body {
            all.iter().for_each(|found| body.add(&found.paths.concat()));
            body.add(&sets);
        }
        Ok(all)
    }

    /// The range of one clock, and the evidence that no value is outside.
    fn range_of(
        &self,
        extended: &Extended,
        case: &ClockCase<'_>,
        work: &mut Work<'_, '_>,
    ) -> Result<(Found, Vec<u8>), Halt> {
        let &ClockCase { position, clock, ref condition, ref bounded } = case;
        let mut extended = extended.clone();
        let session = self.with_model(&extended);
        let Extremes { wants_least, wants_greatest, .. } = *self.extremes;
        let ends = Ends { least: wants_least, greatest: wants_greatest };
        let bounds = |model: &Model| value_bounds(model, condition, clock, ends);
        let (abstraction, meter) = (Some(Abstraction::Exact), work.watch.work());
        let prepared = Prepared::with_bounds(&session, bounds, abstraction, meter)?;
        let graph = prepared.graph::<Wide>()?;
        let (network, bounds) = (graph.network(), graph.bounds());
        let ClockValues { range, states, statistics } =
            clock_range(&extended.model, network, bounds, condition, clock, &mut work.watch);
        add(&mut work.statistics, &statistics);
        let range = range.map_err(|why| self.halt(&graph, why, work))?;
        let mut set = Vec::new();
        let mut paths: [Vec<u8>; 2] = Default::default();
        match (&states, &mut work.body) {
            (Some(CoveringStates { states, comparison, bounds }), Some(_)) => {
                let states = ValueSet::States(states, *comparison);
                let meter = work.watch.work();
                let covered = ZoneGraph::new(network, bounds, Abstraction::Exact, meter);
                let covered = covered.map_err(|why| Halt::Unknown(why.into()))?;
                set = work.text(|body| body.set(&covered, bounded, &states));
                for path in range.iter().flat_map(|range| self.paths(position, range)) {
                    let end = usize::from(path.side == Side::Greatest);
                    paths[end] = work.text(|body| body.path(&graph, &path));
                }
            }
            (None, Some(body)) => {
                body.give_up("values of clocks that are copied or whose differences are compared");
            }
            (_, None) => {}
        }
        let Some(range) = range else { return Ok((None, set)) };
        let near = self.near(&mut extended, clock, &range);
        let near = Formula::And([condition.clone()].into_iter().chain(near).collect());
        let goal = CompiledGoal::new(&extended.model, &near);
        let run = self.run(&graph, &self.shown(&range).steps, &goal);
        Ok((Some(FoundRange { range, run, paths }), set))
    }

    /// The constraint of a clock near the reported end of its range.
    fn near(&self, extended: &mut Extended, clock: ClockId, range: &Range) -> Option<Formula> {
        let is_upper = self.extremes.wants_greatest;
        let (relation, number) = match self.shown(range).value {
            Value::Attained(number) if is_upper => (Relation::GreaterEqual, number),
            Value::Attained(number) => (Relation::LessEqual, number),
            Value::Approached(number) if is_upper => (Relation::Greater, number - 1),
            Value::Approached(number) => (Relation::Less, number + 1),
            Value::Unbounded => return None,
        };
        let number = i32::try_from(number).ok().filter(|&number| number <= CLOCK_LIMIT)?;
        Some(extended.compared(clock, relation, number))
    }

    /// The end of a range that the run leads to.
    fn shown<'r>(&self, range: &'r Range) -> &'r Extreme {
        if self.extremes.wants_greatest { &range.greatest } else { &range.least }
    }

    /// The run along `steps` to a state that satisfies `goal`, if requested.
    fn run<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        steps: &[Step],
        goal: &CompiledGoal,
    ) -> Option<Trace> {
        if self.options.trace == TraceWish::None && !self.has_rates() {
            return None;
        }
        let run = concretise(graph, steps, Destination::Goal(goal)).ok()?;
        Some(self.session.namer().trace(graph.network(), &run))
    }

    fn has_rates(&self) -> bool {
        self.session.model().has_rates()
    }

    /// Whether the ends of a range are known to be attained. With stopwatches only a run proves
    /// that, and there is one for the reported end.
    fn is_reached(&self, range: &Range, run: &Option<Trace>) -> bool {
        let is_single = self.extremes.wants_least != self.extremes.wants_greatest;
        let is_attained = matches!(self.shown(range).value, Value::Attained(_));
        !self.has_rates() || is_single && is_attained && run.is_some()
    }

    /// The session with an extended model.
    fn with_model(&self, extended: &Extended) -> Session {
        let mut session = self.session.clone();
        let (model, origin) = session.parts();
        model.clone_from(&extended.model);
        // The added expressions have no position in the source.
        let place = Span { file: FileId::from_index(0), start: 0, end: 0 };
        while origin.expressions.len() < model.expressions.len() {
            origin.expressions.push(place);
        }
        session
    }

    /// The union of two ranges; the run is that of the reported end.
    fn joined(&self, known: FoundRange, found: FoundRange) -> FoundRange {
        let is_lower = low(found.range.least.value) < low(known.range.least.value);
        let is_higher = high(found.range.greatest.value) > high(known.range.greatest.value);
        let takes_other = if self.extremes.wants_greatest { is_higher } else { is_lower };
        let run = if takes_other { found.run } else { known.run };
        let (Range { least, greatest }, [to_least, to_greatest]) = (known.range, known.paths);
        let (other, [to_other_least, to_other_greatest]) = (found.range, found.paths);
        let (least, to_least) =
            if is_lower { (other.least, to_other_least) } else { (least, to_least) };
        let (greatest, to_greatest) =
            if is_higher { (other.greatest, to_other_greatest) } else { (greatest, to_greatest) };
        FoundRange { range: Range { least, greatest }, run, paths: [to_least, to_greatest] }
    }
}

/// The order of infima: a number that is attained is below one that is approached from above.
fn low(value: Value) -> (i64, bool) {
    match value {
        Value::Attained(number) => (number, false),
        Value::Approached(number) => (number, true),
        Value::Unbounded => (i64::MAX, true),
    }
}

/// The order of suprema: a number that is attained is above one that is approached from below.
fn high(value: Value) -> (i64, bool) {
    match value {
        Value::Attained(number) => (number, true),
        Value::Approached(number) => (number, false),
        Value::Unbounded => (i64::MAX, true),
    }
}

/// The state of the computation of values.
struct Work<'m, 'l> {
    watch: Watch<'l>,
    statistics: Statistics,
    /// The body of the certificate, if one is requested.
    body: Option<ValuesBody<'m>>,
    /// The certificate of a failure.
    failure: Vec<u8>,
}

impl Work<'_, '_> {
    /// Adds the output of `write` to the certificate, if there is one.
    fn write(&mut self, write: impl FnOnce(&ValuesBody<'_>) -> io::Result<Vec<u8>>) {
        let text = self.text(write);
        if let Some(body) = &mut self.body {
            body.add(&text);
        }
    }

    /// A part of the certificate. If a limit stops writing, the values are still known.
    fn text(&mut self, write: impl FnOnce(&ValuesBody<'_>) -> io::Result<Vec<u8>>) -> Vec<u8> {
        let Some(body) = &mut self.body else { return Vec::new() };
        write(body).unwrap_or_else(|_| {
            body.give_up("the time limit ended before it was written");
            Vec::new()
        })
    }
}

/// The case that an expression of the query is the value of one clock.
struct ClockCase<'s> {
    /// The position of the expression.
    position: usize,
    clock: ClockId,
    /// The states of this case.
    condition: Formula,
    /// The claim of the certificate about it.
    bounded: Bounded<'s>,
}

/// The reason why values were not found.
enum Halt {
    Reason(Reason),
    Unknown(Unknown),
}

impl From<Reason> for Halt {
    fn from(why: Reason) -> Self {
        Self::Reason(why)
    }
}

/// The clocks that an address may select, each with the condition under which it does.
fn choices(
    extended: &mut Extended,
    place: &Place<ClockId>,
) -> Result<Vec<(ClockId, Vec<Formula>)>, Halt> {
    let mut all = vec![(place.root.index(), Vec::new())];
    for index in &place.indices {
        let mut next = Vec::new();
        for (clock, chosen) in &all {
            for position in 0..index.size {
                let number = Expression::Constant(index.low + position as i32);
                let expressions = &mut extended.model.expressions;
                let number = expressions.push(number);
                let equal = Expression::Binary(BinaryOperator::Equal, index.value, number);
                let equal = Formula::Data(expressions.push(equal));
                let chosen = chosen.iter().cloned().chain([equal]).collect::<Vec<_>>();
                next.push((clock + (position * index.stride) as usize, chosen));
            }
        }
        all = next;
        if all.len() > MOST_ELEMENTS {
            let why = "values of a clock that is chosen out of many";
            return Err(Halt::Unknown(Unknown::Unsupported(why)));
        }
    }
    Ok(all.into_iter().map(|(clock, chosen)| (ClockId::from_index(clock), chosen)).collect())
}

fn add(total: &mut Statistics, work: &Statistics) {
    total.explored += work.explored;
    total.generated += work.generated;
    total.covered += work.covered;
    total.stored = total.stored.max(work.stored);
    total.bytes = total.bytes.max(work.bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_attained_is_the_wider_end() {
        assert!(low(Value::Attained(3)) < low(Value::Approached(3)));
        assert!(high(Value::Attained(3)) > high(Value::Approached(3)));
        assert!(high(Value::Unbounded) > high(Value::Attained(7)));
    }

    #[test]
    fn values_are_shown_with_their_strictness() {
        let found = |infimum, supremum| {
            let expression = "x".to_owned();
            FoundValues { expression, infimum, supremum, is_bound: false, run: None }.to_string()
        };
        let bounds = found(Some(Value::Approached(2)), Some(Value::Attained(5)));
        assert_eq!(bounds, "x > 2, x <= 5");
        assert_eq!(found(None, Some(Value::Unbounded)), "x < infinity");
        assert_eq!(found(None, None), "x has no values");
    }
}
