//! Parsing of a user's arguments to one value in range for each parameter.

use std::fmt;

use crate::family::{DefaultValue, Family, Parameter};

/// One value in range for each parameter of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    values: Vec<(&'static str, u32)>,
}

/// The reason why arguments do not select a member of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentError {
    /// More positional arguments than the family has parameters.
    TooMany {
        /// The family's name.
        family: &'static str,
        /// The number of arguments that it takes.
        allowed: usize,
        /// The first superfluous argument.
        word: String,
    },
    /// An argument that is not a natural number.
    NotANumber {
        /// The parameter it was given for.
        parameter: Parameter,
        /// The argument that was given.
        word: String,
    },
    /// A number outside the range of its parameter.
    OutOfRange {
        /// The parameter it was given for.
        parameter: Parameter,
        /// The argument that was given.
        word: String,
    },
    /// A `name=number` whose name is not a parameter of the family.
    UnknownParameter {
        /// The family's name.
        family: &'static str,
        /// The names that exist.
        known: Vec<&'static str>,
        /// The name that was given.
        name: String,
    },
    /// A parameter with two values.
    GivenTwice {
        /// The parameter.
        parameter: Parameter,
    },
}

impl Arguments {
    /// The values that `words` give to the parameters of `family`, defaults
    /// included.
    pub(crate) fn resolve<W: AsRef<str>>(
        family: &Family,
        words: &[W],
    ) -> Result<Self, ArgumentError> {
        let mut given: Vec<Option<u32>> = vec![None; family.parameters.len()];
        for (position, word) in words.iter().enumerate() {
            let (place, number) = place(family, position, word.as_ref())?;
            let parameter = family.parameters[place];
            if given[place].is_some() {
                return Err(ArgumentError::GivenTwice { parameter });
            }
            given[place] = Some(number_in_range(parameter, number)?);
        }
        let mut values: Vec<(&'static str, u32)> = Vec::with_capacity(given.len());
        for (parameter, number) in family.parameters.iter().zip(given) {
            let first = values.first().map_or(0, |&(_, value)| value);
            let value = number.unwrap_or(match parameter.default {
                DefaultValue::Fixed(value) => value,
                DefaultValue::TimesFirst(factor) => factor.saturating_mul(first),
            });
            values.push((parameter.name, value));
        }
        Ok(Self { values })
    }

    /// The value of the parameter called `name`, which the family declares.
    pub(crate) fn value(&self, name: &str) -> u32 {
        self.values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, value)| value)
            .expect("invariant: a family's writer asks for parameters that it declares")
    }
}

/// The index of the parameter that `word` is for, and the part of the word that
/// is its number.
fn place<'w>(
    family: &Family,
    position: usize,
    word: &'w str,
) -> Result<(usize, &'w str), ArgumentError> {
    let Some((name, number)) = word.split_once('=') else {
        return if position < family.parameters.len() {
            Ok((position, word))
        } else {
            Err(ArgumentError::TooMany {
                family: family.name,
                allowed: family.parameters.len(),
                word: word.to_owned(),
            })
        };
    };
    let is_named = |parameter: &Parameter| parameter.name.eq_ignore_ascii_case(name);
    let place = family.parameters.iter().position(is_named).ok_or_else(|| {
        ArgumentError::UnknownParameter {
            family: family.name,
            known: family.parameters.iter().map(|parameter| parameter.name).collect(),
            name: name.to_owned(),
        }
    })?;
    Ok((place, number))
}

fn number_in_range(parameter: Parameter, word: &str) -> Result<u32, ArgumentError> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ArgumentError::NotANumber { parameter, word: word.to_owned() });
    }
    // A negative or overlong number is reported as out of range, not as malformed.
    match word.parse::<u32>() {
        Ok(value) if (parameter.minimum..=parameter.maximum).contains(&value) => Ok(value),
        _ => Err(ArgumentError::OutOfRange { parameter, word: word.to_owned() }),
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { family, allowed, word } => {
                write!(f, "`{word}` is one argument too many: {family} takes at most {allowed}")
            }
            Self::NotANumber { parameter, word } => write!(
                f,
                "`{word}` is not a number; {} ({}) must be between {} and {}",
                parameter.name, parameter.meaning, parameter.minimum, parameter.maximum
            ),
            Self::OutOfRange { parameter, word } => write!(
                f,
                "{} ({}) must be between {} and {}, not {word}",
                parameter.name, parameter.meaning, parameter.minimum, parameter.maximum
            ),
            Self::UnknownParameter { family, known, name } => write!(
                f,
                "{family} has no parameter `{name}`; its parameters are {}",
                known.join(", ")
            ),
            Self::GivenTwice { parameter } => {
                write!(f, "{} ({}) is given twice", parameter.name, parameter.meaning)
            }
        }
    }
}

impl std::error::Error for ArgumentError {}
