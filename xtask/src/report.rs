//! Results of tasks and their exit codes.

use std::fmt;

/// The result of a task.
pub(crate) type Outcome = Result<(), Failure>;

/// The reason for which a task failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The task ran and found these problems, one line each.
    Problems {
        /// The name of the task.
        task: &'static str,
        /// One line per problem, in a stable order.
        lines: Vec<String>,
    },
    /// A step of `ci` failed; the step has printed the reason.
    Step(String),
    /// A program exited with this code; it has printed the reason.
    Program {
        /// The name of the task.
        task: &'static str,
        /// The exit code of the program, which is also that of the task.
        code: u8,
    },
    /// The command line is invalid.
    Usage(String),
    /// A file or program that the task needs is missing or unreadable.
    Environment(String),
}

impl Failure {
    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Problems { .. } | Failure::Step(_) => 1,
            Failure::Usage(_) | Failure::Environment(_) => 2,
            Failure::Program { code, .. } => *code,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Problems { task, lines } => {
                for line in lines {
                    writeln!(f, "{line}")?;
                }
                write!(f, "{task}: {} problem(s)", lines.len())
            }
            Failure::Step(step) => write!(f, "ci: stopped at `{step}`"),
            Failure::Program { task, code } => write!(f, "{task}: exit code {code}"),
            Failure::Usage(text) | Failure::Environment(text) => f.write_str(text),
        }
    }
}

/// Success if there are no lines.
pub(crate) fn outcome_of(task: &'static str, lines: Vec<String>) -> Outcome {
    if lines.is_empty() { Ok(()) } else { Err(Failure::Problems { task, lines }) }
}
