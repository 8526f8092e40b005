//! Injected faults in the parsing of queries, which measure whether tests detect them.

zonaut_base::define_faults! {
    /// An injected fault of the parser.
    pub enum Fault {
        /// An illegal character is dropped without an error.
        IllegalCharacterDropped,
        /// A number that is too large is read as 0 without an error.
        LargeNumberIsZero,
    }
}
