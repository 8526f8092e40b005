//! Clock domains against sets of valuations of two clocks.
//!
//! Constants are small integers, and tested valuations have multiples of a half. The valuations that
//! simulate one of them by bounds are a box, so that membership in the set of a label is decided by
//! the intersection of the box with a zone, in half units of time.

use std::fmt::Debug;
use zonaut_base::Id;
use zonaut_compile::row_of;
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_lazy::{
    ActiveClockBounds, ClockDomain, Eager, Exact, Labelled, LowerUpper, Obstacle, Region,
    TransitionRecord, ZoneInterpolation,
};
use zonaut_model::ClockId;
use zonaut_model::interpret::ClockEffect;
use zonaut_testkit::random::Random;
use zonaut_zonegraph::{Comparison, ZoneConstraint};

/// The valuation of the reference clock and two clocks, in halves.
type Valuation = [i64; 3];

/// The halves of one unit of time.
const UNIT: i64 = 2;
/// The greatest constant.
const CONSTANT: i64 = 3;
/// The greatest value of a tested clock.
const TESTED: i64 = 5 * UNIT;

fn tested() -> impl Iterator<Item = Valuation> {
    (0..=TESTED).flat_map(|x| (0..=TESTED).map(move |y| [0, x, y]))
}

fn satisfies(difference: i64, bound: Bound<Wide>) -> bool {
    let limit = bound.value() * UNIT;
    bound.is_infinite() || difference < limit || difference == limit && !bound.is_strict()
}

fn is_in_zone(zone: &[Bound<Wide>], v: &Valuation) -> bool {
    zone.iter().enumerate().all(|(at, &bound)| satisfies(v[at / 3] - v[at % 3], bound))
}

fn holds(constraints: &[ZoneConstraint<Wide>], v: &Valuation) -> bool {
    let difference = |c: &ZoneConstraint<Wide>| v[c.x as usize] - v[c.y as usize];
    constraints.iter().all(|c| satisfies(difference(c), c.bound))
}

/// Whether a valuation is in the set that a label represents: in the zone, or simulated by a
/// valuation `w` of the zone. The latter means for each clock `x` that `w(x) < v(x)` implies
/// `L(x) < w(x)`, and `w(x) > v(x)` implies `U(x) < v(x)`.
fn is_in_region(region: Region<'_, Wide>, v: &Valuation) -> bool {
    let Some((lower, upper)) = region.bounds else { return is_in_zone(region.zone, v) };
    let in_halves = |&bound: &Bound<Wide>| match bound.is_infinite() {
        true => bound,
        false if bound.is_strict() => Bound::lt(bound.value() * UNIT),
        false => Bound::le(bound.value() * UNIT),
    };
    let bounds: Vec<_> = region.zone.iter().map(in_halves).collect();
    let mut zone = Zone::from_slice(3, &bounds);
    (1..3).all(|x| {
        let (clock, zero) = (Row::from_index(x), Row::ZERO);
        let [lower, upper] = [lower, upper].map(|bounds| i64::from(bounds[x]) * UNIT);
        let least = match lower {
            lower if lower < 0 => Bound::INFINITY,
            lower if lower < v[x] => Bound::lt(-lower),
            _ => Bound::le(-v[x]),
        };
        let greatest = if upper < v[x] { Bound::INFINITY } else { Bound::le(v[x]) };
        zone.constrain_all([(clock, zero, greatest), (zero, clock, least)]).is_ok()
    })
}

fn bound(random: &mut Random, value: i64) -> Bound<Wide> {
    if random.chance(40) { Bound::lt(value) } else { Bound::le(value) }
}

/// A lower or upper bound of one clock.
fn constraint(random: &mut Random) -> ZoneConstraint<Wide> {
    let clock = row_of(ClockId::from_index(random.below(2)));
    let constant = random.between(0, CONSTANT as i32).into();
    match random.chance(50) {
        true => ZoneConstraint { x: clock, y: 0, bound: bound(random, constant) },
        false => ZoneConstraint { x: 0, y: clock, bound: bound(random, -constant) },
    }
}

fn constraints(random: &mut Random, most: i32) -> Vec<ZoneConstraint<Wide>> {
    (0..random.between(1, most)).map(|_| constraint(random)).collect()
}

