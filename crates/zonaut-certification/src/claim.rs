//! Claims: what a certificate has to prove about an answer, and what the checker accepted.

use serde::{Deserialize, Serialize};
use std::fmt;
use zonaut_engine::{Answer, FoundValues, Value, Verdict};

/// A claim about the query of a core text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// The verdict or the optimal cost.
    pub statement: Statement,
    /// The extreme values, by the expressions of the query.
    pub values: Vec<ValueRange>,
}

/// A verdict, or the optimal cost of runs to a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    /// The query is satisfied.
    Satisfied,
    /// The query is not satisfied.
    NotSatisfied,
    /// The model fails at run time.
    Fails,
    /// The minimal cost of a run to the goal.
    LeastCost(i64),
    /// The infimum of the costs of runs to the goal, which no run attains.
    CostInfimum(i64),
}

/// The extreme values of an expression: those that the query asks for, if there are any values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ValueRange {
    /// The infimum.
    pub least: Option<Extreme>,
    /// The supremum.
    pub greatest: Option<Extreme>,
}

/// An extreme value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extreme {
    /// Some state has this value.
    Attained(i64),
    /// Values come arbitrarily close to it; no state has it.
    Approached(i64),
    /// Values are unbounded.
    Unbounded,
}

impl Claim {
    /// A claim without values.
    fn stating(statement: Statement) -> Self {
        Self { statement, values: Vec::new() }
    }

    /// The claim that the certificate of several queries has to prove: their conjunction, each as
    /// `A[]`, is satisfied.
    #[must_use]
    pub fn of_conjunction() -> Self {
        Self::stating(Statement::Satisfied)
    }

    /// The claim that the certificate of an answer has to prove; `None` if the answer decides
    /// nothing.
    #[must_use]
    pub fn of_answer(answer: &Answer) -> Option<Self> {
        Some(match (&answer.verdict, answer.cost()) {
            (Verdict::Satisfied, Some(cost)) if cost.is_attained() => {
                Self::stating(Statement::LeastCost(cost.value()))
            }
            (Verdict::Satisfied, Some(cost)) => Self::stating(Statement::CostInfimum(cost.value())),
            (Verdict::Satisfied, None) => Self {
                statement: Statement::Satisfied,
                values: answer.values().iter().map(ValueRange::from).collect(),
            },
            (Verdict::NotSatisfied, _) => Self::stating(Statement::NotSatisfied),
            // The error of an optimisation has no certificate.
            (Verdict::Error(_), _) if answer.optimum().is_none() => Self::stating(Statement::Fails),
            _ => return None,
        })
    }
}

impl From<zonaut_certify::Claim> for Statement {
    fn from(claim: zonaut_certify::Claim) -> Self {
        use zonaut_certify::Claim;
        match claim {
            Claim::Satisfied => Self::Satisfied,
            Claim::NotSatisfied => Self::NotSatisfied,
            Claim::Fails => Self::Fails,
            Claim::LeastCost(cost) => Self::LeastCost(cost),
            Claim::CostInfimum(cost) => Self::CostInfimum(cost),
        }
    }
}

impl From<zonaut_certify::Value> for Extreme {
    fn from(value: zonaut_certify::Value) -> Self {
        use zonaut_certify::Value;
        match value {
            Value::Attained(number) => Self::Attained(number),
            Value::Approached(number) => Self::Approached(number),
            Value::Unbounded => Self::Unbounded,
        }
    }
}

impl From<Value> for Extreme {
    fn from(value: Value) -> Self {
        match value {
            Value::Attained(number) => Self::Attained(number),
            Value::Approached(number) => Self::Approached(number),
            Value::Unbounded => Self::Unbounded,
        }
    }
}

impl From<&FoundValues> for ValueRange {
    fn from(found: &FoundValues) -> Self {
        Self { least: found.infimum.map(Into::into), greatest: found.supremum.map(Into::into) }
    }
}

impl From<&zonaut_certify::Values> for ValueRange {
    fn from(values: &zonaut_certify::Values) -> Self {
        Self { least: values.least.map(Into::into), greatest: values.greatest.map(Into::into) }
    }
}

impl fmt::Display for ValueRange {
    /// Writes bounds in the notation of certificates, such as `>=2 <5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |extreme: Option<Extreme>, [attained, approached]: [&str; 2]| {
            extreme.map(|extreme| match extreme {
                Extreme::Attained(number) => format!("{attained}{number}"),
                Extreme::Approached(number) => format!("{approached}{number}"),
                Extreme::Unbounded => "unbounded".to_owned(),
            })
        };
        let (least, greatest) = (word(self.least, [">=", ">"]), word(self.greatest, ["<=", "<"]));
        let words: Vec<String> = least.into_iter().chain(greatest).collect();
        f.write_str(if words.is_empty() { "none" } else { "" })?;
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_in_certificates() {
        let check = |least, greatest, text: &str| {
            let ours = ValueRange { least, greatest };
            assert_eq!(ours.to_string(), text);
            let theirs = |extreme| match extreme {
                Extreme::Attained(number) => zonaut_certify::Value::Attained(number),
                Extreme::Approached(number) => zonaut_certify::Value::Approached(number),
                Extreme::Unbounded => zonaut_certify::Value::Unbounded,
            };
            let (least, greatest) = (least.map(theirs), greatest.map(theirs));
            let checked = zonaut_certify::Values { least, greatest };
            assert_eq!(checked.to_string(), text);
            assert_eq!(ValueRange::from(&checked), ours);
        };
        check(Some(Extreme::Attained(2)), Some(Extreme::Approached(5)), ">=2 <5");
        check(None, None, "none");
        check(None, Some(Extreme::Unbounded), "unbounded");
        check(
            Some(Extreme::Approached(-1)),
            Some(Extreme::Attained(i64::MAX)),
            ">-1 <=9223372036854775807",
        );
    }
}
