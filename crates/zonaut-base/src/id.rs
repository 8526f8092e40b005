//! Typed ids, and vectors that are indexed by one type of id only.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index. Define one with [`define_id!`](crate::define_id).
///
/// Law: `Self::from_index(i).index() == i` for every `i` below `u32::MAX`.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug {
    /// The id of the element at `index`.
    fn from_index(index: usize) -> Self;
    /// The position of this id's element.
    fn index(self) -> usize;
}

/// Defines a newtype over `u32` that implements [`Id`].
#[macro_export]
macro_rules! define_id {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $visibility struct $name(u32);

        impl $crate::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("invariant: ids stay below 2^32"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

/// A vector whose elements are found by a typed id.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IndexVec<I, T> {
    elements: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// An empty vector.
    #[must_use]
    pub const fn new() -> Self {
        Self { elements: Vec::new(), ids: PhantomData }
    }

    /// Appends an element and returns its id.
    pub fn push(&mut self, element: T) -> I {
        let id = self.next_id();
        self.elements.push(element);
        id
    }

    /// The id that the next pushed element will get.
    #[must_use]
    pub fn next_id(&self) -> I {
        I::from_index(self.elements.len())
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The element of `id`, or `None` if the id is out of range.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.elements.get(id.index())
    }

    /// The elements in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.elements.iter()
    }

    /// The elements in order of their ids, mutable.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.elements.iter_mut()
    }

    /// All ids, ascending.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.elements.len()).map(I::from_index)
    }

    /// Ids with their elements, ascending.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.elements.iter().enumerate().map(|(index, element)| (I::from_index(index), element))
    }

    /// The elements as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.elements
    }

    /// Drops every element from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.elements.truncate(len);
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.elements[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.elements[id.index()]
    }
}

impl<I: Id, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(elements: Vec<T>) -> Self {
        Self { elements, ids: PhantomData }
    }
}

impl<I: Id, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(elements: It) -> Self {
        Self::from(elements.into_iter().collect::<Vec<_>>())
    }
}

impl<'v, I: Id, T> IntoIterator for &'v IndexVec<I, T> {
    type Item = &'v T;
    type IntoIter = std::slice::Iter<'v, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.elements).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    define_id!(
        /// An id type for tests.
        struct ThingId
    );

    #[test]
    fn pushed_elements_are_found_by_their_ids() {
        let mut things: IndexVec<ThingId, char> = IndexVec::new();
        let a = things.push('a');
        let b = things.push('b');
        assert_eq!((things[a], things[b]), ('a', 'b'));
        assert_eq!(things.ids().collect::<Vec<_>>(), [a, b]);
        assert_eq!(things.next_id().index(), 2);
        assert_eq!(things.get(things.next_id()), None);
    }

    #[test]
    fn truncating_forgets_the_last_ids_only() {
        let mut things: IndexVec<ThingId, char> = ['a', 'b', 'c'].into_iter().collect();
        things.truncate(1);
        assert_eq!(things.as_slice(), ['a']);
    }
}
