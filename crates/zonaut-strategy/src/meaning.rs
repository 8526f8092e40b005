//! Interpretation of parsed expressions as strategies.

use super::catalogue::{self, Kind, PARTS, Part};
use super::expression::{Argument, Call, Reader, StrategyError, Value};
use super::heuristic::{
    ALL, AUTO, HeuristicSpec, IGNORED, INPUTS, LESSONS, LOCATION, MergeSpec, OFF, PATHS,
    PatternSpec, PredicateSpec, Refinement, SHARED, SUMS, Selector, inputs_name, lesson_name,
    paths_name, sum_name,
};
use super::{AGES, SECONDS, Strategy, age_name, second_name};
use crate::Order;
use crate::{Descents, Precision, Ties};

/// The strategy that `text` describes.
pub(super) fn strategy(text: &str) -> Result<Strategy, StrategyError> {
    let mut reader = Reader::new(text);
    let call = reader.whole()?;
    Meaning { reader }.strategy(&call)
}

pub(super) struct Meaning<'t> {
    pub(super) reader: Reader<'t>,
}

/// The arguments of a part, of which some have been processed.
pub(super) struct Given<'c, 't> {
    pub(super) call: &'c Call<'t>,
    pub(super) heuristics: Vec<HeuristicSpec>,
}

