//! The values of integer expressions, computed by exploring all states.

use super::{Extreme, Range, Unknown, Value};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use zonaut_base::Id;
use zonaut_compile::Step;
use zonaut_dbm::Width;
use zonaut_model::interpret::{DEFAULT_BUDGET, Interpreter, RunTimeError};
use zonaut_model::{ExpressionId, LocationId, Model};
use zonaut_search::{ArenaStore, Fifo, Outcome, Search, Statistics, Uninformed};
use zonaut_space::{Goal, NodeId, Observer};
use zonaut_zonegraph::{
    Comparison, CompiledGoal, StateEncoding, StepError, SymbolicState, ZoneCovering, ZoneGoal,
    ZoneGraph,
};

/// The values of integer expressions, from an exploration of all states.
pub struct IntegerValues<'n, W: Width> {
    /// The values of each expression where the condition holds; `None` if it holds nowhere.
    pub ranges: Result<Option<Vec<Range>>, Unknown>,
    /// All states, if the exploration was completed.
    pub states: ArenaStore<StateEncoding<'n, W>, ZoneCovering<'n, W>>,
    /// The statistics.
    pub statistics: Statistics,
}

/// The values of each of `expressions` in the states of `graph` where `condition` holds; `None` if
/// it holds nowhere. The ranges are an error if the exploration does not complete, or a run-time
/// error occurs in it.
pub fn integer_ranges<'n, W, Ob>(
    model: &Model,
    graph: &ZoneGraph<'n, W>,
    condition: &CompiledGoal,
    expressions: &[ExpressionId],
    observer: &mut Ob,
) -> IntegerValues<'n, W>
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step>,
{
    let comparison = Comparison::of(graph.abstraction());
    let covering = ZoneCovering::new(graph, comparison);
    let store = ArenaStore::new(StateEncoding::new(graph), covering);
    let frontier = Uninformed(Fifo::default());
    let mut survey = Survey {
        condition: ZoneGoal::new(graph, condition),
        interpreter: Interpreter::new(model, DEFAULT_BUDGET),
        expressions,
        processes: model.processes.len(),
        found: vec![None; expressions.len()],
        asked: 0,
    };
    let (report, store) = Search::reach(graph, &mut survey, store, frontier).finish(observer);
    let outcome = match report.outcome {
        Outcome::Failed { error, steps } => Err(Unknown::of_error(error, steps)),
        Outcome::Stopped { why, .. } => Err(Unknown::Stopped(why)),
        Outcome::Exhausted | Outcome::Reached { .. } => Ok(()),
    };
    let extreme = |(value, node): (i32, NodeId)| Extreme {
        value: Value::Attained(value.into()),
        steps: report.nodes.steps(node),
        pumping: None,
    };
    let range = |[least, greatest]: [(i32, NodeId); 2]| Range {
        least: extreme(least),
        greatest: extreme(greatest),
    };
    let ranges = survey.found.into_iter().map(|found| found.map(range)).collect();
    let (ranges, statistics) = (outcome.map(|()| ranges), report.statistics);
    IntegerValues { ranges, states: store, statistics }
}

/// A goal that no state satisfies, and that records values.
struct Survey<'s, 'n, W: Width> {
    condition: ZoneGoal<'s, 'n, W>,
    interpreter: Interpreter<'s>,
    expressions: &'s [ExpressionId],
    processes: usize,
    /// For each expression, the least and the greatest value with the nodes that have them.
    found: Vec<Option<[(i32, NodeId); 2]>>,
    /// The number of evaluations; a goal is evaluated once per node, in order.
    asked: usize,
}

impl<W: Width> Survey<'_, '_, W> {
    fn note(&mut self, state: &SymbolicState<W>, node: NodeId) -> Result<(), RunTimeError> {
        let Self { interpreter, expressions, found, .. } = self;
        let (locations, cells) = state.values.split_at(self.processes);
        let location = |&at: &i32| LocationId::from_index(at as usize);
        interpreter.locations.clear();
        interpreter.locations.extend(locations.iter().map(location));
        interpreter.cells.clear();
        interpreter.cells.extend_from_slice(cells);
        for (&expression, known) in expressions.iter().zip(found) {
            interpreter.refill(DEFAULT_BUDGET);
            let value = interpreter.evaluate(expression)?;
            let [least, greatest] = known.get_or_insert([(value, node); 2]);
            if value < least.0 {
                *least = (value, node);
            }
            #[cfg(feature = "faults")]
            let value = value - i32::from(Fault::GreatestTooSmall.is_selected() && value > least.0);
            if value > greatest.0 {
                *greatest = (value, node);
            }
        }
        Ok(())
    }
}

impl<'n, W: Width> Goal<ZoneGraph<'n, W>> for Survey<'_, 'n, W> {
    fn holds_in(&mut self, state: &SymbolicState<W>) -> Result<bool, StepError> {
        let node = NodeId::from_index(self.asked);
        self.asked += 1;
        if self.condition.witness(state)?.is_some() {
            self.note(state, node)?;
        }
        Ok(false)
    }
}
