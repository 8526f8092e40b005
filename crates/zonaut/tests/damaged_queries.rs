//! A query with an error is not answered, and neither is another query in its place (pitfall P67,
//! `lexical-error-answered`): an illegal character was dropped, a number that is too large was read
//! as 0 and an open string was skipped, and the rest was answered with exit code 0 or 1.
#![cfg(unix)]

mod support;

use support::{Bench, Run};

/// Parts of queries with lexical errors, each with the code of its error.
const DAMAGED: [(&str, &str); 11] = [
    ("A[] \u{ac}P.crash", "TA0101"),
    ("E<> P.safe @", "TA0101"),
    ("E<> P.safe \u{a0}", "TA0101"),
    ("E<> v >= 99999999999", "TA0104"),
    ("A[] v <= 2147483648", "TA0104"),
    ("E<> P.safe \" and false", "TA0103"),
    ("E<> P.safe /* and false", "TA0102"),
    ("/* E<> P.safe", "TA0102"),
    ("Pr[<=10](<> P.safe) @", "TA0101"),
    ("E<> P.safe \\// and false", "TA0101"),
    ("E<> P.safe\\/* and false */", "TA0101"),
];

/// Queries that become correct if a part of their text is ignored.
const RIGHT: &str = "E<> P.safe";

const PROCESS: &str = "int v; process P() { state safe, crash; init safe; }";

/// A folder with the model in XTA.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("m.xta", format!("{PROCESS}\nsystem P;\n"));
    bench
}

/// Expects an error of this code, an exit code, and no verdict but that of [`RIGHT`], if any.
#[track_caller]
fn refused(run: &Run, exit: i32, code: &str, query: &str) {
    assert_eq!(run.code, Some(exit), "{query}: {run:?}");
    assert!(run.stderr.contains(code), "{query}: {run:?}");
    assert!(!run.stdout.contains("not satisfied"), "{query}: {run:?}");
}

/// The lines that have the verdict `error`.
fn error_rows(run: &Run) -> usize {
    run.stdout.lines().filter(|line| line.contains(" \u{2717} error ")).count()
}

#[test]
fn formulas_of_verify_have_a_row_with_an_error() {
    let bench = bench();
    for (query, code) in DAMAGED {
        let run = bench.run(&["verify", "m.xta", "-q", query, "-q", RIGHT]);
        refused(&run, 2, code, query);
        assert_eq!(error_rows(&run), 1, "{query}: {run:?}");
        // An open comment or string of one formula does not extend to the next.
        assert!(
            run.stdout.contains("  2 \u{2713} satisfied      E<> P.safe  "),
            "{query}: {run:?}"
        );
    }
}

#[test]
fn lists_of_queries_have_a_row_with_an_error() {
    let bench = bench();
    for (query, code) in DAMAGED {
        bench.write("m.q", format!("{RIGHT}\n{query}\n"));
        let run = bench.run(&["verify", "m.xta", "m.q"]);
        refused(&run, 2, code, query);
        assert_eq!(error_rows(&run), 1, "{query}: {run:?}");
        assert!(
            run.stdout.contains("  1 \u{2713} satisfied      E<> P.safe  "),
            "{query}: {run:?}"
        );
    }
}

#[test]
fn queries_inside_of_models_have_a_row_with_an_error() {
    let bench = Bench::new();
    for (query, code) in DAMAGED {
        bench.write("q.xta", format!("{PROCESS}\nsystem P;\nquery {{\n{RIGHT}\n{query}\n}}\n"));
        let escaped = query.replace('<', "&lt;").replace('>', "&gt;");
        let location = |id: &str| format!("<location id=\"{id}\"><name>{id}</name></location>");
        bench.write(
            "q.xml",
            format!(
                "<nta><declaration>int v;</declaration><template><name>P</name>{}{}\
                 <init ref=\"safe\"/></template><system>system P;</system><queries><query>\
                 <formula>E&lt;&gt; P.safe</formula></query><query><formula>{escaped}</formula>\
                 </query></queries></nta>",
                location("safe"),
                location("crash")
            ),
        );
        for model in ["q.xta", "q.xml"] {
            let run = bench.run(&["verify", model]);
            refused(&run, 2, code, query);
            assert_eq!(error_rows(&run), 1, "{model}: {query}: {run:?}");
            assert!(
                run.stdout.contains("  1 \u{2713} satisfied      E<> P.safe  "),
                "{query}: {run:?}"
            );
            let run = bench.run(&["verifyta", model]);
            assert_eq!(run.code, Some(1), "{model}: {query}: {run:?}");
            assert_eq!(run.stdout.matches(" -- Formula is").count(), 1, "{query}: {run:?}");
        }
    }
}

#[test]
fn records_for_programs_have_the_verdict_error() {
    let bench = bench();
    for (query, code) in DAMAGED {
        let run = bench.run(&["verify", "m.xta", "--json", "-q", query]);
        refused(&run, 2, code, query);
        let record: serde_json::Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{query}: {why}"));
        assert_eq!(record["verdict"], "error", "{query}");
        bench.write("m.q", query);
        let run = bench.run(&["check", "m.xta", "m.q", "--json"]);
        assert_eq!(run.code, Some(2), "{query}: {run:?}");
        let record: serde_json::Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{query}: {why}"));
        assert_eq!(record["ok"], false, "{query}");
        assert_eq!(record["diagnostics"][0]["code"], code, "{query}: {run:?}");
    }
}

#[test]
fn check_optimize_and_verifyta_refuse_them() {
    let bench = bench();
    for (query, code) in DAMAGED {
        bench.write("m.q", query);
        let run = bench.run(&["check", "m.xta", "m.q"]);
        refused(&run, 2, code, query);
        assert!(run.stdout.contains("    has an error\n"), "{query}: {run:?}");
        for words in [["optimize", "m.xta", "-q", query], ["optimize", "m.xta", "m.q", "--json"]] {
            let run = bench.run(&words);
            refused(&run, 2, code, query);
            assert_eq!(run.stdout, "", "{query}: {run:?}");
        }
        let run = bench.run(&["verifyta", "m.xta", "m.q"]);
        assert_eq!(run.code, Some(1), "{query}: {run:?}");
        assert!(run.stderr.contains("[error]"), "{query}: {run:?}");
        assert!(!run.stdout.contains("satisfied"), "{query}: {run:?}");
    }
}

/// The second line was joined to the comment at the end of the first, and lost with it.
#[test]
fn a_formula_of_several_lines_is_read_to_its_end() {
    let bench = bench();
    let run = bench.run(&["verify", "m.xta", "-q", "E<> P.safe // here\n and false"]);
    assert_eq!(run.code, Some(1), "{run:?}");
}
