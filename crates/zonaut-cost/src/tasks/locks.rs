//! Locks: resources that at most one process holds.
//!
//! Something is free or taken: a cell that has its first value or another one, or a process that is in
//! some of its locations or in others. It is a lock if for each process there is a set of locations in
//! which it *holds* the lock, and
//!
//! - no process holds it at the start;
//! - a process that enters the set takes the lock: it was free before and is taken afterwards;
//! - a process that leaves the set gives it back: it is free afterwards;
//! - no other transition makes it free.
//!
//! Then, by induction over transitions, no process holds the lock while it is free, and at most one
//! does while it is taken: the set is entered only where no process holds the lock, and the process
//! that gives it back was the only holder. Other transitions may take it, which is harmless.
//!
//! In a synchronisation one process may take the lock that another one keeps: a job that asks a
//! machine, or a semaphore that counts down a cell. An effect of an edge is one of all transitions
//! that it takes part in; where they differ, the proof fails.

use zonaut_analysis::interval::{Declared, Intervals, declared_walk};
use zonaut_analysis::{Domain, Overlay, Truth, Walk};
use zonaut_base::{Id, Meter, StopReason};
use zonaut_model::{CellId, Edge, LocationId, Model, ProcessId, Storage};

use super::Move;
use super::counters::Counter;
use super::meetings::Meetings;

/// More steps than this are not taken to find locks among processes.
const MOST_STEPS: usize = 1 << 24;

/// The representation of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeper {
    /// Whether the cell has its first value.
    Cell(CellId),
    /// The location of the process.
    Process(ProcessId),
    /// Whether some process holds more than half of the capacity of a counter.
    Counter(CellId),
}

/// A lock, and where it is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lock {
    /// Its representation.
    pub keeper: Keeper,
    /// By process and location.
    held: Vec<Vec<bool>>,
}

impl Lock {
    /// Whether a process holds it in a location.
    #[must_use]
    pub fn is_held(&self, process: ProcessId, location: LocationId) -> bool {
        self.held[process.index()][location.index()]
    }

    /// Whether another lock is held in the same places.
    pub(super) fn is_held_like(&self, other: &Self) -> bool {
        self.held == other.held
    }
}

/// Why something is no lock: what is wrong, and the move that shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// The violated condition.
    pub why: &'static str,
    /// The move.
    pub at: Option<usize>,
}

/// The effect of the transitions of a move on a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Nothing,
    /// It was free, and is taken.
    Takes,
    /// It is free.
    Gives,
    /// It is taken whatever it was before, or unknown.
    Unclear,
}

/// A possible lock, and whether it is one.
pub(crate) struct Candidate {
    pub(crate) keeper: Keeper,
    pub(crate) found: Result<Lock, Doubt>,
}

impl Candidate {
    /// The places that hold more than half of the capacity of a counter, of which two processes have
    /// some: at most one of them is there.
    pub(super) fn of_counter(counter: &Counter) -> Option<Self> {
        let keeper = Keeper::Counter(counter.cell);
        let held = counter.heavy();
        let users = held.iter().filter(|places| places.contains(&true));
        (users.count() > 1).then_some(Self { keeper, found: Ok(Lock { keeper, held }) })
    }
}

/// All locks, and the candidates that cannot be proven to be locks.
pub(super) fn find_locks(
    model: &Model,
    moves: &[Move],
    meter: &Meter,
) -> Result<Vec<Candidate>, StopReason> {
    let meetings = Meetings::new(model, moves, meter)?;
    let search = Search { model, moves, meetings };
    let mut found = Vec::new();
    for cell in model.cells.ids() {
        meter.spend(moves.len() as u32)?;
        found.extend(search.cell(cell));
    }
    let steps = |places: usize| places.saturating_mul(moves.len());
    let places: usize = model.processes.iter().map(|process| process.locations.len()).sum();
    let is_small = steps(places) <= MOST_STEPS && !model.channels.is_empty();
    for (id, process) in model.processes.iter_enumerated().filter(|_| is_small) {
        meter.spend(steps(process.locations.len()) as u32)?;
        found.extend(search.process(id));
    }
    Ok(found)
}

struct Search<'m> {
    model: &'m Model,
    moves: &'m [Move],
    meetings: Meetings,
}

