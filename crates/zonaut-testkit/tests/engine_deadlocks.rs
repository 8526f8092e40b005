//! Queries with `deadlock`, answered by the engine, whose clock bounds are two-sided only where a
//! deadlock is possible, against the oracles.

use zonaut_base::Id;
use zonaut_engine::{TraceWish, Verdict, VerifyOptions};
use zonaut_model::{QueryId, QueryKind};
use zonaut_testkit::evidence::{answered, judge};
use zonaut_testkit::generate::Theme;
use zonaut_testkit::judge::{Claim, truth};
use zonaut_testkit::oracle::Limits;

/// Strategies that are asked in turn.
const STRATEGIES: [&str; 4] = ["auto(first=20)", "bfs", "dfs", "greedy(hu)"];

/// Answers the query of a network, and compares verdict, shortest length and certificate.
fn examine(seed: u64) -> Result<bool, String> {
    let model = Theme::Deadlock.network(seed).to_model();
    let query = &model.queries[QueryId::from_index(0)].kind;
    let Some((_, truth)) = truth(&model, query, Limits::default()) else { return Ok(false) };
    let strategy = STRATEGIES[seed as usize % STRATEGIES.len()];
    let is_shortest = seed.is_multiple_of(3);
    let options = VerifyOptions {
        strategy: strategy.parse().map_err(|why| format!("{strategy}: {why:?}"))?,
        trace: if is_shortest { TraceWish::Shortest } else { TraceWish::None },
        ..VerifyOptions::default()
    };
    let (answer, certificate) = answered(&model, &options);
    let is_wanted = matches!(query, QueryKind::Possibly(_));
    let claim = match &answer.verdict {
        Verdict::Error(_) => Claim::Failed,
        Verdict::Satisfied | Verdict::NotSatisfied => {
            let is_reached = (answer.verdict == Verdict::Satisfied) == is_wanted;
            let shortest = answer.depth.filter(|_| is_shortest).map(|depth| depth as u32);
            if is_reached { Claim::Reachable { shortest } } else { Claim::Unreachable }
        }
        other => return Err(format!("{other:?}")),
    };
    if !claim.agrees_with(&truth) {
        return Err(format!("{strategy}: {claim:?}, but {truth:?}"));
    }
    // Half of the answers stand without their certificate.
    if seed.is_multiple_of(2)
        && let Some(certificate) = certificate
    {
        judge(&model, &answer, &certificate)?;
    }
    Ok(true)
}

#[test]
fn deadlocks_with_local_bounds_agree_with_the_oracles() {
    let mut decided = 0;
    for seed in 0..2_000 {
        match examine(seed) {
            Ok(is_decided) => decided += usize::from(is_decided),
            Err(why) => unreachable!("seed {seed}: {why}"),
        }
    }
    assert!(decided > 1_900, "{decided}");
}

/// Several nodes cover a successor together, whose parts only their own faces separate: the checker
/// once rejected the certificate.
#[test]
fn a_successor_that_nodes_cover_in_parts_is_certified() {
    assert_eq!(examine(1_003_390), Ok(true));
}
