//! Random networks: each is answered with two strategies, which have to agree.

use super::{ABSTRACTIONS, Findings, certified, loaded};
use std::fmt::Write as _;
use zonaut_engine::{Order, Random, Resources, Verdict, VerifyOptions};

/// The number of networks.
pub(super) const COUNT: u64 = 2_000;

/// The maximal number of states of a search.
const STATES: usize = 2_000;

/// Answers the queries of all networks.
pub(super) fn examine() -> Findings {
    let mut findings = Findings::default();
    for seed in 0..COUNT {
        if let Err(problem) = examine_one(seed, &mut findings.answers) {
            findings.problems.push(format!("network {seed}: {problem}"));
        }
    }
    findings
}

fn examine_one(seed: u64, answers: &mut usize) -> Result<(), String> {
    let mut random = Random::new(seed);
    let loaded = loaded(&network(&mut random));
    let session = loaded.session().ok_or("it cannot be read")?;
    let (id, _) = session.queries().next().ok_or("it has no query")?;
    let mut known: Option<Verdict> = None;
    for _ in 0..2 {
        let options = VerifyOptions {
            strategy: Order::ALL[random.below(Order::ALL.len())].into(),
            abstraction: Some(ABSTRACTIONS[random.below(ABSTRACTIONS.len())]),
            resources: Resources { states: Some(STATES), ..Resources::default() },
            ..VerifyOptions::default()
        };
        let answer = certified(&session, id, &options)?;
        *answers += 1;
        match (&known, &answer.verdict) {
            // If both a run-time error and the goal are reachable, the order of the search decides.
            (_, Verdict::Unknown(_) | Verdict::Error(_)) | (Some(Verdict::Error(_)), _) => {}
            (Some(known), verdict) if known != verdict => {
                return Err(format!("{} and {}", known.name(), verdict.name()));
            }
            _ => known = Some(answer.verdict),
        }
    }
    Ok(())
}

/// The text of a network with a query: a few processes of a few locations, a few clocks and
/// variables, and edges with random guards, synchronisations and updates.
fn network(random: &mut Random) -> String {
    let clocks = 1 + random.below(3);
    let locations: Vec<usize> = (0..=random.below(3)).map(|_| 2 + random.below(3)).collect();
    let mut text = "clock ".to_owned();
    let names: Vec<String> = (0..clocks).map(|k| format!("x{k}")).collect();
    text += &names.join(", ");
    text += ";\nint[0,3] v, w;\nchan a;\nbroadcast chan b;\nurgent chan u;\n";
    for (process, &count) in locations.iter().enumerate() {
        process_text(&mut text, process, count, random, clocks);
    }
    let names: Vec<String> = (0..locations.len()).map(|k| format!("P{k}")).collect();
    let _ = writeln!(text, "system {};", names.join(", "));
    let goals = locations.iter().enumerate().filter(|_| random.below(3) > 0);
    let mut goals: Vec<String> =
        goals.map(|(process, count)| format!("P{process}.l{}", count - 1)).collect();
    if random.below(2) == 0 || goals.is_empty() {
        goals.push(atom(random, clocks));
    }
    let formula = goals.join(" and ");
    let query = match random.below(2) {
        0 => format!("E<> {formula}"),
        _ => format!("A[] not ({formula})"),
    };
    let _ = writeln!(text, "query {{ {query} }}");
    text
}

fn process_text(
    text: &mut String,
    process: usize,
    count: usize,
    random: &mut Random,
    clocks: usize,
) {
    let location = |k: usize, random: &mut Random| match random.below(5) {
        // The first location has no lower bound, which the initial state would violate.
        0 | 1 => {
            let relation = ["<", "<="][random.below(2)];
            let bound = 1 + random.below(4);
            format!("l{k} {{ x{} {relation} {bound} }}", random.below(clocks))
        }
        _ => format!("l{k}"),
    };
    let states: Vec<String> = (0..count).map(|k| location(k, random)).collect();
    let _ = writeln!(text, "process P{process}() {{\n    state {};", states.join(", "));
    match random.below(6) {
        0 => text.push_str("    commit l1;\n"),
        1 => text.push_str("    urgent l1;\n"),
        _ => {}
    }
    text.push_str("    init l0;\n    trans ");
    let mut edges: Vec<(usize, usize)> = (1..count).map(|k| (k - 1, k)).collect();
    edges.extend((0..random.below(4)).map(|_| (random.below(count), random.below(count))));
    let edges: Vec<String> = edges
        .into_iter()
        .map(|(source, target)| format!("l{source} -> l{target} {{ {} }}", label(random, clocks)))
        .collect();
    let _ = writeln!(text, "{};\n}}", edges.join(",\n        "));
}

/// Guard, synchronisation and updates of an edge.
fn label(random: &mut Random, clocks: usize) -> String {
    let mut parts = Vec::new();
    let mut guards: Vec<String> = (0..random.below(3)).map(|_| atom(random, clocks)).collect();
    if random.below(4) == 0 {
        guards.push(format!("v {} {}", RELATIONS[random.below(5)], random.below(4)));
    }
    if !guards.is_empty() {
        parts.push(format!("guard {};", guards.join(" && ")));
    }
    if random.below(5) < 2 {
        let channel = ["a", "b", "u"][random.below(3)];
        parts.push(format!("sync {channel}{};", ["!", "?"][random.below(2)]));
    }
    let mut updates = Vec::new();
    for clock in 0..clocks {
        match random.below(10) {
            0..=3 => updates.push(format!("x{clock} = 0")),
            4 => updates.push(format!("x{clock} = {}", 1 + random.below(2))),
            _ => {}
        }
    }
    match random.below(8) {
        0 => updates.push("v = w".to_owned()),
        1 => updates.push(format!("w = {}", random.below(4))),
        2 => updates.push("v = (v + 1) % 4".to_owned()),
        3 if random.below(8) == 0 => updates.push("w = v + 1".to_owned()),
        _ => {}
    }
    if !updates.is_empty() {
        parts.push(format!("assign {};", updates.join(", ")));
    }
    parts.join(" ")
}

const RELATIONS: [&str; 5] = ["<", "<=", "==", ">=", ">"];

fn atom(random: &mut Random, clocks: usize) -> String {
    let clock = random.below(clocks);
    format!("x{clock} {} {}", RELATIONS[random.below(5)], random.below(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_networks_are_parsed_and_answered() {
        let (mut answers, mut satisfied) = (0, 0);
        for seed in 0..200 {
            examine_one(seed, &mut answers).unwrap();
            let loaded = loaded(&network(&mut Random::new(seed)));
            let session = loaded.session().unwrap();
            let (id, _) = session.queries().next().unwrap();
            let answer = certified(&session, id, &VerifyOptions::default()).unwrap();
            satisfied += usize::from(answer.verdict == Verdict::Satisfied);
        }
        assert_eq!(answers, 400);
        assert!((40..160).contains(&satisfied), "{satisfied}");
    }
}
