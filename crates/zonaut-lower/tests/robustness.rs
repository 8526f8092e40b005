//! No input makes lowering panic, and every lowered model is valid.

mod support;

use support::{errors, lowered, with_edge};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_lower::{Limits, LowerOptions, codes, lower};
use zonaut_syntax::{ParseOptions, parse_model, parse_queries};

const MODEL: &str = "const int N = 2; typedef int[0,N-1] id; typedef struct { id i; bool b; } S;
S s[N]; int[0,9] n = 3; clock x, y[2]; broadcast chan c[N]; urgent chan u; meta int m;
chan priority u < default < c[0];
int f(const int k, int &r) { int t = k; for (i : id) { t += i; r = t; } while (t > 3) t--; return t; }
S g(S a) { S b = { 1, true }; if (a.b) return a; else return b; }
process T(id i, chan &d, clock &z) { int a[id]; clock w; void go() { a[i] = f(i, n); s[i] = g(s[i]); }
state p { w <= n && (n > 0 imply z < 5) }, q { w' == 0 }; commit q; init p;
trans p -> q { select k : id; guard w >= k && x - z < 3 && forall (j : id) y[j] > j; sync d!;
assign go(), w = 0, cost += 2; }, q -> p { sync c[a[0]]?; assign n = (n + 1) % 5; }; }
P(id k) = T(k, c[k], y[0]); Q = T(1, u, x); system P, Q;";

const QUERIES: &str = "A[] forall (i : id) P(i).q imply n < 9 && P(i).w <= 3
E<> Q.a[n] == 2 || deadlock
sup{Q.p}: x, n, Q.w
P(0).p --> Q.q
";

const STATISTICAL: &str = "import \"lib.so\" { double ext(int a, const double b[2]); r = int raw(int &a[2]); };
typedef struct { double x; int n; } S; const double K = 2 * M_PI; const string name = \"a\"; double d = K / 3, a[2] = {0.5, 1};
S s, t[2]; hybrid clock h[2]; clock x = 1.5, y; int n, m[2]; broadcast chan c; dynamic D(const int k);
double f(double e, double &o, S q, const int k) { double u[2]; S w = { 1.5, k }; o = e + u[0]; q.n++; if (e > 2.5) return w.x; return pow(q.x, k) + ext(k, u); }
process D(const int k) { state a; init a; trans a -> a { assign exit(); }; }
process T(const double w, double v, hybrid clock &z) { state p { x' == d * y && z' == sin(x) && y <= v; 2.5 : 3 }, q { ; 1 / w };
branchpoint b; init p; trans p -> b { select k : int[0,1]; guard d < random(3) && x - y >= w && forall (i : int[0,1]) a[i] > i; sync c!; },
b -> q { assign d = f(v++ > 0 ? d : 2, d, s, n), n = fint(ceil(d)), s = t[n], x = -x * 2; probability w * n; },
b -> p { assign spawn D(n), z = 0, a[n] = sum (i : int[0,1]) (a[i] * i), n = r(m); probability 3; }, q -> p { guard s == t[0] && isnan(d); sync c?; }; }
P = T(0.5, 2, h[0]); Q = T(K, 1.5, h[1]); system P, Q;";

const STATISTICAL_QUERIES: &str = "E<> P.q && d > 1.5
A[] x + 2.5 > y imply n == fint(d)
sup: d, h[0], n
Pr[<=10](<> P.q)
";

fn check(text: &str, queries: &str, options: &LowerOptions) -> bool {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, parsed) = parse_model(&mut sources, file, &ParseOptions::default());
    let file = sources.add(SourceFile::new("queries.q", queries));
    let (queries, _) = parse_queries(&mut sources, file, &ParseOptions::default());
    let lowered = lower(&document, &[&queries], options);
    if let Some(model) = &lowered.model
        && !parsed.has_errors()
    {
        assert_eq!(model.validate(), Ok(()), "{text}");
    }
    lowered.model.is_some()
}

#[test]
fn the_undamaged_samples_lower_without_errors() {
    assert!(check(MODEL, QUERIES, &LowerOptions::default()));
    support::model(MODEL, QUERIES);
    let statistical = STATISTICAL.replace("v++ > 0", "v > 0");
    assert!(check(&statistical, STATISTICAL_QUERIES, &LowerOptions::default()));
    support::model(&statistical, STATISTICAL_QUERIES);
}

