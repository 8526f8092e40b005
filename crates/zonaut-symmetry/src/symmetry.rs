//! Detection of symmetric scalar sets, and the action of permutations on states.

use crate::coordinates::{Coordinate, Coordinates};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::permutation::Permutation;
use crate::refusal::{Refusal, Refused, Why, by_uses, ordered_receivers};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use zonaut_base::Id;
use zonaut_model::{
    CellKind, ClockId, LocalId, Model, ProcessId, QueryId, ScalarSetId, ScalarUseKind,
};

/// The scalar sets of a model whose elements may be permuted, and the action of permutations on
/// states.
#[derive(Clone, Debug)]
pub struct Symmetry {
    pub(crate) sets: Vec<Set>,
    refusals: Vec<Refusal>,
    pub(crate) processes: Coordinates,
    pub(crate) cells: Coordinates,
    pub(crate) clocks: Coordinates,
    /// By cell, the first element of the set whose elements it holds.
    pub(crate) contents: Vec<Option<u32>>,
    /// By cell, whether it is part of the stored state.
    pub(crate) is_stored: Vec<bool>,
    /// By `select` variable, the first element of the set that it ranges over.
    selects: HashMap<LocalId, u32>,
}

/// A set whose elements may be permuted.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) id: ScalarSetId,
    pub(crate) name: String,
    /// Its first element, among those of all sets.
    pub(crate) first: u32,
    pub(crate) size: u32,
}

impl Symmetry {
    /// The symmetry of `model` that these queries respect.
    #[must_use]
    pub fn of(model: &Model, queries: &[QueryId]) -> Self {
        let wanted = used_sets(model);
        let mut refused = by_uses(model, queries);
        let symmetry = Self::over(model, &wanted, &refused);
        for process in ordered_receivers(model).into_iter().flat_map(|(p, q)| [p, q]) {
            for coordinate in symmetry.processes.of(process.index()) {
                refused.insert(symmetry.set_of(coordinate.element), Why::Broadcast);
            }
        }
        let symmetry = Self::over(model, &wanted, &refused);
        for set in &symmetry.sets {
            if !symmetry.has_regular_shape(model, set) {
                refused.insert(set.id, Why::Shape);
            }
        }
        let mut symmetry = Self::over(model, &wanted, &refused);
        symmetry.refusals = { refused.into_iter() }
            .filter(|(set, _)| wanted.contains(set))
            .map(|(set, why)| Refusal { set: model.scalar_sets[set].name.clone(), why })
            .collect();
        symmetry
    }

    /// The action of permutations of the sets in `wanted` that are not refused.
    fn over(model: &Model, wanted: &BTreeSet<ScalarSetId>, refused: &Refused) -> Self {
        let mut sets: Vec<Set> = Vec::new();
        let mut first = 0;
        for &id in wanted.iter().filter(|set| !refused.contains_key(set)) {
            let set = &model.scalar_sets[id];
            sets.push(Set { id, name: set.name.clone(), first, size: set.size });
            first += set.size;
        }
        let first_of: BTreeMap<ScalarSetId, u32> =
            sets.iter().map(|set| (set.id, set.first)).collect();
        let lists = Lists::of(model, &sets);
        let content = |kind: &CellKind| match kind {
            CellKind::Scalar(set) => first_of.get(set).copied(),
            CellKind::Integer | CellKind::Boolean => None,
        };
        let selects = model.scalar_uses.iter().filter_map(|use_| match use_.kind {
            ScalarUseKind::Select(local) => Some((local, *first_of.get(&use_.set)?)),
            _ => None,
        });
        Self {
            refusals: Vec::new(),
            processes: Coordinates::new(&lists.processes),
            cells: Coordinates::new(&lists.cells),
            clocks: Coordinates::new(&lists.clocks),
            contents: model.cells.iter().map(|cell| content(&cell.kind)).collect(),
            is_stored: model.cells.iter().map(|cell| !cell.meta).collect(),
            selects: selects.collect(),
            sets,
        }
    }

    fn set_of(&self, element: u32) -> ScalarSetId {
        let set = self.sets.iter().rfind(|set| set.first <= element);
        set.expect("invariant: elements belong to sets").id
    }

