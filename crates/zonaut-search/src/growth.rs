//! Fallible growth of vectors: running out of memory stops a search and never aborts the process.

use std::collections::TryReserveError;

use zonaut_space::StopReason;

/// Turns a refused allocation into the reason a search stops.
pub(crate) fn refused(_: TryReserveError) -> StopReason {
    StopReason::MemoryLimit
}

/// The size in bytes from which vectors grow by a small factor: operating systems move large blocks
/// without copying them.
const LARGE: usize = 1 << 18;

/// Makes room for one more element. Small vectors grow by half, large ones by an eighth: slack counts
/// as memory.
#[inline]
pub(crate) fn reserve_one<T>(elements: &mut Vec<T>) -> Result<(), StopReason> {
    if elements.len() < elements.capacity() { Ok(()) } else { grow(elements) }
}

#[cold]
fn grow<T>(elements: &mut Vec<T>) -> Result<(), StopReason> {
    let part = if bytes_of(elements) < LARGE { 2 } else { 8 };
    let additional = (elements.capacity() / part).max(16);
    elements.try_reserve_exact(additional).map_err(refused)
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
