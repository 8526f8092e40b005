//! The model that the front end reads from a printed specification behaves like the specification.

use zonaut_base::Id;
use zonaut_model::{Model, QueryId};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::generate::generate;
use zonaut_testkit::oracle::{self, Limits, Verdict};

/// Actions to the goal, actions to an error, and states.
type Outcome = (Option<u32>, Option<u32>, usize);

/// The answers of both oracles, without ids of expressions.
fn outcomes(model: &Model) -> Vec<Option<Outcome>> {
    let query = &model.queries[QueryId::from_index(0)].kind;
    let limits = Limits { states: 5000, complete: true, witness: false };
    let verdicts =
        [oracle::region, oracle::integer_time].map(|oracle| oracle(model, query, limits));
    let outcome = |verdict| match verdict {
        Verdict::Decided(answer) => {
            Some((answer.goal, answer.failure.map(|failure| failure.actions), answer.states))
        }
        Verdict::Refused(_) | Verdict::TooLarge => None,
    };
    verdicts.into_iter().map(outcome).collect()
}

#[test]
fn printed_and_read_again_a_network_behaves_the_same() {
    for seed in 0..1000 {
        let specification = generate(seed);
        let text = specification.to_xta();
        let query = specification.query_text();
        let (read, _) = model_of(&text, &[&query])
            .unwrap_or_else(|problems| unreachable!("{seed}: {problems:?}\n{text}{query}"));
        assert_eq!(outcomes(&read), outcomes(&specification.to_model()), "{seed}\n{text}{query}");
    }
}
