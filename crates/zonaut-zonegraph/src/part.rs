//! Which of several parts of what a transition leads to is which.

use zonaut_compile::{ActionId, Step, StepNames};

/// Numbers the parts that the transitions of one state lead to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    /// The state whose transitions are taken.
    visit: u32,
    /// By the step of the first part: the last visit that met it, and how many parts it had.
    counts: Vec<(u32, u32)>,
}

impl Parts {
    /// Begins with another state.
    pub(crate) fn restart(&mut self) {
        self.visit = self.visit.wrapping_add(1);
        if self.visit == 0 {
            self.counts.fill((0, 0));
            self.visit = 1;
        }
    }

    /// The name of the next part of what these actions lead to.
    #[inline]
    pub(crate) fn next(&mut self, names: &StepNames, participants: &[ActionId]) -> Step {
        let first = names.name(participants, 0);
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
    use zonaut_base::Id;

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
