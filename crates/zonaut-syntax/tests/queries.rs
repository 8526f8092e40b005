//! Queries: forms, lists, and unsupported kinds.

#![cfg(test)]

use zonaut_base::{Diagnostics, SourceFile, SourceMap};
use zonaut_syntax::tree::{Queries, Query};
use zonaut_syntax::{
    ParseOptions, parse_model, parse_queries, parse_query_text, print_queries, print_xml, print_xta,
};

fn list(text: &str) -> (Queries, Diagnostics, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("m.q", text));
    let (queries, diagnostics) = parse_queries(&mut sources, file, &ParseOptions::default());
    (queries, diagnostics, sources)
}

fn one(text: &str) -> (Queries, Diagnostics) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("<query 1>", text));
    parse_query_text(&mut sources, file, &ParseOptions::default())
}

/// Checks that `text` is a query that prints as `printed`.
fn accepts(text: &str, printed: &str) {
    let (queries, diagnostics) = one(text);
    let messages: Vec<_> = diagnostics.iter().map(|d| &d.message).collect();
    assert!(messages.is_empty(), "{text}: {messages:?}");
    assert_eq!(print_queries(&queries), format!("{printed}\n"));
    let (again, _) = one(printed);
    assert_eq!(print_queries(&again), format!("{printed}\n"));
}

#[test]
fn supported_queries_parse() {
    accepts("E<> p", "E<> p");
    accepts("A[]not deadlock", "A[] !deadlock");
    accepts("E [] a.b and c", "E[] a.b && c");
    accepts("A<>(x<3)", "A<> x < 3");
    accepts("p-->q or r", "p --> q || r");
    accepts("sup: x, y", "sup: x, y");
    accepts("inf{P.a and z}:P.x", "inf{P.a && z}: P.x");
    accepts("bounds{true}: n", "bounds{true}: n");
    accepts(
        "A[] forall (i : id_t) T(i).a[2] imply exists (j : int[0,3]) i == j",
        "A[] forall (i : id_t) T(i).a[2] imply exists (j : int[0,3]) i == j",
    );
    accepts("A[] (sum (i : id_t) T(i).f()) <= 1", "A[] (sum (i : id_t) T(i).f()) <= 1");
}

#[test]
fn keywords_of_queries_are_identifiers_elsewhere() {
    accepts("A[] A.U + W.R > E[3] - sup", "A[] A.U + W.R > E[3] - sup");
    accepts("A[3] == 1 --> inf", "A[3] == 1 --> inf");
    accepts("E<> bounds == simulate && Pr > control", "E<> bounds == simulate && Pr > control");
}

#[test]
fn unsupported_queries_are_recognised_by_kind() {
    let cases = [
        ("Pr(<>[0,10] a)", "MITL query `Pr(...)`"),
        (
            "simulate 2 [<=10] { foreach (c : Client) (c.id) } : n > 1",
            "dynamic templates in `foreach`",
        ),
        ("Pr[<=10](<> a) under S", "strategy query `under`"),
        ("control: A<> p", "game query `control`"),
        ("control_t*(10, 2): A<> p", "game query `control_t`"),
        ("{a, b} control: A[] p", "game query `control`"),
        ("E<> control: A<> p", "game query `control`"),
        ("strategy S = control: A<> p", "strategy query `strategy`"),
        ("minE(cost)[<=10]: <> p", "strategy query `minE`"),
        ("maxPr[<=10]: <> p", "strategy query `maxPr`"),
        ("A[] p under S", "strategy query `under`"),
        ("saveStrategy(\"a // b\", S)", "strategy query `saveStrategy`"),
        ("sat: L", "sequence chart query `sat`"),
        ("refinement: A <= B", "refinement query `refinement`"),
        ("A[p U q]", "until query `A[p U q]`"),
        ("A[(a && b) W c == 1]", "weak until query `A[p W q]`"),
    ];
    for (text, expected) in cases {
        let (queries, diagnostics) = one(text);
        assert!(!diagnostics.has_errors(), "{text}");
        let Some(Query::Unsupported(name)) = queries.entries[0].query.as_deref() else {
            panic!("{text}: {:?}", queries.entries[0].query);
        };
        assert_eq!(*name, expected, "{text}");
        assert_eq!(print_queries(&queries), format!("{text}\n"));
    }
}

#[test]
fn statistical_queries_are_parsed() {
    let cases = [
        "Pr[<=10](<> a)",
        "Pr[<=10; 100]([] a && b) ?",
        "Pr[#<=10](a U b)",
        "Pr[x <= 2 * n](<> a) >= 0.5",
        "Pr[P.x<=10](<> a) <= 1e-3",
        "Pr[<=10](<> a) >= Pr[<=20]([] b)",
        "E[<=10; 100](max: x + 1)",
        "E[#<=10](min: a[3])",
        "simulate[<=10; 3]{x, y}",
        "simulate 1 [<=10] {x}",
        "simulate[<=10; 30]{x, y}: 5: x > 3",
        "simulate[<=10]{x}: x > 3",
    ];
    for text in cases {
        let (queries, diagnostics) = one(text);
        assert!(!diagnostics.has_errors(), "{text}");
        let query = queries.entries[0].query.as_deref();
        assert!(matches!(query, Some(Query::Statistical(_))), "{text}: {query:?}");
        assert_eq!(print_queries(&queries), format!("{text}\n"));
    }
    let wrong = [
        "Pr[10](<> a)",
        "Pr[<=10](a)",
        "Pr[<=10](<> a) <= Pr[<=10](<> b)",
        "Pr[<=10](<> a) > 0.5",
        "simulate[<=10]{}",
        "simulate 1 {x}",
        "Pr[<=10; ](<> a)",
        "E[<=10](max: )",
    ];
    for text in wrong {
        assert!(one(text).1.has_errors(), "{text}");
    }
}

