//! The discrete semantics of a compiled network: which actions may be taken together, what they do
//! to locations and data, and which constraints they put on clocks.
//!
//! Nothing here knows how time is represented. A *time domain* (zones, zones with costs, local
//! clocks, sampled dates) is a layer over this one: it evaluates the clock constraints that this
//! layer collects, applies the clock effects, and lets time pass within invariants and
//! [`Urgency`]. It keeps a [`DiscreteScratch`] in its own working memory; one step of it is
//!
//! 1. [`DiscreteScratch::leave`] the state;
//! 2. for each [`Candidate`] of [`for_each_candidate`], restrict time by the
//!    [clock guards](DiscreteScratch::add_clock_guards) of the participants, and by
//!    [priorities](DiscreteScratch::priority);
//! 3. [take](DiscreteScratch::take) the transition and apply its clock effects;
//! 4. restrict time by the [invariants](DiscreteScratch::add_invariants) of the target;
//! 5. let time pass, as far as [urgency](DiscreteScratch::urgency), invariants and
//!    [stopped clocks](DiscreteScratch::add_stopped) allow.
//!
//! The order of candidates and the set of evaluated expressions are part of the semantics: they
//! determine the numbers of steps and the run-time errors.
//!
//! ```
//! use std::ops::ControlFlow;
//! use zonaut_base::Meter;
//! use zonaut_compile::{CompiledNetwork, Constraint};
//! use zonaut_discrete::{Candidate, DiscreteScratch, for_each_candidate};
//! use zonaut_model::builder::NetworkBuilder;
//!
//! // start -> end when x >= 3.
//! let mut network = NetworkBuilder::new();
//! let x = network.clock("x");
//! let process = network.process("P");
//! let start = network.location(process, "start");
//! let end = network.location(process, "end");
//! network.edge(process, start, end).guard(x.at_least(3));
//! let model = network.finish().expect("a valid model");
//!
//! let meter = Meter::default();
//! let network = CompiledNetwork::new(&model, &meter).expect("few actions");
//! let mut scratch = DiscreteScratch::new(&network, &meter);
//! scratch.leave(&network.initial);
//! let flow = for_each_candidate(&network, &mut scratch, |candidate, scratch| {
//!     let Candidate::Joint(participants) = candidate else { return ControlFlow::Break(()) };
//!     let (mut guards, mut target) = (Vec::<Constraint>::new(), Vec::new());
//!     scratch.add_clock_guards(&network, participants, &mut guards).expect("no error");
//!     assert_eq!((guards[0].x, guards[0].y, guards[0].bound.value()), (0, 1, -3));
//!     scratch.take(&network, participants, &mut target).expect("no error");
//!     assert_eq!(target, [1]);
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(flow, Ok(ControlFlow::Continue(())));
//! ```

mod candidate;
mod enabled;
mod output;
mod scratch;
#[cfg(test)]
mod tests;
mod urgency;

pub use candidate::{Broadcast, Candidate, for_each_candidate};
pub use enabled::may_move;
pub use output::Output;
pub use scratch::{DiscreteScratch, Receiver};
pub use urgency::Urgency;
