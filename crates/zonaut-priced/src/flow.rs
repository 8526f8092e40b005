//! Least values of linear functions over zones.
//!
//! The infimum of `sum r(x) x` over a zone is a linear program with difference constraints. Its dual
//! is a minimum-cost flow: a clock with a negative slope supplies that many units, a clock with a
//! positive slope demands them, the reference clock balances both, and a unit that goes from x to y
//! costs the bound on `x - y`. The infimum is the negated cost of the flow. In a canonical zone no
//! detour is cheaper than the direct way, so flow goes from supplies to demands only, and
//! successive shortest paths solve the resulting transportation problem exactly, in integers.
//!
//! By complementary slackness, the points of the closure with the least value are those at which
//! every bound that carries flow is tight.
//!
//! *The infimum is attained exactly if no cheapest flow uses a strict bound.* At a valuation of the
//! zone a strict bound is not tight. Conversely, if no valuation has the least value, then by
//! Motzkin's transposition theorem some sum of the bounds, one of them strict, contradicts that one
//! has: a cheapest flow. So among the cheapest flows one with the most units on strict bounds is
//! computed: a strict bound costs an infinitesimal less. In a canonical zone a detour over strict
//! bounds is dearer than the direct way, or that is strict, too.

use zonaut_dbm::{Bound, Row, Wide};

/// The infimum of a linear function over a zone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Minimum {
    /// The infimum.
    pub(crate) value: i128,
    /// Whether some valuation has this value.
    pub(crate) is_attained: bool,
    /// A cheapest flow. Its bounds are tight at every point of the closure with this value.
    pub(crate) flow: Vec<Shipment>,
}

/// Units of a flow that use the bound on `from - to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shipment {
    pub(crate) from: Row,
    pub(crate) to: Row,
    pub(crate) units: i128,
}

/// The infimum of `sum slopes[x] x` over the zone with these bounds, row by row; `None` if the
/// function is unbounded. The slope of the reference clock is ignored.
pub(crate) fn minimum(bounds: &[Bound<Wide>], slopes: &[i64]) -> Option<Minimum> {
    let mut flow = Flow::new(bounds, slopes);
    while flow.has_supply() {
        flow.augment()?;
    }
    Some(flow.minimum())
}

/// A node of the transportation problem.
struct Node {
    row: usize,
    /// The units that it still has to send or to receive.
    units: i128,
    /// The cost of a cheapest path to it, in the current round.
    distance: Option<i128>,
    /// The node before it on such a path.
    before: usize,
}

impl Node {
    fn new(row: usize, units: i128) -> Self {
        Self { row, units, distance: None, before: 0 }
    }
}

/// A transportation problem with the flow so far.
struct Flow<'b> {
    bounds: &'b [Bound<Wide>],
    dim: usize,
    sources: Vec<Node>,
    sinks: Vec<Node>,
    /// The units from each source to each sink, row by row.
    units: Vec<i128>,
}

impl<'b> Flow<'b> {
    fn new(bounds: &'b [Bound<Wide>], slopes: &[i64]) -> Self {
        let dim = slopes.len();
        let balance = slopes.iter().skip(1).map(|&slope| i128::from(slope)).sum::<i128>();
        let slope = |row: usize| if row == 0 { -balance } else { i128::from(slopes[row]) };
        let rows = |sign: i128| (0..dim).filter(move |&row| sign * slope(row) > 0);
        let sources: Vec<Node> = rows(-1).map(|row| Node::new(row, -slope(row))).collect();
        let sinks: Vec<Node> = rows(1).map(|row| Node::new(row, slope(row))).collect();
        let units = vec![0; sources.len() * sinks.len()];
        Self { bounds, dim, sources, sinks, units }
    }

    fn has_supply(&self) -> bool {
        self.sources.iter().any(|source| source.units > 0)
    }

    /// The bound that a unit from a source to a sink uses.
    fn bound(&self, source: usize, sink: usize) -> Bound<Wide> {
        self.bounds[self.sources[source].row * self.dim + self.sinks[sink].row]
    }

    /// The cost of a unit from a source to a sink, in infinitesimals.
    fn cost(&self, source: usize, sink: usize) -> Option<i128> {
        let bound = self.bound(source, sink);
        let cost = || i128::from(bound.value()) * INFINITESIMALS - i128::from(bound.is_strict());
        (!bound.is_infinite()).then(cost)
    }

