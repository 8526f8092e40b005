//! The list of pitfalls in `docs/TESTING.md` is complete and correct.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use zonaut_testkit::semantics_document::{pitfalls, read, semantics};

/// The rows of the list: id, name, and the place of its test.
fn rows() -> Vec<[String; 3]> {
    let document = include_str!("../../../docs/TESTING.md");
    let rows = document.lines().filter_map(|line| {
        let cells: Vec<String> =
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        <[String; 3]>::try_from(cells).ok()
    });
    rows.filter(|[id, ..]| is_id(id)).collect()
}

fn is_id(word: &str) -> bool {
    let number = word.strip_prefix('P').map(|rest| rest.trim_end_matches('b'));
    number.is_some_and(|number| number.len() == 2 && number.parse::<u32>().is_ok())
}

/// Whether a function of this name is in a file of the repository.
fn has_test(path: &str, name: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join(path)).unwrap_or_default();
    text.contains(&format!("fn {name}("))
}

#[test]
fn every_pitfall_is_listed_once() {
    let numbers = (1..=64).chain(67..=77);
    let mut ids: Vec<String> = numbers.map(|number| format!("P{number:02}")).collect();
    ids.extend(["P37b", "P44b"].map(str::to_owned));
    ids.sort_unstable();
    let listed: Vec<String> = rows().into_iter().map(|[id, ..]| id).collect();
    assert_eq!(listed, ids);
}

#[test]
fn the_listed_tests_exist() {
    let mut headings: BTreeMap<String, String> = BTreeMap::new();
    for case in semantics().unwrap() {
        if let Some((id, name)) = case.heading.split_once(' ')
            && is_id(id)
        {
            headings.insert(id.to_owned(), name.to_owned());
        }
    }
    for [id, name, tested] in rows() {
        let heading = headings.get(&id);
        if tested == "`docs/SEMANTICS.md`" {
            assert_eq!(heading, Some(&name), "{id}");
        } else if let Some(feature) = tested.strip_prefix("pending: ") {
            assert!(!feature.is_empty(), "{id}");
        } else {
            let words: Vec<&str> = tested.split('`').collect();
            let ["", test, " in ", path, ""] = words[..] else { panic!("{id}: {tested}") };
            assert!(has_test(path, test), "{id}: {tested}");
        }
    }
}

#[test]
fn the_document_is_in_its_own_format() {
    let cases = semantics().unwrap();
    assert!(cases.len() > 100);
}

#[test]
fn every_pitfall_about_reachability_and_costs_has_a_model() {
    let cases = pitfalls().unwrap();
    // P13 and P14 are properties of zones, tested in their crate.
    let numbers = (1..=36).filter(|n| ![13, 14].contains(n)).chain(49..=57).chain(68..=71);
    for number in numbers {
        let id = format!("P{number:02} ");
        assert!(cases.iter().any(|case| case.heading.starts_with(&id)), "{id}");
    }
}

fn check_document(document: &str, expected: Result<usize, usize>) {
    let cases = read(document);
    assert_eq!(cases.map(|cases| cases.len()).map_err(|mistake| mistake.line), expected);
}

#[test]
fn other_blocks_are_skipped_and_incomplete_cases_are_mistakes() {
    check_document("# A\ntext\n```toml\nx = 1\n```\n", Ok(0));
    check_document("# A\n```xta\nsystem P;\n```\n```queries\nE<> P.a -- satisfied\n```\n", Ok(1));
    check_document("# A\n```xta\nsystem P;\n```\n", Err(3));
    check_document("# A\n```queries\nE<> P.a -- satisfied\n```\n", Err(3));
    check_document("# A\n```xta\nsystem P;\n```\n# B\n```error\nx\n```\n", Err(7));
    check_document("# A\n```xta\nsystem P;\n```\n```queries\nE<> P.a\n```\n", Err(6));
    check_document("# A\n```xta\nsystem P;\n```\n```queries\n\nE<> P.a -- maybe\n```\n", Err(7));
    check_document("# A\n```xta\nsystem P;\n", Err(2));
}
