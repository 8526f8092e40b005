//! Combinations of heuristics.

use zonaut_space::{Admissible, Arrival, Estimate, Heuristic};

/// The combination of several estimates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Combination {
    Greatest,
    Added,
}

/// The combined estimate of several heuristics. A dead end of one is a dead end; otherwise a `Last`
/// of one is `Last`.
struct Combined<H> {
    parts: Vec<H>,
    combination: Combination,
}

impl<H> Combined<H> {
    fn estimate<S, T: Copy>(
        &mut self,
        state: &S,
        arrival: Option<Arrival<'_, S, T>>,
    ) -> Estimate<u32>
    where
        H: Heuristic<S, T>,
    {
        let mut result = Estimate::Distance(0);
        for part in &mut self.parts {
            result = match (result, part.estimate(state, arrival)) {
                (_, Estimate::DeadEnd) => return Estimate::DeadEnd,
                (Estimate::Distance(one), Estimate::Distance(other)) => {
                    Estimate::Distance(match self.combination {
                        Combination::Greatest => one.max(other),
                        Combination::Added => one.saturating_add(other),
                    })
                }
                _ => Estimate::Last,
            };
        }
        result
    }
}

/// The maximum of several estimates; admissible if they all are.
pub(super) struct Max<H>(Combined<H>);

impl<H> Max<H> {
    pub(super) fn new(parts: Vec<H>) -> Self {
        Self(Combined { parts, combination: Combination::Greatest })
    }
}

impl<H: Admissible> Admissible for Max<H> {}

impl<S, T: Copy, H: Heuristic<S, T>> Heuristic<S, T> for Max<H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, T>>) -> Estimate<u32> {
        self.0.estimate(state, arrival)
    }
    fn name(&self) -> &'static str {
        "max"
    }
}

/// The sum of several estimates. Two of them may count the same transition.
pub(super) struct Sum<H>(Combined<H>);

impl<H> Sum<H> {
    pub(super) fn new(parts: Vec<H>) -> Self {
        Self(Combined { parts, combination: Combination::Added })
    }
}

impl<S, T: Copy, H: Heuristic<S, T>> Heuristic<S, T> for Sum<H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, T>>) -> Estimate<u32> {
        self.0.estimate(state, arrival)
    }
    fn name(&self) -> &'static str {
        "sum"
    }
}

/// A multiple of an estimate.
pub(super) struct Weighted<H> {
    pub(super) part: H,
    pub(super) weight: u32,
}

impl<S, T, H: Heuristic<S, T>> Heuristic<S, T> for Weighted<H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, T>>) -> Estimate<u32> {
        match self.part.estimate(state, arrival) {
            Estimate::Distance(estimate) => {
                Estimate::Distance(estimate.saturating_mul(self.weight))
            }
            other => other,
        }
    }
    fn name(&self) -> &'static str {
        "weighted"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a fixed estimate.
    struct Fixed(Estimate<u32>);

    impl Heuristic<(), ()> for Fixed {
        fn estimate(&mut self, (): &(), _: Option<Arrival<'_, (), ()>>) -> Estimate<u32> {
            self.0
        }
        fn name(&self) -> &'static str {
            "fixed"
        }
    }

    fn check(one: Estimate<u32>, other: Estimate<u32>, max: Estimate<u32>, sum: Estimate<u32>) {
        for (one, other) in [(one, other), (other, one)] {
            let parts = || vec![Fixed(one), Fixed(other)];
            assert_eq!(Heuristic::estimate(&mut Max::new(parts()), &(), None), max);
            assert_eq!(Heuristic::estimate(&mut Sum::new(parts()), &(), None), sum);
        }
    }

    #[test]
    fn dead_ends_come_before_last_ones_and_both_before_numbers() {
        use Estimate::{DeadEnd, Distance, Last};
        check(Distance(2), Distance(3), Distance(3), Distance(5));
        check(Distance(2), Distance(u32::MAX), Distance(u32::MAX), Distance(u32::MAX));
        check(Distance(2), Last, Last, Last);
        check(DeadEnd, Last, DeadEnd, DeadEnd);
        check(Distance(0), DeadEnd, DeadEnd, DeadEnd);
    }
}
