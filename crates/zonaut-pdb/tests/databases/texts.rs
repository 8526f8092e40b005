//! Abstract models as text are parsed as the same models again.

use crate::check::{Limit, Problem};
use crate::random_networks::some_symbols;
use std::path::{Path, PathBuf};
use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_model::{Formula, Model};
use zonaut_pdb::{AbstractModel, Pattern, Symbols};
use zonaut_printer::{formula_text, model_text};
use zonaut_search::{ArenaStore, Fifo, Outcome, Search, Uninformed};
use zonaut_space::EmptyGoal;
use zonaut_testkit::generate::generate;
use zonaut_testkit::random::Random;
use zonaut_zonegraph::{Abstraction, Comparison, StateEncoding, ZoneCovering, ZoneGraph};

/// A model and its goal, printed and parsed again.
fn reread(model: &Model, goal: &Formula) -> Result<Problem, String> {
    let text = model_text(model);
    let query = format!("E<> {}", formula_text(model, goal));
    match zonaut_testkit::front_end::model_of(&text, &[&query]) {
        Ok((model, _)) => Ok(Problem::of_model(model)),
        Err(problems) => Err(format!("{text}\n{query}\n{problems:?}")),
    }
}

/// The first violation by the text of an abstract model.
fn flaw_of_abstract_model(problem: &Problem, dropped: &Symbols) -> Option<String> {
    let pattern = Pattern::dropping(&problem.model, dropped);
    let abstract_model = AbstractModel::new(&problem.model, &problem.goal, &pattern);
    let again = match reread(&abstract_model.model, &abstract_model.goal) {
        Ok(again) => again,
        Err(what) => return Some(what),
    };
    let own = Problem { model: abstract_model.model, goal: abstract_model.goal };
    let (before, after) = (own.shortest(), again.shortest());
    (before != after).then(|| format!("{}\n{before:?}, {after:?}", model_text(&own.model)))
}

/// The number of states, and whether a run-time error is reachable; `None` if there are many
/// states.
fn size(problem: &Problem) -> Option<(usize, bool)> {
    let network = CompiledNetwork::new(&problem.model, &Meter::default()).ok()?;
    let bounds = BoundsTable::new(&problem.model, &problem.goal);
    let abstraction = Abstraction::best(&bounds);
    let graph: ZoneGraph<'_> =
        ZoneGraph::new(&network, &bounds, abstraction, &Meter::default()).ok()?;
    let covering = ZoneCovering::new(&graph, Comparison::of(abstraction));
    let store = ArenaStore::new(StateEncoding::new(&graph), covering);
    let search = Search::reach(&graph, EmptyGoal, store, Uninformed(Fifo::default()));
    let (report, _) = search.finish(&mut Limit { states: 3000 });
    match report.outcome {
        Outcome::Stopped { .. } => None,
        outcome => Some((report.statistics.stored, matches!(outcome, Outcome::Failed { .. }))),
    }
}

/// The first violation by the text of a whole model.
fn flaw_of_whole(problem: &Problem) -> Option<String> {
    let again = match reread(&problem.model, &problem.goal) {
        Ok(again) => again,
        Err(what) => return Some(what),
    };
    let (before, after) = (size(problem), size(&again));
    if before != after {
        return Some(format!("{}\n{before:?}, {after:?}", model_text(&problem.model)));
    }
    let (before, after) = (problem.shortest(), again.shortest());
    (before != after).then(|| format!("{}\n{before:?}, {after:?}", model_text(&problem.model)))
}

#[test]
fn abstractions_of_small_models_are_parsed_again() {
    for case in &crate::clauses::CASES {
        let problem = Problem::of_text(case.model, case.query);
        let flaw = flaw_of_abstract_model(&problem, &problem.symbols(case.dropped));
        assert_eq!(flaw, None, "without {:?}", case.dropped);
    }
}

#[test]
fn random_networks_are_read_again() {
    for seed in 0..300 {
        let model = generate(seed).to_model();
        if model.has_priorities() || model.has_rates() {
            continue;
        }
        let problem = Problem::of_model(model);
        assert_eq!(flaw_of_whole(&problem), None, "seed {seed}");
        let mut random = Random::new(seed);
        for of_three in [0, 1, 2] {
            let dropped = some_symbols(&mut random, &problem.model, of_three);
            let flaw = flaw_of_abstract_model(&problem, &dropped);
            assert_eq!(flaw, None, "seed {seed}, without {dropped:?}");
        }
    }
}

/// Models with constructs that the language cannot express directly.
#[test]
fn tricky_models_are_read_again() {
    for (number, (text, queries)) in crate::tricky::MODELS.iter().enumerate() {
        for query in *queries {
            let problem = Problem::of_text(text, query);
            assert_eq!(flaw_of_whole(&problem), None, "model {number}, {query}");
            let mut random = Random::new(number as u64);
            for of_three in [0, 1, 1, 2] {
                let dropped = some_symbols(&mut random, &problem.model, of_three);
                let flaw = flaw_of_abstract_model(&problem, &dropped);
                assert_eq!(flaw, None, "model {number}, {query}, without {dropped:?}");
            }
        }
    }
}

/// The model files of the repository.
fn model_files(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            model_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "xta") {
            into.push(path);
        }
    }
}

#[test]
fn the_models_of_the_repository_are_read_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths = Vec::new();
    model_files(&folder, &mut paths);
    assert!(paths.len() > 5, "{paths:?}");
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a file");
        let Ok((model, _)) = zonaut_testkit::front_end::model_of(&text, &["E<> true"]) else {
            continue;
        };
        if model.has_priorities() || model.has_rates() {
            continue;
        }
        let problem = Problem::of_model(model);
        assert_eq!(flaw_of_whole(&problem), None, "{}", path.display());
    }
}
