//! Plots of measurements: time, explored states and memory of each run, and the number of runs that
//! were decided within a time.

use crate::Row;
use crate::svg::{COLOURS, Picture};

const WIDTH: f64 = 900.0;
/// The ends of the axes.
const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 90.0;
const LEGEND_LINE: f64 = 18.0;
const BAR: f64 = 11.0;
const GAP: f64 = 10.0;

/// The plots of a suite, each with its file name.
pub(crate) fn plots(title: &str, rows: &[Row]) -> Vec<(&'static str, String)> {
    let times = Quantity {
        name: "user time in seconds",
        value: |row| Some(row.measurement.user_seconds.max(SHORTEST)),
        published: |row| row.reference.as_ref()?.seconds.map(|seconds| seconds.max(SHORTEST)),
    };
    let explored = Quantity {
        name: "explored states",
        value: |row| row.measurement.explored.map(|count| count as f64),
        published: |row| row.reference.as_ref()?.explored.map(|count| count as f64),
    };
    let memory = Quantity {
        name: "peak memory in megabytes",
        value: |row| Some(row.measurement.peak_bytes as f64 / f64::from(1 << 20)),
        published: |row| row.reference.as_ref()?.megabytes,
    };
    let chart = Chart { title, rows, series: series(rows) };
    vec![
        ("time.svg", chart.bars(&times)),
        ("explored.svg", chart.bars(&explored)),
        ("memory.svg", chart.bars(&memory)),
        ("cactus.svg", chart.cactus()),
    ]
}

/// Times below the resolution of the measurement are drawn as this.
const SHORTEST: f64 = 0.001;

/// A measured quantity.
struct Quantity {
    name: &'static str,
    value: fn(&Row) -> Option<f64>,
    published: fn(&Row) -> Option<f64>,
}

/// The series of a row, which has one colour: a tool with a strategy and an abstraction.
fn series_of(row: &Row) -> String {
    let parts = [Some(&row.tool), row.strategy.as_ref(), row.abstraction.as_ref()];
    parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
}

fn series(rows: &[Row]) -> Vec<String> {
    let mut series = Vec::new();
    for row in rows {
        let name = series_of(row);
        if !series.contains(&name) {
            series.push(name);
        }
    }
    series
}

/// A logarithmic axis over whole powers of ten.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Axis {
    first: i32,
    last: i32,
}

impl Axis {
    /// The smallest axis that contains all positive `values`.
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let exponents = positive.map(f64::log10);
        let (least, most) = exponents.fold((f64::MAX, f64::MIN), |(least, most), exponent| {
            (least.min(exponent), most.max(exponent))
        });
        if least > most {
            return Self { first: 0, last: 1 };
        }
        let first = least.floor() as i32;
        Self { first, last: (most.ceil() as i32).max(first + 1) }
    }

    /// The position of `value` between `from` and `to`.
    fn place(self, value: f64, from: f64, to: f64) -> f64 {
        let span = f64::from(self.last - self.first);
        let share = (value.max(f64::MIN_POSITIVE).log10() - f64::from(self.first)) / span;
        from + share.clamp(0.0, 1.0) * (to - from)
    }

    fn decades(self) -> impl Iterator<Item = (f64, String)> {
        (self.first..=self.last).map(|exponent| {
            let value = 10f64.powi(exponent);
            let shown = match exponent {
                -3..0 => format!("{value:.*}", exponent.unsigned_abs() as usize),
                0..=4 => format!("{value:.0}"),
                _ => format!("1e{exponent}"),
            };
            (value, shown)
        })
    }
}

/// A number with about three significant digits.
fn short(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{:.2}e6", value / 1e6),
        value if value >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    }
}

struct Chart<'a> {
    title: &'a str,
    rows: &'a [Row],
    series: Vec<String>,
}

/// A row with the position of its bar.
#[derive(Clone, Copy)]
struct Bar<'r> {
    row: &'r Row,
    y: f64,
}

