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
//! clock, what is below a zone is a union of few zones. So what is below one node after the other is
//! taken away, each with its own constants and cells, and all is covered if nothing is left.

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
        let mut left = vec![part.zone.clone()];
        for cover in covers {
            let (Some(small), Some(large)) = (&part.simulation, &cover.simulation) else {
                return Ok(false);
            };
            if !small.is_finer_than(large) {
                continue;
            }
            let mut open = Vec::new();
            for zone in left {
                open.extend(not_below(&zone, &cover.zone, large)?);
            }
            left = limited(open, PARTS, MANY_PARTS)?;
        }
        if !left.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The parts of `zone` that are not below `cover`, cell by cell.
fn not_below(zone: &Zone, cover: &Zone, constants: &Simulation) -> Result<Vec<Zone>, Trouble> {
    let mut left = Vec::new();
    for cell in cells(zone, constants)? {
        let mut open = vec![cell.zone.clone()];
        for below in cell.below(cover, constants)? {
            open = outside_of_all(open, &below.atoms())?;
        }
        left.extend(open);
    }
    limited(left, PARTS, MANY_PARTS)
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
