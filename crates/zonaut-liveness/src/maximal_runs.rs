//! The exact search for a maximal run among those that avoid a formula, in all states or in those with
//! certain discrete parts.
//!
//! # Correctness of verdicts
//! Zones are widened with greatest constants, so a node represents regions that are all reachable,
//! and regions are bisimilar. Let R(n) be the regions of the node n.
//!
//! *A cycle is real.* Let the successor m of a node on the stack include an ancestor a with the
//! same discrete part. Each region of a node has a predecessor among the regions of the node before
//! it, along the same transition. So each region of a, being one of m, has a predecessor in a from
//! which the cycle leads to it; iterating this backwards repeats a region, as there are finitely
//! many. That region is reachable, by the path from the root, and the cycle leads from it to itself
//! after some rounds. The opposite inclusion proves nothing: a smaller successor that can take the
//! cycle once more need not be able to take it infinitely often.
//!
//! *Nothing is missed.* A node is left only after all its successors were left, or were included in
//! nodes that were left. No maximal run begins in a node that was left: an infinite one would pass
//! infinitely many nodes, each left before the one from which it is entered, and a finite one would
//! end in some node, but every node is tested for ends when it is entered. If no maximal run begins
//! in a larger node, none begins in a smaller one.
//!
//! *Termination.* Nodes on the stack are pairwise different, and a node that was left is not
//! entered again, so no zone is expanded twice, and the number of widened zones is finite.

#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::lasso::{Finding, Lasso, LassoEnd};
use foldhash::fast::FixedState;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use zonaut_compile::Step;
use zonaut_dbm::Width;
use zonaut_search::{ArenaStore, Ledger, Statistics, ask};
use zonaut_space::{CostDominance, Observer, PassedStore, Progress, StopReason};
use zonaut_zonegraph::{
    AvoidingGraph, Comparison, StateEncoding, StepError, SymbolicState, ZoneCovering,
};

/// The states in which no maximal run begins.
type RefutedStates<'n, W> = ArenaStore<StateEncoding<'n, W>, ZoneCovering<'n, W>>;

/// The reason for which a search ends early.
pub(crate) enum Halt {
    /// A maximal run was found: its steps from the start of the search.
    Lasso(Lasso),
    /// A run-time error occurred at the end of these steps.
    Failed(StepError, Vec<Step>),
    /// The observer stopped the search, or memory ran out.
    Stopped(StopReason),
}

impl Halt {
    /// The finding, with these steps prepended.
    pub(crate) fn after(self, before: Vec<Step>) -> Finding {
        match self {
            Self::Lasso(lasso) => Finding::Found(Lasso { before, ..lasso }),
            Self::Failed(error, steps) => {
                Finding::Failed { error, steps: before.into_iter().chain(steps).collect() }
            }
            Self::Stopped(why) => Finding::Stopped(why),
        }
    }

    /// The same, with these steps prepended to those of the search.
    pub(crate) fn preceded_by(self, mut before: Vec<Step>) -> Self {
        match self {
            Self::Lasso(lasso) => {
                before.extend(lasso.prefix);
                Self::Lasso(Lasso { prefix: before, ..lasso })
            }
            Self::Failed(error, steps) => {
                before.extend(steps);
                Self::Failed(error, before)
            }
            Self::Stopped(why) => Self::Stopped(why),
        }
    }

    pub(crate) fn of_error(error: StepError, steps: Vec<Step>) -> Self {
        match error {
            StepError::Stopped(why) => Self::Stopped(why),
            error => Self::Failed(error, steps),
        }
    }
}

impl From<StopReason> for Halt {
    fn from(why: StopReason) -> Self {
        Self::Stopped(why)
    }
}

/// A state on the stack, with its successors that are not entered yet.
struct Open<W: Width> {
    /// The step that leads to it; `None` for a start.
    step: Option<Step>,
    state: SymbolicState<W>,
    /// The successors that are not entered yet, the first one last.
    waiting: Vec<(Step, SymbolicState<W>)>,
}

