//! What the environment asks of every command.

/// Whether the environment asks for the language of UPPAAL 3.x, as it does of UPPAAL itself.
#[must_use]
pub fn wants_old_syntax() -> bool {
    std::env::var_os("UPPAAL_OLD_SYNTAX").is_some_and(|value| !value.is_empty())
}
