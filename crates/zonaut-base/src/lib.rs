//! The basic data types of all crates of Zonaut, a model checker for networks of timed automata:
//! typed ids and the vectors they index, source files and spans, decoding of files to text,
//! diagnostics, sanitising of untrusted text for terminals, spelling suggestions, archives of
//! numbers that are kept between runs, the meter that counts and cancels long computations, and the
//! switch for injected faults.
//!
//! This crate holds data only. It renders nothing, opens no file and knows no timed automaton.
//!
//! ```
//! use zonaut_base::{SourceFile, SourceMap};
//!
//! let mut sources = SourceMap::default();
//! let file = sources.add(SourceFile::new("gate.xta", "clock x;\nchan go;\n"));
//! let span = sources.span(file, 14, 16);
//! assert_eq!(sources.position(span).to_string(), "gate.xta:2:6");
//! ```

mod archive;
mod clean;
mod diagnostic;
mod encoding;
mod faults;
mod id;
mod meter;
mod source;
mod spelling;

pub use archive::{ArchiveMark, ArchiveReader, ArchiveWriter, LoadError, narrow};
pub use clean::{is_unsafe, one_line};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use encoding::{Decoded, EncodingProblem, decode};
pub use faults::FaultSwitch;
pub use id::{Id, IndexVec};
pub use meter::{Held, Meter, StopReason};
pub use source::{FileId, Position, Region, SourceFile, SourceMap, Span};
pub use spelling::most_similar;
