//! Zones compared with sets of points.
//!
//! Bounds are integers from -3 to 3, so two valuations of two clocks that satisfy the same bounds
//! have equal integer parts up to 3 and equally ordered fractions: quarters up to some limit
//! represent all valuations.

use super::*;
use crate::clocks::Region;
use crate::network::Passage;
use crate::simulation::{Constants, Simulation};
use zonaut_testkit::random::Random;

const UNIT: i64 = 4;

/// Unwraps a result that small numbers always have.
#[track_caller]
fn exact<T>(result: Result<T, Trouble>) -> T {
    result.expect("small numbers are within all limits")
}

/// The zone of `atoms`, if it is not empty, closed by the algorithm of Floyd and Warshall.
fn zone_of(atoms: &[Atom]) -> Option<Zone> {
    let size = 3;
    let mut zone = Zone::all(size);
    for atom in atoms {
        let entry = &mut zone.bounds[atom.x * size + atom.y];
        *entry = atom.bound.min(*entry);
    }
    for via in 0..size {
        for (x, y) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
            let sum = exact(zone.bound(x, via).plus(zone.bound(via, y)));
            zone.bounds[x * size + y] = sum.min(zone.bound(x, y));
        }
    }
    (0..size).all(|x| zone.bound(x, x) >= Bound::ZERO).then_some(zone)
}

type Valuation = [i64; 3];

fn valuations_up_to(limit: i64) -> impl Iterator<Item = Valuation> {
    (0..=limit * UNIT).flat_map(move |x| (0..=limit * UNIT).map(move |y| [0, x, y]))
}

/// Whether finer valuations fit between this one and the bounds that it is not on.
fn is_coarse(v: &Valuation) -> bool {
    v[1] % 2 == 0 && v[2] % 2 == 0
}

/// Valuations up to the constants.
fn valuations() -> impl Iterator<Item = Valuation> {
    valuations_up_to(5)
}

/// More valuations: a clock may have to exceed another by as much as that exceeds zero.
fn witnesses() -> impl Iterator<Item = Valuation> {
    valuations_up_to(9)
}

fn satisfies(valuation: Valuation, atom: Atom) -> bool {
    let difference = valuation[atom.x] - valuation[atom.y];
    let bound = atom.bound.value() * UNIT;
    if atom.bound.is_strict() { difference < bound } else { difference <= bound }
}

fn contains(zone: &Zone, valuation: Valuation) -> bool {
    zone.atoms().into_iter().all(|atom| satisfies(valuation, atom))
}

fn random_atom(random: &mut Random) -> Atom {
    let x = random.below(3);
    let y = (x + 1 + random.below(2)) % 3;
    let bound = exact(Bound::new(i64::from(random.between(-3, 3)), random.chance(50)));
    Atom { x, y, bound }
}

fn random_atoms(random: &mut Random) -> Vec<Atom> {
    (0..random.below(4)).map(|_| random_atom(random)).collect()
}

/// Calls `visit` with random zones that are not empty.
fn for_each_zone(mut visit: impl FnMut(&mut Random, Zone)) {
    let mut random = Random::new(11);
    for _ in 0..400 {
        let atoms = random_atoms(&mut random);
        if let Some(zone) = zone_of(&atoms) {
            visit(&mut random, zone);
        }
    }
}

#[test]
fn bounds_are_ordered_added_and_negated_with_their_strictness() {
    let (lt, le) = (|c| exact(Bound::new(c, true)), |c| exact(Bound::new(c, false)));
    assert!(lt(3) < le(3) && le(3) < lt(4) && le(1 << 40) < Bound::NONE);
    assert_eq!(exact(lt(3).plus(le(-5))), lt(-2));
    assert_eq!(exact(le(3).plus(le(-5))), le(-2));
    assert_eq!(exact(Bound::NONE.plus(le(-5))), Bound::NONE);
    assert_eq!((lt(-3).value(), lt(-3).is_strict(), le(-3).value()), (-3, true, -3));
    assert_eq!((lt(3).opposite(), le(3).opposite()), (le(-3), lt(-3)));
    assert!(Bound::new((1 << 40) + 1, false).is_err() && Bound::new(-(1 << 40) - 1, true).is_err());
    let huge = Bound(1 << 59);
    assert!(huge.plus(huge).is_err());
}

