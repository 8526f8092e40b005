//! Explanations of steps: reasons, values of indices, and recorded runs of all formats.

use zonaut_engine::{LoadOptions, RecordedRun, Session, Trace, load_text};
use zonaut_trace::write_xml_trace;

fn session(text: &str) -> Session {
    load_text("m.xta", text, &LoadOptions::default()).session().expect("a model")
}

/// The run that takes these choices.
fn run(session: &Session, path: &[usize]) -> Trace {
    let mut simulator = session.simulator().expect("an initial state");
    for &choice in path {
        assert!(simulator.take(choice), "{choice}");
    }
    simulator.trace().expect("a run")
}

const SHOP: &str = "const int M[2] = { 1, 0 }; bool busy[2]; int n; clock x[2]; chan go[2];
    process P() { state a { x[0] <= 5 }, b, c; init a; trans
        a -> b { guard !busy[M[n]] && x[n] >= 2; sync go[M[n]]!;
                 assign busy[M[n]] = true, n++, busy[M[n]] = !busy[M[0]], x[n] = 0; },
        b -> c { guard n > 0 && !(busy[n - 1] || n > 5); }; }
    process Q() { state q; init q; trans q -> q { select i : int[0,1]; sync go[i]?; }; }
    system P, Q;";

#[test]
fn indices_have_values_and_steps_have_reasons() {
    let session = session(SHOP);
    let trace = run(&session, &[0, 0]);
    let explained = session.explained_steps(&trace);
    assert_eq!(
        explained[0].edges,
        [
            "P.a -> P.b { !busy[1] && x[0] >= 2; go[1]!; busy[1] = true, n++, \
             busy[0] = !busy[1], x[1] = 0 }",
            "Q.q -> Q.q { go[1]? } with i = 1",
        ]
    );
    assert_eq!(
        explained[0].reasons,
        [
            "stay in P.a: x[0] <= 5 (x[0] = 2)",
            "guard: busy[M[n]] is false (busy[1] = 0, n = 0)",
            "guard: x[0] >= 2 (x[0] = 2)",
            "P sends go[1] to Q",
        ]
    );
    assert_eq!(explained[0].changes, ["busy[1]: 0 -> 1", "n: 0 -> 1", "x[1] = 0"]);
    // A negated disjunction is not taken apart.
    assert_eq!(explained[1].edges, ["P.b -> P.c { n > 0 && !(busy[0] || n > 5) }"]);
}

#[test]
fn a_run_is_read_from_every_format_and_taken_again() {
    let session = session(SHOP);
    let trace = run(&session, &[0, 0]);
    let symbolic = session.symbolic_trace(&trace).expect("exact zones");
    let (mut xtr, mut xml) = (Vec::new(), Vec::new());
    symbolic.write_xtr(&mut xtr).expect("memory");
    write_xml_trace(session.labels(), &symbolic, &mut xml).expect("memory");
    let json = serde_json::to_vec(&trace).expect("JSON");
    let answer = format!(
        "{{\"verdict\":\"satisfied\"}}\n{{\"trace\":{}}}\n",
        String::from_utf8_lossy(&json)
    );
    for text in [json, xtr, xml, answer.into_bytes()] {
        let text = String::from_utf8(text).expect("text");
        let recorded = RecordedRun::read(&text, session.model()).expect("a trace");
        let mut simulator = session.simulator().expect("an initial state");
        let followed = simulator.follow(&recorded);
        assert_eq!((followed.path.len(), followed.obstacle), (2, None), "{text}");
        assert_eq!(simulator.trace(), Some(trace.clone()), "{text}");
    }
    for text in ["", "{}", "<nta/>", "1 2\n.\n", "{\"steps\": 3}", "0 0 \n.\n.\n0 \n.\n"] {
        assert!(RecordedRun::read(text, session.model()).is_err(), "{text}");
    }
}

#[test]
fn a_run_is_taken_as_far_as_a_changed_model_allows() {
    let old = session(SHOP);
    let recorded = RecordedRun::of(&run(&old, &[0, 0]));
    // Another order of edges, other labels: the first step is still possible.
    let changed = SHOP.replace("b -> c { guard n > 0", "b -> a { }, b -> c { guard n > 7");
    let new = session(&changed);
    let mut simulator = new.simulator().expect("an initial state");
    let followed = simulator.follow(&recorded);
    assert_eq!(followed.path.len(), 1);
    let why = followed.obstacle.expect("a reason");
    assert_eq!(why, "P.b -> P.c: the guard is false: `n > 7` (n = 1)");
    let renamed = session(
        &SHOP
            .replace("state a {", "state z {")
            .replace("init a", "init z")
            .replace("a -> b", "z -> b"),
    );
    let followed = renamed.simulator().expect("an initial state").follow(&recorded);
    let why = followed.obstacle.expect("a reason");
    assert_eq!(why, "no enabled transition has the edge P.a -> P.b");
}
