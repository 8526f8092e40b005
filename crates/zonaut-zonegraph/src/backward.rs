//! Backward steps: pre-images of sets of valuations under clock effects, guards and delays.
//!
//! All searches from the goal, and all analyses that follow a path backwards, are made of these.
//! A zone is over some clocks, given by their rows over all clocks, ascending, the reference clock
//! first; a clock that a zone does not have is free.

use crate::constraints::ZoneConstraint;
use zonaut_compile::{ClockRow, row_of};
use zonaut_dbm::{Bound, Emptied, Row, Width, Zone};
use zonaut_model::interpret::ClockEffect;

/// The valuations of the clocks in the rows `source` that `effects` turn into valuations of `zone`,
/// which has the clocks in the rows `target`; `None` if the pre-image is empty. Rows are ascending
/// and over all clocks, the reference clock first. A clock that is in `source` alone is free.
#[must_use]
pub fn before_effects<W: Width>(
    source: &[ClockRow],
    target: &[ClockRow],
    effects: &[ClockEffect],
    zone: &Zone<W>,
) -> Option<Zone<W>> {
    let mut out = Zone::universe(source.len());
    if effects.iter().all(|effect| matches!(effect, ClockEffect::Set(..))) {
        return before_settings(source, target, effects, zone, out);
    }
    let origins: Vec<(ClockRow, i32)> = target.iter().map(|&row| origin(row, effects)).collect();
    for (i, &(x, ahead)) in origins.iter().enumerate() {
        for (j, &(y, behind)) in origins.iter().enumerate() {
            let bound = zone.bound(Row::from_index(i), Row::from_index(j));
            if i == j || bound.is_infinite() {
                continue;
            }
            let bound = bound + Bound::le(behind - ahead);
            if x == y {
                if bound < Bound::<W>::ZERO {
                    return None;
                }
            } else if let (Some(x), Some(y)) = (position(source, x), position(source, y)) {
                out.constrain(x, y, bound).ok()?;
            }
        }
    }
    Some(out)
}

/// Keeps the part of `zone`, over the clocks `rows`, in which all `constraints` hold; constraints on
/// other clocks are ignored.
///
/// # Errors
/// If no valuation is left.
pub fn restrict<W: Width>(
    zone: &mut Zone<W>,
    rows: &[ClockRow],
    constraints: impl IntoIterator<Item = ZoneConstraint<W>>,
) -> Result<(), Emptied> {
    for c in constraints {
        if let (Some(x), Some(y)) = (position(rows, c.x), position(rows, c.y)) {
            zone.constrain(x, y, c.bound)?;
        }
    }
    Ok(())
}

/// Extends the part of `zone`, over the clocks `rows`, in which `invariant` holds by all valuations
/// from which a delay within the invariant leads into it.
///
/// # Errors
/// If no valuation satisfies the invariant.
pub fn before_delay<W: Width, I>(
    zone: &mut Zone<W>,
    rows: &[ClockRow],
    invariant: I,
) -> Result<(), Emptied>
where
    I: IntoIterator<Item = ZoneConstraint<W>> + Clone,
{
    restrict(zone, rows, invariant.clone())?;
    zone.past();
    // Lower bounds of invariants hold at arrival, and forbid earlier arrivals.
    restrict(zone, rows, invariant)
}

/// The pre-image of a constraint under clock effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before<W: Width> {
    /// It holds after every valuation.
    Always,
    /// It holds after no valuation.
    Never,
    /// It holds after the valuations that satisfy this constraint.
    Where(ZoneConstraint<W>),
}

/// The pre-image of `constraint` under `effects`.
#[must_use]
pub fn constraint_before<W: Width>(
    constraint: ZoneConstraint<W>,
    effects: &[ClockEffect],
) -> Before<W> {
    let ((x, ahead), (y, behind)) = (origin(constraint.x, effects), origin(constraint.y, effects));
    let bound = constraint.bound + Bound::le(behind - ahead);
    match x == y {
        true if bound < Bound::<W>::ZERO => Before::Never,
        true => Before::Always,
        false => Before::Where(ZoneConstraint { x, y, bound }),
    }
}

