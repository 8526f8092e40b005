//! How to search, and what a search may use.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use zonaut_console::{default_memory_limit, parse_size};
use zonaut_engine::{
    Abstraction, Comparison, Resources, Strategy, SymmetryWish, TraceWish, VerifyOptions,
};

/// How to search, and what a search may use.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArguments {
    /// How to search: auto, bfs, dfs, rdfs, or with a guide, as in `astar(hl)` or `greedy(hu)`; see
    /// `zonaut strategies`.
    #[arg(long, visible_alias = "search", value_name = "SPEC", default_value = "auto")]
    strategy: Strategy,
    /// The seed of random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// The abstraction of zones; without it, the best that is sound, and `lu+` where the store is
    /// exact or by inclusion, as the zones of `alu` are finitely many by simulation only.
    #[arg(long, value_parser = abstraction())]
    abstraction: Option<Abstraction>,
    /// How stored states are compared; without it, the coarsest way that is sound.
    #[arg(long, value_enum)]
    store: Option<ComparisonName>,
    /// Explore states that differ by a permutation of a scalar set each.
    #[arg(long)]
    no_symmetry: bool,
    /// Keep pattern databases in this folder, and use those that are there.
    #[arg(long, value_name = "FOLDER")]
    databases: Option<PathBuf>,
    /// Stop after so many seconds for each query, evidence and its check included.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Stop when states and guides need so much memory, as in 512M or 4G; without it, 80 % of what
    /// there is.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Stop after so many explored states.
    #[arg(long, value_name = "COUNT")]
    states: Option<usize>,
}

/// Reads the name of an abstraction.
fn abstraction() -> impl TypedValueParser<Value = Abstraction> {
    let described = Abstraction::ALL.map(|abstraction| {
        PossibleValue::new(abstraction.name()).help(abstraction.properties().meaning)
    });
    let named = |name: String| Abstraction::named(&name).ok_or("no abstraction has this name");
    PossibleValuesParser::new(described).try_map(named)
}

/// The name of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ComparisonName {
    /// Only equal states are merged.
    Exact,
    /// Larger zones cover smaller ones.
    Inclusion,
    /// Zones cover those that they simulate.
    Simulation,
}

/// The name of a wish for a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum TraceName {
    /// No trace.
    #[default]
    None,
    /// The one that the search finds.
    Some,
    /// One with the fewest transitions.
    Shortest,
    /// One that takes the least time, or little more where that is only approached.
    Fastest,
}

impl TraceName {
    /// The trace to look for, where the run is drawn whether or not it is printed.
    pub(crate) fn at_least(self, is_drawn: bool) -> Self {
        if is_drawn && self == Self::None { Self::Some } else { self }
    }
}

impl SearchArguments {
    /// The options for a search that gives this trace.
    pub(crate) fn options(&self, trace: TraceName) -> VerifyOptions {
        let memory = self.memory.or_else(default_memory_limit);
        VerifyOptions {
            strategy: self.strategy.clone(),
            seed: self.seed,
            abstraction: self.abstraction,
            comparison: self.store.map(|name| match name {
                ComparisonName::Exact => Comparison::Equality,
                ComparisonName::Inclusion => Comparison::Inclusion,
                ComparisonName::Simulation => Comparison::Simulation,
            }),
            symmetry: match self.no_symmetry {
                true => SymmetryWish::Ignore,
                false => SymmetryWish::Use,
            },
            trace: match trace {
                TraceName::None => TraceWish::None,
                TraceName::Some | TraceName::Fastest => TraceWish::Some,
                TraceName::Shortest => TraceWish::Shortest,
            },
            resources: Resources {
                time: self.time,
                memory: memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
                states: self.states,
                ..Resources::default()
            },
            databases: self.databases.clone(),
            explain: false,
        }
    }
}

/// A number of seconds, with or without a fraction.
pub(crate) fn seconds(word: &str) -> Result<Duration, String> {
    let wrong = || format!("`{word}` is not a number of seconds");
    let number: f64 = word.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_with_or_without_a_fraction() {
        assert_eq!(seconds("20"), Ok(Duration::from_secs(20)));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for wrong in ["", "-1", "1m", "nan", "inf", "1e99"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
