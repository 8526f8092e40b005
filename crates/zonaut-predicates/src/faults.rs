//! Predicate abstractions that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// A literal is claimed where some values satisfy it.
        EasyLiteral,
        /// A clock literal is claimed where some valuations satisfy it.
        EasyDifference,
        /// Guards of synchronisations inside a part are removed.
        GuardRemoved,
        /// Shares of one transition add up to more than one.
        GenerousShares,
        /// Bits that may be true together count as such without a look at the zone.
        HitNotMet,
        /// What happens before a delay is forgotten.
        DelayForgotten,
        /// Updates are forgotten where literals go back over them.
        UpdatesForgotten,
        /// `meta` variables keep what updates wrote where literals go back over them.
        MetaKept,
        /// Nobody joins a broadcast.
        NobodyJoins,
        /// The strongest invariant of a process counts wherever it is.
        StrongestInvariant,
        /// An abstract way is taken for one that can be taken.
        FeasiblePath,
    }
}
