//! Joint covering: whether several nodes with LU constants together cover a region.
//!
//! The valuations below a zone (simulated by it, [`crate::simulation`]) are computed clock by
//! clock, since the simulation compares each clock only with itself. Let L and U be the constants
//! of a clock, v its value below and w its value above:
//!
//! - With neither constant, every v is below w: the clock becomes unconstrained.
//! - With L alone, v ≤ w, or w > L. So the zone is split at L; in the lower part the clock may have
//!   any smaller value, in the upper part any value.
//! - With U alone, v ≥ w, or v > U.
//! - With both, all values above M = max(L, U) are below each other, and equal values are. This
//!   under-approximates the simulation, which is sound.
//!
//! In the last two cases only whether v is above M matters. In a *cell*, which fixes this for every
//! such clock, the valuations below a zone are a union of few zones. These unions are subtracted
//! for one node after the other, each with its own constants and cells; the region is covered if
//! nothing remains.

use crate::clocks::{Clocks, MANY_PARTS, PARTS, Region, limited, outside_of_all};
use crate::refusal::Trouble;
use crate::simulation::{Constants, Simulation};
use crate::zone::{Atom, Bound, Zone};

/// A part of a zone in one cell, with the clocks that are above M there.
struct Cell {
    zone: Zone,
    above: Vec<usize>,
}

/// The constants that a clock has.
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

/// Whether every valuation of `parts` is below some valuation of `covers`. The constants of a part
/// must be at least as large as those of a cover.
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

/// The atom that requires a clock to be above M.
fn above(clock: usize, constants: &Simulation) -> Result<Atom, Trouble> {
    let greatest = constants.0[clock].lower.max(constants.0[clock].upper);
    Ok(Atom { x: 0, y: clock, bound: Bound::new(-greatest, true)? })
}

impl Cell {
    /// The valuations of this cell that are below `zone`; may contain valuations below it outside
    /// the cell.
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
