//! Tests of the server through its protocol, with clients in memory.

mod features;
mod hostile;
mod keystrokes;
mod random_edits;
mod support;
