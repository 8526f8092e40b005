//! Queries with `deadlock`, answered by the engine, whose clock bounds are two-sided only if a
//! deadlock is possible, against the oracles.

use crate::differential::{Failure, Tally};
use crate::evidence::{answered, judge};
use crate::generate::Theme;
use crate::judge::{Claim, truth};
use crate::oracle::Limits;
use crate::specification::Specification;
use zonaut_base::Id;
use zonaut_engine::{TraceWish, Verdict, VerifyOptions};
use zonaut_model::{QueryId, QueryKind};

/// Strategies that are asked in turn.
const STRATEGIES: [&str; 4] = ["auto(first=20)", "bfs", "dfs", "greedy(hu)"];

/// Answers the query of the network of a seed, and compares verdict, shortest length and
/// certificate.
///
/// # Errors
/// The disagreement.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    // One network of five has priorities.
    let theme = if seed % 5 == 4 { Theme::Priorities } else { Theme::Deadlock };
    let network = theme.network(seed);
    compare(&network, seed, tally).map_err(|mistake| {
        Box::new(Failure::of_query(seed, &network, network.query_text(), mistake))
    })
}

fn compare(network: &Specification, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let model = network.to_model();
    let query = &model.queries[QueryId::from_index(0)].kind;
    tally.models += 1;
    tally.features.count_query(&model, query);
    let Some((_, truth)) = truth(&model, query, Limits::default()) else {
        tally.undecided += 1;
        return Ok(());
    };
    let strategy = STRATEGIES[seed as usize % STRATEGIES.len()];
    let is_shortest = seed.is_multiple_of(3);
    let options = VerifyOptions {
        strategy: strategy.parse().map_err(|why| format!("{strategy}: {why:?}"))?,
        trace: if is_shortest { TraceWish::Shortest } else { TraceWish::None },
        ..VerifyOptions::default()
    };
    let (answer, certificate) = answered(&model, &options);
    tally.answers += 1;
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
    tally.reachable += u64::from(matches!(claim, Claim::Reachable { .. }));
    tally.failing += u64::from(matches!(claim, Claim::Failed));
    if !claim.agrees_with(&truth) {
        return Err(format!("{strategy}: {claim:?}, but {truth:?}"));
    }
    // Half of the answers stand without their certificate.
    if seed.is_multiple_of(2)
        && let Some(certificate) = certificate
    {
        judge(&model, &answer, &certificate)?;
        tally.certified += 1;
    }
    Ok(())
}
