//! The output streams of a command.

use crate::folded::folded;
use std::io::{self, Write};
use zonaut_base::one_line;

/// The output streams of a command: results and diagnostics.
pub struct Console<'c> {
    /// The stream of results.
    pub out: &'c mut dyn Write,
    /// The stream of diagnostics.
    pub err: &'c mut dyn Write,
    /// Whether diagnostics are coloured.
    pub colour: bool,
    /// Whether results are coloured.
    pub colours_results: bool,
    /// The number of columns of the terminal of the results; `None` if they are redirected.
    pub width: Option<usize>,
}

/// The number of columns of the terminal of standard output; `None` if it is redirected.
#[must_use]
pub fn terminal_width() -> Option<usize> {
    let terminal = console::Term::stdout();
    let (_, columns) = terminal.size_checked().filter(|_| terminal.is_term())?;
    // Narrower lines do not fit the columns of a run.
    Some(usize::from(columns).max(40))
}

impl<'c> Console<'c> {
    /// A console without colours and without a terminal.
    #[must_use]
    pub fn plain(out: &'c mut dyn Write, err: &'c mut dyn Write) -> Self {
        Self { out, err, colour: false, colours_results: false, width: None }
    }

    /// Writes results that are prose, in lines that fit the terminal if there is one.
    ///
    /// # Errors
    /// Fails if results cannot be written.
    pub fn write_folded(&mut self, text: &str) -> io::Result<()> {
        let folded = self.width.map(|width| folded(text, width));
        self.out.write_all(folded.as_deref().unwrap_or(text).as_bytes())
    }

    /// Writes a line to the diagnostics. A failure of writing is ignored, as it cannot be reported.
    pub fn complain(&mut self, text: &str) {
        let _ = writeln!(self.err, "{text}");
    }

    /// Writes warnings about problems that did not affect the answer.
    pub fn warn(&mut self, warnings: &[String]) {
        for warning in warnings {
            self.complain(&format!("warning: {}", one_line(warning)));
        }
    }
}
