//! Abstract states, and the pre-image of a transition in the abstraction.
//!
//! S. Graf, H. Saïdi: *Construction of abstract state graphs with PVS*, CAV 1997; used as a
//! heuristic by J. Hoffmann, J.-G. Smaus, A. Rybalchenko, S. Kupferschmid, A. Podelski: *Using
//! predicate abstraction to generate heuristic functions in UPPAAL*, MoChArt 2006.
//!
//! # The claim
//! A cube is a set of literals and stands for all states that satisfy them. Suppose that a delay
//! and then a transition lead from a state into a cube. Then the state is in the cube that
//! [`Abstraction::back`] computes: for clocks, the pre-image is exact as far as constraints do not
//! depend on data; for data, sets that contain all values before the transition are computed; and
//! the result claims only literals that hold in all of them. By induction, a state with a path of n
//! transitions to a goal is in a cube of distance at most n: the distances are admissible.
//!
//! More literals make no cube larger, and the pre-image is monotone, because the sets of values are
//! the largest that satisfy all conditions one by one. So more predicates never make a distance
//! smaller (Proposition 2 of the paper).

use crate::difference::Difference;
use crate::goal::Disjunct;
use crate::index::{contains, elements};
use crate::literals::{Literals, insert};
use crate::step::{Before, PartStep, Tables};
use crate::table::{Sets, Table, TableId};
use zonaut_dbm::{Bound, Wide, Zone};
use zonaut_model::LocationKind;
use zonaut_zonegraph::{ZoneConstraint, before_delay, before_effects, position, restrict};

/// The maximal number of location vectors that the goal states are split into.
const MAX_LOCATION_VECTORS: usize = 256;

/// The entry of a location vector for a process whose location is unknown.
pub(crate) const UNKNOWN_LOCATION: u32 = u32::MAX;

/// The invariant of a location, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) struct LocationFacts {
    pub(crate) kind: LocationKind,
    /// Clock differences that the invariant implies.
    pub(crate) differences: Vec<Difference>,
    /// Data conditions that the invariant implies.
    pub(crate) tables: Vec<TableId>,
}

/// A set of states, given by the literals that they satisfy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cube {
    /// The location of each process, or [`UNKNOWN_LOCATION`].
    pub(crate) locations: Vec<u32>,
    /// The literals, including those of locations.
    pub(crate) bits: Vec<u64>,
}

/// A cube whose pre-images are computed.
pub(crate) struct Target<'c> {
    pub(crate) cube: &'c Cube,
    /// The clock valuations of the cube.
    zone: Zone<Wide>,
    /// Whether the zone already contains every valuation from which a delay leads into it.
    is_settled: bool,
}

/// The part of the model that pre-images need.
#[derive(Debug)]
pub(crate) struct Abstraction {
    pub(crate) literals: Literals,
    pub(crate) tables: Tables,
    pub(crate) steps: Vec<PartStep>,
    /// By process and location.
    pub(crate) location_facts: Vec<Vec<LocationFacts>>,
    /// By process, the clock differences that the invariants of all its locations imply.
    pub(crate) everywhere: Vec<Vec<Difference>>,
    /// The data predicates that read each variable.
    pub(crate) readers: Vec<Vec<u32>>,
    /// By process, whether the abstraction has its locations.
    pub(crate) is_inside: Vec<bool>,
}

impl Abstraction {
    /// Intersects the zone with differences. Returns whether the result is non-empty.
    pub(crate) fn constrain(&self, zone: &mut Zone<Wide>, differences: &[Difference]) -> bool {
        restrict(zone, &self.literals.rows, differences.iter().map(|d| d.constraint())).is_ok()
    }

