//! Several different runs to a goal, shortest first.
//!
//! Runs are different if their paths, the sequences of transitions, are; each path ends at its first
//! state in which the goal is satisfiable. The enumeration is Lawler's scheme for k best solutions
//! (Management Science 18(7), 1972, doi:10.1287/mnsc.18.7.401), as Yen's algorithm uses it for
//! paths.
//!
//! *Claim.* The paths come in the order of their lengths, none twice and none omitted before the end.
//!
//! *Proof.* Let P(p, X) be the paths to the goal that begin with the transitions p and continue with
//! one that is not in X. If p·q is a shortest one of them with q = q1 ... qn, the others are the disjoint
//! union of P(p, X ∪ {q1}) and of P(p·q1...qi, {qi+1}) for 0 < i < n: a path leaves q at exactly one
//! position, and none continues after its goal. The sets of branches below are such a partition of
//! all paths that were not found yet, and the least of their lengths is the next length. A branch
//! that is not searched yet has the length of its parent as a lower bound, because it is a subset
//! of what the parent was the minimum of.
//!
//! A step names a transition and, where clock differences split its result, one part of the result:
//! the states after p are the targets of all steps with the transitions of p.
//!
//! A branch is searched from the targets of its allowed first steps, not from the states at its end:
//! these must not cover others, because they lack the transitions in X. Covering is a simulation and
//! preserves depth, so it preserves the least length; the found path consists of steps, never of
//! coverings, so it is a path of the branch.

use crate::answer::{Answer, Findings, Reason, Verdict, verdict_of_failure};
use crate::prepared::Prepared;
use crate::resources::{SearchListener, Watch};
use crate::session::Session;
use crate::verify::VerifyOptions;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;
use zonaut_compile::ActionId;
use zonaut_concrete::{Destination, NoRun, concretise};
use zonaut_dbm::Wide;
use zonaut_model::Formula;
use zonaut_search::{AStar, ArenaStore, Blind, Outcome, Search, Statistics, Ties};
use zonaut_space::{Goal, StopReason, Successor, TransitionSystem};
use zonaut_strategy::Order;
use zonaut_trace::Trace;
use zonaut_zonegraph::{
    Comparison, CompiledGoal, Scratch, StateEncoding, Step, StepError, SymbolicState, ZoneCovering,
    ZoneGoal, ZoneGraph,
};

/// The edges of a transition with their select values, the sender's first.
type Transition = Vec<ActionId>;

/// The paths that begin with some transitions and continue differently than others.
struct Branch {
    prefix: Vec<Transition>,
    /// The transitions that do not follow the prefix.
    excluded: Vec<Transition>,
    /// A shortest path of the branch, with the prefix, once it was searched.
    shortest: Option<Vec<Step>>,
}

/// A state with the steps that lead to it.
#[derive(Clone)]
struct Reached {
    steps: Vec<Step>,
    state: SymbolicState<Wide>,
}

/// The reason why the enumeration ends early.
enum End {
    Stopped(StopReason),
    Failed(StepError),
}

impl From<StepError> for End {
    fn from(error: StepError) -> Self {
        match ZoneGraph::<Wide>::stopped_by(&error) {
            Some(why) => Self::Stopped(why),
            None => Self::Failed(error),
        }
    }
}

/// The graph of zones from some states on.
struct Later<'g, 'n> {
    graph: &'g ZoneGraph<'n, Wide>,
    starts: &'g [SymbolicState<Wide>],
}

impl TransitionSystem for Later<'_, '_> {
    type State = SymbolicState<Wide>;
    type Step = Step;
    type Error = StepError;
    type Scratch = Scratch<Wide>;

    fn scratch(&self) -> Self::Scratch {
        self.graph.scratch()
    }

    fn for_each_initial(
        &self,
        _scratch: &mut Self::Scratch,
        mut visit: impl FnMut(Result<&mut Self::State, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.starts.iter().try_for_each(|start| visit(Ok(&mut start.clone())))
    }

    fn for_each_successor(
        &self,
        state: &Self::State,
        scratch: &mut Self::Scratch,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.graph.for_each_successor(state, scratch, |successor| match successor {
            Successor::State(step, target) => visit(Successor::State(step, target)),
            Successor::Error(step, error) => visit(Successor::Error(step, error)),
        })
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        ZoneGraph::<Wide>::stopped_by(error)
    }
}

/// The goal in states of [`Later`].
struct LaterGoal<'g, 'n>(ZoneGoal<'g, 'n, Wide>);

impl<'n> Goal<Later<'_, 'n>> for LaterGoal<'_, 'n> {
    fn holds_in(&mut self, state: &SymbolicState<Wide>) -> Result<bool, StepError> {
        Goal::<ZoneGraph<'n, Wide>>::holds_in(&mut self.0, state)
    }
}

