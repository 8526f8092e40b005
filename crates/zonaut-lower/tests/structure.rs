//! The structure of lowered networks: names, order, priorities, branches, and large inputs.

mod support;

use support::{lowered, model, warnings, with_edge};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, codes, lower};
use zonaut_model::builder::NetworkBuilder;
use zonaut_model::{Direction, Model, Range};
use zonaut_syntax::{ParseOptions, parse_model, print_xml, print_xta};

fn names(model: &Model) -> Vec<&str> {
    model.processes.iter().map(|process| process.name.as_str()).collect()
}

#[test]
fn processes_come_in_system_order_and_sets_in_lexicographic_order() {
    let text = "process A(int[0,1] i, bool b) { state s; init s; }
        process B() { state s; init s; } C(int[4,5] k) = A(k - 4, true); system B, A, C;";
    let model = model(text, "");
    assert_eq!(names(&model), ["B", "A(0,0)", "A(0,1)", "A(1,0)", "A(1,1)", "C(4)", "C(5)"]);
    assert!(model.processes.iter().skip(5).all(|process| process.template == "A"));
}

#[test]
fn storage_has_full_names() {
    let text = "struct { int[0,3] length; } queue[2]; process T(int[1,2] i) { clock x[2]; int v;
        state s; init s; } chan c[int[2,3]]; system T;";
    let model = model(text, "");
    let cells: Vec<&str> = model.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(cells, ["queue[0].length", "queue[1].length", "T(1).v", "T(2).v"]);
    let clocks: Vec<&str> = model.clocks.iter().map(|clock| clock.name.as_str()).collect();
    assert_eq!(clocks, ["T(1).x[0]", "T(1).x[1]", "T(2).x[0]", "T(2).x[1]"]);
    let channels: Vec<&str> = model.channels.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(channels, ["c[2]", "c[3]"]);
}

#[test]
fn priorities_are_levels() {
    let process = "process A() { state s; init s; } process B() { state s; init s; }";
    let levels = |priority: &str| {
        let model = model(&format!("chan a, b, c[2]; {priority} {process} system A < B;"), "");
        let processes: Vec<u32> = model.processes.iter().map(|one| one.priority).collect();
        assert_eq!(processes, [0, 1]);
        let channels: Vec<u32> = model.channels.iter().map(|one| one.priority).collect();
        (channels, model.default_priority)
    };
    assert_eq!(levels(""), (vec![0, 0, 0, 0], 0));
    assert_eq!(levels("chan priority a < default < b, c[1];"), (vec![0, 2, 1, 2], 1));
    assert_eq!(levels("chan priority a < b;"), (vec![1, 2, 0, 0], 0));
}

#[test]
fn selects_that_are_empty_for_some_instances_have_no_edge_there() {
    let text = "int n; process P(int[0,2] i) { state s; init s;
        trans s -> s { select k : int[1,i]; assign n = k; }; } system P;";
    let edges: Vec<usize> = model(text, "").processes.iter().map(|p| p.edges.len()).collect();
    assert_eq!(edges, [0, 1, 1]);
}

#[test]
fn edges_through_branchpoints_are_one_edge_for_each_branch() {
    let text = "<nta><declaration>int n; clock x;</declaration><template><name>P</name>
        <location id=\"id0\"/><location id=\"id1\"><name>b</name></location>
        <branchpoint id=\"id2\"/><init ref=\"id0\"/>
        <transition><source ref=\"id0\"/><target ref=\"id2\"/>
        <label kind=\"guard\">x &gt; 1</label><label kind=\"assignment\">n = 1</label></transition>
        <transition><source ref=\"id2\"/><target ref=\"id0\"/>
        <label kind=\"probability\">3</label></transition>
        <transition><source ref=\"id2\"/><target ref=\"id1\"/>
        <label kind=\"assignment\">x = 0</label></transition>
        </template><system>system P;</system></nta>";
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xml", text));
    let (document, parsed) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!parsed.has_errors(), "{}", support::messages(&parsed));
    let lowered = lower(&document, &[], &LowerOptions::default());
    let model = lowered.model.expect("the model is right");
    let process = model.processes.iter().next().expect("a process");
    let updates: Vec<usize> = process.edges.iter().map(|edge| edge.updates.len()).collect();
    assert_eq!(updates, [1, 2]);
    assert!(process.edges.iter().all(|edge| edge.guard.clocks.len() == 1));
    assert_eq!(process.locations.iter().next().map(|first| first.name.as_str()), Some("_id0"));
    let origin = lowered.origin.processes.iter().next().expect("an origin");
    let texts: Vec<&str> = origin.edges.iter().map(|edge| edge.updates.as_str()).collect();
    assert_eq!(texts, ["n = 1", "n = 1, x = 0"]);
}

