//! Predicates that show why abstract ways to the goal cannot be taken.
//!
//! The shortest abstract way from the initial state is taken forwards, in the part: values one by
//! one, clocks as zones. Where it gets stuck, something that the next step needs does not hold: a
//! guard or an invariant over data, or the clock constraints. What is needed, and what is needed
//! before each step on the way there for it to hold afterwards, are the new predicates: implied by
//! the rest of the way, which the abstraction goes backwards, and contradicted by what leads there.
//!
//! # The claim
//! With them, the way is no longer there. The abstraction claims, before the last step, what that
//! needs; and before each step what is needed before it, since that is the exact pre-image of
//! literals that it claims after it. In the initial state this does not hold.
//!
//! What cannot be tabulated is not refined: then the part stays as it is, and so it does where no
//! new predicate comes of a way, or where it can be taken.

use crate::abstraction::{Abstraction, position};
use crate::difference::Difference;
use crate::part::{Built, Plan, Workshop};
use crate::step::{PartStep, undone, updates};
use crate::table::Table;
use crate::vocabulary::{DataPredicate, Predicates, Rounds};
use std::ops::ControlFlow;
use zonaut_analysis::action::Action;
use zonaut_analysis::normal_form::{Binding, Bindings};
use zonaut_analysis::runs::{Exactly, Limits, Outcome, Runs};
use zonaut_base::Id;
use zonaut_compile::row_of;
use zonaut_dbm::{Bound, Clock, ConstantBound, Wide, Zone};
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{LocationKind, Model};
use zonaut_space::StopReason;

/// The abstraction after so many rounds.
pub(crate) fn refined(
    workshop: &mut Workshop<'_>,
    rounds: Rounds,
    plan: &Plan<'_>,
) -> Result<Built, StopReason> {
    let mut predicates = Predicates::default();
    let mut before: Option<(Built, u32)> = None;
    for round in 0.. {
        let built = workshop.build(predicates.clone(), plan)?;
        // No way at all is a proof; and what was not built to its end has no shortest way.
        let Some(way) = Way::find(workshop, &built).filter(|_| built.horizon.is_none()) else {
            return Ok(built);
        };
        let obstacle = way.obstacle(workshop, &built.abstraction);
        let has_grown = before.as_ref().is_none_or(|(_, length)| way.distance > *length);
        if let (Rounds::WhileGrowing, false, Some(_), Some((before, _))) =
            (rounds, has_grown, &obstacle, before.take())
        {
            return Ok(before);
        }
        let is_last = matches!(rounds, Rounds::AtMost(most) if round >= most);
        let Some(obstacle) = obstacle.filter(|_| !is_last && !faulty!(FeasiblePath)) else {
            return Ok(built);
        };
        let (tables, differences) = way.needed(&obstacle, workshop, &built.abstraction);
        if !predicates.extend(tables, differences) {
            return Ok(built);
        }
        before = Some((built, way.distance));
    }
    workshop.build(predicates, plan)
}

/// An abstract way from the initial state to the goal.
struct Way {
    /// By position, where processes are.
    locations: Vec<Vec<u32>>,
    /// The numbers of the steps between.
    steps: Vec<u32>,
    distance: u32,
}

/// Why a way cannot be taken: what does not hold at a position.
struct Obstacle {
    position: usize,
    needed: Needed,
}

enum Needed {
    /// A condition over data.
    Data(Table),
    /// Valuations from which the step at the position can be taken; the obstacle is at its start.
    Clocks(Zone<Wide>),
}

impl Way {
    /// A shortest way.
    fn find(workshop: &Workshop<'_>, built: &Built) -> Option<Self> {
        let abstraction = &built.abstraction;
        let model = &workshop.child.model;
        let zone = initial_zone(model, abstraction)?;
        let clocks: Vec<Option<Clock>> =
            (0..abstraction.rows.len()).map(|row| Some(Clock::from_index(row))).collect();
        let mut bits = vec![0; abstraction.layout.words()];
        abstraction.possible(&initial_values(model), &zone, &clocks, &mut bits);
        let mut meets = |cube: u32| {
            let differences = abstraction.differences(&built.cubes[cube as usize].bits);
            abstraction.constrain(&mut zone.clone(), &differences)
        };
        let first = built.index.least(&bits, u32::MAX, &mut meets)?;
        let mut locations = vec![built.cubes[first.number as usize].locations.clone()];
        let (mut steps, mut cube) = (Vec::new(), first.number);
        while let Some((next, step)) = built.origins[cube as usize] {
            steps.push(step);
            locations.push(built.cubes[next as usize].locations.clone());
            cube = next;
        }
        Some(Self { locations, steps, distance: first.distance })
    }

