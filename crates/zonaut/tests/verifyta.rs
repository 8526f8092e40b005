//! `zonaut verifyta` in scripts for UPPAAL's verifier: the exact content of each stream, and the
//! exit code.

mod support;

use std::fs;
use support::{Bench, Run};

/// Two processes, an integer, a warning, and five queries, one of them a heading.
const LAMP: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>
<nta>
  <declaration>chan press; int[0,9] count; clock x;</declaration>
  <template>
    <name>Lamp</name>
    <location id="id0"><name>off</name></location>
    <location id="id1"><label kind="invariant">x &lt;= 4</label></location>
    <location id="id2"><name>bright</name></location>
    <init ref="id0"/>
    <transition><source ref="id0"/><target ref="id1"/><label kind="synchronisation">press?</label><label kind="assignment">x = 0, count++</label></transition>
    <transition><source ref="id1"/><target ref="id2"/><label kind="guard">x &gt;= 3</label><label kind="synchronisation">press?</label></transition>
    <transition><source ref="id1"/><target ref="id0"/><label kind="guard">x &lt; 3</label></transition>
  </template>
  <template>
    <name>User</name>
    <location id="id3"><name>idle</name></location>
    <init ref="id3"/>
    <transition><source ref="id3"/><target ref="id3"/><label kind="guard">count &lt; 9</label><label kind="synchronisation">press!</label></transition>
  </template>
  <system>system Lamp, User;</system>
  <queries>
    <query><formula>E&lt;&gt; Lamp.bright</formula><comment/></query>
    <query><formula>// only a heading</formula><comment/></query>
    <query><formula>A[] count &lt; 9 || Lamp.bright</formula><comment/></query>
    <query><formula></formula><comment>empty</comment></query>
    <query><formula>A[] not (Lamp.bright &amp;&amp; x &lt; 3)</formula><comment/></query>
  </queries>
</nta>
"#;

const HEADER: &str = "\
Options for the verification:
  Generating no trace
  Search order is breadth first
  Using conservative space optimisation
  Seed is 0
  State space representation uses minimal constraint systems with future testing
";

/// Runs with these words, separated by blanks.
fn run(bench: &Bench, line: &str) -> Run {
    run_with(bench, line, &[])
}

fn run_with(bench: &Bench, line: &str, environment: &[(&str, &str)]) -> Run {
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.env_remove("UPPAAL_COMPILE_ONLY").env_remove("ZONAUT_UPPAAL_VERSION");
    command.arg("verifyta").args(line.split_whitespace()).envs(environment.iter().copied());
    bench.finish(&mut command)
}

fn lamp() -> Bench {
    let bench = Bench::new();
    bench.write("lamp.xml", LAMP);
    bench
}

#[track_caller]
fn check(run: &Run, code: i32, stdout: &str, stderr: &str) {
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (stdout, stderr));
    assert_eq!(run.code, Some(code));
}

const VERDICTS: &str = "
Verifying formula 1 at /nta/queries/query[1]/formula
 -- Formula is satisfied.

Verifying formula 2 at /nta/queries/query[3]/formula
 -- Formula is NOT satisfied.

Verifying formula 3 at /nta/queries/query[5]/formula
 -- Formula is satisfied.
";

#[test]
fn verdicts_are_on_standard_output_and_do_not_decide_the_exit_code() {
    check(&run(&lamp(), "lamp.xml"), 0, &format!("{HEADER}{VERDICTS}"), "");
    check(&run(&lamp(), "-q lamp.xml"), 0, VERDICTS, "");
}

#[test]
fn queries_have_the_numbers_that_verify_gives_them() {
    let bench = lamp();
    let numbers = |text: &str, before: &str| -> Vec<u32> {
        let words = text.lines().filter_map(|line| line.strip_prefix(before));
        words.filter_map(|rest| rest.split_whitespace().next()?.parse().ok()).collect()
    };
    let verified = bench.run(&["verify", "lamp.xml"]).stdout;
    let found = numbers(&verified, "  ");
    assert_eq!(found, [1, 2, 3], "{verified}");
    assert_eq!(numbers(&run(&bench, "-q lamp.xml").stdout, "Verifying formula "), found);
}

