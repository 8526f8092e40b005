//! Refinement: predicates that exclude infeasible abstract paths to the goal.
//!
//! A shortest abstract path from the initial state is executed forwards in the part: data with
//! single values, clocks as zones. If it gets stuck, the next step needs something that does not
//! hold: a guard or an invariant over data, or the clock constraints. The new predicates are this
//! condition and its pre-images under the earlier steps: the rest of the path, which the
//! abstraction takes backwards, implies them, and the prefix contradicts them.
//!
//! # The claim
//! With the new predicates the abstraction no longer has the path. Before the step that failed, it
//! claims the condition of that step; before each earlier step, it claims the pre-image, because
//! that is the exact pre-image of literals that it claims after it. The initial state does not
//! satisfy the first one.
//!
//! Conditions without a table are not refined. The part stays as it is then, and also if a path
//! yields no new predicate or is feasible.

use crate::abstraction::{Abstraction, UNKNOWN_LOCATION};
use crate::difference::Difference;
use crate::index::Member;
use crate::part::{Built, PartBuilder, Plan};
use crate::step::{PartStep, undone, updates};
use crate::table::Table;
use crate::vocabulary::{DataPredicate, Learning, LessonKind, PathChoice, Predicates, Rounds};
use std::ops::ControlFlow;
use zonaut_analysis::action::Action;
use zonaut_analysis::normal_form::{Binding, Bindings};
use zonaut_analysis::runs::{Exactly, Limits, Outcome, Runs};
use zonaut_base::Id;
use zonaut_compile::row_of;
use zonaut_dbm::{Bound, ConstantBound, Row, Wide, Zone};
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{LocationKind, Model};
use zonaut_space::StopReason;
use zonaut_zonegraph::position;

/// The maximal number of paths that are examined in a round.
const MAX_PATHS: usize = 32;

/// The predicates that are learnt from an infeasible path.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Lesson {
    tables: Vec<Table>,
    differences: Vec<Difference>,
}

/// The abstraction after refinement.
pub(crate) fn refined(
    builder: &mut PartBuilder<'_>,
    learning: Learning,
    plan: &Plan<'_>,
) -> Result<Built, StopReason> {
    let mut predicates = Predicates::default();
    let mut before: Option<(Built, u32)> = None;
    for round in 0.. {
        let built = builder.build(predicates.clone(), plan)?;
        // Without an abstract path the goal is unreachable; an incomplete abstraction has no known
        // shortest path.
        let is_whole = built.horizon.is_none();
        let paths =
            if is_whole { AbstractPath::shortest(builder, &built, learning) } else { Vec::new() };
        let Some(distance) = paths.first().map(|path| path.distance) else { return Ok(built) };
        let lessons = lessons(&paths, builder, &built.abstraction, learning);
        let has_grown = before.as_ref().is_none_or(|(_, length)| distance > *length);
        if let (Rounds::WhileGrowing, false, Some(_), Some((before, _))) =
            (learning.rounds, has_grown, &lessons, before.take())
        {
            return Ok(before);
        }
        let is_last = matches!(learning.rounds, Rounds::AtMost(most) if round >= most);
        let Some(lessons) = lessons.filter(|_| !is_last && !faulty!(FeasiblePath)) else {
            return Ok(built);
        };
        let mut is_new = false;
        for Lesson { tables, differences } in lessons {
            is_new |= predicates.extend(tables, differences);
        }
        if !is_new {
            return Ok(built);
        }
        before = Some((built, distance));
    }
    builder.build(predicates, plan)
}

/// The predicates that are learnt from paths. Returns `None` if a path is feasible or its
/// feasibility is unknown.
fn lessons(
    paths: &[AbstractPath],
    builder: &mut PartBuilder<'_>,
    abstraction: &Abstraction,
    learning: Learning,
) -> Option<Vec<Lesson>> {
    let mut all = Vec::new();
    for path in paths {
        let obstacle = path.obstacle(builder, abstraction)?;
        all.push(match learning.lesson {
            LessonKind::Needed => path.needed(&obstacle, builder, abstraction),
            LessonKind::Guards => path.violated(builder, abstraction),
        });
    }
    if learning.paths == PathChoice::Most {
        let count = |lesson: &Lesson| all.iter().filter(|other| *other == lesson).count();
        // The first of those that are learnt from the most paths.
        let best = all.iter().rev().max_by_key(|lesson| count(lesson))?.clone();
        all = vec![best];
    }
    Some(all)
}

/// An abstract path from the initial state to the goal.
#[derive(Clone, Debug)]
struct AbstractPath {
    /// The location vector at each position.
    locations: Vec<Vec<u32>>,
    /// The numbers of the steps between the positions.
    steps: Vec<u32>,
    distance: u32,
}

