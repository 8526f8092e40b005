//! Nodes with a cartesian invariant.

use crate::{accepted, core, rejected, undecided};

/// A set of one node, the initial one, with this cartesian invariant.
fn body(locations: &str, invariant: &str) -> String {
    format!("abs incl\ninvariant 0\n{invariant}\nnodes 1\nnode 0 {locations} -\nreason 0 0")
}

const COUNTER: &str = "
    int[0,5] v;
    process P() {
        state a, b, goal;
        init a;
        trans a -> b { guard v < 3; assign v++; }, b -> a { }, b -> goal { guard v == 5; };
    }
    system P;";

#[test]
fn inductive_sets_close_a_node() {
    for (query, values) in [("E<> P.goal", "0..3"), ("E<> P.goal", "0..4"), ("E<> v > 3", "0..3")] {
        let core = core(COUNTER, query);
        accepted(&core, "unreach", &body("0", &format!("within 0 0,1\nvalues 0 {values}")));
    }
    let core = core(COUNTER, "A[] v != 4 and not P.goal");
    accepted(&core, "unreach", &body("0", "within 0 0,1\nvalues 0 0,1,2..3"));
    rejected(&core, "unreach", &body("0", "within 0 0,1\nvalues 0 0..4"), "the formula can hold");
}

#[test]
fn sets_that_are_not_inductive_are_rejected() {
    let core = core(COUNTER, "E<> P.goal");
    let cases = [
        ("within 0 0,1\nvalues 0 0..2", "an update leaves the invariant"),
        ("within 0 0,1\nvalues 0 0,2,3", "an update leaves the invariant"),
        ("within 0 0,1\nvalues 0 0..5", "an edge leaves the invariant"),
        ("values 0 0..3", "an edge leaves the invariant"),
        ("within 0 0,1", "an update leaves the invariant"),
        ("within 0 0..2\nvalues 0 0..3", "the formula can hold"),
        ("within 0 1\nvalues 0 0..3", "an edge leaves the invariant"),
        ("within 0 0,1\nvalues 0 1..3", "it is not inside its invariant"),
    ];
    for (invariant, reason) in cases {
        rejected(&core, "unreach", &body("0", invariant), reason);
    }
}

/// Regression: every invariant had a budget of 2^24 evaluations; three of 60 bytes took half a
/// minute.
#[test]
fn invariants_that_read_many_values_share_one_budget() {
    let model = "
        int v, w;
        process P() { state a, b; init a; trans a -> b { guard v * w == 7; }; }
        system P;";
    let core = core(model, "E<> P.b");
    let one = |id| format!("invariant {id}\nvalues 0 -32768..32767\nvalues 1 -32768..32767\n");
    let all: String = (0..1_000).map(one).collect();
    let body = format!("abs incl\n{all}nodes 1\nnode 0 0 -\nreason 0 0");
    undecided(&core, "unreach", &body, "invariant 0: invariants need too many evaluations");
    let few = |count: i32| format!("invariant 0\nvalues 0 0..{count}\nvalues 1 8..{count}\n");
    let body = format!("abs incl\n{}nodes 0", few(60));
    rejected(&core, "unreach", &body, "no node covers");
}

/// The guard of a receiver is evaluated before the sender's update, its own update after it.
#[test]
fn a_receiver_reads_the_values_written_by_the_sender() {
    for channel in ["chan c", "broadcast chan c"] {
        for kind in ["", "meta "] {
            let model = format!(
                "{kind}int[0,3] v; int[0,3] w; {channel};
                process S() {{ state a; init a; trans a -> a {{ sync c!; assign v = 2; }}; }}
                process R() {{
                    state r; init r;
                    trans r -> r {{ guard v == 0; sync c?; assign w = v; }};
                }}
                system S, R;"
            );
            let core = core(&model, "E<> w == 1");
            accepted(&core, "unreach", &body("0,0", "values 0 0,2\nvalues 1 0,2"));
            for narrow in ["values 0 0,2", "values 1 0,2", "values 0 0..1\nvalues 1 0,2"] {
                rejected(&core, "unreach", &body("0,0", narrow), "an update leaves the invariant");
            }
            rejected(&core, "unreach", &body("0,0", "values 0 0..2\nvalues 1 0..2"), "can hold");
        }
    }
}

