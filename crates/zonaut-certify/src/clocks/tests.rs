//! Compares delays of single valuations with a check of every instant.

use super::*;
use crate::zone::Bound;
use zonaut_testkit::random::Random;

/// Bounds are integers and values are halves; quarters then represent all instants in between.
const DENOMINATOR: i128 = 4;

fn random_atom(random: &mut Random) -> Atom {
    let x = random.below(3);
    let y = (x + 1 + random.below(2)) % 3;
    let bound = Bound::new(i64::from(random.between(-3, 3)), random.chance(50));
    Atom { x, y, bound: bound.expect("a small number") }
}

#[test]
fn a_condition_is_met_within_a_delay_if_it_holds_at_an_instant_before_its_end() {
    let mut random = Random::new(5);
    let mut outcomes = [0, 0];
    for _ in 0..20_000 {
        let mut point = Point::new(&[0, 0, 0], DENOMINATOR);
        for value in &mut point.values[1..] {
            *value = 2 * random.below(8) as i128;
        }
        let atoms: Vec<Atom> = (0..random.below(4)).map(|_| random_atom(&mut random)).collect();
        let delay = 2 * random.below(8) as i128;
        let stopped: Vec<usize> = (1..3).filter(|_| random.chance(30)).collect();
        let holds = |instant: i128| {
            let mut later = point.clone();
            later.elapse(&stopped, instant).is_ok() && atoms.iter().all(|&atom| later.holds(atom))
        };
        let expected = (0..delay).any(holds);
        let found = point.meets_within(&atoms, &stopped, delay);
        assert_eq!(found, expected, "{point:?} {atoms:?} {stopped:?} {delay}");
        outcomes[usize::from(expected)] += 1;
    }
    assert!(outcomes.iter().all(|&count| count > 1000), "{outcomes:?}");
}

#[test]
fn clock_values_and_parts_are_limited() {
    let mut point = Point::new(&[0, 0], 1);
    assert!(point.clone().elapse(&[], LARGEST).is_ok());
    assert!(point.elapse(&[], LARGEST + 1).is_err());
    assert!(limited(vec![(); 5], 5, "").is_ok());
    assert!(limited(vec![(); 6], 5, "").is_err());
    assert!(limited(vec![(); 7], 5, "").is_err());
}

/// Regression: a label without constants was refused because of a second, clock-dependent urgent
/// synchronisation.
#[test]
fn urgency_without_clock_guards_requires_no_comparison() {
    let zone = Zone::all(3);
    let region = Region { zone, simulation: Some(Simulation::blind(3).into()) };
    let timed = vec![Atom { x: 1, y: 0, bound: Bound::new(1, true).expect("a small number") }];
    let passage = |urgent| Passage { urgent, stopped: Vec::new(), free: None };
    let stuck = region.clone().delayed(&[], &passage(vec![timed.clone(), Vec::new()]));
    assert_eq!(stuck.ok(), Some(vec![region.clone()]));
    assert!(region.delayed(&[], &passage(vec![timed])).is_err());
}
