//! Pre-images under the clock effects of a transition.

use crate::constraints::ZoneConstraint;
use zonaut_compile::{ClockRow, row_of};
use zonaut_dbm::{Bound, Row, Width, Zone};
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

/// The row in a zone that has these rows.
fn position(rows: &[ClockRow], row: ClockRow) -> Option<Row> {
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

    #[test]
    fn a_valuation_is_before_exactly_if_the_effects_lead_into_the_zone() {
        let rows: Vec<ClockRow> = (0..=CLOCKS as u32).collect();
        let mut inside = 0;
        for seed in 0..3000 {
            let mut random = seed;
            let effects = effects(&mut random, seed % 2 == 0);
            let mut zone = Zone::universe(CLOCKS + 1);
            for _ in 0..below(&mut random, 4) {
                let row = |random: &mut u64| below(random, CLOCKS as u64 + 1) as usize;
                let (x, y) = (row(&mut random), row(&mut random));
                let bound = Bound::le(below(&mut random, 6) as i32 - 2);
                if x != y {
                    let mut smaller = zone.clone();
                    let (x, y) = (Row::from_index(x), Row::from_index(y));
                    if smaller.constrain(x, y, bound).is_ok() {
                        zone = smaller;
                    }
                }
            }
            let before = before_effects(&rows, &rows, &effects, &zone);
            for number in 0..5_i32.pow(CLOCKS as u32) {
                let values = [0, number % 5, number / 5 % 5, number / 25];
                let expected = holds(&zone, &rows, &after(values, &effects));
                let found = before.as_ref().is_some_and(|before| holds(before, &rows, &values));
                assert_eq!(found, expected, "{seed}: {values:?} {effects:?} {zone:?}");
                inside += u32::from(found);
            }
        }
        assert!(inside > 10_000, "{inside}");
    }
}
