//! The geometry of drawings of automata: arrowheads, labels, lines and the view box, in the models of
//! the repository, in public ones and in random ones.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use support::{document, drawing_flaws, models, models_below, random_model};
use zonaut_syntax::tree::Document;

/// The number of random models with and without coordinates.
const RANDOM: (u64, u64) = (1500, 500);

/// Flaws by kind, and the number of elements that could have one.
#[derive(Default)]
struct Tally {
    drawings: usize,
    elements: usize,
    flaws: BTreeMap<String, usize>,
    examples: String,
}

impl Tally {
    fn add(&mut self, name: &str, document: &Document) {
        for template in &document.templates {
            let (elements, flaws) = drawing_flaws(document, template);
            self.drawings += 1;
            self.elements += elements;
            for flaw in flaws {
                let count = self.flaws.entry(flaw.kind.to_owned()).or_default();
                *count += 1;
                if *count <= 5 {
                    let _ = writeln!(self.examples, "{name} {}: {}", template.name.text, flaw);
                }
            }
        }
    }

    /// Prints the share of exceptions, and asserts that there is no flaw apart from them: less than
    /// one percent of lines and labels, which lie where the author of a drawing put them.
    fn check(&self, name: &str) {
        let allowed: usize = self.flaws.values().sum();
        let share = allowed as f64 * 100.0 / self.elements.max(1) as f64;
        eprintln!(
            "{name}: {} drawings, {} lines and labels, {allowed} exceptions ({share:.2} %) {:?}",
            self.drawings, self.elements, self.flaws
        );
        let strict = self.flaws.iter().filter(|(kind, _)| !kind.ends_with("by its author"));
        assert_eq!(strict.count(), 0, "{:?}\n{}", self.flaws, self.examples);
        assert!(
            allowed * 100 < self.elements,
            "{allowed} of {}: {:?}\n{}",
            self.elements,
            self.flaws,
            self.examples
        );
    }
}

#[test]
fn drawings_of_the_models_of_the_repository_are_without_flaws() {
    let mut tally = Tally::default();
    for (path, document) in models() {
        tally.add(&path.display().to_string(), &document);
    }
    assert!(tally.elements > 300, "{}", tally.elements);
    tally.check("models of the repository");
}

#[test]
fn drawings_of_public_models_are_without_flaws() {
    let Some(folder) = std::env::var_os("ZONAUT_MODELS").map(PathBuf::from) else {
        eprintln!("skipped: ZONAUT_MODELS names no folder of public models");
        return;
    };
    let mut tally = Tally::default();
    for (path, document) in models_below(&folder) {
        tally.add(&path.display().to_string(), &document);
    }
    tally.check("public models");
}

#[test]
fn drawings_of_random_automata_are_without_flaws() {
    let mut tally = Tally::default();
    for seed in 0..RANDOM.0 {
        let text = random_model(seed, None);
        tally.add(&format!("seed {seed}"), &document("random.xml", &text));
    }
    tally.check("random automata");
    let mut tally = Tally::default();
    for seed in 0..RANDOM.1 {
        let text = random_model(seed, Some(160));
        tally.add(&format!("seed {seed} with coordinates"), &document("random.xml", &text));
    }
    tally.check("random automata with coordinates");
}

#[test]
fn a_layout_that_is_written_into_a_model_is_drawn_without_flaws() {
    let mut tally = Tally::default();
    for (path, mut document) in models() {
        zonaut_draw::lay_out(&mut document);
        for template in &document.templates {
            assert!(template.locations.iter().all(|location| location.layout.position.is_some()));
        }
        tally.add(&path.display().to_string(), &document);
    }
    tally.check("written layouts");
}
