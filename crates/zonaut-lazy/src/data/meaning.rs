//! Evaluation of guards, invariants, goals and updates under partial knowledge of cells.

use super::facts::Facts;
use super::layout::Layout;
use zonaut_analysis::known::{PartialWalk, Valuation};
use zonaut_analysis::{Displacements, Domain, Truth, Walk};
use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_model::interval::{Interval, only};
use zonaut_model::{
    CellId, ClockConstraint, Condition, Edge, LocationId, Model, ProcessId, Storage,
};

/// A state of which only some facts are known. Locations are always known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial<'p> {
    pub(crate) layout: &'p Layout,
    pub(crate) values: &'p [i32],
    pub(crate) facts: Facts<'p>,
}

impl Valuation for Partial<'_> {
    fn cell(&self, cell: CellId) -> Option<Interval> {
        if self.facts.knows(self.layout, cell) {
            return Some(only(self.values[self.layout.position(cell)]));
        }
        let range = self.facts.range(cell)?;
        Some((range.low.into(), range.high.into()))
    }

    fn location(&self, process: ProcessId) -> Option<LocationId> {
        Some(LocationId::from_index(self.values[process.index()] as usize))
    }
}

/// The edge of an action.
pub(crate) fn edge_of<'m>(model: &'m Model, network: &CompiledNetwork, id: ActionId) -> &'m Edge {
    let action = network.action(id);
    &model.processes[action.process].edges[action.edge]
}

/// Binds the select variables of an action.
pub(crate) fn bind<D: Domain>(walk: &mut Walk<'_, D>, network: &CompiledNetwork, id: ActionId) {
    let edge = edge_of(walk.model(), network, id);
    for (select, &value) in edge.select.iter().zip(&network.action(id).select) {
        walk.bind(select.binder, value);
    }
}

/// Whether the data part of a condition holds; `None` if its evaluation never succeeds. If it may
/// hold, the walk continues under the assumption that it does.
pub(crate) fn truth<D: Domain>(walk: &mut Walk<'_, D>, condition: &Condition) -> Option<Truth> {
    let Some(data) = condition.data else { return Some(Truth::Holds) };
    let truth = walk.holds(data)?;
    if truth.may_hold() && walk.assume(data, true).is_none() {
        return Some(Truth::Fails);
    }
    Some(truth)
}

/// Whether both sides of a clock constraint are known.
pub(crate) fn is_decided<P: Valuation>(
    walk: &mut PartialWalk<'_, P>,
    constraint: &ClockConstraint,
) -> bool {
    let applies = match constraint.condition {
        Some(condition) => walk.holds(condition),
        None => Some(Truth::Holds),
    };
    match applies {
        Some(Truth::Fails) => true,
        Some(Truth::Either) | None => false,
        Some(Truth::Holds) => {
            let mut operands = std::iter::once(&constraint.left).chain(&constraint.right);
            operands.all(|place| is_one(walk.displacements(&place.indices).as_ref()))
                && walk.evaluate(constraint.bound).is_some_and(|(low, high)| low == high)
        }
    }
}

/// Whether the displacements denote a single element.
pub(crate) fn is_one(displacements: Option<&Displacements>) -> bool {
    matches!(displacements, Some(Displacements::One(_)))
}

/// Takes actions together, under the assumption that all their guards hold; `None` if that never
/// succeeds.
pub(crate) fn take<D: Domain>(
    walk: &mut Walk<'_, D>,
    network: &CompiledNetwork,
    participants: &[ActionId],
) -> Option<()> {
    let model = walk.model();
    // Two edges may share the address of a select variable: each is bound when its edge is
    // evaluated.
    for &id in participants {
        bind(walk, network, id);
        #[cfg(feature = "faults")]
        crate::faults::mix_selects(|| participants.iter().for_each(|&id| bind(walk, network, id)));
        if !truth(walk, &edge_of(model, network, id).guard)?.may_hold() {
            return None;
        }
    }
    walk.update(&model.before_update)?;
    for &id in participants {
        bind(walk, network, id);
        walk.update(&edge_of(model, network, id).updates)?;
    }
    walk.update(&model.after_update)?;
    forget_transient(walk);
    Some(())
}

/// Resets `meta` variables to their initial values.
fn forget_transient<D: Domain>(walk: &mut Walk<'_, D>) {
    let model = walk.model();
    for (cell, definition) in model.cells.iter_enumerated().filter(|(_, cell)| cell.meta) {
        let value = walk.domain.constant(definition.initial);
        walk.domain.store(&mut walk.memory, Storage::Cell(cell), value);
    }
}
