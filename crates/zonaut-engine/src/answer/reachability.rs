//! Reachability queries: `E<>` and `A[]`, alone or several that share one exploration.
//!
//! Several queries are one task with several goals. An exhaustive search notes the goals that it
//! meets and continues; every other search looks for any open goal, the disjunction of the open
//! ones, and is repeated with the rest if it meets some. If a search is exhausted, no open goal is
//! reachable, and one certificate proves that: of the conjunction of the queries, each as `A[]`.
//!
//! *Claim.* Each answer is one that a separate search could have given. A path to the disjunction
//! that can be concretised into one of its parts reaches that goal, and a goal below an exhausted
//! search of the disjunction is unreachable. All queries have the bounds of the disjunction, which
//! are at least those of each. A run-time error of the model on the path of a search is met by it
//! whatever the goal is. An error in the evaluation of one goal says nothing about the others: they
//! are answered separately then.

mod deadlock_bounds;
#[cfg(test)]
mod explanations;
#[cfg(test)]
mod tests;

use crate::answer::{
    Answer, Findings, Reason, Unwritten, Verdict, describe_differences, possibly, verdict_of,
    verdict_of_failure,
};
use crate::certificate;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::host::Host;
use crate::optimize::may_fail;
use crate::prepared::Prepared;
use crate::reasons::Reasons;
use crate::reduction::{describe, is_used};
use crate::resources::Watch;
use crate::search::{Closing, close, concrete_run, search_again};
use crate::session::{Session, conjunction};
use crate::threads::Threads;
use crate::verify::{CERTIFICATION_ALLOWANCE, CertificateSink, Evidence, TraceWish, VerifyOptions};
use deadlock_bounds::{PROBES, first_locations, probe, survey};
use std::cell::OnceCell;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use zonaut_analysis::goal::Reachability;
use zonaut_compile::{BoundsTable, TwoSidedLocations};
use zonaut_concrete::{ConcreteRun, NoRun};
use zonaut_dbm::{Bound, Narrow, Wide, Width};
use zonaut_evidence::Subject;
use zonaut_lazy::Explanation;
use zonaut_model::{Formula, Model, Query, QueryId};
use zonaut_portfolio::{
    Aside, AttemptEnd, CountingObserver, Finished, GoalBoard, HeuristicFactory, LowestEstimate,
    Portfolio, Quotient, ReachabilityTask, States, Workers, ZoneCodec, ZoneOutcome,
    is_asynchronous, lazy_strategy, steps_of, zone_spilling,
};
use zonaut_search::{Budget, Codec, Distribution, Outcome, Overflow, Spilling, Statistics};
use zonaut_space::{Meter, StopReason};
use zonaut_strategy::{Order, Strategy};
use zonaut_symmetry::Symmetry;
use zonaut_zonegraph::{Comparison, CompiledGoal, Step, ZoneGraph};

/// A search spills when less than this part of the memory limit is left.
const LEFT_WHEN_SPILLING: usize = 8;

/// A query that reachability decides.
#[derive(Clone, Copy)]
pub(crate) struct ReachabilityQuery<'q> {
    pub(crate) id: QueryId,
    pub(crate) query: &'q Query,
    pub(crate) reachability: &'q Reachability,
}

/// Queries that share one exploration, or a single one.
#[derive(Clone, Copy)]
pub(crate) struct ReachabilityQuestion<'q> {
    pub(crate) session: &'q Session,
    pub(crate) queries: &'q [ReachabilityQuery<'q>],
    pub(crate) options: &'q VerifyOptions,
}

/// The state of answering: who watches, the evidence that is wanted, and the answers so far.
struct Answering<'l> {
    watch: Watch<'l>,
    certificate: Option<&'l mut dyn CertificateSink>,
    closing: Option<Duration>,
    lowest: Option<&'l LowestEstimate>,
    start: Instant,
    /// The answers, in the order of the queries.
    answers: Vec<Option<Answer>>,
    /// The locations with two-sided bounds of clocks, if not all of them have such.
    two_sided: Option<TwoSidedLocations>,
    /// The states explored in earlier rounds.
    explored: usize,
}

impl Answering<'_> {
    /// The queries without an answer.
    fn open(&self) -> Vec<usize> {
        let answers = self.answers.iter().enumerate();
        answers.filter(|(_, answer)| answer.is_none()).map(|(index, _)| index).collect()
    }
}

