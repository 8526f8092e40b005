//! A cache of zone steps.
//!
//! The effect of a transition on a zone depends on few inputs: the zone, the constraints before,
//! the image of the clocks, the constraints after, whether time passes, and the bounds of the
//! target. Different discrete states often share all of them, because processes that differ in
//! their names only do the same to rows of matrices. So recent steps are cached with their results.
//! Keys are compared in full, so that the cache changes no result.

#[cfg(test)]
mod tests;

use crate::active_clocks::ActiveClocks;
use crate::constraints::ZoneConstraint;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use zonaut_dbm::{Bound, Row, Width, Zone};

/// The memory limit for keys and zones, in bytes; the cache is cleared beyond it. A much larger
/// cache would not be faster than computing.
const BYTES: usize = 1 << 20;
/// The number of lookups after which the hit rate is evaluated.
const WINDOW: u32 = 1 << 12;
/// The reciprocal of the least hit rate at which caching continues.
const LEAST_SHARE: u32 = 8;
/// The number of windows without caching after one with too few hits.
const WINDOWS_OF_REST: u32 = 16;

/// A zone step: the key of the cache.
#[derive(Clone, Copy)]
pub(crate) struct ZoneStep<'q, W: Width> {
    /// The zone before.
    pub(crate) zone: &'q Zone<W>,
    /// Its clocks.
    pub(crate) source: &'q ActiveClocks,
    /// Constraints on the valuations before.
    pub(crate) before: &'q [ZoneConstraint<W>],
    /// For every clock after, its source before and the added constant.
    pub(crate) images: &'q [(Row, i32)],
    /// The clocks after, with the bounds that widen the result.
    pub(crate) target: &'q ActiveClocks,
    /// Constraints on the valuations after.
    pub(crate) arrival: &'q [ZoneConstraint<W>],
    /// Whether time passes then.
    pub(crate) delayed: bool,
}

/// The result of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CachedStep<'r, W: Width> {
    /// No entry, and the result will not be cached.
    Ignored,
    /// No entry, and the result will be cached.
    Unknown,
    /// The step empties the zone.
    Empty,
    /// The bounds of the zone after.
    Zone(&'r [Bound<W>]),
}

/// An entry of a hash table: the start of a record, and a part of its hash.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    hash: u32,
}

impl Entry {
    /// The 64 well-mixed bits that the table requires.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn rehash(&self) -> u64 {
        Self::spread(self.hash)
    }
}

/// Distinct zones, stored contiguously. Records are far apart in memory, so each is one piece to
/// which a table entry leads directly.
#[derive(Clone, Debug)]
struct Zones<W: Width> {
    bounds: Vec<Bound<W>>,
    table: HashTable<Entry>,
}

impl<W: Width> Zones<W> {
    /// The index of a zone, which is added if it is new. It may be a prefix of a larger one, so
    /// only index and length together identify a zone.
    fn place(&mut self, hash: u32, zone: &[Bound<W>]) -> u32 {
        let is_wanted = |entry: &Entry| {
            let known = self.bounds.get(entry.start as usize..entry.start as usize + zone.len());
            entry.hash == hash && known == Some(zone)
        };
        if let Some(entry) = self.table.find(Entry::spread(hash), is_wanted) {
            return entry.start;
        }
        let entry = Entry { start: self.bounds.len() as u32, hash };
        self.bounds.extend_from_slice(zone);
        self.table.insert_unique(Entry::spread(hash), entry, Entry::rehash);
        entry.start
    }
}

/// Keys with their results, stored contiguously: each record is its length, the index and length of
/// the resulting zone, and the key.
#[derive(Clone, Debug)]
struct StepTable {
    words: Vec<u64>,
    table: HashTable<Entry>,
}

impl StepTable {
    /// The index and length of the result; `None` for a key without entry.
    fn answer(&self, hash: u32, step: &[u64]) -> Option<(u32, u32)> {
        let is_wanted = |entry: &Entry| {
            let record = &self.words[entry.start as usize..];
            entry.hash == hash
                && record[0] == step.len() as u64
                && &record[2..2 + step.len()] == step
        };
        let entry = self.table.find(Entry::spread(hash), is_wanted)?;
        let answer = self.words[entry.start as usize + 1];
        Some(((answer >> 32) as u32, answer as u32))
    }

    /// Adds a key without entry.
    fn add(&mut self, hash: u32, step: &[u64], start: u32, len: u32) {
        let entry = Entry { start: self.words.len() as u32, hash };
        self.words.push(step.len() as u64);
        self.words.push(u64::from(start) << 32 | u64::from(len));
        self.words.extend_from_slice(step);
        self.table.insert_unique(Entry::spread(hash), entry, Entry::rehash);
    }
}

/// The cache of recent zone steps.
#[derive(Clone, Debug)]
pub(crate) struct ZoneStepCache<W: Width> {
    zones: Zones<W>,
    steps: StepTable,
    hasher: FixedState,
    /// The index of the source zone of the next lookups, once it is known.
    source: Option<u32>,
    /// The key looked up last.
    asked: Vec<u64>,
    asked_hash: u32,
    policy: CachingPolicy,
}