#[test]
fn an_edge_without_a_synchronisation_partner_is_ignored() {
    let model = |receiver: &str| {
        format!(
            "int[0,3] v; chan c[2];
            process S() {{
                state a; init a;
                trans a -> a {{ select k : int[0,1]; sync c[k]!; assign v = k; }};
            }}
            process R() {{
                state r, s; init r;
                trans r -> r {{ sync c[{receiver}]?; }}, s -> s {{ sync c[1]?; }};
            }}
            system S, R;"
        )
    };
    let invariant = body("0,0", "values 0 0");
    accepted(&core(&model("0"), "E<> v == 1"), "unreach", &invariant);
    accepted(&core(&model("v"), "E<> v == 1"), "unreach", &invariant);
    let everywhere = body("0,0", "values 0 0\nwithin 1 0,1");
    for (core, body) in [
        (core(&model("1"), "E<> v == 1"), &invariant),
        (core(&model("1 - v"), "E<> v == 1"), &invariant),
        (core(&model("0"), "E<> v == 1"), &everywhere),
    ] {
        rejected(&core, "unreach", body, "an update leaves the invariant");
    }
}

#[test]
fn a_broadcast_needs_no_partner() {
    let model = "
        int[0,3] v; broadcast chan c;
        process S() { state a; init a; trans a -> a { sync c!; assign v = 1; }; }
        process R() { state r; init r; trans r -> r { sync c?; assign v = 2; }; }";
    let with = |system: &str| core(&format!("{model} system {system};"), "E<> v == 3");
    for (system, places) in [("S", "0"), ("S, R", "0,0")] {
        let core = with(system);
        let leaves = "an update leaves the invariant";
        rejected(&core, "unreach", &body(places, "values 0 0"), leaves);
        rejected(&core, "unreach", &body(places, "values 0 0,2"), leaves);
        accepted(&core, "unreach", &body(places, "values 0 0..2"));
    }
    accepted(&with("R"), "unreach", &body("0", "values 0 0"));
    rejected(&with("S, R"), "unreach", &body("0,0", "values 0 0,1"), "an update leaves");
}

/// An update is evaluated for the values that select a channel with a receiver.
#[test]
fn updates_are_evaluated_for_channels_with_a_receiver() {
    let model = "
        int[0,1] v; int[0,1] w; chan c[2];
        process S() { state a; init a; trans a -> a { sync c[v]!; assign w = v; }; }
        process R() { state r; init r; trans r -> r { sync c[0]?; }; }
        system S, R;";
    let core = core(model, "E<> w == 1");
    accepted(&core, "unreach", &body("0,0", "values 0 0,1"));
    let both = crate::core(&model.replace("c[0]?", "c[1]?"), "E<> w == 1");
    rejected(&both, "unreach", &body("0,0", "values 0 0,1"), "an update leaves the invariant");
}

#[test]
fn invariants_with_run_time_errors_are_rejected() {
    let failing = [
        "assign w[i] = 1;",
        "assign v = v + 2;",
        "guard 1 / v == 1;",
        "guard x <= 3 / v;",
        "assign x = v - 1;",
    ];
    for edge in failing {
        let model = format!(
            "clock x; int[0,3] v, i; int[0,1] w[2];
            process P() {{ state a, b; init a; trans a -> a {{ {edge} }}; }} system P;"
        );
        let core = core(&model, "E<> P.b");
        let all = "values 0 0..3\nvalues 1 0..3\nvalues 2 0..1\nvalues 3 0..1";
        rejected(&core, "unreach", &body("0", all), "fails at run time");
    }
    let model = "int[0,3] v; process P() { state a { 1 / v >= 0 }, b; init a; } system P;";
    let core = core(&model.replace("int[0,3] v;", "int[0,3] v = 1;"), "E<> P.b");
    accepted(&core, "unreach", &body("0", "values 0 1..3"));
    rejected(&core, "unreach", &body("0", "values 0 0..3"), "fails at run time");
}

