//! Whether uses of locks can be over by a date, by propagation of constraints.
//!
//! A use begins not before its head, takes its length, and has to be over so early that its tail fits
//! before the limit. Two things make heads and tails longer:
//!
//! - a use that certainly follows another one of its process begins no earlier after it than it always
//!   does;
//! - on each lock, a use that cannot be before the last of a set of others comes after all of them
//!   ([`crate::edge_finding`]). Tails are the heads of the same shop run backwards.
//!
//! Every schedule that is over by the limit respects the longer heads and tails; where a use does not
//! fit any more, no such schedule exists.

use zonaut_cost::tasks::{Follows, Span};

use crate::edge_finding::{EdgeFinder, Overload, Window};

/// Larger limits are not looked at, so that sums are exact.
pub(crate) const LARGEST: Span = 1 << 48;

/// The most rounds in which heads and tails are made longer.
const ROUNDS: usize = 8;

/// A use of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Activity {
    pub(crate) lock: usize,
    pub(crate) head: Span,
    pub(crate) length: Span,
    pub(crate) tail: Span,
    /// The use before it in the list, if it certainly follows that one.
    pub(crate) after: Option<Follows>,
}

/// Makes heads and tails longer.
#[derive(Debug, Default)]
pub(crate) struct Propagation {
    by_lock: Vec<Vec<usize>>,
    edges: EdgeFinder,
}

/// A use that cannot be over in time.
struct Late;

impl Propagation {
    /// Makes the heads and tails of uses longer that have to be over by `limit`, tails included;
    /// whether they can be.
    pub(crate) fn tighten(&mut self, activities: &mut [Activity], limit: Span) -> bool {
        if limit > LARGEST {
            return true;
        }
        self.sort(activities);
        for _ in 0..ROUNDS {
            match self.round(activities, limit) {
                Err(Late) => return false,
                Ok(true) => {}
                Ok(false) => break,
            }
        }
        true
    }

    fn sort(&mut self, activities: &[Activity]) {
        self.by_lock.iter_mut().for_each(Vec::clear);
        for (index, activity) in activities.iter().enumerate() {
            if self.by_lock.len() <= activity.lock {
                self.by_lock.resize(activity.lock + 1, Vec::new());
            }
            self.by_lock[activity.lock].push(index);
        }
    }

    /// Looks at all processes and locks once; whether something has changed.
    fn round(&mut self, activities: &mut [Activity], limit: Span) -> Result<bool, Late> {
        let mut is_changed = along_processes(activities);
        let is_late = |activity: &Activity| {
            let Activity { head, length, tail, .. } = *activity;
            head + length + tail > limit
        };
        if activities.iter().any(is_late) {
            return Err(Late);
        }
        let locks = std::mem::take(&mut self.by_lock);
        let mut result = Ok(());
        for uses in locks.iter().filter(|uses| uses.len() > 1) {
            for is_backwards in [false, true] {
                match self.find_edges(activities, uses, limit, is_backwards) {
                    Ok(is_raised) => is_changed |= is_raised,
                    Err(late) => result = Err(late),
                }
            }
            if result.is_err() {
                break;
            }
        }
        self.by_lock = locks;
        result.map(|()| is_changed)
    }

    /// Makes the heads of the uses of one lock longer, or, backwards, their tails.
    fn find_edges(
        &mut self,
        activities: &mut [Activity],
        uses: &[usize],
        limit: Span,
        is_backwards: bool,
    ) -> Result<bool, Late> {
        self.edges.fill(uses.iter().map(|&index| {
            let Activity { head, length, tail, .. } = activities[index];
            let (start, rest) = if is_backwards { (tail, head) } else { (head, tail) };
            Window { index, start, length, end: limit - rest }
        }));
        self.edges.find().map_err(|Overload(_)| Late)?;
        let mut is_changed = false;
        for raise in self.edges.raises() {
            let activity = &mut activities[self.edges.windows()[raise.position].index];
            let start = if is_backwards { &mut activity.tail } else { &mut activity.head };
            is_changed |= *start < raise.start;
            *start = raise.start.max(*start);
        }
        Ok(is_changed)
    }
}

