//! Certificates of kind `values`: infima and suprema of expressions over the reachable states where
//! a condition holds.
//!
//! A path shows that a value is attained or approached: all valuations at its end are reachable,
//! and the bounds of closed zones are tight. A pumping loop on the path shows that a clock is
//! unbounded ([`crate::driven`]). An inductive set, as in [`crate::unreach`], shows that no value
//! is beyond.

use crate::Limits;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region};
use crate::core::{State, Subject};
use crate::driven::Driven;
use crate::formula::{Condition, holding};
use crate::network::Network;
use crate::nodes::read;
use crate::path::Path;
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::unreach::check_closed;
use crate::zone::{Atom, Bound};
use std::collections::BTreeSet;
use std::fmt;

/// An extreme value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Some state has this value.
    Attained(i64),
    /// Values come arbitrarily close; no state has this value.
    Approached(i64),
    /// There are arbitrarily large values.
    Unbounded,
}

/// The extreme values of one expression: those that were asked for, if there are any values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// The infimum.
    pub least: Option<Value>,
    /// The supremum.
    pub greatest: Option<Value>,
}

impl fmt::Display for Values {
    /// Prints bounds such as `>=2 <5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = self.least.map(|value| match value {
            Value::Attained(number) => format!(">={number}"),
            Value::Approached(number) => format!(">{number}"),
            Value::Unbounded => "unbounded".to_owned(),
        });
        let greatest = self.greatest.map(|value| match value {
            Value::Attained(number) => format!("<={number}"),
            Value::Approached(number) => format!("<{number}"),
            Value::Unbounded => "unbounded".to_owned(),
        });
        let words: Vec<String> = least.into_iter().chain(greatest).collect();
        f.write_str(if words.is_empty() { "none" } else { "" })?;
        f.write_str(&words.join(" "))
    }
}

/// One of the two ends of the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Least,
    Greatest,
}

/// A claimed extreme value of an expression.
#[derive(Clone, Copy)]
struct Extreme {
    subject: usize,
    side: Side,
    value: Value,
}

/// The claimed values, and the part of the states for which they are proved.
struct Claims {
    condition: usize,
    sides: Vec<Side>,
    values: Vec<Values>,
    /// The states for which sets have shown that the values of a subject are not exceeded.
    bounded: Vec<Extent>,
}

/// The states for which the values of a subject are not exceeded.
#[derive(Clone, Default)]
struct Extent {
    /// All states.
    is_whole: bool,
    /// The states where the subject is one of these clocks.
    cases: BTreeSet<usize>,
    /// The other clocks that the subject is in states of the sets for single cases.
    others: BTreeSet<usize>,
}

impl Extent {
    /// Whether the cases are exhaustive: the states of each set are all reachable states.
    fn is_complete(&self) -> bool {
        self.is_whole || (!self.cases.is_empty() && self.others.is_subset(&self.cases))
    }
}

