//! The moves that may take part in one transition together.

use zonaut_analysis::interval::declared_walk;
use zonaut_base::{Id, Meter, StopReason};
use zonaut_model::{ChannelId, Direction, Edge, Model};

use super::Move;

/// By move, its possible partners; an over-approximation where channels are chosen by data.
pub(super) struct Meetings {
    partners: Vec<Vec<usize>>,
    is_alone: Vec<bool>,
    is_broadcast: Vec<bool>,
}

impl Meetings {
    pub(super) fn new(model: &Model, moves: &[Move], meter: &Meter) -> Result<Self, StopReason> {
        let channels: Vec<Vec<ChannelId>> =
            moves.iter().map(|this| channels(model, this.content(model))).collect();
        let direction = |this: usize| {
            moves[this].content(model).synchronisation.as_ref().map(|label| label.direction)
        };
        let mut by_channel: Vec<[Vec<usize>; 2]> = vec![Default::default(); model.channels.len()];
        let side = |direction: Direction| usize::from(direction == Direction::Receive);
        for (this, channels) in channels.iter().enumerate() {
            let Some(direction) = direction(this) else { continue };
            for channel in channels {
                by_channel[channel.index()][side(direction)].push(this);
            }
        }
        let partners_of = |this: usize| {
            let Some(direction) = direction(this) else { return Ok(Vec::new()) };
            let met = channels[this].iter();
            let mut partners: Vec<usize> = met
                .flat_map(|channel| &by_channel[channel.index()][1 - side(direction)])
                .copied()
                .filter(|&other| moves[other].process != moves[this].process)
                .collect();
            meter.spend(partners.len() as u32)?;
            partners.sort_unstable();
            partners.dedup();
            Ok(partners)
        };
        let is_broadcast = |channels: &Vec<ChannelId>| {
            channels.iter().any(|&channel| model.channels[channel].broadcast)
        };
        Ok(Self {
            partners: (0..moves.len()).map(partners_of).collect::<Result<_, _>>()?,
            is_alone: (0..moves.len()).map(|this| direction(this).is_none()).collect(),
            is_broadcast: channels.iter().map(is_broadcast).collect(),
        })
    }

    /// The moves of other processes that may be made in one transition with this one.
    pub(super) fn partners(&self, this: usize) -> &[usize] {
        &self.partners[this]
    }

    /// Whether a move is made with exactly one partner.
    pub(super) fn is_of_two(&self, this: usize) -> bool {
        !self.is_alone[this] && !self.is_broadcast[this]
    }

    /// Whether a move is made with all enabled partners, or none.
    pub(super) fn is_broadcast(&self, this: usize) -> bool {
        self.is_broadcast[this]
    }
}

/// The channels that an edge may be on.
fn channels(model: &Model, edge: &Edge) -> Vec<ChannelId> {
    let Some(label) = &edge.synchronisation else { return Vec::new() };
    let root = label.channel.root.index();
    let mut walk = declared_walk(model);
    let _ = walk.select(&edge.select);
    // An edge whose channel cannot be evaluated is never taken.
    let chosen = walk.channel(label).map(|chosen| chosen.as_slice().to_vec()).unwrap_or_default();
    chosen.into_iter().map(|displacement| ChannelId::from_index(root + displacement)).collect()
}
