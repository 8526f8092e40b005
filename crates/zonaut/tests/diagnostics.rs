//! The exact text of diagnostics for some typical errors.

mod support;

use support::Bench;

/// Expects exactly these diagnostics for a file with this name and text.
#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    let bench = Bench::new();
    bench.write(name, text);
    let run = bench.run(&["check", name]);
    assert_eq!(run.stderr, expected, "\n{}", run.stderr);
    assert_eq!(run.code, Some(2));
}

#[test]
fn several_syntax_errors_in_one_run() {
    check(
        "gate.xta",
        "\
clock x;
process P() {
    state a { x <= 5 }, b;
    init a;
    trans a -> b { guard x > 3 sync go!; },
          b -> c { };
}
system P;
",
        "\
error[TA0201]: expected `;` after `guard`, found the keyword `sync`
 --> gate.xta:5:32
  |
5 |     trans a -> b { guard x > 3 sync go!; },
  |                                ^^^^
  |                               - `;` is missing here

error[TA0207]: no location is named `c`
 --> gate.xta:6:16
  |
6 |           b -> c { };
  |                ^

2 errors
",
    );
}

#[test]
fn places_in_xml_have_their_paths() {
    check(
        "gate.xml",
        "\
<?xml version=\"1.0\" encoding=\"utf-8\"?>
<nta>
  <declaration>clock x;</declaration>
  <template><name>P</name>
    <location id=\"id0\"><label kind=\"invariant\">x &lt;= </label></location>
    <init ref=\"id0\"/>
    <transition><source ref=\"id0\"/><target ref=\"id0\"/>
      <label kind=\"guard\">(x &gt; 3</label></transition>
  </template>
  <system>system P;</system>
</nta>
",
        "\
error[TA0201]: expected an expression, found the end of the text
 --> gate.xml:5:56
  |
5 |     <location id=\"id0\"><label kind=\"invariant\">x &lt;= </label></location>
  |                                                        ^
  = path: /nta/template[1]/location[1]/label[1]

error[TA0201]: expected `)`, found the end of the text
 --> gate.xml:8:36
  |
8 |       <label kind=\"guard\">(x &gt; 3</label></transition>
  |                                    ^
  |                           - this bracket is open
  = path: /nta/template[1]/transition[1]/label[1]

2 errors
",
    );
}

#[test]
fn semantic_errors_with_advice() {
    check(
        "gate.xta",
        "\
clock time; const int LIMIT = 5; int[0,3] count;
process Gate() {
    state idle { time < LIMIT }, busy;
    init idle;
    trans idle -> busy { guard tine >= 2; assign count = LIMIT; },
          busy -> idle { guard time > 1 || time < 4; assign LIMIT = 2; };
}
system Gate, Gates;
query { E<> Gate.buzy }
",
        "\
warning[TA0852]: strict invariant: time stops just before the bound
 --> gate.xta:3:18
  |
3 |     state idle { time < LIMIT }, busy;
  |                  ^^^^^^^^^^^^
  = help: use `<=` unless this is intended

error[TA0501]: unknown name `tine`
 --> gate.xta:5:32
  |
5 |     trans idle -> busy { guard tine >= 2; assign count = LIMIT; },
  |                                ^^^^
  = help: did you mean `time`?

error[TA0606]: a guard or invariant cannot be a disjunction of clock constraints
 --> gate.xta:6:44
  |
6 |           busy -> idle { guard time > 1 || time < 4; assign LIMIT = 2; };
  |                                            ^^^^^^^^
  = help: use one edge for each alternative

error[TA0603]: a value cannot be assigned, only a variable can
 --> gate.xta:6:61
  |
6 |           busy -> idle { guard time > 1 || time < 4; assign LIMIT = 2; };
  |                                                             ^^^^^
  = help: only variables and clocks can be assigned

error[TA0501]: unknown template or process `Gates`
 --> gate.xta:8:14
  |
8 | system Gate, Gates;
  |              ^^^^^
  = help: did you mean `Gate`?

error[TA0505]: `Gate` has no `buzy`
 --> gate.xta:9:18
  |
9 | query { E<> Gate.buzy }
  |                  ^^^^
  = help: did you mean `busy`?

5 errors, 1 warning
",
    );
}

/// The problem matcher of build servers finds severity, code, message and place of every diagnostic.
#[test]
fn the_problem_matcher_finds_all_diagnostics() {
    let matcher = include_str!("../../../.github/actions/setup-zonaut/zonaut.json");
    let matcher: serde_json::Value = serde_json::from_str(matcher).expect("JSON");
    let patterns = matcher["problemMatcher"][0]["pattern"].as_array().expect("patterns");
    let patterns: Vec<regex_lite::Regex> = patterns
        .iter()
        .filter_map(|pattern| regex_lite::Regex::new(pattern["regexp"].as_str()?).ok())
        .collect();
    let bench = Bench::new();
    let text = "process P() { state a { x >= 1 }; init a; trans a -> b { }; }\nsystem P;\n";
    bench.write("gate.xta", text);
    let run = bench.run(&["check", "gate.xta"]);
    let lines: Vec<&str> = run.stderr.lines().collect();
    let found: Vec<String> = lines
        .windows(2)
        .filter_map(|pair| {
            let (head, place) = (patterns[0].captures(pair[0])?, patterns[1].captures(pair[1])?);
            Some(format!("{} {} {}:{}:{}", &head[1], &head[2], &place[1], &place[2], &place[3]))
        })
        .collect();
    assert_eq!(found, ["error TA0501 gate.xta:1:25", "error TA0207 gate.xta:1:54"]);
}
