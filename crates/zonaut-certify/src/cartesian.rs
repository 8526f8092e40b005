//! Cartesian invariants: a set of locations for each process and a set of values for each cell,
//! such that no transition leaves them, no evaluation fails inside, and the formula holds nowhere
//! inside. A node inside an invariant needs no successors in the certificate.
//!
//! The sets are independent of each other and of the clocks. The conditions and updates of each
//! edge are therefore evaluated separately, once for every combination of the values that they read
//! ([`Guess`]). A transition is a sequence of such evaluations, and after each of them all values
//! are in their sets. The first update of a transition sees the state in which its guard holds;
//! later updates may see any values of the sets.

use crate::certificate::Lines;
use crate::core::{Core, Edge, Formula, State};
use crate::formula::Condition;
use crate::network::{Network, combinations};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of numbers, as ranges in ascending order. Queries take time logarithmic in the number of
/// ranges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Set(Vec<Part>);

/// A range of numbers in a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    low: i64,
    high: i64,
    /// The number of elements in the ranges before this one.
    before: i64,
}

impl Part {
    fn count(self) -> i64 {
        self.high - self.low + 1
    }
}

impl Set {
    fn only(value: i64) -> Self {
        Self(vec![Part { low: value, high: value, before: 0 }])
    }

    fn contains(&self, value: i64) -> bool {
        let next = self.0.partition_point(|part| part.high < value);
        self.0.get(next).is_some_and(|part| part.low <= value)
    }

    fn count(&self) -> i64 {
        self.0.last().map_or(0, |last| last.before + last.count())
    }

    /// The element at a position in ascending order.
    fn nth(&self, position: i64) -> Option<i64> {
        let next = self.0.partition_point(|part| part.before + part.count() <= position);
        self.0.get(next).map(|part| part.low + position - part.before)
    }

    /// Reads ranges `LOW..HIGH` and numbers between commas, ascending, within `limits`.
    fn read(lines: &Lines<'_>, word: &str, limits: Part) -> Result<Self, Refusal> {
        let wrong = || lines.malformed("a set is written 1,3..5, ascending, within the range");
        let mut set = Self(Vec::new());
        let mut least = limits.low;
        for part in word.split(',') {
            let (low, high) = part.split_once("..").unwrap_or((part, part));
            let range = low.parse::<i64>().ok().zip(high.parse::<i64>().ok());
            let (low, high) = range.ok_or_else(wrong)?;
            if low < least || high < low || high > limits.high {
                return Err(wrong());
            }
            let before = set.count();
            set.0.push(Part { low, high, before });
            least = high + 1;
        }
        Ok(set)
    }
}

/// A cartesian invariant. Processes and cells that are not named keep their initial value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cartesian {
    /// By process, and by cell behind the last process.
    sets: BTreeMap<usize, Set>,
}

impl Cartesian {
    /// Reads the words of a line `within PROCESS LOCATIONS` or `values CELL VALUES`.
    pub(crate) fn line(
        &mut self,
        core: &Core,
        lines: &Lines<'_>,
        [keyword, number, word]: [&str; 3],
    ) -> Result<(), Refusal> {
        let (place, limits) = if keyword == "within" {
            let process = lines.one_of("process", core.processes.len(), number)?;
            let last = core.processes[process].locations.len() as i64 - 1;
            (process, Part { low: 0, high: last, before: 0 })
        } else {
            let cell = lines.one_of("cell", core.cells.len(), number)?;
            let (low, high) = core.cells[cell].range;
            (core.processes.len() + cell, Part { low, high, before: 0 })
        };
        let before = self.sets.insert(place, Set::read(lines, word, limits)?);
        lines.require(before.is_none(), "this process or cell comes twice")
    }

    /// The set of a process, or of a cell (numbered after the last process).
    fn set(&self, core: &Core, place: usize) -> Cow<'_, Set> {
        let initial = || match place.checked_sub(core.processes.len()) {
            None => Set::only(core.processes[place].initial as i64),
            Some(cell) => Set::only(core.cells[cell].initial),
        };
        self.sets.get(&place).map_or_else(|| Cow::Owned(initial()), Cow::Borrowed)
    }

    /// Whether the invariant contains a state.
    pub(crate) fn contains(&self, core: &Core, state: &State) -> bool {
        let locations = state.locations.iter().map(|&location| location as i64);
        let mut values = locations.chain(state.cells.iter().copied()).enumerate();
        values.all(|(place, value)| self.set(core, place).contains(value))
    }
}

/// The values that an evaluation has read so far, chosen one after the other. Evaluations are
/// repeated until every combination has been tried.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    invariant: Rc<Cartesian>,
    /// The values known in this evaluation: processes first, then cells.
    known: Vec<bool>,
    /// The choices made, in the order of the reads: position of the value, number of values.
    choices: Vec<(i64, i64)>,
    asked: usize,
    /// The cells that were written.
    written: Vec<usize>,
}