/// The enumeration of paths to a goal.
struct Enumeration<'g, 'n, 'w> {
    graph: &'g ZoneGraph<'n, Wide>,
    goal: &'g CompiledGoal,
    comparison: Comparison,
    watch: Watch<'w>,
    statistics: Statistics,
    /// The branches by the lower bound of their lengths and the order of their creation; those that
    /// were searched come first.
    branches: BTreeMap<(usize, bool, usize), Branch>,
    created: usize,
}

impl Session {
    /// Enumerates at most `most` runs to `goal`. The verdict is [`Verdict::Satisfied`] if there are
    /// no others or all that were requested were found.
    pub(crate) fn several_runs<'l>(
        &self,
        goal: &Formula,
        most: usize,
        options: &VerifyOptions,
        start: Instant,
        listener: Option<&'l mut SearchListener<'l>>,
    ) -> Result<Answer, Reason> {
        if self.model().has_rates() {
            return Err(Reason::Unsuited("several runs of a model with stopwatches".to_owned()));
        }
        let watch = Watch::new(&options.resources, start, listener);
        let prepared = Prepared::metered(self, goal, options.abstraction, watch.work())?;
        let prepared = prepared.suited_to(options)?;
        let graph = &prepared.graph::<Wide>()?;
        let comparison = Prepared::comparison(graph, options.comparison)?;
        let goal = &CompiledGoal::new(self.model(), goal);
        let mut enumeration = Enumeration {
            graph,
            goal,
            comparison,
            watch,
            statistics: Statistics::default(),
            branches: BTreeMap::new(),
            created: 0,
        };
        let mut runs: Vec<Trace> = Vec::new();
        let found = enumeration.paths(most, |steps| {
            let run = concretise(graph, steps, Destination::Goal(goal))?;
            runs.push(self.namer().trace(graph.network(), &run));
            Ok(())
        });
        let verdict = match found {
            Ok(Ok(())) => Verdict::Satisfied,
            Ok(Err(NoRun::Stopped(why))) | Err(End::Stopped(why)) => {
                Verdict::Unknown(Reason::Stopped(why))
            }
            Ok(Err(NoRun::Spurious)) => Verdict::Spurious,
            Ok(Err(NoRun::ClockRange)) => Verdict::Unknown(Reason::ClockRange),
            Err(End::Failed(error)) => verdict_of_failure(error),
        };
        Ok(Answer {
            findings: Findings::Runs(runs),
            strategy: Order::BreadthFirst.into(),
            abstraction: Some(graph.abstraction()),
            statistics: enumeration.statistics,
            ..Answer::unexplored(verdict, options, start)
        })
    }
}

