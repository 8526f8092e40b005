//! Heuristic searches for single goals beside the exploration of a query batch.

use super::{Counting, OpenGoals, Run};
use crate::answer::reachability::{Asked, Ended};
use crate::answer::{Answer, Verdict};
use crate::host::Host;
use crate::prepared::Prepared;
use crate::resources::Watch;
use std::cell::Cell;
use std::rc::Rc;
use zonaut_base::Held;
use zonaut_dbm::Width;
use zonaut_portfolio::{
    Attempt, AttemptEnd, Choosing, Decision, HeuristicFactory, Portfolio, ReachabilityTask,
    portfolio,
};
use zonaut_search::{Budget, Frontier, Outcome, ReportOf, Search, Statistics, Status};
use zonaut_space::{Goal, PassedStore, StopReason, TransitionSystem};
use zonaut_strategy::Strategy;
use zonaut_zonegraph::{Step, SymbolicState, ZoneGraph};

/// Whether the exploration continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    On,
    Over,
}

/// The prepared model, the graph of lazy searches and the host.
type SearchContext<'g, W> = (&'g Prepared, Option<&'g ZoneGraph<'g, W>>, &'g Host<'g>);

/// The portfolios of heuristic searches for each goal, if the strategy is `auto`; otherwise none.
pub(super) struct GoalSearches<'r, 'o, 'g, W: Width> {
    run: &'r Run<'r, 'o>,
    /// The portfolio of each open goal.
    portfolios: Vec<Option<Portfolio<'g, W>>>,
    answers: Vec<Option<Answer>>,
    /// The attempts for goals that the exploration has decided.
    tried: Vec<Vec<Attempt>>,
    /// The number of pauses of the exploration.
    pauses: usize,
    answered: Rc<[Cell<bool>]>,
    /// The work limit of the exploration at its next pause, for each goal; `None` if it never
    /// pauses.
    limit: Option<portfolio::RoundLimit>,
    stopped: Option<StopReason>,
}

