//! The documents for users: their files are written and their commands run, in order.

#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use support::Bench;
use support::document::{blocks, compare, play};

#[test]
fn the_tutorial_works() {
    let (commands, shown) = play(include_str!("../../../docs/TUTORIAL.md"));
    assert!(commands >= 10 && shown >= 30, "{commands} commands, {shown} lines");
}

#[test]
fn the_page_about_schedules_works() {
    let (commands, shown) = play(include_str!("../../../docs/SCHEDULING.md"));
    assert!(commands >= 5 && shown >= 2, "{commands} commands, {shown} lines");
}

#[test]
fn the_first_page_shows_a_run_as_it_is() {
    let page = include_str!("../../../README.md");
    let (_, expected) = blocks(page).into_iter().find(|(info, _)| info == "text").expect("a run");
    let model = "models/fischer/fischer-hasty.xta";
    let query = "A[] not (P(1).critical and P(2).critical)";
    let options = ["-q", query, "--trace", "shortest"];
    assert!(page.contains(&format!("verify {model} -q '{query}' --trace shortest")));
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(model);
    let model = model.to_str().expect("a path");
    let run = Bench::new().run(&[&["verify", model][..], &options].concat());
    assert!(compare(&expected, &run.stdout) > 15, "{expected}");
}

/// Draws a run of a model to a goal, and compares it with a picture of the documents.
fn check_film(model: &Path, query: &str, picture: &str) {
    let bench = Bench::new();
    let model = model.display().to_string();
    let run = bench.run(&["verify", &model, "-q", query, "--trace", "shortest", "--json"]);
    bench.write("run.json", &run.stdout);
    let run = bench.run(&["draw", &model, "film.svg", "--trace", "run.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let drawn = fs::read_to_string(bench.path("film.svg")).expect("a drawing");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let shown = fs::read_to_string(root.join(picture)).expect("a picture");
    assert_eq!(drawn, shown, "zonaut draw {model} docs/{picture} --trace run.json");
}

#[test]
fn the_films_of_the_documents_are_what_is_drawn() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let fischer = root.join("models/fischer/fischer-hasty.xta");
    check_film(&fischer, "A[] not (P(1).critical and P(2).critical)", "fischer-hasty.svg");
    let bench = Bench::new();
    let tutorial = blocks(include_str!("../../../docs/TUTORIAL.md"));
    let (_, lamp) = tutorial.into_iter().find(|(info, _)| info == "xta lamp.xta").expect("a model");
    check_film(&bench.write("lamp.xta", lamp), "E<> Lamp.bright", "lamp.svg");
}

#[test]
fn the_picture_of_the_first_page_is_what_is_drawn() {
    let bench = Bench::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let model = root.join("models/train-gate/train-gate.xta");
    let run = bench.run(&["convert", &model.display().to_string(), "train-gate.svg"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let drawn = fs::read_to_string(bench.path("train-gate.svg")).expect("a drawing");
    let shown = fs::read_to_string(root.join("docs/train-gate.svg")).expect("a picture");
    assert_eq!(drawn, shown, "zonaut convert models/train-gate/train-gate.xta docs/train-gate.svg");
}
