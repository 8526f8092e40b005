//! The condition of workers at the end of a round, and the common decision.

use std::time::Duration;

use zonaut_space::{Progress, StopReason};

use crate::outcome::Statistics;
#[cfg(feature = "faults")]
use crate::store::faults::Fault;
use crate::wire::{Bytes, Malformed, put_u64};

/// The least number of payloads of all workers that are published together, as a part of the nodes
/// of a round.
const LEAST_PUBLISHED_PART: usize = 2;

/// Payloads that are stored for one worker alone are published when they are this part of all.
const PUBLISHED_PART: usize = 16;

/// The condition of a worker at the end of a round, or of several workers together.
#[derive(Clone, Copy, Default)]
pub(super) struct Condition {
    pub(super) statistics: Statistics,
    /// Nodes of the current layer that are not expanded.
    pub(super) left: usize,
    /// Nodes of the next layer.
    pub(super) next: usize,
    /// States that it has sent and that are not inserted yet.
    pub(super) sent: usize,
    pub(super) depth: u32,
    /// Payloads that are stored for one worker alone, and shared ones without users.
    pub(super) unpublished_payloads: usize,
    /// Payloads that workers share.
    pub(super) shared_payloads: usize,
    /// The time that it has waited for others.
    pub(super) idle: Duration,
    pub(super) flags: Flags,
    /// The reason to stop, of the first worker that has one.
    pub(super) stop: Option<StopReason>,
}

/// The facts that hold for some worker.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Flags(u64);

impl Flags {
    pub(super) const HAS_GOAL: Self = Self(1);
    /// It cannot continue.
    pub(super) const IS_OBSTRUCTED: Self = Self(2);
    /// It has met a run-time error.
    pub(super) const HAS_FAILED: Self = Self(4);
    /// States that it should have inserted are lost, so that the search cannot be saved.
    pub(super) const IS_TORN: Self = Self(8);
    pub(super) const WANTS_CHECKPOINT: Self = Self(16);
    /// Checkpoints are kept.
    pub(super) const IS_KEPT: Self = Self(32);
    /// The nodes of an exhausted search are collected in the first process.
    pub(super) const WANTS_NODES: Self = Self(64);
    /// A node of the current layer, or of one before it, is a goal.
    pub(super) const HAS_GOAL_IN_LAYER: Self = Self(128);
    /// The workers are to spill.
    pub(super) const IS_OVER: Self = Self(256);
    /// The flags that the first worker of a process reports for it.
    pub(super) const OF_PROCESS: Self =
        Self(Self::WANTS_CHECKPOINT.0 | Self::IS_KEPT.0 | Self::WANTS_NODES.0 | Self::IS_OVER.0);

    pub(super) fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    /// These and those of the others that are about their process.
    pub(super) fn with_those_of_process(self, others: Self) -> Self {
        Self(self.0 | others.0 & Self::OF_PROCESS.0)
    }

    pub(super) fn set_if(&mut self, flag: Self, holds: bool) {
        if holds {
            self.0 |= flag.0;
        }
    }
}