fn constrained(zone: &mut Zone<Wide>, constraints: &[ZoneConstraint<Wide>]) -> Option<()> {
    let row = |row: u32| Row::from_index(row as usize);
    zone.constrain_all(constraints.iter().map(|c| (row(c.x), row(c.y), c.bound))).ok()
}

/// A zone as searches generate them: reached by resets, delays and guards.
fn zone(random: &mut Random) -> Zone<Wide> {
    let mut zone = Zone::origin(3);
    for _ in 0..random.between(1, 4) {
        let before = zone.clone();
        zone.delay();
        if constrained(&mut zone, &constraints(random, 2)).is_none() {
            zone = before;
        }
        if random.chance(60) {
            zone.reset(Row::from_index(random.between(1, 2) as usize), random.between(0, 1));
        }
    }
    if random.chance(60) {
        zone.delay();
    }
    zone
}

fn active() -> ActiveClockBounds {
    let bounds = vec![0, CONSTANT as i32, CONSTANT as i32];
    ActiveClockBounds { rows: vec![0, 1, 2], lower: bounds.clone(), upper: bounds }
}

fn exact<'e>(zone: &'e Zone<Wide>, active: &'e ActiveClockBounds) -> Exact<'e, Wide> {
    Exact { key: &[], zone: zone.as_slice(), active }
}

/// A transition that leads from a zone to another one.
struct Taken {
    record: TransitionRecord<Wide>,
    target: Zone<Wide>,
}

fn taken(source: &Zone<Wide>, random: &mut Random) -> Option<Taken> {
    let clock = |random: &mut Random| ClockId::from_index(random.below(2));
    let effects: Box<[ClockEffect]> = (0..random.below(3))
        .map(|_| match random.chance(75) {
            true => ClockEffect::Set(clock(random), random.between(0, 2)),
            false => ClockEffect::Copy(clock(random), clock(random)),
        })
        .collect();
    let before: Box<[_]> = constraints(random, 2).into();
    let invariant: Box<[_]> = (0..random.below(2)).map(|_| constraint(random)).collect();
    let mut target = source.clone();
    constrained(&mut target, &before)?;
    let row = |clock: ClockId| Row::from_index(row_of(clock) as usize);
    for effect in &effects {
        match *effect {
            ClockEffect::Set(x, value) => target.reset(row(x), value),
            ClockEffect::Copy(x, y) => target.copy(row(x), row(y)),
        }
    }
    constrained(&mut target, &invariant)?;
    let delayed = random.chance(70);
    if delayed {
        target.delay();
        constrained(&mut target, &invariant)?;
    }
    let record = TransitionRecord {
        number: 0,
        participants: Box::default(),
        before,
        effects,
        arrival: invariant.clone(),
        delayed,
        departure: invariant,
    };
    Some(Taken { record, target })
}

/// The valuations after a transition from `v`, with delays of multiples of a half.
fn successors(record: &TransitionRecord<Wide>, v: &Valuation) -> Vec<Valuation> {
    if !holds(&record.before, v) {
        return Vec::new();
    }
    let mut arrived = *v;
    for effect in &record.effects {
        let row = |clock: ClockId| row_of(clock) as usize;
        match *effect {
            ClockEffect::Set(x, value) => arrived[row(x)] = i64::from(value) * UNIT,
            ClockEffect::Copy(x, y) => arrived[row(x)] = arrived[row(y)],
        }
    }
    if !holds(&record.arrival, &arrived) {
        return Vec::new();
    }
    let delays = if record.delayed { TESTED } else { 0 };
    let delayed = (0..=delays).map(|delay| [0, arrived[1] + delay, arrived[2] + delay]);
    delayed.filter(|v| v[1].max(v[2]) <= TESTED && holds(&record.departure, v)).collect()
}

/// A clock domain under test.
struct Tested<D> {
    domain: D,
    random: Random,
    active: ActiveClockBounds,
}

impl<D: ClockDomain<Wide, Label: Debug>> Tested<D> {
    fn new(domain: D, seed: u64) -> Self {
        Self { domain, random: Random::new(seed), active: active() }
    }

