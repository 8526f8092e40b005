//! Statistical models: queries that do not depend on floating point, probabilities or libraries are
//! answered, and all others are rejected with the construct that they need and its position.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::public_models;
use zonaut_engine::{
    LoadOptions, Query, QueryId, QuerySource, Refusal, Selection, SelectionError, Session, Task,
    VerifyOptions, load, load_text,
};

fn session(text: &str) -> Session {
    let loaded = load_text("m.xta", text, &LoadOptions::default());
    assert!(loaded.session().is_some(), "{text}: {:?}", loaded.diagnostics);
    loaded.session().expect("a correct model")
}

/// The reasons why a query is rejected, each with its line; empty for supported ones.
fn reasons(session: &Session, query: QueryId) -> Vec<String> {
    match Task::of_query(session, query, &VerifyOptions::default()) {
        Ok(_) => Vec::new(),
        Err(Refusal::Damaged | Refusal::NoGoal | Refusal::Costs(_)) => vec!["damaged".to_owned()],
        Err(Refusal::Unsupported(reasons)) => {
            let place = |place| session.sources().position(place).line;
            reasons.iter().map(|reason| format!("{reason} in {}", place(reason.place))).collect()
        }
    }
}

#[track_caller]
fn check(declarations: &str, labels: &str, expected: &[&str]) {
    let text = format!(
        "{declarations}\nprocess P() {{ clock x; state a, b; init a; trans a -> b {{\n{labels}\n}}; }}\n\
         system P; query {{ E<> P.b\n }}"
    );
    let session = session(&text);
    let query = session.queries().next().expect("a query").0;
    let expected: Vec<String> = expected.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(reasons(&session, query), expected, "{text}");
}

#[test]
fn updates_of_floating_point_variables_are_sliced() {
    check("double d;", "assign d = 1.5;", &[]);
    check("double d; int n;", "guard n == 0; assign d = random(n + 2.5), n = 1;", &[]);
    check("hybrid clock h; double d;", "assign h = sqrt(d), d = h;", &[]);
    check("double d; int f() { return fint(d); }", "", &[]);
    check("double d; void f() { d = d + 1; }", "assign f();", &[]);
    check("double d; int n; double f() { n = 1; return 2.5; }", "assign d = f();", &[]);
    check("import \"l\" { double f(int n); }; double d;", "assign d = f(3);", &[]);
    check("const double T = 2;", "guard x >= T;", &[]);
    check("double d; void f() { while (d < 10) d = d + 1; }", "assign f();", &[]);
    check("double d; void f() { while (!(d > 10)) d = d + 1; }", "assign f();", &[]);
    let mixed = "double d; int n; void f() { n++; if (d > 1 && !(d > 3)) d = 0; else if (d < 0) \
                 { d = 1; } while (d < 10 || d > 20) d = d + 1; }";
    check(mixed, "assign f();", &[]);
    check("double d;", "assign d > 1 ? (d = 2.5) : (d = 3);", &[]);
}

#[test]
fn queries_that_depend_on_statistics_are_rejected_with_a_position() {
    let floating = &["floating point in 3"][..];
    let random = &["random numbers in 3"][..];
    let external = &["external functions in 3"][..];
    check("double d;", "guard d > 1;", floating);
    check("double d;", "guard x > 1.5;", floating);
    check("double d;", "guard x > d;", floating);
    check("double d;", "assign x = d;", floating);
    check("double d; int n;", "assign n = fint(d);", floating);
    check("double d; int n;", "assign n = d > 1 ? 2 : 3;", floating);
    check("hybrid clock h;", "guard h <= 3;", floating);
    check("double d; chan c[3];", "sync c[fint(d)]!;", floating);
    check(
        "double d; int n; double f() { n = 1; return 2.5; }",
        "assign d = n > 0 ? f() : 1.5;",
        floating,
    );
    check("struct { double d; int n; } s; int n;", "assign n = s.n;", floating);
    check("double d[2], e[2];", "guard d == e;", floating);
    check(
        "double d; int n; void f() { if (d > 1) n = 1; }",
        "assign f();",
        &["floating point in 1"],
    );
    let endless = "double d; int n; void f() { n++; while (!(d > 10)) d = d + 1; }";
    check(endless, "assign f();", &["floating point in 1"]);
    let mixed = "double d; int n; void f() { n++; if (d > 1) n = 2; else d = 1; }";
    check(mixed, "assign f();", &["floating point in 1"]);
    let early = "double d; int n; void f() { if (d > 1) return; n++; }";
    check(early, "assign f();", &["floating point in 1"]);
    check("double d; bool b; void f() { assert(d > 1); }", "assign f();", &["floating point in 1"]);
    check("clock y = 0.5;", "", &["floating point in 1"]);
    check("int n;", "assign n = fint(random(3));", random);
    check("", "guard random(3) > 1;", random);
    check("import \"l\" { int f(); }; int n;", "assign n = f();", external);
    check("import \"l\" { void f(); };", "assign f();", external);
    let by_reference = "import \"l\" { double f(int &m[2]); }; int m[2]; double d;";
    check(by_reference, "assign d = f(m);", external);
}

#[test]
fn rejected_models_are_not_explored_elsewhere() {
    let session = session(
        "double d; process P() { state a, b; init a; trans a -> b { guard d > 1; }; }
         system P; query { E<> P.b\n }",
    );
    let query = session.queries().next().map(|(id, _)| id);
    assert_eq!(session.unsupported(query).len(), 1);
    let found = session.abstracted(query, &Selection::ErrorPath);
    assert!(matches!(found, Err(SelectionError::Unsupported(_))), "{found:?}");
}

/// The statistical models among the public ones.
fn statistical_models() -> Vec<PathBuf> {
    let folder = public_models();
    let entries = fs::read_dir(folder.join("statistical")).expect("a readable folder of models");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let wild = ["smart-home.xml", "csma-ca.xml", "lmac6.xml"];
    paths.extend(wild.iter().map(|name| folder.join("wild").join(name)));
    paths.sort();
    paths
}

fn refused_by_name(session: &Session, path: &Path) -> usize {
    let is_known = |reason: &String| !reason.starts_with("damaged") && !reason.starts_with(" in");
    let refused = |(id, query): (QueryId, &Query)| {
        let reasons = reasons(session, id);
        assert!(reasons.iter().all(is_known), "{}: {}: {reasons:?}", path.display(), query.text);
        !reasons.is_empty()
    };
    session.queries().filter(|query| refused(*query)).count()
}

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn public_statistical_models_are_read_and_their_queries_answered_or_refused() {
    let (mut queries, mut refused) = (0, 0);
    for path in statistical_models() {
        let loaded = load(&path, &QuerySource::WithModel, &LoadOptions::default());
        let loaded = loaded.expect("a readable model");
        let session = loaded.session();
        let session =
            session.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics));
        queries += session.queries().count();
        refused += refused_by_name(&session, &path);
    }
    assert!(queries > 40 && refused < queries, "{refused} of {queries}");
}