impl<'q> ReachabilityQuestion<'q> {
    /// Searches for the goals and derives the answers, in the order of the queries.
    pub(crate) fn answer(&self, evidence: Evidence<'_>, start: Instant) -> Vec<Answer> {
        let Evidence { listener, certificate, closing, lowest } = evidence;
        let mut state = Answering {
            watch: Watch::new(&self.options.resources, start, listener),
            certificate,
            closing,
            lowest,
            start,
            answers: self.queries.iter().map(|_| None).collect(),
            two_sided: None,
            explored: 0,
        };
        let failed = self.answer_open(&mut state).err();
        let unexplored = |why: &Option<Reason>| {
            let why = why.clone().unwrap_or(Reason::Stopped(StopReason::Cancelled));
            Answer::unexplored(Verdict::Unknown(why), self.options, start)
        };
        let files = self.options.spill.as_ref();
        let cannot_read = files.is_some_and(|files| files.has_failed());
        let answers = state.answers.into_iter().map(|answer| match answer {
            // The search or its evidence may have read other states than those that were spilled.
            Some(answer) if cannot_read => Answer {
                statistics: answer.statistics,
                ..unexplored(&Some(Reason::Stopped(StopReason::MemoryLimit)))
            },
            Some(answer) => answer,
            None => unexplored(&failed),
        });
        answers.collect()
    }

    /// Answers the open queries.
    fn answer_open(&self, state: &mut Answering<'_>) -> Result<(), Reason> {
        state.two_sided = first_locations(&self.goal(&state.open()), self.options);
        let mut probes = if state.two_sided.is_some() { PROBES } else { 0 };
        loop {
            let open = state.open();
            if open.is_empty() {
                return Ok(());
            }
            let prepared = self.prepare(&self.goal(&open), state)?.suited_to(self.options)?;
            if let Some(locations) = state.two_sided.as_mut().filter(|_| probes > 0) {
                let is_raised = match prepared.fits_narrow_bounds() {
                    true => probe(&prepared.graph::<Narrow>()?, locations, &mut state.watch)?,
                    false => probe(&prepared.graph::<Wide>()?, locations, &mut state.watch)?,
                };
                probes = if is_raised { probes - 1 } else { 0 };
                if is_raised {
                    continue;
                }
            }
            let end = match prepared.fits_narrow_bounds() {
                true => self.round::<Narrow>(&prepared, &open, state)?,
                false => self.round::<Wide>(&prepared, &open, state)?,
            };
            match end {
                RoundEnd::Answered => {}
                RoundEnd::Repeat { explored } => {
                    state.explored += explored;
                    state.watch.count_earlier(explored);
                }
                RoundEnd::Separate => return self.answer_separately(state),
            }
        }
    }

    /// Answers the open queries one after the other.
    fn answer_separately(&self, state: &mut Answering<'_>) -> Result<(), Reason> {
        for index in state.open() {
            let alone = Self { queries: &self.queries[index..=index], ..*self };
            let answers = std::mem::replace(&mut state.answers, vec![None]);
            let result = alone.answer_open(state);
            let answer = std::mem::replace(&mut state.answers, answers);
            state.answers[index] = answer.into_iter().next().flatten();
            result?;
        }
        Ok(())
    }

    /// The goal of some of the queries: any of theirs.
    fn goal(&self, queries: &[usize]) -> Formula {
        match queries {
            &[one] => self.queries[one].reachability.goal.clone(),
            some => {
                let goal = |&index: &usize| self.queries[index].reachability.goal.clone();
                Formula::Or(some.iter().map(goal).collect())
            }
        }
    }

    /// Compiles the model; the bounds of clocks are two-sided at some locations only, if that can be
    /// enough.
    fn prepare(&self, formula: &Formula, state: &mut Answering<'_>) -> Result<Prepared, Reason> {
        let Answering { watch, two_sided, .. } = state;
        #[cfg(feature = "faults")]
        let formula = match Fault::SharedClocks.is_selected() && self.queries.len() > 1 {
            true => &Formula::truth(),
            false => formula,
        };
        let bounds = |model: &Model| {
            let locations = two_sided.as_ref();
            let few = locations.and_then(|at| BoundsTable::with_two_sided(model, formula, at));
            few.unwrap_or_else(|| {
                *two_sided = None;
                BoundsTable::new(model, formula)
            })
        };
        Prepared::with_bounds(self.session, bounds, self.options.abstraction, watch.work())
    }

