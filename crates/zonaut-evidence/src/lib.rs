//! Writers of certificates, which an independent checker verifies.
//!
//! The format is described in `docs/CERTIFICATES.md`; the checker, `zonaut-certify`, shares no code
//! with these writers. A [`Subject`] is the model and the query of a certificate. There are writers
//! for runs, for sets of zones ([`SetWriter`]), for lassos and for the absence of maximal runs, and
//! for least and greatest values ([`ValuesBody`]).
//!
//! All output is hashed and metered ([`Hashed`]), so that limits apply to it.
//!
//! ```
//! // The digest that certificates name their core texts by.
//! assert_eq!(zonaut_evidence::digest_of(b"core 1").len(), 64);
//! ```

mod digest;
mod labels;
mod maximal_runs;
mod packed;
mod run;
mod set;
mod values;

pub use digest::{Hashed, of as digest_of};
pub use set::{SetForm, SetWriter, StoredSet, ZoneStore};
pub use values::{Bounded, PathTo, Side, ValueSet, ValuesBody};

use run::write_run;
use std::io::{self, Write};
use zonaut_base::Meter;
use zonaut_concrete::ConcreteRun;
use zonaut_dbm::Width;
use zonaut_model::core_text::{self, Measure};
use zonaut_model::{Model, Query, QueryKind};
use zonaut_zonegraph::ZoneGraph;

/// The subject of a certificate.
pub struct Subject<'m> {
    /// The model.
    pub model: &'m Model,
    /// One of its queries.
    pub query: &'m Query,
}

impl Subject<'_> {
    /// Writes the header of a certificate that is not about costs.
    ///
    /// # Errors
    /// If writing fails.
    pub fn begin(&self, kind: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "tacert 1")?;
        let core = core_text::write(self.model, Some(&self.query.kind));
        self.frame(kind, &core, out)
    }

    /// Writes the header of a certificate of a least cost.
    ///
    /// # Errors
    /// If writing fails.
    pub fn begin_least_cost(&self, measure: Measure, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "tacert 2")?;
        let core = core_text::write_measured(self.model, &self.query.kind, measure);
        self.frame("mincost", &core, out)
    }

    /// Writes the lines after the version, for a certificate about `core`.
    fn frame(&self, kind: &str, core: &str, out: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(out, "kind {kind}")?;
        writeln!(out, "core sha256:{}", digest_of(core.as_bytes()))?;
        writeln!(out, "query {} {}", self.query.index, quoted(&self.query.text))?;
        writeln!(out, "tool zonaut {version}")?;
        write!(out, "clocks {}", self.model.clocks.len())?;
        for clock in &self.model.clocks {
            write!(out, " {}", core_text::escaped(&clock.name))?;
        }
        writeln!(out)
    }

    /// The kind of a certificate: `deadlock` if the query mentions deadlocks, `plain` otherwise.
    #[must_use]
    pub fn kind(&self, plain: &'static str, deadlock: &'static str) -> &'static str {
        match &self.query.kind {
            QueryKind::Possibly(formula) | QueryKind::Always(formula)
                if formula.mentions_deadlock() =>
            {
                deadlock
            }
            _ => plain,
        }
    }

    /// Writes a run that is a witness or counterexample, or that ends in a run-time error.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_reach<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        run: &ConcreteRun,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, graph.meter());
        self.begin(self.kind("reach", "deadlock"), &mut out)?;
        write_run(graph.network(), run, &mut out)?;
        writeln!(out, "{}", if run.fails { "fails" } else { "goal" })?;
        out.finish()
    }

    /// Writes a run-time error of the model, in a run or before the first transition; writes
    /// nothing if the run does not fail, because the evaluation of the query itself failed.
    pub fn write_failure<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        run: Option<&ConcreteRun>,
        out: &mut dyn Write,
    ) -> Option<io::Result<()>> {
        match run {
            Some(run) if run.fails => Some(self.write_reach(graph, run, out)),
            Some(_) => None,
            None => Some(self.write_failing_start(graph.meter(), out)),
        }
    }

    /// Writes that the model fails before the first transition.
    fn write_failing_start(&self, meter: &Meter, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Hashed::new(out, meter);
        self.begin("reach", &mut out)?;
        writeln!(out, "denom 1")?;
        writeln!(out, "fails")?;
        out.finish()
    }
}

/// A text in quotes, on one line.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{plain}\"")
}
