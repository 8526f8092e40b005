//! The abstraction of one part: built backwards from the goal, and looked up.

use crate::abstraction::{Abstraction, Cube, Place};
use crate::difference::{Difference, Reader};
use crate::goal::{Disjunct, disjuncts};
use crate::guide::Work;
use crate::index::{Index, Member, elements};
use crate::step::{Steps, Tables, read_by};
use crate::table::{Domains, Sets, TableId, Tabulator};
use crate::vocabulary::{Layout, Predicates, Vocabulary};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use zonaut_analysis::Reachable;
use zonaut_analysis::action::Action;
use zonaut_analysis::normal_form::{Bindings, Condition};
use zonaut_base::{Held, Id};
use zonaut_compile::{ClockRow, row_of};
use zonaut_dbm::{Bound, Clock, Width, Zone};
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
        let model = &child.model;
        let reachable = Reachable::new(model);
        let reader = Reader { model, reachable: &reachable };
        let actions = Action::all(model);
        let goal = disjuncts(model, &child.goal, reader);
        let domains = Domains::new(model, &reachable);
        let mut tabulator = Tabulator::new(model, domains, plan.work.meter);
        let predicates =
            Predicates::new(plan.vocabulary, (model, &actions, &goal), reader, &mut tabulator);
        let mut tables = Tables::default();
        let mut steps = Steps {
            model,
            actions: &actions,
            predicates: &predicates,
            reader,
            tabulator: &mut tabulator,
            tables: &mut tables,
            asked: HashMap::new(),
            reads: read_by(model, &predicates),
            meter: plan.work.meter,
        };
        let all = steps.all(plan.weigh)?;
        let places = places(&mut steps);
        let tests: Vec<Vec<TableId>> =
            goal.iter().map(|disjunct| goal_tables(&mut steps, disjunct)).collect();
        let rows = rows(&predicates, &all, &places, &goal);
        let layout = Layout::new(model, &predicates);
        let readers = readers(&predicates, &tabulator.domains);
        let domains = tabulator.domains;
        let abstraction =
            Abstraction { predicates, layout, tables, steps: all, places, domains, rows, readers };
        let mut building = Building::new(&abstraction, plan);
        for (disjunct, tests) in goal.iter().zip(&tests) {
            if let Some(cube) = abstraction.goal(disjunct, tests, &mut building.sets) {
                building.add(cube, 0);
            }
        }
        let horizon = building.run()?;
        let Building { index, cubes, held, .. } = building;
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
        self.index.least(&nothing, u32::MAX, &mut |_| true) == Some(0)
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
        self.find_bits(values, zone, clocks);
        let rows = &self.abstraction.rows;
        let at = |row: ClockRow| rows.binary_search(&row).ok().and_then(|k| clocks[k]);
        let mut meets = |cube: u32| {
            let differences = &self.differences[cube as usize];
            if differences.len() < 2 || faulty!(HitNotMet) {
                return true;
            }
            scratch.assign_from(zone);
            differences.iter().all(|d| match (at(d.x), at(d.y)) {
                (Some(x), Some(y)) => scratch.constrain(x, y, Bound::from(d.bound)).is_ok(),
                _ => true,
            })
        };
        let found = self.index.least(&self.bits, u32::MAX, &mut meets);
        match (found, self.horizon) {
            (Some(distance), Some(horizon)) => Some(distance.min(horizon)),
            (found, horizon) => found.or(horizon),
        }
    }

    /// The literals that may hold in a state.
    fn find_bits<W: Width>(&mut self, parent: &[i32], zone: &Zone<W>, clocks: &[Option<Clock>]) {
        let Self { abstraction, positions, values, bits, .. } = self;
        for (value, position) in values.iter_mut().zip(positions) {
            *value = position.map_or(0, |position| parent[position as usize]);
        }
        bits.fill(0);
        let mut set = |literal: u32| bits[literal as usize / 64] |= 1 << (literal % 64);
        let layout = &abstraction.layout;
        for process in 0..layout.processes() {
            set(layout.at(process, values[process].cast_unsigned()));
        }
        for (number, predicate) in abstraction.predicates.data.iter().enumerate() {
            let literal = layout.data + 2 * number as u32;
            let offset = predicate.holds.inputs.iter().try_fold(0, |offset, &(v, stride)| {
                let position = abstraction.domains.position(v, values[v as usize])?;
                Some(offset + position * stride)
            });
            let is = |may: &[bool]| offset.is_none_or(|offset| may[offset as usize]);
            if is(&predicate.holds.may) {
                set(literal);
            }
            if is(&predicate.fails.may) {
                set(literal + 1);
            }
        }
        let rows = &abstraction.rows;
        let at = |row: ClockRow| rows.binary_search(&row).ok().and_then(|k| clocks[k]);
        for (number, difference) in abstraction.predicates.clocks.iter().enumerate() {
            let literal = layout.clocks + 2 * number as u32;
            let (Some(x), Some(y)) = (at(difference.x), at(difference.y)) else {
                set(literal);
                set(literal + 1);
                continue;
            };
            if zone.intersects_constraint(x, y, Bound::from(difference.bound)) {
                set(literal);
            }
            if zone.intersects_constraint(y, x, Bound::from(difference.bound.negated())) {
                set(literal + 1);
            }
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
            open: BinaryHeap::new(),
            sets: Sets::new(&abstraction.domains),
            held: plan.work.meter.hold(),
        }
    }

    /// Adds a cube unless one that holds it is no farther.
    fn add(&mut self, cube: Cube, distance: u32) {
        if self.index.least(&cube.bits, distance.saturating_add(1), &mut |_| true).is_some() {
            return;
        }
        let number = self.cubes.len() as u32;
        self.index.insert(elements(&cube.bits), Member { number, distance });
        self.open.push(Reverse((distance, number)));
        self.cubes.push(cube);
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
            for step in &abstraction.steps {
                self.plan.work.meter.spend(1)?;
                if let Some(before) = abstraction.back(&target, step, &mut self.sets) {
                    self.add(before, distance.saturating_add(step.weight));
                }
            }
        }
        Ok(None)
    }
}
