//! The abstraction of one part: built backwards from the goal, and looked up.

use crate::abstraction::{Abstraction, Cube, Place};
use crate::difference::{Difference, Reader};
use crate::goal::{Disjunct, disjuncts};
use crate::guide::Work;
use crate::index::{Index, Member, elements};
use crate::refine::refined;
use crate::step::{Steps, Tables, read_by};
use crate::table::{Domains, Sets, TableId, Tabulator};
use crate::vocabulary::{Layout, Predicates, Vocabulary};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::rc::Rc;
use zonaut_analysis::Reachable;
use zonaut_analysis::action::Action;
use zonaut_analysis::normal_form::{Bindings, Condition};
use zonaut_base::{Held, Id};
use zonaut_compile::{ClockRow, row_of};
use zonaut_dbm::{Clock, Width, Zone};
use zonaut_model::Model;
use zonaut_model::interpret::ClockEffect;
use zonaut_pdb::Child;
use zonaut_space::StopReason;

/// What a part is built from.
pub(crate) struct Plan<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    /// What transitions count.
    pub(crate) weigh: &'a dyn Fn(&[&Action]) -> u32,
    pub(crate) work: Work<'a>,
}

/// The abstraction of a part, with distances.
#[derive(Debug)]
pub(crate) struct Part {
    abstraction: Abstraction,
    index: Index,
    /// By cube, the clock literals.
    differences: Vec<Vec<Difference>>,
    /// What is in no cube is at least so far away; none if it is infinitely far away.
    horizon: Option<u32>,
    /// By variable of the child, the position of the parent's.
    positions: Vec<Option<u32>>,
    /// The values of the child, while a state is looked up.
    values: Vec<i32>,
    bits: Vec<u64>,
    _held: Held,
}

/// About how much memory a cube takes besides its bits, in bytes.
const BYTES: usize = 200;

impl Part {
    /// Builds the abstraction of a child whose parent has so many processes.
    pub(crate) fn build(
        child: &Child,
        parent_processes: usize,
        plan: &Plan<'_>,
    ) -> Result<Self, StopReason> {
        let reachable = Reachable::new(&child.model);
        let mut workshop = Workshop::new(child, &reachable, plan);
        let built = match *plan.vocabulary {
            Vocabulary::Locations => workshop.build(Predicates::default(), plan)?,
            Vocabulary::Text => {
                let predicates = workshop.text();
                workshop.build(predicates, plan)?
            }
            Vocabulary::Refined(rounds) => refined(&mut workshop, rounds, plan)?,
        };
        let Built { abstraction, index, cubes, horizon, held, .. } = built;
        let differences = cubes.iter().map(|cube| abstraction.differences(&cube.bits)).collect();
        let words = abstraction.layout.words();
        let positions = mapping(child, parent_processes);
        Ok(Self {
            abstraction: Abstraction {
                steps: Vec::new(),
                tables: Tables::default(),
                ..abstraction
            },
            index,
            differences,
            horizon,
            values: vec![0; positions.len()],
            positions,
            bits: vec![0; words],
            _held: held,
        })
    }

    /// The clocks that it looks at.
    pub(crate) fn rows(&self) -> &[ClockRow] {
        &self.abstraction.rows
    }

    /// How many cubes there are.
    pub(crate) fn len(&self) -> usize {
        self.differences.len()
    }

    /// Whether all distances are known.
    pub(crate) fn is_complete(&self) -> bool {
        self.horizon.is_none()
    }

    /// Whether every state is at distance 0.
    pub(crate) fn is_trivial(&self) -> bool {
        let nothing = vec![0; self.bits.len()];
        self.index.least(&nothing, 1, &mut |_| true).is_some()
    }

    pub(crate) fn bytes(&self) -> usize {
        let differences = self.differences.iter().map(|d| d.capacity() * size_of::<Difference>());
        self.index.bytes() + differences.sum::<usize>() + self.differences.capacity() * 24
    }

    /// The distance of a state of the parent; absent where there is no way. `clocks` says where the
    /// clocks of [`Self::rows`] are in the zone, and `scratch` is overwritten.
    pub(crate) fn lookup<W: Width>(
        &mut self,
        values: &[i32],
        zone: &Zone<W>,
        clocks: &[Option<Clock>],
        scratch: &mut Zone<W>,
    ) -> Option<u32> {
        let Self { abstraction, positions, values: own, bits, .. } = self;
        for (value, position) in own.iter_mut().zip(positions) {
            *value = position.map_or(0, |position| values[position as usize]);
        }
        abstraction.possible(own, zone, clocks, bits);
        let rows = &self.abstraction.rows;
        let at = |row: ClockRow| rows.binary_search(&row).ok().and_then(|k| clocks[k]);
        let mut meets = |cube: u32| {
            let differences = &self.differences[cube as usize];
            if differences.len() < 2 || faulty!(HitNotMet) {
                return true;
            }
            scratch.assign_from(zone);
            differences.iter().all(|d| match (at(d.x), at(d.y), d.width()) {
                (Some(x), Some(y), Some(bound)) => scratch.constrain(x, y, bound).is_ok(),
                _ => true,
            })
        };
        let found = self.index.least(&self.bits, u32::MAX, &mut meets).map(|m| m.distance);
        match (found, self.horizon) {
            (Some(distance), Some(horizon)) => Some(distance.min(horizon)),
            (found, horizon) => found.or(horizon),
        }
    }
}

