use super::*;
use crate::machine::operator;

const SYMBOLS: [&str; 19] = [
    "+", "-", "*", "/", "%", "**", "<<", ">>", "<?", ">?", "&", "|", "^", "<", "<=", "==", "!=",
    ">=", ">",
];

/// Every range of numbers from -4 to 4, with every operator.
fn for_each_small(mut check: impl FnMut(&str, Span, Span)) {
    let ranges = || (-4..=4).flat_map(|low| (low..=4).map(move |high| (low, high)));
    for symbol in SYMBOLS {
        for left in ranges() {
            for right in ranges() {
                check(symbol, Span::of_cell(1, left.0, left.1), Span::of_cell(2, right.0, right.1));
            }
        }
    }
}

#[test]
fn results_are_in_their_ranges_and_failures_are_not_missed() {
    for_each_small(|symbol, left, right| {
        let operator = operator(symbol).expect("an operator");
        let given = apply(operator, left, right);
        let mut failures = 0;
        for a in left.low..=left.high {
            for b in right.low..=right.high {
                let exact = apply(operator, Span::only(a), Span::only(b));
                failures += usize::from(exact.is_err());
                if let (Ok(span), Ok(exact)) = (&given, &exact) {
                    let value = exact.low;
                    assert!(span.low <= value && value <= span.high, "{a} {symbol} {b}: {span:?}");
                }
            }
        }
        let count = (left.high - left.low + 1) * (right.high - right.low + 1);
        match given {
            Ok(_) => assert_eq!(failures, 0, "{left:?} {symbol} {right:?}"),
            Err(Trouble::Open(cell)) => {
                let blamed = if cell == 1 { left } else { right };
                assert!(!blamed.is_single(), "{left:?} {symbol} {right:?}");
            }
            Err(_) => assert_eq!(failures as i64, count, "{left:?} {symbol} {right:?}"),
        }
    });
}

#[test]
fn comparisons_and_sums_of_wide_ranges_are_exact() {
    let (counter, one) = (Span::of_cell(3, 0, 10_000), Span::only(1));
    let applied = |symbol, left, right| apply(operator(symbol).expect("an operator"), left, right);
    assert_eq!(applied("+", counter, one), Ok(Span::of_cell(3, 1, 10_001)));
    assert_eq!(
        applied("<", counter, Span::only(10_001)),
        Ok(Span { cell: Some(3), ..Span::only(1) })
    );
    assert_eq!(applied("<", counter, one), Ok(Span::of_cell(3, 0, 1)));
    assert_eq!(applied("==", counter, Span::only(-1)), Ok(Span::only(0)));
    assert_eq!(applied("%", counter, Span::only(10_001)), Ok(Span::of_cell(3, 0, 10_000)));
    assert_eq!(applied("%", counter, Span::only(10)), Err(Trouble::Open(3)));
    assert_eq!(applied("/", counter, Span::only(10)), Ok(Span::of_cell(3, 0, 1_000)));
}
