//! The engine against the oracles: every configuration on one network.

use crate::generate::generate;
use crate::judge::{Claim, Contradiction};
use crate::network::Participant;
use crate::oracle::{Answer, Limits, Verdict, integer_time, region};
use crate::random::Random;
use crate::replay::{Flaw, Run, RunStep, goal_of, replay};
use crate::specification::{Specification, shrink};
use std::fmt;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_model::interpret::ErrorKind;
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_search::{
    AStar, ArenaStore, Blind, Fifo, Frontier, Lifo, Outcome, Parts, RandomDepthFirst, ReportOf,
    Ties, Unguided, reach, shortest,
};
use zonaut_space::{Observer, Progress, StopReason};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, ConcreteRun, StateEncoding, Step, StepError,
    SymbolicState, ZoneCovering, ZoneGoal, ZoneGraph, concretise,
};

/// In which order one run explores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Breadth first.
    BreadthFirst,
    /// Depth first.
    DepthFirst,
    /// Depth first, the successors of a state shuffled.
    Random,
    /// Breadth first with respect for depth.
    Shortest,
}

/// One way to answer a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// How zones are widened.
    pub abstraction: Abstraction,
    /// How states are compared.
    pub comparison: Comparison,
    /// In which order states are explored.
    pub order: Order,
}

impl Configuration {
    /// All configurations that are sound where there are no clock differences.
    pub fn all() -> impl Iterator<Item = Self> {
        let orders = [Order::BreadthFirst, Order::DepthFirst, Order::Random, Order::Shortest];
        let configurations = Abstraction::ALL.into_iter().flat_map(|abstraction| {
            let coarsest = Comparison::of(abstraction);
            let mut comparisons = vec![Comparison::Equality, Comparison::Inclusion];
            if coarsest == Comparison::Simulation {
                comparisons = vec![Comparison::Inclusion, Comparison::Simulation];
            }
            comparisons.into_iter().map(move |comparison| (abstraction, comparison))
        });
        configurations.flat_map(move |(abstraction, comparison)| {
            orders.map(|order| Self { abstraction, comparison, order })
        })
    }

    /// The configurations for the network of `seed`: four that between them use every part of the
    /// engine, and three of all.
    #[must_use]
    pub fn selection(seed: u64) -> Vec<Self> {
        use Abstraction::{LowerUpperPlus, Maximum, Simulation};
        let fixed = [
            (Simulation, Comparison::Simulation, Order::BreadthFirst),
            (LowerUpperPlus, Comparison::Inclusion, Order::DepthFirst),
            (LowerUpperPlus, Comparison::Inclusion, Order::Shortest),
            (Maximum, Comparison::Inclusion, Order::BreadthFirst),
        ];
        let fixed = fixed
            .map(|(abstraction, comparison, order)| Self { abstraction, comparison, order });
        let all: Vec<Self> = Self::all().collect();
        let mut random = Random::new(seed ^ 0xc0f1);
        let others = (0..3).map(|_| all[random.below(all.len())]);
        fixed.into_iter().chain(others).collect()
    }

    /// The number of states after which a run is given up, and whether that is a fault. Exact zones
    /// may be infinitely many, and equality may keep very many.
    fn limit(self) -> (usize, bool) {
        let exact = matches!(self.abstraction, Abstraction::Exact | Abstraction::Simulation);
        match self.comparison {
            Comparison::Equality => (500, false),
            Comparison::Inclusion if exact => (500, false),
            Comparison::Inclusion | Comparison::Simulation => (ENDLESS, true),
        }
    }
}

/// What is wrong with an answer.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The answer contradicts an oracle.
    Contradiction(Contradiction),
    /// Two configurations disagree.
    Disagreement(Claim, Claim),
    /// A path of the zone graph has no concrete run.
    Spurious,
    /// The concrete run is not one.
    Run(Flaw),
    /// A run that should have ended did not.
    Endless,
    /// A stored zone is not canonical.
    NotCanonical,
}

/// A wrong answer, and where it came from.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed of the network.
    pub seed: u64,
    /// The configuration that was wrong.
    pub configuration: Configuration,
    /// What is wrong.
    pub fault: Fault,
    /// The network, shrunk, with its query.
    pub specification: Specification,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {:?}: {:?}", self.seed, self.configuration, self.fault)?;
        writeln!(f, "{}", self.specification.to_xta())?;
        writeln!(f, "// {}", self.specification.query_text())
    }
}

