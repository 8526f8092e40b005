//! Queries for infima and suprema in random networks: the search against the region oracle.

use crate::differential::{Failure, Tally, examine_queries};
use crate::evidence::certified;
use crate::generate::varied;
use crate::liveness::Formulas;
use crate::metamorphic::{Baseline, Metamorphic, formula_text};
use crate::oracle::{Extreme, Extremes, Limits, cell_extremes, clock_extremes};
use crate::random::Random;
use crate::specification::Specification;
use zonaut_base::{Id, Meter};
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::Narrow;
use zonaut_liveness::{
    Ends, Extended, Range, Unknown, Value, clock_range, integer_ranges, value_bounds,
};
use zonaut_model::{
    CellId, ClockId, Expression, Extremum, Formula, Model, Place, QueryKind, Storage,
};
use zonaut_zonegraph::{Abstraction, CompiledGoal, ZoneGraph};

/// The state limit of a network.
const STATES: usize = 20_000;

/// The subject of a query for values.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// A clock.
    Clock(ClockId),
    /// A cell.
    Cell(CellId),
}

/// The values of a subject where `formula` holds, as found by the engine for the requested ends.
fn found(
    model: &Model,
    formula: &Formula,
    subject: Subject,
    ends: Ends,
) -> Result<Option<Range>, Unknown> {
    let mut extended = Extended::of(model);
    let expression = match subject {
        Subject::Clock(_) => None,
        Subject::Cell(cell) => {
            let read = Expression::Read(Place::fixed(Storage::Cell(cell)));
            Some(extended.model.expressions.push(read))
        }
    };
    let model = &extended.model;
    let network = CompiledNetwork::new(model, &Meter::default())
        .map_err(|_| Unknown::Unsupported("the model"))?;
    let goal = CompiledGoal::new(model, formula);
    match (subject, expression) {
        (Subject::Clock(clock), _) => {
            let bounds = value_bounds(model, formula, clock, ends);
            clock_range(model, &network, &bounds, formula, clock, &mut ()).range
        }
        (Subject::Cell(_), expression) => {
            let bounds = BoundsTable::new(model, formula);
            let graph = ZoneGraph::<Narrow>::new(
                &network,
                &bounds,
                Abstraction::best(&bounds),
                &Meter::default(),
            )?;
            let expressions: Vec<_> = expression.into_iter().collect();
            let found = integer_ranges(model, &graph, &goal, &expressions, &mut ());
            let ranges = found.ranges?;
            Ok(ranges.and_then(|ranges| ranges.into_iter().next()))
        }
    }
}

/// The query for infimum and supremum of subjects.
pub fn question(model: &mut Model, formula: &Formula, subjects: &[Subject]) -> QueryKind {
    let extremum = |subject: &Subject| match *subject {
        Subject::Clock(clock) => Extremum::Clock(Place::fixed(clock)),
        Subject::Cell(cell) => {
            let read = Expression::Read(Place::fixed(Storage::Cell(cell)));
            Extremum::Integer(model.expressions.push(read))
        }
    };
    QueryKind::Bounds(formula.clone(), subjects.iter().map(extremum).collect())
}

/// Compares the values of a subject with an oracle; returns whether one could decide them.
///
/// # Errors
/// The mistake in the values.
pub fn check(model: &Model, formula: &Formula, subject: Subject) -> Result<bool, String> {
    let limits = Limits { states: STATES, ..Limits::default() };
    let truth = match subject {
        Subject::Clock(clock) => clock_extremes(model, formula, clock, limits),
        Subject::Cell(cell) => cell_extremes(model, formula, cell, limits),
    };
    let both = Ends { least: true, greatest: true };
    let (infimum, supremum) = (Ends { greatest: false, ..both }, Ends { least: false, ..both });
    for ends in [both, infimum, supremum] {
        let found = found(model, formula, subject, ends);
        let Extremes::Decided { range, fails } = &truth else { return Ok(false) };
        let agrees = match &found {
            Err(Unknown::Failed(..)) => *fails,
            Err(Unknown::Unsupported(_) | Unknown::Stopped(_)) => return Ok(false),
            Ok(found) => {
                let requested = |least, greatest| {
                    (ends.least.then_some(least), ends.greatest.then_some(greatest))
                };
                let found = found.as_ref().map(|Range { least, greatest }| {
                    requested(same(least.value), same(greatest.value))
                });
                found == range.map(|(least, greatest)| requested(least, greatest)) && !fails
            }
        };
        if !agrees {
            return Err(format!("{ends:?} {found:?}, but by regions {range:?}, {fails}"));
        }
    }
    Ok(true)
}

