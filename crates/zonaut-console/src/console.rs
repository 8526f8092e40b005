//! Where a command writes.

use crate::folded::folded;
use std::io::{self, Write};
use zonaut_base::one_line;

/// Where a command writes: results to one side, complaints to the other.
pub struct Console<'c> {
    /// Results.
    pub out: &'c mut dyn Write,
    /// Complaints.
    pub err: &'c mut dyn Write,
    /// Whether complaints are coloured.
    pub colour: bool,
    /// Whether results are coloured.
    pub colours_results: bool,
    /// How many columns the terminal has that results go to; absent where they go elsewhere.
    pub width: Option<usize>,
}

/// How many columns the terminal has that standard output goes to, if that is one.
#[must_use]
pub fn terminal_width() -> Option<usize> {
    let terminal = console::Term::stdout();
    let (_, columns) = terminal.size_checked().filter(|_| terminal.is_term())?;
    // Narrower lines could not hold the columns of a run.
    Some(usize::from(columns).max(40))
}

impl Console<'_> {
    /// Writes results that are text for people, in lines that fit the terminal if they go to one.
    ///
    /// # Errors
    /// Where results cannot be written.
    pub fn write_folded(&mut self, text: &str) -> io::Result<()> {
        let folded = self.width.map(|width| folded(text, width));
        self.out.write_all(folded.as_deref().unwrap_or(text).as_bytes())
    }

    /// Writes a line to the complaints. Nobody is left to tell if that fails.
    pub fn complain(&mut self, text: &str) {
        let _ = writeln!(self.err, "{text}");
    }

    /// Writes what went wrong without costing an answer.
    pub fn warn(&mut self, warnings: &[String]) {
        for warning in warnings {
            self.complain(&format!("warning: {}", one_line(warning)));
        }
    }
}
