//! The native part of the Python package `zonaut`: models, running tasks, runs, simulators and zones.
//!
//! It stands between [`zonaut_engine`] and the Python sources beside it, and contains no logic of
//! its own: options arrive as JSON objects, results leave as the records that all front ends share,
//! and everything that a user sees is defined in Python. No function holds the interpreter's lock
//! while it searches, loads or waits.
//!
//! Certificates are checked by another process, which runs the [command line](zonaut::run) inside
//! Python: `command_line::register_program` names it.

mod command_line;
mod failure;
mod job;
mod model;
mod options;
mod simulator;
mod trace;
mod zone;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
mod _zonaut {
    #[pymodule_export]
    use crate::command_line::{main, register_program, run, version};
    #[pymodule_export]
    use crate::failure::Failure;
    #[pymodule_export]
    use crate::job::{Job, Outcome};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::simulator::Simulator;
    #[pymodule_export]
    use crate::trace::Trace;
    #[pymodule_export]
    use crate::zone::Zone;
}
