//! Clock copies: the clock that carries a value after assignments between clocks.
//!
//! The value of a clock originates from the moment at which some clock was set to a number,
//! possibly through copies to other clocks since. So it suffices to watch one value at a time, from
//! that moment on, under the name it currently has: each node of an exploration watches one clock,
//! and if a value has two names after a transition, there are two successors.

use zonaut_model::ClockId;
use zonaut_model::interpret::ClockEffect;

/// A clock, and all clocks that its value may come from.
#[derive(Clone, Debug)]
pub(super) struct CopyChain(Vec<ClockId>);

/// A clock that carries the watched value, or a new one, after a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ValueCopy {
    pub(super) clock: ClockId,
    /// Whether its value is new, rather than the one watched before.
    pub(super) is_set: bool,
}

impl CopyChain {
    /// A clock without known copies.
    pub(super) fn of(clock: ClockId) -> Self {
        Self(vec![clock])
    }

    /// The clocks.
    pub(super) fn clocks(&self) -> &[ClockId] {
        &self.0
    }

    /// Adds a clock that is copied to a member of the chain.
    pub(super) fn add(&mut self, clock: ClockId) {
        if !self.0.contains(&clock) {
            self.0.push(clock);
        }
    }

    /// The clocks to watch after `effects`, given that `watched` was watched before.
    ///
    /// # Errors
    /// A clock that is copied to a member of the chain and is not a member yet.
    pub(super) fn copies(
        &self,
        effects: &[ClockEffect],
        watched: ClockId,
    ) -> Result<Vec<ValueCopy>, ClockId> {
        // By clock, the clock whose previous value it has; `None` if it was set.
        let mut origins: Vec<Option<ClockId>> = self.0.iter().map(|&clock| Some(clock)).collect();
        let position = |clock: ClockId| self.0.iter().position(|&own| own == clock);
        for effect in effects {
            match *effect {
                ClockEffect::Set(clock, _) => {
                    if let Some(at) = position(clock) {
                        origins[at] = None;
                    }
                }
                ClockEffect::Copy(clock, source) => {
                    let Some(at) = position(clock).filter(|_| clock != source) else { continue };
                    origins[at] = origins[position(source).ok_or(source)?];
                }
            }
        }
        let copy = |(&clock, origin): (&ClockId, Option<ClockId>)| match origin {
            None => Some(ValueCopy { clock, is_set: true }),
            Some(origin) => (origin == watched).then_some(ValueCopy { clock, is_set: false }),
        };
        Ok(self.0.iter().zip(origins).filter_map(copy).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;

    fn clock(number: usize) -> ClockId {
        ClockId::from_index(number)
    }

    fn check(effects: &[ClockEffect], watched: usize, expected: &[(usize, bool)]) {
        let copy_chain = CopyChain(vec![clock(0), clock(1)]);
        let copies = copy_chain.copies(effects, clock(watched)).expect("all are known");
        let found: Vec<_> = copies.iter().map(|copy| (copy.clock.index(), copy.is_set)).collect();
        assert_eq!(found, expected, "{effects:?} {watched}");
    }

    #[test]
    fn a_value_has_the_names_of_all_its_copies() {
        let (set, copy) = (ClockEffect::Set(clock(0), 3), ClockEffect::Copy(clock(0), clock(1)));
        check(&[], 1, &[(1, false)]);
        check(&[copy], 1, &[(0, false), (1, false)]);
        check(&[copy], 0, &[]);
        check(&[set], 1, &[(0, true), (1, false)]);
        check(&[set], 0, &[(0, true)]);
        // In order: the copy is of the number that was set.
        check(&[set, ClockEffect::Copy(clock(1), clock(0))], 1, &[(0, true), (1, true)]);
        check(&[ClockEffect::Copy(clock(1), clock(0)), set], 0, &[(0, true), (1, false)]);
    }

    #[test]
    fn a_clock_that_is_copied_becomes_known() {
        let mut copy_chain = CopyChain::of(clock(0));
        let copy = [ClockEffect::Copy(clock(0), clock(2))];
        assert_eq!(copy_chain.copies(&copy, clock(0)), Err(clock(2)));
        copy_chain.add(clock(2));
        let copies = copy_chain.copies(&copy, clock(2)).expect("all are known");
        assert_eq!(copies.len(), 2);
    }
}
