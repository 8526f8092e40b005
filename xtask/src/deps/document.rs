//! The dependency table of `docs/ARCHITECTURE.md`, generated from the rules.

use super::table::{External, Internal, Rule};

/// The document that holds the table.
pub(super) const PATH: &str = "docs/ARCHITECTURE.md";
/// The line before the table.
const START: &str = "<!-- The table below is written by `cargo xtask deps --update`. -->";
/// The line after the table.
const END: &str = "<!-- End of the generated table. -->";

/// The document with the table of these rules; the reason if its markers are missing.
pub(super) fn updated(document: &str, rules: &[Rule]) -> Result<String, String> {
    let missing = |marker: &str| format!("{PATH}: the line `{marker}` is missing");
    let (before, rest) = document.split_once(START).ok_or_else(|| missing(START))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{START}\n\n{}\n{END}{after}", table(rules)))
}

/// The rules as a Markdown table.
fn table(rules: &[Rule]) -> String {
    let mut text = "| crate | may use | from outside |\n|---|---|---|\n".to_owned();
    for rule in rules {
        let internal = match rule.internal {
            Internal::Only([]) => "nothing".to_owned(),
            Internal::Only(names) => {
                let mut names: Vec<&str> = names.iter().copied().map(short).collect();
                names.sort_unstable();
                names.join(", ")
            }
            Internal::AnyLibrary => "every library".to_owned(),
            Internal::Any => "every crate".to_owned(),
        };
        let external = match rule.external {
            External::None => "the standard library only",
            External::Libraries => "libraries without terminals or arguments",
            External::Any => "anything",
        };
        text.push_str(&format!("| {} | {internal} | {external} |\n", short(rule.name)));
    }
    text
}

/// The name of a crate without the common prefix.
fn short(name: &str) -> &str {
    name.strip_prefix("zonaut-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[Rule] = &[
        Rule { name: "zonaut-a", internal: Internal::Only(&[]), external: External::None },
        Rule {
            name: "zonaut-b",
            internal: Internal::Only(&["zonaut-c", "zonaut-a"]),
            external: External::Libraries,
        },
    ];

    #[test]
    fn the_text_between_the_markers_is_replaced() {
        let document = format!("before\n{START}\nold\n{END}\nafter\n");
        let updated = updated(&document, RULES).unwrap();
        assert!(updated.starts_with("before\n") && updated.ends_with("\nafter\n"), "{updated}");
        assert!(!updated.contains("old"), "{updated}");
        assert!(updated.contains("| a | nothing | the standard library only |\n"), "{updated}");
        assert!(updated.contains("| b | a, c | libraries"), "{updated}");
        assert_eq!(super::updated(&updated, RULES), Ok(updated.clone()));
    }

    #[test]
    fn a_document_without_markers_is_refused() {
        assert!(updated("text", RULES).is_err());
        assert!(updated(START, RULES).is_err());
    }
}
