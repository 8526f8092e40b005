//! Which version of UPPAAL is stood in for, where versions differ.

use std::ffi::OsString;
use std::path::PathBuf;

/// The variable that chooses the version.
const VARIABLE: &str = "ZONAUT_UPPAAL_VERSION";

/// A line of versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    Four,
    Five,
}

impl Version {
    /// The version that the environment asks for.
    pub(super) fn from_environment() -> Result<Self, String> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Self::Five),
            Some(value) => Self::named(&value.to_string_lossy()),
        }
    }

    fn named(name: &str) -> Result<Self, String> {
        match name.split('.').next().unwrap_or_default() {
            "" | "5" => Ok(Self::Five),
            "4" => Ok(Self::Four),
            _ => Err(format!("{VARIABLE}: there is no version `{name}`; choose 4.1 or 5.0")),
        }
    }

    /// What the option `-v` shows: an honest name that scripts accept.
    pub(super) fn banner(self) -> String {
        let compatible = match self {
            Self::Four => "4.1.26",
            Self::Five => "5.0.0",
        };
        let own = env!("CARGO_PKG_VERSION");
        format!("zonaut {own} (command line compatible with UPPAAL {compatible} verifyta)")
    }

    /// The file for the trace of formula number `formula`.
    pub(super) fn trace_file(self, prefix: &OsString, formula: usize) -> PathBuf {
        let ending = match self {
            Self::Four => ".xtr",
            Self::Five => "",
        };
        let mut name = prefix.clone();
        name.push(format!("-{formula}{ending}"));
        name.into()
    }

    /// What a trace that shows that a formula holds is called.
    pub(super) fn witness(self) -> &'static str {
        match self {
            Self::Four => "example trace",
            Self::Five => "witness trace",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_known_by_their_first_number() {
        for (name, version) in [
            ("", Version::Five),
            ("5", Version::Five),
            ("5.0.0", Version::Five),
            ("4.1", Version::Four),
        ] {
            assert_eq!(Version::named(name), Ok(version), "{name}");
        }
        assert!(Version::named("3.4").is_err());
    }

    #[test]
    fn the_word_after_uppaal_is_a_version() {
        for (version, number) in [(Version::Four, "4.1.26"), (Version::Five, "5.0.0")] {
            let banner = version.banner();
            let words: Vec<&str> = banner.split(' ').collect();
            let place = words.iter().position(|&word| word == "UPPAAL").unwrap();
            assert_eq!(words[place + 1], number);
        }
    }

    #[test]
    fn trace_files_are_named_as_the_version_names_them() {
        let prefix = OsString::from("a/b.x");
        assert_eq!(Version::Four.trace_file(&prefix, 2), PathBuf::from("a/b.x-2.xtr"));
        assert_eq!(Version::Five.trace_file(&prefix, 2), PathBuf::from("a/b.x-2"));
    }
}
