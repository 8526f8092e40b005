//! The engine against the oracles: every configuration on one network.

use crate::generate::generate;
use crate::judge::{Claim, Contradiction, Judgement, judge_query};
use crate::network::Participant;
use crate::oracle::Limits;
use crate::replay::{Flaw, Run, RunStep, goal_of, replay};
use crate::specification::{Specification, shrink};
use std::fmt;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_model::interpret::ErrorKind;
use zonaut_model::{Formula, Model, QueryId};
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

    /// Whether the state space may be infinite, so that a run may end without an answer.
    fn may_diverge(self) -> bool {
        self.abstraction == Abstraction::Exact
            || (self.abstraction == Abstraction::Simulation
                && self.comparison != Comparison::Simulation)
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

/// Examines the network of `seed` in every configuration.
///
/// # Errors
/// The first wrong answer, with the network shrunk as far as it stays wrong.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let specification = generate(seed);
    let Err((configuration, fault)) = examine_specification(&specification, tally) else {
        return Ok(());
    };
    let specification = shrink(specification, |smaller| {
        examine_specification(smaller, &mut Tally::default()).is_err()
    });
    let (configuration, fault) = examine_specification(&specification, &mut Tally::default())
        .err()
        .unwrap_or((configuration, fault));
    Err(Box::new(Failure { seed, configuration, fault, specification }))
}

/// Examines one network in every configuration.
///
/// # Errors
/// The first wrong answer.
pub fn examine_specification(
    specification: &Specification,
    tally: &mut Tally,
) -> Result<(), (Configuration, Fault)> {
    let model = specification.to_model();
    let query = &model.queries[QueryId::from_index(0)];
    let Some(goal) = goal_of(&query.kind) else { return Ok(()) };
    let mut first: Option<Claim> = None;
    let mut judged = false;
    tally.models += 1;
    for configuration in Configuration::all() {
        let fail = |fault| (configuration, fault);
        let Some(claim) = answer(&model, &goal, configuration).map_err(fail)? else { continue };
        tally.answers += 1;
        let known = *first.get_or_insert(claim);
        if !agree(known, claim) {
            return Err(fail(Fault::Disagreement(known, claim)));
        }
        let limits = Limits::default();
        if !judged || configuration.order == Order::Shortest || claim != known {
            match judge_query(&model, &query.kind, claim, limits) {
                Judgement::Wrong(contradiction) => {
                    return Err(fail(Fault::Contradiction(contradiction)));
                }
                Judgement::Undecided if !judged => tally.undecided += 1,
                Judgement::Undecided | Judgement::Right => {}
            }
            judged = true;
        }
    }
    match first {
        Some(Claim::Reachable { .. }) => tally.reachable += 1,
        Some(Claim::Failed) => tally.failing += 1,
        Some(Claim::Unreachable) | None => {}
    }
    Ok(())
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
    let mut inspector = Inspector { states: 0, canonical: true };
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
        Outcome::Stopped { .. } if configuration.may_diverge() => Ok(None),
        Outcome::Stopped { .. } => Err(Fault::Endless),
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
}

/// More states than any network of the generator has under an abstraction.
const ENDLESS: usize = 20_000;
/// States after which an exact exploration is given up.
const EXACT: usize = 2_000;

impl Observer<SymbolicState, Step> for Inspector {
    fn node_inserted(&mut self, _node: zonaut_space::NodeId, state: &SymbolicState) {
        self.states += 1;
        // The check is cubic in the clocks; a sample of the states will do.
        if self.states < 64 {
            self.canonical &= state.zone.is_canonical();
        }
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        let limit = if now.depth > 500 { EXACT } else { ENDLESS };
        if now.explored > limit {
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
