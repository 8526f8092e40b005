//! The facts that proofs of lazy searches depend on.

use super::*;
use crate::load::{LoadOptions, load_text};

/// The explanation of the answer to `A[] not P.bad` by a strategy.
fn explained(model: &str, strategy: &str, explain: bool) -> Option<Explanation> {
    let text = format!("{model} query {{ A[] not P.bad }}");
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let (id, _) = session.queries().next().expect("a query");
    let strategy = strategy.parse().expect("a strategy");
    let options = VerifyOptions { strategy, explain, ..VerifyOptions::default() };
    session.verify(id, &options, None).explanation
}

const MODEL: &str = "
    clock x, y;
    int[0,9] count;
    bool broken;
    const int LIMIT = 3;
    process P() {
        state a { x <= LIMIT }, b, bad;
        init a;
        trans
            a -> b { guard x >= 1; assign count = (count + 1) % 10; },
            b -> a { assign x = 0; },
            a -> bad { guard x > 5; },
            b -> bad { guard broken; };
    }
    system P;";

#[test]
fn explanations_are_grouped_by_location() {
    for clocks in ["zone", "lu"] {
        let explanation = explained(MODEL, &format!("lazy(clocks={clocks})"), true);
        let explanation = explanation.expect("there is a proof");
        assert_eq!(explanation.variables, ["broken"]);
        assert_eq!(explanation.unneeded, ["count"]);
        let in_a = explanation.locations.iter().find(|at| at.location == "P.a");
        let in_a = in_a.expect("something is needed in a");
        assert_eq!(in_a.variables, ["broken"]);
        assert_eq!(in_a.clocks.len(), 1, "{in_a:?}");
        assert!(in_a.clocks[0].starts_with("x "), "{in_a:?}");
        let text = explanation.lines();
        assert_eq!(text[0], "relevant variables: broken");
        assert_eq!(text[1], "irrelevant variables: count");
        assert!(text[2].starts_with("in P.a: broken, x "), "{text:?}");
    }
}

#[test]
fn only_lazy_proofs_are_explained_on_request() {
    assert_eq!(explained(MODEL, "lazy", false), None);
    assert_eq!(explained(MODEL, "bfs", true), None);
    assert_eq!(explained(&MODEL.replace("guard broken", "guard true"), "lazy", true), None);
}
