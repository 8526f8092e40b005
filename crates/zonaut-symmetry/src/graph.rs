//! The quotient zone graph of representatives, and the unfolding of its paths.

#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::permutation::Permutation;
use crate::representative::{Chooser, Colours};
use crate::symmetry::Symmetry;
use std::collections::HashMap;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{Action, ActionId, CompiledNetwork, Step};
use zonaut_dbm::{Row, Width, Zone};
use zonaut_model::{EdgeId, LocalId, Model, ProcessId};
use zonaut_space::{Goal, StopReason, Successor, TransitionSystem};
use zonaut_zonegraph::{ActiveClocksTable, StepError, SymbolicState, ZoneGraph};

/// A transition system whose states are symbolic states, perhaps with more. Implemented by the zone graph
/// and by graphs of priced zones.
///
/// Law: a permutation of elements that maps a symbolic state to another one, and what belongs to its
/// clocks with them, maps the transitions of the state to those of its image.
pub trait SymbolicSystem: TransitionSystem<Step = Step, Error = StepError> {
    /// The width of bounds.
    type Width: Width;

    /// The zone graph of the symbolic states.
    fn zones(&self) -> &ZoneGraph<'_, Self::Width>;

    /// The symbolic state of a state.
    fn symbolic(state: &mut Self::State) -> &mut SymbolicState<Self::Width>;

    /// Permutes what belongs to the clocks of a state besides its zone, after the symbolic state was
    /// permuted: row `i` of the zone was row `sources[i].0`.
    fn permuted(state: &mut Self::State, sources: &[(Row, i32)]);
}

impl<W: Width> SymbolicSystem for ZoneGraph<'_, W> {
    type Width = W;

    fn zones(&self) -> &ZoneGraph<'_, W> {
        self
    }

    fn symbolic(state: &mut SymbolicState<W>) -> &mut SymbolicState<W> {
        state
    }

    fn permuted(_: &mut SymbolicState<W>, _: &[(Row, i32)]) {}
}

/// A system in which each state is replaced by a representative of its orbit.
///
/// Its states are states of the system, and its steps have the names of the system's steps from the
/// representative. A symmetric goal holds in a state exactly if it holds in its images.
#[derive(Clone, Debug)]
pub struct SymmetricGraph<'g, Ts> {
    system: &'g Ts,
    symmetry: &'g Symmetry,
    chooser: Chooser,
}

/// The working memory of one worker.
#[derive(Debug)]
pub struct SymmetricScratch<Ts: SymbolicSystem> {
    inner: Ts::Scratch,
    work: Work<Ts::Width>,
}

/// The working memory of the choice of representatives.
#[derive(Debug)]
struct Work<W: Width> {
    colours: Colours,
    active_clocks: ActiveClocksTable,
    /// The permutation applied last.
    permutation: Permutation,
    values: Vec<i32>,
    sources: Vec<(Row, i32)>,
    zone: Zone<W>,
}

impl<'g, Ts: SymbolicSystem> SymmetricGraph<'g, Ts> {
    /// The representatives of the states of `system`.
    #[must_use]
    pub fn new(system: &'g Ts, symmetry: &'g Symmetry) -> Self {
        let chooser = Chooser::new(symmetry, system.zones().network().process_count());
        Self { system, symmetry, chooser }
    }

    /// Replaces a state by its representative; leaves the permutation in `work`.
    fn represent(&self, whole: &mut Ts::State, work: &mut Work<Ts::Width>) {
        let bounds = self.system.zones().bounds();
        let state = Ts::symbolic(whole);
        let active = work.active_clocks.of(bounds, &state.values);
        self.chooser.choose(state, &active, &mut work.colours, &mut work.permutation);
        if work.permutation.is_identity() {
            return;
        }
        self.symmetry.permute_values(&work.permutation, &state.values, &mut work.values);
        let target = work.active_clocks.of(bounds, &work.values);
        work.sources.clear();
        work.sources.resize(target.rows().len(), (Row::ZERO, 0));
        let mut placed = 1;
        for (position, &row) in active.rows().iter().enumerate().skip(1) {
            let image = self.symmetry.clock_image(row as usize - 1, &work.permutation) as u32 + 1;
            if let Some(at) = target.position_if_active(image) {
                work.sources[at.index()] = (Row::from_index(position), 0);
                placed += 1;
            }
        }
        // The static bounds of clocks are as symmetric as the model; otherwise the state itself
        // serves as representative.
        if placed != target.rows().len() || placed != active.rows().len() {
            work.permutation.reset(self.symmetry.elements());
            return;
        }
        state.zone.image_into(&work.sources, &mut work.zone);
        std::mem::swap(&mut state.zone, &mut work.zone);
        std::mem::swap(&mut state.values, &mut work.values);
        state.repack(&self.system.zones().network().packing);
        Ts::permuted(whole, &work.sources);
    }

    /// The steps of the system for a path of representatives; `None` if the steps are not a
    /// path.
    ///
    /// If the representative r of a state s is p(s), a step of r is the image of a step of s under
    /// p. So with the product p of all permutations so far, each step is renamed by the inverse of
    /// p.
    #[must_use]
    pub fn unfold(&self, model: &Model, steps: &[Step]) -> Option<Vec<Step>> {
        let mut scratch = self.scratch();
        let mut unfolded = None;
        let mut starts = Vec::new();
        let SymmetricScratch { inner, work } = &mut scratch;
        let _ = self.system.for_each_initial(inner, |state| {
            if let Ok(state) = state {
                self.represent(state, work);
                starts.push((state.clone(), work.permutation.clone()));
            }
            ControlFlow::Continue(())
        });
        let renaming = Renaming::new(self.system.zones().network(), self.symmetry, model);
        for (state, applied) in starts {
            unfolded = unfolded
                .or_else(|| self.unfold_from(state, applied, steps, &renaming, &mut scratch));
        }
        unfolded
    }

