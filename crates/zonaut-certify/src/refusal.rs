//! The reasons for which a certificate is not accepted.

use std::fmt;

/// One of the two input texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Text {
    /// The core text.
    Core,
    /// The certificate.
    Certificate,
}

/// The reason for which a certificate is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is well formed, but its claim is false or not proved.
    Rejected(String),
    /// No decision: its kind is not supported, or a limit is exceeded.
    Undecided(String),
    /// One of the texts does not follow its format.
    Malformed {
        /// The malformed text.
        text: Text,
        /// The number of the line, from 1.
        line: usize,
        /// The problem with it.
        message: String,
    },
    /// It is about another network or query.
    WrongModel {
        /// The fingerprint that the certificate names.
        named: String,
        /// The fingerprint of the core text.
        found: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(reason) => write!(f, "rejected: {reason}"),
            Self::Undecided(reason) => write!(f, "undecided: {reason}"),
            Self::Malformed { text: Text::Core, line, message } => {
                write!(f, "malformed: core text, line {line}: {message}")
            }
            Self::Malformed { text: Text::Certificate, line, message } => {
                write!(f, "malformed: certificate, line {line}: {message}")
            }
            Self::WrongModel { named, found } => {
                write!(f, "wrong model: the certificate is about {named}, the core text is {found}")
            }
        }
    }
}

/// An obstacle to an evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// A run-time error: a fact about the model.
    RunTime(&'static str),
    /// The result is not the same for all contents of this unknown cell.
    Open(usize),
    /// The certificate cannot be accepted, whatever the model does.
    Refused(Refusal),
}

impl Trouble {
    pub(crate) fn rejected(reason: impl Into<String>) -> Self {
        Self::Refused(Refusal::Rejected(reason.into()))
    }

    pub(crate) fn undecided(reason: impl Into<String>) -> Self {
        Self::Refused(Refusal::Undecided(reason.into()))
    }
}

/// Rejects the certificate unless `condition` holds.
pub(crate) fn require(condition: bool, reason: &str) -> Result<(), Trouble> {
    if condition { Ok(()) } else { Err(Trouble::rejected(reason)) }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The result of an evaluation that may fail.
pub(crate) trait Evaluated<T> {
    /// Turns an obstacle at `place`, where the model is not expected to fail, into a refusal.
    fn at(self, place: impl fmt::Display) -> Result<T, Refusal>;
}

impl<T> Evaluated<T> for Result<T, Trouble> {
    fn at(self, place: impl fmt::Display) -> Result<T, Refusal> {
        self.map_err(|trouble| match trouble {
            Trouble::RunTime(message) => {
                Refusal::Rejected(format!("{place}: the model fails at run time: {message}"))
            }
            Trouble::Open(cell) => {
                Refusal::Undecided(format!("{place}: the content of cell {cell} is not known"))
            }
            Trouble::Refused(Refusal::Rejected(reason)) => {
                Refusal::Rejected(format!("{place}: {reason}"))
            }
            Trouble::Refused(Refusal::Undecided(reason)) => {
                Refusal::Undecided(format!("{place}: {reason}"))
            }
            Trouble::Refused(refusal) => refusal,
        })
    }
}
