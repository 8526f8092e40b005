//! Test plans: the models, the sources of their queries, and the sources of the expectations.

use super::expected::{Meaning, meaning};
use super::table;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use zonaut_engine::{DEFAULT_MAX_FILE_BYTES, QuerySource, query_file_beside, read_bytes};

/// A model to test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    pub(super) model: PathBuf,
    pub(super) queries: QuerySource,
    pub(super) expectations: Expectations,
}

/// The source of the expectations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Expectations {
    /// Next to the queries.
    Written,
    /// In a separate list, one for each query.
    Listed(Vec<Listed>),
}

/// The expectation of a query in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Listed {
    pub(super) formula: String,
    pub(super) meaning: Meaning,
}

/// A separate list of expectations of a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectationFile {
    model: PathBuf,
    queries: Option<PathBuf>,
    query: Vec<ExpectedQuery>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedQuery {
    formula: String,
    verdict: String,
    /// An explanation for readers.
    #[serde(rename = "because")]
    _because: Option<String>,
}

/// The suffix of separate lists of expectations.
const EXPECTATION_FILE: &str = ".expected.toml";

/// The plans for a path: a model, a list of expectations, a table, or a folder with models and
/// lists.
pub(super) fn plans(path: &Path, queries: Option<&Path>) -> Result<Vec<Plan>, String> {
    let name = path.to_string_lossy().to_lowercase();
    if path.is_dir() {
        return plans_in_folder(path);
    }
    if name.ends_with(EXPECTATION_FILE) {
        return listed_plan(path).map(|plan| vec![plan]);
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("tsv") => plans_of_table(path, '\t'),
        Some("csv") => plans_of_table(path, ','),
        _ => model_plan(path, queries).map(|plan| vec![plan]),
    }
}

/// The plan for a model: with the list beside it, unless other queries are given or expectations
/// are written beside the queries of the model.
fn model_plan(model: &Path, queries: Option<&Path>) -> Result<Plan, String> {
    let list = model.with_extension(&EXPECTATION_FILE[1..]);
    if queries.is_none() && list.is_file() && !mentions_expectations(model) {
        let plan = listed_plan(&list)?;
        if plan.model == model {
            return Ok(plan);
        }
    }
    let queries = match queries {
        Some(queries) => QuerySource::File(queries.to_owned()),
        None => QuerySource::WithModel,
    };
    Ok(Plan { model: model.to_owned(), queries, expectations: Expectations::Written })
}

fn plans_in_folder(folder: &Path) -> Result<Vec<Plan>, String> {
    let failed = |error| format!("the folder cannot be read: {error}");
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A link to an enclosing folder would not terminate.
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if !(is_link && entry.path().is_dir()) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let is_list = path.to_string_lossy().ends_with(EXPECTATION_FILE);
        let is_model = path.extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case("xml") || extension.eq_ignore_ascii_case("xta")
        });
        if path.is_dir() || is_list || (is_model && mentions_expectations(&path)) {
            let plans = plans(&path, None);
            found.extend(plans.map_err(|error| format!("{}: {error}", path.display()))?);
        }
    }
    Ok(found)
}

/// Whether a model or its query file may contain expectations.
fn mentions_expectations(model: &Path) -> bool {
    let mentions = |path: &Path| {
        let bytes = read_bytes(path, DEFAULT_MAX_FILE_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.contains("<expect") || text.contains("EXPECT:")
    };
    mentions(model) || query_file_beside(model).is_some_and(|path| mentions(&path))
}

fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_bytes(path, DEFAULT_MAX_FILE_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "this is not UTF-8".to_owned())
}

fn listed_plan(path: &Path) -> Result<Plan, String> {
    let text = read_text(path)?;
    let file: ExpectationFile = toml::from_str(&text).map_err(|error| error.to_string())?;
    let listed = |query: ExpectedQuery| -> Result<Listed, String> {
        Ok(Listed { meaning: meaning(&query.verdict)?, formula: query.formula })
    };
    let source = match file.queries {
        Some(queries) => QuerySource::File(path.with_file_name(queries)),
        None => QuerySource::Embedded,
    };
    Ok(Plan {
        model: path.with_file_name(file.model),
        queries: source,
        expectations: Expectations::Listed(
            file.query.into_iter().map(listed).collect::<Result<_, _>>()?,
        ),
    })
}

