//! Whether several nodes with constants cover a region together.
//!
//! What lies below a zone ([`crate::simulation`]) is found clock by clock, since each clock is compared
//! with itself alone. Let L and U be the constants of a clock, v its value below and w its value above:
//!
//! - with neither, anything is below: the clock is set free;
//! - with L alone, v is at most w, or w is above L. So the zone is cut at L; in the lower part the clock
//!   may have any smaller value, in the upper part any;
//! - with U alone, v is at least w, or v is above U;
//! - with both, values above M, the greater one, are below each other, and equal ones are. There is more
//!   below, which is not needed.
//!
//! In the last two cases it counts whether v is above M. In a *cell*, which says this of every such
//! clock, what is below a zone is a union of few zones, and nodes cover what is left when these are
//! taken away one after the other.

use crate::clocks::{Clocks, MANY_PARTS, PARTS, Region, limited, outside_of_all};
use crate::refusal::Trouble;
use crate::simulation::{Constants, Simulation};
use crate::zone::{Atom, Bound, Zone};

/// A part of a zone in one cell, with the clocks that are above M there.
struct Cell {
    zone: Zone,
    above: Vec<usize>,
}

/// Which constants a clock has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Neither,
    Lower,
    Upper,
    Both,
}

fn kind(constants: Constants) -> Kind {
    match (constants.lower >= 0, constants.upper >= 0) {
        (false, false) => Kind::Neither,
        (true, false) => Kind::Lower,
        (false, true) => Kind::Upper,
        (true, true) => Kind::Both,
    }
}

/// Whether `covers` have, for every valuation of `parts`, one above it. The constants of a part have
/// to be at least as large as those of a cover.
pub(crate) fn are_covering(parts: &[Region], covers: &[&Region]) -> Result<bool, Trouble> {
    for part in parts {
        let comparable = |cover: &&&Region| match (&part.simulation, &cover.simulation) {
            (Some(small), Some(large)) => small.is_finer_than(large),
            _ => false,
        };
        let covers: Vec<&Region> = covers.iter().filter(comparable).copied().collect();
        let Some(constants) = covers.first().and_then(|first| first.simulation.as_ref()) else {
            return Ok(false);
        };
        let same = covers.iter().filter(|cover| cover.simulation.as_ref() == Some(constants));
        let zones: Vec<&Zone> = same.map(|cover| &cover.zone).collect();
        for cell in cells(&part.zone, constants)? {
            if !cell.is_covered(&zones, constants)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Cuts a zone into cells.
fn cells(zone: &Zone, constants: &Simulation) -> Result<Vec<Cell>, Trouble> {
    let mut all = vec![Cell { zone: zone.clone(), above: Vec::new() }];
    let counts = |&clock: &usize| matches!(kind(constants.0[clock]), Kind::Upper | Kind::Both);
    for clock in (1..zone.size).filter(counts) {
        let atom = above(clock, constants)?;
        let mut next = Vec::new();
        for Cell { zone, above } in all {
            let mut higher = zone.clone();
            if higher.meet(atom)? {
                next.push(Cell { zone: higher, above: [&above[..], &[clock]].concat() });
            }
            next.extend(zone.outside(&[atom])?.into_iter().map(|zone| {
                let above = above.clone();
                Cell { zone, above }
            }));
        }
        all = limited(next, PARTS, MANY_PARTS)?;
    }
    Ok(all)
}

/// That a clock is above M.
fn above(clock: usize, constants: &Simulation) -> Result<Atom, Trouble> {
    let greatest = constants.0[clock].lower.max(constants.0[clock].upper);
    Ok(Atom { x: 0, y: clock, bound: Bound::new(-greatest, true)? })
}

impl Cell {
    fn is_covered(&self, zones: &[&Zone], constants: &Simulation) -> Result<bool, Trouble> {
        let mut left = vec![self.zone.clone()];
        for &zone in zones {
            for below in self.below(zone, constants)? {
                left = outside_of_all(left, &below.atoms())?;
            }
        }
        Ok(left.is_empty())
    }

    /// What is below `zone` in this cell, and perhaps more that is below it outside.
    fn below(&self, zone: &Zone, constants: &Simulation) -> Result<Vec<Zone>, Trouble> {
        let mut all = vec![zone.clone()];
        for clock in 1..zone.size {
            let (atom, is_above) = (above(clock, constants)?, self.above.contains(&clock));
            let mut next = Vec::new();
            for mut zone in all {
                match kind(constants.0[clock]) {
                    Kind::Neither => zone.free(clock),
                    Kind::Upper if is_above => zone.free(clock),
                    Kind::Upper => zone.raise(clock),
                    Kind::Both if is_above => {
                        if !zone.meet(atom)? {
                            continue;
                        }
                        zone.free(clock);
                    }
                    Kind::Both => {
                        if !zone.meet(atom.negated())? {
                            continue;
                        }
                    }
                    Kind::Lower => {
                        let mut higher = zone.clone();
                        if higher.meet(atom)? {
                            higher.free(clock);
                            next.push(higher);
                        }
                        if !zone.meet(atom.negated())? {
                            continue;
                        }
                        zone.lower(clock);
                    }
                }
                if is_above {
                    zone.meet(atom)?;
                }
                next.push(zone);
            }
            all = limited(next, PARTS, MANY_PARTS)?;
        }
        Ok(all)
    }
}