fn same(value: Value) -> Extreme {
    match value {
        Value::Attained(number) => Extreme::Attained(number),
        Value::Approached(number) => Extreme::Approached(number),
        Value::Unbounded => Extreme::Unbounded,
    }
}

/// Examines the network of a seed.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as one stays wrong.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    examine_queries(varied(seed), seed, tally, examine_specification)
}

/// Examines one network; the error is the query with a wrong answer, and the mistake.
pub(crate) fn examine_specification(
    specification: &Specification,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), (String, String)> {
    let mut model = specification.to_model();
    tally.models += 1;
    let Some(ValueQuery { formula, subjects, query }) = ValueQuery::of(&mut model, seed, 1) else {
        return Ok(());
    };
    let text = query_text(&model, &query, &subjects);
    let fail = |mistake| (text.clone(), mistake);
    for &subject in &subjects {
        let known = check(&model, &formula, subject).map_err(fail)?;
        tally.answers += 1;
        tally.undecided += u64::from(!known);
    }
    let answer = certified(&model, &query).map_err(fail)?;
    tally.certified += u64::from(answer.is_some());
    tally.features.count_query(&model, &query);
    let ask = |model: &mut Model, factor| {
        ValueQuery::of(model, seed, factor).map(|question| question.query).into_iter().collect()
    };
    let baselines = [Baseline { text, answer }];
    Metamorphic::of(seed)
        .map_or(Ok(()), |metamorphic| metamorphic.compare(specification, &baselines, ask, tally))
}

/// A query for values in a network.
struct ValueQuery {
    formula: Formula,
    subjects: Vec<Subject>,
    query: QueryKind,
}

impl ValueQuery {
    /// The query of a seed, whose clock constants are multiplied by `factor`; `None` if the network
    /// has no subject.
    fn of(model: &mut Model, seed: u64, factor: i32) -> Option<Self> {
        let mut random = Random::new(seed ^ 0x5e1f);
        let formula = match random.chance(30) {
            true => Formula::truth(),
            false => Formulas { model, random: &mut random, factor }.formula(1),
        };
        let mut subjects = Vec::new();
        if !model.clocks.is_empty() {
            subjects.push(Subject::Clock(ClockId::from_index(random.below(model.clocks.len()))));
        }
        if !model.cells.is_empty() {
            subjects.push(Subject::Cell(CellId::from_index(random.below(model.cells.len()))));
        }
        if subjects.is_empty() {
            return None;
        }
        let query = match (question(model, &formula, &subjects), random.below(3)) {
            (QueryKind::Bounds(formula, values), 0) => QueryKind::Supremum(formula, values),
            (QueryKind::Bounds(formula, values), 1) => QueryKind::Infimum(formula, values),
            (both, _) => both,
        };
        Some(Self { formula, subjects, query })
    }
}

/// A query in its textual syntax.
fn query_text(model: &Model, query: &QueryKind, subjects: &[Subject]) -> String {
    let (word, formula) = match query {
        QueryKind::Supremum(formula, _) => ("sup", formula),
        QueryKind::Infimum(formula, _) => ("inf", formula),
        QueryKind::Bounds(formula, _) => ("bounds", formula),
        _ => return String::new(),
    };
    let name = |subject: &Subject| match *subject {
        Subject::Clock(clock) => model.clocks[clock].name.clone(),
        Subject::Cell(cell) => model.cells[cell].name.clone(),
    };
    let names: Vec<String> = subjects.iter().map(name).collect();
    format!("{word}{{{}}}: {}", formula_text(model, formula), names.join(", "))
}
