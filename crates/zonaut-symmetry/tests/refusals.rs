//! Symmetric scalar sets, and the reasons for excluding others.

use zonaut_base::Id;
use zonaut_model::QueryId;
use zonaut_oracle::front_end::model_of;
use zonaut_symmetry::{Symmetry, Why};

/// The symmetry of a model whose template has these declarations and this edge.
fn symmetry(globals: &str, edge: &str, query: &str) -> Symmetry {
    let text = format!(
        "typedef scalar[3] id_t;\nint[0,2] a[id_t]; id_t last; broadcast chan b;\n{globals}\n\
         process P(const id_t id) {{ clock x; state s, t; init s; trans s -> t {{ {edge} }}; }}\n\
         system P;"
    );
    let (model, _) = model_of(&text, &[query]).expect("a correct model");
    Symmetry::of(&model, &[QueryId::from_index(0)])
}

fn check(globals: &str, edge: &str, expected: Option<Why>) {
    let symmetry = symmetry(globals, edge, "E<> exists (i : id_t) P(i).t");
    let found: Vec<Why> = symmetry.refusals().iter().map(|refusal| refusal.why).collect();
    assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{globals} {edge}");
    assert_eq!(symmetry.is_trivial(), expected.is_some(), "{globals} {edge}");
}

#[test]
fn uses_that_types_allow_are_symmetric() {
    check(
        "",
        "guard last != id && a[id] == 0 && x >= 1; assign a[last] = 1, last = id, x = 0;",
        None,
    );
    check("", "guard forall (j : id_t) a[j] <= a[id];", None);
    check("", "select j : id_t; guard j != id; assign last = j, a[j] = 2;", None);
    check("int f(id_t i) { id_t j = i; return a[j]; }", "guard f(id) == 0;", None);
    check("meta int v;", "assign v = a[id], a[last] = v;", None);
    check("const int k[2] = {1, 2};", "guard a[id] == k[1];", None);
    check(
        "id_t all[id_t]; int[0,1] m[id_t][id_t];",
        "assign all[id] = last, m[id][last] = 1;",
        None,
    );
}

#[test]
fn uses_that_distinguish_elements_are_named() {
    let loops = "void f() { for (i : id_t) last = i; }";
    check(loops, "assign f();", Some(Why::Iteration));
    let unset = "id_t f() { id_t i; return i; }";
    check(unset, "assign last = f();", Some(Why::Start));
    let listed = "int f(id_t i) { int k[id_t] = {1, 2, 3}; return k[i]; }";
    check(listed, "guard f(id) == 1;", Some(Why::Start));
    check("const int k[id_t] = {1, 2, 3};", "guard k[id] == 1;", Some(Why::Constant));
    check("meta id_t v;", "assign last = v;", Some(Why::Start));
    check("meta int v[id_t] = {0, 1, 2};", "guard v[id] == 1;", Some(Why::Start));
}

#[test]
fn evaluations_that_may_fail_depend_on_the_order_of_elements() {
    check("", "guard exists (j : id_t) 4 / a[j] == 2;", Some(Why::Failure));
    check("", "guard exists (j : id_t) 4 / (a[j] + 1) == 2;", None);
    check("", "guard 4 / (a[id] + 1) == 2;", None);
}

#[test]
fn receivers_that_touch_the_same_depend_on_their_order() {
    check("", "sync b?; assign last = id;", Some(Why::Broadcast));
    check("", "sync b?; assign a[id] = a[last];", Some(Why::Broadcast));
    check("", "sync b?; assign a[id] = 1, x = 0;", None);
    check("", "sync b!; assign last = id;", None);
}

#[test]
fn a_query_that_names_an_instance_switches_symmetry_off() {
    for (query, is_off) in [
        ("E<> P(1).t", true),
        ("E<> exists (i : int[0,2]) P(i).t", true),
        ("E<> exists (i : id_t) P(i).t && last == i", false),
        ("A[] not deadlock", false),
    ] {
        let symmetry = symmetry("", "", query);
        assert_eq!(symmetry.is_trivial(), is_off, "{query}");
        let expected = if is_off { "off for id_t (the query names an element)" } else { "id_t" };
        assert_eq!(symmetry.to_string(), expected, "{query}");
    }
}

#[test]
fn models_that_order_elements_have_errors() {
    let declarations =
        "typedef scalar[3] id_t; id_t i, j; int a[id_t]; int n; id_t f() { return i; }";
    let with = |edge: &str| {
        let text = format!(
            "{declarations} process P() {{ state s; init s; trans s -> s {{ {edge} }}; }} system P;"
        );
        model_of(&text, &[]).is_ok()
    };
    assert!(with("guard i == j; assign i = j, a[i] = n;"));
    for edge in [
        "guard i < j;",
        "guard i <= j;",
        "guard i == 1;",
        "guard i == n;",
        "guard n == a[1];",
        "guard i + 1 == j;",
        "guard i;",
        "guard !i;",
        "guard i && j;",
        "guard (i ? 1 : 0) == 1;",
        "guard (n > 0 ? i : 1) == i;",
        "guard -i == n;",
        "guard (i <? j) == i;",
        "assign i = 1;",
        "assign n = i;",
        "assign i++;",
        "assign i += j;",
        "assign n = (sum (k : id_t) k);",
        "assign a[f() + 1] = 1;",
    ] {
        assert!(!with(edge), "{edge}");
    }
}