/// A depth-first search for maximal runs. It may be started several times, and keeps refuted
/// states.
pub(crate) struct MaximalRuns<'g, 'n, W: Width> {
    pub(crate) avoiding: AvoidingGraph<'g, 'n, W>,
    refuted: RefutedStates<'n, W>,
    stack: Vec<Open<W>>,
    /// By discrete part, the positions on the stack.
    positions: HashMap<Box<[u64]>, Vec<usize>, FixedState>,
    /// The discrete parts of the states that are searched; absent for all.
    within: Option<HashSet<Box<[u64]>, FixedState>>,
    ledger: Ledger,
    waiting: usize,
    /// All states that were left, in this order, if a proof is requested.
    left: Option<Vec<SymbolicState<W>>>,
}

impl<'g, 'n, W: Width> MaximalRuns<'g, 'n, W> {
    pub(crate) fn new(avoiding: AvoidingGraph<'g, 'n, W>) -> Self {
        let encoding = StateEncoding::new(avoiding.graph());
        let covering = ZoneCovering::new(avoiding.graph(), Comparison::Inclusion);
        Self {
            refuted: ArenaStore::new(encoding, covering),
            avoiding,
            stack: Vec::new(),
            positions: HashMap::default(),
            within: None,
            ledger: Ledger::default(),
            waiting: 0,
            left: None,
        }
    }

    /// Restricts the search to states with these discrete parts.
    pub(crate) fn restrict(&mut self, discrete_parts: impl Iterator<Item: AsRef<[u64]>>) {
        self.within = Some(discrete_parts.map(|part| Box::from(part.as_ref())).collect());
    }

    /// Records all states that are left from now on.
    pub(crate) fn record_left(&mut self) {
        self.left = Some(Vec::new());
    }

    /// The recorded states. The successors of a state are in states that were left before it.
    pub(crate) fn recorded(self) -> Vec<SymbolicState<W>> {
        let left = self.left.unwrap_or_default();
        #[cfg(feature = "faults")]
        if Fault::RanksReversed.is_selected() {
            return left.into_iter().rev().collect();
        }
        left
    }

