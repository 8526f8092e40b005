//! Growing sets of values, with the layer and the support of each value.
//!
//! A small range has a bit for each value. Of a large range up to [`WIDE`] values are
//! distinguished; with one more, every value counts as reached. This is a closure: the larger of
//! two sets has the larger closure, so that the layers of a state contain those of its successors.

use super::network::{FactId, Facts, Input, WIDE};
use zonaut_analysis::VariableId;
use zonaut_analysis::runs::Choices;
use zonaut_base::Id;
use zonaut_model::interval::{Interval, hull};
use zonaut_model::{CellId, ProcessId};

/// A new fact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) variable: VariableId,
    pub(super) value: i32,
    pub(super) fact: FactId,
}

/// The origin of a fact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Support {
    /// The action that produced it.
    pub(super) action: u32,
    /// The inputs of the action, as a range of causes.
    pub(super) causes: (u32, u32),
    /// The sum of the layers of the facts that the action depends on.
    pub(super) weight: u32,
}

/// The sets of all variables.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    members: Vec<u64>,
    /// The values of each variable, in order of discovery.
    list: Vec<i32>,
    first: Vec<u32>,
    length: Vec<u32>,
    /// The number of them in the current layer.
    pub(super) frozen: Vec<u32>,
    has_any: Vec<bool>,
    frozen_any: Vec<bool>,
    /// All facts, in order of discovery.
    pub(super) found: Vec<Found>,
    /// The layer that facts are added to.
    pub(super) layer: u32,
    pub(super) layer_of: Vec<u32>,
    pub(super) support: Vec<Support>,
    /// Facts from which others were derived.
    pub(super) causes: Vec<u32>,
}

impl Sets {
    pub(super) fn new(facts: &Facts) -> Self {
        let variables = facts.count();
        Self {
            members: vec![0; facts.len().div_ceil(64)],
            list: vec![0; facts.len()],
            first: facts.first.clone(),
            length: vec![0; variables],
            frozen: vec![0; variables],
            has_any: vec![false; variables],
            frozen_any: vec![false; variables],
            found: Vec::new(),
            layer: 0,
            layer_of: vec![0; facts.len()],
            support: vec![Support { action: 0, causes: (0, 0), weight: 0 }; facts.len()],
            causes: Vec::new(),
        }
    }

    pub(super) fn reset(&mut self) {
        self.members.fill(0);
        self.length.fill(0);
        self.frozen.fill(0);
        self.has_any.fill(false);
        self.frozen_any.fill(false);
        self.found.clear();
        self.causes.clear();
        self.layer = 0;
    }

    /// Extends the current layer by everything found from `start` on.
    pub(super) fn freeze(&mut self, start: usize) {
        for found in &self.found[start..] {
            let variable = found.variable.index();
            self.frozen[variable] = self.length[variable];
            self.frozen_any[variable] = self.has_any[variable];
        }
    }

    /// A bit for every fact.
    pub(super) fn members(&self) -> &[u64] {
        &self.members
    }

    #[inline]
    pub(super) fn has(&self, fact: FactId) -> bool {
        self.members[fact.index() / 64] >> (fact.index() % 64) & 1 != 0
    }

    /// The position of a value in the list of its variable.
    pub(super) fn search(&self, variable: VariableId, value: i32) -> Option<u32> {
        let first = self.first[variable.index()] as usize;
        let values = &self.list[first..first + self.length[variable.index()] as usize];
        values.iter().position(|&known| known == value).map(|position| position as u32)
    }

    /// Whether a value is not in the set.
    #[inline]
    pub(super) fn is_new(&self, facts: &Facts, variable: VariableId, value: i32) -> bool {
        if facts.is_dense[variable.index()] {
            return !self.has(facts.dense(variable, value));
        }
        !self.has_any[variable.index()] && self.search(variable, value).is_none()
    }

    /// Adds a value.
    pub(super) fn add(
        &mut self,
        facts: &Facts,
        variable: VariableId,
        value: i32,
        support: Support,
    ) {
        if facts.is_dense[variable.index()] {
            let fact = facts.dense(variable, value);
            self.add_dense(Found { variable, value, fact }, support);
        } else if self.is_new(facts, variable, value) {
            self.add_wide(variable, value, support);
        }
    }

