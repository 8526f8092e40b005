//! Injected faults are detected by the tests of query batches, of portfolios and of state graphs.

mod support;

use std::panic::{self, AssertUnwindSafe};
use support::shared::{FAILING, compare, random};
use support::{auto, graphs};
use zonaut_base::Id;
use zonaut_engine::faults::{Fault, select};
use zonaut_engine::{LoadOptions, QueryId, Session, TraceWish, VerifyOptions, load_text};
use zonaut_portfolio::faults as turns;
use zonaut_testkit::generate::generate;

/// Whether some comparison differs, or a check inside the engine fails.
fn is_detected() -> bool {
    let loaded = load_text("m.xta", FAILING, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let is_wrong = |result: Result<usize, String>| result.is_err();
    let evicting = load_text("e.xta", graphs::EVICTING, &LoadOptions::default());
    let evicting = evicting.session().expect("a correct model");
    let answer = graphs::first_states(&evicting, 9);
    let graph = answer.state_graph().expect("a graph");
    graph.nodes.iter().all(|node| node.covered_by.is_none())
        || is_wrong(graphs::check(&session))
        || is_wrong(graphs::check(&evicting))
        || is_wrong(compare(&session, &VerifyOptions::default()))
        || (0..200).any(|seed| {
            let (session, options) = random(seed);
            panic::catch_unwind(AssertUnwindSafe(|| compare(&session, &options)))
                .map_or(true, is_wrong)
        })
        || (0..300).any(|seed| {
            let session = Session::of_model(generate(seed).to_model());
            let first = if seed % 4 == 0 { auto::COMPARED_WITH_THREADS } else { 1 };
            let asked = || auto::compare(&session, QueryId::from_index(0), first, TraceWish::Some);
            panic::catch_unwind(asked).map_or(true, |result| result.is_err())
        })
}

#[test]
fn every_injected_fault_is_detected_and_nothing_else() {
    assert!(!is_detected());
    for &fault in Fault::ALL {
        select(Some(fault));
        let noticed = is_detected();
        select(None);
        assert!(noticed, "{fault:?}");
    }
    for &fault in turns::Fault::ALL {
        turns::select(Some(fault));
        let noticed = is_detected();
        turns::select(None);
        assert!(noticed, "{fault:?}");
    }
}
