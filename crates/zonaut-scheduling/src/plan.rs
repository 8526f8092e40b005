//! Schedules of the relaxation as runs of the model.
//!
//! A schedule of certain uses becomes a plan: for each lock, the order of its uses. The plan is carried
//! out in the model itself, so that its cost is that of a run; a plan that the model does not allow
//! gives no run.

use std::ops::ControlFlow;

use zonaut_base::Id;
use zonaut_cost::tasks::Span;
use zonaut_space::{Goal, Successor, TransitionSystem};

use crate::beam::Found;
use crate::bound::CertainUse;
use crate::state::Point;
use crate::system::{Arrival, Decision, PointPricing, TaskSystem};

/// The most decisions for each certain use.
const DECISIONS_PER_USE: usize = 64;

impl CertainUse {
    /// Whether a decision begins this use.
    fn begins_with(&self, system: &TaskSystem<'_>, decision: Decision) -> bool {
        let Decision::Make(this) = decision else { return false };
        let this = &system.network.tasks.moves[this as usize];
        (this.process.index(), this.target.index()) == (self.process, self.location)
    }
}

/// The uses of all locks in their orders.
pub(crate) struct Plan<'p> {
    uses: &'p [CertainUse],
    /// By lock, its uses that have not begun, the next one last.
    waiting: Vec<Vec<usize>>,
}

impl<'p> Plan<'p> {
    /// The plan of a schedule with these starts.
    ///
    /// Searches over points skip schedules in which a whole use fits into an idle interval before it
    /// ([`crate::system`], rule 4). So uses are moved into such intervals, in the order of their
    /// starts, and none starts later.
    pub(crate) fn new(uses: &'p [CertainUse], starts: &[Span]) -> Self {
        let locks = uses.iter().map(|one| one.activity.lock + 1).max().unwrap_or(0);
        // By lock, its occupied intervals with their uses, in order.
        let mut busy: Vec<Vec<(Span, Span, usize)>> = vec![Vec::new(); locks];
        let mut moved = starts.to_vec();
        let mut order: Vec<usize> = (0..uses.len()).collect();
        // A use without length precedes those that start with it.
        order.sort_by_key(|&index| (starts[index], uses[index].activity.length > 0, index));
        for index in order {
            let activity = uses[index].activity;
            let after = activity.after.filter(|_| index > 0);
            let ready = after.map_or(activity.head, |after| moved[index - 1] + after.head);
            let busy = &mut busy[activity.lock];
            let mut start = ready.max(activity.head);
            let mut position = busy.len();
            for (next, &(from, to, _)) in busy.iter().enumerate() {
                if start < from && start + activity.length <= from {
                    position = next;
                    break;
                }
                start = start.max(to);
            }
            moved[index] = start;
            busy.insert(position, (start, start + activity.length, index));
        }
        let waiting = busy.into_iter().map(|busy| busy.iter().rev().map(|one| one.2).collect());
        Self { uses, waiting: waiting.collect() }
    }

    /// Whether a decision begins the next uses of their locks, or no certain use at all.
    fn allows(&self, system: &TaskSystem<'_>, decision: Decision) -> bool {
        let begun = |one: &CertainUse| one.begins_with(system, decision);
        self.uses.iter().enumerate().filter(|(_, one)| begun(one)).all(|(index, one)| {
            let waiting = &self.waiting[one.activity.lock];
            waiting.last() == Some(&index) || !waiting.contains(&index)
        })
    }

    /// Notes the uses that a decision begins.
    fn begin(&mut self, system: &TaskSystem<'_>, decision: Decision) {
        let uses = self.uses;
        for waiting in &mut self.waiting {
            waiting.pop_if(|&mut index| uses[index].begins_with(system, decision));
        }
    }

    /// Carries the plan out: every planned move is made as soon as the model allows it. Returns the
    /// run, if it leads to the goal.
    pub(crate) fn carry_out(mut self, system: &TaskSystem<'_>) -> Option<Found> {
        let mut scratch = system.scratch();
        let mut point = system.start(&mut system.machine(), |_| {}).ok()?;
        let mut decisions = Vec::new();
        for _ in 0..DECISIONS_PER_USE * (self.uses.len() + 1) {
            if Arrival(system.goal).holds_in(&point).ok()? {
                return Some((PointPricing(system.rate).cost(&point), decisions));
            }
            let mut next: Option<(Decision, Point)> = None;
            let _ = system.for_each_successor(&point, &mut scratch, |successor| {
                let Successor::State(decision, target) = successor else {
                    return ControlFlow::Continue(());
                };
                if !self.allows(system, decision) {
                    return ControlFlow::Continue(());
                }
                next = Some((decision, target.clone()));
                ControlFlow::Break(())
            });
            let (decision, target) = next?;
            self.begin(system, decision);
            decisions.push(decision);
            point = target;
        }
        None
    }
}
