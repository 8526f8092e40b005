//! Interval evaluation for tests with too many tuples to enumerate.
//!
//! The interval of an expression contains its value for every tuple of the sets, so a test that
//! fails on intervals fails for all of them. Larger sets have larger intervals.

use super::sets::View;
use zonaut_analysis::interval::{Contents, Declared, Intervals};
use zonaut_analysis::normal_form::Test;
use zonaut_analysis::{Overlay, Truth, Walk};
use zonaut_base::Id;
use zonaut_model::interval::Interval;
use zonaut_model::{LocationId, Model, ProcessId, Storage};

/// Maximum number of instances of quantifiers that are evaluated one by one.
const INSTANCES: u32 = 4096;

/// Whether a test may hold for some tuple.
pub(super) fn may_hold(model: &Model, view: View<'_>, test: &Test) -> bool {
    let hulls = Hulls { view, declared: Declared(model) };
    let domain = Intervals::new(model, hulls).with_unrolling(INSTANCES);
    let mut walk = Walk::new(model, domain, Overlay::default());
    let truth = walk.bind_all(&test.bindings).and_then(|()| walk.test(test));
    truth.is_some_and(Truth::may_hold)
}

/// The values of cells as the smallest intervals around their sets.
struct Hulls<'v> {
    view: View<'v>,
    declared: Declared<'v>,
}

impl Contents for Hulls<'_> {
    fn of(&mut self, address: Storage) -> Interval {
        match address {
            Storage::Cell(cell) => self.view.interval_of(cell),
            _ => self.declared.of(address),
        }
    }

    fn at(&mut self, process: ProcessId, location: LocationId) -> Interval {
        self.view.interval_of_test(process, location.index() as i32)
    }
}
