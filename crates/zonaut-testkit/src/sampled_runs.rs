//! Random runs of random networks: each is a run of the model, for the oracle and for the checker of
//! certificates with exact numbers, and the symbolic engine does not deny its last state.

use crate::differential::{Failure, Tally, examine_queries};
use crate::evidence::{answered, asking};
use crate::generate::generate;
use crate::metamorphic::formula_text;
use crate::network::Participant;
use crate::random::Random;
use crate::replay::{Flaw, FlawKind, RoundedStep, Run, replay, rounded};
use crate::specification::Specification;
use std::fmt::Write;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_certify::{Claim, Limits, check, fingerprint, seal};
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_engine::{Verdict, VerifyOptions};
use zonaut_model::{
    BinaryOperator, ClockConstraint, ClockId, Expression, Formula, LocationId, Model, Place,
    ProcessId, QueryId, QueryKind, Rate, Relation, Storage, core_text,
};
use zonaut_sampling::{Observer, RunError, Sampler, SamplerOptions};
use zonaut_space::Meter;

/// The number of runs of a network.
const RUNS: u64 = 4;

/// The longest duration of a run.
const DURATION: f64 = 12.0;

/// The greatest number of transitions of a run.
const TRANSITIONS: u64 = 12;

/// The greatest number of steps of a run, with those that take no transition.
const STEPS: u64 = 2_000;

/// The number of states that the symbolic engine explores for one state of a run.
const STATES: usize = 20_000;

/// A clock this close to an integer has its value.
const NEAR: f64 = 4e-9;

/// Shorter delays, as of endless runs in finite time, are not distinguished from errors of rounding.
const SHORTEST: f64 = 1e-7;

/// Samples runs of the network of a seed, one of three with stopped clocks, and checks them.
///
/// # Errors
/// The first run that is none.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    examine_queries(generate(seed), seed, tally, examine_specification)
}

fn examine_specification(
    specification: &Specification,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), (String, String)> {
    let mut model = specification.to_model();
    let stops = match seed.is_multiple_of(3) {
        true => stop_clocks(&mut model, &mut Random::new(seed ^ 0x5709)),
        false => String::new(),
    };
    tally.models += 1;
    let meter = Meter::default();
    let Ok(network) = CompiledNetwork::for_sampling(&model, &meter) else {
        tally.refused += 1;
        return Ok(());
    };
    let options = SamplerOptions { step_limit: STEPS, ..SamplerOptions::default() };
    let mut sampler = Sampler::new(&network, options, &meter);
    for number in 0..RUNS {
        let mut recorder = Recorder { network: &network, steps: Vec::new(), delay: 0.0 };
        let ended = sampler.run(seed, number, &mut recorder);
        recorder.wait();
        let clocks = sampler.clocks().to_vec();
        let values = sampler.state().0.clone();
        let sampled = SampledRun { steps: recorder.steps, ended, values, clocks };
        let locks_are_exact = stops.is_empty() && !has_strict_invariants(&model);
        sampled.examine(&model, locks_are_exact, tally).map_err(|(query, mistake)| {
            (query, format!("run {number}: {mistake}; {:?}{stops}", sampled.steps))
        })?;
    }
    Ok(())
}

/// Stops random clocks in random locations, and describes where.
fn stop_clocks(model: &mut Model, random: &mut Random) -> String {
    let mut text = String::new();
    if model.clocks.is_empty() {
        return text;
    }
    for process in model.processes.ids() {
        for location in model.processes[process].locations.ids() {
            if random.chance(30) {
                let clock = ClockId::from_index(random.below(model.clocks.len()));
                let rate = model.expressions.push(Expression::Constant(0));
                let stop = Rate { condition: None, clock: Place::fixed(clock), rate };
                let found = &mut model.processes[process].locations[location];
                found.rates.push(stop);
                let _ = write!(text, ", {}' == 0 in {}", model.clocks[clock].name, found.name);
            }
        }
    }
    text
}

/// Whether an invariant has a strict bound, before which time stops a little earlier.
fn has_strict_invariants(model: &Model) -> bool {
    let locations = model.processes.iter().flat_map(|process| &process.locations);
    let mut constraints = locations.flat_map(|location| &location.invariant.clocks);
    constraints.any(|constraint| constraint.relation == Relation::Less)
}

/// Records the delays and transitions of a run.
struct Recorder<'n> {
    network: &'n CompiledNetwork,
    steps: Vec<RoundedStep>,
    delay: f64,
}

impl Recorder<'_> {
    /// Ends with the delay since the last transition.
    fn wait(&mut self) {
        if self.delay > 0.0 {
            self.steps.push(RoundedStep { delay: self.delay, participants: Vec::new() });
        }
    }
}

