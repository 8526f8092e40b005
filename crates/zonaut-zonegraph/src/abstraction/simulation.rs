//! Exact zones with covering by LU simulation, which makes the exploration finite.

use super::{Differences, Properties, ZoneAbstraction};
use crate::active_clocks::ActiveClocks;
use crate::store::Comparison;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Width, Zone};

/// The identity on zones; the comparison abstracts instead.
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

    /// Every valuation that this extrapolation adds is simulated by one of the zone, because the
    /// extrapolation is finer than the simulation.
    fn confine<W: Width>(&self, active: &ActiveClocks, zone: &mut Zone<W>) -> bool {
        zone.extrapolate_lu_plus(&active.lower, &active.upper);
        true
    }
}
