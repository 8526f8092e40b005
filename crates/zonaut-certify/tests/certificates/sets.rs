//! Certificates of the kind `unreach`.

use crate::{answer, certificate, core, no_set, set, undecided};
use zonaut_certify::{Claim, Limits, Refusal, check};

const WINDOW: &str = "
    clock x, y;
    process P() {
        state a { x <= 2 }, b, c;
        init a;
        trans a -> b { guard x >= 1; assign x = 0; }, b -> c { guard x - y > 0; };
    }
    system P;";

#[test]
fn an_inductive_set_is_accepted_and_none_of_its_parts_is_redundant() {
    let core = core(WINDOW, "E<> P.c");
    let nodes = |first: &str, second: &str| format!("abs incl\nnodes 2\n{first}\n{second}");
    let a = "node 0 0 - 1-2<=0 2-1<=0 1-0<=2";
    let b = "node 1 1 - 1-2<=-1 2-1<=2";
    set(&core, &nodes(a, b));
    // A larger set, zones that are not canonical, and an empty node are harmless.
    set(&core, &nodes("node 0 0 - 1-2<=0 2-1<=0", b));
    set(&core, &nodes(a, "node 1 1 - 1-2<0"));
    set(&core, "abs incl\nnodes 3\nnode 0 0 - 1-2<=0 2-1<=0\nnode 1 1 - 1-2<0\nnode 2 2 - 1-0<0");
    no_set(&core, &nodes(a, "node 1 1 - 1-2<=-1 2-1<=1"), "node 0, transition P.0: no node");
    no_set(&core, &nodes(a, "node 1 1 - 1-2<-1"), "node 0, transition P.0: no node");
    no_set(&core, &nodes(a, "node 1 1 -"), "node 1, transition P.1: no node");
    no_set(&core, &nodes("node 0 0 - 1-2<=0 2-1<=0 1-0<2", b), "the initial state");
    no_set(&core, "abs incl\nnodes 1\nnode 0 0 - 1-2<=0 2-1<=0", "node 0, transition P.0");
    no_set(&core, "abs incl\nnodes 0", "the initial state");
    no_set(&core, &nodes("node 0 2 -", "node 1 0 - 1-2<=0 2-1<=0"), "node 0: the formula");
}

/// A counter with a node for each value up to `last`; those of `without` are missing.
fn counting(last: i32, without: &[i32]) -> (String, String) {
    let model = format!(
        "int[0,{last}] v;
        process P() {{
            state a; init a;
            trans a -> a {{ guard v < {last}; assign v++; }};
        }}
        system P;"
    );
    let values = (0..=last).filter(|value| !without.contains(value));
    let state = |value: i32| if value == 0 { "-".to_owned() } else { format!("0={value}") };
    let lines = values.enumerate().map(|(id, value)| format!("node {id} 0 {}\n", state(value)));
    let lines: Vec<String> = lines.collect();
    let body = format!("abs incl\nnodes {}\n{}", lines.len(), lines.concat());
    let core = core(&model, "E<> v < 0");
    let text = certificate(&core, "unreach", &body);
    (core, text)
}

#[test]
fn the_first_refused_node_is_reported_with_any_number_of_threads() {
    for threads in [1, 2, 8] {
        let threads = std::num::NonZeroUsize::new(threads).unwrap();
        let limits = Limits { threads, ..Limits::default() };
        let (core, text) = counting(3000, &[]);
        assert_eq!(check(&core, &text, &limits).map(|accepted| accepted.size), Ok(3001));
        let (core, text) = counting(3000, &[1500, 1700, 2999]);
        let given = check(&core, &text, &limits);
        let reason = "node 1499, transition P.0: no node covers where it leads";
        assert_eq!(given, Err(Refusal::Rejected(reason.to_owned())));
    }
}

#[test]
fn the_claim_of_a_set_depends_on_the_query() {
    let body = "abs incl\nnodes 2\nnode 0 0 - 1-2<=0 2-1<=0\nnode 1 1 - 1-2<0\nhint 0 1\nhint 1";
    for (query, claim) in [("E<> P.c", Claim::NotSatisfied), ("A[] not P.c", Claim::Satisfied)] {
        let accepted = answer(&core(WINDOW, query), "unreach", body).unwrap();
        assert_eq!((accepted.claim, accepted.size), (claim, 2));
    }
    no_set(&core(WINDOW, "E<> P.b and y >= 3"), body, "node 1: the formula can hold");
    no_set(&core(WINDOW, "A[] P.a"), body, "node 1: the formula can hold");
}

