//! Least costs of random priced networks, networks of tasks and shops.

use crate::command::{Format, Input, Outcome};
use crate::differential::{Failure, Mistake, Tally, examine_queries};
use crate::generate::{Theme, generate};
pub use crate::priced::Kind;
use crate::priced::shops::{random_shop, random_tasks};
use crate::priced::{
    Agreement, Automatic, Claim, Examined, ExaminedRates, Priced, Rated, STATE_LIMIT, Sample,
    examine as compare,
};

/// One network in this many is a network of tasks, one a hand-written shop, and one has `meta`
/// variables.
const NETWORKS_FOR_TEXTS: u64 = 5;

/// Examines the priced network, the network of tasks or the shop of a seed.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as an answer stays wrong.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let network = match seed % NETWORKS_FOR_TEXTS {
        0 => {
            let (text, query) = random_tasks(seed);
            return examine_text(text, query, seed, tally);
        }
        1 => {
            let (text, query) = random_shop(seed);
            return examine_text(text, query, seed, tally);
        }
        2 => Theme::Meta.network(seed),
        _ => generate(seed),
    };
    examine_queries(network, seed, tally, |specification, seed, tally| {
        let Some(priced) = Priced::of(specification, seed) else { return Ok(()) };
        let examined = compare(&priced, seed);
        count(examined.map_err(|mistake| (specification.query_text(), mistake))?, tally);
        Ok(())
    })
}

/// Examines the network of a seed with different rates of its locations.
///
/// # Errors
/// The first wrong answer, with the network shrunk as long as an answer stays wrong.
pub fn examine_rates(seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    examine_queries(generate(seed), seed, tally, |specification, seed, tally| {
        let Some(rated) = Rated::of(specification, seed) else { return Ok(()) };
        let examined = rated.examine(seed);
        let ExaminedRates { least, is_judged, is_certified, answers } =
            examined.map_err(|mistake| (specification.query_text(), mistake))?;
        tally.models += 1;
        tally.answers += answers;
        tally.reachable += u64::from(least.is_some());
        tally.undecided += u64::from(!is_judged);
        tally.certified += u64::from(is_certified);
        Ok(())
    })
}

/// Examines the near-task network of a seed with integer dates, by random strategies over point
/// states and zones, and by the command `optimize`.
///
/// # Errors
/// The first wrong answer.
pub fn examine_kind(kind: Kind, seed: u64, tally: &mut Tally) -> Result<(), Box<Failure>> {
    let sample = Sample::of(kind, seed);
    let examined = sample.examine(seed).map_err(Mistake::Beyond).and_then(|agreement| {
        let Sample { text, query, .. } = &sample;
        let input = Input { model: text, format: Format::Xta, query: Some(query), seed };
        examine_command(&input, agreement.automatic, tally)?;
        Ok(agreement)
    });
    let fail = |mistake| Box::new(Failure::of_text(seed, sample.text, sample.query, mistake));
    let Agreement { is_reachable, is_judged, answers, refused, certified, .. } =
        examined.map_err(fail)?;
    tally.models += 1;
    tally.answers += answers;
    tally.reachable += u64::from(is_reachable);
    tally.undecided += u64::from(!is_judged);
    tally.refused += refused;
    tally.certified += certified;
    Ok(())
}

/// Lets the command `optimize` find the least cost, by the same strategy and with the same limit as
/// the engine.
fn examine_command(input: &Input<'_>, known: Automatic, tally: &mut Tally) -> Result<(), Mistake> {
    let limit = format!("--states={STATE_LIMIT}");
    let ended = input.run("optimize", &[&limit]).map_err(Mistake::Beyond)?;
    tally.count_command(&ended);
    let outcome = match known {
        Automatic::Least(least) => {
            Outcome::Least { cost: least.value(), is_attained: least.is_attained() }
        }
        Automatic::Unreachable => Outcome::Unreachable,
        Automatic::Undecided | Automatic::Refused => Outcome::Unknown,
        Automatic::Overflow => Outcome::RunTimeError,
    };
    let required = match known {
        Automatic::Refused => ended.require_refusal(outcome),
        _ => ended.require(&[vec![outcome]]),
    };
    required.map_err(|wrong| Mistake::Command(Box::new(wrong)))
}

fn examine_text(
    text: String,
    query: String,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), Box<Failure>> {
    let examined = match Priced::of_text(&text, &query) {
        Ok(priced) => compare(&priced, seed).map_err(Mistake::Beyond),
        Err(messages) => Err(Mistake::Unreadable(messages)),
    };
    let fail = |mistake| Box::new(Failure::of_text(seed, text, query, mistake));
    count(examined.map_err(fail)?, tally);
    Ok(())
}

fn count(examined: Examined, tally: &mut Tally) {
    let Examined { claim, fails, is_judged, answers } = examined;
    tally.models += 1;
    tally.answers += answers;
    tally.reachable += u64::from(claim.is_some_and(|claim| claim != Claim::Unreachable));
    tally.failing += u64::from(fails);
    tally.undecided += u64::from(!fails && !is_judged);
    tally.certified += u64::from(!fails);
}
