//! Compares sets of ranges with explicit lists of their elements.

use super::*;
use std::collections::BTreeSet;

#[test]
fn a_set_has_the_elements_of_its_ranges_in_order() {
    for ranges in
        [&[(3, 3)][..], &[(-4, -2), (0, 0), (5, 8)], &[(2, 3), (4, 6)], &[(7, 9), (20, 21)]]
    {
        let mut set = Set(Vec::new());
        for &(low, high) in ranges {
            let before = set.count();
            set.0.push(Part { low, high, before });
        }
        let elements: Vec<i64> = ranges.iter().flat_map(|&(low, high)| low..=high).collect();
        assert_eq!(set.count(), elements.len() as i64);
        let listed: Vec<i64> = (0..set.count()).filter_map(|k| set.nth(k)).collect();
        assert_eq!(listed, elements);
        assert_eq!(set.nth(set.count()), None);
        let members: BTreeSet<i64> = (-9..30).filter(|&value| set.contains(value)).collect();
        assert_eq!(members, elements.into_iter().collect());
    }
}