/// What was found out about a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Networks examined.
    pub models: u64,
    /// Those whose goal can be reached.
    pub reachable: u64,
    /// Those with a run-time error.
    pub failing: u64,
    /// Those that no oracle could decide.
    pub undecided: u64,
    /// Answers given.
    pub answers: u64,
}

/// Examines the network of `seed` in a selection of configurations.
///
/// # Errors
/// The first wrong answer, with the network shrunk as far as it stays wrong.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let specification = generate(seed);
    let configurations = Configuration::selection(seed);
    let mut unrecorded = Tally::default();
    let Err((configuration, fault)) =
        examine_specification(&specification, &configurations, tally)
    else {
        return Ok(());
    };
    let specification = shrink(specification, |smaller| {
        examine_specification(smaller, &configurations, &mut unrecorded).is_err()
    });
    let (configuration, fault) =
        examine_specification(&specification, &configurations, &mut unrecorded)
            .err()
            .unwrap_or((configuration, fault));
    Err(Box::new(Failure { seed, configuration, fault, specification }))
}

/// Examines one network in some configurations: the most important ones, and a few of the others,
/// chosen by the network's own text.
///
/// # Errors
/// The first wrong answer.
pub fn examine_specification(
    specification: &Specification,
    configurations: &[Configuration],
    tally: &mut Tally,
) -> Result<(), (Configuration, Fault)> {
    let model = specification.to_model();
    let query = &model.queries[QueryId::from_index(0)].kind;
    let Some(goal) = goal_of(query) else { return Ok(()) };
    let truth = truth(&model, query);
    let mut first: Option<Claim> = None;
    for &configuration in configurations {
        let fail = |fault| (configuration, fault);
        let Some(claim) = answer(&model, &goal, configuration).map_err(fail)? else { continue };
        tally.answers += 1;
        let known = *first.get_or_insert(claim);
        if !agree(known, claim) {
            return Err(fail(Fault::Disagreement(known, claim)));
        }
        if let Some((oracle, answer)) = &truth
            && !is_right(claim, answer)
        {
            let answer = Box::new(answer.clone());
            return Err(fail(Fault::Contradiction(Contradiction { oracle, claim, answer })));
        }
    }
    tally.models += 1;
    tally.undecided += u64::from(truth.is_none());
    match first {
        Some(Claim::Reachable { .. }) => tally.reachable += 1,
        Some(Claim::Failed) => tally.failing += 1,
        Some(Claim::Unreachable) | None => {}
    }
    Ok(())
}

/// What an oracle knows about a query, errors behind the goal included: which of the two is met
/// first depends on the order of search.
fn truth(model: &Model, query: &QueryKind) -> Option<(&'static str, Answer)> {
    let limits = Limits { complete: true, ..Limits::default() };
    if let Verdict::Decided(answer) = region(model, query, limits) {
        return Some(("regions", answer));
    }
    match integer_time(model, query, limits) {
        Verdict::Decided(answer) => Some(("integer time", answer)),
        _ => None,
    }
}

fn is_right(claim: Claim, answer: &Answer) -> bool {
    match claim {
        Claim::Reachable { shortest: None } => answer.goal.is_some(),
        Claim::Reachable { shortest } => answer.goal == shortest,
        Claim::Unreachable => answer.goal.is_none() && answer.failure.is_none(),
        Claim::Failed => answer.failure.is_some(),
    }
}

/// Whether two answers can both be right: where a goal and an error can both be reached, the order
/// decides which is met first.
fn agree(a: Claim, b: Claim) -> bool {
    use Claim::{Failed, Reachable, Unreachable};
    match (a, b) {
        (Reachable { shortest: Some(a) }, Reachable { shortest: Some(b) }) => a == b,
        (Unreachable, Unreachable) => true,
        (Unreachable, _) | (_, Unreachable) => false,
        (Reachable { .. } | Failed, Reachable { .. } | Failed) => true,
    }
}