#[test]
fn a_zone_includes_another_if_it_has_all_its_valuations() {
    let mut outcomes = [0, 0];
    for_each_zone(|random, large| {
        let small = zone_of(&[large.atoms(), random_atoms(random)].concat());
        let other = zone_of(&random_atoms(random));
        for small in small.into_iter().chain(other) {
            let expected = witnesses().all(|v| !contains(&small, v) || contains(&large, v));
            assert_eq!(large.includes(&small), expected, "{large:?} {small:?}");
            outcomes[usize::from(expected)] += 1;
        }
    });
    assert!(outcomes.iter().all(|&count| count > 100), "{outcomes:?}");
}

#[test]
fn one_constraint_closes_like_all_of_them_together() {
    for_each_zone(|random, zone| {
        let atom = random_atom(random);
        let mut met = zone.clone();
        let is_left = exact(met.meet(atom));
        let together = zone_of(&[zone.atoms(), vec![atom]].concat());
        assert_eq!(is_left.then_some(met), together);
    });
}

#[test]
fn a_zone_is_empty_only_if_no_valuation_satisfies_it() {
    let mut random = Random::new(2);
    for _ in 0..600 {
        let atoms = random_atoms(&mut random);
        let zone = zone_of(&atoms);
        let all = |&v: &Valuation| atoms.iter().all(|&atom| satisfies(v, atom));
        assert_eq!(zone.is_some(), witnesses().any(|v| all(&v)), "{atoms:?}");
        if let Some(zone) = zone {
            assert!(valuations().all(|v| contains(&zone, v) == all(&v)));
        }
    }
}

#[test]
fn the_complement_of_atoms_is_split_into_disjoint_parts() {
    for_each_zone(|random, zone| {
        let atoms = random_atoms(random);
        let parts = exact(zone.clone().outside(&atoms));
        for v in valuations() {
            let expected = contains(&zone, v) && !atoms.iter().all(|&atom| satisfies(v, atom));
            let count = parts.iter().filter(|part| contains(part, v)).count();
            assert_eq!(count, usize::from(expected), "{zone:?} {atoms:?} {v:?}");
        }
    });
}

#[test]
fn updates_of_zones_agree_with_valuations() {
    for_each_zone(|random, zone| {
        let effect = |random: &mut Random| match random.below(3) {
            0 => Effect::Set(1 + random.below(2), random.below(3) as i64),
            1 => Effect::Add(1 + random.below(2), random.below(2) as i64),
            _ => Effect::Copy(1 + random.below(2), 1 + random.below(2)),
        };
        let effects: Vec<_> = (0..random.below(4)).map(|_| effect(random)).collect();
        let moved = exact(zone.moved(&images(3, &effects)));
        let apply = |mut v: Valuation| {
            for effect in &effects {
                match *effect {
                    Effect::Set(clock, value) => v[clock] = value * UNIT,
                    Effect::Copy(target, source) => v[target] = v[source],
                    Effect::Add(clock, value) => v[clock] += value * UNIT,
                }
            }
            v
        };
        let all: Vec<_> = witnesses().filter(|&v| contains(&zone, v)).map(apply).collect();
        for v in valuations_up_to(3).filter(is_coarse) {
            assert_eq!(contains(&moved, v), all.contains(&v), "{zone:?} {effects:?} {v:?}");
        }
        assert_eq!(zone_of(&moved.atoms()), Some(moved));
    });
}

fn later(v: Valuation, delay: i64) -> Valuation {
    [0, v[1] + delay, v[2] + delay]
}

#[test]
fn delays_of_zones_agree_with_valuations() {
    for_each_zone(|_, zone| {
        let mut elapsed = zone.clone();
        elapsed.elapse(&[]);
        let strictly = exact(zone.later(&[]));
        for v in valuations() {
            let past = |k: i64| v[1] - k >= 0 && v[2] - k >= 0 && contains(&zone, later(v, -k));
            assert_eq!(contains(&elapsed, v), (0..=5 * UNIT).any(past), "{zone:?} {v:?}");
            let before = (1..=5 * UNIT).any(past);
            // A delay of a quarter can leave a zone that is thinner than that.
            assert!(!before || contains(&strictly, v), "{zone:?} {v:?}");
            let only_now = past(0)
                && zone.atoms().iter().any(|atom| {
                    atom.x == 0
                        && !atom.bound.is_strict()
                        && v[atom.y] == -atom.bound.value() * UNIT
                });
            assert!(!only_now || !contains(&strictly, v), "{zone:?} {v:?}");
        }
    });
}

