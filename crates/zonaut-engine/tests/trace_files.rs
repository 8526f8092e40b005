//! Trace files: every state follows from the one before by the edges of the file, recomputed from
//! the model by the reference interpreter.

mod support;

use std::fs;
use std::path::PathBuf;
use support::repository;
use zonaut_base::Id;
use zonaut_dbm::{Bound, Row, Zone};
use zonaut_engine::{
    LoadOptions, Loaded, QuerySource, Resources, SymbolicTrace, TraceWish, VerifyOptions, load,
    load_text,
};
use zonaut_model::interpret::{ClockEffect, DEFAULT_BUDGET, Interpreter};
use zonaut_model::{Condition, Edge, ExpressionId, LocationKind, Model, Relation};
use zonaut_testkit::generate::generate;

/// A trace file, parsed by the description of its format.
struct File {
    states: Vec<State>,
    transitions: Vec<Vec<(usize, usize, Vec<i32>)>>,
}

struct State {
    locations: Vec<usize>,
    variables: Vec<i32>,
    zone: Zone,
}

/// Reads words, where a line with a dot alone ends each part.
struct Reader<'t> {
    lines: std::str::Lines<'t>,
}

impl<'t> Reader<'t> {
    fn line(&mut self) -> &'t str {
        self.lines.next().expect("a line")
    }

    fn dot(&mut self) {
        assert_eq!(self.line(), ".");
    }

    fn numbers<N: std::str::FromStr<Err: std::fmt::Debug>>(&mut self) -> Vec<N> {
        let numbers =
            self.line().split_whitespace().map(|word| word.parse().expect("a number")).collect();
        self.dot();
        numbers
    }

    fn state(&mut self, locations: Vec<usize>, model: &Model) -> State {
        assert_eq!(locations.len(), model.processes.len());
        let mut zone = Zone::universe(model.clocks.len() + 1);
        loop {
            let line = self.line();
            if line == "." {
                break;
            }
            let words: Vec<i32> =
                line.split_whitespace().map(|w| w.parse().expect("a number")).collect();
            let [x, y, encoded] = words.try_into().expect("three numbers");
            let bound = match encoded & 1 {
                0 => Bound::le(encoded >> 1),
                _ => Bound::lt(encoded >> 1),
            };
            zone.constrain(row(x as usize), row(y as usize), bound).expect("not empty");
            self.dot();
        }
        let variables = self.numbers();
        assert_eq!(variables.len(), model.cells.len());
        State { locations, variables, zone }
    }
}

fn read(text: &str, model: &Model) -> File {
    let mut reader = Reader { lines: text.lines() };
    let locations = reader.numbers();
    let mut file = File { states: vec![reader.state(locations, model)], transitions: Vec::new() };
    loop {
        let line = reader.line();
        if line == "." {
            assert_eq!(reader.lines.next(), None);
            return file;
        }
        reader.dot();
        let locations =
            line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        file.states.push(reader.state(locations, model));
        let edges = reader.line().strip_suffix("; .").expect("edges").split(';');
        let edge = |words: &str| {
            let words: Vec<i32> =
                words.split_whitespace().map(|w| w.parse().expect("a number")).collect();
            (words[0] as usize, words[1] as usize, words[2..].to_vec())
        };
        file.transitions.push(edges.map(edge).collect());
    }
}

fn row(index: usize) -> Row {
    Row::from_index(index)
}

/// Recomputes the states of a trace file.
struct Replay<'m> {
    model: &'m Model,
    machine: Interpreter<'m>,
}

impl<'m> Replay<'m> {
    fn of(model: &'m Model, state: &State) -> Self {
        let mut machine = Interpreter::new(model, DEFAULT_BUDGET);
        machine.cells.clone_from(&state.variables);
        let mut replay = Self { model, machine };
        replay.stand_at(&state.locations);
        replay
    }

    fn stand_at(&mut self, locations: &[usize]) {
        self.machine.locations = locations.iter().map(|&l| Id::from_index(l)).collect();
    }

    /// Intersects `zone` with `condition`.
    fn require(&mut self, condition: &Condition, zone: &mut Zone) {
        assert!(self.machine.data_holds(condition).expect("a value"));
        for constraint in &condition.clocks {
            if constraint.condition.is_some_and(|c| !self.machine.holds(c).expect("a value")) {
                continue;
            }
            let at = constraint.bound;
            let mut clock = |place: &zonaut_model::Place<_>| {
                let clock: zonaut_model::ClockId =
                    self.machine.element(at, &place.indices, place.root).expect("a clock");
                row(clock.index() + 1)
            };
            let x = clock(&constraint.left);
            let y = constraint.right.as_ref().map_or(Row::ZERO, clock);
            let value = self.machine.evaluate(constraint.bound).expect("a value");
            let (upper, lower) = (Some(Bound::le(value)), Some(Bound::le(-value)));
            let (upper, lower) = match constraint.relation {
                Relation::Less => (Some(Bound::lt(value)), None),
                Relation::LessEqual => (upper, None),
                Relation::Equal => (upper, lower),
                Relation::GreaterEqual => (None, lower),
                Relation::Greater => (None, Some(Bound::lt(-value))),
            };
            for (x, y, bound) in [(x, y, upper), (y, x, lower)] {
                if let Some(bound) = bound {
                    zone.constrain(x, y, bound).expect("the condition holds somewhere");
                }
            }
        }
    }

