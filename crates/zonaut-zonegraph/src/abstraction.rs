//! Zone abstractions, which make the zone graph finite.

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

/// An abstraction of zones: the widening of every zone, and the comparison of states that it
/// admits.
///
/// Laws, for networks whose clock differences it respects ([`Properties`]):
///
/// * The union of the parts of a widened zone contains the zone.
/// * The additional valuations are simulated by the zone: exploration reaches the same locations.
/// * Widening is idempotent.
///
/// Every abstraction has a file of its own beside this one. To add one, name it in [`Abstraction`]
/// and in [`Widening`].
pub(crate) trait ZoneAbstraction {
    /// The static properties of the abstraction.
    const PROPERTIES: Properties;

    /// Prepares to widen zones for a model and a goal with these bounds.
    fn new(bounds: &BoundsTable) -> Self;

    /// Whether zones may be split into parts.
    fn may_split(&self) -> bool {
        false
    }

    /// Widens `zone` in place; if the zone is split, leaves its widened parts in `parts`, which is
    /// empty otherwise. Returns whether it was split.
    fn widen<W: Width>(
        &mut self,
        active: &ActiveClocks,
        zone: &mut Zone<W>,
        parts: &mut Vec<Zone<W>>,
    ) -> bool;

    /// Widens a zone outside the range in which steps are exact so that its bounds are constants
    /// again, if that preserves all answers; returns whether it does. Called only without clock
    /// differences.
    fn confine<W: Width>(&self, _active: &ActiveClocks, _zone: &mut Zone<W>) -> bool {
        false
    }
}

/// The static properties of an abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// A short description.
    pub meaning: &'static str,
    /// The coarsest comparison of states that is sound with it.
    pub comparison: Comparison,
    /// The greatest class of clock differences for which it is sound.
    pub respects: Differences,
    /// Whether zones contain reachable valuations only, unless they are confined.
    pub holds_reachable_only: bool,
    /// Whether all bounds of zones are constants of model and goal if clock differences are absent;
    /// otherwise they grow with the length of runs.
    pub leaves_constants_only: bool,
}

/// An abstraction by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// No abstraction: zones are exact, and exploration may not terminate.
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

    /// Its static properties.
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

    /// Whether it is sound for these clock differences.
    #[must_use]
    pub fn respects(self, differences: Differences) -> bool {
        differences <= self.properties().respects
    }

    /// The coarsest abstraction that is sound for the model and goal of `bounds`.
    #[must_use]
    pub fn best(bounds: &BoundsTable) -> Self {
        let differences = Differences::of(bounds);
        let sound = Self::ALL.into_iter().rev().find(|all| all.respects(differences));
        sound.unwrap_or(Self::Exact)
    }
}
