//! Ends of a search: stopped, out of memory, by an error; and the calls of heuristics.

use std::ops::ControlFlow;

use zonaut_search::{
    AStar, ArenaStore, Blind, Fifo, Guided, Outcome, Random, Report, Search, Ties, Uninformed,
};
use zonaut_space::{
    Arrival, Cost, CostDominance, EmptyGoal, Estimate, Eviction, Goal, Heuristic, Insertion,
    NodeId, Observer, PassedStore, Progress, StopReason, Successor, TransitionSystem,
};

use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

type Store = ArenaStore<ToyEncoding, ToyCovering>;

fn toys() -> impl Iterator<Item = (u64, Toy)> {
    (0..600).map(|seed| (seed, Toy::random(&mut Random::new(seed))))
}

fn store() -> Store {
    ArenaStore::new(ToyEncoding::default(), ToyCovering::Equality)
}

/// An infinite counter.
struct Endless;

impl TransitionSystem for Endless {
    type State = State;
    type Step = u32;
    type Error = &'static str;
    type Scratch = ();

    fn scratch(&self) {}
    fn for_each_initial(
        &self,
        (): &mut (),
        mut visit: impl FnMut(Result<&mut State, &'static str>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        visit(Ok(&mut State::new(0, [0, 0])))
    }
    fn for_each_successor(
        &self,
        state: &State,
        (): &mut (),
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut next = State::new(state.place[0] + 2, [0, 0]);
        visit(Successor::State(0, &mut next))
    }
}

/// Stops on request, and checks that progress is reported often enough.
struct Limit {
    explored: usize,
    why: StopReason,
    last: Progress,
}

impl Observer<State, u32> for Limit {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        assert!(now.explored >= self.last.explored && now.explored - self.last.explored <= 1_024);
        assert!(now.bytes >= now.stored * 20);
        self.last = *now;
        match now.explored >= self.explored {
            true => ControlFlow::Break(self.why),
            false => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_run_stops_when_the_observer_says_so_and_keeps_its_bound() {
    for why in [StopReason::TimeLimit, StopReason::MemoryLimit, StopReason::Cancelled] {
        let mut observer = Limit { explored: 5_000, why, last: Progress::default() };
        let frontier = AStar::new(Blind, Ties::default());
        let search = Search::shortest(&Endless, EmptyGoal, store(), frontier);
        let (Report { outcome, statistics, .. }, _) = search.finish(&mut observer);
        let lower_bound = statistics.explored as u32;
        assert_eq!(outcome, Outcome::Stopped { why, lower_bound });
        assert!((5_000..7_000).contains(&statistics.explored));
        assert_eq!(observer.last.explored, statistics.explored, "the end is reported too");
    }
}

#[test]
fn the_error_or_goal_that_comes_first_is_the_answer() {
    let mut answers = [0; 3];
    for (seed, toy) in toys() {
        let toy = toy.with_failures(&mut Random::new(seed));
        let frontier = Uninformed(Fifo::default());
        let search = Search::reach(&toy, ToyGoal(&toy), store(), frontier);
        let (report, _) = search.finish(&mut ());
        let first = toy.first_goal_or_failure();
        match &report.outcome {
            Outcome::Reached { steps, .. } => {
                assert_eq!(first, Some(true), "{toy:?}");
                assert!(toy.replays_to_goal(steps));
                answers[0] += 1;
            }
            Outcome::Failed { error, steps } => {
                assert_eq!((first, *error), (Some(false), "the edge fails"), "{toy:?}");
                assert!(toy.replays_to_failure(steps));
                answers[1] += 1;
            }
            Outcome::Exhausted => {
                assert_eq!(first, None);
                answers[2] += 1;
            }
            Outcome::Stopped { .. } => unreachable!("the observer never stops it"),
        }
        let frontier = AStar::new(Blind, Ties::default());
        let search = Search::shortest(&toy, ToyGoal(&toy), store(), frontier);
        let (blind, _) = search.finish(&mut ());
        assert_eq!(blind.outcome, report.outcome, "breadth first is the same either way");
        assert_eq!(blind.statistics.explored, report.statistics.explored);
    }
    assert!(answers.iter().all(|&count| count > 20), "{answers:?}");
}

/// A system without a computable initial state, or a goal that cannot be evaluated.
struct Broken;

impl TransitionSystem for Broken {
    type State = State;
    type Step = u32;
    type Error = &'static str;
    type Scratch = ();

    fn scratch(&self) {}
    fn for_each_initial(
        &self,
        (): &mut (),
        mut visit: impl FnMut(Result<&mut State, &'static str>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        visit(Err("no start"))
    }
    fn for_each_successor(
        &self,
        _: &State,
        (): &mut (),
        _: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

struct GoalThatFailsAt(u64);

impl Goal<Endless> for GoalThatFailsAt {
    fn holds_in(&mut self, state: &State) -> Result<bool, &'static str> {
        if state.place[0] == self.0 { Err("no goal") } else { Ok(false) }
    }
}

#[test]
fn an_initial_state_that_fails_is_an_error_without_steps() {
    let search = Search::reach(&Broken, EmptyGoal, store(), Uninformed(Fifo::default()));
    let (report, _) = search.finish(&mut ());
    assert_eq!(report.outcome, Outcome::Failed { error: "no start", steps: vec![] });
}

#[test]
fn a_goal_that_fails_is_an_error_with_the_steps_to_the_state() {
    let frontier = Uninformed(Fifo::default());
    let search = Search::reach(&Endless, GoalThatFailsAt(6), store(), frontier);
    let (report, _) = search.finish(&mut ());
    assert_eq!(report.outcome, Outcome::Failed { error: "no goal", steps: vec![0; 3] });
}

/// A store that refuses memory after some insertions.
struct Small {
    inner: Store,
    room: usize,
}

impl PassedStore<State> for Small {
    fn insert<C: Cost>(
        &mut self,
        state: &State,
        dominance: CostDominance<'_, C>,
        evicted: impl FnMut(Eviction),
    ) -> Result<Insertion, StopReason> {
        match self.inner.len() < self.room {
            true => self.inner.insert(state, dominance, evicted),
            false => Err(StopReason::MemoryLimit),
        }
    }
    fn load(&self, node: NodeId, into: &mut State) {
        self.inner.load(node, into);
    }
    fn is_live(&self, node: NodeId) -> bool {
        self.inner.is_live(node)
    }
    fn len(&self) -> usize {
        self.inner.len()
    }
    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}

#[test]
fn a_refused_insertion_ends_the_run_with_the_memory_limit() {
    let store = Small { inner: store(), room: 10 };
    let search = Search::reach(&Endless, EmptyGoal, store, Uninformed(Fifo::default()));
    let (report, _) = search.finish(&mut ());
    let expected = Outcome::Stopped { why: StopReason::MemoryLimit, lower_bound: 0 };
    assert_eq!(report.outcome, expected);
    assert_eq!((report.nodes.len(), report.statistics.stored), (10, 10));
}

/// Checks that it is evaluated once for each new state, with the true parent and step.
struct Curious<'t> {
    toy: &'t Toy,
    asked: Vec<State>,
}

impl Heuristic<State, u32> for Curious<'_> {
    fn estimate(
        &mut self,
        state: &State,
        arrival: Option<Arrival<'_, State, u32>>,
    ) -> Estimate<u32> {
        assert!(!self.asked.contains(state), "covered states are not estimated");
        assert!(!self.toy.is_goal(state), "goals are not estimated");
        match arrival {
            None => assert!(self.toy.initial().contains(state)),
            Some(Arrival { parent, step }) => {
                assert!(self.asked.contains(parent));
                assert!(self.toy.successors(parent).contains(&(step, Ok(state.clone()))));
            }
        }
        self.asked.push(state.clone());
        Estimate::Distance(state.levels[0] as u32)
    }
    fn name(&self) -> &'static str {
        "curious"
    }
}

#[test]
fn heuristics_are_evaluated_once_with_parent_and_step() {
    for (_, toy) in toys() {
        let heuristic = Curious { toy: &toy, asked: Vec::new() };
        let mut frontier = Guided::greedy(heuristic, Ties::default());
        let search = Search::reach(&toy, ToyGoal(&toy), store(), &mut frontier);
        let (report, _) = search.finish(&mut ());
        let goals = usize::from(matches!(report.outcome, Outcome::Reached { .. }));
        assert_eq!(frontier.heuristic().asked.len() + goals, report.nodes.len());
    }
}

/// A counter in which a step is aborted, or fails, at some value.
struct GivenUp {
    at: u64,
    error: Result<StopReason, ()>,
}

impl TransitionSystem for GivenUp {
    type State = State;
    type Step = u32;
    type Error = Result<StopReason, ()>;
    type Scratch = ();

    fn scratch(&self) {}
    fn for_each_initial(
        &self,
        (): &mut (),
        mut visit: impl FnMut(Result<&mut State, Self::Error>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        visit(Ok(&mut State::new(0, [0, 0])))
    }
    fn for_each_successor(
        &self,
        state: &State,
        (): &mut (),
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if state.place[0] >= self.at {
            return visit(Successor::Error(0, self.error));
        }
        visit(Successor::State(0, &mut State::new(state.place[0] + 2, [0, 0])))
    }
    fn stopped_by(error: &Self::Error) -> Option<StopReason> {
        error.ok()
    }
}

#[test]
fn a_step_that_is_given_up_stops_the_run_and_is_no_failure() {
    let explore = |error| {
        let frontier = Uninformed(Fifo::default());
        let system = GivenUp { at: 20, error };
        let (report, _) = Search::reach(&system, EmptyGoal, store(), frontier).finish(&mut ());
        report.outcome
    };
    let stopped = explore(Ok(StopReason::Cancelled));
    assert!(matches!(stopped, Outcome::Stopped { why: StopReason::Cancelled, .. }), "{stopped:?}");
    assert!(matches!(explore(Err(())), Outcome::Failed { .. }));
}
