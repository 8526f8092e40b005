//! The choice of a representative.
//!
//! The elements of a set are sorted, and the permutation that brings them into this order is
//! applied. The first key is a *colour*: a hash of the discrete values that an element indexes or
//! that hold it, refined by the colours of other elements that occur with it. It is invariant under
//! permutations. Elements of one colour are ordered by their clocks, as far as the zone determines
//! the order; a zone that is included in another one tends to give the same order, so that covering
//! is preserved. Ties keep their order: then the elements are indistinguishable, or the
//! representative is not unique, which costs states but not soundness.

use crate::permutation::Permutation;
use crate::symmetry::Symmetry;
use std::cmp::Ordering;
use zonaut_base::Id;
use zonaut_compile::ClockRow;
use zonaut_dbm::{Bound, Row, Width, Zone};
use zonaut_zonegraph::{ActiveClocks, SymbolicState};

/// A location or cell that relates elements.
#[derive(Clone, Debug)]
struct Atom {
    /// Its index among the values of a state.
    position: usize,
    /// The class of its orbit.
    class: u64,
    /// The elements that index it.
    elements: Vec<u32>,
    /// The first element of the set whose elements it holds.
    contents: Option<u32>,
}

impl Atom {
    /// The number of elements that it relates.
    fn degree(&self) -> usize {
        self.elements.len() + usize::from(self.contents.is_some())
    }
}

/// The choice of permutations for a model.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    atoms: Vec<Atom>,
    /// By element, the rows of the clocks that it indexes, in the same order for all elements.
    clocks: Vec<Vec<ClockRow>>,
    /// The first element of each set, and its size.
    sets: Vec<(u32, u32)>,
    /// The number of refinement rounds of colours.
    rounds: usize,
}

/// The working memory of a choice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colours {
    colours: Vec<u64>,
    next: Vec<u64>,
    order: Vec<u32>,
}

/// The number of refinement rounds if elements occur together in one cell; more would distinguish
/// little more.
const REFINEMENTS: usize = 3;

impl Chooser {
    pub(crate) fn new(symmetry: &Symmetry, processes: usize) -> Self {
        let mut atoms = Vec::new();
        for process in 0..processes {
            let elements: Vec<u32> = elements_of(symmetry.processes.of(process));
            let class = mix(1, symmetry.processes.class(process) as u64);
            atoms.push(Atom { position: process, class, elements, contents: None });
        }
        for (cell, &contents) in symmetry.contents.iter().enumerate() {
            if symmetry.is_stored[cell] {
                let elements: Vec<u32> = elements_of(symmetry.cells.of(cell));
                let class = mix(2, symmetry.cells.class(cell) as u64);
                atoms.push(Atom { position: processes + cell, class, elements, contents });
            }
        }
        atoms.retain(|atom| atom.degree() > 0);
        let is_simple = atoms.iter().all(|atom| atom.degree() == 1);
        let sets = symmetry.sets.iter().map(|set| (set.first, set.size)).collect();
        let rounds = if is_simple { 1 } else { REFINEMENTS };
        Self { atoms, clocks: clocks_of(symmetry), sets, rounds }
    }

    /// Computes the permutation from a state to its representative into `permutation`.
    pub(crate) fn choose<W: Width>(
        &self,
        state: &SymbolicState<W>,
        active: &ActiveClocks,
        work: &mut Colours,
        permutation: &mut Permutation,
    ) {
        self.colour(&state.values, work);
        permutation.reset(work.colours.len());
        let Colours { colours, order, .. } = work;
        for &(first, size) in &self.sets {
            order.clear();
            for element in first..first + size {
                // Insertion sort: the comparison of clocks by zones is not an order in general.
                let place = order.iter().rposition(|&before| {
                    let by_colour = colours[before as usize].cmp(&colours[element as usize]);
                    by_colour
                        .then_with(|| self.compare_clocks(before, element, &state.zone, active))
                        != Ordering::Greater
                });
                order.insert(place.map_or(0, |before| before + 1), element);
            }
            for (position, &element) in order.iter().enumerate() {
                permutation.set(element, first + position as u32);
            }
        }
    }

