//! Tables of expectations: each row has a model, a query and an expected verdict.

use super::expected::{Meaning, meaning};

/// A row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// The path of the model, relative to the table.
    pub(super) model: String,
    pub(super) formula: String,
    pub(super) meaning: Meaning,
}

/// The rows of a table whose first line names its columns, among them `model`, `query` and
/// `expected`. Other columns are ignored.
pub(super) fn read(text: &str, delimiter: char) -> Result<Vec<Row>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, header) = lines.next().ok_or("the table is empty")?;
    let header = cells(header, delimiter)?;
    let column = |name: &str| {
        let found = header.iter().position(|title| title.trim().eq_ignore_ascii_case(name));
        found.ok_or_else(|| format!("the first line names no column `{name}`"))
    };
    let (model, query, expected) = (column("model")?, column("query")?, column("expected")?);
    let mut rows = Vec::new();
    for (position, line) in lines {
        let row = || -> Result<Row, String> {
            let cells = cells(line, delimiter)?;
            let cell = |column: usize| match cells.get(column).map(|cell| cell.trim()) {
                None | Some("") => Err(format!("nothing in the column `{}`", header[column])),
                Some(cell) => Ok(cell),
            };
            Ok(Row {
                model: cell(model)?.to_owned(),
                formula: cell(query)?.to_owned(),
                meaning: meaning(cell(expected)?)?,
            })
        };
        rows.push(row().map_err(|error| format!("line {}: {error}", position + 1))?);
    }
    Ok(rows)
}

/// The cells of a line. In comma-separated tables a cell may be quoted, with doubled quotes inside.
fn cells(line: &str, delimiter: char) -> Result<Vec<String>, String> {
    if delimiter != ',' {
        return Ok(line.split(delimiter).map(str::to_owned).collect());
    }
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let cell = cells.last_mut().expect("invariant: there is always a cell");
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            c if c == delimiter && !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    if quoted { Err("a quote has no end".to_owned()) } else { Ok(cells) }
}

#[cfg(test)]
mod tests {
    use super::super::expected::Expected;
    use super::*;

    fn check(text: &str, delimiter: char, expected: &[(&str, &str, Expected)]) {
        let row = |&(model, formula, expected): &(&str, &str, Expected)| Row {
            model: model.to_owned(),
            formula: formula.to_owned(),
            meaning: Meaning::Verdict(expected),
        };
        let expected: Vec<Row> = expected.iter().map(row).collect();
        assert_eq!(read(text, delimiter), Ok(expected));
    }

    #[test]
    fn columns_are_found_by_their_names() {
        check(
            "grade\tExpected\tmodel\tquery\nA\tviolated\ta.xta\tA[] x == \"1\"\n\nB\tT\tb.xml\tE<> a\n",
            '\t',
            &[
                ("a.xta", "A[] x == \"1\"", Expected::NotSatisfied),
                ("b.xml", "E<> a", Expected::Satisfied),
            ],
        );
    }

    #[test]
    fn cells_between_commas_may_be_quoted() {
        check(
            "model,query,expected\na.xta,\"E<> f(1, 2) == \"\"x\"\"\",success\n",
            ',',
            &[("a.xta", "E<> f(1, 2) == \"x\"", Expected::Satisfied)],
        );
    }

    #[test]
    fn a_wrong_table_is_refused_with_its_line() {
        let check = |text: &str| read(text, ',').unwrap_err();
        assert_eq!(check(""), "the table is empty");
        assert_eq!(check("model,query\n"), "the first line names no column `expected`");
        let header = "model,query,expected\n";
        assert_eq!(
            check(&format!("{header}a,b,c\n")),
            "line 2: `c` is not an outcome that can be expected"
        );
        assert_eq!(check(&format!("{header}\na,,T\n")), "line 3: nothing in the column `query`");
        assert_eq!(check(&format!("{header}a,\"b,T\n")), "line 2: a quote has no end");
    }
}
