//! Certificates of least and greatest values: the kind `values`.

use crate::run::write_transition;
use crate::set::{SetWriter, ZoneStore};
use crate::{Hashed, Subject};
use std::io::{self, Write};
use zonaut_compile::ActionId;
use zonaut_dbm::Width;
use zonaut_liveness::Value;
use zonaut_model::Model;
use zonaut_space::Meter;
use zonaut_zonegraph::{Comparison, Step, SymbolicState, ZoneGraph};

/// A path to a value, or to where values come as near as one likes.
pub struct PathTo {
    /// The position of the expression in the query.
    pub subject: usize,
    /// Which of its values.
    pub side: Side,
    /// The value.
    pub value: Value,
    /// The transitions.
    pub steps: Vec<Step>,
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

/// States that have no values beyond.
pub enum ValueSet<'s, 'n, W: Width> {
    /// The states of a store.
    Store(&'s ZoneStore<'n, W>, Comparison),
    /// States in which a clock is exact.
    States(&'s [SymbolicState<W>]),
}

/// The body of a certificate of values, which is written when all of them are known.
pub struct ValuesBody<'m> {
    model: &'m Model,
    text: Vec<u8>,
    /// Why there can be no certificate, if something has come in the way.
    obstacle: Option<&'static str>,
}

impl<'m> ValuesBody<'m> {
    /// A body without any values.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self { model, text: Vec::new(), obstacle: None }
    }

    /// Notes why there can be no certificate.
    pub fn give_up(&mut self, why: &'static str) {
        self.obstacle.get_or_insert(why);
    }

    /// Why there can be no certificate.
    #[must_use]
    pub fn obstacle(&self) -> Option<&'static str> {
        self.obstacle
    }

    /// Adds what shows the values of `subjects`: paths to them, and a set without any beyond.
    ///
    /// # Errors
    /// Where there is no time to.
    pub fn add<W: Width>(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        paths: &[PathTo],
        (subjects, set): (&[usize], ValueSet<'_, '_, W>),
    ) -> io::Result<()> {
        let network = graph.network();
        let mut out = Hashed::new(&mut self.text, network.meter());
        for PathTo { subject, side, value, steps } in paths {
            let value = match value {
                Value::Attained(number) => format!("attained {number}"),
                Value::Approached(number) => format!("approached {number}"),
                Value::Unbounded => "unbounded".to_owned(),
            };
            writeln!(out, "{} {subject} {value}", side.keyword())?;
            for &step in steps {
                let participants: Vec<ActionId> = graph.read_step(step, <[_]>::to_vec);
                write_transition(network, "act", &participants, &mut out)?;
            }
        }
        let subjects: Vec<String> = subjects.iter().map(usize::to_string).collect();
        writeln!(out, "set {}", subjects.join(" "))?;
        let writer = SetWriter { model: self.model, graph };
        match set {
            ValueSet::Store(store, comparison) => {
                writer.write_store(store, comparison, &[], &mut out)
            }
            ValueSet::States(states) => writer.write_states(states, &mut out),
        }
    }
}

impl Subject<'_> {
    /// Writes least and greatest values.
    ///
    /// # Errors
    /// Where writing fails.
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
