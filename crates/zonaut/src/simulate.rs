//! `zonaut simulate`: stepping through symbolic states.

use crate::arguments::SimulateArguments;
use crate::clean::one_line;
use crate::console::Console;
use crate::convert::write_file;
use crate::loading::{load_input, with_problems_shown};
use crate::status::Status;
use crate::trace_text::{edge_text, write_list};
use crate::verify::{described_reason, status_of};
use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use zonaut_engine::{Choice, Random, Simulator};

const HELP: &str = "commands:
  NUMBER   take the transition of this number
  b        go back one transition
  g N      go to the state after N transitions
  s FILE   save the run to this state as JSON
  q        quit
  ?        show this help";

pub(crate) fn run(arguments: &SimulateArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(loaded) = with_problems_shown(load_input(&arguments.input), console) else {
        return Ok(Status::WrongInput);
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let outcome = session.simulate(|simulator| match arguments.random {
        Some(count) => walk(simulator, count, arguments.seed, console),
        None => converse(simulator, console),
    });
    match outcome {
        Ok(result) => result.map(|()| Status::Success),
        Err(verdict) => {
            let reason = described_reason(&loaded.sources, session, &verdict).unwrap_or_default();
            console.complain(&format!("error: {}", one_line(&reason)));
            Ok(status_of(&verdict))
        }
    }
}

/// Takes random transitions.
fn walk(
    simulator: &mut Simulator<'_>,
    count: usize,
    seed: u64,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let mut random = Random::new(seed);
    show_state(simulator, console)?;
    for _ in 0..count {
        let possible: Vec<usize> = (0..simulator.choices().len())
            .filter(|&choice| simulator.choices()[choice].failure.is_none())
            .collect();
        if possible.is_empty() {
            writeln!(console.out, "no transition is possible")?;
            break;
        }
        let choice = possible[random.below(possible.len())];
        writeln!(console.out, "take {}", choice_text(&simulator.choices()[choice]))?;
        simulator.take(choice);
        show_state(simulator, console)?;
    }
    Ok(())
}

/// Lets the user choose.
fn converse(simulator: &mut Simulator<'_>, console: &mut Console<'_>) -> io::Result<()> {
    let input = io::stdin();
    show(simulator, console)?;
    loop {
        if input.is_terminal() {
            write!(console.out, "> ")?;
        }
        console.out.flush()?;
        let mut line = String::new();
        if input.lock().read_line(&mut line)? == 0 {
            return Ok(());
        }
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let moved = match word {
            "" => continue,
            "q" => return Ok(()),
            "?" => {
                writeln!(console.out, "{HELP}")?;
                continue;
            }
            "s" => {
                save(simulator, Path::new(rest.trim()), console)?;
                continue;
            }
            "b" => simulator.position().checked_sub(1).is_some_and(|p| simulator.go_to(p)),
            "g" => rest.trim().parse().is_ok_and(|position| simulator.go_to(position)),
            number => {
                let number = number.parse::<usize>().ok().filter(|_| rest.is_empty());
                number.is_some_and(|number| number > 0 && simulator.take(number - 1))
            }
        };
        if moved {
            show(simulator, console)?;
        } else {
            writeln!(console.out, "not possible here: {} (? for help)", one_line(line.trim()))?;
        }
    }
}

fn save(simulator: &Simulator<'_>, path: &Path, console: &mut Console<'_>) -> io::Result<()> {
    let Some(trace) = simulator.trace() else {
        return writeln!(console.out, "there is no run to this state");
    };
    let text = serde_json::to_string_pretty(&trace)? + "\n";
    if write_file(path, &text, console) == Status::Success {
        writeln!(console.out, "saved a run of length {}", trace.steps.len())?;
    }
    Ok(())
}

fn show_state(simulator: &Simulator<'_>, console: &mut Console<'_>) -> io::Result<()> {
    let state = simulator.state();
    let out = &mut *console.out;
    writeln!(out, "state {}", simulator.position())?;
    write_list(out, state.locations.iter().map(|location| one_line(location)))?;
    let variables = state.variables.iter();
    write_list(out, variables.map(|(name, value)| format!("{} = {value}", one_line(name))))?;
    writeln!(out, "      {}", one_line(&state.zone))
}

fn show(simulator: &Simulator<'_>, console: &mut Console<'_>) -> io::Result<()> {
    show_state(simulator, console)?;
    if simulator.choices().is_empty() {
        writeln!(console.out, "no transition is possible")?;
    }
    for (position, choice) in simulator.choices().iter().enumerate() {
        writeln!(console.out, "  {:>2}  {}", position + 1, choice_text(choice))?;
    }
    Ok(())
}

fn choice_text(choice: &Choice) -> String {
    let edges: Vec<String> = choice.edges.iter().map(edge_text).collect();
    let failure = choice.failure.as_ref();
    let failure = failure.map(|why| format!("  fails: {}", one_line(why))).unwrap_or_default();
    edges.join(" | ") + &failure
}
