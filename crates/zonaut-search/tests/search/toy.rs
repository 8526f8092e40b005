//! Random small state spaces with a covering that is a simulation by construction, and their true
//! distances by enumeration.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use zonaut_search::Random;
use zonaut_space::{BucketPart, Covering, Encoding, Goal, Member, Successor, TransitionSystem};

/// A place and two levels. Higher levels enable more steps and lead higher, so they cover lower
/// ones.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct State {
    /// The place, as the one word of a bucket.
    pub(crate) place: [u64; 1],
    /// The levels; odd places repeat them, so that payload lengths differ.
    pub(crate) levels: Vec<i32>,
}

impl State {
    pub(crate) fn new(place: u64, [a, b]: [i32; 2]) -> Self {
        let levels = if place.is_multiple_of(2) { vec![a, b] } else { vec![a, b, a, b] };
        Self { place: [place], levels }
    }

    fn pair(&self) -> [i32; 2] {
        [self.levels[0], self.levels[1]]
    }

    fn reaches(&self, least: [i32; 2]) -> bool {
        self.levels[0] >= least[0] && self.levels[1] >= least[1]
    }
}

#[derive(Clone, Debug)]
struct Edge {
    to: u64,
    least: [i32; 2],
    change: [i32; 2],
    cap: [i32; 2],
    fails: bool,
}

/// A state space; steps are positions in the list of edges of a place.
#[derive(Clone, Debug)]
pub(crate) struct Toy {
    edges: Vec<Vec<Edge>>,
    initial: Vec<State>,
    goal_place: u64,
    goal_least: [i32; 2],
}

const LEVELS: usize = 4;

impl Toy {
    pub(crate) fn random(random: &mut Random) -> Self {
        let places = 3 + random.below(10);
        let edges = (0..places)
            .map(|_| (0..1 + random.below(3)).map(|_| Edge::random(random, places)).collect())
            .collect();
        let initial = (0..1 + random.below(2))
            .map(|_| {
                let place = random.below(places) as u64;
                State::new(place, [random.below(2) as i32, random.below(2) as i32])
            })
            .collect();
        Self {
            edges,
            initial,
            goal_place: random.below(places) as u64,
            goal_least: [random.below(LEVELS) as i32, random.below(LEVELS) as i32],
        }
    }

    /// A space with this many places, hundreds of pairs of levels, and no goal.
    pub(crate) fn wide(random: &mut Random, places: usize) -> Self {
        let edge = |random: &mut Random| {
            let cap = [0, 1].map(|_| 16 + random.below(10) as i32);
            Edge { cap, ..Edge::random(random, places) }
        };
        let edges = (0..places).map(|_| (0..4).map(|_| edge(random)).collect()).collect();
        let initial = vec![State::new(0, [20, 20])];
        Self { edges, initial, goal_place: 1, goal_least: [100, 100] }
    }

    /// The same space with some failing edges.
    pub(crate) fn with_failures(mut self, random: &mut Random) -> Self {
        for edge in self.edges.iter_mut().flatten() {
            edge.fails = random.below(8) == 0;
        }
        self
    }

    pub(crate) fn initial(&self) -> &[State] {
        &self.initial
    }

    pub(crate) fn is_goal(&self, state: &State) -> bool {
        state.place[0] == self.goal_place && state.reaches(self.goal_least)
    }

