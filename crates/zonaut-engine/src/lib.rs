//! The library interface of Zonaut: files and options go in, summaries and verdicts come out.
//!
//! Here, and in the command line, is the only place that touches the outside: files are read
//! ([`load`]) with the care that a stranger's file needs, and the parts of the workspace are put
//! together. Asking is deterministic: the same inputs and options give the same answers.
//!
//! ```
//! use zonaut_engine::{LoadOptions, load_text};
//!
//! let text = "process P() { clock x; state a; init a; } system P;";
//! let loaded = load_text("p.xta", text, &LoadOptions::default());
//! let summary = loaded.summary().expect("a correct model");
//! assert_eq!((summary.processes, summary.clocks), (1, 1));
//! ```

mod abstract_model;
mod answer;
mod beside;
mod certificate;
mod convert;
mod decode;
mod digest;
mod explore;
mod fastest;
mod feature;
mod guiding;
mod input;
mod large_stack;
mod load;
mod order;
mod prepared;
mod question;
mod reasons;
mod record;
mod resources;
mod search;
mod session;
mod simulate;
pub mod strategy;
mod summary;
mod unsupported;
mod uses;
mod verify;

pub use abstract_model::{AbstractModel, Selection, SelectionError};
pub use answer::{Answer, Possibility, Reason, Unwritten, Verdict};
pub use beside::beside;
pub use convert::{Converted, Format, convert};
pub use explore::{Exploration, UnreachedLocation, UntakenEdge};
pub use fastest::Fastest;
pub use feature::{Feature, Support};
pub use guiding::{DatabaseSize, GuideWork};
pub use input::{DEFAULT_MAX_FILE_BYTES, InputError, InputErrorKind, read_bytes};
pub use load::{LoadOptions, Loaded, QuerySource, load, load_text};
pub use order::Order;
pub use question::{Question, QuestionKind, Refusal};
pub use record::{DiagnosticRecord, PlaceRecord, RelatedRecord, UnsupportedRecord, severity_name};
pub use resources::{ProgressListener, Resources};
pub use session::Session;
pub use simulate::{Choice, Simulator, SymbolicView};
pub use strategy::{Strategy, StrategyError};
pub use summary::{Prospect, QuerySummary, Summary};
pub use unsupported::Unsupported;
pub use verify::{Evidence, TraceWish, VerifyOptions};

pub use zonaut_base::{
    Diagnostic, FileId, Id, Label, Position, Region, Severity, SourceFile, SourceMap, Span,
};
pub use zonaut_model::interpret::RunTimeError;
pub use zonaut_model::{Query, QueryId, QueryKind};
pub use zonaut_search::{Random, Statistics};
pub use zonaut_space::{Progress, StopReason};
pub use zonaut_syntax::tree::{Dialect, Expectation, QueryEntry};
pub use zonaut_trace::{Labels, Rational, SymbolicTrace, Trace, TraceEdge, TraceState, TraceStep};
pub use zonaut_zonegraph::{Abstraction, Comparison};
