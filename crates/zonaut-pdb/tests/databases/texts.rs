//! Children as text are read as the same models again.

use crate::check::Problem;
use zonaut_pdb::{Child, Pattern, Symbols, formula_text, model_text};
use zonaut_testkit::generate::generate;

/// The child of a problem, read again from its text.
fn reread(child: &Child) -> Result<Problem, String> {
    let text = model_text(&child.model);
    let query = format!("E<> {}", formula_text(&child.model, &child.goal));
    match zonaut_testkit::front_end::model_of(&text, &[&query]) {
        Ok((model, _)) => Ok(Problem::of_model(model)),
        Err(problems) => Err(format!("{text}\n{query}\n{problems:?}")),
    }
}

fn check(problem: &Problem, dropped: &[&str]) {
    let dropped = problem.symbols(dropped);
    let child =
        Child::new(&problem.model, &problem.goal, &Pattern::dropping(&problem.model, &dropped));
    let again = reread(&child).expect("what was written");
    let own = Problem { model: child.model, goal: child.goal };
    assert_eq!(own.shortest(), again.shortest());
}

#[test]
fn the_children_of_small_models_are_read_again() {
    for case in &crate::clauses::CASES {
        check(&Problem::of_text(case.model, case.query), case.dropped);
    }
}

#[test]
fn random_networks_are_read_again() {
    for seed in 0..300 {
        let model = generate(seed).to_model();
        if model.has_priorities() || model.has_rates() {
            continue;
        }
        let problem = Problem::of_model(model);
        let first = problem.model.processes.iter().last().map(|process| process.name.clone());
        check(&problem, &[]);
        check(&problem, &[first.as_deref().unwrap_or_default()]);
    }
}

#[test]
fn functions_and_arrays_are_read_again() {
    let text = "const int N = 3; int[0,N] list[N + 1]; int[0,N] len; clock x[2];
        void enqueue(int[0,N] element) { list[len++] = element; }
        void dequeue() { int i = 0; len -= 1; while (i < len) { list[i] = list[i + 1]; i++; } list[i] = 0; }
        int[0,N] front() { return list[0]; }
        bool has(int[0,N] element) { for (i : int[0,N]) { if (list[i] == element) return true; } return false; }
        process P() { state a, b { x[1] <= 4 }, c; init a;
            trans a -> b { select e : int[1,2]; guard len < 2; assign enqueue(e), x[e - 1] := 0; },
                b -> a { guard x[0] >= 1; }, b -> c { guard has(2) && front() == 1 && x[1] > 2; assign dequeue(); }; }
        system P;";
    check(
        &Problem::of_text(text, "E<> P.c and len == 1 and forall (i : int[1,3]) list[i] == 0"),
        &[],
    );
}

#[test]
fn what_nothing_mentions_is_not_declared() {
    let problem = Problem::of_text(
        "int unused; int v; clock x; process P() { state a, b; init a; trans a -> b { guard v == 0; }; } system P;",
        "E<> P.b",
    );
    let pattern = Pattern::dropping(&problem.model, &Symbols::default());
    let child = Child::new(&problem.model, &problem.goal, &pattern);
    let text = model_text(&child.model);
    assert!(
        text.contains(" v = 0;") && !text.contains("unused") && !text.contains("clock"),
        "{text}"
    );
}
