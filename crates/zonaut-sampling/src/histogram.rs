//! Histograms of samples.

/// The number of values in buckets of equal width.
#[derive(Clone, PartialEq, Debug)]
pub struct Histogram {
    /// The left end of the first bucket.
    pub first: f64,
    /// The width of a bucket.
    pub width: f64,
    /// The number of values in each bucket; the last one includes its right end.
    pub counts: Vec<u64>,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
    /// The mean of the values.
    pub mean: f64,
}

/// The maximal number of buckets that is chosen if none is requested.
const MOST_BUCKETS: usize = 50;

impl Histogram {
    /// The histogram of finite values in this number of buckets, or in the square root of their
    /// number; `None` if there are no values. Integers have buckets of whole width.
    #[must_use]
    pub fn new(values: &[f64], buckets: Option<usize>) -> Option<Self> {
        let first = *values.first()?;
        let least = values.iter().copied().fold(first, f64::min);
        let greatest = values.iter().copied().fold(first, f64::max);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let wanted = (values.len() as f64).sqrt().ceil() as usize;
        let wanted = buckets.unwrap_or(wanted.min(MOST_BUCKETS)).max(1);
        let are_whole = values.iter().all(|value| value.fract() == 0.0);
        let mut width = (greatest - least) / wanted as f64;
        let mut count = wanted;
        if are_whole {
            width = ((greatest - least + 1.0) / wanted as f64).ceil().max(1.0);
            count = ((greatest - least) / width) as usize + 1;
        }
        if width <= 0.0 {
            (width, count) = (1.0, 1);
        }
        let mut counts = vec![0; count];
        for value in values {
            let bucket = ((value - least) / width) as usize;
            counts[bucket.min(count - 1)] += 1;
        }
        Some(Self { first: least, width, counts, least, greatest, mean })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_bucket() {
        let values = [3.0, 4.0, 4.0, 9.0];
        let histogram = Histogram::new(&values, Some(7)).expect("values");
        assert_eq!((histogram.first, histogram.width), (3.0, 1.0));
        assert_eq!(histogram.counts, [1, 2, 0, 0, 0, 0, 1]);
        assert_eq!((histogram.least, histogram.greatest, histogram.mean), (3.0, 9.0, 5.0));
        let halves = Histogram::new(&[0.0, 0.25, 0.5, 1.0], Some(2)).expect("values");
        assert_eq!(halves.counts, [2, 2]);
        assert_eq!(Histogram::new(&[2.5, 2.5], None).expect("values").counts, [2]);
        assert_eq!(Histogram::new(&[], None), None);
    }
}
