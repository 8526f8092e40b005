//! The regression models, in every configuration.

use std::fs;
use std::path::{Path, PathBuf};
use zonaut_testkit::differential::{Certifies, Configuration, Examination, Part, Tally};
use zonaut_testkit::front_end::model_of;

fn models() -> std::io::Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut models: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "xta")).collect();
    models.sort();
    Ok(models)
}

#[test]
fn regression_models_are_answered_correctly_in_every_configuration() {
    let configurations = Configuration::guided().chain(Configuration::every_lazy());
    let configurations: Vec<_> = configurations.chain(Configuration::all()).collect();
    let (certified, parts) = (configurations.first().copied(), Part::ALL.to_vec());
    let (change, command, fault) = (None, None, None);
    let examination = Examination {
        configurations,
        certified,
        certifies: Certifies::Everything,
        parts,
        change,
        command,
        fault,
    };
    let models = models().unwrap();
    assert!(models.len() >= 17, "only {} models", models.len());
    for path in models {
        let text = fs::read_to_string(&path).unwrap();
        let query = fs::read_to_string(path.with_extension("q")).unwrap();
        let (model, _) = model_of(&text, &[&query]).unwrap();
        let mut tally = Tally::default();
        let answer = examination.examine_model(&model, &mut tally);
        assert!(matches!(answer, Ok(Some(_))), "{}: {answer:?}", path.display());
        assert!(tally.undecided == 0 && tally.answers > 10, "{}: {tally:?}", path.display());
    }
}