    /// Takes the way from the initial state; where it gets stuck, and why. Absent where it can be
    /// taken, or where that cannot be told.
    fn obstacle(&self, workshop: &Workshop<'_>, abstraction: &Abstraction) -> Option<Obstacle> {
        let model = &workshop.child.model;
        let mut values = initial_values(model);
        let mut zone = initial_zone(model, abstraction)?;
        let mut runs = Runs::new(model, Limits::PREPARATION);
        for (position, &step) in self.steps.iter().enumerate() {
            let step = &abstraction.steps[step as usize];
            let stuck = |needed| Some(Obstacle { position, needed });
            for &table in &step.guards {
                let table = &abstraction.tables.all[table];
                if violates(abstraction, table, &values) {
                    return stuck(Needed::Data(table.clone()));
                }
            }
            let before = abstraction.zone_before(
                &Zone::universe(abstraction.rows.len()),
                &self.locations[position + 1],
                &self.locations[position],
                step,
            )?;
            if zone.clone().intersect(&before).is_err() {
                return stuck(Needed::Clocks(before));
            }
            values = after(&mut runs, &workshop.actions, step, &values)?;
            let locations = values_as_locations(&values, abstraction);
            let invariants = abstraction.known(&locations).flat_map(|place| &place.tables);
            let mut invariants = invariants.map(|&table| &abstraction.tables.all[table]);
            if let Some(table) = invariants.find(|table| violates(abstraction, table, &values)) {
                let needed = Needed::Data(table.clone());
                return Some(Obstacle { position: position + 1, needed });
            }
            zone = forward(abstraction, step, zone, &values)?;
        }
        None
    }

    /// What has to hold for an obstacle to be none, at its position and before: tables, and
    /// differences.
    fn needed(
        &self,
        obstacle: &Obstacle,
        workshop: &mut Workshop<'_>,
        abstraction: &Abstraction,
    ) -> (Vec<Table>, Vec<Difference>) {
        match &obstacle.needed {
            Needed::Data(table) => {
                (self.needed_data(table, obstacle.position, workshop, abstraction), Vec::new())
            }
            Needed::Clocks(zone) => {
                (Vec::new(), self.needed_clocks(zone, obstacle.position, abstraction))
            }
        }
    }

    fn needed_data(
        &self,
        table: &Table,
        position: usize,
        workshop: &mut Workshop<'_>,
        abstraction: &Abstraction,
    ) -> Vec<Table> {
        let mut all = Vec::new();
        let mut needed = exact(table);
        let Workshop { child, actions, tabulator, .. } = workshop;
        let model = &child.model;
        for &step in self.steps[..position].iter().rev() {
            let reads_places =
                needed.inputs.iter().any(|(v, _)| (*v as usize) < model.processes.len());
            if reads_places || needed.is_trivial() || needed.is_impossible() {
                break;
            }
            all.push(needed.clone());
            let step = &abstraction.steps[step as usize];
            let participants = participants(actions, step);
            let predicate = DataPredicate::of_values(needed);
            match undone(model, &participants, &predicate, tabulator) {
                Some(both) => needed = exact(&both.holds),
                None => return all,
            }
        }
        let reads_places = needed.inputs.iter().any(|(v, _)| (*v as usize) < model.processes.len());
        if !reads_places {
            all.push(needed);
        }
        all
    }

    fn needed_clocks(
        &self,
        zone: &Zone<Wide>,
        obstacle: usize,
        abstraction: &Abstraction,
    ) -> Vec<Difference> {
        let mut all = Vec::new();
        let mut needed = zone.clone();
        for (position, &step) in self.steps[..obstacle].iter().enumerate().rev() {
            all.extend(differences(&needed, abstraction));
            let step = &abstraction.steps[step as usize];
            let (after, before) = (&self.locations[position + 1], &self.locations[position]);
            match abstraction.zone_before(&needed, after, before, step) {
                Some(before) => needed = before,
                None => return all,
            }
        }
        all.extend(differences(&needed, abstraction));
        all
    }
}

/// The table with nothing open: what may hold.
fn exact(table: &Table) -> Table {
    Table { must: table.may.clone(), ..table.clone() }
}

/// The bounds of a zone that say something.
fn differences(zone: &Zone<Wide>, abstraction: &Abstraction) -> Vec<Difference> {
    let rows = abstraction.rows.iter().enumerate();
    let pairs = rows.clone().flat_map(|x| rows.clone().map(move |y| (x, y)));
    let difference = |((i, &x), (j, &y)): ((usize, &u32), (usize, &u32))| {
        let bound = zone.bound(Clock::from_index(i), Clock::from_index(j));
        let value = i32::try_from(bound.value()).ok()?;
        let is_said = i != j && !bound.is_infinite() && !(x == 0 && bound >= Bound::ZERO);
        let fits = is_said && value.unsigned_abs() <= ConstantBound::MAX.unsigned_abs();
        let strict = bound.is_strict();
        let bound = |value| {
            if strict { ConstantBound::lt(value) } else { ConstantBound::le(value) }
        };
        fits.then(|| Difference { x, y, bound: bound(value) })
    };
    pairs.filter_map(difference).collect()
}

