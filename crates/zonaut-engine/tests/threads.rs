//! Types that are sent to or shared between threads.

use zonaut_engine::report::{AnswerRecord, ExplorationRecord, ModelRecord};
use zonaut_engine::{
    Answer, LoadOptions, Loaded, Refusal, Session, Simulator, Task, Verdict, VerifyOptions,
    load_text,
};

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}

#[test]
fn everything_owned_can_be_sent_and_shared() {
    is_send::<Loaded>();
    is_sync::<Loaded>();
    is_send::<Session>();
    is_sync::<Session>();
    is_send::<Task>();
    is_sync::<Task>();
    is_send::<Refusal>();
    is_sync::<Refusal>();
    is_send::<Simulator>();
    is_sync::<Simulator>();
    is_send::<VerifyOptions>();
    is_sync::<VerifyOptions>();
    is_send::<Answer>();
    is_sync::<Answer>();
    is_send::<AnswerRecord<'_>>();
    is_send::<ExplorationRecord<'_>>();
    is_send::<ModelRecord>();
}

#[test]
fn queries_are_answered_on_threads_of_their_own() {
    let text = "clock x; process P() { state a { x <= 3 }, b; init a; \
                trans a -> b { guard x >= 2; }; } system P; \
                query { E<> P.b\n A[] P.a\n A[] x <= 3 || P.b\n }";
    let session = {
        let loaded = load_text("m.xta", text, &LoadOptions::default());
        loaded.session().expect("a correct model")
    };
    let ids: Vec<_> = session.queries().map(|(id, _)| id).collect();
    let workers: Vec<_> = ids
        .into_iter()
        .map(|id| {
            let session = session.clone();
            std::thread::spawn(move || session.verify(id, &VerifyOptions::default(), None).verdict)
        })
        .collect();
    let verdicts: Vec<Verdict> =
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect();
    assert_eq!(verdicts, [Verdict::Satisfied, Verdict::NotSatisfied, Verdict::Satisfied]);
}
