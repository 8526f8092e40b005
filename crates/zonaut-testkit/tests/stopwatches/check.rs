//! Checks of the answers about one model.

use crate::models;
use zonaut_base::Id;
use zonaut_certify::Claim;
use zonaut_engine::{Evidence, Reason, Resources, Session, Unwritten, Verdict, VerifyOptions};
use zonaut_model::{Model, QueryId, core_text};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::network::Participant;
use zonaut_testkit::oracle::{self, grid_time};
use zonaut_testkit::replay::{Run, RunStep, goal_of, replay};

/// The answer to a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answered {
    /// The goal is reachable.
    Reached,
    /// The goal is unreachable.
    Excluded,
    /// The goal may be reachable.
    Possible,
}

/// Searches of different kinds; the first one is the baseline.
const STRATEGIES: [&str; 4] = ["bfs", "astar(hl)", "astar(rd)", "greedy(hu)"];

/// The answer for the model of a seed; `None` if it takes too long.
pub(crate) fn examine(seed: u64) -> Result<Option<Answered>, String> {
    examine_query(seed, &models::query(seed))
}

/// The answer about deadlocks of the model of a seed; `None` if it takes too long, or if a grid
/// cannot decide it.
pub(crate) fn examine_deadlock(seed: u64) -> Result<Option<Answered>, String> {
    match models::has_closed_bounds(seed) && !models::text(seed).contains("sync u") {
        true => examine_query(seed, &models::deadlock_query(seed)),
        false => Ok(None),
    }
}

fn examine_query(seed: u64, query: &str) -> Result<Option<Answered>, String> {
    let text = models::text(seed);
    let (model, _) = model_of(&text, &[query]).map_err(|problems| format!("{problems:?}"))?;
    let count = if seed.is_multiple_of(4) { STRATEGIES.len() } else { 1 };
    let mut first = None;
    for strategy in &STRATEGIES[..count] {
        let answered = answer(&model, strategy).map_err(|what| format!("{strategy}: {what}"))?;
        let opposite = |a, b| a == Some(Answered::Reached) && b == Some(Answered::Excluded);
        if opposite(first, answered) || opposite(answered, first) {
            return Err(format!("{first:?}, but {answered:?} by {strategy}"));
        }
        first = first.or(answered);
        if answered == Some(Answered::Excluded) && is_on_grid(&model) {
            return Err(format!("{strategy} excludes what is reached on the grid"));
        }
    }
    Ok(first)
}

/// Whether the goal is reachable at whole or half times.
fn is_on_grid(model: &Model) -> bool {
    let query = &model.queries[QueryId::from_index(0)].kind;
    let limits = oracle::Limits { states: 20_000, ..oracle::Limits::default() };
    [1, 2].iter().any(|&parts| grid_time(model, query, parts, limits).is_reachable() == Some(true))
}

fn answer(model: &Model, strategy: &str) -> Result<Option<Answered>, String> {
    let options = VerifyOptions {
        strategy: strategy.parse().map_err(|error| format!("{error:?}"))?,
        resources: Resources { states: Some(2_000), ..Resources::default() },
        ..VerifyOptions::default()
    };
    let query = QueryId::from_index(0);
    let mut certificate = Vec::new();
    let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
    let session = Session::of_model(model.clone());
    let answer = session.verify_with_certificate(query, &options, evidence);
    let (answered, claim) = match answer.verdict {
        Verdict::Satisfied => (Answered::Reached, Claim::Satisfied),
        Verdict::NotSatisfied => (Answered::Excluded, Claim::NotSatisfied),
        Verdict::Unknown(Reason::Stopwatches(_)) => return Ok(Some(Answered::Possible)),
        Verdict::Unknown(Reason::Stopped(_)) => return Ok(None),
        other => return Err(format!("{other:?}")),
    };
    // The engine has replayed the run, and checked that it ends in a deadlock.
    if let Some(Err(Unwritten::NoSuchKind(_))) = answer.certificate {
        return Ok(Some(answered));
    }
    let text = String::from_utf8_lossy(&certificate);
    let core = core_text::write(model, Some(&model.queries[query].kind));
    match zonaut_certify::check(&core, &certificate, &zonaut_certify::Limits::default()) {
        Ok(accepted) if accepted.claim == claim => {}
        // States pruned by heuristics are closed by cartesian invariants, which the checker does
        // not support here.
        Err(zonaut_certify::Refusal::Undecided(_)) if text.contains("\ninvariant ") => {}
        other => return Err(format!("{answered:?}, but {other:?}\n{text}")),
    }
    if answered == Answered::Reached {
        let goal = goal_of(&model.queries[query].kind).ok_or("no goal")?;
        let run = run_of(&text).ok_or("no run")?;
        replay(model, &goal, &run).map_err(|flaw| format!("{flaw}\n{text}"))?;
    }
    Ok(Some(answered))
}

/// The run of a certificate.
fn run_of(certificate: &str) -> Option<Run> {
    let (mut denominator, mut steps, mut waited) = (1, Vec::new(), 0);
    for line in certificate.lines() {
        let mut words = line.split(' ');
        match words.next()? {
            "denom" => denominator = words.next()?.parse().ok()?,
            "delay" => waited += words.next()?.parse::<i128>().ok()?,
            "act" => {
                let participants = words.map(participant).collect::<Option<_>>()?;
                steps.push(RunStep { delay: waited, participants });
                waited = 0;
            }
            _ => {}
        }
    }
    steps.push(RunStep { delay: waited, participants: Vec::new() });
    Some(Run { denominator, steps })
}

fn participant(word: &str) -> Option<Participant> {
    let (process, edge) = word.split_once('.')?;
    Some(Participant {
        process: Id::from_index(process.parse().ok()?),
        edge: Id::from_index(edge.parse().ok()?),
        select: Vec::new(),
    })
}
