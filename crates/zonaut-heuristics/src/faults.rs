//! Injected faults of heuristics, which measure whether the tests detect errors.
//!
//! Compiled only with the feature `faults`, which no released program enables. At most one fault is
//! selected at a time for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault of a heuristic.
    pub enum Fault {
        /// Layers are numbered from 1 instead of 0.
        LayersFromOne,
        /// No receiver joins a broadcast.
        NoReceiverJoins,
        /// A receiver does not see the values that the sender writes.
        UpdatesOutOfOrder,
        /// A value that is new together with another one is ignored.
        PairsForgotten,
        /// Run-time errors are ignored.
        ErrorsForgotten,
        /// An action is dropped in favour of one with the same effect and a greater weight.
        DearerDominates,
        /// A synchronisation has the weight of its heaviest pair of partners.
        DearestPartner,
        /// A value that a transition has just written costs its weight again for readers in the
        /// same transition.
        PaidTwice,
        /// The backward pass ignores the conditions of the partner of a step.
        PartnerForgotten,
        /// A step is counted once, even if it is needed in several layers.
        RepetitionsForgotten,
        /// The backward pass ignores the inputs of updates.
        InputsForgotten,
        /// Distances are added where the maximum is admissible.
        DistancesAdded,
        /// A disjunction has the distance of its farthest part.
        FarthestAlternative,
        /// "Not in this location" is read as "in this location".
        NegationForgotten,
        /// Edges that are removed from the model stay in it.
        EdgesStay,
        /// Actions on the relaxed path to the goal are taken for actions off it.
        PathForgotten,
        /// Useful and useless transitions are exchanged.
        UsefulForUseless,
        /// A reader of a variable does not interfere with its writer.
        ReadersApart,
        /// Two readers of one variable interfere.
        ReadersMeet,
        /// The context of an edge ends after one step.
        ContextEndsEarly,
        /// A reset does not change the value of a clock.
        SettingForgotten,
        /// A clock that may be equal to a bound is taken for one that is larger.
        BoundsBlurred,
        /// A lower bound of a clock requires all locations of a process to admit it, not one of
        /// them.
        RoomEverywhere,
        /// Writes of other processes are ignored.
        OthersForgotten,
        /// At a location a `meta` variable has only the values that updates have written.
        MetaKept,
        /// Every heuristic of a cost partitioning counts the whole weight of a transition.
        SharedTwice,
        /// Cached layers are matched although they differ in inputs of updates.
        InputsUnwatched,
    }
}