impl Chart<'_> {
    fn legend(&self, picture: &mut Picture, published: bool) {
        let mut y = 46.0;
        for (position, name) in self.series.iter().enumerate() {
            let class = format!("f{}", position % COLOURS);
            picture.bar((LEFT, y - 9.0), (12.0, 10.0), &class, name);
            picture.label((LEFT + 18.0, y), "", name);
            y += LEGEND_LINE;
        }
        if published {
            picture.line((LEFT + 6.0, y - 10.0), (LEFT + 6.0, y + 1.0), "mark");
            picture.label((LEFT + 18.0, y), "", "published, or from another machine");
        }
    }

    fn legend_height(&self, published: bool) -> f64 {
        46.0 + LEGEND_LINE * (self.series.len() + usize::from(published)) as f64
    }

    fn colour(&self, row: &Row) -> usize {
        let name = series_of(row);
        self.series.iter().position(|known| *known == name).unwrap_or(0)
    }

    /// One bar for each row, grouped by run.
    fn bars(&self, quantity: &Quantity) -> String {
        let values = self.rows.iter().flat_map(|row| {
            [(quantity.value)(row), (quantity.published)(row)].into_iter().flatten()
        });
        let axis = Axis::over(values);
        let published = self.rows.iter().any(|row| (quantity.published)(row).is_some());
        let groups: Vec<&[Row]> = self.rows.chunk_by(|one, other| one.name == other.name).collect();
        let top = self.legend_height(published) + 8.0;
        let bottom = top + groups.len() as f64 * GAP + self.rows.len() as f64 * BAR;
        let title = format!("{}: {}", self.title, quantity.name);
        let mut picture = Picture::new(WIDTH, bottom + 36.0, &title);
        self.legend(&mut picture, published);
        for (value, shown) in axis.decades() {
            let x = axis.place(value, LEFT, RIGHT);
            picture.line((x, top), (x, bottom), "grid");
            picture.label((x, bottom + 16.0), "small middle", &shown);
        }
        let mut y = top;
        for group in groups {
            let name = group.first().map_or("", |row| row.name.as_str());
            let middle = y + GAP / 2.0 + group.len() as f64 * BAR / 2.0 + 4.0;
            picture.label((LEFT - 8.0, middle), "end", name);
            y += GAP / 2.0;
            for row in group {
                self.bar(&mut picture, axis, quantity, Bar { row, y });
                y += BAR;
            }
            y += GAP / 2.0;
        }
        picture.finish()
    }

    fn bar(&self, picture: &mut Picture, axis: Axis, quantity: &Quantity, bar: Bar<'_>) {
        let Bar { row, y } = bar;
        if let Some(value) = (quantity.value)(row).filter(|value| *value > 0.0) {
            let end = axis.place(value, LEFT, RIGHT).max(LEFT + 1.0);
            let weak = if row.is_decided() { "" } else { " weak" };
            let class = format!("f{}{weak}", self.colour(row) % COLOURS);
            let outcome = &row.measurement.outcome;
            let hint = format!("{}, {}: {} ({outcome})", row.name, series_of(row), short(value));
            picture.bar((LEFT, y), (end - LEFT, BAR - 2.0), &class, &hint);
            let note =
                if row.is_decided() { short(value) } else { format!("{} …", short(value)) };
            picture.label((end + 4.0, y + BAR - 3.0), "small", &note);
        }
        if let Some(value) = (quantity.published)(row).filter(|value| *value > 0.0) {
            let x = axis.place(value, LEFT, RIGHT);
            picture.line((x, y - 1.0), (x, y + BAR - 1.0), "mark");
        }
    }

    /// The number of runs that each series decided within a time.
    fn cactus(&self) -> String {
        let times: Vec<Vec<f64>> = self.series.iter().map(|name| self.sorted_times(name)).collect();
        let axis = Axis::over(times.iter().flatten().copied());
        let most = times.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let top = self.legend_height(false) + 8.0;
        let bottom = top + 360.0;
        let title = format!("{}: runs decided within a time", self.title);
        let mut picture = Picture::new(WIDTH, bottom + 50.0, &title);
        self.legend(&mut picture, false);
        for (value, shown) in axis.decades() {
            let y = axis.place(value, bottom, top);
            picture.line((LEFT, y), (RIGHT, y), "grid");
            picture.label((LEFT - 8.0, y + 4.0), "small end", &format!("{shown} s"));
        }
        let x_of = |count: usize| LEFT + (RIGHT - LEFT) * count as f64 / most as f64;
        let step = most.div_ceil(10);
        for count in (0..=most).step_by(step) {
            picture.label((x_of(count), bottom + 16.0), "small middle", &count.to_string());
        }
        let axis_name = "runs decided, the easiest first";
        picture.label(((LEFT + RIGHT) / 2.0, bottom + 36.0), "middle", axis_name);
        for (colour, times) in times.iter().enumerate() {
            let points = times.iter().enumerate();
            let point = |(position, &time)| (x_of(position + 1), axis.place(time, bottom, top));
            let points: Vec<(f64, f64)> = points.map(point).collect();
            picture.curve(&points, colour);
        }
        picture.finish()
    }

    fn sorted_times(&self, name: &str) -> Vec<f64> {
        let rows = self.rows.iter().filter(|row| row.is_decided() && series_of(row) == name);
        let mut times: Vec<f64> =
            rows.map(|row| row.measurement.user_seconds.max(SHORTEST)).collect();
        times.sort_by(f64::total_cmp);
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measurement;
    use crate::suite::Reference;

    fn row(name: &str, tool: &str, explored: u64, exit_code: i32) -> Row {
        let measurement = Measurement {
            explored: Some(explored),
            exit_code: Some(exit_code),
            user_seconds: 0.5,
            peak_bytes: 5 << 20,
            ..Default::default()
        };
        Row { measurement, ..Row::named(name, tool) }
    }

    #[test]
    fn an_axis_holds_its_values() {
        let axis = Axis::over([0.0, 20.0, 3000.0].into_iter());
        assert_eq!(axis, Axis { first: 1, last: 4 });
        assert_eq!(axis.place(10.0, 100.0, 400.0), 100.0);
        assert_eq!(axis.place(1e4, 100.0, 400.0), 400.0);
        assert_eq!(axis.place(0.0, 100.0, 400.0), 100.0);
        assert_eq!(Axis::over([].into_iter()), Axis { first: 0, last: 1 });
        let shown: Vec<String> = Axis { first: -2, last: 5 }.decades().map(|(_, s)| s).collect();
        assert_eq!(shown, ["0.01", "0.1", "1", "10", "100", "1000", "10000", "1e5"]);
    }

    #[test]
    fn every_row_has_a_bar_and_every_published_number_a_mark() {
        let reference = Reference { explored: Some(9), ..Default::default() };
        let rows = [
            Row { reference: Some(reference), ..row("m1", "zonaut", 7, 0) },
            row("m1", "peer", 70, 0),
            row("m2", "zonaut", 700, 3),
        ];
        let plots = plots("suite", &rows);
        let names: Vec<&str> = plots.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["time.svg", "explored.svg", "memory.svg", "cactus.svg"]);
        let explored = &plots[1].1;
        // Two of the rectangles are in the legend, and one is the background.
        assert_eq!(explored.matches("<rect ").count(), 3 + 2 + 1, "{explored}");
        assert_eq!(explored.matches("class=\"mark\"").count(), 2);
        assert!(explored.contains("f0 weak"));
        assert_eq!(plots[0].1.matches("class=\"mark\"").count(), 0);
        // Undecided runs are not in the last plot.
        assert_eq!(plots[3].1.matches("<circle ").count(), 2);
    }

    #[test]
    fn nothing_measured_is_no_reason_to_fail() {
        for (_, text) in plots("empty", &[]) {
            assert!(text.ends_with("</svg>\n") && !text.contains("NaN") && !text.contains("inf"));
        }
    }
}
