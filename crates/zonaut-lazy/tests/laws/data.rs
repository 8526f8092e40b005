//! Data domains against sets of discrete states of random networks.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use zonaut_analysis::normal_form::Literal;
use zonaut_base::{Id, Meter};
use zonaut_compile::{
    ActionId, BoundsTable, CompiledCondition, CompiledNetwork, CompiledQuery, Machine, Translation,
};
use zonaut_dbm::Wide;
use zonaut_discrete::{Candidate, DiscreteScratch, for_each_candidate};
use zonaut_lazy::{
    ActiveClockBounds, DataDomain, Exact, Explicit, Labelled, LazyDomain, Obstacle, Precision,
    Refutation, TransitionRecord, Visible,
};
use zonaut_model::{Condition, Model, QueryId};
use zonaut_testkit::generate::generate;
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::goal_of;
use zonaut_zonegraph::{Abstraction, ZoneGraph};

/// The number of discrete states of a network that are tested.
const STATES: usize = 12;
/// The number of random states of a label that are tested.
const SAMPLES: usize = 12;

/// The working memory of candidates, without time.
struct Untimed(DiscreteScratch);

impl AsMut<DiscreteScratch> for Untimed {
    fn as_mut(&mut self) -> &mut DiscreteScratch {
        &mut self.0
    }
}

/// The candidates of a state: the actions, and how many of them certainly take part.
type Candidates = BTreeSet<(Vec<ActionId>, usize)>;

/// A discrete state with a packed key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    values: Vec<i32>,
    key: Vec<u64>,
}

/// A transition between discrete states.
struct Taken {
    from: State,
    participants: Vec<ActionId>,
    to: State,
}

/// A network whose data is tested, without clocks: any order of transitions that the data allows.
struct World<'m> {
    model: &'m Model,
    network: &'m CompiledNetwork,
    machine: Machine,
    scratch: Untimed,
    random: Random,
    active: ActiveClockBounds,
}

impl<'m> World<'m> {
    fn new(model: &'m Model, network: &'m CompiledNetwork, seed: u64) -> Self {
        let meter = Meter::default();
        Self {
            model,
            network,
            machine: network.machine(&meter),
            scratch: Untimed(DiscreteScratch::new(network, &meter)),
            random: Random::new(seed),
            active: ActiveClockBounds::default(),
        }
    }

    fn state(&self, values: Vec<i32>) -> State {
        let mut key = Vec::new();
        self.network.packing.pack(&values, &mut key);
        State { values, key }
    }

    /// The candidates of a state; `None` if their computation fails.
    fn candidates(&mut self, values: &[i32]) -> Option<Candidates> {
        let mut found = Candidates::new();
        self.scratch.0.leave(values);
        let visited = for_each_candidate(self.network, &mut self.scratch, |candidate, _| {
            found.insert(match candidate {
                Candidate::Joint(participants) => (participants.to_vec(), participants.len()),
                Candidate::Broadcast(broadcast) => {
                    let all = [&[broadcast.sender], broadcast.receivers].concat();
                    (all, 1)
                }
            });
            ControlFlow::Continue(())
        });
        visited.is_ok().then_some(found)
    }

    /// The state after actions, and their clock effects; `None` if a data guard is false, or an
    /// update fails.
    fn after(&mut self, values: &[i32], participants: &[ActionId]) -> Option<State> {
        let mut values = values.to_vec();
        for &action in participants {
            let guard = &self.network.action(action).guard;
            if self.network.data_holds(guard, &mut values, &mut self.machine) != Ok(true) {
                return None;
            }
        }
        self.network.take(participants, &mut values, &mut self.machine).ok()?;
        Some(self.state(values))
    }

    /// Some states that transitions reach, with the transitions between them.
    fn explored(&mut self) -> (Vec<State>, Vec<Taken>) {
        let mut states = vec![self.state(self.network.initial.to_vec())];
        let (mut transitions, mut next) = (Vec::new(), 0);
        while next < states.len() && next < STATES {
            let from = states[next].clone();
            next += 1;
            for (participants, certain) in self.candidates(&from.values).unwrap_or_default() {
                if certain < participants.len() {
                    continue;
                }
                let Some(to) = self.after(&from.values, &participants) else { continue };
                if !states.contains(&to) {
                    states.push(to.clone());
                }
                transitions.push(Taken { from: from.clone(), participants, to });
            }
        }
        (states, transitions)
    }