/// The clock y is tested only in b, where x is not: unconstrained clocks need not be named.
#[test]
fn an_unnamed_clock_is_unconstrained() {
    let model = "
        clock x, y;
        process P() {
            state a { x <= 2 }, b { y <= 1 }, c;
            init a;
            trans a -> b { guard x >= 1; assign y = 0; }, b -> c { guard y > 1; };
        }
        system P;";
    let core = core(model, "E<> P.c");
    set(&core, "abs incl\nnodes 2\nnode 0 0 - 1-0<=2\nnode 1 1 - 2-0<=1");
    no_set(&core, "abs incl\nnodes 2\nnode 0 0 - 1-0<=2\nnode 1 1 - 1-0<=2", "node 0, transition");
}

#[test]
fn several_nodes_cover_together() {
    let core = core(WINDOW, "E<> P.c");
    let split = |last: &str| {
        format!(
            "abs incl\nnodes 4\nnode 0 0 - 1-2<=0 2-1<=0 1-0<1\nnode 1 0 - 1-2<=0 2-1<=0 0-1<=-1
             node 2 1 - 1-2<=-1 2-1<2\nnode 3 1 - {last}"
        )
    };
    set(&core, &split("1-2<=-2 2-1<=2"));
    no_set(&core, &split("1-2<-2"), "no node covers");
    no_set(&core, &split("1-2<=-2 2-1<=2 1-0<=100"), "no node covers");
}

#[test]
fn formulas_hold_as_their_operands_do() {
    let model = "clock x, y; process P() { state a { x <= 4 }; urgent a; init a; } system P;";
    let holds = [
        "x == 0",
        "not (x > 0)",
        "not (x > 0 or y != 0)",
        "not (x > 0 and y > 0)",
        "x > 0 or not (y > 0)",
        "not (not (x >= 0 and y <= 0))",
    ];
    let fails = [
        "x > 0",
        "not (x <= 0)",
        "not (x == 0)",
        "not (x > 0 or y >= 0)",
        "x > 0 or not (y >= 0)",
        "not (not (x >= 0 and y < 0))",
    ];
    let node = "abs incl\nnodes 1\nnode 0 0 - 1-0<=0 2-0<=0";
    let negated = |core: &str| core.replace("\nend\n", "\nformula-not\nend\n");
    for (formulas, [good, bad]) in [(holds, ["A[]", "E<>"]), (fails, ["E<>", "A[]"])] {
        for formula in formulas {
            let good = core(model, &format!("{good} {formula}"));
            set(&good, node);
            no_set(&negated(&good), node, "the formula can hold");
            let bad = core(model, &format!("{bad} {formula}"));
            no_set(&bad, node, "the formula can hold");
            set(&negated(&bad), node);
        }
    }
}

#[test]
fn constants_do_not_respect_clock_differences() {
    let core = core(WINDOW, "E<> P.c");
    let body =
        "abs lu\nbounds 0 1:9:9 2:9:9\nnodes 2\nnode 0 0 - 0 1-2<=0 2-1<=0\nnode 1 1 - 0 1-2<0";
    no_set(&core, body, "node 1, transition P.1: no node");
}

/// A hint may name a node with another discrete state.
#[test]
fn a_hint_covers_nothing_by_itself() {
    let core = core(WINDOW, "E<> P.c");
    let body = "abs incl\nnodes 2\nnode 0 0 - 1-2<=0 2-1<=0\nnode 1 1 - 1-2<=-1 2-1<=1\nhint 0 ";
    for hint in ["0", "1", "0 1"] {
        no_set(&core, &format!("{body}{hint}"), "node 0, transition P.0: no node");
    }
}

#[test]
fn nodes_outside_invariants_are_harmless() {
    let model = "
        int[0,3] v; int[0,1] w;
        clock x;
        process P() {
            state a { x <= v + 1 && v < 3 }, b { x <= 1 }, c;
            urgent b;
            init a;
            trans a -> a { guard v < 1; assign v++, w = 1, x = 0; }, a -> b { guard x >= 2; },
                  a -> c { guard v == 3 || x > 2; };
        }
        system P;";
    let core = core(model, "E<> P.c");
    let nodes = "node 0 0 - 1-0<=1\nnode 1 0 0=1,1=1 1-0<=2";
    set(&core, &format!("abs incl\nnodes 2\n{nodes}"));
    set(&core, "abs incl\nnodes 2\nnode 0 0 -\nnode 1 0 0=1,1=1");
    for harmless in ["0 0=3", "0 0=3 1-0<=0", "0 0=1,1=1 0-1<-2", "1 - 0-1<=-2", "0 0=3,1=1"] {
        set(&core, &format!("abs incl\nnodes 3\n{nodes}\nnode 2 {harmless}"));
    }
    no_set(&core, &format!("abs incl\nnodes 3\n{nodes}\nnode 2 0 0=2"), "node 2, transition P.2");
    no_set(&core, "abs incl\nnodes 2\nnode 0 0 -\nnode 1 0 0=1,1=1 1-0<=1", "transition P.0");
}

