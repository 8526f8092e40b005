//! Printing of queries.

use super::{join, print_expression};
use crate::tree::{ExpressionId, Expressions, Queries, Query, QueryEntry, WrittenExpression};

/// The queries as a `.q` file. Headings are omitted, because the format cannot hold them.
#[must_use]
pub fn print_queries(queries: &Queries) -> String {
    let asked = queries.entries.iter().filter(|entry| !entry.is_heading());
    let printed: Vec<String> =
        asked.map(|entry| print_entry(&queries.expressions, entry)).collect();
    printed.join("\n")
}

/// One entry: its comment, its expectation and its formula, on separate lines.
pub(super) fn print_entry(expressions: &Expressions, entry: &QueryEntry) -> String {
    let mut out = String::new();
    if !entry.comment.is_empty() {
        out += &format!("/*\n{}\n*/\n", entry.comment.replace("*/", "* /"));
    }
    if let Some(expect) = &entry.expect {
        out += &format!("/* EXPECT:{} */\n", expect.outcome.replace("*/", ""));
    }
    let formula = formula(expressions, entry);
    if !formula.is_empty() {
        out += &formula;
        out.push('\n');
    }
    out
}

/// The formula of an entry, on one line.
pub(super) fn formula(expressions: &Expressions, entry: &QueryEntry) -> String {
    let text = |id: &ExpressionId| print_expression(expressions, *id);
    let extremum = |word: &str, condition: &Option<ExpressionId>, values: &[WrittenExpression]| {
        let condition = condition.as_ref().map(|id| format!("{{{}}}", text(id)));
        format!(
            "{word}{}: {}",
            condition.unwrap_or_default(),
            join(values.iter().map(|value| text(&value.id)))
        )
    };
    match entry.query.as_deref() {
        Some(Query::Possibly(formula)) => format!("E<> {}", text(formula)),
        Some(Query::Always(formula)) => format!("A[] {}", text(formula)),
        Some(Query::PossiblyAlways(formula)) => format!("E[] {}", text(formula)),
        Some(Query::Eventually(formula)) => format!("A<> {}", text(formula)),
        Some(Query::LeadsTo(premise, conclusion)) => {
            format!("{} --> {}", text(premise), text(conclusion))
        }
        Some(Query::Supremum(condition, values)) => extremum("sup", condition, values),
        Some(Query::Infimum(condition, values)) => extremum("inf", condition, values),
        Some(Query::Bounds(condition, values)) => extremum("bounds", condition, values),
        Some(Query::Statistical(_) | Query::Unsupported(_)) | None => entry.text.clone(),
    }
}
