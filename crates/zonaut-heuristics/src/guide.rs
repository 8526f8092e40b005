//! Guides: estimates from the discrete part of a state.

use zonaut_space::Estimate;

/// A guide that looks at the discrete part of a state alone: the location of every process, then
/// the content of every cell.
///
/// Law: the same question gives the same answer. [`Estimate::DeadEnd`] is said only of states from
/// which neither a goal nor a run-time error can be reached. A guide that is also
/// [`Admissible`](zonaut_space::Admissible) is never above the number of steps to the nearest goal
/// state, and says [`Estimate::Last`] only of states from which no goal can be reached.
pub trait Guide {
    /// How far the goal seems to be.
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32>;

    /// The name that strategies use.
    fn name(&self) -> &'static str;

    /// The bytes that it keeps.
    fn bytes(&self) -> usize {
        0
    }
}

impl<G: Guide + ?Sized> Guide for Box<G> {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        (**self).estimate(values)
    }
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}

impl<G: Guide + ?Sized> Guide for &mut G {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        (**self).estimate(values)
    }
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}
