//! Query batches: several reachability queries that share one exploration.
//!
//! *Claim.* Each answer is that of a separate search, with the same numbers of explored and stored
//! states. Goals without clock constraints do not change the bounds of clocks, so all separate
//! searches have the same zone graph, store and frontier; a goal only decides where its search
//! ends. So a separate search is a prefix of the shared one: up to the first node that satisfies
//! its goal, or to the error, the limit or the end that all of them reach. Queries that name an
//! element of a scalar set are excluded, so that all have the same symmetry.
//!
//! With the strategy `auto`, the exploration runs in time slices with heuristic searches for each
//! open goal; a goal that one of them decides is closed.

mod goal_searches;

use crate::answer::reachability::{Asked, Ended};
use crate::answer::{Answer, Reason, Verdict};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::host::Host;
use crate::prepared::Prepared;
use crate::question::{Question, QuestionKind};
use crate::reduction::{Reduction, describe, names_an_element};
use crate::resources::{ProgressListener, Watch};
use crate::search::ZoneOutcome;
use crate::session::Session;
use crate::verify::{TraceWish, VerifyOptions};
use goal_searches::GoalSearches;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::{Duration, Instant};
use zonaut_analysis::goal::Reachability;
use zonaut_base::Id;
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_model::{Formula, QueryId};
use zonaut_portfolio::{ReachabilityTask, frontier_of, portfolio};
use zonaut_search::{Outcome, ReportOf, Search, Statistics};
use zonaut_space::{Goal, Meter, NodeId, Observer, Progress, StopReason};
use zonaut_strategy::{Order, Strategy};
use zonaut_symmetry::{SymmetricGoal, Symmetry};
use zonaut_zonegraph::{CompiledGoal, Step, StepError, SymbolicState, ZoneGoal, ZoneGraph};

/// Queries of one model that share one exploration.
#[derive(Clone, Debug)]
pub struct QueryBatch {
    session: Session,
    questions: Vec<(QueryId, Reachability)>,
}

impl QueryBatch {
    /// The batch of those `queries` that can share an exploration with these options: reachability
    /// queries without clock constraints and `deadlock`, if no trace is requested and the strategy
    /// has no heuristic.
    #[must_use]
    pub fn among(
        session: &Session,
        queries: impl IntoIterator<Item = QueryId>,
        options: &VerifyOptions,
    ) -> Self {
        let is_possible = options.trace == TraceWish::None && options.strategy.order().is_some();
        let questions = queries.into_iter().filter(|_| is_possible).filter_map(|query| {
            let question = Question::of(session, query).ok()?;
            let QuestionKind::Reachability(reachability) = question.kind() else { return None };
            let is_apart =
                asks_of_clocks(&reachability.goal) || names_an_element(session.model(), query);
            (!is_apart).then(|| (query, reachability.clone()))
        });
        Self { session: session.clone(), questions: questions.collect() }
    }

    /// The queries.
    pub fn queries(&self) -> impl Iterator<Item = QueryId> {
        self.questions.iter().map(|(query, _)| *query)
    }

    /// Answers all queries. Explored and stored states and the time are those until the query was
    /// decided; the memory is that of the whole exploration.
    pub fn answer<'o>(
        &self,
        options: &'o VerifyOptions,
        listener: Option<&'o mut ProgressListener<'o>>,
    ) -> Vec<(QueryId, Answer)> {
        let start = Instant::now();
        self.explore(options, start, listener).unwrap_or_else(|why| {
            let unexplored = || Answer::unexplored(Verdict::Unknown(why.clone()), options, start);
            self.queries().map(|query| (query, unexplored())).collect()
        })
    }

    fn explore<'o>(
        &self,
        options: &'o VerifyOptions,
        start: Instant,
        listener: Option<&'o mut ProgressListener<'o>>,
    ) -> Result<Vec<(QueryId, Answer)>, Reason> {
        let Some(order) = options.strategy.order() else {
            return Err(Reason::Unsuited("a heuristic with several goals".to_owned()));
        };
        let watch = Watch::new(&options.resources, start, listener);
        let (goal, abstraction) = (Formula::truth(), options.abstraction);
        let prepared = Prepared::metered(&self.session, &goal, abstraction, watch.work())?;
        let prepared = prepared.suited_to(options)?;
        let run = Run { shared: self, options, order, start };
        if prepared.fits_narrow_bounds() {
            run.explore::<Narrow>(&prepared, watch)
        } else {
            run.explore::<Wide>(&prepared, watch)
        }
    }
}