#[test]
fn functions_arrays_and_locations_are_read_value_by_value() {
    let model = "
        int[0,2] w[3]; int[0,2] i;
        int most() { int m = 0; for (k : int[0,2]) if (w[k] > m) m = w[k]; return m; }
        process P() {
            state a, goal; init a;
            trans a -> a { guard w[i] < 1; assign w[i] = 1, i = (i + 1) % 3; },
                  a -> goal { guard most() == 2; };
        }
        process Q() { state r, s, t; init r; trans r -> s { }, s -> t { guard w[0] == 2; }; }
        system P, Q;";
    let core = core(model, "E<> P.goal or w[0] + w[1] > 2 or (Q.t and P.a)");
    let cells = "values 0 0,1\nvalues 1 0,1\nvalues 2 0,1\nvalues 3 0..2";
    accepted(&core, "unreach", &body("0,0", &format!("{cells}\nwithin 1 0,1")));
    rejected(&core, "unreach", &body("0,0", cells), "an edge leaves the invariant");
    let all = format!("{cells}\nwithin 1 0..2");
    rejected(&core, "unreach", &body("0,0", &all), "the formula can hold");
    rejected(&core, "unreach", &body("0,0", "within 1 0,1"), "an update leaves the invariant");
}

/// Nodes with and without an invariant in one set.
#[test]
fn a_node_with_an_invariant_covers_others() {
    let model = "
        clock x; int[0,3] v;
        process P() {
            state a { x <= 2 }, b, c, goal;
            init a;
            trans a -> b { guard x > 2; }, a -> c { assign v = 1; }, c -> c { assign v = 3 - v; },
                  b -> goal { }, c -> goal { guard v == 0; };
        }
        system P;";
    let core = core(model, "E<> P.goal");
    let nodes = "nodes 2\nnode 0 0 - 1-0<=2\nnode 1 2 0=1 \nreason 1 0".replace(" \n", "\n");
    let set = |invariant: &str| format!("abs incl\ninvariant 0\n{invariant}\n{nodes}");
    accepted(&core, "unreach", &set("within 0 2\nvalues 0 1,2"));
    rejected(&core, "unreach", &set("within 0 2\nvalues 0 1"), "invariant 0: an update leaves");
    rejected(&core, "unreach", &set("within 0 2\nvalues 0 0..3"), "invariant 0: an edge leaves");
    let plain = set("within 0 2\nvalues 0 1,2").replace("\nreason 1 0", "");
    rejected(&core, "unreach", &plain, "node 1");
}

#[test]
fn before_and_after_updates_are_checked_against_the_sets() {
    for place in ["before_update", "after_update"] {
        let model = format!(
            "int[0,3] v; {place} {{ v = 2 }}
            process P() {{ state a; init a; trans a -> a {{ }}; }} system P;"
        );
        let core = core(&model, "E<> v == 1");
        accepted(&core, "unreach", &body("0", "values 0 0,2"));
        rejected(&core, "unreach", &body("0", "values 0 0"), "an update leaves the invariant");
    }
}

#[test]
fn receivers_take_each_value_that_they_select() {
    let model = "
        int[0,3] v; chan c;
        process S() { state a; init a; trans a -> a { sync c!; }; }
        process R() {
            state r; init r;
            trans r -> r { select k : int[1,2]; sync c?; assign v = k; };
        }
        system S, R;";
    let core = core(model, "E<> v == 3");
    accepted(&core, "unreach", &body("0,0", "values 0 0..2"));
    for narrow in ["values 0 0,1", "values 0 0,2"] {
        rejected(&core, "unreach", &body("0,0", narrow), "an update leaves the invariant");
    }
}