    fn require_invariants(&mut self, zone: &mut Zone) {
        for (process, &location) in self.model.processes.iter().zip(&self.machine.locations.clone())
        {
            self.require(&process.locations[location].invariant, zone);
        }
    }

    /// The zone after entering the locations and delaying there.
    fn stay(&mut self, mut zone: Zone) -> Zone {
        self.require_invariants(&mut zone);
        let mut locations = self.model.processes.iter().zip(&self.machine.locations);
        if locations.all(|(process, &l)| process.locations[l].kind == LocationKind::Ordinary) {
            zone.delay();
            self.require_invariants(&mut zone);
        }
        zone
    }

    /// Intersects `zone` with the guard of an edge.
    fn guard(&mut self, process: usize, edge: usize, select: &[i32], zone: &mut Zone) -> &'m Edge {
        let edge = &self.model.processes[Id::from_index(process)].edges[Id::from_index(edge)];
        assert_eq!(edge.select.len(), select.len());
        for (variable, &value) in edge.select.iter().zip(select) {
            self.machine.set_local(variable.binder, value);
        }
        self.require(&edge.guard, zone);
        edge
    }

    fn update(&mut self, updates: &[ExpressionId]) {
        for &update in updates {
            self.machine.evaluate(update).expect("a value");
        }
    }

    /// The state after a transition: locations, variables, zone.
    fn take(&mut self, state: &State, edges: &[(usize, usize, Vec<i32>)]) -> (Vec<usize>, Zone) {
        let (model, mut zone) = (self.model, state.zone.clone());
        let mut locations = state.locations.clone();
        let mut updates = Vec::new();
        for (process, edge, select) in edges {
            let edge = self.guard(*process, *edge, select, &mut zone);
            assert_eq!(edge.source.index(), state.locations[*process]);
            locations[*process] = edge.target.index();
            updates.push((edge, select));
        }
        for (id, cell) in model.cells.iter_enumerated().filter(|(_, cell)| cell.meta) {
            self.machine.cells[id.index()] = cell.initial;
        }
        self.machine.clock_effects.clear();
        self.update(&model.before_update);
        for (edge, select) in updates {
            for (variable, &value) in edge.select.iter().zip(select) {
                self.machine.set_local(variable.binder, value);
            }
            self.update(&edge.updates);
        }
        self.update(&model.after_update);
        for effect in &self.machine.clock_effects {
            match *effect {
                ClockEffect::Set(clock, value) => zone.reset(row(clock.index() + 1), value),
                ClockEffect::Copy(to, from) => {
                    zone.copy(row(to.index() + 1), row(from.index() + 1))
                }
            }
        }
        self.stand_at(&locations);
        (locations, self.stay(zone))
    }
}

/// Answers every query of a model and replays the trace files; returns their number.
fn check(name: &str, loaded: &Loaded) -> usize {
    let model = loaded.model.as_ref().expect("a correct model");
    let session = loaded.session().expect("a correct model");
    let resources = Resources { states: Some(3_000), ..Resources::default() };
    let options = VerifyOptions { trace: TraceWish::Some, resources, ..VerifyOptions::default() };
    let mut replayed = 0;
    for (query, _) in session.queries() {
        let answer = session.verify(query, &options, None);
        let Some(trace) = answer.trace else { continue };
        let symbolic = session.symbolic_trace(&trace).expect("zones");
        let file = read(&text_of(&symbolic), model);
        replay(name, model, &file);
        check_stable(name, model, &file, &read(&text_of(&symbolic.stable()), model));
        replayed += 1;
    }
    replayed
}

fn text_of(trace: &SymbolicTrace) -> String {
    let mut text = Vec::new();
    trace.write_xtr(&mut text).expect("room");
    String::from_utf8(text).expect("a text")
}

/// Checks that the states of `stable` are subsets of those of `file` that follow from each other,
/// and in all of which the next transition is enabled.
fn check_stable(name: &str, model: &Model, file: &File, stable: &File) {
    for (position, (state, whole)) in stable.states.iter().zip(&file.states).enumerate() {
        assert!(whole.zone.includes(&state.zone), "{name}: state {position} has grown");
        let Some((edges, next)) =
            stable.transitions.get(position).zip(stable.states.get(position + 1))
        else {
            assert_eq!(whole.zone, state.zone, "{name}: the last state is the same");
            return;
        };
        let mut replay = Replay::of(model, state);
        let mut guarded = state.zone.clone();
        for (process, edge, select) in edges {
            replay.guard(*process, *edge, select, &mut guarded);
        }
        assert_eq!(guarded, state.zone, "{name}: state {position} has a dead end");
        assert!(
            replay.take(state, edges).1.includes(&next.zone),
            "{name}: {position} lacks origins"
        );
    }
}

