//! Extrapolation with lower and upper bounds.

use super::{Differences, Properties, ZoneAbstraction};
use crate::active_clocks::ActiveClocks;
use crate::store::Comparison;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Width, Zone};

/// Removes bounds beyond the lower and upper bounds of clocks (Extra_LU).
#[derive(Clone, Debug)]
pub(crate) struct LowerUpper;

impl ZoneAbstraction for LowerUpper {
    const PROPERTIES: Properties = Properties {
        name: "lu",
        meaning: "Extrapolation with lower and upper bounds",
        comparison: Comparison::Inclusion,
        respects: Differences::Absent,
        holds_reachable_only: false,
        leaves_constants_only: true,
    };

    fn new(_bounds: &BoundsTable) -> Self {
        Self
    }

    fn widen<W: Width>(
        &mut self,
        active: &ActiveClocks,
        zone: &mut Zone<W>,
        _: &mut Vec<Zone<W>>,
    ) -> bool {
        zone.extrapolate_lu(&active.lower, &active.upper);
        false
    }
}
