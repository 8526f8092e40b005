//! Random sequences of operations on several clocks against the naive implementation.

use proptest::prelude::*;

use crate::naive::{Limit, Naive};
use crate::{Bound, Zone};
use zonaut_dbm::Row;

/// One operation; clocks are numbers, reduced to the range of the dimension.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Constrain(usize, usize, Bound),
    Delay,
    Past,
    Reset(usize, i32),
    Copy(usize, usize),
    Free(usize),
    Keep(u8),
    Meet(Vec<(usize, usize, Bound)>),
}

pub(crate) fn any_bound(greatest: i32) -> impl Strategy<Value = Bound> {
    (-greatest..=greatest, any::<bool>())
        .prop_map(|(value, is_strict)| if is_strict { Bound::lt(value) } else { Bound::le(value) })
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let row = || 0..6_usize;
    let constraint = || (row(), row(), any_bound(9));
    prop_oneof![
        8 => constraint().prop_map(|(x, y, b)| Operation::Constrain(x, y, b)),
        3 => Just(Operation::Delay),
        1 => Just(Operation::Past),
        3 => (row(), 0..6).prop_map(|(x, value)| Operation::Reset(x, value)),
        1 => (row(), row()).prop_map(|(x, y)| Operation::Copy(x, y)),
        2 => row().prop_map(Operation::Free),
        1 => any::<u8>().prop_map(Operation::Keep),
        2 => proptest::collection::vec(constraint(), 1..5).prop_map(Operation::Meet),
    ]
}

/// A zone and its naive counterpart, changed together; both restart when they become empty.
pub(crate) struct ComparedZones {
    pub(crate) zone: Zone,
    pub(crate) naive: Naive,
}

impl ComparedZones {
    pub(crate) fn new(dim: usize) -> ComparedZones {
        ComparedZones { zone: Zone::universe(dim), naive: Naive::universe(dim) }
    }

    pub(crate) fn apply(&mut self, operation: &Operation) {
        let dim = self.zone.dim();
        let row = |x: usize| x % dim;
        let clock = |x: usize| 1 + x % (dim - 1);
        let id = Row::from_index;
        match *operation {
            Operation::Constrain(x, y, b) => {
                let is_left = self.zone.constrain(id(row(x)), id(row(y)), b).is_ok();
                let is_naive_left = self.naive.constrain(row(x), row(y), Limit::from(b));
                self.restart_if_empty(is_left, is_naive_left);
            }
            Operation::Meet(ref constraints) => self.meet(constraints),
            Operation::Delay => {
                self.zone.delay();
                self.naive.delay();
            }
            Operation::Past => {
                self.zone.past();
                self.naive.past();
            }
            Operation::Reset(x, value) => {
                self.zone.reset(id(clock(x)), value);
                self.naive.reset(clock(x), value.into());
            }
            Operation::Copy(x, y) => {
                self.zone.copy(id(clock(x)), id(clock(y)));
                self.naive.copy(clock(x), clock(y));
            }
            Operation::Free(x) => {
                self.zone.free(id(clock(x)));
                self.naive.free(clock(x));
            }
            Operation::Keep(mask) => self.forget_and_add(mask),
        }
    }

    fn meet(&mut self, constraints: &[(usize, usize, Bound)]) {
        let dim = self.zone.dim();
        let mut other = ComparedZones::new(dim);
        for &(x, y, b) in constraints {
            other.apply(&Operation::Constrain(x, y, b));
        }
        let meets = self.zone.intersects(&other.zone);
        let is_left = self.zone.intersect(&other.zone).is_ok();
        assert_eq!(meets, is_left);
        let is_naive_left = self.naive.intersect(&other.naive);
        self.restart_if_empty(is_left, is_naive_left);
    }

    /// Drops the clocks outside the mask, then adds as many free clocks at their positions.
    fn forget_and_add(&mut self, mask: u8) {
        let is_kept = |x: &Row| mask >> x.0 & 1 == 1;
        let kept: Vec<Row> = self.zone.clocks().filter(is_kept).collect();
        let mut projected = self.zone.clone();
        projected.project(&kept);
        let place = |x: Row| kept.iter().position(|&k| k == x).map(|i| Row::from_index(i + 1));
        let sources: Vec<Option<Row>> =
            (0..self.zone.dim()).map(|i| place(Row::from_index(i))).collect();
        projected.remap_into(&sources, &mut self.zone);
        let dropped = (1..self.naive.dim()).filter(|&x| mask >> x & 1 == 0);
        dropped.for_each(|x| self.naive.free(x));
    }

    fn restart_if_empty(&mut self, is_left: bool, is_naive_left: bool) {
        assert_eq!(is_left, is_naive_left, "emptiness after which {:?} was left", self.zone);
        if !is_left {
            let dim = self.zone.dim();
            self.zone.assign_origin(dim);
            self.naive = Naive::origin(dim);
        }
    }

    pub(crate) fn assert_same(&self) {
        assert!(self.zone.is_canonical());
        assert!(self.naive.is_same(&self.zone), "{:?} but {:?}", self.zone, self.naive);
    }
}

