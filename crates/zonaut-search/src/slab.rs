//! An arena of records of one length, in chunks, with reuse of released ones.

use zonaut_space::StopReason;

use crate::growth::{bytes_of, push, refused};

/// The logarithm of the number of records in a chunk: chunks stay below a few megabytes even for
/// records of thousands of elements, and their headers are negligible.
const CHUNK_BITS: u32 = 8;
const CHUNK_RECORDS: usize = 1 << CHUNK_BITS;

/// An arena of records of `record_len` elements each, addressed by slot.
///
/// Records live in chunks of fixed size, so that growing copies only within the first chunk.
pub(crate) struct Slab<T> {
    record_len: usize,
    chunks: Vec<Vec<T>>,
    /// The number of slots ever used; the slots below it are live or in `free`.
    slots: u32,
    free: Vec<u32>,
    chunk_elements: usize,
}

impl<T: Copy> Slab<T> {
    pub(crate) fn new(record_len: usize) -> Self {
        Self { record_len, chunks: Vec::new(), slots: 0, free: Vec::new(), chunk_elements: 0 }
    }

    /// The number of elements in a record.
    pub(crate) fn record_len(&self) -> usize {
        self.record_len
    }

    /// The record at `slot`.
    #[inline]
    pub(crate) fn get(&self, slot: u32) -> &[T] {
        let start = (slot as usize % CHUNK_RECORDS) * self.record_len;
        &self.chunks[(slot >> CHUNK_BITS) as usize][start..start + self.record_len]
    }

    /// Stores a record in a released slot or a new one.
    pub(crate) fn insert(&mut self, record: &[T]) -> Result<u32, StopReason> {
        assert_eq!(record.len(), self.record_len, "invariant: a slab's records have one length");
        if let Some(slot) = self.free.pop() {
            let start = (slot as usize % CHUNK_RECORDS) * self.record_len;
            self.chunks[(slot >> CHUNK_BITS) as usize][start..start + self.record_len]
                .copy_from_slice(record);
            return Ok(slot);
        }
        let slot = self.slots;
        let index = (slot >> CHUNK_BITS) as usize;
        if index == self.chunks.len() {
            push(&mut self.chunks, Vec::new())?;
        }
        self.make_room(index)?;
        self.chunks[index].extend_from_slice(record);
        self.slots += 1;
        Ok(slot)
    }

    /// Releases a record's slot. It must be live.
    pub(crate) fn release(&mut self, slot: u32) {
        debug_assert!(slot < self.slots);
        // A slot that cannot be added to the free list for lack of memory stays unused, which is
        // harmless.
        let _ = push(&mut self.free, slot);
    }

    /// Grows the chunk at `index` by at least one record: the first chunk by doubling, since most
    /// record lengths of a small model need only a few records; the others to full size.
    fn make_room(&mut self, index: usize) -> Result<(), StopReason> {
        let chunk = &mut self.chunks[index];
        if chunk.len() + self.record_len <= chunk.capacity() {
            return Ok(());
        }
        let full = CHUNK_RECORDS * self.record_len;
        let wanted = if index == 0 { (4 * self.record_len).max(2 * chunk.len()) } else { full };
        let before = chunk.capacity();
        chunk.try_reserve_exact(wanted.min(full) - chunk.len()).map_err(refused)?;
        self.chunk_elements += chunk.capacity() - before;
        Ok(())
    }

    /// Visits all records by slot, released ones included, and frees each chunk after its last one.
    pub(crate) fn consume<E>(
        self,
        mut visit: impl FnMut(u32, &[T]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut slots = 0..self.slots;
        for chunk in self.chunks {
            for (index, slot) in slots.by_ref().take(CHUNK_RECORDS).enumerate() {
                visit(slot, &chunk[index * self.record_len..][..self.record_len])?;
            }
        }
        Ok(())
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.chunk_elements * size_of::<T>() + bytes_of(&self.chunks) + bytes_of(&self.free)
    }

    /// The memory held, counted anew from every chunk.
    #[cfg(test)]
    pub(crate) fn recounted_bytes(&self) -> usize {
        self.chunks.iter().map(bytes_of).sum::<usize>()
            + bytes_of(&self.chunks)
            + bytes_of(&self.free)
    }
}