    fn colour(&self, values: &[i32], work: &mut Colours) {
        let Colours { colours, next, .. } = work;
        colours.clear();
        for (set, &(_, size)) in self.sets.iter().enumerate() {
            colours.extend(std::iter::repeat_n(set as u64, size as usize));
        }
        for _ in 0..self.rounds {
            next.clear();
            next.extend(colours.iter().map(|&colour| mix(3, colour)));
            for atom in &self.atoms {
                atom.add(values[atom.position], colours, next);
            }
            std::mem::swap(colours, next);
        }
    }

    fn compare_clocks<W: Width>(
        &self,
        one: u32,
        other: u32,
        zone: &Zone<W>,
        active: &ActiveClocks,
    ) -> Ordering {
        let rows = self.clocks[one as usize].iter().zip(&self.clocks[other as usize]);
        let compare = |(&x, &y): (&ClockRow, &ClockRow)| match (
            active.position_if_active(x),
            active.position_if_active(y),
        ) {
            (Some(x), Some(y)) => compare_clock(zone, x, y),
            (x, y) => x.is_some().cmp(&y.is_some()),
        };
        rows.map(compare).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl Atom {
    /// Adds its value to the colours of the elements that it relates. Sums are invariant under
    /// permutations of elements.
    fn add(&self, value: i32, colours: &[u64], next: &mut [u64]) {
        let held = self.contents.map(|first| first + value as u32);
        let mut said = self.class;
        for (position, &element) in self.elements.iter().enumerate() {
            said = mix(said, colours[element as usize]);
            // An element may occur twice.
            let again = self.elements[..position].iter().chain(&held).position(|&e| e == element);
            said = mix(said, again.map_or(0, |again| again as u64 + 1));
        }
        said = mix(said, held.map_or(value as u64, |element| colours[element as usize]));
        for (position, &element) in self.elements.iter().enumerate() {
            let colour = &mut next[element as usize];
            *colour = colour.wrapping_add(mix(said, position as u64 + 1));
        }
        if let Some(element) = held {
            let colour = &mut next[element as usize];
            *colour = colour.wrapping_add(mix(said, 0));
        }
    }
}

/// The order of two clocks: by their difference if the zone determines it, and by their bounds
/// otherwise.
fn compare_clock<W: Width>(zone: &Zone<W>, x: Row, y: Row) -> Ordering {
    let is_below = |x, y| zone.bound(x, y) <= Bound::ZERO;
    match (is_below(x, y), is_below(y, x)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (true, true) => Ordering::Equal,
        (false, false) => {
            let upper = |x| zone.bound(x, Row::ZERO);
            let lower = |x| zone.bound(Row::ZERO, x);
            upper(x).cmp(&upper(y)).then(lower(y).cmp(&lower(x)))
        }
    }
}

fn elements_of(coordinates: &[crate::coordinates::Coordinate]) -> Vec<u32> {
    coordinates.iter().map(|coordinate| coordinate.element).collect()
}

/// By element, the rows of its clocks, sorted by the class of their orbits.
fn clocks_of(symmetry: &Symmetry) -> Vec<Vec<ClockRow>> {
    let mut clocks: Vec<Vec<(i64, usize)>> = vec![Vec::new(); symmetry.elements()];
    for clock in 0..symmetry.clocks.len() {
        for coordinate in symmetry.clocks.of(clock) {
            clocks[coordinate.element as usize].push((symmetry.clocks.class(clock), clock));
        }
    }
    let rows = |mut list: Vec<(i64, usize)>| {
        list.sort_unstable();
        list.iter().map(|&(_, clock)| zonaut_compile::row_of(Id::from_index(clock))).collect()
    };
    clocks.into_iter().map(rows).collect()
}

/// Mixes one more word into a hash.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}
