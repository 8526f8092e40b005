//! Results as records: what other programs read, serialised the same way by every front door.
//!
//! Fields may be added to records; those that a [schema](SCHEMAS) names stay.

mod answer;
mod diagnostic;
mod exploration;
mod schema;
mod summary;

pub use answer::{
    AnswerRecord, AttemptRecord, Certificate, ExplanationRecord, GuideRecord, LazyRecord,
    NeedsRecord,
};
pub use diagnostic::{
    DiagnosticRecord, PlaceRecord, RelatedRecord, UnsupportedRecord, severity_name,
};
pub use exploration::{EdgeRecord, ExplorationRecord, LocationRecord};
pub use schema::{SCHEMAS, Schema};
pub use summary::{ModelRecord, Prospect, QuerySummary, Summary};
