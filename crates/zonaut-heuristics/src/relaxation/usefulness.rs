//! Which transitions lead nowhere nearer.
//!
//! M. Wehrle, S. Kupferschmid and A. Podelski guide a search by its transitions, too (*Useless
//! Actions Are Useful*, ICAPS 2008; *Transition-Based Directed Model Checking*, TACAS 2009). What
//! follows was derived from the idea.
//!
//! Let d(s) be the number of steps from s to the goal, and let t lead from s to s'. A shortest way
//! from s begins with t only if d(s) = 1 + d(s'). Without t, distances are at least what they were;
//! so if d(s) in the model without t is at most d(s'), then d(s) <= d(s'), and no shortest way begins
//! with t. It is then *useless* in s: whatever it is good for can be had without it.
//!
//! Estimates take the place of distances: t is useless in s if h(s) without t is at most h(s').
//! Comparing h(s) with h(s') alone would call everything useless that the estimate does not reward
//! at once, as the first of two steps that are needed both; but without that step, h(s) is larger, or
//! there is no way at all, and the transition stays useful.
//!
//! *Without t* means without the edges that take part in it, whoever else they might meet. Where one
//! action stands for others that do the same, they are gone, too; so h without t is never too small,
//! and nothing is useless by mistake.
//!
//! Most transitions need no estimate of their own: where none of its edges is on the way to the goal
//! that h(s) was read from, that way is there without t, and h(s) without t is at most its length; it
//! is not below h(s) either, for leaving out actions makes no layer larger.

use super::extract::Extraction;
use super::{Machine, Relaxation};
use crate::weights::Participant;
use std::collections::BTreeMap;
use zonaut_space::Estimate;

/// Whose estimates are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Those of `hl`.
    Lower,
    /// Those of `hu`.
    Upper,
}

/// Says which transitions are useless.
#[derive(Clone, Debug)]
pub struct Usefulness<'m> {
    machine: Machine<'m>,
    extraction: Extraction,
    compared: Compared,
    actions: BTreeMap<Participant, Vec<u32>>,
    /// The state that was asked about last.
    state: Option<Vec<i32>>,
    estimate: Estimate<u32>,
    /// The actions of the way from there to the goal, ascending.
    way: Vec<u32>,
    forbidden: Vec<u32>,
}

impl<'m> Relaxation<'m> {
    /// Which transitions are useless, by one of the guides.
    #[must_use]
    pub fn usefulness(&self, compared: Compared) -> Usefulness<'m> {
        let mut actions = BTreeMap::<Participant, Vec<u32>>::new();
        for (number, action) in self.network.actions.iter().enumerate() {
            if let Some(participant) = action.participant {
                actions.entry(participant).or_default().push(number as u32);
            }
        }
        Usefulness {
            machine: Machine::new(self, true),
            extraction: Extraction::new(&self.network),
            compared,
            actions,
            state: None,
            estimate: Estimate::Last,
            way: Vec::new(),
            forbidden: Vec::new(),
        }
    }
}

impl Usefulness<'_> {
    /// Whether a transition of these edges is useless in a state, if the estimate of the state after
    /// it is `after`.
    pub fn is_useless(&mut self, state: &[i32], edges: &[Participant], after: u32) -> bool {
        if self.state.as_deref() != Some(state) {
            self.estimate = self.estimated(state);
            self.way.clear();
            self.way.extend(self.extraction.actions());
            self.way.sort_unstable();
            self.state = Some(state.to_vec());
        }
        let mut actions = edges.iter().filter_map(|edge| self.actions.get(edge)).flatten();
        let is_on_way = actions.any(|action| self.way.binary_search(action).is_ok());
        let is_on_way = is_on_way && !faulty!(WayForgotten);
        let without = match is_on_way {
            true => self.without(state, edges),
            false => self.estimate,
        };
        match without {
            Estimate::Distance(least) if faulty!(UsefulForUseless) => least > after,
            Estimate::Distance(least) => least <= after,
            Estimate::DeadEnd | Estimate::Last => false,
        }
    }

    /// The estimate of a state without these edges.
    pub fn without(&mut self, state: &[i32], edges: &[Participant]) -> Estimate<u32> {
        self.forbidden.clear();
        let actions = edges.iter().filter_map(|edge| self.actions.get(edge)).flatten();
        self.forbidden.extend(actions);
        if !faulty!(EdgesStay) {
            self.machine.layers.forbid(&self.forbidden, true);
        }
        let estimate = self.estimated(state);
        self.machine.layers.forbid(&self.forbidden, false);
        estimate
    }

    fn estimated(&mut self, state: &[i32]) -> Estimate<u32> {
        let estimate = self.machine.estimate(state);
        self.extraction.forget();
        match estimate {
            Estimate::Distance(least) if !self.machine.is_stopped() => {
                let length =
                    self.extraction.length(&self.machine.network, &self.machine.layers, least);
                Estimate::Distance(match self.compared {
                    Compared::Lower => least,
                    Compared::Upper => length,
                })
            }
            other => other,
        }
    }
}
