//! The parts of searches can be moved to other threads, and the parts that workers share can be
//! read by several. The compiler checks this; the tests name the types.

use std::sync::Arc;
use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::{Narrow, Wide};
use zonaut_heuristics::{
    Cached, Discrete, GraphDistance, Hamming, Lower, Maximum, Share, Total, Upper,
};
use zonaut_merge::Merged;
use zonaut_pdb::Database;
use zonaut_predicates::PartDistances;
use zonaut_search::{
    AStar, Alternating, ArenaStore, Blind, CheapestFirst, Fifo, Frontier, Guided, NodeTable, Novel,
    RandomDepthFirst, Restarting, Search, Uninformed,
};
use zonaut_space::{AdmissibleHeuristic, Heuristic};
use zonaut_zonegraph::{
    CompiledGoal, CoveringScratch, Scratch, StateEncoding, Step, StepError, SymbolicState,
    ZoneCovering, ZoneGoal, ZoneGraph,
};

fn is_moved<T: Send>() {}
fn is_shared<T: Send + Sync>() {}

/// The store of an eager search.
type Store = ArenaStore<StateEncoding<'static, Narrow>, ZoneCovering<'static, Narrow>>;

/// An eager search with a frontier.
type ZoneSearch<F> = Search<'static, ZoneGraph<'static>, ZoneGoal<'static, 'static>, Store, F>;

#[test]
fn workers_share_networks_goals_and_graphs() {
    is_shared::<Arc<CompiledNetwork>>();
    is_shared::<BoundsTable>();
    is_shared::<CompiledGoal>();
    is_shared::<Meter>();
    is_shared::<ZoneGraph<'_, Narrow>>();
    is_shared::<ZoneGraph<'_, Wide>>();
}

#[test]
fn workers_own_scratch_goals_and_stores() {
    is_moved::<Scratch<Narrow>>();
    is_moved::<Scratch<Wide>>();
    is_moved::<CoveringScratch>();
    is_moved::<ZoneGoal<'_, '_>>();
    is_moved::<Store>();
    is_moved::<NodeTable<Step>>();
    is_moved::<SymbolicState>();
    is_moved::<Step>();
    is_moved::<StepError>();
}

#[test]
fn paused_searches_move_with_their_frontiers() {
    is_moved::<ZoneSearch<Uninformed<Fifo>>>();
    is_moved::<ZoneSearch<Uninformed<RandomDepthFirst>>>();
    is_moved::<ZoneSearch<AStar<Blind>>>();
    is_moved::<ZoneSearch<Guided<Database>>>();
    is_moved::<Restarting<Blind>>();
    is_moved::<Novel<()>>();
    is_moved::<Alternating<AStar<Blind>>>();
}

#[test]
fn heuristics_move_to_the_worker_that_asks_them() {
    is_moved::<Cached<Discrete<Lower<'_>>>>();
    is_moved::<Cached<Discrete<Upper<'_>>>>();
    is_moved::<Discrete<Hamming<'_>>>();
    is_moved::<Discrete<GraphDistance<Maximum>>>();
    is_moved::<Discrete<GraphDistance<Total>>>();
    is_moved::<Discrete<Merged>>();
    is_moved::<Database<Wide>>();
    is_moved::<PartDistances<Narrow, true>>();
    is_moved::<PartDistances<Wide, false>>();
    is_moved::<Share>();
}

#[test]
fn boxed_heuristics_and_frontiers_are_moved() {
    is_moved::<Box<dyn Heuristic<SymbolicState, Step>>>();
    is_moved::<Box<dyn AdmissibleHeuristic<SymbolicState, Step>>>();
    is_moved::<Box<dyn Frontier<SymbolicState, Step>>>();
    is_moved::<Box<dyn CheapestFirst<SymbolicState, Step>>>();
    is_moved::<ZoneSearch<Box<dyn Frontier<SymbolicState, Step>>>>();
}
