//! One answer of the engine, with its evidence checked.

use super::certification::certified;
use super::goal_path::GoalPath;
use super::inspector::Inspector;
use super::{Certifies, Configuration, Mistake, Order};
use crate::judge::Claim;
use crate::network::Participant;
use crate::replay::{Run, RunStep, replay};
use zonaut_base::{Id, Meter};
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_concrete::{ConcreteRun, Destination, concretise};
use zonaut_dbm::Bound;
use zonaut_engine::{Session, Strategy, TraceWish, Verdict};
use zonaut_model::interpret::ErrorKind;
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_search::{
    AStar, ArenaStore, Blind, Fifo, Frontier, Lifo, Outcome, RandomDepthFirst, ReportOf, Search,
    Ties, Uninformed,
};
use zonaut_space::{Covering, Member};
use zonaut_zonegraph::{
    CompiledGoal, StateEncoding, Step, StepError, SymbolicState, ZoneCovering, ZoneGoal, ZoneGraph,
};

/// Constants above this, computed at run time, lead to very many zones.
const LARGE: i32 = 100;
/// The state limit of such an exploration.
const FEW: usize = 1_000;
/// The state limit of an exploration with an injected fault, which need not terminate.
const WITH_FAULT: usize = 2_000;

/// A query for the engine.
///
/// With an injected fault, the model given to the engine differs from the one by which its answer
/// is judged.
pub(crate) struct Task<'m> {
    /// The model by which answers are judged.
    pub(crate) model: &'m Model,
    /// The model given to the engine.
    pub(crate) seen: &'m Model,
    /// The goal, in the model by which answers are judged.
    pub(crate) goal: &'m Formula,
    /// The goal, in the model given to the engine.
    pub(crate) seen_goal: &'m Formula,
    /// The clock bounds given to the engine.
    pub(crate) bounds: BoundsTable,
    /// A wrong covering instead of inclusion.
    pub(crate) wrong_inclusion: Option<WrongInclusion>,
    /// Whether a search for shortest paths wrongly discards states for deeper ones.
    pub(crate) forgets_depth: bool,
    /// Whether stored zones must be canonical.
    pub(crate) inspects_zones: bool,
    /// Whether a fault is injected into the engine.
    pub(crate) is_faulty: bool,
    /// The answers of strategies that must have certificates.
    pub(crate) certifies: Certifies,
}

/// An answer without a detected mistake.
pub(crate) struct Answered {
    /// The claim of the answer.
    pub(crate) claim: Claim,
    /// The states on the path to the goal or the error, if known.
    pub(crate) path: Option<GoalPath>,
}

impl<'m> Task<'m> {
    /// The task of finding `goal` in `model`.
    pub(crate) fn new(model: &'m Model, goal: &'m Formula) -> Self {
        let bounds = BoundsTable::new(model, goal);
        Self {
            model,
            seen: model,
            goal,
            seen_goal: goal,
            bounds,
            wrong_inclusion: None,
            forgets_depth: false,
            inspects_zones: true,
            is_faulty: false,
            certifies: Certifies::LazySearches,
        }
    }

    /// The task with a different model and goal for the engine.
    pub(crate) fn seen_as(self, seen: &'m Model, seen_goal: &'m Formula) -> Self {
        Self { seen, seen_goal, ..self }
    }

    /// The answer of one configuration; `None` if it is not applicable or reached its limit.
    pub(crate) fn answer(&self, configuration: Configuration) -> Result<Option<Answered>, Mistake> {
        if let Order::Guided(_) | Order::Nearest(_) = configuration.order {
            let claim = guided_answer(self.seen, configuration, self.certifies)?;
            return Ok(claim.map(|claim| Answered { claim, path: None }));
        }
        let Ok(network) = CompiledNetwork::new(self.seen, &Meter::default()) else {
            return Ok(None);
        };
        let Ok(graph) =
            ZoneGraph::new(&network, &self.bounds, configuration.abstraction, &Meter::default())
        else {
            return Ok(None);
        };
        let goal = CompiledGoal::new(self.seen, self.seen_goal);
        let (mut limit, mut must_end) = configuration.limit();
        if self.bounds.greatest() > LARGE {
            (limit, must_end) = (limit.min(FEW), false);
        }
        if self.is_faulty {
            (limit, must_end) = (limit.min(WITH_FAULT), false);
        }
        let order = match configuration.order {
            Order::Shortest if self.forgets_depth => Order::BreadthFirst,
            order => order,
        };
        let mut inspector = Inspector::new(limit);
        let report = match self.wrong_inclusion {
            None => {
                let covering = ZoneCovering::new(&graph, configuration.comparison);
                run(&graph, &goal, covering, order, &mut inspector)
            }
            Some(covering) => run(&graph, &goal, covering, order, &mut inspector),
        };
        if self.inspects_zones && !inspector.is_canonical() {
            return Err(Mistake::NotCanonical);
        }
        if !inspector.is_store_right() {
            return Err(Mistake::Store);
        }
        if !inspector.is_store_reduced() {
            return Err(Mistake::Redundant);
        }
        let path = inspector.path(&report);
        let claim = match report.outcome {
            Outcome::Reached { steps, .. } => {
                let run = concretise(&graph, &steps, Destination::Goal(&goal))
                    .map_err(|_| Mistake::Spurious)?;
                replay(self.model, self.goal, &as_replayed(&graph, &run)).map_err(Mistake::Run)?;
                let is_shortest = configuration.order == Order::Shortest;
                Claim::Reachable { shortest: is_shortest.then_some(steps.len() as u32) }
            }
            Outcome::Exhausted => Claim::Unreachable,
            Outcome::Failed { error: StepError::RunTime(error), .. }
                if error.kind != ErrorKind::Budget =>
            {
                Claim::Failed
            }
            Outcome::Stopped { .. } if must_end => return Err(Mistake::Endless),
            Outcome::Failed { .. } | Outcome::Stopped { .. } => return Ok(None),
        };
        Ok(Some(Answered { claim, path }))
    }
}