/// A constraint whose condition is 0 is ignored.
#[test]
fn constraints_hold_under_their_conditions() {
    let model = "
        int v;
        clock x;
        process P() { state a { x <= 2 }, b; init a; trans a -> b { guard x > 3; }; }
        system P;";
    let text = core(model, "E<> P.b");
    let node = "abs incl\nnodes 1\nnode 0 0 - 1-0<=2";
    set(&text, node);
    let (invariant, guard) = ("<= ; 1 ; 1 0 ; - ; 2", "> ; 1 ; 1 0 ; - ; 3");
    for (from, to, reason) in [
        (invariant, "<= ; 0 ; 1 0 ; - ; 2", "the initial state"),
        (invariant, "<= ; c0 ; 1 0 ; - ; 2", "the initial state"),
        (guard, "> ; 0 ; 1 0 ; - ; 3", "transition P.0"),
        (guard, "> ; c0 ; 1 0 ; - ; 3", "transition P.0"),
    ] {
        assert!(text.contains(from), "{text}");
        no_set(&text.replace(from, to), node, reason);
        set(&text.replace(from, to).replace("c0 ;", "c0 not ;").replace("; 0 ;", "; 5 ;"), node);
    }
}

/// The effects of one transition on clocks do not carry over to the next.
#[test]
fn clock_effects_do_not_carry_over_to_the_next_transition() {
    let model = "
        clock x;
        process P() {
            state a, b, c;
            urgent b, c;
            init a;
            trans a -> b { guard x >= 2; assign x = 0; }, a -> c { guard x >= 2; };
        }
        system P;";
    let core = core(model, "E<> P.c and x < 2");
    set(&core, "abs incl\nnodes 3\nnode 0 0 -\nnode 1 1 - 1-0<=0\nnode 2 2 - 0-1<=-2");
    no_set(&core, "abs incl\nnodes 3\nnode 0 0 -\nnode 1 1 - 1-0<=0\nnode 2 2 - 1-0<=0", "P.1");
    no_set(&core, "abs incl\nnodes 3\nnode 0 0 -\nnode 1 1 - 0-1<=-2\nnode 2 2 - 0-1<=-2", "P.0");
}

#[test]
fn a_network_may_have_no_processes() {
    let text = "core 1\nclock x 0\nquery possibly\nformula-clock > ; 1 ; 1 0 ; - ; 3\nend\n";
    no_set(text, "abs incl\nnodes 1\nnode 0 - -", "the formula can hold");
    no_set(text, "abs incl\nnodes 1\nnode 0 - - 1-0<=3", "the initial state");
    set(&text.replace("> ; 1", "< ; 1").replace("; 3", "; 0"), "abs incl\nnodes 1\nnode 0 - -");
}

/// P26: the part of a zone in which a receiver does not take part is a successor of its own.
#[test]
fn a_broadcast_splits_the_zone() {
    let model = "
        clock x;
        broadcast chan c;
        process S() { state a, b; urgent b; init a; trans a -> b { sync c!; }; }
        process R() { state r, s; init r; trans r -> s { guard x <= 1; sync c?; }; }
        system S, R;";
    let text = core(model, "E<> S.b && R.r && x <= 1");
    let body = |silent: &str| {
        format!("abs incl\nnodes 3\nnode 0 0,0 -\nnode 1 1,1 - 1-0<=1\nnode 2 1,0 - {silent}")
    };
    set(&text, &body("0-1<-1"));
    no_set(&text, &body("0-1<-2"), "node 0, transition S.0: no node");
    no_set(&text, &body("0-1<=-1"), "node 2: the formula can hold");
    no_set(
        &text,
        "abs incl\nnodes 2\nnode 0 0,0 -\nnode 1 1,1 - 1-0<=1",
        "node 0, transition S.0:",
    );
    no_set(&text, "abs incl\nnodes 2\nnode 0 0,0 -\nnode 1 1,0 - 0-1<-1", "transition S.0 R.0:");
    let constants = |bounds: &str| {
        format!(
            "abs lu\nbounds 0 {bounds}\nnodes 3\nnode 0 0,0 - 0\nnode 1 1,1 - 0 1-0<=1\nnode 2 1,0 - 0 0-1<-1"
        )
    };
    set(&text, &constants("1:1:1"));
    no_set(&text, &constants("1:-:1"), "node 0, transition S.0: no node");
    no_set(&text, &constants("1:1:-"), "no node");
}

