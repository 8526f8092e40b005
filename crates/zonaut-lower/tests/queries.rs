//! Queries: names of process members, formulas, and unsupported kinds.

mod support;

use support::{errors, lowered, messages, model};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, codes, lower};
use zonaut_model::{Expression, Extremum, Formula, QueryKind};
use zonaut_syntax::{ParseOptions, parse_model};

const MODEL: &str = "
    int n; int a[3]; clock g; const int N = 3; typedef int[0,2] id;
    process T(id i) {
        clock x; int v; const int c = i; int q[3];
        bool done() { return v > i; }
        void touch() { v = 1; }
        state idle, busy; init idle;
        trans idle -> busy { guard x > 1; };
    }
    process S() { clock y; double d; state home; init home; }
    R = S();
    system T, S, R;
";

fn check(query: &str, expected: &[&str]) {
    let lowered = lowered(MODEL, query, &LowerOptions::default());
    assert_eq!(errors(&lowered), expected, "{query}\n{}", messages(&lowered.diagnostics));
}

fn kind(query: &str) -> QueryKind {
    let model = model(MODEL, query);
    let first = model.queries.iter().next().expect("there is a query");
    assert_eq!((first.index, first.text.as_str()), (1, query));
    first.kind.clone()
}

#[test]
fn queries_name_members_of_processes() {
    check("E<> T(0).busy", &[]);
    check("E<> T(0).v > 3 && S.home && R.home", &[]);
    check("E<> T(2).q[n] == 1", &[]);
    check("E<> T(1).c == 1", &[]);
    check("E<> T(1).done()", &[]);
    check("E<> n == N && a[2] > 0", &[]);
    check("E<> T(3).busy", &[codes::UNKNOWN_PROCESS]);
    check("E<> T.busy", &[codes::UNKNOWN_PROCESS]);
    check("E<> U.busy", &[codes::UNKNOWN_NAME]);
    check("E<> T(0).bussy", &[codes::UNKNOWN_MEMBER]);
    check("E<> T(n).busy", &[codes::NOT_CONSTANT]);
    check("E<> S", &[codes::PROCESS_AS_VALUE]);
    check("E<> busy", &[codes::UNKNOWN_NAME]);
}

#[test]
fn queries_with_side_effects_are_errors() {
    check("E<> n++ > 3", &[codes::SIDE_EFFECT]);
    check("E<> (T(0).touch() == 1)", &[codes::WRONG_TYPE, codes::SIDE_EFFECT]);
}

#[test]
fn quantifiers_range_over_processes_and_data() {
    check("A[] forall (i : id) forall (j : id) T(i).busy && T(j).busy imply i == j", &[]);
    check("E<> exists (i : id) T(i).x > 3", &[]);
    check("E<> (sum (i : id) T(i).busy) > 1", &[]);
    check("E<> forall (i : int[0,3]) T(i).busy", &[codes::UNKNOWN_PROCESS]);
    let QueryKind::Possibly(Formula::Data(_)) = kind("E<> forall (i : id) T(i).busy") else {
        panic!("a formula over locations is data")
    };
    let model = model(MODEL, "E<> forall (i : id) a[i] == 0");
    let kept = |expression: &Expression| matches!(expression, Expression::Quantifier { .. });
    assert!(model.expressions.iter().any(kept), "quantifiers over data are kept");
}

#[test]
fn clock_constraints_of_queries_combine_freely() {
    check("A[] T(0).x < 3 || g > 5 && !(S.y == 2)", &[]);
    check("E<> g - S.y < n", &[]);
    let QueryKind::Always(Formula::Or(parts)) = kind("A[] g != 3") else {
        panic!("an inequality is two alternatives")
    };
    assert_eq!(parts.len(), 2);
    check("E<> g", &[codes::WRONG_TYPE]);
    check("E<> g' == 1", &[codes::RATE_HERE]);
}

#[test]
fn deadlock_is_a_formula() {
    assert_eq!(kind("E<> deadlock"), QueryKind::Possibly(Formula::Deadlock));
    let not = Formula::Not(Box::new(Formula::Deadlock));
    assert_eq!(kind("A[] not deadlock"), QueryKind::Always(not));
    check("A[] deadlock imply S.home", &[]);
}

#[test]
fn all_query_kinds_are_lowered() {
    assert!(matches!(kind("E[] S.home"), QueryKind::PossiblyAlways(_)));
    assert!(matches!(kind("A<> S.home"), QueryKind::Eventually(_)));
    assert!(matches!(kind("S.home --> T(0).busy"), QueryKind::LeadsTo(..)));
    let QueryKind::Supremum(_, list) = kind("sup{S.home}: g, n, T(1).x") else {
        panic!("a supremum")
    };
    assert!(matches!(list[..], [Extremum::Clock(_), Extremum::Integer(_), Extremum::Clock(_)]));
    assert!(matches!(kind("inf: n"), QueryKind::Infimum(..)));
    assert!(matches!(kind("bounds: n"), QueryKind::Bounds(..)));
    check("sup: g - S.y", &[codes::EXTREMUM]);
}

#[test]
fn unsupported_queries_are_named_and_the_others_are_lowered() {
    assert!(matches!(kind("control: A<> S.home"), QueryKind::Unsupported(_)));
    assert!(matches!(kind("E<> S.d > 1.5"), QueryKind::Possibly(_)));
    assert_eq!(kind("sup: S.d"), QueryKind::Unsupported("floating point".into()));
    let model = model(MODEL, "control: A<> S.home\n\nE<> S.home\n");
    let indices: Vec<u32> = model.queries.iter().map(|query| query.index).collect();
    assert_eq!(indices, [1, 2]);
}

/// The texts of the expressions whose values the first query asks for.
fn value_texts(query: &str) -> Vec<String> {
    let lowered = lowered(MODEL, query, &LowerOptions::default());
    lowered.origin.values.iter().next().expect("there is a query").clone()
}

#[test]
fn expressions_of_value_queries_are_named_as_they_are_written() {
    assert_eq!(value_texts("inf: n"), ["n"]);
    assert_eq!(
        value_texts("sup{n > 0 ? S.home : R.home}:  n+1 , a[n<1 ? 0:1]"),
        ["n+1", "a[n<1 ? 0:1]"]
    );
    assert_eq!(value_texts("bounds: (n), T(1).x"), ["(n)", "T(1).x"]);
    assert_eq!(value_texts("sup: n /* one, two: } */, g"), ["n", "g"]);
    assert_eq!(value_texts("E<> S.home"), [""; 0]);
}

#[test]
fn expressions_of_value_queries_are_named_without_character_references() {
    let text = "<nta><declaration>int n; int a[2];</declaration>\
        <template><name>P</name><location id=\"l\"/><init ref=\"l\"/></template>\
        <system>system P;</system>\
        <queries><query><formula>sup{n &gt;= 0 &amp;&amp; true}: a[n &lt; 1 ? 0 : 1], n&#43;1\
        </formula></query></queries></nta>";
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xml", text));
    let (document, parsed) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!parsed.has_errors(), "{}", messages(&parsed));
    let lowered = lower(&document, &[&document.queries], &LowerOptions::default());
    let values: Vec<_> = lowered.origin.values.iter().flatten().collect();
    assert_eq!(values, ["a[n < 1 ? 0 : 1]", "n+1"]);
}
