//! Tests of the server through its protocol, with clients in memory.

mod features;
mod hostile;
mod random_edits;
mod support;
