//! Zones with affine costs.
//!
//! A set of valuations, each with the least cost at which it is reached, is a union of *priced
//! zones* (K. Larsen, G. Behrmann, E. Brinksma, A. Fehnker, T. Hune, P. Pettersson, J. Romijn: "As
//! cheap as possible: efficient cost-optimal reachability for priced timed automata", DOI
//! 10.1007/3-540-44585-4_47): a zone, a slope for each clock, and a constant. The cost of a
//! valuation u is `constant + sum slopes(x) u(x)`. The constant is the value at the origin, which
//! need not be in the zone, and then may be negative; so no operation has to move an offset.
//!
//! # Claims
//! *Delay at a rate p.* Let R be the sum of the slopes. A valuation u of the future of a zone Z is
//! reached after a delay d from `u - d`, at `cost(u) + (p - R) d`. The d with `u - d` in Z form an
//! interval. If p = R, all are equal. If p > R the least d is best: 0 in Z, and otherwise the
//! greatest `u(x) - n` over the upper bounds `x <= n` of Z. If p < R, the greatest d is best, which
//! is the least `u(x) - n` over the lower bounds `x >= n`. Where x decides, the cost is
//! `cost(u) + (p - R)(u(x) - n)`: the slope of x changes by p - R, and all slopes sum to p.
//!
//! *Elimination of x.* For given values of the other clocks, x is best as small as possible if its
//! slope is positive, and as large as possible if it is negative. The least x is the greatest
//! `u(y) - n` over the bounds `y - x <= n`, the greatest x the least `u(y) + n` over `x - y <= n`.
//! If y decides, x is replaced by that sum.
//!
//! *Strict bounds.* The best delay or value is one of the zone exactly if no bound that decides is
//! strict. The valuations at which several bounds decide belong to a strict one, if one of them is;
//! so in each part either all costs are attained or none is.
//!
//! A bound that never decides alone is left out. The bounds that remain are the facets of the zone.

use crate::flow::minimum;
use zonaut_dbm::{Bound, Emptied, Row, Wide, Zone};

/// A cost that exceeds the range of integers, or an affine function that is not bounded below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostRange;

/// An affine function of clocks, and whether its values are attained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CostFunction {
    /// The value at the origin.
    pub(crate) constant: i64,
    /// The slope of every row; 0 for the reference clock.
    pub(crate) slopes: Vec<i64>,
    /// Whether the values are costs of runs, or only infima of such costs.
    pub(crate) is_attained: bool,
}

/// A zone, and a cost for each of its valuations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PricedZone {
    /// The valuations.
    pub zone: Zone<Wide>,
    /// Their costs.
    pub cost: CostFunction,
}

/// The infimum of the costs of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Least {
    /// The infimum.
    pub value: i64,
    /// Whether a valuation has this cost, and it is attained.
    pub is_attained: bool,
}

/// A bound that may decide the best delay or the best value of a clock: the sum of the value of a
/// row and an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facet {
    row: Row,
    offset: i64,
    is_strict: bool,
}

/// The sum that decides among facets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deciding {
    Greatest,
    Least,
}

impl Deciding {
    /// The constraint that `facet` decides against `other`.
    fn constraint(self, facet: Facet, other: Facet) -> (Row, Row, Bound<Wide>) {
        let (rows, difference) = match self {
            Self::Greatest => ((other.row, facet.row), facet.offset - other.offset),
            Self::Least => ((facet.row, other.row), other.offset - facet.offset),
        };
        let bound = match other.is_strict && !facet.is_strict {
            true => Bound::lt(difference),
            false => Bound::le(difference),
        };
        (rows.0, rows.1, bound)
    }

    /// The facets that decide somewhere in `zone`; of several that always decide together, the
    /// first.
    fn essential(self, zone: &Zone<Wide>, facets: &[Facet]) -> Vec<Facet> {
        let always = |facet: Facet, other: Facet| {
            let (x, y, bound) = self.constraint(facet, other);
            zone.bound(x, y) <= bound
        };
        let is_needed = |(at, facet): &(usize, &Facet)| {
            !facets.iter().enumerate().any(|(number, &other)| {
                number != *at && always(other, **facet) && (number < *at || !always(**facet, other))
            })
        };
        facets.iter().enumerate().filter(is_needed).map(|(_, &facet)| facet).collect()
    }

    /// Calls `visit` with each part of `zone` and the facet that decides in it.
    fn split(
        self,
        zone: &Zone<Wide>,
        facets: &[Facet],
        mut visit: impl FnMut(Zone<Wide>, Facet) -> Result<(), CostRange>,
    ) -> Result<(), CostRange> {
        let facets = self.essential(zone, facets);
        for &facet in &facets {
            let mut part = zone.clone();
            let others = facets.iter().filter(|&&other| other != facet);
            if part.constrain_all(others.map(|&other| self.constraint(facet, other))).is_ok() {
                visit(part, facet)?;
            }
        }
        Ok(())
    }
}

