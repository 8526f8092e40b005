//! How zones are made finitely many.

mod differences;
mod exact;
mod lower_upper;
mod lower_upper_plus;
mod maximum;
mod simulation;
#[cfg(test)]
mod tests;
mod widening;

pub use differences::Differences;
pub(crate) use widening::Widening;

use crate::active_clocks::ActiveClocks;
use crate::store::Comparison;
use exact::Exact;
use lower_upper::LowerUpper;
use lower_upper_plus::LowerUpperPlus;
use maximum::Maximum;
use simulation::Simulation;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Width, Zone};

/// A way to make zones finitely many: what is done to the zone of every state, and when one state
/// covers another then.
///
/// Laws, for networks whose clock differences it respects ([`Properties`]):
///
/// * The parts of a widened zone together hold the zone.
/// * What they hold besides is simulated by the zone: exploration reaches the same locations.
/// * Widening a part again changes nothing.
///
/// Every abstraction has a file of its own beside this one. To add one, name it in
/// [`Abstraction`] and in [`Widening`].
pub(crate) trait ZoneAbstraction {
    /// What is known of it before anything is explored.
    const PROPERTIES: Properties;

    /// Prepares to widen zones for a model and a goal with these bounds.
    fn new(bounds: &BoundsTable) -> Self;

    /// Whether zones may be split into parts.
    fn may_split(&self) -> bool {
        false
    }

    /// Widens `zone` in place, or, where it is split, leaves its widened parts in `parts`, which
    /// are none otherwise. Whether it was split.
    fn widen<W: Width>(
        &mut self,
        active: &ActiveClocks,
        zone: &mut Zone<W>,
        parts: &mut Vec<Zone<W>>,
    ) -> bool;

    /// Widens a zone that went out of the range in which steps are exact so that its bounds are
    /// constants again, if that changes no answer; whether it does. Only where there are no clock
    /// differences.
    fn confine<W: Width>(&self, _frame: &ActiveClocks, _zone: &mut Zone<W>) -> bool {
        false
    }
}

/// What is known of an abstraction before anything is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// What it does, in a few words.
    pub meaning: &'static str,
    /// The coarsest comparison of states that is sound with it.
    pub comparison: Comparison,
    /// The clock differences with which it is sound.
    pub respects: Differences,
    /// Whether zones hold nothing but what can be reached, unless they are confined.
    pub holds_reachable_only: bool,
    /// Whether all bounds of zones are constants of model and goal, as long as there are no clock
    /// differences; otherwise they grow with the length of runs.
    pub leaves_constants_only: bool,
}

/// The choice of an abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// None: zones are exact, and exploration may not end.
    Exact,
    /// Extrapolation with the greatest constant of each clock.
    Maximum,
    /// Extrapolation with lower and upper bounds.
    LowerUpper,
    /// The coarser extrapolation with lower and upper bounds.
    LowerUpperPlus,
    /// Exact zones, compared by the simulation that lower and upper bounds induce.
    Simulation,
}

impl Abstraction {
    /// All abstractions, those with more states first.
    pub const ALL: [Self; 5] =
        [Self::Exact, Self::Maximum, Self::LowerUpper, Self::LowerUpperPlus, Self::Simulation];

    /// What is known of it.
    #[must_use]
    pub const fn properties(self) -> Properties {
        match self {
            Self::Exact => Exact::PROPERTIES,
            Self::Maximum => Maximum::PROPERTIES,
            Self::LowerUpper => LowerUpper::PROPERTIES,
            Self::LowerUpperPlus => LowerUpperPlus::PROPERTIES,
            Self::Simulation => Simulation::PROPERTIES,
        }
    }

    /// The name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.properties().name
    }

    /// The abstraction of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|abstraction| abstraction.name() == name)
    }

    /// Whether it gives right answers with such clock differences.
    #[must_use]
    pub fn respects(self, differences: Differences) -> bool {
        differences <= self.properties().respects
    }

    /// The coarsest abstraction that is sound for what `bounds` describe.
    #[must_use]
    pub fn best(bounds: &BoundsTable) -> Self {
        let differences = Differences::of(bounds);
        let sound = Self::ALL.into_iter().rev().find(|all| all.respects(differences));
        sound.unwrap_or(Self::Exact)
    }
}
