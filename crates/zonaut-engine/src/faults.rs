//! Faults that can be injected into the engine, to measure whether tests detect them.
//!
//! Compiled only with the feature `faults`, which no release enables. One fault at a time is
//! selected for the whole process; initially none.

use zonaut_base::define_faults;

define_faults! {
    /// The faults that can be injected.
    pub enum Fault {
        /// In a query batch, goals with clock constraints share a zone graph without their bounds.
        SharedClocks,
        /// In a state graph, transitions to covered states are reported as new ones.
        GraphCoveredAsNew,
        /// In a state graph, transitions start one node too early.
        GraphSourceTooEarly,
        /// In a state graph, evictions by later states are not reported.
        GraphEvictionForgotten,
    }
}
