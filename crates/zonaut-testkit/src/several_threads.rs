//! Breadth-first search with several threads against one thread: the same verdicts and shortest
//! lengths, accepted certificates, and the same counts with any number of threads beyond one.
//!
//! Two networks in three are random ones. One in three consists of many equal processes, so that its
//! states are of many kinds, which workers divide among themselves.

use crate::differential::{Failure, Mistake, Tally};
use crate::evidence::{answered, judge};
use crate::front_end::model_of;
use crate::generate::generate;
use crate::random::Random;
use std::num::NonZeroUsize;
use zonaut_base::Id;
use zonaut_engine::{
    Answer, Order, Resources, Statistics, Strategy, TraceWish, Verdict, VerifyOptions,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind};

/// The state limit of a search.
const STATES: usize = 4_000;

/// The numbers of threads that are compared.
const THREADS: [usize; 3] = [2, 3, 4];

/// Answers the queries of the network of a seed with 1 to 4 threads.
///
/// # Errors
/// The disagreement.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    tally.models += 1;
    if seed.is_multiple_of(3) {
        let Crowd { text, query } = Crowd::random(seed);
        let fail = |mistake| {
            let mistake = Mistake::Beyond(mistake);
            Box::new(Failure::of_text(seed, text.clone(), query.clone(), mistake))
        };
        let (model, _) = model_of(&text, &[&query]).map_err(|why| fail(format!("{why:?}")))?;
        return compare(&model, seed, tally).map_err(fail);
    }
    let network = generate(seed);
    let mut model = network.to_model();
    if seed.is_multiple_of(2) {
        let first = &mut model.queries[QueryId::from_index(0)];
        first.kind = QueryKind::Always(Formula::Not(Box::new(Formula::Deadlock)));
    }
    compare(&model, seed, tally).map_err(|mistake| {
        Box::new(Failure::of_query(seed, &network, network.query_text(), mistake))
    })
}

/// A network of many equal processes, of which few are in a critical part at the same time.
struct Crowd {
    text: String,
    query: String,
}

impl Crowd {
    fn random(seed: u64) -> Self {
        let random = &mut Random::new(seed ^ 0x7eed);
        let processes = 6 + random.below(3);
        let most = 1 + random.below(2);
        let [wait, work, least, rest] = [3, 5, 2, 2].map(|base| base + random.below(4));
        let reset = |random: &mut Random| if random.chance(70) { "x = 0" } else { "last = i" };
        let (enter, leave) = (reset(random), reset(random));
        let blocks = if random.chance(50) { " && last != i" } else { "" };
        let hurry = if random.chance(30) { format!("guard x > {rest}; ") } else { String::new() };
        let ids: Vec<String> = (0..processes).map(|id| format!("P{id} = P({id});")).collect();
        let names: Vec<String> = (0..processes).map(|id| format!("P{id}")).collect();
        let text = format!(
            "int[0,{most}] busy; int[0,{processes}] last = {processes};\n\
             process P(int[0,{processes}] i) {{\n  clock x;\n  \
             state idle, ready {{ x <= {wait} }}, critical {{ x <= {work} }};\n  init idle;\n  \
             trans idle -> ready {{ guard busy < {most}{blocks}; assign x = 0, busy = busy + 1; }},\n    \
             ready -> critical {{ guard x >= {least}; assign {enter}; }},\n    \
             ready -> idle {{ {hurry}assign busy = busy - 1; }},\n    \
             critical -> idle {{ assign busy = busy - 1, {leave}; }};\n}}\n{}\nsystem {};\n",
            ids.join("\n"),
            names.join(", "),
        );
        let (one, other) = (random.below(processes), random.below(processes));
        let query = match random.below(4) {
            0 => "A[] not deadlock".to_owned(),
            1 => format!("E<> P{one}.critical && P{other}.critical"),
            2 => format!("A[] P{one}.critical imply P{one}.x <= {}", work + random.below(2)),
            _ => format!("E<> P{one}.critical && P{other}.ready && P{other}.x == {wait}"),
        };
        Self { text, query }
    }
}

fn options(threads: usize, trace: TraceWish) -> VerifyOptions {
    VerifyOptions {
        strategy: Strategy::Blind(Order::BreadthFirst),
        threads: NonZeroUsize::new(threads),
        trace,
        // Several threads may explore more before a larger state evicts others.
        resources: Resources { states: Some(threads.min(2) * STATES), ..Resources::default() },
        ..VerifyOptions::default()
    }
}

/// The number of transitions of the run of an answer.
fn length(answer: &Answer) -> Option<usize> {
    answer.trace.as_ref().map(|trace| trace.steps.len())
}

/// The answer with this many threads, whose certificate is judged.
fn certified(
    model: &Model,
    threads: usize,
    trace: TraceWish,
    tally: &mut Tally,
) -> Result<Answer, String> {
    let (answer, certificate) = answered(model, &options(threads, trace));
    tally.answers += 1;
    if let Some(certificate) = certificate {
        judge(model, &answer, &certificate).map_err(|why| format!("{threads} threads: {why}"))?;
        tally.certified += 1;
    }
    Ok(answer)
}

/// Compares the answers with 1 to 4 threads; half of them have shortest runs.
fn compare(model: &Model, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let query = &model.queries[QueryId::from_index(0)].kind;
    tally.features.count_query(model, query);
    let one = certified(model, 1, TraceWish::Shortest, tally)?;
    if matches!(one.verdict, Verdict::Unknown(_)) {
        tally.undecided += 1;
        return Ok(());
    }
    tally.reachable += u64::from(one.trace.is_some());
    tally.failing += u64::from(matches!(one.verdict, Verdict::Error(_)));
    let is_shortest = (seed / 3).is_multiple_of(2);
    let trace = if is_shortest { TraceWish::Shortest } else { TraceWish::Some };
    let mut counts = None;
    for threads in THREADS {
        let several = certified(model, threads, trace, tally)?;
        let differ = |what: &str, known: String, found: String| {
            Err(format!("{what}: {known} with 1 thread, {found} with {threads}"))
        };
        let is_error = |answer: &Answer| matches!(answer.verdict, Verdict::Error(_));
        // Only a search for shortest runs meets the same one of a goal and an error.
        if several.verdict != one.verdict && (is_shortest || !is_error(&one) && !is_error(&several))
        {
            return differ("verdict", format!("{:?}", one.verdict), format!("{several:?}"));
        }
        if is_shortest && length(&several) != length(&one) {
            let (known, found) = (length(&one), length(&several));
            return differ("length", format!("{known:?}"), format!("{found:?}"));
        }
        let is_written = |answer: &Answer| matches!(answer.certificate, Some(Ok(())));
        if is_written(&several) != is_written(&one) {
            let (known, found) = (&one.certificate, &several.certificate);
            return differ("certificate", format!("{known:?}"), format!("{found:?}"));
        }
        let found = (Statistics { bytes: 0, ..several.statistics }, length(&several));
        let known = *counts.get_or_insert(found);
        if known != found {
            let two = THREADS[0];
            return Err(format!("{known:?} with {two} threads, {found:?} with {threads}"));
        }
    }
    Ok(())
}