/// The reason why a path is infeasible: a condition that does not hold at a position.
struct Obstacle {
    position: usize,
    needed: Needed,
}

enum Needed {
    /// A condition over data.
    Data(Table),
    /// The valuations from which the step at the position is enabled; the obstacle is at its start.
    Clocks(Zone<Wide>),
}

impl AbstractPath {
    /// The shortest paths, up to the maximal number.
    fn shortest(builder: &PartBuilder<'_>, built: &Built, learning: Learning) -> Vec<Self> {
        let most = if learning.paths == PathChoice::One { 1 } else { MAX_PATHS };
        let first = Self::initial_cubes(builder, built, most).unwrap_or_default();
        let mut open: Vec<(u32, Self)> = first
            .into_iter()
            .rev()
            .map(|Member { number, distance }| {
                let locations = vec![built.cubes[number as usize].locations.clone()];
                (number, Self { locations, steps: Vec::new(), distance })
            })
            .collect();
        let mut paths = Vec::new();
        while let Some((cube, path)) = open.pop() {
            let origins = &built.origins[cube as usize];
            if origins.is_empty() {
                paths.push(path);
                continue;
            }
            let room = most.saturating_sub(paths.len() + open.len()).max(1);
            for &(next, step) in origins.iter().take(room).rev() {
                let mut path = path.clone();
                path.steps.push(step);
                path.locations.push(built.cubes[next as usize].locations.clone());
                open.push((next, path));
            }
        }
        paths
    }

    /// The nearest cubes that contain the initial state.
    fn initial_cubes(builder: &PartBuilder<'_>, built: &Built, most: usize) -> Option<Vec<Member>> {
        let abstraction = &built.abstraction;
        let model = &builder.child.model;
        let zone = initial_zone(model, abstraction)?;
        let clocks: Vec<Option<Row>> =
            (0..abstraction.literals.rows.len()).map(|row| Some(Row::from_index(row))).collect();
        let mut bits = vec![0; abstraction.literals.layout.words()];
        abstraction.literals.possible(&initial_values(model), &zone, &clocks, &mut bits);
        let meets = |cube: u32| {
            let differences = abstraction.literals.differences(&built.cubes[cube as usize].bits);
            abstraction.constrain(&mut zone.clone(), &differences)
        };
        let mut found = vec![built.index.least(&bits, u32::MAX, &mut |cube| meets(cube))?];
        let bound = found[0].distance.saturating_add(1);
        while found.len() < most
            && let Some(next) = built.index.least(&bits, bound, &mut |cube| {
                meets(cube) && found.iter().all(|known| known.number != cube)
            })
        {
            found.push(next);
        }
        Some(found)
    }

