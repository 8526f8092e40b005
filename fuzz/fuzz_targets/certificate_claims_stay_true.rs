//! No certificate makes the checker panic, and one that is accepted claims what is true.
//!
//! The first line of an input chooses a network and the kind of certificate, as `0 unreach`; the
//! rest is the body of a certificate, to which the frame is added.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use zonaut_certify::{Claim, Limits, check, fingerprint, seal};
use zonaut_model::core_text;
use zonaut_testkit::front_end::model_of;

const TWO_CLOCKS: &str = "
    clock x, y;
    int[0,3] v;
    process P() {
        state a { x <= 2 }, b, c;
        init a;
        trans a -> b { guard x >= 1; assign x = 0, v = 1; }, b -> c { guard x > y; };
    }
    system P;";

const BROADCAST: &str = "
    clock x, y;
    broadcast chan go;
    urgent chan now;
    process S() {
        state a { x <= 3 }, b, c;
        init a;
        trans a -> b { guard x > 1; sync go!; assign x = 0; }, b -> c { sync now!; };
    }
    process R() {
        state r, s, t { y < 4 };
        init r;
        trans r -> s { guard y <= 2; sync go?; assign y = 0; }, s -> t { sync now?; };
    }
    system S, R;";

const FAILING: &str = "
    int[0,1] v;
    process P() { state a, b; init a; trans a -> b { assign v = v + 2; }; }
    system P;";

const DATA: &str = "
    int[0,5] v; meta int[0,3] m; int[0,3] w[2]; chan c;
    process P() {
        state a, b, goal;
        init a;
        trans a -> b { guard v < 3; sync c!; assign v++, m = 2; }, b -> a { },
              b -> goal { guard v == 5; };
    }
    process Q() {
        state r;
        init r;
        trans r -> r { select i : int[0,1]; guard v < 2; sync c?; assign w[i] = m; };
    }
    system P, Q;";

/// Networks with a query, and what is true of it.
const NETWORKS: [(&str, &str, Claim); 9] = [
    (TWO_CLOCKS, "E<> P.c", Claim::NotSatisfied),
    (TWO_CLOCKS, "A[] not P.c", Claim::Satisfied),
    (TWO_CLOCKS, "E<> P.b and v == 1 and y < 2 and x > 0", Claim::Satisfied),
    (BROADCAST, "E<> S.c and R.r", Claim::NotSatisfied),
    (BROADCAST, "E<> S.b and R.s and x > 0", Claim::NotSatisfied),
    (BROADCAST, "A[] not R.t", Claim::NotSatisfied),
    (FAILING, "E<> P.b", Claim::Fails),
    (DATA, "E<> P.goal or w[0] == 1", Claim::NotSatisfied),
    (DATA, "A[] v + w[1] < 4", Claim::NotSatisfied),
];

/// The core text and the beginning of a certificate about it, up to its kind and behind it.
fn prepared() -> &'static [(String, String, Claim)] {
    static PREPARED: OnceLock<Vec<(String, String, Claim)>> = OnceLock::new();
    PREPARED.get_or_init(|| {
        let prepare = |(model, query, claim): (&str, &str, Claim)| {
            let (model, _) = model_of(model, &[query]).expect("invariant: the models are right");
            let core = core_text::write(&model, Some(&model.queries.as_slice()[0].kind));
            let names: String =
                model.clocks.iter().map(|clock| format!(" {}", clock.name)).collect();
            let clocks = model.clocks.len();
            let frame = format!("core {}\nclocks {clocks}{names}\n", fingerprint(core.as_bytes()));
            (core, frame, claim)
        };
        NETWORKS.into_iter().map(prepare).collect()
    })
}

fuzz_target!(|text: &str| {
    let Some((choice, body)) = text.split_once('\n') else { return };
    let Some((number, kind)) = choice.split_once(' ') else { return };
    let Ok(number) = number.parse::<usize>() else { return };
    let Some((core, frame, truth)) = prepared().get(number) else { return };
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    let certificate = seal(format!("tacert 1\nkind {kind}\n{frame}{body}{end}"));
    let limits = Limits { nodes: 1_000, steps: 100_000, ..Limits::default() };
    if let Ok(accepted) = check(core, &certificate, &limits) {
        assert_eq!(accepted.claim, *truth, "{certificate}");
    }
});
