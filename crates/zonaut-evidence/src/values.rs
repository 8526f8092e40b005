//! Certificates of least and greatest values: the kind `values`.

use crate::run::write_transition;
use crate::set::{SetForm, SetWriter, ZoneStore, write_zone};
use crate::{Hashed, Subject};
use std::io::{self, Write};
use zonaut_compile::{ActionId, row_of};
use zonaut_dbm::Width;
use zonaut_liveness::{PumpingLoop, PumpingStart, Value};
use zonaut_model::{ClockId, Model};
use zonaut_space::Meter;
use zonaut_zonegraph::{Comparison, Step, SymbolicState, ZoneGraph};

/// A path to a value, or to values arbitrarily close to it.
pub struct PathTo {
    /// The position of the expression in the query.
    pub subject: usize,
    /// The end of the range.
    pub side: Side,
    /// The value.
    pub value: Value,
    /// The transitions.
    pub steps: Vec<Step>,
    /// The pumping loop among them, if the value is approached by repeating it.
    pub pumping: Option<PumpingLoop>,
}

/// An end of a range of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The least value.
    Least,
    /// The greatest value.
    Greatest,
}

impl Side {
    fn keyword(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Greatest => "greatest",
        }
    }
}

/// The expressions without values beyond the stated ones in a set of states.
pub enum Bounded<'s> {
    /// Expressions, by their positions in the query.
    All(&'s [usize]),
    /// An expression restricted to the case that it is the value of this clock.
    Case(usize, ClockId),
}

/// A set of states without values beyond the stated ones.
pub enum ValueSet<'s, 'n, W: Width> {
    /// The states of a store.
    Store(&'s ZoneStore<'n, W>, Comparison),
    /// States in which a clock is exact where its value matters.
    States(&'s [SymbolicState<W>], Comparison),
}

/// The body of a certificate of values, written when all values are known.
pub struct ValuesBody<'m> {
    model: &'m Model,
    text: Vec<u8>,
    /// The reason for which there can be no certificate.
    obstacle: Option<&'static str>,
}

impl<'m> ValuesBody<'m> {
    /// A body without values.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self { model, text: Vec::new(), obstacle: None }
    }

    /// Records the reason for which there can be no certificate.
    pub fn give_up(&mut self, why: &'static str) {
        self.obstacle.get_or_insert(why);
    }

    /// The reason for which there can be no certificate.
    #[must_use]
    pub fn obstacle(&self) -> Option<&'static str> {
        self.obstacle
    }

    /// Appends evidence for values: paths to them, then sets without values beyond.
    pub fn add(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    /// The text of a path to a value.
    ///
    /// # Errors
    /// If the meter stops.
    pub fn path<W: Width>(&self, graph: &ZoneGraph<'_, W>, path: &PathTo) -> io::Result<Vec<u8>> {
        let PathTo { subject, side, value, steps, pumping } = path;
        let network = graph.network();
        let mut text = Vec::new();
        let mut out = Hashed::new(&mut text, graph.meter());
        let value = match value {
            Value::Attained(number) => format!("attained {number}"),
            Value::Approached(number) => format!("approached {number}"),
            Value::Unbounded => "unbounded".to_owned(),
        };
        writeln!(out, "{} {subject} {value}", side.keyword())?;
        let round = pumping.as_ref().map(|pumping| pumping.round.clone());
        let act = |step: Step, out: &mut Hashed<'_>| {
            let participants: Vec<ActionId> = graph.read_step(step, <[_]>::to_vec);
            write_transition(network, "act", &participants, out)
        };
        for position in 0..=steps.len() {
            if let Some(pumping) =
                pumping.as_ref().filter(|pumping| pumping.round.start == position)
            {
                write_pumping_start(&pumping.start, &mut out)?;
            }
            if let Some(round) = round.clone().filter(|round| round.end == position) {
                writeln!(out, "again")?;
                // The loop may lead to more valuations than it begins with, and the path may
                // continue from one of these only.
                for &step in &steps[round] {
                    act(step, &mut out)?;
                }
            }
            if let Some(&step) = steps.get(position) {
                act(step, &mut out)?;
            }
        }
        Ok(text)
    }

    /// The text of a set without values beyond.
    ///
    /// # Errors
    /// If the meter stops.
    pub fn set<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        bounded: &Bounded<'_>,
        set: &ValueSet<'_, '_, W>,
    ) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut out = Hashed::new(&mut text, graph.meter());
        match bounded {
            Bounded::All(subjects) => {
                let subjects: Vec<String> = subjects.iter().map(usize::to_string).collect();
                writeln!(out, "set {}", subjects.join(" "))?;
            }
            Bounded::Case(subject, clock) => writeln!(out, "case {subject} {}", row_of(*clock))?,
        }
        let writer = SetWriter { model: self.model, graph, form: SetForm::Legible };
        match set {
            ValueSet::Store(store, comparison) => {
                writer.write_store(store, *comparison, &mut out)?;
            }
            ValueSet::States(states, comparison) => {
                writer.write_states(states, *comparison, &mut out)?;
            }
        }
        Ok(text)
    }
}

fn write_pumping_start(start: &PumpingStart, out: &mut Hashed<'_>) -> io::Result<()> {
    write!(out, "rises")?;
    for (row, constant) in &start.above {
        let constant = constant.map_or("-".to_owned(), |constant| constant.to_string());
        write!(out, " {row}:{constant}")?;
    }
    write!(out, "\nloop")?;
    write_zone(&start.zone, &start.rows, out)?;
    writeln!(out)
}

impl Subject<'_> {
    /// Writes least and greatest values.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_values(
        &self,
        body: &ValuesBody<'_>,
        meter: &Meter,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, meter);
        self.begin("values", &mut out)?;
        out.write_all(&body.text)?;
        out.finish()
    }
}
