//! Texts that do not follow their format.

use crate::{answer, certificate, core};
use zonaut_certify::{Limits, Refusal, Text, check, seal};

fn model() -> String {
    let model = "
        int[0,5] v; meta int m;
        clock x;
        process P() { state a { x <= 2 }, b; init a; trans a -> b { guard x >= 1; }; }
        system P;";
    core(model, "E<> P.b and x > 7")
}

#[track_caller]
fn malformed(body: &str, kind: &str, expected_line: usize) {
    let given = answer(&model(), kind, body);
    let is_right = |text, line| text == Text::Certificate && line == expected_line;
    let malformed =
        matches!(given, Err(Refusal::Malformed { text, line, .. }) if is_right(text, line));
    assert!(malformed, "{expected_line} {given:?}\n{body}");
}

#[test]
fn sets_that_do_not_follow_the_format_are_malformed_with_their_line() {
    // The header takes four lines.
    let cases = [
        ("", 5),
        ("abs some", 5),
        ("nodes 0", 5),
        ("abs incl", 5),
        ("abs incl\nnodes 99999999999999999999999", 6),
        ("abs incl\nnodes -1", 6),
        ("abs incl\nnodes +1\nnode 0 0 -", 6),
        ("abs incl\nnodes 2\nnode 0 0 -", 7),
        ("abs incl\nnodes 1\nnode 0 0 -\nnode 1 0 -", 8),
        ("abs incl\nnodes 2\nnode 0 0 -\nnode 0 0 -", 8),
        ("abs incl\nnodes 2\nnode 1 0 -\nnode 0 0 -", 7),
        ("abs incl\nnode 0 0 -\nnodes 1", 6),
        ("abs incl\nnodes 1\nnode 0", 7),
        ("abs incl\nnodes 1\nnode 0 0", 7),
        ("abs incl\nnodes 1\nnode 0 2 -", 7),
        ("abs incl\nnodes 1\nnode 0 0,0 -", 7),
        ("abs incl\nnodes 1\nnode 0 - -", 7),
        ("abs incl\nnodes 1\nnode 0 0 0=6", 7),
        ("abs incl\nnodes 1\nnode 0 0 1=1", 7),
        ("abs incl\nnodes 1\nnode 0 0 2=1", 7),
        ("abs incl\nnodes 1\nnode 0 0 0=1,0=2", 7),
        ("abs incl\nnodes 1\nnode 0 0 0=**", 7),
        ("abs incl\nnodes 1\nnode 0 0 - 1-0", 7),
        ("abs incl\nnodes 1\nnode 0 0 - 2-0<1", 7),
        ("abs incl\nnodes 1\nnode 0 0 - 1-1<1", 7),
        ("abs incl\nnodes 1\nnode 0 0 - 1-0<99999999999999999999", 7),
        ("abs incl\nnodes 1\nnode 0 0 -\nhint 1 0", 8),
        ("abs incl\nnodes 1\nnode 0 0 -\nhint 0 1", 8),
        ("abs incl\nnodes 1\nnode 0 0 -\nhint 0 18446744073709551616", 8),
        ("abs incl\nnodes 1\nnode 0 0 -\nhint 0 0\nhint 0 0", 9),
        ("abs incl\nnodes 1\nnode 0 0 -\nnode 1 0 -\nhint 0", 8),
        ("abs incl\nnodes 1\nnodes 1\nnode 0 0 -", 7),
        ("abs incl\nnodes 2\nnode 0 0 -\nhint 0 0\nnode 1 0 -", 8),
        ("abs incl\nnodes 1\nnode 0 0 -\nreason 0 1", 8),
        ("abs incl\ninvariant 0\nnodes 2\nnode 0 0 -\nreason 0 0\nnode 1 0 -", 9),
        ("abs incl\ninvariant 0\nnodes 1\nwithin 0 0\nnode 0 0 -", 8),
        ("abs incl\ninvariant 0\nwithin 0 0,0\nnodes 0", 7),
        ("abs incl\ninvariant 0\nwithin 0 0..1,1\nnodes 0", 7),
        ("abs incl\ninvariant 0\nnodes 1\nnode 0 0 -\nreason 0 1", 9),
        ("abs incl\ninvariant 0\nnodes 1\nnode 0 0 -\nreason 1 0", 9),
        ("abs incl\ninvariant 0\nnodes 1\nnode 0 0 -\nreason 0 0\nreason 0 0", 10),
        ("abs incl\ninvariant 1\nnodes 0", 6),
        ("abs incl\nwithin 0 0\nnodes 0", 6),
        ("abs incl\ninvariant 0\nwithin 1 0\nnodes 0", 7),
        ("abs incl\ninvariant 0\nwithin 0 0..9\nnodes 0", 7),
        ("abs incl\ninvariant 0\nwithin 0 2\nnodes 0", 7),
        ("abs incl\ninvariant 0\nwithin 0 1,0\nnodes 0", 7),
        ("abs incl\ninvariant 0\nwithin 0 1..0\nnodes 0", 7),
        ("abs incl\ninvariant 0\nwithin 0 0\nwithin 0 0\nnodes 0", 8),
        ("abs incl\ninvariant 0\nvalues 0 0..6\nnodes 0", 7),
        ("abs incl\ninvariant 0\nvalues 0 \nnodes 0", 7),
        ("abs incl\ninvariant 0\nvalues 9 0\nnodes 0", 7),
        ("abs incl\nnodes 0\ninvariant 0", 7),
        ("abs incl\nbounds 0 1:1:1\nnodes 0", 6),
        ("abs lu\nbounds 1 1:1:1\nnodes 0", 6),
        ("abs lu\nbounds 0 2:1:1\nnodes 0", 6),
        ("abs lu\nbounds 0 0:1:1\nnodes 0", 6),
        ("abs lu\nbounds 0 1:1\nnodes 0", 6),
        ("abs lu\nbounds 0 1:1:1 1:1:1\nnodes 0", 6),
        ("abs lu\nnodes 1\nnode 0 0 - 0", 7),
        ("abs lu\nbounds 0\nnodes 1\nnode 0 0 -", 8),
    ];
    for (body, line) in cases {
        malformed(body, "unreach", line);
    }
}

