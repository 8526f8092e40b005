//! Symbolic states with priced zones: their encoding and their covering.

use crate::priced_zone::{CostFunction, Least, PricedZone};
use zonaut_compile::CompiledNetwork;
use zonaut_cost::Infimum;
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_space::{Covering, Encoding, Member};
use zonaut_zonegraph::SymbolicState;

/// A symbolic state whose valuations have costs.
#[derive(Clone, Debug)]
pub struct PricedState {
    /// Locations, data and zone.
    pub(crate) symbolic: SymbolicState<Wide>,
    /// The costs of the valuations.
    pub(crate) cost: CostFunction,
    /// The infimum of all costs.
    pub(crate) least: Infimum,
    /// The encoded costs and bounds; see [`Layout`].
    payload: Vec<i64>,
}

/// The numbers of a payload: the least cost, the constant, whether costs are attained, the slopes,
/// the bounds.
#[derive(Clone, Copy)]
struct Layout<'p> {
    least: Infimum,
    constant: i64,
    is_attained: bool,
    slopes: &'p [i64],
    bounds: &'p [i64],
}

/// The count of numbers before the slopes.
const HEADER: usize = 4;

impl<'p> Layout<'p> {
    fn of(payload: &'p [i64]) -> Self {
        let (header, rest) = payload.split_at(HEADER);
        let dim = rest.len().isqrt();
        let (slopes, bounds) = rest.split_at(dim);
        let least = infimum(Least { value: header[0], is_attained: header[1] != 0 });
        Self { least, constant: header[2], is_attained: header[3] != 0, slopes, bounds }
    }

    fn cost(self) -> CostFunction {
        CostFunction {
            constant: self.constant,
            slopes: self.slopes.to_vec(),
            is_attained: self.is_attained,
        }
    }

    /// Decodes the zone, with `buffer` as working memory.
    fn load_zone(self, buffer: &mut Vec<Bound<Wide>>, into: &mut Zone<Wide>) {
        let decode = |&bound: &i64| Bound::try_from_encoded(bound).unwrap_or(Bound::INFINITY);
        buffer.clear();
        buffer.extend(self.bounds.iter().map(decode));
        into.assign_slice(self.slopes.len(), buffer);
    }
}

/// The least cost as the search compares it.
pub(crate) fn infimum(least: Least) -> Infimum {
    match least.is_attained {
        true => Infimum::attained(least.value),
        false => Infimum::approached(least.value),
    }
}

impl PricedState {
    /// The state with these values and this priced zone, whose least cost is given.
    pub(crate) fn new(symbolic: SymbolicState<Wide>, cost: CostFunction, least: Infimum) -> Self {
        let mut state = Self { symbolic, cost, least, payload: Vec::new() };
        state.encode();
        state
    }

    /// Encodes its costs and bounds.
    fn encode(&mut self) {
        let Self { symbolic, cost, least, payload } = self;
        payload.clear();
        payload.extend([
            least.value(),
            i64::from(least.is_attained()),
            cost.constant,
            i64::from(cost.is_attained),
        ]);
        payload.extend_from_slice(&cost.slopes);
        payload.extend(symbolic.zone.as_slice().iter().map(|bound| bound.encoded()));
    }

    /// Gives each row of the zone the slope of its source, after the rows were permuted.
    pub(crate) fn permute_slopes(&mut self, sources: &[(Row, i32)]) {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::SlopesStay.is_selected() {
            return self.encode();
        }
        let slope = |&(source, _): &(Row, i32)| self.cost.slopes[source.index()];
        self.cost.slopes = sources.iter().map(slope).collect();
        self.encode();
    }

    /// Whether every valuation of `smaller`, a state with the same discrete part, is one of this state
    /// at no greater cost.
    pub(crate) fn covers(&self, smaller: &Self) -> bool {
        self.least <= smaller.least
            && self.symbolic.zone.includes(&smaller.symbolic.zone)
            && smaller.cost.is_at_least(&self.cost, &smaller.symbolic.zone)
    }

    /// Its zone and costs.
    pub(crate) fn priced_zone(&self) -> PricedZone {
        PricedZone { zone: self.symbolic.zone.clone(), cost: self.cost.clone() }
    }
}

/// The encoding of priced states: the discrete part is the bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PricedEncoding<'n> {
    pub(crate) network: &'n CompiledNetwork,
}

impl Encoding for PricedEncoding<'_> {
    type State = PricedState;
    type Item = i64;

    fn bucket_words(&self) -> usize {
        self.network.packing.words()
    }

    fn bucket<'s>(&self, state: &'s PricedState) -> &'s [u64] {
        state.symbolic.key()
    }

    fn payload<'s>(&self, state: &'s PricedState) -> &'s [i64] {
        &state.payload
    }

    fn load(&self, bucket: &[u64], payload: &[i64], into: &mut PricedState) {
        self.network.packing.unpack(bucket, &mut into.symbolic.values);
        into.symbolic.repack(&self.network.packing);
        let layout = Layout::of(payload);
        layout.load_zone(&mut Vec::new(), &mut into.symbolic.zone);
        into.cost = layout.cost();
        into.least = layout.least;
        into.payload.clear();
        into.payload.extend_from_slice(payload);
    }
}

/// Covering by inclusion: the larger zone contains all valuations of the smaller one at no greater
/// cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PricedCovering;

/// Buffers for a decoded zone.
pub(crate) struct CoveringScratch {
    bounds: Vec<Bound<Wide>>,
    zone: Zone<Wide>,
}

impl Covering for PricedCovering {
    type Item = i64;
    type Scratch = CoveringScratch;

    fn scratch(&self) -> CoveringScratch {
        CoveringScratch { bounds: Vec::new(), zone: Zone::origin(1) }
    }

    fn covers(
        &self,
        larger: Member<'_, i64>,
        smaller: Member<'_, i64>,
        scratch: &mut CoveringScratch,
    ) -> bool {
        let (larger, smaller) = (Layout::of(larger.payload), Layout::of(smaller.payload));
        let includes = || larger.bounds.iter().zip(smaller.bounds).all(|(l, s)| l >= s);
        if larger.least > smaller.least || !includes() {
            return false;
        }
        smaller.load_zone(&mut scratch.bounds, &mut scratch.zone);
        smaller.cost().is_at_least(&larger.cost(), &scratch.zone)
    }
}