impl<'r, 'o, 'g, W: Width> GoalSearches<'r, 'o, 'g, W> {
    pub(super) fn new(
        run: &'r Run<'r, 'o>,
        tasks: &[ReachabilityTask<'g, W>],
        (prepared, lazy_graph, host): SearchContext<'g, W>,
        goals: &OpenGoals<'_, '_, W>,
    ) -> Self
    where
        'r: 'g,
    {
        let first = match run.options.strategy {
            Strategy::Auto { first } => Some(first),
            _ => None,
        };
        let portfolios = run.shared.questions.iter().zip(tasks).map(|(question, &task)| {
            let model = run.shared.session.model();
            let subject = (model, &model.queries[question.0]);
            let factory = HeuristicFactory::new(subject, &question.1.goal, prepared.bounds(), host);
            let memory = run.options.resources.memory;
            let choosing = Choosing { task, lazy_graph, factory, memory };
            first.map(|first| Portfolio::heuristic_searches(choosing, first))
        });
        let limit = first.map(|first| portfolio::RoundLimit::first(first.into()));
        let portfolios = portfolios.collect();
        let (answers, answered) =
            (tasks.iter().map(|_| None).collect(), Rc::clone(&goals.answered));
        let (tried, pauses) = (vec![Vec::new(); tasks.len()], 0);
        Self { run, portfolios, answers, tried, pauses, answered, limit, stopped: None }
    }

    /// Runs the exploration and the portfolios in time slices until every goal is decided, or all
    /// have to end.
    pub(super) fn run_with<Ts, G, S, F>(
        &mut self,
        mut search: Search<'_, Ts, G, S, F>,
        observer: &mut Counting<'_>,
    ) -> ReportOf<Ts>
    where
        Ts: TransitionSystem<State = SymbolicState<W>, Step = Step>,
        G: Goal<Ts>,
        S: PassedStore<Ts::State>,
        F: Frontier<Ts::State, Ts::Step>,
    {
        while search.run(self.budget(), observer) == Status::Paused {
            let bytes = search.statistics().bytes;
            if self.take_round(bytes, &mut observer.watch) == Flow::Over {
                break;
            }
        }
        let (mut report, _) = search.into_report();
        if let (Outcome::Stopped { why, .. }, Some(stopped)) = (&mut report.outcome, self.stopped) {
            *why = stopped;
        }
        report
    }

    /// The work budget of the exploration until its next pause.
    fn budget(&self) -> Budget {
        let open = self.answered.iter().filter(|answered| !answered.get()).count() as u64;
        let all = |limit: portfolio::RoundLimit| limit.added().saturating_mul(open.max(1));
        self.limit.map_or(Budget::UNLIMITED, |limit| Budget::of(all(limit)))
    }

    /// Runs a round of the portfolios of open goals, while the exploration holds its memory.
    fn take_round(&mut self, bytes: usize, watch: &mut Watch<'_>) -> Flow {
        let mut held: Held = watch.work().hold();
        held.set(bytes);
        self.pauses += 1;
        for index in 0..self.portfolios.len() {
            if self.answered[index].get() {
                self.settle(index);
            }
            let Some(portfolio) = &mut self.portfolios[index] else { continue };
            if !portfolio.is_open() {
                continue;
            }
            let Some(ended) = portfolio.take_round(watch) else { continue };
            match ended {
                portfolio::Ended::Stopped(StopReason::MemoryLimit)
                    if watch.work().stopped().is_none() => {}
                portfolio::Ended::Stopped(why) => {
                    self.stopped = Some(why);
                    return Flow::Over;
                }
                ended @ portfolio::Ended::Answered(..) => {
                    let decision = self.portfolios[index].take().map(|one| one.conclude(ended));
                    self.answers[index] = decision.map(|decision| self.answer(index, decision));
                    self.answered[index].set(true);
                }
            }
        }
        self.limit = self.limit.map(portfolio::RoundLimit::next);
        match self.answered.iter().all(Cell::get) {
            true => Flow::Over,
            false => Flow::On,
        }
    }

    /// Ends the portfolio of a goal that the exploration has decided.
    fn settle(&mut self, index: usize) {
        if let Some(portfolio) = self.portfolios[index].take() {
            self.tried[index] = portfolio.attempts();
        }
    }

    /// The answer of the portfolio of a goal, if it decided.
    pub(super) fn take_answer(&mut self, index: usize) -> Option<Answer> {
        self.answers[index].take()
    }

    /// The attempts for a goal that the exploration or no search has decided; empty for a single
    /// search.
    pub(super) fn attempts(
        &mut self,
        index: usize,
        statistics: Statistics,
        verdict: &Verdict,
    ) -> Vec<Attempt> {
        if self.limit.is_none() {
            return Vec::new();
        }
        self.settle(index);
        let end = match verdict {
            Verdict::Unknown(_) => AttemptEnd::Paused,
            _ => AttemptEnd::Decided,
        };
        let exploration = Attempt::exploration(self.pauses + 1, statistics, end);
        let others = std::mem::take(&mut self.tried[index]);
        std::iter::once(exploration).chain(others).collect()
    }

    fn answer(&self, index: usize, decision: Decision<'g, W>) -> Answer {
        let Decision { task, searched, heuristic, warnings, attempts } = decision;
        let Run { shared, options, start, .. } = self.run;
        let (query, reachability) = &shared.questions[index];
        let query = &shared.session.model().queries[*query];
        let asked = Asked { session: &shared.session, query, reachability, options };
        let ended = Ended {
            outcome: &searched.report.outcome,
            statistics: searched.report.statistics,
            strategy: &searched.strategy,
            elapsed: start.elapsed(),
        };
        let (answer, _) = asked.describe(task, ended);
        let (labelling, explanation) = (searched.labelling, asked.explain(&searched));
        Answer { labelling, explanation, heuristic, warnings, attempts, ..answer }
    }
}
