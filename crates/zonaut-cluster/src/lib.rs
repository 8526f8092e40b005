//! The processes, the checkpoints and the spilled states of a search.
//!
//! `zonaut-search` explores in rounds and knows three traits: a `Network` that exchanges messages with
//! other processes, a `Keeper` of checkpoints, and `SpillFiles`. This crate has them for real machines.
//!
//! A [`Star`] connects all processes with the first one, which passes messages on. Processes prove to
//! each other that they know a common [`Token`], without sending it, and compare their [`Terms`]:
//! version, model and options. Heartbeats make a silent process noticeable.
//!
//! A [`Folder`] has the last whole checkpoint: its manifest is written last and replaced atomically.
//! A [`SpillFolder`] has the old states of a search that needs more memory than it may use.
//!
//! *Invariants.* No call blocks for longer than [`SILENCE`] without a sign of life of the process that
//! it waits for. Nothing that an unauthenticated connection sends is kept beyond 1 KB or 2 seconds.

mod connection;
mod folder;
mod handshake;
mod hosts;
mod spill_folder;
mod star;
mod token;

pub use folder::{Folder, FolderError, Saved, Subject};
pub use handshake::Terms;
pub use hosts::Hosts;
pub use spill_folder::SpillFolder;
pub use star::{ClusterError, SILENCE, Star, Waiting};
pub use token::Token;