impl Condition {
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            statistics: self.statistics + other.statistics,
            left: self.left + other.left,
            next: self.next + other.next,
            sent: self.sent + other.sent,
            depth: self.depth.max(other.depth),
            unpublished_payloads: self.unpublished_payloads + other.unpublished_payloads,
            shared_payloads: self.shared_payloads + other.shared_payloads,
            idle: self.idle + other.idle,
            flags: Flags(self.flags.0 | other.flags.0),
            stop: self.stop.or(other.stop),
        }
    }

    pub(super) fn work(&self) -> u64 {
        (self.statistics.explored + self.statistics.generated) as u64
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            explored: self.statistics.explored,
            stored: self.statistics.stored,
            waiting: self.left + self.next,
            bytes: self.statistics.bytes,
            depth: self.depth,
        }
    }

    /// Nodes that are not expanded, and states that may become nodes.
    fn waiting(&self) -> usize {
        self.left + self.next + self.sent
    }

    /// Whether payloads are to be published, with this many nodes in a round.
    pub(super) fn wants_publication(&self, round: usize) -> bool {
        let least = (round / LEAST_PUBLISHED_PART).max(1);
        self.unpublished_payloads >= least.max(self.shared_payloads / PUBLISHED_PART)
    }

    /// Whether a checkpoint is to be written: if it is due, or if the search is stopped. A search
    /// that is over, or about to be over with a goal, needs none.
    pub(super) fn wants_checkpoint(&self) -> bool {
        let is_wanted = match self.stop {
            Some(_) => self.flags.has(Flags::IS_KEPT),
            None => self.flags.has(Flags::WANTS_CHECKPOINT),
        };
        let is_impossible = self.flags.has(Flags::IS_TORN)
            || self.flags.has(Flags::HAS_GOAL)
            || self.flags.has(Flags::HAS_FAILED);
        is_wanted && !is_impossible && self.waiting() > 0
    }

    /// The common decision at the end of a round, given the work at which the search pauses.
    ///
    /// Several processes decide before they insert the states of the round. A goal among those of the
    /// last round of a layer is noticed in the next layer, whose goals are farther; and the next layer
    /// may turn out to be empty.
    pub(super) fn decision(&self, end: u64) -> Decision {
        if self.flags.has(Flags::IS_OBSTRUCTED) || self.flags.has(Flags::HAS_GOAL_IN_LAYER) {
            return Decision::End;
        }
        let sent = self.sent;
        #[cfg(feature = "faults")]
        let sent = if Fault::MessageOverlooked.is_selected() { 0 } else { sent };
        match (self.left, self.next + sent) {
            (0, _) if self.flags.has(Flags::HAS_GOAL) => Decision::End,
            (0, 0) => Decision::End,
            _ if self.work() >= end => Decision::Pause,
            (0, _) => Decision::NextLayer,
            _ => Decision::SameLayer,
        }
    }

    /// Whether nothing is left to do, even if the search was to be stopped in its last round.
    pub(super) fn is_exhausted(&self) -> bool {
        self.waiting() == 0 && !self.flags.has(Flags::IS_TORN) && !self.flags.has(Flags::HAS_FAILED)
    }

    /// Whether the search has ended with a goal or without any node left.
    pub(super) fn is_decided(&self) -> bool {
        let has_goal = self.flags.has(Flags::HAS_GOAL) && !self.flags.has(Flags::IS_OBSTRUCTED);
        self.is_exhausted()
            || self.left == 0 && has_goal
            || self.flags.has(Flags::HAS_GOAL_IN_LAYER)
    }

    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        let Statistics {
            explored,
            generated,
            covered,
            evicted,
            evicted_after_expansion,
            pruned,
            bounded,
            stored,
            bytes,
        } = self.statistics;
        let counts = [
            explored,
            generated,
            covered,
            evicted,
            evicted_after_expansion,
            pruned,
            bounded,
            stored,
            bytes,
            self.left,
            self.next,
            self.sent,
            self.depth as usize,
            self.unpublished_payloads,
            self.shared_payloads,
        ];
        counts.iter().for_each(|&count| put_u64(to, count as u64));
        put_u64(to, u64::try_from(self.idle.as_nanos()).unwrap_or(u64::MAX));
        put_u64(to, self.flags.0);
        put_u64(to, self.stop.map_or(0, code_of));
    }

    pub(super) fn decode(from: &mut Bytes<'_>) -> Result<Self, Malformed> {
        let mut next = || usize::try_from(from.u64()?).map_err(|_| Malformed);
        let statistics = Statistics {
            explored: next()?,
            generated: next()?,
            covered: next()?,
            evicted: next()?,
            evicted_after_expansion: next()?,
            pruned: next()?,
            bounded: next()?,
            stored: next()?,
            bytes: next()?,
        };
        Ok(Self {
            statistics,
            left: next()?,
            next: next()?,
            sent: next()?,
            depth: u32::try_from(next()?).map_err(|_| Malformed)?,
            unpublished_payloads: next()?,
            shared_payloads: next()?,
            idle: Duration::from_nanos(from.u64()?),
            flags: Flags(from.u64()?),
            stop: stop_of(from.u64()?)?,
        })
    }
}

fn code_of(why: StopReason) -> u64 {
    match why {
        StopReason::TimeLimit => 1,
        StopReason::MemoryLimit => 2,
        StopReason::NodeLimit => 3,
        StopReason::Cancelled => 4,
    }
}

fn stop_of(code: u64) -> Result<Option<StopReason>, Malformed> {
    Ok(match code {
        0 => None,
        1 => Some(StopReason::TimeLimit),
        2 => Some(StopReason::MemoryLimit),
        3 => Some(StopReason::NodeLimit),
        4 => Some(StopReason::Cancelled),
        _ => return Err(Malformed),
    })
}

/// The common decision of all workers at the end of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    SameLayer,
    NextLayer,
    Pause,
    End,
}
