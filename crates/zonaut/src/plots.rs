//! `--plot` and `--csv`: samples of statistical queries as pictures and tables.

use crate::certified_answer::numbered;
use crate::sampling_arguments::SamplingArguments;
use std::path::PathBuf;
use zonaut_console::{Console, Status, write_file};
use zonaut_draw::{
    BandPoint, Histogram, Picture, Trajectories, draw_band, draw_histogram, draw_trajectories,
    stack,
};
use zonaut_engine::{Estimate, HistogramRecord, RunRecord, Sample};

/// The files that a command writes about samples.
pub(crate) struct Plots<'a> {
    pub(crate) arguments: &'a SamplingArguments,
    /// Whether there are several queries, each with its own files.
    pub(crate) has_several: bool,
}

impl Plots<'_> {
    /// Writes the pictures and the table of a sample, as requested.
    pub(crate) fn give(
        &self,
        index: u32,
        formula: &str,
        sample: Option<&Sample>,
        console: &mut Console<'_>,
    ) -> Status {
        let path = |path: &PathBuf| match self.has_several {
            true => numbered(path, index),
            false => path.clone(),
        };
        let mut status = Status::Success;
        if let Some(target) = &self.arguments.plot {
            let pictures = sample.map_or_else(Vec::new, |it| pictures(it, formula));
            if pictures.is_empty() {
                console.complain(&format!("note: query {index} has nothing to plot"));
            } else {
                let text = stack("sample", &pictures).standalone();
                status = status.or_worse(write_file(&path(target), &text, console));
            }
        }
        if let Some(target) = &self.arguments.csv {
            match sample.and_then(Sample::csv) {
                Some(text) => {
                    status = status.or_worse(write_file(&path(target), &text, console));
                }
                None => console.complain(&format!("note: query {index} has no trajectories")),
            }
        }
        status
    }
}

/// The pictures of the sample of a query, with their headings.
pub(crate) fn pictures(sample: &Sample, formula: &str) -> Vec<(String, Picture)> {
    match &sample.estimate {
        Estimate::Probability { path, histogram: Some(histogram), .. } => {
            let measure = measure(formula);
            let (what, axis) = match *path {
                "[]" => ("violated", format!("{measure} at the first violation")),
                _ => ("satisfied", format!("{measure} when the formula first holds")),
            };
            let bars = draw_histogram("histogram", &axis, &view(histogram));
            let band = draw_band("cumulative probability", &axis, &cumulative(sample, histogram));
            let percent = (sample.confidence * 1e8).round() / 1e6;
            vec![
                (format!("Runs by the moment at which the formula is {what}"), bars),
                (format!("Cumulative probability with its {percent}% confidence band"), band),
            ]
        }
        Estimate::Expectation { extreme, expression, histogram: Some(histogram), .. } => {
            let bars = draw_histogram("histogram", expression, &view(histogram));
            vec![(format!("Runs by the {extreme} of {expression}"), bars)]
        }
        Estimate::Simulation { expressions, trajectories, .. } if !trajectories.is_empty() => {
            let of = |position: usize| {
                let points = |run: &RunRecord| run.values.get(position).cloned();
                trajectories.iter().filter_map(points).collect()
            };
            let named = expressions.iter().enumerate();
            let all: Vec<Trajectories> =
                named.map(|(k, name)| Trajectories { name: name.clone(), runs: of(k) }).collect();
            vec![("Trajectories".to_owned(), draw_trajectories("trajectories", &all))]
        }
        _ => Vec::new(),
    }
}

/// The quantity that bounds the runs of a formula such as `Pr[x <= 5](<> P.done)`.
fn measure(formula: &str) -> &str {
    let bound = formula.split_once('[').and_then(|(_, rest)| rest.split_once("<="));
    match bound.map_or("", |(measure, _)| measure.trim()) {
        "" => "time",
        "#" => "transitions",
        expression => expression,
    }
}

fn view(histogram: &HistogramRecord) -> Histogram {
    let HistogramRecord { first, width, counts, greatest, .. } = histogram;
    // The buckets of other numbers end at the greatest one.
    let end = first + width * counts.len() as f64;
    let is_discrete = *width == 1.0 && first.fract() == 0.0 && end > greatest + 0.5;
    Histogram { first: *first, width: *width, counts: counts.clone(), is_discrete }
}

/// The share of runs decided up to the end of each bucket, each with its interval.
fn cumulative(sample: &Sample, histogram: &HistogramRecord) -> Vec<BandPoint> {
    let mut decided = 0;
    let mut point = |at: f64, count: u64| {
        decided += count;
        let (low, high) = sample.interval_of(decided);
        BandPoint { at, low, value: decided as f64 / sample.runs.max(1) as f64, high }
    };
    let mut points = vec![point(histogram.first, 0)];
    for (number, &count) in histogram.counts.iter().enumerate() {
        let end = histogram.first + histogram.width * (number + 1) as f64;
        points.push(point(end, count));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_runs_names_the_horizontal_axis() {
        assert_eq!(measure("Pr[<=50](<> n >= 4)"), "time");
        assert_eq!(measure("Pr[# <= 50]([] P.idle)"), "transitions");
        assert_eq!(measure("Pr[x<=5; 100](<> a[i] <= 4)"), "x");
    }
}
