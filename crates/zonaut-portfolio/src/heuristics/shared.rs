//! Admissible sums by cost partitioning: each component sees a conjunct of the goal, and the cost
//! of transitions is shared among them; `zonaut_heuristics::Sharing` has the proof.

use super::{BoxedAdmissible, HeuristicFactory, cached};
use crate::task::{NoSearch, SearchObserver};
use std::sync::Arc;
use zonaut_dbm::Width;
use zonaut_heuristics::{EdgeGroups, Participant, Relaxation, Share, Sharing, UNIT, conjuncts};
use zonaut_model::Formula;
use zonaut_pdb::{AbstractModel, cone};
use zonaut_space::{Admissible, Arrival, Estimate, Heuristic};
use zonaut_strategy::HeuristicSpec;
use zonaut_zonegraph::{Step, SymbolicState};

/// A component heuristic for one conjunct of the goal.
struct Component<'f> {
    spec: &'f HeuristicSpec,
    goal: &'f Formula,
    /// The abstract model for the conjunct.
    child: AbstractModel,
}

impl<'m> HeuristicFactory<'m> {
    /// The admissible sum of these heuristics over the conjuncts of the goal.
    pub(super) fn shared_sum<W: Width>(
        &self,
        specs: &[HeuristicSpec],
        observer: SearchObserver<'_, W>,
    ) -> Result<SharedSum<'m, W>, NoSearch> {
        let goals = conjuncts(self.model, self.formula);
        let mut components = Vec::new();
        for spec in specs {
            for goal in &goals {
                let pattern = match spec {
                    HeuristicSpec::Pattern(pattern) => {
                        self.kept_part(pattern.selector, goal, &observer.meter())?
                    }
                    _ => cone(self.model, goal, u32::MAX),
                };
                let child = AbstractModel::new(self.model, goal, &pattern);
                components.push(Component { spec, goal, child });
            }
        }
        let edge_groups = Arc::new(EdgeGroups::new(self.model));
        let seen: Vec<Vec<Participant>> =
            components.iter().map(|component| component.child.seen_edges()).collect();
        let mut sums: Vec<Parts<'m, W>> = Vec::new();
        let mut known: Vec<Vec<Share>> = Vec::new();
        for sharing in Sharing::ALL {
            let shares = sharing.among(&edge_groups, &seen);
            if known.contains(&shares) {
                continue;
            }
            let parts = components.iter().zip(&shares);
            let parts = parts.map(|(component, share)| self.component(component, share, observer));
            sums.push(parts.collect::<Result<_, NoSearch>>()?);
            known.push(shares);
        }
        let never_fails = self.relaxation(&observer.meter())?.never_fails();
        Ok(SharedSum { sums, is_chosen: false, never_fails })
    }

    fn component<W: Width>(
        &self,
        component: &Component<'_>,
        share: &Share,
        observer: SearchObserver<'_, W>,
    ) -> Result<BoxedAdmissible<'m, W>, NoSearch> {
        let meter = observer.meter();
        match component.spec {
            HeuristicSpec::Pattern(pattern) => {
                let database = self.build(pattern, &component.child, share, observer)?;
                self.account.count(&database, &meter);
                Ok(Box::new(database))
            }
            HeuristicSpec::Lower { cache, .. } => {
                let relaxation = Relaxation::weighted(self.model, component.goal, share, &meter);
                let relaxation = relaxation.map_err(NoSearch::Stopped)?;
                Ok(Box::new(cached(relaxation.lower(), *cache)))
            }
            spec => Err(NoSearch::Unsuited(format!("cost partitioning for `{spec}`"))),
        }
    }
}

/// Component heuristics of one cost partitioning.
type Parts<'m, W> = Vec<BoxedAdmissible<'m, W>>;

/// The sum of component heuristics, with the cost partitioning that gives the highest estimate for
/// the first evaluated state.
pub(super) struct SharedSum<'m, W: Width> {
    /// One for each cost partitioning, until one of them is chosen.
    sums: Vec<Parts<'m, W>>,
    is_chosen: bool,
    /// Whether the model cannot raise a run-time error. If it can, no conjunct alone determines
    /// whether a state without a path to the goal leads to an error.
    never_fails: bool,
}

impl<W: Width> Admissible for SharedSum<'_, W> {}

impl<W: Width> SharedSum<'_, W> {
    fn sum(
        &mut self,
        index: usize,
        state: &SymbolicState<W>,
        arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
    ) -> Estimate<u32> {
        let mut sum = 0_u64;
        let mut is_last = false;
        for part in &mut self.sums[index] {
            match part.estimate(state, arrival) {
                Estimate::Distance(distance) => sum += u64::from(distance),
                Estimate::DeadEnd if self.never_fails => return Estimate::DeadEnd,
                Estimate::DeadEnd | Estimate::Last => is_last = true,
            }
        }
        match is_last {
            true => Estimate::Last,
            false => Estimate::Distance(sum.div_ceil(u64::from(UNIT)) as u32),
        }
    }

    /// Chooses the cost partitioning with the highest estimate for a state.
    fn choose(
        &mut self,
        state: &SymbolicState<W>,
        arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
    ) {
        let mut best = (0, 0);
        for index in 0..self.sums.len() {
            if let Estimate::Distance(distance) = self.sum(index, state, arrival)
                && distance > best.1
            {
                best = (index, distance);
            }
        }
        self.sums.swap(0, best.0);
        self.sums.truncate(1);
        self.is_chosen = true;
    }
}

impl<W: Width> Heuristic<SymbolicState<W>, Step> for SharedSum<'_, W> {
    fn estimate(
        &mut self,
        state: &SymbolicState<W>,
        arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
    ) -> Estimate<u32> {
        if !self.is_chosen {
            self.choose(state, arrival);
        }
        self.sum(0, state, arrival)
    }
    fn name(&self) -> &'static str {
        "sum"
    }
}