    fn unfold_from(
        &self,
        mut state: Ts::State,
        mut applied: Permutation,
        steps: &[Step],
        renaming: &Renaming<'_>,
        scratch: &mut SymmetricScratch<Ts>,
    ) -> Option<Vec<Step>> {
        let mut unfolded = Vec::with_capacity(steps.len());
        for (index, &step) in steps.iter().enumerate() {
            unfolded.push(self.renamed(step, &applied.inverse(), renaming)?);
            if index + 1 == steps.len() {
                break;
            }
            let SymmetricScratch { inner, work } = &mut *scratch;
            let mut next = None;
            let _ = self.system.for_each_successor(&state, inner, |successor| match successor {
                Successor::State(at, target) if at == step => {
                    self.represent(target, work);
                    next = Some(target.clone());
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            state = next?;
            applied = work.permutation.after(&applied);
        }
        Some(unfolded)
    }

    /// The image of a step under a permutation.
    fn renamed(&self, step: Step, by: &Permutation, renaming: &Renaming<'_>) -> Option<Step> {
        #[cfg(feature = "faults")]
        if Fault::StepsKeepTheirNames.is_selected() {
            return Some(step);
        }
        if by.is_identity() {
            return Some(step);
        }
        let zones = self.system.zones();
        let network = zones.network();
        let mut actions: Vec<ActionId> = zones.read_step(step, |actions| {
            let image = |&action: &ActionId| renaming.image(network.action(action), by);
            actions.iter().map(image).collect::<Option<_>>()
        })?;
        // Receivers come in the order of their processes.
        if let Some((_, receivers)) = actions.split_first_mut() {
            receivers.sort_by_key(|&action| network.action(action).process);
        }
        Some(network.names().name(&actions, 0))
    }
}

/// An index of actions by process, edge and select values.
struct Renaming<'m> {
    model: &'m Model,
    symmetry: &'m Symmetry,
    actions: HashMap<(ProcessId, EdgeId, Box<[i32]>), ActionId>,
}

impl<'m> Renaming<'m> {
    fn new(network: &CompiledNetwork, symmetry: &'m Symmetry, model: &'m Model) -> Self {
        let actions = network
            .actions()
            .iter_enumerated()
            .map(|(id, action)| ((action.process, action.edge, action.select.clone()), id));
        Self { model, symmetry, actions: actions.collect() }
    }

    fn image(&self, action: &Action, by: &Permutation) -> Option<ActionId> {
        let symmetry = self.symmetry;
        let process = symmetry.processes.image(action.process.index(), by);
        let edge = &self.model.processes[action.process].edges[action.edge];
        let binders = edge.select.iter().map(|select| -> LocalId { select.binder });
        let values = binders.zip(&action.select);
        let select = values.map(|(binder, &value)| symmetry.selected(binder, value, by)).collect();
        self.actions.get(&(ProcessId::from_index(process), action.edge, select)).copied()
    }
}

impl<Ts: SymbolicSystem> TransitionSystem for SymmetricGraph<'_, Ts> {
    type State = Ts::State;
    type Step = Step;
    type Error = StepError;
    type Scratch = SymmetricScratch<Ts>;

    fn scratch(&self) -> SymmetricScratch<Ts> {
        let work = Work {
            colours: Colours::default(),
            active_clocks: ActiveClocksTable::new(self.system.zones().network().process_count()),
            permutation: Permutation::identity(self.symmetry.elements()),
            values: Vec::new(),
            sources: Vec::new(),
            zone: Zone::origin(1),
        };
        SymmetricScratch { inner: self.system.scratch(), work }
    }

    fn for_each_initial(
        &self,
        scratch: &mut SymmetricScratch<Ts>,
        mut visit: impl FnMut(Result<&mut Ts::State, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let SymmetricScratch { inner, work } = scratch;
        self.system.for_each_initial(inner, |state| match state {
            Ok(state) => {
                self.represent(state, work);
                visit(Ok(state))
            }
            Err(error) => visit(Err(error)),
        })
    }

    fn for_each_successor(
        &self,
        state: &Ts::State,
        scratch: &mut SymmetricScratch<Ts>,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let SymmetricScratch { inner, work } = scratch;
        self.system.for_each_successor(state, inner, |successor| match successor {
            Successor::State(step, target) => {
                self.represent(target, work);
                visit(Successor::State(step, target))
            }
            Successor::Error(step, error) => visit(Successor::Error(step, error)),
        })
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        Ts::stopped_by(error)
    }
}

/// A symmetric goal, evaluated on representatives.
#[derive(Clone, Copy, Debug)]
pub struct SymmetricGoal<G>(pub G);

impl<Ts: SymbolicSystem, G: Goal<Ts>> Goal<SymmetricGraph<'_, Ts>> for SymmetricGoal<G> {
    fn holds_in(&mut self, state: &Ts::State) -> Result<bool, StepError> {
        self.0.holds_in(state)
    }
}
