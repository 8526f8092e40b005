//! Recording names does not change what is loaded, and records the names of all models alike.

use zonaut_engine::{LoadOptions, Loaded, LowerOptions, NamedText, load_texts};
use zonaut_families::FAMILIES;

fn loaded(text: &str, names: bool) -> Loaded {
    let lower = LowerOptions { names, ..LowerOptions::default() };
    let options = LoadOptions { lower, ..LoadOptions::default() };
    load_texts(NamedText { name: "model.xta", text }, None, &options).expect("no limits")
}

/// Models of all families, whole and damaged.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for family in FAMILIES {
        let Ok(generated) = family.generate(&[]) else { continue };
        let cut = generated.model.len() / 2;
        let cut = (cut..).find(|at| generated.model.is_char_boundary(*at)).unwrap_or(0);
        texts.push(generated.model[..cut].to_owned());
        texts.push(generated.model.replace("clock", "clok"));
        texts.push(generated.model);
    }
    texts
}

#[test]
fn recorded_names_change_neither_models_nor_diagnostics() {
    let texts = texts();
    assert!(texts.len() >= 30, "{}", texts.len());
    for text in &texts {
        let (with, without) = (loaded(text, true), loaded(text, false));
        assert_eq!(format!("{:?}", with.model), format!("{:?}", without.model));
        assert_eq!(with.diagnostics, without.diagnostics);
        assert_eq!(without.names.definitions().count(), 0);
    }
}

#[test]
fn definitions_and_uses_stand_at_their_names() {
    for text in texts() {
        let loaded = loaded(&text, true);
        let names = &loaded.names;
        for definition in names.definitions() {
            assert_eq!(loaded.sources.snippet(definition.span), &*definition.name);
            assert_eq!(names.at(definition.span).map(|(span, _)| span), Some(definition.span));
        }
        for (used, defined) in names.uses() {
            let definition = names.definition(defined).expect("a use has a definition");
            assert_eq!(loaded.sources.snippet(used), &*definition.name);
        }
        if loaded.model.is_some() {
            assert!(names.uses().count() > 20, "{text}");
        }
    }
}
