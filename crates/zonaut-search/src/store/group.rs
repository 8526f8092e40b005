//! The nodes of one bucket.

/// The nodes of one bucket; if covering is equality, of one bucket and payload. A group always has
/// a live node: only an insertion evicts.
#[derive(Clone, Copy)]
pub(super) struct Group {
    /// The newest node of a chain, or the index of a summarised bucket.
    members: u32,
    /// The pool of the payloads; the highest bit is set for a summarised bucket.
    pool: u32,
}

/// The representation of the live nodes of a group.
#[derive(Clone, Copy)]
pub(super) enum Members {
    /// A linked list: each node has the index of the next older one.
    Chain {
        /// The newest node.
        newest: u32,
    },
    /// A list with summaries.
    SummarisedBucket {
        /// The index of the summarised bucket.
        index: usize,
    },
}

impl Group {
    const IS_CROWD: u32 = 1 << 31;

    /// A chain that begins with `newest`.
    pub(super) fn chain(newest: u32, pool: u32) -> Self {
        Self { members: newest, pool }
    }

    /// The pool of the payloads.
    #[inline]
    pub(super) fn pool(self) -> usize {
        (self.pool & !Self::IS_CROWD) as usize
    }

    #[inline]
    pub(super) fn members(self) -> Members {
        match self.pool & Self::IS_CROWD {
            0 => Members::Chain { newest: self.members },
            _ => Members::SummarisedBucket { index: self.members as usize },
        }
    }

    /// The chain with another newest node.
    pub(super) fn with_newest(self, newest: u32) -> Self {
        Self { members: newest, ..self }
    }

    /// The group with the summarised bucket at `index`.
    pub(super) fn with_summarised_bucket(self, index: usize) -> Self {
        Self { members: index as u32, pool: self.pool | Self::IS_CROWD }
    }
}
