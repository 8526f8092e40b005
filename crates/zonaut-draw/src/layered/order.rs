//! The order in a row, by the barycentres of neighbours, so that few lines cross.

use super::rows::Rows;

/// Number of sweeps over the rows.
const SWEEPS: usize = 14;

/// Orders the slots of every row, and keeps the best order found.
pub(super) fn arrange(rows: &mut Rows, links: &Links) {
    let mut positions = positions(rows);
    let mut best = (links.crossings(rows), rows.rows.clone());
    for sweep in 0..SWEEPS {
        let count = rows.rows.len();
        for step in 1..count {
            let row = if sweep % 2 == 0 { step } else { count - 1 - step };
            let neighbours = if sweep % 2 == 0 { &links.above } else { &links.below };
            sort_row(&mut rows.rows[row], neighbours, &mut positions);
        }
        let crossings = links.crossings(rows);
        if crossings < best.0 {
            best = (crossings, rows.rows.clone());
        }
    }
    rows.rows = best.1;
}

/// Sorts a row by the barycentre of each slot's neighbours; slots without neighbours keep their
/// positions.
fn sort_row(row: &mut [usize], neighbours: &[Vec<usize>], positions: &mut [usize]) {
    let place = |slot: usize| {
        let near = &neighbours[slot];
        let sum: usize = near.iter().map(|&other| positions[other]).sum();
        match near.is_empty() {
            true => positions[slot] as f64,
            false => sum as f64 / near.len() as f64,
        }
    };
    let mut keyed: Vec<(f64, usize)> = row.iter().map(|&slot| (place(slot), slot)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (position, (_, slot)) in keyed.into_iter().enumerate() {
        row[position] = slot;
        positions[slot] = position;
    }
}

fn positions(rows: &Rows) -> Vec<usize> {
    let mut positions = vec![0; rows.slots.len()];
    for row in &rows.rows {
        for (position, &slot) in row.iter().enumerate() {
            positions[slot] = position;
        }
    }
    positions
}

/// The neighbours of each slot in the adjacent rows.
pub(super) struct Links {
    pub(super) above: Vec<Vec<usize>>,
    pub(super) below: Vec<Vec<usize>>,
}

impl Links {
    pub(super) fn of(rows: &Rows) -> Self {
        let none = vec![Vec::new(); rows.slots.len()];
        let mut links = Self { above: none.clone(), below: none };
        for chain in &rows.chains {
            for pair in chain.windows(2) {
                links.below[pair[0]].push(pair[1]);
                links.above[pair[1]].push(pair[0]);
            }
        }
        links
    }

    /// The number of crossing pairs of lines.
    fn crossings(&self, rows: &Rows) -> usize {
        let positions = positions(rows);
        let crossings = |(number, row): (usize, &Vec<usize>)| {
            let mut ends = Vec::new();
            for &slot in row {
                let mut targets: Vec<usize> =
                    self.below[slot].iter().map(|&next| positions[next]).collect();
                targets.sort_unstable();
                ends.extend(targets);
            }
            let width = rows.rows.get(number + 1).map_or(0, Vec::len);
            inversions(&ends, width)
        };
        rows.rows.iter().enumerate().map(crossings).sum()
    }
}

/// The number of inversions of a sequence of numbers below `limit`.
fn inversions(numbers: &[usize], limit: usize) -> usize {
    // A binary indexed tree of the number of occurrences.
    let mut seen = vec![0; limit + 1];
    let mut total = 0;
    for (count, &number) in numbers.iter().enumerate() {
        let mut not_larger = 0;
        let mut index = number + 1;
        while index > 0 {
            not_larger += seen[index];
            index &= index - 1;
        }
        total += count - not_larger;
        let mut index = number + 1;
        while index <= limit {
            seen[index] += 1;
            index += index & index.wrapping_neg();
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_pairs_in_the_wrong_order() {
        let mut numbers = Vec::new();
        // All sequences of length 5 over 0..4.
        for code in 0..4_usize.pow(5) {
            numbers.clear();
            numbers.extend((0..5).map(|digit| code / 4_usize.pow(digit) % 4));
            let pairs = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j)));
            let naive = pairs.filter(|&(i, j)| numbers[i] > numbers[j]).count();
            assert_eq!(inversions(&numbers, 4), naive, "{numbers:?}");
        }
    }
}