    /// Whether a state is in the set that the label of another one represents.
    fn is_in(&self, domain: &dyn DataDomain, exact: &State, label: u32, state: &State) -> bool {
        let keys = exact.key.iter().zip(&state.key).zip(domain.visible(label));
        let processes = self.model.processes.len();
        let mut keys = keys;
        keys.all(|((one, other), visible)| (one ^ other) & visible == 0)
            && domain.ranges(label).iter().all(|range| {
                let value = state.values[processes + range.cell.index()];
                range.low <= value && value <= range.high
            })
    }

    /// Random states of a label, the exact one first.
    fn samples(&mut self, domain: &dyn DataDomain, exact: &State, label: u32) -> Vec<State> {
        assert!(self.is_in(domain, exact, label, exact), "the exact part is kept");
        let mut samples = vec![exact.clone()];
        for _ in 0..SAMPLES {
            let mut state = exact.clone();
            for (id, cell) in self.model.cells.iter_enumerated() {
                if cell.meta || self.random.chance(30) {
                    continue;
                }
                let mut values = state.values.clone();
                let (low, high) = (cell.range.low.max(-20), cell.range.high.min(20));
                let ends = [cell.range.low, cell.range.high, low.max(high.min(0))];
                values[self.model.processes.len() + id.index()] = match self.random.chance(30) {
                    true => self.random.choose(&ends),
                    false if low <= high => self.random.between(low, high),
                    false => cell.range.low,
                };
                let changed = self.state(values);
                if self.is_in(domain, exact, label, &changed) {
                    state = changed;
                }
            }
            samples.push(state);
        }
        samples
    }
}

/// The label of a state after an obstacle, and its draft; checks law 6.
fn blocked<D: LazyDomain<Wide, Label = u32> + DataDomain>(
    world: &mut World<'_>,
    domain: &mut D,
    state: &State,
    label: u32,
    obstacle: Obstacle<'_, Wide>,
) -> (u32, D::Draft) {
    let active = world.active.clone();
    let exact = Exact { key: &state.key, zone: &[], active: &active };
    let mut draft = D::Draft::default();
    domain.draft(Labelled { exact, label }, &mut draft);
    domain.strengthen_to_block(exact, obstacle, &mut draft);
    let made = domain.label_of(&draft);
    assert_eq!(made.is_new, made.label != label, "a new label is another one");
    for sample in world.samples(domain, state, made.label) {
        assert!(world.is_in(domain, state, label, &sample), "only strengthened: {state:?}");
    }
    let mut again = D::Draft::default();
    domain.draft(Labelled { exact, label: made.label }, &mut again);
    domain.strengthen_to_block(exact, obstacle, &mut again);
    assert!(!domain.label_of(&again).is_new, "nothing is left to exclude: {state:?}");
    (made.label, draft)
}

/// The counts of tested cases, to see that the laws do not hold vacuously.
#[derive(Default, Debug)]
struct Count {
    others: usize,
    literals: usize,
    transitions: usize,
    moved: usize,
    covered: usize,
}

/// Checks all laws of a domain on the states of a network.
fn check<D: LazyDomain<Wide, Label = u32> + DataDomain>(
    world: &mut World<'_>,
    domain: &mut D,
    literals: Option<&mut DataLiterals>,
    count: &mut Count,
) {
    let (states, transitions) = world.explored();
    let mut labels = Vec::new();
    for state in &states {
        let Some(candidates) = world.candidates(&state.values) else { continue };
        let active = world.active.clone();
        let weakest = domain.weakest(Exact { key: &state.key, zone: &[], active: &active });
        let (label, _) = blocked(world, domain, state, weakest, Obstacle::Others);
        for sample in world.samples(domain, state, label) {
            let of_sample = world.candidates(&sample.values);
            let is_kept = of_sample.as_ref().is_some_and(|found| found.is_subset(&candidates));
            assert!(is_kept, "{state:?} {sample:?}: {candidates:?} {of_sample:?}");
            count.others += usize::from(sample != *state);
        }
        labels.push((state, label));
    }
    for Taken { from, participants, to } in &transitions {
        check_transition(world, domain, [from, to], participants, count);
    }
    if let Some(literals) = literals {
        check_goal(world, domain, literals, &states, count);
    }
    check_covering(world, domain, &labels, count);
}

