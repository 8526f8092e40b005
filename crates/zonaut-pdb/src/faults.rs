//! Clauses of the construction that can be left out on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One clause at a time is
//! left out, for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be left out, or done wrongly.
    pub enum Clause {
        /// What a dropped process writes is dropped.
        Writes,
        /// What the updates of every transition write is dropped with a process.
        Hooks,
        /// What is computed from dropped symbols is dropped.
        Flow,
        /// Updates that hand values on in working storage stay or go together.
        Temporaries,
        /// Conjuncts that read dropped symbols are taken out of conditions.
        Conjuncts,
        /// Under a negation, a dropped condition fails instead of holding.
        Polarity,
        /// An edge that can synchronise with a dropped process gets a silent copy.
        SilentCopy,
        /// An action with both sides kept stays.
        BothSides,
        /// A broadcast whose sender is dropped keeps a stub of it.
        SenderStub,
        /// A receiver whose guard was weakened may stay out.
        ReceiverLoop,
        /// The urgency of a channel goes where a dropped process or a weakened guard takes part.
        Urgency,
        /// Committed locations become urgent where a dropped process may be in one.
        Committed,
        /// An edge whose channel depends on dropped symbols may use every channel.
        EveryChannel,
        /// A guard that can fail does not disable other edges.
        FailingGuard,
        /// The range of a result is checked where a function returns it.
        ReturnRange,
        /// Clocks are set to and compared with values up to a limit only.
        ClockLimit,
        /// An edge that stands for several counts what the lightest of them does.
        LighterTwin,
        /// A transition that is met again counts what it does at its lightest.
        LighterAgain,
        /// What was not reached yet is no farther away than what the pass works on.
        FarHorizon,
        /// Lookups look at every zone.
        MissedZone,
        /// Distances are not one too large.
        LargeDistance,
    }
}

/// Whether this clause is left out: never without the feature.
#[inline(always)]
pub(crate) fn is_left_out(clause: Clause) -> bool {
    cfg!(feature = "faults") && clause.is_selected()
}
