//! Summaries: small numbers that are monotone in the summarised payload.

/// Eight numbers below 128 in a word, compared number by number.
///
/// If one payload covers another, every number of its summary is at least that of the other. So a
/// single smaller number refutes covering, and all eight are compared by three operations.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SummaryWord(u64);

impl SummaryWord {
    /// The numbers in a word.
    pub const NUMBERS: usize = 8;
    /// The greatest number.
    pub const GREATEST: u8 = 127;
    /// The bit of each number that is reserved for borrowing.
    const BORROWED: u64 = 0x8080_8080_8080_8080;

    /// The word of these numbers; larger values are clamped to the greatest number.
    #[must_use]
    pub fn new(numbers: [u8; Self::NUMBERS]) -> Self {
        Self(u64::from_le_bytes(numbers.map(|number| number.min(Self::GREATEST))))
    }

    /// Whether no number is less than its counterpart in `other`.
    #[inline(always)]
    #[must_use]
    pub const fn is_at_least(self, other: Self) -> bool {
        ((self.0 | Self::BORROWED) - other.0) & Self::BORROWED == Self::BORROWED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_number_by_number() {
        let values = [0, 1, 2, 63, 64, 65, 126, 127];
        for place in 0..8 {
            for one in values {
                for two in values {
                    let word = |value| {
                        let mut numbers = [5, 0, 127, 64, 1, 126, 63, 9];
                        numbers[place] = value;
                        SummaryWord::new(numbers)
                    };
                    assert_eq!(word(one).is_at_least(word(two)), one >= two);
                }
            }
        }
    }

    #[test]
    fn numbers_that_are_too_great_count_as_the_greatest() {
        assert_eq!(SummaryWord::new([200; 8]), SummaryWord::new([SummaryWord::GREATEST; 8]));
    }
}
