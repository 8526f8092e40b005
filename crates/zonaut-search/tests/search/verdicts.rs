//! Every configuration of the search finds the goal exactly if it is reachable, and shortest paths
//! are shortest, for any covering, heuristic and order.

use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};
use zonaut_base::Id;
use zonaut_search::{
    AStar, Age, Alternating, ArenaStore, Blind, Descents, Fifo, Frontier, Guided, Lifo, Outcome,
    Random, RandomDepthFirst, ReportOf, Restarting, Search, Second, Ties, Uninformed,
};
use zonaut_space::{Admissible, Arrival, Estimate, Heuristic, NodeId, PassedStore};

const TOYS: u64 = 1_500;
const COVERINGS: [ToyCovering; 2] = [ToyCovering::Equality, ToyCovering::Levels];

/// A heuristic that is admissible and otherwise inconsistent: a random part of the true distance,
/// the same for the same state.
#[derive(Clone)]
struct RandomlyLow {
    truth: std::collections::BTreeMap<State, u32>,
    salt: u64,
}

impl RandomlyLow {
    fn new(toy: &Toy, salt: u64) -> Self {
        Self { truth: toy.distances_to_goal(), salt }
    }

    fn random_for(&self, state: &State) -> Random {
        let levels = state.levels.iter().fold(0, |sum, &level| sum * 8 + level as u64);
        Random::new(self.salt ^ (state.place[0] << 32 | levels).wrapping_mul(0x2545_f491_4f6c_dd1d))
    }
}

impl Admissible for RandomlyLow {}

impl Heuristic<State, u32> for RandomlyLow {
    fn estimate(&mut self, state: &State, _: Option<Arrival<'_, State, u32>>) -> Estimate<u32> {
        let mut random = self.random_for(state);
        match self.truth.get(state) {
            Some(&distance) => Estimate::Distance(random.below(distance as usize + 1) as u32),
            None if random.below(2) == 0 => Estimate::DeadEnd,
            None => Estimate::Distance(random.below(10) as u32),
        }
    }
    fn name(&self) -> &'static str {
        "randomly-low"
    }
}

/// A heuristic without information that overestimates.
#[derive(Clone)]
struct Liar(RandomlyLow);

impl Heuristic<State, u32> for Liar {
    fn estimate(&mut self, state: &State, _: Option<Arrival<'_, State, u32>>) -> Estimate<u32> {
        match self.0.random_for(state).below(5) {
            0 => Estimate::Last,
            guess => Estimate::Distance(guess as u32),
        }
    }
    fn name(&self) -> &'static str {
        "liar"
    }
}

type AnyFrontier = Box<dyn Frontier<State, u32>>;

fn all_ties() -> impl Iterator<Item = Ties> {
    [Second::LowEstimate, Second::LowDepth, Second::Nothing]
        .into_iter()
        .flat_map(|second| [Age::Fifo, Age::Lifo].map(|age| Ties { second, age }))
}

fn run_shortest<H>(toy: &Toy, covering: ToyCovering, frontier: AStar<H>) -> ReportOf<Toy>
where
    H: Heuristic<State, u32> + Admissible,
{
    let store = ArenaStore::new(ToyEncoding::default(), covering);
    Search::shortest(toy, ToyGoal(toy), store, frontier).finish(&mut ()).0
}

fn run_reach(
    toy: &Toy,
    covering: ToyCovering,
    frontier: impl Frontier<State, u32>,
) -> ReportOf<Toy> {
    let store = ArenaStore::new(ToyEncoding::default(), covering);
    Search::reach(toy, ToyGoal(toy), store, frontier).finish(&mut ()).0
}

/// Checks the report against the truth: reached by steps that replay, or exhausted. Returns the
/// number of steps.
fn check(toy: &Toy, truth: Option<u32>, report: &ReportOf<Toy>, what: &str) -> Option<u32> {
    match &report.outcome {
        Outcome::Reached { steps, .. } => {
            assert!(truth.is_some(), "{what}: found the unreachable in {toy:?}");
            assert!(toy.replays_to_goal(steps), "{what}: {steps:?} in {toy:?}");
            Some(steps.len() as u32)
        }
        Outcome::Exhausted => {
            assert!(truth.is_none(), "{what}: missed the goal in {toy:?}");
            None
        }
        other => unreachable!("{what}: {other:?} in {toy:?}"),
    }
}

