//! The switch of faults that are put in on purpose, to measure whether tests notice.

use std::sync::atomic::{AtomicU8, Ordering};

/// Which of the faults of a crate is put in, for the whole process; at first there is none. Make
/// one with [`define_faults!`](crate::define_faults).
#[derive(Debug, Default)]
pub struct FaultSwitch(AtomicU8);

impl FaultSwitch {
    /// A switch with no fault put in.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// Puts in the fault of this number, or none.
    pub fn select(&self, fault: Option<u8>) {
        self.0.store(fault.map_or(0, |fault| fault + 1), Ordering::SeqCst);
    }

    /// Whether the fault of this number is put in.
    #[inline(always)]
    #[must_use]
    pub fn is_selected(&self, fault: u8) -> bool {
        self.0.load(Ordering::Relaxed) == fault + 1
    }
}

/// Defines an enumeration of faults with their switch: the function `select` puts one of them in or
/// none, `is_selected` says whether it is there, and `ALL` lists them.
///
/// Crates have it behind a feature that nothing that is shipped enables.
#[macro_export]
macro_rules! define_faults {
    ($(#[$about:meta])* $visibility:vis enum $name:ident { $($(#[$meaning:meta])* $fault:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $visibility enum $name {
            $($(#[$meaning])* $fault,)+
        }

        static SWITCH: $crate::FaultSwitch = $crate::FaultSwitch::new();

        /// Puts in a fault, or none, for the whole process.
        $visibility fn select(fault: Option<$name>) {
            SWITCH.select(fault.map(|fault| fault as u8));
        }

        impl $name {
            /// All of them.
            $visibility const ALL: &[Self] = &[$(Self::$fault,)+];

            /// Whether this one is put in.
            #[inline(always)]
            #[must_use]
            $visibility fn is_selected(self) -> bool {
                SWITCH.is_selected(self as u8)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    define_faults! {
        /// What can be wrong.
        enum Fault {
            /// One thing.
            First,
            /// Another.
            Second,
        }
    }

    #[test]
    fn one_fault_at_a_time_is_there_and_at_first_none() {
        let selected = || Fault::ALL.iter().copied().filter(|fault| fault.is_selected());
        assert!(selected().next().is_none());
        for &fault in Fault::ALL {
            select(Some(fault));
            assert!(selected().eq([fault]));
        }
        select(None);
        assert!(selected().next().is_none());
    }
}
