//! The environment of heuristics: time, and storage of pattern databases.

use std::io::{self, Read, Write};
use std::time::Duration;

/// The environment of heuristics: the time, and a cache of databases between runs. Heuristics on
/// several threads share it.
pub trait Environment: Sync {
    /// The time since a fixed moment.
    fn now(&self) -> Duration;

    /// Called when a heuristic returns its lowest estimate so far.
    fn estimated(&self, lowest: u32) {
        let _ = lowest;
    }

    /// A short digest of a text, without collisions.
    fn digest(&self, text: &str) -> String;

    /// Whether databases are cached.
    fn keeps_databases(&self) -> bool;

    /// The cached database of this name, if it exists.
    fn open(&self, name: &str) -> Option<Box<dyn Read>>;

    /// Stores the output of `write` under this name, atomically.
    ///
    /// # Errors
    /// A description of the failure, for users.
    fn keep(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), String>;
}