#[test]
fn suspicious_constructs_are_warned_about() {
    let check = |text: &str, expected: &[&str]| {
        let lowered = lowered(text, "", &LowerOptions::default());
        assert_eq!(warnings(&lowered), expected, "{text}");
        assert!(lowered.model.is_some(), "{text}");
    };
    let invariant =
        |text: &str| format!("clock x; process P() {{ state s {{ {text} }}; init s; }} system P;");
    check(&invariant("x <= 5"), &[]);
    check(&invariant("x < 5"), &[codes::STRICT_INVARIANT]);
    check(&invariant("x >= 0"), &[codes::INVARIANT_BOUND]);
    check(&invariant("x == 0"), &[codes::INVARIANT_BOUND]);
    check(&with_edge("int n;", "assign n == 1;"), &[codes::NO_EFFECT]);
    check(&with_edge("double d;", "guard d < random(2);"), &[codes::RANDOM_HERE]);
    let urgent = "guard x > 3; sync u!;";
    check(&with_edge("clock x; urgent chan u;", urgent), &[codes::URGENT_CLOCK_GUARD]);
    check(&with_edge("int f() { }", ""), &[codes::NO_RETURN]);
    check(&with_edge("int n; void __ON_BEGIN__() { n = 1; }", ""), &[codes::HOOK_IGNORED]);
    check(&with_edge("void __ON_BEGIN__() { }", ""), &[]);
    let meta =
        "meta int m; meta int a[2]; int n; int f() { return m; } int g(int &k) { return k; }";
    for guard in ["m == 0", "a[n] > 0", "f() == 0", "g(m) == 0", "n == 0 && (n > 1 || m == 1)"] {
        check(&with_edge(meta, &format!("guard {guard};")), &[codes::META_READ]);
    }
    check(&with_edge(meta, "assign m = 3, n = m + f() + a[m - 3];"), &[]);
    check(&with_edge(meta, "guard n == 0; assign m += 1;"), &[]);
    let invariant = "meta int m; process P() { state s { m == 0 }; init s; } system P;";
    check(invariant, &[codes::META_READ]);
}

#[test]
fn a_query_that_reads_a_meta_variable_is_warned_about() {
    let text = "meta int m; int n; process P() { state s; init s; } system P;";
    for (query, expected) in [("E<> m > 0", true), ("sup: m", true), ("E<> n > 0 && P.s", false)] {
        let found = lowered(text, query, &LowerOptions::default());
        assert_eq!(warnings(&found).contains(&codes::META_READ), expected, "{query}");
        assert!(found.model.is_some(), "{query}");
    }
}

#[test]
fn the_3x_language_passes_by_reference_and_has_no_predeclared_names() {
    let text = "chan c; int v; const N 3;
        process P(int x; chan d; const k) { clock t; state s { t <= k }; init s;
            trans s -> s { guard t >= 1, x < N; sync d!; assign x := x + 1, t := 0; }; }
        A := P(v, c, 4); system A;";
    let model = model(text, "");
    let process = model.processes.iter().next().expect("a process");
    let edge = process.edges.iter().next().expect("an edge");
    assert_eq!(edge.guard.clocks.len(), 1);
    assert!(edge.guard.data.is_some());
    assert_eq!(edge.synchronisation.as_ref().map(|sync| sync.direction), Some(Direction::Send));
    assert_eq!(model.cells.len(), 1);
}

#[test]
fn printed_models_lower_to_the_same_model() {
    let text = "const int N = 3; typedef int[0,N-1] id; chan go[id]; int[0,N] count; clock g;
        int twice(int k) { return 2 * k; }
        process T(id i) { clock x; state idle, busy { x <= twice(i) + 1 }; init idle;
        trans idle -> busy { guard g >= 1 && count < N; sync go[i]!; assign x = 0, count++; },
        busy -> idle { select k : id; guard x > k; assign count--; }; }
        process U() { state s; init s; trans s -> s { select i : id; sync go[i]?; }; }
        system T, U;";
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
    let original = model(text, "");
    assert_eq!(model(&print_xta(&document), ""), original);
    let xml = sources.add(SourceFile::new("model.xml", print_xml(&document)));
    let (document, _) = parse_model(&mut sources, xml, &ParseOptions::default());
    let lowered = lower(&document, &[], &LowerOptions::default());
    assert_eq!(lowered.model, Some(original));
}

