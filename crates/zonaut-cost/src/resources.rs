//! The resources that the automatic estimate of a model rests on, in words.

use zonaut_base::{Id, Meter, StopReason};
use zonaut_model::{Formula, LocationId, Model, ProcessId};

use crate::costing::Costing;
use crate::tasks::{Ahead, Doubt, Keeper, Lock, Stay, Tasks, look_ahead};
use crate::zone_bound::demands_of;

/// Something that looks like a resource which one process at a time can use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// The name of the variable or of the process that keeps it.
    pub name: String,
    /// How many uses of it certainly lie before the goal at the start, or why it bounds nothing.
    pub finding: Result<usize, String>,
    /// The locations in which it is held, by process; none if mutual exclusion is not certain.
    pub held: Vec<(ProcessId, LocationId)>,
}

/// The resources of `model`, as far as they can be told, and what they say about `goal`.
///
/// # Errors
/// The reason of the meter to stop.
pub fn resources(
    model: &Model,
    goal: &Formula,
    costing: Costing,
    meter: &Meter,
) -> Result<Vec<Resource>, StopReason> {
    let tasks = Tasks::relaxed(model, costing, meter)?;
    let mut demands = Vec::new();
    demands_of(model, goal, &mut demands);
    let mut ahead = Vec::new();
    for &(process, wanted) in &demands {
        let all = look_ahead(&tasks, process.index(), Some(wanted), meter)?;
        let initial = model.processes[process].initial.index();
        ahead.extend(all.into_iter().nth(initial));
    }
    let shown = Shown { model, tasks: &tasks, ahead: &ahead };
    let locks = tasks.locks.iter().enumerate();
    let locks = locks.map(|(index, lock)| Resource {
        name: shown.name(lock.keeper),
        finding: shown.uses(index, lock),
        held: shown.held(lock),
    });
    let doubts = tasks.doubts.iter().map(|(keeper, doubt)| Resource {
        name: shown.name(*keeper),
        finding: Err(shown.doubt(doubt)),
        held: Vec::new(),
    });
    Ok(locks.chain(doubts).collect())
}

struct Shown<'m> {
    model: &'m Model,
    tasks: &'m Tasks,
    /// The work ahead at the start, of each process that the goal demands something of.
    ahead: &'m [Ahead],
}

impl Shown<'_> {
    fn name(&self, keeper: Keeper) -> String {
        match keeper {
            Keeper::Cell(cell) => self.model.cells[cell].name.clone(),
            Keeper::Counter(cell) => {
                format!("more than half of {}", self.model.cells[cell].name)
            }
            Keeper::Process(process) => self.model.processes[process].name.clone(),
        }
    }

    fn place(&self, process: ProcessId, location: LocationId) -> String {
        let process = &self.model.processes[process];
        format!("{}.{}", process.name, process.locations[location].name)
    }

    fn doubt(&self, doubt: &Doubt) -> String {
        match doubt.at.map(|this| &self.tasks.moves[this]) {
            None => doubt.why.to_owned(),
            Some(this) => {
                let (from, to) = (
                    self.place(this.process, this.source),
                    &self.model.processes[this.process].locations[this.target].name,
                );
                format!("{} ({from} -> {to})", doubt.why)
            }
        }
    }

    /// How many uses of a lock lie before the goal at the start, or why none does.
    fn uses(&self, index: usize, lock: &Lock) -> Result<usize, String> {
        let uses = self.ahead.iter().flat_map(|ahead| {
            let choices = ahead.choices.iter().map(|choice| choice.lock);
            ahead.uses.iter().map(|one| one.lock).chain(choices)
        });
        match uses.filter(|&lock| lock == index).count() {
            0 if self.ahead.is_empty() => {
                Err("the goal does not determine locations of processes".to_owned())
            }
            0 => Err(match self.endless(lock) {
                Some(place) => format!(
                    "no minimal duration of {place}: no clock of the process alone is reset on \
                     every edge into it and has a lower bound on every edge out of it"
                ),
                None => "no use of it lies on every path to the goal".to_owned(),
            }),
            uses => Ok(uses),
        }
    }

    /// The locations in which a lock is held.
    fn held(&self, lock: &Lock) -> Vec<(ProcessId, LocationId)> {
        let processes = self.model.processes.iter_enumerated();
        let places = processes.flat_map(|(process, definition)| {
            definition.locations.ids().map(move |location| (process, location))
        });
        places.filter(|&(process, location)| lock.is_held(process, location)).collect()
    }

    /// The location in which the lock is held without a known duration, if no location holds it for longer.
    fn endless(&self, lock: &Lock) -> Option<String> {
        let held = self.held(lock);
        let is_rest = |&(process, location): &(ProcessId, LocationId)| {
            self.tasks.stays[process.index()][location.index()] == Stay::Rest
        };
        let first = *held.first()?;
        held.iter().all(is_rest).then(|| self.place(first.0, first.1))
    }
}