impl Meaning<'_> {
    pub(super) fn strategy(&self, call: &Call<'_>) -> Result<Strategy, StrategyError> {
        let part = self.part(call, |kind| kind == Kind::Search, "strategy")?;
        if part.name == "lazy" {
            return self.lazy(call, part).map(Strategy::Lazy);
        }
        if part.name == "auto" {
            let given = self.given(call, part, 0)?;
            let first = self.number(&given, "first")?.unwrap_or(Strategy::DEFAULT_FIRST);
            return Ok(Strategy::Auto { first });
        }
        if part.name == "coverage" {
            let given = self.given(call, part, 0)?;
            return Ok(Strategy::Novel { age: self.ties(&given)?.age });
        }
        if let Some(order) = Order::ALL.into_iter().find(|order| order.name() == part.name) {
            self.given(call, part, 0)?;
            return Ok(Strategy::Blind(order));
        }
        let least = if part.name == "alternate" { 2 } else { 1 };
        let mut given = self.given(call, part, least)?;
        let ties = self.ties(&given)?;
        let heuristics = std::mem::take(&mut given.heuristics);
        if part.name == "alternate" {
            return Ok(Strategy::Alternating { heuristics, ties });
        }
        let heuristic = self.only(call, heuristics)?;
        match part.name {
            "astar" if !heuristic.is_admissible() => Err(self.overestimating(call, &heuristic)),
            "astar" => Ok(Strategy::AStar { heuristic, ties }),
            "useful"
                if !matches!(
                    heuristic,
                    HeuristicSpec::Lower { .. } | HeuristicSpec::Upper { .. }
                ) =>
            {
                let message = "`useful` needs the heuristic hl or hu";
                Err(self.reader.error(call.at.clone(), message))
            }
            "useful" => Ok(Strategy::Useful { heuristic, ties }),
            "context" => Ok(Strategy::Contextual { heuristic, ties }),
            "wastar" => {
                let weight = self.number(&given, "weight")?.unwrap_or(3);
                Ok(Strategy::Weighted { heuristic, weight, ties })
            }
            "restarts" => {
                let usual = Descents::default();
                let patience = self.number(&given, "patience")?.unwrap_or(usual.patience);
                let perturbation = self.number(&given, "perturb")?.unwrap_or(usual.perturbation);
                Ok(Strategy::Restarts { heuristic, patience, perturbation })
            }
            _ => Ok(Strategy::Greedy { heuristic, ties }),
        }
    }

    fn heuristic(&self, call: &Call<'_>) -> Result<HeuristicSpec, StrategyError> {
        let fits = |kind| matches!(kind, Kind::Heuristic | Kind::Combinator);
        let part = self.part(call, fits, "heuristic")?;
        let least = match part.name {
            // A goal of several conjuncts is partitioned among them, too.
            "sum" if call.has_word("partition", SHARED) => 1,
            "max" | "sum" => 2,
            "weighted" => 1,
            _ => 0,
        };
        let mut given = self.given(call, part, least)?;
        let heuristics = std::mem::take(&mut given.heuristics);
        let cache = || Ok(self.number(&given, "cache")?.unwrap_or(HeuristicSpec::DEFAULT_CACHE));
        Ok(match part.name {
            "hl" => {
                let clocks = self.is_by_location(&given, "clocks")?;
                let values = self.is_by_location(&given, "values")?;
                HeuristicSpec::Lower { cache: cache()?, precision: Precision { clocks, values } }
            }
            "hu" => HeuristicSpec::Upper { cache: cache()? },
            "rd" => {
                let inputs = self.choice(&given, "inputs", &INPUTS, inputs_name)?;
                let inputs = inputs.unwrap_or_default();
                HeuristicSpec::Pattern(self.pattern(&given, Selector::ErrorPath { inputs })?)
            }
            "cone" => {
                let selector = match given.is_word("d", AUTO) {
                    true => Selector::Deepening,
                    false => Selector::Cone { layers: self.number(&given, "d")?.unwrap_or(2) },
                };
                HeuristicSpec::Pattern(self.pattern(&given, selector)?)
            }
            "pa" => HeuristicSpec::Predicates(self.predicates(&given)?),
            "merge" => HeuristicSpec::Merged(self.merge(call, &given)?),
            "max" => HeuristicSpec::Max(heuristics),
            "sum" => self.sum(call, &given, heuristics)?,
            "weighted" => {
                let weight = self.number(&given, "weight")?.unwrap_or(3);
                HeuristicSpec::Weighted(Box::new(self.only(call, heuristics)?), weight)
            }
            name => HeuristicSpec::plain(name).unwrap_or(HeuristicSpec::Blind),
        })
    }

    fn sum(
        &self,
        call: &Call<'_>,
        given: &Given<'_, '_>,
        heuristics: Vec<HeuristicSpec>,
    ) -> Result<HeuristicSpec, StrategyError> {
        let name = |is_shared| if is_shared { SHARED } else { OFF };
        if self.choice(given, "partition", &[false, true], name)? != Some(true) {
            return Ok(HeuristicSpec::Sum(heuristics));
        }
        match heuristics.iter().all(HeuristicSpec::is_shareable) {
            true => Ok(HeuristicSpec::Shared(heuristics)),
            false => {
                let message = "`partition=shared` partitions costs among rd, cone(d=N) and hl only";
                Err(self.reader.error(call.at.clone(), message))
            }
        }
    }

    /// Whether a precision is by location.
    fn is_by_location(&self, given: &Given<'_, '_>, key: &str) -> Result<bool, StrategyError> {
        let name = |is_seen| if is_seen { LOCATION } else { IGNORED };
        Ok(self.choice(given, key, &[false, true], name)?.unwrap_or(false))
    }

    fn pattern(
        &self,
        given: &Given<'_, '_>,
        selector: Selector,
    ) -> Result<PatternSpec, StrategyError> {
        Ok(PatternSpec {
            selector,
            states: self.number(given, "states")?.unwrap_or(PatternSpec::DEFAULT_STATES),
            seconds: self.number(given, "seconds")?,
            megabytes: self.number(given, "memory")?,
        })
    }

    fn predicates(&self, given: &Given<'_, '_>) -> Result<PredicateSpec, StrategyError> {
        let split = match given.is_word("split", ALL) {
            true => None,
            false => Some(self.number(given, "split")?.unwrap_or(PredicateSpec::DEFAULT_SPLIT)),
        };
        let refine = match given.is_word("refine", AUTO) {
            true => Refinement::WhileGrowing,
            false => self.number(given, "refine")?.map_or(Refinement::None, Refinement::AtMost),
        };
        Ok(PredicateSpec {
            split,
            refine,
            paths: self.choice(given, "ways", &PATHS, paths_name)?.unwrap_or_default(),
            learn: self.choice(given, "learn", &LESSONS, lesson_name)?.unwrap_or_default(),
            perimeter: self.number(given, "perimeter")?.unwrap_or(PredicateSpec::DEFAULT_PERIMETER),
            near: self.number(given, "near")?.unwrap_or(PredicateSpec::DEFAULT_NEAR),
            sum: self.choice(given, "sum", &SUMS, sum_name)?.unwrap_or_default(),
            states: self.number(given, "states")?.unwrap_or(PredicateSpec::DEFAULT_STATES),
            seconds: self.number(given, "seconds")?,
            megabytes: self.number(given, "memory")?,
        })
    }

    fn merge(&self, call: &Call<'_>, given: &Given<'_, '_>) -> Result<MergeSpec, StrategyError> {
        let most = MergeSpec::MOST_LOCATIONS;
        let locations = self.number(given, "n")?.unwrap_or(MergeSpec::DEFAULT_LOCATIONS);
        if locations == 0 || locations > most {
            let message = format!("`n` must be a number from 1 to {most}");
            return Err(self.reader.error(call.at.clone(), message));
        }
        let variables = self.number(given, "variables")?;
        Ok(MergeSpec {
            locations,
            variables: variables.unwrap_or(MergeSpec::DEFAULT_VARIABLES),
            states: self.number(given, "states")?.unwrap_or(MergeSpec::DEFAULT_STATES),
            seconds: self.number(given, "seconds")?,
            megabytes: self.number(given, "memory")?,
        })
    }

    fn ties(&self, given: &Given<'_, '_>) -> Result<Ties, StrategyError> {
        let usual = Strategy::DEFAULT_TIES;
        let age = self.choice(given, "ties", &AGES, age_name)?;
        let second = self.choice(given, "prefer", &SECONDS, second_name)?;
        let (age, second) = (age.unwrap_or(usual.age), second.unwrap_or(usual.second));
        Ok(Ties { second, age })
    }

    /// The part that `call` names, if it has an accepted role.
    pub(super) fn part(
        &self,
        call: &Call<'_>,
        fits: impl Fn(Kind) -> bool,
        wanted: &str,
    ) -> Result<&'static Part, StrategyError> {
        if let Some(part) = catalogue::find(call.name, &fits) {
            return Ok(part);
        }
        let names: Vec<&str> =
            PARTS.iter().filter(|part| fits(part.kind)).map(|part| part.name).collect();
        let name = call.name;
        let what = match catalogue::find(name, |_| true).map(|part| part.kind) {
            Some(Kind::Search) => format!("`{name}` is a search"),
            Some(Kind::Heuristic | Kind::Combinator) => {
                format!("`{name}` is a heuristic; try greedy({name})")
            }
            Some(Kind::CostSearch) => format!("`{name}` is a search of `zonaut optimize`"),
            Some(Kind::Estimate) => format!(
                "`{name}` is a lower bound of the remaining cost; try \
                                             astar({name})"
            ),
            None => format!("unknown {wanted} `{name}`"),
        };
        let message = format!("{what}; available: {}", names.join(", "));
        Err(self.reader.error(call.at.clone(), message))
    }

    /// The arguments of `call`, all of which `part` accepts; at least `least` of them are
    /// heuristics.
    pub(super) fn given<'c, 't>(
        &self,
        call: &'c Call<'t>,
        part: &Part,
        least: usize,
    ) -> Result<Given<'c, 't>, StrategyError> {
        let mut heuristics = Vec::new();
        for argument in &call.arguments {
            match (argument.key, &argument.value) {
                (Some(key), _) => self.check_key(key, argument, part)?,
                (None, Value::Call(inner)) if least > 0 => heuristics.push(self.heuristic(inner)?),
                (None, _) => {
                    let message =
                        format!("`{}` does not take this argument{}", call.name, keys(part));
                    return Err(self.reader.error(argument.at.clone(), message));
                }
            }
        }
        if heuristics.len() < least {
            let wanted = if least == 1 { "a heuristic" } else { "two heuristics" };
            let message = format!("`{}` needs {wanted}, as in {}", call.name, part.example);
            return Err(self.reader.error(call.at.clone(), message));
        }
        Ok(Given { call, heuristics })
    }

    pub(super) fn check_key(
        &self,
        key: &str,
        argument: &Argument<'_>,
        part: &Part,
    ) -> Result<(), StrategyError> {
        match part.parameters.iter().any(|parameter| parameter.name == key) {
            true => Ok(()),
            false => {
                let message = format!("`{}` has no parameter `{key}`{}", part.name, keys(part));
                Err(self.reader.error(argument.at.clone(), message))
            }
        }
    }

    fn only(
        &self,
        call: &Call<'_>,
        mut heuristics: Vec<HeuristicSpec>,
    ) -> Result<HeuristicSpec, StrategyError> {
        match (heuristics.pop(), heuristics.is_empty()) {
            (Some(heuristic), true) => Ok(heuristic),
            _ => {
                let message = format!(
                    "`{}` takes one heuristic; combine several as in max(hl, dl)",
                    call.name
                );
                Err(self.reader.error(call.at.clone(), message))
            }
        }
    }

    pub(super) fn number(
        &self,
        given: &Given<'_, '_>,
        key: &str,
    ) -> Result<Option<u32>, StrategyError> {
        let Some(argument) = given.argument(key) else { return Ok(None) };
        match argument.value {
            Value::Number(number) => Ok(Some(number)),
            Value::Call(_) => {
                let message = format!("`{key}` must be a number");
                Err(self.reader.error(argument.at.clone(), message))
            }
        }
    }

    pub(super) fn choice<T: Copy>(
        &self,
        given: &Given<'_, '_>,
        key: &str,
        choices: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<Option<T>, StrategyError> {
        let Some(argument) = given.argument(key) else { return Ok(None) };
        let chosen = match &argument.value {
            Value::Call(call) if call.arguments.is_empty() => {
                choices.iter().copied().find(|&choice| name(choice) == call.name)
            }
            _ => None,
        };
        let names: Vec<&str> = choices.iter().map(|&choice| name(choice)).collect();
        let wrong = || {
            let message = format!("`{key}` must be one of {}", names.join(", "));
            self.reader.error(argument.at.clone(), message)
        };
        chosen.map(Some).ok_or_else(wrong)
    }

    fn overestimating(&self, call: &Call<'_>, heuristic: &HeuristicSpec) -> StrategyError {
        let message = format!(
            "`{heuristic}` is not admissible, so A* cannot guarantee a shortest path; use \
             greedy({heuristic}) or wastar({heuristic})"
        );
        self.reader.error(call.at.clone(), message)
    }
}

impl<'c, 't> Given<'c, 't> {
    /// Whether an argument is a word.
    fn is_word(&self, key: &str, word: &str) -> bool {
        self.call.has_word(key, word)
    }

    /// The last argument with this key.
    pub(super) fn argument(&self, key: &str) -> Option<&'c Argument<'t>> {
        self.call.argument(key)
    }
}

/// The named parameters of `part`, for an error message.
fn keys(part: &Part) -> String {
    let named: Vec<&str> =
        part.parameters.iter().map(|parameter| parameter.name).filter(|n| !n.is_empty()).collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("; available: {}", named.join(", ")),
    }
}