#[test]
fn runs_that_do_not_follow_the_format_are_malformed_with_their_line() {
    let cases = [
        ("", 5),
        ("goal", 5),
        ("denom 0\ngoal", 5),
        ("denom -1\ngoal", 5),
        ("denom 1152921504606846977\ngoal", 5),
        ("denom 1", 6),
        ("denom 1\ndelay", 6),
        ("denom 1\ndelay -1\ngoal", 6),
        ("denom 1\ndelay 1.5\ngoal", 6),
        ("denom 1\ndelay 1 1\ngoal", 6),
        ("denom 1\nact\ngoal", 6),
        ("denom 1\nact 0\ngoal", 6),
        ("denom 1\nact 0.0:\ngoal", 6),
        ("denom 1\nact 0.0:a\ngoal", 6),
        ("denom 1\nact -1.0\ngoal", 6),
        ("denom 1\nwait 1\ngoal", 6),
        ("denom 1\ndelay 1\nact 0.0", 8),
    ];
    for (body, line) in cases {
        malformed(body, "reach", line);
    }
}

#[test]
fn header_and_seal_are_checked() {
    let core = core("clock x; process P() { state a; init a; } system P;", "E<> P.a");
    let good = certificate(&core, "reach", "denom 1\ngoal\n");
    let body = &good[..good.rfind("end ").unwrap()];
    let given = |text: String| check(&core, &seal(text), &Limits::default());
    assert!(given(body.to_owned()).is_ok());
    match check(&core, &good.replace("goal", "gaol"), &Limits::default()) {
        Err(Refusal::Malformed { text: Text::Certificate, line: 7, .. }) => {}
        other => panic!("{other:?}"),
    }
    let cases = [
        ("tacert 1", "tacert 2"),
        ("tacert 1\n", ""),
        ("kind reach", "kind"),
        ("kind reach", "kind guess"),
        ("kind reach\n", "kind reach\nkind reach\n"),
        ("clocks 1 x", "clocks 1 y"),
        ("clocks 1 x", "clocks 2 x"),
        ("clocks 1 x", "clocks 1 x y"),
        ("clocks 1 x\n", ""),
        ("clocks 1 x", " clocks 1 x"),
        ("denom 1", "denom  1"),
        ("goal\n", "goal\n\n"),
    ];
    for (from, to) in cases {
        assert!(body.contains(from), "{from}");
        let refusal = given(body.replacen(from, to, 1));
        assert!(matches!(refusal, Err(Refusal::Malformed { .. })), "{from} {to}: {refusal:?}");
    }
    for line in ["model sha256:0\ncore ", "core "] {
        let text =
            body.replace("core ", line).replace("clocks ", "query 1 \"E<> a\"\ntool z\nclocks ");
        assert!(given(text).is_ok());
    }
}