#[test]
fn options_stand_anywhere_combined_and_glued() {
    let bench = lamp();
    for line in [
        "-qs lamp.xml",
        "lamp.xml -qs",
        "-q lamp.xml -o0 -S2 -A -C -H27 -n 4 -T -Z -N -U",
        "lamp.xml -sq --search-order 0 --hashtable-size=28 --key 1-2 --lease 168",
        "lamp.xml -q -r 7 --epsilon 0.05 --learning-method -1 -D 0.01",
    ] {
        check(&run(&bench, line), 0, VERDICTS, "");
    }
    for order in ["-o 1", "-o2", "-d", "-b", "-o3", "-o 4"] {
        check(&run(&bench, &format!("-q {order} lamp.xml")), 0, VERDICTS, "");
    }
    let header = run(&bench, "-T -S0 -o1 -r5 -t2 lamp.xml").stdout;
    let expected = "\
Options for the verification:
  Generating fastest trace
  Search order is depth first
  Using no space optimisation
  Using reuse optimisation
  Seed is 5
  State space representation uses minimal constraint systems with future testing
";
    assert!(header.starts_with(expected), "{header}");
}

#[test]
fn one_formula_can_be_chosen() {
    let expected = "
Verifying formula 2 at /nta/queries/query[3]/formula
 -- Formula is NOT satisfied.
";
    check(&run(&lamp(), "-q lamp.xml --query-index 1"), 0, expected, "");
    let none = run(&lamp(), "-q lamp.xml --query-index 3");
    check(&none, 1, "", "verifyta: there is no such formula\n");
}

/// The first `--` was parsed as one of `zonaut` itself, and the file as an option.
#[test]
fn a_file_may_start_with_a_minus_sign_behind_two() {
    let bench = lamp();
    fs::copy(bench.path("lamp.xml"), bench.path("-x.xml")).expect("a copy");
    let expected = run(&bench, "-q lamp.xml");
    let found = run(&bench, "-q -- -x.xml");
    check(&found, 0, &expected.stdout, "");
    let alone = run(&bench, "-- -x.xml");
    assert_eq!((alone.code, alone.stderr.as_str()), (Some(0), ""), "{alone:?}");
}

#[test]
fn formulas_of_a_file_have_its_lines() {
    let bench = lamp();
    bench.write("lamp.q", "// heading\n\nE<> count == 3 // three\nA[] \\\n  count <= 9\n");
    let expected = |places: [&str; 2]| {
        format!(
            "\nVerifying formula 1 at {}\n -- Formula is satisfied.\n\
             \nVerifying formula 2 at {}\n -- Formula is satisfied.\n",
            places[0], places[1]
        )
    };
    check(&run(&bench, "lamp.xml lamp.q -q"), 0, &expected(["lamp.q:3", "lamp.q:4"]), "");
    let old = run_with(&bench, "-q lamp.xml lamp.q", &[("ZONAUT_UPPAAL_VERSION", "4.1")]);
    check(&old, 0, &expected(["line 3", "line 4"]), "");
}

#[test]
fn a_trace_is_the_only_thing_on_standard_error() {
    let bench = lamp();
    let trace = run(&bench, "-qt1 lamp.xml --query-index 0");
    let stdout = "
Verifying formula 1 at /nta/queries/query[1]/formula
 -- Formula is satisfied.
 -- Showing witness trace:
";
    let stderr = "\
State:
( Lamp.off User.idle )
count=0 x=0

Transitions:
  User.idle->User.idle { count < 9, press!, 1 }
  Lamp.off->Lamp._id1 { 1, press?, x = 0, count++ }

State:
( Lamp._id1 User.idle )
count=1 x=0

Delay: 3

Transitions:
  User.idle->User.idle { count < 9, press!, 1 }
  Lamp._id1->Lamp.bright { x >= 3, press?, 1 }

State:
( Lamp.bright User.idle )
count=1 x=3
";
    check(&trace, 0, stdout, stderr);
    let satisfied = run(&bench, "-q -t0 lamp.xml --query-index 2");
    assert_eq!(satisfied.stderr, "");
    let violated = run(&bench, "-q -t 0 lamp.xml --query-index 1");
    assert!(violated.stdout.ends_with(" -- Showing counter example:\n"), "{}", violated.stdout);
    assert!(violated.stderr.starts_with("State:\n( Lamp.off"), "{}", violated.stderr);
}

