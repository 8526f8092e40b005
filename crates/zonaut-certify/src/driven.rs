//! Pumping loops: loops that increase a clock without bound, so that it has no supremum.
//!
//! Let Z be valuations that a path reaches, all with the clock x above a constant, and Z' those
//! that a loop leads to from them. Let w be *above* v if every clock has the same value in both,
//! except that x may be greater in w, and that an unconstrained (forgotten) clock may have any
//! value above its constant in both ([`crate::simulation`]). The checker requires:
//!
//! - Comparisons on the loop and after it respect this order, x is not reset, and valuations that
//!   are ordered before the loop are ordered after it: every w above v can follow v with the same
//!   delays, and x keeps its distance.
//! - For every v in Z some v' in Z' is above it, with x greater by at least one.
//!
//! Claim: for every number k and every v in Z, some w above v with x greater by at least k is
//! reachable. By induction on k: let v' come from u in Z, and let w above u be reachable with x
//! greater by k. The loop leads from w to a valuation above v', and so above v, with x greater than
//! in v' by k. So if one v can leave the loop, valuations with arbitrarily large x can, too.

use crate::certificate::Lines;
use crate::clocks::outside_of_all;
use crate::network::Network;
use crate::nodes::atom;
use crate::path::Path;
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::simulation::{Constants, NO_CONSTANT, Simulation};
use crate::zone::{Atom, Bound, Zone};
use std::sync::Arc;

/// A clock that a pumping loop increases.
pub(crate) struct Driven {
    clock: usize,
    /// The order of valuations at the start of the loop.
    order: Arc<Simulation>,
    /// The clocks that may have any value above their constants.
    forgotten: Vec<usize>,
    /// The atoms that require clocks to be above their constants.
    above: Vec<Atom>,
}

impl Driven {
    /// Reads `rises CLOCK:CONSTANT ...`: the increased clock and the unconstrained ones, each with
    /// the constant that it is above, or `-`.
    fn read(network: &Network<'_>, lines: &mut Lines<'_>) -> Result<Self, Refusal> {
        let words = lines.expect("rises")?;
        let size = network.core.clocks.len();
        let mut clocks = Vec::new();
        let mut order = (1..size).fold(Simulation::blind(size), Simulation::with_equal);
        let mut above = Vec::new();
        for word in words {
            let form = "clocks are written CLOCK:CONSTANT";
            let pair = word.split_once(':').ok_or_else(|| lines.malformed(form))?;
            let clock = lines.one_of("clock", size, pair.0)?;
            lines.require(clock > 0 && !clocks.contains(&clock), form)?;
            let constant = if pair.1 == "-" { NO_CONSTANT } else { lines.natural(pair.1)? };
            lines.require(constant <= Bound::LARGEST, "a constant is too large")?;
            let known = order.0[clock];
            let lower = if clocks.is_empty() { known.lower } else { constant };
            order.0[clock] = Constants { lower, upper: constant };
            if constant != NO_CONSTANT {
                let bound = Bound::new(-constant, true);
                let bound = bound.map_err(|_| lines.malformed("a constant is too large"))?;
                above.push(Atom { x: 0, y: clock, bound });
            }
            clocks.push(clock);
        }
        lines.require(!clocks.is_empty(), "no clock rises")?;
        let clock = clocks.remove(0);
        Ok(Self { clock, order: Arc::new(order), forgotten: clocks, above })
    }

    /// Reads a loop that begins at the end of `path`, and checks that it increases the clock;
    /// returns the number of its transitions. The path continues from the start of the loop, in the
    /// order.
    pub(crate) fn check(
        network: &mut Network<'_>,
        lines: &mut Lines<'_>,
        path: &mut Path,
    ) -> Result<(Self, usize), Refusal> {
        let driven = Self::read(network, lines)?;
        let words = lines.expect("loop")?;
        let place = format!("line {}", lines.number);
        let size = network.core.clocks.len();
        let within: Result<Vec<_>, _> = words.iter().map(|word| atom(lines, word, size)).collect();
        let within = [within?, driven.above.clone()].concat();
        path.confine(&within).at(&place)?;
        path.order = Some(driven.order.clone());
        let mut round = path.clone();
        let length = round.follow(network, lines)?;
        lines.expect("again")?;
        driven.check_round(path, round).at(&place)?;
        Ok((driven, length))
    }

    fn check_round(&self, path: &Path, mut round: Path) -> Result<(), Trouble> {
        require(round.state == path.state, "the loop does not come back")?;
        self.require_kept(&round)?;
        let is_finer = round.order.as_ref().is_some_and(|after| after.is_finer_than(&self.order));
        require(is_finer, "a clock that is kept depends on one that is not")?;
        round.confine(&self.above)?;
        let mut left = path.zones.clone();
        for zone in &round.zones {
            left = outside_of_all(left, &self.below(zone)?)?;
        }
        require(left.is_empty(), "the loop does not drive the clock up")
    }

    /// Requires that the path changes the clock by delays only.
    pub(crate) fn require_kept(&self, path: &Path) -> Result<(), Trouble> {
        let constants = path.order.as_ref().map(|order| order.0[self.clock]);
        require(constants == Some(self.order.0[self.clock]), "the clock is set")
    }

    /// Whether this is the increased clock.
    pub(crate) fn drives(&self, clock: usize) -> bool {
        clock == self.clock
    }

    /// The valuations below one of `zone` in which the clock is greater by at least one.
    ///
    /// Without the unconstrained clocks, and without lower bounds of the increased clock, the
    /// bounds of a closed matrix describe exactly the valuations for which such values exist.
    fn below(&self, zone: &Zone) -> Result<Vec<Atom>, Trouble> {
        let mut atoms = Vec::new();
        let one = Bound::new(-1, false)?;
        for Atom { x, y, bound } in zone.atoms() {
            if y == self.clock || [x, y].iter().any(|clock| self.forgotten.contains(clock)) {
                continue;
            }
            let bound = if x == self.clock { bound.plus(one)? } else { bound };
            atoms.push(Atom { x, y, bound });
        }
        Ok(atoms)
    }
}