/// Laws 4 and 5 for a transition: its effects on clocks are those of the exact state, and it leads
/// into the label of the target.
fn check_transition<D: LazyDomain<Wide, Label = u32> + DataDomain>(
    world: &mut World<'_>,
    domain: &mut D,
    [from, to]: [&State; 2],
    participants: &[ActionId],
    count: &mut Count,
) {
    let active = world.active.clone();
    let ends = [from, to].map(|state| Exact { key: &state.key, zone: &[], active: &active });
    let weakest = ends.map(|end| domain.weakest(end));
    let obstacle = Obstacle::Transition(participants, &to.key);
    let (label, _) = blocked(world, domain, from, weakest[0], obstacle);
    let _ = world.after(&from.values, participants);
    let effects = world.machine.clock_effects.clone();
    for sample in world.samples(domain, from, label) {
        if world.after(&sample.values, participants).is_some() {
            assert_eq!(world.machine.clock_effects, effects, "{from:?} {sample:?}");
            count.transitions += usize::from(sample != *from);
        }
    }
    let (after, learnt) = blocked(world, domain, to, weakest[1], Obstacle::Others);
    let record = TransitionRecord {
        number: count.moved as u32,
        participants: participants.into(),
        before: Box::default(),
        effects: effects.into(),
        arrival: Box::default(),
        delayed: false,
        departure: Box::default(),
    };
    let mut into = D::Draft::default();
    domain.draft(Labelled { exact: ends[0], label }, &mut into);
    domain.before(&record, ends, &learnt, &mut into);
    let before = domain.label_of(&into).label;
    for sample in world.samples(domain, from, before) {
        assert!(world.is_in(domain, from, label, &sample), "only strengthened: {from:?}");
        if let Some(next) = world.after(&sample.values, participants) {
            assert!(world.is_in(domain, to, after, &next), "{sample:?} to {next:?}: {from:?}");
        }
    }
    count.moved += 1;
}

/// The literals of a goal about data, compiled, with their numbers.
struct DataLiterals {
    query: CompiledQuery,
    machine: Machine,
    conditions: Vec<(usize, CompiledCondition, bool)>,
}