/// The zone after a sequence of operations, compared with the naive implementation at every step.
pub(crate) fn run(dim: usize, operations: &[Operation]) -> Zone {
    let mut twins = ComparedZones::new(dim);
    twins.assert_same();
    for operation in operations {
        twins.apply(operation);
        twins.assert_same();
    }
    twins.zone
}

pub(crate) fn any_operations() -> impl Strategy<Value = Vec<Operation>> {
    proptest::collection::vec(any_operation(), 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn sequences_of_operations_agree_with_the_naive_implementation(
        dim in 2..7_usize,
        operations in any_operations(),
    ) {
        run(dim, &operations);
    }

    #[test]
    fn the_reduced_form_regenerates_the_zone(dim in 2..7_usize, operations in any_operations()) {
        let zone = run(dim, &operations);
        let mut regenerated = Zone::universe(dim);
        prop_assert!(regenerated.constrain_all(zone.minimal_constraints()).is_ok());
        prop_assert_eq!(regenerated, zone);
    }

    #[test]
    fn the_image_of_an_assignment_agrees_with_the_naive_implementation(
        dim in 2..6_usize,
        operations in any_operations(),
        sources in proptest::collection::vec((0..6_usize, 0..5), 0..6),
    ) {
        let zone = run(dim, &operations);
        let sources = sources.into_iter().map(|(y, value)| (y % dim, value));
        let sources: Vec<(usize, i32)> = std::iter::once((0, 0)).chain(sources).collect();
        let of_zone: Vec<(Row, i32)> =
            sources.iter().map(|&(y, value)| (Row::from_index(y), value)).collect();
        let of_naive: Vec<(usize, i64)> =
            sources.iter().map(|&(y, value)| (y, value.into())).collect();
        let mut image = Zone::origin(1);
        zone.image_into(&of_zone, &mut image);
        prop_assert!(image.is_canonical());
        prop_assert!(Naive::from(&zone).image(&of_naive).is_same(&image));
    }

    #[test]
    fn a_delay_within_limits_is_a_delay_that_they_cut(
        dim in 2..7_usize,
        operations in any_operations(),
        limits in proptest::collection::vec((0..6_usize, any_bound(12)), 0..4),
    ) {
        let mut zone = run(dim, &operations);
        let limit = |(x, b): (usize, Bound)| {
            let x = Row::from_index(1 + x % (dim - 1));
            (x, b.max(zone.bound(x, Row::ZERO)))
        };
        let limits: Vec<(Row, Bound)> = limits.into_iter().map(limit).collect();
        let mut expected = zone.clone();
        expected.delay();
        let cuts = limits.iter().map(|&(x, b)| (x, Row::ZERO, b));
        prop_assert_eq!(expected.constrain_all(cuts), Ok(()));
        zone.delay_within(limits);
        prop_assert_eq!(zone, expected);
    }

    #[test]
    fn a_delay_without_stopped_clocks_agrees_with_the_naive_implementation(
        dim in 2..7_usize,
        operations in any_operations(),
        stopped in any::<u8>(),
    ) {
        let mut zone = run(dim, &operations);
        let mut naive = Naive::from(&zone);
        let before = zone.clone();
        zone.delay_except(|x| stopped >> x.0 & 1 == 1);
        naive.delay_except(|x| stopped >> x & 1 == 1);
        prop_assert!(zone.is_canonical() && naive.is_same(&zone));
        prop_assert!(zone.includes(&before));
    }

    #[test]
    fn an_image_keeps_the_bounds_between_unchanged_clocks(
        operations in any_operations(),
        changed in any::<u8>(),
    ) {
        let zone = run(6, &operations);
        let is_kept = |i: usize| i == 0 || changed >> i & 1 == 0;
        let source = |i: usize| if is_kept(i) { (Row::from_index(i), 0) } else { (Row::ZERO, 3) };
        let sources: Vec<(Row, i32)> = (0..6).map(source).collect();
        let mut image = Zone::origin(1);
        zone.image_into(&sources, &mut image);
        let kept: Vec<Row> = (0..6).filter(|&i| is_kept(i)).map(Row::from_index).collect();
        for (&x, &y) in kept.iter().flat_map(|x| kept.iter().map(move |y| (x, y))) {
            prop_assert_eq!(image.bound(x, y), zone.bound(x, y));
        }
    }

    #[test]
    fn buffers_are_reused_for_zones_of_any_dimension(
        one in any_operations(),
        two in any_operations(),
    ) {
        let (one, two) = (run(3, &one), run(5, &two));
        let mut buffer = one.clone();
        buffer.assign_from(&two);
        prop_assert_eq!(&buffer, &two);
        buffer.clone_from(&one);
        prop_assert_eq!(&buffer, &one);
        buffer.assign_slice(5, two.as_slice());
        prop_assert_eq!(&buffer, &two);
        buffer.assign_universe(2);
        prop_assert_eq!(&buffer, &Zone::universe(2));
    }
}
