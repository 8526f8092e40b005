//! The quotient zone graph of representatives, and the unfolding of its paths.

#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::permutation::Permutation;
use crate::representative::{Chooser, Colours};
use crate::symmetry::Symmetry;
use std::collections::HashMap;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{ActionId, Step};
use zonaut_dbm::{Row, Width, Zone};
use zonaut_model::{EdgeId, LocalId, Model, ProcessId};
use zonaut_space::{Goal, StopReason, Successor, TransitionSystem};
use zonaut_zonegraph::{ActiveClocksTable, Scratch, StepError, SymbolicState, ZoneGraph};

/// A zone graph in which each state is replaced by a representative of its orbit.
///
/// Its states are states of the zone graph, and its steps have the names of the zone graph's steps
/// from the representative. A symmetric goal holds in a state exactly if it holds in its images.
#[derive(Clone, Debug)]
pub struct SymmetricGraph<'g, 'n, W: Width> {
    graph: &'g ZoneGraph<'n, W>,
    symmetry: &'g Symmetry,
    chooser: Chooser,
}

/// The working memory of one worker.
#[derive(Debug)]
pub struct SymmetricScratch<W: Width> {
    inner: Scratch<W>,
    work: Work<W>,
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

impl<'g, 'n, W: Width> SymmetricGraph<'g, 'n, W> {
    /// The representatives of the states of `graph`.
    #[must_use]
    pub fn new(graph: &'g ZoneGraph<'n, W>, symmetry: &'g Symmetry) -> Self {
        let chooser = Chooser::new(symmetry, graph.network().process_count());
        Self { graph, symmetry, chooser }
    }

    /// Replaces a state by its representative; leaves the permutation in `work`.
    fn represent(&self, state: &mut SymbolicState<W>, work: &mut Work<W>) {
        let active = work.active_clocks.of(self.graph.bounds(), &state.values);
        self.chooser.choose(state, &active, &mut work.colours, &mut work.permutation);
        if work.permutation.is_identity() {
            return;
        }
        self.symmetry.permute_values(&work.permutation, &state.values, &mut work.values);
        let target = work.active_clocks.of(self.graph.bounds(), &work.values);
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
        state.repack(&self.graph.network().packing);
    }

    /// The steps of the zone graph for a path of representatives; `None` if the steps are not a
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
        let _ = self.graph.visit_initial(inner, &mut |_, _, state| {
            if let Ok(state) = state {
                self.represent(state, work);
                starts.push((state.clone(), work.permutation.clone()));
            }
            ControlFlow::Continue(())
        });
        let renaming = Renaming::new(self, model);
        for (state, applied) in starts {
            unfolded = unfolded
                .or_else(|| self.unfold_from(state, applied, steps, &renaming, &mut scratch));
        }
        unfolded
    }

    fn unfold_from(
        &self,
        mut state: SymbolicState<W>,
        mut applied: Permutation,
        steps: &[Step],
        renaming: &Renaming<'_>,
        scratch: &mut SymmetricScratch<W>,
    ) -> Option<Vec<Step>> {
        let mut unfolded = Vec::with_capacity(steps.len());
        for (index, &step) in steps.iter().enumerate() {
            unfolded.push(self.renamed(step, &applied.inverse(), renaming)?);
            if index + 1 == steps.len() {
                break;
            }
            let SymmetricScratch { inner, work } = &mut *scratch;
            let mut next = None;
            let _ = self.graph.visit_successors(&state, inner, &mut |at, _, target| match target {
                Ok(target) if at == step => {
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
        let mut actions: Vec<ActionId> = self.graph.read_step(step, |actions| {
            actions.iter().map(|&action| renaming.image(self, action, by)).collect::<Option<_>>()
        })?;
        // Receivers come in the order of their processes.
        if let Some((_, receivers)) = actions.split_first_mut() {
            receivers.sort_by_key(|&action| self.graph.network().action(action).process);
        }
        Some(self.graph.network().names().name(&actions, 0))
    }
}

/// An index of actions by process, edge and select values.
struct Renaming<'m> {
    model: &'m Model,
    actions: HashMap<(ProcessId, EdgeId, Box<[i32]>), ActionId>,
}

impl<'m> Renaming<'m> {
    fn new<W: Width>(graph: &SymmetricGraph<'_, '_, W>, model: &'m Model) -> Self {
        let actions = graph
            .graph
            .network()
            .actions()
            .iter_enumerated()
            .map(|(id, action)| ((action.process, action.edge, action.select.clone()), id));
        Self { model, actions: actions.collect() }
    }

    fn image<W: Width>(
        &self,
        graph: &SymmetricGraph<'_, '_, W>,
        action: ActionId,
        by: &Permutation,
    ) -> Option<ActionId> {
        let action = graph.graph.network().action(action);
        let symmetry = graph.symmetry;
        let process = symmetry.processes.image(action.process.index(), by);
        let edge = &self.model.processes[action.process].edges[action.edge];
        let binders = edge.select.iter().map(|select| -> LocalId { select.binder });
        let values = binders.zip(&action.select);
        let select = values.map(|(binder, &value)| symmetry.selected(binder, value, by)).collect();
        self.actions.get(&(ProcessId::from_index(process), action.edge, select)).copied()
    }
}

impl<W: Width> TransitionSystem for SymmetricGraph<'_, '_, W> {
    type State = SymbolicState<W>;
    type Step = Step;
    type Error = StepError;
    type Scratch = SymmetricScratch<W>;

    fn scratch(&self) -> SymmetricScratch<W> {
        let work = Work {
            colours: Colours::default(),
            active_clocks: ActiveClocksTable::new(self.graph.network().process_count()),
            permutation: Permutation::identity(self.symmetry.elements()),
            values: Vec::new(),
            sources: Vec::new(),
            zone: Zone::origin(1),
        };
        SymmetricScratch { inner: self.graph.scratch(), work }
    }

    fn for_each_initial(
        &self,
        scratch: &mut SymmetricScratch<W>,
        mut visit: impl FnMut(Result<&mut SymbolicState<W>, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let SymmetricScratch { inner, work } = scratch;
        self.graph.visit_initial(inner, &mut |_, _, state| match state {
            Ok(state) => {
                self.represent(state, work);
                visit(Ok(state))
            }
            Err(error) => visit(Err(error)),
        })
    }

    fn for_each_successor(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut SymmetricScratch<W>,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let SymmetricScratch { inner, work } = scratch;
        self.graph.visit_successors(state, inner, &mut |step, _, target| match target {
            Ok(target) => {
                self.represent(target, work);
                visit(Successor::State(step, target))
            }
            Err(error) => visit(Successor::Error(step, error)),
        })
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        ZoneGraph::<W>::stopped_by(error)
    }
}

/// A symmetric goal, evaluated on representatives.
#[derive(Clone, Copy, Debug)]
pub struct SymmetricGoal<G>(pub G);

impl<'n, W: Width, G: Goal<ZoneGraph<'n, W>>> Goal<SymmetricGraph<'_, 'n, W>> for SymmetricGoal<G> {
    fn holds_in(&mut self, state: &SymbolicState<W>) -> Result<bool, StepError> {
        self.0.holds_in(state)
    }
}
