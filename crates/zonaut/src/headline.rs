//! The first line of an answer.

use std::io::{self, Write};
use zonaut_console::one_line;
use zonaut_trace::wrapped;

/// The sign and colour of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// The formula holds, or the optimum is known.
    Good,
    /// The formula does not hold, or an error occurred.
    Bad,
    /// The answer is not known.
    Open,
}

impl Mark {
    fn sign(self) -> char {
        match self {
            Self::Good => '\u{2713}',
            Self::Bad => '\u{2717}',
            Self::Open => '?',
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Self::Good => "1;32",
            Self::Bad => "1;31",
            Self::Open => "1;33",
        }
    }
}

/// An answer on one line: the verdict, the formula, the time and the certification. On a narrow
/// terminal, the parts are folded below each other.
pub(crate) struct Headline<'l> {
    /// The number of the query, if it is shown.
    pub(crate) number: Option<u32>,
    pub(crate) mark: Mark,
    pub(crate) verdict: &'l str,
    pub(crate) formula: &'l str,
    /// The reason of an inconclusive verdict, the time and the certification.
    pub(crate) notes: &'l [String],
    pub(crate) colour: bool,
    /// The width of the terminal, if it is one.
    pub(crate) width: Option<usize>,
}

impl Headline<'_> {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let verdict = format!("{} {:<13}", self.mark.sign(), self.verdict);
        let (formula, notes) = (one_line(self.formula), self.notes.join("  "));
        let front = self.number.map_or_else(String::new, |number| format!("{number:>3} "));
        let length = [&front, &verdict, &formula, &notes].map(|text| text.chars().count());
        let is_too_long = self.width.is_some_and(|width| length.iter().sum::<usize>() + 4 > width);
        let indent = " ".repeat(length[0] + length[1] + 2);
        let verdict = match self.colour {
            true => format!("\x1b[{}m{verdict}\x1b[0m", self.mark.colour()),
            false => verdict,
        };
        if !is_too_long {
            return writeln!(out, "{front}{verdict}  {formula}  {notes}");
        }
        let room = self.width.unwrap_or(usize::MAX).saturating_sub(indent.len());
        for (number, line) in wrapped(&formula, room).iter().enumerate() {
            match number {
                0 => writeln!(out, "{front}{verdict}  {line}")?,
                _ => writeln!(out, "{indent}{line}")?,
            }
        }
        wrapped(&notes, room).iter().try_for_each(|line| writeln!(out, "{indent}{line}"))
    }
}
