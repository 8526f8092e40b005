//! Tests of the enumeration of `select` values.

use super::*;
use crate::code::Range;

fn edge(ranges: &[(i64, i64)]) -> Edge {
    let range = |&(low, high): &(i64, i64)| Range { local: 0, low, high };
    Edge { select: ranges.iter().map(range).collect(), ..Edge::default() }
}

#[track_caller]
fn check(ranges: &[(i64, i64)], expected: &[&[i64]]) {
    let edge = edge(ranges);
    let found = combinations(&edge).expect("few combinations");
    assert_eq!(*found, *expected);
}

#[test]
fn all_combinations_of_values_are_tried() {
    check(&[], &[&[]]);
    check(&[(2, 4)], &[&[2], &[3], &[4]]);
    check(&[(-1, 0), (5, 6)], &[&[-1, 5], &[-1, 6], &[0, 5], &[0, 6]]);
    check(&[(1, 0)], &[]);
    check(&[(0, 1), (3, -3)], &[]);
}

#[test]
fn combinations_are_limited() {
    let most = COMBINATIONS as i64;
    assert_eq!(combinations(&edge(&[(1, most)])).map(|all| all.len()), Ok(COMBINATIONS));
    for too_many in [&[(1, most + 1)][..], &[(1, most + 2)], &[(-7, most)], &[(0, 1), (1, most)]] {
        assert!(matches!(combinations(&edge(too_many)), Err(Trouble::Refused(_))));
    }
}