/// P30: a committed receiver disables exactly the transitions in which it does not take part.
#[test]
fn transitions_from_committed_locations_have_precedence_in_sets() {
    let model = "
        broadcast chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process R() { state r, s; commit r; init r; trans r -> s { sync c?; }; }
        process F() { state f, g; init f; trans f -> g { }; }
        system S, R, F;";
    let core = core(model, "E<> R.r and F.g");
    set(&core, "abs incl\nnodes 3\nnode 0 0,0,0 -\nnode 1 1,1,0 -\nnode 2 1,1,1 -");
    no_set(&core, "abs incl\nnodes 1\nnode 0 0,0,0 -", "transition S.0 R.0");
    no_set(&core, "abs incl\nnodes 2\nnode 0 0,0,0 -\nnode 1 1,1,0 -", "node 1, transition F.0");
}

/// An internal edge that a committed location disables is not evaluated: here it would fail.
#[test]
fn edges_disabled_by_committed_locations_are_not_evaluated() {
    let model = "
        int v;
        process P() { state a, b; commit a; init a; trans a -> b { assign v = 1; }; }
        process Q() { state q, r; init q; trans q -> r { guard 1 / v == 2; }; }
        system P, Q;";
    let text = core(model, "E<> Q.r");
    set(&text, "abs incl\nnodes 2\nnode 0 0,0 -\nnode 1 1,0 0=1");
    let urgent = core(&model.replace("commit", "urgent"), "E<> Q.r");
    no_set(&urgent, "abs incl\nnodes 2\nnode 0 0,0 -\nnode 1 1,0 0=1", "node 0: the model fails");
}

/// P31: time passes up to the first instant at which an urgent synchronisation is enabled.
#[test]
fn only_enabled_urgent_synchronisations_stop_time() {
    let model = "
        clock x;
        urgent chan u;
        process S() { state a, b; init a; trans a -> b { guard x >= 3; sync u!; }; }
        process R() { state r, s; init r; trans r -> s { sync u?; }; }
        system S, R;";
    let text = core(model, "E<> S.a and x > 3");
    let body = |x: &str| format!("abs incl\nnodes 2\nnode 0 0,0 - 1-0{x}\nnode 1 1,1 - 0-1<=-3");
    set(&text, &body("<=3"));
    no_set(&text, &body("<3"), "the initial state");
    no_set(&text, &body("<=4"), "the formula can hold");
    let constants = |bounds: &str| {
        format!("abs lu\nbounds 0 {bounds}\nnodes 2\nnode 0 0,0 - 0 1-0<=3\nnode 1 1,1 - 0 0-1<=-3")
    };
    set(&text, &constants("1:3:3"));
    no_set(&text, &constants("1:2:3"), "the formula can hold");
    let patient = core(&model.replace("urgent chan", "chan"), "E<> S.a and x > 3");
    no_set(&patient, &body("<=3"), "the initial state");
}

/// Only urgent channels stop time, and binary ones only if there is an enabled receiver.
#[test]
fn channels_without_urgency_or_receivers_do_not_stop_time() {
    for channels in ["urgent chan u; broadcast chan c", "urgent broadcast chan u; chan c"] {
        let model = format!(
            "clock x;
            {channels};
            process S() {{ state a, b; init a; trans a -> b {{ sync c!; }}; }}
            process R() {{
                state r, s, t; init r;
                trans s -> t {{ sync u!; }}, r -> t {{ sync c?; }};
            }}
            system S, R;"
        );
        let core = core(&model, "E<> S.a and x > 3");
        no_set(&core, "abs incl\nnodes 2\nnode 0 0,0 - 1-0<=0\nnode 1 1,2 -", "the initial state");
        no_set(&core, "abs incl\nnodes 2\nnode 0 0,0 -\nnode 1 1,2 -", "the formula can hold");
    }
    let alone = "
        clock x;
        urgent chan u;
        process S() { state a, b; init a; trans a -> b { sync u!; }; }
        process R() { state r, s; init r; trans s -> r { sync u?; }; }
        system S, R;";
    let core = core(alone, "E<> x > 3");
    no_set(&core, "abs incl\nnodes 1\nnode 0 0,0 - 1-0<=0", "the initial state");
    no_set(&core, "abs incl\nnodes 1\nnode 0 0,0 -", "the formula can hold");
}

