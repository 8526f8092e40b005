//! What running expressions can touch, besides their values.

use crate::statistical::RealCellId;
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
    /// Its value depends on floating point, on chance or on external functions.
    pub reals: bool,
    /// The first floating-point storage that it changes, if any.
    pub real_stores: Option<RealCellId>,
    /// It draws random numbers.
    pub draws: bool,
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

    /// The part of it that is seen by those who own the floating-point storage before `floor` only.
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