impl Enumeration<'_, '_, '_> {
    /// Visits paths in the order of their lengths until `visit` fails.
    fn paths<E>(
        &mut self,
        most: usize,
        mut visit: impl FnMut(&[Step]) -> Result<(), E>,
    ) -> Result<Result<(), E>, End> {
        let initial = self.initial()?;
        let mut left = most;
        if left == 0 {
            return Ok(Ok(()));
        }
        for Reached { state, .. } in &initial {
            if self.holds_in(state)? {
                return Ok(visit(&[]));
            }
        }
        self.add(1, Branch { prefix: Vec::new(), excluded: Vec::new(), shortest: None });
        while let Some(((bound, ..), branch)) = self.branches.pop_first() {
            let Some(path) = &branch.shortest else {
                if let Some(path) = self.shortest(&initial, &branch)? {
                    let length = path.len();
                    self.add(length.max(bound), Branch { shortest: Some(path), ..branch });
                }
                continue;
            };
            if let Err(error) = visit(path) {
                return Ok(Err(error));
            }
            left -= 1;
            if left == 0 {
                break;
            }
            self.split(bound, branch);
        }
        Ok(Ok(()))
    }

    /// Adds the branches that a branch consists of without its shortest path.
    fn split(&mut self, bound: usize, branch: Branch) {
        let Branch { prefix, mut excluded, shortest } = branch;
        let path = shortest.unwrap_or_default();
        let path: Vec<Transition> = path.iter().map(|&step| self.transition(step)).collect();
        let first = prefix.len();
        for (position, transition) in path.iter().enumerate().skip(first) {
            let excluded = match position == first {
                true => {
                    excluded.push(transition.clone());
                    std::mem::take(&mut excluded)
                }
                false => vec![transition.clone()],
            };
            self.add(bound, Branch { prefix: path[..position].to_vec(), excluded, shortest: None });
        }
    }

    fn add(&mut self, bound: usize, branch: Branch) {
        self.created += 1;
        self.branches.insert((bound, branch.shortest.is_none(), self.created), branch);
    }

    /// A shortest path of a branch.
    fn shortest(&mut self, initial: &[Reached], branch: &Branch) -> Result<Option<Vec<Step>>, End> {
        let mut ends = initial.to_vec();
        for transition in &branch.prefix {
            ends = self.successors(&ends, |step| self.transition(step) == *transition)?;
        }
        let firsts =
            self.successors(&ends, |step| !branch.excluded.contains(&self.transition(step)))?;
        let starts: Vec<_> = firsts.iter().map(|first| first.state.clone()).collect();
        let system = Later { graph: self.graph, starts: &starts };
        let covering = ZoneCovering::new(self.graph, self.comparison);
        let store = ArenaStore::new(StateEncoding::new(self.graph), covering);
        let goal = LaterGoal(ZoneGoal::new(self.graph, self.goal));
        let frontier = AStar::new(Blind, Ties::default());
        let search = Search::shortest(&system, goal, store, frontier);
        let (report, _) = search.finish(&mut self.watch);
        self.watch.count_earlier(report.statistics.explored);
        self.statistics.explored += report.statistics.explored;
        self.statistics.stored = self.statistics.stored.max(report.statistics.stored);
        let rest = match report.outcome {
            Outcome::Reached { steps, .. } => steps,
            Outcome::Exhausted => return Ok(None),
            Outcome::Stopped { why, .. } => return Err(End::Stopped(why)),
            Outcome::Failed { error, .. } => return Err(error.into()),
        };
        // The search does not name the state that it began in; any from which the steps lead to the
        // goal is right.
        for first in firsts {
            let mut ends = vec![first];
            for &step in &rest {
                ends = self.successors(&ends, |other| other == step)?;
            }
            if let Some(Reached { steps, state }) = ends.pop()
                && self.holds_in(&state)?
            {
                return Ok(Some(steps));
            }
        }
        Ok(None)
    }

    fn holds_in(&mut self, state: &SymbolicState<Wide>) -> Result<bool, End> {
        Ok(LaterGoal(ZoneGoal::new(self.graph, self.goal)).holds_in(state)?)
    }

    /// The initial state, or its parts.
    fn initial(&self) -> Result<Vec<Reached>, End> {
        let (mut found, mut error) = (Vec::new(), None);
        let _ = self.graph.for_each_initial(&mut self.graph.scratch(), |state| {
            match state {
                Ok(state) => found.push(Reached { steps: Vec::new(), state: state.clone() }),
                Err(why) => error = Some(why),
            }
            ControlFlow::Continue(())
        });
        error.map_or(Ok(found), |why| Err(why.into()))
    }

    /// The targets of the steps from some states that `selects` selects, in order.
    fn successors(
        &self,
        states: &[Reached],
        selects: impl Fn(Step) -> bool,
    ) -> Result<Vec<Reached>, End> {
        let (mut found, mut error) = (Vec::new(), None);
        let mut scratch = self.graph.scratch();
        for Reached { steps, state } in states {
            let _ = self.graph.for_each_successor(state, &mut scratch, |successor| {
                match successor {
                    Successor::State(step, target) if selects(step) => {
                        let steps = steps.iter().copied().chain([step]).collect();
                        found.push(Reached { steps, state: target.clone() });
                    }
                    Successor::Error(step, why) if selects(step) => error = Some(why),
                    Successor::State(..) | Successor::Error(..) => {}
                }
                ControlFlow::Continue(())
            });
        }
        error.map_or(Ok(found), |why| Err(why.into()))
    }

    fn transition(&self, step: Step) -> Transition {
        self.graph.network().names().read(step, <[ActionId]>::to_vec)
    }
}