    /// Sends units along a cheapest path from a source with supply to a sink with demand; `None` if
    /// no path leads to one.
    fn augment(&mut self) -> Option<()> {
        self.find_distances();
        let open = (0..self.sinks.len()).filter(|&sink| self.sinks[sink].units > 0);
        let last = open
            .filter_map(|sink| Some((self.sinks[sink].distance?, sink)))
            .min()
            .map(|(_, sink)| sink)?;
        // The units that every arc of the path allows: arcs back undo earlier flow.
        let mut amount = self.sinks[last].units;
        let mut sink = last;
        loop {
            let source = self.sinks[sink].before;
            let previous = self.sources[source].before;
            if previous == START {
                amount = amount.min(self.sources[source].units);
                break;
            }
            amount = amount.min(self.units[source * self.sinks.len() + previous]);
            sink = previous;
        }
        self.sinks[last].units -= amount;
        let mut sink = last;
        loop {
            let source = self.sinks[sink].before;
            self.units[source * self.sinks.len() + sink] += amount;
            let previous = self.sources[source].before;
            if previous == START {
                self.sources[source].units -= amount;
                return Some(());
            }
            self.units[source * self.sinks.len() + previous] -= amount;
            sink = previous;
        }
    }

    /// Computes the cheapest paths from all sources with supply. The flow so far has the least cost
    /// among flows of its amounts, so no cycle has a negative cost, and the passes end.
    fn find_distances(&mut self) {
        for source in &mut self.sources {
            source.distance = (source.units > 0).then_some(0);
            source.before = START;
        }
        self.sinks.iter_mut().for_each(|sink| sink.distance = None);
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for source in 0..self.sources.len() {
                for sink in 0..self.sinks.len() {
                    let Some(cost) = self.cost(source, sink) else { continue };
                    let carries = self.units[source * self.sinks.len() + sink] > 0;
                    let (from, to) = (&mut self.sources[source], &mut self.sinks[sink]);
                    if let Some(distance) = from.distance.map(|distance| distance + cost)
                        && to.distance.is_none_or(|known| distance < known)
                    {
                        (to.distance, to.before, is_changed) = (Some(distance), source, true);
                    }
                    if carries
                        && let Some(distance) = to.distance.map(|distance| distance - cost)
                        && from.distance.is_none_or(|known| distance < known)
                    {
                        (from.distance, from.before, is_changed) = (Some(distance), sink, true);
                    }
                }
            }
        }
    }

    fn minimum(&self) -> Minimum {
        let mut found = Minimum { value: 0, is_attained: true, flow: Vec::new() };
        for source in 0..self.sources.len() {
            for sink in 0..self.sinks.len() {
                let units = self.units[source * self.sinks.len() + sink];
                if units > 0 {
                    let bound = self.bound(source, sink);
                    found.value -= units * i128::from(bound.value());
                    found.is_attained &= !bound.is_strict();
                    let row = |node: &Node| Row::from_index(node.row);
                    let (from, to) = (row(&self.sources[source]), row(&self.sinks[sink]));
                    found.flow.push(Shipment { from, to, units });
                }
            }
        }
        found
    }
}

/// The infinitesimals in a unit of cost: more than a path has bounds.
const INFINITESIMALS: i128 = 1 << 20;

/// The predecessor of a source at which paths begin.
const START: usize = usize::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_dbm::Zone;

    /// 1 <= x <= 5, y <= 4, 0 <= x - y <= 3.
    fn zone() -> Zone<Wide> {
        let mut zone = Zone::universe(3);
        let (x, y) = (Row(1), Row(2));
        zone.constrain_all([
            (Row::ZERO, x, Bound::le(-1)),
            (x, Row::ZERO, Bound::le(5)),
            (y, Row::ZERO, Bound::le(4)),
            (x, y, Bound::le(3)),
            (y, x, Bound::le(0)),
        ])
        .expect("not empty");
        zone
    }

    fn check(slopes: [i64; 2], value: i128) {
        let [x, y] = slopes;
        let found = minimum(zone().as_slice(), &[0, x, y]).expect("bounded");
        assert_eq!(found.value, value, "{slopes:?}");
    }

    #[test]
    fn minima_are_at_vertices() {
        check([0, 0], 0);
        check([1, 1], 1);
        check([-1, -1], -9);
        check([-1, 2], -3);
        check([1, -1], 0);
        check([2, -3], -4);
        check([-3, 2], -11);
    }

    #[test]
    fn a_strict_bound_is_used_where_the_infimum_is_not_attained() {
        // The bounds x >= 1 and y >= 1 are weak, and exclude each other because of y < x.
        let (x, y) = (Row(1), Row(2));
        let mut zone = zone();
        zone.constrain_all([(Row::ZERO, y, Bound::le(-1)), (y, x, Bound::lt(0))])
            .expect("not empty");
        let found = minimum(zone.as_slice(), &[0, 1, 1]).expect("bounded");
        assert_eq!((found.value, found.is_attained), (2, false));
        let found = minimum(zone.as_slice(), &[0, 0, 1]).expect("bounded");
        assert_eq!((found.value, found.is_attained), (1, true));
    }

    #[test]
    fn a_function_may_be_unbounded() {
        let mut zone = zone();
        zone.delay();
        assert_eq!(minimum(zone.as_slice(), &[0, -1, 0]), None);
        assert_eq!(minimum(zone.as_slice(), &[0, 1, -1]).map(|found| found.value), Some(0));
    }
}
