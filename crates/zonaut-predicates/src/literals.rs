//! The literals of a part: their meaning, and which of them may hold in a state.

use crate::difference::Difference;
use crate::index::elements;
use crate::table::{Domains, Table};
use crate::vocabulary::{Layout, Predicates};
use std::sync::Arc;
use zonaut_compile::ClockRow;
use zonaut_dbm::{Row, Width, Zone};

/// The predicates of a part and the numbers of their literals: all that a look-up of a state needs.
#[derive(Clone, Debug)]
pub(crate) struct Literals {
    pub(crate) predicates: Predicates,
    pub(crate) layout: Layout,
    pub(crate) domains: Arc<Domains>,
    /// The clocks of the abstraction, the reference clock first.
    pub(crate) rows: Vec<ClockRow>,
}

impl Literals {
    /// The differences among the literals of a cube.
    pub(crate) fn differences(&self, bits: &[u64]) -> Vec<Difference> {
        let clocks = elements(bits).filter(|&literal| literal >= self.layout.clocks);
        clocks.map(|literal| self.difference(literal)).collect()
    }

    pub(crate) fn difference(&self, literal: u32) -> Difference {
        let number = literal - self.layout.clocks;
        let difference = self.predicates.clocks[number as usize / 2];
        if number.is_multiple_of(2) { difference } else { difference.negated() }
    }

    /// The table of a data literal.
    pub(crate) fn table(&self, literal: u32) -> &Table {
        let number = literal - self.layout.data;
        let predicate = &self.predicates.data[number as usize / 2];
        if number.is_multiple_of(2) { &predicate.holds } else { &predicate.fails }
    }

    /// Finds the literals that may hold in a state with these values; `clocks` maps the clocks of
    /// the abstraction to rows of its zone.
    pub(crate) fn possible<W: Width>(
        &self,
        values: &[i32],
        zone: &Zone<W>,
        clocks: &[Option<Row>],
        bits: &mut [u64],
    ) {
        bits.fill(0);
        let layout = &self.layout;
        for (process, value) in values.iter().enumerate().take(layout.processes()) {
            insert(bits, layout.at(process, value.cast_unsigned()));
        }
        for (number, predicate) in self.predicates.data.iter().enumerate() {
            let literal = layout.data + 2 * number as u32;
            let value = |variable: u32| values[variable as usize];
            for (literal, table) in [(literal, &predicate.holds), (literal + 1, &predicate.fails)] {
                if table.may_hold(&self.domains, value) != Some(false) {
                    insert(bits, literal);
                }
            }
        }
        let at = |row: ClockRow| self.rows.binary_search(&row).ok().and_then(|k| clocks[k]);
        for (number, difference) in self.predicates.clocks.iter().enumerate() {
            let literal = layout.clocks + 2 * number as u32;
            for (literal, d) in [(literal, *difference), (literal + 1, difference.negated())] {
                let may_hold = match (at(d.x), at(d.y), d.width()) {
                    (Some(x), Some(y), Some(bound)) => zone.intersects_constraint(x, y, bound),
                    _ => true,
                };
                if may_hold {
                    insert(bits, literal);
                }
            }
        }
    }
}

pub(crate) fn insert(bits: &mut [u64], element: u32) {
    bits[element as usize / 64] |= 1 << (element % 64);
}