    fn step(&self, state: &State, step: u32) -> Option<Result<State, &'static str>> {
        let edge = &self.edges[state.place[0] as usize][step as usize];
        if !state.reaches(edge.least) {
            return None;
        }
        if edge.fails {
            return Some(Err("the edge fails"));
        }
        let [a, b] = state.pair();
        let move_level =
            |level: i32, index: usize| (level + edge.change[index]).clamp(0, edge.cap[index]);
        Some(Ok(State::new(edge.to, [move_level(a, 0), move_level(b, 1)])))
    }

    pub(crate) fn successors(&self, state: &State) -> Vec<(u32, Result<State, &'static str>)> {
        let steps = 0..self.edges[state.place[0] as usize].len() as u32;
        steps.filter_map(|step| Some((step, self.step(state, step)?))).collect()
    }

    /// Levels, each of them too low, without which some step from the state would be enabled or the
    /// state would be a goal.
    pub(crate) fn why_disabled(&self, state: &State) -> [bool; 2] {
        let edges = self.edges[state.place[0] as usize].iter().map(|edge| edge.least);
        let goal = (state.place[0] == self.goal_place).then_some(self.goal_least);
        let mut levels = [false; 2];
        for least in edges.chain(goal) {
            let too_low = [0, 1].map(|level| state.levels[level] < least[level]);
            let is_explained = (0..2).any(|level| too_low[level] && levels[level]);
            if let (false, Some(level)) = (is_explained, too_low.iter().position(|&low| low)) {
                levels[level] = true;
            }
        }
        levels
    }

    /// All reachable states with their distances from the initial ones, by relaxation to a
    /// fixpoint; failing edges have no target.
    pub(crate) fn distances(&self) -> BTreeMap<State, u32> {
        let mut distances: BTreeMap<State, u32> =
            self.initial.iter().map(|state| (state.clone(), 0)).collect();
        loop {
            let before = distances.clone();
            for (state, distance) in &before {
                for (_, target) in self.successors(state) {
                    let Ok(target) = target else { continue };
                    let known = distances.entry(target).or_insert(u32::MAX);
                    *known = (*known).min(distance + 1);
                }
            }
            if distances == before {
                return distances;
            }
        }
    }

    /// The length of a shortest path to the goal.
    pub(crate) fn shortest_path(&self) -> Option<u32> {
        let distances = self.distances();
        distances.iter().filter(|(state, _)| self.is_goal(state)).map(|(_, &steps)| steps).min()
    }

    /// For each state of the whole space, the distance to the goal, if it is reachable.
    pub(crate) fn distances_to_goal(&self) -> BTreeMap<State, u32> {
        let level = || 0..LEVELS as i32;
        let all: Vec<State> = (0..self.edges.len() as u64)
            .flat_map(|place| level().flat_map(move |a| level().map(move |b| (place, [a, b]))))
            .map(|(place, levels)| State::new(place, levels))
            .collect();
        let mut distances: BTreeMap<State, u32> = all
            .iter()
            .filter(|state| self.is_goal(state))
            .map(|state| (state.clone(), 0))
            .collect();
        loop {
            let before = distances.clone();
            for state in &all {
                let targets = self.successors(state).into_iter();
                let nearest = targets.filter_map(|(_, target)| before.get(&target.ok()?)).min();
                if let Some(&nearest) = nearest {
                    let known = distances.entry(state.clone()).or_insert(u32::MAX);
                    *known = (*known).min(nearest + 1);
                }
            }
            if distances == before {
                return distances;
            }
        }
    }

    /// Whether breadth-first search meets a goal or a failure first; goals count when generated.
    pub(crate) fn first_goal_or_failure(&self) -> Option<bool> {
        let mut seen: Vec<State> = Vec::new();
        let mut next = 0;
        for state in &self.initial {
            if self.is_goal(state) {
                return Some(true);
            }
            if !seen.contains(state) {
                seen.push(state.clone());
            }
        }
        while next < seen.len() {
            for (_, target) in self.successors(&seen[next]) {
                let Ok(target) = target else { return Some(false) };
                if self.is_goal(&target) {
                    return Some(true);
                }
                if !seen.contains(&target) {
                    seen.push(target);
                }
            }
            next += 1;
        }
        None
    }

    /// The result of the steps from each initial state from which they can be taken.
    fn replay(&self, steps: &[u32]) -> Vec<Result<State, &'static str>> {
        let mut ends: Vec<Result<State, _>> = self.initial.iter().cloned().map(Ok).collect();
        for &step in steps {
            let states = ends.into_iter().filter_map(Result::ok);
            ends = states
                .filter(|state| (step as usize) < self.edges[state.place[0] as usize].len())
                .filter_map(|state| self.step(&state, step))
                .collect();
        }
        ends
    }

    /// Whether the steps lead from some initial state to the goal.
    pub(crate) fn replays_to_goal(&self, steps: &[u32]) -> bool {
        self.replay(steps).iter().flatten().any(|state| self.is_goal(state))
    }

    /// Whether the last of the steps fails from some initial state.
    pub(crate) fn replays_to_failure(&self, steps: &[u32]) -> bool {
        self.replay(steps).iter().any(Result::is_err)
    }
}