    /// Searches with zones of one width. Where bounds are two-sided at some locations only, the round
    /// is repeated with more of them if those were not sufficient.
    fn round<W: Width>(
        &self,
        prepared: &Prepared,
        open: &[usize],
        state: &mut Answering<'_>,
    ) -> Result<RoundEnd, Reason> {
        let (options, model) = (self.options, self.session.model());
        let graph = prepared.graph::<W>()?;
        let workers = match is_asynchronous(&options.strategy) && may_fail(model) {
            // Whether an error or a goal is met first would depend on the speed of threads.
            true => 0,
            false => options.workers(open.len()),
        };
        let worker_graphs = prepared.worker_graphs::<W>(workers)?;
        let codec = ZoneCodec::new(&graph);
        let overflow = options.spill.as_ref().map(|files| Overflow {
            files: Arc::clone(files),
            from: options
                .resources
                .memory
                .map_or(usize::MAX, |limit| limit - limit / LEFT_WHEN_SPILLING),
            meter: state.watch.work().clone(),
        });
        let spilling = overflow.map(zone_spilling);
        let beside =
            options.has_second_thread().then(|| state.watch.meter_beside(&options.resources));
        let graph_beside =
            beside.as_ref().map(|meter| prepared.graph_beside::<W>(meter)).transpose()?;
        let lazy_graph = prepared.lazy_graph::<W>(&lazy_strategy(), options, beside.as_ref());
        let states = state.watch.states();
        let aside = graph_beside.as_ref().map(|graph| Aside { graph, states, crew: &Threads });
        let compiled = |&index: &usize| {
            let goal = &self.queries[index].reachability.goal;
            CompiledGoal::new(model, goal)
        };
        let goals: Vec<CompiledGoal> = open.iter().map(compiled).collect();
        let symmetry = self.symmetry();
        let quotient = is_used(&symmetry, options).then(|| Quotient::new(&graph, model, &symmetry));
        let host = Host::new(state.start, options.databases.as_deref()).noting(state.lowest);
        let board = GoalBoard::new(&goals, &host);
        // Each search for a set of goals closes one of them or is the last one, and certificates
        // need a set once more.
        let sets: Vec<OnceCell<GoalSet>> = (0..=2 * open.len()).map(|_| OnceCell::new()).collect();
        let round = Round {
            question: self,
            prepared,
            graph: &graph,
            worker_graphs: &worker_graphs,
            codec: &codec,
            wants_nodes: state.certificate.is_some() || state.two_sided.is_some(),
            spilling: spilling.as_ref(),
            aside,
            lazy_graph: lazy_graph.as_ref(),
            quotient: quotient.as_ref(),
            comparison: Prepared::comparison(&graph, options.comparison)?,
            host: &host,
            open,
            goals: &goals,
            board: &board,
            sets: &sets,
            symmetry: describe(&symmetry, options),
        };
        round.run(state)
    }

    /// The symmetry that the queries respect.
    fn symmetry(&self) -> Symmetry {
        let model = self.session.model();
        let is_asked = |query: &Query| self.queries.iter().any(|asked| asked.query == query);
        let queries = model.queries.iter_enumerated().filter(|(_, query)| is_asked(query));
        let same: Vec<QueryId> = queries.map(|(id, _)| id).collect();
        Symmetry::of(model, &same)
    }
}

/// The end of one round of searching.
enum RoundEnd {
    /// All queries are answered.
    Answered,
    /// For some, the bounds of clocks were not sufficient and are raised; this many states were
    /// explored.
    Repeat { explored: usize },
    /// The open queries have to be answered one by one.
    Separate,
}

/// Whether a search of a round has to be followed by another one.
enum Flow {
    Open,
    Over(RoundEnd),
}

/// The goal of a search for any of several goals.
struct GoalSet {
    /// The positions of the goals among the open ones.
    members: Vec<usize>,
    formula: Formula,
    goal: CompiledGoal,
}

