//! Dominated actions.
//!
//! An action is dominated by another one of the same process on the same side of the same channel
//! that requires no more, has no greater weight and has the same effect. The other one can replace
//! it in every transition, in the same layer or an earlier one; so dropping it changes no layer.
//! Edges that differ in their clock guards only are the common case.

use super::{Compiler, Part};
use crate::relaxation::network::{Action, FactId, RelaxedActionId, Side};
use std::collections::BTreeMap;
use zonaut_base::Id;
use zonaut_model::{ChannelId, ProcessId};

/// The key that dominating and dominated actions share.
type Group = (ProcessId, Option<(ChannelId, u8)>, Vec<FactId>);

/// The group of an action; `None` if it does more than assign constants of small ranges.
fn group(action: &Action) -> Option<Group> {
    let process = action.participant?.process;
    if !action.effects.is_empty() || action.fails {
        return None;
    }
    let mut facts =
        action.constants.iter().map(|constant| constant.fact).collect::<Option<Vec<FactId>>>()?;
    facts.sort_unstable();
    let side = |side| match side {
        Side::Send => 0,
        Side::Announce => 1,
        Side::Receive => 2,
    };
    Some((process, action.channel.map(|(channel, s)| (channel, side(s))), facts))
}

impl Compiler<'_> {
    /// Drops dominated actions.
    pub(super) fn drop_dominated(&mut self) {
        let mut groups: BTreeMap<Group, Vec<usize>> = BTreeMap::new();
        for (number, action) in self.actions.iter().enumerate() {
            self.action_parts[number].sort_unstable();
            self.action_parts[number].dedup();
            if let Some(group) = group(action) {
                groups.entry(group).or_default().push(number);
            }
        }
        let mut is_dropped = vec![false; self.actions.len()];
        for members in groups.values() {
            for &a in members {
                let comparisons = members.len().saturating_mul(self.action_parts[a].len());
                let steps = u32::try_from(comparisons).unwrap_or(u32::MAX);
                if self.runs.meter().spend(steps).is_err() {
                    return;
                }
                let needs_no_more = |&&b: &&usize| {
                    let (weaker, stronger) = (&self.action_parts[b], &self.action_parts[a]);
                    let is_dearer = self.actions[b].weight > self.actions[a].weight;
                    if is_dearer && !faulty!(DearerDominates) {
                        return false;
                    }
                    // Of two actions with equal requirements the first one stays.
                    is_subset(weaker, stronger)
                        && (weaker.len() < stronger.len()
                            || self.actions[b].weight < self.actions[a].weight
                            || b < a)
                };
                is_dropped[a] = members.iter().any(|b| needs_no_more(&b));
            }
        }
        self.keep_actions(&is_dropped);
    }

    fn keep_actions(&mut self, is_dropped: &[bool]) {
        let mut number = 0;
        let renumbered: Vec<usize> = is_dropped
            .iter()
            .map(|&dropped| {
                number += usize::from(!dropped);
                number.wrapping_sub(1)
            })
            .collect();
        let mut kept = is_dropped.iter().map(|dropped| !dropped);
        self.actions.retain(|_| kept.next().unwrap_or(true));
        let mut kept = is_dropped.iter().map(|dropped| !dropped);
        self.action_parts.retain(|_| kept.next().unwrap_or(true));
        let renumber =
            |id: &mut RelaxedActionId| *id = RelaxedActionId::from_index(renumbered[id.index()]);
        self.effects.iter_mut().for_each(|effect| renumber(&mut effect.action));
        self.always.iter_mut().for_each(renumber);
    }
}

fn is_subset(smaller: &[Part], larger: &[Part]) -> bool {
    smaller.iter().all(|part| larger.binary_search(part).is_ok())
}
