//! Where in its row a slot stands: as near to its neighbours as the order and the room allow.
//!
//! Each row is solved exactly: of all places with enough distance between neighbours, those with
//! the least sum of squares of distances to where each slot wants to be. With the distances taken
//! away this is a regression by a rising sequence, which joins neighbours that are in each other's
//! way (M. Ayer et al., DOI 10.1214/aoms/1177728423).

use super::SPACING;
use super::order::Links;
use super::rows::{Rows, Slot};

/// How often the rows are gone through.
const SWEEPS: usize = 24;

/// The middle line of every slot.
pub(super) fn assign(rows: &Rows, links: &Links) -> Vec<f64> {
    let mut columns = vec![0.0; rows.slots.len()];
    for row in &rows.rows {
        let wanted: Vec<(f64, f64)> = row.iter().map(|_| (0.0, 1.0)).collect();
        settle(rows, row, &wanted, &mut columns);
    }
    for sweep in 0..SWEEPS {
        let count = rows.rows.len();
        for step in 0..count {
            let row = if sweep % 2 == 0 { step } else { count - 1 - step };
            let row = &rows.rows[row];
            let wanted: Vec<(f64, f64)> =
                row.iter().map(|&slot| wish(rows, links, slot, &columns)).collect();
            settle(rows, row, &wanted, &mut columns);
        }
    }
    columns
}

/// Where a slot wants to be, and how much it wants that: lines want to be straight.
fn wish(rows: &Rows, links: &Links, slot: usize, columns: &[f64]) -> (f64, f64) {
    let near = || links.above[slot].iter().chain(&links.below[slot]);
    let count = near().count();
    if count == 0 {
        return (columns[slot], 0.1);
    }
    let sum: f64 = near().map(|&other| columns[other]).sum();
    let weight = if rows.slots[slot] == Slot::Node { 1.0 } else { 2.0 };
    (sum / count as f64, weight)
}

/// Puts the slots of a row as near as possible to where they want to be.
fn settle(rows: &Rows, row: &[usize], wanted: &[(f64, f64)], columns: &mut [f64]) {
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0.0;
    for (position, &slot) in row.iter().enumerate() {
        if position > 0 {
            let before = rows.extents[row[position - 1]].right;
            offset += room(before, rows.extents[slot].left);
        }
        offsets.push(offset);
    }
    let free: Vec<(f64, f64)> =
        wanted.iter().zip(&offsets).map(|(&(place, weight), o)| (place - o, weight)).collect();
    for ((&slot, offset), place) in row.iter().zip(&offsets).zip(rising(&free)) {
        columns[slot] = place + offset;
    }
}

/// The distance of the middle lines of neighbours that reach this far to each other.
fn room(before: f64, after: f64) -> f64 {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::RoomForgotten.is_selected() {
        return SPACING;
    }
    before + SPACING + after
}

/// The rising sequence with the least weighted sum of squares of distances to these places.
fn rising(places: &[(f64, f64)]) -> Vec<f64> {
    // Blocks of equal values: mean, weight, length.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for &(place, weight) in places {
        let mut block = (place, weight, 1);
        while let Some(&last) = blocks.last() {
            if last.0 <= block.0 {
                break;
            }
            let weight = last.1 + block.1;
            block = ((last.0 * last.1 + block.0 * block.1) / weight, weight, last.2 + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(mean, _, length)| std::iter::repeat_n(mean, length)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rising_sequence_is_best_among_all_on_a_grid() {
        let cost = |places: &[(f64, f64)], found: &[f64]| -> f64 {
            places.iter().zip(found).map(|(&(p, w), f)| w * (p - f) * (p - f)).sum()
        };
        for code in 0..4_usize.pow(4) {
            let digit = |n: u32| (code / 4_usize.pow(n) % 4) as f64;
            let places: Vec<(f64, f64)> =
                (0..4).map(|n| (digit(n), 1.0 + f64::from(n % 2))).collect();
            let found = rising(&places);
            assert!(found.is_sorted(), "{found:?}");
            let best = cost(&places, &found);
            for other in 0..7_usize.pow(4) {
                let half = |n: u32| (other / 7_usize.pow(n) % 7) as f64 / 2.0;
                let grid: Vec<f64> = (0..4).map(half).collect();
                assert!(!grid.is_sorted() || best <= cost(&places, &grid) + 1e-9);
            }
        }
    }
}