/// Checks the body of a certificate about the values of `query` where the part `condition` of the
/// formula holds; returns the values, and the number of transitions and nodes.
pub(crate) fn check(
    network: &mut Network<'_>,
    condition: usize,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<(Vec<Values>, usize), Refusal> {
    let subjects = network.core.subjects.len();
    let sides = match network.core.query.as_str() {
        "supremum" => vec![Side::Greatest],
        "infimum" => vec![Side::Least],
        _ => vec![Side::Least, Side::Greatest],
    };
    let values = vec![Values::default(); subjects];
    let bounded = vec![Extent::default(); subjects];
    let mut claims = Claims { condition, sides, values, bounded };
    let mut size = 0;
    while !lines.is_at_end() {
        size += match lines.is_at("set") || lines.is_at("case") {
            true => claims.read_set(network, lines, limits)?,
            false => claims.read_path(network, lines)?,
        };
    }
    let is_complete = claims.bounded.iter().all(Extent::is_complete);
    lines.require(is_complete, "there is no set for some expression")?;
    Ok((claims.values, size))
}

impl Claims {
    /// Reads and checks a path to a value; returns the number of its transitions.
    fn read_path(
        &mut self,
        network: &mut Network<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<usize, Refusal> {
        let words = lines.next()?.unwrap_or_default();
        let (side, subject, value) = match words[..] {
            ["least", subject, ref value @ ..] => (Side::Least, subject, value),
            ["greatest", subject, ref value @ ..] => (Side::Greatest, subject, value),
            _ => return Err(lines.malformed("this is no value")),
        };
        lines.require(self.sides.contains(&side), "this value is not asked for")?;
        let subject = lines.one_of("expression", self.values.len(), subject)?;
        let value = match (value, side) {
            (["attained", number], _) => Value::Attained(integer(lines, number)?),
            (["approached", number], _) => Value::Approached(integer(lines, number)?),
            (["unbounded"], Side::Greatest) => Value::Unbounded,
            _ => return Err(lines.malformed("this is no value")),
        };
        let claim = Extreme { subject, side, value };
        let place = format!("line {}", lines.number);
        let mut path = Path::start(network).at("the initial state")?;
        let mut size = path.follow(network, lines)?;
        let mut driven = None;
        if value == Value::Unbounded && lines.is_at("rises") {
            let (clock, length) = Driven::check(network, lines, &mut path)?;
            size += length + path.follow(network, lines)?;
            clock.require_kept(&path).at(&place)?;
            driven = Some(clock);
        }
        self.check_path(network, &path, driven.as_ref(), claim).at(&place)?;
        let values = &mut self.values[subject];
        let known = if side == Side::Least { &mut values.least } else { &mut values.greatest };
        lines.require(known.is_none(), "there are two paths to one value")?;
        *known = Some(value);
        Ok(size)
    }

    /// Checks that the values at the end of a path attain or approach this one.
    fn check_path(
        &self,
        network: &mut Network<'_>,
        path: &Path,
        driven: Option<&Driven>,
        claim: Extreme,
    ) -> Result<(), Trouble> {
        let Extreme { subject, side, value } = claim;
        let mut is_met = false;
        for zone in &path.zones {
            let condition = Condition::holds(self.condition);
            for part in holding(network, &path.state, condition, path.ordered(zone.clone()))? {
                is_met |= match content(network, &path.state, subject)? {
                    Content::Integer(number) => value == Value::Attained(number),
                    Content::Clock(x) if driven.is_some_and(|clock| clock.drives(x)) => true,
                    // A larger bound is closer to the supremum.
                    Content::Clock(x) => {
                        let (x, y) = if side == Side::Least { (0, x) } else { (x, 0) };
                        part.zone().bound(x, y) >= extreme_bound(side, value)?
                    }
                };
            }
        }
        require(is_met, "the path does not come to this value")
    }

    /// Reads and checks a set that bounds values; returns the number of its nodes.
    fn read_set(
        &mut self,
        network: &mut Network<'_>,
        lines: &mut Lines<'_>,
        limits: &Limits,
    ) -> Result<usize, Refusal> {
        let words = lines.next()?.unwrap_or_default();
        let one_of = |what, count, word: &str| lines.one_of(what, count, word);
        let (subjects, case) = match words[..] {
            ["case", subject, clock] => {
                let subject = one_of("expression", self.values.len(), subject)?;
                (vec![subject], Some(one_of("clock", network.core.clocks.len(), clock)?))
            }
            ["set", ref subjects @ ..] => {
                let subject = |word: &&str| one_of("expression", self.values.len(), word);
                (subjects.iter().map(subject).collect::<Result<Vec<_>, _>>()?, None)
            }
            _ => return Err(lines.malformed("this is no set")),
        };
        let nodes = read(network, lines, limits, &mut |_, _, _| Ok(false))?;
        let has_reasons = !nodes.invariants.is_empty() || !nodes.reasons.is_empty();
        lines.require(!has_reasons, "reasons do not bound values")?;
        lines.require(!nodes.regions.are_packed(), "these nodes are not packed")?;
        let mut others = BTreeSet::new();
        check_closed(network, &nodes, &mut |network, state, region| {
            for part in holding(network, state, Condition::holds(self.condition), region.clone())? {
                for &subject in &subjects {
                    match (case, content(network, state, subject)?) {
                        (Some(case), Content::Clock(clock)) if clock != case => {
                            others.insert(clock);
                        }
                        _ => self.require_within(network, state, &part, subject)?,
                    }
                }
            }
            Ok(())
        })?;
        for &subject in &subjects {
            let extent = &mut self.bounded[subject];
            extent.is_whole |= case.is_none();
            extent.cases.extend(case);
            extent.others.extend(&others);
        }
        Ok(nodes.regions.len())
    }

    /// Requires that no value of a subject in a region exceeds the claimed one.
    fn require_within(
        &self,
        network: &mut Network<'_>,
        state: &State,
        region: &Region,
        subject: usize,
    ) -> Result<(), Trouble> {
        let content = content(network, state, subject)?;
        for &side in &self.sides {
            let Values { least, greatest } = self.values[subject];
            let claimed = if side == Side::Least { least } else { greatest };
            let claimed = claimed.ok_or_else(|| Trouble::rejected("there are values"))?;
            let is_beyond = match (content, claimed) {
                (_, Value::Unbounded) => false,
                (Content::Integer(number), Value::Attained(extreme)) => match side {
                    Side::Least => number < extreme,
                    Side::Greatest => number > extreme,
                },
                (Content::Integer(_), Value::Approached(_)) => true,
                (Content::Clock(x), value) => {
                    let (x, y) = if side == Side::Least { (0, x) } else { (x, 0) };
                    let within = Atom { x, y, bound: extreme_bound(side, value)? };
                    region.clone().meet(within.negated())?
                }
            };
            require(!is_beyond, "a value is beyond the claimed one")?;
        }
        Ok(())
    }
}

/// The content of an expression in a discrete state.
#[derive(Clone, Copy)]
enum Content {
    Integer(i64),
    /// The value of this clock.
    Clock(usize),
}

fn content(network: &mut Network<'_>, state: &State, subject: usize) -> Result<Content, Trouble> {
    network.enter(state);
    let core = network.core;
    match &core.subjects[subject] {
        Subject::Integer(code) => Ok(Content::Integer(network.machine.evaluate(code)?)),
        Subject::Clock(place) => Ok(Content::Clock(network.place(place, 1..core.clocks.len())?)),
        Subject::Cost => Err(Trouble::undecided("values of the cost are not supported")),
    }
}

/// The bound of a clock, or of its negation, for this extreme value.
fn extreme_bound(side: Side, value: Value) -> Result<Bound, Trouble> {
    let signed = |number: i64| if side == Side::Least { -number } else { number };
    match value {
        Value::Attained(number) => Bound::new(signed(number), false),
        Value::Approached(number) => Bound::new(signed(number), true),
        Value::Unbounded => Ok(Bound::NONE),
    }
}

fn integer(lines: &Lines<'_>, word: &str) -> Result<i64, Refusal> {
    let number = word.parse::<i64>().ok().filter(|number| number.unsigned_abs() <= 1 << 40);
    number.ok_or_else(|| lines.malformed("this is no number"))
}
