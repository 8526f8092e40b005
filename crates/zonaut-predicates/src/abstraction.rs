//! Abstract states, and the way back over a transition.
//!
//! S. Graf, H. Saïdi: *Construction of abstract state graphs with PVS*, CAV 1997; used for guiding
//! by J. Hoffmann, J.-G. Smaus, A. Rybalchenko, S. Kupferschmid, A. Podelski: *Using predicate
//! abstraction to generate heuristic functions in UPPAAL*, MoChArt 2006.
//!
//! # The claim
//! A cube is a set of literals: all states in which they hold. Let a transition, after a delay, lead
//! from a state into a cube. Then the state is in the cube that [`Abstraction::back`] gives: of
//! clocks the exact set of valuations before is found, as far as constraints do not depend on data;
//! of data, sets of values that hold all values before; and only literals that hold in all of them
//! are claimed. So by induction, a state from which n transitions lead to a goal is in a cube of
//! distance n at most: distances never overestimate.
//!
//! More literals make no cube larger, and the way back is monotone, since the sets of values are
//! the largest that satisfy all conditions one by one; so more predicates never make a distance
//! smaller (Proposition 2 of the paper).

use crate::difference::Difference;
use crate::goal::Disjunct;
use crate::index::{contains, elements};
use crate::step::{Before, PartStep, Tables};
use crate::table::{Domains, Sets, Table, TableId};
use crate::vocabulary::{Layout, Predicates};
use std::rc::Rc;
use zonaut_compile::ClockRow;
use zonaut_dbm::{Bound, Clock, Wide, Width, Zone};
use zonaut_model::LocationKind;
use zonaut_zonegraph::before_effects;

/// Where a process is not known to be anywhere.
pub(crate) const ANYWHERE: u32 = u32::MAX;

/// What is known of a location.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) kind: LocationKind,
    /// What its invariant says of clocks.
    pub(crate) differences: Vec<Difference>,
    /// What it says of data.
    pub(crate) tables: Vec<TableId>,
}

/// A set of states: all in which some literals hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cube {
    /// By process, where it is, or [`ANYWHERE`].
    pub(crate) locations: Vec<u32>,
    /// The literals, those of locations among them.
    pub(crate) bits: Vec<u64>,
}

/// A cube that is gone back from.
pub(crate) struct Target<'c> {
    pub(crate) cube: &'c Cube,
    /// Its valuations.
    zone: Zone<Wide>,
    /// Whether all valuations from which time leads into it are in it.
    is_settled: bool,
}

/// What is needed for the way back.
#[derive(Debug)]
pub(crate) struct Abstraction {
    pub(crate) predicates: Predicates,
    pub(crate) layout: Layout,
    pub(crate) tables: Tables,
    pub(crate) steps: Vec<PartStep>,
    /// By process and location.
    pub(crate) places: Vec<Vec<Place>>,
    pub(crate) domains: Rc<Domains>,
    /// The clocks that are looked at, the reference clock first.
    pub(crate) rows: Vec<ClockRow>,
    /// The data predicates that read each variable.
    pub(crate) readers: Vec<Vec<u32>>,
}

/// The row in zones over some clocks.
pub(crate) fn position(rows: &[ClockRow], row: ClockRow) -> Option<Clock> {
    rows.binary_search(&row).ok().map(Clock::from_index)
}

impl Abstraction {
    /// Keeps what satisfies differences; whether anything is left.
    pub(crate) fn constrain(&self, zone: &mut Zone<Wide>, differences: &[Difference]) -> bool {
        differences.iter().all(|d| match (position(&self.rows, d.x), position(&self.rows, d.y)) {
            (Some(x), Some(y)) => zone.constrain(x, y, Bound::from(d.bound)).is_ok(),
            _ => true,
        })
    }

    pub(crate) fn known<'a>(&'a self, locations: &'a [u32]) -> impl Iterator<Item = &'a Place> {
        let places = self.places.iter().zip(locations);
        places.filter(|(_, location)| **location != ANYWHERE).map(|(p, &l)| &p[l as usize])
    }

    pub(crate) fn satisfies_invariants(&self, zone: &mut Zone<Wide>, locations: &[u32]) -> bool {
        self.known(locations).all(|place| self.constrain(zone, &place.differences))
    }

    /// Adds the valuations from which time leads into `zone`; whether there are any.
    fn settle(&self, zone: &mut Zone<Wide>, locations: &[u32]) -> bool {
        if !self.satisfies_invariants(zone, locations) {
            return false;
        }
        let may_wait = self.known(locations).all(|place| place.kind == LocationKind::Ordinary);
        if may_wait && !faulty!(DelayForgotten) {
            zone.past();
            return self.satisfies_invariants(zone, locations);
        }
        true
    }