impl Observer for Recorder<'_> {
    fn state(&mut self, sampler: &mut Sampler<'_>) -> Result<ControlFlow<()>, RunError> {
        Ok(match sampler.transitions < TRANSITIONS {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    }

    fn delay(&mut self, _: &mut Sampler<'_>, time: f64) -> Result<ControlFlow<()>, RunError> {
        self.delay += time;
        Ok(ControlFlow::Continue(()))
    }

    fn remaining(&mut self, sampler: &mut Sampler<'_>) -> Result<f64, RunError> {
        Ok((DURATION - sampler.time).max(0.0))
    }

    fn transition(&mut self, participants: &[ActionId]) {
        let participants = participants.iter().map(|&action| {
            let action = self.network.action(action);
            let select = action.select.to_vec();
            Participant { process: action.process, edge: action.edge, select }
        });
        let delay = std::mem::take(&mut self.delay);
        self.steps.push(RoundedStep { delay, participants: participants.collect() });
    }
}

/// A sampled run.
struct SampledRun {
    steps: Vec<RoundedStep>,
    ended: Result<(), RunError>,
    /// The locations and cells at its end.
    values: Vec<i32>,
    clocks: Vec<f64>,
}

impl SampledRun {
    /// Replays the run and looks for its end; the error is a query and the mistake. Time locks are
    /// deadlocks if `locks_are_exact`.
    fn examine(
        &self,
        model: &Model,
        locks_are_exact: bool,
        tally: &mut Tally,
    ) -> Result<(), (String, String)> {
        let deadlock = |mistake: String| ("E<> deadlock".to_owned(), mistake);
        let is_short = |step: &RoundedStep| step.delay > 0.0 && step.delay < SHORTEST;
        let exact = self.steps.iter().position(is_short);
        let steps = &self.steps[..exact.unwrap_or(self.steps.len())];
        let run = match (rounded(model, steps), &self.ended) {
            (Ok(run), _) => run,
            (Err(Flaw { step: 0, kind: FlawKind::Model(_) }), Err(RunError::NoInitialState)) => {
                tally.failing += 1;
                return Ok(());
            }
            // The exact semantics evaluates all edges, a random run those that may be taken.
            (Err(Flaw { kind: FlawKind::Failed(_), .. }), _) => {
                tally.failing += 1;
                return Ok(());
            }
            (Err(flaw), _) => return Err(deadlock(flaw.to_string())),
        };
        tally.answers += 1;
        if exact.is_some() {
            tally.undecided += 1;
            return Ok(());
        }
        match &self.ended {
            Ok(()) | Err(RunError::StepLimit(_)) => {}
            Err(RunError::TimeLock) if locks_are_exact => {
                let locked = Formula::Deadlock;
                replay(model, &locked, &run)
                    .map_err(|flaw| deadlock(format!("no time lock: {flaw}")))?;
                tally.open += 1;
            }
            Err(RunError::TimeLock) => tally.open += 1,
            Err(RunError::Evaluation(_)) => {
                tally.failing += 1;
                return Ok(());
            }
            Err(other) => return Err(deadlock(format!("{other:?}"))),
        }
        let mut model = model.clone();
        let goal = self.end(&mut model);
        let text = format!("E<> {}", formula_text(&model, &goal));
        let fail = |mistake: String| (text.clone(), mistake);
        replay(&model, &goal, &run).map_err(|flaw| fail(flaw.to_string()))?;
        let model = asking(&model, &QueryKind::Possibly(goal));
        accepted(&model, &run).map_err(fail)?;
        tally.checked += 1;
        let mut options = VerifyOptions::default();
        options.resources.states = Some(STATES);
        match answered(&model, &options).0.verdict {
            Verdict::Satisfied => tally.reachable += 1,
            Verdict::NotSatisfied => return Err(fail("unreachable for the engine".to_owned())),
            _ => tally.undecided += 1,
        }
        Ok(())
    }

    /// The locations, cells and the integers around each clock at the end.
    fn end(&self, model: &mut Model) -> Formula {
        let (locations, cells) = self.values.split_at(model.processes.len());
        let mut parts = Vec::new();
        for (process, &location) in locations.iter().enumerate() {
            let location = LocationId::from_index(location as usize);
            let at = Expression::At(ProcessId::from_index(process), location);
            parts.push(Formula::Data(model.expressions.push(at)));
        }
        for (cell, &value) in cells.iter().enumerate() {
            let read = Expression::Read(Place::fixed(Storage::Cell(Id::from_index(cell))));
            let read = model.expressions.push(read);
            let value = model.expressions.push(Expression::Constant(value));
            let equal = Expression::Binary(BinaryOperator::Equal, read, value);
            parts.push(Formula::Data(model.expressions.push(equal)));
        }
        for (clock, &value) in self.clocks.iter().enumerate() {
            let whole = value.round();
            let bounds = match (value - whole).abs() <= NEAR {
                true => vec![(Relation::Equal, whole)],
                false => {
                    vec![(Relation::Greater, value.floor()), (Relation::Less, value.floor() + 1.0)]
                }
            };
            for (relation, bound) in bounds {
                parts.push(Formula::Clock(ClockConstraint {
                    condition: None,
                    left: Place::fixed(ClockId::from_index(clock)),
                    right: None,
                    relation,
                    bound: model.expressions.push(Expression::Constant(bound as i32)),
                }));
            }
        }
        Formula::And(parts)
    }
}

/// Whether the checker of certificates accepts a run to the goal of the first query.
fn accepted(model: &Model, run: &Run) -> Result<(), String> {
    let core = core_text::write(model, Some(&model.queries[QueryId::from_index(0)].kind));
    let digest = fingerprint(core.as_bytes());
    let mut text = format!("tacert 1\nkind reach\ncore {digest}\nclocks {}", model.clocks.len());
    for clock in &model.clocks {
        text += &format!(" {}", core_text::escaped(&clock.name));
    }
    text += &format!("\ndenom {}\n", run.denominator);
    for step in &run.steps {
        if step.delay > 0 {
            text += &format!("delay {}\n", step.delay);
        }
        if step.participants.is_empty() {
            continue;
        }
        text += "act";
        for Participant { process, edge, select } in &step.participants {
            text += &format!(" {}.{}", process.index(), edge.index());
            for (k, value) in select.iter().enumerate() {
                text += &format!("{}{value}", if k == 0 { ':' } else { ',' });
            }
        }
        text += "\n";
    }
    let certificate = seal(text + "goal\n");
    match check(&core, &certificate, &Limits::default()) {
        Ok(accepted) if accepted.claim == Claim::Satisfied => Ok(()),
        Ok(other) => Err(format!("the checker: {other}")),
        Err(refusal) => Err(format!("the checker: {refusal}")),
    }
}
