//! The mapping from states of a model to states of its abstraction.

use crate::abstract_model::AbstractModel;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockBounds, ClockRow, Packing};
use zonaut_dbm::{Row, Width, Zone};
use zonaut_model::Model;
use zonaut_zonegraph::SymbolicState;

/// The active clocks of location vectors, as the zone graph defines them: clocks with a bound in
/// the location of some process.
#[derive(Clone, Debug)]
pub struct Activity {
    words: usize,
    /// For each process, the index of its first location in `masks`.
    first: Vec<u32>,
    /// By location, the bits of its clocks.
    masks: Vec<u64>,
    everywhere: Vec<u64>,
}

impl Activity {
    /// The activity of clocks in zones that are explored with these bounds.
    #[must_use]
    pub fn new(model: &Model, bounds: &BoundsTable) -> Self {
        let words = model.clocks.len().div_ceil(64).max(1);
        let mask_of = |list: &[ClockBounds]| {
            let mut mask = vec![0u64; words];
            for b in list.iter().filter(|b| ClockBounds::is_active(b.lower, b.upper)) {
                mask[b.clock.index() / 64] |= 1 << (b.clock.index() % 64);
            }
            mask
        };
        let (mut first, mut masks) = (Vec::new(), Vec::new());
        for (process, definition) in model.processes.iter_enumerated() {
            first.push((masks.len() / words) as u32);
            for location in definition.locations.ids() {
                masks.extend(mask_of(bounds.of(process, location)));
            }
        }
        Self { words, first, masks, everywhere: mask_of(bounds.everywhere()) }
    }

    /// Finds the positions of the clocks of some rows in the zone of a state with these locations;
    /// `None` for clocks that are not active. Row 0 is the reference clock.
    pub fn positions(
        &self,
        values: &[i32],
        rows: &[ClockRow],
        mask: &mut Vec<u64>,
        into: &mut Vec<Option<Row>>,
    ) {
        self.collect(values, mask);
        into.clear();
        into.extend(rows.iter().map(|&row| match row.checked_sub(1) {
            None => Some(Row::ZERO),
            Some(clock) => position(mask, clock as usize),
        }));
    }

    /// Whether these locations exist.
    pub(crate) fn knows(&self, values: &[i32]) -> bool {
        let count = self.masks.len() / self.words;
        let next = self.first.iter().skip(1).map(|&first| first as usize).chain([count]);
        self.first.iter().zip(next).zip(values).all(|((&first, next), &location)| {
            usize::try_from(location).is_ok_and(|location| first as usize + location < next)
        })
    }

    /// Writes the bits of the clocks that are active in these locations.
    #[inline]
    pub(crate) fn collect(&self, values: &[i32], into: &mut Vec<u64>) {
        into.clear();
        into.extend_from_slice(&self.everywhere);
        for (&first, &location) in self.first.iter().zip(values) {
            let start = (first as usize + location as usize) * self.words;
            for (bits, more) in into.iter_mut().zip(&self.masks[start..start + self.words]) {
                *bits |= more;
            }
        }
    }
}

/// The clocks of a mask, ascending, as rows over all clocks.
pub(crate) fn rows_of(mask: &[u64]) -> impl Iterator<Item = ClockRow> + '_ {
    mask.iter().enumerate().flat_map(|(word, &bits)| {
        (0..64u32)
            .filter(move |bit| bits >> bit & 1 == 1)
            .map(move |bit| word as u32 * 64 + bit + 1)
    })
}

/// The row of a clock in a zone whose clocks are those of `mask`.
fn position(mask: &[u64], clock: usize) -> Option<Row> {
    let (word, bit) = (clock / 64, clock % 64);
    if mask[word] >> bit & 1 == 0 {
        return None;
    }
    let before: u32 = mask[..word].iter().map(|bits| bits.count_ones()).sum();
    let below = (mask[word] & ((1u64 << bit) - 1)).count_ones();
    Some(Row::from_index((before + below) as usize + 1))
}

/// The positions of the values of an abstract state in the state of the original.
#[derive(Clone, Debug)]
pub(crate) struct Mapping {
    /// By position in the abstract values; those of a stub are always 0.
    positions: Vec<Option<u32>>,
}

impl Mapping {
    /// The mapping to `abstract_model` from an original with this number of processes.
    pub(crate) fn new(original_processes: usize, abstract_model: &AbstractModel) -> Self {
        let kept = abstract_model.processes.iter().map(|process| Some(process.index() as u32));
        let stubs = abstract_model.model.processes.len() - abstract_model.processes.len();
        let cells = (0..abstract_model.model.cells.len())
            .map(|cell| Some((original_processes + cell) as u32));
        Self { positions: kept.chain(std::iter::repeat_n(None, stubs)).chain(cells).collect() }
    }

    /// Writes the abstract values and their key.
    #[inline]
    fn map(&self, original: &[i32], packing: &Packing, values: &mut Vec<i32>, key: &mut Vec<u64>) {
        values.clear();
        values.extend(self.positions.iter().map(|p| p.map_or(0, |p| original[p as usize])));
        packing.pack(values, key);
    }
}

/// The projection of states of the original to keys and zones of the abstract model; each explorer
/// has its own.
#[derive(Clone, Debug)]
pub(crate) struct Projection<W: Width> {
    mapping: Mapping,
    packing: Packing,
    original: Activity,
    abstract_model: Activity,
    values: Vec<i32>,
    original_mask: Vec<u64>,
    child_mask: Vec<u64>,
    sources: Vec<Option<Row>>,
    /// The key of the state mapped last.
    pub(crate) key: Vec<u64>,
    /// The zone of the state projected last, over the clocks of the abstract model.
    pub(crate) zone: Zone<W>,
}

impl<W: Width> Projection<W> {
    pub(crate) fn new(
        mapping: Mapping,
        packing: Packing,
        original: Activity,
        abstract_model: Activity,
    ) -> Self {
        Self {
            mapping,
            packing,
            original,
            abstract_model,
            values: Vec::new(),
            original_mask: Vec::new(),
            child_mask: Vec::new(),
            sources: Vec::new(),
            key: Vec::new(),
            zone: Zone::origin(1),
        }
    }

    /// The number of words in a key.
    pub(crate) fn words(&self) -> usize {
        self.packing.words()
    }

    /// The number of rows of the zones of a key; `None` if it is not a key of the abstract model.
    pub(crate) fn dimension(&self, key: &[u64]) -> Option<usize> {
        let (mut values, mut mask) = (Vec::new(), Vec::new());
        self.packing.unpack(key, &mut values);
        if !self.abstract_model.knows(&values) {
            return None;
        }
        self.abstract_model.collect(&values, &mut mask);
        Some(1 + mask.iter().map(|bits| bits.count_ones() as usize).sum::<usize>())
    }

    /// Finds the key of the image of `state`.
    #[inline]
    pub(crate) fn map(&mut self, state: &SymbolicState<W>) {
        self.mapping.map(&state.values, &self.packing, &mut self.values, &mut self.key);
    }

    /// Finds the zone of the image of the state mapped last: clocks that are active on one side
    /// only are free.
    #[inline]
    pub(crate) fn project(&mut self, state: &SymbolicState<W>) {
        self.original.collect(&state.values, &mut self.original_mask);
        self.abstract_model.collect(&self.values, &mut self.child_mask);
        self.sources.clear();
        self.sources.push(Some(Row::ZERO));
        for row in rows_of(&self.child_mask) {
            self.sources.push(position(&self.original_mask, row as usize - 1));
        }
        state.zone.remap_into(&self.sources, &mut self.zone);
    }
}
