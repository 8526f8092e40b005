//! Printed models, parsed again, have the same answers by the oracles.

use zonaut_model::{Model, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::judge::truth;
use zonaut_oracle::oracle::{Answer, Limits};
use zonaut_printer::{formula_text, model_text};
use zonaut_testkit::generate::generate;

/// The first query of a model.
fn query(model: &Model) -> &QueryKind {
    &model.queries.iter().next().expect("a query").kind
}

/// Whether the oracles could decide the query; if so, they agree about the printed model.
fn check(model: &Model) -> bool {
    let QueryKind::Possibly(goal) = query(model) else { return false };
    let limits = Limits::default();
    let Some((_, before)) = truth(model, query(model), limits) else { return false };
    let text = model_text(model);
    let formula = format!("E<> {}", formula_text(model, goal));
    let (again, _) = model_of(&text, &[&formula]).expect("parsable");
    let (_, after) = truth(&again, query(&again), limits).expect("decidable as before");
    let lengths = |answer: &Answer| (answer.goal, answer.failure.as_ref().map(|at| at.actions));
    assert_eq!(lengths(&before), lengths(&after), "{text}\n{formula}");
    true
}

#[test]
fn random_networks_keep_their_answers() {
    let models = (0..150).map(|seed| generate(seed).to_model());
    let printable = models.filter(|model| !model.has_priorities() && !model.has_rates());
    let decided = printable.filter(check).count();
    assert!(decided > 50, "{decided}");
}

#[test]
fn functions_and_arrays_keep_their_answers() {
    let text = "const int N = 3; int[0,N] list[N + 1]; int[0,N] len; clock x[2];
        void enqueue(int[0,N] element) { list[len++] = element; }
        void dequeue() { int i = 0; len -= 1; while (i < len) { list[i] = list[i + 1]; i++; } list[i] = 0; }
        int[0,N] front() { return list[0]; }
        bool has(int[0,N] element) { for (i : int[0,N]) { if (list[i] == element) return true; } return false; }
        process P() { state a, b { x[1] <= 4 }, c; init a;
            trans a -> b { select e : int[1,2]; guard len < 2; assign enqueue(e), x[e - 1] := 0; },
                b -> a { guard x[0] >= 1; }, b -> c { guard has(2) && front() == 1 && x[1] > 2; assign dequeue(); }; }
        system P;";
    let goal = "E<> P.c and len == 1 and forall (i : int[1,3]) list[i] == 0";
    let (model, _) = model_of(text, &[goal]).expect("a model");
    assert!(check(&model));
}

#[test]
fn unused_symbols_are_not_declared() {
    let text = "int unused; int v; clock x; process P() { state a, b; init a;
        trans a -> b { guard v == 0; }; } system P;";
    let (model, _) = model_of(text, &["E<> P.b"]).expect("a model");
    let text = model_text(&model);
    assert!(
        text.contains(" v = 0;") && !text.contains("unused") && !text.contains("clock"),
        "{text}"
    );
}
