//! The reduced form of a zone: a minimal set of constraints that describes it.
//!
//! After K. G. Larsen, F. Larsson, P. Pettersson, W. Yi, "Efficient verification of real-time
//! systems: compact data structure and state-space reduction" (DOI 10.1109/REAL.1997.641265).
//! Clocks at a fixed distance from each other form an equivalence class, within which a cycle of
//! constraints suffices; between the least clocks of two classes a constraint is omitted if two
//! others imply it.

use crate::{Bound, Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// A minimal list of constraints `(x, y, b)`, that is `x - y` below `b`, which together with
    /// the non-negativity of clocks describe the zone.
    pub fn minimal_constraints(&self) -> Vec<(Row, Row, Bound<W>)> {
        let mut constraints = Vec::new();
        for first in self.leaders() {
            let mut members: Vec<Row> = self.rows().filter(|&x| self.leader(x) == first).collect();
            // Ascending values: a clock at 0 then follows the reference clock, and its constraint
            // is implied.
            members.sort_by_key(|&x| self.bound(x, first));
            let successors = members.iter().cycle().skip(1);
            if members.len() > 1 {
                constraints.extend(members.iter().zip(successors).map(|(&x, &y)| (x, y)));
            }
        }
        constraints.extend(self.needed_between_leaders());
        let with_bound = |(x, y)| (x, y, self.bound(x, y));
        constraints
            .into_iter()
            .map(with_bound)
            .filter(|&(x, _, b)| x != Row::ZERO || b < Bound::ZERO)
            .collect()
    }

    /// The pairs of leaders whose bound is not implied by bounds of other leaders.
    pub(crate) fn needed_between_leaders(&self) -> Vec<(Row, Row)> {
        let leaders: Vec<Row> = self.leaders().collect();
        let is_needed = |x: Row, y: Row| {
            let b = self.bound(x, y);
            let is_implied =
                |&z: &Row| z != x && z != y && self.bound(x, z) + self.bound(z, y) <= b;
            x != y && !b.is_infinite() && !leaders.iter().any(is_implied)
        };
        let pairs = leaders.iter().flat_map(|&x| leaders.iter().map(move |&y| (x, y)));
        pairs.filter(|&(x, y)| is_needed(x, y)).collect()
    }

    /// The row of least value among those at a fixed distance from `x`, possibly `x` itself.
    ///
    /// The non-negativity of this clock implies that of all clocks of its class.
    pub(crate) fn leader(&self, x: Row) -> Row {
        let is_fixed = |&y: &Row| self.bound(x, y) + self.bound(y, x) == Bound::ZERO;
        self.rows().filter(is_fixed).min_by_key(|&y| self.bound(y, x)).unwrap_or(x)
    }

    fn leaders(&self) -> impl Iterator<Item = Row> {
        self.rows().filter(|&x| self.leader(x) == x)
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> + use<W> {
        (0..self.dim).map(Row::from_index)
    }
}
