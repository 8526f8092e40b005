//! The sets of priced zones in certificates of kind `mincost`, as `docs/CERTIFICATES.md` describes
//! them: the priced zones that are reached for less than a cost, and for each of their successors a
//! priced zone that covers it.
//!
//! A successor is a priced zone that several operations have computed, each of which splits. With it
//! goes its origin, the valuations and delays that these parts come from, as a zone over the clocks of
//! the source and the delay. The cost of the successor is the least over its origin, so for every
//! valuation and delay of the origin the cost is at least that of the successor, and of its cover. The
//! dual flow of this linear program over the origin is written.

use crate::flow::{Shipment, minimum};
use crate::graph::{Image, Origins, PricedGraph, Target};
use crate::priced_zone::CostFunction;
use crate::search::{PricedGoal, PricedSearch, ZonePricing};
use crate::state::{PricedCovering, PricedEncoding, PricedState};
use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, ClockRow};
use zonaut_cost::{
    CostOrder, Estimated, Infimum, Nothing, OptimizationObserver, Unproven, Watched,
    write_constraints, write_discrete, write_participants,
};
use zonaut_dbm::{Row, Wide, Zone};
use zonaut_search::{ArenaStore, Budget, Outcome, Search};
use zonaut_space::{Cost, PassedStore, TransitionSystem};
use zonaut_zonegraph::{StepError, SymbolicState, ZoneGoal};

impl PricedSearch<'_> {
    /// Writes that no path costs less than `cost`: the priced zones that are reached for less.
    ///
    /// # Errors
    /// A search that is not possible, and errors of `out`.
    pub fn write_proof(
        &self,
        cost: Infimum,
        watcher: &mut dyn OptimizationObserver,
        out: &mut dyn Write,
    ) -> Result<(), Unproven> {
        let graph = self.graph().map_err(Unproven::Failure)?;
        let goal = || PricedGoal(ZoneGoal::new(graph.zones(), self.goal()));
        let encoding = PricedEncoding { network: graph.zones().network() };
        let store = ArenaStore::new(encoding, PricedCovering);
        let frontier = Estimated::new(CostOrder::LeastCost, Nothing);
        let pricing = ZonePricing(goal());
        let mut search = Search::cheapest(&graph, pricing, goal(), store, frontier).below(cost);
        let _ = search.run(Budget::UNLIMITED, &mut Watched { watcher, lower_bound: Infimum::ZERO });
        let (report, store) = search.into_report();
        match report.outcome {
            Outcome::Exhausted => {}
            Outcome::Stopped { why, .. } => return Err(Unproven::Stopped(why)),
            Outcome::Reached { .. } => return Err(Unproven::Contradiction),
            Outcome::Failed { .. } => return Err(Unproven::Fails),
        }
        let mut nodes = Vec::new();
        let mut by_state: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
        let mut state =
            PricedState::new(SymbolicState::buffer(), CostFunction::zero(1), Infimum::ZERO);
        for node in store.live_nodes() {
            store.load(node, &mut state);
            by_state.entry(state.symbolic.key().to_vec()).or_default().push(nodes.len());
            nodes.push(state.clone());
        }
        let proof = Proof { search: self, graph: &graph, cost, nodes, by_state };
        proof.write(out)
    }
}

/// The priced zones that are reached for less than a cost.
struct Proof<'p, 'm> {
    search: &'p PricedSearch<'m>,
    graph: &'p PricedGraph<'p>,
    cost: Infimum,
    nodes: Vec<PricedState>,
    /// The nodes of each discrete state.
    by_state: HashMap<Vec<u64>, Vec<usize>>,
}

/// A cover of a part of the targets of a transition.
struct Cover {
    /// The node, or `None` if the part costs as much as is claimed.
    node: Option<usize>,
    flow: Vec<Shipment>,
    /// The part, as a zone.
    part: Zone<Wide>,
}

/// A transition with the covers of its targets.
struct Covered {
    participants: Vec<ActionId>,
    covers: Vec<Cover>,
}

impl Proof<'_, '_> {
    fn write(&self, out: &mut dyn Write) -> Result<(), Unproven> {
        writeln!(out, "abs incl")?;
        writeln!(out, "nodes {}", self.nodes.len())?;
        for (number, node) in self.nodes.iter().enumerate() {
            let rows = self.graph.zones().rows(&node.symbolic);
            write!(out, "node {number} ")?;
            write_discrete(self.search.model(), &node.symbolic.values, out)?;
            write_constraints(&node.symbolic.zone, &rows, out)?;
            writeln!(out)?;
        }
        for (number, node) in self.nodes.iter().enumerate() {
            let rows = self.graph.zones().rows(&node.symbolic);
            let how = if node.cost.is_attained { "attained" } else { "above" };
            write!(out, "cost {number} {} {how}", node.cost.constant)?;
            let slopes = rows.iter().zip(&node.cost.slopes).skip(1);
            for (clock, slope) in slopes.filter(|(_, slope)| **slope != 0) {
                write!(out, " {clock}:{slope}")?;
            }
            writeln!(out)?;
        }
        let mut scratch = self.graph.scratch();
        for Covered { covers, .. } in self.covers_of(None, &mut scratch)? {
            writeln!(out, "start")?;
            self.write_covers(&covers, vec![0], out)?;
        }
        for (number, node) in self.nodes.iter().enumerate() {
            let rows = self.graph.zones().rows(&node.symbolic);
            self.write_goal(number, node, &rows, out)?;
            for Covered { participants, covers } in self.covers_of(Some(node), &mut scratch)? {
                write!(out, "take {number}")?;
                write_participants(self.graph.zones().network(), &participants, out)?;
                writeln!(out)?;
                self.write_covers(&covers, rows.clone(), out)?;
            }
        }
        Ok(())
    }

