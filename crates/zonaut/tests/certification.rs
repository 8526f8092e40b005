//! Certificates on the command line: written completely or not at all, checked by another process.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Bench, Run};

const LAMP: &str = "\
clock x;
process Lamp() {
    state off, on { x <= 5 }, broken;
    init off;
    trans off -> on { assign x = 0; }, on -> off { guard x == 5; }, on -> broken { guard x > 5; };
}
system Lamp;
";

const FAILING: &str = "\
int[0,1] v;
process P() { state a, b; init a; trans a -> a { assign v = v + 1; }, b -> a { }; }
system P;
";

fn records(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// No process writes the value that the observer waits for.
const OBSERVED: &str = "\
int[0,9] flag = 0;
int[0,9] count = 0;
process Counter() { state a; init a; trans a -> a { assign count = (count + 1) % 10; }; }
process Observer() {
    state waiting, alarmed;
    init waiting;
    trans waiting -> waiting { guard flag < 3; assign flag = flag + 1; },
          waiting -> alarmed { guard flag == 7; };
}
system Counter, Observer;
";

/// A folder with the lamp, and a certificate that it never breaks.
fn lamp_and_certificate() -> Bench {
    let bench = Bench::new();
    bench.write("m.xta", LAMP);
    let words = ["verify", "m.xta", "-q", "E<> Lamp.broken", "--certificate", "c.cert"];
    let run = bench.run(&words);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), "wrote c.cert\n"), "{run:?}");
    assert!(run.stdout.trim_end().ends_with("  certified"), "{run:?}");
    bench
}

/// Replaces a text in a certificate and updates its digest.
fn tamper(bench: &Bench, old: &str, new: &str) {
    let text = fs::read_to_string(bench.path("c.cert")).expect("a certificate");
    let body = &text[..text.rfind("end sha256:").expect("a last line")];
    assert!(body.contains(old), "{body}");
    bench.write("c.cert", zonaut_certify::seal(body.replacen(old, new, 1)));
}

/// Checks the certificate of the lamp: exit code and answer, as text and as JSON.
#[track_caller]
fn check(bench: &Bench, words: &[&str], code: i32, answer: &str) {
    let run = bench.run(&[&["certify", "m.xta", "c.cert"], words].concat());
    assert_eq!(run.code, Some(code), "{run:?}");
    assert!(run.stdout.starts_with(&answer.replace('_', " ")), "{run:?}");
    let run = bench.run(&[&["certify", "m.xta", "c.cert", "--json"], words].concat());
    assert_eq!(run.code, Some(code), "{run:?}");
    assert_eq!(records(&run)[0]["answer"], answer);
}

#[test]
fn a_certificate_is_accepted_for_its_own_model_and_query() {
    let bench = lamp_and_certificate();
    check(&bench, &[], 0, "accepted");
    check(&bench, &["-q", "E<> Lamp.broken"], 0, "accepted");
    check(&bench, &["-q", "E<> Lamp.on"], 2, "wrong_model");
    bench.write("m.xta", LAMP.replace("x > 5", "x >= 5"));
    check(&bench, &[], 2, "wrong_model");
}