    pub(crate) fn known<'a>(
        &'a self,
        locations: &'a [u32],
    ) -> impl Iterator<Item = &'a LocationFacts> {
        let location_facts = self.location_facts.iter().zip(locations);
        location_facts
            .filter(|(_, location)| **location != UNKNOWN_LOCATION)
            .map(|(p, &l)| &p[l as usize])
    }

    /// The constraints that the invariants of these locations imply.
    fn invariants<'a>(
        &'a self,
        locations: &'a [u32],
    ) -> impl Iterator<Item = ZoneConstraint<Wide>> + Clone + 'a {
        let of_process = |(process, &location): (usize, &u32)| match location {
            UNKNOWN_LOCATION => &self.everywhere[process],
            location => &self.location_facts[process][location as usize].differences,
        };
        locations.iter().enumerate().flat_map(of_process).map(|d| d.constraint())
    }

    pub(crate) fn satisfies_invariants(&self, zone: &mut Zone<Wide>, locations: &[u32]) -> bool {
        restrict(zone, &self.literals.rows, self.invariants(locations)).is_ok()
    }

    /// Adds the valuations from which a delay leads into `zone`. Returns whether the result is
    /// non-empty.
    fn settle(&self, zone: &mut Zone<Wide>, locations: &[u32]) -> bool {
        let may_wait = self.known(locations).all(|place| place.kind == LocationKind::Ordinary);
        match may_wait && !faulty!(DelayForgotten) {
            true => before_delay(zone, &self.literals.rows, self.invariants(locations)).is_ok(),
            false => self.satisfies_invariants(zone, locations),
        }
    }

    /// The cube with its zone. Returns `None` if the zone is empty.
    pub(crate) fn target<'c>(&self, cube: &'c Cube) -> Option<Target<'c>> {
        let mut zone = Zone::universe(self.literals.rows.len());
        let holds = self.constrain(&mut zone, &self.literals.differences(&cube.bits))
            && self.satisfies_invariants(&mut zone, &cube.locations);
        let mut before = zone.clone();
        let is_settled = self.settle(&mut before, &cube.locations) && before == zone;
        holds.then_some(Target { cube, zone, is_settled })
    }

    /// The cubes of the goal states of a disjunct; `tests` are its tables. If there are at most
    /// [`MAX_LOCATION_VECTORS`] location vectors of the processes inside, each has cubes of its own, so that
    /// invariants and urgency apply along the whole path.
    pub(crate) fn goals(
        &self,
        disjunct: &Disjunct,
        tests: &[TableId],
        sets: &mut Sets,
    ) -> Vec<Cube> {
        let mut locations = vec![UNKNOWN_LOCATION; self.literals.layout.processes()];
        for &(process, location) in &disjunct.locations {
            locations[process as usize] = location;
        }
        let is_inside = |(process, _): &(u32, u32)| self.is_inside[*process as usize];
        let is_trivial = !disjunct.locations.iter().any(is_inside)
            && tests.is_empty()
            && disjunct.differences.is_empty();
        let all = if is_trivial { vec![locations] } else { self.location_vectors(locations) };
        all.into_iter()
            .filter_map(|locations| self.goal(locations, disjunct, tests, sets))
            .collect()
    }

    /// All location vectors of the processes inside that agree with `locations`, or `locations`
    /// alone if there are more than [`MAX_LOCATION_VECTORS`].
    fn location_vectors(&self, locations: Vec<u32>) -> Vec<Vec<u32>> {
        let open =
            |process: &usize| self.is_inside[*process] && locations[*process] == UNKNOWN_LOCATION;
        let open: Vec<usize> = (0..locations.len()).filter(open).collect();
        let counts = open.iter().map(|&process| self.location_facts[process].len());
        if counts.fold(1, usize::saturating_mul) > MAX_LOCATION_VECTORS {
            return vec![locations];
        }
        open.into_iter().fold(vec![locations], |all, process| {
            let with = |locations: &Vec<u32>| {
                let locations = locations.clone();
                (0..self.location_facts[process].len() as u32).map(move |location| {
                    let mut locations = locations.clone();
                    locations[process] = location;
                    locations
                })
            };
            all.iter().flat_map(with).collect()
        })
    }

    /// The cube of the goal states of a disjunct at given locations.
    fn goal(
        &self,
        locations: Vec<u32>,
        disjunct: &Disjunct,
        tests: &[TableId],
        sets: &mut Sets,
    ) -> Option<Cube> {
        let mut zone = Zone::universe(self.literals.rows.len());
        if !self.constrain(&mut zone, &disjunct.differences) || !self.settle(&mut zone, &locations)
        {
            return None;
        }
        let premises = tests.iter().map(|&table| &self.tables.all[table]).collect();
        self.cube(locations, &zone, premises, sets)
    }

    /// The pre-image of `target` under a step. Returns `None` if it is empty or contained in
    /// `target`.
    pub(crate) fn back(
        &self,
        target: &Target<'_>,
        step: &PartStep,
        sets: &mut Sets,
    ) -> Option<Cube> {
        let locations = self.locations_before(target, step)?;
        let premises = self.premises(target.cube, step)?;
        let zone = self.zone_before(&target.zone, &target.cube.locations, &locations, step)?;
        self.cube(locations, &zone, premises, sets)
    }

    /// The valuations from which a delay and a step lead into a zone. Returns `None` if there are
    /// none.
    pub(crate) fn zone_before(
        &self,
        zone: &Zone<Wide>,
        after: &[u32],
        before: &[u32],
        step: &PartStep,
    ) -> Option<Zone<Wide>> {
        let mut zone = zone.clone();
        for m in step.moves.iter().filter(|m| after[m.process as usize] == UNKNOWN_LOCATION) {
            let place = &self.location_facts[m.process as usize][m.target as usize];
            if !self.constrain(&mut zone, &place.differences) {
                return None;
            }
        }
        let forgotten =
            || step.forgotten.iter().filter_map(|&row| position(&self.literals.rows, row));
        forgotten().for_each(|x| zone.free(x));
        let mut zone =
            before_effects(&self.literals.rows, &self.literals.rows, &step.effects, &zone)?;
        forgotten().for_each(|x| zone.free(x));
        let is_left =
            self.constrain(&mut zone, &step.differences) && self.settle(&mut zone, before);
        is_left.then_some(zone)
    }

    /// The locations before the step. Returns `None` if the step does not lead into the cube, is
    /// disabled by committed locations, or leaves every state of the cube inside it.
    fn locations_before(&self, target: &Target<'_>, step: &PartStep) -> Option<Vec<u32>> {
        let cube = target.cube;
        let is_reached = |m: &crate::step::Move| {
            let location = cube.locations[m.process as usize];
            location == UNKNOWN_LOCATION || location == m.target
        };
        let is_idle = || target.is_settled && self.changes_nothing(cube, step);
        if !step.moves.iter().all(is_reached) || is_idle() {
            return None;
        }
        let mut locations = cube.locations.clone();
        for m in &step.moves {
            locations[m.process as usize] = m.source;
        }
        for (process, moves) in &step.perhaps {
            let location = &mut locations[*process as usize];
            if moves.iter().any(|m| m.target == *location && m.source != *location) {
                *location = UNKNOWN_LOCATION;
            }
        }
        let is_committed = |facts: &LocationFacts| facts.kind == LocationKind::Committed;
        let is_forbidden = !step.may_commit && self.known(&locations).any(is_committed);
        (!is_forbidden).then_some(locations)
    }

    /// Whether every state before the step, delays aside, is in the cube itself.
    fn changes_nothing(&self, cube: &Cube, step: &PartStep) -> bool {
        let free = |m: &crate::step::Move| cube.locations[m.process as usize] == UNKNOWN_LOCATION;
        let has = |predicate: u32| {
            let literal = self.literals.layout.data + 2 * predicate;
            contains(&cube.bits, literal) || contains(&cube.bits, literal + 1)
        };
        let is_moved = |literal: u32| {
            let Difference { x, y, .. } = self.literals.difference(literal);
            step.touches(x) || step.touches(y)
        };
        step.perhaps.is_empty()
            && step.moves.iter().all(free)
            && !step.before.iter().any(|(predicate, _)| has(*predicate))
            && !elements(&cube.bits).filter(|&l| l >= self.literals.layout.clocks).any(is_moved)
    }

    /// The data conditions that held before the step. Returns `None` if they contradict each other.
    fn premises<'a>(&'a self, cube: &Cube, step: &'a PartStep) -> Option<Vec<&'a Table>> {
        let mut premises: Vec<&Table> =
            step.guards.iter().map(|&table| &self.tables.all[table]).collect();
        let is_data = |&literal: &u32| {
            literal >= self.literals.layout.data && literal < self.literals.layout.clocks
        };
        for literal in elements(&cube.bits).filter(is_data) {
            let number = literal - self.literals.layout.data;
            let changed = step.before.binary_search_by_key(&(number / 2), |(p, _)| *p);
            let table = match changed.map(|position| step.before[position].1) {
                Err(_) => self.literals.table(literal),
                Ok(Before::Unknown) => continue,
                Ok(Before::Tables { holds, fails }) => {
                    &self.tables.all[if number.is_multiple_of(2) { holds } else { fails }]
                }
            };
            if table.is_impossible() {
                return None;
            }
            premises.push(table);
        }
        Some(premises)
    }

    /// The literals that hold in all states with these locations, valuations and premises. Returns
    /// `None` if there is no such state.
    fn cube<'a>(
        &'a self,
        mut locations: Vec<u32>,
        zone: &Zone<Wide>,
        mut premises: Vec<&'a Table>,
        sets: &mut Sets,
    ) -> Option<Cube> {
        let invariants = self.known(&locations).flat_map(|place| &place.tables);
        premises.extend(invariants.map(|&table| &self.tables.all[table]));
        sets.clear();
        let mut bits = vec![0; self.literals.layout.words()];
        for (process, location) in locations.iter_mut().enumerate() {
            if *location == UNKNOWN_LOCATION {
                continue;
            }
            if !sets.fix(&self.literals.domains, process as u32, *location) {
                return None;
            }
            match self.is_inside[process] {
                true => insert(&mut bits, self.literals.layout.at(process, *location)),
                false => *location = UNKNOWN_LOCATION,
            }
        }
        if !sets.satisfy(&self.literals.domains, &premises) {
            return None;
        }
        self.add_data(sets, &mut bits);
        for (number, difference) in self.literals.predicates.clocks.iter().enumerate() {
            let literal = self.literals.layout.clocks + 2 * number as u32;
            if self.holds(zone, *difference) {
                insert(&mut bits, literal);
            } else if self.holds(zone, difference.negated()) {
                insert(&mut bits, literal + 1);
            }
        }
        Some(Cube { locations, bits })
    }

    fn add_data(&self, sets: &Sets, bits: &mut [u64]) {
        for &variable in &sets.narrowed {
            for &predicate in &self.readers[variable as usize] {
                let literal = self.literals.layout.data + 2 * predicate;
                if contains(bits, literal) || contains(bits, literal + 1) {
                    continue;
                }
                for literal in [literal, literal + 1] {
                    if sets.imply(&self.literals.domains, self.literals.table(literal)) {
                        insert(bits, literal);
                        break;
                    }
                }
            }
        }
    }

    /// Whether a difference holds for every valuation of a zone.
    fn holds(&self, zone: &Zone<Wide>, difference: Difference) -> bool {
        let (Some(x), Some(y)) = (
            position(&self.literals.rows, difference.x),
            position(&self.literals.rows, difference.y),
        ) else {
            return false;
        };
        if faulty!(EasyDifference) {
            return zone.intersects_constraint(x, y, Bound::from(difference.bound));
        }
        zone.bound(x, y) <= Bound::from(difference.bound)
    }
}
