//! The exit status of a command.

/// The exit status of a command. `docs/EXIT-CODES.md` is the table for users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Status {
    /// The command did its work.
    Success,
    /// Every query was decided, and some are not satisfied.
    NotSatisfied,
    /// In `verifyta` mode: not all queries could be answered.
    NotProcessed,
    /// The input or the usage is wrong.
    WrongInput,
    /// A query is undecided: a limit was reached, or an answer could not be delivered.
    Undecided,
    /// A bug in Zonaut.
    Bug,
    /// The model failed at run time.
    RunTimeError,
    /// Interrupted by the signal `SIGINT`.
    Interrupted,
    /// Terminated by the signal `SIGTERM`.
    Terminated,
    /// The reader of the output closed it; as if by the signal `SIGPIPE`.
    OutputClosed,
}

impl Status {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::NotSatisfied | Self::NotProcessed => 1,
            Self::WrongInput => 2,
            Self::Undecided => 3,
            Self::Bug => 4,
            Self::RunTimeError => 5,
            Self::Interrupted => 130,
            Self::OutputClosed => 141,
            Self::Terminated => 143,
        }
    }

    /// Of two statuses, the one that determines the status of the whole command.
    pub fn or_worse(self, other: Self) -> Self {
        let rank = |status| match status {
            Self::Success => 0,
            Self::NotSatisfied | Self::NotProcessed => 1,
            Self::Undecided => 2,
            Self::WrongInput => 3,
            Self::RunTimeError => 4,
            Self::Bug => 5,
            Self::OutputClosed | Self::Interrupted | Self::Terminated => 6,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_4_5_2_3_1_0_is_the_exit_code() {
        let order = [
            Status::Bug,
            Status::RunTimeError,
            Status::WrongInput,
            Status::Undecided,
            Status::NotSatisfied,
            Status::Success,
        ];
        assert_eq!(order.map(Status::code), [4, 5, 2, 3, 1, 0]);
        for (position, &first) in order.iter().enumerate() {
            for &second in &order[position..] {
                assert_eq!(first.or_worse(second), first);
                assert_eq!(second.or_worse(first), first);
            }
        }
    }
}
