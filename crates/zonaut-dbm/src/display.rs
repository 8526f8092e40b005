//! Zones as readable constraints in the user's clock names.

use std::fmt;

use crate::{Bound, Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// The zone as a conjunction of few constraints, `true` if it has none.
    ///
    /// `names` has an entry for every row; the one of the reference clock is not shown.
    pub fn display<'a, S: AsRef<str>>(&'a self, names: &'a [S]) -> impl fmt::Display + 'a {
        debug_assert_eq!(names.len(), self.dim);
        DisplayedZone { zone: self, names }
    }
}

impl<W: Width> fmt::Debug for Zone<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = (0..self.dim).map(|i| format!("x{i}")).collect();
        write!(f, "Zone({})", self.display(&names))
    }
}

struct DisplayedZone<'a, S, W: Width> {
    zone: &'a Zone<W>,
    names: &'a [S],
}

impl<S: AsRef<str>, W: Width> DisplayedZone<'_, S, W> {
    fn name(&self, x: Row) -> &str {
        self.names[x.index()].as_ref()
    }

    /// The constraint `x - y = value`.
    fn equality(&self, x: Row, y: Row, value: i64) -> String {
        let (x, y) = if value < 0 { (y, x) } else { (x, y) };
        self.comparison(x, y, "==", value.abs())
    }

    /// The constraint `x - y` below `b`, turned round if the value is negative.
    fn inequality(&self, x: Row, y: Row, b: Bound<W>) -> String {
        let value = b.value();
        let relation = match (x == Row::ZERO || value < 0, b.is_strict()) {
            (false, false) => "<=",
            (false, true) => "<",
            (true, false) => ">=",
            (true, true) => ">",
        };
        let (x, y) = if relation.starts_with('>') { (y, x) } else { (x, y) };
        self.comparison(x, y, relation, value.abs())
    }

    fn comparison(&self, x: Row, y: Row, relation: &str, value: i64) -> String {
        let left = self.name(x);
        if y == Row::ZERO {
            format!("{left} {relation} {value}")
        } else if value == 0 {
            format!("{left} {relation} {}", self.name(y))
        } else {
            format!("{left} - {} {relation} {value}", self.name(y))
        }
    }

    fn conjuncts(&self) -> Vec<String> {
        let zone = self.zone;
        let mut conjuncts = Vec::new();
        for x in zone.clocks() {
            let leader = zone.leader(x);
            if leader != x {
                conjuncts.push(self.equality(x, leader, zone.bound(x, leader).value()));
            }
        }
        let mut needed = zone.needed_between_leaders();
        needed.retain(|&(x, y)| x != Row::ZERO || zone.bound(x, y) < Bound::ZERO);
        // Bounds on single clocks first, for each clock the lower one before the upper one.
        needed.sort_by_key(|&(x, y)| (x.min(y) != Row::ZERO, x.max(y), x));
        conjuncts.extend(needed.iter().map(|&(x, y)| self.inequality(x, y, zone.bound(x, y))));
        conjuncts
    }
}

impl<S: AsRef<str>, W: Width> fmt::Display for DisplayedZone<'_, S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let conjuncts = self.conjuncts();
        if conjuncts.is_empty() {
            return f.write_str("true");
        }
        f.write_str(&conjuncts.join(" && "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Bound = crate::Bound<crate::Wide>;
    type Zone = crate::Zone<crate::Wide>;

    const X: Row = Row(1);
    const Y: Row = Row(2);
    const O: Row = Row::ZERO;

    fn check(constraints: &[(Row, Row, Bound)], expected: &str) {
        let mut zone = Zone::universe(3);
        zone.constrain_all(constraints.iter().copied()).unwrap();
        assert_eq!(zone.display(&["0", "x", "y"]).to_string(), expected);
    }

    #[test]
    fn no_constraint_is_shown_as_true() {
        check(&[], "true");
        assert_eq!(Zone::universe(1).display(&["0"]).to_string(), "true");
    }

    #[test]
    fn implied_constraints_are_not_shown() {
        let constraints = [
            (X, O, Bound::le(5)),
            (Y, X, Bound::lt(3)),
            (O, Y, Bound::lt(-2)),
            (Y, O, Bound::le(9)),
        ];
        check(&constraints, "x <= 5 && y > 2 && y - x < 3");
    }

    #[test]
    fn lower_bounds_of_zero_are_shown_only_if_strict() {
        check(&[(O, X, Bound::lt(0)), (O, Y, Bound::le(0))], "x > 0");
    }

    #[test]
    fn fixed_distances_are_shown_as_equalities() {
        check(&[(X, Y, Bound::le(-2)), (Y, X, Bound::le(2))], "y - x == 2");
        check(
            &[(X, Y, Bound::le(0)), (Y, X, Bound::le(0)), (X, O, Bound::lt(4))],
            "y == x && x < 4",
        );
        let point = [(X, O, Bound::le(3)), (O, X, Bound::le(-3)), (Y, O, Bound::le(0))];
        check(&point, "x == 3 && y == 0");
    }

    #[test]
    fn differences_are_turned_so_that_constants_are_not_negative() {
        check(&[(X, Y, Bound::lt(-2))], "y - x > 2");
        check(&[(X, Y, Bound::le(0))], "x <= y");
        check(&[(X, Y, Bound::lt(0))], "x < y");
    }
}
