//! Compares the packages of the workspace with the table.

use super::metadata::{Dependency, Package};
use super::table::{External, Internal, NOT_LIBRARIES, OUTWARD, Rule, TEST_SUPPORT};

/// One line for each dependency that the table does not allow.
pub(super) fn problems(table: &[Rule], packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        let Some(rule) = table.iter().find(|rule| rule.name == package.name) else {
            problems.push(format!("{}: not in the dependency table", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            let is_ours = packages.iter().any(|other| other.name == dependency.name);
            let problem =
                if is_ours { internal(rule, dependency) } else { external(rule, dependency) };
            if let Some(problem) = problem {
                problems.push(format!("{} -> {}: {problem}", package.name, dependency.name));
            }
        }
    }
    problems
}

fn internal(rule: &Rule, dependency: &Dependency) -> Option<&'static str> {
    let name = dependency.name.as_str();
    if dependency.is_for_development && TEST_SUPPORT.contains(&name) {
        return None;
    }
    let is_allowed = match rule.internal {
        Internal::Only(names) => names.contains(&name),
        Internal::AnyLibrary => !NOT_LIBRARIES.contains(&name),
        Internal::Any => true,
    };
    (!is_allowed).then_some("not allowed by the dependency table")
}

fn external(rule: &Rule, dependency: &Dependency) -> Option<&'static str> {
    if dependency.is_for_development {
        return None;
    }
    match rule.external {
        External::Any => None,
        External::None => Some("this crate may use the standard library only"),
        External::Libraries => OUTWARD
            .contains(&dependency.name.as_str())
            .then_some("only the command line and the console face the outside"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::TABLE;
    use super::*;

    const NORMAL: bool = false;
    const FOR_TESTS: bool = true;

    /// The problems of a workspace in which `from` depends on `to`.
    fn check(from: &str, to: &str, is_for_development: bool, is_ours: bool) -> Vec<String> {
        let edge = Dependency { name: to.to_owned(), is_for_development };
        let mut packages = vec![Package { name: from.to_owned(), dependencies: vec![edge] }];
        if is_ours {
            packages.push(Package { name: to.to_owned(), dependencies: Vec::new() });
        }
        problems(TABLE, &packages)
    }

    fn uses(from: &str, to: &str) -> bool {
        check(from, to, NORMAL, true).is_empty()
    }

    #[test]
    fn edges_of_the_table_are_allowed_and_their_reverses_are_not() {
        for rule in TABLE {
            let Internal::Only(names) = rule.internal else { continue };
            for name in names {
                assert!(uses(rule.name, name), "{} -> {name}", rule.name);
                assert!(!uses(name, rule.name), "{name} -> {}", rule.name);
            }
        }
    }

    #[test]
    fn the_search_must_not_depend_on_clocks() {
        assert!(!uses("zonaut-search", "zonaut-dbm"));
        assert!(!uses("zonaut-search", "zonaut-zonegraph"));
    }

    #[test]
    fn the_certificate_checker_shares_no_code() {
        for rule in TABLE.iter().filter(|rule| rule.name != "zonaut-certify") {
            assert!(!uses("zonaut-certify", rule.name), "{}", rule.name);
        }
        assert!(!check("zonaut-certify", "serde", NORMAL, false).is_empty());
    }

    #[test]
    fn the_oracles_do_not_depend_on_the_engine() {
        for name in ["zonaut-dbm", "zonaut-compile", "zonaut-zonegraph", "zonaut-engine"] {
            assert!(!uses("zonaut-oracle", name), "{name}");
        }
        assert!(!uses("zonaut-engine", "zonaut-oracle"));
    }

    #[test]
    fn only_tests_may_use_the_test_kit() {
        assert!(check("zonaut-search", "zonaut-testkit", FOR_TESTS, true).is_empty());
        assert!(!uses("zonaut-search", "zonaut-testkit"));
        assert!(!uses("zonaut-engine", "zonaut-testkit"));
        assert!(!check("zonaut-search", "zonaut-dbm", FOR_TESTS, true).is_empty());
        assert!(!check("zonaut-search", "xtask", FOR_TESTS, true).is_empty());
    }

    #[test]
    fn only_the_command_line_and_the_console_face_the_outside() {
        assert!(check("zonaut", "clap", NORMAL, false).is_empty());
        assert!(check("zonaut-console", "signal-hook", NORMAL, false).is_empty());
        assert!(!check("zonaut-bench", "clap", NORMAL, false).is_empty());
        assert!(!uses("zonaut-engine", "zonaut-console"));
        assert!(!check("zonaut-engine", "clap", NORMAL, false).is_empty());
        assert!(check("zonaut-engine", "serde", NORMAL, false).is_empty());
        assert!(check("zonaut-dbm", "proptest", FOR_TESTS, false).is_empty());
        assert!(!check("zonaut-dbm", "proptest", NORMAL, false).is_empty());
    }

    #[test]
    fn a_crate_without_a_rule_is_an_error() {
        let lines = problems(
            TABLE,
            &[Package { name: "zonaut-extras".to_owned(), dependencies: Vec::new() }],
        );
        assert_eq!(lines, ["zonaut-extras: not in the dependency table"]);
    }

    #[test]
    fn the_table_has_neither_cycles_nor_duplicate_names() {
        for (position, rule) in TABLE.iter().enumerate() {
            let earlier: Vec<&str> = TABLE[..position].iter().map(|rule| rule.name).collect();
            assert!(!earlier.contains(&rule.name), "{} twice", rule.name);
            if let Internal::Only(names) = rule.internal {
                for name in names {
                    assert!(
                        earlier.contains(name),
                        "{} uses {name} before it is listed",
                        rule.name
                    );
                }
            }
        }
    }
}