#[test]
fn a_stopped_clock_keeps_its_value() {
    for_each_zone(|_, zone| {
        let mut elapsed = zone.clone();
        elapsed.elapse(&[2]);
        for v in valuations().filter(is_coarse) {
            // With a single running clock, the result of a delay is exact.
            let past = |k: i64| v[1] - k >= 0 && contains(&zone, [0, v[1] - k, v[2]]);
            assert_eq!(contains(&elapsed, v), (0..=5 * UNIT).any(past), "{zone:?} {v:?}");
        }
        assert_eq!(zone_of(&elapsed.atoms()), Some(elapsed));
    });
}

#[test]
fn past_and_free_agree_with_valuations() {
    for_each_zone(|_, zone| {
        let past = exact(zone.past());
        let [mut free, mut raised, mut lowered] = [(); 3].map(|()| zone.clone());
        free.free(1);
        raised.raise(1);
        lowered.lower(1);
        for v in valuations_up_to(3).filter(is_coarse) {
            let expected = (0..=9 * UNIT).any(|k| contains(&zone, later(v, k)));
            assert_eq!(contains(&past, v), expected, "{zone:?} {v:?}");
            let expected = (0..=9 * UNIT).any(|x| contains(&zone, [0, x, v[2]]));
            assert_eq!(contains(&free, v), expected, "{zone:?} {v:?}");
            let expected = (0..=v[1]).any(|x| contains(&zone, [0, x, v[2]]));
            assert_eq!(contains(&raised, v), expected, "{zone:?} {v:?}");
            let expected = (v[1]..=9 * UNIT).any(|x| contains(&zone, [0, x, v[2]]));
            assert_eq!(contains(&lowered, v), expected, "{zone:?} {v:?}");
        }
        assert_eq!(zone_of(&raised.atoms()), Some(raised));
        assert_eq!(zone_of(&lowered.atoms()), Some(lowered));
        assert_eq!(zone_of(&past.atoms()), Some(past));
        assert_eq!(zone_of(&free.atoms()), Some(free));
    });
}

/// Several nodes cover a region exactly if each valuation is below one of theirs, where clocks with
/// both constants must be equal or above the greater one.
#[test]
fn joint_covering_agrees_with_comparing_all_valuations() {
    let mut outcomes = [0, 0];
    for_each_zone(|random, small| {
        let others = (0..2).filter_map(|_| zone_of(&random_atoms(random))).collect::<Vec<_>>();
        let shared = random_constants(random);
        let cover = |zone| {
            let constants =
                if random.chance(50) { shared.clone() } else { random_constants(random) };
            Region { zone, simulation: Some(constants.into()) }
        };
        let covers: Vec<Region> = others.into_iter().map(cover).collect();
        let agree = |v: Valuation, w: Valuation, constants: &Simulation| {
            (1..3).all(|x| {
                let Constants { lower, upper } = constants.0[x];
                let most = lower.max(upper) * UNIT;
                let is_both = lower >= 0 && upper >= 0;
                !is_both || v[x] == w[x] || (v[x] > most && w[x] > most)
            }) && is_below(v, w, constants)
        };
        let is_covered = |v: Valuation| {
            covers.iter().any(|cover| {
                let constants = cover.simulation.as_ref().expect("constants");
                let mut points = valuations_up_to(11).filter(|&w| contains(&cover.zone, w));
                points.any(|w| agree(v, w, constants))
            })
        };
        let mut inside = valuations_up_to(7).filter(is_coarse).filter(|&v| contains(&small, v));
        let expected = inside.all(is_covered);
        let finest = Simulation(vec![Constants { lower: 3, upper: 3 }; 3]);
        let region = Region { zone: small.clone(), simulation: Some(finest.into()) };
        let covers: Vec<&Region> = covers.iter().collect();
        let decided = exact(crate::cells::are_covering(&[region], &covers));
        assert_eq!(decided, expected, "{small:?}\n{covers:?}");
        outcomes[usize::from(decided)] += 1;
    });
    assert!(outcomes.iter().all(|&count| count > 50), "{outcomes:?}");
}

