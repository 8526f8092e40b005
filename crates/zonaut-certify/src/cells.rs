//! Whether several nodes with constants cover a region together.
//!
//! Let M be the greater one of the two constants of each clock. Valuations that agree in all clocks
//! that are not above M are below each other ([`crate::simulation`]). In a *cell*, which says of
//! every clock whether it is above M, the valuations that agree so with some valuation of a zone
//! form a zone again: that of the cell, with the clocks above M set free. So inside a cell nodes
//! cover what is left when these zones are taken away one after the other.

use crate::clocks::{Clocks, MANY_PARTS, PARTS, Region, limited, outside_of_all};
use crate::refusal::Trouble;
use crate::simulation::Simulation;
use crate::zone::{Atom, Bound, Zone};

/// A part of a zone in one cell, with the clocks that are above M there.
struct Cell {
    zone: Zone,
    above: Vec<usize>,
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
    for clock in 1..zone.size {
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
    /// The valuations of the cell that agree with some valuation of `zone`, which lies in it, in all
    /// clocks that are not above M.
    fn freed(&self, mut zone: Zone, constants: &Simulation) -> Result<Zone, Trouble> {
        for &clock in &self.above {
            zone.free(clock);
            zone.meet(above(clock, constants)?)?;
        }
        Ok(zone)
    }

    fn is_covered(&self, zones: &[&Zone], constants: &Simulation) -> Result<bool, Trouble> {
        let mut left = vec![self.freed(self.zone.clone(), constants)?];
        for &zone in zones {
            let mut inside = zone.clone();
            let mut is_met = true;
            for clock in 1..zone.size {
                let atom = above(clock, constants)?;
                let atom = if self.above.contains(&clock) { atom } else { atom.negated() };
                is_met = is_met && inside.meet(atom)?;
            }
            if is_met {
                left = outside_of_all(left, &self.freed(inside, constants)?.atoms())?;
            }
        }
        Ok(left.is_empty())
    }
}
