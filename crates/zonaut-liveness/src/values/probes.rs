//! The values of a clock in the presence of clock differences, by reachability probes.
//!
//! With clock differences, clocks above their constants cannot be abstracted one by one, so that
//! the clock cannot be kept exact. But whether it exceeds a number is a reachability question,
//! which zones split on the differences decide. Extreme values are integers, attained or
//! approached, as all constants are; so they are found by binary search.
//!
//! Values are unbounded if time may diverge while the condition holds. Otherwise a supremum far
//! beyond all constants is not found: each probe costs as many states as there are rounds of a loop
//! to it, and exceeding some number never proves unboundedness.

use super::{ClockValues, Extended, Extreme, Range, Unknown, Value};
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork, Step};
use zonaut_dbm::Wide;
use zonaut_model::{CLOCK_LIMIT, ClockId, Formula, Model, Relation};
use zonaut_search::{ArenaStore, Fifo, Outcome, Search, Statistics, Uninformed};
use zonaut_space::{Goal, NodeId, Observer};
use zonaut_zonegraph::{
    Abstraction, AvoidingGraph, Comparison, CompiledGoal, RunEnd, StateEncoding, StepError,
    SymbolicState, ZoneCovering, ZoneGoal, ZoneGraph,
};

/// The values of `clock` in the states where `condition` holds.
pub(super) fn probed_range<Ob>(
    model: &Model,
    network: &CompiledNetwork,
    condition: &Formula,
    clock: ClockId,
    observer: &mut Ob,
) -> ClockValues
where
    Ob: Observer<SymbolicState<Wide>, Step>,
{
    let statistics = Statistics::default();
    let greatest = BoundsTable::new(model, condition).greatest();
    let farthest = greatest.max(1).saturating_mul(FAR).min(CLOCK_LIMIT);
    let mut probes = Probes { model, network, condition, clock, farthest, observer, statistics };
    let range = probes.range();
    ClockValues { range, states: None, statistics: probes.statistics }
}

struct Probes<'p, Ob> {
    model: &'p Model,
    network: &'p CompiledNetwork,
    condition: &'p Formula,
    clock: ClockId,
    /// The largest number that is probed.
    farthest: i32,
    observer: &'p mut Ob,
    statistics: Statistics,
}

/// The steps to a state in which a condition holds; `None` if it is unreachable.
type Steps = Option<Vec<Step>>;

