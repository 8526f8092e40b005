//! Queries about maximal runs in random networks: the lasso search against the region graph.

use crate::differential::{Failure, Tally, examine_queries};
use crate::evidence::certified;
use crate::generate::varied;
use crate::metamorphic::{Baseline, Metamorphic, formula_text};
use crate::oracle::{Limits, MaximalRuns, maximal_runs};
use crate::random::Random;
use crate::specification::Specification;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_concrete::{MaximalPath, MaximalRun, NoRun, concretise_maximal};
use zonaut_dbm::Narrow;
use zonaut_liveness::{CompiledObjective, Finding, Lasso, LassoTask, Objective, search_lasso};
use zonaut_model::{
    ClockConstraint, ClockId, Expression, Formula, LocationId, Model, Place, ProcessId, QueryId,
    QueryKind, Relation,
};
use zonaut_space::Meter;
use zonaut_zonegraph::{Abstraction, ZoneGraph};

/// The state limit of a network; its graph is traversed repeatedly.
const STATES: usize = 5_000;
/// The maximal nesting depth of a random formula.
const DEPTH: u32 = 2;
/// The greatest constant in a random formula.
const CONSTANT: i32 = 4;

/// A query of every kind that is decided by maximal runs, with random formulas over the elements of
/// a model. Their constants are added to the model; those of clocks are multiplied by `factor`.
pub fn questions(model: &mut Model, seed: u64, factor: i32) -> Vec<QueryKind> {
    let mut random = Random::new(seed ^ 0x11fe);
    let mut formula =
        |model: &mut Model| Formulas { model, random: &mut random, factor }.formula(DEPTH);
    vec![
        QueryKind::Eventually(formula(model)),
        QueryKind::PossiblyAlways(formula(model)),
        QueryKind::LeadsTo(formula(model), formula(model)),
    ]
}

/// These queries, and whether every run reaches the model's own goal.
fn all_questions(model: &mut Model, seed: u64, factor: i32) -> Vec<QueryKind> {
    let own = match &model.queries[QueryId::from_index(0)].kind {
        QueryKind::Possibly(formula) | QueryKind::Always(formula) => Some(formula.clone()),
        _ => None,
    };
    let mut queries = questions(model, seed, factor);
    queries.extend(own.map(QueryKind::Eventually));
    queries
}

/// A generator of random formulas.
pub(crate) struct Formulas<'f> {
    pub(crate) model: &'f mut Model,
    pub(crate) random: &'f mut Random,
    /// The factor of clock constants.
    pub(crate) factor: i32,
}

impl Formulas<'_> {
    pub(crate) fn formula(&mut self, depth: u32) -> Formula {
        let choice = if depth == 0 { 2 + self.random.below(5) } else { self.random.below(7) };
        match choice {
            0 => Formula::And(vec![self.formula(depth - 1), self.formula(depth - 1)]),
            1 => Formula::Or(vec![self.formula(depth - 1), self.formula(depth - 1)]),
            2 => Formula::Not(Box::new(self.location())),
            3 if !self.model.clocks.is_empty() => self.constraint(),
            4 if !self.model.clocks.is_empty() => Formula::Not(Box::new(self.constraint())),
            5 if self.random.chance(40) => Formula::Deadlock,
            5 if self.random.chance(30) => Formula::Not(Box::new(Formula::Deadlock)),
            _ => self.location(),
        }
    }

    fn location(&mut self) -> Formula {
        let process = ProcessId::from_index(self.random.below(self.model.processes.len()));
        let locations = self.model.processes[process].locations.len();
        let location = LocationId::from_index(self.random.below(locations));
        Formula::Data(self.model.expressions.push(Expression::At(process, location)))
    }

    fn constraint(&mut self) -> Formula {
        let clock = ClockId::from_index(self.random.below(self.model.clocks.len()));
        let bound = Expression::Constant(self.random.between(0, CONSTANT) * self.factor);
        let relations = [
            Relation::Less,
            Relation::LessEqual,
            Relation::Equal,
            Relation::GreaterEqual,
            Relation::Greater,
        ];
        Formula::Clock(ClockConstraint {
            condition: None,
            left: Place::fixed(clock),
            right: None,
            relation: self.random.choose(&relations),
            bound: self.model.expressions.push(bound),
        })
    }
}

