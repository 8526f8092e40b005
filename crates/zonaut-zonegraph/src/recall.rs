//! Zone steps that were taken before.
//!
//! What a transition does to a zone depends on few things: the zone, the constraints before, the
//! image of the clocks, the constraints after, whether time passes, and the bounds of the target.
//! Different discrete states share them all the time, because processes that differ in nothing but
//! their names do the same to rows of matrices. So the steps taken lately are remembered with their
//! results. A question is compared in full, so that remembering changes no answer.

#[cfg(test)]
mod tests;

use crate::frame::Frame;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};
use zonaut_compile::Constraint;
use zonaut_dbm::{Bound, Clock, Zone};

/// The memory that questions and zones may take, in bytes; beyond it everything is forgotten.
const BYTES: usize = 1 << 22;
/// The number of questions after which it is asked whether remembering pays.
const WINDOW: u32 = 1 << 12;
/// One answer of so many questions has to be remembered.
const LEAST_SHARE: u32 = 8;
/// The number of windows without remembering after one that did not pay.
const WINDOWS_OF_REST: u32 = 16;
/// The result of a step that empties the zone.
const EMPTY: u32 = u32::MAX;

/// What a step does to a zone.
#[derive(Clone, Copy)]
pub(crate) struct Question<'q> {
    /// The zone before.
    pub(crate) zone: &'q Zone,
    /// Its clocks.
    pub(crate) source: &'q Frame,
    /// What the valuations before have to satisfy.
    pub(crate) before: &'q [Constraint],
    /// For every clock after, what it is before and what is added.
    pub(crate) images: &'q [(Clock, i32)],
    /// The clocks after, with the bounds that widen the result.
    pub(crate) target: &'q Frame,
    /// What the valuations after have to satisfy.
    pub(crate) arrival: &'q [Constraint],
    /// Whether time passes then.
    pub(crate) delayed: bool,
}

/// What is remembered of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recalled<'r> {
    /// Nothing, and the answer is of no interest.
    Ignored,
    /// Nothing, and the answer will be remembered.
    Unknown,
    /// The step empties the zone.
    Empty,
    /// The bounds of the zone after.
    Zone(&'r [Bound]),
}

/// A place in a table: what is there, and its hash.
#[derive(Clone, Copy, Debug)]
struct Entry {
    index: u32,
    hash: u64,
}

/// A sequence of records in one vector, each different from the others.
#[derive(Clone, Debug)]
struct Records<T> {
    content: Vec<T>,
    /// Where each record ends.
    ends: Vec<u32>,
    table: HashTable<Entry>,
}

impl<T: Copy + Eq + Hash> Records<T> {
    fn new() -> Self {
        Self { content: Vec::new(), ends: Vec::new(), table: HashTable::new() }
    }

    fn get(&self, index: u32) -> &[T] {
        let start = (index as usize).checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.content[start..self.ends[index as usize] as usize]
    }

    fn find(&self, hash: u64, record: &[T]) -> Option<u32> {
        let is_wanted = |entry: &Entry| entry.hash == hash && self.get(entry.index) == record;
        self.table.find(hash, is_wanted).map(|entry| entry.index)
    }

    /// Adds a record that is not there.
    fn add(&mut self, hash: u64, record: &[T]) -> u32 {
        let index = self.ends.len() as u32;
        self.content.extend_from_slice(record);
        self.ends.push(self.content.len() as u32);
        self.table.insert_unique(hash, Entry { index, hash }, |entry| entry.hash);
        index
    }

    fn clear(&mut self) {
        self.content.clear();
        self.ends.clear();
        self.table.clear();
    }

    fn bytes(&self) -> usize {
        self.content.len() * size_of::<T>() + self.ends.len() * (4 + size_of::<Entry>())
    }
}

