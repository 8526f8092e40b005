//! Environment variables that every command respects.

/// Whether the environment selects the language of UPPAAL 3.x, by the variable that UPPAAL uses.
#[must_use]
pub fn wants_old_syntax() -> bool {
    std::env::var_os("UPPAAL_OLD_SYNTAX").is_some_and(|value| !value.is_empty())
}
