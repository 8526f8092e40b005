//! Runs as charts: who does what when.
//!
//! A row for each process, a bar for each stay in a location that must be left in time, as tasks are;
//! other stays are gaps. Written as SVG, or as text for terminals.

use std::fmt::Write as _;
use std::io::{self, Write};

use zonaut_model::Model;

use crate::trace::{Rational, Trace};

/// A stay of a process in a location.
#[derive(Clone, PartialEq, Debug)]
struct Bar {
    label: String,
    from: f64,
    to: f64,
}

/// The bars of a process.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    name: String,
    bars: Vec<Bar>,
}

/// A chart of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    rows: Vec<Row>,
    end: f64,
}

fn number(rational: Rational) -> f64 {
    rational.numerator as f64 / rational.denominator as f64
}

impl Chart {
    /// The chart of `trace`, a run of `model`.
    #[must_use]
    pub fn new(model: &Model, trace: &Trace) -> Self {
        let mut dates = vec![0.0];
        let mut states = vec![&trace.start];
        let mut now = 0.0;
        for step in &trace.steps {
            now += number(step.delay);
            dates.push(now);
            states.push(&step.state);
        }
        let end = now + number(trace.last_delay);
        let rows = model.processes.iter().enumerate().map(|(index, process)| {
            let location = |state: usize| {
                let name = states[state].locations.get(index).map_or("", String::as_str);
                name.strip_prefix(&format!("{}.", process.name)).unwrap_or(name)
            };
            let moves = |state: usize| {
                let step = state.checked_sub(1).map(|step| &trace.steps[step]);
                step.is_none_or(|step| step.edges.iter().any(|edge| edge.process == process.name))
            };
            let entries: Vec<usize> = (0..states.len()).filter(|&state| moves(state)).collect();
            let bars = entries.iter().enumerate().filter_map(|(position, &state)| {
                let to = entries.get(position + 1).map_or(end, |&next| dates[next]);
                let label = location(state);
                let must_leave = process.locations.iter().any(|location| {
                    location.name == label && !location.invariant.clocks.is_empty()
                });
                let is_shown = must_leave && to > dates[state];
                is_shown.then(|| Bar { label: label.to_owned(), from: dates[state], to })
            });
            Row { name: process.name.clone(), bars: bars.collect() }
        });
        Self { rows: rows.collect(), end }
    }

    /// Writes the chart as lines of at most about `columns` characters.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn write_text(&self, out: &mut dyn Write, columns: usize) -> io::Result<()> {
        let name_width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        let width = columns.saturating_sub(name_width + 3).max(10);
        let column = |date: f64| match self.end > 0.0 {
            true => ((date / self.end) * width as f64).round() as usize,
            false => 0,
        };
        for row in &self.rows {
            let mut line = vec![' '; width];
            for bar in &row.bars {
                let (from, to) = (column(bar.from), column(bar.to).max(column(bar.from) + 1));
                let cells = &mut line[from.min(width - 1)..to.min(width)];
                let last = cells.len().saturating_sub(1);
                let mut label = bar.label.chars();
                for (position, cell) in cells.iter_mut().enumerate() {
                    *cell = match position {
                        0 => '[',
                        _ if position == last => ']',
                        _ => label.next().unwrap_or('='),
                    };
                }
            }
            let line: String = line.into_iter().collect();
            writeln!(out, "{:name_width$} |{}|", row.name, line)?;
        }
        let end = short(self.end);
        writeln!(out, "{:name_width$}  0{:>rest$}", "", end, rest = width)
    }

    /// Writes the chart as SVG.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn write_svg(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.svg().as_bytes())
    }

    fn svg(&self) -> String {
        const ROW: f64 = 24.0;
        const WIDTH: f64 = 900.0;
        let longest = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        let left = 16.0 + 8.0 * longest as f64;
        let bottom = 16.0 + ROW * self.rows.len() as f64;
        let x = |date: f64| left + if self.end > 0.0 { date / self.end * WIDTH } else { 0.0 };
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            left + WIDTH + 40.0,
            bottom + 36.0
        );
        for tick in ticks(self.end) {
            let _ = writeln!(
                svg,
                "<line x1=\"{0:.1}\" y1=\"8\" x2=\"{0:.1}\" y2=\"{1:.1}\" stroke=\"#ccc\"/>\
                 <text x=\"{0:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">{3}</text>",
                x(tick),
                bottom,
                bottom + 16.0,
                short(tick)
            );
        }
        for (index, row) in self.rows.iter().enumerate() {
            let top = 10.0 + ROW * index as f64;
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                top + 15.0,
                escaped(&row.name)
            );
            for bar in &row.bars {
                bar.write_svg(&mut svg, (x(bar.from), x(bar.to)), top);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Bar {
    fn write_svg(&self, svg: &mut String, (from, to): (f64, f64), top: f64) {
        let label = escaped(&self.label);
        let _ = writeln!(
            svg,
            "<g><title>{label}: {} to {}</title><rect x=\"{from:.1}\" y=\"{top:.1}\" \
             width=\"{:.1}\" height=\"20\" fill=\"#cfe0f5\" stroke=\"#456\"/>",
            short(self.from),
            short(self.to),
            to - from
        );
        if to - from > 7.0 * self.label.chars().count() as f64 {
            let middle = (from + to) / 2.0;
            let base = top + 14.0;
            let _ = writeln!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{base:.1}\" text-anchor=\"middle\">{label}</text>"
            );
        }
        svg.push_str("</g>\n");
    }
}

/// About ten round dates from 0 to the end.
fn ticks(end: f64) -> Vec<f64> {
    let rough = end / 10.0;
    if rough <= 0.0 {
        return vec![0.0];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|&step| step >= rough).unwrap_or(10.0 * power);
    (0..=(end / step) as usize).map(|tick| tick as f64 * step).collect()
}

/// A number without needless digits.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let bar = |label: &str, from, to| Bar { label: label.to_owned(), from, to };
        let row = |name: &str, bars| Row { name: name.to_owned(), bars };
        let rows = vec![
            row("A", vec![bar("cut", 0.0, 5.0), bar("weld", 5.0, 20.0)]),
            row("B<1>", vec![bar("cut", 5.0, 12.5)]),
        ];
        Chart { rows, end: 20.0 }
    }

    #[test]
    fn a_row_of_text_has_its_bars_where_they_are() {
        let mut text = Vec::new();
        chart().write_text(&mut text, 27).expect("memory takes everything");
        let text = String::from_utf8(text).expect("text");
        let expected = "A    |[cut][weld=========]|\nB<1> |     [cut===]       |\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with(" 20\n"));
    }

    #[test]
    fn names_are_escaped_in_drawings() {
        let svg = chart().svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("B&lt;1&gt;") && !svg.contains("B<1>"));
        assert_eq!(svg.matches("<rect").count(), 4);
        assert_eq!(svg.matches("<g>").count(), svg.matches("</g>").count());
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(20.0), (0..=10).map(|tick| f64::from(tick) * 2.0).collect::<Vec<_>>());
        assert_eq!(ticks(0.0), [0.0]);
    }
}
