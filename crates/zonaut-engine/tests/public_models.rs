//! Public models with parameters as variables, branches that synchronise, and constant indices
//! outside their arrays: they are parsed, printed and answered.

mod support;

use std::path::Path;
use support::{ask, public_models};
use zonaut_base::Id;
use zonaut_engine::{
    Format, LoadOptions, Loaded, QueryId, QuerySource, Resources, Verdict, VerifyOptions, load,
    load_text,
};

/// The maximal number of explored states.
const STATES: usize = 2_000;

/// Files of the folder `wild`, and a query that is answered quickly, if there is one.
const MODELS: [(&str, Option<(&str, Verdict)>); 13] = [
    ("assigned-parameter.xml", None),
    ("assigned-parameter-2.xml", Some(("E<> f.login", Verdict::Satisfied))),
    ("branch-output.xml", None),
    ("cat-and-mouse.xml", None),
    ("riscv-panic.xml", None),
    ("chefs.xml", None),
    ("conveyor.xml", Some(("E<> Bag(3).B", Verdict::Satisfied))),
    ("traffic-lights.xml", None),
    ("raft.xml", None),
    ("tendermint-7.xml", None),
    ("ima-8.xml", None),
    ("impersonation.xml", Some(("A[] 1 == 1", Verdict::Satisfied))),
    ("body-sensors.xml", Some(("E<> sensornode(1).collected", Verdict::Satisfied))),
];

fn read(path: &Path, queries: &QuerySource) -> Loaded {
    let loaded = load(path, queries, &LoadOptions::default()).expect("a readable file");
    assert!(loaded.model.is_some(), "{} is refused", path.display());
    loaded
}

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn public_models_from_the_wild_are_read_and_answered() {
    let resources = Resources { states: Some(STATES), ..Resources::default() };
    let options = VerifyOptions { resources, ..VerifyOptions::default() };
    for (name, expected) in MODELS {
        let path = public_models().join("wild").join(name);
        let embedded = read(&path, &QuerySource::Embedded);
        for format in [Format::Xta, Format::Xml] {
            let text = format.print(&embedded.document);
            let again = load_text("printed", &text, &LoadOptions::default());
            assert!(again.model.is_some(), "{name} as {format:?} is refused");
        }
        let session = embedded.session().expect("a correct model");
        for query in session.model().queries.ids().take(5) {
            let answer = session.verify(query, &options, None);
            assert!(answer.verdict.bug().is_none(), "{name}: {answer:?}");
        }
        if let Some((query, verdict)) = expected {
            let asked = read(&path, &QuerySource::Formulas(vec![query.to_owned()]));
            let answer = ask(&asked, QueryId::from_index(0), &VerifyOptions::default());
            assert_eq!(answer.verdict, verdict, "{name}: {query}");
        }
    }
}
