//! The nodes of one bucket.

/// The nodes of one bucket; with equality as covering, of one bucket and payload. A group always has a
/// live node: only an insertion evicts.
#[derive(Clone, Copy)]
pub(super) struct Group {
    /// The newest node of a chain, or the index of a crowd.
    members: u32,
    /// The pool of the payloads; the upper bit is set for a crowd.
    pool: u32,
}

/// How the live nodes of a group are kept.
#[derive(Clone, Copy)]
pub(super) enum Members {
    /// Each node knows the next older one.
    Chain {
        /// The newest one.
        newest: u32,
    },
    /// All in a list, with summaries.
    SummarisedBucket {
        /// Which crowd it is.
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

    /// The crowd at `index`.
    pub(super) fn with_summarised_bucket(self, index: usize) -> Self {
        Self { members: index as u32, pool: self.pool | Self::IS_CROWD }
    }
}