/// The zone steps taken lately.
#[derive(Clone, Debug)]
pub(crate) struct Recall {
    zones: Records<Bound>,
    questions: Records<u64>,
    /// By question, the zone that answers it, or that there is none.
    answers: Vec<u32>,
    hasher: FixedState,
    /// The number of the zone that the next questions are about, if it is known.
    source: Option<u32>,
    /// The last question.
    asked: Vec<u64>,
    asked_hash: u64,
    rhythm: Rhythm,
}

/// When to remember and when to rest.
#[derive(Clone, Copy, Debug)]
struct Rhythm {
    /// Whether remembering makes sense at all.
    is_possible: bool,
    asked: u32,
    answered: u32,
    rest: u32,
}

impl Rhythm {
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

impl Recall {
    /// Nothing is remembered yet; never if that `is_possible` for steps of one zone each is not so.
    pub(crate) fn new(is_possible: bool) -> Self {
        Self {
            zones: Records::new(),
            questions: Records::new(),
            answers: Vec::new(),
            hasher: FixedState::with_seed(2),
            source: None,
            asked: Vec::new(),
            asked_hash: 0,
            rhythm: Rhythm { is_possible, asked: 0, answered: 0, rest: 0 },
        }
    }

    /// Announces that the questions that follow are about another zone.
    pub(crate) fn leave(&mut self) {
        self.source = None;
        if self.zones.bytes() + self.questions.bytes() > BYTES {
            self.zones.clear();
            self.questions.clear();
            self.answers.clear();
        }
    }

    /// What is remembered of `question`. All questions since the last [`Recall::leave`] are about
    /// the same zone.
    pub(crate) fn ask(&mut self, question: Question<'_>) -> Recalled<'_> {
        if !self.rhythm.next() {
            return Recalled::Ignored;
        }
        let source = match self.source {
            Some(source) => source,
            None => self.number_of(question.zone),
        };
        self.source = Some(source);
        question.write(source, &mut self.asked);
        self.asked_hash = self.hasher.hash_one(self.asked.as_slice());
        let Some(found) = self.questions.find(self.asked_hash, &self.asked) else {
            return Recalled::Unknown;
        };
        self.rhythm.answered += 1;
        match self.answers[found as usize] {
            EMPTY => Recalled::Empty,
            zone => Recalled::Zone(self.zones.get(zone)),
        }
    }

    /// Remembers the answer to the last question, which was unknown.
    pub(crate) fn learn(&mut self, answer: Option<&Zone>) {
        let answer = answer.map_or(EMPTY, |zone| self.number_of(zone));
        self.questions.add(self.asked_hash, &self.asked);
        self.answers.push(answer);
    }

    fn number_of(&mut self, zone: &Zone) -> u32 {
        let bounds = zone.as_slice();
        let hash = self.hasher.hash_one(bounds);
        match self.zones.find(hash, bounds) {
            Some(number) => number,
            None => self.zones.add(hash, bounds),
        }
    }
}

impl Question<'_> {
    /// Writes everything that the answer depends on. Lengths come first, so that different
    /// questions are written differently; clocks are rows of matrices, below 2^16.
    fn write(&self, source: u32, into: &mut Vec<u64>) {
        let constraint = |frame: &Frame, c: &Constraint| {
            let (x, y) = (frame.position(c.x), frame.position(c.y));
            (x.index() as u64) << 48 | (y.index() as u64) << 32 | word(c.bound.encoded())
        };
        let lengths = (self.images.len() as u64) << 32 | self.before.len() as u64;
        into.clear();
        into.push(u64::from(source) << 1 | u64::from(self.delayed));
        into.push(lengths);
        into.push(self.target.shape());
        into.extend(self.before.iter().map(|c| constraint(self.source, c)));
        into.extend(self.images.iter().map(|&(y, v)| (y.index() as u64) << 32 | word(v)));
        into.extend(self.arrival.iter().map(|c| constraint(self.target, c)));
    }
}

/// The bits of a number as the lower half of a word.
fn word(number: i32) -> u64 {
    u64::from(number as u32)
}
