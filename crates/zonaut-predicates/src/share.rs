//! Cost partitioning: the share of a transition's cost that each part counts.
//!
//! # The claim
//! A part has all transitions of the network and knows their participants. A transition with
//! participants in k parts costs 1/k in each of these and nothing in the others, so all parts
//! together count it at most once; hence the sum of distances is admissible. Optional receivers of
//! a broadcast count as participants: k may then be larger than necessary.

use zonaut_analysis::action::Action;
use zonaut_base::Id;
use zonaut_model::{Model, ProcessId};

/// The cost of a whole transition, divisible by all small numbers.
pub(crate) const WHOLE: u32 = 27_720;

/// The cost of a transition in a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counting {
    /// One if a process of the part participates.
    Own,
    /// One in every part.
    All,
    /// Its share.
    Shares,
}

impl Counting {
    /// The cost of one transition in all parts together.
    pub(crate) fn unit(self) -> u32 {
        match self {
            Self::Own | Self::All => 1,
            Self::Shares => WHOLE,
        }
    }
}

/// The part of each process.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    part: Vec<usize>,
}

impl Shares {
    pub(crate) fn new(model: &Model, groups: &[Vec<ProcessId>]) -> Self {
        let mut part = vec![0; model.processes.len()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|process| part[process.index()] = number);
        }
        Self { part }
    }

    /// The cost of a transition in a part.
    pub(crate) fn of(&self, part: usize, participants: &[&Action], counting: Counting) -> u32 {
        let mut parts: Vec<usize> =
            participants.iter().map(|action| self.part[action.process.index()]).collect();
        parts.sort_unstable();
        parts.dedup();
        let is_here = parts.binary_search(&part).is_ok();
        match counting {
            Counting::Own => u32::from(is_here),
            Counting::All => 1,
            Counting::Shares if faulty!(GenerousShares) => WHOLE,
            Counting::Shares if is_here => WHOLE / parts.len() as u32,
            Counting::Shares => 0,
        }
    }
}