/// The answer of one configuration; nothing where it cannot be used or did not end.
fn answer(
    model: &Model,
    goal: &Formula,
    configuration: Configuration,
) -> Result<Option<Claim>, Fault> {
    let Ok(network) = CompiledNetwork::new(model) else { return Ok(None) };
    let bounds = BoundsTable::new(model, goal);
    let Ok(graph) = ZoneGraph::new(&network, &bounds, configuration.abstraction) else {
        return Ok(None);
    };
    let compiled = CompiledGoal::new(model, goal);
    let (limit, must_end) = configuration.limit();
    let mut inspector = Inspector { states: 0, canonical: true, limit };
    let report = run(&graph, &compiled, configuration, &mut inspector);
    if !inspector.canonical {
        return Err(Fault::NotCanonical);
    }
    match report.outcome {
        Outcome::Reached { steps, .. } => {
            let run = concretise(&graph, &steps, Some(&compiled)).map_err(|_| Fault::Spurious)?;
            replay(model, goal, &as_replayed(&graph, &run)).map_err(Fault::Run)?;
            let is_shortest = configuration.order == Order::Shortest;
            Ok(Some(Claim::Reachable { shortest: is_shortest.then_some(steps.len() as u32) }))
        }
        Outcome::Exhausted => Ok(Some(Claim::Unreachable)),
        Outcome::Failed { error: StepError::RunTime(error), .. }
            if error.kind != ErrorKind::Budget =>
        {
            Ok(Some(Claim::Failed))
        }
        Outcome::Failed { .. } => Ok(None),
        Outcome::Stopped { .. } if must_end && bounds.greatest() <= LARGE => Err(Fault::Endless),
        Outcome::Stopped { .. } => Ok(None),
    }
}

fn run<'g>(
    graph: &'g ZoneGraph<'g>,
    goal: &'g CompiledGoal,
    configuration: Configuration,
    observer: &mut Inspector,
) -> ReportOf<ZoneGraph<'g>> {
    let covering = ZoneCovering::new(graph, configuration.comparison);
    let store = ArenaStore::new(StateEncoding::new(graph), covering);
    let mut goal = ZoneGoal::new(graph, goal);
    let frontier: Box<dyn Frontier<SymbolicState, Step>> = match configuration.order {
        Order::BreadthFirst => Box::new(Unguided(Fifo::default())),
        Order::DepthFirst => Box::new(Unguided(Lifo::default())),
        Order::Random => Box::new(Unguided(RandomDepthFirst::new(7))),
        Order::Shortest => {
            let frontier = AStar::new(Blind, Ties::default());
            return shortest(graph, &mut goal, &mut Parts { store, frontier, observer });
        }
    };
    reach(graph, &mut goal, &mut Parts { store, frontier, observer })
}

/// Checks every stored zone, and stops runs that have no end.
struct Inspector {
    states: usize,
    canonical: bool,
    limit: usize,
}

/// Bounds above this, from values computed at run time, make very many zones.
const LARGE: i32 = 100;
/// More states than any network of the generator has under an abstraction.
const ENDLESS: usize = 50_000;

impl Observer<SymbolicState, Step> for Inspector {
    fn node_inserted(&mut self, _node: zonaut_space::NodeId, state: &SymbolicState) {
        self.states += 1;
        // The check is cubic in the clocks; a sample of the states will do.
        if self.states < 64 {
            self.canonical &= state.zone.is_canonical();
        }
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        if now.explored > self.limit {
            return ControlFlow::Break(StopReason::NodeLimit);
        }
        ControlFlow::Continue(())
    }
}

fn as_replayed(graph: &ZoneGraph<'_>, run: &ConcreteRun) -> Run {
    let participant = |&action: &zonaut_compile::ActionId| {
        let action = graph.network().action(action);
        let select = action.select.to_vec();
        Participant { process: action.process, edge: action.edge, select }
    };
    let step = |step: &zonaut_zonegraph::RunStep| RunStep {
        delay: i128::from(step.delay),
        participants: step.participants.iter().map(participant).collect(),
    };
    let last = RunStep { delay: i128::from(run.last_delay), participants: Vec::new() };
    Run {
        denominator: i128::from(run.denominator),
        steps: run.steps.iter().map(step).chain([last]).collect(),
    }
}
