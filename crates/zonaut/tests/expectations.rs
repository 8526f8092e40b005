//! `zonaut test`: expectations are read from all sources, compared and reported.

mod support;

use serde_json::Value;
use std::fs;
use support::{Bench, Run};

const MODEL: &str = "\
int i;
process P() { state a, b, c; init a; trans a -> b { }, b -> c { assign i = 1; }; }
system P;
";

fn bench(queries: &str) -> Bench {
    let bench = Bench::new();
    bench.write("m.xta", MODEL);
    bench.write("m.q", queries);
    bench
}

fn check(queries: &str, words: &[&str], code: i32, lines: &[&str]) -> Run {
    let bench = bench(queries);
    let run = bench.run(&[&["test", "m.xta"], words].concat());
    assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
    for line in lines {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    run
}

#[test]
fn queries_beside_a_model_are_compared_with_their_comments() {
    check(
        "E<> P.c /* EXPECT:T */\n/* EXPECT: F */\nA[] P.a\nE<> P.b\n",
        &[],
        0,
        &[
            "m.xta\n    1 passed    E<> P.c\n    2 passed    A[] P.a\n",
            "    3 skipped   E<> P.b  (no expected verdict)\n2 passed, 1 skipped in ",
        ],
    );
}

#[test]
fn models_side_by_side_have_the_output_of_one_after_the_other() {
    let bench = Bench::new();
    for number in 0..7 {
        bench.write(&format!("m{number}.xta"), MODEL);
        let expected = if number == 3 { "F" } else { "T" };
        bench.write(&format!("m{number}.q"), format!("E<> P.c /* EXPECT:{expected} */\n"));
    }
    bench.write("m5.xta", "process");
    let words = |threads| ["test", ".", "--trace", "some", "--threads", threads];
    let one = bench.run(&words("1"));
    let several = bench.run(&words("3"));
    let without_time = |run: &Run| {
        let (text, _) = run.stdout.rsplit_once(" in ").expect("a summary");
        (run.code, text.to_owned(), run.stderr.clone())
    };
    assert_eq!(without_time(&several), without_time(&one));
    assert!(one.stdout.contains("5 passed, 1 failed, 1 error"), "{one:?}");
    assert_eq!(bench.run(&words("0")).code, Some(2));
}

#[test]
fn another_verdict_fails_with_a_run_where_one_is_wanted() {
    check(
        "E<> P.c /* EXPECT:F */\n",
        &["--trace", "shortest"],
        1,
        &[
            "1 failed    E<> P.c  (expected not satisfied, found satisfied)\n  time  delay\n",
            "P.b -> P.c",
        ],
    );
}

#[test]
fn a_limit_leaves_a_test_undecided() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["generate", "fischer", "6", "-o", "f.xta"]).code, Some(0));
    bench.write("f.q", "A[] not (P(1).Critical and P(2).Critical) /* EXPECT:T */\n");
    let run = bench.run(&["test", "f.xta", "--queries", "f.q", "--states", "10"]);
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("expected satisfied, found unknown: "), "{}", run.stdout);
    assert!(run.stdout.contains("0 passed, 1 undecided in "), "{}", run.stdout);
}

#[test]
fn nothing_to_test_is_wrong_input() {
    let run = check("E<> P.c\n", &[], 2, &["1 skipped"]);
    assert!(run.stderr.contains("error: no query has an expected verdict"), "{}", run.stderr);
}

#[test]
fn a_word_that_means_nothing_is_wrong_input() {
    check("E<> P.c /* EXPECT:perhaps */\n", &[], 2, &["`perhaps` is not an outcome"]);
}

#[test]
fn a_result_that_is_not_exact_is_skipped() {
    check(
        "E<> P.c /* EXPECT:maybe_true */\nE<> P.c /* EXPECT:T */\n",
        &[],
        0,
        &["1 skipped", "2 passed"],
    );
}

