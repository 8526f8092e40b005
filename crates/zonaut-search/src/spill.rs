//! Parts of a search in files.
//!
//! A search at its memory limit moves the oldest records of its arenas to files and reads single
//! records back when a comparison or a path needs them. Records are never changed there: spilling
//! changes neither the nodes that a search stores nor those that it expands.
//!
//! A failed read is noted by the [`SpillFiles`]. Comparisons then read zeros, paths end, and a known
//! state is loaded instead, until the search stops. Its outcome is that it was stopped.

use std::fmt::Debug;
use std::sync::Arc;

use zonaut_space::{Meter, StopReason};

use crate::growth::{bytes_of, push};
use crate::node_table::Edge;
#[cfg(feature = "faults")]
use crate::store::faults::Fault;

#[cfg(test)]
pub(crate) mod in_memory;

/// A file of spilled records.
///
/// Law: what was appended is read back, unless a failure is noted.
pub trait SpillFile: Send + Sync + Debug {
    /// Appends bytes; returns their position.
    ///
    /// # Errors
    /// If the file cannot be written; the reason is noted.
    fn append(&self, bytes: &[u8]) -> Result<u64, StopReason>;
    /// Reads the bytes at a position.
    ///
    /// # Errors
    /// If they cannot be read; the reason is noted, and `into` is unspecified.
    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), StopReason>;
}

/// A place for files of spilled records.
pub trait SpillFiles: Send + Sync + Debug {
    /// An empty file.
    ///
    /// # Errors
    /// If it cannot be created; the reason is noted.
    fn create(&self) -> Result<Arc<dyn SpillFile>, StopReason>;
    /// Whether a file could not be written or read.
    fn has_failed(&self) -> bool;
}

/// The form of records in a file: each takes the same number of bytes.
#[derive(Debug)]
pub struct Form<R> {
    /// The bytes of a record.
    pub bytes: usize,
    /// Appends records to bytes.
    pub write: fn(&[R], &mut Vec<u8>),
    /// Appends the records that these bytes are.
    pub read: fn(&[u8], &mut Vec<R>),
}

impl<R> Clone for Form<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Form<R> {}

impl Form<u64> {
    /// The form of words.
    pub(crate) const WORDS: Self = Self {
        bytes: 8,
        write: |words, to| words.iter().for_each(|word| to.extend_from_slice(&word.to_le_bytes())),
        read: |bytes, to| {
            let words = bytes.as_chunks().0.iter();
            to.extend(words.map(|&word| u64::from_le_bytes(word)));
        },
    };
}

/// The condition under which a search spills, and the place for its files.
#[derive(Clone, Debug)]
pub struct Overflow {
    /// The place.
    pub files: Arc<dyn SpillFiles>,
    /// The memory from which the search spills, in bytes.
    pub from: usize,
    /// The meter of the memory that is held besides that of the search.
    pub meter: Meter,
}

impl Overflow {
    /// Whether a search that holds this memory is to spill; also after a failure, which it meets then.
    pub(crate) fn is_due(&self, bytes: usize) -> bool {
        bytes.saturating_add(self.meter.held()) >= self.from || self.files.has_failed()
    }
}

/// Spilling of a search with these steps and elements of payloads.
#[derive(Debug)]
pub struct Spilling<Step, Item> {
    /// The condition and the place.
    pub overflow: Overflow,
    /// The form of arrivals.
    pub edges: Form<Edge<Step>>,
    /// The form of elements of payloads.
    pub items: Form<Item>,
}

impl<Step, Item> Clone for Spilling<Step, Item> {
    fn clone(&self) -> Self {
        Self { overflow: self.overflow.clone(), ..*self }
    }
}

/// The file of a store or a table, created when it is first needed.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    files: Arc<dyn SpillFiles>,
    file: Option<Arc<dyn SpillFile>>,
}

impl Outlet {
    pub(crate) fn new(overflow: &Overflow) -> Self {
        Self { files: Arc::clone(&overflow.files), file: None }
    }

    /// Whether a file has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.files.has_failed()
    }

    /// The file.
    ///
    /// # Errors
    /// If it cannot be created, or a file has failed.
    pub(crate) fn file(&mut self) -> Result<Arc<dyn SpillFile>, StopReason> {
        if self.has_failed() {
            return Err(StopReason::MemoryLimit);
        }
        match &self.file {
            Some(file) => Ok(Arc::clone(file)),
            None => {
                let file = self.files.create()?;
                self.file = Some(Arc::clone(&file));
                Ok(file)
            }
        }
    }
}

/// The first records of an arena, in segments of one length in a file.
#[derive(Clone, Debug)]
pub(crate) struct Segments<R> {
    file: Arc<dyn SpillFile>,
    form: Form<R>,
    /// The number of records in a segment.
    records: usize,
    /// The position of each segment.
    positions: Vec<u64>,
}

impl<R> Segments<R> {
    /// No segments yet.
    pub(crate) fn new(file: Arc<dyn SpillFile>, form: Form<R>, records: usize) -> Self {
        Self { file, form, records, positions: Vec::new() }
    }

    /// The number of segments.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Appends a segment.
    pub(crate) fn push(&mut self, records: &[R]) -> Result<(), StopReason> {
        debug_assert_eq!(records.len(), self.records);
        let mut bytes = Vec::new();
        let len = records.len() * self.form.bytes;
        bytes.try_reserve_exact(len).map_err(crate::growth::refused)?;
        (self.form.write)(records, &mut bytes);
        debug_assert_eq!(bytes.len(), len);
        push(&mut self.positions, self.file.append(&bytes)?)
    }

    /// Reads records of one segment over `into`: this number of them, beginning with this one. If that
    /// fails, they are zeros.
    #[cold]
    pub(crate) fn read(
        &self,
        first: usize,
        count: usize,
        into: &mut Vec<R>,
    ) -> Result<(), StopReason> {
        let (segment, offset) = (first / self.records, first % self.records);
        debug_assert!(offset + count <= self.records);
        #[cfg(feature = "faults")]
        let segment = match Fault::SegmentMisread.is_selected() && count > 1 {
            // Single records are parents: a path of wrong ones may be infinite.
            true => segment.saturating_sub(1),
            false => segment,
        };
        let at = self.positions[segment] + (offset * self.form.bytes) as u64;
        let mut bytes = vec![0; count * self.form.bytes];
        let read = self.file.read(at, &mut bytes);
        if read.is_err() {
            bytes.fill(0);
        }
        into.clear();
        (self.form.read)(&bytes, into);
        read
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.positions)
    }
}
