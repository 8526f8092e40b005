//! Partial databases.

use crate::check::{After, Limit, Problem};
use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::Narrow;
use zonaut_heuristics::Units;
use zonaut_pdb::{AbstractModel, Database, Pattern, Symbols};

const COUNTER: &str = "int[0,99] n;
    process P() { state a, b; init a; trans a -> a { guard n < 99; assign n := n + 1; }, a -> b { guard n == 99; }; }
    system P;";

#[test]
fn a_database_is_admissible_wherever_its_construction_is_stopped() {
    let problem = Problem::of_text(COUNTER, "E<> P.b");
    let network = CompiledNetwork::new(&problem.model, &Meter::default()).expect("few actions");
    let bounds = BoundsTable::new(&problem.model, &problem.goal);
    let pattern = Pattern::dropping(&problem.model, &Symbols::default());
    let abstract_model = AbstractModel::new(&problem.model, &problem.goal, &pattern);
    for meter_poll in 1..20 {
        let observer = &mut After(meter_poll);
        let built = Database::<Narrow>::build(&problem.model, &bounds, &abstract_model, observer);
        let mut database = built.expect("explorable");
        assert_eq!(
            problem.compare(&network, &bounds, &Units, &mut database),
            Ok(()),
            "{meter_poll}"
        );
    }
}

#[test]
fn a_partial_database_is_informative_and_admissible() {
    let problem = Problem::of_text(COUNTER, "E<> P.b");
    let bounds = BoundsTable::new(&problem.model, &problem.goal);
    let pattern = Pattern::dropping(&problem.model, &Symbols::default());
    let abstract_model = AbstractModel::new(&problem.model, &problem.goal, &pattern);
    let build = |states| {
        Database::<Narrow>::build(&problem.model, &bounds, &abstract_model, &mut Limit { states })
            .expect("explorable")
    };
    assert!(build(1000).is_complete());
    let partial = build(0);
    assert!(!partial.proves_unreachable());
    assert_eq!(problem.verdict(&Symbols::default()), Ok(()));
}