#[test]
fn models_in_xml_have_expectations() {
    let bench = Bench::new();
    let model = |outcome: &str| {
        format!(
            "<nta><declaration/><template><name>P</name><location id=\"a\"/><init ref=\"a\"/>\
             </template><system>system P;</system><queries><query><formula>E&lt;&gt; P._id0 \
             </formula></query><query><formula>A[] false</formula>\
             <expect outcome=\"{outcome}\" type=\"quality\" value=\"x\"/></query></queries></nta>"
        )
        .replace("P._id0", "true")
    };
    bench.write("good.xml", model("failure"));
    bench.write("bad.xml", model("success"));
    assert_eq!(bench.run(&["test", "good.xml"]).code, Some(0));
    let run = bench.run(&["test", "good.xml", "bad.xml"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("1 passed, 1 failed, 2 skipped in "), "{}", run.stdout);
}

#[test]
fn tables_are_read_with_models_beside_them() {
    let bench = bench("");
    bench.write(
        "t.tsv",
        "model\tquery\texpected\tgrade\nm.xta\tE<> P.c\tsatisfied\tA\nm.xta\tA[] i == 0\tviolated\tB\n",
    );
    bench.write("t.csv", "query,model,expected\n\"E<> P.c, \",m.xta,T\n");
    let run = bench.run(&["test", "t.tsv"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("2 passed in "), "{}", run.stdout);
    // An invalid formula is an error of the model's row, and of the exit code.
    let run = bench.run(&["test", "t.csv"]);
    assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("1 error in "), "{}", run.stdout);
}

#[test]
fn lists_beside_models_have_to_name_their_queries() {
    let bench = bench("E<> P.c\n");
    let list = |formula: &str| {
        format!(
            "model = \"m.xta\"\nqueries = \"m.q\"\n[[query]]\nformula = \"{formula}\"\n\
             verdict = \"satisfied\"\nbecause = \"It can.\"\n"
        )
    };
    bench.write("m.expected.toml", list("E<> P.c"));
    assert_eq!(bench.run(&["test", "m.expected.toml"]).code, Some(0));
    assert_eq!(bench.run(&["test", "."]).code, Some(0));
    bench.write("m.expected.toml", list("E<> P.b"));
    let run = bench.run(&["test", "m.expected.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stdout.contains("an expectation for `E<> P.b`"), "{}", run.stdout);
}

#[test]
fn a_model_that_fails_at_run_time_is_an_error_unless_expected() {
    let bench = Bench::new();
    let model = "int[0, 1] i; process P() { state a; init a; trans a -> a { assign i = 2; }; } \
                 system P;";
    bench.write("m.xta", model);
    bench.write("m.q", "A[] i == 0 /* EXPECT:T */\n");
    assert_eq!(bench.run(&["test", "m.xta"]).code, Some(5));
    bench.write("m.q", "A[] i == 0 /* EXPECT:error */\n");
    assert_eq!(bench.run(&["test", "m.xta"]).code, Some(0));
}

#[test]
fn results_are_objects_and_a_summary() {
    let bench = bench("E<> P.c /* EXPECT:T */\nA[] P.a /* EXPECT:T */\n");
    let run = bench.run(&["test", "m.xta", "missing.xta", "--json"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let lines: Vec<Value> = run.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let results: Vec<&Value> = lines[..3].iter().map(|line| &line["result"]).collect();
    assert_eq!(results, ["passed", "failed", "error"]);
    assert_eq!(
        (&lines[0]["expected"], &lines[0]["certified"]),
        (&"satisfied".into(), &true.into())
    );
    assert_eq!(lines[2]["reason"], "there is no such file");
    assert_eq!(lines[3]["summary"]["tests"], 3);
}

#[test]
fn a_report_for_build_servers_is_written() {
    let bench = bench("E<> P.c /* EXPECT:T */\nA[] P.a /* EXPECT:T */\n");
    let run = bench.run(&["test", "m.xta", "--junit", "report.xml"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report = fs::read_to_string(bench.path("report.xml")).unwrap();
    assert!(report.contains("<testsuites name=\"zonaut\" tests=\"2\" failures=\"1\" errors=\"0\""));
    assert!(report.contains("name=\"1: E&lt;&gt; P.c\""), "{report}");
    assert_eq!(bench.run(&["test", "m.xta", "--junit", "none/report.xml"]).code, Some(2));
}

#[test]
fn unexpected_verdicts_and_diagnostics_are_annotated_at_their_places() {
    let bench = bench("E<> P.c /* EXPECT:T */\nA[] P.a /* EXPECT:T */\n");
    let run = bench.run(&["test", "m.xta", "none.xta", "--format", "github"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let annotations: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("::")).collect();
    let expected = "A[] P.a: expected satisfied, found not satisfied";
    assert_eq!(annotations.len(), 2, "{}", run.stdout);
    assert_eq!(
        annotations[0],
        format!("::error file=m.q,line=2,col=1,title=Query 2 failed::{expected}")
    );
    assert!(annotations[1].starts_with("::error file=none.xta,title="), "{}", annotations[1]);
    assert_eq!(bench.run(&["test", "m.xta", "--format", "github", "--json"]).code, Some(2));
    let broken = "process P() { state a; init a; trans a -> b { }; }\nsystem P;\n";
    fs::write(bench.path("broken.xta"), broken).unwrap();
    let run = bench.run(&["test", "broken.xta", "--format", "github"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let annotations: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(annotations.len(), 1, "{}", run.stdout);
    assert!(annotations[0].starts_with("::error file=broken.xta,line=1,col="), "{}", run.stdout);
}

#[test]
fn the_models_of_the_repository_are_as_expected() {
    let bench = Bench::new();
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let run = bench.run(&["test", models, "--certify", "never"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}