/// The answer of the whole engine, with heuristics.
fn guided_answer(
    model: &Model,
    configuration: Configuration,
    certifies: Certifies,
) -> Result<Option<Claim>, Mistake> {
    let query = QueryId::from_index(0);
    let options = configuration.options(FEW);
    let is_shortest = options.strategy.finds_shortest() || options.trace == TraceWish::Shortest;
    let is_certified = match certifies {
        Certifies::Nothing => false,
        Certifies::LazySearches => matches!(options.strategy, Strategy::Lazy(_)),
        Certifies::Everything => true,
    };
    let answer = match is_certified {
        true => certified(model, &options)?,
        false => Session::of_model(model.clone()).verify(query, &options, None),
    };
    let reached = match model.queries[query].kind {
        QueryKind::Always(_) => Verdict::NotSatisfied,
        _ => Verdict::Satisfied,
    };
    match answer.verdict {
        Verdict::Spurious | Verdict::WronglyPruned => Err(Mistake::Spurious),
        Verdict::Error(_) => Ok(Some(Claim::Failed)),
        verdict if verdict == reached => {
            let length = answer.depth.map(|depth| depth as u32);
            Ok(Some(Claim::Reachable { shortest: length.filter(|_| is_shortest) }))
        }
        Verdict::Satisfied | Verdict::NotSatisfied => Ok(Some(Claim::Unreachable)),
        Verdict::Unknown(_)
        | Verdict::CostOverflow(_)
        | Verdict::FailedRun(_)
        | Verdict::NoInitialState
        | Verdict::DamagedQuery => Ok(None),
    }
}

fn run<'g>(
    graph: &'g ZoneGraph<'g>,
    goal: &'g CompiledGoal,
    covering: impl Covering<Item = Bound>,
    order: Order,
    observer: &mut Inspector,
) -> ReportOf<ZoneGraph<'g>> {
    let is_reduced = !covering.is_equality();
    let store = ArenaStore::new(StateEncoding::new(graph), covering);
    let mut goal = ZoneGoal::new(graph, goal);
    let frontier: Box<dyn Frontier<SymbolicState, Step>> = match order {
        Order::BreadthFirst => Box::new(Uninformed(Fifo::default())),
        Order::DepthFirst => Box::new(Uninformed(Lifo::default())),
        Order::Random | Order::Guided(_) | Order::Nearest(_) => {
            Box::new(Uninformed(RandomDepthFirst::new(7)))
        }
        Order::Shortest => {
            let frontier = AStar::new(Blind, Ties::default());
            let search = Search::shortest(graph, &mut goal, store, frontier);
            let (report, store) = search.finish(observer);
            observer.compare(&store);
            return report;
        }
    };
    let (report, store) = Search::reach(graph, &mut goal, store, frontier).finish(observer);
    observer.compare(&store);
    if is_reduced {
        observer.look_for_redundant(&store);
    }
    report
}

/// An inclusion of zones with a fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum WrongInclusion {
    /// It compares the lower triangle of the matrices only.
    Half,
    /// It ignores strictness.
    WithoutStrictness,
}

impl Covering for WrongInclusion {
    type Item = Bound;
    type Scratch = ();

    fn scratch(&self) {}

    fn covers(&self, larger: Member<'_, Bound>, smaller: Member<'_, Bound>, (): &mut ()) -> bool {
        let dim = larger.payload.len().isqrt();
        let mut entries = larger.payload.iter().zip(smaller.payload).enumerate();
        entries.all(|(position, (large, small))| match self {
            Self::Half => position / dim <= position % dim || large >= small,
            Self::WithoutStrictness => large.value() >= small.value(),
        })
    }
}

fn as_replayed(graph: &ZoneGraph<'_>, run: &ConcreteRun) -> Run {
    let participant = |&action: &zonaut_compile::ActionId| {
        let action = graph.network().action(action);
        let select = action.select.to_vec();
        Participant { process: action.process, edge: action.edge, select }
    };
    let step = |step: &zonaut_concrete::RunStep| RunStep {
        delay: i128::from(step.delay),
        participants: step.participants.iter().map(participant).collect(),
    };
    let last = RunStep { delay: i128::from(run.last_delay), participants: Vec::new() };
    Run {
        denominator: i128::from(run.denominator),
        steps: run.steps.iter().map(step).chain([last]).collect(),
    }
}
