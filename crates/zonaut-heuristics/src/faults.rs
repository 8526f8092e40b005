//! Guides that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use std::sync::atomic::{AtomicU8, Ordering};

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// The layer before the first step counts.
    LayersFromOne = 1,
    /// Nobody joins a broadcast.
    NobodyJoins,
    /// A receiver does not see what the sender writes.
    UpdatesOutOfOrder,
    /// A value that is new together with another one is forgotten.
    PairsForgotten,
    /// Run-time errors are forgotten.
    ErrorsForgotten,
    /// What the partner of a step needs is forgotten on the way back.
    PartnerForgotten,
    /// A step is counted once, however often it is needed.
    RepetitionsForgotten,
    /// What an update works on is forgotten on the way back.
    InputsForgotten,
    /// Distances are added where their maximum is due.
    DistancesAdded,
    /// Of a disjunction the farthest part counts.
    FarthestAlternative,
    /// "Not in this location" is taken for "in this location".
    NegationForgotten,
    /// The limit of clock values is forgotten.
    ClockLimitForgotten,
}

static SELECTED: AtomicU8 = AtomicU8::new(0);

/// Makes guides wrong, or right.
pub fn select(fault: Option<Fault>) {
    SELECTED.store(fault.map_or(0, |fault| fault as u8), Ordering::SeqCst);
}

impl Fault {
    /// All faults, with a name for each.
    pub const ALL: &[(&str, Self)] = &[
        ("hl-layers-from-one", Self::LayersFromOne),
        ("hl-nobody-joins", Self::NobodyJoins),
        ("hl-updates-out-of-order", Self::UpdatesOutOfOrder),
        ("hl-pairs-forgotten", Self::PairsForgotten),
        ("hl-errors-forgotten", Self::ErrorsForgotten),
        ("hu-partner-forgotten", Self::PartnerForgotten),
        ("hu-repetitions-forgotten", Self::RepetitionsForgotten),
        ("hu-inputs-forgotten", Self::InputsForgotten),
        ("dl-distances-added", Self::DistancesAdded),
        ("dl-farthest-alternative", Self::FarthestAlternative),
        ("dl-negation-forgotten", Self::NegationForgotten),
        ("hl-clock-limit-forgotten", Self::ClockLimitForgotten),
    ];

    #[inline(always)]
    pub(crate) fn is_selected(self) -> bool {
        SELECTED.load(Ordering::Relaxed) == self as u8
    }
}
