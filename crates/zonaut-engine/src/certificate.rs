//! Certificates: what a separate program needs to check an answer. The format is described in
//! `docs/CERTIFICATES.md`; the checker shares nothing with this writer but that text.

mod maximal_runs;
mod run;
mod set;
mod values;

pub(crate) use values::{PathTo, Side, ValueSet, ValuesBody};

use crate::answer::Unwritten;
use crate::digest::Hashed;
use crate::reasons::NamedReasons;
use crate::search::{Quest, Searched};
use run::write_run;
use set::SetWriter;
use std::io::{self, Write};
use zonaut_compile::CompiledNetwork;
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_dbm::Width;
use zonaut_model::{Model, Query, QueryKind, core_text};
use zonaut_search::{ArenaStore, Outcome};
use zonaut_space::PassedStore;
use zonaut_zonegraph::{StateEncoding, Step, SymbolicState, ZoneCovering, ZoneGraph};

/// The store of a search over a zone graph.
pub(crate) type ZoneStore<'g, W> = ArenaStore<StateEncoding<'g, W>, ZoneCovering<'g, W>>;

/// What every certificate begins with.
pub(crate) struct Subject<'m> {
    pub(crate) model: &'m Model,
    pub(crate) query: &'m Query,
}

impl Subject<'_> {
    fn begin(&self, kind: &str, out: &mut dyn Write) -> io::Result<()> {
        let core = core_text::write(self.model, Some(&self.query.kind));
        let version = env!("CARGO_PKG_VERSION");
        writeln!(out, "tacert 1")?;
        writeln!(out, "kind {kind}")?;
        writeln!(out, "core sha256:{}", crate::digest::of(core.as_bytes()))?;
        writeln!(out, "query {} {}", self.query.index, quoted(&self.query.text))?;
        writeln!(out, "tool zonaut {version}")?;
        write!(out, "clocks {}", self.model.clocks.len())?;
        for clock in &self.model.clocks {
            write!(out, " {}", core_text::escaped(&clock.name))?;
        }
        writeln!(out)
    }

    /// The kind of a certificate, which is another one where the query asks for deadlocks.
    fn kind(&self, plain: &'static str, deadlock: &'static str) -> &'static str {
        match &self.query.kind {
            QueryKind::Possibly(formula) | QueryKind::Always(formula)
                if formula.mentions_deadlock() =>
            {
                deadlock
            }
            _ => plain,
        }
    }

    /// Writes what shows the answer, if there is one: a run, or the store of an exhausted search.
    pub(crate) fn write<W: Width>(
        &self,
        quest: &Quest<'_, W>,
        searched: &Searched<'_, W>,
        run: Option<&ConcreteRun>,
        out: &mut dyn Write,
    ) -> Option<io::Result<()>> {
        match (&searched.report.outcome, run) {
            (Outcome::Exhausted, _) => Some(self.write_unreach(quest, searched, out)),
            (Outcome::Reached { .. }, Some(run)) => {
                Some(self.write_reach(quest.graph.network(), run, out))
            }
            (Outcome::Failed { steps, .. }, run) if run.is_some() || steps.is_empty() => {
                self.write_failure(quest.graph.network(), run, out)
            }
            _ => None,
        }
    }

    /// Writes the run that shows an answer.
    fn write_reach(
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
    fn write_failure(
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

    /// Writes that the model fails at the end of `steps`, if it is the model that fails.
    pub(crate) fn write_failure_after<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        steps: &[Step],
        out: &mut dyn Write,
    ) -> Option<Result<(), Unwritten>> {
        let run = match concretise(graph, steps, Destination::Failure) {
            Ok(run) => Some(run),
            Err(NoRun::Spurious) if steps.is_empty() => None,
            Err(NoRun::Stopped(why)) => return Some(Err(Unwritten::Stopped(why))),
            Err(NoRun::Spurious | NoRun::ClockRange) => return None,
        };
        let written = self.write_failure(graph.network(), run.as_ref(), out)?;
        Some(written.map_err(Unwritten::Failed))
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

    /// Writes the explored states as a set that is closed under all steps, with the reasons of
    /// those that were not expanded.
    fn write_unreach<W: Width>(
        &self,
        quest: &Quest<'_, W>,
        searched: &Searched<'_, W>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Searched { store, reasons, report, .. } = searched;
        let mut out = Hashed::new(out, quest.graph.network().meter());
        self.begin(self.kind("unreach", "nodeadlock"), &mut out)?;
        let mut named = NamedReasons::default();
        let mut state = SymbolicState::buffer();
        for (position, node) in store.live_nodes().enumerate() {
            if !report.nodes.is_expanded(node) {
                store.load(node, &mut state);
                named.add(position, &state.values, reasons);
            }
        }
        let set = SetWriter { model: self.model, graph: quest.graph };
        set.write_store(store, quest.comparison, Some(&named), &mut out)?;
        named.write(&mut out)?;
        out.finish()
    }
}

/// A text between quotes, on one line.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{plain}\"")
}
