//! Comparison of database values with true distances.

use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_heuristics::{Participant, Units, Weights};
use zonaut_model::{Formula, Model, QueryKind};
use zonaut_pdb::{AbstractModel, Database, Distance, Pattern, Symbols};
use zonaut_search::{AStar, ArenaStore, Blind, Fifo, Outcome, Search, Ties, Uninformed};
use zonaut_space::{
    AdmissibleHeuristic, EmptyGoal, NodeId, Observer, PassedStore, Progress, StopReason, Target,
};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, StateEncoding, Step, SymbolicState, ZoneCovering,
    ZoneGoal, ZoneGraph,
};

/// Maximum number of states of the original that are tested one by one.
const STATES: usize = 3000;

/// A model and a goal.
pub(crate) struct Problem {
    /// The model.
    pub(crate) model: Model,
    /// Its goal.
    pub(crate) goal: Formula,
}

impl Problem {
    /// The model of a text, with one query.
    pub(crate) fn of_text(text: &str, query: &str) -> Self {
        let (model, _) =
            zonaut_testkit::front_end::model_of(text, &[query]).expect("a correct model");
        Self::of_model(model)
    }

    /// A model with one query.
    pub(crate) fn of_model(model: Model) -> Self {
        let goal = match &model.queries.iter().next().expect("a query").kind {
            QueryKind::Possibly(formula) => formula.clone(),
            QueryKind::Always(formula) => Formula::Not(Box::new(formula.clone())),
            other => unreachable!("{other:?}"),
        };
        Self { model, goal }
    }

    /// The symbols of these names.
    pub(crate) fn symbols(&self, names: &[&str]) -> Symbols {
        let model = &self.model;
        let is_named = |name: &str| names.contains(&name);
        Symbols {
            processes: model
                .processes
                .iter_enumerated()
                .filter(|(_, p)| is_named(&p.name))
                .map(|(id, _)| id)
                .collect(),
            cells: model
                .cells
                .iter_enumerated()
                .filter(|(_, c)| is_named(&c.name))
                .map(|(id, _)| id)
                .collect(),
            clocks: model
                .clocks
                .iter_enumerated()
                .filter(|(_, x)| is_named(&x.name))
                .map(|(id, _)| id)
                .collect(),
            channels: model
                .channels
                .iter_enumerated()
                .filter(|(_, c)| is_named(&c.name))
                .map(|(id, _)| id)
                .collect(),
        }
    }

    /// The first violation by the database that drops `dropped` and its closure, tested on every
    /// state of the model.
    pub(crate) fn verdict(&self, dropped: &Symbols) -> Result<(), String> {
        let network =
            CompiledNetwork::new(&self.model, &Meter::default()).map_err(|e| format!("{e:?}"))?;
        let bounds = BoundsTable::new(&self.model, &self.goal);
        let abstract_model =
            AbstractModel::new(&self.model, &self.goal, &Pattern::dropping(&self.model, dropped));
        abstract_model.model.validate().map_err(|problems| format!("{problems:?}"))?;
        match ZoneGraph::<Narrow>::keeps_range(&network, &bounds) {
            true => self.judge::<Narrow>(&network, &bounds, &abstract_model),
            false => self.judge::<Wide>(&network, &bounds, &abstract_model),
        }
    }

    /// The first violation by databases with prices whose construction is stopped.
    pub(crate) fn verdict_when_stopped(&self, dropped: &Symbols) -> Result<(), String> {
        let network =
            CompiledNetwork::new(&self.model, &Meter::default()).map_err(|e| format!("{e:?}"))?;
        let bounds = BoundsTable::new(&self.model, &self.goal);
        let abstract_model =
            AbstractModel::new(&self.model, &self.goal, &Pattern::dropping(&self.model, dropped));
        if !ZoneGraph::<Narrow>::keeps_range(&network, &bounds) {
            return Ok(());
        }
        for meter_poll in 1..12 {
            let mut after = After(meter_poll);
            let built = Database::<Narrow>::weighted(
                &self.model,
                &bounds,
                &abstract_model,
                &Prices,
                &mut after,
            );
            if let Ok(mut database) = built {
                self.compare(&network, &bounds, &Prices, &mut database)?;
            }
        }
        Ok(())
    }

