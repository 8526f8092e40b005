//! Databases that were not finished.

use crate::check::{Limit, Problem};
use zonaut_compile::BoundsTable;
use zonaut_pdb::{Child, Database, Pattern, Symbols};

const COUNTER: &str = "int[0,99] n;
    process P() { state a, b; init a; trans a -> a { guard n < 99; assign n := n + 1; }, a -> b { guard n == 99; }; }
    system P;";

#[test]
fn a_database_that_was_stopped_still_helps_without_lying() {
    let problem = Problem::of_text(COUNTER, "E<> P.b");
    let bounds = BoundsTable::new(&problem.model, &problem.goal);
    let pattern = Pattern::dropping(&problem.model, &Symbols::default());
    let child = Child::new(&problem.model, &problem.goal, &pattern);
    let build = |states| {
        Database::build(&problem.model, &bounds, &child, &mut Limit { states }).expect("explorable")
    };
    assert!(build(1000).is_complete());
    let partial = build(0);
    assert!(!partial.proves_unreachable());
    assert_eq!(problem.verdict(&Symbols::default()), Ok(()));
}
