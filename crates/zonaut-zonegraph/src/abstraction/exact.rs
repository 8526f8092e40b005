//! Exact zones; their number may be infinite.

use super::{Differences, Properties, ZoneAbstraction};
use crate::active_clocks::ActiveClocks;
use crate::store::Comparison;
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Width, Zone};

/// The identity: zones are not widened.
#[derive(Clone, Debug)]
pub(crate) struct Exact;

impl ZoneAbstraction for Exact {
    const PROPERTIES: Properties = Properties {
        name: "none",
        meaning: "Exact zones; exploration may not end",
        comparison: Comparison::Inclusion,
        respects: Differences::Present,
        holds_reachable_only: true,
        leaves_constants_only: false,
    };

    fn new(_bounds: &BoundsTable) -> Self {
        Self
    }

    fn widen<W: Width>(&mut self, _: &ActiveClocks, _: &mut Zone<W>, _: &mut Vec<Zone<W>>) -> bool {
        false
    }
}
