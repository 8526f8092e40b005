//! The coarser extrapolation with lower and upper bounds.

use super::{Differences, Properties, ZoneAbstraction};
use crate::active_clocks::ActiveClocks;
use crate::store::Comparison;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Width, Zone};

/// Additionally removes all bounds of clocks that exceed their lower or upper bound everywhere
/// (Extra⁺_LU).
#[derive(Clone, Debug)]
pub(crate) struct LowerUpperPlus;

impl ZoneAbstraction for LowerUpperPlus {
    const PROPERTIES: Properties = Properties {
        name: "lu+",
        meaning: "The coarser extrapolation with lower and upper bounds",
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
        zone.extrapolate_lu_plus(&active.lower, &active.upper);
        false
    }
}
