//! Useless transitions: those that bring the goal no nearer.
//!
//! M. Wehrle, S. Kupferschmid and A. Podelski rank transitions besides states (*Useless Actions Are
//! Useful*, ICAPS 2008; *Transition-Based Directed Model Checking*, TACAS 2009). The following was
//! derived from the idea.
//!
//! Let d(s) be the number of steps from s to the goal, and let t lead from s to s'. A shortest path
//! from s begins with t only if d(s) = 1 + d(s'). Without t, distances do not decrease; so if d(s)
//! in the model without t is at most d(s'), then d(s) <= d(s'), and no shortest path begins with t.
//! It is then *useless* in s: the goal can be reached equally well without it.
//!
//! Estimates replace distances: t is useless in s if h(s) without t is at most h(s'). Comparing
//! h(s) with h(s') alone would classify every transition as useless that the estimate does not
//! reward at once, such as the first of two necessary steps; but without that step, h(s) is larger,
//! or no path exists, and the transition stays useful.
//!
//! *Without t* means without the edges that take part in it, with any partners. If one action
//! represents dominated ones, they are removed, too; so h without t is never too small, and no
//! transition is classified as useless by mistake.
//!
//! Most transitions need no estimate of their own: if none of its edges is on the relaxed path that
//! h(s) was read from, that path exists without t, and h(s) without t is at most its length; it is
//! not below h(s) either, because removing actions makes no layer larger.

use super::extract::Extraction;
use super::{Machine, Relaxation};
use crate::weights::Participant;
use std::collections::BTreeMap;
use zonaut_space::Estimate;

/// The heuristic whose estimates are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// The heuristic `hl`.
    Lower,
    /// The heuristic `hu`.
    Upper,
}

/// The classification of transitions as useful or useless.
#[derive(Clone, Debug)]
pub struct Usefulness<'m> {
    machine: Machine<'m>,
    extraction: Extraction,
    compared: Compared,
    actions: BTreeMap<Participant, Vec<u32>>,
    /// The state of the latest call.
    state: Option<Vec<i32>>,
    estimate: Estimate<u32>,
    /// The actions of the relaxed path from that state to the goal, ascending.
    path: Vec<u32>,
    forbidden: Vec<u32>,
}

impl<'m> Relaxation<'m> {
    /// The classification of transitions by one of the heuristics.
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
            path: Vec::new(),
            forbidden: Vec::new(),
        }
    }
}

impl Usefulness<'_> {
    /// Whether a transition of these edges is useless in a state, where `after` is the estimate of
    /// its successor.
    pub fn is_useless(&mut self, state: &[i32], edges: &[Participant], after: u32) -> bool {
        if self.state.as_deref() != Some(state) {
            self.estimate = self.estimated(state);
            self.path.clear();
            self.path.extend(self.extraction.actions());
            self.path.sort_unstable();
            self.state = Some(state.to_vec());
        }
        let mut actions = edges.iter().filter_map(|edge| self.actions.get(edge)).flatten();
        let is_on_path = actions.any(|action| self.path.binary_search(action).is_ok());
        let is_on_path = is_on_path && !faulty!(PathForgotten);
        let without = match is_on_path {
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
