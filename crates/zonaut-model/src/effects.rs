//! Effects of expressions: the storage that their evaluation reads and writes.

use crate::statistical::RealCellId;
use crate::{LocalId, Storage};
use std::ops::BitOrAssign;
use zonaut_base::Id;

/// The effects of evaluating an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// Whether it reads the state.
    pub reads: bool,
    /// Whether it reads a `meta` variable.
    pub reads_meta: bool,
    /// Whether it writes the state.
    pub writes: bool,
    /// The named local with the least id that it writes, if any.
    pub stores: Option<LocalId>,
    /// Whether it can fail by an `assert`.
    pub asserts: bool,
    /// Whether its value depends on floating point, on random numbers or on external functions.
    pub reals: bool,
    /// The floating-point cell with the least id that it writes, if any.
    pub real_stores: Option<RealCellId>,
    /// Whether it draws random numbers.
    pub draws: bool,
}

impl Effects {
    /// Records that storage at `root` is written.
    pub fn note_target(&mut self, root: Storage) {
        match root {
            Storage::Cell(_) => self.writes = true,
            Storage::Local(local) => self.stores = Some(local),
            Storage::Constant(_) => {}
        }
    }

    /// Whether it writes cells of the state or named locals.
    #[must_use]
    pub fn changes_anything(self) -> bool {
        self.writes || self.stores.is_some()
    }

    /// Whether it may write storage at `root` or behind it.
    #[must_use]
    pub fn may_change(self, root: Storage) -> bool {
        match root {
            Storage::Cell(_) => self.writes,
            Storage::Local(_) => self.stores.is_some(),
            Storage::Constant(_) => false,
        }
    }

    /// The effects that are visible to a caller that owns only the locals before `floor`.
    #[must_use]
    pub fn visible_below(self, floor: usize) -> Self {
        Self { stores: self.stores.filter(|local| local.index() < floor), ..self }
    }

    /// The effects that are visible to a caller that owns only the floating-point cells before
    /// `floor`.
    #[must_use]
    pub fn reals_below(self, floor: usize) -> Self {
        Self { real_stores: self.real_stores.filter(|cell| cell.index() < floor), ..self }
    }
}

impl BitOrAssign for Effects {
    fn bitor_assign(&mut self, other: Self) {
        self.reads |= other.reads;
        self.reads_meta |= other.reads_meta;
        self.writes |= other.writes;
        self.stores = self.stores.into_iter().chain(other.stores).min();
        self.asserts |= other.asserts;
        self.reals |= other.reals;
        self.real_stores = self.real_stores.into_iter().chain(other.real_stores).min();
        self.draws |= other.draws;
    }
}