#[test]
fn dead_ends_of_a_heuristic_are_certified_without_exploration() {
    let bench = Bench::new();
    bench.write("m.xta", OBSERVED);
    let goal = ["-q", "E<> Observer.alarmed", "--strategy", "astar(hl)", "--certify", "always"];
    let run = bench.run(&[&["verify", "m.xta", "--certificate", "c.cert"], &goal[..]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.trim_end().ends_with("  certified"), "{run:?}");
    let text = fs::read_to_string(bench.path("c.cert")).unwrap();
    assert!(text.contains("values 0 0..3\n") && text.contains("nodes 1\n"), "{text}");
    check(&bench, &[], 0, "accepted");
    tamper(&bench, "values 0 0..3", "values 0 0..2");
    check(&bench, &[], 4, "rejected");
}

/// The twins are always equal, which ranges of values do not prove, and the counter has a thousand
/// million states.
const TWINS: &str = "\
int[0,999] a, b, c;
bool p, q;
process Counter() {
    state s;
    init s;
    trans s -> s { assign a = (a + 1) % 1000; }, s -> s { assign b = (b + 1) % 1000; },
          s -> s { assign c = (c + 1) % 1000; };
}
process Twins() {
    state s, t;
    init s;
    trans s -> s { assign p = !p, q = !q; }, s -> t { guard p != q; };
}
system Counter, Twins;
";

#[test]
fn unrequested_certificates_have_a_short_time_limit() {
    let bench = Bench::new();
    bench.write("m.xta", TWINS);
    let ask = ["verify", "m.xta", "-q", "E<> Twins.t", "--strategy", "astar(rd)", "-v"];
    // The heuristic decides at once; the certificate needs all states.
    let run = bench.run(&ask);
    assert_eq!(run.code, Some(1), "{run:?}");
    let why = "uncertified: certification would take longer than three times the search; \
               `--certify always` waits for it";
    assert!(run.stdout.contains("      0 explored") && run.stdout.contains(why), "{run:?}");
    // With a limit or a requested certificate, that is reported instead.
    let short = bench.run(&[&ask[..], &["--time", "0.5"]].concat());
    assert_eq!(short.code, Some(1), "{short:?}");
    assert!(short.stdout.contains("uncertified: time limit"), "{short:?}");
    let always = bench.run(&[&ask[..], &["--time", "0.5", "--certify", "always"]].concat());
    assert_eq!(always.code, Some(3), "{always:?}");
    assert!(always.stdout.contains("uncertified: time limit"), "{always:?}");
}

#[test]
fn a_tampered_certificate_is_rejected_or_malformed() {
    let bench = lamp_and_certificate();
    let text = fs::read_to_string(bench.path("c.cert")).unwrap();
    bench.write("c.cert", text.replacen("node 0 0", "node 0 1", 1));
    check(&bench, &[], 2, "malformed");
    bench.write("c.cert", &text[..text.len() / 2]);
    check(&bench, &[], 2, "malformed");
    bench.write("c.cert", &text);
    tamper(&bench, "node 0 0", "node 0 2");
    check(&bench, &[], 4, "rejected");
}

/// A counter with 10,000 states, whose certificate is packed.
const COUNTER: &str = "
    int[0,9999] v; clock x;
    process P() { state a; init a; trans a -> a { guard v < 9999 && x >= 1; assign v++, x = 0; }; }
    system P;";

#[test]
fn a_packed_certificate_is_accepted_unless_it_is_damaged() {
    let bench = Bench::new();
    bench.write("m.xta", COUNTER);
    let ask = ["verify", "m.xta", "-q", "A[] v < 10000 || x < 0", "--strategy", "bfs"];
    let run = bench.run(&[&ask[..], &["--certificate", "c.cert"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("  certified\n"), "{run:?}");
    check(&bench, &[], 0, "accepted");
    let bytes = fs::read(bench.path("c.cert")).unwrap();
    assert!(bytes.windows(20).any(|window| window == b"\npacked 10000 10000\n"));
    for length in [bytes.len() / 2, bytes.len() - 2] {
        bench.write("c.cert", &bytes[..length]);
        check(&bench, &[], 2, "malformed");
    }
}

/// The disk is full before everything is written.
#[cfg(target_os = "linux")]
#[test]
fn a_packed_certificate_that_cannot_be_written_leaves_the_answer() {
    let bench = Bench::new();
    bench.write("m.xta", COUNTER);
    let ask = ["verify", "m.xta", "-q", "A[] v < 10000 || x < 0", "--strategy", "bfs"];
    let run = bench.run(&[&ask[..], &["--certificate", "/dev/full"]].concat());
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("the certificate cannot be written"), "{run:?}");
    assert!(run.stdout.contains(" satisfied "), "the answer itself is known: {run:?}");
}

#[test]
fn a_query_is_found_by_its_number() {
    let bench = lamp_and_certificate();
    bench.write("m.xta", format!("{LAMP} query {{ E<> Lamp.on }} query {{ E<> Lamp.broken }}"));
    check(&bench, &["--query-index", "2"], 0, "accepted");
    check(&bench, &["--query-index", "1"], 2, "wrong_model");
    assert_eq!(bench.run(&["certify", "m.xta", "c.cert", "--query-index", "3"]).code, Some(2));
    assert_eq!(bench.run(&["certify", "m.xta", "none.cert"]).code, Some(2));
    assert_eq!(bench.run(&["certify", "m.xta", "."]).code, Some(2));
}

#[test]
fn certificates_do_not_change_the_exploration() {
    let bench = Bench::new();
    bench.write("m.xta", LAMP);
    let ask = |when: &str| {
        let queries = ["-q", "E<> Lamp.on", "-q", "E<> Lamp.broken"];
        let run =
            bench.run(&[&["verify", "m.xta", "--json", "--certify", when], &queries[..]].concat());
        assert_eq!(run.code, Some(1), "{run:?}");
        let records = records(&run);
        let numbers = |record: &Value| {
            ["verdict", "explored", "stored", "search_bytes", "transitions"]
                .map(|key| record[key].clone())
        };
        let reasons: Vec<Value> = records.iter().map(|r| r["uncertified_reason"].clone()).collect();
        let certified: Vec<bool> = records.iter().map(|r| r["certified"] == true).collect();
        (records.iter().map(numbers).collect::<Vec<_>>(), certified, reasons)
    };
    let (always, auto, never) = (ask("always"), ask("auto"), ask("never"));
    assert_eq!((&always.0, &auto.0), (&never.0, &never.0));
    assert_eq!((always.1, auto.1, never.1), (vec![true; 2], vec![true; 2], vec![false; 2]));
    assert_eq!(never.2, ["not requested"; 2]);
}

#[test]
fn failures_are_certified_and_undecided_queries_have_nothing_to_certify() {
    let bench = Bench::new();
    bench.write("m.xta", FAILING);
    let words = ["-q", "E<> P.b", "-q", "control: A<> P.b", "--json", "--certificate", "f.cert"];
    let run = bench.run(&[&["verify", "m.xta"], &words[..]].concat());
    assert_eq!(run.code, Some(5), "{run:?}");
    let records = records(&run);
    assert_eq!(records[0]["certified"], true, "{run:?}");
    let why = records[1]["uncertified_reason"].as_str().expect("a reason");
    let reason = records[1]["reason"].as_str().expect("a reason");
    assert_eq!(why, format!("nothing to certify: {reason}"));
    assert!(bench.path("f-1.cert").is_file() && !bench.path("f-2.cert").exists());
    assert!(run.stderr.contains("note: query 2 has no certificate"), "{run:?}");
}

#[test]
fn an_inconclusive_search_reports_why_nothing_is_certified() {
    let bench = Bench::new();
    bench.write(
        "m.xta",
        LAMP.replace("guard x > 5", "guard 1 / (y - y) > 0").replace("clock x;", "clock x; int y;"),
    );
    let run = bench.run(&["optimize", "m.xta", "-q", "E<> Lamp.broken", "--json"]);
    let result = records(&run).pop().expect("a result");
    let (why, reason) = (result["uncertified_reason"].as_str(), result["reason"].as_str());
    assert_eq!(result["verdict"], "error", "{run:?}");
    assert_eq!(why, reason.map(|reason| format!("nothing to certify: {reason}")).as_deref());
}

/// Two processes with different rates.
const PRICED: &str = "\
clock x;
process P(const int r) {
    state a { cost' == r }, b { cost' == r };
    init a;
    trans a -> b { guard x >= 3; };
}
A = P(2);
B = P(5);
system A, B;
";

#[test]
fn a_least_cost_is_certified_together_with_its_measure() {
    let bench = Bench::new();
    bench.write("m.xta", PRICED);
    for (rates, measure, cost) in [("sum", "sum", 21), ("min", "least", 6), ("max", "greatest", 15)]
    {
        let words = ["optimize", "m.xta", "-q", "E<> A.b", "--certificate", "c.cert", "--rates"];
        let run = bench.run(&[&words[..], &[rates]].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let words = ["certify", "m.xta", "c.cert", "--json", "--rates"];
        let run = bench.run(&[&words[..], &[rates]].concat());
        let record = &records(&run)[0];
        assert_eq!((run.code, &record["answer"]), (Some(0), &"accepted".into()), "{run:?}");
        assert_eq!((&record["cost"], &record["attained"]), (&cost.into(), &true.into()));
        assert_eq!((&record["measure"], &record["kind"]), (&measure.into(), &"mincost".into()));
        // The same certificate proves nothing about another measure.
        let other = if rates == "sum" { "max" } else { "sum" };
        check(&bench, &["--rates", other], 2, "wrong_model");
    }
}

#[test]
fn a_certificate_that_is_too_large_is_not_read() {
    let bench = Bench::new();
    bench.write("m.xta", LAMP);
    let file = fs::File::create(bench.path("c.cert")).expect("a file");
    // A sparse file: it has no blocks.
    file.set_len(3 << 30).expect("a length");
    let run = bench.run(&["certify", "m.xta", "c.cert", "-q", "E<> Lamp.broken"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("more than 268435456 bytes"), "{run:?}");
    let bench = lamp_and_certificate();
    let size = fs::metadata(bench.path("c.cert")).expect("a certificate").len();
    check(&bench, &["--max-file-size", &size.to_string()], 0, "accepted");
    let small = (size - 1).to_string();
    let run = bench.run(&["certify", "m.xta", "c.cert", "--max-file-size", &small]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains(&format!("more than {small} bytes")), "{run:?}");
}

#[test]
fn a_limit_on_time_ends_a_check() {
    let bench = lamp_and_certificate();
    check(&bench, &["--time", "60", "--memory", "4G"], 0, "accepted");
    check(&bench, &["--time", "0.000001"], 3, "undecided");
}

/// The checker process took such a file for an option.
#[test]
fn a_certificate_file_may_start_with_a_dash() {
    let bench = Bench::new();
    bench.write("m.xta", LAMP);
    let words = ["verify", "m.xta", "-q", "E<> Lamp.broken", "--certificate=-c.cert"];
    let run = bench.run(&words);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), "wrote -c.cert\n"), "{run:?}");
    assert!(run.stdout.trim_end().ends_with("  certified"), "{run:?}");
}

/// A limit of the checker was reported as a malformed text, and that as a bug with exit code 4.
#[test]
fn a_model_with_more_clocks_than_the_checker_takes_is_uncertified_and_no_bug() {
    let bench = Bench::new();
    let many = LAMP.replace("clock x;", "clock many[2500]; clock x;");
    bench.write("m.xta", many);
    let words = ["verify", "m.xta", "-q", "E<> Lamp.broken", "--json", "--certify", "always"];
    let run = bench.run(&words);
    assert_eq!(run.code, Some(1), "{run:?}");
    let record = &records(&run)[0];
    assert_eq!(record["certified"], false, "{run:?}");
    let why = record["uncertified_reason"].as_str().expect("a reason");
    assert_eq!(why, "undecided by the checker: there are more than 2000 clocks");
    // A run has no zones.
    let run = bench.run(&["verify", "m.xta", "-q", "E<> Lamp.on", "--json"]);
    assert_eq!((run.code, &records(&run)[0]["certified"]), (Some(0), &true.into()), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_certificate_replaces_a_symbolic_link_and_not_what_it_points_to() {
    let bench = Bench::new();
    bench.write("m.xta", LAMP);
    bench.write("precious", "precious");
    std::os::unix::fs::symlink(bench.path("precious"), bench.path("c.cert")).expect("a link");
    let words = ["verify", "m.xta", "-q", "E<> Lamp.broken", "--certificate", "c.cert"];
    assert_eq!(bench.run(&words).code, Some(1));
    assert_eq!(fs::read_to_string(bench.path("precious")).expect("a file"), "precious");
    assert!(fs::symlink_metadata(bench.path("c.cert")).expect("a file").is_file());
    check(&bench, &[], 0, "accepted");
}

#[cfg(target_os = "linux")]
#[test]
fn a_certificate_that_cannot_be_written_is_undecided_and_leaves_no_file() {
    let bench = Bench::new();
    bench.write("m.xta", LAMP);
    for target in ["/dev/full", "none/c.cert", "m.xta/c.cert"] {
        for queries in [&["-q", "E<> Lamp.on"][..], &["-q", "E<> true", "-q", "E<> Lamp.on"]] {
            let words = [&["verify", "m.xta", "--certificate", target], queries].concat();
            let run = bench.run(&words);
            assert_eq!(run.code, Some(3), "{words:?} {run:?}");
            assert!(run.stderr.contains("the certificate cannot be written"), "{run:?}");
            assert!(run.stdout.contains(" satisfied "), "the answer itself is known: {run:?}");
        }
    }
    assert_eq!(fs::read_dir(bench.path(".")).unwrap().count(), 1, "only the model is there");
    assert!(!Path::new("/dev/full-1").exists());
}

#[cfg(unix)]
#[test]
fn temporary_files_are_removed_even_if_the_output_is_closed() {
    let bench = Bench::new();
    let model = bench.write("m.xta", LAMP);
    let folder = bench.path("temporary");
    fs::create_dir(&folder).unwrap();
    let script = "\"$0\" verify \"$1\" -q 'E<> Lamp.broken' | true";
    let mut command = bench.command("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_zonaut")]).arg(&model);
    bench.finish(command.env("TMPDIR", &folder));
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["verify", "m.xta", "-q", "E<> Lamp.broken"]).env("TMPDIR", &folder);
    assert_eq!(bench.finish(&mut command).code, Some(1));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    // Without a folder for temporary files the verdict is the same, but not certified.
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["verify", "m.xta", "-q", "E<> Lamp.broken"]).env("TMPDIR", "/nowhere");
    let run = bench.finish(&mut command);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("uncertified: the certificate cannot be written"), "{run:?}");
}

