//! Points of a fine grid, for tests of zones over two clocks by single valuations.
//!
//! Constants are integers, so the truth value of a constraint changes along a time line only where
//! a clock is an integer. Points whose coordinates are multiples of a quarter, with the points
//! halfway between them in time, meet every region of two clocks.

use crate::active_clocks::ActiveClocks;
use crate::constraints::ZoneConstraint;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Bound, Narrow, Zone};
use zonaut_model::builder::NetworkBuilder;
use zonaut_model::{Formula, Model};
use zonaut_testkit::random::Random;

/// The slots in one unit of time.
pub(crate) const SLOTS: i64 = 8;
/// The greatest constant of random constraints.
pub(crate) const CONSTANT: i32 = 3;

/// A valuation of two clocks, in slots; the reference clock comes first.
pub(crate) type Point = [i64; 3];

/// All points up to one unit above the sum of two constants.
pub(crate) fn points() -> impl Iterator<Item = Point> {
    let end = (2 * i64::from(CONSTANT) + 1) * SLOTS;
    let quarters =
        (0..=end).step_by(2).flat_map(move |x| (0..=end).step_by(2).map(move |y| (x, y)));
    quarters.flat_map(|(x, y)| [[0, x, y], [0, x + 1, y + 1]])
}

/// Whether `zone` contains a point.
pub(crate) fn contains(zone: &Zone, point: Point) -> bool {
    zone.contains(&point, SLOTS)
}

/// Whether all `constraints` hold at a point.
pub(crate) fn hold(constraints: &[ZoneConstraint<Narrow>], point: Point) -> bool {
    constraints.iter().all(|c| {
        let difference = point[c.x as usize] - point[c.y as usize];
        let limit = c.bound.value() * SLOTS;
        c.bound.is_infinite() || difference < limit || (difference == limit && !c.bound.is_strict())
    })
}

/// A random constraint on two clocks.
pub(crate) fn constraint(random: &mut Random) -> ZoneConstraint<Narrow> {
    let (x, y) = random.choose(&[(1, 0), (0, 1), (2, 0), (0, 2), (1, 0), (0, 2), (1, 2), (2, 1)]);
    let value = match (x, y) {
        (_, 0) => random.between(0, CONSTANT),
        (0, _) => -random.between(0, CONSTANT),
        _ => random.between(-CONSTANT, CONSTANT),
    };
    let bound = if random.chance(50) { Bound::le(value) } else { Bound::lt(value) };
    ZoneConstraint { x, y, bound }
}

/// Up to `most` random constraints.
pub(crate) fn conjunction(random: &mut Random, most: usize) -> Vec<ZoneConstraint<Narrow>> {
    (0..random.below(most + 1)).map(|_| constraint(random)).collect()
}

/// A model with two clocks that are active in its only location, and its bounds.
pub(crate) fn two_clocks() -> (Model, BoundsTable) {
    let mut network = NetworkBuilder::new();
    let (x, y) = (network.clock("x"), network.clock("y"));
    let process = network.process("P");
    let start = network.location(process, "start");
    network.edge(process, start, start).guard(x.equals(CONSTANT)).guard(y.equals(CONSTANT));
    let model = network.finish().expect("a valid model");
    let bounds = BoundsTable::new(&model, &Formula::truth());
    (model, bounds)
}

/// Active clocks for two active clocks.
pub(crate) fn active() -> ActiveClocks {
    ActiveClocks::new(&two_clocks().1, &[0])
}

/// A random zone that is not empty.
pub(crate) fn zone(random: &mut Random, active: &ActiveClocks) -> Zone {
    loop {
        let mut zone = Zone::universe(3);
        let constraints = conjunction(random, 4);
        if crate::constraints::constrain(&mut zone, active, &constraints).is_ok() {
            return zone;
        }
    }
}
