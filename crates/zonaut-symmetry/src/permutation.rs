//! Permutations of the elements of all sets at once.

/// A permutation of elements, each within its own set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Permutation(Vec<u32>);

impl Permutation {
    /// The identity on this number of elements.
    #[must_use]
    pub fn identity(elements: usize) -> Self {
        Self((0..elements as u32).collect())
    }

    /// Becomes the identity on this number of elements.
    pub(crate) fn reset(&mut self, elements: usize) {
        self.0.clear();
        self.0.extend(0..elements as u32);
    }

    /// Sets the image of an element. The caller keeps the map injective.
    pub(crate) fn set(&mut self, element: u32, image: u32) {
        self.0[element as usize] = image;
    }

    /// The image of an element.
    #[inline]
    #[must_use]
    pub fn of(&self, element: u32) -> u32 {
        self.0[element as usize]
    }

    /// Whether it is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.0.iter().enumerate().all(|(element, &image)| element as u32 == image)
    }

    /// The inverse permutation.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut inverse = self.clone();
        for (element, &image) in self.0.iter().enumerate() {
            inverse.0[image as usize] = element as u32;
        }
        inverse
    }

    /// The composition: first `first`, then this one.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self(first.0.iter().map(|&image| self.of(image)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_and_its_inverse_compose_to_the_identity() {
        let turn = Permutation(vec![1, 2, 0, 4, 3]);
        assert!(!turn.is_identity());
        assert!(turn.after(&turn.inverse()).is_identity());
        assert!(turn.inverse().after(&turn).is_identity());
    }

    #[test]
    fn the_first_of_two_is_applied_first() {
        let (turn, swap) = (Permutation(vec![1, 2, 0]), Permutation(vec![1, 0, 2]));
        assert_eq!(turn.after(&swap).of(0), turn.of(swap.of(0)));
        assert_ne!(turn.after(&swap), swap.after(&turn));
    }
}
