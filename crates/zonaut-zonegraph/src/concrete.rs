//! From a path of the zone graph to a concrete run with exact delays.
//!
//! All constraints along a path are differences of event dates: a clock that was last set to `v` by
//! event `j` has the value `t - t_j + v` at date `t`. A strict bound `< c` is replaced by
//! `<= c - 1/D`, where D is the number of dates. If the strict system has a solution, so has this
//! one: a simple cycle passes at most D constraints, its weight in the strict system is an integer
//! that is positive, or zero without strict constraints, so taking away at most D times 1/D leaves
//! it non-negative. Hence delays are multiples of 1/D, and the earliest such run is computed by
//! relaxation.

use crate::goal::CompiledGoal;
use crate::graph::{Step, StepError, Transition, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Scratch, Visit};
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{ActionId, Constraint, row_of};
use zonaut_model::interpret::ClockEffect;
use zonaut_space::TransitionSystem;

/// A run with exact delays, which are integers over one denominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteRun {
    /// The denominator of all delays and clock values.
    pub denominator: i64,
    /// The values of locations and cells at the start.
    pub start: Vec<i32>,
    /// The values of clocks at the start.
    pub start_clocks: Vec<i64>,
    /// The transitions.
    pub steps: Vec<RunStep>,
    /// The delay after the last transition.
    pub last_delay: i64,
    /// Whether the last transition fails at run time; its values and clocks are then those before
    /// it.
    pub fails: bool,
}

/// A delay and the transition after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStep {
    /// How long the run stays before the transition.
    pub delay: i64,
    /// The actions taken, the sender's first, receivers in system order.
    pub participants: Vec<ActionId>,
    /// The values of locations and cells after the transition.
    pub values: Vec<i32>,
    /// The values of clocks after the transition.
    pub clocks: Vec<i64>,
}

/// The path has no concrete run: a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spurious;

/// One symbolic state on a path, with how it was reached.
struct Visited {
    transition: Transition,
    state: Option<SymbolicState>,
}

/// A run along `steps` that ends where `goal` holds, or, without a goal, anywhere.
///
/// # Errors
/// If there is none: then the zone graph is wrong.
pub fn concretise(
    graph: &ZoneGraph<'_>,
    steps: &[Step],
    goal: Option<&CompiledGoal>,
) -> Result<ConcreteRun, Spurious> {
    let mut scratch = graph.scratch();
    let mut starts = Vec::new();
    let _ = graph.visit_initial(&mut scratch, &mut |_, transition, state| {
        if let Ok(state) = state {
            starts.push((transition.clone(), state.clone()));
        }
        ControlFlow::Continue(())
    });
    // Several initial states are parts of one split zone; steps do not say which they leave.
    let runs = starts.into_iter().filter_map(|(transition, state)| {
        let start = Visited { transition, state: Some(state) };
        along(graph, start, steps, goal, &mut scratch)
    });
    runs.into_iter().next().ok_or(Spurious)
}

fn along(
    graph: &ZoneGraph<'_>,
    start: Visited,
    steps: &[Step],
    goal: Option<&CompiledGoal>,
    scratch: &mut Scratch,
) -> Option<ConcreteRun> {
    let mut path = vec![start];
    for &step in steps {
        let state = path.last()?.state.as_ref()?;
        path.push(follow(graph, state, step, scratch)?);
    }
    let last = path.last()?;
    let end = match (goal, &last.state) {
        (Some(goal), Some(state)) => {
            let mut goal = crate::goal::ZoneGoal::new(graph, goal);
            goal.witness(state).ok()??
        }
        _ => Vec::new(),
    };
    let mut dates = Dates::new(graph, path.len());
    for (event, visited) in path.iter().enumerate() {
        dates.enter(event, &visited.transition, visited.state.is_none());
    }
    dates.require(&end, path.len());
    let solved = dates.solve()?;
    Some(run(graph, &path, &solved))
}

/// The successor of `state` that `step` names.
fn follow(
    graph: &ZoneGraph<'_>,
    state: &SymbolicState,
    step: Step,
    scratch: &mut Scratch,
) -> Option<Visited> {
    let mut found = None;
    let visit: &mut Visit<'_> =
        &mut |at: Step, transition: &Transition, target: Result<&mut SymbolicState, StepError>| {
            if at != step {
                return ControlFlow::Continue(());
            }
            let state = target.ok().map(|target| target.clone());
            found = Some(Visited { transition: transition.clone(), state });
            ControlFlow::Break(())
        };
    let _ = graph.visit_successors(state, scratch, visit);
    found
}

/// A constraint `t_later - t_earlier <= weight`, in units of the denominator.
#[derive(Clone, Copy)]
struct DateConstraint {
    left: usize,
    right: usize,
    weight: i64,
}

/// The dates of events: date 0 is the start, date `k` the k-th transition, the last one the end.
struct Dates {
    count: usize,
    /// By row over all clocks, the event that set it last and the value it was given.
    last_set: Vec<(usize, i64)>,
    constraints: Vec<DateConstraint>,
    possible: bool,
}

