//! Files in memory, for tests.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::{Edge, Form, Overflow, SpillFile, SpillFiles, Spilling};
use zonaut_base::Id;
use zonaut_space::{Meter, NodeId, StopReason};

/// Files in memory, for a number of bytes and of reads.
#[derive(Clone, Debug)]
pub(crate) struct InMemory(Arc<Limits>);

#[derive(Debug)]
struct Limits {
    bytes: AtomicUsize,
    reads: AtomicUsize,
    has_failed: AtomicBool,
}

impl InMemory {
    /// Files that fail after this number of bytes, or of reads.
    pub(crate) fn within(bytes: usize, reads: usize) -> Self {
        let (bytes, reads) = (AtomicUsize::new(bytes), AtomicUsize::new(reads));
        Self(Arc::new(Limits { bytes, reads, has_failed: AtomicBool::new(false) }))
    }

    /// The number of reads that are left.
    pub(crate) fn reads_left(&self) -> usize {
        self.0.reads.load(Ordering::Relaxed)
    }
}

impl SpillFiles for InMemory {
    fn create(&self) -> Result<Arc<dyn SpillFile>, StopReason> {
        Ok(Arc::new(Recorded { bytes: Mutex::default(), limits: self.clone() }))
    }

    fn has_failed(&self) -> bool {
        self.0.has_failed.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct Recorded {
    bytes: Mutex<Vec<u8>>,
    limits: InMemory,
}

impl Recorded {
    /// Whether this much of a limit is left, which it takes.
    fn takes(&self, limit: &AtomicUsize, taken: usize) -> bool {
        let less = |left: usize| left.checked_sub(taken);
        let takes = limit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        if !takes {
            self.limits.0.has_failed.store(true, Ordering::Relaxed);
        }
        takes
    }
}

impl SpillFile for Recorded {
    fn append(&self, bytes: &[u8]) -> Result<u64, StopReason> {
        if !self.takes(&self.limits.0.bytes, bytes.len()) {
            return Err(StopReason::MemoryLimit);
        }
        let mut all = self.bytes.lock().expect("no test panics with the lock");
        let at = all.len() as u64;
        all.extend_from_slice(bytes);
        Ok(at)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), StopReason> {
        if !self.takes(&self.limits.0.reads, 1) {
            return Err(StopReason::MemoryLimit);
        }
        let all = self.bytes.lock().expect("no test panics with the lock");
        into.copy_from_slice(&all[at as usize..][..into.len()]);
        Ok(())
    }
}

/// Spilling from the first byte on.
pub(crate) fn spilling(files: &InMemory) -> Spilling<u32, i32> {
    let edges = Form {
        bytes: 8,
        write: |edges: &[Edge<u32>], to| {
            for Edge { from, step } in edges {
                to.extend_from_slice(&(from.index() as u32).to_le_bytes());
                to.extend_from_slice(&step.to_le_bytes());
            }
        },
        read: |bytes, to| {
            let mut words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
            while let (Some(from), Some(step)) = (words.next(), words.next()) {
                to.push(Edge { from: NodeId::from_index(from as usize), step });
            }
        },
    };
    let items = Form {
        bytes: 4,
        write: |items: &[i32], to| {
            items.iter().for_each(|item| to.extend_from_slice(&item.to_le_bytes()));
        },
        read: |bytes, to| {
            to.extend(bytes.as_chunks().0.iter().map(|&item| i32::from_le_bytes(item)));
        },
    };
    let overflow = Overflow { files: Arc::new(files.clone()), from: 0, meter: Meter::default() };
    Spilling { overflow, edges, items }
}