fn replay(name: &str, model: &Model, file: &File) {
    // Receivers of broadcasts and urgency restrict zones further.
    let is_exact = !model.channels.iter().any(|channel| channel.broadcast || channel.urgent);
    let same = |computed: &Zone, state: &State, position: usize| {
        assert!(computed.includes(&state.zone), "{name}: state {position} is too large");
        assert!(!is_exact || *computed == state.zone, "{name}: state {position} is too small");
    };
    let first = &file.states[0];
    let initial: Vec<usize> = model.processes.iter().map(|p| p.initial.index()).collect();
    assert_eq!((&first.locations, &first.variables), (&initial, &model.initial_cells()), "{name}");
    let mut zone = Zone::origin(model.clocks.len() + 1);
    for (clock, declared) in model.clocks.iter_enumerated() {
        zone.reset(row(clock.index() + 1), declared.initial);
    }
    same(&Replay::of(model, first).stay(zone), first, 0);
    let pairs = file.states.windows(2).zip(&file.transitions);
    for (position, (states, edges)) in pairs.enumerate() {
        let (before, after) = (&states[0], &states[1]);
        let mut replay = Replay::of(model, before);
        let (locations, zone) = replay.take(before, edges);
        assert_eq!(locations, after.locations, "{name}: state {}", position + 1);
        for (id, cell) in model.cells.iter_enumerated().filter(|(_, cell)| !cell.meta) {
            let values = (replay.machine.cells[id.index()], after.variables[id.index()]);
            assert_eq!(values.0, values.1, "{name}: {} in state {}", cell.name, position + 1);
        }
        same(&zone, after, position + 1);
    }
}

#[test]
fn traces_of_the_example_models_replay() {
    let mut replayed = 0;
    for folder in fs::read_dir(repository().join("models")).expect("models") {
        let Ok(files) = fs::read_dir(folder.expect("an entry").path()) else { continue };
        let mut files: Vec<PathBuf> = files.map(|file| file.expect("an entry").path()).collect();
        files.sort();
        for model in
            files.iter().filter(|f| f.extension().is_some_and(|e| e == "xml" || e == "xta"))
        {
            let queries = model.with_extension("q");
            let source = match queries.exists() {
                true => QuerySource::File(queries),
                false => QuerySource::Embedded,
            };
            let loaded = load(model, &source, &LoadOptions::default()).expect("a readable file");
            replayed += check(&model.display().to_string(), &loaded);
        }
    }
    assert!(replayed >= 10, "{replayed}");
}

#[test]
fn traces_of_random_models_replay() {
    let mut replayed = 0;
    for seed in 0..400 {
        let network = generate(seed);
        let text = format!("{}\nquery {{ {} }}\n", network.to_xta(), network.query_text());
        let loaded = load_text("random.xta", &text, &LoadOptions::default());
        replayed += check(&format!("seed {seed}"), &loaded);
    }
    assert!(replayed >= 100, "{replayed}");
}

#[test]
fn selected_values_and_copied_clocks_are_in_the_file() {
    let text = "\
clock x, y; int n; meta int m = 3;
process P() {
    clock z;
    state a { x <= 5 }, b { y < 4 }, c; init a;
    trans a -> b { select i : int[2,4], j : int[0,1]; guard x > i; assign m = i, n = m + j, y = 1; },
          b -> c { guard n == 5 && x - y >= 3; assign z = x, x = 0; };
}
system P;
query { E<> P.c && P.z > 3 }
";
    let loaded = load_text("p.xta", text, &LoadOptions::default());
    assert_eq!(check("p.xta", &loaded), 1);
    let session = loaded.session().expect("a correct model");
    let (query, _) = session.queries().next().expect("a query");
    let options = VerifyOptions { trace: TraceWish::Shortest, ..VerifyOptions::default() };
    let trace = session.verify(query, &options, None).trace.expect("a trace");
    let symbolic = session.symbolic_trace(&trace).expect("zones");
    let text = text_of(&symbolic);
    assert!(
        text.starts_with("0 \n.\n0 1 0\n.\n1 0 10\n.\n1 2 0\n.\n2 3 0\n.\n3 1 0\n.\n.\n0 3 \n.\n"),
        "{text}"
    );
    assert!(text.contains("\n0 0 4 1 ; .\n2 \n.\n"), "{text}");
    assert!(text.ends_with("\n0 1 ; .\n.\n"), "{text}");
}
