//! The author's variables that guide the search, as an estimate.
//!
//! They are part of the state here: states of different labels do not cover each other.

use crate::state::PricedState;
use zonaut_base::Id;
use zonaut_cost::{CostLabels, Estimate, Infimum};
use zonaut_model::{CellId, Model};

/// The model in which labels keep their values between transitions.
pub(crate) fn with_kept_labels(model: &Model, labels: CostLabels) -> Model {
    let mut model = model.clone();
    let cells = [labels.remaining, labels.heur, labels.priority];
    cells.into_iter().flatten().for_each(|cell| model.cells[cell].meta = false);
    model
}

/// The estimate by `remaining`, and the rank by `heur` or `priority`.
pub(crate) struct LabelEstimate {
    /// The position of `remaining` among the values of a state.
    remaining: Option<usize>,
    rank: Option<Rank>,
    rank_of_last: i64,
}

/// A label by which states are ordered.
#[derive(Clone, Copy)]
enum Rank {
    /// The least value at this position first.
    Least(usize),
    /// The greatest value at this position first.
    Greatest(usize),
}

impl LabelEstimate {
    /// The estimate of these labels in a network with this number of processes.
    pub(crate) fn new(labels: CostLabels, processes: usize) -> Self {
        let place = |cell: CellId| processes + cell.index();
        let least = labels.heur.map(|cell| Rank::Least(place(cell)));
        let greatest = labels.priority.map(|cell| Rank::Greatest(place(cell)));
        Self { remaining: labels.remaining.map(place), rank: least.or(greatest), rank_of_last: 0 }
    }
}

impl Estimate<PricedState> for LabelEstimate {
    fn total(&mut self, state: &PricedState, cost: Infimum) -> Option<Infimum> {
        let value = |place: usize| i64::from(state.symbolic.values[place]);
        self.rank_of_last = match self.rank {
            Some(Rank::Least(place)) => value(place),
            Some(Rank::Greatest(place)) => -value(place),
            None => 0,
        };
        let left = self.remaining.map_or(0, |place| value(place).max(0));
        Some(cost.max(Infimum::attained(cost.value() + left)))
    }

    fn rank(&self) -> i64 {
        self.rank_of_last
    }
}