#[test]
fn symbolic_traces_and_those_of_version_4_look_different() {
    let bench = lamp();
    let symbolic = run(&bench, "-qy -t1 lamp.xml --query-index 0").stderr;
    let middle = "( Lamp._id1 User.idle )\ncount=1 x>=0, x<=4\n\nTransitions:";
    assert!(symbolic.contains(middle), "{symbolic}");
    assert!(!symbolic.contains("Delay"), "{symbolic}");
    let stable = run(&bench, "-qY -t1 lamp.xml --query-index 0").stderr;
    assert_eq!(stable, symbolic.replace("count=1 x>=0, x<=4", "count=1 x>=3, x<=4"));
    let version = [("ZONAUT_UPPAAL_VERSION", "4.1.26")];
    let old = run_with(&bench, "-qt1 lamp.xml --query-index 0", &version);
    assert!(old.stdout.ends_with("\nShowing example trace.\n"), "{}", old.stdout);
    assert!(old.stderr.ends_with("count=1 x=3 #depth=2\n"), "{}", old.stderr);
    let older = [("ZONAUT_UPPAAL_VERSION", "4.0")];
    let older = run_with(&bench, "-q lamp.xml --query-index 0", &older).stdout;
    let expected =
        "\nVerifying property 1 at /nta/queries/query[1]/formula\n -- Property is satisfied.\n";
    assert_eq!(older, expected);
    let header = run_with(&bench, "lamp.xml", &version).stdout;
    assert!(header.contains("uses minimal constraint systems\n\nVerifying"), "{header}");
}

