//! Extrapolation with the greatest constant of each clock, and with zones split on clock
//! differences.

use super::differences::{ActiveDifference, Differences, active_differences, split};
use super::{Properties, ZoneAbstraction};
use crate::active_clocks::ActiveClocks;
use crate::store::Comparison;
use zonaut_compile::{BoundedDifference, BoundsTable};
use zonaut_dbm::{Width, Zone};

/// Removes bounds beyond the greatest constants of clocks (Extra_M). Zones are split on the clock
/// differences that model and goal compare, and every part keeps its side of them.
#[derive(Clone, Debug)]
pub(crate) struct Maximum {
    pub(super) differences: Vec<BoundedDifference>,
    /// A buffer for the greatest constants of the active clocks.
    constants: Vec<i32>,
}

impl ZoneAbstraction for Maximum {
    const PROPERTIES: Properties = Properties {
        name: "m",
        meaning: "Extrapolation with maximal constants",
        comparison: Comparison::Inclusion,
        respects: Differences::Present,
        holds_reachable_only: false,
        leaves_constants_only: true,
    };

    fn new(bounds: &BoundsTable) -> Self {
        Self { differences: bounds.differences().to_vec(), constants: Vec::new() }
    }

    fn may_split(&self) -> bool {
        !self.differences.is_empty()
    }

    fn widen<W: Width>(
        &mut self,
        active: &ActiveClocks,
        zone: &mut Zone<W>,
        parts: &mut Vec<Zone<W>>,
    ) -> bool {
        self.constants.clear();
        self.constants.extend(active.lower.iter().zip(&active.upper).map(|(&l, &u)| l.max(u)));
        if !self.may_split() {
            zone.extrapolate_m(&self.constants);
            return false;
        }
        self.split_and_widen(active, zone, parts)
    }
}

impl Maximum {
    /// Widens in the presence of clock differences. A zone that extrapolation does not change is
    /// not split, as the number of such zones is finite; a zone with too many parts stays exact.
    fn split_and_widen<W: Width>(
        &self,
        active: &ActiveClocks,
        zone: &Zone<W>,
        parts: &mut Vec<Zone<W>>,
    ) -> bool {
        let mut whole = zone.clone();
        whole.extrapolate_m(&self.constants);
        let differences: Vec<ActiveDifference> =
            active_differences(&self.differences, active).collect();
        if whole == *zone || !split(&differences, zone, parts) {
            parts.clear();
            return false;
        }
        for part in parts {
            let sides: Vec<_> = differences.iter().flat_map(|d| d.sides(part)).collect();
            part.extrapolate_m(&self.constants);
            for (x, y, bound) in sides.into_iter().flatten() {
                let kept = part.constrain(x, y, bound);
                debug_assert!(kept.is_ok(), "a widened part still meets its side");
            }
        }
        true
    }
}
