//! The search on toy state spaces.

mod counts;
mod endings;
mod toy;
mod verdicts;
