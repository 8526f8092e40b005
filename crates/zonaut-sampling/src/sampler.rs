//! Random runs: the stochastic semantics of a network.
//!
//! In each state, every process proposes a delay, independently of the others. Let `a` be the
//! infimum of the delays at which one of its outputs is enabled, and `b` the supremum of the delays
//! that its invariant and its urgency allow. A process without an output, or with `a > b`, proposes
//! nothing. If `b` is finite the delay is uniform in `[a, b]`; otherwise it is `a` plus an
//! exponentially distributed time with the rate of the location, or 1. The process with the
//! shortest delay acts. No delay goes beyond the `b` of any process; if all proposals do, time
//! passes up to the least `b`, and one of the processes with an enabled output acts.
//!
//! Nothing is kept from one step to the next, and nothing is allocated once all buffers have grown.

use crate::motion::{GAP, Motion, SLACK, Window};
use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_compile::random::{Generator, exponential, index, uniform};
use zonaut_compile::{
    ActionId, CompiledCondition, CompiledNetwork, LocationFlags, Machine, RealConstraint,
};
use zonaut_discrete::{DiscreteScratch, Output, may_move};
use zonaut_model::ChannelId;
use zonaut_model::interpret::{ErrorKind, RunTimeError};

/// The reason why a run is no sample.
#[derive(Clone, PartialEq, Debug)]
pub enum RunError {
    /// An evaluation fails.
    Evaluation(RunTimeError),
    /// An invariant or urgency stops time, and no transition is enabled.
    TimeLock,
    /// The run has more steps than allowed: perhaps infinitely many in finite time.
    StepLimit(u64),
    /// The initial state violates an invariant.
    NoInitialState,
    /// The bound of the run is below its value in the initial state.
    EmptyRun,
    /// The meter stopped the work; no error of the model.
    Stopped(zonaut_base::StopReason),
}

impl From<RunTimeError> for RunError {
    fn from(error: RunTimeError) -> Self {
        match error.kind {
            ErrorKind::Stopped(why) => Self::Stopped(why),
            _ => Self::Evaluation(error),
        }
    }
}

/// Parameters of the semantics.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerOptions {
    /// The longest segment of time in which clocks with varying rates are approximated linearly.
    pub integration_step: f64,
    /// The maximal number of steps of a run.
    pub step_limit: u64,
}

impl Default for SamplerOptions {
    fn default() -> Self {
        Self { integration_step: 0.01, step_limit: 10_000_000 }
    }
}

/// The proposal of a process.
#[derive(Clone, Copy, Debug)]
struct Proposal {
    /// The first delay at which an output is enabled.
    earliest: f64,
    /// The last delay that the process allows.
    latest: f64,
    /// Whether outputs or the end of delays may still appear in later segments.
    is_open: bool,
    /// The proposed delay, drawn when the proposal is no longer open; infinite without one.
    delay: f64,
}

impl Proposal {
    const UNKNOWN: Self = Self {
        earliest: f64::INFINITY,
        latest: f64::INFINITY,
        is_open: true,
        delay: f64::INFINITY,
    };
}

/// The delays of a process that its outputs and its invariant determine.
#[derive(Clone, Copy, Debug)]
struct Delays {
    /// The first delay at which an output is enabled.
    earliest: f64,
    /// The last delay that the process allows.
    latest: f64,
    /// Whether they hold for delays beyond the current segment.
    is_exact: bool,
    /// Whether an output on an urgent channel may be enabled later.
    awaits_urgency: bool,
}

/// The number of segments after the last instant of interest in which the end of an invariant is
/// looked for; an invariant that holds longer does not bound the delay.
const LOOK_AHEAD: u32 = 10_000;

/// The receivers of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Receivers {
    /// It is internal.
    Without,
    /// One of those that are enabled.
    One,
    /// Each process that has an enabled one.
    All,
}

/// The number of times that receivers are chosen if an invariant or the committed rule forbids the
/// transition.
const ATTEMPTS: u32 = 100;

/// The next event of a run.
enum Event {
    /// A process acts after a delay.
    Act { process: usize, delay: f64 },
    /// Time stops after a delay; any process with an enabled output acts.
    Stop { delay: f64 },
    /// Nothing happens within the remaining time.
    Nothing,
}

