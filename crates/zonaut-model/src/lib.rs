//! The typed, instantiated network.