    /// Whether only the identity is admitted.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        self.sets.is_empty()
    }

    /// The excluded sets, with reasons.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The number of elements of all sets.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.sets.iter().map(|set| set.size as usize).sum()
    }

    /// Whether all elements index addresses of the same shape: transposing neighbours maps every
    /// address to one of its kind, and is self-inverse.
    fn has_regular_shape(&self, model: &Model, set: &Set) -> bool {
        (0..set.size.saturating_sub(1)).all(|number| {
            let (one, other) = (set.first + number, set.first + number + 1);
            let mut swap = Permutation::identity(self.elements());
            swap.set(one, other);
            swap.set(other, one);
            self.keeps_kinds(model, &swap)
        })
    }

    fn keeps_kinds(&self, model: &Model, swap: &Permutation) -> bool {
        let owner = |owner: Option<ProcessId>| {
            owner.map(|process| self.processes.image(process.index(), swap))
        };
        let is_moved_back = |coordinates: &Coordinates, address: usize, image: usize| {
            coordinates.image(image, swap) == address
        };
        let processes = model.processes.iter_enumerated().all(|(id, process)| {
            let image = self.processes.image(id.index(), swap);
            is_moved_back(&self.processes, id.index(), image)
                && model.processes.get(ProcessId::from_index(image)).is_some_and(|other| {
                    (&other.template, other.priority, other.initial)
                        == (&process.template, process.priority, process.initial)
                        && other.locations.len() == process.locations.len()
                        && other.edges.len() == process.edges.len()
                })
        });
        let cells = model.cells.iter_enumerated().all(|(id, cell)| {
            let image = self.cells.image(id.index(), swap);
            is_moved_back(&self.cells, id.index(), image)
                && model.cells.get(Id::from_index(image)).is_some_and(|other| {
                    (other.kind, other.range, other.meta) == (cell.kind, cell.range, cell.meta)
                        && other.owner.map(Id::index) == owner(cell.owner)
                })
        });
        let clocks = model.clocks.iter_enumerated().all(|(id, clock)| {
            let image = self.clocks.image(id.index(), swap);
            is_moved_back(&self.clocks, id.index(), image) && {
                model.clocks.get(ClockId::from_index(image))
            }
            .is_some_and(|other| other.owner.map(Id::index) == owner(clock.owner))
        });
        processes && cells && clocks
    }

    /// Applies a permutation to locations and cells: `values` to `out`.
    pub(crate) fn permute_values(&self, by: &Permutation, values: &[i32], out: &mut Vec<i32>) {
        out.clear();
        out.extend_from_slice(values);
        let processes = values.len() - self.contents.len();
        for (process, &location) in values[..processes].iter().enumerate() {
            out[self.processes.image(process, by)] = location;
        }
        for (cell, &value) in values[processes..].iter().enumerate() {
            if self.is_stored[cell] {
                out[processes + self.cell_image(cell, by)] = self.content_image(cell, value, by);
            }
        }
    }

    fn cell_image(&self, cell: usize, by: &Permutation) -> usize {
        #[cfg(feature = "faults")]
        if Fault::ArraysStay.is_selected() {
            return cell;
        }
        self.cells.image(cell, by)
    }

    fn content_image(&self, cell: usize, value: i32, by: &Permutation) -> i32 {
        #[cfg(feature = "faults")]
        if Fault::ContentsStay.is_selected() {
            return value;
        }
        self.contents[cell].map_or(value, |first| renamed(first, value, by))
    }

    /// The image of a clock; a clock that no element indexes is fixed.
    pub(crate) fn clock_image(&self, clock: usize, by: &Permutation) -> usize {
        #[cfg(feature = "faults")]
        if Fault::ClocksStay.is_selected() {
            return clock;
        }
        self.clocks.image(clock, by)
    }

    /// The image of the value of a `select` variable.
    pub(crate) fn selected(&self, binder: LocalId, value: i32, by: &Permutation) -> i32 {
        self.selects.get(&binder).map_or(value, |&first| renamed(first, value, by))
    }
}

/// The image of an element that is given by its number in the set that begins with `first`.
fn renamed(first: u32, number: i32, by: &Permutation) -> i32 {
    (by.of(first + number as u32) - first) as i32
}

/// The reduced and the excluded sets, on one line.
impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.sets.iter().map(|set| set.name.clone());
        let parts: Vec<String> =
            names.chain(self.refusals.iter().map(ToString::to_string)).collect();
        f.write_str(&parts.join(", "))
    }
}