/// A round of searching: all that its searches share.
struct Round<'r, W: Width> {
    question: &'r ReachabilityQuestion<'r>,
    prepared: &'r Prepared,
    graph: &'r ZoneGraph<'r, W>,
    /// The graphs of the workers of a breadth-first search; none if one search does it all.
    worker_graphs: &'r [ZoneGraph<'r, W>],
    /// The form of states outside the process.
    codec: &'r ZoneCodec,
    /// Whether evidence, or the search for sufficient bounds, reads the nodes of an exhausted search.
    wants_nodes: bool,
    spilling: Option<&'r Spilling<Step, Bound<W>>>,
    /// The second thread of a portfolio.
    aside: Option<Aside<'r, W>>,
    lazy_graph: Option<&'r ZoneGraph<'r, W>>,
    quotient: Option<&'r Quotient<'r, W>>,
    comparison: Comparison,
    host: &'r Host<'r>,
    /// The open queries.
    open: &'r [usize],
    /// Their goals.
    goals: &'r [CompiledGoal],
    board: &'r GoalBoard<'r>,
    sets: &'r [OnceCell<GoalSet>],
    symmetry: Option<String>,
}

impl<'r, W: Width> Round<'r, W> {
    /// Searches until all goals are decided.
    fn run(&self, state: &mut Answering<'_>) -> Result<RoundEnd, Reason> {
        let (options, is_shared) = (self.question.options, self.open.len() > 1);
        let Some(mut set) = self.next_set() else { return Ok(RoundEnd::Answered) };
        if let Strategy::Auto { first } = options.strategy {
            let memory = options.resources.memory;
            let mut portfolio =
                Portfolio::new(self.task(set), self.lazy_graph, &self.factory(set), first, memory);
            if is_shared {
                let exploration = self.task(set).explore(Order::BreadthFirst, self.board);
                portfolio = portfolio.exploring(exploration, self.board);
            }
            loop {
                let finished = portfolio.decide(&mut state.watch);
                let attempts = finished.attempts.clone();
                let flow = self.conclude(finished, set, state)?;
                let next = self.next_set().filter(|_| matches!(flow, Flow::Open));
                let Some(next) = next else {
                    if !is_shared {
                        state.watch.work().discard(portfolio);
                    } else if let Some(exploration) = portfolio.into_exploration() {
                        let exploration = Finished { attempts, ..exploration };
                        self.conclude_notes(&exploration, state);
                        state.watch.work().discard(exploration);
                    }
                    return Ok(end_of(flow));
                };
                set = next;
                let (task, factory) = (self.task(set), self.factory(set));
                portfolio = portfolio.renew(task, self.lazy_graph, &factory);
            }
        }
        if let Some(order) = options.strategy.order().filter(|_| self.notes_goals()) {
            let mut search = self.task(set).explore(order, self.board);
            let mut observer = CountingObserver::new(&mut state.watch, self.board);
            let _ = search.run(Budget::UNLIMITED, &mut observer);
            return self.conclude(search.finish(), set, state).map(end_of);
        }
        loop {
            let factory = self.factory(set);
            let task = self.task(set);
            let finished = task.search(&options.strategy, &factory, &mut state.watch)?;
            let flow = self.conclude(finished, set, state)?;
            match self.next_set().filter(|_| matches!(flow, Flow::Open)) {
                Some(next) => set = next,
                None => return Ok(end_of(flow)),
            }
        }
    }