fn participants<'a>(actions: &'a [Action], step: &PartStep) -> Vec<&'a Action> {
    step.actions.iter().map(|&number| &actions[number as usize]).collect()
}

fn violates(abstraction: &Abstraction, table: &Table, values: &[i32]) -> bool {
    table.may_hold(&abstraction.domains, |variable| values[variable as usize]) == Some(false)
}

fn initial_values(model: &Model) -> Vec<i32> {
    let locations = model.processes.iter().map(|process| process.initial.index() as i32);
    locations.chain(model.initial_cells()).collect()
}

fn values_as_locations(values: &[i32], abstraction: &Abstraction) -> Vec<u32> {
    values.iter().take(abstraction.layout.processes()).map(|value| value.cast_unsigned()).collect()
}

/// The valuations of the initial state, after any delay.
fn initial_zone(model: &Model, abstraction: &Abstraction) -> Option<Zone<Wide>> {
    let mut zone = Zone::universe(abstraction.rows.len());
    for (clock, definition) in model.clocks.iter_enumerated() {
        if let Some(x) = position(&abstraction.rows, row_of(clock)) {
            let value = definition.initial;
            zone.constrain(x, Clock::ZERO, Bound::le(value)).ok()?;
            zone.constrain(Clock::ZERO, x, Bound::le(-value)).ok()?;
        }
    }
    let locations = values_as_locations(&initial_values(model), abstraction);
    elapse(abstraction, zone, &locations)
}

/// The valuations after any delay.
fn elapse(
    abstraction: &Abstraction,
    mut zone: Zone<Wide>,
    locations: &[u32],
) -> Option<Zone<Wide>> {
    if !abstraction.satisfies_invariants(&mut zone, locations) {
        return None;
    }
    if abstraction.known(locations).all(|place| place.kind == LocationKind::Ordinary) {
        zone.delay();
        if !abstraction.satisfies_invariants(&mut zone, locations) {
            return None;
        }
    }
    Some(zone)
}

/// The values after a step; absent where that cannot be told.
fn after(
    runs: &mut Runs<'_>,
    actions: &[Action],
    step: &PartStep,
    values: &[i32],
) -> Option<Vec<i32>> {
    let participants = participants(actions, step);
    let bindings: Bindings =
        participants.iter().flat_map(|action| action.bindings.iter().copied()).collect();
    let is_open = bindings.iter().any(|(_, binding)| matches!(binding, Binding::Any(..)));
    if is_open || !step.perhaps.is_empty() {
        return None;
    }
    let updates = updates(runs.model(), &participants);
    let mut next = values.to_vec();
    let outcome = runs.for_each(&Exactly(values), &bindings, |walk| {
        walk.update(&updates)?;
        for (variable, value) in walk.written() {
            next[variable.index()] = value;
        }
        Some(ControlFlow::Continue(()))
    });
    for m in &step.moves {
        next[m.process as usize] = m.target as i32;
    }
    let meta = runs.model().cells.iter().zip(&mut next[runs.model().processes.len()..]);
    meta.filter(|(cell, _)| cell.meta).for_each(|(cell, value)| *value = cell.initial);
    (outcome == Outcome::Complete { failed: false }).then_some(next)
}

/// The valuations after a step and any delay, at the locations of these values.
fn forward(
    abstraction: &Abstraction,
    step: &PartStep,
    mut zone: Zone<Wide>,
    values: &[i32],
) -> Option<Zone<Wide>> {
    if !abstraction.constrain(&mut zone, &step.differences) {
        return None;
    }
    let row = |clock| position(&abstraction.rows, row_of(clock));
    for effect in &step.effects {
        match *effect {
            ClockEffect::Set(clock, value) => {
                row(clock).into_iter().for_each(|x| zone.reset(x, value))
            }
            ClockEffect::Copy(target, source) => {
                if let (Some(x), Some(y)) = (row(target), row(source)) {
                    zone.copy(x, y);
                }
            }
        }
    }
    let forgotten = step.forgotten.iter().filter_map(|&row| position(&abstraction.rows, row));
    forgotten.for_each(|x| zone.free(x));
    elapse(abstraction, zone, &values_as_locations(values, abstraction))
}