/// Whether the bounds of clocks depend on a goal.
fn asks_of_clocks(goal: &Formula) -> bool {
    #[cfg(feature = "faults")]
    if Fault::SharedClocks.is_selected() {
        return false;
    }
    let mut asks = goal.mentions_deadlock();
    goal.for_each_constraint(&mut |_| asks = true);
    asks
}

/// One exploration for a query batch.
struct Run<'q, 'o> {
    shared: &'q QueryBatch,
    options: &'o VerifyOptions,
    order: Order,
    start: Instant,
}

impl Run<'_, '_> {
    fn explore<W: Width>(
        &self,
        prepared: &Prepared,
        watch: Watch<'_>,
    ) -> Result<Vec<(QueryId, Answer)>, Reason> {
        let options = self.options;
        let (graph, lazy_graph) = (
            &prepared.graph::<W>()?,
            prepared.lazy_graph::<W>(&portfolio::lazy_strategy(), options),
        );
        let comparison = Prepared::comparison(graph, options.comparison)?;
        let model = self.shared.session.model();
        let compiled: Vec<CompiledGoal> = { &self.shared.questions }
            .iter()
            .map(|(_, reachability)| CompiledGoal::metered(model, &reachability.goal, watch.work()))
            .collect();
        let symmetry = Symmetry::of(model, &[]);
        let reduction = Reduction::new(model, &symmetry, options);
        let (shortest, seed) = (false, options.seed);
        let tasks: Vec<ReachabilityTask<'_, W>> = compiled
            .iter()
            .map(|goal| ReachabilityTask { graph, goal, comparison, shortest, seed })
            .collect();
        let Some(first) = tasks.first() else { return Ok(Vec::new()) };
        let counts = Rc::<Cell<Counts>>::default();
        let mut goals = OpenGoals::new(graph, &compiled, self.start, Rc::clone(&counts));
        let host = Host::new(self.start, options.databases.as_deref());
        let context = (prepared, lazy_graph.as_ref(), &host);
        let mut goal_searches = GoalSearches::new(self, &tasks, context, &goals);
        let mut observer = Counting { watch, counts };
        let frontier = frontier_of(self.order, options.seed);
        let report = match reduction {
            Some(reduction) => {
                let (graphs, goals) = (reduction.graph(graph), SymmetricGoal(&mut goals));
                let search = Search::reach(&graphs, goals, first.store(), frontier);
                reduction.unfolded(graph, goal_searches.run_with(search, &mut observer))
            }
            None => {
                let search = Search::reach(graph, &mut goals, first.store(), frontier);
                goal_searches.run_with(search, &mut observer)
            }
        };
        let symmetry = describe(&symmetry, options);
        let questions = self.shared.questions.iter().zip(tasks).zip(&goals.settled).enumerate();
        Ok(questions
            .map(|(index, ((question, task), settled))| {
                let task = (task, reduction);
                let answer = |goal_searches: &mut GoalSearches<'_, '_, '_, W>| {
                    let answer = self.answer(question, task, settled.as_ref(), &report);
                    let attempts =
                        goal_searches.attempts(index, answer.statistics, &answer.verdict);
                    Answer { attempts, ..answer }
                };
                let answer =
                    goal_searches.take_answer(index).unwrap_or_else(|| answer(&mut goal_searches));
                (question.0, Answer { symmetry: symmetry.clone(), ..answer })
            })
            .collect())
    }

    /// The answer to one query after the exploration.
    fn answer<W: Width>(
        &self,
        (query, reachability): &(QueryId, Reachability),
        (task, reduction): (ReachabilityTask<'_, W>, Option<Reduction<'_>>),
        settled: Option<&Settled>,
        report: &ReportOf<ZoneGraph<'_, W>>,
    ) -> Answer {
        let (session, options) = (&self.shared.session, self.options);
        let query = &session.model().queries[*query];
        let asked = Asked { session, query, reachability, options };
        let whole = report.statistics;
        let (outcome, statistics, elapsed) = match settled {
            None => (report.outcome.clone(), whole, self.start.elapsed()),
            Some(settled) => {
                let Counts { explored, stored } = settled.counts;
                let mut outcome = settled.outcome(report.nodes.steps(settled.node));
                if let Some(reduction) = reduction {
                    reduction.unfold(task.graph, &mut outcome);
                }
                (outcome, Statistics { explored, stored, ..whole }, settled.elapsed)
            }
        };
        let strategy = &match outcome {
            Outcome::Stopped { .. } => options.strategy.clone(),
            _ => Strategy::Blind(self.order),
        };
        let ended = Ended { outcome: &outcome, statistics, strategy, elapsed };
        asked.describe(task, ended).0
    }
}