/// Compares the answer to a query with an oracle; returns whether one could decide it.
///
/// # Errors
/// The mistake in the answer.
pub fn check(model: &Model, query: &QueryKind) -> Result<bool, String> {
    let limits = Limits { states: STATES, ..Limits::default() };
    let truth = maximal_runs(model, query, limits);
    let Some(objective) = Objective::of(query) else { return Ok(false) };
    let network =
        CompiledNetwork::new(model, &Meter::default()).map_err(|error| format!("{error:?}"))?;
    let bounds = BoundsTable::new(model, &objective.formula());
    let compiled = objective.compiled(model);
    let task = LassoTask {
        model,
        network: &network,
        bounds: &bounds,
        objective: &objective,
        compiled: &compiled,
        is_exact: false,
        records_proof: false,
    };
    let report = search_lasso::<Narrow, _, _>(&task, &mut (), |conclusion, ()| conclusion.report);
    let Ok(report) = report else { return Ok(false) };
    if let Finding::Found(lasso) = &report.finding {
        check_run(&network, &bounds, &compiled, lasso)?;
    }
    let MaximalRuns::Decided { exists, failure, failure_behind } = truth else {
        return Ok(false);
    };
    let agrees = match &report.finding {
        Finding::Found(_) => exists,
        Finding::None => !exists && failure.is_none(),
        Finding::Failed { .. } => failure.or(failure_behind).is_some(),
        Finding::Stopped(_) => true,
    };
    if agrees {
        return Ok(true);
    }
    Err(format!("{:?}, but by regions {exists}, {failure:?}", report.finding))
}

/// Constructs a concrete run of a lasso.
fn check_run(
    network: &CompiledNetwork,
    bounds: &BoundsTable,
    objective: &CompiledObjective,
    lasso: &Lasso,
) -> Result<(), String> {
    let Ok(graph) =
        ZoneGraph::<Narrow>::new(network, bounds, Abstraction::Maximum, &Meter::default())
    else {
        return Ok(());
    };
    let before = objective.begin.as_ref().map(|begin| (lasso.before.as_slice(), begin));
    let (steps, cycle) = (lasso.prefix.as_slice(), lasso.cycle());
    let path = MaximalPath { avoided: &objective.avoided, before, steps, cycle };
    match concretise_maximal(&graph, &path) {
        Ok(MaximalRun { run, .. }) => {
            let expected = lasso.before.len() + steps.len() + cycle.len();
            (run.steps.len() == expected).then_some(()).ok_or("steps are missing".to_owned())
        }
        Err(NoRun::ClockRange) => Ok(()),
        Err(why) => Err(format!("{lasso:?} has no run: {why:?}")),
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
    let mut baselines = Vec::new();
    let queries = all_questions(&mut model, seed, 1);
    let last = queries.len() - 1;
    for (position, query) in queries.into_iter().enumerate() {
        let text = match position == last {
            // The model's own goal, without the quantifier of its query.
            true => format!("A<>{}", &specification.query_text()["E<>".len()..]),
            false => Shown(&model, &query).to_string(),
        };
        let fail = |mistake| (text.clone(), mistake);
        let known = check(&model, &query).map_err(fail)?;
        let answer = certified(&model, &query).map_err(fail)?;
        tally.answers += 1;
        tally.undecided += u64::from(!known);
        tally.certified += u64::from(answer.is_some());
        tally.features.count_query(&model, &query);
        baselines.push(Baseline { text, answer });
    }
    let ask = |model: &mut Model, factor| all_questions(model, seed, factor);
    Metamorphic::of(seed)
        .map_or(Ok(()), |metamorphic| metamorphic.compare(specification, &baselines, ask, tally))
}

/// Displays a query with its formulas.
struct Shown<'s>(&'s Model, &'s QueryKind);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(model, query) = self;
        let text = |formula| formula_text(model, formula);
        match query {
            QueryKind::Eventually(formula) => write!(f, "A<> {}", text(formula)),
            QueryKind::PossiblyAlways(formula) => write!(f, "E[] {}", text(formula)),
            QueryKind::LeadsTo(from, to) => write!(f, "{} --> {}", text(from), text(to)),
            other => write!(f, "{other:?}"),
        }
    }
}
