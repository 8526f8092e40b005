//! Durations as people read them.

/// A duration in the unit that needs the fewest digits, such as `12 ms`, `3.4 s` or `2 min 5 s`.
#[must_use]
pub fn format_seconds(seconds: f64) -> String {
    if seconds < 0.000_5 {
        "<1 ms".to_owned()
    } else if seconds < 0.999_5 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_few_digits() {
        let check = |seconds: f64, expected: &str| assert_eq!(format_seconds(seconds), expected);
        check(0.0, "<1 ms");
        check(0.000_6, "1 ms");
        check(0.012_3, "12 ms");
        check(0.999_4, "999 ms");
        check(0.999_6, "1.0 s");
        check(59.94, "59.9 s");
        check(59.96, "1 min 0 s");
        check(125.2, "2 min 5 s");
    }
}
