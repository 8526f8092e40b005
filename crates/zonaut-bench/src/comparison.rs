//! Comparison of our runs with those of another tool in the same suite.

use crate::Row;
use crate::job::OURS;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The ratio of another tool's measurements to ours.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) tool: String,
    /// Its time, as a multiple of ours; processor time in user mode.
    pub(crate) time: Option<f64>,
    /// Its peak memory, as a multiple of ours.
    pub(crate) memory: Option<f64>,
}

/// Compares each run of ours with the first other tool that completed the same run.
pub(crate) fn compare(rows: &mut [Row]) {
    for position in 0..rows.len() {
        let ours = &rows[position];
        let has_ended = |row: &&Row| row.measurement.exit_code == Some(0);
        let is_peer = |row: &&Row| row.tool != OURS && row.name == ours.name;
        let peer = rows.iter().filter(has_ended).find(is_peer);
        let comparison = match peer {
            Some(peer) if ours.tool == OURS && ours.is_decided() => Some(Comparison {
                tool: peer.tool.clone(),
                time: ratio(peer.measurement.user_seconds, ours.measurement.user_seconds),
                memory: ratio(
                    peer.measurement.peak_bytes as f64,
                    ours.measurement.peak_bytes as f64,
                ),
            }),
            _ => None,
        };
        rows[position].comparison = comparison;
    }
}

/// `theirs` divided by `ours`; `None` if the ratio is not meaningful.
pub(crate) fn ratio(theirs: f64, ours: f64) -> Option<f64> {
    (theirs > 0.0 && ours > 0.0).then(|| theirs / ours)
}

/// The summary of all comparisons, one line for each tool.
pub(crate) fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    let compared = || rows.iter().filter_map(|row| row.comparison.as_ref().map(|c| (row, c)));
    let mut tools: Vec<&str> = Vec::new();
    for (_, comparison) in compared() {
        if !tools.contains(&comparison.tool.as_str()) {
            tools.push(&comparison.tool);
        }
    }
    for tool in tools {
        let of_tool = || compared().filter(|(_, comparison)| comparison.tool == tool);
        let times = of_tool().filter_map(|(row, c)| c.time.map(|time| (row.name.as_str(), time)));
        let memories =
            of_tool().filter_map(|(row, c)| c.memory.map(|memory| (row.name.as_str(), memory)));
        for (what, factors) in [("time", times.collect()), ("memory", memories.collect())] {
            let factors: Vec<(&str, f64)> = factors;
            let least = factors.iter().min_by(|one, other| one.1.total_cmp(&other.1));
            let values: Vec<f64> = factors.iter().map(|(_, factor)| *factor).collect();
            if let (Some(mean), Some((name, least))) = (geometric_mean(&values), least) {
                let _ = writeln!(
                    text,
                    "{what} of {tool}: {mean:.1} times ours as a geometric mean over {} runs, at \
                     least {least:.1} times ({name})",
                    factors.len(),
                );
            }
        }
    }
    text
}

/// The geometric mean of factors; `None` for an empty list.
pub(crate) fn geometric_mean(factors: &[f64]) -> Option<f64> {
    let sum: f64 = factors.iter().map(|factor| factor.ln()).sum();
    (!factors.is_empty()).then(|| (sum / factors.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measurement;

    fn row(name: &str, tool: &str, user_seconds: f64, peak_bytes: u64) -> Row {
        let measurement =
            Measurement { exit_code: Some(0), user_seconds, peak_bytes, ..Default::default() };
        Row { measurement, ..Row::named(name, tool) }
    }

    #[test]
    fn runs_of_the_same_name_are_compared() {
        let mut rows = [
            row("a", OURS, 1.0, 100),
            row("a", "peer", 8.0, 100),
            row("b", OURS, 1.0, 100),
            row("b", "peer", 2.0, 400),
            row("c", OURS, 1.0, 100),
        ];
        compare(&mut rows);
        assert_eq!(rows[0].comparison.as_ref().unwrap().time, Some(8.0));
        assert!(rows[1].comparison.is_none() && rows[4].comparison.is_none());
        assert_eq!(
            summary(&rows),
            "time of peer: 4.0 times ours as a geometric mean over 2 runs, at least 2.0 times (b)\n\
             memory of peer: 2.0 times ours as a geometric mean over 2 runs, at least 1.0 times (a)\n"
        );
    }

    #[test]
    fn a_run_that_did_not_end_is_not_compared() {
        let mut rows = [row("a", OURS, 1.0, 1), row("a", "peer", 8.0, 1)];
        rows[1].measurement.exit_code = None;
        compare(&mut rows);
        assert_eq!(rows[0].comparison, None);
        assert_eq!(summary(&rows), "");
    }
}