/// The decision when to cache and when to pause.
#[derive(Clone, Copy, Debug)]
struct CachingPolicy {
    /// Whether caching is possible at all.
    is_possible: bool,
    asked: u32,
    answered: u32,
    rest: u32,
}

impl CachingPolicy {
    /// Counts a lookup; returns whether to use the cache.
    fn next(&mut self) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            return false;
        }
        if self.asked == WINDOW {
            if self.answered < WINDOW / LEAST_SHARE {
                self.rest = WINDOW * WINDOWS_OF_REST;
            }
            (self.asked, self.answered) = (0, 0);
        }
        self.asked += 1;
        self.is_possible
    }
}

impl<W: Width> ZoneStepCache<W> {
    /// An empty cache; it stays unused unless `is_possible`, which requires steps with one
    /// resulting zone each.
    pub(crate) fn new(is_possible: bool) -> Self {
        Self {
            zones: Zones { bounds: Vec::new(), table: HashTable::new() },
            steps: StepTable { words: Vec::new(), table: HashTable::new() },
            hasher: FixedState::with_seed(2),
            source: None,
            asked: Vec::new(),
            asked_hash: 0,
            policy: CachingPolicy { is_possible, asked: 0, answered: 0, rest: 0 },
        }
    }

    /// Announces that the following lookups have another source zone.
    pub(crate) fn leave(&mut self) {
        self.source = None;
        if self.bytes() > BYTES {
            self.zones.bounds.clear();
            self.zones.table.clear();
            self.steps.words.clear();
            self.steps.table.clear();
        }
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.zones.bounds) + size_of_val(&*self.steps.words)
    }

    /// Looks up `step`. All lookups since the last [`ZoneStepCache::leave`] have the same source
    /// zone.
    pub(crate) fn ask(&mut self, step: ZoneStep<'_, W>) -> CachedStep<'_, W> {
        if !self.policy.next() {
            return CachedStep::Ignored;
        }
        let source = match self.source {
            Some(source) => source,
            None => self.place_of(step.zone),
        };
        self.source = Some(source);
        #[cfg(feature = "faults")]
        let step = step.made_wrong();
        step.write(source, &mut self.asked);
        self.asked_hash = shortened(self.hasher.hash_one(self.asked.as_slice()));
        let Some((start, len)) = self.steps.answer(self.asked_hash, &self.asked) else {
            return CachedStep::Unknown;
        };
        self.policy.answered += 1;
        match &self.zones.bounds[start as usize..][..len as usize] {
            [] => CachedStep::Empty,
            bounds => CachedStep::Zone(bounds),
        }
    }

    /// Stores the result of the last lookup, which was unknown.
    pub(crate) fn learn(&mut self, answer: Option<&Zone<W>>) {
        let place = |zone: &Zone<W>| (self.place_of(zone), zone.as_slice().len() as u32);
        let (start, len) = answer.map_or((0, 0), place);
        self.steps.add(self.asked_hash, &self.asked, start, len);
    }

    fn place_of(&mut self, zone: &Zone<W>) -> u32 {
        let hash = shortened(self.hasher.hash_one(zone.as_slice()));
        self.zones.place(hash, zone.as_slice())
    }
}

fn shortened(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

impl<W: Width> ZoneStep<'_, W> {
    /// The step without the inputs that a fault ignores.
    #[cfg(feature = "faults")]
    fn made_wrong(self) -> Self {
        use crate::faults::Fault::{CacheWithoutDelay, CacheWithoutGuards, CacheWithoutResets};
        let before = if CacheWithoutGuards.is_selected() { &[] } else { self.before };
        let images = if CacheWithoutResets.is_selected() { &[] } else { self.images };
        let delayed = self.delayed || CacheWithoutDelay.is_selected();
        Self { before, images, delayed, ..self }
    }

    /// Writes everything that the result depends on. Lengths come first, so that different steps
    /// have different keys; clocks are rows of matrices, below 2^16, and the bounds of constraints
    /// are constants, which fit 32 bits in every width.
    fn write(&self, source: u32, into: &mut Vec<u64>) {
        let constraint = |active: &ActiveClocks, c: &ZoneConstraint<W>| {
            let (x, y) = (active.position(c.x), active.position(c.y));
            (x.index() as u64) << 48 | (y.index() as u64) << 32 | word(c.bound.encoded())
        };
        into.clear();
        into.push(u64::from(source) << 1 | u64::from(self.delayed));
        let (rows_before, rows_after) = (self.zone.dim() as u64, self.images.len() as u64);
        into.push(rows_before << 48 | rows_after << 32 | self.before.len() as u64);
        into.push(self.target.shape());
        into.extend(self.before.iter().map(|c| constraint(self.source, c)));
        into.extend(self.images.iter().map(|&(y, v)| (y.index() as u64) << 32 | word(v.into())));
        into.extend(self.arrival.iter().map(|c| constraint(self.target, c)));
    }
}

/// The bits of a number as the lower half of a word.
fn word(number: i64) -> u64 {
    debug_assert!(i32::try_from(number).is_ok());
    u64::from(number as u32)
}