    /// The first violation with zones of one width.
    fn judge<W: Width>(
        &self,
        network: &CompiledNetwork,
        bounds: &BoundsTable,
        abstract_model: &AbstractModel,
    ) -> Result<(), String> {
        let mut limit = Limit { states: 20_000 };
        let Ok(mut database) =
            Database::<W>::build(&self.model, bounds, abstract_model, &mut limit)
        else {
            return Ok(());
        };
        self.compare(network, bounds, &Units, &mut database)?;
        // A small limit as well, so that incomplete databases are tested.
        for states in [20_000, 20] {
            let mut limit = Limit { states };
            let weighted =
                Database::<W>::weighted(&self.model, bounds, abstract_model, &Prices, &mut limit);
            if let Ok(mut weighted) = weighted {
                self.compare(network, bounds, &Prices, &mut weighted)?;
            }
        }
        let blind = self.shortest();
        let directed = self.length(network, bounds, database);
        match (blind, directed) {
            // A goal may be found before or after a run-time error.
            (End::Path(_), End::Failed) | (End::Failed, End::Path(_)) => Ok(()),
            (End::Stopped, _) | (_, End::Stopped) => Ok(()),
            _ if blind == directed => Ok(()),
            _ => Err(format!("shortest {blind:?}, with the database {directed:?}")),
        }
    }

    /// Compares every state's value with its distance in the graph of widened zones.
    pub(crate) fn compare<W: Width>(
        &self,
        network: &CompiledNetwork,
        bounds: &BoundsTable,
        weights: &dyn Weights,
        database: &mut Database<W>,
    ) -> Result<(), String> {
        let abstraction = match Abstraction::best(bounds) {
            Abstraction::Simulation => Abstraction::LowerUpperPlus,
            other => other,
        };
        let graph =
            ZoneGraph::<W>::new(network, bounds, abstraction, &Meter::default()).expect("sound");
        let covering = ZoneCovering::new(&graph, Comparison::Equality);
        let store = ArenaStore::new(StateEncoding::new(&graph), covering);
        let limit = Limit { states: STATES };
        let mut edges = Edges { network, weights, edges: Vec::new(), limit };
        let search = Search::reach(&graph, EmptyGoal, store, Uninformed(Fifo::default()));
        let (report, store) = search.finish(&mut edges);
        let goal = CompiledGoal::new(&self.model, &self.goal);
        let mut goal = ZoneGoal::new(&graph, &goal);
        let (nodes, mut state) = (report.nodes.len(), SymbolicState::buffer());
        let mut distances = vec![u32::MAX; nodes];
        for (node, distance) in distances.iter_mut().enumerate() {
            store.load(NodeId::from_index(node), &mut state);
            if goal.witness(&state).is_ok_and(|witness| witness.is_some()) {
                *distance = 0;
            }
        }
        propagate(&mut distances, &edges.edges);
        for (node, &distance) in distances.iter().enumerate() {
            store.load(NodeId::from_index(node), &mut state);
            let value = database.lookup(&state);
            let is_wrong = match value {
                Distance::AtLeast(value) => value > distance,
                Distance::Infinite => distance != u32::MAX,
                Distance::Unknown => false,
            };
            if is_wrong {
                return Err(format!("{value:?} at distance {distance}: {:?}", state.values));
            }
        }
        Ok(())
    }

    /// The result of a search for a shortest path.
    pub(crate) fn shortest(&self) -> End {
        let Ok(network) = CompiledNetwork::new(&self.model, &Meter::default()) else {
            return End::Stopped;
        };
        let bounds = BoundsTable::new(&self.model, &self.goal);
        match ZoneGraph::<Narrow>::keeps_range(&network, &bounds) {
            true => self.length::<Narrow>(&network, &bounds, Blind),
            false => self.length::<Wide>(&network, &bounds, Blind),
        }
    }