/// The counts so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    explored: usize,
    stored: usize,
}

/// Observes the exploration and counts.
struct Counting<'w> {
    watch: Watch<'w>,
    counts: Rc<Cell<Counts>>,
}

impl Counting<'_> {
    fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Counting<'_> {
    fn node_inserted(&mut self, _node: NodeId, _state: &SymbolicState<W>) {
        self.count(|counts| counts.stored += 1);
    }

    fn node_expanded(&mut self, _node: NodeId) {
        self.count(|counts| counts.explored += 1);
    }

    fn evicted(&mut self, _node: NodeId, _by: NodeId) {
        self.count(|counts| counts.stored -= 1);
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        Observer::<SymbolicState<W>, Step>::progress(&mut self.watch, now)
    }

    fn meter(&self) -> Meter {
        self.watch.work().clone()
    }
}

/// The node at which the separate search for one goal would have ended.
struct Settled {
    node: NodeId,
    /// The error in the evaluation of the goal, if there was one.
    failure: Option<StepError>,
    counts: Counts,
    elapsed: Duration,
}

impl Settled {
    /// The outcome of that search, with the path to the node.
    fn outcome(&self, steps: Vec<Step>) -> ZoneOutcome {
        match self.failure {
            Some(error) => Outcome::Failed { error, steps },
            None => Outcome::Reached { node: self.node, steps },
        }
    }
}

/// The open goals of the batch. The search ends when each was found or could not be evaluated.
struct OpenGoals<'g, 'n, W: Width> {
    goals: Vec<ZoneGoal<'g, 'n, W>>,
    settled: Vec<Option<Settled>>,
    /// The goals that heuristic searches have decided.
    answered: Rc<[Cell<bool>]>,
    /// The number of nodes: goals are evaluated once for each node, in the order of their ids.
    nodes: usize,
    start: Instant,
    counts: Rc<Cell<Counts>>,
}

impl<'g, 'n, W: Width> OpenGoals<'g, 'n, W> {
    fn new(
        graph: &ZoneGraph<'n, W>,
        goals: &'g [CompiledGoal],
        start: Instant,
        counts: Rc<Cell<Counts>>,
    ) -> Self {
        Self {
            goals: goals.iter().map(|goal| ZoneGoal::new(graph, goal)).collect(),
            settled: goals.iter().map(|_| None).collect(),
            answered: goals.iter().map(|_| Cell::new(false)).collect(),
            nodes: 0,
            start,
            counts,
        }
    }
}

impl<'n, W: Width> Goal<ZoneGraph<'n, W>> for OpenGoals<'_, 'n, W> {
    fn holds_in(&mut self, state: &SymbolicState<W>) -> Result<bool, StepError> {
        let node = NodeId::from_index(self.nodes);
        #[cfg(feature = "faults")]
        let node = match Fault::SharedNodeTooEarly.is_selected() {
            true => NodeId::from_index(self.nodes.saturating_sub(1)),
            false => node,
        };
        self.nodes += 1;
        let goals = self.goals.iter_mut().zip(&mut self.settled).zip(&*self.answered);
        for ((goal, settled), answered) in goals {
            if answered.get() {
                continue;
            }
            let failure = match goal.holds_in(state) {
                Ok(false) => continue,
                Ok(true) => None,
                // A limit ends the whole exploration.
                Err(StepError::Stopped(why)) => return Err(StepError::Stopped(why)),
                #[cfg(feature = "faults")]
                Err(_) if Fault::SharedFailureForgotten.is_selected() => continue,
                Err(error) => Some(error),
            };
            let (counts, elapsed) = (self.counts.get(), self.start.elapsed());
            *settled = Some(Settled { node, failure, counts, elapsed });
            answered.set(true);
        }
        Ok(self.answered.iter().all(Cell::get))
    }
}