    /// Executes the path from the initial state and returns where and why it gets stuck. Returns
    /// `None` if the path is feasible or its feasibility is unknown.
    fn obstacle(&self, builder: &PartBuilder<'_>, abstraction: &Abstraction) -> Option<Obstacle> {
        let model = &builder.child.model;
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
            let mut target = Zone::universe(abstraction.literals.rows.len());
            abstraction.satisfies_invariants(&mut target, &self.locations[position + 1]);
            let before = self.zone_before(&target, position, abstraction)?;
            if zone.clone().intersect(&before).is_err() {
                return stuck(Needed::Clocks(before));
            }
            values = after(&mut runs, &builder.actions, step, &values)?;
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

    /// The valuations from which a delay and the step at a position lead into a zone.
    fn zone_before(
        &self,
        zone: &Zone<Wide>,
        position: usize,
        abstraction: &Abstraction,
    ) -> Option<Zone<Wide>> {
        let step = &abstraction.steps[self.steps[position] as usize];
        let mut before = self.locations[position].clone();
        step.moves.iter().for_each(|m| before[m.process as usize] = m.source);
        abstraction.zone_before(zone, &self.locations[position + 1], &before, step)
    }

    /// The conditions that an obstacle needs, at its position and before.
    fn needed(
        &self,
        obstacle: &Obstacle,
        builder: &mut PartBuilder<'_>,
        abstraction: &Abstraction,
    ) -> Lesson {
        let position = obstacle.position;
        match &obstacle.needed {
            Needed::Data(table) => Lesson {
                tables: self.needed_data(table, position, builder, abstraction),
                differences: Vec::new(),
            },
            Needed::Clocks(zone) => Lesson {
                tables: Vec::new(),
                differences: self.needed_clocks(zone, position, abstraction),
            },
        }
    }

    /// The guards that do not hold if the path is executed in spite of them.
    fn violated(&self, builder: &PartBuilder<'_>, abstraction: &Abstraction) -> Lesson {
        let model = &builder.child.model;
        let mut lesson = Lesson::default();
        let mut values = initial_values(model);
        let mut zone = initial_zone(model, abstraction);
        let mut runs = Runs::new(model, Limits::PREPARATION);
        for &step in &self.steps {
            let step = &abstraction.steps[step as usize];
            let guards = step.guards.iter().map(|&table| &abstraction.tables.all[table]);
            let broken = guards.filter(|table| violates(abstraction, table, &values));
            lesson.tables.extend(broken.map(exact));
            if let Some(before) = &zone
                && !abstraction.constrain(&mut before.clone(), &step.differences)
            {
                lesson.differences.extend(&step.differences);
                zone = None;
            }
            let Some(next) = after(&mut runs, &builder.actions, step, &values) else { break };
            values = next;
            zone = zone.and_then(|zone| forward(abstraction, step, zone, &values));
        }
        lesson
    }

    fn needed_data(
        &self,
        table: &Table,
        position: usize,
        builder: &mut PartBuilder<'_>,
        abstraction: &Abstraction,
    ) -> Vec<Table> {
        let mut all = Vec::new();
        let mut needed = exact(table);
        let PartBuilder { child, actions, tabulator, .. } = builder;
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
        for position in (0..obstacle).rev() {
            all.extend(differences(&needed, abstraction));
            match self.zone_before(&needed, position, abstraction) {
                Some(before) => needed = before,
                None => return all,
            }
        }
        all.extend(differences(&needed, abstraction));
        all
    }
}

/// The table in which unknown rows hold.
fn exact(table: &Table) -> Table {
    Table { must: table.may.clone(), ..table.clone() }
}

/// The bounds of a zone that are not infinite.
fn differences(zone: &Zone<Wide>, abstraction: &Abstraction) -> Vec<Difference> {
    let rows = abstraction.literals.rows.iter().enumerate();
    let pairs = rows.clone().flat_map(|x| rows.clone().map(move |y| (x, y)));
    let difference = |((i, &x), (j, &y)): ((usize, &u32), (usize, &u32))| {
        let bound = zone.bound(Row::from_index(i), Row::from_index(j));
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
    table.may_hold(&abstraction.literals.domains, |variable| values[variable as usize])
        == Some(false)
}

fn initial_values(model: &Model) -> Vec<i32> {
    let locations = model.processes.iter().map(|process| process.initial.index() as i32);
    locations.chain(model.initial_cells()).collect()
}

/// The location vector of a state, without the processes outside.
fn values_as_locations(values: &[i32], abstraction: &Abstraction) -> Vec<u32> {
    let processes = values.iter().zip(&abstraction.is_inside);
    processes
        .map(|(v, &inside)| if inside { v.cast_unsigned() } else { UNKNOWN_LOCATION })
        .collect()
}

/// The zone of the initial state, after delay.
fn initial_zone(model: &Model, abstraction: &Abstraction) -> Option<Zone<Wide>> {
    let mut zone = Zone::universe(abstraction.literals.rows.len());
    for (clock, definition) in model.clocks.iter_enumerated() {
        if let Some(x) = position(&abstraction.literals.rows, row_of(clock)) {
            let value = definition.initial;
            zone.constrain(x, Row::ZERO, Bound::le(value)).ok()?;
            zone.constrain(Row::ZERO, x, Bound::le(-value)).ok()?;
        }
    }
    let locations = values_as_locations(&initial_values(model), abstraction);
    elapse(abstraction, zone, &locations)
}

/// The zone after delay.
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

/// The values after a step. Returns `None` if they are unknown.
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
        walk.end_transition();
        for (variable, value) in walk.written() {
            next[variable.index()] = value;
        }
        Some(ControlFlow::Continue(()))
    });
    for m in &step.moves {
        next[m.process as usize] = m.target as i32;
    }
    (outcome == Outcome::Complete { failed: false }).then_some(next)
}

/// The zone after a step and delay, at the locations of these values.
fn forward(
    abstraction: &Abstraction,
    step: &PartStep,
    mut zone: Zone<Wide>,
    values: &[i32],
) -> Option<Zone<Wide>> {
    if !abstraction.constrain(&mut zone, &step.differences) {
        return None;
    }
    let row = |clock| position(&abstraction.literals.rows, row_of(clock));
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
    let forgotten =
        step.forgotten.iter().filter_map(|&row| position(&abstraction.literals.rows, row));
    forgotten.for_each(|x| zone.free(x));
    elapse(abstraction, zone, &values_as_locations(values, abstraction))
}
