//! The compiled model that explorations share.

use crate::answer::Reason;
use crate::session::Session;
use crate::threads::worker_meter;
use crate::unsupported::Unsupported;
use crate::verify::VerifyOptions;
use std::sync::Arc;
use zonaut_base::{Held, Meter};
use zonaut_compile::{BoundsTable, CompileError, CompiledNetwork};
use zonaut_dbm::{Narrow, Width};
use zonaut_lazy::{Choice, Clocks};
use zonaut_model::{Formula, Model};
use zonaut_strategy::{LazyStrategy, Strategy};
use zonaut_zonegraph::{Abstraction, Comparison, Differences, Unsound, ZoneGraph};

/// A compiled network with the bounds of its clocks for one goal.
pub(crate) struct Prepared {
    network: Arc<CompiledNetwork>,
    meter: Meter,
    /// The memory of the network.
    _held: Held,
    bounds: BoundsTable,
    abstraction: Abstraction,
}

impl Prepared {
    /// Compiles the model of `session` for the goal `formula`; without an abstraction, the best sound one is used.
    pub(crate) fn new(
        session: &Session,
        formula: &Formula,
        abstraction: Option<Abstraction>,
    ) -> Result<Self, Reason> {
        Self::metered(session, formula, abstraction, &Meter::default())
    }

    /// The same; this work, and everything that is evaluated, counts on `meter`.
    pub(crate) fn metered(
        session: &Session,
        formula: &Formula,
        abstraction: Option<Abstraction>,
        meter: &Meter,
    ) -> Result<Self, Reason> {
        let bounds = |model: &Model| BoundsTable::new(model, formula);
        Self::with_bounds(session, bounds, abstraction, meter)
    }

    /// The same with other bounds than the usual ones for the goal.
    pub(crate) fn with_bounds(
        session: &Session,
        bounds: impl FnOnce(&Model) -> BoundsTable,
        abstraction: Option<Abstraction>,
        meter: &Meter,
    ) -> Result<Self, Reason> {
        // A question has no unsupported features; but explorations without a query are not checked
        // before.
        let model = session.model();
        let reasons = Unsupported::of_model(model, &session.origin);
        if !reasons.is_empty() {
            return Err(Reason::Unsupported(reasons));
        }
        let network = session.network(meter).map_err(|error| match error {
            CompileError::TooManyActions(process, _) => {
                let name = &model.processes[process].name;
                Reason::Unsuited(format!(
                    "an edge of {name} has too many combinations of `select` values"
                ))
            }
            CompileError::Stopped(why) => Reason::Stopped(why),
        })?;
        let bounds = bounds(model);
        meter.poll(0).map_err(Reason::Stopped)?;
        let abstraction = abstraction.unwrap_or_else(|| Abstraction::best(&bounds));
        let (meter, held) = (meter.clone(), network.hold(meter));
        Ok(Self { network, meter, _held: held, bounds, abstraction })
    }

    /// The same for a search with these options. The exact zones of the best abstraction are
    /// finitely many only where simulation compares them, so with any other comparison zones are
    /// extrapolated.
    pub(crate) fn suited_to(self, options: &VerifyOptions) -> Result<Self, Reason> {
        if let Strategy::Lazy(lazy) = &options.strategy {
            return self.suited_to_lazy(lazy, options);
        }
        let compares_otherwise = options.comparison.is_some_and(|c| c != Comparison::Simulation);
        if Comparison::of(self.abstraction) != Comparison::Simulation || !compares_otherwise {
            return Ok(self);
        }
        if options.abstraction.is_some() {
            let name = self.abstraction.name();
            let why = format!("abstraction `{name}` without comparison by simulation");
            return Err(Reason::Unsuited(why));
        }
        Ok(Self { abstraction: Abstraction::LowerUpperPlus, ..self })
    }

