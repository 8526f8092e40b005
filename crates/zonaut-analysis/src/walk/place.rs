//! The elements that a place may denote, and their contents.

use super::Walk;
use crate::domain::Domain;
use crate::failure::FailureKind;
use zonaut_base::Id;
use zonaut_model::interpret::offset;
use zonaut_model::{ClockId, ExpressionId, Place, PlaceIndex, Range, Storage};

/// The possible offsets of an element from the root of a place. Not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Displacements {
    /// This offset.
    One(usize),
    /// One of these, ascending.
    Many(Vec<usize>),
}

impl Displacements {
    /// All offsets, ascending.
    #[must_use]
    pub fn as_slice(&self) -> &[usize] {
        match self {
            Self::One(displacement) => std::slice::from_ref(displacement),
            Self::Many(displacements) => displacements,
        }
    }
}

/// The elements that a place may denote, with the indices that select them.
pub(super) struct Chosen<V, Root> {
    pub(super) root: Root,
    pub(super) displacements: Displacements,
    /// The indices.
    by: Vec<V>,
}

impl<V, Root> Chosen<V, Root> {
    pub(super) fn new(root: Root, displacements: Displacements, by: Vec<V>) -> Self {
        Self { root, displacements, by }
    }

    /// The value with dependencies on the indices.
    pub(super) fn influence<D: Domain<Value = V>>(&self, domain: &mut D, value: V) -> V {
        self.by.iter().fold(value, |value, index| domain.influenced(value, index))
    }
}

impl<V> Chosen<V, ClockId> {
    pub(super) fn elements(&self, distance: usize) -> Vec<ClockId> {
        let element = |d: &usize| ClockId::from_index(self.root.index() + d + distance);
        self.displacements.as_slice().iter().map(element).collect()
    }
}

impl<D: Domain> Walk<'_, D> {
    /// Evaluates and checks the indices of a place.
    pub(super) fn chosen<Root: Copy>(
        &mut self,
        id: ExpressionId,
        place: &Place<Root>,
    ) -> Option<Chosen<D::Value, Root>> {
        let (displacements, by) = self.displacement(id, &place.indices)?;
        Some(Chosen::new(place.root, displacements, by))
    }

    /// Evaluates and checks indices.
    pub(super) fn displacement(
        &mut self,
        id: ExpressionId,
        indices: &[PlaceIndex],
    ) -> Option<(Displacements, Vec<D::Value>)> {
        if indices.is_empty() {
            return Some((Displacements::One(0), Vec::new()));
        }
        let mut by = Vec::with_capacity(indices.len());
        let mut all = Displacements::One(0);
        for index in indices {
            let value = self.value(index.value)?;
            let last = i64::from(index.low) + i64::from(index.size) - 1;
            let high = last.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
            if last < i64::from(index.low) {
                self.fail(FailureKind::Index, id);
                return None;
            }
            let range = Range { low: index.low, high };
            let value = self.limit(id, &value, range, FailureKind::Index)?;
            all = self.further(&all, &value, index);
            by.push(value);
        }
        Some((all, by))
    }

    /// Adds the contribution of an index in its range to displacements.
    fn further(&self, all: &Displacements, value: &D::Value, index: &PlaceIndex) -> Displacements {
        let (least, most) = self.domain.span(value);
        let distance = |value: i32| {
            (i64::from(value) - i64::from(index.low)).unsigned_abs() as usize
                * index.stride as usize
        };
        if let (Displacements::One(known), true) = (all, least == most) {
            return Displacements::One(known + distance(least));
        }
        let values = || (least..=most).filter(|&number| self.domain.may_be(value, number));
        let mut sums: Vec<usize> = all
            .as_slice()
            .iter()
            .flat_map(|known| values().map(move |number| known + distance(number)))
            .collect();
        sums.sort_unstable();
        sums.dedup();
        match sums.as_slice() {
            [one] => Displacements::One(*one),
            _ => Displacements::Many(sums),
        }
    }

    pub(super) fn read(&mut self, id: ExpressionId, place: &Place<Storage>) -> Option<D::Value> {
        if place.is_fixed() {
            return self.domain.load(&self.memory, place.root);
        }
        let chosen = self.chosen(id, place)?;
        self.load(&chosen, 0)
    }

    /// The content at `distance` after the selected element.
    pub(super) fn load(
        &mut self,
        chosen: &Chosen<D::Value, Storage>,
        distance: usize,
    ) -> Option<D::Value> {
        let mut all = None;
        for displacement in chosen.displacements.as_slice() {
            let address = offset(chosen.root, displacement + distance);
            let content = self.domain.load(&self.memory, address)?;
            all = Some(match all {
                None => content,
                Some(known) => self.domain.join(known, content),
            });
        }
        Some(chosen.influence(&mut self.domain, all?))
    }

    /// Stores a value at `distance` after the selected element, if it is in range there, and
    /// returns the stored value.
    pub(super) fn store(
        &mut self,
        id: ExpressionId,
        chosen: &Chosen<D::Value, Storage>,
        distance: usize,
        value: D::Value,
    ) -> Option<D::Value> {
        let value = chosen.influence(&mut self.domain, value);
        if let Displacements::One(displacement) = chosen.displacements {
            return self.store_at(id, offset(chosen.root, displacement + distance), &value);
        }
        let mut all = None;
        for displacement in chosen.displacements.as_slice() {
            let address = offset(chosen.root, displacement + distance);
            let Some(value) = self.fitting(id, address, &value) else { continue };
            self.domain.store_perhaps(&mut self.memory, address, value.clone());
            all = Some(match all {
                None => value,
                Some(stored) => self.domain.join(stored, value),
            });
        }
        all
    }

    /// Stores a value at an address, if it is in range there.
    pub(super) fn store_at(
        &mut self,
        id: ExpressionId,
        address: Storage,
        value: &D::Value,
    ) -> Option<D::Value> {
        let value = self.fitting(id, address, value)?;
        if !matches!(address, Storage::Constant(_)) {
            self.domain.store(&mut self.memory, address, value.clone());
        }
        Some(value)
    }

    /// The part of a value that an address can hold.
    fn fitting(
        &mut self,
        id: ExpressionId,
        address: Storage,
        value: &D::Value,
    ) -> Option<D::Value> {
        let range = match address {
            Storage::Cell(cell) => self.model.cells[cell].range,
            Storage::Local(local) => self.model.locals[local].range,
            Storage::Constant(_) => return Some(value.clone()),
        };
        self.limit(id, value, range, FailureKind::Range)
    }
}
