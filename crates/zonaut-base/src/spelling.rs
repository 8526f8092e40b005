//! Spelling suggestions for unknown names.

/// The candidate nearest to `name` within the permitted edit distance; ties are resolved
/// alphabetically.
#[must_use]
pub fn most_similar<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
    let length = name.chars().count();
    if length > 80 {
        return None;
    }
    // A name of one letter has no similar names.
    let allowed = (length / 3).clamp(usize::from(length > 1), 3);
    candidates
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= allowed)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// The number of insertions, deletions, substitutions and transpositions of neighbours between two
/// words; a difference in letter case only is free.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (
        a.chars().flat_map(char::to_lowercase).collect(),
        b.chars().flat_map(char::to_lowercase).collect(),
    );
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(x != y)).min(rows[i][j + 1] + 1);
            best = best.min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(most_similar(name, candidates.iter().copied()).as_deref(), expected);
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        check("tran", &["train", "gate"], Some("train"));
        check("lenght", &["length", "list"], Some("length"));
        check("Gate", &["gate", "rate"], Some("gate"));
        check("x", &["queue"], None);
        check("z", &["P", "x"], None);
        check("Z", &["z"], Some("z"));
        check("ofd", &["off", "on"], Some("off"));
        check("abc", &["xyz"], None);
    }
}