/// The row and the constant whose sum is the value of the clock of `row` after `effects`.
#[must_use]
pub fn origin(row: ClockRow, effects: &[ClockEffect]) -> (ClockRow, i32) {
    let mut now = row;
    for effect in effects.iter().rev() {
        match *effect {
            ClockEffect::Set(clock, value) if row_of(clock) == now => return (0, value),
            ClockEffect::Copy(clock, from) if row_of(clock) == now => now = row_of(from),
            _ => {}
        }
    }
    (now, 0)
}

/// The common case: clocks are set to constants.
fn before_settings<W: Width>(
    source: &[ClockRow],
    target: &[ClockRow],
    effects: &[ClockEffect],
    zone: &Zone<W>,
    mut out: Zone<W>,
) -> Option<Zone<W>> {
    let mut zone = zone.clone();
    for (index, effect) in effects.iter().enumerate() {
        let ClockEffect::Set(clock, value) = *effect else { continue };
        let is_last = effects[index + 1..]
            .iter()
            .all(|later| !matches!(*later, ClockEffect::Set(other, _) if other == clock));
        if let (true, Some(x)) = (is_last, position(target, row_of(clock))) {
            zone.constrain(x, Row::ZERO, Bound::le(value)).ok()?;
            zone.constrain(Row::ZERO, x, Bound::le(-value)).ok()?;
        }
    }
    let is_set = |wanted: ClockRow| {
        effects.iter().any(|e| matches!(*e, ClockEffect::Set(clock, _) if row_of(clock) == wanted))
    };
    let sources: Vec<Option<Row>> =
        source.iter().map(|&row| if is_set(row) { None } else { position(target, row) }).collect();
    zone.remap_into(&sources, &mut out);
    Some(out)
}

