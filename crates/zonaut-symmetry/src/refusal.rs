//! Uses of scalar sets that break symmetry although the types allow them.
//!
//! *Iteration.* Statements that run for one element after the other, constants with a value per
//! element, and variables that start every step with a fixed element distinguish elements; lowering
//! has recorded them. *Errors.* `forall`, `exists` and `sum` stop at the first deciding element,
//! and the data parts of invariants at the first process where one fails; if evaluation may raise
//! an error, the order determines whether it does. *Broadcasts.* The updates of receivers run in
//! the order of processes. If one of them accesses what another writes, that order matters.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use zonaut_analysis::footprint::{Footprint, Footprints};
use zonaut_analysis::interval::declared_walk;
use zonaut_analysis::{IdSet, Overlay};
use zonaut_base::Id;
use zonaut_model::{
    Direction, ExpressionId, Model, ProcessId, QueryId, ScalarSetId, ScalarUseKind, Synchronisation,
};

/// A scalar set that is excluded from the reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The name of its type.
    pub set: String,
    /// The reason.
    pub why: Why,
}

/// The reason for which a scalar set is excluded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Why {
    /// The query names an element.
    Query,
    /// Statements run for one element after the other.
    Iteration,
    /// A constant differs from element to element.
    Constant,
    /// A variable starts every step with a fixed element.
    Start,
    /// The order of elements determines whether an evaluation fails.
    Failure,
    /// The effect of a broadcast depends on the order of its receivers.
    Broadcast,
    /// The addresses that elements index differ in shape.
    Shape,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Query => "the query names an element",
            Self::Iteration => "statements iterate over the elements in order",
            Self::Constant => "a constant has different values for the elements",
            Self::Start => "the initial value of a variable is an element",
            Self::Failure => "an evaluation for each element may fail at run time",
            Self::Broadcast => "the effect of a broadcast depends on the order of its receivers",
            Self::Shape => "elements index data of different types",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "off for {} ({})", self.set, self.why)
    }
}

/// The excluded sets, each with the first reason.
pub(crate) type Refused = BTreeMap<ScalarSetId, Why>;

/// The sets excluded by the uses that lowering recorded, and by evaluations that may fail.
pub(crate) fn by_uses(model: &Model, queries: &[QueryId]) -> Refused {
    let mut refused = Refused::new();
    let mut invariants_fail = None;
    for use_ in &model.scalar_uses {
        let why = match use_.kind {
            ScalarUseKind::Iteration => Some(Why::Iteration),
            ScalarUseKind::Constant => Some(Why::Constant),
            ScalarUseKind::Start => Some(Why::Start),
            ScalarUseKind::Query(query) => queries.contains(&query).then_some(Why::Query),
            ScalarUseKind::Quantifier { first, end } => {
                may_fail(model, first, end).then_some(Why::Failure)
            }
            ScalarUseKind::Processes { .. } => invariants_fail
                .get_or_insert_with(|| invariants_may_fail(model))
                .then_some(Why::Failure),
            ScalarUseKind::Cells { .. }
            | ScalarUseKind::Clocks { .. }
            | ScalarUseKind::Select(_) => None,
        };
        if let Some(why) = why {
            let known = refused.entry(use_.set).or_insert(why);
            *known = why.min(*known);
        }
    }
    refused
}

/// Whether the evaluation of an expression from `first` up to `end` may fail.
fn may_fail(model: &Model, first: ExpressionId, end: ExpressionId) -> bool {
    let ids = || (first.index()..end.index()).map(ExpressionId::from_index);
    let mut inner: IdSet<ExpressionId> = IdSet::default();
    for id in ids() {
        model.expressions[id].for_each_child(|child| {
            inner.insert(child);
        });
    }
    let mut walk = declared_walk(model);
    ids().filter(|&id| !inner.contains(id)).any(|id| {
        walk.restart(Overlay::default());
        walk.evaluate(id);
        !walk.failures().is_empty()
    })
}

/// Whether the evaluation of an invariant or a rate may fail.
fn invariants_may_fail(model: &Model) -> bool {
    let mut walk = declared_walk(model);
    model.processes.iter().flat_map(|process| &process.locations).any(|location| {
        walk.restart(Overlay::default());
        walk.condition(&location.invariant);
        for rate in &location.rates {
            for id in rate.condition.into_iter().chain([rate.rate]) {
                walk.evaluate(id);
            }
        }
        !walk.failures().is_empty()
    })
}

/// Pairs of processes whose order as receivers of a broadcast matters.
pub(crate) fn ordered_receivers(model: &Model) -> BTreeSet<(ProcessId, ProcessId)> {
    let touched: Vec<(ProcessId, Footprint)> =
        model.processes.ids().filter_map(|id| Some((id, receiving(model, id)?))).collect();
    let mut pairs = BTreeSet::new();
    for (index, (p, one)) in touched.iter().enumerate() {
        for (q, other) in &touched[index + 1..] {
            if interferes(one, other) || interferes(other, one) {
                pairs.insert((*p, *q));
            }
        }
    }
    pairs
}

/// Whether the second accesses what the first writes.
fn interferes(first: &Footprint, second: &Footprint) -> bool {
    first.writes.meets(&second.reads)
        || first.writes.meets(&second.writes)
        || second.copies.iter().any(|&(_, source)| first.writes.clocks.contains(source))
}

/// The accesses of the updates with which a process receives broadcasts; `None` if it receives
/// none.
fn receiving(model: &Model, process: ProcessId) -> Option<Footprint> {
    let mut found: Option<Footprint> = None;
    for edge in &model.processes[process].edges {
        let Some(sync) = &edge.synchronisation else { continue };
        if sync.direction != Direction::Receive || !may_be_broadcast(model, sync) {
            continue;
        }
        let mut walk = Footprints::walk(model);
        walk.update(&edge.updates);
        found.get_or_insert_with(Footprint::default).extend(&walk.domain.found);
    }
    found
}

fn may_be_broadcast(model: &Model, sync: &Synchronisation) -> bool {
    let first = sync.channel.root.index();
    let mut channels = (first..=first + sync.channel.extent()).map(Id::from_index);
    channels.any(|channel| model.channels[channel].broadcast)
}
