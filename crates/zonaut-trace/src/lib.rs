//! Runs of timed automata as data, and their file formats.
//!
//! A [`Trace`] is a concrete run in the user's names, with exact delays; it is printed as text
//! ([`TraceText`]) and, by its fields, as JSON. A [`SymbolicTrace`] is the same path with all
//! valuations that can take it, as in UPPAAL's files: XML ([`write_xml_trace`]) and `.xtr`
//! ([`SymbolicTrace::write_xtr`]), whose numbers refer to the intermediate format of the model
//! ([`write_intermediate_format`]). Saved runs of any of these formats are read as a
//! [`RecordedRun`]. A [`Chart`] is a Gantt chart of a run. [`decided_parts`]
//! explains the value of a formula in the last state of a run, [`explained_steps`] why each step was
//! possible, [`false_conjuncts`] why a guard is false. [`write_difference`] shows two runs side by
//! side. The crate performs no search.

mod decided;
mod difference;
mod explained;
#[cfg(feature = "faults")]
pub mod faults;
mod gantt;
mod intermediate_format;
mod labels;
mod moment;
mod recorded;
mod section;
mod symbolic_trace;
mod text;
mod trace;
mod xml_trace;
mod xtr;

pub use decided::{decided_parts, false_conjuncts};
pub use difference::{DiffRow, aligned, write_difference};
pub use explained::{
    ExplainedStep, evaluated_edges, evaluated_trace, explained_steps, transition_title,
};
pub use gantt::{Chart, Row, Stay, split_location};
pub use intermediate_format::write_intermediate_format;
pub use labels::SourceLabels;
pub use recorded::{RecordedEdge, RecordedRun, RecordedStep, saved_trace};
pub use symbolic_trace::SymbolicTrace;
pub use text::{TraceText, edge_text, wrapped, write_list};
pub use trace::{Continuation, Namer, Rational, Trace, TraceEdge, TraceState, TraceStep};
pub use xml_trace::write_xml_trace;
