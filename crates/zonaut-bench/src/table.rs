//! Tables of measurements.

use crate::Row;
use crate::comparison::{self, Comparison, ratio};
use crate::median::Spread;
use crate::published;
use crate::suite::Reference;
use std::fmt::Write;
use std::io;
use unicode_width::UnicodeWidthStr;

/// The format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TableFormat {
    /// Aligned columns.
    #[default]
    Text,
    /// A table in Markdown.
    Markdown,
    /// Values separated by commas.
    Csv,
    /// One JSON object for each row.
    Json,
}

/// The rows in this format.
pub(crate) fn print(title: Option<&str>, rows: &[Row], format: TableFormat) -> io::Result<String> {
    if format == TableFormat::Json {
        let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
        return Ok(lines?.iter().map(|line| format!("{line}\n")).collect());
    }
    let columns = columns(rows);
    let header: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
    let line = |row: &Row| columns.iter().map(|column| (column.value)(row)).collect();
    let lines: Vec<Vec<String>> = [header].into_iter().chain(rows.iter().map(line)).collect();
    Ok(match format {
        TableFormat::Csv => lines.iter().map(|line| csv(line)).collect(),
        TableFormat::Markdown => {
            let lines = markdown(title, &columns, &lines);
            summary(rows).lines().fold(lines, |text, line| format!("{text}\n{line}\n"))
        }
        TableFormat::Text | TableFormat::Json => {
            let summary = summary(rows);
            let gap = if summary.is_empty() { "" } else { "\n" };
            text(title, &columns, &lines) + gap + &summary
        }
    })
}

/// The summary of the rows.
fn summary(rows: &[Row]) -> String {
    published::summary(rows) + &comparison::summary(rows)
}

struct Column {
    title: &'static str,
    is_number: bool,
    value: fn(&Row) -> String,
}

/// The columns; those that not all suites need are shown only if a row has a value.
fn columns(rows: &[Row]) -> Vec<Column> {
    let word = |title, value| Column { title, is_number: false, value };
    let number = |title, value| Column { title, is_number: true, value };
    let mut columns = vec![
        word("run", |row| row.name.clone()),
        word("tool", |row| row.tool.clone()),
        word("strategy", |row| row.strategy.clone().unwrap_or_default()),
        word("abstraction", |row| row.abstraction.clone().unwrap_or_default()),
        word("outcome", |row| row.measurement.outcome.clone()),
    ];
    let mut pair = |ours: Option<Column>, theirs: Column| {
        columns.extend(ours);
        if rows.iter().any(|row| !(theirs.value)(row).is_empty()) {
            columns.push(theirs);
        }
    };
    pair(None, number("samples", |row| spread(row, |spread| Some(spread.samples.to_string()))));
    pair(None, number("cost", |row| count(row.measurement.cost)));
    pair(None, number("reference", |row| count(reference(row, |r| r.cost))));
    pair(None, number("lower bound", |row| count(row.measurement.lower_bound)));
    pair(None, number("first cost", |row| count(row.measurement.first_cost)));
    pair(None, number("reference", |row| count(reference(row, |r| r.first_cost))));
    pair(None, number("after states", |row| count(row.measurement.first_explored)));
    pair(None, number("reference", |row| count(reference(row, |r| r.first_explored))));
    pair(
        Some(number("transitions", |row| count(row.measurement.transitions))),
        number("reference", |row| count(reference(row, |r| r.transitions))),
    );
    pair(
        Some(number("explored", |row| count(row.measurement.explored))),
        number("reference", |row| count(reference(row, |r| r.explored))),
    );
    pair(None, number("ratio", explored_ratio));
    pair(None, number("explored from-to", explored_range));
    pair(
        Some(number("stored", |row| count(row.measurement.stored))),
        number("reference", |row| count(reference(row, |r| r.stored))),
    );
    pair(
        Some(number("wall s", |row| format!("{:.3}", row.measurement.wall_seconds))),
        number("reference s", |row| decimal(reference(row, |r| r.seconds))),
    );
    pair(
        Some(number("user s", |row| format!("{:.3}", row.measurement.user_seconds))),
        number("states/s", states_per_second),
    );
    pair(None, number("heuristic %", heuristic_share));
    pair(
        Some(number("peak MB", |row| {
            format!("{:.1}", row.measurement.peak_bytes as f64 / f64::from(1 << 20))
        })),
        number("reference MB", |row| decimal(reference(row, |r| r.megabytes))),
    );
    pair(None, number("times faster", |row| compared(row, |comparison| comparison.time)));
    pair(None, number("times leaner", |row| compared(row, |comparison| comparison.memory)));
    pair(
        None,
        word("reference from", |row| reference(row, |r| r.source.clone()).unwrap_or_default()),
    );
    columns
}

