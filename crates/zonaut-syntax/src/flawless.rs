//! The mark of text that was read without an error.

use crate::context::Context;
use crate::parser::Parsed;
use std::ops::{Deref, DerefMut};

/// A value whose text was read without any error.
///
/// Parsers recover from errors, and what they recover is another text than the one that was
/// written: an illegal character is dropped, a number that is too large becomes zero. Only
/// `Context::flawlessly` makes a value of this type, and only if nothing was reported as an error
/// while its text was read, so a query with an error cannot be mistaken for one without.
#[derive(Clone, Debug)]
pub struct Flawless<T>(T);

impl Context {
    /// What `rule` reads, if that is anything, unless an error was reported while it ran or reading
    /// has stopped.
    pub(crate) fn flawlessly<T>(
        &mut self,
        rule: impl FnOnce(&mut Self) -> Parsed<Option<T>>,
    ) -> Option<Flawless<T>> {
        let before = self.error_count();
        let value = rule(self).ok()??;
        let is_flawless = self.error_count() == before && !self.is_stopped();
        is_flawless.then_some(Flawless(value))
    }
}

impl<T> Deref for Flawless<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Flawless<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
