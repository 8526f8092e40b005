//! Zone steps that were taken before.
//!
//! What a transition does to a zone depends on few things: the zone, the constraints before, the
//! image of the clocks, the constraints after, whether time passes, and the bounds of the target.
//! Different discrete states share them all the time, because processes that differ in nothing but
//! their names do the same to rows of matrices. So the steps taken lately are remembered with their
//! results. A question is compared in full, so that remembering changes no answer.

#[cfg(test)]
mod tests;

use crate::active_clocks::ActiveClocks;
use crate::constraints::ZoneConstraint;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use zonaut_dbm::{Bound, Row, Width, Zone};

/// The memory that questions and zones may take, in bytes; beyond it everything is forgotten. Much
/// more would not be remembered faster than computed.
const BYTES: usize = 1 << 20;
/// The number of questions after which it is asked whether remembering pays.
const WINDOW: u32 = 1 << 12;
/// One answer of so many questions has to be remembered.
const LEAST_SHARE: u32 = 8;
/// The number of windows without remembering after one that did not pay.
const WINDOWS_OF_REST: u32 = 16;

/// What a step does to a zone.
#[derive(Clone, Copy)]
pub(crate) struct ZoneStep<'q, W: Width> {
    /// The zone before.
    pub(crate) zone: &'q Zone<W>,
    /// Its clocks.
    pub(crate) source: &'q ActiveClocks,
    /// What the valuations before have to satisfy.
    pub(crate) before: &'q [ZoneConstraint<W>],
    /// For every clock after, what it is before and what is added.
    pub(crate) images: &'q [(Row, i32)],
    /// The clocks after, with the bounds that widen the result.
    pub(crate) target: &'q ActiveClocks,
    /// What the valuations after have to satisfy.
    pub(crate) arrival: &'q [ZoneConstraint<W>],
    /// Whether time passes then.
    pub(crate) delayed: bool,
}

/// What is remembered of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CachedStep<'r, W: Width> {
    /// Nothing, and the answer is of no interest.
    Ignored,
    /// Nothing, and the answer will be remembered.
    Unknown,
    /// The step empties the zone.
    Empty,
    /// The bounds of the zone after.
    Zone(&'r [Bound<W>]),
}

/// A place in a table: where a record starts, and a part of its hash.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    hash: u32,
}

impl Entry {
    /// The table wants 64 well-mixed bits.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn rehash(&self) -> u64 {
        Self::spread(self.hash)
    }
}

/// Zones that were met, one after the other. What is looked up is far apart in memory, so a record
/// is one piece and a table entry leads straight to it.
#[derive(Clone, Debug)]
struct Zones<W: Width> {
    bounds: Vec<Bound<W>>,
    table: HashTable<Entry>,
}

impl<W: Width> Zones<W> {
    /// Where a zone is, which is added if it is new. It may be the beginning of a larger one, so
    /// that only place and length together tell a zone.
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

/// StepTable with their answers, one after the other: each is its length, where the answer is among
/// the zones and how long it is, and the question itself.
#[derive(Clone, Debug)]
struct StepTable {
    words: Vec<u64>,
    table: HashTable<Entry>,
}

impl StepTable {
    /// Where the answer is and how long it is; none for a question that is not there.
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

    /// Adds a question that is not there.
    fn add(&mut self, hash: u32, step: &[u64], (start, len): (u32, u32)) {
        let entry = Entry { start: self.words.len() as u32, hash };
        self.words.push(step.len() as u64);
        self.words.push(u64::from(start) << 32 | u64::from(len));
        self.words.extend_from_slice(step);
        self.table.insert_unique(Entry::spread(hash), entry, Entry::rehash);
    }
}

/// The zone steps taken lately.
#[derive(Clone, Debug)]
pub(crate) struct ZoneStepCache<W: Width> {
    zones: Zones<W>,
    steps: StepTable,
    hasher: FixedState,
    /// Where the zone is that the next questions are about, if it is known.
    source: Option<u32>,
    /// The last question.
    asked: Vec<u64>,
    asked_hash: u32,
    policy: CachingPolicy,
}

/// When to remember and when to rest.
#[derive(Clone, Copy, Debug)]
struct CachingPolicy {
    /// Whether remembering makes sense at all.
    is_possible: bool,
    asked: u32,
    answered: u32,
    rest: u32,
}

impl CachingPolicy {
    /// Counts a question; whether to remember it.
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
    /// Nothing is remembered yet; never if that `is_possible` for steps of one zone each is not so.
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

    /// Announces that the questions that follow are about another zone.
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

    /// What is remembered of `step`. All questions since the last [`ZoneStepCache::leave`] are about
    /// the same zone.
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

    /// Remembers the answer to the last question, which was unknown.
    pub(crate) fn learn(&mut self, answer: Option<&Zone<W>>) {
        let place = |zone: &Zone<W>| (self.place_of(zone), zone.as_slice().len() as u32);
        let answer = answer.map_or((0, 0), place);
        self.steps.add(self.asked_hash, &self.asked, answer);
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
    /// The question without what a fault leaves out.
    #[cfg(feature = "faults")]
    fn made_wrong(self) -> Self {
        use crate::faults::Fault::{RecallWithoutDelay, RecallWithoutGuards, RecallWithoutResets};
        let before = if RecallWithoutGuards.is_selected() { &[] } else { self.before };
        let images = if RecallWithoutResets.is_selected() { &[] } else { self.images };
        let delayed = self.delayed || RecallWithoutDelay.is_selected();
        Self { before, images, delayed, ..self }
    }

    /// Writes everything that the answer depends on. Lengths come first, so that different
    /// questions are written differently; clocks are rows of matrices, below 2^16, and the bounds
    /// of constraints are constants, which fit 32 bits in every width.
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
