//! Writers of certificates: what a separate program needs to check an answer.
//!
//! The format is described in `docs/CERTIFICATES.md`; the checker shares nothing with these writers
//! but that text. A [`Subject`] is the model and the query that a certificate is about. There are
//! writers of runs, of sets of zones ([`SetWriter`]), of maximal runs and their absence, and of least
//! and greatest values ([`ValuesBody`]).
//!
//! What is written is hashed on the way and counted as work ([`Hashed`]), so that limits end it.
//!
//! ```
//! // The digest that certificates name their core texts by.
//! assert_eq!(zonaut_evidence::digest_of(b"core 1").len(), 64);
//! ```

mod digest;
mod labels;
mod maximal_runs;
mod run;
mod set;
mod values;

pub use digest::{Hashed, of as digest_of};
pub use set::{SetWriter, ZoneStore};
pub use values::{Bounded, PathTo, Side, ValueSet, ValuesBody};

use run::write_run;
use std::io::{self, Write};
use zonaut_compile::CompiledNetwork;
use zonaut_concrete::ConcreteRun;
use zonaut_model::core_text::{self, Measure};
use zonaut_model::{Model, Query, QueryKind};

/// What a certificate is about.
pub struct Subject<'m> {
    /// The model.
    pub model: &'m Model,
    /// One of its queries.
    pub query: &'m Query,
}

impl Subject<'_> {
    /// Writes what every certificate begins with that is not about costs.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn begin(&self, kind: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "tacert 1")?;
        let core = core_text::write(self.model, Some(&self.query.kind));
        self.frame(kind, &core, out)
    }

    /// Writes what a certificate of a least cost begins with.
    ///
    /// # Errors
    /// Where writing fails.
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

    /// The kind of a certificate, which is another one where the query asks for deadlocks.
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

    /// Writes a run that shows an answer, or that the model fails.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn write_reach(
        &self,
        network: &CompiledNetwork,
        run: &ConcreteRun,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, network.meter());
        self.begin(self.kind("reach", "deadlock"), &mut out)?;
        write_run(network, run, &mut out)?;
        writeln!(out, "{}", if run.fails { "fails" } else { "goal" })?;
        out.finish()
    }

    /// Writes that the model fails, in a run or before anything happens; nothing if the run does not
    /// fail, because the query itself could not be evaluated.
    pub fn write_failure(
        &self,
        network: &CompiledNetwork,
        run: Option<&ConcreteRun>,
        out: &mut dyn Write,
    ) -> Option<io::Result<()>> {
        match run {
            Some(run) if run.fails => Some(self.write_reach(network, run, out)),
            Some(_) => None,
            None => Some(self.write_failing_start(network, out)),
        }
    }

    /// Writes that the model fails before anything happens.
    fn write_failing_start(
        &self,
        network: &CompiledNetwork,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut out = Hashed::new(out, network.meter());
        self.begin("reach", &mut out)?;
        writeln!(out, "denom 1")?;
        writeln!(out, "fails")?;
        out.finish()
    }
}

/// A text between quotes, on one line.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{plain}\"")
}
