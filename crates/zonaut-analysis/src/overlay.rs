//! Stored values on top of unmodified initial contents.

use zonaut_model::Storage;

/// The stored values by address. All other addresses keep their initial contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlay<V> {
    /// The values, ascending by address.
    stored: Vec<(Storage, V)>,
}

impl<V> Default for Overlay<V> {
    fn default() -> Self {
        Self { stored: Vec::new() }
    }
}

impl<V> Overlay<V> {
    /// The stored value of an address.
    #[must_use]
    pub fn get(&self, address: Storage) -> Option<&V> {
        let position = self.stored.binary_search_by_key(&address, |entry| entry.0).ok()?;
        Some(&self.stored[position].1)
    }

    /// Stores a value.
    pub fn insert(&mut self, address: Storage, value: V) {
        match self.stored.binary_search_by_key(&address, |entry| entry.0) {
            Ok(position) => self.stored[position].1 = value,
            Err(position) => self.stored.insert(position, (address, value)),
        }
    }

    /// The stored values, in the order of addresses.
    pub fn iter(&self) -> impl Iterator<Item = (Storage, &V)> {
        self.stored.iter().map(|(address, value)| (*address, value))
    }

    /// The stored values, in the order of addresses, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Storage, &mut V)> {
        self.stored.iter_mut().map(|(address, value)| (*address, value))
    }

    /// Combines the values of every address that is stored in one of them; an absent value is
    /// passed as `None`.
    pub fn merge(
        &mut self,
        other: Self,
        mut combine: impl FnMut(Storage, Option<V>, Option<V>) -> V,
    ) {
        let mut ours = std::mem::take(&mut self.stored).into_iter().peekable();
        let mut theirs = other.stored.into_iter().peekable();
        loop {
            let next = match (ours.peek(), theirs.peek()) {
                (None, None) => return,
                (Some(our), None) => our.0,
                (None, Some(their)) => their.0,
                (Some(our), Some(their)) => our.0.min(their.0),
            };
            let our = ours.next_if(|entry| entry.0 == next).map(|entry| entry.1);
            let their = theirs.next_if(|entry| entry.0 == next).map(|entry| entry.1);
            self.stored.push((next, combine(next, our, their)));
        }
    }
}
