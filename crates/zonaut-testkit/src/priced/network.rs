//! Small networks with integer constants, which can be printed as XTA and interpreted.
//!
//! They are not models of the engine: the oracle of [`super::integer_time`] interprets them without
//! the front end.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The relation of a clock or a cell to a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// At most.
    AtMost,
    /// Less than.
    Below,
    /// Equal.
    Equal,
    /// At least.
    AtLeast,
    /// Greater than.
    Above,
}

impl Relation {
    pub(crate) fn holds(self, left: i32, right: i32) -> bool {
        match self {
            Self::AtMost => left <= right,
            Self::Below => left < right,
            Self::Equal => left == right,
            Self::AtLeast => left >= right,
            Self::Above => left > right,
        }
    }

    pub(crate) fn is_strict(self) -> bool {
        matches!(self, Self::Below | Self::Above)
    }

    fn symbol(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::Below => "<",
            Self::Equal => "==",
            Self::AtLeast => ">=",
            Self::Above => ">",
        }
    }
}

/// A comparison of a clock or a cell, by its number, with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Comparison {
    pub(crate) subject: usize,
    pub(crate) relation: Relation,
    pub(crate) value: i32,
}

/// A part of an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Update {
    /// A cell becomes a constant.
    Set { cell: usize, value: i32 },
    /// A cell grows by a constant; the guard keeps it within its range.
    Add { cell: usize, step: i32 },
    /// A cell is set to the value of another one.
    Copy { cell: usize, from: usize },
    /// A clock becomes a constant.
    Reset { clock: usize, value: i32 },
}

/// An edge of a process.
#[derive(Clone, Default, Debug)]
pub(crate) struct Edge {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) clocks: Vec<Comparison>,
    pub(crate) cells: Vec<Comparison>,
    pub(crate) updates: Vec<Update>,
    pub(crate) price: i32,
}

/// A process; its first location is initial.
#[derive(Clone, Default, Debug)]
pub(crate) struct Process {
    /// The invariant of each location.
    pub(crate) invariants: Vec<Option<Comparison>>,
    /// A second invariant of some locations.
    pub(crate) deadlines: BTreeMap<usize, Comparison>,
    pub(crate) edges: Vec<Edge>,
}

/// A location of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcessLocation {
    pub(crate) process: usize,
    pub(crate) location: usize,
}

/// The units in which the numbers of a network are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Units {
    /// Constants that clocks are compared with or set to are multiplied by this.
    pub(crate) time: i32,
    /// Prices are multiplied by this.
    pub(crate) price: i32,
}

impl Units {
    /// Numbers are printed as they are.
    pub(crate) const ONE: Self = Self { time: 1, price: 1 };
}

/// A network, and a goal as a disjunction of conjunctions of locations.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// The number of cells; all are 0 initially.
    pub(crate) cells: usize,
    /// The number of clocks; all are 0 initially.
    pub(crate) clocks: usize,
    pub(crate) processes: Vec<Process>,
    pub(crate) goal: Vec<Vec<ProcessLocation>>,
    /// The cost of a unit of time; `None` if the model has no cost annotations.
    pub(crate) rate: Option<i32>,
    pub(crate) units: Units,
}

/// The greatest value of a cell.
pub(crate) const MOST: i32 = 2;

impl Network {
    /// All edges.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.processes.iter().flat_map(|process| &process.edges)
    }

    /// All comparisons of clocks.
    pub(crate) fn clock_comparisons(&self) -> impl Iterator<Item = &Comparison> {
        let invariants = self.processes.iter().flat_map(|process| &process.invariants);
        let deadlines = self.processes.iter().flat_map(|process| process.deadlines.values());
        let guards = self.edges().flat_map(|edge| &edge.clocks);
        guards.chain(invariants.flatten()).chain(deadlines)
    }

    /// Whether no comparison is strict, so that integer dates suffice.
    pub(crate) fn is_closed(&self) -> bool {
        !self.clock_comparisons().any(|one| one.relation.is_strict())
    }

    /// The query for the goal.
    pub(crate) fn query(&self) -> String {
        let place = |place: &ProcessLocation| format!("P{}.l{}", place.process, place.location);
        let all = |places: &Vec<ProcessLocation>| {
            let places: Vec<String> = places.iter().map(place).collect();
            format!("({})", places.join(" && "))
        };
        let alternatives: Vec<String> = self.goal.iter().map(all).collect();
        format!("E<> {}", alternatives.join(" || "))
    }

    /// The network as XTA.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for cell in 0..self.cells {
            let _ = write!(text, "int[0,{MOST}] c{cell}; ");
        }
        for clock in 0..self.clocks {
            let _ = write!(text, "clock x{clock}; ");
        }
        for (index, process) in self.processes.iter().enumerate() {
            let rate = self.rate.filter(|_| index == 0);
            let _ = write!(text, "process P{index}() {{ {} }} ", self.body(process, rate));
        }
        let names: Vec<String> = (0..self.processes.len()).map(|p| format!("P{p}")).collect();
        let _ = write!(text, "system {};", names.join(", "));
        text
    }

    fn body(&self, process: &Process, rate: Option<i32>) -> String {
        let location = |(index, invariant): (usize, &Option<Comparison>)| {
            let deadline = process.deadlines.get(&index);
            let invariant = invariant.iter().chain(deadline).map(|one| self.clock_text(one));
            let rate = rate.map(|rate| format!("cost' == {rate}"));
            let both: Vec<String> = invariant.chain(rate).collect();
            match both.is_empty() {
                true => format!("l{index}"),
                false => format!("l{index} {{ {} }}", both.join(" && ")),
            }
        };
        let locations: Vec<String> = process.invariants.iter().enumerate().map(location).collect();
        let edges: Vec<String> = process.edges.iter().map(|edge| self.edge_text(edge)).collect();
        let edges = match edges.is_empty() {
            true => String::new(),
            false => format!(" trans {};", edges.join(", ")),
        };
        format!("state {}; init l0;{edges}", locations.join(", "))
    }

    fn clock_text(&self, one: &Comparison) -> String {
        let value = i64::from(one.value) * i64::from(self.units.time);
        format!("x{} {} {value}", one.subject, one.relation.symbol())
    }

    fn edge_text(&self, edge: &Edge) -> String {
        let clocks = edge.clocks.iter().map(|one| self.clock_text(one));
        let cell =
            |one: &Comparison| format!("c{} {} {}", one.subject, one.relation.symbol(), one.value);
        let guard: Vec<String> = clocks.chain(edge.cells.iter().map(cell)).collect();
        let update = |one: &Update| match *one {
            Update::Set { cell, value } => format!("c{cell} = {value}"),
            Update::Add { cell, step } => format!("c{cell} = c{cell} + ({step})"),
            Update::Copy { cell, from } => format!("c{cell} = c{from}"),
            Update::Reset { clock, value } => {
                format!("x{clock} = {}", i64::from(value) * i64::from(self.units.time))
            }
        };
        let price = i64::from(edge.price) * i64::from(self.units.price);
        let price = (edge.price > 0).then(|| format!("cost += {price}"));
        let updates: Vec<String> = edge.updates.iter().map(update).chain(price).collect();
        let part = |name: &str, parts: Vec<String>, joint: &str| match parts.is_empty() {
            true => String::new(),
            false => format!("{name} {}; ", parts.join(joint)),
        };
        let (guard, updates) = (part("guard", guard, " && "), part("assign", updates, ", "));
        format!("l{} -> l{} {{ {guard}{updates}}}", edge.source, edge.target)
    }
}
