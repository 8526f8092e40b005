//! A language server for models and queries, over standard input and output.
//!
//! Documents are textual models (`.xta`, `.ta`), models in XML, and lists of queries (`.q`) with the
//! model beside them. The front end of the engine analyses a document whenever it has changed; all
//! answers come from its result: diagnostics, hover, definition, references, rename, completion,
//! symbols, signatures, semantic tokens. Queries are checked when the user asks for it, by the
//! handle of a running task, within the limits of the settings.
//!
//! Invariants: a document in the server equals the client's document after every edit, whatever the
//! positions of the edit; an analysis depends on the texts and on the settings of the folder alone; no document starts a search, writes
//! a file or runs a program.

mod address;
mod analysis;
mod checks;
mod completion;
mod describe;
mod diagnostics;
mod documents;
#[cfg(feature = "faults")]
pub mod faults;
mod folder;
mod format;
mod names;
mod outline;
mod requests;
mod semantic_tokens;
mod server;
mod symbols;
mod text;
mod transport;

pub use folder::{FindSettings, FolderSettings};
pub use lsp_server::{Connection, Message};
pub use server::{Ending, serve};

use std::io::{self, BufReader};

/// Serves the client at standard input and output until it ends the connection. `find` gives the
/// settings of models.
///
/// # Errors
/// If the streams fail, or the client sends a damaged header.
pub fn serve_standard_streams(find: FindSettings) -> io::Result<Ending> {
    let streams = transport::Streams::start(BufReader::new(io::stdin()), io::stdout())?;
    let ending = serve(&streams.connection, find);
    streams.finish()?;
    Ok(ending)
}
