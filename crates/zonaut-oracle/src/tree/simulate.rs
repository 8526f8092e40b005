//! Random runs of models before lowering: section 9.8 of the semantics, step by step.
//!
//! Nothing is solved: the instants at which a comparison of clocks changes are those at which the
//! difference of its sides is 0, and everything is evaluated again at each of them and between two
//! of them. All transitions of a process are carried out before one of them is chosen.

use super::expressions::real_of;
use super::machine::{Binding, Lvalue, Machine, Outcome, Scope, State, Stop};
use super::network::{Action, Offer, joined};
use super::value::{Type, Value};
use crate::random::Random;
use zonaut_base::Id;
use zonaut_model::interpret::ErrorKind;
use zonaut_model::statistical::Real;
use zonaut_syntax::tree::{Direction, Document, ExpressionKind, LocationKind};

/// Instants that are closer than this are the same.
const NEAR: f64 = 1e-9;

/// Time stops this long before a strict bound of an invariant.
const GAP: f64 = 1e-8;

/// The limits of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RunLimits {
    /// The longest duration.
    pub duration: f64,
    /// The greatest number of transitions.
    pub transitions: usize,
    /// The greatest number of steps, with those that take no transition.
    pub steps: usize,
}

/// The end of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RunEnd {
    /// A limit on its length.
    Limit,
    /// Too many steps.
    Endless,
    /// Time cannot pass, and no transition is enabled.
    TimeLock,
    /// An evaluation fails.
    Failed,
}

/// A random run.
#[derive(Clone, Debug)]
pub struct RandomRun {
    /// The reason for its end.
    pub end: RunEnd,
    /// The dates of its transitions.
    pub dates: Vec<f64>,
    /// Its last state.
    pub state: State,
}

/// Runs a model at random.
#[derive(Clone, Debug)]
pub struct Simulator<'d> {
    machine: Machine<'d>,
    initial: State,
    clocks: Vec<Lvalue>,
}

/// The truth at an instant, or directly after it, for each process.
struct Instant {
    at: f64,
    is_after: bool,
    has_output: Vec<bool>,
    has_urgent_output: Vec<bool>,
    invariant_holds: Vec<bool>,
}

/// The delays that a process may propose.
struct Proposal {
    earliest: Option<f64>,
    latest: f64,
}

/// The probability of an action, and whether the weights of its branches sum to 0.
struct Chance {
    chance: f64,
    fails: bool,
}

/// A transition that can be taken: the initiating action first, and the state after it.
struct Candidate {
    group: Vec<Action>,
    target: Outcome<State>,
}

impl<'d> Simulator<'d> {
    /// A simulator of a model.
    ///
    /// # Errors
    /// If an initialiser fails, or a feature is not supported.
    pub fn new(document: &'d Document) -> Result<Self, Stop> {
        let machine = Machine::declared(document, Some(Random::new(0)))?;
        let mut clocks = Vec::new();
        for (variable, declared) in machine.variables.iter().enumerate() {
            add_clocks(&declared.ty, Lvalue { variable, path: Vec::new() }, &mut clocks);
        }
        let mut simulator = Self { initial: machine.initial(), machine, clocks };
        let mut initial = simulator.initial.clone();
        simulator.change_clocks(&mut initial, |_, value| value);
        simulator.initial = initial;
        Ok(simulator)
    }