fn for_each_toy(mut visit: impl FnMut(u64, &Toy, Option<u32>)) {
    for seed in 0..TOYS {
        let toy = Toy::random(&mut Random::new(seed));
        visit(seed, &toy, toy.shortest_path());
    }
}

#[test]
fn the_toys_are_neither_trivial_nor_hopeless() {
    let mut lengths = [0; 12];
    for_each_toy(|_, _, truth| lengths[truth.map_or(11, |steps| steps.min(10)) as usize] += 1);
    assert!(lengths[11] > TOYS / 10 && lengths[11] < TOYS * 9 / 10, "{lengths:?}");
    assert!(lengths[4..11].iter().sum::<u64>() > TOYS / 30, "{lengths:?}");
}

#[test]
fn breadth_first_finds_shortest_paths() {
    for_each_toy(|_, toy, truth| {
        for covering in COVERINGS {
            let report = run_shortest(toy, covering, AStar::new(Blind, Ties::default()));
            assert_eq!(check(toy, truth, &report, "blind"), truth, "{covering:?} {toy:?}");
        }
    });
}

#[test]
fn astar_finds_shortest_paths_with_any_admissible_heuristic() {
    for_each_toy(|seed, toy, truth| {
        for (salt, ties) in all_ties().enumerate() {
            for covering in COVERINGS {
                let heuristic = RandomlyLow::new(toy, seed ^ salt as u64);
                let report = run_shortest(toy, covering, AStar::new(heuristic, ties));
                let length = check(toy, truth, &report, "astar");
                assert_eq!(length, truth, "{covering:?} {ties:?} {toy:?}");
            }
        }
    });
}

#[test]
fn every_order_finds_reachable_goals() {
    for_each_toy(|seed, toy, truth| {
        let liar = Liar(RandomlyLow::new(toy, seed));
        let honest = RandomlyLow::new(toy, seed);
        let ties = Ties::default();
        for covering in COVERINGS {
            let frontiers: Vec<(&str, AnyFrontier)> = vec![
                ("bfs", Box::new(Uninformed(Fifo::default()))),
                ("dfs", Box::new(Uninformed(Lifo::default()))),
                ("rdfs", Box::new(Uninformed(RandomDepthFirst::new(seed)))),
                ("greedy", Box::new(Guided::greedy(liar.clone(), ties))),
                ("wastar", Box::new(Guided::weighted(liar.clone(), 3, ties))),
                ("astar", Box::new(AStar::new(honest.clone(), ties))),
                (
                    "restarts",
                    Box::new(Restarting::new(
                        liar.clone(),
                        Descents { seed, patience: 3, perturbation: 4 },
                    )),
                ),
                (
                    "alternating",
                    Box::new(Alternating::new(vec![
                        Guided::greedy(liar.clone(), ties),
                        Guided::weighted(Liar(RandomlyLow::new(toy, !seed)), 2, ties),
                    ])),
                ),
            ];
            for (name, frontier) in frontiers {
                check(toy, truth, &run_reach(toy, covering, frontier), name);
            }
        }
    });
}

/// Reports states as dead ends for which another heuristic would answer `Last`.
struct Pruning(Liar);

impl Heuristic<State, u32> for Pruning {
    fn estimate(&mut self, state: &State, _: Option<Arrival<'_, State, u32>>) -> Estimate<u32> {
        match self.0.estimate(state, None) {
            Estimate::Last => Estimate::DeadEnd,
            estimate => estimate,
        }
    }
    fn name(&self) -> &'static str {
        "pruning"
    }
}

#[test]
fn closing_finds_goals_that_an_unsound_heuristic_pruned() {
    let mut missed = 0;
    for_each_toy(|seed, toy, truth| {
        let liar = Pruning(Liar(RandomlyLow::new(toy, seed)));
        let frontier = Guided::greedy(liar, Ties::default());
        let store = ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
        let (report, store) = Search::reach(toy, ToyGoal(toy), store, frontier).finish(&mut ());
        if report.outcome == Outcome::Exhausted {
            missed += usize::from(truth.is_some());
            let frontier = Uninformed(Fifo::default());
            let closing = Search::close(toy, ToyGoal(toy), store, frontier, report);
            let (closed, store) = closing.finish(&mut ());
            check(toy, truth, &closed, "closed");
            let all = || (0..closed.nodes.len()).map(NodeId::from_index);
            let live = || all().filter(|&node| store.is_live(node));
            assert!(truth.is_some() || live().all(|node| closed.nodes.is_expanded(node)));
        }
    });
    assert!(missed > 0);
}