    /// The result of a search with a heuristic.
    fn length<W: Width>(
        &self,
        network: &CompiledNetwork,
        bounds: &BoundsTable,
        heuristic: impl AdmissibleHeuristic<SymbolicState<W>, Step>,
    ) -> End {
        let abstraction = Abstraction::best(bounds);
        let graph =
            ZoneGraph::<W>::new(network, bounds, abstraction, &Meter::default()).expect("sound");
        let covering = ZoneCovering::new(&graph, Comparison::of(abstraction));
        let goal = CompiledGoal::new(&self.model, &self.goal);
        let (goal, frontier) =
            (ZoneGoal::new(&graph, &goal), AStar::new(heuristic, Ties::default()));
        let store = ArenaStore::new(StateEncoding::new(&graph), covering);
        let search = Search::shortest(&graph, goal, store, frontier);
        let (report, _) = search.finish(&mut Limit { states: 20_000 });
        match report.outcome {
            Outcome::Reached { steps, .. } => End::Path(steps.len()),
            Outcome::Exhausted => End::Nowhere,
            Outcome::Failed { .. } => End::Failed,
            Outcome::Stopped { .. } => End::Stopped,
        }
    }
}

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// A path of this length was found.
    Path(usize),
    /// Neither a goal nor a run-time error is reachable.
    Nowhere,
    /// A run-time error was found.
    Failed,
    /// The search was stopped.
    Stopped,
}

/// Lowers distances along edges, backwards, until nothing changes.
fn propagate(distances: &mut [u32], edges: &[WeightedEdge]) {
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for edge in edges.iter().rev() {
            let through = distances[edge.to.index()].saturating_add(edge.weight);
            if through < distances[edge.from.index()] {
                distances[edge.from.index()] = through;
                is_changed = true;
            }
        }
    }
}

/// Arbitrary prices of transitions: each participant has one, for some of them it is 0.
pub(crate) struct Prices;

impl Weights for Prices {
    fn of(&self, participants: &[Participant]) -> u32 {
        let price = |p: &Participant| (p.process.index() * 5 + p.edge.index() * 7 + 2) % 4;
        participants.iter().map(price).sum::<usize>() as u32
    }
}

/// An observer that stops after a number of states.
pub(crate) struct Limit {
    /// The number of states.
    pub(crate) states: usize,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Limit {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        if now.stored > self.states {
            return ControlFlow::Break(StopReason::NodeLimit);
        }
        ControlFlow::Continue(())
    }
}

/// An observer that stops at this report.
pub(crate) struct After(pub(crate) u32);

impl<W: Width> Observer<SymbolicState<W>, Step> for After {
    fn progress(&mut self, _: &Progress) -> ControlFlow<StopReason> {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 {
            ControlFlow::Break(StopReason::TimeLimit)
        } else {
            ControlFlow::Continue(())
        }
    }
}

struct WeightedEdge {
    from: NodeId,
    to: NodeId,
    weight: u32,
}

struct Edges<'a> {
    network: &'a CompiledNetwork,
    weights: &'a dyn Weights,
    edges: Vec<WeightedEdge>,
    limit: Limit,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Edges<'_> {
    fn edge(&mut self, from: NodeId, step: Step, target: Target) {
        let weight = self.network.names().read(step, |participants| {
            let named = participants.iter().map(|&action| {
                let action = self.network.action(action);
                Participant { process: action.process, edge: action.edge }
            });
            self.weights.of(&named.collect::<Vec<_>>())
        });
        self.edges.push(WeightedEdge { from, to: target.node(), weight });
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        Observer::<SymbolicState<W>, Step>::progress(&mut self.limit, now)
    }
}
