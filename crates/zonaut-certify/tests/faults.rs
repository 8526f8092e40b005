//! The checker's fault that can be injected is noticed.

#![cfg(feature = "faults")]

use zonaut_certify::faults::leave_duals_unchecked;
use zonaut_certify::{Limits, Refusal, check, fingerprint, seal};
use zonaut_model::core_text;
use zonaut_testkit::front_end::model_of;

/// The least cost is 1.
const MODEL: &str = "clock x; process P() { state a { cost' == 1 }, b { cost' == 2 }; init a; \
    trans a -> b { guard x >= 1; }; } system P;";

/// A run that costs 2, and a set with a flow that does not prove that no run costs less.
const BODY: &str = "cost 2 attained\ndenom 1\ndelay 2\nact 0.0\ngoal\nabs incl\nnodes 1\nnode 0 0 -\n\
    cost 0 0 attained 1:1\nstart\nby 0 -\ntake 0 0.0\nby - 2-1:1\n";

/// Whether the false claim is rejected.
fn is_right() -> bool {
    let (model, _) = model_of(MODEL, &["E<> P.b"]).expect("a correct model");
    let query = model.queries.iter().next().map(|query| &query.kind);
    let core = core_text::write(&model, query).replacen("core 1", "core 2", 1);
    let lines = core.strip_suffix("end\n").expect("a last line");
    let core = format!("{lines}measure sum\nend\n");
    let header = format!("tacert 2\nkind mincost\ncore {}\n", fingerprint(core.as_bytes()));
    let certificate = seal(format!("{header}clocks 1 x\n{BODY}"));
    let given = check(&core, &certificate, &Limits::default());
    matches!(given, Err(Refusal::Rejected(_)))
}

#[test]
fn unchecked_duals_are_noticed() {
    assert!(is_right());
    leave_duals_unchecked(true);
    let is_noticed = !is_right();
    leave_duals_unchecked(false);
    assert!(is_noticed);
}
