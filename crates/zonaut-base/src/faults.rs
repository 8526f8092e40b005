//! The switch for injected faults, which measure whether the tests detect errors.

use std::sync::atomic::{AtomicU8, Ordering};

/// The injected fault of a crate, for the whole process; initially no fault is injected. Define one
/// with [`define_faults!`](crate::define_faults).
#[derive(Debug, Default)]
pub struct FaultSwitch(AtomicU8);

impl FaultSwitch {
    /// A switch without an injected fault.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// Injects the fault of this number, or removes the fault.
    pub fn select(&self, fault: Option<u8>) {
        self.0.store(fault.map_or(0, |fault| fault + 1), Ordering::SeqCst);
    }

    /// Whether the fault of this number is injected.
    #[inline(always)]
    #[must_use]
    pub fn is_selected(&self, fault: u8) -> bool {
        self.0.load(Ordering::Relaxed) == fault + 1
    }
}

/// Defines an enumeration of faults with their switch: the function `select` injects one of them or
/// none, `is_selected` is true for the injected fault, and `ALL` lists them.
///
/// Crates define their faults behind a feature that no released program enables.
#[macro_export]
macro_rules! define_faults {
    ($(#[$about:meta])* $visibility:vis enum $name:ident { $($(#[$meaning:meta])* $fault:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $visibility enum $name {
            $($(#[$meaning])* $fault,)+
        }

        static SWITCH: $crate::FaultSwitch = $crate::FaultSwitch::new();

        /// Injects a fault, or none, for the whole process.
        $visibility fn select(fault: Option<$name>) {
            SWITCH.select(fault.map(|fault| fault as u8));
        }

        impl $name {
            /// All faults.
            $visibility const ALL: &[Self] = &[$(Self::$fault,)+];

            /// Whether this fault is injected.
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
        /// Faults of this test.
        enum Fault {
            /// The first fault.
            First,
            /// The second fault.
            Second,
        }
    }

    #[test]
    fn at_most_one_fault_is_injected_and_initially_none() {
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