fn narrow(value: i128) -> Result<i64, CostRange> {
    // A factor is left to sums of costs.
    const LIMIT: i128 = 1 << 60;
    match value.abs() <= LIMIT {
        true => i64::try_from(value).map_err(|_| CostRange),
        false => Err(CostRange),
    }
}

impl CostFunction {
    /// The function with this value at the origin and these slopes of the clocks.
    #[must_use]
    pub fn new(constant: i64, slopes: &[i64], is_attained: bool) -> Self {
        let slopes = [0].into_iter().chain(slopes.iter().copied()).collect();
        Self { constant, slopes, is_attained }
    }

    /// The function that is zero for all valuations of `dim` rows.
    #[must_use]
    pub fn zero(dim: usize) -> Self {
        Self { constant: 0, slopes: vec![0; dim], is_attained: true }
    }

    /// The value at the origin.
    #[must_use]
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// The slope of every row; 0 for the reference clock.
    #[must_use]
    pub fn slopes(&self) -> &[i64] {
        &self.slopes
    }

    /// Whether the values are costs of runs, or only infima of such costs.
    #[must_use]
    pub fn is_attained(&self) -> bool {
        self.is_attained
    }

    /// The sum with `factor` times the value of a facet's row plus its offset.
    fn plus(&self, factor: i128, facet: Facet) -> Result<Self, CostRange> {
        let mut sum = self.clone();
        let offset = factor.checked_mul(facet.offset.into()).ok_or(CostRange)?;
        #[cfg(feature = "faults")]
        let offset = crate::faults::moved(offset);
        sum.constant = narrow(i128::from(self.constant) + offset)?;
        if facet.row != Row::ZERO {
            let slope = &mut sum.slopes[facet.row.index()];
            *slope = narrow(i128::from(*slope) + factor)?;
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::StrictFacetAttained.is_selected() {
            return Ok(sum);
        }
        sum.is_attained &= !facet.is_strict;
        Ok(sum)
    }

    /// The sum of all slopes: the cost of a unit of time along diagonals.
    fn diagonal(&self) -> i128 {
        self.slopes.iter().map(|&slope| i128::from(slope)).sum()
    }

    /// The infimum over a zone; `None` if the function is unbounded there.
    #[must_use]
    pub fn least_in(&self, zone: &Zone<Wide>) -> Option<Least> {
        let found = minimum(zone.as_slice(), &self.slopes)?;
        let value = i64::try_from(found.value + i128::from(self.constant)).ok()?;
        Some(Least { value, is_attained: self.is_attained && found.is_attained })
    }

    /// Whether no valuation of `zone` has a smaller cost by `other`, or an equal cost that only
    /// `other` attains.
    #[must_use]
    pub fn is_at_least(&self, other: &Self, zone: &Zone<Wide>) -> bool {
        let difference = |(&own, &theirs): (&i64, &i64)| own - theirs;
        let slopes = self.slopes.iter().zip(&other.slopes).map(difference).collect::<Vec<_>>();
        #[cfg(feature = "faults")]
        let slopes = crate::faults::compared(slopes);
        let Some(found) = minimum(zone.as_slice(), &slopes) else { return false };
        match found.value + i128::from(self.constant) - i128::from(other.constant) {
            ..0 => false,
            0 => other.is_attained || !self.is_attained || !found.is_attained,
            1.. => true,
        }
    }
}

impl PricedZone {
    /// The zone without clocks, at no cost.
    pub(crate) fn start() -> Self {
        Self { zone: Zone::origin(1), cost: CostFunction::zero(1) }
    }

    /// Keeps the valuations that satisfy every constraint `(x, y, b)`, that is `x - y` below `b`.
    ///
    /// # Errors
    /// If no valuation does.
    pub fn constrain_all(
        &mut self,
        constraints: impl IntoIterator<Item = (Row, Row, Bound<Wide>)>,
    ) -> Result<(), Emptied> {
        self.zone.constrain_all(constraints)
    }

    /// Adds a price to all costs.
    ///
    /// # Errors
    /// If a cost becomes too large.
    pub fn pay(&mut self, price: i64) -> Result<(), CostRange> {
        self.cost.constant = narrow(i128::from(self.cost.constant) + i128::from(price))?;
        Ok(())
    }

    /// The infimum of all costs; `None` if they are unbounded.
    #[must_use]
    pub fn least(&self) -> Option<Least> {
        self.cost.least_in(&self.zone)
    }