/// The evaluation steps that all invariants of a certificate may take together, in addition to
/// those of [`STEPS_PER_OPERATION`].
const STEPS: u64 = 1 << 25;

/// The steps that an invariant may take for each operation of the network.
const STEPS_PER_OPERATION: u64 = 1 << 8;

/// The fixed cost of an evaluation, in steps.
const STEPS_PER_EVALUATION: u64 = 16;

impl Guess {
    fn new(core: &Core, invariant: &Cartesian) -> Self {
        Self {
            invariant: Rc::new(invariant.clone()),
            known: vec![false; core.processes.len() + core.cells.len()],
            choices: Vec::new(),
            asked: 0,
            written: Vec::new(),
        }
    }

    /// Begins an evaluation in which only the location of `process` is known.
    fn restart(&mut self, process: Option<usize>) {
        self.known.fill(false);
        if let Some(process) = process {
            self.known[process] = true;
        }
        self.asked = 0;
        self.written.clear();
    }

    /// Advances to the next combination: another value of the last read. Returns whether one
    /// exists.
    fn advance(&mut self) -> bool {
        while let Some((position, count)) = self.choices.pop() {
            if position + 1 < count {
                self.choices.push((position + 1, count));
                return true;
            }
        }
        false
    }

    fn choose(&mut self, set: &Set) -> i64 {
        if self.asked == self.choices.len() {
            self.choices.push((0, set.count()));
        }
        let (position, _) = self.choices[self.asked];
        self.asked += 1;
        set.nth(position).unwrap_or_default()
    }

    /// Chooses the location of a process, or the content of a cell (numbered after the last
    /// process); `None` if it is known already.
    pub(crate) fn value(&mut self, core: &Core, place: usize) -> Option<i64> {
        if std::mem::replace(&mut self.known[place], true) {
            return None;
        }
        let invariant = Rc::clone(&self.invariant);
        Some(self.choose(&invariant.set(core, place)))
    }

    /// Marks a cell as written: its content is known from now on.
    pub(crate) fn write(&mut self, core: &Core, cell: usize) {
        self.known[core.processes.len() + cell] = true;
        self.written.push(cell);
    }
}

/// An edge that can take part in a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Possible {
    process: usize,
    edge: usize,
    /// The values of its `select` variables.
    select: Vec<i64>,
    /// The channel, and whether the edge sends on it.
    label: Option<(usize, bool)>,
}

/// Checks each of `invariants`: no transition leaves it, no evaluation fails inside, and `goal`
/// holds nowhere inside.
///
/// An edge is evaluated for every combination of the values that it reads, and a short text can
/// describe very many of them. All invariants together therefore share one budget of steps, which
/// grows with their number and with the size of the network.
pub(crate) fn check_all(
    network: &mut Network<'_>,
    goal: Condition,
    invariants: &[Cartesian],
) -> Result<(), Refusal> {
    let each = network.core.operations().saturating_mul(STEPS_PER_OPERATION);
    let mut steps = STEPS.saturating_add(each.saturating_mul(invariants.len() as u64));
    for (id, invariant) in invariants.iter().enumerate() {
        check(network, goal, invariant, &mut steps).at(format_args!("invariant {id}"))?;
    }
    Ok(())
}

/// Checks one invariant within the budget `steps`, and subtracts the steps used.
fn check(
    network: &mut Network<'_>,
    goal: Condition,
    invariant: &Cartesian,
    steps: &mut u64,
) -> Result<(), Trouble> {
    if network.core.has_rates() {
        return Err(Trouble::undecided("invariants of models with rates are not supported"));
    }
    network.machine.guess = Some(Guess::new(network.core, invariant));
    let checked = Checker { network, invariant, steps }.check(goal);
    network.machine.guess = None;
    checked
}

struct Checker<'n, 'c> {
    network: &'n mut Network<'c>,
    invariant: &'n Cartesian,
    /// The remaining budget.
    steps: &'n mut u64,
}

