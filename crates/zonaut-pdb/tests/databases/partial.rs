//! Partial databases.

use crate::check::{After, Limit, Problem};
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::Narrow;
use zonaut_heuristics::Units;
use zonaut_pdb::{Child, Database, Pattern, Symbols};

const COUNTER: &str = "int[0,99] n;
    process P() { state a, b; init a; trans a -> a { guard n < 99; assign n := n + 1; }, a -> b { guard n == 99; }; }
    system P;";

#[test]
fn a_database_never_lies_wherever_its_building_is_stopped() {
    let problem = Problem::of_text(COUNTER, "E<> P.b");
    let network = CompiledNetwork::new(&problem.model).expect("few actions");
    let bounds = BoundsTable::new(&problem.model, &problem.goal);
    let pattern = Pattern::dropping(&problem.model, &Symbols::default());
    let child = Child::new(&problem.model, &problem.goal, &pattern);
    for look in 1..20 {
        let observer = &mut After(look);
        let built = Database::<Narrow>::build(&problem.model, &bounds, &child, observer);
        let mut database = built.expect("explorable");
        assert_eq!(problem.compare(&network, &bounds, &Units, &mut database), Ok(()), "{look}");
    }
}

#[test]
fn a_database_that_was_stopped_still_helps_without_lying() {
    let problem = Problem::of_text(COUNTER, "E<> P.b");
    let bounds = BoundsTable::new(&problem.model, &problem.goal);
    let pattern = Pattern::dropping(&problem.model, &Symbols::default());
    let child = Child::new(&problem.model, &problem.goal, &pattern);
    let build = |states| {
        Database::<Narrow>::build(&problem.model, &bounds, &child, &mut Limit { states })
            .expect("explorable")
    };
    assert!(build(1000).is_complete());
    let partial = build(0);
    assert!(!partial.proves_unreachable());
    assert_eq!(problem.verdict(&Symbols::default()), Ok(()));
}