/// Where the values of a child are in those of a parent with so many processes.
fn mapping(child: &Child, parent_processes: usize) -> Vec<Option<u32>> {
    let kept = child.processes.iter().map(|process| Some(process.index() as u32));
    let stubs = child.model.processes.len() - child.processes.len();
    let cells = (0..child.model.cells.len()).map(|cell| Some((parent_processes + cell) as u32));
    kept.chain(std::iter::repeat_n(None, stubs)).chain(cells).collect()
}

/// What every abstraction of a child is made of.
pub(crate) struct Workshop<'m> {
    pub(crate) child: &'m Child,
    pub(crate) reader: Reader<'m>,
    pub(crate) actions: Vec<Action>,
    goal: Vec<Disjunct>,
    pub(crate) tabulator: Tabulator<'m>,
}

/// An abstraction with all cubes, nearest first, and the way from each to the goal.
pub(crate) struct Built {
    pub(crate) abstraction: Abstraction,
    pub(crate) index: Index,
    pub(crate) cubes: Vec<Cube>,
    /// By cube, the cube and the step that it was found from.
    pub(crate) origins: Vec<Option<(u32, u32)>>,
    /// What is in no cube is at least so far away; none if it is infinitely far away.
    pub(crate) horizon: Option<u32>,
    held: Held,
}

impl<'m> Workshop<'m> {
    fn new(child: &'m Child, reachable: &'m Reachable<'m>, plan: &Plan<'_>) -> Self {
        let model = &child.model;
        let reader = Reader { model, reachable };
        let domains = Rc::new(Domains::new(model, reachable));
        Self {
            child,
            reader,
            actions: Action::all(model),
            goal: disjuncts(model, &child.goal, reader),
            tabulator: Tabulator::new(model, domains, plan.work.meter),
        }
    }

    /// The predicates of the text.
    fn text(&mut self) -> Predicates {
        let said = (&self.child.model, self.actions.as_slice(), self.goal.as_slice());
        Predicates::of_text(said, self.reader, &mut self.tabulator)
    }

    /// The abstraction by these predicates.
    pub(crate) fn build(
        &mut self,
        predicates: Predicates,
        plan: &Plan<'_>,
    ) -> Result<Built, StopReason> {
        let model = &self.child.model;
        let mut tables = Tables::default();
        let mut steps = Steps {
            model,
            actions: &self.actions,
            predicates: &predicates,
            reader: self.reader,
            tabulator: &mut self.tabulator,
            tables: &mut tables,
            asked: HashMap::new(),
            reads: read_by(model, &predicates),
            meter: plan.work.meter,
        };
        let all = steps.all(plan.weigh)?;
        let places = places(&mut steps);
        let goal = &self.goal;
        let tests: Vec<Vec<TableId>> =
            goal.iter().map(|disjunct| goal_tables(&mut steps, disjunct)).collect();
        let rows = rows(&predicates, &all, &places, goal);
        let domains = Rc::clone(&self.tabulator.domains);
        let readers = readers(&predicates, &domains);
        let layout = Layout::new(model, &predicates);
        let abstraction =
            Abstraction { predicates, layout, tables, steps: all, places, domains, rows, readers };
        let mut building = Building::new(&abstraction, plan);
        for (disjunct, tests) in goal.iter().zip(&tests) {
            if let Some(cube) = abstraction.goal(disjunct, tests, &mut building.sets) {
                building.add(cube, 0, None);
            }
        }
        let horizon = building.run()?;
        let Building { index, cubes, origins, held, .. } = building;
        Ok(Built { abstraction, index, cubes, origins, horizon, held })
    }
}