    fn labelled<'e>(
        &self,
        zone: &'e Zone<Wide>,
        active: &'e ActiveClockBounds,
        label: D::Label,
    ) -> Labelled<'e, Wide, D::Label> {
        Labelled { exact: exact(zone, active), label }
    }

    fn contains(&self, zone: &Zone<Wide>, label: D::Label, v: &Valuation) -> bool {
        is_in_region(self.domain.region(self.labelled(zone, &self.active, label)), v)
    }

    fn includes(&self, larger: (&Zone<Wide>, D::Label), smaller: (&Zone<Wide>, D::Label)) -> bool {
        tested().all(|v| {
            !self.contains(smaller.0, smaller.1, &v) || self.contains(larger.0, larger.1, &v)
        })
    }

    fn weakest(&mut self, zone: &Zone<Wide>) -> D::Label {
        self.domain.weakest(exact(zone, &self.active))
    }

    fn still_covered(
        &self,
        larger: (&Zone<Wide>, D::Label),
        smaller: (&Zone<Wide>, D::Label),
    ) -> bool {
        let [larger, smaller] =
            [larger, smaller].map(|(zone, label)| self.labelled(zone, &self.active, label));
        self.domain.still_covered(larger, smaller)
    }

    /// Constraints that no valuation of a zone satisfies together.
    fn blocked(&mut self, zone: &Zone<Wide>) -> Option<Vec<ZoneConstraint<Wide>>> {
        let blocked = constraints(&mut self.random, 3);
        constrained(&mut zone.clone(), &blocked).is_none().then_some(blocked)
    }

    /// A label after some random obstacles; checks laws 4 and 6 for each of them.
    fn refined(&mut self, zone: &Zone<Wide>) -> D::Label {
        let mut label = self.weakest(zone);
        for _ in 0..self.random.below(4) {
            let all = self.random.chance(10);
            let blocked = if all { None } else { self.blocked(zone) };
            if all || blocked.is_some() {
                label = self.strengthened(zone, label, blocked.as_deref());
            }
        }
        label
    }

    /// The label after one obstacle, of constraints or of all clocks.
    fn strengthened(
        &mut self,
        zone: &Zone<Wide>,
        label: D::Label,
        blocked: Option<&[ZoneConstraint<Wide>]>,
    ) -> D::Label {
        let obstacle = blocked.map_or(Obstacle::AllClocks, Obstacle::Clocks);
        let mut draft = D::Draft::default();
        let active = self.active.clone();
        self.domain.draft(self.labelled(zone, &active, label), &mut draft);
        self.domain.strengthen_to_block(exact(zone, &active), obstacle, &mut draft);
        let made = self.domain.label_of(&draft);
        assert_eq!(made.is_new, made.label != label, "a new label is another one");
        let context = format!("{zone:?} {obstacle:?} {label:?} {:?}", made.label);
        assert!(self.includes((zone, label), (zone, made.label)), "only strengthened: {context}");
        if let Some(blocked) = blocked {
            let is_excluded =
                |v: &Valuation| !holds(blocked, v) || !self.contains(zone, made.label, v);
            assert!(tested().all(|v| is_excluded(&v)), "excluded: {context}");
        }
        self.domain.draft(self.labelled(zone, &active, made.label), &mut draft);
        self.domain.strengthen_to_block(exact(zone, &active), obstacle, &mut draft);
        assert!(!self.domain.label_of(&draft).is_new, "nothing is left to exclude: {context}");
        made.label
    }

    /// Laws 1, 4 and 6, and that covering is reflexive.
    fn check_label(&mut self, is_lazy: bool) {
        let zone = zone(&mut self.random);
        let weakest = self.weakest(&zone);
        assert!(!is_lazy || tested().all(|v| self.contains(&zone, weakest, &v)), "{zone:?}");
        let label = self.refined(&zone);
        let is_kept =
            |v: &Valuation| !is_in_zone(zone.as_slice(), v) || self.contains(&zone, label, v);
        assert!(tested().all(|v| is_kept(&v)), "the exact part is kept: {zone:?} {label:?}");
        assert!(self.still_covered((&zone, label), (&zone, label)), "reflexive: {zone:?}");
    }

    /// Laws 2 and 3, and that covering is transitive; returns whether two of three zones cover.
    fn check_covering(&mut self) -> bool {
        let zones = [(); 3].map(|()| zone(&mut self.random));
        let labels = [0, 1, 2].map(|at| self.refined(&zones[at]));
        let nodes = [0, 1, 2].map(|at| (&zones[at], labels[at]));
        let mut covers = 0;
        for larger in nodes {
            for smaller in nodes {
                if self.still_covered(larger, smaller) {
                    covers += usize::from(!std::ptr::eq(larger.0, smaller.0));
                    assert!(self.includes(larger, smaller), "{larger:?} covers {smaller:?}");
                    for largest in nodes {
                        let is_transitive = !self.still_covered(largest, larger)
                            || self.still_covered(largest, smaller);
                        assert!(is_transitive, "{largest:?} {larger:?} {smaller:?}");
                    }
                }
                self.check_strengthening_to_cover(larger, smaller);
            }
        }
        covers > 0
    }

    /// Law 2.
    fn check_strengthening_to_cover(
        &mut self,
        larger: (&Zone<Wide>, D::Label),
        smaller: (&Zone<Wide>, D::Label),
    ) {
        let active = self.active.clone();
        let coverer = self.labelled(larger.0, &active, larger.1);
        if !self.domain.may_cover(coverer, exact(smaller.0, &active)) {
            return;
        }
        let is_inside = |v: &Valuation| {
            !is_in_zone(smaller.0.as_slice(), v) || self.contains(larger.0, larger.1, v)
        };
        assert!(tested().all(|v| is_inside(&v)), "{larger:?} may cover {smaller:?}");
        let mut draft = D::Draft::default();
        self.domain.draft(self.labelled(smaller.0, &active, smaller.1), &mut draft);
        self.domain.strengthen_to_cover(coverer, &mut draft);
        let made = self.domain.label_of(&draft).label;
        assert!(self.still_covered(larger, (smaller.0, made)), "{larger:?} {smaller:?}");
        assert!(self.includes(smaller, (smaller.0, made)), "only strengthened: {smaller:?}");
    }

    /// Law 5; returns whether the target's label was strengthened.
    fn check_step(&mut self) -> bool {
        let source = zone(&mut self.random);
        let Some(Taken { record, target }) = taken(&source, &mut self.random) else {
            return false;
        };
        let Some(blocked) = self.blocked(&target) else { return false };
        let active = self.active.clone();
        let ends = [exact(&source, &active), exact(&target, &active)];
        let (mut learnt, mut into) = (D::Draft::default(), D::Draft::default());
        let weakest = [self.domain.weakest(ends[0]), self.domain.weakest(ends[1])];
        self.domain.draft(self.labelled(&target, &active, weakest[1]), &mut learnt);
        self.domain.strengthen_to_block(ends[1], Obstacle::Clocks(&blocked), &mut learnt);
        self.domain.draft(self.labelled(&source, &active, weakest[0]), &mut into);
        self.domain.before(&record, ends, &learnt, &mut into);
        let [before, after] = [&into, &learnt].map(|draft| self.domain.label_of(draft).label);
        let context = format!("{source:?} {record:?} {target:?} {before:?} {after:?}");
        for v in tested().filter(|v| self.contains(&source, before, v)) {
            for next in successors(&record, &v) {
                assert!(self.contains(&target, after, &next), "{v:?} to {next:?}: {context}");
            }
        }
        let is_kept =
            |v: &Valuation| !is_in_zone(source.as_slice(), v) || self.contains(&source, before, v);
        assert!(tested().all(|v| is_kept(&v)), "the exact part is kept: {context}");
        after != weakest[1]
    }
}

/// Checks all laws of a domain on random zones.
fn check<D: ClockDomain<Wide, Label: Debug>>(make: impl Fn() -> D, is_lazy: bool) {
    let (mut covering, mut steps) = (0, 0);
    for seed in 0..120 {
        let mut tested = Tested::new(make(), seed);
        tested.check_label(is_lazy);
        covering += usize::from(tested.check_covering());
        steps += usize::from(tested.check_step());
    }
    assert!(covering > 20, "{covering}");
    assert!(!is_lazy || steps > 20, "{steps}");
}

#[test]
fn bounds_satisfy_the_laws() {
    check(LowerUpper::default, true);
}

#[test]
fn interpolated_zones_satisfy_the_laws() {
    check(ZoneInterpolation::<Wide>::default, true);
}

#[test]
fn exact_zones_satisfy_the_laws_with_each_covering() {
    check(|| Eager::new(Comparison::Inclusion), false);
    check(|| Eager::new(Comparison::Simulation), false);
}
