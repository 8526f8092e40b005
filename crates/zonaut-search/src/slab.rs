//! An arena of records of one length, in chunks, with reuse of released ones.

use std::borrow::Cow;
use std::sync::Arc;

use zonaut_space::StopReason;

use crate::growth::{bytes_of, push, refused};
use crate::spill::{Form, Segments, SpillFile};

/// The logarithm of the number of records in a chunk: chunks stay below a few megabytes even for
/// records of thousands of elements, and their headers are negligible.
#[cfg(not(test))]
const CHUNK_BITS: u32 = 8;
#[cfg(test)]
const CHUNK_BITS: u32 = 3;
const CHUNK_RECORDS: usize = 1 << CHUNK_BITS;

/// An arena of records of `record_len` elements each, addressed by slot.
///
/// Records live in chunks of fixed size, so that growing copies only within the first chunk. The
/// oldest chunks may be in a file.
pub(crate) struct Slab<T> {
    record_len: usize,
    chunks: Vec<Vec<T>>,
    /// The number of slots ever used; the slots below it are live or in `free`.
    slots: u32,
    free: Vec<u32>,
    chunk_elements: usize,
    /// The oldest chunks, which have no elements here.
    spilled: Option<Box<Segments<T>>>,
}

impl<T: Copy> Slab<T> {
    pub(crate) fn new(record_len: usize) -> Self {
        Self {
            record_len,
            chunks: Vec::new(),
            slots: 0,
            free: Vec::new(),
            chunk_elements: 0,
            spilled: None,
        }
    }

    /// The number of elements in a record.
    pub(crate) fn record_len(&self) -> usize {
        self.record_len
    }

    /// The record at `slot`, unless it is spilled.
    #[inline]
    fn resident(&self, slot: u32) -> Option<&[T]> {
        let start = (slot as usize % CHUNK_RECORDS) * self.record_len;
        self.chunks[(slot >> CHUNK_BITS) as usize].get(start..start + self.record_len)
    }

    /// The record at `slot`.
    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Cow<'_, [T]> {
        match self.resident(slot) {
            Some(record) => Cow::Borrowed(record),
            None => {
                let mut record = Vec::new();
                self.read_back(slot, &mut record);
                Cow::Owned(record)
            }
        }
    }

    /// The record at `slot`; in the buffer, if it is spilled.
    #[inline]
    pub(crate) fn get_with<'b>(&'b self, slot: u32, buffer: &'b mut Vec<T>) -> &'b [T] {
        match self.resident(slot) {
            Some(record) => record,
            None => {
                self.read_back(slot, buffer);
                buffer
            }
        }
    }

    #[cold]
    fn read_back(&self, slot: u32, buffer: &mut Vec<T>) {
        let segments = self.spilled.as_ref().expect("invariant: other records are in memory");
        // A failure is noted by the files, and ends the search.
        let _ = segments.read(slot as usize * self.record_len, self.record_len, buffer);
    }

    /// Whether some records are in a file.
    pub(crate) fn is_spilled(&self) -> bool {
        self.spilled.is_some()
    }

    /// The number of chunks in a file.
    fn spilled_chunks(&self) -> usize {
        self.spilled.as_ref().map_or(0, |segments| segments.len())
    }

    /// Moves the older half of the full chunks in memory to a file.
    ///
    /// # Errors
    /// If the file cannot be written; then the rest of them stays in memory.
    pub(crate) fn spill(
        &mut self,
        file: &Arc<dyn SpillFile>,
        form: Form<T>,
    ) -> Result<(), StopReason> {
        let (first, full) = (self.spilled_chunks(), (self.slots >> CHUNK_BITS) as usize);
        let end = first + (full - first).div_ceil(2);
        if self.record_len == 0 || end == first {
            return Ok(());
        }
        let elements = CHUNK_RECORDS * self.record_len;
        let segments = self
            .spilled
            .get_or_insert_with(|| Box::new(Segments::new(Arc::clone(file), form, elements)));
        let mut moved = first;
        let written = self.chunks[first..end].iter_mut().try_for_each(|chunk| {
            segments.push(chunk)?;
            self.chunk_elements -= chunk.capacity();
            *chunk = Vec::new();
            moved += 1;
            Ok(())
        });
        // Slots there are not used again.
        self.free.retain(|&slot| (slot >> CHUNK_BITS) as usize >= moved);
        written
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
        if ((slot >> CHUNK_BITS) as usize) < self.spilled_chunks() {
            return;
        }
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
        let elements = CHUNK_RECORDS * self.record_len;
        for (number, mut chunk) in self.chunks.into_iter().enumerate() {
            if let Some(segments) = self.spilled.as_ref().filter(|all| number < all.len()) {
                // A failure is noted by the files, and ends the search.
                let _ = segments.read(number * elements, elements, &mut chunk);
            }
            for (index, slot) in slots.by_ref().take(CHUNK_RECORDS).enumerate() {
                visit(slot, &chunk[index * self.record_len..][..self.record_len])?;
            }
        }
        Ok(())
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let spilled = self.spilled.as_ref().map_or(0, |segments| segments.bytes());
        self.chunk_elements * size_of::<T>()
            + bytes_of(&self.chunks)
            + bytes_of(&self.free)
            + spilled
    }

    /// The memory held, counted anew from every chunk.
    #[cfg(test)]
    pub(crate) fn recounted_bytes(&self) -> usize {
        self.chunks.iter().map(bytes_of).sum::<usize>()
            + bytes_of(&self.chunks)
            + bytes_of(&self.free)
            + self.spilled.as_ref().map_or(0, |segments| segments.bytes())
    }
}