    /// The run of a seed.
    ///
    /// # Errors
    /// If a feature is not supported, or the initial state violates an invariant.
    pub fn run(&mut self, seed: u64, limits: &RunLimits) -> Result<RandomRun, &'static str> {
        self.machine.random = Some(Random::new(seed));
        let state = self.initial.clone();
        match self.machine.invariant_holds(&state) {
            Ok(true) => {}
            Ok(false) => return Err("an initial state that is impossible"),
            Err(Stop::Failed(_)) => return Err("an invariant that fails in the initial state"),
            Err(Stop::Beyond(what)) => return Err(what),
        }
        let mut run = RandomRun { end: RunEnd::Endless, dates: Vec::new(), state };
        let mut time = 0.0;
        for _ in 0..limits.steps {
            if run.dates.len() >= limits.transitions {
                run.end = RunEnd::Limit;
                return Ok(run);
            }
            match self.step(&mut run, &mut time, limits.duration) {
                Ok(None) => {}
                Ok(Some(end)) => {
                    run.end = end;
                    return Ok(run);
                }
                Err(Stop::Failed(_)) => {
                    run.end = RunEnd::Failed;
                    return Ok(run);
                }
                Err(Stop::Beyond(what)) => return Err(what),
            }
        }
        Ok(run)
    }

    /// The value of a number, floating-point number or clock in a state, by its global name.
    #[must_use]
    pub fn value(&self, state: &State, name: &str) -> Option<f64> {
        let (_, binding) = self.machine.globals.iter().find(|(own, _)| **own == *name)?;
        let Binding::Lvalue(place) = binding else { return None };
        state.values.get(place.variable).and_then(real_of)
    }

    fn random(&mut self) -> &mut Random {
        self.machine.random.get_or_insert_with(|| Random::new(0))
    }

    /// One step; the reason if the run ends.
    fn step(
        &mut self,
        run: &mut RandomRun,
        time: &mut f64,
        duration: f64,
    ) -> Outcome<Option<RunEnd>> {
        if self.machine.is_somewhere(&run.state, LocationKind::Committed) {
            return self.act_at_once(run, *time);
        }
        let rates = self.rates(&run.state)?;
        let proposals = self.proposals(&run.state, &rates)?;
        let stop = proposals.iter().map(|proposal| proposal.latest).fold(f64::INFINITY, f64::min);
        let (mut shortest, mut winners) = (f64::INFINITY, Vec::new());
        for (process, proposal) in proposals.iter().enumerate() {
            let Some(earliest) = proposal.earliest else { continue };
            let delay = if proposal.latest.is_finite() {
                earliest + (proposal.latest - earliest).max(0.0) * self.random().unit()
            } else {
                let rate = self.exponential_rate(&run.state, process)?;
                if rate == 0.0 {
                    continue;
                }
                earliest - (1.0 - self.random().unit()).ln() / rate
            };
            if delay < shortest {
                winners.clear();
            }
            if delay <= shortest {
                shortest = delay;
                winners.push(process);
            }
        }
        let is_won = shortest.is_finite() && shortest <= stop + NEAR;
        let delay = if is_won { shortest.min(stop) } else { stop };
        if *time + delay > duration {
            run.state = self.later(&run.state, &rates, duration - *time);
            return Ok(Some(RunEnd::Limit));
        }
        run.state = self.later(&run.state, &rates, delay);
        *time += delay;
        if !is_won {
            return self.act_at_once(run, *time);
        }
        let winner = self.random().choose(&winners);
        let candidates = self.candidates(&run.state, winner)?;
        self.take(run, *time, candidates)
    }

    /// A process that can act does.
    fn act_at_once(&mut self, run: &mut RandomRun, time: f64) -> Outcome<Option<RunEnd>> {
        let mut able = Vec::new();
        for process in 0..self.machine.processes.len() {
            let candidates = self.candidates(&run.state, process)?;
            if !candidates.is_empty() {
                able.push(candidates);
            }
        }
        if able.is_empty() {
            return Ok(Some(RunEnd::TimeLock));
        }
        let chosen = self.random().below(able.len());
        self.take(run, time, able.swap_remove(chosen))
    }

    /// Takes one of the transitions of a process, if there is one.
    fn take(
        &mut self,
        run: &mut RandomRun,
        time: f64,
        candidates: Vec<Candidate>,
    ) -> Outcome<Option<RunEnd>> {
        if candidates.is_empty() {
            return Ok(None);
        }
        let mut first: Vec<Action> = Vec::new();
        for Candidate { group, .. } in &candidates {
            if !first.iter().any(|known| known.is_same(&group[0])) {
                first.push(group[0].clone());
            }
        }
        let chances = self.chances(&run.state, &first)?;
        let weights: Vec<f64> = chances.iter().map(|action| action.chance).collect();
        let chosen = self.draw(&weights);
        if chances[chosen].fails {
            return Err(Stop::Failed(ErrorKind::NoWeight));
        }
        let action = &first[chosen];
        let offers = self.offers(&run.state)?;
        let candidates: Vec<Candidate> =
            candidates.into_iter().filter(|c| c.group[0].is_same(action)).collect();
        let mut chances = Vec::new();
        for Candidate { group, .. } in &candidates {
            chances.push(self.chance_of_receivers(&run.state, &offers, group)?);
        }
        let chosen = self.draw(&chances);
        run.state = candidates
            .into_iter()
            .nth(chosen)
            .map_or_else(|| Err(Stop::Beyond("no transition")), |candidate| candidate.target)?;
        run.dates.push(time);
        Ok(None)
    }

    /// A position, with a probability in proportion to its weight.
    fn draw(&mut self, weights: &[f64]) -> usize {
        let sum: f64 = weights.iter().sum();
        let mut left = sum * self.random().unit();
        for (position, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 && *weight > 0.0 {
                return position;
            }
        }
        weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0)
    }

    /// The probability that the enabled receivers of a synchronisation are those of the group.
    fn chance_of_receivers(
        &mut self,
        state: &State,
        offers: &[Offer],
        group: &[Action],
    ) -> Outcome<f64> {
        let own = offers.iter().find(|offer| offer.action.is_same(&group[0]));
        let channel = own.and_then(|offer| offer.synchronisation.clone());
        let Some((channel, broadcast, _)) = channel else { return Ok(1.0) };
        let receives = |offer: &&Offer| {
            offer.action.process != group[0].process
                && matches!(&offer.synchronisation, Some((other, _, Direction::Receive)) if *other == channel)
        };
        let receivers: Vec<Action> =
            offers.iter().filter(receives).map(|offer| offer.action.clone()).collect();
        let mut chance = 1.0;
        for action in &group[1..] {
            let among: Vec<Action> = (receivers.iter())
                .filter(|other| !broadcast || other.process == action.process)
                .cloned()
                .collect();
            let chances = self.chances(state, &among)?;
            let position = among.iter().position(|other| other.is_same(action));
            chance *= position.map_or(0.0, |position| chances[position].chance);
            if position.is_some_and(|position| chances[position].fails) {
                return Err(Stop::Failed(ErrorKind::NoWeight));
            }
        }
        Ok(chance)
    }

    /// The probabilities of actions: edges have the same, then values of `select`, then branches by
    /// their weights.
    fn chances(&mut self, state: &State, actions: &[Action]) -> Outcome<Vec<Chance>> {
        let edge = |action: &Action| (action.process, action.edge);
        let stem = |machine: &Machine<'_>, action: &Action| match action.branch {
            Some(_) => action.select[..machine.parts(action)[0].select.len()].to_vec(),
            None => action.select.clone(),
        };
        let mut chances = Vec::new();
        for action in actions {
            let same_edge: Vec<&Action> =
                actions.iter().filter(|other| edge(other) == edge(action)).collect();
            let mut edges: Vec<_> = actions.iter().map(edge).collect();
            edges.sort_unstable();
            edges.dedup();
            let own = stem(&self.machine, action);
            let mut stems: Vec<_> =
                same_edge.iter().map(|other| stem(&self.machine, other)).collect();
            stems.sort_unstable();
            stems.dedup();
            let machine = &self.machine;
            let same: Vec<Action> = (same_edge.into_iter())
                .filter(|other| stem(machine, other) == own)
                .cloned()
                .collect();
            let mut weights = Vec::new();
            for other in &same {
                let alike = same.iter().filter(|third| third.branch == other.branch).count();
                weights.push((self.weight(state, other)? / alike as f64, other.is_same(action)));
            }
            let sum: f64 = weights.iter().map(|(weight, _)| weight).sum();
            // Without a weight the edge is chosen all the same, and then fails.
            let share: f64 = match sum > 0.0 {
                true => weights.iter().filter(|(_, is_own)| *is_own).map(|(w, _)| w / sum).sum(),
                false => 1.0 / same.len() as f64,
            };
            let chance = share / edges.len() as f64 / stems.len() as f64;
            chances.push(Chance { chance, fails: sum <= 0.0 });
        }
        Ok(chances)
    }

    /// The weight of the branch of an action.
    fn weight(&mut self, state: &State, action: &Action) -> Outcome<f64> {
        self.machine.load(state);
        let mut weight = 1.0;
        self.machine.for_each_part(action, |machine, part| {
            if let Some(written) = part.probability {
                weight = machine.real(written)?;
            }
            Ok(())
        })?;
        if weight < 0.0 { Err(Stop::Failed(ErrorKind::NegativeRate)) } else { Ok(weight) }
    }

    /// The transitions that a process can initiate now.
    fn candidates(&mut self, state: &State, process: usize) -> Outcome<Vec<Candidate>> {
        let offers = self.offers(state)?;
        let is_committed = self.machine.is_somewhere(state, LocationKind::Committed);
        let mut candidates = Vec::new();
        for offer in offers.iter().filter(|offer| offer.action.process == process) {
            for group in joined(offer, &offers) {
                let leaves = |action: &&Action| {
                    self.machine.kind(state, action.process) == LocationKind::Committed
                };
                if is_committed && !group.iter().any(leaves) {
                    continue;
                }
                let target = match self.machine.take(state, &group) {
                    Ok(None) => continue,
                    Ok(Some(target)) => Ok(target),
                    Err(Stop::Failed(kind)) => Err(Stop::Failed(kind)),
                    Err(stop) => return Err(stop),
                };
                candidates.push(Candidate { group: group.into_iter().cloned().collect(), target });
            }
        }
        Ok(candidates)
    }

    /// The actions of all processes whose guards hold.
    fn offers(&mut self, state: &State) -> Outcome<Vec<Offer>> {
        let mut offers = Vec::new();
        for process in 0..self.machine.processes.len() {
            self.machine.load(state);
            for action in self.machine.actions(state, process)? {
                self.machine.load(state);
                offers.extend(self.machine.offer(&action)?);
            }
        }
        Ok(offers)
    }

    /// The delays that the processes may propose.
    fn proposals(&mut self, state: &State, rates: &[f64]) -> Outcome<Vec<Proposal>> {
        let instants = self.instants(state, rates)?;
        let processes = 0..self.machine.processes.len();
        Ok(processes.map(|process| self.proposal(state, process, &instants)).collect())
    }

    fn proposal(&self, state: &State, process: usize, instants: &[Instant]) -> Proposal {
        let mut latest = match self.machine.kind(state, process) {
            LocationKind::Urgent | LocationKind::Committed => 0.0,
            LocationKind::Ordinary => {
                match instants.iter().find(|instant| !instant.invariant_holds[process]) {
                    None => f64::INFINITY,
                    Some(broken) if broken.is_after => broken.at,
                    Some(broken) => (broken.at - GAP).max(0.0),
                }
            }
        };
        let urgent = instants.iter().find(|instant| instant.has_urgent_output[process]);
        latest = urgent.map_or(latest, |urgent| latest.min(urgent.at));
        let is_possible = |instant: &&Instant| {
            instant.has_output[process]
                && match instant.is_after {
                    true => instant.at < latest - NEAR,
                    false => instant.at <= latest + NEAR,
                }
        };
        Proposal { earliest: instants.iter().find(is_possible).map(|found| found.at), latest }
    }

    /// All instants at which something changes, and those directly after them.
    fn instants(&mut self, state: &State, rates: &[f64]) -> Outcome<Vec<Instant>> {
        let now = self.differences(state)?;
        let later = self.later(state, rates, 1.0);
        let later = self.differences(&later)?;
        if now.len() != later.len() {
            return Err(Stop::Beyond("comparisons that depend on time"));
        }
        let mut dates = vec![0.0];
        dates.extend(now.iter().zip(&later).filter_map(|(&now, &later)| {
            let date = -now / (later - now);
            (later != now && date > NEAR).then_some(date)
        }));
        dates.sort_unstable_by(f64::total_cmp);
        dates.dedup_by(|one, other| (*one - *other).abs() <= NEAR);
        let mut instants = Vec::new();
        for (position, &at) in dates.iter().enumerate() {
            let next = dates.get(position + 1).copied().unwrap_or(at + 1.0);
            for (is_after, delay) in [(false, at), (true, (at + next) / 2.0)] {
                let state = self.later(state, rates, delay);
                instants.push(self.instant(&state, at, is_after)?);
            }
        }
        Ok(instants)
    }

    fn instant(&mut self, state: &State, at: f64, is_after: bool) -> Outcome<Instant> {
        let offers = self.offers(state)?;
        let count = self.machine.processes.len();
        let (mut has_output, mut has_urgent_output) = (vec![false; count], vec![false; count]);
        for offer in &offers {
            let is_urgent = offer.synchronisation.as_ref().is_some_and(|(channel, ..)| {
                matches!(self.machine.type_at(channel), Type::Channel { urgent: true, .. })
            });
            if !joined(offer, &offers).is_empty() {
                has_output[offer.action.process] = true;
                has_urgent_output[offer.action.process] |= is_urgent;
            }
        }
        let mut invariant_holds = Vec::new();
        for process in 0..count {
            invariant_holds.push(self.machine.invariant_of_holds(state, process)?);
        }
        Ok(Instant { at, is_after, has_output, has_urgent_output, invariant_holds })
    }

    /// The differences of both sides of all comparisons of clocks in guards and invariants.
    fn differences(&mut self, state: &State) -> Outcome<Vec<f64>> {
        self.machine.differences.borrow_mut().clear();
        self.offers(state)?;
        for process in 0..self.machine.processes.len() {
            self.machine.invariant_of_holds(state, process)?;
        }
        Ok(self.machine.differences.borrow().clone())
    }

    /// The rates of the clocks: 1 unless a location sets one; 0 wins, otherwise the last one.
    fn rates(&mut self, state: &State) -> Outcome<Vec<f64>> {
        let mut rates: Vec<Option<f64>> = vec![None; self.clocks.len()];
        for process in 0..self.machine.processes.len() {
            self.machine.load(state);
            self.machine.scope = Scope { process: Some(process), blocks: Vec::new() };
            let location = Id::from_index(state.locations[process]);
            let invariant = &self.machine.template(process).locations[location].invariant;
            for part in self.machine.conjuncts(invariant) {
                let ExpressionKind::Binary(_, left, right) = self.machine.source[part].kind else {
                    continue;
                };
                let ExpressionKind::Rate(clock) = self.machine.source[left].kind else { continue };
                let place = self.machine.place(clock)?;
                let rate = self.machine.real(right)?;
                let slot = self.clocks.iter().position(|own| *own == place);
                if let Some(slot) = slot
                    && rates[slot] != Some(0.0)
                {
                    rates[slot] = Some(rate);
                }
            }
        }
        Ok(rates.into_iter().map(|rate| rate.unwrap_or(1.0)).collect())
    }

    fn exponential_rate(&mut self, state: &State, process: usize) -> Outcome<f64> {
        self.machine.load(state);
        self.machine.scope = Scope { process: Some(process), blocks: Vec::new() };
        let location = Id::from_index(state.locations[process]);
        let written = &self.machine.template(process).locations[location].exponential_rate;
        let rate = match written[..] {
            [] => 1.0,
            [rate] => self.machine.real(rate)?,
            [rate, scale, ..] => self.machine.real(rate)? / self.machine.real(scale)?,
        };
        if rate < 0.0 { Err(Stop::Failed(ErrorKind::NegativeRate)) } else { Ok(rate) }
    }

    /// The state after a delay.
    fn later(&self, state: &State, rates: &[f64], delay: f64) -> State {
        let mut later = state.clone();
        self.change_clocks(&mut later, |clock, value| value + rates[clock] * delay);
        later
    }

    /// Changes the values of all clocks of a state, by their positions.
    fn change_clocks(&self, state: &mut State, change: impl Fn(usize, f64) -> f64) {
        for (clock, place) in self.clocks.iter().enumerate() {
            let mut value = &mut state.values[place.variable];
            for &position in &place.path {
                if let Value::Array(parts) | Value::Struct(parts) = value {
                    value = &mut parts[position];
                } else {
                    break;
                }
            }
            if let Some(number) = real_of(value) {
                *value = Value::Real(Real::new(change(clock, number)));
            }
        }
    }
}

impl Action {
    fn is_same(&self, other: &Self) -> bool {
        self.process == other.process && self.path == other.path && self.select == other.select
    }
}

fn add_clocks(ty: &Type, place: Lvalue, clocks: &mut Vec<Lvalue>) {
    match ty {
        Type::Clock => clocks.push(place),
        Type::Array { size, element, .. } => {
            for position in 0..*size {
                let mut part = place.clone();
                part.path.push(position);
                add_clocks(element, part, clocks);
            }
        }
        _ => {}
    }
}
