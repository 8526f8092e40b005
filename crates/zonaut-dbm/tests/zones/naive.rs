//! The naive implementation: textbook definitions on pairs of value and strictness, closed from
//! scratch.
//!
//! It shares neither code nor encoding with the crate; results are compared bound by bound.

use std::cmp::Ordering;

use zonaut_dbm::{Bound, Row, Width, Zone};

/// An upper bound as a value with its strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Infinite,
    Finite { value: i128, is_strict: bool },
}

use Limit::{Finite, Infinite};

impl Limit {
    pub(crate) const ZERO: Limit = Finite { value: 0, is_strict: false };

    pub(crate) fn le(value: impl Into<i128>) -> Limit {
        Finite { value: value.into(), is_strict: false }
    }

    pub(crate) fn lt(value: impl Into<i128>) -> Limit {
        Finite { value: value.into(), is_strict: true }
    }

    pub(crate) fn plus(self, other: Limit) -> Limit {
        match (self, other) {
            (Finite { value: a, is_strict: s }, Finite { value: b, is_strict: t }) => {
                Finite { value: a + b, is_strict: s || t }
            }
            _ => Infinite,
        }
    }

    pub(crate) fn is_tighter(self, other: Limit) -> bool {
        match (self, other) {
            (Infinite, _) => false,
            (_, Infinite) => true,
            (Finite { value: a, is_strict: s }, Finite { value: b, is_strict: t }) => {
                match a.cmp(&b) {
                    Ordering::Equal => s && !t,
                    order => order == Ordering::Less,
                }
            }
        }
    }

    fn min(self, other: Limit) -> Limit {
        if other.is_tighter(self) { other } else { self }
    }
}

impl<W: Width> From<Bound<W>> for Limit {
    fn from(b: Bound<W>) -> Limit {
        if b.is_infinite() {
            Infinite
        } else {
            Finite { value: b.value().into(), is_strict: b.is_strict() }
        }
    }
}

/// A matrix of limits, closed and non-empty except during an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naive {
    pub(crate) rows: Vec<Vec<Limit>>,
}

impl<W: Width> From<&Zone<W>> for Naive {
    fn from(zone: &Zone<W>) -> Naive {
        let clocks = || (0..zone.dim()).map(Row::from_index);
        let row = |x| clocks().map(|y| Limit::from(zone.bound(x, y))).collect();
        Naive { rows: clocks().map(row).collect() }
    }
}

impl Naive {
    pub(crate) fn origin(dim: usize) -> Naive {
        Naive { rows: vec![vec![Limit::ZERO; dim]; dim] }
    }

    pub(crate) fn universe(dim: usize) -> Naive {
        let mut naive = Naive { rows: vec![vec![Infinite; dim]; dim] };
        naive.rows[0].fill(Limit::ZERO);
        naive.clear_diagonal();
        naive
    }

    pub(crate) fn dim(&self) -> usize {
        self.rows.len()
    }

    fn clear_diagonal(&mut self) {
        for i in 0..self.dim() {
            self.rows[i][i] = Limit::ZERO;
        }
    }

    /// Closes the matrix; false if it is empty.
    pub(crate) fn close(&mut self) -> bool {
        let dim = self.dim();
        for k in 0..dim {
            for i in 0..dim {
                for j in 0..dim {
                    let path = self.rows[i][k].plus(self.rows[k][j]);
                    self.rows[i][j] = self.rows[i][j].min(path);
                }
            }
        }
        (0..dim).all(|i| !self.rows[i][i].is_tighter(Limit::ZERO))
    }

    pub(crate) fn constrain(&mut self, x: usize, y: usize, limit: Limit) -> bool {
        self.rows[x][y] = self.rows[x][y].min(limit);
        self.close()
    }

    pub(crate) fn intersect(&mut self, other: &Naive) -> bool {
        for (row, other_row) in self.rows.iter_mut().zip(&other.rows) {
            for (entry, &limit) in row.iter_mut().zip(other_row) {
                *entry = entry.min(limit);
            }
        }
        self.close()
    }

    /// Time passes: clocks are then measured from an earlier reference.
    pub(crate) fn delay(&mut self) {
        let (old, new) = (0, self.push_row());
        self.rows[new][old] = Limit::ZERO;
        self.adopt_reference();
    }

    /// Time passes except for the stopped clocks: a difference is greatest at once, or grows
    /// without bound.
    pub(crate) fn delay_except(&mut self, is_stopped: impl Fn(usize) -> bool) {
        let rate = |x: usize| u8::from(x != 0 && !is_stopped(x));
        for (x, row) in self.rows.iter_mut().enumerate() {
            for (_, entry) in row.iter_mut().enumerate().filter(|&(y, _)| rate(x) > rate(y)) {
                *entry = Infinite;
            }
        }
        assert!(self.close());
    }

    /// Time is turned back: clocks are measured from a later reference, and still non-negative.
    pub(crate) fn past(&mut self) {
        let (old, new) = (0, self.push_row());
        self.rows[old][new] = Limit::ZERO;
        for x in 1..new {
            self.rows[new][x] = Limit::ZERO;
        }
        self.adopt_reference();
    }

    fn push_row(&mut self) -> usize {
        let new = self.dim();
        self.rows.iter_mut().for_each(|row| row.push(Infinite));
        self.rows.push(vec![Infinite; new + 1]);
        self.rows[new][new] = Limit::ZERO;
        new
    }

    fn adopt_reference(&mut self) {
        assert!(self.close());
        self.rows.swap_remove(0);
        self.rows.iter_mut().for_each(|row| {
            row.swap_remove(0);
        });
    }

    fn forget(&mut self, x: usize) {
        self.rows.iter_mut().for_each(|row| row[x] = Infinite);
        self.rows[x].fill(Infinite);
        self.clear_diagonal();
    }

    fn fix(&mut self, x: usize, y: usize, distance: i64) {
        self.rows[x][y] = Limit::le(distance);
        self.rows[y][x] = Limit::le(-distance);
        assert!(self.close());
    }

    pub(crate) fn reset(&mut self, x: usize, value: i64) {
        self.forget(x);
        self.fix(x, 0, value);
    }

    pub(crate) fn copy(&mut self, x: usize, y: usize) {
        if x != y {
            self.forget(x);
            self.fix(x, y, 0);
        }
    }

    pub(crate) fn free(&mut self, x: usize) {
        self.forget(x);
        self.rows[0][x] = Limit::ZERO;
        assert!(self.close());
    }

    /// The clocks `y + value` for all sources `(y, value)` but the first, which is the reference.
    pub(crate) fn image(&self, sources: &[(usize, i64)]) -> Naive {
        let mut both = self.clone();
        let mut kept = vec![0];
        for &(y, value) in &sources[1..] {
            let x = both.push_row();
            both.fix(x, y, value);
            kept.push(x);
        }
        let row = |&x: &usize| kept.iter().map(|&y| both.rows[x][y]).collect();
        Naive { rows: kept.iter().map(row).collect() }
    }

    /// Whether every bound of the zone equals the bound here.
    pub(crate) fn is_same<W: Width>(&self, zone: &Zone<W>) -> bool {
        *self == Naive::from(zone)
    }
}