#[test]
fn a_model_of_the_builder_equals_the_parsed_one() {
    let text = "chan press; int[0,9] count; int[0,5] a[3] = {1,2,3};
        process Lamp() { clock x; state off, on { x <= 10 && count > 0 }; init off;
        trans off -> on { sync press?; assign x = 0, count = count + 1; },
        on -> off { guard x >= 5 && count < 9 && a[count] != 2; assign a[count] = a[1] * 2; }; }
        process User() { state idle; init idle; trans idle -> idle { sync press!; }; }
        system Lamp, User;";
    let mut network = NetworkBuilder::new();
    let press = network.channel("press");
    let count = network.integer("count", Range { low: 0, high: 9 }, 0);
    let a = network.integers("a", Range { low: 0, high: 5 }, &[1, 2, 3]);
    let lamp = network.process("Lamp");
    let x = network.local_clock(lamp, "x");
    let off = network.location(lamp, "off");
    let on = network.location(lamp, "on");
    network.invariant(lamp, on, x.at_most(10));
    network.invariant(lamp, on, count.term().greater(0));
    network.edge(lamp, off, on).receive(press).update(x.reset()).update(count.set(count + 1));
    network
        .edge(lamp, on, off)
        .guard(x.at_least(5))
        .guard(count.term().less(9))
        .guard(a.element(count).differs(2))
        .update(a.set(count, a.element(1) * 2));
    let user = network.process("User");
    let idle = network.location(user, "idle");
    network.edge(user, idle, idle).send(press);
    network.possibly("E<> Lamp.on", network.at(lamp, on));
    let built = network.finish().expect("the network is right");
    assert_eq!(built, model(text, "E<> Lamp.on"));
}

#[test]
fn long_chains_are_lowered_without_deep_recursion() {
    let deep = |operator: &str, element: &str, prefix: &str| {
        let terms = vec![element; 100_000].join(operator);
        let text = with_edge("clock x; int[0,1] n; int v;", &format!("{prefix} {terms};"));
        let run = move || model(&text, "").expressions.len();
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run);
        thread.expect("a thread starts").join().expect("no overflow")
    };
    deep(" + ", "n", "assign v =");
    deep(" + ", "1", "guard v ==");
    deep(" && ", "n == 0", "guard");
    deep(" && ", "x <= 5", "guard");
    deep(" && ", "(n == 0 || x <= 5)", "guard");
}

#[test]
fn calls_are_limited_in_depth() {
    let mut text = String::from("int n; void f0(int &v) { v++; }");
    for level in 1..300 {
        text.push_str(&format!(" void f{level}(int &v) {{ f{}(v); }}", level - 1));
    }
    let result = lowered(&with_edge(&text, ""), "", &LowerOptions::default());
    assert_eq!(support::errors(&result).first(), Some(&codes::UNSUPPORTED));
    let plain = text.replace("int &v", "").replace("(v)", "()").replace("v++", "n++");
    model(&with_edge(&plain, "assign f299();"), "");
}

#[test]
fn a_thousand_processes_with_two_clocks_each_are_lowered() {
    let text = "const int N = 1000; const int D = 30; typedef int[0,N-1] id_t;
        broadcast chan rec[N], f, w[N];
        process Node(const id_t id) { clock x, y; int n; int seen[3];
        bool fresh(int k) { return forall (i : int[0,2]) seen[i] != k; }
        state a { x <= D }, b { x <= D }, c { x <= D && y <= 2 * D }, d; init a;
        trans a -> a { sync rec[id]?; }, b -> b { sync rec[id]?; },
        a -> b { guard y > 4 && fresh(id % 3); sync w[id]!; assign x = 0, seen[n] = id; },
        b -> c { sync rec[(id + 1) % N]!; assign y = 0, n = (n + 1) % 3; },
        c -> d { guard x > 3; }, d -> a { sync f?; assign x = 0, y = 0; }; }
        process Start() { state s, t; init s; trans s -> t { sync f!; }; } system Node, Start;";
    let model = model(text, "A[] forall (i : id_t) Node(i).a imply Node(i).x <= D");
    assert_eq!((model.processes.len(), model.clocks.len()), (1001, 2000));
}

#[test]
fn errors_in_sections_without_effect_on_verdicts_are_warnings() {
    let text = "int n; process P(int[0,1] i) { state s; init s; } system P;
        progress { n; P(0).s : missing; }";
    let lowered = lowered(text, "", &LowerOptions::default());
    assert_eq!(warnings(&lowered), [codes::IGNORED_SECTION]);
    assert!(lowered.model.is_some());
}

#[test]
fn update_hooks_are_lowered() {
    let text = with_edge("int n, m; before_update { n = 1, m = 2 } after_update { n = 0 }", "");
    let model = model(&text, "");
    assert_eq!((model.before_update.len(), model.after_update.len()), (2, 1));
}

#[test]
fn an_invariant_violated_by_many_processes_is_reported_once() {
    let text = "int n; process P(int[0,9] i) { state s { n > 0 }; init s; } system P;";
    let lowered = lowered(text, "", &LowerOptions::default());
    assert_eq!(support::errors(&lowered), [codes::INITIAL_INVARIANT]);
}

