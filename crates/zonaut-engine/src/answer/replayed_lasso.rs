//! Maximal runs of models with stopwatches, confirmed by concrete runs.
//!
//! A cycle or an end of the zone graph need not be one of a run if clocks are stopped. A run along the
//! transitions is maximal if it ends in a deadlock, if time diverges from all valuations of its last
//! state, or if it returns to an earlier valuation, up to clocks that exceed all constants before and
//! after: then the same delays and transitions are possible again. That the formula is avoided is
//! known if it depends on data alone, because the graph has states that avoid it only.

use zonaut_analysis::normal_form::{Literal, NormalForm};
use zonaut_concrete::{ConcreteRun, Destination, Moment, NoRun, concretise};
use zonaut_dbm::Width;
use zonaut_liveness::{CompiledObjective, Lasso, LassoEnd, Objective};
use zonaut_model::{Formula, Model};
use zonaut_zonegraph::{Abstraction, AvoidingGraph, CompiledGoal, Differences, Step, ZoneGraph};

/// The numbers of rounds through a cycle after which a valuation may repeat.
const ROUNDS: [usize; 4] = [1, 2, 4, 8];

/// A lasso that is one of runs, and a run through it.
pub(super) struct ReplayedLasso {
    pub(super) lasso: Lasso,
    pub(super) run: ConcreteRun,
}

/// A lasso of the zone graph, to be replayed.
pub(super) struct PossibleLasso<'l, 'n, W: Width> {
    pub(super) model: &'l Model,
    pub(super) graph: &'l ZoneGraph<'n, W>,
    pub(super) objective: &'l Objective,
    pub(super) compiled: &'l CompiledObjective,
    pub(super) lasso: &'l Lasso,
}

impl<W: Width> PossibleLasso<'_, '_, W> {
    /// A run through the lasso.
    ///
    /// # Errors
    /// If none is found.
    pub(super) fn replay(&self) -> Result<ReplayedLasso, NoRun> {
        let Objective { avoided, begin, .. } = self.objective;
        if ![avoided].into_iter().chain(begin).all(depends_on_data_alone) {
            return Err(NoRun::Spurious);
        }
        let Lasso { before, prefix, end } = self.lasso;
        let steps = [before.as_slice(), prefix].concat();
        let ReplayedLasso { lasso, mut run } = match end {
            LassoEnd::Blocked => {
                let deadlock = CompiledGoal::new(self.model, &Formula::Deadlock);
                let run = concretise(self.graph, &steps, Destination::Goal(&deadlock))?;
                ReplayedLasso { lasso: self.lasso.clone(), run }
            }
            LassoEnd::Diverging => self.diverging(&steps)?,
            LassoEnd::Cycle(cycle) => self.repeating(&steps, cycle)?,
        };
        let transitions = lasso.before.len();
        run.moment = begin.as_ref().map(|_| Moment { transitions, delay: 0 });
        Ok(ReplayedLasso { lasso, run })
    }

    /// The run that remains after `steps`.
    fn diverging(&self, steps: &[Step]) -> Result<ReplayedLasso, NoRun> {
        let run = concretise(self.graph, steps, Destination::Anywhere)?;
        let values = run.steps.last().map_or(&run.start, |step| &step.values);
        let (network, bounds) = (self.graph.network(), self.graph.bounds());
        let (avoided, exact) = (&self.compiled.avoided, Abstraction::Exact);
        let avoiding = AvoidingGraph::<W>::new(network, bounds, avoided, exact, self.graph.meter());
        let mut avoiding = avoiding.map_err(|_| NoRun::ClockRange)?;
        match avoiding.always_diverges(values) {
            Ok(true) => Ok(ReplayedLasso { lasso: self.lasso.clone(), run }),
            _ => Err(NoRun::Spurious),
        }
    }

    /// The run that repeats `cycle`, perhaps several times, after `steps`.
    fn repeating(&self, steps: &[Step], cycle: &[Step]) -> Result<ReplayedLasso, NoRun> {
        if self.graph.differences() != Differences::Absent {
            return Err(NoRun::Spurious);
        }
        for rounds in ROUNDS {
            let all = [steps, &cycle.repeat(rounds)].concat();
            let run = concretise(self.graph, &all, Destination::Anywhere)?;
            let after = |round: usize| steps.len() + round * cycle.len();
            let pairs = (1..=rounds).flat_map(|last| (0..last).map(move |first| (first, last)));
            let mut pairs = pairs.map(|(first, last)| (after(first), after(last)));
            if let Some((first, last)) = pairs.find(|&(i, j)| self.is_repeated(&run, i, j)) {
                let before = self.lasso.before.clone();
                let prefix = all[before.len()..first].to_vec();
                let lasso =
                    Lasso { before, prefix, end: LassoEnd::Cycle(all[first..last].to_vec()) };
                return Ok(ReplayedLasso { lasso, run: shortened(run, last) });
            }
        }
        Err(NoRun::Spurious)
    }

    /// Whether the states after two numbers of transitions can do the same.
    fn is_repeated(&self, run: &ConcreteRun, first: usize, last: usize) -> bool {
        let (before, after) = (state_after(run, first), state_after(run, last));
        let greatest = i64::from(self.graph.bounds().greatest_constant());
        let is_above = |value: i64| value > greatest.saturating_mul(run.denominator);
        let is_same = |(&x, &y): (&i64, &i64)| x == y || (is_above(x) && is_above(y));
        before.values == after.values && before.clocks.iter().zip(after.clocks).all(is_same)
    }
}

/// A state of a run.
struct ConcreteState<'r> {
    values: &'r [i32],
    clocks: &'r [i64],
}

/// The state after this number of transitions.
fn state_after(run: &ConcreteRun, transitions: usize) -> ConcreteState<'_> {
    match transitions.checked_sub(1).and_then(|last| run.steps.get(last)) {
        Some(step) => ConcreteState { values: &step.values, clocks: &step.clocks },
        None => ConcreteState { values: &run.start, clocks: &run.start_clocks },
    }
}

/// The run up to this number of transitions.
fn shortened(mut run: ConcreteRun, transitions: usize) -> ConcreteRun {
    run.last_clocks = state_after(&run, transitions).clocks.to_vec();
    run.last_delay = 0;
    run.steps.truncate(transitions);
    run
}

/// Whether neither clocks nor deadlocks occur in a formula.
fn depends_on_data_alone(formula: &Formula) -> bool {
    let mut is_data = true;
    NormalForm::new(formula)
        .for_each_literal(&mut |literal, _| is_data &= matches!(literal, Literal::Data(_)));
    is_data
}
