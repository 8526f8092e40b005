//! Symmetry reduction of scalar sets: fewer states, the same answers, and its description.

use zonaut_base::Id;
use zonaut_engine::{
    Answer, Evidence, LoadOptions, SymmetryWish, Task, TraceWish, Verdict, VerifyOptions, load_text,
};
use zonaut_model::QueryId;

/// Fischer's protocol; with a bound of 2 processes exclude each other, with 3 they do not.
fn fischer(size: u32, bound: u32) -> String {
    format!(
        "typedef scalar[{size}] id_t; bool set; id_t owner;\n\
         process P(const id_t id) {{\n\
         clock x; state a, req {{ x <= {bound} }}, wait, cs; init a;\n\
         trans a -> req {{ guard !set; assign x = 0; }},\n\
         req -> wait {{ guard x <= {bound}; assign x = 0, owner = id, set = true; }},\n\
         wait -> req {{ guard !set; assign x = 0; }},\n\
         wait -> cs {{ guard x > 2 && owner == id; }},\n\
         cs -> a {{ assign set = false; }}; }}\n\
         system P;"
    )
}

fn answer(model: &str, query: &str, symmetry: SymmetryWish) -> Answer {
    let text = format!("{model}\nquery {{ {query} }}");
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let options =
        VerifyOptions { symmetry, trace: TraceWish::Shortest, ..VerifyOptions::default() };
    let task = Task::of_query(&session, QueryId::from_index(0), &options).expect("a task");
    task.perform(Evidence::default())
}

const EXCLUSION: &str = "A[] (sum (i : id_t) P(i).cs) <= 1";

#[test]
fn one_state_is_explored_for_all_that_differ_by_a_permutation() {
    for (bound, verdict) in [(2, Verdict::Satisfied), (3, Verdict::NotSatisfied)] {
        let model = fischer(4, bound);
        let with = answer(&model, EXCLUSION, SymmetryWish::Use);
        let without = answer(&model, EXCLUSION, SymmetryWish::Ignore);
        assert_eq!((&with.verdict, &without.verdict), (&verdict, &verdict));
        assert_eq!(with.depth, without.depth);
        let length = |answer: &Answer| answer.trace.as_ref().map(|trace| trace.steps.len());
        assert_eq!(length(&with), length(&without));
        assert_eq!(with.symmetry.as_deref(), Some("id_t"));
        assert_eq!(without.symmetry.as_deref(), Some("off (disabled by an option)"));
        let (few, many) = (with.statistics.explored, without.statistics.explored);
        assert!(5 * few < many, "{few} and {many} states");
    }
}

#[test]
fn an_instance_named_by_a_query_is_distinguished() {
    let found = answer(&fischer(3, 2), "E<> P(1).cs", SymmetryWish::Use);
    assert_eq!(found.verdict, Verdict::Satisfied);
    assert_eq!(found.symmetry.as_deref(), Some("off for id_t (the query names an element)"));
}

#[test]
fn liveness_queries_do_not_use_symmetry() {
    for query in ["A<> exists (i : id_t) P(i).cs", "set --> exists (i : id_t) P(i).cs"] {
        let found = answer(&fischer(2, 2), query, SymmetryWish::Use);
        assert_eq!(found.verdict, Verdict::NotSatisfied, "{query}");
        assert_eq!(found.symmetry.as_deref(), Some("off (maximal runs)"), "{query}");
    }
}

#[test]
fn a_certificate_is_that_of_a_search_of_all_states() {
    let text = format!("{}\nquery {{ {EXCLUSION} }}", fischer(3, 2));
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let (query, options) = (QueryId::from_index(0), VerifyOptions::default());
    let task = Task::of_query(&session, query, &options).expect("a task");
    let mut certificate = Vec::new();
    let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
    let answer = task.perform(evidence);
    assert_eq!(answer.verdict, Verdict::Satisfied);
    assert_eq!(answer.symmetry.as_deref(), Some("id_t"));
    assert!(matches!(answer.certificate, Some(Ok(()))), "{:?}", answer.certificate);
    assert!(certificate.starts_with(b"tacert 1\nkind unreach"));
}

/// Processes whose parameter is a variable: each starts with its own element and takes that of the
/// process that spoke last.
const WRITTEN: &str = "typedef scalar[3] id_t; int[0,3] n; id_t last; bool spoken;
    process P(id_t id) { state a, b; init a;
    trans a -> b { guard spoken && last != id && n < 3; assign id = last, n++; },
          a -> b { guard !spoken; assign last = id, spoken = true; },
          b -> a { guard n < 3; assign last = id, n++; }; }
    system P;";

#[test]
fn parameters_that_are_variables_start_with_their_elements() {
    for query in [
        "E<> forall (i : id_t) P(i).id == last",
        "E<> exists (i : id_t) exists (j : id_t) i != j && P(i).id == j && P(j).id == j",
        "E<> exists (i : id_t) exists (j : id_t) i != j && P(i).id == j && P(j).id == i",
        "A[] !spoken imply forall (i : id_t) P(i).id == i",
        "A[] exists (i : id_t) P(i).id == i",
        "E<> deadlock",
    ] {
        let with = answer(WRITTEN, query, SymmetryWish::Use);
        let without = answer(WRITTEN, query, SymmetryWish::Ignore);
        assert_eq!(with.verdict, without.verdict, "{query}");
        let length = |answer: &Answer| answer.trace.as_ref().map(|trace| trace.steps.len());
        assert_eq!(length(&with), length(&without), "{query}");
        assert_eq!(with.symmetry.as_deref(), Some("id_t"), "{query}");
        let (few, many) = (with.statistics.explored, without.statistics.explored);
        assert!(few <= many, "{query}: {few} and {many} states");
    }
}
