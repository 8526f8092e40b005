//! A type for values whose text was parsed without errors.

use crate::context::Context;
use crate::parser::Parsed;
use std::ops::{Deref, DerefMut};

/// A value whose text was parsed without errors.
///
/// Parsers recover from errors, and the recovered tree belongs to another text than the written
/// one: an illegal character is dropped, a number that is too large becomes zero. Only
/// `Context::flawlessly` constructs this type, and only if no error was reported while the text was
/// parsed. A query with an error can therefore not be mistaken for one without.
#[derive(Clone, Debug)]
pub struct Flawless<T>(T);

impl Context {
    /// The result of `rule`, unless an error was reported while it ran or reading has stopped.
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
