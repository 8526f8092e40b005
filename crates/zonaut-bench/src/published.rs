//! Summary of our runs relative to published numbers.

use crate::Row;
use crate::comparison::geometric_mean;
use crate::suite::Reference;
use std::fmt::Write;

/// A compared quantity: its name, our value and the published one.
type Quantity = (&'static str, fn(&Row) -> Option<u64>, fn(&Reference) -> Option<u64>);

const QUANTITIES: [Quantity; 2] = [
    ("explored states", |row| row.measurement.explored, |reference| reference.explored),
    ("transitions", |row| row.measurement.transitions, |reference| reference.transitions),
];

/// The summary of all comparisons with published numbers, for each source. If several rows of a run
/// have the same source, the best of them counts.
pub(crate) fn summary(rows: &[Row]) -> String {
    let mut sources: Vec<&str> = Vec::new();
    for source in rows.iter().filter_map(source) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let mut text = String::new();
    for source in sources {
        let of_source: Vec<&Row> =
            rows.iter().filter(|row| self::source(row) == Some(source)).collect();
        for (name, ours, theirs) in QUANTITIES {
            let found = best_of_runs(&of_source, ours, theirs);
            let ratios: Vec<f64> = found.iter().copied().flatten().collect();
            if let Some(mean) = geometric_mean(&ratios) {
                let within = ratios.iter().filter(|ratio| **ratio <= 1.0).count();
                let _ = writeln!(
                    text,
                    "{name} against {source}: at most as many in {within} of {} runs, {mean:.3} \
                     times as many as a geometric mean over {}",
                    found.len(),
                    ratios.len(),
                );
            }
        }
    }
    text
}

fn source(row: &Row) -> Option<&str> {
    row.reference.as_ref()?.source.as_deref()
}

/// For each run with a published number, ours as a multiple of it; `None` if we have none.
fn best_of_runs(
    rows: &[&Row],
    ours: fn(&Row) -> Option<u64>,
    theirs: fn(&Reference) -> Option<u64>,
) -> Vec<Option<f64>> {
    let of_run = |rows: &[&Row]| {
        let published = rows.iter().find_map(|row| theirs(row.reference.as_ref()?))?;
        let decided = rows.iter().filter(|row| row.is_decided());
        let best = decided.filter_map(|row| ours(row)).min();
        // A count of 0 would give no ratio.
        Some(best.map(|best| best.max(1) as f64 / published.max(1) as f64))
    };
    rows.chunk_by(|one, other| one.name == other.name).filter_map(of_run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measurement;

    fn row(name: &str, explored: u64, published: u64, exit_code: i32) -> Row {
        let measurement = Measurement {
            explored: Some(explored),
            exit_code: Some(exit_code),
            ..Default::default()
        };
        let source = Some("[14]".to_owned());
        let reference = Reference { source, explored: Some(published), ..Default::default() };
        Row { measurement, reference: Some(reference), ..Row::named(name, "zonaut") }
    }

    #[test]
    fn the_best_finished_row_of_a_run_counts() {
        let rows = [
            row("a", 50, 10, 0),
            row("a", 5, 10, 0),
            row("b", 20, 10, 1),
            row("c", 1, 10, 3),
            Row::named("d", "zonaut"),
        ];
        assert_eq!(
            summary(&rows),
            "explored states against [14]: at most as many in 1 of 3 runs, 1.000 times as many as \
             a geometric mean over 2\n"
        );
    }

    #[test]
    fn without_published_numbers_there_is_nothing_to_say() {
        assert_eq!(summary(&[Row::named("a", "zonaut")]), "");
    }
}
