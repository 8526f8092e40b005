//! Static dispatch to the selected abstraction.

use super::{Abstraction, Exact, LowerUpper, LowerUpperPlus, Maximum, Simulation, ZoneAbstraction};
use crate::active_clocks::ActiveClocks;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Width, Zone};

/// The selected abstraction: one branch per zone, and no indirect call.
#[derive(Clone, Debug)]
pub(crate) enum Widening {
    Exact(Exact),
    Maximum(Maximum),
    LowerUpper(LowerUpper),
    LowerUpperPlus(LowerUpperPlus),
    Simulation(Simulation),
}

impl Widening {
    /// Prepares to widen zones for a model and a goal with these bounds.
    pub(crate) fn new(abstraction: Abstraction, bounds: &BoundsTable) -> Self {
        match abstraction {
            Abstraction::Exact => Self::Exact(Exact::new(bounds)),
            Abstraction::Maximum => Self::Maximum(Maximum::new(bounds)),
            Abstraction::LowerUpper => Self::LowerUpper(LowerUpper::new(bounds)),
            Abstraction::LowerUpperPlus => Self::LowerUpperPlus(LowerUpperPlus::new(bounds)),
            Abstraction::Simulation => Self::Simulation(Simulation::new(bounds)),
        }
    }

    /// Whether zones may be split into parts.
    pub(crate) fn may_split(&self) -> bool {
        match self {
            Self::Exact(exact) => exact.may_split(),
            Self::Maximum(maximum) => maximum.may_split(),
            Self::LowerUpper(lower_upper) => lower_upper.may_split(),
            Self::LowerUpperPlus(lower_upper) => lower_upper.may_split(),
            Self::Simulation(simulation) => simulation.may_split(),
        }
    }

    /// Widens `zone` in place, or leaves its widened parts in `parts`; returns whether it was
    /// split.
    pub(crate) fn widen<W: Width>(
        &mut self,
        active: &ActiveClocks,
        zone: &mut Zone<W>,
        parts: &mut Vec<Zone<W>>,
    ) -> bool {
        match self {
            Self::Exact(exact) => exact.widen(active, zone, parts),
            Self::Maximum(maximum) => maximum.widen(active, zone, parts),
            Self::LowerUpper(lower_upper) => lower_upper.widen(active, zone, parts),
            Self::LowerUpperPlus(lower_upper) => lower_upper.widen(active, zone, parts),
            Self::Simulation(simulation) => simulation.widen(active, zone, parts),
        }
    }

    /// Widens a zone outside the exact range so that its bounds are constants again, if that
    /// preserves all answers; returns whether it does.
    pub(crate) fn confine<W: Width>(&self, active: &ActiveClocks, zone: &mut Zone<W>) -> bool {
        match self {
            Self::Exact(exact) => exact.confine(active, zone),
            Self::Maximum(maximum) => maximum.confine(active, zone),
            Self::LowerUpper(lower_upper) => lower_upper.confine(active, zone),
            Self::LowerUpperPlus(lower_upper) => lower_upper.confine(active, zone),
            Self::Simulation(simulation) => simulation.confine(active, zone),
        }
    }
}
