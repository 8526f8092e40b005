//! No query makes the front end or the engine panic, and every answer has a certificate that the
//! independent checker accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zonaut_base::Id;
use zonaut_certify::{Claim, Limits, Refusal, check};
use zonaut_engine::{Evidence, Resources, Session, Verdict, VerifyOptions};
use zonaut_model::{QueryId, core_text};
use zonaut_testkit::front_end::model_of;

const MODEL: &str = "
    clock x, y;
    const int N = 3;
    int[0,N] v, w[2];
    bool on;
    struct { int[0,7] low; bool full; } s;
    chan c;
    broadcast chan d;
    int twice(int n) { return n + n; }
    process P(int[0,1] id) {
        clock z;
        int[0,3] own;
        state a { z <= 3 }, b, e;
        urgent b;
        init a;
        trans a -> b { guard z >= 1; sync c!; assign z = 0, v = id + 1; },
              b -> e { sync d!; assign w[id] = v; },
              e -> a { guard z > 2 && x < 9; assign own = id, on = !on, z = 0; };
    }
    process Q() {
        state q, r { y <= 4 };
        init q;
        trans q -> r { sync c?; assign y = 0; }, r -> q { guard y >= 2; sync d?; },
              r -> q { guard y > 3; assign s.low = 5; };
    }
    system P, Q;";

fuzz_target!(|query: &str| {
    let Ok((model, _)) = model_of(MODEL, &[query]) else { return };
    let session = Session::of_model(model.clone());
    for index in 0..model.queries.len().min(3) {
        let id = QueryId::from_index(index);
        let options = VerifyOptions {
            resources: Resources { states: Some(2_000), ..Resources::default() },
            ..VerifyOptions::default()
        };
        let mut certificate = Vec::new();
        let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
        let answer = session.verify_with_certificate(id, &options, evidence);
        let claim = match answer.verdict {
            Verdict::Satisfied => Claim::Satisfied,
            Verdict::NotSatisfied => Claim::NotSatisfied,
            // A query that itself cannot be evaluated has no certificate.
            Verdict::Error(_) if answer.certificate.is_none() => continue,
            Verdict::Error(_) => Claim::Fails,
            Verdict::Spurious => panic!("spurious"),
            _ => continue,
        };
        let core = core_text::write(&model, Some(&model.queries[id].kind));
        match check(&core, &certificate, &Limits::default()) {
            Ok(accepted) => assert_eq!(accepted.claim, claim),
            Err(Refusal::Undecided(_)) => {}
            Err(refusal) => panic!("{refusal}\n{}", String::from_utf8_lossy(&certificate)),
        }
    }
});