#[test]
fn truncated_models_never_panic() {
    for (text, queries) in [(MODEL, QUERIES), (STATISTICAL, STATISTICAL_QUERIES)] {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            check(&text[..end], queries, &LowerOptions::default());
        }
    }
}

#[test]
fn exchanged_and_missing_tokens_never_panic() {
    exchange_tokens(MODEL, QUERIES);
    exchange_tokens(STATISTICAL, STATISTICAL_QUERIES);
}

fn exchange_tokens(text: &str, queries: &str) {
    let words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    let mut state = 7_usize;
    for round in 0..1500 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (a, b) = ((state >> 20) % words.len(), (state >> 40) % words.len());
        let mut changed = words.clone();
        match round % 3 {
            0 => changed.swap(a, b),
            1 => changed[a] = words[b],
            _ => drop(changed.remove(a)),
        }
        check(&changed.concat(), queries, &LowerOptions::default());
    }
}

#[test]
fn deep_nesting_fits_a_small_stack() {
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    let guards = [
        nested("(", "n", ")", 900),
        nested("!(", "n", ")", 400),
        nested("(n + ", "1", ")", 400),
        nested("(n > 0 && ", "x < 3", ")", 400),
        nested("(n ? 1 : ", "0", ")", 400),
        nested("a[", "0", "]", 400),
        nested("(n > 0 || (n < 5 && ", "x < 3", "))", 300),
        nested("forall (i : int[0,0]) (", "n > i", ")", 300),
        nested("forall (i : int[0,0]) (", "x > i", ")", 300),
    ];
    for guard in guards {
        let text = with_edge("int n; int a[2]; clock x;", &format!("guard {guard};"));
        let run = move || check(&text, "", &LowerOptions::default());
        let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run);
        assert!(thread.expect("a thread starts").join().expect("no overflow"));
    }
    let blocks = format!("int n; void f() {{ {} }}", nested("{ if (n > 0) ", "n = 1;", " }", 300));
    check(&with_edge(&blocks, "assign f();"), "", &LowerOptions::default());
}

#[test]
fn exponential_types_are_refused_quickly() {
    let mut text = String::from("typedef struct { int a; } T0;");
    for level in 1..60 {
        let before = level - 1;
        text.push_str(&format!(" typedef struct {{ T{before} a; T{before} b; }} T{level};"));
    }
    text.push_str(" T59 huge; int f(T59 t) { return 1; } T3 small;");
    let lowered =
        lowered(&with_edge(&text, "assign small = small.a;"), "", &LowerOptions::default());
    assert_eq!(
        errors(&lowered),
        [codes::STORAGE_LIMIT, codes::STORAGE_LIMIT, codes::TYPE_MISMATCH]
    );
}

#[test]
fn exponential_clock_conditions_are_refused() {
    let check = |guard: String| {
        let result = lowered(&with_edge("clock x;", ""), &guard, &LowerOptions::default());
        assert_eq!(errors(&result), [codes::EXPANSION_LIMIT]);
    };
    check(format!("E<> {}", vec!["x < 1"; 100].join(" xor ")));
    check(format!("E<> {}x < 1{}", "(".repeat(60), " xor x < 2)".repeat(60)));
    check(format!("E<> {}", vec!["x < 1"; 50_000].join(" imply ")));
    let few = format!("E<> {}", vec!["x < 1"; 100].join(" imply "));
    support::model(&with_edge("clock x;", ""), &few);
}

#[test]
fn limits_are_adjustable() {
    let small = |limits: Limits| LowerOptions { limits, ..LowerOptions::default() };
    let limits = Limits::default();
    for limits in [
        Limits { cells: 3, ..limits },
        Limits { clocks: 2, ..limits },
        Limits { channels: 1, ..limits },
        Limits { processes: 2, ..limits },
        Limits { elements: 30, ..limits },
        Limits { expansions: 1, ..limits },
    ] {
        assert!(!check(MODEL, QUERIES, &small(limits)), "{limits:?}");
    }
}

#[test]
fn the_evaluation_of_constants_is_limited() {
    let text =
        "int f() { while (true) { } return 1; } const int a[3] = { f(), f(), f() }; int n = f();";
    let lowered = lowered(&with_edge(text, ""), "", &LowerOptions::default());
    assert_eq!(errors(&lowered), [codes::CONSTANT_FAILS]);
}