    /// The statistics so far.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = self.ledger.statistics;
        statistics.stored = self.refuted.len() + self.stack.len();
        statistics.bytes = self.bytes();
        statistics
    }

    /// The approximate memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let left = self.left.as_deref().unwrap_or_default();
        let some = self.stack.first().map(|open| &open.state).or(left.first());
        let state = some.map_or(0, |state| size_of_val(state.zone.as_slice()));
        self.refuted.bytes()
            + (self.waiting + self.stack.len() + left.len()) * (state + size_of::<Open<W>>())
    }

    /// Searches for a maximal run that begins in `state`.
    pub(crate) fn search<Ob>(
        &mut self,
        state: SymbolicState<W>,
        observer: &mut Ob,
    ) -> Result<(), Halt>
    where
        Ob: Observer<SymbolicState<W>, Step> + ?Sized,
    {
        self.enter(None, state, observer)?;
        while let Some(top) = self.stack.last_mut() {
            match top.waiting.pop() {
                Some((step, state)) => {
                    self.waiting -= 1;
                    self.enter(Some(step), state, observer)?;
                }
                None => self.leave()?,
            }
        }
        Ok(())
    }

    /// Pushes a state, unless it is refuted or closes a cycle.
    fn enter<Ob>(
        &mut self,
        step: Option<Step>,
        state: SymbolicState<W>,
        observer: &mut Ob,
    ) -> Result<(), Halt>
    where
        Ob: Observer<SymbolicState<W>, Step> + ?Sized,
    {
        self.report_progress(observer)?;
        if self.within.as_ref().is_some_and(|within| !within.contains(state.key())) {
            return Ok(());
        }
        if let Some(position) = self.ancestor_within(&state) {
            let mut cycle = self.steps_from(position + 1);
            cycle.extend(step);
            let mut prefix = self.steps_from(0);
            prefix.truncate(prefix.len() + 1 - cycle.len());
            return Err(Halt::Lasso(lasso(prefix, LassoEnd::Cycle(cycle))));
        }
        if self.refuted.coverer_of(&state).is_some() {
            self.ledger.statistics.covered += 1;
            return Ok(());
        }
        let position = self.stack.len();
        self.positions.entry(state.key().into()).or_default().push(position);
        self.stack.push(Open { step, state, waiting: Vec::new() });
        if let Some(end) = self.end_of_top()? {
            return Err(Halt::Lasso(lasso(self.steps_from(0), end)));
        }
        self.expand()
    }

    /// The end of a maximal run in the state on top of the stack, if one exists.
    fn end_of_top(&mut self) -> Result<Option<LassoEnd>, Halt> {
        let Some(top) = self.stack.last() else { return Ok(None) };
        match self.avoiding.run_end(&top.state) {
            Ok(end) => Ok(end.map(|(end, _)| end.into())),
            Err(error) => Err(Halt::of_error(error, self.steps_from(0))),
        }
    }

    /// Computes the successors of the state on top of the stack.
    fn expand(&mut self) -> Result<(), Halt> {
        let Self { avoiding, stack, ledger, .. } = self;
        let Some(top) = stack.last_mut() else { return Ok(()) };
        ledger.statistics.explored += 1;
        let mut failure = None;
        let waiting = &mut top.waiting;
        let _ = avoiding.visit_successors(&top.state, &mut |step, _, target| match target {
            Ok(target) => {
                waiting.push((step, target.clone()));
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some((step, error));
                ControlFlow::Break(())
            }
        });
        waiting.reverse();
        ledger.statistics.generated += waiting.len();
        self.waiting += waiting.len();
        let Some((step, error)) = failure else { return Ok(()) };
        let steps = self.steps_from(0).into_iter().chain([step]).collect();
        Err(Halt::of_error(error, steps))
    }

    /// Pops the last state: no maximal run begins in it.
    fn leave(&mut self) -> Result<(), Halt> {
        let Some(Open { state, .. }) = self.stack.pop() else { return Ok(()) };
        if let Some(positions) = self.positions.get_mut(state.key()) {
            positions.pop();
        }
        let evicted = &mut self.ledger.statistics.evicted;
        self.refuted.insert::<u32>(&state, CostDominance::Ignored, |_| *evicted += 1)?;
        if let Some(left) = &mut self.left {
            left.push(state);
        }
        Ok(())
    }

    /// The last state on the stack whose valuations are all in `state`.
    fn ancestor_within(&self, state: &SymbolicState<W>) -> Option<usize> {
        let positions = self.positions.get(state.key())?;
        let is_within = |&&position: &&usize| {
            let ancestor = &self.stack[position].state.zone;
            #[cfg(feature = "faults")]
            if Fault::CycleByCovering.is_selected() {
                return ancestor.includes(&state.zone);
            }
            state.zone.includes(ancestor)
        };
        positions.iter().rev().find(is_within).copied()
    }

    /// The steps on the stack from a position on.
    fn steps_from(&self, position: usize) -> Vec<Step> {
        self.stack.iter().skip(position).filter_map(|open| open.step).collect()
    }

    fn report_progress<Ob>(&mut self, observer: &mut Ob) -> Result<(), StopReason>
    where
        Ob: Observer<SymbolicState<W>, Step> + ?Sized,
    {
        self.ledger.count_effort(self.refuted.effort());
        if !self.ledger.count_event() {
            return Ok(());
        }
        ask(observer, &self.progress())
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress {
            explored: self.ledger.statistics.explored,
            stored: self.refuted.len() + self.stack.len(),
            waiting: self.waiting,
            bytes: self.bytes(),
            depth: u32::try_from(self.stack.len()).unwrap_or(u32::MAX),
        }
    }
}

fn lasso(prefix: Vec<Step>, end: LassoEnd) -> Lasso {
    Lasso { before: Vec::new(), prefix, end }
}