    /// The goals of the next search: the open ones, those with `deadlock` last, because heuristics
    /// and lazy searches say more about the others.
    fn next_set(&self) -> Option<&'r GoalSet> {
        let open: Vec<usize> = self.board.open().collect();
        let mentions_deadlock =
            |&&at: &&usize| self.query(at).reachability.goal.mentions_deadlock();
        let plain: Vec<usize> = open.iter().filter(|at| !mentions_deadlock(at)).copied().collect();
        let members = if plain.is_empty() { open } else { plain };
        (!members.is_empty()).then(|| self.goal_set(members)).flatten()
    }

    /// A set of goals.
    fn goal_set(&self, members: Vec<usize>) -> Option<&'r GoalSet> {
        let cell = self.sets.iter().find(|cell| cell.get().is_none())?;
        let queries: Vec<usize> = members.iter().map(|&at| self.open[at]).collect();
        let formula = self.question.goal(&queries);
        let goal = CompiledGoal::new(self.question.session.model(), &formula);
        Some(cell.get_or_init(|| GoalSet { members, formula, goal }))
    }

    fn query(&self, at: usize) -> ReachabilityQuery<'r> {
        self.question.queries[self.open[at]]
    }

    fn task(&self, set: &'r GoalSet) -> ReachabilityTask<'r, W> {
        let options = self.question.options;
        ReachabilityTask {
            graph: self.graph,
            quotient: self.quotient,
            goal: &set.goal,
            comparison: self.comparison,
            shortest: options.trace == TraceWish::Shortest,
            seed: options.seed,
            workers: self.workers(),
            aside: self.aside,
            spilling: self.spilling,
        }
    }

    /// The workers of a breadth-first search, if it has several.
    fn workers(&self) -> Option<Workers<'r, W>> {
        let graphs = self.worker_graphs;
        let distribution = self.question.options.distribution.as_ref().map(|all| Distribution {
            codec: self.codec as &dyn Codec<Step, Bound<W>>,
            network: all.network.as_deref(),
            keeper: all.keeper.as_deref(),
            saved: all.saved.as_deref(),
            wants_nodes: self.wants_nodes,
        });
        (!graphs.is_empty()).then_some(Workers { graphs, crew: &Threads, distribution })
    }

    /// Whether an uninformed search notes the goals that it meets and continues. A search by several
    /// workers ends with the first one, and is repeated for the others.
    fn notes_goals(&self) -> bool {
        self.open.len() > 1 && self.worker_graphs.is_empty()
    }

    fn factory(&self, set: &'r GoalSet) -> HeuristicFactory<'r> {
        let model = self.question.session.model();
        HeuristicFactory::new(model, &set.formula, self.prepared.bounds(), self.host)
    }

    /// Derives answers from the result of a search for a set of goals.
    fn conclude(
        &self,
        finished: Finished<'r, W>,
        set: &'r GoalSet,
        state: &mut Answering<'_>,
    ) -> Result<Flow, Reason> {
        let is_shared = self.open.len() > 1;
        let is_exploration = self.notes_goals() && matches!(finished.strategy, Strategy::Blind(_));
        if is_exploration {
            self.conclude_notes(&finished, state);
        }
        match &finished.outcome {
            Outcome::Reached { .. } if is_exploration => {}
            Outcome::Reached { .. } if is_shared => {
                return Ok(self.conclude_reached(&finished, set, state));
            }
            Outcome::Reached { .. } => return self.conclude_single(finished, state),
            Outcome::Exhausted => {
                let goals = match is_exploration {
                    true => self.board.open().collect(),
                    false => set.members.clone(),
                };
                return self.conclude_exhausted(finished, goals, state);
            }
            Outcome::Failed { .. } if is_shared && !is_exploration => {
                let fails = concrete_run(finished.task, &finished.outcome);
                if !matches!(fails, Ok(Some(ConcreteRun { fails: true, .. }))) {
                    return Ok(Flow::Over(RoundEnd::Separate));
                }
                self.conclude_open(&finished, state);
            }
            Outcome::Failed { .. } | Outcome::Stopped { .. } if is_shared => {
                self.conclude_open(&finished, state);
            }
            Outcome::Failed { .. } | Outcome::Stopped { .. } => {
                return self.conclude_single(finished, state);
            }
        }
        Ok(Flow::Over(RoundEnd::Answered))
    }

    /// Answers the goals that the exploration has noted.
    fn conclude_notes(&self, exploration: &Finished<'r, W>, state: &mut Answering<'_>) {
        let States::Eager(passed) = &exploration.states else { return };
        let mut attempts = exploration.attempts.clone();
        for attempt in &mut attempts {
            attempt.end = match (attempt.strategy == exploration.strategy, &attempt.end) {
                (true, _) => AttemptEnd::Decided,
                (false, AttemptEnd::Decided) => AttemptEnd::Paused,
                (false, end) => end.clone(),
            };
        }
        for (at, note) in self.board.take_notes() {
            let mut outcome = note.outcome(&passed.nodes);
            if let Some(quotient) = exploration.task.quotient {
                quotient.unfold(&mut outcome);
            }
            let (explored, stored) = (note.explored, note.stored);
            let statistics = Statistics { explored, stored, ..exploration.statistics };
            let ended = Ended { outcome: &outcome, statistics, elapsed: note.elapsed };
            self.answer(at, exploration, ended, state);
            if let Some(answer) = &mut state.answers[self.open[at]] {
                answer.attempts.clone_from(&attempts);
            }
        }
    }

    /// Answers the goals of a set that the path of a search reaches.
    fn conclude_reached(
        &self,
        finished: &Finished<'r, W>,
        set: &GoalSet,
        state: &mut Answering<'_>,
    ) -> Flow {
        let open: Vec<usize> = self.board.open().collect();
        let mut is_answered = set.members.iter().any(|at| !open.contains(at));
        for &at in set.members.iter().filter(|at| open.contains(at)) {
            let task = ReachabilityTask { goal: &self.goals[at], ..finished.task };
            if concrete_run(task, &finished.outcome).is_ok() {
                self.answer(at, finished, Ended::of(finished, state.start.elapsed()), state);
                self.board.close(at);
                is_answered = true;
            }
        }
        if is_answered { Flow::Open } else { Flow::Over(RoundEnd::Separate) }
    }

    /// Answers all open goals with an outcome that does not depend on them.
    fn conclude_open(&self, finished: &Finished<'r, W>, state: &mut Answering<'_>) {
        let open: Vec<usize> = self.board.open().collect();
        for at in open {
            self.answer(at, finished, Ended::of(finished, state.start.elapsed()), state);
        }
    }

    /// Answers a single query by an outcome with a path, or without a decision.
    fn conclude_single(
        &self,
        finished: Finished<'r, W>,
        state: &mut Answering<'_>,
    ) -> Result<Flow, Reason> {
        // Without sufficient bounds, a nearer deadlock may have been covered.
        let is_nearest =
            finished.task.shortest && matches!(finished.outcome, Outcome::Reached { .. });
        let finished = match is_nearest && state.two_sided.is_some() {
            true => finished.joined().map_err(Reason::Stopped)?,
            false => finished,
        };
        if is_nearest && self.lacks_bounds(&finished, state)? {
            return Ok(Flow::Over(RoundEnd::Repeat { explored: finished.statistics.explored }));
        }
        let elapsed = state.start.elapsed();
        self.answer(0, &finished, Ended::of(&finished, elapsed), state);
        let answer = &mut state.answers[self.open[0]];
        let is_spurious = answer.as_ref().is_some_and(|one| one.verdict == Verdict::Spurious);
        if is_spurious && state.two_sided.is_some() {
            // Zones that would leave their range are not exact, and need all bounds.
            *answer = None;
            state.two_sided = None;
            return Ok(Flow::Over(RoundEnd::Repeat { explored: finished.statistics.explored }));
        }
        if matches!(finished.outcome, Outcome::Stopped { .. }) {
            state.watch.work().discard(finished);
        }
        Ok(Flow::Over(RoundEnd::Answered))
    }

    /// Whether the bounds of clocks were not sufficient for goals with `deadlock`; they are raised
    /// then.
    fn lacks_bounds(
        &self,
        finished: &Finished<'r, W>,
        state: &mut Answering<'_>,
    ) -> Result<bool, Reason> {
        let Some(locations) = &mut state.two_sided else { return Ok(false) };
        let States::Eager(passed) = &finished.states else { return Ok(false) };
        let is_raised = survey(finished.task.graph, &passed.store, locations)?;
        if is_raised && finished.task.quotient.is_some() {
            // A representative stands for states whose locations are permuted.
            *locations = TwoSidedLocations::all();
        }
        if !is_raised {
            return Ok(false);
        }
        // Guards may bound clocks from both sides anyway; then the same search would be repeated.
        let goal = self.question.goal(self.open);
        let raised = BoundsTable::with_two_sided(self.question.session.model(), &goal, locations);
        Ok(raised.is_none_or(|raised| !raised.bounds_as(self.prepared.bounds())))
    }

    /// Answers goals that an exhausted search shows to be unreachable, with one certificate.
    fn conclude_exhausted(
        &self,
        finished: Finished<'r, W>,
        goals: Vec<usize>,
        state: &mut Answering<'_>,
    ) -> Result<Flow, Reason> {
        let elapsed = state.start.elapsed();
        let explored = finished.statistics.explored;
        let asks_for_deadlock = |at: &usize| self.query(*at).reachability.goal.mentions_deadlock();
        let is_asked = goals.iter().any(asks_for_deadlock);
        let finished = match is_asked && state.two_sided.is_some() {
            true => finished.joined().map_err(Reason::Stopped)?,
            false => finished,
        };
        let is_insufficient = is_asked && self.lacks_bounds(&finished, state)?;
        let decided: Vec<usize> = match is_insufficient {
            true => goals.into_iter().filter(|at| !asks_for_deadlock(at)).collect(),
            false => goals,
        };
        for &at in &decided {
            self.answer(at, &finished, Ended::of(&finished, elapsed), state);
            self.board.close(at);
        }
        if !decided.is_empty() {
            self.certify_set(finished, &decided, elapsed, state);
        }
        Ok(match is_insufficient {
            true => Flow::Over(RoundEnd::Repeat { explored }),
            false if self.board.open().next().is_none() => Flow::Over(RoundEnd::Answered),
            false => Flow::Open,
        })
    }

    /// Stores the answer about a goal that the end of a search means. The search decides; then its
    /// path is concretised, even if no trace was requested; then a certificate of the run may be
    /// written. If these contradict each other, the verdict is a bug.
    fn answer(
        &self,
        at: usize,
        finished: &Finished<'r, W>,
        ended: Ended<'_>,
        state: &mut Answering<'_>,
    ) {
        let question = self.question;
        let (session, options) = (question.session, question.options);
        let (model, query) = (session.model(), self.query(at));
        let Ended { outcome, mut statistics, elapsed } = ended;
        statistics.explored += state.explored;
        let is_wanted = query.reachability.is_wanted;
        let mut verdict = match outcome {
            Outcome::Reached { .. } => verdict_of(is_wanted),
            Outcome::Exhausted => verdict_of(!is_wanted),
            Outcome::Failed { error, .. } => verdict_of_failure(*error),
            Outcome::Stopped { why, .. } => Verdict::Unknown(Reason::Stopped(*why)),
        };
        let task = ReachabilityTask { goal: &self.goals[at], ..finished.task };
        let run = concrete_run(task, outcome);
        let is_met = steps_of(outcome).is_some();
        match run {
            Err(NoRun::Spurious) if model.has_rates() => verdict = possibly(&verdict),
            // With stopwatches, a path proves the verdict only with a concrete run.
            Err(NoRun::Stopped(why)) if is_met && model.has_rates() => {
                verdict = Verdict::Unknown(Reason::Stopped(why));
            }
            Err(NoRun::Spurious) => verdict = Verdict::Spurious,
            Err(NoRun::ClockRange) => verdict = Verdict::Unknown(Reason::ClockRange),
            // The search has answered; what is missing is evidence.
            Ok(_) | Err(NoRun::Stopped(_)) => {}
        }
        let reached = matches!(outcome, Outcome::Reached { .. });
        let wants_trace = options.trace != TraceWish::None || !reached;
        let shown = run.as_ref().ok().and_then(Option::as_ref).filter(|_| wants_trace);
        let trace = shown.map(|run| session.namer().trace(task.graph.network(), run));
        let has_path = is_met && !matches!(verdict, Verdict::Unknown(_) | Verdict::NoInitialState);
        let certificate = match has_path {
            true => self.certify_run(query, task, outcome, run, state),
            false => None,
        };
        let explanation = finished.proof().filter(|_| options.explain);
        state.answers[self.open[at]] = Some(Answer {
            verdict,
            trace,
            findings: Findings::Nothing,
            certificate,
            depth: steps_of(outcome).map(<[Step]>::len),
            strategy: finished.strategy.clone(),
            abstraction: Some(task.graph.abstraction()),
            differences: describe_differences(task.graph),
            symmetry: self.symmetry.clone(),
            statistics,
            labelling: finished.labelling(),
            attempts: finished.attempts.clone(),
            workers: finished.workers.clone(),
            explanation: explanation.map(|proof| Explanation::of(model, proof)),
            heuristic: finished.heuristic,
            warnings: finished.warnings.clone(),
            seconds: elapsed.as_secs_f64(),
        });
    }

    /// Writes the certificate of a run, if one is requested.
    fn certify_run(
        &self,
        query: ReachabilityQuery<'_>,
        task: ReachabilityTask<'_, W>,
        outcome: &ZoneOutcome,
        run: Result<Option<ConcreteRun>, NoRun>,
        state: &mut Answering<'_>,
    ) -> Option<Result<(), Unwritten>> {
        let sink = state.certificate.as_deref_mut()?;
        if self.question.session.model().has_rates() && query.reachability.goal.mentions_deadlock()
        {
            return Some(Err(Unwritten::NoSuchKind("deadlocks with stopwatches")));
        }
        let run = match run {
            Ok(run) => run,
            Err(NoRun::Stopped(why)) => return Some(Err(Unwritten::Stopped(why))),
            Err(NoRun::Spurious | NoRun::ClockRange) => return None,
        };
        let subject = Subject { model: self.question.session.model(), query: query.query };
        let written = certificate::write_run(&subject, task.graph, outcome, run.as_ref(), || {
            sink.open(&[query.id])
        })?;
        Some(written.map_err(|error| unwritten(error, state.watch.work())))
    }

    /// Writes the certificate of an exhausted search for these goals, if one is requested; before,
    /// the states that heuristics pruned are explored.
    fn certify_set(
        &self,
        finished: Finished<'r, W>,
        goals: &[usize],
        elapsed: Duration,
        state: &mut Answering<'_>,
    ) {
        if state.certificate.is_none() {
            return;
        }
        let (certificate, verdict) = match self.write_set(finished, goals, elapsed, state) {
            Ok(written) => (written, None),
            Err(WronglyPruned) => (None, Some(Verdict::WronglyPruned)),
        };
        for &at in goals {
            if let Some(answer) = &mut state.answers[self.open[at]] {
                answer.certificate = certificate.clone();
                answer.verdict = verdict.clone().unwrap_or_else(|| answer.verdict.clone());
            }
        }
    }

    fn write_set(
        &self,
        mut finished: Finished<'r, W>,
        goals: &[usize],
        elapsed: Duration,
        state: &mut Answering<'_>,
    ) -> Result<Option<Result<(), Unwritten>>, WronglyPruned> {
        let question = self.question;
        let model = question.session.model();
        let asked: Vec<ReachabilityQuery<'_>> = goals.iter().map(|&at| self.query(at)).collect();
        if model.has_rates() && asked.iter().any(|one| one.reachability.goal.mentions_deadlock()) {
            return Ok(Some(Err(Unwritten::NoSuchKind("deadlocks with stopwatches"))));
        }
        finished = match finished.joined() {
            Ok(joined) => joined,
            Err(why) => return Ok(Some(Err(Unwritten::Stopped(why)))),
        };
        let is_reduced = finished.is_quotient();
        if finished.has_pruned() || is_reduced {
            let usual = elapsed.saturating_mul(CERTIFICATION_ALLOWANCE);
            let limit = state.closing.map(|least| least.max(usual));
            let before = state.watch.limit(limit);
            let Some(set) = self.goal_set(goals.to_vec()) else { return Ok(None) };
            let closing;
            (finished, closing) = match is_reduced {
                true => search_again(finished, self.task(set).unreduced(), &mut state.watch),
                false => match Reasons::new(model, &set.formula, state.watch.work()) {
                    Ok(reasons) => close(finished, reasons, &mut state.watch),
                    Err(why) => (finished, Closing::Stopped(why)),
                },
            };
            state.watch.restore(before);
            match closing {
                Closing::Done => {}
                Closing::Stopped(_) if is_reduced => return Ok(Some(Err(Unwritten::Symmetry))),
                Closing::Stopped(why) => return Ok(Some(Err(Unwritten::Stopped(why)))),
                Closing::Undecided => {
                    let why = "pruned states cannot be explored exactly";
                    return Ok(Some(Err(unwritten(io::Error::other(why), state.watch.work()))));
                }
                Closing::Contradiction => return Err(WronglyPruned),
            }
        }
        let Some(sink) = state.certificate.as_deref_mut() else { return Ok(None) };
        let ids: Vec<QueryId> = asked.iter().map(|one| one.id).collect();
        let queries: Vec<&Query> = asked.iter().map(|one| one.query).collect();
        let query = &conjunction(&queries);
        let subject = Subject { model, query };
        let form = sink.set_form();
        let written =
            sink.open(&ids).and_then(|out| certificate::write_set(&subject, &finished, form, out));
        Ok(Some(written.map_err(|error| unwritten(error, state.watch.work()))))
    }
}

/// The reason why a certificate was not written: a limit, if one was reached.
fn unwritten(error: io::Error, meter: &Meter) -> Unwritten {
    // The limit may have ended work that counts on the meter of another thread.
    match meter.poll(0) {
        Err(why) => Unwritten::Stopped(why),
        Ok(()) => error.into(),
    }
}

/// The end of a round after its last search.
fn end_of(flow: Flow) -> RoundEnd {
    match flow {
        Flow::Open => RoundEnd::Answered,
        Flow::Over(end) => end,
    }
}

/// How the search for one goal ended, and its work until then.
#[derive(Clone, Copy)]
struct Ended<'e> {
    outcome: &'e ZoneOutcome,
    statistics: Statistics,
    elapsed: Duration,
}

impl<'e> Ended<'e> {
    fn of<W: Width>(finished: &'e Finished<'_, W>, elapsed: Duration) -> Self {
        Self { outcome: &finished.outcome, statistics: finished.statistics, elapsed }
    }
}

/// Heuristics pruned a state from which the goal or a run-time error is reachable.
struct WronglyPruned;