#[test]
fn a_core_text_has_the_first_query_of_the_model() {
    let bench = Bench::new();
    bench.write("m.xta", format!("{LAMP} query {{ E<> Lamp.broken }}"));
    assert_eq!(bench.run(&["convert", "m.xta", "m.core"]).code, Some(0));
    let core = fs::read_to_string(bench.path("m.core")).unwrap();
    assert!(core.starts_with("core 1\n") && core.contains("\nquery possibly\n"), "{core}");
    bench.write("n.xta", LAMP);
    assert_eq!(bench.run(&["convert", "n.xta", "n.core"]).code, Some(0));
    let core = fs::read_to_string(bench.path("n.core")).unwrap();
    assert!(core.contains("\nquery none\n"), "{core}");
    bench.write("wrong.xta", "system P;");
    assert_eq!(bench.run(&["convert", "wrong.xta", "wrong.core"]).code, Some(2));
    assert!(!bench.path("wrong.core").exists());
}

/// The entries of a folder; empty for a file.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The models below a folder, each with a query file if there is one: that of the same name, or the
/// first one in the folder of a model without queries.
fn models(folder: &Path) -> Vec<(PathBuf, Option<PathBuf>)> {
    let mut found = Vec::new();
    let mut queries: Vec<PathBuf> = entries(folder);
    queries.retain(|path| path.extension().is_some_and(|e| e == "q"));
    queries.sort();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(models(&path));
        } else if path.extension().is_some_and(|e| e == "xta" || e == "xml") {
            let own = path.with_extension("q");
            let text = fs::read_to_string(&path).unwrap_or_default();
            let others = queries.first().filter(|_| !text.contains("query")).cloned();
            found.push((path, Some(own).filter(|own| own.is_file()).or(others)));
        }
    }
    found.sort();
    found
}