/// P32: the lower transition is removed only where the higher one is enabled.
#[test]
fn priorities_split_the_zone() {
    let model = "
        clock x;
        broadcast chan low, high;
        chan priority low < high;
        process P() {
            state a, h, l;
            urgent l;
            init a;
            trans a -> h { guard x <= 1; sync high!; }, a -> l { sync low!; };
        }
        system P;";
    let core = core(model, "E<> P.l and x <= 1");
    let body = |l: &str| format!("abs incl\nnodes 3\nnode 0 0 -\nnode 1 1 -\nnode 2 2 - {l}");
    set(&core, &body("0-1<-1"));
    no_set(&core, &body("0-1<-2"), "transition P.1");
    no_set(&core, &body("0-1<=-1"), "the formula can hold");
}

/// A higher transition whose target violates its invariant disables nothing.
#[test]
fn priorities_consider_the_invariants_of_targets() {
    let model = |update: &str| {
        format!(
            "clock x, y;
            broadcast chan low, high;
            chan priority low < high;
            process P() {{
                state a, h {{ x <= 1 }}, l;
                urgent l;
                init a;
                trans a -> h {{ sync high!; assign {update}; }}, a -> l {{ sync low!; }};
            }}
            system P;"
        )
    };
    let zones = |h: &str, l: &str| {
        format!("abs incl\nnodes 3\nnode 0 0 - 1-2<=0 2-1<=0\nnode 1 1 -{h}\nnode 2 2 -{l}")
    };
    let after_one = core(&model("y = 7"), "E<> P.l and x <= 1");
    set(&after_one, &zones("", " 0-1<-1"));
    no_set(&after_one, &zones("", " 0-1<-2"), "transition P.1");
    no_set(&after_one, &zones("", ""), "the formula can hold");
    let never = core(&model("x = 2"), "E<> P.l");
    no_set(&never, &zones("", ""), "the formula can hold");
    no_set(&never, "abs incl\nnodes 1\nnode 0 0 -", "transition P.1");
    let always = core(&model("x = 1"), "E<> P.l");
    set(&always, "abs incl\nnodes 2\nnode 0 0 -\nnode 1 1 -");
    let copied = core(&model("x = y"), "E<> P.l and x <= 1");
    set(&copied, &zones("", " 0-1<-1"));
    no_set(&copied, &zones("", ""), "the formula can hold");
}

/// P35: a set in which the model can fail proves nothing.
#[test]
fn failing_transitions_are_not_ignored() {
    let model = "
        int[0,1] v;
        clock x;
        process P() {
            state a { x <= 3 }, b;
            init a;
            trans a -> a { guard x >= 2; assign v = v + 1, x = 0; };
        }
        system P;";
    let text = core(model, "E<> P.b");
    let nodes = "abs incl\nnodes 2\nnode 0 0 -\nnode 1 0 0=1";
    no_set(&text, nodes, "node 1, transition P.0: the model fails at run time");
    let safe = core(&model.replace("x >= 2", "x > 3"), "E<> P.b");
    set(&safe, nodes);
    let guard = core(&model.replace("x >= 2", "1 / v == 1"), "E<> P.b");
    no_set(&guard, nodes, "node 0: the model fails at run time");
    let invariant = core(&model.replace("x <= 3", "1 / (1 - v) >= 0"), "E<> P.b");
    no_set(&invariant, nodes, "fails at run time");
    no_set(&core(model, "E<> 1 / v == 2"), nodes, "node 0: the model fails at run time");
}

#[test]
fn lower_bounds_of_invariants_hold_on_entry() {
    let model = "
        clock x;
        process P() {
            state a, b { x >= 3 }, c;
            init a;
            trans a -> b { }, b -> c { };
        }
        system P;";
    let core = core(model, "E<> P.b and x < 3");
    set(&core, "abs incl\nnodes 3\nnode 0 0 -\nnode 1 1 -\nnode 2 2 - 0-1<=-3");
    no_set(&core, "abs incl\nnodes 3\nnode 0 0 -\nnode 1 1 - 0-1<-3\nnode 2 2 - 0-1<=-3", "P.0");
}

#[test]
fn unsupported_features_are_named_and_undecided() {
    let model = "process P() { state a; init a; } system P;";
    let text = crate::core_of_cost(model, "E<> deadlock", "sum");
    let cost = "cost 0 attained";
    undecided(&text, "mincost", cost, "costs are measured");
}