/// Makes heads and tails longer along processes; whether one was.
fn along_processes(activities: &mut [Activity]) -> bool {
    let mut is_changed = false;
    let mut raise = |value: &mut Span, least: Span| {
        if *value < least {
            *value = least;
            is_changed = true;
        }
    };
    for index in 1..activities.len() {
        let before = activities[index - 1].head;
        if let Some(Follows { head, .. }) = activities[index].after {
            #[cfg(feature = "faults")]
            let head =
                if crate::faults::Fault::FollowsTooLate.is_selected() { 2 * head } else { head };
            raise(&mut activities[index].head, before.saturating_add(head));
        }
    }
    for index in (1..activities.len()).rev() {
        let Activity { tail, after, .. } = activities[index];
        if let Some(follows) = after {
            raise(&mut activities[index - 1].tail, tail.saturating_add(follows.tail));
        }
    }
    is_changed
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Uses of processes one after the other: the lock, what has to pass before, and the length.
    pub(crate) type Shop = Vec<Vec<(usize, Span, Span)>>;

    pub(crate) fn activities(shop: &Shop) -> Vec<Activity> {
        let mut all = Vec::new();
        for process in shop {
            let whole: Span = process.iter().map(|(_, gap, length)| gap + length).sum();
            let (mut passed, mut before) = (0, None);
            for &(lock, gap, length) in process {
                let head = passed + gap;
                passed = head + length;
                let tail = whole - passed;
                let after =
                    before.map(|(h, t): (Span, Span)| Follows { head: head - h, tail: t - tail });
                all.push(Activity { lock, head, length, tail, after });
                before = Some((head, tail));
            }
        }
        all
    }

    /// Tells `schedule` of the starts of all uses in every order of starting them, each as early as
    /// it can be, and of when all is over.
    pub(crate) fn for_each_order(shop: &Shop, schedule: &mut dyn FnMut(&[Span], Span)) {
        fn go(
            shop: &Shop,
            next: &mut Vec<usize>,
            times: &mut (Vec<Span>, Vec<Span>, Vec<Span>),
            schedule: &mut dyn FnMut(&[Span], Span),
        ) {
            let mut is_over = true;
            let offsets: Vec<usize> = shop
                .iter()
                .scan(0, |sum, process| Some(std::mem::replace(sum, *sum + process.len())))
                .collect();
            for process in 0..shop.len() {
                let Some(&(lock, gap, length)) = shop[process].get(next[process]) else { continue };
                is_over = false;
                let (ready, free) = (times.0[process], times.1[lock]);
                let start = (ready + gap).max(free);
                times.2[offsets[process] + next[process]] = start;
                (times.0[process], times.1[lock]) = (start + length, start + length);
                next[process] += 1;
                go(shop, next, times, schedule);
                next[process] -= 1;
                (times.0[process], times.1[lock]) = (ready, free);
            }
            if is_over {
                schedule(&times.2, times.0.iter().copied().max().unwrap_or(0));
            }
        }
        let count = shop.iter().map(Vec::len).sum();
        let mut times = (vec![0; shop.len()], vec![0; 2], vec![0; count]);
        go(shop, &mut vec![0; shop.len()], &mut times, schedule);
    }

    /// The earliest starts of all uses in schedules that are over by `limit`; nothing if there are
    /// none.
    fn earliest(shop: &Shop, limit: Span) -> Option<Vec<Span>> {
        let mut found: Option<Vec<Span>> = None;
        for_each_order(shop, &mut |starts, end| {
            if end <= limit {
                let found = found.get_or_insert_with(|| starts.to_vec());
                found
                    .iter_mut()
                    .zip(starts)
                    .for_each(|(least, start)| *least = (*least).min(*start));
            }
        });
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
        #[test]
        fn no_schedule_is_lost(
            shop in prop::collection::vec(
                prop::collection::vec((0..2usize, 0..3i64, 1..5i64), 1..4), 1..4),
            slack in 0..6i64,
        ) {
            let mut best = Span::MAX;
            for_each_order(&shop, &mut |_, end| best = best.min(end));
            let mut found = activities(&shop);
            if Propagation::default().tighten(&mut found, best - 1) {
                prop_assert!(found.iter().all(|a| a.head + a.length + a.tail < best));
            }
            let limit = best + slack;
            let mut found = activities(&shop);
            prop_assert!(Propagation::default().tighten(&mut found, limit), "{:?} by {}", shop, limit);
            let starts = earliest(&shop, limit).expect("a schedule");
            for (activity, start) in found.iter().zip(&starts) {
                prop_assert!(activity.head <= *start, "{:?} can start at {}", activity, start);
            }
        }
    }

    #[test]
    fn a_use_that_does_not_fit_comes_last() {
        let activity = |head, length, tail| Activity { lock: 0, head, length, tail, after: None };
        // The first two have to be over by 10, and leave no room for the third before that.
        let mut found = [activity(0, 5, 4), activity(1, 5, 4), activity(1, 4, 0)];
        assert!(Propagation::default().tighten(&mut found, 14));
        assert_eq!(found[2].head, 10);
        assert!(!Propagation::default().tighten(&mut found, 13));
    }
}
