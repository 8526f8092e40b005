//! Several goals of one exploration: which are open, and the nodes that closed them.
//!
//! *Claim.* If goals do not change the bounds of clocks, each is met at the node, and after the
//! numbers of explored and stored states, of a separate exploration. All separate explorations have
//! the same zone graph, store and frontier; a goal only decides where its exploration ends. So each
//! is a prefix of the shared one: up to the first node that satisfies its goal, or to the error,
//! the limit or the end that all of them reach.

use crate::environment::Environment;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::finished::ZoneOutcome;
use crate::task::SearchObserver;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use zonaut_base::Id;
use zonaut_dbm::Width;
use zonaut_search::{NodeTable, Outcome};
use zonaut_space::{Goal, Meter, NodeId, Observer, Progress, StopReason};
use zonaut_zonegraph::{CompiledGoal, Step, StepError, SymbolicState, ZoneGoal, ZoneGraph};

/// The goals of one exploration.
pub struct GoalBoard<'g> {
    goals: &'g [CompiledGoal],
    environment: &'g dyn Environment,
    /// Whether each goal is decided.
    is_closed: Vec<AtomicBool>,
    /// The notes of the exploration.
    notes: Mutex<Vec<Option<Note>>>,
    /// The states that the exploration has explored and stores.
    explored: AtomicUsize,
    stored: AtomicUsize,
}

/// The node at which a separate exploration for one goal would have ended.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    node: NodeId,
    /// The error in the evaluation of the goal, if there was one.
    failure: Option<StepError>,
    /// The states explored by then.
    pub explored: usize,
    /// The states stored by then.
    pub stored: usize,
    /// The time by then.
    pub elapsed: Duration,
}

impl Note {
    /// The outcome of the separate exploration, with the path to the node.
    pub fn outcome(&self, nodes: &NodeTable<Step>) -> ZoneOutcome {
        let steps = nodes.steps(self.node);
        match self.failure {
            Some(error) => Outcome::Failed { error, steps },
            None => Outcome::Reached { node: self.node, steps },
        }
    }
}

impl<'g> GoalBoard<'g> {
    /// A board of open goals.
    #[must_use]
    pub fn new(goals: &'g [CompiledGoal], environment: &'g dyn Environment) -> Self {
        Self {
            goals,
            environment,
            is_closed: goals.iter().map(|_| AtomicBool::new(false)).collect(),
            notes: Mutex::new(vec![None; goals.len()]),
            explored: AtomicUsize::new(0),
            stored: AtomicUsize::new(0),
        }
    }

    /// The open goals.
    pub fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.goals.len()).filter(|&goal| !self.is_closed(goal))
    }

    fn is_closed(&self, goal: usize) -> bool {
        self.is_closed[goal].load(Ordering::Relaxed)
    }

    /// Closes a goal that another search has decided.
    pub fn close(&self, goal: usize) {
        self.is_closed[goal].store(true, Ordering::Relaxed);
    }

    /// The notes of the exploration so far: those that were not taken before.
    #[must_use]
    pub fn take_notes(&self) -> Vec<(usize, Note)> {
        let Ok(mut notes) = self.notes.lock() else { return Vec::new() };
        let taken = notes.iter_mut().enumerate();
        taken.filter_map(|(goal, note)| Some((goal, note.take()?))).collect()
    }

    /// Opens the goals again that the exploration has noted: it was given up, and its paths are
    /// lost.
    pub(crate) fn forget_notes(&self) {
        for (goal, _) in self.take_notes() {
            self.is_closed[goal].store(false, Ordering::Relaxed);
        }
    }

    fn note(&self, goal: usize, node: NodeId, failure: Option<StepError>) {
        let note = Note {
            node,
            failure,
            explored: self.explored.load(Ordering::Relaxed),
            stored: self.stored.load(Ordering::Relaxed),
            elapsed: self.environment.now(),
        };
        if let Ok(mut notes) = self.notes.lock() {
            notes[goal] = Some(note);
        }
        self.close(goal);
    }
}

/// The goals of an exploration, which ends when all are closed.
pub(crate) struct NotedGoals<'g, W: Width> {
    board: &'g GoalBoard<'g>,
    goals: Vec<ZoneGoal<'g, 'g, W>>,
    /// The number of nodes: goals are evaluated once for each node, in the order of their ids.
    nodes: usize,
}

impl<'g, W: Width> NotedGoals<'g, W> {
    pub(crate) fn new(graph: &'g ZoneGraph<'g, W>, board: &'g GoalBoard<'g>) -> Self {
        let goals = board.goals.iter().map(|goal| ZoneGoal::new(graph, goal)).collect();
        Self { board, goals, nodes: 0 }
    }
}

impl<'g, W: Width> Goal<ZoneGraph<'g, W>> for NotedGoals<'g, W> {
    fn holds_in(&mut self, state: &SymbolicState<W>) -> Result<bool, StepError> {
        let node = NodeId::from_index(self.nodes);
        #[cfg(feature = "faults")]
        let node = match Fault::SharedNodeTooEarly.is_selected() {
            true => NodeId::from_index(self.nodes.saturating_sub(1)),
            false => node,
        };
        self.nodes += 1;
        let mut are_all_closed = true;
        for (index, goal) in self.goals.iter_mut().enumerate() {
            if self.board.is_closed(index) {
                continue;
            }
            let failure = match goal.holds_in(state) {
                Ok(false) => {
                    are_all_closed = false;
                    continue;
                }
                Ok(true) => None,
                // A limit ends the whole exploration.
                Err(StepError::Stopped(why)) => return Err(StepError::Stopped(why)),
                #[cfg(feature = "faults")]
                Err(_) if Fault::SharedFailureForgotten.is_selected() => {
                    are_all_closed = false;
                    continue;
                }
                Err(error) => Some(error),
            };
            self.board.note(index, node, failure);
        }
        Ok(are_all_closed)
    }
}

/// The observer of an exploration with several goals, which counts its states for the board.
pub struct CountingObserver<'o, W: Width> {
    observer: SearchObserver<'o, W>,
    board: &'o GoalBoard<'o>,
}

impl<'o, W: Width> CountingObserver<'o, W> {
    /// Counts for `board`, and passes everything else to `observer`.
    pub fn new(observer: SearchObserver<'o, W>, board: &'o GoalBoard<'o>) -> Self {
        Self { observer, board }
    }
}

impl<W: Width> Observer<SymbolicState<W>, Step> for CountingObserver<'_, W> {
    fn node_inserted(&mut self, _node: NodeId, _state: &SymbolicState<W>) {
        self.board.stored.fetch_add(1, Ordering::Relaxed);
    }

    fn node_expanded(&mut self, _node: NodeId) {
        self.board.explored.fetch_add(1, Ordering::Relaxed);
    }

    fn evicted(&mut self, _node: NodeId, _by: NodeId) {
        self.board.stored.fetch_sub(1, Ordering::Relaxed);
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.observer.progress(now)
    }

    fn meter(&self) -> Meter {
        self.observer.meter()
    }
}
