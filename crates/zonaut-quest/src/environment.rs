//! What guides need of the world.

use std::io::{self, Read, Write};
use std::time::Duration;

/// What guides need of the world: the time, and a place where databases are kept between runs.
pub trait Environment {
    /// The time since some moment.
    fn now(&self) -> Duration;

    /// Told when a guide estimates less than it ever did before.
    fn estimated(&self, lowest: u32) {
        let _ = lowest;
    }

    /// A short name for a text, which no other text has.
    fn digest(&self, text: &str) -> String;

    /// Whether databases are kept.
    fn keeps_databases(&self) -> bool;

    /// The database that is kept under this name, if there is one.
    fn open(&self, name: &str) -> Option<Box<dyn Read>>;

    /// Keeps what `write` writes under this name, whole or not at all.
    ///
    /// # Errors
    /// Why that was not possible, for people.
    fn keep(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), String>;
}