#[test]
fn a_certificate_of_another_model_has_its_own_refusal() {
    let core = model();
    let text = certificate(&core, "reach", "denom 1\ngoal\n");
    for other in
        [core.replace("<= ; 1 ; 1 0 ; - ; 2", "<= ; 1 ; 1 0 ; - ; 3"), core.replace("x 0", "z 0")]
    {
        assert_ne!(other, core);
        let refusal = check(&other, &text, &Limits::default());
        assert!(matches!(refusal, Err(Refusal::WrongModel { .. })), "{refusal:?}");
    }
}

#[test]
fn lines_are_limited() {
    let core = model();
    let long = format!("denom 1\nact{}\ngoal\n", " 0.0".repeat(100_000));
    let text = certificate(&core, "reach", &long);
    let given = |line| check(&core, &text, &Limits { line, ..Limits::default() });
    for line in [100, 400_002] {
        let refusal = given(line);
        assert!(matches!(refusal, Err(Refusal::Undecided(_))), "{refusal:?}");
    }
    let refusal = given(400_003);
    assert!(matches!(refusal, Err(Refusal::Rejected(_))), "{refusal:?}");
}

#[test]
fn nodes_are_limited() {
    let model = "clock x, y; process P() { state a, b; init a; } system P;";
    let core = core(model, "E<> P.b");
    let text = certificate(&core, "unreach", "abs incl\nnodes 2\nnode 0 0 -\nnode 1 0 -\n");
    let given = |nodes, bounds| check(&core, &text, &Limits { nodes, bounds, ..Limits::default() });
    assert!(given(2, 18).is_ok());
    for (nodes, bounds) in [(1, 18), (2, 17)] {
        let refusal = given(nodes, bounds);
        assert!(matches!(refusal, Err(Refusal::Undecided(_))), "{refusal:?}");
    }
}

#[test]
fn tables_of_bounds_are_limited() {
    let core = core("clock x, y; process P() { state a, b; init a; } system P;", "E<> P.b");
    let body = "abs lu\nbounds 0\nbounds 1\nbounds 2\nbounds 3\nnodes 1\nnode 0 0 - 0\n";
    let text = certificate(&core, "unreach", body);
    let given = |bounds| check(&core, &text, &Limits { bounds, ..Limits::default() });
    assert!(given(24).is_ok());
    let refusal = given(23);
    assert!(matches!(refusal, Err(Refusal::Undecided(_))), "{refusal:?}");
}

