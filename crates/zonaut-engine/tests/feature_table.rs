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
fn the_first_page_says_what_is_supported() {
    check("README.md", &Feature::overview());
}
