//! Guides that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// The layer before the first step counts.
        LayersFromOne,
        /// Nobody joins a broadcast.
        NobodyJoins,
        /// A receiver does not see what the sender writes.
        UpdatesOutOfOrder,
        /// A value that is new together with another one is forgotten.
        PairsForgotten,
        /// Run-time errors are forgotten.
        ErrorsForgotten,
        /// An action is left out for one that does the same and counts more.
        DearerDominates,
        /// A synchronisation counts what it does with the partner that counts most.
        DearestPartner,
        /// What a step has just written is paid for again by those who read it in the same step.
        PaidTwice,
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
        /// What is left out of the model is still there.
        EdgesStay,
        /// What is on the way to the goal is taken for what is not.
        WayForgotten,
        /// Useful transitions are called useless, and the other way round.
        UsefulForUseless,
        /// Who reads what somebody writes has nothing to do with it.
        ReadersApart,
        /// Two who read the same have to do with each other.
        ReadersMeet,
        /// The context of an edge ends after one step.
        ContextEndsEarly,
        /// A clock that is set keeps its value.
        SettingForgotten,
        /// A clock that can be equal to a number is taken for one that is larger.
        BoundsBlurred,
        /// All locations of a process have to leave room for a clock, not one of them.
        RoomEverywhere,
        /// What other processes write is not there.
        OthersForgotten,
        /// At a location a `meta` variable has only what updates have written.
        MetaKept,
        /// Every guide of a shared sum counts the whole of a transition.
        SharedTwice,
        /// Layers are taken for others that differ in what updates work on.
        InputsUnwatched,
    }
}
