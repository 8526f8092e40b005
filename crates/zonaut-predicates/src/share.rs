//! How much of a transition counts in which part.
//!
//! # The claim
//! A part knows all transitions of the network, and who takes part in them. One with participants in
//! k parts counts 1/k in each of these and nothing in the others, so that all parts together count
//! it once at most; hence the sum of distances never overestimates. Of a broadcast that others may
//! join besides, all of those are counted as participants: then k is larger than it has to be.

use zonaut_analysis::action::Action;
use zonaut_base::Id;
use zonaut_model::{Model, ProcessId};

/// What a whole transition counts. It can be divided by all small numbers.
pub(crate) const WHOLE: u32 = 27_720;

/// What a transition counts in a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counting {
    /// One, wherever somebody takes part in it.
    Own,
    /// One, wherever somebody takes part in it or not.
    All,
    /// Its share.
    Shares,
}

impl Counting {
    /// What one transition counts in all parts together.
    pub(crate) fn unit(self) -> u32 {
        match self {
            Self::Own | Self::All => 1,
            Self::Shares => WHOLE,
        }
    }
}

/// In which part each process is.
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

    /// What a transition counts in a part.
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
