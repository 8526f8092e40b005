//! Families of models: name, parameters and generator.

use crate::arguments::{ArgumentError, Arguments};

/// A family of models, one for each choice of its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The name on the command line, for example `train-gate`.
    pub name: &'static str,
    /// A one-line summary of the modelled system.
    pub summary: &'static str,
    /// The parameters, in the order of positional arguments.
    pub parameters: &'static [Parameter],
    /// Writes the model and its queries for arguments that are in range.
    pub(crate) write: fn(&Arguments) -> Generated,
}

/// A natural number that chooses a member of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name in `name=value` arguments and in messages.
    pub name: &'static str,
    /// The meaning of the number.
    pub meaning: &'static str,
    /// The value when no argument is given.
    pub default: DefaultValue,
    /// The least value allowed.
    pub minimum: u32,
    /// The greatest value allowed.
    pub maximum: u32,
}

/// The value of a parameter for which no argument is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultValue {
    /// This number.
    Fixed(u32),
    /// This number times the value of the family's first parameter.
    TimesFirst(u32),
}

/// A model as XTA text, and the queries that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The model without queries.
    pub model: String,
    /// The formulas. They contain no clocks, so that they leave the clock bounds of the model
    /// unchanged. The first one either holds in every reachable state, so that checking it explores
    /// the whole state space, or is the only one and is a reachable error.
    pub queries: Vec<String>,
}

impl Generated {
    /// The model followed by each query in a `query { ... }` block.
    pub fn text(&self) -> String {
        let mut text = self.model.clone();
        for query in &self.queries {
            text.push_str("\nquery { ");
            text.push_str(query);
            text.push_str(" }\n");
        }
        text
    }
}

impl Family {
    /// The member of this family with these positional arguments; parameters
    /// beyond the last argument have their default values.
    ///
    /// # Errors
    /// When there are too many arguments or one of them is out of range.
    pub fn generate(&self, arguments: &[u32]) -> Result<Generated, ArgumentError> {
        let words: Vec<String> = arguments.iter().map(u32::to_string).collect();
        self.generate_from_words(&words)
    }

    /// The member of this family with arguments as a user writes them: numbers
    /// by position, or `name=number`.
    ///
    /// # Errors
    /// When an argument is no number, out of range, given twice, or not a
    /// parameter of this family.
    pub fn generate_from_words<W: AsRef<str>>(
        &self,
        words: &[W],
    ) -> Result<Generated, ArgumentError> {
        let arguments = Arguments::resolve(self, words)?;
        Ok((self.write)(&arguments))
    }

    /// The name of this family and its arguments, all of them optional, for
    /// example `fischer [N] [K]`.
    pub fn usage(&self) -> String {
        let parameters: Vec<String> =
            self.parameters.iter().map(|parameter| format!("[{}]", parameter.name)).collect();
        format!("{} {}", self.name, parameters.join(" "))
    }
}
