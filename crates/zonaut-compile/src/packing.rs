//! Packing the discrete part of a state into machine words.

use zonaut_model::Range;

/// The position of a value in the packed words. A field does not cross a word.
#[derive(Clone, Copy, Debug)]
struct Field {
    position: u32,
    shift: u32,
    mask: u32,
    low: i32,
}

/// The mapping of the values of a state to words and back.
///
/// Law: unpacking is the inverse of packing, except for values of `meta` variables: they are not
/// stored and are restored to the value given to [`Packing::new`].
#[derive(Clone, Debug)]
pub struct Packing {
    /// The fields, word by word.
    fields: Box<[Field]>,
    /// For each word, the end of its fields.
    ends: Box<[u32]>,
    transient: Box<[(u32, i32)]>,
    bits: usize,
    values: usize,
}

impl Packing {
    /// The packing for values of these ranges. A value with a reset is transient: it is not stored,
    /// and unpacking sets it to the reset value.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = (Range, Option<i32>)>) -> Self {
        let (mut fields, mut ends, mut transient) = (Vec::new(), Vec::new(), Vec::new());
        let (mut used, mut bits, mut count) = (0u32, 0usize, 0usize);
        for (position, (range, reset)) in values.into_iter().enumerate() {
            count += 1;
            let width = u64::BITS - (range.size() - 1).leading_zeros();
            // A value with a range of one element needs no bits.
            if let Some(reset) = reset.or((width == 0).then_some(range.low)) {
                transient.push((position as u32, reset));
                continue;
            }
            if used + width > u64::BITS {
                ends.push(fields.len() as u32);
                used = 0;
            }
            let mask = ((1u64 << width) - 1) as u32;
            fields.push(Field { position: position as u32, shift: used, mask, low: range.low });
            used += width;
            bits += width as usize;
        }
        if bits > 0 {
            ends.push(fields.len() as u32);
        }
        let (fields, ends, transient) = (fields.into(), ends.into(), transient.into());
        Self { fields, ends, transient, bits, values: count }
    }

    /// The number of words.
    #[must_use]
    pub fn words(&self) -> usize {
        self.ends.len()
    }

    /// The fields of each word.
    #[inline]
    fn fields_of_words(&self) -> impl Iterator<Item = &[Field]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let fields = &self.fields[start..end as usize];
            start = end as usize;
            fields
        })
    }

    /// The word and the mask of each value; `None` for values that are not stored.
    #[must_use]
    pub fn places(&self) -> Vec<Option<(usize, u64)>> {
        let mut places = vec![None; self.values];
        for (word, fields) in self.fields_of_words().enumerate() {
            for field in fields {
                let bits = u64::from(field.mask) << field.shift;
                places[field.position as usize] = Some((word, bits));
            }
        }
        places
    }

    /// The number of bits that carry information.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Writes `values` into `words`, which is resized.
    #[inline]
    pub fn pack(&self, values: &[i32], words: &mut Vec<u64>) {
        words.clear();
        for fields in self.fields_of_words() {
            let word = fields.iter().fold(0, |word, field| {
                let value = values[field.position as usize].wrapping_sub(field.low) as u32;
                word | u64::from(value) << field.shift
            });
            words.push(word);
        }
    }

    /// Unpacks `words` into `values`, which is resized.
    #[inline]
    pub fn unpack(&self, words: &[u64], values: &mut Vec<i32>) {
        values.resize(self.values, 0);
        for (fields, &word) in self.fields_of_words().zip(words) {
            for field in fields {
                let value = (word >> field.shift) as u32 & field.mask;
                values[field.position as usize] = value.wrapping_add(field.low as u32) as i32;
            }
        }
        for &(position, reset) in &self.transient {
            values[position as usize] = reset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[(Range, Option<i32>)], content: &[i32], expected: &[i32]) {
        let packing = Packing::new(values.iter().copied());
        let (mut words, mut back) = (Vec::new(), Vec::new());
        packing.pack(content, &mut words);
        assert_eq!(words.len(), packing.words());
        packing.unpack(&words, &mut back);
        assert_eq!(back, expected);
    }

    fn range(low: i32, high: i32) -> (Range, Option<i32>) {
        (Range { low, high }, None)
    }

    #[test]
    fn the_whole_range_of_every_width_comes_back() {
        for width in 0..=32u32 {
            let high = i32::MIN.wrapping_add(((1u64 << width) - 1) as u32 as i32);
            let ranges = [range(-3, 4), range(i32::MIN, high), range(0, 1)];
            for content in [[-3, i32::MIN, 0], [4, high, 1], [0, high, 1]] {
                check(&ranges, &content, &content);
            }
        }
    }

    #[test]
    fn many_values_spread_over_words_without_touching_each_other() {
        let ranges: Vec<_> = (0..100).map(|k| range(-k, k * k)).collect();
        let content: Vec<i32> = (0..100).map(|k| if k % 3 == 0 { -k } else { k * k }).collect();
        check(&ranges, &content, &content);
    }

    #[test]
    fn transient_values_come_back_as_their_reset() {
        let ranges = [range(0, 7), (Range { low: 0, high: 9 }, Some(2)), range(5, 5)];
        check(&ranges, &[3, 9, 5], &[3, 2, 5]);
        check(&ranges[1..], &[9, 5], &[2, 5]);
    }
}
