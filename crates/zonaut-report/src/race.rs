//! The page about a comparison of strategies: tables, and statistics over time.

use crate::page::PAGE_STYLE;
use crate::security::policy;
use std::fmt::Write as _;
use zonaut_draw::{Curve, STYLE, draw_multiples, escaped};

/// The explanation of the curves.
const HINT: &str = "<p class=\"hint\">During the construction of a heuristic, the curves show \
                    the states of its construction.</p>\n";

/// The content of the page.
#[derive(Clone, Debug)]
pub struct RaceReport<'r> {
    /// The name of the model's file.
    pub model: &'r str,
    /// The command that produced the page.
    pub command: &'r str,
    /// The program that produced it, such as `zonaut 0.2.0`.
    pub program: &'r str,
    /// The headings of the tables.
    pub columns: &'r [&'r str],
    /// A comparison for each query.
    pub heats: &'r [Heat],
}

/// The comparison for one query.
#[derive(Clone, Debug)]
pub struct Heat {
    /// The query.
    pub query: String,
    /// A row for each strategy.
    pub rows: Vec<Vec<String>>,
    /// The index of the strategy that decided first.
    pub winner: Option<usize>,
    /// The measured quantities, with a curve for each strategy.
    pub charts: Vec<(&'static str, Vec<Curve>)>,
}

/// The page about a comparison of strategies.
#[must_use]
pub fn write_race(report: &RaceReport<'_>) -> String {
    let style = format!("\n{STYLE}{PAGE_STYLE}");
    let mut body = format!(
        "<header>\n<h1>Comparison of strategies: {}</h1>\n</header>\n<main>\n",
        escaped(report.model)
    );
    for heat in report.heats {
        push_heat(report.columns, heat, &mut body);
    }
    let _ = writeln!(
        body,
        "<details class=\"details\"><summary>Details</summary>\n<dl>\n<dt>command</dt><dd>{}</dd>\n\
         </dl>\n</details>",
        escaped(report.command)
    );
    let (title, program) = (escaped(report.model), escaped(report.program));
    // There is no script: the digest of the empty text permits none.
    let policy = policy(&style, "");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Comparison of strategies: {title}</title>\n\
         <style>{style}</style>\n</head>\n<body>\n{body}</main>\n\
         <footer>Made by {program}. This file is self-contained and sends no data.</footer>\n\
         </body>\n</html>\n"
    )
}

fn push_heat(columns: &[&str], heat: &Heat, body: &mut String) {
    let _ = writeln!(
        body,
        "<h2 class=\"heat\"><code>{}</code></h2>\n{}<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"results of {}\"><table class=\"lines\"><thead><tr>",
        escaped(&heat.query),
        first_sentence(heat),
        escaped(&heat.query),
    );
    for column in columns {
        let column = match *column {
            "" => "<span class=\"visually-hidden\">remark</span>".to_owned(),
            name => escaped(name),
        };
        let _ = write!(body, "<th scope=\"col\">{column}</th>");
    }
    body.push_str("</tr></thead><tbody>\n");
    for (number, row) in heat.rows.iter().enumerate() {
        let class = if heat.winner == Some(number) { " class=\"first\"" } else { "" };
        let cells = row.iter().map(|cell| format!("<td>{}</td>", escaped(cell)));
        let _ = writeln!(body, "<tr{class}>{}</tr>", cells.collect::<String>());
    }
    body.push_str("</tbody></table></div>\n");
    // The first quantity compares the strategies, the others explain the difference.
    let Some((first, others)) = heat.charts.split_first() else {
        body.push_str("<p class=\"hint\">The searches were too short for charts over time.</p>\n");
        return;
    };
    body.push_str(HINT);
    push_chart(first, heat.winner, body);
    if !others.is_empty() {
        body.push_str("<details class=\"more\"><summary>More charts</summary>\n");
        others.iter().for_each(|chart| push_chart(chart, heat.winner, body));
        body.push_str("</details>\n");
    }
}

/// One quantity over time, with a chart for each strategy.
fn push_chart((name, curves): &(&str, Vec<Curve>), winner: Option<usize>, body: &mut String) {
    let _ = writeln!(body, "<h3>{}</h3>", escaped(name));
    body.push_str("<div class=\"multiples\">\n");
    let end = curves.iter().flat_map(|curve| &curve.points).map(|&(time, _)| time);
    let (unit, factor) = if end.fold(0.0, f64::max) < 1.0 { (" ms", 1000.0) } else { (" s", 1.0) };
    let scaled = |curve: &Curve| Curve {
        name: curve.name.clone(),
        points: curve.points.iter().map(|&(time, value)| (time * factor, value)).collect(),
    };
    let curves: Vec<Curve> = curves.iter().map(scaled).collect();
    for picture in draw_multiples(name, unit, &curves, winner) {
        let _ = writeln!(body, "{}", picture.inline());
    }
    body.push_str("</div>\n");
}

/// One sentence about the strategy that decided first.
fn first_sentence(heat: &Heat) -> String {
    let names = heat.winner.and_then(|winner| heat.rows.get(winner)?.first());
    match names {
        Some(name) => {
            let verdict = heat.winner.and_then(|winner| heat.rows.get(winner)?.get(1));
            let verdict = escaped(verdict.map_or("", String::as_str));
            format!("<p><b>{}</b> decided first: {verdict}.</p>\n", escaped(name))
        }
        None => "<p>No strategy decided this query within the limits.</p>\n".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_is_a_page_without_a_script() {
        let curve = Curve { name: "<dfs>".to_owned(), points: vec![(0.0, 0.0), (0.5, 9.0)] };
        let heat = Heat {
            query: "E<> P.a && x < 3".to_owned(),
            winner: Some(0),
            rows: vec![vec!["<dfs>".to_owned(), "satisfied".to_owned()]],
            charts: vec![("explored over time", vec![curve.clone()]), ("depth", vec![curve])],
        };
        let page = write_race(&RaceReport {
            model: "a<b>.xta",
            command: "zonaut race",
            program: "zonaut",
            columns: &["strategy", "verdict"],
            heats: &[heat],
        });
        assert!(page.contains("<td>&lt;dfs&gt;</td><td>satisfied</td>"), "{page}");
        assert!(page.contains("<b>&lt;dfs&gt;</b> decided first"), "{page}");
        assert!(page.contains("E&lt;&gt; P.a &amp;&amp; x &lt; 3"), "{page}");
        assert!(!page.contains("<script") && page.contains("default-src 'none'"));
        let hints = page.matches("During the construction").count();
        assert_eq!((page.matches("<svg").count(), hints), (2, 1));
        // The first chart is visible, others are folded; times below a second are milliseconds.
        let folded = page.find("<summary>More charts").expect("folded charts");
        assert_eq!(page[..folded].matches("<svg").count(), 1, "{page}");
        assert!(page.contains(">500 ms</text>"), "{page}");
    }

    #[test]
    fn short_searches_have_no_charts() {
        let heat =
            Heat { query: String::new(), winner: None, rows: Vec::new(), charts: Vec::new() };
        let mut body = String::new();
        push_heat(&["strategy"], &heat, &mut body);
        assert!(body.contains("too short") && !body.contains("<svg"), "{body}");
    }
}
