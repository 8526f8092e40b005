//! Zones with the names of their clocks.

use crate::failure::misuse;
use pyo3::prelude::*;
use zonaut_dbm::{Bound, Row, Wide, Zone as Dbm};
use zonaut_draw::{ZoneView, draw_zone};

/// The greatest constant of a constraint, and the greatest number of clocks.
const MOST: i64 = 1 << 30;
const MOST_CLOCKS: usize = 1000;

/// A non-empty set of clock valuations that difference constraints describe. It never changes:
/// operations return new zones, or `None` where the result is empty.
#[pyclass(frozen, module = "zonaut._zonaut")]
#[derive(Clone)]
pub(crate) struct Zone {
    zone: Dbm<Wide>,
    /// The names of the clocks, that of row 1 first.
    clocks: Vec<String>,
}

impl Zone {
    pub(crate) fn new(zone: Dbm<Wide>, clocks: Vec<String>) -> Self {
        Self { zone, clocks }
    }

    fn row(&self, clock: &str) -> PyResult<Row> {
        let place = self.clocks.iter().position(|name| name == clock);
        let unknown = || {
            let known = self.clocks.join(", ");
            misuse("option", format!("`{clock}` is not a clock of the zone; it has {known}"))
        };
        place.map(|place| Row::from_index(place + 1)).ok_or_else(unknown)
    }

    /// The row of a clock, or of the constant zero without one.
    fn row_or_zero(&self, clock: Option<&str>) -> PyResult<Row> {
        clock.map_or(Ok(Row::ZERO), |clock| self.row(clock))
    }

    fn same_clocks(&self, other: &Self) -> PyResult<()> {
        match self.clocks == other.clocks {
            true => Ok(()),
            false => Err(misuse("option", "the zones have different clocks")),
        }
    }

    /// The zone after `change`.
    fn changed(&self, change: impl FnOnce(&mut Dbm<Wide>)) -> PyResult<Self> {
        let mut zone = self.zone.clone();
        change(&mut zone);
        match zone.is_within_range() {
            true => Ok(Self { zone, clocks: self.clocks.clone() }),
            false => Err(misuse("option", "clock values exceed the range of exact zones")),
        }
    }
}

/// The constant of a constraint, if it is in range.
fn constant(value: i64) -> PyResult<i64> {
    match value.abs() <= MOST {
        true => Ok(value),
        false => Err(misuse("option", format!("{value} is outside of the range of constants"))),
    }
}

#[pymethods]
impl Zone {
    /// All valuations of these clocks, or only the one with the value 0 for each.
    #[staticmethod]
    fn of_clocks(clocks: Vec<String>, is_origin: bool) -> PyResult<Self> {
        let has_twice = |(at, name): (usize, &String)| clocks[..at].contains(name);
        if clocks.len() > MOST_CLOCKS || clocks.iter().enumerate().any(has_twice) {
            return Err(misuse("option", "the clocks are too many, or one is named twice"));
        }
        let dim = clocks.len() + 1;
        let zone = if is_origin { Dbm::origin(dim) } else { Dbm::universe(dim) };
        Ok(Self { zone, clocks })
    }

    /// The names of the clocks.
    #[getter]
    fn clocks(&self) -> Vec<String> {
        self.clocks.clone()
    }

    /// The constraints in the least number, as text.
    fn text(&self) -> String {
        let names: Vec<&str> =
            [""].into_iter().chain(self.clocks.iter().map(String::as_str)).collect();
        self.zone.display(&names).to_string()
    }

    /// The upper bound of `x - y`, where `None` is the constant zero: the value, and whether it is
    /// strict. `None` if the difference is unbounded.
    fn bound(&self, x: Option<&str>, y: Option<&str>) -> PyResult<Option<(i64, bool)>> {
        let bound = self.zone.bound(self.row_or_zero(x)?, self.row_or_zero(y)?);
        Ok((!bound.is_infinite()).then(|| (bound.value(), bound.is_strict())))
    }

    /// The valuations that also satisfy `x - y <= value`, or `<` if it is strict.
    #[pyo3(signature = (x, y, value, is_strict))]
    fn constrained(
        &self,
        x: Option<&str>,
        y: Option<&str>,
        value: i64,
        is_strict: bool,
    ) -> PyResult<Option<Self>> {
        let value = constant(value)?;
        let (x, y) = (self.row_or_zero(x)?, self.row_or_zero(y)?);
        let bound = if is_strict { Bound::lt(value) } else { Bound::le(value) };
        if x == y {
            let is_true = value > 0 || (value == 0 && !is_strict);
            return Ok(is_true.then(|| self.clone()));
        }
        let mut zone = self.zone.clone();
        match zone.constrain(x, y, bound) {
            Ok(()) => self.changed(|changed| *changed = zone).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The valuations after any delay.
    fn delayed(&self) -> PyResult<Self> {
        self.changed(Dbm::delay)
    }

    /// The valuations from which some delay leads into the zone.
    fn past(&self) -> PyResult<Self> {
        self.changed(Dbm::past)
    }

    /// The valuations with `clock` set to a value.
    fn reset(&self, clock: &str, value: i32) -> PyResult<Self> {
        let (row, value) = (self.row(clock)?, constant(value.into())?);
        if value < 0 {
            return Err(misuse("option", "a clock is not negative"));
        }
        let value = i32::try_from(value).unwrap_or(0);
        self.changed(|zone| zone.reset(row, value))
    }

    /// The valuations with any value of `clock`.
    fn freed(&self, clock: &str) -> PyResult<Self> {
        let row = self.row(clock)?;
        self.changed(|zone| zone.free(row))
    }

    /// The valuations of both zones.
    fn intersected(&self, other: &Self) -> PyResult<Option<Self>> {
        self.same_clocks(other)?;
        let mut zone = self.zone.clone();
        let is_empty = zone.intersect(&other.zone).is_err();
        Ok((!is_empty).then(|| Self { zone, clocks: self.clocks.clone() }))
    }

    /// Whether all valuations of `other` are in the zone.
    fn includes(&self, other: &Self) -> PyResult<bool> {
        self.same_clocks(other)?;
        Ok(self.zone.includes(&other.zone))
    }

    /// Whether the valuation with the value `numerators[i] / denominator` of each clock is in the
    /// zone.
    fn contains(&self, numerators: Vec<i64>, denominator: i64) -> PyResult<bool> {
        if numerators.len() != self.clocks.len() || denominator <= 0 {
            return Err(misuse("option", "a value is needed for every clock"));
        }
        let numerators: Vec<i64> = [0].into_iter().chain(numerators).collect();
        Ok(self.zone.contains(&numerators, denominator))
    }

    /// A drawing of two clocks as SVG.
    fn svg(&self, x: &str, y: &str) -> PyResult<String> {
        let rows = [self.row(x)?, self.row(y)?];
        let least = rows.map(|row| {
            let bound = self.zone.bound(Row::ZERO, row);
            -(bound.value() as f64)
        });
        let view = ZoneView {
            zone: &self.zone,
            leaving: None,
            clocks: [(rows[0], x), (rows[1], y)],
            stay: [least, least],
        };
        Ok(draw_zone(&view).standalone())
    }
}