impl Edge {
    fn random(random: &mut Random, places: usize) -> Self {
        let mut pair = |bound: usize, offset: i32| {
            [random.below(bound) as i32 + offset, random.below(bound) as i32 + offset]
        };
        let (least, change, cap) = (pair(3, -1), pair(3, -1), pair(2, LEVELS as i32 - 2));
        Self { to: random.below(places) as u64, least, change, cap, fails: false }
    }
}

impl TransitionSystem for Toy {
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
        self.initial.iter().try_for_each(|state| visit(Ok(&mut state.clone())))
    }

    fn for_each_successor(
        &self,
        state: &State,
        (): &mut (),
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.successors(state).into_iter().try_for_each(|(step, target)| match target {
            Ok(mut target) => visit(Successor::State(step, &mut target)),
            Err(error) => visit(Successor::Error(step, error)),
        })
    }
}

/// The goal of a toy.
pub(crate) struct ToyGoal<'t>(pub(crate) &'t Toy);

impl Goal<Toy> for ToyGoal<'_> {
    fn holds_in(&mut self, state: &State) -> Result<bool, &'static str> {
        Ok(self.0.is_goal(state))
    }
}

/// The encoding of toy states: the place is the bucket, the levels the payload.
#[derive(Default)]
pub(crate) struct ToyEncoding {
    /// Whether states are of several kinds.
    pub(crate) has_kinds: bool,
}

impl Encoding for ToyEncoding {
    type Item = i32;
    type State = State;

    fn bucket_words(&self) -> usize {
        1
    }
    fn bucket<'s>(&self, state: &'s State) -> &'s [u64] {
        &state.place
    }
    fn payload<'s>(&self, state: &'s State) -> &'s [i32] {
        &state.levels
    }
    fn load(&self, bucket: &[u64], payload: &[i32], into: &mut State) {
        into.place.copy_from_slice(bucket);
        into.levels.clear();
        into.levels.extend_from_slice(payload);
    }
    fn kind(&self, bucket: &[u64]) -> Option<u64> {
        self.has_kinds.then(|| bucket[0] * 5 % 3)
    }
    fn parts(&self) -> Vec<BucketPart> {
        (0..3).map(|bit| BucketPart { word: 0, bits: 1 << bit }).collect()
    }
}

/// The covering of toy states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ToyCovering {
    Equality,
    Levels,
}

impl ToyCovering {
    pub(crate) fn compares(self, larger: &[i32], smaller: &[i32]) -> bool {
        match self {
            Self::Equality => larger == smaller,
            Self::Levels => larger.iter().zip(smaller).all(|(large, small)| large >= small),
        }
    }

    pub(crate) fn covers_state(self, larger: &State, smaller: &State) -> bool {
        larger.place == smaller.place && self.compares(&larger.levels, &smaller.levels)
    }
}

impl Covering for ToyCovering {
    type Item = i32;
    type Scratch = ();

    fn scratch(&self) {}
    fn is_equality(&self) -> bool {
        *self == Self::Equality
    }
    fn covers(&self, larger: Member<'_, i32>, smaller: Member<'_, i32>, (): &mut ()) -> bool {
        self.compares(larger.payload, smaller.payload)
    }
}
