//! Runs that are taken again: recorded ones, possibly of another version of the model, and with
//! other delays.

use crate::prepared::Prepared;
use crate::session::Session;
use crate::simulate::Simulator;
use zonaut_compile::Step;
use zonaut_concrete::{DelayChoice, Destination, concretise_choosing};
use zonaut_dbm::Wide;
use zonaut_model::{Formula, QueryId, QueryKind};
use zonaut_trace::{
    ExplainedStep, Rational, RecordedEdge, RecordedRun, RecordedStep, Trace, TraceEdge,
};
use zonaut_zonegraph::{Abstraction, CompiledGoal, ZoneGraph};

/// The part of a recorded run that the model allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedRun {
    /// The indices of the choices that were taken.
    pub path: Vec<usize>,
    /// The recorded delay in each state, where there is one.
    pub delays: Vec<Option<Rational>>,
    /// The reason why the next step is not possible; `None` if all are.
    pub obstacle: Option<String>,
}

impl Simulator {
    /// Takes the transitions of a recorded run from the current state on, as far as possible.
    pub fn follow(&mut self, run: &RecordedRun) -> FollowedRun {
        let mut followed = FollowedRun { path: Vec::new(), delays: Vec::new(), obstacle: None };
        for step in &run.steps {
            followed.delays.push(step.delay);
            let Some(number) = self.best_choice(step) else {
                followed.obstacle = Some(self.missing(step));
                return followed;
            };
            self.take(number);
            followed.path.push(number);
        }
        followed.delays.push(run.last_delay);
        followed
    }

    /// The choice that is most similar to a recorded step: the same processes and locations, then
    /// as many equal labels, values of select variables and values afterwards as possible.
    fn best_choice(&self, step: &RecordedStep) -> Option<usize> {
        let choices = self.choices().iter().enumerate();
        let fitting = choices.filter_map(|(number, choice)| {
            if choice.failure.is_some() || choice.edges.len() != step.edges.len() {
                return None;
            }
            let pairs = step.edges.iter().zip(&choice.edges);
            let sum = pairs.map(|(recorded, edge)| similarity(recorded, edge)).sum::<Option<u32>>();
            Some((number, sum?))
        });
        let mut fitting: Vec<(usize, u32)> = fitting.collect();
        let best = fitting.iter().map(|(_, score)| *score).max()?;
        fitting.retain(|(_, score)| *score == best);
        if let [(only, _)] = fitting[..] {
            return Some(only);
        }
        // Parts of a split zone, or unknown values of select variables.
        let leads_there = |&&(number, _): &&(usize, u32)| {
            let mut next = self.clone();
            next.take(number);
            let variables = next.state().variables;
            step.variables.iter().all(|(name, value)| {
                variables.iter().all(|(other, now)| other != name || now == value)
            })
        };
        fitting.iter().find(leads_there).or(fitting.first()).map(|(number, _)| *number)
    }

    /// The reason why a recorded step is not possible.
    fn missing(&self, step: &RecordedStep) -> String {
        let Some(first) = step.edges.first() else { return "it has no edges".to_owned() };
        let described = |edge: &RecordedEdge| match &edge.written {
            Some(it) => format!("{}.{} -> {}.{}", it.process, it.source, it.process, it.target),
            None => format!("edge {} of {}", edge.edge + 1, edge.process),
        };
        let name = described(first);
        let failing = self.choices().iter().any(|choice| {
            choice.failure.is_some()
                && choice.edges.first().is_some_and(|edge| similarity(first, edge).is_some())
        });
        if failing {
            return format!("{name} raises a run-time error");
        }
        let disabled = self.obstacles().unwrap_or_default();
        let reasons = disabled
            .iter()
            .filter(|it| it.edges.iter().any(|edge| similarity(first, edge).is_some()));
        let mut reasons: Vec<&str> = reasons.map(|it| it.why.as_str()).collect();
        reasons.dedup();
        reasons.truncate(2);
        match reasons.is_empty() {
            true => format!("no enabled transition has the edge {name}"),
            false => format!("{name}: {}", reasons.join("; ")),
        }
    }

    /// A run along the path to the current state with these delays.
    #[must_use]
    pub fn trace_choosing(&self, choice: DelayChoice) -> Option<Trace> {
        self.retimed_to(Destination::Anywhere, choice)
    }

    fn retimed_to(&self, destination: Destination<'_>, choice: DelayChoice) -> Option<Trace> {
        let (graph, steps) = self.graph_and_steps();
        let run = concretise_choosing(&graph, steps, destination, choice).ok()?;
        Some(self.namer().trace(graph.network(), &run))
    }
}

/// The number of equal labels of two edges; `None` if they are different ones.
fn similarity(recorded: &RecordedEdge, edge: &TraceEdge) -> Option<u32> {
    if recorded.process != edge.process {
        return None;
    }
    let select = edge.select.iter().map(|(_, value)| value);
    let is_selected = recorded.select.as_ref().map(|values| values.iter().eq(select));
    let same_select = u32::from(is_selected.unwrap_or(true)) * 8;
    let Some(written) = &recorded.written else {
        return (recorded.edge == edge.edge && is_selected != Some(false)).then_some(same_select);
    };
    if (&written.source, &written.target) != (&edge.source, &edge.target) {
        return None;
    }
    let same = [
        written.synchronisation == edge.synchronisation,
        written.guard == edge.guard,
        written.updates == edge.updates,
        written.edge == edge.edge,
    ];
    Some(same_select + same.map(u32::from).iter().sum::<u32>())
}

impl Session {
    /// The run with other delays, to the goal of `query` if that is an `E<>` or `A[]` query.
    /// Returns `None` if the run is not one of the model, is maximal, or fails at its end.
    #[must_use]
    pub fn retimed(
        &self,
        query: Option<QueryId>,
        trace: &Trace,
        choice: DelayChoice,
    ) -> Option<Trace> {
        if trace.fails || trace.continuation.is_some() {
            return None;
        }
        let mut simulator = self.simulator().ok()?;
        for step in &trace.steps {
            simulator.take_to(&step.edges, &step.state.locations, &step.state.variables)?;
        }
        let goal = match query.map(|id| &self.model().queries[id].kind) {
            Some(QueryKind::Possibly(goal)) => goal.clone(),
            Some(QueryKind::Always(goal)) => Formula::Not(Box::new(goal.clone())),
            _ => return simulator.trace_choosing(choice),
        };
        let prepared = Prepared::new(self, &goal, Some(Abstraction::Exact)).ok()?;
        let graph: ZoneGraph<'_, Wide> = prepared.graph().ok()?;
        let steps: Vec<Step> = simulator.graph_and_steps().1.to_vec();
        let goal = CompiledGoal::new(self.model(), &goal);
        let run = concretise_choosing(&graph, &steps, Destination::Goal(&goal), choice).ok()?;
        Some(self.namer().trace(graph.network(), &run))
    }

    /// The run with values of indices in labels: see [`zonaut_trace::evaluated_trace`].
    #[must_use]
    pub fn evaluated_trace(&self, trace: &Trace) -> Trace {
        zonaut_trace::evaluated_trace(self.labels(), self.sources(), trace)
    }

    /// The steps of a run, explained: see [`zonaut_trace::explained_steps`].
    #[must_use]
    pub fn explained_steps(&self, trace: &Trace) -> Vec<ExplainedStep> {
        zonaut_trace::explained_steps(self.labels(), self.sources(), trace)
    }
}