#[cfg(test)]
mod tests {
    use crate::load::{LoadOptions, load_text};
    use crate::task::Task;
    use crate::verify::{Evidence, VerifyOptions};
    use std::collections::BTreeSet;

    /// The verdict and the lengths of the runs to the goal of the first query, all different.
    fn check(model: &str, most: usize) -> (&'static str, Vec<usize>) {
        let session =
            load_text("m.xta", model, &LoadOptions::default()).session().expect("a model");
        let (id, _) = session.queries().next().expect("a query");
        let task = Task::several_runs(&session, id, most, &VerifyOptions::default());
        let answer = task.expect("a supported query").perform(Evidence::default());
        let key = |run: &zonaut_trace::Trace| {
            let edges = run.steps.iter().flat_map(|step| &step.edges);
            edges.map(|edge| (edge.process.clone(), edge.edge)).collect::<Vec<_>>()
        };
        let different: BTreeSet<_> = answer.runs().iter().map(key).collect();
        assert_eq!(different.len(), answer.runs().len(), "{model}");
        let lengths = answer.runs().iter().map(|run| run.steps.len()).collect();
        (answer.verdict.name(), lengths)
    }

    #[test]
    fn all_paths_of_a_finite_graph_are_found_shortest_first() {
        let diamond = "process P() { state a, b, c, d; init a;
            trans a -> b { }, a -> c { }, b -> d { }, c -> d { }, a -> d { }, b -> c { }; }
            system P; query { E<> P.d }";
        assert_eq!(check(diamond, 10), ("satisfied", vec![1, 2, 2, 3]));
        assert_eq!(check(diamond, 2), ("satisfied", vec![1, 2]));
        assert_eq!(check(diamond, 0), ("satisfied", vec![]));
    }

    #[test]
    fn loops_give_longer_and_longer_runs() {
        let circle = "clock x; process P() { state a, b; init a;
            trans a -> a { guard x >= 1; assign x = 0; }, a -> b { guard x >= 2; }; }
            system P; query { E<> P.b }";
        assert_eq!(check(circle, 4), ("satisfied", vec![1, 2, 3, 4]));
    }

    #[test]
    fn runs_end_at_the_first_goal_and_obey_time() {
        let initial = "process P() { state a; init a; trans a -> a { }; } system P;
            query { E<> P.a }";
        assert_eq!(check(initial, 5), ("satisfied", vec![0]));
        let late = "clock x; process P() { state a { x <= 1 }, b, c; init a;
            trans a -> b { guard x >= 2; }, a -> c { guard x == 1; }, c -> b { }; }
            system P; query { E<> P.b }";
        assert_eq!(check(late, 5), ("satisfied", vec![2]));
    }

    #[test]
    fn counterexamples_of_an_invariant_are_enumerated_too() {
        let unsafe_model = "int[0, 3] n; process P() { state a; init a;
            trans a -> a { guard n < 3; assign n = n + 1; }, a -> a { guard n < 2; assign n = n + 2; };
            } system P; query { A[] n < 3 }";
        assert_eq!(check(unsafe_model, 10), ("satisfied", vec![2, 2, 3]));
    }

    #[test]
    fn parts_of_a_split_result_are_one_run() {
        let differences = "clock x, y; process P() { state a, b, c, d; init a;
            trans a -> b { assign x = 0; }, b -> c { guard x - y <= -1; },
                b -> c { guard y - x < 2; }, c -> d { guard y - x > 1; }; }
            system P; query { E<> P.d }";
        assert_eq!(check(differences, 10), ("satisfied", vec![3, 3]));
    }

    /// The numbers of paths of each length against plain enumeration without covering.
    #[test]
    fn numbers_of_paths_agree_with_plain_enumeration() {
        let grid = "int[0, 3] i; int[0, 3] j; process P() { state a; init a;
            trans a -> a { guard i < 3; assign i = i + 1; }, a -> a { guard j < 3; assign j = j + 1; };
            } system P; query { E<> i == 3 && j == 3 }";
        let (verdict, lengths) = check(grid, 100);
        assert_eq!(verdict, "satisfied");
        assert_eq!(lengths, vec![6; 20]);
    }
}
