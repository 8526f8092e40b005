//! Query batches: the reachability queries of a model that share one exploration.

use crate::answer::Answer;
use crate::answer::reachability::{ReachabilityQuery, ReachabilityQuestion};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::reduction::names_an_element;
use crate::resources::Resources;
use crate::session::Session;
use crate::task::{Task, TaskKind};
use crate::verify::{Evidence, TraceWish, VerifyOptions};
use std::time::Instant;
use zonaut_analysis::goal::Reachability;
use zonaut_compile::{BoundsTable, TwoSidedLocations};
use zonaut_model::{Formula, Model, QueryId};

/// Queries of one model that share one exploration.
#[derive(Clone, Debug)]
pub struct QueryBatch {
    session: Session,
    queries: Vec<(QueryId, Reachability)>,
    pub(crate) options: VerifyOptions,
}

impl QueryBatch {
    /// The batch of those `queries` that can share an exploration with these options: reachability
    /// queries whose clock constraints need no bounds that the model does not have already, if no
    /// trace is requested. Queries that name an element of a scalar set are excluded, so that all
    /// have the same symmetry; models with stopwatches are, because a path there shows little.
    #[must_use]
    pub fn among(
        session: &Session,
        queries: impl IntoIterator<Item = QueryId>,
        options: &VerifyOptions,
    ) -> Self {
        let model = session.model();
        let is_possible = options.trace == TraceWish::None && !model.has_rates();
        let plain = BoundsTable::new(model, &Formula::truth());
        let queries = queries.into_iter().filter(|_| is_possible).filter_map(|query| {
            let task = Task::of_query(session, query, options).ok()?;
            let TaskKind::Reach { reachability, .. } = task.kind else { return None };
            let joins =
                has_bounds(model, &reachability.goal, &plain) && !names_an_element(model, query);
            joins.then_some((query, reachability))
        });
        let (session, queries) = (session.clone(), queries.collect());
        Self { session, queries, options: options.clone() }
    }

    /// The queries.
    pub fn queries(&self) -> impl Iterator<Item = QueryId> {
        self.queries.iter().map(|(query, _)| *query)
    }

    /// The limits of the batch: the time of all its queries together.
    #[must_use]
    pub fn resources(&self) -> Resources {
        let each = &self.options.resources;
        let count = u32::try_from(self.queries.len()).unwrap_or(u32::MAX);
        Resources { time: each.time.map(|time| time.saturating_mul(count)), ..each.clone() }
    }

    /// The same batch with other limits of each query.
    pub(crate) fn within(mut self, each: Resources) -> Self {
        self.options.resources = each;
        self
    }

    /// Answers all queries, within the [limits of the batch](Self::resources). Explored and stored
    /// states and the time are those until the query was decided; the memory is that of the whole
    /// exploration. Queries that an exhausted search decides have one certificate together.
    pub fn answer(&self, evidence: Evidence<'_>) -> Vec<(QueryId, Answer)> {
        let options = &VerifyOptions { resources: self.resources(), ..self.options.clone() };
        let model = self.session.model();
        let queries = self.queries.iter().map(|(id, reachability)| {
            let (id, query) = (*id, &model.queries[*id]);
            ReachabilityQuery { id, query, reachability }
        });
        let queries: Vec<ReachabilityQuery<'_>> = queries.collect();
        let question = ReachabilityQuestion { session: &self.session, queries: &queries, options };
        self.queries().zip(question.answer(evidence, Instant::now())).collect()
    }
}

/// Whether the bounds of clocks for a goal are the plain ones of the model. A goal with `deadlock`
/// starts with those.
fn has_bounds(model: &Model, goal: &Formula, plain: &BoundsTable) -> bool {
    #[cfg(feature = "faults")]
    if Fault::SharedClocks.is_selected() {
        return true;
    }
    let none = TwoSidedLocations::none();
    match goal.mentions_deadlock() {
        true => {
            BoundsTable::with_two_sided(model, goal, &none).is_some_and(|own| own.bounds_as(plain))
        }
        false => BoundsTable::new(model, goal).bounds_as(plain),
    }
}
