//! `zonaut simulate`: stepping through symbolic states.

use crate::arguments::SimulateArguments;
use crate::loading::{load_input, with_problems_shown};
use crate::render::Renderer;
use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use zonaut_console::{Console, Status, one_line, status_of, write_file};
use zonaut_engine::{Choice, DisabledTransition, Random, Session, Simulator, Verdict};
use zonaut_trace::{edge_text, write_list};

const HELP: &str = "commands:
  NUMBER   take the transition with this number
  b        go back one transition
  g N      go to the state after N transitions
  w        show the disabled transitions, with reasons
  s FILE   save the run to this state as JSON
  q        quit
  ?        show this help";

pub(crate) fn run(arguments: &SimulateArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let loaded = match with_problems_shown(load_input(&arguments.input), console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let failures = Failures { session: &session };
    match (session.simulator(), arguments.random) {
        (Ok(mut simulator), Some(count)) => {
            walk(&mut simulator, &failures, count, arguments.seed, console)
        }
        (Ok(mut simulator), None) => converse(&mut simulator, &failures, console),
        (Err(verdict), _) => {
            console.complain(&format!("error: {}", failures.text(&verdict)));
            Ok(status_of(&verdict))
        }
    }
}

/// Prints run-time errors of a model.
struct Failures<'a> {
    session: &'a Session,
}

impl Failures<'_> {
    /// The error, and its position in the model.
    fn text(&self, verdict: &Verdict) -> String {
        let reason = self.session.reason_of(verdict);
        one_line(&reason.unwrap_or_default())
    }

    /// Ends a run with this error.
    fn end(&self, verdict: &Verdict, console: &mut Console<'_>) -> Status {
        if let Verdict::Error(error) = verdict {
            let diagnostic = self.session.diagnostic_of(error);
            let renderer = Renderer { sources: self.session.sources(), colour: console.colour };
            console.complain(renderer.render(&diagnostic).trim_end_matches('\n'));
        }
        status_of(verdict)
    }

    /// A transition with its run-time error, if it raises one.
    fn choice(&self, choice: &Choice) -> String {
        let mut edges: Vec<String> = choice.edges.iter().map(edge_text).collect();
        if edges.is_empty() {
            edges.push("evaluation of the enabled transitions".to_owned());
        }
        let failure = choice.failure.as_ref().map(|verdict| self.text(verdict));
        edges.join(" | ") + &failure.map(|why| format!("  fails: {why}")).unwrap_or_default()
    }
}

/// Takes this many random transitions with this seed. A run-time error ends the run.
fn walk(
    simulator: &mut Simulator,
    failures: &Failures<'_>,
    count: usize,
    seed: u64,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let mut random = Random::new(seed);
    show_state(simulator, console)?;
    for _ in 0..count {
        let choices = simulator.choices();
        if choices.is_empty() {
            writeln!(console.out, "no transition is enabled")?;
            break;
        }
        let number = random.below(choices.len());
        let choice = &choices[number];
        writeln!(console.out, "take {}", failures.choice(choice))?;
        if let Some(verdict) = &choice.failure {
            return Ok(failures.end(verdict, console));
        }
        simulator.take(number);
        show_state(simulator, console)?;
    }
    Ok(Status::Success)
}

/// Lets the user choose transitions. The exit status is that of the last state: a run-time error
/// after a transition that failed, or if all its transitions fail.
fn converse(
    simulator: &mut Simulator,
    failures: &Failures<'_>,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let input = io::stdin();
    show(simulator, failures, console)?;
    let mut failed: Option<Status> = None;
    loop {
        if input.is_terminal() {
            write!(console.out, "> ")?;
        }
        console.out.flush()?;
        let mut line = String::new();
        let is_over = input.lock().read_line(&mut line)? == 0;
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let moved = match word {
            _ if is_over => break,
            "" => continue,
            "q" | "quit" => break,
            "?" | "h" | "help" => {
                writeln!(console.out, "{HELP}")?;
                continue;
            }
            "w" => {
                show_obstacles(simulator, failures, console)?;
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
                let chosen = number.and_then(|number| number.checked_sub(1));
                let choice = chosen.and_then(|chosen| simulator.choices().get(chosen));
                if let Some(verdict) = choice.and_then(|choice| choice.failure.as_ref()) {
                    writeln!(console.out, "fails: {}", failures.text(verdict))?;
                    failed = Some(failures.end(verdict, console));
                    continue;
                }
                chosen.is_some_and(|chosen| simulator.take(chosen))
            }
        };
        if moved {
            failed = None;
            show(simulator, failures, console)?;
        } else {
            writeln!(console.out, "not applicable here: {} (? for help)", one_line(line.trim()))?;
        }
    }
    let mut endings = simulator.choices().iter().map(|choice| choice.failure.as_ref());
    let only_failure = endings.next().flatten().filter(|_| endings.all(|ending| ending.is_some()));
    let is_shown = failed.is_some();
    let ended = only_failure.filter(|_| !is_shown).map(|verdict| failures.end(verdict, console));
    Ok(failed.or(ended).unwrap_or(Status::Success))
}

fn save(simulator: &Simulator, path: &Path, console: &mut Console<'_>) -> io::Result<()> {
    let Some(trace) = simulator.trace() else {
        return writeln!(console.out, "no run leads to this state");
    };
    let text = serde_json::to_string_pretty(&trace)? + "\n";
    if write_file(path, &text, console) == Status::Success {
        writeln!(console.out, "saved a run of length {}", trace.steps.len())?;
    }
    Ok(())
}

/// The disabled transitions that leave the current locations, each with the reason.
fn show_obstacles(
    simulator: &Simulator,
    failures: &Failures<'_>,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let disabled = match simulator.obstacles() {
        Ok(disabled) => disabled,
        Err(verdict) => return writeln!(console.out, "fails: {}", failures.text(&verdict)),
    };
    if disabled.is_empty() {
        writeln!(console.out, "no transition is disabled here")?;
    }
    for DisabledTransition { edges, why } in &disabled {
        let edges: Vec<String> = edges.iter().map(edge_text).collect();
        writeln!(console.out, "  {}  disabled: {}", edges.join(" | "), one_line(why))?;
    }
    Ok(())
}

fn show_state(simulator: &Simulator, console: &mut Console<'_>) -> io::Result<()> {
    let state = simulator.state();
    let out = &mut *console.out;
    writeln!(out, "state {}", simulator.position())?;
    write_list(out, state.locations.iter().map(|location| one_line(location)))?;
    let variables = state.variables.iter();
    write_list(out, variables.map(|(name, value)| format!("{} = {value}", one_line(name))))?;
    let zone = if state.zone == "true" { "no clock constraints" } else { &state.zone };
    writeln!(out, "      {}", one_line(zone))
}

fn show(
    simulator: &Simulator,
    failures: &Failures<'_>,
    console: &mut Console<'_>,
) -> io::Result<()> {
    show_state(simulator, console)?;
    if simulator.choices().is_empty() {
        writeln!(console.out, "no transition is enabled")?;
    }
    for (position, choice) in simulator.choices().iter().enumerate() {
        writeln!(console.out, "  {:>2}  {}", position + 1, failures.choice(choice))?;
    }
    Ok(())
}
