//! Recorded verdicts of public models, if `ZONAUT_MODELS` names a folder of them.

mod support;

use std::fs;
use std::path::Path;
use std::time::Duration;
use support::{ask, public_models, shortest};
use zonaut_base::Id;
use zonaut_engine::{
    LoadOptions, Loaded, Order, QueryId, QuerySource, Reason, Resources, TraceWish, Verdict,
    VerifyOptions, load,
};

/// The time limit of one query; rows that need longer are listed.
const LIMIT: Duration = Duration::from_secs(10);

struct Row {
    model: String,
    formula: String,
    expected: bool,
}

fn rows(folder: &Path) -> Vec<Row> {
    let text = fs::read_to_string(folder.join("verdicts.tsv")).expect("a table of verdicts");
    let row = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let (model, formula) = (fields.next()?, fields.next()?);
        let verdict = fields.next()?;
        assert!(["satisfied", "violated"].contains(&verdict.as_str()), "{line}");
        let expected = verdict == "satisfied";
        Some(Row { model, formula, expected })
    };
    text.lines().skip(1).filter_map(row).collect()
}

fn open(folder: &Path, model: &str, source: &QuerySource) -> Loaded {
    load(&folder.join(model), source, &LoadOptions::default()).expect("a readable model")
}

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn public_models_have_their_recorded_verdicts() {
    let folder = public_models();
    let rows = rows(&folder);
    assert!(rows.len() > 50);
    let mut disagreements = Vec::new();
    for row in rows.iter() {
        let loaded = open(&folder, &row.model, &QuerySource::Formulas(vec![row.formula.clone()]));
        let place = format!("{}: {}", row.model, row.formula);
        if loaded.model.is_none() {
            disagreements.push(format!("{place}: refused: {:?}", loaded.diagnostics));
            continue;
        }
        let resources = Resources { time: Some(LIMIT), ..Resources::default() };
        let options =
            VerifyOptions { resources, trace: TraceWish::Some, ..VerifyOptions::default() };
        match ask(&loaded, QueryId::from_index(0), &options).verdict {
            Verdict::Satisfied if row.expected => {}
            Verdict::NotSatisfied if !row.expected => {}
            Verdict::Unknown(Reason::Stopped(_)) => eprintln!("not finished: {place}"),
            verdict => disagreements.push(format!("{place}: {verdict:?}")),
        }
    }
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}

/// Published lengths of shortest traces, as transitions. The larger ones are measured by
/// `bench/mcta.toml`.
const LENGTHS: [(&str, usize); 12] = [
    ("m1", 47),
    ("m2", 50),
    ("m3", 50),
    ("m4", 53),
    ("n1", 49),
    ("n2", 52),
    ("n3", 52),
    ("n4", 55),
    ("c1", 54),
    ("c2", 54),
    ("c3", 54),
    ("c4", 55),
];

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn public_models_have_shortest_traces_of_the_published_lengths() {
    let folder = public_models();
    // Unoptimised builds test only the first model of each family.
    let small = |name: &str| !cfg!(debug_assertions) || name.ends_with('1');
    for (name, length) in LENGTHS.into_iter().filter(|(name, _)| small(name)) {
        let queries = QuerySource::File(folder.join(format!("mcta/{name}.q")));
        let loaded = open(&folder, &format!("mcta/{name}.xta"), &queries);
        let options =
            VerifyOptions { strategy: Order::BreadthFirst.into(), ..VerifyOptions::default() };
        let found = shortest(&loaded, QueryId::from_index(0), &options);
        assert_eq!(found, Some(length), "{name}");
    }
}