impl Search<'_> {
    fn edge(&self, this: usize) -> &Edge {
        self.moves[this].content(self.model)
    }

    /// A cell as a lock; nothing where no move takes it.
    fn cell(&self, cell: CellId) -> Option<Candidate> {
        // A meta variable is forgotten after each transition.
        if self.model.cells[cell].meta {
            return None;
        }
        let writers: Vec<usize> = (0..self.moves.len())
            .filter(|&this| self.moves[this].writes.cells.contains(cell))
            .collect();
        let mut servers: Vec<ProcessId> =
            writers.iter().map(|&this| self.moves[this].process).collect();
        servers.dedup();
        let own: Vec<Effect> = (0..self.moves.len())
            .map(|this| match self.moves[this].writes.cells.contains(cell) {
                true => self.effect(this, cell),
                false => Effect::Nothing,
            })
            .collect();
        if !own.contains(&Effect::Takes) {
            return None;
        }
        let keeper = Keeper::Cell(cell);
        // The holder is the process that writes, or a partner of it.
        let mut found = self.lock(keeper, &self.shared(&own, None));
        for server in servers {
            if found.is_err()
                && let Ok(lock) = self.lock(keeper, &self.shared(&own, Some(server)))
            {
                found = Ok(lock);
            }
        }
        Some(Candidate { keeper, found })
    }

    /// The effects of the transitions of each move on a cell, given the effects `own` of its updates.
    /// Effects of `server` count for its partners.
    fn shared(&self, own: &[Effect], server: Option<ProcessId>) -> Vec<Effect> {
        let is_server = |this: usize| Some(self.moves[this].process) == server;
        let effect = |this: usize| {
            let met = self.meetings.partners(this).iter().map(|&other| own[other]);
            let is_met = || met.clone().any(|other| other != Effect::Nothing);
            match (own[this], is_server(this)) {
                (Effect::Nothing, true) => Effect::Nothing,
                (_, true) if is_met() || !self.meetings.is_of_two(this) => Effect::Unclear,
                (_, true) => Effect::Nothing,
                (Effect::Nothing, false) => self.common(this, |other| match is_server(other) {
                    true => own[other],
                    false => Effect::Nothing,
                }),
                // Of a broadcast, others may receive as well.
                (_, false) if is_met() || self.meetings.is_broadcast(this) => Effect::Unclear,
                (own, false) => own,
            }
        };
        (0..self.moves.len()).map(effect).collect()
    }

    /// The common effect of all partners of a move, if they have one.
    fn common(&self, this: usize, effect: impl Fn(usize) -> Effect) -> Effect {
        let mut effects = self.meetings.partners(this).iter().map(|&other| effect(other));
        let Some(first) = effects.next() else { return Effect::Nothing };
        #[cfg(feature = "faults")]
        if crate::faults::Fault::PartnersForgotten.is_selected() {
            return first;
        }
        let is_lonely = first != Effect::Nothing && self.meetings.is_broadcast(this);
        if is_lonely || effects.any(|other| other != first) { Effect::Unclear } else { first }
    }

    /// The effect of the updates of a move on a cell.
    fn effect(&self, this: usize, cell: CellId) -> Effect {
        let (model, edge) = (self.model, self.edge(this));
        let free = i64::from(model.cells[cell].initial);
        let mut walk = declared_walk(model);
        let _ = walk.select(&edge.select);
        if walk.update(&edge.updates).is_none() {
            return Effect::Unclear;
        }
        let memory = walk.memory.clone();
        match walk.domain.load(&memory, Storage::Cell(cell)) {
            Some((low, high)) if low == free && high == free => Effect::Gives,
            Some((low, high)) if (high < free || low > free) && self.is_asked_for(this, cell) => {
                Effect::Takes
            }
            _ => Effect::Unclear,
        }
    }

    /// Whether a move is made only where the cell is free: by its own guard, or by those of all
    /// its possible partners.
    fn is_asked_for(&self, this: usize, cell: CellId) -> bool {
        let mut partners = self.meetings.partners(this).iter();
        asks_for_freedom(self.model, self.edge(this), cell)
            || (self.meetings.is_of_two(this)
                && partners.all(|&other| asks_for_freedom(self.model, self.edge(other), cell)))
    }

    /// A process as a lock that is taken where it is in some location, or in any but its first;
    /// nothing where fewer than two processes take it.
    fn process(&self, keeper: ProcessId) -> Option<Candidate> {
        let definition = &self.model.processes[keeper];
        let count = definition.locations.len();
        let initial = definition.initial.index();
        let only = |place: usize| (0..count).map(|l| l == place).collect::<Vec<bool>>();
        let sets = (0..count).filter(|&place| place != initial).map(only);
        let others = (count > 2).then(|| (0..count).map(|l| l != initial).collect());
        let mut best: Option<Candidate> = None;
        for taken in sets.chain(others) {
            let effects = self.kept(keeper, &taken);
            let takes = |this: usize| self.kept_by(keeper, &taken, this) == Some(Effect::Takes);
            let meets_taker =
                |&this: &usize| self.meetings.partners(this).iter().any(|&other| takes(other));
            let mut takers: Vec<ProcessId> = (0..self.moves.len())
                .filter(meets_taker)
                .map(|this| self.moves[this].process)
                .collect();
            takers.dedup();
            if takers.len() < 2 {
                continue;
            }
            let found = self.lock(Keeper::Process(keeper), &effects);
            if best.as_ref().is_none_or(|best| best.found.is_err()) {
                best = Some(Candidate { keeper: Keeper::Process(keeper), found });
            }
        }
        best
    }

    /// The effect of a move of `keeper` on the lock that is taken in the locations `taken`; nothing
    /// for moves of others.
    fn kept_by(&self, keeper: ProcessId, taken: &[bool], this: usize) -> Option<Effect> {
        let Move { process, source, target, .. } = self.moves[this];
        (process == keeper).then(|| match (taken[source.index()], taken[target.index()]) {
            (false, true) => Effect::Takes,
            (true, false) => Effect::Gives,
            _ => Effect::Nothing,
        })
    }

    /// The effects of the transitions of each move on such a lock. The moves of the keeper hold nothing, but
    /// must not make it free alone.
    fn kept(&self, keeper: ProcessId, taken: &[bool]) -> Vec<Effect> {
        let effect = |this: usize| match self.kept_by(keeper, taken, this) {
            Some(Effect::Gives) if !self.meetings.is_of_two(this) => Effect::Unclear,
            Some(_) => Effect::Nothing,
            None => self.common(this, |other| {
                self.kept_by(keeper, taken, other).unwrap_or(Effect::Nothing)
            }),
        };
        (0..self.moves.len()).map(effect).collect()
    }

    /// The lock on which moves have these effects.
    fn lock(&self, keeper: Keeper, effects: &[Effect]) -> Result<Lock, Doubt> {
        let unclear = effects.iter().position(|&effect| effect == Effect::Unclear);
        if let Some(this) = unclear {
            let why = "the effect of this edge on it is unknown";
            return Err(Doubt { why, at: Some(this) });
        }
        let lock = Lock { keeper, held: self.held(effects) };
        let initial =
            |(id, process): (ProcessId, &zonaut_model::Process)| lock.is_held(id, process.initial);
        if self.model.processes.iter_enumerated().any(initial) {
            let why = "a process holds it in the initial state";
            return Err(Doubt { why, at: None });
        }
        for (this, (content, effect)) in self.moves.iter().zip(effects).enumerate() {
            let before = lock.is_held(content.process, content.source);
            let after = lock.is_held(content.process, content.target);
            let why = match (before, after, effect) {
                (false, true, Effect::Takes) | (true, false, Effect::Gives) => continue,
                (false, false, Effect::Nothing) | (true, true, Effect::Nothing) => continue,
                #[cfg(feature = "faults")]
                (false, false, Effect::Gives)
                    if crate::faults::Fault::GivenBackByOthers.is_selected() =>
                {
                    continue;
                }
                (false, _, Effect::Gives) => {
                    "this edge releases it although its process does not hold it"
                }
                (true, _, Effect::Takes) => {
                    "this edge acquires it although its process holds it already"
                }
                _ => "in the target of this edge it is held on some paths only",
            };
            return Err(Doubt { why, at: Some(this) });
        }
        Ok(lock)
    }

    /// The locations in which the lock is held: from those that take it to those that give it back.
    fn held(&self, effects: &[Effect]) -> Vec<Vec<bool>> {
        let nowhere = |process: &zonaut_model::Process| vec![false; process.locations.len()];
        let mut held: Vec<Vec<bool>> = self.model.processes.iter().map(nowhere).collect();
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for (this, effect) in self.moves.iter().zip(effects) {
                let held = &mut held[this.process.index()];
                let comes_to_hold = match effect {
                    Effect::Takes => true,
                    Effect::Nothing => held[this.source.index()],
                    Effect::Gives | Effect::Unclear => false,
                };
                if comes_to_hold && !held[this.target.index()] {
                    held[this.target.index()] = true;
                    is_changed = true;
                }
            }
        }
        held
    }
}

/// Whether the guard of an edge fails wherever the cell is not free.
fn asks_for_freedom(model: &Model, edge: &Edge, cell: CellId) -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::LockNotAskedFor.is_selected() {
        return true;
    }
    let range = model.cells[cell].range;
    let (low, high) = (i64::from(range.low), i64::from(range.high));
    let free = i64::from(model.cells[cell].initial);
    [(low, free - 1), (free + 1, high)].into_iter().filter(|(low, high)| low <= high).all(|taken| {
        let mut memory = Overlay::default();
        memory.insert(Storage::Cell(cell), taken);
        let mut walk = Walk::new(model, Intervals::new(model, Declared(model)), memory);
        let _ = walk.select(&edge.select);
        walk.condition(&edge.guard) == Some(Truth::Fails)
    })
}
