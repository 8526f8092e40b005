//! The search on toy state spaces.

mod toy;
mod verdicts;
