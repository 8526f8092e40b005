//! Records of results, serialised in the same form by all front ends.
//!
//! Fields may be added to records; those in a [schema](SCHEMAS) are stable.

mod answer;
mod diagnostic;
mod effort;
mod exploration;
mod optimum;
mod schema;
mod summary;

pub use answer::{
    AnswerRecord, AttemptRecord, Certificate, ExplanationRecord, HeuristicRecord, LazyRecord,
    NeedsRecord, WorkerRecord,
};
pub use diagnostic::{
    DiagnosticRecord, PlaceRecord, RelatedRecord, UnsupportedRecord, severity_name,
};
pub use effort::EffortRecord;
pub use exploration::{EdgeRecord, ExplorationRecord, LocationRecord};
pub use optimum::{ImprovementRecord, OptimumRecord, optimality_gap, optimum_name};
pub use schema::{SCHEMAS, Schema};
pub use summary::{ModelRecord, Prospect, QuerySummary, Summary};
