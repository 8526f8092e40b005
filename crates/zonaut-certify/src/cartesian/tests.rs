//! Sets against their elements.

use super::*;
use std::collections::BTreeSet;

#[test]
fn a_set_has_the_elements_of_its_ranges_in_order() {
    for ranges in
        [&[(3, 3)][..], &[(-4, -2), (0, 0), (5, 8)], &[(2, 3), (4, 6)], &[(7, 9), (20, 21)]]
    {
        let set = Set(ranges.to_vec());
        let elements: Vec<i64> = ranges.iter().flat_map(|&(low, high)| low..=high).collect();
        assert_eq!(set.count(), elements.len() as i64);
        let listed: Vec<i64> = (0..set.count()).filter_map(|k| set.nth(k)).collect();
        assert_eq!(listed, elements);
        assert_eq!(set.nth(set.count()), None);
        let members: BTreeSet<i64> = (-9..30).filter(|&value| set.contains(value)).collect();
        assert_eq!(members, elements.into_iter().collect());
    }
}

#[test]
fn evaluations_of_an_invariant_are_limited() {
    let core = Core::default();
    let mut guess = Guess::new(&core, &Cartesian::default());
    guess.evaluations = EVALUATIONS - 1;
    assert!(guess.restart(None).is_ok());
    assert!(guess.restart(None).is_err());
    assert!(guess.restart(None).is_err());
}