    /// The differences among the literals of a cube.
    pub(crate) fn differences(&self, bits: &[u64]) -> Vec<Difference> {
        let clocks = elements(bits).filter(|&literal| literal >= self.layout.clocks);
        clocks.map(|literal| self.difference(literal)).collect()
    }

    pub(crate) fn difference(&self, literal: u32) -> Difference {
        let number = literal - self.layout.clocks;
        let difference = self.predicates.clocks[number as usize / 2];
        if number.is_multiple_of(2) { difference } else { difference.negated() }
    }

    /// The table of a data literal.
    fn table(&self, literal: u32) -> &Table {
        let number = literal - self.layout.data;
        let predicate = &self.predicates.data[number as usize / 2];
        if number.is_multiple_of(2) { &predicate.holds } else { &predicate.fails }
    }

    /// The cube with its valuations; absent where there are none.
    pub(crate) fn target<'c>(&self, cube: &'c Cube) -> Option<Target<'c>> {
        let mut zone = Zone::universe(self.rows.len());
        let holds = self.constrain(&mut zone, &self.differences(&cube.bits))
            && self.satisfies_invariants(&mut zone, &cube.locations);
        let mut before = zone.clone();
        let is_settled = self.settle(&mut before, &cube.locations) && before == zone;
        holds.then_some(Target { cube, zone, is_settled })
    }

    /// The cube of the goal states of a disjunct; `tests` are its tables.
    pub(crate) fn goal(
        &self,
        disjunct: &Disjunct,
        tests: &[TableId],
        sets: &mut Sets,
    ) -> Option<Cube> {
        let mut locations = vec![ANYWHERE; self.layout.processes()];
        for &(process, location) in &disjunct.locations {
            locations[process as usize] = location;
        }
        let mut zone = Zone::universe(self.rows.len());
        if !self.constrain(&mut zone, &disjunct.differences) || !self.settle(&mut zone, &locations)
        {
            return None;
        }
        let premises = tests.iter().map(|&table| &self.tables.all[table]).collect();
        self.cube(locations, &zone, premises, sets)
    }

    /// The cube before a step into `target`; absent where there is no state, and where nothing new
    /// can come of it.
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

    /// The valuations from which time and a step lead into a zone; absent where there are none.
    pub(crate) fn zone_before(
        &self,
        zone: &Zone<Wide>,
        after: &[u32],
        before: &[u32],
        step: &PartStep,
    ) -> Option<Zone<Wide>> {
        let mut zone = zone.clone();
        for m in step.moves.iter().filter(|m| after[m.process as usize] == ANYWHERE) {
            let place = &self.places[m.process as usize][m.target as usize];
            if !self.constrain(&mut zone, &place.differences) {
                return None;
            }
        }
        let forgotten = || step.forgotten.iter().filter_map(|&row| position(&self.rows, row));
        forgotten().for_each(|x| zone.free(x));
        let mut zone = before_effects(&self.rows, &self.rows, &step.effects, &zone)?;
        forgotten().for_each(|x| zone.free(x));
        let is_left =
            self.constrain(&mut zone, &step.differences) && self.settle(&mut zone, before);
        is_left.then_some(zone)
    }

    /// Where processes were; absent where the step does not lead into the cube, or is forbidden, or
    /// leaves all states of the cube where they were.
    fn locations_before(&self, target: &Target<'_>, step: &PartStep) -> Option<Vec<u32>> {
        let cube = target.cube;
        let is_reached = |m: &crate::step::Move| {
            let location = cube.locations[m.process as usize];
            location == ANYWHERE || location == m.target
        };
        let is_idle = || target.is_settled && self.changes_nothing(cube, step);
        if !step.moves.iter().all(is_reached) || is_idle() {
            return None;
        }
        let mut locations = cube.locations.clone();
        for m in &step.moves {
            locations[m.process as usize] = m.source;
        }
        for (process, ways) in &step.perhaps {
            let location = &mut locations[*process as usize];
            if ways.iter().any(|m| m.target == *location && m.source != *location) {
                *location = ANYWHERE;
            }
        }
        let is_committed = |place: &Place| place.kind == LocationKind::Committed;
        let is_forbidden = !step.may_commit && self.known(&locations).any(is_committed);
        (!is_forbidden).then_some(locations)
    }

    /// Whether every state before the step, delays aside, is in the cube itself.
    fn changes_nothing(&self, cube: &Cube, step: &PartStep) -> bool {
        let free = |m: &crate::step::Move| cube.locations[m.process as usize] == ANYWHERE;
        let has = |predicate: u32| {
            let literal = self.layout.data + 2 * predicate;
            contains(&cube.bits, literal) || contains(&cube.bits, literal + 1)
        };
        let is_moved = |literal: u32| {
            let Difference { x, y, .. } = self.difference(literal);
            step.touches(x) || step.touches(y)
        };
        step.perhaps.is_empty()
            && step.moves.iter().all(free)
            && !step.before.iter().any(|(predicate, _)| has(*predicate))
            && !elements(&cube.bits).filter(|&l| l >= self.layout.clocks).any(is_moved)
    }

    /// What held of data before the step; absent where that is impossible.
    fn premises<'a>(&'a self, cube: &Cube, step: &'a PartStep) -> Option<Vec<&'a Table>> {
        let mut premises: Vec<&Table> =
            step.guards.iter().map(|&table| &self.tables.all[table]).collect();
        let is_data = |&literal: &u32| literal >= self.layout.data && literal < self.layout.clocks;
        for literal in elements(&cube.bits).filter(is_data) {
            let number = literal - self.layout.data;
            let changed = step.before.binary_search_by_key(&(number / 2), |(p, _)| *p);
            let table = match changed.map(|position| step.before[position].1) {
                Err(_) => self.table(literal),
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

    /// The literals that hold in all states with these locations, valuations and premises; absent
    /// where there are none.
    fn cube<'a>(
        &'a self,
        locations: Vec<u32>,
        zone: &Zone<Wide>,
        mut premises: Vec<&'a Table>,
        sets: &mut Sets,
    ) -> Option<Cube> {
        let invariants = self.known(&locations).flat_map(|place| &place.tables);
        premises.extend(invariants.map(|&table| &self.tables.all[table]));
        sets.clear();
        let mut bits = vec![0; self.layout.words()];
        for (process, &location) in locations.iter().enumerate() {
            if location != ANYWHERE {
                insert(&mut bits, self.layout.at(process, location));
                if !sets.fix(&self.domains, process as u32, location) {
                    return None;
                }
            }
        }
        if !sets.satisfy(&self.domains, &premises) {
            return None;
        }
        self.add_data(sets, &mut bits);
        for (number, difference) in self.predicates.clocks.iter().enumerate() {
            let literal = self.layout.clocks + 2 * number as u32;
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
                let literal = self.layout.data + 2 * predicate;
                if contains(bits, literal) || contains(bits, literal + 1) {
                    continue;
                }
                for literal in [literal, literal + 1] {
                    if sets.imply(&self.domains, self.table(literal)) {
                        insert(bits, literal);
                        break;
                    }
                }
            }
        }
    }

    /// Finds the literals that may hold in a state with these values; `clocks` says where the clocks
    /// of the abstraction are in its zone.
    pub(crate) fn possible<W: Width>(
        &self,
        values: &[i32],
        zone: &Zone<W>,
        clocks: &[Option<Clock>],
        bits: &mut [u64],
    ) {
        bits.fill(0);
        let layout = &self.layout;
        for (process, value) in values.iter().enumerate().take(layout.processes()) {
            insert(bits, layout.at(process, value.cast_unsigned()));
        }
        for (number, predicate) in self.predicates.data.iter().enumerate() {
            let literal = layout.data + 2 * number as u32;
            let value = |variable: u32| values[variable as usize];
            for (literal, table) in [(literal, &predicate.holds), (literal + 1, &predicate.fails)] {
                if table.may_hold(&self.domains, value) != Some(false) {
                    insert(bits, literal);
                }
            }
        }
        let at = |row: ClockRow| self.rows.binary_search(&row).ok().and_then(|k| clocks[k]);
        for (number, difference) in self.predicates.clocks.iter().enumerate() {
            let literal = layout.clocks + 2 * number as u32;
            for (literal, d) in [(literal, *difference), (literal + 1, difference.negated())] {
                let may_hold = match (at(d.x), at(d.y), d.width()) {
                    (Some(x), Some(y), Some(bound)) => zone.intersects_constraint(x, y, bound),
                    _ => true,
                };
                if may_hold {
                    insert(bits, literal);
                }
            }
        }
    }

    /// Whether a difference holds in all of a zone.
    fn holds(&self, zone: &Zone<Wide>, difference: Difference) -> bool {
        let (Some(x), Some(y)) =
            (position(&self.rows, difference.x), position(&self.rows, difference.y))
        else {
            return false;
        };
        if faulty!(EasyDifference) {
            return zone.intersects_constraint(x, y, Bound::from(difference.bound));
        }
        zone.bound(x, y) <= Bound::from(difference.bound)
    }
}

fn insert(bits: &mut [u64], element: u32) {
    bits[element as usize / 64] |= 1 << (element % 64);
}
