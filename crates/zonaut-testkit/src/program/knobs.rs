//! Probabilities and sizes of random programs, by stratum.

use super::Stratum;
use crate::random::Random;

/// Probabilities are percentages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knobs {
    /// A side effect of an operand, where one is allowed.
    pub(super) effects: usize,
    /// A value that is not forced into the range of its target.
    pub(super) failing: usize,
    /// A new variable, parameter or result that is an array or a struct.
    pub(super) aggregates: usize,
    /// Whether edges are simple and can fail only at the result of one function, so that nothing
    /// else distracts the analysis of run-time errors.
    pub(super) is_narrow: bool,
    /// The number of clocks.
    pub(super) clocks: usize,
    /// Whether time never passes.
    pub(super) is_timeless: bool,
    /// Whether numbers near the limits occur.
    pub(super) has_limits: bool,
    /// The number of functions.
    pub(super) functions: usize,
    /// The number of processes.
    pub(super) processes: usize,
    /// The maximal depth of expressions.
    pub(super) depth: usize,
    /// Whether templates have value parameters that may be assigned.
    pub(super) has_parameters: bool,
    /// An edge that leads to a branchpoint.
    pub(super) branches: usize,
}

impl Knobs {
    pub(super) fn of(stratum: Stratum, random: &mut Random) -> Self {
        let base = Self {
            effects: 15,
            failing: 2,
            aggregates: 30,
            is_narrow: false,
            clocks: usize::from(random.chance(15)),
            is_timeless: false,
            has_limits: false,
            functions: 1 + random.below(4),
            processes: 1 + random.below(2) + usize::from(random.chance(15)),
            depth: 2,
            has_parameters: false,
            branches: 0,
        };
        match stratum {
            Stratum::Aggregates => Self { aggregates: 60, depth: 2 + random.below(2), ..base },
            Stratum::Effects => Self { effects: 45, depth: 2 + random.below(2), ..base },
            Stratum::Failures if random.chance(40) => Self { failing: 0, is_narrow: true, ..base },
            Stratum::Failures => Self { failing: 6 + random.below(10), ..base },
            Stratum::Clocks => Self { clocks: 1 + random.below(2), ..base },
            Stratum::Limits => {
                let is_timeless = random.chance(50);
                let clocks = if is_timeless { random.below(3) } else { random.below(2) };
                Self { has_limits: true, is_timeless, clocks, aggregates: 20, ..base }
            }
            Stratum::Parameters => {
                Self { has_parameters: true, processes: 1 + random.below(2), depth: 1, ..base }
            }
            Stratum::Branches => {
                let processes = 1 + random.below(3);
                Self { branches: 60, processes, functions: random.below(3), depth: 1, ..base }
            }
        }
    }
}
