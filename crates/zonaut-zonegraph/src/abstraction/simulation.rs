//! Exact zones that cover what they simulate, of which there are finitely many.

use super::{Differences, Properties, ZoneAbstraction};
use crate::active_clocks::ActiveClocks;
use crate::store::Comparison;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Width, Zone};

/// Leaves zones as they are; the comparison widens them instead.
#[derive(Clone, Debug)]
pub(crate) struct Simulation;

impl ZoneAbstraction for Simulation {
    const PROPERTIES: Properties = Properties {
        name: "alu",
        meaning: "Exact zones, compared by the simulation that lower and upper bounds induce",
        comparison: Comparison::Simulation,
        respects: Differences::Absent,
        holds_reachable_only: true,
        leaves_constants_only: false,
    };

    fn new(_bounds: &BoundsTable) -> Self {
        Self
    }

    fn widen<W: Width>(&mut self, _: &ActiveClocks, _: &mut Zone<W>, _: &mut Vec<Zone<W>>) -> bool {
        false
    }

    /// What this extrapolation adds is simulated by what was there, because it is finer than the
    /// simulation.
    fn confine<W: Width>(&self, active: &ActiveClocks, zone: &mut Zone<W>) -> bool {
        zone.extrapolate_lu_plus(&active.lower, &active.upper);
        true
    }
}
