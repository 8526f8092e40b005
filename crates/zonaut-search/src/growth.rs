//! Fallible growth of vectors: running out of memory stops a search and never aborts the process.

use std::collections::TryReserveError;

use zonaut_space::StopReason;

/// Turns a refused allocation into the reason a search stops.
pub(crate) fn refused(_: TryReserveError) -> StopReason {
    StopReason::MemoryLimit
}

/// Makes room for one more element, growing by half: the vectors of a search are large, and slack
/// counts as memory.
pub(crate) fn reserve_one<T>(elements: &mut Vec<T>) -> Result<(), StopReason> {
    if elements.len() == elements.capacity() {
        let additional = (elements.capacity() / 2).max(16);
        elements.try_reserve_exact(additional).map_err(refused)?;
    }
    Ok(())
}

/// Appends `element`.
pub(crate) fn push<T>(elements: &mut Vec<T>, element: T) -> Result<(), StopReason> {
    reserve_one(elements)?;
    elements.push(element);
    Ok(())
}

/// The bytes that a vector holds.
pub(crate) fn bytes_of<T>(elements: &Vec<T>) -> usize {
    elements.capacity() * size_of::<T>()
}
