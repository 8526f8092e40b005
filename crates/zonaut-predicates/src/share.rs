//! How much of a transition counts in which part.
//!
//! # The claim
//! Let a transition of the network have participants in k parts. In each of them it counts at most
//! 1/k, so that all parts together count it once at most; hence the sum of distances never
//! overestimates. For it counts there as much as its heaviest participant, and an edge counts as
//! little as any of its transitions allows: a transition on a channel has participants in no more
//! parts than have edges on that channel. What stands for others, or stays out, is as light as the
//! channel asks for.

use zonaut_analysis::action::Action;
use zonaut_base::Id;
use zonaut_model::{Edge, Model, ProcessId};
use zonaut_pdb::Child;

/// What a whole transition counts. It can be divided by all small numbers.
pub(crate) const WHOLE: u32 = 27_720;

/// By channel, in how many parts there are edges on it.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    parts: Vec<u32>,
}

impl Shares {
    pub(crate) fn new(model: &Model, groups: &[Vec<ProcessId>]) -> Self {
        let mut parts = vec![0; model.channels.len()];
        for group in groups {
            let mut is_here = vec![false; parts.len()];
            let edges = group.iter().flat_map(|&process| &model.processes[process].edges);
            edges.flat_map(channels).for_each(|channel| is_here[channel] = true);
            parts.iter_mut().zip(is_here).for_each(|(count, here)| *count += u32::from(here));
        }
        Self { parts }
    }

    /// What a transition of a child counts, in parts of [`WHOLE`].
    pub(crate) fn of(&self, parent: &Model, child: &Child, participants: &[&Action]) -> u32 {
        let shares = participants.iter().filter_map(|action| self.share(parent, child, action));
        shares.max().unwrap_or(0)
    }

    /// The share of an action; none where it stands for a process outside.
    fn share(&self, parent: &Model, child: &Child, action: &Action) -> Option<u32> {
        let process = *child.processes.get(action.process.index())?;
        if faulty!(GenerousShares) {
            return Some(WHOLE);
        }
        let most = match action.channel {
            Some((channel, _)) => self.parts[channel.index()],
            None => {
                // It may stand for an edge that synchronises with a process outside.
                let edge = action.edge(&child.model);
                let edges = parent.processes[process].edges.iter();
                let same = edges.filter(|e| (e.source, e.target) == (edge.source, edge.target));
                same.flat_map(channels).map(|channel| self.parts[channel]).max().unwrap_or(1)
            }
        };
        Some(WHOLE / most.max(1))
    }
}

/// The channels that an edge may be on.
fn channels(edge: &Edge) -> impl Iterator<Item = usize> + use<> {
    let place = edge.synchronisation.as_ref().map(|label| {
        let root = label.channel.root.index();
        root..=root + label.channel.extent()
    });
    place.into_iter().flatten()
}
