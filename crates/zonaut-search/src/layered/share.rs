//! The division of a layer among the workers of a process.
//!
//! Each worker owns nodes by the hash of their buckets, so that covering is decided by one worker. But
//! any worker can expand them, and those of one kind, whose successors are computed alike, are best
//! expanded by the same worker: what it has computed for one of them is in its caches for the next.
//! So the nodes of a layer are put into an order by kind, and each worker takes an equal part of that
//! order. When one of them has nothing left, the rest is divided again.

use std::collections::HashMap;
use std::iter;

use foldhash::fast::FixedState;

#[cfg(feature = "faults")]
use crate::store::faults::Fault;

/// Successive nodes of one kind in the layer of one owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    pub(super) kind: Option<u64>,
    /// The position of the first node of this kind before the owner sorted its layer.
    pub(super) first: usize,
    /// The number of the owner in its process.
    pub(super) owner: usize,
    /// The position of the first node.
    pub(super) start: usize,
    pub(super) len: usize,
}

/// A node of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The number of the owner in its process.
    pub(super) owner: usize,
    pub(super) position: usize,
}

/// The nodes that one worker is to expand, in order.
#[derive(Default, Debug)]
pub(super) struct Share {
    /// The segments, none of them empty, the next one last.
    segments: Vec<Segment>,
    left: usize,
}

impl Share {
    /// The part of these segments for `worker` of `workers`, in the order of the first nodes of their
    /// kinds.
    pub(super) fn of(mut segments: Vec<Segment>, worker: usize, workers: usize) -> Self {
        let mut firsts = HashMap::with_hasher(FixedState::with_seed(0));
        for segment in &segments {
            let first = firsts.entry(segment.kind).or_insert(segment.first);
            *first = segment.first.min(*first);
        }
        segments.sort_by_key(|segment| (firsts[&segment.kind], segment.kind));
        let total: usize = segments.iter().map(|segment| segment.len).sum();
        let (begin, end) = (total * worker / workers, total * (worker + 1) / workers);
        let mut first = 0;
        let cut = |segment: Segment| {
            // The positions of the segment in the order of all nodes.
            let (from, to) = (first, first + segment.len);
            first = to;
            let (low, high) = (from.max(begin), to.min(end));
            let start = segment.start + low.saturating_sub(from);
            (low < high).then(|| Segment { start, len: high - low, ..segment })
        };
        let mut segments: Vec<Segment> = segments.into_iter().filter_map(cut).collect();
        segments.reverse();
        Self { segments, left: end - begin }
    }

    /// The next node.
    pub(super) fn first(&self) -> Option<Place> {
        self.segments.last().map(|next| Place { owner: next.owner, position: next.start })
    }

    /// Leaves the next node out.
    pub(super) fn advance(&mut self) {
        let Some(next) = self.segments.last_mut() else { return };
        (next.start, next.len) = (next.start + 1, next.len - 1);
        self.left -= 1;
        if next.len == 0 {
            self.segments.pop();
        }
    }

    /// The number of nodes.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Takes all nodes away, in order.
    pub(super) fn take(&mut self) -> Vec<Segment> {
        self.left = 0;
        #[cfg(feature = "faults")]
        if Fault::SegmentForgotten.is_selected() {
            self.segments.pop();
        }
        let rest = iter::from_fn(|| self.segments.pop());
        rest.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(kind: u64, owner: usize, start: usize, len: usize) -> Segment {
        Segment { kind: Some(kind), first: start, owner, start, len }
    }

    fn places(mut share: Share) -> Vec<Place> {
        let places = iter::from_fn(|| {
            let first = share.first();
            share.advance();
            first
        });
        places.collect()
    }

    #[test]
    fn shares_are_equal_parts_of_the_order_by_kind() {
        let all = || vec![segment(1, 0, 0, 3), segment(7, 0, 3, 2), segment(1, 1, 0, 1)];
        let place = |owner, position| Place { owner, position };
        let expected =
            [place(0, 0), place(0, 1), place(0, 2), place(1, 0), place(0, 3), place(0, 4)];
        for workers in 1..9 {
            let shares: Vec<_> =
                (0..workers).map(|worker| places(Share::of(all(), worker, workers))).collect();
            let sizes = || shares.iter().map(Vec::len);
            assert!(sizes().max() <= sizes().min().map(|least| least + 1), "{shares:?}");
            assert_eq!(shares.concat(), expected, "{workers} workers");
        }
    }

    #[test]
    fn the_rest_of_a_share_can_be_divided_again() {
        let mut share = Share::of(vec![segment(1, 0, 0, 3), segment(2, 1, 5, 2)], 0, 1);
        share.advance();
        assert_eq!(share.left(), 4);
        let rest = share.take();
        assert_eq!(rest, [Segment { first: 0, ..segment(1, 0, 1, 2) }, segment(2, 1, 5, 2)]);
        assert_eq!(share.left(), 0);
        assert_eq!(share.first(), None);
        let again = Share::of(rest, 1, 2);
        assert_eq!(again.left(), 2);
        assert_eq!(
            places(again),
            [Place { owner: 1, position: 5 }, Place { owner: 1, position: 6 }]
        );
    }
}
