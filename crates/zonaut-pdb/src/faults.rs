//! Clauses of the construction that can be disabled, which measures whether the tests detect it.
//!
//! Compiled only with the feature `faults`, which no released program enables. At most one clause
//! is disabled at a time, for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A clause that can be disabled or violated.
    pub enum Clause {
        /// Symbols that a dropped process writes are dropped.
        Writes,
        /// Symbols that the updates of every transition write are dropped with a process.
        Hooks,
        /// Symbols that are computed from dropped symbols are dropped.
        Flow,
        /// Updates that exchange values in temporary storage stay or are dropped together.
        Temporaries,
        /// Conjuncts that read dropped symbols are removed from conditions.
        Conjuncts,
        /// Under a negation, a dropped condition fails instead of holding.
        Polarity,
        /// An edge that can synchronise with a dropped process gets a silent copy.
        SilentCopy,
        /// An action with both sides kept stays.
        BothSides,
        /// A broadcast whose sender is dropped keeps a stub of it.
        SenderStub,
        /// A receiver whose guard was weakened need not receive.
        ReceiverLoop,
        /// A channel loses its urgency if a dropped process or a weakened guard takes part.
        Urgency,
        /// Committed locations become urgent if a dropped process may be in one.
        Committed,
        /// An edge whose channel depends on dropped symbols may use every channel.
        EveryChannel,
        /// A guard that can fail does not disable other edges.
        FailingGuard,
        /// The range of a result is checked where a function returns it.
        ReturnRange,
        /// Clocks are set to and compared with values up to a limit only.
        ClockLimit,
        /// An edge that stands for several has the weight of the lightest of them.
        LighterTwin,
        /// A transition that is found again has the least of its weights.
        LighterAgain,
        /// States that were not reached yet have at most the distance that the pass works on.
        FarHorizon,
        /// A look-up tests every zone.
        MissedZone,
        /// Distances are exact, not one too large.
        LargeDistance,
    }
}

/// Whether this clause is disabled: never without the feature.
#[inline(always)]
pub(crate) fn is_disabled(clause: Clause) -> bool {
    cfg!(feature = "faults") && clause.is_selected()
}