impl Dates {
    fn new(graph: &ZoneGraph<'_>, states: usize) -> Self {
        let clocks = graph.network().initial_clocks.iter();
        let last_set = [(0, 0)].into_iter().chain(clocks.map(|&v| (0, i64::from(v)))).collect();
        Self { count: states + 1, last_set, constraints: Vec::new(), possible: true }
    }

    /// Adds what the transition at date `event` and the stay after it require.
    fn enter(&mut self, event: usize, transition: &Transition, fails: bool) {
        self.require(&transition.before, event);
        self.add(event, event + 1, 0, false);
        if fails {
            self.add(event + 1, event, 0, false);
            return;
        }
        for effect in &transition.effects {
            match *effect {
                ClockEffect::Set(clock, value) => {
                    self.last_set[row_of(clock) as usize] = (event, i64::from(value));
                }
                ClockEffect::Copy(target, source) => {
                    self.last_set[row_of(target) as usize] = self.last_set[row_of(source) as usize];
                }
            }
        }
        self.require(&transition.arrival, event);
        if !transition.delayed {
            self.add(event + 1, event, 0, false);
        }
        self.require(&transition.departure, event + 1);
    }

    /// Requires constraints on clocks at a date.
    fn require(&mut self, constraints: &[Constraint], date: usize) {
        for c in constraints {
            if c.bound.is_infinite() {
                continue;
            }
            let (x_event, x_value) = self.last_set[c.x as usize];
            let (y_event, y_value) = self.last_set[c.y as usize];
            let left = if c.y == 0 { date } else { y_event };
            let right = if c.x == 0 { date } else { x_event };
            let value = i64::from(c.bound.value());
            let value = if c.x == 0 { value } else { value - x_value };
            let value = if c.y == 0 { value } else { value + y_value };
            self.add(left, right, value, c.bound.is_strict());
        }
    }

    /// Requires `t_left - t_right` to be at most, or below, `value`.
    fn add(&mut self, left: usize, right: usize, value: i64, strict: bool) {
        let weight = value * self.count as i64 - i64::from(strict);
        if left == right {
            self.possible &= weight >= 0;
        } else {
            self.constraints.push(DateConstraint { left, right, weight });
        }
    }

    /// The earliest dates, in units of one over [`Dates::count`].
    fn solve(&self) -> Option<Vec<i64>> {
        if !self.possible {
            return None;
        }
        let mut dates = vec![0i64; self.count];
        // Each pass settles at least one more date of the longest chain of constraints.
        for pass in 0..=self.count {
            let mut changed = false;
            let mut relax = |c: &DateConstraint| {
                let least = dates[c.left] - c.weight;
                if dates[c.right] < least {
                    dates[c.right] = least;
                    changed = true;
                }
            };
            if pass % 2 == 0 {
                self.constraints.iter().for_each(&mut relax);
            } else {
                self.constraints.iter().rev().for_each(&mut relax);
            }
            if !changed {
                return (dates[0] == 0).then_some(dates);
            }
        }
        None
    }
}

/// Puts dates and path together.
fn run(graph: &ZoneGraph<'_>, path: &[Visited], dates: &[i64]) -> ConcreteRun {
    let denominator = dates.len() as i64;
    let divisor = dates.iter().fold(denominator, |divisor, &date| gcd(divisor, date));
    let unit = denominator / divisor;
    let start_clocks: Vec<i64> =
        graph.network().initial_clocks.iter().map(|&v| i64::from(v) * unit).collect();
    let mut clocks = start_clocks.clone();
    let mut steps = Vec::new();
    let mut values = path[0].state.as_ref().map(|s| s.values.clone()).unwrap_or_default();
    let start = values.clone();
    for (event, visited) in path.iter().enumerate().skip(1) {
        let delay = (dates[event] - dates[event - 1]) / divisor;
        clocks.iter_mut().for_each(|clock| *clock += delay);
        // A transition that fails, be it in the invariant of its target, changes nothing.
        if let Some(state) = &visited.state {
            values.clone_from(&state.values);
            apply(&visited.transition.effects, unit, &mut clocks);
        }
        steps.push(RunStep {
            delay,
            participants: visited.transition.participants.clone(),
            values: values.clone(),
            clocks: clocks.clone(),
        });
    }
    let last_delay = (dates[path.len()] - dates[path.len() - 1]) / divisor;
    let fails = path.last().is_some_and(|visited| visited.state.is_none());
    ConcreteRun { denominator: unit, start, start_clocks, steps, last_delay, fails }
}

/// Carries `effects` out on clocks in units of one over `unit`.
fn apply(effects: &[ClockEffect], unit: i64, clocks: &mut [i64]) {
    for effect in effects {
        match *effect {
            ClockEffect::Set(clock, value) => clocks[clock.index()] = i64::from(value) * unit,
            ClockEffect::Copy(target, source) => clocks[target.index()] = clocks[source.index()],
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
