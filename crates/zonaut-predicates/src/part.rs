//! The abstraction of one part: built backwards from the goal, and its look-ups.

use crate::abstraction::{Abstraction, Cube, LocationFacts};
use crate::difference::{Difference, Reader};
use crate::goal::{Disjunct, disjuncts};
use crate::index::{Index, Member, elements};
use crate::literals::Literals;
use crate::part_distances::Work;
use crate::refine::refined;
use crate::step::{Steps, Tables, read_by};
use crate::table::{Domains, Sets, TableId, Tabulator};
use crate::vocabulary::{Layout, Learning, Predicates, SourceText, Vocabulary};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;
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

/// The options for building a part.
pub(crate) struct Plan<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    /// By process, whether the part has its locations.
    pub(crate) is_inside: &'a [bool],
    /// The cost of a transition in this part.
    pub(crate) weigh: &'a dyn Fn(&[&Action]) -> u32,
    /// The cost of one transition in all parts together.
    pub(crate) unit: u32,
    pub(crate) work: Work<'a>,
}

/// The abstraction of a part, with distances.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) literals: Literals,
    pub(crate) index: Index,
    /// The clock literals of each cube.
    differences: Vec<Vec<Difference>>,
    /// A lower bound of the distance of states that are in no cube; `None` if they are dead ends.
    pub(crate) horizon: Option<u32>,
    bits: Vec<u64>,
    _held: Held,
}

/// Approximate memory of a cube besides its bits, in bytes.
const BYTES: usize = 200;

/// The maximal number of shortest paths that are recorded for a cube.
const ORIGINS: usize = 4;

impl Part {
    /// Builds the abstractions of an abstract model with all symbols; the heuristic is their
    /// maximum.
    pub(crate) fn build(child: &AbstractModel, plan: &Plan<'_>) -> Result<Vec<Self>, StopReason> {
        let reachable = Reachable::new(&child.model);
        let mut builder = PartBuilder::new(child, &reachable, plan);
        let part = Self::of(match *plan.vocabulary {
            Vocabulary::Locations => builder.build(Predicates::default(), plan)?,
            Vocabulary::Text => builder.build_text(plan, u32::MAX)?,
            Vocabulary::Refined(learning) => refined(&mut builder, learning, plan)?,
        });
        let Vocabulary::Refined(Learning { perimeter: perimeter @ 1.., .. }) = *plan.vocabulary
        else {
            return Ok(vec![part]);
        };
        let near = Self::of(builder.build_text(plan, perimeter.saturating_mul(plan.unit))?);
        Ok(vec![part, near])
    }

    fn of(built: Built) -> Self {
        let Built { abstraction, index, cubes, horizon, held, .. } = built;
        let literals = abstraction.literals;
        let differences = cubes.iter().map(|cube| literals.differences(&cube.bits)).collect();
        Self::new(literals, index, differences, horizon, held)
    }

    /// A part with these cubes.
    pub(crate) fn new(
        literals: Literals,
        index: Index,
        differences: Vec<Vec<Difference>>,
        horizon: Option<u32>,
        held: Held,
    ) -> Self {
        let bits = vec![0; literals.layout.words()];
        Self { literals, index, differences, horizon, bits, _held: held }
    }

    /// The clocks of the abstraction.
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

    /// The distance of a state; `None` if it is a dead end. `clocks` maps the clocks of
    /// [`Self::rows`] to rows of the zone, and `scratch` is overwritten.
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

/// The data that all abstractions of one abstract model share.
pub(crate) struct PartBuilder<'m> {
    pub(crate) child: &'m AbstractModel,
    pub(crate) reader: Reader<'m>,
    pub(crate) actions: Vec<Action>,
    goal: Vec<Disjunct>,
    pub(crate) tabulator: Tabulator<'m>,
}

/// An abstraction with all cubes, nearest first, and the transitions from each towards the goal.
pub(crate) struct Built {
    pub(crate) abstraction: Abstraction,
    pub(crate) index: Index,
    pub(crate) cubes: Vec<Cube>,
    /// For each cube, the cubes and the steps at the same distance that it was found from; empty
    /// for goals.
    pub(crate) origins: Vec<Vec<(u32, u32)>>,
    /// A lower bound of the distance of states that are in no cube; `None` if they are dead ends.
    pub(crate) horizon: Option<u32>,
    held: Held,
}

impl<'m> PartBuilder<'m> {
    fn new(child: &'m AbstractModel, reachable: &'m Reachable<'m>, plan: &Plan<'_>) -> Self {
        let model = &child.model;
        let reader = Reader { model, reachable };
        let domains = Arc::new(Domains::new(model, reachable));
        Self {
            child,
            reader,
            actions: Action::all(model),
            goal: disjuncts(model, &child.goal, reader),
            tabulator: Tabulator::new(model, domains, plan.work.meter),
        }
    }

