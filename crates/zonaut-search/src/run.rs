//! Searches in one go; every algorithm is a configuration of one [`Search`].
//!
//! # Why verdicts are right
//! Write d(s) for the number of steps from s to the nearest goal. Covering is a simulation, so
//! d(t) ≤ d(s) whenever t covers s.
//!
//! *Reachability.* Suppose a goal is reachable and none was met. Then some live node has a finite
//! d: an initial state, or one that covers it, for what is discarded or evicted has a live node
//! that covers it (covering is transitive). Take a live node n with the smallest d; d(n) > 0, as
//! every inserted node is tested. If n were expanded, its successor on a nearest way, or a live
//! node that covers it, would have a smaller d. So n waits, and the run goes on: an empty frontier
//! means that no goal can be reached. True dead ends have no finite d and may be dropped.
//!
//! *Shortest ways.* Let C be the length of a shortest way. With [`Respect::Cost`](zonaut_space::Respect::Cost), what is
//! discarded or evicted leaves a live node that covers it *at no greater depth*. The same argument,
//! with n a live node of smallest d among those with depth(n) + d(n) ≤ C, shows: until a goal is
//! met, a live node n waits with depth(n) + d(n) ≤ C. A* evaluates a node p that is no goal to
//! f(p) = depth(p) + max(h(p), 1), so f(n) ≤ C, because the guide is admissible and d(n) ≥ 1. Hence
//! every node p that is popped has f(p) ≤ C, whether the guide is consistent or not: each is a lower
//! bound of C. If a successor of p is a goal, d(p) = 1, so h(p) ≤ 1 and the goal's depth is
//! depth(p) + 1 = f(p) ≤ C: the first goal that is generated is a nearest one, and may end the run.
//! A shorter way to a state that was expanded before is not covered by it, so it becomes a new
//! node, evicts the old one, and is expanded again.
//!
//! *Breadth first* is A* with the blind guide, the oldest node first. A coverer found before a
//! state is then never deeper than it, so discarding loses nothing even without respect for depth;
//! eviction would, when a wider state of the next layer evicts a smaller one that still waits in
//! this layer.
//!
//! *Cheapest ways by branch and bound.* Let C be the least cost of a goal, and suppose that the best
//! goal met costs more, or none was met. As before, a live node n waits with cost(n) + d(n) ≤ C, with
//! d(n) now the cost from n to the nearest goal: it was not dropped, because cost(n) is below that of
//! the best goal. So when nothing waits, or nothing that costs less than the best goal, that one costs
//! C. It is enough that costs do not fall along a way; the frontier decides only how soon the best is
//! found.

use zonaut_space::{Goal, Observer, PassedStore, TransitionSystem};

use crate::frontier::{CheapestFirst, Frontier};
use crate::outcome::ReportOf;
use crate::search::{Budget, Search};

/// The exchangeable parts of a search.
#[derive(Debug)]
pub struct Parts<St, F, Ob> {
    /// Where states are kept; it is empty at first, and holds the live nodes in the end.
    pub store: St,
    /// What waits, and in which order.
    pub frontier: F,
    /// Who watches, and may stop the search.
    pub observer: Ob,
}

/// Looks for any way to a goal; the first one met is the answer. Any frontier will do.
pub fn reach<Ts: TransitionSystem>(
    system: &Ts,
    goal: &mut (impl Goal<Ts> + ?Sized),
    parts: &mut Parts<
        impl PassedStore<Ts::State>,
        impl Frontier<Ts::State, Ts::Step>,
        impl Observer<Ts::State, Ts::Step>,
    >,
) -> ReportOf<Ts> {
    let Parts { store, frontier, observer } = parts;
    finish(Search::reach(system, goal, store, frontier), observer)
}

/// Looks for a shortest way to a goal; the type of the frontier keeps guides out that could miss
/// it, and covering respects depth.
pub fn shortest<Ts: TransitionSystem>(
    system: &Ts,
    goal: &mut (impl Goal<Ts> + ?Sized),
    parts: &mut Parts<
        impl PassedStore<Ts::State>,
        impl CheapestFirst<Ts::State, Ts::Step>,
        impl Observer<Ts::State, Ts::Step>,
    >,
) -> ReportOf<Ts> {
    let Parts { store, frontier, observer } = parts;
    finish(Search::shortest(system, goal, store, frontier), observer)
}

/// Expands what a guide pruned, after a search that `report` says was exhausted, unless the frontier
/// prunes it again. In the end the live nodes that are expanded lead to live nodes only, as evidence
/// demands; those that are not expanded need a reason of their own. A goal that is met on the way was
/// pruned wrongly, and becomes the outcome.
pub fn close<Ts: TransitionSystem>(
    system: &Ts,
    goal: &mut (impl Goal<Ts> + ?Sized),
    parts: &mut Parts<
        impl PassedStore<Ts::State>,
        impl Frontier<Ts::State, Ts::Step>,
        impl Observer<Ts::State, Ts::Step>,
    >,
    report: ReportOf<Ts>,
) -> ReportOf<Ts> {
    let Parts { store, frontier, observer } = parts;
    finish(Search::close(system, goal, store, frontier, report), observer)
}

fn finish<Ts: TransitionSystem>(
    mut search: Search<
        '_,
        Ts,
        impl Goal<Ts>,
        impl PassedStore<Ts::State>,
        impl Frontier<Ts::State, Ts::Step>,
    >,
    observer: &mut impl Observer<Ts::State, Ts::Step>,
) -> ReportOf<Ts> {
    let _ = search.run(Budget::UNLIMITED, observer);
    let (report, _) = search.into_report();
    report
}
