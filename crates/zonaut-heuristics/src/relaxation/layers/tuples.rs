//! Tuples of positions in the lists of several variables.

use crate::relaxation::network::{Network, Table, TableInput};
use crate::relaxation::sets::Sets;
use std::ops::ControlFlow;

/// The row of the values at these positions.
#[inline]
pub(super) fn row<T>(network: &Network, table: &Table<T>, sets: &Sets, at: &[u32]) -> usize {
    let mut row = 0;
    for (&TableInput { variable: input, stride }, &position) in table.inputs.iter().zip(at) {
        let value = sets.value(input, position);
        let low = network.facts.low(input);
        row += value.wrapping_sub(low) as usize * stride as usize;
    }
    row
}

/// Calls `visit` with every tuple of positions within the bounds.
#[inline]
pub(super) fn for_each_tuple(
    from: &[u32],
    to: &[u32],
    at: &mut Vec<u32>,
    mut visit: impl FnMut(&[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if from.iter().zip(to).any(|(from, to)| from >= to) {
        return ControlFlow::Continue(());
    }
    at.clear();
    at.extend_from_slice(from);
    loop {
        visit(at)?;
        let Some(next) = (0..at.len()).find(|&k| at[k] + 1 < to[k]) else {
            return ControlFlow::Continue(());
        };
        at[next] += 1;
        at[..next].copy_from_slice(&from[..next]);
    }
}
