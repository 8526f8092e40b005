//! A search among representatives that takes turns with searches for the goal.
//!
//! Representatives are fewest where everything has to be seen; hunts follow a guide through the graph
//! itself, and need no symmetry to be right. Each of them answers alone, as where there is no symmetry.

use crate::reduction::Reduction;
use zonaut_dbm::Width;
use zonaut_quest::auto::{Ended, RoundLimit};
use zonaut_quest::{
    Attempt, AttemptEnd, Choosing, Decision, Portfolio, Quest, SearchObserver, Searched,
};
use zonaut_quest::{ZoneStore, frontier_of};
use zonaut_search::{AStar, Blind, Budget, Frontier, Outcome, Search, Status, Ties};
use zonaut_space::StopReason;
use zonaut_strategy::{Order, Strategy};
use zonaut_symmetry::{SymmetricGoal, SymmetricGraph};
use zonaut_zonegraph::{Step, SymbolicState, ZoneGoal};

/// A search among representatives.
type Reduced<'s, 'g, W, F> =
    Search<'s, SymmetricGraph<'g, 'g, W>, SymmetricGoal<ZoneGoal<'g, 'g, W>>, ZoneStore<'g, W>, F>;

/// What came of it, and whether it rests on representatives.
pub(crate) struct Chosen<'g, W: Width> {
    pub(crate) decision: Decision<'g, W>,
    pub(crate) is_reduced: bool,
}

/// Lets a search among representatives and searches for the goal take turns; the first one does so much
/// before the others begin.
pub(crate) fn choose_reduced<'g, W: Width>(
    choosing: Choosing<'g, W>,
    reduction: Reduction<'g>,
    first: u32,
    observer: SearchObserver<'_, W>,
) -> Chosen<'g, W> {
    let quest = choosing.quest;
    let hunts = Portfolio::heuristic_searches(choosing, first);
    let graph = reduction.graph(quest.graph);
    let goal = SymmetricGoal(quest.goal_in_zones());
    let turns = Turns { quest, reduction, hunts, limit: RoundLimit::first(first.into()), taken: 0 };
    if quest.shortest {
        let frontier = AStar::new(Blind, Ties::default());
        let search = Search::shortest(&graph, goal, quest.store(), frontier);
        return turns.take(search, observer);
    }
    let frontier = frontier_of(Order::BreadthFirst, quest.seed);
    turns.take(Search::reach(&graph, goal, quest.store(), frontier), observer)
}

struct Turns<'g, W: Width> {
    quest: Quest<'g, W>,
    reduction: Reduction<'g>,
    hunts: Portfolio<'g, W>,
    /// What the exploration may have done after its next turn.
    limit: RoundLimit,
    taken: usize,
}

impl<'g, W: Width> Turns<'g, W> {
    fn take<F: Frontier<SymbolicState<W>, Step>>(
        mut self,
        mut search: Reduced<'_, 'g, W, F>,
        observer: SearchObserver<'_, W>,
    ) -> Chosen<'g, W> {
        loop {
            self.taken += 1;
            if search.run(Budget::of(self.limit.added()), observer) == Status::Ended {
                return self.explored(search);
            }
            let statistics = search.statistics();
            let mut held = observer.meter().hold();
            held.set(statistics.bytes);
            let ended = match self.hunts.is_open() {
                true => self.hunts.take_round(observer),
                false => None,
            };
            match ended {
                None => {}
                // The exploration may go on where hunts have no more room.
                Some(Ended::Stopped(StopReason::MemoryLimit))
                    if observer.meter().stopped().is_none() => {}
                Some(ended) => {
                    let exploration =
                        Attempt::exploration(self.taken, statistics, AttemptEnd::Paused);
                    let mut decision = self.hunts.conclude(ended);
                    decision.attempts.insert(0, exploration);
                    return Chosen { decision, is_reduced: false };
                }
            }
            self.limit = self.limit.next();
        }
    }

    fn explored<F: Frontier<SymbolicState<W>, Step>>(
        self,
        search: Reduced<'_, 'g, W, F>,
    ) -> Chosen<'g, W> {
        let Self { quest, reduction, hunts, taken, .. } = self;
        let (report, store) = search.into_report();
        let end = match report.outcome {
            Outcome::Stopped { why, .. } => AttemptEnd::Stopped(why),
            _ => AttemptEnd::Decided,
        };
        let mut attempts = vec![Attempt::exploration(taken, report.statistics, end)];
        attempts.extend(hunts.attempts());
        let strategy = Strategy::Blind(Order::BreadthFirst);
        let searched = Searched::new(reduction.unfolded(quest.graph, report), store, strategy);
        let (guide, warnings) = (None, Vec::new());
        let decision = Decision { quest, searched, guide, warnings, attempts };
        Chosen { decision, is_reduced: true }
    }
}
