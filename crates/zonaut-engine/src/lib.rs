//! The library interface of Zonaut: reads models and queries, answers them, and reports verdicts
//! with their evidence.
//!
//! This crate and the command line are the only ones that access files and clocks. [`load()`]
//! treats files as untrusted input. The crate combines the searches, heuristics and certificate
//! writers of the workspace. Answers are deterministic: the same inputs and options give the same
//! answers.
//!
//! A [`Session`] owns a model; it can be stored, cloned and sent to threads. A query becomes a
//! [`Task`], or is rejected with all reasons; explorations and optimisations are tasks, too. A [`Simulator`] steps through symbolic states and
//! lists enabled and disabled transitions. Results are serialised as [records](report).
//!
//! ```
//! use zonaut_engine::{LoadOptions, Task, VerifyOptions, Evidence, load_text};
//! use zonaut_engine::report::{AnswerRecord, Certificate};
//!
//! let text = "clock x; process Lamp() { state off, on { x <= 5 }; init off;
//!     trans off -> on { assign x = 0; }, on -> off { guard x == 5; }; } system Lamp;
//!     query { E<> Lamp.on && x > 3\n control: A<> Lamp.on\n }";
//! let loaded = load_text("lamp.xta", text, &LoadOptions::default());
//! let session = loaded.session().expect("a correct model");
//! let (mut answered, mut refused) = (Vec::new(), Vec::new());
//! for (id, query) in session.queries() {
//!     match Task::of_query(&session, id, &VerifyOptions::default()) {
//!         Ok(task) => {
//!             let answer = task.perform(Evidence::default());
//!             let unchecked = Certificate::Missing("not asked".to_owned());
//!             answered.push(AnswerRecord::of(&session, id, &answer, &unchecked).verdict);
//!         }
//!         Err(refusal) => refused.push(format!("{}: {refusal}", query.text)),
//!     }
//! }
//! assert_eq!(answered, ["satisfied"]);
//! assert_eq!(refused, ["control: A<> Lamp.on: unsupported: game query `control`"]);
//!
//! let mut simulator = session.simulator().expect("an initial state");
//! simulator.take(0);
//! assert_eq!(simulator.state().locations, ["Lamp.on"]);
//! assert_eq!(simulator.state().zone, "x <= 5");
//! ```

mod abstract_model;
mod answer;
mod atomic_temp_file;
mod available_memory;
mod certificate;
mod convert;
mod explore;
#[cfg(feature = "faults")]
pub mod faults;
mod feature;
mod follow;
mod held_memory;
mod host;
mod input;
mod large_stack;
mod load;
mod optimize;
mod optimum_certificate;
mod prepared;
mod reasons;
mod reduction;
pub mod report;
mod resources;
mod running;
mod search;
mod session;
mod several_runs;
mod simulate;
mod state_graph;
mod task;
mod threads;
mod unsupported;
mod uses;
mod verify;

pub use abstract_model::{AbstractModel, Selection, SelectionError};
pub use answer::{
    Answer, Estimate, Extremes, Findings, FoundValues, HistogramRecord, IntervalRecord,
    Possibility, QueryBatch, Reason, RunRecord, Sample, SamplingOptions, Unwritten, Verdict,
};
pub use atomic_temp_file::atomic_temp_file;
pub use available_memory::default_memory_limit;
pub use convert::{Converted, Format, convert};
pub use explore::{Coverage, UnreachedLocation, UntakenEdge};
pub use feature::{Feature, Support};
pub use follow::FollowedRun;
pub use held_memory::{MemoryWatch, held_memory, is_beyond};
pub use input::{
    DEFAULT_MAX_FILE_BYTES, InputError, InputErrorKind, is_standard_input, read_bytes,
};
pub use load::{
    LoadOptions, Loaded, NamedText, QuerySource, load, load_text, load_text_asking, load_texts,
    query_file_beside,
};
pub use optimize::{CostMeasure, OptimizeOptions, Optimum};
pub use resources::{CostBounds, Resources, SampleProgress, SearchEvent, SearchListener};
pub use running::{
    CertificateRequest, Panicked, Running, Snapshot, TimedImprovement, WithCertificate,
};
pub use session::Session;
pub use simulate::{Choice, DisabledTransition, Simulator, SymbolicView};
pub use state_graph::{GraphEdge, GraphNode, StateGraph};
pub use task::{Refusal, Task, TaskKind};
pub use unsupported::Unsupported;
pub use verify::{
    CERTIFICATION_ALLOWANCE, CertificateSink, Evidence, SearchDistribution, SymmetryWish,
    TraceWish, VerifyOptions,
};
pub use zonaut_portfolio::{
    Attempt, AttemptEnd, DatabaseSize, HeuristicWork, LowestEstimate, is_asynchronous,
};
pub use zonaut_strategy as strategy;
pub use zonaut_strategy::{Order, Strategy, StrategyError};

pub use zonaut_base::{
    Diagnostic, FileId, Id, Label, Position, Region, Severity, SourceFile, SourceMap, Span,
};
pub use zonaut_concrete::DelayChoice;
pub use zonaut_cost::{Combination, Improvement, Infimum, Resource};
pub use zonaut_evidence::SetForm;
pub use zonaut_lazy::{Explanation, Labelling, LocationNeeds};
pub use zonaut_liveness::Value;
pub use zonaut_lower::{Definition, LowerOptions, NameKind, NameTable};
pub use zonaut_model::interpret::RunTimeError;
pub use zonaut_model::{Query, QueryId, QueryKind};
pub use zonaut_sampling::SamplerOptions;
pub use zonaut_sampling::estimate::Parameters;
pub use zonaut_search::{Random, Statistics};
pub use zonaut_space::{Progress, StopReason};
pub use zonaut_syntax::tree::{Dialect, Expectation, QueryEntry};
pub use zonaut_trace::{
    Continuation, ExplainedStep, Rational, RecordedRun, SourceLabels, SymbolicTrace, Trace,
    TraceEdge, TraceState, TraceStep,
};
pub use zonaut_zonegraph::{Abstraction, Comparison};