    /// Writes the flows that prove the least cost wherever the goal holds in a node.
    fn write_goal(
        &self,
        number: usize,
        node: &PricedState,
        rows: &[ClockRow],
        out: &mut dyn Write,
    ) -> Result<(), Unproven> {
        let mut covers = Vec::new();
        let mut goal = ZoneGoal::new(self.graph.zones(), self.search.goal());
        let visited = goal.for_each_part(&node.symbolic, |part| {
            let found = minimum(part.as_slice(), &node.cost.slopes);
            let cover = |flow| Cover { node: None, flow, part: part.clone() };
            covers.extend(found.map(|found| cover(found.flow)));
        });
        visited.map_err(|_| Unproven::Fails)?;
        if covers.is_empty() {
            return Ok(());
        }
        writeln!(out, "goal {number}")?;
        self.write_covers(&covers, rows.to_vec(), out)
    }

    /// Writes covers; `rows` are the clocks of the source, and one more measures the delay.
    fn write_covers(
        &self,
        covers: &[Cover],
        mut rows: Vec<ClockRow>,
        out: &mut dyn Write,
    ) -> Result<(), Unproven> {
        rows.push(self.search.model().clocks.len() as ClockRow + 1);
        for Cover { node, flow, part } in covers {
            match node {
                Some(node) => write!(out, "by {node} ")?,
                None => write!(out, "by - ")?,
            }
            let unit = |one: &Shipment| {
                let (from, to) = (rows[one.from.index()], rows[one.to.index()]);
                format!("{from}-{to}:{}", one.units)
            };
            let units: Vec<String> = flow.iter().map(unit).collect();
            write!(out, "{}", if units.is_empty() { "-".to_owned() } else { units.join(",") })?;
            // A single cover needs no constraints: it is valid everywhere.
            if covers.len() > 1 {
                write_constraints(part, &rows, out)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// The covers of the targets of a node, or of the start, by transition.
    fn covers_of(
        &self,
        node: Option<&PricedState>,
        scratch: &mut <PricedGraph<'_> as TransitionSystem>::Scratch,
    ) -> Result<Vec<Covered>, Unproven> {
        let mut all: Vec<Covered> = Vec::new();
        let mut failed = None;
        let nothing = CostFunction::zero(1);
        let source = node.map_or(&nothing, |node| &node.cost);
        let _ = self.graph.for_each_target(node, Origins::Kept, scratch, &mut |actions, target| {
            let covers = match target {
                Ok(target) => self.covers(source, &target),
                Err(StepError::Stopped(why)) => Err(Unproven::Stopped(why)),
                Err(_) => Err(Unproven::Fails),
            };
            match covers {
                Ok(covers) => match all.iter_mut().find(|known| known.participants == actions) {
                    Some(known) => known.covers.extend(covers),
                    None => all.push(Covered { participants: actions.to_vec(), covers }),
                },
                Err(why) => failed = Some(why),
            }
            match failed {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        });
        failed.map_or(Ok(all), Err)
    }

    fn covers(&self, source: &CostFunction, target: &Target<'_>) -> Result<Vec<Cover>, Unproven> {
        let mut covers = Vec::new();
        let rate = self.graph.rate_in(target.symbolic);
        for way in &target.ways {
            let (Some(origin), Some(part)) = (&way.origin, target.part(&way.priced)) else {
                continue;
            };
            let dim = origin.dim() as u32;
            let meter = self.graph.zones().meter();
            meter.spend(dim.saturating_mul(dim)).map_err(Unproven::Stopped)?;
            // A successor that nothing covers is left to the checker to reject.
            let Some(node) = self.cover_of(&part) else { continue };
            let cost = node.map(|node| &self.nodes[node].cost);
            let slopes = excess(source, rate, cost, target.image).ok_or(Unproven::Fails)?;
            let found = minimum(origin.as_slice(), &slopes);
            covers.extend(found.map(|found| Cover {
                node,
                flow: found.flow,
                part: origin.clone(),
            }));
        }
        Ok(covers)
    }

    /// The node that covers a successor, `None` inside if it costs as much as is claimed.
    fn cover_of(&self, part: &PricedState) -> Option<Option<usize>> {
        if part.least >= self.cost {
            return Some(None);
        }
        let nodes = self.by_state.get(part.symbolic.key())?;
        nodes.iter().find(|&&number| self.nodes[number].covers(part)).map(|&number| Some(number))
    }
}

/// The slopes, over the rows of an extended zone, of the cost after a delay at a rate minus the cost
/// of a cover; `None` if they are too large.
fn excess(
    source: &CostFunction,
    rate: i64,
    cover: Option<&CostFunction>,
    image: Image<'_>,
) -> Option<Vec<i64>> {
    let elapsed = image.elapsed.index();
    let mut slopes = vec![0_i64; elapsed + 1];
    slopes[elapsed] = rate;
    for (row, &slope) in source.slopes.iter().enumerate().skip(1) {
        slopes[row] = slopes[row].checked_add(slope)?;
        slopes[elapsed] = slopes[elapsed].checked_sub(slope)?;
    }
    for (row, &slope) in cover.into_iter().flat_map(|cover| cover.slopes.iter().enumerate().skip(1))
    {
        let (place, _) = image.place(Row::from_index(row));
        slopes[place.index()] = slopes[place.index()].checked_sub(slope)?;
    }
    Some(slopes)
}
