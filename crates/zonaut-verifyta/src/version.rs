//! The emulated version of UPPAAL, for differences between versions.

use std::ffi::OsString;
use std::path::PathBuf;

/// The environment variable that selects the version.
const VARIABLE: &str = "ZONAUT_UPPAAL_VERSION";

/// A release series of UPPAAL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    /// 4.0, whose output says "property" instead of "formula".
    FourZero,
    /// 4.1.
    Four,
    /// 5.0.
    Five,
}

impl Version {
    /// The version that the environment selects.
    pub(crate) fn from_environment() -> Result<Self, String> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Self::Five),
            Some(value) => Self::named(&value.to_string_lossy()),
        }
    }

    fn named(name: &str) -> Result<Self, String> {
        let mut numbers = name.split('.');
        match (numbers.next().unwrap_or_default(), numbers.next()) {
            ("" | "5", _) => Ok(Self::Five),
            ("4", Some("0")) => Ok(Self::FourZero),
            ("4", _) => Ok(Self::Four),
            _ => Err(format!("{VARIABLE}: there is no version `{name}`; choose 4.0, 4.1 or 5.0")),
        }
    }

    /// The output of the option `-v`: it names Zonaut and has the form that scripts expect.
    pub(crate) fn banner(self) -> String {
        let compatible = match self {
            Self::FourZero => "4.0.15",
            Self::Four => "4.1.26",
            Self::Five => "5.0.0",
        };
        let own = env!("CARGO_PKG_VERSION");
        format!("zonaut {own} (command line compatible with UPPAAL {compatible} verifyta)")
    }

    /// The file for the trace of formula number `formula`.
    pub(crate) fn trace_file(self, prefix: &OsString, formula: usize) -> PathBuf {
        let ending = match self {
            Self::FourZero | Self::Four => ".xtr",
            Self::Five => "",
        };
        let mut name = prefix.clone();
        name.push(format!("-{formula}{ending}"));
        name.into()
    }

    /// Whether this is a version before 5.
    pub(crate) fn is_old(self) -> bool {
        self != Self::Five
    }

    /// The noun for a query in the output.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Self::FourZero => "Property",
            Self::Four | Self::Five => "Formula",
        }
    }

    /// The noun for a witness in the output.
    pub(crate) fn witness(self) -> &'static str {
        match self {
            Self::FourZero | Self::Four => "example trace",
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
            ("4", Version::Four),
            ("4.1", Version::Four),
            ("4.0.15", Version::FourZero),
        ] {
            assert_eq!(Version::named(name), Ok(version), "{name}");
        }
        assert!(Version::named("3.4").is_err());
    }

    #[test]
    fn the_word_after_uppaal_is_a_version() {
        for (version, number) in
            [(Version::FourZero, "4.0.15"), (Version::Four, "4.1.26"), (Version::Five, "5.0.0")]
        {
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