    /// The abstraction by the predicates of the text, up to a distance.
    fn build_text(&mut self, plan: &Plan<'_>, farthest: u32) -> Result<Built, StopReason> {
        let predicates = self.text(plan);
        self.build_to(predicates, plan, farthest)
    }

    /// The predicates of the text.
    fn text(&mut self, plan: &Plan<'_>) -> Predicates {
        let inside = self.actions.iter().filter(|action| plan.is_inside[action.process.index()]);
        let said = SourceText {
            model: &self.child.model,
            is_inside: plan.is_inside,
            actions: &inside.collect::<Vec<_>>(),
            goal: &self.goal,
        };
        Predicates::of_text(&said, self.reader, &mut self.tabulator)
    }

    /// The abstraction by given predicates.
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
        let location_facts = location_facts(&mut steps);
        let goal = &self.goal;
        let tests: Vec<Vec<TableId>> =
            goal.iter().map(|disjunct| goal_tables(&mut steps, disjunct)).collect();
        let rows = rows(&predicates, &all, &location_facts, goal);
        let domains = Arc::clone(&self.tabulator.domains);
        let readers = readers(&predicates, &domains);
        let layout = Layout::new(model, &predicates);
        let is_inside = plan.is_inside.to_vec();
        let literals = Literals { predicates, layout, domains, rows };
        let everywhere =
            location_facts.iter().map(|location_facts| everywhere(location_facts)).collect();
        let abstraction = Abstraction {
            literals,
            tables,
            steps: all,
            location_facts,
            everywhere,
            readers,
            is_inside,
        };
        let mut search = BackwardSearch::new(&abstraction, plan);
        for (disjunct, tests) in goal.iter().zip(&tests) {
            for cube in abstraction.goals(disjunct, tests, &mut search.sets) {
                search.add(cube, 0, None);
            }
        }
        let horizon = search.run(farthest)?;
        let BackwardSearch { index, cubes, origins, held, .. } = search;
        Ok(Built { abstraction, index, cubes, origins, horizon, held })
    }
}

/// The facts about the locations.
fn location_facts(steps: &mut Steps<'_, '_>) -> Vec<Vec<LocationFacts>> {
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
        LocationFacts { kind: location.kind, differences, tables }
    };
    let mut all = Vec::new();
    for process in &model.processes {
        all.push(process.locations.iter().map(&mut place).collect());
    }
    all
}

/// The differences that the invariants of all locations of a process imply: the weakest bound of
/// each difference that every invariant bounds.
fn everywhere(location_facts: &[LocationFacts]) -> Vec<Difference> {
    let strongest = |place: &LocationFacts| {
        let mut said: BTreeMap<(ClockRow, ClockRow), Difference> = BTreeMap::new();
        for &d in &place.differences {
            let known = said.entry((d.x, d.y)).or_insert(d);
            known.bound = known.bound.min(d.bound);
        }
        said
    };
    let common = location_facts.iter().map(strongest).reduce(|mut all, said| {
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

/// The clocks that occur in constraints or copies, and the reference clock.
fn rows(
    predicates: &Predicates,
    steps: &[crate::step::PartStep],
    location_facts: &[Vec<LocationFacts>],
    goal: &[Disjunct],
) -> Vec<ClockRow> {
    let mut rows: BTreeSet<ClockRow> = [0].into();
    let said = steps.iter().flat_map(|step| &step.differences);
    let said = said.chain(location_facts.iter().flatten().flat_map(|place| &place.differences));
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

/// The backward search from the goal, nearest cubes first.
struct BackwardSearch<'a> {
    abstraction: &'a Abstraction,
    plan: &'a Plan<'a>,
    index: Index,
    cubes: Vec<Cube>,
    origins: Vec<Vec<(u32, u32)>>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    sets: Sets,
    held: Held,
}

impl<'a> BackwardSearch<'a> {
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

    /// Adds a cube that was found from another one by a step, unless a cube that contains it is no
    /// farther.
    fn add(&mut self, cube: Cube, distance: u32, origin: Option<(u32, u32)>) {
        let bound = distance.saturating_add(1);
        if let Some(known) = self.index.least(&cube.bits, bound, &mut |_| true) {
            let is_same =
                known.distance == distance && self.cubes[known.number as usize].bits == cube.bits;
            let origins = &mut self.origins[known.number as usize];
            // Goals need no path, few paths are recorded, and none has a cycle.
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

    /// Computes pre-images under all transitions until no cube is new, or up to a distance. Returns
    /// `None` if the search is complete, and otherwise a lower bound of the distance of all states
    /// outside the cubes: cubes are expanded by ascending distance, so every nearer state was
    /// added.
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
