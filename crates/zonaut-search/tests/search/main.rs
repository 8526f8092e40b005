//! The search on toy state spaces.

mod counts;
mod toy;
mod verdicts;