    /// Adds a value of a small range.
    #[inline]
    pub(super) fn add_dense(&mut self, found: Found, support: Support) {
        if self.has(found.fact) {
            self.improve(found.fact, support);
        } else {
            self.append(found, support);
        }
    }

    /// Adds a value of a large range that is new.
    fn add_wide(&mut self, variable: VariableId, value: i32, support: Support) {
        let index = variable.index();
        let position = self.length[index];
        let fact = FactId::from_index((self.first[index] + position) as usize);
        let found = Found { variable, value, fact };
        if position == WIDE {
            self.has_any[index] = true;
            self.note(found, support);
        } else {
            self.append(found, support);
        }
    }

    fn append(&mut self, found: Found, support: Support) {
        let index = found.variable.index();
        let position = self.length[index];
        self.list[(self.first[index] + position) as usize] = found.value;
        self.length[index] = position + 1;
        self.note(found, support);
    }

    /// Replaces the support of a fact by one of the same layer that needs less. A support that
    /// depends on another fact of the layer is rejected, lest two facts support each other.
    #[inline]
    fn improve(&mut self, fact: FactId, support: Support) {
        let fact = fact.index();
        if support.weight < self.support[fact].weight && self.layer_of[fact] == self.layer {
            let (start, end) = support.causes;
            let causes = &self.causes[start as usize..end as usize];
            if causes.iter().all(|&cause| self.layer_of[cause as usize] < self.layer) {
                self.support[fact] = support;
            }
        }
    }

    /// Whether adding a value would change a set or a support.
    pub(super) fn is_improvement(
        &self,
        facts: &Facts,
        variable: VariableId,
        value: i32,
        weight: u32,
    ) -> bool {
        self.is_new(facts, variable, value)
            || facts.is_dense[variable.index()] && {
                let fact = facts.dense(variable, value).index();
                weight < self.support[fact].weight && self.layer_of[fact] == self.layer
            }
    }

    /// The layer of the fact at a position of the list.
    pub(super) fn layer_at(&self, facts: &Facts, variable: VariableId, position: u32) -> u32 {
        self.layer_of[self.fact_at(facts, variable, position).index()]
    }

    /// The sum of the layers of the facts at these positions.
    pub(super) fn weight_at(
        &self,
        facts: &Facts,
        chosen: impl Iterator<Item = (VariableId, u32)>,
    ) -> u32 {
        chosen.map(|(v, position)| self.layer_of[self.fact_at(facts, v, position).index()]).sum()
    }

    fn note(&mut self, found: Found, support: Support) {
        let fact = found.fact.index();
        self.members[fact / 64] |= 1 << (fact % 64);
        self.layer_of[fact] = self.layer;
        self.support[fact] = support;
        self.found.push(found);
    }

    /// Adds every value of the range.
    pub(super) fn add_everything(&mut self, facts: &Facts, variable: VariableId, support: Support) {
        let domain = facts.variables.domain(variable);
        if facts.is_dense[variable.index()] {
            for offset in 0..domain.size as i32 {
                self.add(facts, variable, domain.low + offset, support);
            }
        } else if !self.has_any[variable.index()] {
            self.has_any[variable.index()] = true;
            let fact = FactId::from_index((self.first[variable.index()] + WIDE) as usize);
            self.note(Found { variable, value: domain.low, fact }, support);
        }
    }

    /// The number of values, at present or in the current layer.
    #[inline]
    pub(super) fn count(&self, variable: VariableId, fresh: bool) -> u32 {
        let fresh = fresh && !faulty!(UpdatesOutOfOrder);
        let (length, any) =
            if fresh { (&self.length, &self.has_any) } else { (&self.frozen, &self.frozen_any) };
        length[variable.index()] + u32::from(any[variable.index()])
    }

    /// The values as disjoint ranges, ascending, if all of them are distinguished.
    pub(super) fn ranges(&self, variable: VariableId) -> Vec<(i32, i32)> {
        let first = self.first[variable.index()] as usize;
        let mut values = self.list[first..first + self.length[variable.index()] as usize].to_vec();
        values.sort_unstable();
        let groups = values.chunk_by(|a, b| a.checked_add(1) == Some(*b));
        groups.map(|group| (group[0], group[group.len() - 1])).collect()
    }

    /// Whether every value is distinguished.
    pub(super) fn is_exact(&self) -> bool {
        !self.has_any.contains(&true)
    }

    #[inline]
    pub(super) fn value(&self, variable: VariableId, position: u32) -> i32 {
        self.list[(self.first[variable.index()] + position) as usize]
    }