#[test]
fn evaluations_have_a_step_limit() {
    let model = "
        int f() { while (true) { } return 1; }
        process P() { state a, b; init a; trans a -> b { guard f() == 1; }; }
        system P;";
    let core = core(model, "E<> P.b");
    let limits = Limits { steps: 1000, ..Limits::default() };
    for (kind, body) in
        [("reach", "denom 1\nfails\n"), ("unreach", "abs incl\nnodes 1\nnode 0 0 -\n")]
    {
        match check(&core, &certificate(&core, kind, body), &limits) {
            Err(Refusal::Undecided(reason)) => {
                assert!(reason.contains("too many steps"), "{reason}")
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Checks that a core text with `from` replaced by `to` is malformed, for every kind of
/// certificate.
#[track_caller]
fn broken(core: &str, from: &str, to: &str) {
    assert!(core.contains(from), "{from}\n{core}");
    let core = core.replacen(from, to, 1);
    for (kind, body) in [
        ("reach", "denom 1\ndelay 2\nact 0.0:0\ngoal\n"),
        ("unreach", "abs incl\nnodes 2\nnode 0 0 -\nnode 1 1 -\n"),
    ] {
        let refusal = check(&core, &certificate(&core, kind, body), &Limits::default());
        let is_malformed = matches!(refusal, Err(Refusal::Malformed { text: Text::Core, .. }));
        assert!(is_malformed, "{from} {to}: {refusal:?}");
    }
}

#[test]
fn invalid_core_texts_are_malformed() {
    let model = "
        int[0,5] v = 1; int a[2] = { 1, 1 };
        clock x;
        chan c[2];
        int f(int n) { return n + 1; }
        process P() {
            state s { x <= 2 }, t;
            init s;
            trans s -> t { select i : int[0,0]; guard f(v) == 2 && x >= 1; assign a[v] = i, x = 0; };
        }
        system P;";
    let core = core(model, "E<> P.t and x < 9");
    let cases = [
        ("core 1", "core 2"),
        ("core 1", "core 3"),
        ("query possibly", "query possibly\nmeasure sum"),
        ("core 1", "hull 1"),
        ("\nend\n", "\n"),
        ("\nend\n", "\nend\nend\n"),
        ("\nend\n", "\nend\n\n"),
        ("query possibly", "query possibly\nquery possibly"),
        ("local ", "lokal "),
        ("cell v 0 5", "cell v 0"),
        ("cell v 0 5", "cell v 0 99999999999"),
        ("cell v 0 5 1 state", "cell v 0 5 1 ghost"),
        ("clock x 0", "clock x -1"),
        ("binary patient", "unary patient"),
        ("location s ordinary", "location s relaxed"),
        ("edge 0 1", "edge 0 2"),
        ("edge 0 1", "edge 7 1"),
        ("select ", "select 9"),
        ("process P 0 0", "process P 0 2"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant-clock <= ; 1 ; 1 0 ; -"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant-clock <= ; 1 ; 1 0 ; - ; 2 2"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant-clock <= ; 1 ; 2 0 ; - ; 2"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant-clock <= ; 1 ; 0 0 ; - ; 2"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant-clock <= ; 1 ; 1 1 ; - ; 2"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant-clock ~ ; 1 ; 1 0 ; - ; 2"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant-clock <= ; } ; 1 0 ; - ; 2"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant c0 and{ 1"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant c99"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant c-1"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant é0"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant +"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant 1 return"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant 0 5 store:k0:=:new"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant at:1:0"),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant 99999999999"),
        ("call:0", "call:1"),
        ("store:l1:=:new return", "store:l1:=:new call:0 return"),
        ("store:c1", "store:c8"),
        ("reset:1", "reset:2"),
        ("formula-and 2", "formula-and 3"),
        ("parameter ", "parameter 77"),
        ("parameter 0 1", "parameter 0 3\nparameter 0 3"),
        (
            "invariant-clock <= ; 1 ; 1 0 ; - ; 2",
            "invariant 0 1000000000 index:0:4000000000:4000000000 load:c0",
        ),
        ("invariant-clock <= ; 1 ; 1 0 ; - ; 2", "invariant 0 content:c0:1000"),
    ];
    for (from, to) in cases {
        broken(&core, from, to);
    }
}

/// Checks that a core text is malformed because of this line.
#[track_caller]
fn broken_in_line(core: &str, expected: usize) {
    let given = check(core, &certificate(core, "reach", "denom 1\ngoal\n"), &Limits::default());
    let is_right = |text, line| text == Text::Core && line == expected;
    let malformed =
        matches!(given, Err(Refusal::Malformed { text, line, .. }) if is_right(text, line));
    assert!(malformed, "{expected} {given:?}\n{core}");
}

#[test]
fn lines_of_core_texts_are_checked_where_they_stand() {
    let text = |lines: &str| format!("core 1\nlocal 0 1\nlocal 0 1\nlocal 0 1\n{lines}\nend\n");
    let cases = [
        ("parameter 0 1", 5),
        ("body 1 return", 5),
        ("function f\nparameter 0 4", 6),
        ("function f\nparameter 3 1", 6),
        ("function f\nparameter 0 3\nparameter 1 1", 7),
        ("function f\nparameter 0 2\nparameter 0 3", 7),
        ("function f\nparameter 18446744073709551615 1", 6),
        ("function f\nbody call:0 return", 6),
        ("function f\nbody 1 return\nfunction g\nbody call:1 return", 8),
        ("location a ordinary", 5),
        ("process P 0 0\ninvariant 1", 6),
        ("process P 0 0\nedge 0 0", 6),
        ("process P 0 0\nlocation a ordinary\nguard 1", 7),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\nlocation b ordinary", 8),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\ninvariant 1", 8),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\nrate 1 ; 1 0 ; 1", 8),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\ncost-rate 1", 8),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\nselect 3 0 1", 8),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\nsend 0 0\nsend 0 0", 9),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\nsend 0 0\nreceive 0 0", 9),
        ("process P 0 0\nlocation a ordinary\nedge 0 0\nsend", 8),
        ("process P 0 0\nlocation a ordinary\nedge 1 0", 7),
        ("process P 0 0\nlocation a ordinary\nedge 0 1", 7),
        ("formula-not", 5),
        ("formula-and 1", 5),
        ("formula 1\nformula-or 2", 6),
        ("formula-wish", 5),
        ("process P 0 0", 6),
        ("core 1", 5),
    ];
    for (lines, line) in cases {
        broken_in_line(&text(lines), line);
    }
    broken_in_line("", 0);
    broken_in_line("core 1\n", 1);
}

