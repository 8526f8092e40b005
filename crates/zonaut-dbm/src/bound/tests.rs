use super::*;
use crate::Wide;

/// Generates a test for each width of every function that is generic in it.
macro_rules! for_both_widths {
    ($($name:ident)*) => {
        mod narrow {
            $(#[test] fn $name() { super::$name::<super::Narrow>(); })*
        }
        mod wide {
            $(#[test] fn $name() { super::$name::<super::Wide>(); })*
        }
    };
}

for_both_widths! {
    smaller_means_tighter
    a_sum_is_strict_if_one_part_is
    zero_is_neutral_and_infinity_absorbs
    the_complement_turns_round_and_changes_strictness
    sums_saturate_to_the_looser_side
    the_range_of_finite_bounds_ends_with_the_limit
    the_greatest_extrapolated_constants_add_up_exactly
    eight_bounds_at_the_end_of_the_range_add_up_exactly
    encoding_round_trips_and_rejects_other_integers
    bounds_are_shown_with_their_relation
}

fn finite_bounds<W: Width>() -> impl Iterator<Item = Bound<W>> + Clone {
    (-6..=6).flat_map(|value| [Bound::<W>::lt(value), Bound::le(value)])
}

fn smaller_means_tighter<W: Width>() {
    assert!(Bound::<W>::lt(3) < Bound::le(3));
    assert!(Bound::<W>::le(3) < Bound::lt(4));
    assert!(Bound::<W>::le(Bound::<W>::LIMIT) < Bound::INFINITY);
}

fn a_sum_is_strict_if_one_part_is<W: Width>() {
    for a in finite_bounds::<W>() {
        for b in finite_bounds::<W>() {
            let sum = a + b;
            assert_eq!(sum.value(), a.value() + b.value());
            assert_eq!(sum.is_strict(), a.is_strict() || b.is_strict());
        }
    }
}

fn zero_is_neutral_and_infinity_absorbs<W: Width>() {
    for a in finite_bounds::<W>().chain([Bound::<W>::INFINITY]) {
        assert_eq!(a + Bound::<W>::ZERO, a);
        assert_eq!(Bound::<W>::ZERO + a, a);
        assert_eq!(a + Bound::<W>::INFINITY, Bound::INFINITY);
        assert_eq!(Bound::<W>::INFINITY + a, Bound::INFINITY);
    }
    assert_eq!(Bound::<W>::INFINITY + Bound::FLOOR, Bound::INFINITY);
    assert!(Bound::<W>::INFINITY.is_strict());
}

fn the_complement_turns_round_and_changes_strictness<W: Width>() {
    assert_eq!(Bound::<W>::le(4).negated(), Bound::lt(-4));
    assert_eq!(Bound::<W>::lt(4).negated(), Bound::le(-4));
    for a in finite_bounds::<W>() {
        assert_eq!(a.negated().negated(), a);
        assert!(a + a.negated() < Bound::<W>::ZERO);
    }
}

fn sums_saturate_to_the_looser_side<W: Width>() {
    let (most, least) = (Bound::le(Bound::<W>::LIMIT), Bound::FLOOR);
    assert_eq!(most + most, Bound::<W>::INFINITY);
    assert_eq!(most + Bound::<W>::le(2), Bound::INFINITY);
    assert_eq!(least + least, least);
    assert_eq!(least + Bound::<W>::le(-1), least);
    assert_eq!(most + least, Bound::<W>::lt(0));
    assert_eq!(Bound::<W>::le(i64::MAX), Bound::INFINITY);
    assert_eq!(Bound::<W>::lt(i64::MAX), Bound::INFINITY);
    assert_eq!(Bound::<W>::le(i64::MIN), least);
    assert_eq!(Bound::<W>::lt(i64::MIN), least);
    assert_eq!(Bound::<W>::INFINITY.negated(), least);
}

fn the_range_of_finite_bounds_ends_with_the_limit<W: Width>() {
    for limit in [-Bound::<W>::LIMIT, Bound::<W>::LIMIT] {
        let (weak, strict) = (Bound::<W>::le(limit), Bound::lt(limit));
        assert_eq!([weak.value(), strict.value()], [limit; 2]);
        assert_eq!([weak, strict].map(Bound::<W>::is_strict), [false, true]);
        assert!(!weak.is_infinite() && !strict.is_infinite());
    }
    let above = Bound::<W>::LIMIT + 1;
    assert_eq!([Bound::<W>::le(above), Bound::lt(above)], [Bound::INFINITY; 2]);
    assert_eq!([Bound::<W>::le(-above), Bound::lt(-above)], [Bound::FLOOR; 2]);
}

fn the_greatest_extrapolated_constants_add_up_exactly<W: Width>() {
    for dim in [1, 2, 10, 1000] {
        let greatest = Bound::<W>::max_extrapolated_constant(dim);
        let parts = dim as i64 + 8;
        let sum = |part: Bound<W>| (1..parts).fold(part, |sum, _| sum + part);
        assert_eq!(sum(Bound::<W>::le(greatest)), Bound::le(parts * i64::from(greatest)));
        let is_greatest = greatest == Bound::<W>::MAX_CONSTANT;
        assert!(is_greatest || sum(Bound::le(greatest + 1)).is_infinite());
    }
}

fn eight_bounds_at_the_end_of_the_range_add_up_exactly<W: Width>() {
    for sign in [1, -1] {
        let constant = sign * Bound::<W>::RANGE;
        assert!(Bound::<W>::RANGE >= Bound::<W>::MAX_CONSTANT.into());
        let bound = Bound::<W>::le(constant);
        let sum = (1..8).fold(bound, |sum, _| sum + bound);
        assert_eq!(sum, Bound::le(8 * constant));
    }
}

fn encoding_round_trips_and_rejects_other_integers<W: Width>() {
    for a in finite_bounds::<W>().chain([Bound::<W>::INFINITY, Bound::FLOOR]) {
        assert_eq!(Bound::<W>::try_from_encoded(a.encoded()), Some(a));
    }
    let (below, above) = (Bound::<W>::FLOOR.encoded() - 1, Bound::<W>::INFINITY.encoded() + 1);
    assert_eq!([below, above].map(Bound::<W>::try_from_encoded), [None; 2]);
    assert_eq!(Bound::<W>::try_from_encoded(i64::MAX), None);
    assert_eq!(Bound::<W>::try_from_encoded(i64::MIN), None);
}

fn bounds_are_shown_with_their_relation<W: Width>() {
    let shown = [Bound::<W>::le(5), Bound::lt(-2), Bound::INFINITY].map(|b| b.to_string());
    assert_eq!(shown, ["<=5", "<-2", "<inf"]);
}

#[test]
fn a_bound_takes_as_many_bytes_as_its_width_says() {
    assert_eq!([size_of::<Bound<Narrow>>(), size_of::<Bound<Wide>>()], [4, 8]);
}