#[test]
fn a_chart_does_not_change_the_rest_of_the_model() {
    let text = "int n; typedef scalar[2] id_t; clock x;
        int f(int k) { int all = 0; for (i : int[0,3]) all += k; return all; }
        process P(id_t i) { state a, b; init a; trans a -> b { guard x > 2 && n > 1; }; } system P;";
    let section =
        " gantt { R(i : id_t) : P(i).a && x < f(3) -> f(n), exists (k : int[1,2]) n == k -> 2; }";
    let query = "E<> exists (i : id_t) P(i).b and x > 4";
    let plain = model(text, query);
    let mut shown = model(&format!("{text}{section}"), query);
    assert_eq!(shown.chart.len(), 2);
    let rows = std::mem::take(&mut shown.chart);
    assert_eq!(rows[0].bars.len(), 2);
    // The elements of the chart come last, so that no other element changes its number.
    shown.expressions.truncate(plain.expressions.len());
    shown.locals.truncate(plain.locals.len());
    shown.functions.truncate(plain.functions.len());
    assert_eq!(shown, plain);
}

#[test]
fn queries_about_processes_with_errors_are_not_reported() {
    let check = |text: &str, query: &str, expected: &[&'static str]| {
        let found = lowered(text, query, &LowerOptions::default());
        assert_eq!(support::errors(&found), expected, "{text}");
    };
    let template = "process P(int i) { state a; init a; }";
    let query = "E<> P.a and P(1).a";
    check(&format!("{template} system P;"), query, &[codes::FREE_PARAMETER]);
    check(&format!("{template} Q = P(y); system Q;"), "E<> Q.a", &[codes::UNKNOWN_NAME]);
    check("process P() { state a; init a; } system P, Q;", "E<> Q.a", &[codes::UNKNOWN_NAME]);
    let fine = "process P(int[0,1] i) { state a; init a; } system P;";
    check(fine, "E<> P.a", &[codes::UNKNOWN_PROCESS]);
}

#[test]
fn the_statistical_part_is_kept_in_typed_form() {
    use zonaut_model::statistical::{RealExpression, RealFunction, RealRole, RealUse};
    let text = "double d = 0.5; hybrid clock h; clock x; int n;
        process P(const double w) {
            state a { h' == d * x && x' == 0.5; 2.5 : 3 }, b { ; n };
            branchpoint k; init a;
            trans a -> k { }, k -> a { probability w; }, k -> b { assign d = random(2); probability 3; };
        }
        Q = P(0.25); R = P(4); system Q, R;";
    let model = model(text, "");
    let found = &model.statistical;
    let roles: Vec<_> = found.cells.iter().map(|cell| (cell.name.as_str(), cell.role)).collect();
    assert_eq!(roles, [("d", RealRole::Variable), ("h", RealRole::HybridClock)]);
    let constant = |id| match &found.expressions[id] {
        RealExpression::Constant(value) => Some(value.value()),
        _ => None,
    };
    let rates: Vec<_> = found.exponential_rates.values().collect();
    assert_eq!(rates.len(), 4);
    assert_eq!(constant(rates[0].rate), Some(2.5));
    assert_eq!(rates[0].scale.and_then(constant), Some(3.0));
    assert!(matches!(found.expressions[rates[1].rate], RealExpression::Integer(_)));
    let weights: Vec<_> = found.weights.values().map(|weight| constant(weight.value)).collect();
    assert_eq!(weights, [Some(0.25), Some(3.0), Some(4.0), Some(3.0)]);
    assert_eq!(found.rates.len(), 2);
    let drawn = found.uses.values().filter(|meaning| match meaning {
        RealUse::Assign(_, value) => matches!(&found.expressions[*value],
            RealExpression::Apply(RealFunction::Uniform, arguments) if arguments.len() == 1),
        _ => false,
    });
    assert_eq!(drawn.count(), 2);
    // The rate of an ordinary clock is all that symbolic analysis would need.
    assert_eq!(model.needed_reals().len(), 2);
    assert!(RealFunction::ALL.len() > 50);
}

#[test]
fn integral_floating_point_constants_become_integers() {
    let text = "const double T = 4.0 / 2; clock x = 3.0; int n = fint(2.5);
        process P(double t0) { state a { x <= t0 && x' == 1.0 }; init a;
            trans a -> a { guard x >= T && 2.5 > T; assign x = 2.0 * T; }; }
        Q = P(7); system Q;";
    let model = model(text, "");
    assert!(model.needed_reals().is_empty());
    assert!(model.statistical.is_symbolic());
    assert_eq!(model.clocks.iter().next().map(|clock| clock.initial), Some(3));
    assert_eq!(model.cells.iter().next().map(|cell| cell.initial), Some(2));
}
