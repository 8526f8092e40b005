//! How a command ended, as scripts see it.

/// How a command ended. `docs/EXIT-CODES.md` is the table for users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Status {
    /// The command did its work.
    Success,
    /// The input or the usage is wrong.
    WrongInput,
    /// There is no answer: a limit, or an answer that could not be delivered.
    Undecided,
    /// A mistake of ours.
    Bug,
    /// Whoever reads the output stopped reading it; as if by the signal `SIGPIPE`.
    OutputClosed,
}

impl Status {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::WrongInput => 2,
            Self::Undecided => 3,
            Self::Bug => 4,
            Self::OutputClosed => 141,
        }
    }
}
