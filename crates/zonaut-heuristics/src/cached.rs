//! Estimates that were asked for before.
//!
//! Many symbolic states share their discrete part, and a [`Guide`] looks at nothing else, so its
//! answers can be kept. The values themselves are compared, not only a hash of them: unlike the
//! table of the paper, this one never gives a wrong answer.

use crate::guide::Guide;
use zonaut_space::{Admissible, Estimate};

/// A guide with a table of its last answers. A new answer takes the place of an old one that falls
/// on the same place, so the table never grows.
#[derive(Clone, Debug)]
pub struct Cached<G> {
    guide: G,
    /// One less than the number of places, which is a power of two.
    mask: usize,
    keys: Vec<i32>,
    answers: Vec<Answer>,
    hits: u64,
}

/// An estimate as a number, 0 where there is none. Memory that is full of zeros costs nothing until
/// it is written to.
type Answer = u32;

const NONE: Answer = 0;

fn encode(estimate: Estimate<u32>) -> Answer {
    match estimate {
        Estimate::DeadEnd => 1,
        Estimate::Last => 2,
        Estimate::Distance(value) => value.saturating_add(3),
    }
}

fn decode(answer: Answer) -> Estimate<u32> {
    match answer {
        1 => Estimate::DeadEnd,
        2 => Estimate::Last,
        _ => Estimate::Distance(answer.saturating_sub(3)),
    }
}

impl<G: Admissible> Admissible for Cached<G> {}

impl<G: Guide> Cached<G> {
    /// The guide with a table of at least `places` places; without a table where it is 0.
    #[must_use]
    pub fn new(guide: G, places: usize) -> Self {
        let places = if places == 0 { 0 } else { places.next_power_of_two() };
        let mask = places.saturating_sub(1);
        let answers = vec![NONE; places];
        Self { guide, mask, keys: Vec::new(), answers, hits: 0 }
    }

    /// How often an answer was known.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }
}

impl<G: Guide> Guide for Cached<G> {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        if self.answers.is_empty() {
            return self.guide.estimate(values);
        }
        if self.keys.is_empty() {
            self.keys = vec![0; self.answers.len() * values.len()];
        }
        let place = hash(values) & self.mask;
        let key = place * values.len()..(place + 1) * values.len();
        if self.answers[place] != NONE && self.keys[key.clone()] == *values {
            self.hits += 1;
            return decode(self.answers[place]);
        }
        let estimate = self.guide.estimate(values);
        self.keys[key].copy_from_slice(values);
        // An estimate beyond what can be written down is asked for again.
        let answer = encode(estimate);
        self.answers[place] = if decode(answer) == estimate { answer } else { NONE };
        estimate
    }

    fn name(&self) -> &'static str {
        self.guide.name()
    }

    fn bytes(&self) -> usize {
        self.guide.bytes()
            + self.keys.capacity() * size_of::<i32>()
            + self.answers.len() * size_of::<Answer>()
    }
}

/// A hash whose low bits depend on every value.
fn hash(values: &[i32]) -> usize {
    let mixed = values.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |hash, &value| {
        (hash ^ u64::from(value.cast_unsigned()))
            .wrapping_mul(0xff51_afd7_ed55_8ccd)
            .rotate_left(29)
    });
    (mixed ^ (mixed >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A guide that counts its questions.
    struct Counting(u32);

    impl Guide for Counting {
        fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
            self.0 += 1;
            let sum: i32 = values.iter().enumerate().map(|(k, v)| v << (4 * k)).sum();
            if sum % 7 == 0 { Estimate::Last } else { Estimate::Distance(sum.unsigned_abs()) }
        }
        fn name(&self) -> &'static str {
            "counting"
        }
    }

    /// Asks for all triples of small values twice; how often the guide was asked.
    fn check(places: usize) -> u32 {
        let mut cached = Cached::new(Counting(0), places);
        for round in 0..8000 {
            let values = [round % 16, round / 16 % 16, round / 256 % 16];
            assert_eq!(cached.estimate(&values), Counting(0).estimate(&values));
        }
        cached.guide.0
    }

    #[test]
    fn answers_are_those_of_the_guide_however_small_the_table_is() {
        assert_eq!(check(0), 8000);
        assert!(check(1) <= 8000);
        assert!(check(64) > 4096);
        assert!(check(1 << 16) < 4600);
    }

    #[test]
    fn the_table_does_not_grow() {
        let mut cached = Cached::new(Counting(0), 100);
        cached.estimate(&[0, 0, 0]);
        let before = cached.bytes();
        for value in 0..1000 {
            cached.estimate(&[value, 1, 2]);
        }
        assert_eq!(cached.bytes(), before);
    }
}