    /// The same for a lazy search: what it remembers of clocks decides how they are abstracted and
    /// compared.
    fn suited_to_lazy(self, lazy: &LazyStrategy, options: &VerifyOptions) -> Result<Self, Reason> {
        if options.comparison.is_some() {
            return Err(Reason::Unsuited(
                "a choice of state comparison with lazy abstraction".to_owned(),
            ));
        }
        if let (Some(wish), true) = (options.abstraction, lazy.clocks != Clocks::Eager) {
            let (wish, clocks) = (wish.name(), lazy.clocks.name());
            let why = format!("abstraction `{wish}` with the lazy clock domain `{clocks}`");
            return Err(Reason::Unsuited(why));
        }
        let abstraction = Choice::of(lazy, false).abstraction(&self.bounds, options.abstraction);
        let abstraction = abstraction.map_err(|why| Reason::Unsuited(why.to_string()))?;
        Ok(Self { abstraction, ..self })
    }

    /// The bounds of clocks.
    pub(crate) fn bounds(&self) -> &BoundsTable {
        &self.bounds
    }

    /// Whether bounds of 32 bits are enough: where zones are extrapolated, they stay exact then.
    pub(crate) fn fits_narrow_bounds(&self) -> bool {
        ZoneGraph::<Narrow>::keeps_range(&self.network, &self.bounds)
    }

    /// The zone graph, if the abstraction is sound.
    pub(crate) fn graph<W: Width>(&self) -> Result<ZoneGraph<'_, W>, Reason> {
        self.graph_by(self.abstraction)
    }

    /// The zone graph for another thread, whose work counts on this meter.
    pub(crate) fn graph_beside<W: Width>(&self, meter: &Meter) -> Result<ZoneGraph<'_, W>, Reason> {
        self.metered_graph(self.abstraction, meter)
    }

    /// The zone graphs of this many workers.
    pub(crate) fn worker_graphs<W: Width>(
        &self,
        workers: usize,
    ) -> Result<Vec<ZoneGraph<'_, W>>, Reason> {
        let graph = |_| self.metered_graph(self.abstraction, &worker_meter(&self.meter));
        (0..workers).map(graph).collect()
    }

    /// The zone graph that a lazy search explores, if it can and nothing else was asked for; its work
    /// counts on `meter`, if that is another one.
    pub(crate) fn lazy_graph<W: Width>(
        &self,
        lazy: &LazyStrategy,
        options: &VerifyOptions,
        meter: Option<&Meter>,
    ) -> Option<ZoneGraph<'_, W>> {
        if options.comparison.is_some() || options.abstraction.is_some() {
            return None;
        }
        let abstraction = Choice::of(lazy, false).abstraction(&self.bounds, None).ok()?;
        self.metered_graph(abstraction, meter.unwrap_or(&self.meter)).ok()
    }

    fn graph_by<W: Width>(&self, abstraction: Abstraction) -> Result<ZoneGraph<'_, W>, Reason> {
        self.metered_graph(abstraction, &self.meter)
    }

    fn metered_graph<W: Width>(
        &self,
        abstraction: Abstraction,
        meter: &Meter,
    ) -> Result<ZoneGraph<'_, W>, Reason> {
        ZoneGraph::new(&self.network, &self.bounds, abstraction, meter).map_err(|why| match why {
            Unsound::Differences => {
                let name = abstraction.name();
                Reason::Unsuited(format!("abstraction `{name}` with clock differences"))
            }
            Unsound::Constants => Reason::ClockRange,
        })
    }

    /// How the states of `graph` are compared, if the wish is sound.
    pub(crate) fn comparison<W: Width>(
        graph: &ZoneGraph<'_, W>,
        wish: Option<Comparison>,
    ) -> Result<Comparison, Reason> {
        let comparison = wish.unwrap_or_else(|| Comparison::of(graph.abstraction()));
        // The simulation knows single clocks only.
        if comparison == Comparison::Simulation && graph.differences() != Differences::Absent {
            let why = "comparison by simulation with clock differences";
            return Err(Reason::Unsuited(why.to_owned()));
        }
        Ok(comparison)
    }
}