impl<Ob> Probes<'_, Ob>
where
    Ob: Observer<SymbolicState<Wide>, Step>,
{
    fn range(&mut self) -> Result<Option<Range>, Unknown> {
        // This explores all states, so that every reachable run-time error is met.
        let stay = self.unbounded_stay()?;
        if self.steps_to(Relation::GreaterEqual, 0)?.is_none() {
            return Ok(None);
        }
        let least = self.least()?;
        let greatest = match stay {
            Some(steps) => Extreme { value: Value::Unbounded, steps, pumping: None },
            None => self.greatest()?,
        };
        Ok(Some(Range { least, greatest }))
    }

    fn least(&mut self) -> Result<Extreme, Unknown> {
        let number = self.first(|probes, n| Ok(probes.steps_to(Relation::LessEqual, n)?.is_some()));
        let number = number?.ok_or(BEYOND)?;
        let (value, relation) = match self.steps_to(Relation::Less, number)?.is_some() {
            true => (Value::Approached(i64::from(number) - 1), Relation::Less),
            false => (Value::Attained(number.into()), Relation::LessEqual),
        };
        self.extreme(value, relation, number)
    }

    fn greatest(&mut self) -> Result<Extreme, Unknown> {
        let number = self.first(|probes, n| Ok(probes.steps_to(Relation::Greater, n)?.is_none()));
        let number = number?.ok_or(BEYOND)?;
        match self.steps_to(Relation::GreaterEqual, number)?.is_some() {
            true => self.extreme(Value::Attained(number.into()), Relation::GreaterEqual, number),
            false => self.extreme(Value::Approached(number.into()), Relation::Greater, number - 1),
        }
    }

    fn extreme(
        &mut self,
        value: Value,
        relation: Relation,
        number: i32,
    ) -> Result<Extreme, Unknown> {
        let steps = self.steps_to(relation, number)?.unwrap_or_default();
        Ok(Extreme { value, steps, pumping: None })
    }

    /// The least number from which on a property holds, if it is within the probed range.
    fn first(
        &mut self,
        mut is_true: impl FnMut(&mut Self, i32) -> Result<bool, Unknown>,
    ) -> Result<Option<i32>, Unknown> {
        let (mut low, mut high) = (0, 0);
        while !is_true(self, high)? {
            if high == self.farthest {
                return Ok(None);
            }
            (low, high) = (high + 1, (2 * high + 1).min(self.farthest));
        }
        while low < high {
            let middle = low + (high - low) / 2;
            match is_true(self, middle)? {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        Ok(Some(high))
    }

    /// The steps to a state in which the condition holds and the clock compares to a number as
    /// given.
    fn steps_to(&mut self, relation: Relation, number: i32) -> Result<Steps, Unknown> {
        let mut extended = Extended::of(self.model);
        let compared = extended.compared(self.clock, relation, number);
        let formula = Formula::And(vec![self.condition.clone(), compared]);
        let bounds = BoundsTable::new(&extended.model, &formula);
        let abstraction = Abstraction::best(&bounds);
        let graph = ZoneGraph::new(self.network, &bounds, abstraction, &self.observer.meter())?;
        let compiled = CompiledGoal::new(&extended.model, &formula);
        let outcome = self.search(&graph, &mut ZoneGoal::new(&graph, &compiled));
        match outcome {
            Outcome::Reached { steps, .. } => Ok(Some(steps)),
            Outcome::Exhausted => Ok(None),
            Outcome::Failed { error, steps } => Err(Unknown::of_error(error, steps)),
            Outcome::Stopped { why, .. } => Err(Unknown::Stopped(why)),
        }
    }

    /// The steps to a state in which time may diverge while the condition holds. Explores all
    /// states.
    fn unbounded_stay(&mut self) -> Result<Steps, Unknown> {
        let avoided = Formula::Not(Box::new(self.condition.clone()));
        let bounds = BoundsTable::new(self.model, &avoided);
        let compiled = |formula| CompiledGoal::new(self.model, formula);
        let (avoided, begin) = (compiled(&avoided), compiled(self.condition));
        let (network, abstraction) = (self.network, Abstraction::Maximum);
        let meter = &self.observer.meter();
        let graph = ZoneGraph::new(network, &bounds, abstraction, meter)?;
        let avoiding = AvoidingGraph::new(network, &bounds, &avoided, abstraction, meter)?;
        let mut goal = Staying { avoiding, begin: &begin, asked: 0, found: None };
        let covering = ZoneCovering::new(&graph, Comparison::Inclusion);
        let store = ArenaStore::new(StateEncoding::new(&graph), covering);
        let search = Search::reach(&graph, &mut goal, store, Uninformed(Fifo::default()));
        let (report, _) = search.finish(&mut *self.observer);
        self.count(&report.statistics);
        match report.outcome {
            Outcome::Failed { error, steps } => Err(Unknown::of_error(error, steps)),
            Outcome::Stopped { why, .. } => Err(Unknown::Stopped(why)),
            Outcome::Exhausted | Outcome::Reached { .. } => {
                Ok(goal.found.map(|node| report.nodes.steps(node)))
            }
        }
    }

    fn search<'n>(
        &mut self,
        graph: &ZoneGraph<'n, Wide>,
        goal: &mut impl Goal<ZoneGraph<'n, Wide>>,
    ) -> Outcome<Step, StepError> {
        let covering = ZoneCovering::new(graph, Comparison::of(graph.abstraction()));
        let store = ArenaStore::new(StateEncoding::new(graph), covering);
        let search = Search::reach(graph, goal, store, Uninformed(Fifo::default()));
        let (report, _) = search.finish(&mut *self.observer);
        self.count(&report.statistics);
        report.outcome
    }

    fn count(&mut self, more: &Statistics) {
        let all = &mut self.statistics;
        all.explored += more.explored;
        all.generated += more.generated;
        all.covered += more.covered;
        all.evicted += more.evicted;
        all.stored = all.stored.max(more.stored);
        all.bytes = all.bytes.max(more.bytes);
    }
}

/// The multiple of the greatest constant up to which values are probed.
const FAR: i32 = 16;

const BEYOND: Unknown = Unknown::Unsupported(
    "a clock far beyond all constants where clock differences are compared; \
     `E<>` answers for a number",
);

/// A goal that no state satisfies, and that records where time may diverge.
struct Staying<'s, 'n> {
    avoiding: AvoidingGraph<'s, 'n, Wide>,
    begin: &'s CompiledGoal,
    /// The number of evaluations; a goal is evaluated once per node, in order.
    asked: usize,
    found: Option<NodeId>,
}

impl<'n> Goal<ZoneGraph<'n, Wide>> for Staying<'_, 'n> {
    fn holds_in(&mut self, state: &SymbolicState<Wide>) -> Result<bool, StepError> {
        let node = NodeId::from_index(self.asked);
        self.asked += 1;
        let (mut beginnings, mut failure) = (Vec::new(), None);
        let _ = self.avoiding.visit_beginnings(state, self.begin, &mut |_, _, target| {
            match target {
                Ok(target) => beginnings.push(target.clone()),
                Err(error) => failure = Some(error),
            }
            if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        for beginning in beginnings {
            if matches!(self.avoiding.run_end(&beginning)?, Some((RunEnd::Diverging, _))) {
                self.found.get_or_insert(node);
            }
        }
        Ok(false)
    }
}
