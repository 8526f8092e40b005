//! What is compiled of a model before any exploration of it.

use crate::unsupported::why_model_unsupported;
use crate::verify::Reason;
use zonaut_compile::{BoundsTable, CompileError, CompiledNetwork};
use zonaut_model::{Formula, Model};
use zonaut_zonegraph::{Abstraction, Comparison, Differences, ZoneGraph};

/// A compiled network with the bounds of its clocks for one goal.
pub(crate) struct Prepared {
    network: CompiledNetwork,
    bounds: BoundsTable,
    abstraction: Abstraction,
}

impl Prepared {
    /// Compiles `model` for the goal `formula`; without an abstraction, the best sound one is used.
    pub(crate) fn new(
        model: &Model,
        formula: &Formula,
        abstraction: Option<Abstraction>,
    ) -> Result<Self, Reason> {
        if let Some(why) = why_model_unsupported(model) {
            return Err(Reason::Unsupported(why));
        }
        let network = CompiledNetwork::new(model).map_err(|error| {
            let CompileError::TooManyActions(process, _) = error;
            let name = &model.processes[process].name;
            Reason::Unsupported(format!("an edge of {name} has too many select combinations"))
        })?;
        let bounds = BoundsTable::new(model, formula);
        let abstraction = abstraction.unwrap_or_else(|| ZoneGraph::best_abstraction(&bounds));
        Ok(Self { network, bounds, abstraction })
    }

    /// The bounds of clocks.
    pub(crate) fn bounds(&self) -> &BoundsTable {
        &self.bounds
    }

    /// The zone graph, if the abstraction is sound.
    pub(crate) fn graph(&self) -> Result<ZoneGraph<'_>, Reason> {
        ZoneGraph::new(&self.network, &self.bounds, self.abstraction).map_err(|_| {
            let name = self.abstraction.name();
            Reason::Unsupported(format!("abstraction `{name}` with clock differences"))
        })
    }

    /// How the states of `graph` are compared, if the wish is sound.
    pub(crate) fn comparison(
        graph: &ZoneGraph<'_>,
        wish: Option<Comparison>,
    ) -> Result<Comparison, Reason> {
        let comparison = wish.unwrap_or_else(|| Comparison::of(graph.abstraction()));
        // The simulation knows single clocks only.
        if comparison == Comparison::Simulation && *graph.differences() != Differences::Absent {
            let why = "comparison by simulation with clock differences";
            return Err(Reason::Unsupported(why.to_owned()));
        }
        Ok(comparison)
    }
}