#[test]
fn a_list_continues_after_a_line_with_an_error() {
    let (queries, diagnostics, sources) = list(
        "// heading\nE<> a\n\nA[] (b\nE<> c \\\n and d\n/* why */ E<> e /* EXPECT:true */\nPr[<=1](<> x)\n",
    );
    assert_eq!(diagnostics.error_count(), 1);
    let span = diagnostics.iter().next().unwrap().span();
    assert_eq!(sources.position(span).to_string(), "m.q:4:7");
    let found: Vec<(u32, &str, bool)> =
        queries.entries.iter().map(|e| (e.index, e.text.as_str(), e.query.is_some())).collect();
    let expected = [
        (1, "E<> a", true),
        (2, "A[] (b", false),
        (3, "E<> c and d", true),
        (4, "E<> e", true),
        (5, "Pr[<=1](<> x)", true),
    ];
    assert_eq!(found, expected);
    assert_eq!(queries.entries[3].comment, "why");
    assert_eq!(queries.entries[3].expect.as_ref().map(|e| e.outcome.as_str()), Some("true"));
    let (queries, _, _) = list("\u{feff}// only a comment\nE<> a");
    assert_eq!((queries.entries.len(), queries.entries[0].span.start), (1, 21));
    let (queries, diagnostics, _) = list("E<> a\n/* open\nE<> b");
    assert_eq!(diagnostics.iter().next().map(|d| d.code), Some("TA0102"));
    let found: Vec<(&str, bool)> =
        queries.entries.iter().map(|e| (e.text.as_str(), e.query.is_some())).collect();
    assert_eq!(found, [("E<> a", true), ("/* open", false)]);
}

/// Regression: the recovered query was answered in place of the text with the error.
#[test]
fn a_query_with_an_error_has_no_parsed_form() {
    let wrong = [
        "A[] \u{ac}a",
        "E<> a >= 99999999999",
        "E<> a \" and b",
        "E<> a /* and b",
        "E<> a = 1",
        "E<> a \\// and b",
        "E<> a\\/* and b */",
        "Pr[<=1](<> a) @",
        &format!("E<> {}", "n".repeat(5000)),
    ];
    for text in wrong {
        for (queries, diagnostics) in [one(text), (list(text).0, list(text).1)] {
            assert!(diagnostics.has_errors(), "{text}");
            assert_eq!(queries.entries.len(), 1, "{text}");
            assert!(queries.entries[0].query.is_none(), "{text}");
            assert!(!queries.entries[0].is_heading(), "{text}");
        }
    }
}

/// Reading stops after many errors, in the middle of a query that is correct so far.
#[test]
fn a_query_that_was_not_read_completely_has_no_parsed_form() {
    let mut options = ParseOptions::default();
    options.limits.errors = 1;
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("m.q", "E<> a @ and b"));
    let (queries, _) = parse_queries(&mut sources, file, &options);
    assert!(queries.entries[0].query.is_none());
    options.limits.items = 2;
    let file = sources.add(SourceFile::new("n.q", "E<> a and b and c"));
    let (queries, _) = parse_queries(&mut sources, file, &options);
    assert!(queries.entries[0].query.is_none());
}

#[test]
fn queries_of_a_model_keep_their_numbers_in_both_formats() {
    let text = "<nta><template><name>P</name><location id='a'/><init ref='a'/></template>\
        <system>system P;</system><queries><option key='k' value='v'/><query><formula>// head</formula>\
        <comment>one</comment></query><query><formula>E&lt;&gt; n\n and m // x\n</formula><comment/>\
        <option key='--a' value='1'/><expect outcome='success' type='quality' value='7'><resource/></expect>\
        <result outcome='failure'/></query><query><formula/></query>\
        <query><formula>Pr[&lt;=1](&lt;&gt; n)</formula></query></queries></nta>";
    let read = |name: &str, text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new(name, text));
        let (document, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
        assert!(!diagnostics.has_errors(), "{text}");
        document
    };
    let document = read("m.xml", text);
    let headings: Vec<bool> = document.queries.entries.iter().map(|e| e.is_heading()).collect();
    assert_eq!(headings, [true, false, true, false]);
    let numbers: Vec<u32> = document.queries.entries.iter().map(|e| e.index).collect();
    assert_eq!(numbers, [0, 1, 0, 2]);
    let entry = &document.queries.entries[1];
    assert_eq!((entry.index, entry.text.as_str()), (1, "E<> n and m"));
    assert_eq!(entry.options, [("--a".to_owned(), "1".to_owned())]);
    let expect = entry.expect.as_ref().unwrap();
    assert_eq!((expect.outcome.as_str(), expect.value.as_deref()), ("success", Some("7")));
    let xta = print_xta(&document);
    let again = read("m.xta", &xta);
    let headings: Vec<bool> = again.queries.entries.iter().map(|e| e.is_heading()).collect();
    assert_eq!(headings, [true, false, true, false]);
    assert_eq!(again.queries.entries[0].comment, "one");
    assert_eq!(print_xta(&again), xta);
    let xml = print_xml(&document);
    assert_eq!(print_xml(&read("n.xml", &xml)), xml);
}
