//! Faults in the reading of queries that are put in on purpose, to measure whether tests notice.

zonaut_base::define_faults! {
    /// A fault in the parser.
    pub enum Fault {
        /// An illegal character is dropped without an error.
        IllegalCharacterDropped,
        /// A number that is too large is read as 0 without an error.
        LargeNumberIsZero,
    }
}
