//! The abstraction of one part: built backwards from the goal, and looked up.

use crate::abstraction::{Abstraction, Cube, Place};
use crate::difference::{Difference, Reader};
use crate::goal::{Disjunct, disjuncts};
use crate::guide::Work;
use crate::index::{Index, Member, elements};
use crate::literals::Literals;
use crate::refine::refined;
use crate::step::{Steps, Tables, read_by};
use crate::table::{Domains, Sets, TableId, Tabulator};
use crate::vocabulary::{Layout, Learning, Predicates, Said, Vocabulary};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::rc::Rc;
use zonaut_analysis::Reachable;
use zonaut_analysis::action::Action;
use zonaut_analysis::normal_form::{Bindings, Condition};
use zonaut_base::{Held, Id};
use zonaut_compile::{ClockRow, row_of};
use zonaut_dbm::{Row, Width, Zone};
use zonaut_model::Model;
use zonaut_model::interpret::ClockEffect;
use zonaut_pdb::AbstractModel;
use zonaut_space::StopReason;

/// What a part is built from.
pub(crate) struct Plan<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    /// By process, whether the part is about it: of the others it is not known where they are.
    pub(crate) is_inside: &'a [bool],
    /// What transitions count.
    pub(crate) weigh: &'a dyn Fn(&[&Action]) -> u32,
    /// What one transition counts in all parts together.
    pub(crate) unit: u32,
    pub(crate) work: Work<'a>,
}

/// The abstraction of a part, with distances.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) literals: Literals,
    pub(crate) index: Index,
    /// By cube, the clock literals.
    differences: Vec<Vec<Difference>>,
    /// What is in no cube is at least so far away; none if it is infinitely far away.
    pub(crate) horizon: Option<u32>,
    bits: Vec<u64>,
    _held: Held,
}

/// About how much memory a cube takes besides its bits, in bytes.
const BYTES: usize = 200;

/// The most ways from a cube, of the same length, that are told apart.
const ORIGINS: usize = 4;

impl Part {
    /// Builds the abstractions of a child that keeps everything: the greatest distance counts.
    pub(crate) fn build(child: &AbstractModel, plan: &Plan<'_>) -> Result<Vec<Self>, StopReason> {
        let reachable = Reachable::new(&child.model);
        let mut workshop = Workshop::new(child, &reachable, plan);
        let part = Self::of(match *plan.vocabulary {
            Vocabulary::Locations => workshop.build(Predicates::default(), plan)?,
            Vocabulary::Text => workshop.build_text(plan, u32::MAX)?,
            Vocabulary::Refined(learning) => refined(&mut workshop, learning, plan)?,
        });
        let Vocabulary::Refined(Learning { perimeter: perimeter @ 1.., .. }) = *plan.vocabulary
        else {
            return Ok(vec![part]);
        };
        let near = Self::of(workshop.build_text(plan, perimeter.saturating_mul(plan.unit))?);
        Ok(vec![part, near])
    }

    fn of(built: Built) -> Self {
        let Built { abstraction, index, cubes, horizon, held, .. } = built;
        let literals = abstraction.literals;
        let differences = cubes.iter().map(|cube| literals.differences(&cube.bits)).collect();
        Self::new(literals, (index, differences), horizon, held)
    }

    /// A part with these cubes.
    pub(crate) fn new(
        literals: Literals,
        (index, differences): (Index, Vec<Vec<Difference>>),
        horizon: Option<u32>,
        held: Held,
    ) -> Self {
        let bits = vec![0; literals.layout.words()];
        Self { literals, index, differences, horizon, bits, _held: held }
    }

