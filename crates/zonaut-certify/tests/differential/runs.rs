//! Runs found by an oracle, and random changes of them, compared with a second interpreter.

use super::{certificate, core_of, query};
use crate::{Limits, Refusal, check};
use zonaut_model::{Model, ProcessId};
use zonaut_testkit::generate::generate;
use zonaut_testkit::oracle::{self, Verdict};
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::{Run, goal_of, replay};

fn body(model: &Model, run: &Run) -> String {
    let mut text = format!("denom {}\n", run.denominator);
    for step in &run.steps {
        text.push_str(&format!("delay {}\n", step.delay));
        let participants = step.participants.iter().map(|participant| {
            let values: Vec<String> = participant.select.iter().map(i32::to_string).collect();
            let process = model.processes.ids().position(|id| id == participant.process).unwrap();
            let mut edges = model.processes[participant.process].edges.ids();
            let edge = edges.position(|id| id == participant.edge).unwrap_or(99);
            let colon = if values.is_empty() { "" } else { ":" };
            format!(" {process}.{edge}{colon}{}", values.join(","))
        });
        let participants: String = participants.collect();
        if !participants.is_empty() {
            text.push_str(&format!("act{participants}\n"));
        }
    }
    text + "goal\n"
}

fn change(model: &Model, run: &mut Run, random: &mut Random) {
    if run.steps.is_empty() {
        return;
    }
    let position = random.below(run.steps.len());
    let step = &mut run.steps[position];
    match random.below(6) {
        0 => step.delay += 1,
        1 if step.delay > 0 => step.delay -= 1,
        2 => step.delay += run.denominator,
        3 => drop(step.participants.pop()),
        4 if !step.participants.is_empty() => {
            let chosen = random.below(step.participants.len());
            let participant = &mut step.participants[chosen];
            let processes: Vec<ProcessId> = model.processes.ids().collect();
            participant.process = random.choose(&processes);
            let edges: Vec<_> = model.processes[participant.process].edges.ids().collect();
            if !edges.is_empty() {
                participant.edge = random.choose(&edges);
            }
        }
        _ => drop(run.steps.remove(position)),
    }
}

#[test]
fn runs_are_accepted_exactly_if_a_second_interpreter_accepts_them() {
    let limits = oracle::Limits { witness: true, ..oracle::Limits::default() };
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..800 {
        let model = generate(seed).to_model();
        let Verdict::Decided(answer) = oracle::region(&model, query(&model), limits) else {
            continue;
        };
        let Some(run) = answer.run else { continue };
        let core = core_of(&model);
        let mut random = Random::new(seed);
        for round in 0..6 {
            let mut changed = run.clone();
            for _ in 0..round {
                change(&model, &mut changed, &mut random);
            }
            let expected = replay(&model, &goal_of(query(&model)).unwrap(), &changed);
            let text = certificate(&core, "reach", &body(&model, &changed));
            match (check(&core, &text, &Limits::default()), expected) {
                (Ok(_), Ok(())) => accepted += 1,
                (Err(Refusal::Rejected(_)), Err(_)) => rejected += 1,
                (checked, expected) => panic!("{seed}: {checked:?} {expected:?}\n{core}{text}"),
            }
        }
    }
    assert!(accepted > 300 && rejected > 300, "{accepted} {rejected}");
}