/// Whether an urgent conjunction holds at some instant between `v` and `delay` later, excluding the
/// end.
fn is_stopped(v: Valuation, delay: i64, urgent: &[Vec<Atom>]) -> bool {
    let holds =
        |v: Valuation| urgent.iter().any(|atoms| atoms.iter().all(|&atom| satisfies(v, atom)));
    (0..delay).any(|k| holds(later(v, k)))
}

#[test]
fn urgent_conditions_stop_time_at_their_first_instant() {
    for_each_zone(|random, zone| {
        let urgent: Vec<_> = (0..1 + random.below(2)).map(|_| random_atoms(random)).collect();
        let region = Region { zone: zone.clone(), simulation: None };
        let passage = Passage { urgent: urgent.clone(), stopped: Vec::new(), free: None };
        let reached = exact(region.delayed(&[], &passage));
        for v in valuations().filter(is_coarse) {
            let from = |k: i64| {
                let start = later(v, -k);
                start[1] >= 0
                    && start[2] >= 0
                    && contains(&zone, start)
                    && !is_stopped(start, k, &urgent)
            };
            let is_reached = reached.iter().any(|part| contains(&part.zone, v));
            assert_eq!(is_reached, (0..=5 * UNIT).any(from), "{zone:?} {urgent:?} {v:?}");
        }
    });
}

fn is_below(v: Valuation, w: Valuation, constants: &Simulation) -> bool {
    (1..3).all(|x| {
        let Constants { lower, upper } = constants.0[x];
        (w[x] >= v[x] || w[x] > lower * UNIT || lower < 0)
            && (w[x] <= v[x] || v[x] > upper * UNIT || upper < 0)
    })
}

fn random_constants(random: &mut Random) -> Simulation {
    let mut constant = || i64::from(random.between(-1, 3));
    Simulation((0..3).map(|_| Constants { lower: constant(), upper: constant() }).collect())
}

#[test]
fn simulation_agrees_with_comparing_all_valuations() {
    for_each_zone(|random, small| {
        let atoms = random_atoms(random);
        let Some(large) = zone_of(&atoms) else { return };
        let constants = random_constants(random);
        let large_points: Vec<_> = valuations_up_to(11).filter(|&v| contains(&large, v)).collect();
        let mut points = valuations_up_to(7).filter(is_coarse);
        let expected = points.all(|v| {
            !contains(&small, v) || large_points.iter().any(|&w| is_below(v, w, &constants))
        });
        let decided = exact(constants.covers(&large, &small));
        assert_eq!(decided, expected, "{small:?}\n{large:?}\n{constants:?}");
    });
}

/// A clock above its lower constant can be moved as close to it as another one is to its bound.
#[test]
fn simulation_reaches_down_to_a_lower_constant_and_not_onto_it() {
    let atom = |x, y, value, strict| Atom { x, y, bound: exact(Bound::new(value, strict)) };
    let zone = |atoms: &[Atom]| zone_of(atoms).expect("a zone that is not empty");
    let constants = Constants { lower: 2, upper: 2 };
    let simulation = Simulation(vec![constants; 3]);
    let large = zone(&[atom(2, 1, 1, false)]);
    assert!(exact(simulation.covers(&large, &zone(&[atom(0, 1, -1, true)]))));
    assert!(!exact(simulation.covers(&large, &zone(&[atom(0, 1, -1, false)]))));
}

#[test]
fn respected_atoms_hold_for_all_valuations_above() {
    let atoms = (0..84).map(|k| {
        let (x, y) = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)][k / 14];
        let bound = exact(Bound::new((k % 14 / 2) as i64 - 3, k % 2 == 0));
        Atom { x, y, bound }
    });
    let constants =
        (0..25).map(|k| Simulation(vec![Constants { lower: k / 5 - 1, upper: k % 5 - 1 }; 3]));
    let all: Vec<Atom> = atoms.collect();
    for (constants, &atom) in constants.flat_map(|c| all.iter().map(move |atom| (c.clone(), atom)))
    {
        if !constants.respects(atom) {
            continue;
        }
        let grid = || valuations().filter(is_coarse);
        for v in grid().filter(|&v| satisfies(v, atom)) {
            let mut above = grid().filter(|&w| is_below(v, w, &constants));
            assert!(above.all(|w| satisfies(w, atom)), "{constants:?} {atom:?} {v:?}");
        }
    }
}
