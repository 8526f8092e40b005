//! What running expressions can touch, besides their values.

use crate::{LocalId, Storage};
use std::ops::BitOrAssign;
use zonaut_base::Id;

/// What running an expression can touch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// It depends on the state.
    pub reads: bool,
    /// It depends on a `meta` variable.
    pub reads_meta: bool,
    /// It changes the state.
    pub writes: bool,
    /// The first working storage with a name that it changes, if any.
    pub stores: Option<LocalId>,
    /// It may fail on purpose.
    pub asserts: bool,
}

impl Effects {
    /// Notes that something at `root` is changed.
    pub fn note_target(&mut self, root: Storage) {
        match root {
            Storage::Cell(_) => self.writes = true,
            Storage::Local(local) => self.stores = Some(local),
            Storage::Constant(_) => {}
        }
    }

    /// Whether it leaves anything changed.
    #[must_use]
    pub fn changes_anything(self) -> bool {
        self.writes || self.stores.is_some()
    }

    /// Whether it may leave something else at `root` or behind it.
    #[must_use]
    pub fn may_change(self, root: Storage) -> bool {
        match root {
            Storage::Cell(_) => self.writes,
            Storage::Local(_) => self.stores.is_some(),
            Storage::Constant(_) => false,
        }
    }

    /// What of it is seen by those who own the working storage before `floor` only.
    #[must_use]
    pub fn seen_below(self, floor: usize) -> Self {
        Self { stores: self.stores.filter(|local| local.index() < floor), ..self }
    }
}

impl BitOrAssign for Effects {
    fn bitor_assign(&mut self, other: Self) {
        self.reads |= other.reads;
        self.reads_meta |= other.reads_meta;
        self.writes |= other.writes;
        self.stores = self.stores.into_iter().chain(other.stores).min();
        self.asserts |= other.asserts;
    }
}