/// Verifies all models below a folder with these options. Returns the numbers of certified answers
/// and of queries without an answer; all others are estimates of statistical queries.
fn certify_all(folder: &Path, options: &[&str]) -> (usize, usize) {
    let bench = Bench::new();
    let (mut certified, mut undecided) = (0, 0);
    for (model, queries) in models(folder) {
        let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
        command.args(["verify", "--json", "--certify", "always"]).args(options);
        let run = bench.finish(command.arg(&model).args(&queries));
        for record in records(&run) {
            // Random runs prove nothing.
            if record["sample"].is_object() {
                assert_eq!(record["certified"], false, "{} {record}", model.display());
                continue;
            }
            let is_decided = record["verdict"] != "unknown";
            assert_eq!(record["certified"], is_decided, "{} {record}", model.display());
            *if is_decided { &mut certified } else { &mut undecided } += 1;
        }
    }
    (certified, undecided)
}

#[test]
fn every_answer_about_the_models_of_this_repository_is_certified() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (certified, _) = certify_all(&folder, &[]);
    assert!(certified >= 40, "only {certified} answers were certified");
}

#[test]
#[ignore = "takes an hour and needs public models: see docs/PUBLIC-MODELS.md"]
fn every_answer_about_models_of_others_is_certified() {
    let folder = std::env::var_os("ZONAUT_MODELS").expect("ZONAUT_MODELS names a folder of models");
    let (certified, undecided) = certify_all(Path::new(&folder), &["--time", "60"]);
    eprintln!("{certified} answers are certified, {undecided} queries have no answer");
    assert!(certified > 0);
}

#[test]
fn the_selftest_passes() {
    let run = Bench::new().run(&["selftest"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.stdout.ends_with("passed: every verdict is correct and certified\n"), "{run:?}");
}
