//! Documents show the one list of what is supported.

mod support;

use std::fs;
use support::repository;
use zonaut_engine::Feature;

#[track_caller]
fn check(document: &str, expected: &str) {
    let text = fs::read_to_string(repository().join(document)).expect("a document");
    assert!(text.contains(expected), "{document} does not have this:\n{expected}");
}

#[test]
fn the_guide_for_newcomers_has_the_table() {
    check("docs/COMING-FROM-UPPAAL.md", &Feature::table());
}

#[test]
fn the_first_page_names_what_is_refused() {
    let refused = Feature::ALL.iter().filter(|feature| feature.is_refused());
    let names: Vec<&str> = refused.map(|feature| feature.name()).collect();
    check("README.md", &format!("Not answered yet, and refused by name: {}.\n", names.join(", ")));
}