/// What is known of the locations.
fn places(steps: &mut Steps<'_, '_>) -> Vec<Vec<Place>> {
    let model: &Model = steps.model;
    let none = Bindings::new();
    let mut place = |location: &zonaut_model::Location| {
        let constraints = location.invariant.clocks.iter();
        let differences = constraints.flat_map(|c| steps.reader.read(c, &none).differences);
        let differences = differences.collect();
        let data = location
            .invariant
            .data
            .map(|data| Condition::of_expression(&model.expressions, data, false, &none));
        let conjuncts = data.iter().flat_map(Condition::conjuncts);
        let tables = conjuncts.filter_map(|conjunct| steps.condition(conjunct, &none)).collect();
        Place { kind: location.kind, differences, tables }
    };
    let mut all = Vec::new();
    for process in &model.processes {
        all.push(process.locations.iter().map(&mut place).collect());
    }
    all
}

/// The tables of the tests of a goal.
fn goal_tables(steps: &mut Steps<'_, '_>, disjunct: &Disjunct) -> Vec<TableId> {
    let tests = disjunct.tests.iter();
    tests.filter_map(|t| steps.condition(&Condition::Test(t.clone()), &t.bindings)).collect()
}

/// The clocks that some constraint speaks of, or that are copied, and the reference clock.
fn rows(
    predicates: &Predicates,
    steps: &[crate::step::PartStep],
    places: &[Vec<Place>],
    goal: &[Disjunct],
) -> Vec<ClockRow> {
    let mut rows: BTreeSet<ClockRow> = [0].into();
    let said = steps.iter().flat_map(|step| &step.differences);
    let said = said.chain(places.iter().flatten().flat_map(|place| &place.differences));
    let said = said.chain(goal.iter().flat_map(|d| &d.differences)).chain(&predicates.clocks);
    said.for_each(|d| rows.extend([d.x, d.y]));
    for effect in steps.iter().flat_map(|step| &step.effects) {
        if let ClockEffect::Copy(_, source) = *effect {
            rows.insert(row_of(source));
        }
    }
    rows.into_iter().collect()
}

/// By variable, the predicates that read it.
fn readers(predicates: &Predicates, domains: &Domains) -> Vec<Vec<u32>> {
    let mut readers = vec![Vec::new(); domains.len()];
    for (number, predicate) in predicates.data.iter().enumerate() {
        for &(variable, _) in &predicate.holds.inputs {
            readers[variable as usize].push(number as u32);
        }
    }
    readers
}

/// The way outwards from the goal, nearest cubes first.
struct Building<'a> {
    abstraction: &'a Abstraction,
    plan: &'a Plan<'a>,
    index: Index,
    cubes: Vec<Cube>,
    origins: Vec<Option<(u32, u32)>>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    sets: Sets,
    held: Held,
}

impl<'a> Building<'a> {
    fn new(abstraction: &'a Abstraction, plan: &'a Plan<'a>) -> Self {
        Self {
            abstraction,
            plan,
            index: Index::default(),
            cubes: Vec::new(),
            origins: Vec::new(),
            open: BinaryHeap::new(),
            sets: Sets::new(&abstraction.domains),
            held: plan.work.meter.hold(),
        }
    }

    /// Adds a cube, found from another one by a step, unless one that holds it is no farther.
    fn add(&mut self, cube: Cube, distance: u32, origin: Option<(u32, u32)>) {
        if self.index.least(&cube.bits, distance.saturating_add(1), &mut |_| true).is_some() {
            return;
        }
        let number = self.cubes.len() as u32;
        self.index.insert(elements(&cube.bits), Member { number, distance });
        self.open.push(Reverse((distance, number)));
        self.cubes.push(cube);
        self.origins.push(origin);
    }

    /// Goes back over all transitions until nothing is new. Where the limit is reached, what is
    /// found nowhere is at least as far away as what it returns: everything nearer was added,
    /// because what leads into it is nearer by a transition, and was gone back from.
    fn run(&mut self) -> Result<Option<u32>, StopReason> {
        let abstraction = self.abstraction;
        let least = abstraction.steps.iter().map(|step| step.weight).min().unwrap_or(0);
        while let Some(Reverse((distance, number))) = self.open.pop() {
            let bytes = self.cubes.len() * (self.abstraction.layout.words() * 8 + BYTES);
            if (self.plan.work.is_enough)(self.cubes.len(), bytes) {
                return Ok(Some(distance.saturating_add(least)));
            }
            self.held.set(bytes);
            self.plan.work.meter.look(0)?;
            let cube = self.cubes[number as usize].clone();
            if self.index.least(&cube.bits, distance, &mut |_| true).is_some() {
                continue;
            }
            let Some(target) = abstraction.target(&cube) else { continue };
            for (step, by) in abstraction.steps.iter().zip(0..) {
                self.plan.work.meter.spend(1)?;
                if let Some(before) = abstraction.back(&target, step, &mut self.sets) {
                    let distance = distance.saturating_add(step.weight);
                    self.add(before, distance, Some((number, by)));
                }
            }
        }
        Ok(None)
    }
}
