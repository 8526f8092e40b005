//! Faults that can be injected into predicate abstractions, to measure whether tests detect them.
//!
//! Compiled only with the feature `faults`, which no release enables. One fault at a time is
//! selected for the whole process; initially none.

use zonaut_base::define_faults;

define_faults! {
    /// The faults that can be injected.
    pub enum Fault {
        /// A literal is claimed if some values satisfy it, instead of all.
        EasyLiteral,
        /// A clock literal is claimed if some valuations satisfy it, instead of all.
        EasyDifference,
        /// Guards of synchronisations inside a part are removed.
        GuardRemoved,
        /// The shares of one transition add up to more than one.
        GenerousShares,
        /// Literals that are possible one by one count as possible together, without a check of the
        /// zone.
        HitNotMet,
        /// The pre-image ignores the delay before the transition.
        DelayForgotten,
        /// The pre-image ignores updates.
        UpdatesForgotten,
        /// `meta` variables keep the values that updates wrote when a pre-image is computed.
        MetaKept,
        /// The pre-image ignores the receivers of a broadcast.
        NoReceiverJoins,
        /// The strongest invariant of a process is assumed in all its locations.
        StrongestInvariant,
        /// An infeasible abstract path counts as feasible.
        FeasiblePath,
    }
}