/// The row of a clock in a zone over the clocks `rows`.
#[must_use]
pub fn position(rows: &[ClockRow], row: ClockRow) -> Option<Row> {
    rows.binary_search(&row).ok().map(Row::from_index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;
    use zonaut_model::ClockId;

    const CLOCKS: usize = 3;

    /// Pseudo-random numbers below `end`, the same on every machine.
    fn below(state: &mut u64, end: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 33) % end
    }

    fn effects(random: &mut u64, copies: bool) -> Vec<ClockEffect> {
        let clock = |random: &mut u64| ClockId::from_index(below(random, CLOCKS as u64) as usize);
        let count = below(random, 4);
        let effect = |_| match below(random, 2) {
            1 if copies => ClockEffect::Copy(clock(random), clock(random)),
            _ => ClockEffect::Set(clock(random), below(random, 4) as i32),
        };
        (0..count).map(effect).collect()
    }

    /// The image of a valuation under the effects; the first value is that of the reference clock.
    fn after(mut values: [i32; CLOCKS + 1], effects: &[ClockEffect]) -> [i32; CLOCKS + 1] {
        for effect in effects {
            match *effect {
                ClockEffect::Set(x, value) => values[x.index() + 1] = value,
                ClockEffect::Copy(x, y) => values[x.index() + 1] = values[y.index() + 1],
            }
        }
        values
    }

    fn holds(zone: &Zone, rows: &[ClockRow], values: &[i32]) -> bool {
        rows.iter().enumerate().all(|(i, &x)| {
            rows.iter().enumerate().all(|(j, &y)| {
                let bound = zone.bound(Row::from_index(i), Row::from_index(j));
                bound.is_infinite() || Bound::le(values[x as usize] - values[y as usize]) <= bound
            })
        })
    }

    /// A random zone that is not empty.
    fn zone(random: &mut u64) -> Zone {
        let mut zone = Zone::universe(CLOCKS + 1);
        for _ in 0..below(random, 4) {
            let row = |random: &mut u64| below(random, CLOCKS as u64 + 1) as usize;
            let (x, y) = (row(random), row(random));
            let bound = Bound::le(below(random, 6) as i32 - 2);
            if x != y {
                let mut smaller = zone.clone();
                let (x, y) = (Row::from_index(x), Row::from_index(y));
                if smaller.constrain(x, y, bound).is_ok() {
                    zone = smaller;
                }
            }
        }
        zone
    }

    /// All integer valuations up to a constant; the first value is that of the reference clock.
    fn valuations() -> impl Iterator<Item = [i32; CLOCKS + 1]> {
        (0..5_i32.pow(CLOCKS as u32)).map(|n| [0, n % 5, n / 5 % 5, n / 25])
    }

    #[test]
    fn a_valuation_is_before_a_delay_exactly_if_time_leads_into_the_zone() {
        // Constants are integers and bounds are not strict, so delays of integers suffice.
        let rows: Vec<ClockRow> = (0..=CLOCKS as u32).collect();
        let mut inside = 0;
        for seed in 0..1000 {
            let mut random = seed;
            let zone = zone(&mut random);
            let mut constraint = || {
                let x = 1 + below(&mut random, CLOCKS as u64) as u32;
                let value = below(&mut random, 5) as i32;
                match below(&mut random, 2) {
                    0 => ZoneConstraint { x, y: 0, bound: Bound::le(value) },
                    _ => ZoneConstraint { x: 0, y: x, bound: Bound::le(-value) },
                }
            };
            let invariant = [constraint(), constraint()];
            let mut before = zone.clone();
            let is_left = before_delay(&mut before, &rows, invariant).is_ok();
            let allows = |values: &[i32]| {
                let value = |row: ClockRow| values[row as usize];
                invariant.iter().all(|c| Bound::le(value(c.x) - value(c.y)) <= c.bound)
            };
            for values in valuations() {
                let later = (0..12).map(|delay| {
                    let mut later = values;
                    later[1..].iter_mut().for_each(|value| *value += delay);
                    later
                });
                let expected = later
                    .take_while(|later| allows(later))
                    .any(|later| holds(&zone, &rows, &later));
                let found = is_left && holds(&before, &rows, &values);
                assert_eq!(found, expected, "{seed}: {values:?} {invariant:?} {zone:?}");
                inside += u32::from(found);
            }
        }
        assert!(inside > 5_000, "{inside}");
    }

    #[test]
    fn constraints_on_clocks_that_a_zone_lacks_are_ignored() {
        let mut zone: Zone = Zone::universe(2);
        let constraint = |x| ZoneConstraint { x, y: 0, bound: Bound::le(1) };
        assert!(restrict(&mut zone, &[0, 3], [constraint(1)]).is_ok());
        assert_eq!(zone, Zone::universe(2));
        assert!(restrict(&mut zone, &[0, 3], [constraint(3)]).is_ok());
        assert_eq!(zone.bound(Row(1), Row::ZERO), Bound::le(1));
    }

    #[test]
    fn a_valuation_is_before_exactly_if_the_effects_lead_into_the_zone() {
        let rows: Vec<ClockRow> = (0..=CLOCKS as u32).collect();
        let mut inside = 0;
        for seed in 0..3000 {
            let mut random = seed;
            let effects = effects(&mut random, seed % 2 == 0);
            let zone = zone(&mut random);
            let before = before_effects(&rows, &rows, &effects, &zone);
            for values in valuations() {
                let expected = holds(&zone, &rows, &after(values, &effects));
                let found = before.as_ref().is_some_and(|before| holds(before, &rows, &values));
                assert_eq!(found, expected, "{seed}: {values:?} {effects:?} {zone:?}");
                inside += u32::from(found);
            }
        }
        assert!(inside > 10_000, "{inside}");
    }
}