/// The receiver of the states of a run.
pub trait Observer {
    /// A state: the initial one, or the one after a transition. The run ends at `Break`.
    ///
    /// # Errors
    /// If an evaluation fails.
    fn state(&mut self, sampler: &mut Sampler<'_>) -> Result<ControlFlow<()>, RunError>;

    /// Time will pass for `time`, while all clocks are linear. The run ends at `Break`.
    ///
    /// # Errors
    /// If an evaluation fails.
    fn delay(&mut self, sampler: &mut Sampler<'_>, time: f64) -> Result<ControlFlow<()>, RunError>;

    /// The time until the bound of the run is reached; negative if it has been passed.
    ///
    /// # Errors
    /// If an evaluation fails.
    fn remaining(&mut self, sampler: &mut Sampler<'_>) -> Result<f64, RunError>;

    /// A transition is taken: its actions, the sender's first.
    fn transition(&mut self, _participants: &[ActionId]) {}
}

/// The working memory of one worker that samples runs of a network.
pub struct Sampler<'n> {
    network: &'n CompiledNetwork,
    options: SamplerOptions,
    pub(crate) discrete: DiscreteScratch,
    pub(crate) motion: Motion,
    /// Whether conditions on floating point change while time passes.
    has_timed_conditions: bool,
    /// Whether time passes in steps in all states.
    is_stepped: bool,
    proposals: Vec<Proposal>,
    outputs: Vec<Output>,
    inputs: Vec<ActionId>,
    enabled: Vec<ActionId>,
    /// The processes in committed locations, found before each step.
    committed: Vec<usize>,
    pub(crate) constraints: Vec<RealConstraint>,
    weights: Vec<f64>,
    ties: Vec<usize>,
    participants: Vec<ActionId>,
    target: Vec<i32>,
    saved_cells: Vec<f64>,
    saved_clocks: Vec<f64>,
    /// The time since the start of the run.
    pub time: f64,
    /// The number of transitions since the start of the run.
    pub transitions: u64,
    steps: u64,
    /// The number of transitions of all runs.
    pub total_transitions: u64,
}

impl<'n> Sampler<'n> {
    /// Working memory for runs of `network`, which is compiled for sampling.
    #[must_use]
    pub fn new(network: &'n CompiledNetwork, options: SamplerOptions, meter: &Meter) -> Self {
        let is_timed = |action: ActionId| network.action(action).guard.is_timed();
        let mut actions = (0..network.actions().len()).map(ActionId::from_index);
        let has_timed_conditions = actions.any(is_timed) || network.has_timed_invariants();
        Self {
            network,
            options,
            discrete: DiscreteScratch::new(network, meter),
            motion: Motion::default(),
            has_timed_conditions,
            is_stepped: has_timed_conditions,
            proposals: Vec::new(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            enabled: Vec::new(),
            committed: Vec::new(),
            constraints: Vec::new(),
            weights: Vec::new(),
            ties: Vec::new(),
            participants: Vec::new(),
            target: Vec::new(),
            saved_cells: Vec::new(),
            saved_clocks: Vec::new(),
            time: 0.0,
            transitions: 0,
            steps: 0,
            total_transitions: 0,
        }
    }

    /// Lets time pass in steps in all states, because an observer needs it.
    pub(crate) fn step_always(&mut self) {
        self.is_stepped = true;
    }

    /// The values of locations and cells, and the evaluator with the values of clocks.
    pub fn state(&mut self) -> (&mut Vec<i32>, &mut Machine) {
        self.discrete.parts()
    }

    /// The values of the clocks.
    #[must_use]
    pub fn clocks(&self) -> &[f64] {
        self.discrete.machine.reals.as_ref().map_or(&[], |reals| &reals.clocks)
    }

    /// Samples run number `run` under `seed`.
    ///
    /// # Errors
    /// If the run is no sample.
    pub fn run(
        &mut self,
        seed: u64,
        run: u64,
        observer: &mut impl Observer,
    ) -> Result<(), RunError> {
        self.time = 0.0;
        self.transitions = 0;
        self.steps = 0;
        let (values, machine) = self.discrete.parts();
        self.network.start_run(seed, run, values, machine)?;
        self.motion.plan(self.network, values, machine, 0.0, None)?;
        let mut values = std::mem::take(values);
        let holds = self.invariants_hold(&mut values);
        *self.discrete.parts().0 = values;
        if !holds? {
            return Err(RunError::NoInitialState);
        }
        if observer.remaining(self)? < 0.0 {
            return Err(RunError::EmptyRun);
        }
        if observer.state(self)?.is_break() {
            return Ok(());
        }
        loop {
            if self.step(observer)?.is_break() {
                return Ok(());
            }
            self.steps += 1;
            if self.steps > self.options.step_limit {
                return Err(RunError::StepLimit(self.options.step_limit));
            }
            self.discrete.machine.spend(1)?;
        }
    }

    fn step(&mut self, observer: &mut impl Observer) -> Result<ControlFlow<()>, RunError> {
        let remaining = observer.remaining(self)?;
        self.find_committed();
        if !self.committed.is_empty() {
            let (values, machine) = self.discrete.parts();
            self.motion.plan(self.network, values, machine, 0.0, None)?;
            return self.act_where_time_stops(observer);
        }
        match self.next_event(remaining)? {
            Event::Act { process, delay } => {
                if delay > remaining {
                    return self.end(remaining, observer);
                }
                if self.pass(delay, observer)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                match self.act(process)? {
                    true => self.observe_transition(observer),
                    false => Ok(ControlFlow::Continue(())),
                }
            }
            Event::Stop { delay } => {
                if delay > remaining {
                    return self.end(remaining, observer);
                }
                if self.pass(delay, observer)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                self.act_where_time_stops(observer)
            }
            Event::Nothing if remaining.is_finite() => self.end(remaining, observer),
            Event::Nothing => Ok(ControlFlow::Break(())),
        }
    }

    /// Collects the processes in committed locations.
    fn find_committed(&mut self) {
        let network = self.network;
        let (values, _) = self.discrete.parts();
        self.committed.clear();
        if network.location_flags(values).include(LocationFlags::COMMITTED) {
            let is_committed = |process: &usize| {
                network.location_flags_of(*process, values).include(LocationFlags::COMMITTED)
            };
            self.committed.extend((0..network.process_count()).filter(is_committed));
        }
    }

    /// Lets the remaining time pass.
    fn end(
        &mut self,
        remaining: f64,
        observer: &mut impl Observer,
    ) -> Result<ControlFlow<()>, RunError> {
        let _ = self.pass(remaining, observer)?;
        Ok(ControlFlow::Break(()))
    }

    fn observe_transition(
        &mut self,
        observer: &mut impl Observer,
    ) -> Result<ControlFlow<()>, RunError> {
        self.transitions += 1;
        self.total_transitions += 1;
        observer.transition(&self.participants);
        if observer.remaining(self)? < 0.0 {
            return Ok(ControlFlow::Break(()));
        }
        observer.state(self)
    }

    /// A process with an enabled output acts, each with the same probability.
    fn act_where_time_stops(
        &mut self,
        observer: &mut impl Observer,
    ) -> Result<ControlFlow<()>, RunError> {
        let mut ties = std::mem::take(&mut self.ties);
        ties.clear();
        ties.extend(0..self.network.process_count());
        let mut has_acted = false;
        while !has_acted && !ties.is_empty() {
            let chosen = ties.swap_remove(index(ties.len(), self.random()));
            has_acted = self.act(chosen)?;
        }
        self.ties = ties;
        if has_acted { self.observe_transition(observer) } else { Err(RunError::TimeLock) }
    }

    fn random(&mut self) -> &mut Generator {
        let reals = self.discrete.machine.reals.as_mut();
        &mut reals.expect("invariant: a run has started").random
    }

    /// Lets time pass, segment by segment.
    fn pass(
        &mut self,
        delay: f64,
        observer: &mut impl Observer,
    ) -> Result<ControlFlow<()>, RunError> {
        let mut left = delay;
        while left > 0.0 {
            let step = self.segment_limit();
            let (values, machine) = self.discrete.parts();
            self.motion.plan(self.network, values, machine, left, step)?;
            let length = self.motion.length.min(left);
            if observer.delay(self, length)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.motion.advance(self.network, &mut self.discrete.machine, length);
            self.time += length;
            left -= length;
            if step.is_some() {
                self.discrete.machine.spend(1)?;
                if left <= SLACK * self.options.integration_step {
                    break;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The longest segment in the current locations; `None` if clocks are linear.
    fn segment_limit(&mut self) -> Option<f64> {
        let is_curved = self.is_stepped || self.network.is_curved(self.discrete.parts().0);
        is_curved.then_some(self.options.integration_step)
    }

    /// The winner of the race between the processes.
    fn next_event(&mut self, remaining: f64) -> Result<Event, RunError> {
        self.propose(remaining)?;
        let (stop, shortest) = self.front();
        if shortest <= stop + SLACK && shortest.is_finite() {
            self.ties.clear();
            let is_first = |process: &usize| self.proposals[*process].delay <= shortest;
            self.ties.extend((0..self.proposals.len()).filter(is_first));
            let chosen = match self.ties.len() {
                1 => 0,
                count => index(count, self.random()),
            };
            return Ok(Event::Act { process: self.ties[chosen], delay: shortest.min(stop) });
        }
        if stop.is_finite() {
            return Ok(Event::Stop { delay: stop.max(0.0) });
        }
        Ok(Event::Nothing)
    }

    /// The least known end of delays, and the shortest drawn delay.
    fn front(&self) -> (f64, f64) {
        self.proposals.iter().fold((f64::INFINITY, f64::INFINITY), |(stop, shortest), proposal| {
            (stop.min(proposal.latest), shortest.min(proposal.delay))
        })
    }

    /// Draws the delay of a proposal.
    fn draw(&mut self, process: usize) -> Result<(), RunError> {
        let Proposal { earliest, latest, .. } = self.proposals[process];
        if earliest > latest + SLACK || earliest.is_infinite() {
            return Ok(());
        }
        let delay = if latest.is_finite() {
            let width = (latest - earliest).max(0.0);
            if width == 0.0 { earliest } else { earliest + width * uniform(self.random()) }
        } else {
            let rate = self.rate_of(process)?;
            if rate == 0.0 {
                return Ok(());
            }
            earliest + exponential(self.random()) / rate
        };
        self.proposals[process].delay = delay;
        Ok(())
    }

    fn rate_of(&mut self, process: usize) -> Result<f64, RunError> {
        let (values, machine) = self.discrete.parts();
        #[cfg(feature = "faults")]
        if crate::faults::Fault::IgnoredRate.is_selected() {
            return Ok(1.0);
        }
        Ok(self.network.exponential_rate(process, values, machine)?.unwrap_or(1.0))
    }

    /// Computes the proposals of all processes. If clocks are not linear, it looks ahead, segment by
    /// segment, until no other process can act first, and returns to the current state.
    fn propose(&mut self, remaining: f64) -> Result<(), RunError> {
        let count = self.network.process_count();
        self.proposals.clear();
        self.proposals.resize(count, Proposal::UNKNOWN);
        let step = self.segment_limit();
        let (values, machine) = self.discrete.parts();
        let Some(step) = step else {
            self.motion.plan(self.network, values, machine, f64::INFINITY, None)?;
            self.propose_in_segment(0.0)?;
            return (0..count).try_for_each(|process| self.draw(process));
        };
        self.save();
        let (mut elapsed, mut waited) = (0.0, 0);
        loop {
            let (values, machine) = self.discrete.parts();
            self.motion.plan(self.network, values, machine, step, Some(step))?;
            self.propose_in_segment(elapsed)?;
            elapsed += self.motion.length;
            let (stop, shortest) = self.front();
            let last = remaining.min(stop).min(shortest);
            let is_open = |proposal: &&Proposal| proposal.is_open;
            let mut open = self.proposals.iter().filter(is_open);
            // A process whose outputs appear later does not act first; one whose outputs have
            // appeared needs the end of its delays.
            match open.clone().any(|proposal| proposal.earliest.is_infinite()) && elapsed <= last {
                true => {}
                false if waited == LOOK_AHEAD || !open.any(|p| p.earliest <= last) => break,
                false => waited += 1,
            }
            let length = self.motion.length;
            self.motion.advance(self.network, &mut self.discrete.machine, length);
            self.discrete.machine.spend(1)?;
        }
        self.restore();
        let last = remaining.min(self.front().0).min(self.front().1);
        for process in 0..count {
            let Proposal { is_open, earliest, .. } = self.proposals[process];
            if is_open && earliest <= last {
                self.draw(process)?;
            }
        }
        Ok(())
    }

    /// Improves the proposals by the segment that starts after `elapsed`. If time passes in steps,
    /// draws the delays of those that are complete.
    fn propose_in_segment(&mut self, elapsed: f64) -> Result<(), RunError> {
        let is_stepped = self.motion.length.is_finite();
        for process in 0..self.proposals.len() {
            if !self.proposals[process].is_open {
                continue;
            }
            let Delays { mut earliest, mut latest, is_exact, awaits_urgency } =
                self.delays(process)?;
            if !is_exact && earliest > self.motion.length {
                earliest = f64::INFINITY;
            }
            if !is_exact && latest > self.motion.length {
                latest = f64::INFINITY;
            }
            let proposal = &mut self.proposals[process];
            proposal.earliest = proposal.earliest.min(elapsed + earliest);
            proposal.latest = proposal.latest.min(elapsed + latest);
            let (values, _) = self.discrete.parts();
            let location = self.network.location(process, values);
            let may_act = !location.internal.is_empty() || !location.sends.is_empty();
            let is_bounded = location.invariant.constrains_clocks()
                || location.invariant.is_timed()
                || awaits_urgency;
            proposal.is_open = !is_exact
                && (may_act && proposal.earliest.is_infinite()
                    || is_bounded && proposal.latest.is_infinite());
            if is_stepped && !proposal.is_open {
                // The rate is that of the current state, not of the one after the look-ahead.
                self.exchange();
                self.draw(process)?;
                self.exchange();
            }
        }
        Ok(())
    }

    /// The first delay at which an output of a process is enabled, and the last one that the
    /// process allows, if all clocks keep their rates.
    fn delays(&mut self, process: usize) -> Result<Delays, RunError> {
        let Self { network, discrete, motion, constraints, outputs, inputs, .. } = self;
        let network = *network;
        let (values, machine) = discrete.parts();
        let flags = network.location_flags_of(process, values);
        let mut latest = f64::INFINITY;
        // The first delays that are included, and those that are not.
        let (mut closed, mut open) = (f64::INFINITY, f64::INFINITY);
        let mut is_exact = !self.has_timed_conditions;
        let mut awaits_urgency = false;
        if flags.include(LocationFlags::URGENT) {
            latest = 0.0;
        } else if flags.include(LocationFlags::INVARIANT) {
            let invariant = &network.location(process, values).invariant;
            latest = match network.data_holds(invariant, values, machine)? {
                true => {
                    let window = window(network, invariant, values, machine, motion, constraints)?;
                    is_exact &= constraints.iter().all(|c| motion.is_straight(c));
                    let is_open = window.is_open_at_end;
                    #[cfg(feature = "faults")]
                    let is_open = is_open || crate::faults::Fault::OpenInterval.is_selected();
                    (window.to - if is_open { GAP } else { 0.0 }).max(0.0)
                }
                false => 0.0,
            };
        }
        if self.has_timed_conditions {
            for &action in &network.location(process, values).sends {
                let channel = network.channel(action, values, machine)?;
                awaits_urgency |= network.action(action).guard.is_timed()
                    && channel.is_some_and(|channel| network.is_urgent(channel));
            }
        }
        outputs.clear();
        discrete.add_outputs(network, process, outputs)?;
        for &Output { action, channel } in outputs.iter() {
            let (values, machine) = discrete.parts();
            let guard = &network.action(action).guard;
            let mut enabled = window(network, guard, values, machine, motion, constraints)?;
            let mut is_straight = constraints.iter().all(|c| motion.is_straight(c));
            if let Some(channel) = channel
                && !network.is_broadcast(channel)
            {
                inputs.clear();
                discrete.add_inputs(network, process, channel, inputs)?;
                let mut first: Option<Window> = None;
                for &input in inputs.iter() {
                    let (values, machine) = discrete.parts();
                    let guard = &network.action(input).guard;
                    let receiving = window(network, guard, values, machine, motion, constraints)?;
                    is_straight &= constraints.iter().all(|c| motion.is_straight(c));
                    let joint = enabled.and(receiving);
                    let begin = |window: Window| (window.from, window.is_open);
                    if !joint.is_empty() && first.is_none_or(|first| begin(joint) < begin(first)) {
                        first = Some(joint);
                    }
                }
                is_exact &= is_straight;
                awaits_urgency |= !is_straight && network.is_urgent(channel);
                let Some(first) = first else { continue };
                enabled = first;
            } else {
                is_exact &= is_straight;
                awaits_urgency |= !is_straight && channel.is_some_and(|c| network.is_urgent(c));
            }
            if enabled.is_empty() {
                continue;
            }
            let begin = if enabled.is_open { &mut open } else { &mut closed };
            *begin = begin.min(enabled.from);
            if channel.is_some_and(|channel| network.is_urgent(channel)) {
                latest = latest.min(enabled.from);
            }
        }
        // Nothing is enabled after an excluded delay if time stops there.
        let is_reached = open < latest - SLACK;
        let earliest = if is_reached { closed.min(open) } else { closed };
        Ok(Delays { earliest, latest, is_exact, awaits_urgency })
    }

    /// A process takes one of its enabled outputs; `false` if it has none.
    fn act(&mut self, process: usize) -> Result<bool, RunError> {
        self.outputs.clear();
        self.discrete.add_outputs(self.network, process, &mut self.outputs)?;
        let mut options = std::mem::take(&mut self.enabled);
        options.clear();
        for k in 0..self.outputs.len() {
            let Output { action, channel } = self.outputs[k];
            if self.is_enabled(action)? && self.has_partner(process, channel)? {
                options.push(action);
            }
        }
        let acted = self.act_by(process, &mut options);
        self.enabled = options;
        acted
    }

    /// A process takes one of these actions, whose guards hold; `false` if none is possible.
    fn act_by(&mut self, process: usize, options: &mut Vec<ActionId>) -> Result<bool, RunError> {
        options.sort_unstable();
        if options.len() > 1 {
            // Only possible actions have a share of the probability.
            let mut kept = 0;
            for k in 0..options.len() {
                if self.is_possible(process, options[k])? {
                    options.swap(kept, k);
                    kept += 1;
                }
            }
            options.truncate(kept);
        }
        if options.is_empty() {
            return Ok(false);
        }
        let action = self.choose(options)?;
        self.take(process, action)
    }

    /// Whether the clock guard of an action holds now.
    fn is_enabled(&mut self, action: ActionId) -> Result<bool, RunError> {
        let Self { network, discrete, motion, .. } = self;
        let (values, machine) = discrete.parts();
        let guard = &network.action(action).guard;
        self.constraints.clear();
        let constraints = &mut self.constraints;
        network.for_each_real_constraint(guard, values, machine, |c| constraints.push(c))?;
        Ok(constraints.iter().all(|constraint| motion.holds(machine, constraint, 0.0)))
    }

    /// Whether a synchronisation on the channel has a receiver if it needs one.
    fn has_partner(
        &mut self,
        process: usize,
        channel: Option<ChannelId>,
    ) -> Result<bool, RunError> {
        match channel {
            Some(channel) if !self.network.is_broadcast(channel) => {
                self.find_inputs(process, channel)?;
                Ok(!self.inputs.is_empty())
            }
            _ => Ok(true),
        }
    }

    /// Collects the enabled receiving actions, in system order.
    fn find_inputs(&mut self, process: usize, channel: ChannelId) -> Result<(), RunError> {
        let mut inputs = std::mem::take(&mut self.inputs);
        inputs.clear();
        self.discrete.add_inputs(self.network, process, channel, &mut inputs)?;
        let mut kept = 0;
        for k in 0..inputs.len() {
            if self.is_enabled(inputs[k])? {
                inputs.swap(kept, k);
                kept += 1;
            }
        }
        inputs.truncate(kept);
        self.inputs = inputs;
        Ok(())
    }

    /// Collects the enabled receivers of an output. Returns how many of them take part.
    fn find_receivers(&mut self, process: usize, action: ActionId) -> Result<Receivers, RunError> {
        let (values, machine) = self.discrete.parts();
        let Some(channel) = self.network.channel(action, values, machine)? else {
            self.inputs.clear();
            return Ok(Receivers::Without);
        };
        self.find_inputs(process, channel)?;
        Ok(match self.network.is_broadcast(channel) {
            true => Receivers::All,
            false => Receivers::One,
        })
    }

    /// Whether an output can be taken with some receivers. One that fails can be.
    fn is_possible(&mut self, process: usize, action: ActionId) -> Result<bool, RunError> {
        let receivers = self.find_receivers(process, action)?;
        let inputs = std::mem::take(&mut self.inputs);
        let found = self.find_possible(action, receivers, &inputs, false);
        self.inputs = inputs;
        match found {
            Err(RunError::Evaluation(_)) => Ok(true),
            found => found,
        }
    }

    /// Looks for receivers with which an output can be taken, and takes it with the first ones if
    /// `is_taken`; `false` if there are none.
    fn find_possible(
        &mut self,
        action: ActionId,
        receivers: Receivers,
        inputs: &[ActionId],
        is_taken: bool,
    ) -> Result<bool, RunError> {
        let network = self.network;
        let process_of = |action: &ActionId| network.action(*action).process;
        let is_one = receivers != Receivers::All;
        let own =
            || inputs.chunk_by(move |one, other| is_one || process_of(one) == process_of(other));
        let count: usize = own().map(<[ActionId]>::len).product();
        for combination in 0..count {
            self.participants.clear();
            self.participants.push(action);
            let mut left = combination;
            for choices in own() {
                self.participants.push(choices[left % choices.len()]);
                left /= choices.len();
            }
            if self.attempt(is_taken)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes an output with random receivers; `false` if the committed rule or an invariant of the
    /// target forbids it with all of them, and then the state is as before.
    fn take(&mut self, process: usize, action: ActionId) -> Result<bool, RunError> {
        let network = self.network;
        let receivers = self.find_receivers(process, action)?;
        let inputs = std::mem::take(&mut self.inputs);
        let process_of = |action: &ActionId| network.action(*action).process;
        let mut has_acted = Ok(false);
        for _ in 0..ATTEMPTS {
            self.participants.clear();
            self.participants.push(action);
            match receivers {
                Receivers::Without => {}
                Receivers::One => {
                    let receiver = self.choose(&inputs)?;
                    self.participants.push(receiver);
                }
                Receivers::All => {
                    for own in inputs.chunk_by(|one, other| process_of(one) == process_of(other)) {
                        let receiver = self.choose(own)?;
                        self.participants.push(receiver);
                    }
                    #[cfg(feature = "faults")]
                    if crate::faults::Fault::ForgottenReceiver.is_selected()
                        && self.participants.len() > 1
                    {
                        self.participants.pop();
                    }
                }
            }
            has_acted = self.attempt(true);
            if has_acted != Ok(false) || inputs.len() < self.participants.len() {
                break;
            }
        }
        if has_acted == Ok(false) && inputs.len() >= self.participants.len() {
            has_acted = self.find_possible(action, receivers, &inputs, true);
        }
        self.inputs = inputs;
        has_acted
    }

    /// Takes the transition of the participants; `false` if the committed rule or an invariant of
    /// the target forbids it. The state is as before if it is `false` or not `is_taken`.
    fn attempt(&mut self, is_taken: bool) -> Result<bool, RunError> {
        let network = self.network;
        if !self.committed.is_empty() && !may_move(network, &self.committed, &self.participants) {
            return Ok(false);
        }
        self.save();
        let mut target = std::mem::take(&mut self.target);
        let holds = match self.discrete.take(network, &self.participants, &mut target) {
            Ok(()) => self.invariants_hold(&mut target),
            Err(error) => Err(error.into()),
        };
        if is_taken && holds == Ok(true) {
            self.discrete.leave(&target);
        } else {
            self.restore();
        }
        self.target = target;
        holds
    }

    /// Whether all invariants of the locations in `values` hold now.
    fn invariants_hold(&mut self, values: &mut [i32]) -> Result<bool, RunError> {
        let network = self.network;
        if !network.location_flags(values).include(LocationFlags::INVARIANT) {
            return Ok(true);
        }
        for process in 0..network.process_count() {
            if !network.location_flags_of(process, values).include(LocationFlags::INVARIANT) {
                continue;
            }
            let machine = &mut self.discrete.machine;
            let invariant = &network.location(process, values).invariant;
            if !network.data_holds(invariant, values, machine)? {
                return Ok(false);
            }
            self.constraints.clear();
            let constraints = &mut self.constraints;
            network
                .for_each_real_constraint(invariant, values, machine, |c| constraints.push(c))?;
            let motion = &self.motion;
            if !constraints.iter().all(|constraint| motion.holds(machine, constraint, 0.0)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Chooses one of these actions, which are sorted and not empty: an edge of a process uniformly, then the values of its select variables uniformly, then a branch by weight.
    fn choose(&mut self, actions: &[ActionId]) -> Result<ActionId, RunError> {
        if let [action] = actions
            && self.network.stem(*action).is_none()
        {
            return Ok(*action);
        }
        let network = self.network;
        let edge_of = |action: &ActionId| {
            let process = network.action(*action).process;
            match network.stem(*action) {
                Some(stem) => (process, stem.index, true),
                None => (process, network.action(*action).edge.index() as u32, false),
            }
        };
        let is_same_edge = |one: &ActionId, other: &ActionId| edge_of(one) == edge_of(other);
        let count = actions.chunk_by(is_same_edge).count();
        let chosen = if count == 1 { 0 } else { index(count, self.random()) };
        let edge = actions.chunk_by(is_same_edge).nth(chosen).unwrap_or(actions);
        let Some(stem) = network.stem(edge[0]) else {
            return Ok(edge[if edge.len() == 1 { 0 } else { index(edge.len(), self.random()) }]);
        };
        let prefix = |action: ActionId| &network.action(action).select[..stem.select as usize];
        let is_first =
            |k: usize| edge[..k].iter().all(|&earlier| prefix(earlier) != prefix(edge[k]));
        let count = (0..edge.len()).filter(|&k| is_first(k)).count();
        let chosen = if count == 1 { 0 } else { index(count, self.random()) };
        let first = (0..edge.len()).filter(|&k| is_first(k)).nth(chosen).unwrap_or(0);
        let wanted = prefix(edge[first]);
        let mut sum = 0.0;
        self.weights.clear();
        for &action in edge {
            let mut weight = 0.0;
            if prefix(action) == wanted {
                let branch = network.action(action).edge;
                let is_alike =
                    |&&o: &&ActionId| network.action(o).edge == branch && prefix(o) == wanted;
                let alike = edge.iter().filter(is_alike).count();
                let (values, machine) = self.discrete.parts();
                weight = network.weight(action, values, machine)? / alike as f64;
            }
            sum += weight;
            self.weights.push(weight);
        }
        if sum <= 0.0 {
            return Err(network.weight_error(edge[first], ErrorKind::NoWeight).into());
        }
        let mut left = sum * uniform(self.random());
        let mut last = edge[first];
        for (&action, &weight) in edge.iter().zip(&self.weights) {
            if weight > 0.0 {
                last = action;
                if left < weight {
                    break;
                }
                left -= weight;
            }
        }
        Ok(last)
    }

    /// Computes the rates of clocks in the current state.
    pub(crate) fn plan(&mut self) -> Result<(), RunError> {
        let (values, machine) = self.discrete.parts();
        Ok(self.motion.plan(self.network, values, machine, f64::INFINITY, None)?)
    }

    /// Evaluates in the state after `time` in the current segment, and returns to the current state.
    pub(crate) fn after<T>(
        &mut self,
        time: f64,
        evaluate: impl FnOnce(&mut Self) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        self.save();
        self.motion.advance(self.network, &mut self.discrete.machine, time);
        let value = evaluate(self);
        self.restore();
        value
    }

    fn save(&mut self) {
        if let Some(reals) = &self.discrete.machine.reals {
            self.saved_cells.clone_from(&reals.cells);
            self.saved_clocks.clone_from(&reals.clocks);
        }
    }

    /// Exchanges the current state and the saved one.
    fn exchange(&mut self) {
        if let Some(reals) = &mut self.discrete.machine.reals {
            std::mem::swap(&mut reals.cells, &mut self.saved_cells);
            std::mem::swap(&mut reals.clocks, &mut self.saved_clocks);
        }
    }

    fn restore(&mut self) {
        if let Some(reals) = &mut self.discrete.machine.reals {
            reals.cells.clone_from(&self.saved_cells);
            reals.clocks.clone_from(&self.saved_clocks);
        }
    }
}

/// The delays at which the clock constraints of a condition hold. The constraints are left in
/// `constraints`.
fn window(
    network: &CompiledNetwork,
    condition: &CompiledCondition,
    values: &mut [i32],
    machine: &mut Machine,
    motion: &Motion,
    constraints: &mut Vec<RealConstraint>,
) -> Result<Window, RunTimeError> {
    let mut window = Window::ALL;
    constraints.clear();
    if !condition.constrains_clocks() {
        return Ok(window);
    }
    network.for_each_real_constraint(condition, values, machine, |c| constraints.push(c))?;
    for constraint in constraints.iter() {
        motion.restrict(machine, constraint, &mut window);
    }
    Ok(window)
}
