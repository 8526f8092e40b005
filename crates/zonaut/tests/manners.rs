//! The user interface: input from pipes, help, colours, comparisons, interruptions.

#![cfg(unix)]

mod support;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use support::{Bench, Run};
use zonaut::{Console, Status};

const LAMP: &str = "clock x; process Lamp() { state off, on { x <= 5 }; init off;
    trans off -> on { assign x = 0; }, on -> off { guard x == 5; }; }
    system Lamp;\n";

/// Runs the binary with this input.
fn piped(bench: &Bench, words: &[&str], input: &str) -> Run {
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be run");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(input.as_bytes()).expect("a reader");
    drop(pipe);
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_model_or_its_queries_may_come_through_a_pipe() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let run = piped(&bench, &["verify", "-", "-q", "E<> Lamp.on"], LAMP);
    assert!(run.code == Some(0) && run.stdout.contains("satisfied"), "{run:?}");
    let run = piped(&bench, &["verify", "lamp.xta", "-"], "E<> Lamp.on and x > 4\n");
    assert!(run.code == Some(0) && run.stdout.contains("satisfied"), "{run:?}");
    let run = piped(&bench, &["check", "/dev/stdin"], LAMP);
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = piped(&bench, &["check", "-"], "clock x\n");
    assert!(run.code == Some(2) && run.stderr.contains("<stdin>:1"), "{run:?}");
    let run = piped(&bench, &["verify", "-", "-"], LAMP);
    assert!(
        run.code == Some(2) && run.stderr.contains("both the model and its queries"),
        "{run:?}"
    );
    let line = "zonaut=$0; $zonaut verify <(cat lamp.xta) -q 'E<> Lamp.on'";
    let mut shell = bench.command("bash");
    let run = bench.finish(shell.args(["-c", line, env!("CARGO_BIN_EXE_zonaut")]));
    assert!(run.code == Some(0) && run.stdout.contains("satisfied"), "{run:?}");
}

#[test]
fn a_formula_in_place_of_a_file_is_explained() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let run = bench.run(&["verify", "lamp.xta", "E<> Lamp.on"]);
    assert!(run.code == Some(2) && run.stderr.contains("= help: give formulas with -q"), "{run:?}");
    let run = bench.run(&["verify", "lamp.xta", "missing.q"]);
    assert!(run.code == Some(2) && !run.stderr.contains("help"), "{run:?}");
}

#[test]
fn a_model_without_queries_uses_its_query_file() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    assert_eq!(bench.run(&["verify", "lamp.xta"]).code, Some(2));
    bench.write("lamp.q", "A[] x <= 5 or Lamp.off\n");
    let run = bench.run(&["verify", "lamp.xta"]);
    assert!(run.code == Some(0) && run.stdout.contains("A[] x <= 5 or Lamp.off"), "{run:?}");
    assert!(bench.run(&["check", "lamp.xta"]).stdout.contains("queries           1"));
    let formula = bench.run(&["verify", "lamp.xta", "-q", "E<> Lamp.on"]);
    assert!(!formula.stdout.contains("A[]"), "{formula:?}");
    bench.write("own.xta", format!("{LAMP} query {{ E<> Lamp.on\n }}"));
    bench.write("own.q", "E<> Lamp.off\n");
    let own = bench.run(&["verify", "own.xta"]);
    assert!(own.stdout.contains("E<> Lamp.on") && !own.stdout.contains("E<> Lamp.off"), "{own:?}");
}