impl<'c> Checker<'_, 'c> {
    fn check(&mut self, goal: Condition) -> Result<(), Trouble> {
        let core = self.network.core;
        for updates in [&core.before, &core.after] {
            self.each(None, |network| network.run(updates))?;
        }
        let possible = self.possible()?;
        for edge in &possible {
            let takes_part = match edge.label {
                Some((channel, sends)) if !sends || !core.channels[channel].broadcast => {
                    let partner = Some((channel, !sends));
                    possible.iter().any(|o| o.process != edge.process && o.label == partner)
                }
                _ => true,
            };
            if takes_part {
                self.check_updates(edge)?;
            }
        }
        require(!self.may_hold()?[goal.part][usize::from(!goal.positive)], "the formula can hold")
    }

    /// Evaluates once for every combination of the values that are read; the location of one
    /// process may be fixed. Every value written must be in its set.
    fn each(
        &mut self,
        own: Option<(usize, usize)>,
        mut evaluate: impl FnMut(&mut Network<'c>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let core = self.network.core;
        loop {
            if let Some(guess) = &mut self.network.machine.guess {
                guess.restart(own.map(|(process, _)| process));
            }
            if let Some((process, location)) = own {
                self.network.machine.state.locations[process] = location;
            }
            self.network.machine.effects.clear();
            evaluate(self.network)?;
            self.spend()?;
            let machine = &mut self.network.machine;
            let Some(guess) = &mut machine.guess else { return Ok(()) };
            let is_inside = |&cell: &usize| {
                let set = self.invariant.set(core, core.processes.len() + cell);
                set.contains(machine.state.cells[cell])
            };
            require(guess.written.iter().all(is_inside), "an update leaves the invariant")?;
            if !guess.advance() {
                return Ok(());
            }
        }
    }

    /// Charges an evaluation, with all operations that it ran, to the budget.
    fn spend(&mut self) -> Result<(), Trouble> {
        let core = self.network.core;
        // Resetting the known values takes one step for each process and cell.
        let places = (core.processes.len() + core.cells.len()) as u64;
        let spent = self.network.machine.take_steps() + STEPS_PER_EVALUATION + places / 64;
        match self.steps.checked_sub(spent) {
            Some(left) => *self.steps = left,
            None => return Err(Trouble::undecided("invariants need too many evaluations")),
        }
        Ok(())
    }

    /// The edges whose data guards can hold. Evaluates the invariants of locations, too.
    fn possible(&mut self) -> Result<Vec<Possible>, Trouble> {
        let core = self.network.core;
        let mut possible = Vec::new();
        for (process, definition) in core.processes.iter().enumerate() {
            let places = self.invariant.set(core, process);
            for (place, location) in definition.locations.iter().enumerate() {
                if !places.contains(place as i64) {
                    continue;
                }
                let own = Some((process, place));
                self.each(own, |network| network.test([&location.invariant]).map(drop))?;
                for &edge in &location.leaving {
                    for select in &*combinations(&definition.edges[edge])? {
                        let first = possible.len();
                        self.each(own, |network| {
                            let offer = network.offer(process, edge, select.clone())?;
                            let found = offer.map(|offer| Possible {
                                process,
                                edge,
                                select: offer.select,
                                label: offer.label,
                            });
                            possible.extend(found.filter(|new| !possible[first..].contains(new)));
                            Ok(())
                        })?;
                    }
                }
            }
        }
        Ok(possible)
    }

    /// Checks the updates and the target of an edge that takes part. The first update of a
    /// transition sees the state in which the guard holds.
    fn check_updates(&mut self, possible: &Possible) -> Result<(), Trouble> {
        let &Possible { process, edge, ref select, label } = possible;
        let core = self.network.core;
        let definition: &'c Edge = &core.processes[process].edges[edge];
        let is_first = core.before.is_empty() && label.is_none_or(|(_, sends)| sends);
        let stays = self.invariant.set(core, process).contains(definition.target as i64);
        require(stays, "an edge leaves the invariant")?;
        let leaves = |&(_, l): &(usize, &crate::core::Location)| l.leaving.contains(&edge);
        let locations = core.processes[process].locations.iter().enumerate();
        let own = locations.into_iter().find(leaves).map(|(place, _)| (process, place));
        self.each(own, |network| {
            if is_first {
                match network.offer(process, edge, select.clone())? {
                    Some(offer) if offer.label == label => {}
                    _ => return Ok(()),
                }
            }
            network.bind(definition, select);
            network.run(&definition.updates)
        })
    }

    /// Whether each part of the formula can hold, and whether it can fail.
    fn may_hold(&mut self) -> Result<Vec<[bool; 2]>, Trouble> {
        let mut may: Vec<[bool; 2]> = Vec::new();
        for part in &self.network.core.formula {
            let all = |parts: &[usize], side: usize| parts.iter().all(|&part| may[part][side]);
            let any = |parts: &[usize], side: usize| parts.iter().any(|&part| may[part][side]);
            let sides = match part {
                Formula::Data(code) => {
                    let mut seen = [false; 2];
                    self.each(None, |network| {
                        seen[usize::from(!network.machine.holds(code)?)] = true;
                        Ok(())
                    })?;
                    seen
                }
                Formula::Clock(constraint) => {
                    self.each(None, |network| network.atoms(constraint).map(drop))?;
                    [true, true]
                }
                Formula::Deadlock => [true, true],
                Formula::Not(inner) => [may[*inner][1], may[*inner][0]],
                Formula::And(parts) => [all(parts, 0), any(parts, 1)],
                Formula::Or(parts) => [any(parts, 0), all(parts, 1)],
            };
            may.push(sides);
        }
        Ok(may)
    }
}

#[cfg(test)]
mod tests;
