//! The layout of packed states.

use zonaut_analysis::Symbols;
use zonaut_base::Id;
use zonaut_compile::CompiledNetwork;
use zonaut_model::{CellId, ProcessId};

/// A set of bits of packed states; fields are included completely or not at all.
pub(crate) type Bits = Box<[u64]>;

/// The positions of locations and cells in the packed words of a state.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    words: usize,
    processes: usize,
    /// Word and mask, by position in the values of a state.
    places: Vec<Option<(usize, u64)>>,
    /// By the same position, the value that is packed as 0.
    lows: Vec<i32>,
    /// By bit index, the cell that it belongs to.
    owners: Vec<Option<CellId>>,
    locations: Bits,
    all: Bits,
}

impl Layout {
    pub(crate) fn new(network: &CompiledNetwork) -> Self {
        let (words, processes) = (network.packing.words(), network.process_count());
        let places = network.packing.places();
        let (mut locations, mut all) = (vec![0; words], vec![0; words]);
        let mut owners = vec![None; words * 64];
        for (position, place) in places.iter().enumerate() {
            let Some((word, bits)) = *place else { continue };
            all[word] |= bits;
            match position.checked_sub(processes) {
                None => locations[word] |= bits,
                Some(cell) => {
                    let of_field = (0..64).filter(|bit| bits >> bit & 1 == 1);
                    of_field
                        .for_each(|bit| owners[word * 64 + bit] = Some(CellId::from_index(cell)));
                }
            }
        }
        let mut lows = Vec::new();
        network.packing.unpack(&vec![0; words], &mut lows);
        let (locations, all) = (locations.into(), all.into());
        Self { words, processes, places, lows, owners, locations, all }
    }

    /// The number of words.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The bits of all locations.
    pub(crate) fn locations(&self) -> &[u64] {
        &self.locations
    }

    /// All bits in use.
    pub(crate) fn all(&self) -> &[u64] {
        &self.all
    }

    /// The position of a cell in the values of a state.
    pub(crate) fn position(&self, cell: CellId) -> usize {
        self.processes + cell.index()
    }

    /// The word of a cell and its bits there; `None` for a cell with a single value.
    pub(crate) fn cell(&self, cell: CellId) -> Option<(usize, u64)> {
        self.places[self.position(cell)]
    }

    /// The value of a cell in a packed state.
    pub(crate) fn content(&self, key: &[u64], cell: CellId) -> i32 {
        let position = self.position(cell);
        let low = self.lows[position];
        let packed = self.places[position]
            .map_or(0, |(word, bits)| (key[word] & bits) >> bits.trailing_zeros());
        low.wrapping_add(packed as i32)
    }

    fn process(&self, process: ProcessId) -> Option<(usize, u64)> {
        self.places[process.index()]
    }

    /// The bits of cells and locations.
    pub(crate) fn bits_of(&self, symbols: &Symbols) -> Bits {
        let mut bits = vec![0; self.words];
        let cells = symbols.cells.iter().filter_map(|cell| self.cell(cell));
        let locations = symbols.processes.iter().filter_map(|process| self.process(process));
        for (word, of_field) in cells.chain(locations) {
            bits[word] |= of_field;
        }
        bits.into()
    }

    /// The number of cells of one set that are not in another.
    pub(crate) fn missing(&self, wanted: &[u64], there: &[u64]) -> u32 {
        let mut count = 0;
        for (word, (wanted, there)) in wanted.iter().zip(there).enumerate() {
            let mut rest = wanted & !there;
            while rest != 0 {
                let first = rest.trailing_zeros() as usize;
                let field = self.owners[word * 64 + first].and_then(|cell| self.cell(cell));
                rest &= !field.map_or(1 << first, |(_, bits)| bits);
                count += 1;
            }
        }
        count
    }

    /// The cells that have some of these bits.
    pub(crate) fn cells<'l>(&'l self, bits: &'l [u64]) -> impl Iterator<Item = CellId> + 'l {
        let numbers = bits.iter().enumerate().flat_map(move |(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let first = (rest != 0).then(|| word * 64 + rest.trailing_zeros() as usize)?;
                let field = self.owners[first].and_then(|cell| self.cell(cell));
                rest &= !field.map_or(1 << (first % 64), |(_, bits)| bits);
                Some(first)
            })
        });
        numbers.filter_map(|bit| self.owners[bit])
    }
}

/// Whether all bits of one set are in another.
#[inline]
pub(crate) fn is_within(smaller: &[u64], larger: &[u64]) -> bool {
    smaller.iter().zip(larger).all(|(small, large)| small & !large == 0)
}

/// Whether some bit is in both sets.
#[inline]
pub(crate) fn meets(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// Adds bits to a set.
#[inline]
pub(crate) fn add(bits: &mut [u64], more: &[u64]) {
    bits.iter_mut().zip(more).for_each(|(bits, more)| *bits |= more);
}
