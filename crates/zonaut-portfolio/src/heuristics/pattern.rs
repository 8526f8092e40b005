//! Pattern databases as heuristics: selection of the pattern, limits of construction, and storage.

use super::HeuristicFactory;
use super::budget::Budget;
use crate::task::{NoSearch, SearchObserver};
use std::ops::ControlFlow;
use zonaut_dbm::Width;
use zonaut_heuristics::{Units, Weights};
use zonaut_model::Formula;
use zonaut_pdb::{
    AbstractModel, Database, Pattern, Unexplorable, cone, metered_error_path_pattern,
};
use zonaut_space::{Meter, Observer, Progress, StopReason};
use zonaut_strategy::{PatternSpec, Selector};
use zonaut_zonegraph::{Step, SymbolicState};

impl HeuristicFactory<'_> {
    /// The database that `spec` describes, loaded or built. It is partial if a limit ends its
    /// construction.
    pub(super) fn database<W: Width>(
        &self,
        spec: &PatternSpec,
        observer: SearchObserver<'_, W>,
    ) -> Result<Database<W>, NoSearch> {
        let meter = observer.meter();
        if spec.selector == Selector::Deepening {
            return self.deepest(spec, observer);
        }
        let pattern = self.kept_part(spec.selector, self.formula, &meter)?;
        let child = AbstractModel::new(self.model, self.formula, &pattern);
        let database = self.kept(
            &spec.unlimited(),
            |name, file| Database::load(self.model, self.bounds, &child, name, file),
            || self.build(spec, &child, &Units, observer),
        )?;
        self.account.count(&database, &meter);
        Ok(database)
    }

    /// The part of the model that the pattern for a goal keeps; the smallest one if limits decide.
    pub(super) fn kept_part(
        &self,
        selector: Selector,
        goal: &Formula,
        meter: &Meter,
    ) -> Result<Pattern, NoSearch> {
        match selector {
            Selector::ErrorPath { inputs } => {
                let pattern = metered_error_path_pattern(self.model, goal, inputs, meter);
                pattern.map_err(NoSearch::Stopped)
            }
            Selector::Cone { layers } => Ok(cone(self.model, goal, layers)),
            Selector::Deepening => Ok(cone(self.model, goal, 0)),
        }
    }

    /// The database of an abstract model, with transitions counted by `weights`.
    pub(super) fn build<W: Width>(
        &self,
        spec: &PatternSpec,
        child: &AbstractModel,
        weights: &dyn Weights,
        observer: SearchObserver<'_, W>,
    ) -> Result<Database<W>, NoSearch> {
        let PatternSpec { states, seconds, megabytes, .. } = *spec;
        let budget = Budget::new(states, seconds, megabytes, self.environment);
        let mut building = Building { budget, query: observer };
        let built = Database::weighted(self.model, self.bounds, child, weights, &mut building);
        built.map_err(|why| {
            let what = match why {
                Unexplorable::TooManyActions => {
                    "a pattern database with too many combinations of \
                                                 `select` values"
                }
                Unexplorable::ClockRange => {
                    "a pattern database with clock values beyond the \
                                             exact range"
                }
                Unexplorable::Stopped(why) => return NoSearch::Stopped(why),
            };
            NoSearch::Unsuited(what.to_owned())
        })
    }

    /// The database of the greatest number of layers of influence that can be explored within the
    /// limits; a partial one of the first layer if even that exceeds them. It is not stored between
    /// runs, because it depends on the limits.
    fn deepest<W: Width>(
        &self,
        spec: &PatternSpec,
        observer: SearchObserver<'_, W>,
    ) -> Result<Database<W>, NoSearch> {
        let mut best: Option<(Pattern, Database<W>)> = None;
        for layers in 0.. {
            let pattern = cone(self.model, self.formula, layers);
            if best.as_ref().is_some_and(|(known, _)| *known == pattern) {
                break;
            }
            let child = AbstractModel::new(self.model, self.formula, &pattern);
            let database = self.build(spec, &child, &Units, observer)?;
            let is_complete = database.is_complete();
            if is_complete || best.is_none() {
                best = Some((pattern, database));
            }
            if !is_complete {
                break;
            }
        }
        let (_, database) = best.expect("invariant: the first layer has a database");
        self.account.count(&database, &observer.meter());
        Ok(database)
    }
}

/// Ends the construction of a database at its own limits, or when the query ends.
struct Building<'o, W: Width> {
    budget: Budget<'o>,
    query: SearchObserver<'o, W>,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Building<'_, W> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.query.progress(now)?;
        let reached = self.budget.reached(now.explored, now.bytes);
        reached.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    fn meter(&self) -> Meter {
        self.query.meter()
    }
}