#[test]
fn a_formula_that_holds_after_a_delay_is_shown_there() {
    let bench = Bench::new();
    bench.write("wait.xta", "clock x; process P() { state a; init a; } system P;");
    bench.write("wait.q", "E<> x > 2 && x < 3\n");
    let run = run(&bench, "-q -t0 wait.xta wait.q");
    let expected = "State:\n( P.a )\nx=0\n\nDelay: 2.5\n\nState:\n( P.a )\nx=2.5\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn the_shortest_trace_has_fewest_transitions_and_the_fastest_takes_the_least_time() {
    let bench = Bench::new();
    let model = "\
clock x;
process P() {
    state a, b, c; init a;
    trans a -> c { guard x >= 9; }, a -> b { guard x >= 2; }, b -> c { guard x > 4; };
}
system P;";
    bench.write("race.xta", model);
    bench.write("race.q", "E<> P.c\nA[] not P.b\n");
    let delays = |line: &str| {
        let run = run(&bench, line);
        assert_eq!(run.code, Some(0));
        let lines = run.stderr.lines().filter_map(|line| line.strip_prefix("Delay: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(delays("race.xta race.q -t1 --query-index 0"), ["9"]);
    assert_eq!(delays("race.xta race.q -t2 --query-index 0"), ["2", "2.5"]);
    assert_eq!(delays("race.xta race.q -t2 --query-index 1"), ["2"]);
}

#[test]
fn trace_files_are_named_as_each_version_names_them() {
    let bench = lamp();
    let five = run(&bench, "lamp.xml -f out -t 1 -q");
    let expected = VERDICTS
        .replacen("satisfied.\n", "satisfied.\nWriting witness trace to out-1\n", 1)
        .replacen("NOT satisfied.\n", "NOT satisfied.\nWriting counter example to out-2\n", 1);
    check(&five, 0, &expected, "");
    let version = [("ZONAUT_UPPAAL_VERSION", "4")];
    let four = run_with(&bench, "lamp.xml -f out -t 1 -q", &version);
    let expected = expected
        .replace("witness trace to out-1", "example trace to out-1.xtr")
        .replace("to out-2", "to out-2.xtr");
    check(&four, 0, &expected, "");
    let read = |name: &str| fs::read_to_string(bench.path(name)).expect("a trace");
    assert_eq!(read("out-1"), read("out-1.xtr"));
    let expected = "\
0 0 \n.\n0 1 0\n.\n.\n0 \n.
1 0 \n.\n0 1 0\n.\n1 0 8\n.\n.\n1 \n.\n1 0 ; 0 0 ; .
2 0 \n.\n0 1 -6\n.\n.\n1 \n.\n1 0 ; 0 1 ; .
.
";
    assert_eq!(read("out-1"), expected);
}

#[test]
fn no_trace_is_written_unless_requested() {
    let bench = lamp();
    check(&run(&bench, "lamp.xml -f out -X out -q"), 0, VERDICTS, "");
    assert!(!bench.path("out-1").exists() && !bench.path("out1.xml").exists());
}

#[test]
fn xml_traces_name_their_elements() {
    let bench = lamp();
    let run = run(&bench, "lamp.xml -X out -t 1 -q --query-index 0");
    assert!(run.stdout.ends_with("\nXMLTrace outputted to: out1.xml\n"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    let text = fs::read_to_string(bench.path("out1.xml")).expect("a trace");
    for part in [
        "<trace initial_node=\"State1\" trace_options=\"symbolic\">",
        "<clock name=\"x\" id=\"sys.x\"/>",
        "<variable name=\"count\" id=\"sys.count\"/>",
        "<location id=\"Lamp._id1\" name=\"_id1\"><![CDATA[x <= 4]]></location>",
        "<edge id=\"Lamp.Edge2\" from=\"Lamp._id1\" to=\"Lamp.bright\"><guard>x &gt;= 3</guard><sync>press?</sync><update>1</update></edge>",
        "<location_vector id=\"LocVec2\" locations=\"Lamp._id1 User.idle \"/>",
        "<variable_state variable=\"sys.count\" value=\"1\"/>",
        "<node id=\"State2\" location_vector=\"LocVec2\" dbm_instance=\"DBM2 \" variable_vector=\"varvec.2\"/>",
        "<clockbound clock1=\"sys.x\" clock2=\"sys.#t(0)\" bound=\"4\" comp=\"&lt;=\"/>",
        "<clockbound clock1=\"sys.x\" clock2=\"sys.#t(0)\" bound=\"inf\" comp=\"&lt;\"/>",
        "<transition from=\"State2\" to=\"State3\" edges=\"User.Edge1 Lamp.Edge2 \"/>",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

const INTERMEDIATE: &str = "\
layout
0:clock:0:t(0)
1:clock:1:x
2:var:0:9:0:0:count
3:location::off
4:location::_id1
5:location::bright
6:location::idle

instructions
0:0
1:0
2:0
3:0
4:0
5:0
6:0
7:0
8:0

processes
0:3:Lamp
1:6:User

locations
3:0:0
4:0:1
5:0:0
6:1:0

edges
0:3:4:0:2:3
0:4:5:4:2:0
0:4:3:5:6:0
1:6:6:7:8:0

expressions
0:::1
1:::x <= 4
2:::press?
3:::x = 0, count++
4:::x >= 3
5:::x < 3
6:::tau
7:::count < 9
8:::press!
";

#[test]
fn the_intermediate_format_is_printed_alone() {
    let bench = lamp();
    let only = [("UPPAAL_COMPILE_ONLY", "1")];
    check(&run_with(&bench, "lamp.xml", &only), 0, INTERMEDIATE, "");
    check(&run_with(&bench, "lamp.xml -", &only), 0, INTERMEDIATE, "");
    let strict = LAMP.replace("x &lt;= 4", "x &lt; 4");
    bench.write("strict.xml", strict);
    let warned = run_with(&bench, "strict.xml", &only);
    check(&warned, 0, &INTERMEDIATE.replace("x <= 4", "x < 4"), "");
    let empty = [("UPPAAL_COMPILE_ONLY", "")];
    check(&run_with(&bench, "lamp.xml -q", &empty), 0, VERDICTS, "");
}

#[test]
fn warnings_are_on_standard_output() {
    let bench = Bench::new();
    bench.write("strict.xml", LAMP.replace("x &lt;= 4", "x &lt; 4"));
    let run = run(&bench, "-q strict.xml");
    let warning = "/nta/template[1]/location[2]/label[1]: [warning] Strict invariant: time stops \
                   just before the bound. (TA0852)\n";
    check(&run, 0, &format!("{warning}{VERDICTS}"), "");
}

#[test]
fn a_summary_follows_each_verdict() {
    let run = run(&lamp(), "-squ lamp.xml --query-index 2");
    let names: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix(" -- ")?.split_once(" : "))
        .map(|(name, value)| {
            let (number, unit) = value.split_once(' ').expect("a unit");
            assert!(number.parse::<u64>().is_ok() && ["states", "ms", "KiB"].contains(&unit));
            name
        })
        .collect();
    let expected = [
        "States stored",
        "States explored",
        "CPU user time used",
        "Virtual memory used",
        "Resident memory used",
    ];
    assert_eq!(names, expected);
    assert_eq!(run.stderr, "");
}

#[test]
fn unanswered_queries_are_one_line_on_standard_error_and_exit_code_1() {
    let bench = lamp();
    bench.write("mixed.q", "E<> Lamp.bright\ncontrol: A<> Lamp.bright\nA[] count <= 9\n");
    let run = run(&bench, "-q lamp.xml mixed.q");
    let stdout = "
Verifying formula 1 at mixed.q:1
 -- Formula is satisfied.

Verifying formula 2 at mixed.q:2

Verifying formula 3 at mixed.q:3
 -- Formula is satisfied.
";
    assert_eq!(run.stdout, stdout);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("mixed.q:2: [error] Unsupported: "), "{}", run.stderr);
}

#[test]
fn errors_are_lines_on_standard_error_and_exit_code_1() {
    let bench = lamp();
    bench.write("wrong.q", "E<> Lamp.dark\n");
    bench.write("broken.xml", LAMP.replace("count++", "count+"));
    bench.write("fails.xml", LAMP.replace("count++", "count = count + 4"));
    bench.write("none.xta", "process P() { state a; init a; } system P;");
    for (line, start) in [
        ("lamp.xml wrong.q", "wrong.q:1: [error] "),
        ("broken.xml", "/nta/template[1]/transition[1]/label[2]: [error] "),
        ("missing.xml", "missing.xml: [error] "),
        ("lamp.xml missing.q", "missing.q: [error] "),
        ("fails.xml", "/nta/template[1]/transition[1]/label[2]: [error] "),
        ("none.xta", "verifyta: there is no such formula"),
        ("", "verifyta: name a model"),
        ("lamp.xml -k", "verifyta: unknown option -k"),
        ("lamp.xml --no-such-thing 3", "verifyta: unknown option --no-such-thing"),
        ("lamp.xml -t", "verifyta: option -t needs a value"),
        ("lamp.xml -t1 -f no/such/folder/x", "no/such/folder/x-1: [error] "),
    ] {
        let run = run(&bench, line);
        assert_eq!(run.code, Some(1), "{line}: {run:?}");
        assert!(run.stderr.starts_with(start), "{line}: {}", run.stderr);
    }
}

#[test]
fn help_and_version_are_for_people_and_scripts() {
    let bench = Bench::new();
    let banner = concat!(
        "zonaut ",
        env!("CARGO_PKG_VERSION"),
        " (command line compatible with UPPAAL 5.0.0 verifyta)\n"
    );
    check(&run(&bench, "-v"), 0, banner, "");
    check(&run(&bench, "--version"), 0, banner, "");
    let old = run_with(&bench, "-V", &[("ZONAUT_UPPAAL_VERSION", "4.1")]);
    check(&old, 0, &banner.replace("5.0.0", "4.1.26"), "");
    let help = run(&bench, "-h");
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert!(help.stdout.contains("-h [ --help ]"), "{}", help.stdout);
    assert!(help.stdout.starts_with("Usage: verifyta MODEL"), "{}", help.stdout);
}

#[cfg(unix)]
#[test]
fn the_binary_behaves_as_verifyta_under_its_name() {
    let bench = lamp();
    let link = bench.path("verifyta");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_zonaut"), &link).expect("a link");
    let run = bench.finish(bench.command(&link).args(["-q", "lamp.xml"]));
    check(&run, 0, VERDICTS, "");
}
