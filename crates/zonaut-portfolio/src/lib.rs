//! Searches from strategies, and their scheduler: constructs heuristics from their descriptions,
//! starts pausable searches of zone graphs, and runs portfolios of them.
//!
//! * [`ReachabilityTask`] is a goal in a zone graph; it starts the search that a strategy
//!   describes, and is the one place where stores, frontiers and heuristics are combined.
//! * [`HeuristicFactory`] constructs heuristics for a goal, and counts their work.
//! * [`Resumable`] is the interface of all searches: they work for a budget, pause, and resume.
//! * [`Portfolio`] runs several searches in time slices, by the [`scheduler`], until one of them
//!   decides; [`GoalBoard`] lets one exploration serve several goals.
//! * [`Finished`] is the result of a search.
//!
//! This crate depends neither on the kind of query nor on the meaning of an answer. It accesses
//! neither files nor wall clocks except through [`Environment`].

mod environment;
#[cfg(feature = "faults")]
pub mod faults;
mod finished;
mod goal_board;
mod heuristics;
mod lazy;
mod portfolio;
mod quotient;
mod resumable;
pub mod scheduler;
mod task;
mod zone_codec;

pub use environment::Environment;
pub use finished::{Finished, Passed, States, UnjoinedZones, ZoneOutcome, steps_of};
pub use goal_board::{CountingObserver, GoalBoard, Note};
pub use heuristics::{
    DatabaseSize, DeadEndPolicy, HeuristicFactory, HeuristicWork, LowestEstimate,
};
pub use portfolio::{Attempt, AttemptEnd, Portfolio, lazy_strategy};
pub use quotient::Quotient;
pub use resumable::{BoxedSearch, Resumable};
pub use task::{
    Aside, BoxedFrontier, BoxedShortest, NoSearch, ReachabilityTask, SearchObserver, Workers,
    ZoneStore, frontier_of, is_asynchronous,
};
pub use zone_codec::{ZoneCodec, zone_spilling};