#[test]
fn constants_beyond_the_limit_are_undecided_not_malformed() {
    for body in [
        "abs incl\nnodes 1\nnode 0 0 - 1-0<99999999999999",
        "abs lu\nbounds 0 1:1:99999999999999\nnodes 0",
    ] {
        crate::undecided(&model(), "unreach", body, "a clock constant is too large");
    }
}

#[test]
fn clocks_are_limited() {
    let text = |clocks: usize| {
        let clocks: String = (0..clocks).map(|k| format!("clock x{k} 0\n")).collect();
        format!("core 1\n{clocks}query possibly\nformula 1\nend\n")
    };
    // A run has no zones, so the limit does not apply.
    for count in [1_999, 2_000, 5_000] {
        let core = text(count);
        let certificate = certificate(&core, "reach", "denom 1\ngoal\n");
        let given = check(&core, &certificate, &Limits::default());
        assert!(given.is_ok(), "{given:?}");
    }
    // Exceeding a limit does not make a text malformed.
    let core = text(2_000);
    let certificate = certificate(&core, "unreach", "abs incl\nnodes 0\n");
    let given = check(&core, &certificate, &Limits::default());
    let why = "there are more than 2000 clocks".to_owned();
    assert_eq!(given, Err(Refusal::Undecided(why)));
}