/// The results on a terminal of this width, with or without colours.
fn on_terminal(words: &[&str], width: usize, colours_results: bool) -> String {
    let words: Vec<OsString> = ["zonaut"].iter().chain(words).map(OsString::from).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console {
        out: &mut out,
        err: &mut err,
        colour: !colours_results,
        colours_results,
        width: Some(width),
    };
    assert_eq!(zonaut::run(&words, &mut console), Status::Success);
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn lines_fit_the_terminal() {
    let bench = Bench::new();
    let lamp = bench.write("lamp.xta", LAMP);
    let formula = format!("A[] Lamp.off{}", " || x < 7".repeat(12));
    let verify = ["verify", &lamp.display().to_string(), "-q", &formula, "--certify", "never"];
    let asked: [&[&str]; 5] = [
        &["verify", "--help"],
        &["test", "-h"],
        &["verify", "--help-limits"],
        &["strategies"],
        &verify,
    ];
    for words in asked {
        let text = on_terminal(words, 70, false);
        let is_command = |line: &&str| line.trim_start().starts_with("zonaut ");
        let widest = text.lines().filter(|line| !is_command(line)).map(|line| line.chars().count());
        assert!((50..=70).contains(&widest.max().unwrap_or(0)), "{text}");
        let joined = |text: &str| text.split_whitespace().collect::<String>();
        let whole = on_terminal(words, 10_000, false);
        assert!(words == verify || joined(&text) == joined(&whole), "{text}");
    }
}

#[test]
fn help_is_coloured_by_where_it_goes() {
    assert!(on_terminal(&["verify", "-h"], 80, true).contains("\x1b["));
    assert!(!on_terminal(&["verify", "-h"], 80, false).contains("\x1b["));
}

#[test]
fn a_terminal_is_told_how_to_see_a_counterexample() {
    let bench = Bench::new();
    let lamp = bench.write("lamp.xta", LAMP).display().to_string();
    let help = |formula: &str, more: &[&str], width: Option<usize>| {
        let words = [&["zonaut", "verify", &lamp, "-q", formula, "--certify", "never"], more];
        let words: Vec<OsString> = words.concat().iter().map(OsString::from).collect();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console { width, ..Console::plain(&mut out, &mut err) };
        assert_ne!(zonaut::run(&words, &mut console), Status::Bug);
        String::from_utf8(err).expect("UTF-8").contains("`--trace` shows the counterexample")
    };
    assert!(help("A[] Lamp.off", &[], Some(80)));
    assert!(!help("A[] Lamp.off", &[], None));
    assert!(!help("A[] Lamp.off", &["--trace"], Some(80)));
    assert!(!help("A[] Lamp.off", &["--json"], Some(80)));
    assert!(!help("E<> Lamp.on", &[], Some(80)));
}

#[test]
fn limits_on_inputs_have_a_help_of_their_own() {
    let bench = Bench::new();
    for command in ["verify", "check", "convert", "test", "optimize", "race", "serve"] {
        for flag in ["-h", "--help"] {
            let help = bench.run(&[command, flag]).stdout;
            assert!(help.contains("--help-limits") && !help.contains("--max-"), "{help}");
        }
    }
    let limits = bench.run(&["verify", "--help-limits"]);
    assert_eq!(limits.code, Some(0), "{limits:?}");
    assert_eq!(limits.stdout.matches("--max-").count(), 14, "{}", limits.stdout);
    bench.write("lamp.xta", LAMP);
    let run = bench.run(&["check", "lamp.xta", "--max-clocks", "0"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn colours_are_used_where_they_are_wanted() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let ask = |more: &[&str]| {
        let words = ["verify", "lamp.xta", "-q", "E<> Lamp.on", "--trace", "some"];
        bench.run(&[&words, more].concat()).stdout
    };
    assert!(!ask(&[]).contains('\x1b') && !ask(&["--color", "never"]).contains('\x1b'));
    let coloured = ask(&["--color=always"]);
    assert!(coloured.contains("\x1b[1;32m\u{2713} satisfied"), "{coloured}");
    let wrong = bench.run(&["check", "none.xta", "--colour", "always"]);
    assert!(wrong.stderr.contains("\x1b[1;31merror"), "{wrong:?}");
}

#[test]
fn comments_on_queries_are_shown_with_answers() {
    let bench = Bench::new();
    let model = "<nta><template><name>P</name><location id=\"a\"><name>a</name></location>\
        <init ref=\"a\"/></template><system>system P;</system><queries><query>\
        <formula>A[] P.a</formula><comment>It stays.\n\x1b[31m\n</comment></query></queries></nta>";
    bench.write("m.xml", model.replace('\x1b', "&#x9b;"));
    let run = bench.run(&["verify", "m.xml"]);
    assert!(run.stdout.contains("\n      It stays.\n"), "{run:?}");
    assert!(!run.stdout.contains('\u{9b}'), "{run:?}");
}

#[test]
fn a_replaced_strategy_is_reported() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let words = ["verify", "lamp.xta", "-q", "E<> Lamp.on", "--trace", "shortest"];
    let run = bench.run(&[&words[..], &["--strategy", "dfs"]].concat());
    assert!(
        run.stderr.contains("`dfs` does not guarantee a shortest path; `bfs` was used"),
        "{run:?}"
    );
    let run = bench.run(&[&words[..], &["--strategy", "bfs"]].concat());
    assert_eq!(run.stderr, "", "{run:?}");
}

#[test]
fn a_race_has_a_row_for_each_strategy_and_they_agree() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let queries = ["-q", "E<> Lamp.on and x > 2", "-q", "A[] Lamp.off"];
    let words = [&["race", "lamp.xta", "bfs", "dfs", "greedy(hu)"][..], &queries].concat();
    let run = bench.run(&words);
    assert_eq!(run.code, Some(1), "{run:?}");
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(rows.len(), 13, "{run:?}");
    assert!(rows[0] == "E<> Lamp.on and x > 2" && rows[7] == "A[] Lamp.off", "{run:?}");
    let is_named = |row: &str| row.trim_start().split(' ').skip(1).eq(["decided", "first"]);
    assert!(is_named(rows[5]) && is_named(rows[12]), "{run:?}");
    for (row, name) in [(2, "bfs"), (3, "dfs"), (4, "greedy(hu)")] {
        assert!(rows[row].trim_start().starts_with(name) && rows[row].contains(" satisfied "));
        assert!(rows[row + 7].contains(" not satisfied "), "{run:?}");
    }
    let run = bench.run(&[&words[..], &["--json"]].concat());
    assert_eq!(run.stdout.lines().count(), 6, "{run:?}");
    for line in run.stdout.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(record["explored"].is_number() && record["strategy"].is_string(), "{record}");
    }
    let run = bench.run(&["race", "lamp.xta", "bfs", "-q", "E<> Lamp.off", "--states", "0"]);
    assert!(run.stdout.contains("bfs"), "{run:?}");
    assert_eq!(bench.run(&["race", "lamp.xta", "bsf"]).code, Some(2));
    let run = bench.run(&[&words[..], &["--report", "race.html"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    let page = std::fs::read_to_string(bench.path("race.html")).expect("a page");
    // Searches below a tenth of a second have no charts, unless the machine is very busy.
    assert!(page.matches(" decided first: ").count() == 2, "{page}");
    assert!(page.contains("too short for charts") || page.contains("<svg"), "{page}");
    assert!(page.contains("<td>greedy(hu)</td><td>not satisfied</td>"), "{page}");
}

#[test]
fn suggestions_are_near_in_spelling_and_of_the_right_kind() {
    let bench = Bench::new();
    let check = |model: &str, expected: &str| {
        bench.write("m.xta", model);
        let run = bench.run(&["check", "m.xta"]);
        assert!(run.code == Some(2) && run.stderr.contains(expected), "{run:?}");
        run.stderr
    };
    check(&LAMP.replace("-> off {", "-> ofd {"), "did you mean `off`?");
    let other = check(&LAMP.replace("guard x", "guard z"), "unknown name `z`");
    assert!(!other.contains("did you mean"), "{other}");
    let one = check(&LAMP.replace("clock x;", "clock x\n"), "`;` is missing here");
    assert!(one.ends_with("1 error\n"), "{one}");
}

#[test]
fn a_constant_that_is_none_is_shown_where_it_was_set() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let run = bench.run(&["check", "lamp.xta", "-D", "N=3", "-D", "Lam=4"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("--> --define:1:1\n  |\n1 | N=3\n  | ^"), "{run:?}");
    assert!(run.stderr.contains("--> --define:2:1\n  |\n2 | Lam=4\n  | ^^^"), "{run:?}");
}

#[test]
fn every_command_with_a_search_writes_reports() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let run = bench.run(&["optimize", "lamp.xta", "-q", "E<> Lamp.on", "--report", "o.html"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = bench.run(&["explore", "lamp.xta", "--report", "e.html"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let page = |name: &str| std::fs::read_to_string(bench.path(name)).expect("a page");
    assert!(page("o.html").contains("optimal") && page("o.html").contains("<dt>cost</dt>"));
    assert!(page("e.html").contains("<span class=\"verdict good\">explored</span>"));
    assert!(page("e.html").contains("<dt>unreachable locations</dt><dd>0</dd>"));
    // A finding is not good news.
    let dead = "process P() { state a, b; init a; trans a -> b { guard false; }; } system P;";
    bench.write("dead.xta", dead);
    bench.run(&["explore", "dead.xta", "--report", "d.html"]);
    let found = "<span class=\"verdict open\">deadlock</span> A deadlock is reachable, in the initial \
                 state, 1 unreachable location, 1 edge never taken.";
    assert!(page("d.html").contains(found), "{}", page("d.html"));
    bench.write("dead.xta", dead.replace("a -> b", "a -> a { }, a -> b"));
    bench.run(&["explore", "dead.xta", "--report", "d.html"]);
    let found = "<span class=\"verdict open\">explored</span> 1 unreachable location, ";
    assert!(page("d.html").contains(found), "{}", page("d.html"));
}

/// Sends a signal to a process, or to its group if the number is negative.
fn signal(target: i64) {
    let status = Command::new("kill").args(["-INT", "--", &target.to_string()]).status();
    assert!(status.expect("kill can be run").success());
}

#[test]
fn an_explorer_is_served_until_it_is_interrupted() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["serve", "lamp.xta"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary can be run");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let url = lines.next().expect("a line").expect("text");
    let rest = url.strip_prefix("http://127.0.0.1:").expect("the loopback address");
    let (port, token) = rest.split_once("/#").expect("a secret");
    assert_eq!(token.len(), 32, "{url}");
    let port: u16 = port.parse().expect("a port");
    std::net::TcpStream::connect(("127.0.0.1", port)).expect("a listener");
    signal(i64::from(child.id()));
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "no listener is left");
    assert_eq!(bench.run(&["serve", "none.xta"]).code, Some(2));
}

#[test]
fn an_interrupted_bench_shows_finished_rows() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let endless = "int[0,30000] a, b, c; process P() { state s; init s; trans
        s -> s { guard a < 30000; assign a = a + 1; }, s -> s { guard b < 30000; assign b = b + 1; },
        s -> s { guard c < 30000; assign c = c + 1; }; } system P;";
    bench.write("endless.xta", endless);
    bench.write(
        "suite.toml",
        "title = \"Two\"\n[limits]\ntime = 300\n\
         [[run]]\nname = \"quick\"\nmodel = \"lamp.xta\"\nexplore = true\n\
         [[run]]\nname = \"slow\"\nmodel = \"endless.xta\"\nexplore = true\n",
    );
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["bench", "suite.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.process_group(0).spawn().expect("the binary can be run");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let second = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("[2/2]"));
    assert!(second.is_some(), "the second run begins");
    signal(-i64::from(child.id()));
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(rest, ["interrupted: 1 of 2 runs are missing"]);
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("quick") && !text.contains("slow"), "{text}");
}