    /// The clocks that it looks at.
    pub(crate) fn rows(&self) -> &[ClockRow] {
        &self.literals.rows
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

    /// The distance of a state; absent where there is no way. `clocks` says where the clocks of
    /// [`Self::rows`] are in the zone, and `scratch` is overwritten.
    pub(crate) fn lookup<W: Width>(
        &mut self,
        values: &[i32],
        zone: &Zone<W>,
        clocks: &[Option<Row>],
        scratch: &mut Zone<W>,
    ) -> Option<u32> {
        self.literals.possible(values, zone, clocks, &mut self.bits);
        let rows = &self.literals.rows;
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

/// What every abstraction of a child is made of.
pub(crate) struct Workshop<'m> {
    pub(crate) child: &'m AbstractModel,
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
    /// By cube, the cubes and the steps that it was found from, at the same distance; none where it
    /// is a goal.
    pub(crate) origins: Vec<Vec<(u32, u32)>>,
    /// What is in no cube is at least so far away; none if it is infinitely far away.
    pub(crate) horizon: Option<u32>,
    held: Held,
}

impl<'m> Workshop<'m> {
    fn new(child: &'m AbstractModel, reachable: &'m Reachable<'m>, plan: &Plan<'_>) -> Self {
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

    /// The abstraction by the predicates of the text, as far as a distance.
    fn build_text(&mut self, plan: &Plan<'_>, farthest: u32) -> Result<Built, StopReason> {
        let predicates = self.text(plan);
        self.build_to(predicates, plan, farthest)
    }

    /// The predicates of the text.
    fn text(&mut self, plan: &Plan<'_>) -> Predicates {
        let inside = self.actions.iter().filter(|action| plan.is_inside[action.process.index()]);
        let said = Said {
            model: &self.child.model,
            is_inside: plan.is_inside,
            actions: &inside.collect::<Vec<_>>(),
            goal: &self.goal,
        };
        Predicates::of_text(&said, self.reader, &mut self.tabulator)
    }

    /// The abstraction by these predicates.
    pub(crate) fn build(
        &mut self,
        predicates: Predicates,
        plan: &Plan<'_>,
    ) -> Result<Built, StopReason> {
        self.build_to(predicates, plan, u32::MAX)
    }

    fn build_to(
        &mut self,
        predicates: Predicates,
        plan: &Plan<'_>,
        farthest: u32,
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
        let is_inside = plan.is_inside.to_vec();
        let literals = Literals { predicates, layout, domains, rows };
        let everywhere = places.iter().map(|places| everywhere(places)).collect();
        let abstraction =
            Abstraction { literals, tables, steps: all, places, everywhere, readers, is_inside };
        let mut building = Building::new(&abstraction, plan);
        for (disjunct, tests) in goal.iter().zip(&tests) {
            for cube in abstraction.goals(disjunct, tests, &mut building.sets) {
                building.add(cube, 0, None);
            }
        }
        let horizon = building.run(farthest)?;
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

/// What the invariants of all locations of a process say of clocks: of each difference, the weakest
/// bound, where none of them says nothing of it.
fn everywhere(places: &[Place]) -> Vec<Difference> {
    let strongest = |place: &Place| {
        let mut said: BTreeMap<(ClockRow, ClockRow), Difference> = BTreeMap::new();
        for &d in &place.differences {
            let known = said.entry((d.x, d.y)).or_insert(d);
            known.bound = known.bound.min(d.bound);
        }
        said
    };
    let common = places.iter().map(strongest).reduce(|mut all, said| {
        all.retain(|pair, known| {
            let other = said.get(pair);
            let weaker = if faulty!(StrongestInvariant) { Ord::min } else { Ord::max };
            known.bound = other.map_or(known.bound, |other| weaker(known.bound, other.bound));
            other.is_some()
        });
        all
    });
    common.into_iter().flat_map(BTreeMap::into_values).collect()
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
    origins: Vec<Vec<(u32, u32)>>,
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
            sets: Sets::new(&abstraction.literals.domains),
            held: plan.work.meter.hold(),
        }
    }

    /// Adds a cube, found from another one by a step, unless one that holds it is no farther.
    fn add(&mut self, cube: Cube, distance: u32, origin: Option<(u32, u32)>) {
        let bound = distance.saturating_add(1);
        if let Some(known) = self.index.least(&cube.bits, bound, &mut |_| true) {
            let is_same =
                known.distance == distance && self.cubes[known.number as usize].bits == cube.bits;
            let origins = &mut self.origins[known.number as usize];
            // A goal needs no other way, few ways are looked at, and none goes round in circles.
            let is_wanted = !origins.is_empty() && origins.len() < ORIGINS;
            if is_same && is_wanted {
                origins.extend(origin.filter(|(from, _)| *from < known.number));
            }
            return;
        }
        let number = self.cubes.len() as u32;
        self.index.insert(elements(&cube.bits), Member { number, distance });
        self.open.push(Reverse((distance, number)));
        self.cubes.push(cube);
        self.origins.push(origin.into_iter().collect());
    }

    /// Goes back over all transitions until nothing is new, or as far as a distance. Where the limit is reached, what is
    /// found nowhere is at least as far away as what it returns: everything nearer was added,
    /// because what leads into it is nearer by a transition, and was gone back from.
    fn run(&mut self, farthest: u32) -> Result<Option<u32>, StopReason> {
        let abstraction = self.abstraction;
        let least = abstraction.steps.iter().map(|step| step.weight).min().unwrap_or(0);
        while let Some(Reverse((distance, number))) = self.open.pop() {
            let bytes = self.cubes.len() * (self.abstraction.literals.layout.words() * 8 + BYTES);
            if distance > farthest || (self.plan.work.is_enough)(self.cubes.len(), bytes) {
                return Ok(Some(distance.saturating_add(least)));
            }
            self.held.set(bytes);
            self.plan.work.meter.poll(0)?;
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