/// The sets with several elements that a state depends on.
fn used_sets(model: &Model) -> BTreeSet<ScalarSetId> {
    let numbers = model.scalar_uses.iter().filter(|use_| {
        use ScalarUseKind::{Cells, Clocks, Processes};
        matches!(use_.kind, Cells { .. } | Clocks { .. } | Processes { .. })
    });
    let held = model.cells.iter().filter(|cell| !cell.meta).filter_map(|cell| match cell.kind {
        CellKind::Scalar(set) => Some(set),
        CellKind::Integer | CellKind::Boolean => None,
    });
    let all = numbers.map(|use_| use_.set).chain(held);
    all.filter(|&set| model.scalar_sets[set].size > 1).collect()
}

/// The coordinates of all addresses, as lists.
struct Lists {
    processes: Vec<Vec<Coordinate>>,
    cells: Vec<Vec<Coordinate>>,
    clocks: Vec<Vec<Coordinate>>,
}

impl Lists {
    fn of(model: &Model, sets: &[Set]) -> Self {
        let mut lists = Self {
            processes: vec![Vec::new(); model.processes.len()],
            cells: vec![Vec::new(); model.cells.len()],
            clocks: vec![Vec::new(); model.clocks.len()],
        };
        for use_ in &model.scalar_uses {
            if let ScalarUseKind::Processes { first, stride } = use_.kind {
                number(&mut lists.processes, sets, use_.set, first.index(), stride);
            }
        }
        let owned_cells = firsts(model, model.cells.iter().map(|cell| cell.owner));
        let owned_clocks = firsts(model, model.clocks.iter().map(|clock| clock.owner));
        for (cell, owner) in model.cells.iter().map(|cell| cell.owner).enumerate() {
            lists.cells[cell] = inherited(&lists.processes, owner, &owned_cells);
        }
        for (clock, owner) in model.clocks.iter().map(|clock| clock.owner).enumerate() {
            lists.clocks[clock] = inherited(&lists.processes, owner, &owned_clocks);
        }
        for use_ in &model.scalar_uses {
            match use_.kind {
                ScalarUseKind::Cells { first, stride } => {
                    number(&mut lists.cells, sets, use_.set, first.index(), stride);
                }
                ScalarUseKind::Clocks { first, stride } => {
                    number(&mut lists.clocks, sets, use_.set, first.index(), stride);
                }
                _ => {}
            }
        }
        lists
    }
}

/// Adds a coordinate to all addresses that the elements of a set index from `first` on.
fn number(lists: &mut [Vec<Coordinate>], sets: &[Set], id: ScalarSetId, first: usize, stride: u32) {
    let Some(set) = sets.iter().find(|set| set.id == id) else { return };
    let elements = lists.iter_mut().skip(first).take((set.size * stride) as usize);
    for (offset, list) in elements.enumerate() {
        let number = offset as u32 / stride.max(1);
        list.push(Coordinate { element: set.first + number, number, stride: i64::from(stride) });
    }
}

/// By process, the first address that it owns.
fn firsts(model: &Model, owners: impl Iterator<Item = Option<ProcessId>>) -> Vec<Option<usize>> {
    let mut firsts = vec![None; model.processes.len()];
    for (address, owner) in owners.enumerate() {
        if let Some(process) = owner {
            firsts[process.index()].get_or_insert(address);
        }
    }
    firsts
}

/// Addresses owned by a process inherit the coordinates of the process.
fn inherited(
    processes: &[Vec<Coordinate>],
    owner: Option<ProcessId>,
    firsts: &[Option<usize>],
) -> Vec<Coordinate> {
    let Some(owner) = owner.map(Id::index) else { return Vec::new() };
    let address = |process: usize| firsts.get(process).copied().flatten().map(|a| a as i64);
    let of_owner = |coordinate: &Coordinate| {
        // The previous neighbour, or the next one for the first element.
        let (from, to) = match coordinate.number {
            0 => (owner as i64, owner as i64 + coordinate.stride),
            _ => (owner as i64 - coordinate.stride, owner as i64),
        };
        // Without a neighbour the shape is irregular, which is detected.
        let stride =
            address(to as usize).zip(address(from as usize)).map_or(0, |(to, from)| to - from);
        Coordinate { stride, ..*coordinate }
    };
    processes[owner].iter().map(of_owner).collect()
}
