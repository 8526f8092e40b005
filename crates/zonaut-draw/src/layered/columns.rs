//! Coordinates in a row: each slot as near to its neighbours as the order and the distances allow.
//!
//! Each row is solved exactly: of all positions with enough distance between neighbours, those with
//! the least sum of squared distances to the wanted position of each slot. With the distances
//! subtracted this is an isotonic regression, which pools adjacent violators (M. Ayer et al., DOI
//! 10.1214/aoms/1177728423).

use super::SPACING;
use super::order::Links;
use super::rows::{Rows, Slot};

/// Number of sweeps over the rows.
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

/// Aligns the slots of long arcs, so that they bend as seldom as their neighbours in the rows allow:
/// from the top of an arc on, as many slots as possible share a column. Of all partitions into
/// aligned runs this greedy one has the fewest, because a run that ends earlier cannot help a later
/// one. Longer arcs are aligned first.
pub(super) fn straighten(rows: &Rows, columns: &mut [f64]) {
    let mut positions = vec![0; rows.slots.len()];
    for row in &rows.rows {
        row.iter().enumerate().for_each(|(position, &slot)| positions[slot] = position);
    }
    let mut order: Vec<usize> = (0..rows.chains.len()).collect();
    order.sort_by_key(|&arc| (std::cmp::Reverse(rows.chains[arc].len()), arc));
    for arc in order {
        let [_, inner @ .., _] = &rows.chains[arc][..] else { continue };
        let mut run: Vec<usize> = Vec::new();
        let mut range = (f64::NEG_INFINITY, f64::INFINITY);
        for &slot in inner {
            let free = free_range(rows, slot, positions[slot], columns);
            let joined = (range.0.max(free.0), range.1.min(free.1));
            if joined.0 > joined.1 {
                align(&run, range, columns);
                run.clear();
                range = free;
            } else {
                range = joined;
            }
            run.push(slot);
        }
        align(&run, range, columns);
    }
}

/// The columns that a slot can have between its neighbours in the row.
fn free_range(rows: &Rows, slot: usize, position: usize, columns: &[f64]) -> (f64, f64) {
    let row = &rows.rows[rows.row_of[slot]];
    let own = rows.extents[slot];
    let before = position.checked_sub(1).map(|at| row[at]);
    let after = row.get(position + 1).copied();
    let least =
        before.map_or(f64::NEG_INFINITY, |it| columns[it] + room(rows.extents[it].right, own.left));
    let most =
        after.map_or(f64::INFINITY, |it| columns[it] - room(own.right, rows.extents[it].left));
    // A slot whose neighbours are at the least distance keeps its column, despite rounding.
    (least.min(columns[slot]), most.max(columns[slot]))
}

/// Moves the slots of a run to their mean column, as near as `range` allows.
fn align(run: &[usize], range: (f64, f64), columns: &mut [f64]) {
    if run.is_empty() {
        return;
    }
    let mean = run.iter().map(|&slot| columns[slot]).sum::<f64>() / run.len() as f64;
    let column = mean.max(range.0).min(range.1);
    run.iter().for_each(|&slot| columns[slot] = column);
}

/// The wanted position of a slot, the mean of its neighbours, and its weight: labels and bends weigh
/// more than nodes, so that lines are straight.
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

/// Moves the slots of a row as near as possible to their wanted positions.
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

/// The least distance of the middle lines of neighbours with these extents.
fn room(before: f64, after: f64) -> f64 {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::RoomForgotten.is_selected() {
        return SPACING;
    }
    before + SPACING + after
}

/// The non-decreasing sequence with the least weighted sum of squared distances to these positions.
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
