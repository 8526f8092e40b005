//! CostLabels: variables that guide a search and are no part of the state.
//!
//! By the conventions of UPPAAL CORA, a global integer `remaining` is what the author of a model
//! believes to be left to pay at least, and `heur` says which states are looked at first, the least
//! value of all. `priority` is the same the other way round: the greatest value first. Their values
//! depend on the path, so they belong to the node and not to its state: they are kept beside it, they
//! are not compared, and nothing in the model may look at them but their own updates. A variable of
//! such a name that is looked at elsewhere is a variable like others.

use zonaut_analysis::footprint::{FootprintWalk, Footprints};
use zonaut_base::Id;
use zonaut_dbm::Wide;
use zonaut_model::{CellId, Edge, Expression, ExpressionId, Formula, Location, Model};
use zonaut_search::Luggage;
use zonaut_space::{Cost, CostDominance, Eviction, Insertion, NodeId, PassedStore, StopReason};
use zonaut_zonegraph::SymbolicState;

/// The labels of a model.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CostLabels {
    /// The least cost ahead.
    pub remaining: Option<CellId>,
    /// The least value first.
    pub heur: Option<CellId>,
    /// The greatest value first.
    pub priority: Option<CellId>,
}

impl CostLabels {
    /// The labels of `model`, asked about `goal`.
    #[must_use]
    pub fn of(model: &Model, goal: &Formula) -> Self {
        let named = |name: &str| {
            let cells = model.cells.iter_enumerated();
            let mut cells = cells.filter(|(_, cell)| cell.owner.is_none() && cell.name == name);
            cells.next().map(|(id, _)| id).filter(|&cell| is_label(model, goal, cell))
        };
        Self { remaining: named("remaining"), heur: named("heur"), priority: named("priority") }
    }

    /// The same model, in which labels are outside the stored state.
    pub(crate) fn outside(self, model: &Model) -> Model {
        let mut model = model.clone();
        self.cells().into_iter().for_each(|cell| model.cells[cell].meta = true);
        model
    }

    /// All of them.
    pub(crate) fn cells(self) -> Vec<CellId> {
        [self.remaining, self.heur, self.priority].into_iter().flatten().collect()
    }
}

/// Whether nothing looks at a cell but what writes it and nothing else.
fn is_label(model: &Model, goal: &Formula, cell: CellId) -> bool {
    let of = |look: &dyn Fn(&mut FootprintWalk<'_>)| {
        let mut walk = Footprints::walk(model);
        look(&mut walk);
        walk.domain.found
    };
    let reads = |look: &dyn Fn(&mut FootprintWalk<'_>)| of(look).reads.cells.contains(cell);
    let is_own = |&update: &ExpressionId| {
        let found = of(&|walk| {
            let _ = walk.update(&[update]);
        });
        let writes_others = model.cells.ids().any(|c| c != cell && found.writes.cells.contains(c));
        let is_effective = writes_others || !found.writes.clocks.is_empty();
        !found.reads.cells.contains(cell) || (found.writes.cells.contains(cell) && !is_effective)
    };
    let edges = || model.processes.iter().flat_map(|process| &process.edges);
    let locations = || model.processes.iter().flat_map(|process| &process.locations);
    let everywhere = model.before_update.iter().chain(&model.after_update);
    let pays = |expression: &Expression| match expression {
        Expression::AddCost(price) => reads(&|walk| {
            let _ = walk.evaluate(*price);
        }),
        _ => false,
    };
    let decides = |edge: &Edge| {
        let sync = edge.synchronisation.as_ref();
        reads(&|walk| {
            let _ = walk.condition(&edge.guard);
        }) || sync.is_some_and(|sync| {
            reads(&|walk| {
                let _ = walk.channel(sync);
            })
        })
    };
    let confines = |at: &Location| {
        reads(&|walk| {
            let _ = walk.condition(&at.invariant);
        })
    };
    !edges().any(decides)
        && !locations().any(confines)
        && !model.expressions.iter().any(pays)
        && !reads(&|walk| {
            let _ = walk.formula(goal);
        })
        && edges().flat_map(|edge| &edge.updates).chain(everywhere).all(is_own)
}

/// The positions of labels among the values of a state.
#[derive(Clone, Debug)]
pub(crate) struct LabelPlaces(Vec<usize>);

impl LabelPlaces {
    /// The positions in a model with this number of processes.
    pub(crate) fn new(labels: CostLabels, processes: usize) -> Self {
        Self(labels.cells().into_iter().map(|cell| processes + cell.index()).collect())
    }
}

/// Labels travel with a state to another worker.
impl Luggage<SymbolicState<Wide>> for LabelPlaces {
    fn words(&self) -> usize {
        self.0.len()
    }

    fn pack(&self, state: &SymbolicState<Wide>, to: &mut Vec<i32>) {
        to.extend(self.0.iter().map(|&place| state.values[place]));
    }

    fn unpack(&self, from: &[i32], into: &mut SymbolicState<Wide>) {
        for (&value, &place) in from.iter().zip(&self.0) {
            into.values[place] = value;
        }
    }
}

/// A store of states, with the values of labels beside them.
pub(crate) struct LabelStore<St> {
    store: St,
    /// The positions of labels among the values of a state.
    places: Vec<usize>,
    /// By node, one after the other.
    values: Vec<i32>,
}

impl<St> LabelStore<St> {
    /// An empty store with labels at these places.
    pub(crate) fn new(store: St, LabelPlaces(places): LabelPlaces) -> Self {
        Self { store, places, values: Vec::new() }
    }
}

impl<St: PassedStore<SymbolicState<Wide>>> PassedStore<SymbolicState<Wide>> for LabelStore<St> {
    fn insert<C: Cost>(
        &mut self,
        state: &SymbolicState<Wide>,
        respect: CostDominance<'_, C>,
        evicted: impl FnMut(Eviction),
    ) -> Result<Insertion, StopReason> {
        self.values.try_reserve(self.places.len()).map_err(|_| StopReason::MemoryLimit)?;
        let inserted = self.store.insert(state, respect, evicted)?;
        if let Insertion::New(_) = inserted {
            self.values.extend(self.places.iter().map(|&place| state.values[place]));
        }
        Ok(inserted)
    }

    fn load(&self, node: NodeId, into: &mut SymbolicState<Wide>) {
        self.store.load(node, into);
        let first = node.index() * self.places.len();
        for (k, &place) in self.places.iter().enumerate() {
            into.values[place] = self.values[first + k];
        }
    }

    fn is_live(&self, node: NodeId) -> bool {
        self.store.is_live(node)
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.values.capacity() * size_of::<i32>()
    }

    fn effort(&self) -> usize {
        self.store.effort()
    }
}