    /// The fact at a position of the list.
    #[inline]
    fn fact_at(&self, facts: &Facts, variable: VariableId, position: u32) -> FactId {
        if facts.is_dense[variable.index()] {
            facts.dense(variable, self.value(variable, position))
        } else {
            FactId::from_index((self.first[variable.index()] + position) as usize)
        }
    }

    /// Records facts as a cause.
    pub(super) fn cause(&mut self, facts: impl IntoIterator<Item = FactId>) -> (u32, u32) {
        let start = self.causes.len() as u32;
        self.causes.extend(facts.into_iter().map(|fact| fact.index() as u32));
        (start, self.causes.len() as u32)
    }

    /// Records the facts at these positions as a cause.
    pub(super) fn cause_at(
        &mut self,
        facts: &Facts,
        variables: impl Iterator<Item = VariableId>,
        at: &[u32],
    ) -> (u32, u32) {
        self.cause_of(facts, variables.zip(at.iter().copied()))
    }

    /// Records the chosen facts as a cause.
    pub(super) fn cause_of(
        &mut self,
        facts: &Facts,
        chosen: impl Iterator<Item = (VariableId, u32)>,
    ) -> (u32, u32) {
        let start = self.causes.len() as u32;
        for (variable, position) in chosen {
            let fact = self.fact_at(facts, variable, position);
            self.causes.push(fact.index() as u32);
        }
        (start, self.causes.len() as u32)
    }

    /// Records the facts of these variables that are new in the current layer: older ones were not
    /// sufficient.
    pub(super) fn cause_of_layer(&mut self, variables: &[VariableId]) -> (u32, u32) {
        let start = self.causes.len() as u32;
        for found in self.found.iter().rev() {
            if self.layer_of[found.fact.index()] != self.layer {
                break;
            }
            if variables.contains(&found.variable) {
                self.causes.push(found.fact.index() as u32);
            }
        }
        (start, self.causes.len() as u32)
    }

    pub(super) fn bytes(&self) -> usize {
        self.members.len() * size_of::<u64>()
            + self.list.len() * (2 * size_of::<u32>() + size_of::<Support>())
            + self.found.capacity() * size_of::<Found>()
            + self.causes.capacity() * size_of::<u32>()
    }
}

/// The sets of the current layer, and those of the next one for inputs that the same transition may
/// have written.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'s> {
    pub(super) sets: &'s Sets,
    pub(super) facts: &'s Facts,
    pub(super) fresh: &'s [Input],
}

impl View<'_> {
    fn is_fresh(&self, variable: VariableId) -> bool {
        !faulty!(UpdatesOutOfOrder)
            && self.fresh.iter().any(|input| input.fresh && input.variable == variable)
    }

    /// The smallest interval around the values of a cell.
    pub(super) fn interval_of(&self, cell: CellId) -> Interval {
        let variable = self.facts.variables.cell(cell);
        let domain = self.facts.variables.domain(variable);
        let Some(count) = self.count(variable) else {
            let low = i64::from(domain.low);
            return (low, low + domain.size as i64 - 1);
        };
        let values = (0..count).map(|position| i64::from(self.value(variable, position)));
        values.map(|value| (value, value)).reduce(hull).unwrap_or((0, 0))
    }

    /// The truth values of "the process is at this location".
    pub(super) fn interval_of_test(&self, process: ProcessId, location: i32) -> Interval {
        let variable = self.facts.variables.process(process);
        let count = self.count(variable).unwrap_or(0);
        let is_there = (0..count).any(|position| self.value(variable, position) == location);
        (i64::from(is_there && count == 1), i64::from(is_there))
    }

    /// The fact that was chosen.
    pub(super) fn fact(&self, variable: VariableId, position: u32) -> FactId {
        self.sets.fact_at(self.facts, variable, position)
    }
}

impl Choices for View<'_> {
    fn count(&self, variable: VariableId) -> Option<u32> {
        let index = variable.index();
        let fresh = self.is_fresh(variable);
        let any = if fresh { self.sets.has_any[index] } else { self.sets.frozen_any[index] };
        let length = if fresh { self.sets.length[index] } else { self.sets.frozen[index] };
        (!any).then_some(length)
    }

    fn value(&self, variable: VariableId, position: u32) -> i32 {
        self.sets.value(variable, position)
    }
}