/// Reads return written values, and do not choose new ones.
#[test]
fn an_update_reads_the_values_it_has_written() {
    let model = |updates: &str| {
        format!(
            "int[0,9] v, w;
            process P() {{ state a; init a; trans a -> a {{ assign {updates}; }}; }} system P;"
        )
    };
    let all = body("0", "values 0 0..2\nvalues 1 0..2");
    accepted(
        &core(&model("v = 2, w = v"), "E<> w == 3"),
        "unreach",
        &body("0", "values 0 0,2\nvalues 1 0,2"),
    );
    accepted(
        &core(&model("v = 2, w = 2 - v"), "E<> w == 3"),
        "unreach",
        &body("0", "values 0 0,2"),
    );
    for updates in ["v = 9, w = v - v", "w = 1, v = 9, w = v / 9", "v = 9, w = (v == 1)"] {
        let core = core(&model(updates), "E<> w == 3");
        rejected(&core, "unreach", &all, "an update leaves the invariant");
    }
}

/// Conditions of an edge are evaluated in its source location.
#[test]
fn an_edge_is_evaluated_in_its_source_location() {
    let model = "
        int[0,3] v;
        process P() {
            state a, b; init a;
            trans a -> b { }, b -> a { guard v == 7; assign v = 1; };
        }
        process Q() { state q, r; init q; trans q -> r { }; }
        system P, Q;";
    let text = core(model, "E<> v == 3");
    assert!(text.contains("guard c0 7 =="), "{text}");
    let with = |guard: &str| text.replace("guard c0 7 ==", guard);
    let inside = body("0,0", "within 0 0,1\nwithin 1 0,1");
    accepted(&with("guard at:0:0"), "unreach", &inside);
    for possible in ["guard at:0:1", "guard at:1:0", "guard at:1:1"] {
        rejected(&with(possible), "unreach", &inside, "an update leaves the invariant");
    }
}

/// Compares all formulas of two parts with the truth values that their parts can have.
#[test]
fn possible_truth_values_of_formulas_follow_from_their_parts() {
    // A part, whether it can hold, and whether it can fail, for v in 0 and 1.
    let parts = [
        ("formula 0", [false, true]),
        ("formula 1", [true, false]),
        ("formula c0", [true, true]),
        ("formula-clock <= ; 1 ; 1 0 ; - ; 5", [true, true]),
    ];
    let body = body("-", "values 0 0,1");
    for ((left, l), (right, r)) in parts.iter().flat_map(|l| parts.iter().map(move |r| (l, r))) {
        let wholes = [
            ("formula-and 2", [l[0] && r[0], l[1] || r[1]]),
            ("formula-or 2", [l[0] || r[0], l[1] && r[1]]),
            ("formula-not\nformula-and 2", [l[0] && r[1], l[1] || r[0]]),
            ("formula-and 2\nformula-not", [l[1] || r[1], l[0] && r[0]]),
        ];
        for (whole, can) in wholes {
            for (query, can) in [("possibly", can[0]), ("always", can[1])] {
                let core = format!(
                    "core 1\ncell v 0 1 0 state\nclock x 0\n\
                    query {query}\n{left}\n{right}\n{whole}\nend\n"
                );
                match can {
                    true => rejected(&core, "unreach", &body, "the formula can hold"),
                    false => accepted(&core, "unreach", &body),
                }
            }
        }
    }
    let failing = "core 1\ncell v 0 1 1 state\nclock x 0\n\
        query possibly\nformula-clock <= ; 1 ; 1 0 ; - ; 1 c0 /\nformula 0\nformula-and 2\nend\n";
    accepted(failing, "unreach", &body.replace("0,1", "1"));
    rejected(failing, "unreach", &body, "fails at run time");
}