/// One plan for each model of the table, in the order of their first rows.
fn plans_of_table(path: &Path, delimiter: char) -> Result<Vec<Plan>, String> {
    let rows = table::read(&read_text(path)?, delimiter)?;
    let mut models: Vec<(String, Vec<Listed>)> = Vec::new();
    for row in rows {
        let listed = Listed { formula: row.formula, meaning: row.meaning };
        match models.iter_mut().find(|(model, _)| *model == row.model) {
            Some((_, queries)) => queries.push(listed),
            None => models.push((row.model, vec![listed])),
        }
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let plan = |(model, listed): (String, Vec<Listed>)| {
        let formulas = listed.iter().map(|query| query.formula.clone()).collect();
        Plan {
            model: folder.join(model),
            queries: QuerySource::Formulas(formulas),
            expectations: Expectations::Listed(listed),
        }
    };
    Ok(models.into_iter().map(plan).collect())
}

#[cfg(test)]
mod tests {
    use super::super::expected::Expected;
    use super::*;

    #[test]
    fn a_folder_gives_its_lists_and_the_models_that_expect_something() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("b.xta", "system P;");
        write("b.q", "E<> P.a /* EXPECT:T */\n");
        write("c.xml", "<project/>");
        write("d/e.xml", "<nta><expect outcome=\"success\"/></nta>");
        write(
            "d/f.expected.toml",
            "model = \"f.xta\"\n[[query]]\nformula = \"E<> P.a\"\nverdict = \"error\"\n",
        );
        let plans = plans(folder.path(), None).unwrap();
        let names: Vec<String> =
            plans.iter().map(|p| p.model.file_name().unwrap().to_string_lossy().into()).collect();
        assert_eq!(names, ["b.xta", "e.xml", "f.xta"]);
        let meaning = Meaning::Verdict(Expected::Error);
        let listed = vec![Listed { formula: "E<> P.a".into(), meaning }];
        assert_eq!(plans[2].expectations, Expectations::Listed(listed));
    }

    #[test]
    fn a_model_is_tested_by_the_list_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let list = "model = \"a.xta\"\n[[query]]\nformula = \"E<> P.a\"\nverdict = \"satisfied\"\n";
        fs::write(path("a.xta"), "system P;").unwrap();
        fs::write(path("a.xml"), "<nta/>").unwrap();
        fs::write(path("a.expected.toml"), list).unwrap();
        let is_listed = |name: &str, queries: Option<&Path>| {
            let plan = plans(&path(name), queries).unwrap().remove(0);
            assert_eq!(plan.model, path(name));
            matches!(plan.expectations, Expectations::Listed(_))
        };
        assert!(is_listed("a.xta", None));
        // Given queries come first, and the list is about one model.
        assert!(!is_listed("a.xta", Some(&path("b.q"))));
        assert!(!is_listed("a.xml", None));
        // So do expectations beside the queries.
        fs::write(path("a.q"), "E<> P.a /* EXPECT:T */\n").unwrap();
        assert!(!is_listed("a.xta", None));
        fs::remove_file(path("a.q")).unwrap();
        fs::write(path("a.expected.toml"), "model = 1").unwrap();
        assert!(plans(&path("a.xta"), None).is_err());
    }

    #[test]
    fn a_table_gives_one_plan_for_each_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.tsv");
        fs::write(&path, "model\tquery\texpected\na\tE<> p\tT\nb\tE<> q\tF\na\tE<> r\tF\n")
            .unwrap();
        let plans = plans(&path, None).unwrap();
        assert_eq!(plans.len(), 2);
        let formulas = ["E<> p", "E<> r"].map(str::to_owned).to_vec();
        assert_eq!(plans[0].queries, QuerySource::Formulas(formulas));
        assert_eq!(plans[1].model, folder.path().join("b"));
    }
}
