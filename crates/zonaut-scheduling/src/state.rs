//! Points: a discrete state, the date, and the dates that matter.

use zonaut_compile::CompiledNetwork;
use zonaut_space::{Covering, Encoding, Member, SummaryWord};

/// A date, or a length of time.
pub(crate) type Date = i32;

/// Nothing sleeps until then.
pub(crate) const AWAKE: Date = Date::MAX;

/// A state of a network of tasks at an instant.
#[derive(Clone, Default, Debug)]
pub(crate) struct Point {
    /// The location of every process, then the content of every cell.
    pub(crate) values: Vec<i32>,
    /// The packed values.
    pub(crate) key: Vec<u64>,
    /// The date; the dates on which clocks were last zero; for each process the date at which its
    /// sleep has been too long, as a negative number. Less is never worse.
    pub(crate) dates: Vec<Date>,
}

impl Point {
    #[inline]
    pub(crate) fn now(&self) -> Date {
        self.dates[0]
    }

    #[inline]
    pub(crate) fn set_now(&mut self, now: Date) {
        self.dates[0] = now;
    }

    /// The date on which a clock was zero.
    #[inline]
    pub(crate) fn origin(&self, clock: usize) -> Date {
        self.dates[1 + clock]
    }

    pub(crate) fn set_origin(&mut self, clock: usize, date: Date) {
        self.dates[1 + clock] = date;
    }

    /// The date at which the sleep of a process has been too long.
    #[inline]
    pub(crate) fn deadline(&self, clocks: usize, process: usize) -> Date {
        -self.dates[1 + clocks + process]
    }

    pub(crate) fn set_deadline(&mut self, clocks: usize, process: usize, date: Date) {
        self.dates[1 + clocks + process] = -date;
    }
}

/// Writes points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointEncoding<'n> {
    pub(crate) network: &'n CompiledNetwork,
}

impl Encoding for PointEncoding<'_> {
    type State = Point;
    type Item = Date;

    fn bucket_words(&self) -> usize {
        self.network.packing.words()
    }
    fn bucket<'s>(&self, state: &'s Point) -> &'s [u64] {
        &state.key
    }
    fn payload<'s>(&self, state: &'s Point) -> &'s [Date] {
        &state.dates
    }
    fn load(&self, bucket: &[u64], payload: &[Date], into: &mut Point) {
        self.network.packing.unpack(bucket, &mut into.values);
        into.key.clear();
        into.key.extend_from_slice(bucket);
        into.dates.clear();
        into.dates.extend_from_slice(payload);
    }
}

/// A point covers another in the same discrete state if none of its dates is later, and nothing
/// sleeps in it that is awake in the other or has a later deadline there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier {
    pub(crate) clocks: usize,
}

impl Covering for Earlier {
    type Item = Date;
    type Scratch = ();

    fn scratch(&self) {}

    #[inline]
    fn covers(&self, larger: Member<'_, Date>, smaller: Member<'_, Date>, (): &mut ()) -> bool {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::DateForgotten.is_selected() {
            return larger.payload[1..].iter().zip(&smaller.payload[1..]).all(|(a, b)| a <= b);
        }
        larger.payload.iter().zip(smaller.payload).all(|(a, b)| a <= b)
    }

    fn summary_words(&self, _payload_len: usize) -> usize {
        1
    }

    /// The date itself, and sums of seven groups of dates of clocks. What is earlier is greater.
    fn summarise(
        &self,
        _bucket: &[u64],
        payload: &[Date],
        (): &mut (),
        summary: &mut [SummaryWord],
    ) {
        let mut numbers = [0u8; SummaryWord::NUMBERS];
        let coarse = |date: i64, unit: i64| (120 - (date / unit).clamp(-7, 120)) as u8;
        numbers[0] = coarse(i64::from(payload[0]), 16);
        for (group, number) in numbers[1..].iter_mut().enumerate() {
            let dates = payload[1..=self.clocks].iter().skip(group);
            let dates = dates.step_by(SummaryWord::NUMBERS - 1).map(|&date| i64::from(date));
            *number = coarse(dates.sum(), 24);
        }
        summary[0] = SummaryWord::new(numbers);
    }
}