fn reference<T>(row: &Row, value: impl Fn(&Reference) -> Option<T>) -> Option<T> {
    row.reference.as_ref().and_then(value)
}

fn count(count: Option<u64>) -> String {
    count.map(|count| count.to_string()).unwrap_or_default()
}

fn decimal(number: Option<f64>) -> String {
    number.map(|number| format!("{number:.1}")).unwrap_or_default()
}

fn compared(row: &Row, value: impl Fn(&Comparison) -> Option<f64>) -> String {
    decimal(row.comparison.as_ref().and_then(value))
}

fn spread(row: &Row, value: impl Fn(&Spread) -> Option<String>) -> String {
    row.spread.as_ref().and_then(value).unwrap_or_default()
}

fn explored_range(row: &Row) -> String {
    spread(row, |spread| spread.explored.map(|(least, most)| format!("{least}-{most}")))
}

/// Our number of explored states, as a multiple of that of the reference.
fn explored_ratio(row: &Row) -> String {
    let theirs = reference(row, |r| r.explored).unwrap_or(0) as f64;
    let ours = row.measurement.explored.unwrap_or(0) as f64;
    ratio(ours, theirs).map(|ratio| format!("{ratio:.3}")).unwrap_or_default()
}

/// The share of the search time that the heuristic took, in percent.
fn heuristic_share(row: &Row) -> String {
    let measurement = &row.measurement;
    let share = measurement.guide_seconds.zip(measurement.search_seconds);
    let share = share.and_then(|(heuristic, search)| ratio(heuristic, search));
    share.map(|share| format!("{:.0}", 100.0 * share)).unwrap_or_default()
}

fn states_per_second(row: &Row) -> String {
    let rate = |explored: u64| match row.measurement.search_seconds {
        Some(seconds) if seconds > 0.0 => format!("{:.0}", explored as f64 / seconds),
        _ => String::new(),
    };
    row.measurement.explored.map(rate).unwrap_or_default()
}

fn csv(line: &[String]) -> String {
    let quoted = |value: &String| match value.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.clone(),
    };
    line.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

fn markdown(title: Option<&str>, columns: &[Column], lines: &[Vec<String>]) -> String {
    let mut text = title.map(|title| format!("## {title}\n\n")).unwrap_or_default();
    for (position, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line.iter().map(|value| value.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if position == 0 {
            let rule = |column: &Column| if column.is_number { "---:" } else { "---" };
            let rules: Vec<&str> = columns.iter().map(rule).collect();
            let _ = writeln!(text, "| {} |", rules.join(" | "));
        }
    }
    text
}

fn text(title: Option<&str>, columns: &[Column], lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut text = title.map(|title| format!("{title}\n\n")).unwrap_or_default();
    for line in lines {
        let cells = line.iter().zip(columns.iter().zip(&widths));
        let cells = cells.map(|(value, (column, width))| {
            let gap = " ".repeat(width - value.width());
            if column.is_number { gap + value } else { format!("{value}{gap}") }
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measurement;

    fn row(name: &str, stored: u64, reference: Option<Reference>) -> Row {
        let measurement = Measurement {
            outcome: "complete".into(),
            stored: Some(stored),
            wall_seconds: 1.25,
            peak_bytes: 3 << 20,
            ..Default::default()
        };
        let strategy = Some("bfs".to_owned());
        Row { strategy, measurement, reference, ..Row::named(name, "zonaut") }
    }

    #[test]
    fn reference_numbers_stand_beside_ours() {
        let reference = Reference { stored: Some(7), ..Default::default() };
        let rows = [row("a, b", 7, Some(reference)), row("c", 12, None)];
        let printed = print(Some("suite"), &rows, TableFormat::Text).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[0], "suite");
        assert!(lines[2].contains("stored  reference"), "{printed}");
        assert!(lines[3].contains("     7          7"), "{printed}");
        let printed = print(None, &rows, TableFormat::Csv).unwrap();
        assert!(
            printed.lines().nth(1).unwrap().starts_with("\"a, b\",zonaut,bfs,,complete,,,7,7,")
        );
        let printed = print(None, &rows[1..], TableFormat::Markdown).unwrap();
        assert!(!printed.contains("reference") && printed.contains("| ---: |"), "{printed}");
    }

    #[test]
    fn rows_are_read_back_as_they_were_written() {
        let rows = [row("a", 7, Some(Reference::default())), row("c", 12, None)];
        let printed = print(None, &rows, TableFormat::Json).unwrap();
        let read = printed.lines().map(|line| serde_json::from_str::<Row>(line).unwrap());
        assert!(read.eq(rows));
    }
}