impl DataLiterals {
    fn new(model: &Model, literals: &[(Literal<'_>, bool)]) -> Self {
        let (mut translation, mut conditions) = (Translation::new(model), Vec::new());
        for (number, (literal, is_negated)) in literals.iter().enumerate() {
            if let Literal::Data(data) = literal {
                let condition = Condition { data: Some(*data), clocks: Vec::new() };
                conditions.push((number, translation.condition(&condition), *is_negated));
            }
        }
        let query = translation.finish();
        let machine = query.machine(&Meter::default());
        Self { query, machine, conditions }
    }

    /// The numbers of the literals that are false in a state.
    fn failing(&mut self, state: &State) -> BTreeSet<usize> {
        let Self { query, machine, conditions } = self;
        let is_false = |(_, condition, is_negated): &&(usize, CompiledCondition, bool)| {
            let holds = query.data_holds(condition, &mut state.values.clone(), machine);
            holds == Ok(*is_negated)
        };
        conditions.iter().filter(is_false).map(|(number, ..)| *number).collect()
    }
}

/// Law 4 for the literals of a goal: a literal that is false in the exact state is false in the
/// label.
fn check_goal<D: LazyDomain<Wide, Label = u32> + DataDomain>(
    world: &mut World<'_>,
    domain: &mut D,
    literals: &mut DataLiterals,
    states: &[State],
    count: &mut Count,
) {
    let active = world.active.clone();
    for state in states {
        for literal in literals.failing(state) {
            let weakest = domain.weakest(Exact { key: &state.key, zone: &[], active: &active });
            let obstacle = Obstacle::LiteralFails(literal);
            let (label, _) = blocked(world, domain, state, weakest, obstacle);
            for sample in world.samples(domain, state, label) {
                let is_kept = literals.failing(&sample).contains(&literal);
                assert!(is_kept, "{literal}: {state:?} {sample:?}");
                count.literals += usize::from(sample != *state);
            }
        }
    }
}

/// Laws 2 and 3, and that covering is reflexive and transitive.
fn check_covering<D: LazyDomain<Wide, Label = u32> + DataDomain>(
    world: &mut World<'_>,
    domain: &mut D,
    labels: &[(&State, u32)],
    count: &mut Count,
) {
    let active = world.active.clone();
    fn labelled<'e>(
        (state, label): (&'e State, u32),
        active: &'e ActiveClockBounds,
    ) -> Labelled<'e, Wide, u32> {
        Labelled { exact: Exact { key: &state.key, zone: &[], active }, label }
    }
    for &larger in labels {
        for &smaller in labels {
            let [one, other] = [larger, smaller].map(|node| labelled(node, &active));
            let is_covered = domain.still_covered(one, other);
            assert!(is_covered || larger.0 != smaller.0, "reflexive: {larger:?}");
            if is_covered {
                for sample in world.samples(domain, smaller.0, smaller.1) {
                    assert!(world.is_in(domain, larger.0, larger.1, &sample), "{larger:?}");
                }
                for &largest in labels {
                    let largest = labelled(largest, &active);
                    let is_transitive =
                        !domain.still_covered(largest, one) || domain.still_covered(largest, other);
                    assert!(is_transitive, "{larger:?} {smaller:?}");
                }
            }
            if domain.may_cover(one, other.exact) {
                assert!(world.is_in(domain, larger.0, larger.1, smaller.0), "{larger:?}");
                let mut draft = D::Draft::default();
                domain.draft(other, &mut draft);
                domain.strengthen_to_cover(one, &mut draft);
                let made = (smaller.0, domain.label_of(&draft).label);
                assert!(domain.still_covered(one, labelled(made, &active)), "{larger:?}");
                count.covered += usize::from(larger.0 != smaller.0);
            }
        }
    }
}

/// Checks a domain on random networks: the explicit one without a precision.
fn check_all(precision: Option<Precision>) -> Count {
    let mut count = Count::default();
    for seed in 0..120 {
        let model = generate(seed).to_model();
        let Some(goal) = goal_of(&model.queries[QueryId::from_index(0)].kind) else { continue };
        if model.has_priorities() {
            continue;
        }
        let meter = Meter::default();
        let Ok(network) = CompiledNetwork::new(&model, &meter) else { continue };
        let bounds = BoundsTable::new(&model, &goal);
        let abstraction = Abstraction::best(&bounds);
        let Ok(graph) = ZoneGraph::<Wide>::new(&network, &bounds, abstraction, &meter) else {
            continue;
        };
        let mut world = World::new(&model, &network, seed);
        match precision {
            None => check(&mut world, &mut Explicit::new(&network), None, &mut count),
            Some(precision) => {
                let refutation = Refutation::new(&model, &goal, &meter);
                let literals = refutation.as_ref().map(Refutation::literals).unwrap_or_default();
                let mut compiled = DataLiterals::new(&model, &literals);
                let mut domain = Visible::new(&model, &graph, literals, precision);
                check(&mut world, &mut domain, Some(&mut compiled), &mut count);
            }
        }
    }
    count
}

#[test]
fn visible_cells_satisfy_the_laws() {
    let count = check_all(Some(Precision::Content));
    let Count { others, literals, transitions, moved, covered } = count;
    assert!(others > 500 && literals > 50 && transitions > 500, "{count:?}");
    assert!(moved > 300 && covered > 100, "{count:?}");
}

#[test]
fn ranges_satisfy_the_laws() {
    let count = check_all(Some(Precision::Range));
    let Count { others, literals, transitions, moved, covered } = count;
    assert!(others > 500 && literals > 50 && transitions > 500, "{count:?}");
    assert!(moved > 300 && covered > 100, "{count:?}");
}

#[test]
fn explicit_data_satisfies_the_laws() {
    let count = check_all(None);
    assert!(count.moved > 300, "{count:?}");
}