    /// Adds the priced zones reached by letting time pass at this rate.
    ///
    /// # Errors
    /// If a cost becomes too large.
    pub fn delay_into(&self, rate: i64, into: &mut Vec<Self>) -> Result<(), CostRange> {
        let excess = i128::from(rate) - self.cost.diagonal();
        let mut future = self.zone.clone();
        future.delay();
        if excess == 0 {
            into.push(Self { zone: future, cost: self.cost.clone() });
            return Ok(());
        }
        let deciding = match excess > 0 {
            true => Deciding::Greatest,
            false => Deciding::Least,
        };
        let facets: Vec<Facet> = match deciding {
            Deciding::Greatest => self.upper_facets().collect(),
            Deciding::Least => self.lower_facets().collect(),
        };
        #[cfg(feature = "faults")]
        let facets = crate::faults::remembered(facets);
        if deciding == Deciding::Greatest {
            into.push(self.clone());
        }
        #[cfg(feature = "faults")]
        let excess = crate::faults::signed(excess);
        deciding.split(&future, &facets, |mut zone, facet| {
            // Facets of upper bounds decide only behind the zone.
            let behind = (Row::ZERO, facet.row, Bound::le(facet.offset));
            if deciding == Deciding::Greatest && zone.constrain_all([behind]).is_err() {
                return Ok(());
            }
            into.push(Self { zone, cost: self.cost.plus(excess, facet)? });
            Ok(())
        })
    }

    fn upper_facets(&self) -> impl Iterator<Item = Facet> {
        self.zone.clocks().filter_map(|row| {
            let bound = self.zone.bound(row, Row::ZERO);
            let facet = Facet { row, offset: -bound.value(), is_strict: bound.is_strict() };
            (!bound.is_infinite()).then_some(facet)
        })
    }

    fn lower_facets(&self) -> impl Iterator<Item = Facet> {
        self.zone.clocks().map(|row| {
            let bound = self.zone.bound(Row::ZERO, row);
            Facet { row, offset: bound.value(), is_strict: bound.is_strict() }
        })
    }

    /// Adds the priced zones in which the clock `x` has any value, at the least cost that it had
    /// with some value.
    ///
    /// # Errors
    /// If a cost becomes too large, or is unbounded.
    pub fn forget_into(&self, x: Row, into: &mut Vec<Self>) -> Result<(), CostRange> {
        let slope = self.cost.slopes[x.index()];
        let mut free = self.zone.clone();
        free.free(x);
        if slope == 0 {
            into.push(Self { zone: free, cost: self.cost.clone() });
            return Ok(());
        }
        let rows = || (0..self.zone.dim()).map(Row::from_index).filter(|&y| y != x);
        let facet = |row: Row, bound: Bound<Wide>, offset: i64| {
            let facet = Facet { row, offset, is_strict: bound.is_strict() };
            (!bound.is_infinite()).then_some(facet)
        };
        let (below, above) = (|y| self.zone.bound(y, x), |y| self.zone.bound(x, y));
        let facets: Vec<Facet> = match slope > 0 {
            true => rows().filter_map(|y| facet(y, below(y), -below(y).value())).collect(),
            false => rows().filter_map(|y| facet(y, above(y), above(y).value())).collect(),
        };
        let deciding = if slope > 0 { Deciding::Greatest } else { Deciding::Least };
        if facets.is_empty() {
            return Err(CostRange);
        }
        let mut rest = self.cost.clone();
        rest.slopes[x.index()] = 0;
        deciding.split(&free, &facets, |zone, facet| {
            into.push(Self { zone, cost: rest.plus(slope.into(), facet)? });
            Ok(())
        })
    }

    /// Adds the priced zones in which row `i` has the value that row `sources[i].0` has here, plus
    /// `sources[i].1`, as [`Zone::image_into`]; rows that are no source are eliminated.
    ///
    /// # Errors
    /// If a cost becomes too large, or is unbounded.
    pub fn image_into(
        &self,
        sources: &[(Row, i32)],
        into: &mut Vec<Self>,
    ) -> Result<(), CostRange> {
        let is_source = |x: Row| sources.iter().any(|&(source, _)| source == x);
        let mut parts = vec![self.clone()];
        for x in self.zone.clocks().filter(|&x| !is_source(x)) {
            let mut next = Vec::with_capacity(parts.len());
            for part in &parts {
                part.forget_into(x, &mut next)?;
            }
            parts = next;
        }
        for part in parts {
            let mut zone = Zone::origin(1);
            part.zone.image_into(sources, &mut zone);
            let mut cost = CostFunction { slopes: vec![0; sources.len()], ..part.cost.clone() };
            for x in part.zone.clocks() {
                let slope = part.cost.slopes[x.index()];
                let place = sources.iter().position(|&(source, _)| source == x);
                if let Some(place) = place.filter(|_| slope != 0) {
                    let shift = i128::from(slope) * i128::from(sources[place].1);
                    cost.slopes[place] = slope;
                    cost.constant = narrow(i128::from(cost.constant) - shift)?;
                }
            }
            into.push(Self { zone, cost });
        }
        Ok(())
    }
}
