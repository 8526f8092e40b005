//! Step ids for the parts of a transition's target.

use zonaut_base::Id;
use zonaut_compile::{ActionId, Step, StepNames};

/// The number of pairs whose names are cached.
const PAIRS: usize = 1 << 8;

/// Numbers the parts of the targets of one state's transitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    /// The number of the state that is being expanded.
    visit: u32,
    /// By the step of the first part: the last visit that met it, and its number of parts.
    counts: Vec<(u32, u32)>,
    /// Pairs with their names, each at the index given by its hash: most synchronisations have two
    /// participants, and the table of all names is shared.
    pairs: Vec<(u64, Option<Step>)>,
}

impl Parts {
    /// Starts the next state.
    pub(crate) fn restart(&mut self) {
        self.visit = self.visit.wrapping_add(1);
        if self.visit == 0 {
            self.counts.fill((0, 0));
            self.visit = 1;
        }
    }

    /// The name of the first part of the target of these actions.
    #[inline]
    fn first(&mut self, names: &StepNames, participants: &[ActionId]) -> Step {
        let &[sender, receiver] = participants else { return names.name(participants, 0) };
        let pair = (sender.index() as u64) << 32 | receiver.index() as u64;
        if self.pairs.is_empty() {
            self.pairs.resize(PAIRS, (0, None));
        }
        let place = (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % PAIRS;
        match self.pairs[place] {
            (known, Some(step)) if known == pair => step,
            _ => {
                let step = names.name(participants, 0);
                self.pairs[place] = (pair, Some(step));
                step
            }
        }
    }

    /// The name of the next part of the target of these actions.
    #[inline]
    pub(crate) fn next(&mut self, names: &StepNames, participants: &[ActionId]) -> Step {
        let first = self.first(names, participants);
        let index = first.index();
        if index >= self.counts.len() {
            self.counts.resize(index + 1, (0, 0));
        }
        let (visit, count) = &mut self.counts[index];
        if *visit != self.visit {
            (*visit, *count) = (self.visit, 1);
            return first;
        }
        let part = *count;
        *count += 1;
        names.name(participants, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(numbers: &[usize]) -> Vec<ActionId> {
        numbers.iter().map(|&number| ActionId::from_index(number)).collect()
    }

    #[test]
    fn parts_are_counted_anew_for_each_state() {
        let names = StepNames::new(5);
        let mut parts = Parts::default();
        let (alone, together) = (actions(&[2]), actions(&[2, 4]));
        for _ in 0..2 {
            parts.restart();
            assert_eq!(parts.next(&names, &alone), names.name(&alone, 0));
            assert_eq!(parts.next(&names, &together), names.name(&together, 0));
            assert_eq!(parts.next(&names, &alone), names.name(&alone, 1));
            assert_eq!(parts.next(&names, &together), names.name(&together, 1));
        }
    }
}
