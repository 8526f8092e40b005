//! Options of searches: strategy, abstraction, limits.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;
use zonaut_console::parse_size;
use zonaut_engine::{
    Abstraction, Comparison, DelayChoice, Order, Resources, Strategy, SymmetryWish, TraceWish,
    VerifyOptions, default_memory_limit, is_asynchronous,
};

/// The search strategy and its limits.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArguments {
    /// The search strategy: auto, bfs, dfs, rdfs, or with a heuristic, as in `astar(hl)` or
    /// `greedy(hu)`; see `zonaut strategies`.
    #[arg(long, visible_alias = "search", value_name = "SPEC", default_value = "auto")]
    strategy: Strategy,
    /// The seed of random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// The abstraction of zones; by default the coarsest sound one.
    ///
    /// With `--store exact` or `--store inclusion` it is `lu+` by default, because `alu` is finite
    /// only with simulation.
    #[arg(long, value_parser = abstraction())]
    abstraction: Option<Abstraction>,
    /// How stored states are compared; by default the coarsest sound comparison.
    #[arg(long, value_enum)]
    store: Option<ComparisonName>,
    /// Disable symmetry reduction over scalar sets.
    #[arg(long)]
    no_symmetry: bool,
    /// Store pattern databases in this folder, and reuse stored ones.
    #[arg(long, value_name = "FOLDER")]
    databases: Option<PathBuf>,
    /// Stop after this many seconds for each query, certification included.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Stop when states and heuristics need this much memory, as in 512M or 4G; by default 80 % of
    /// the available memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Stop after this many explored states.
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
    /// Merge equal states only.
    Exact,
    /// A zone covers the zones that it includes.
    Inclusion,
    /// A zone covers the zones that it simulates.
    Simulation,
}

/// The name of a wish for a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum TraceName {
    /// No trace.
    #[default]
    None,
    /// The trace that the search finds.
    Some,
    /// A trace with the fewest transitions.
    Shortest,
    /// A trace of minimum duration, or slightly longer where the infimum is not attained.
    Fastest,
}

/// The name of a choice of delays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum DelaysName {
    /// Every transition as early as possible: the run is as short as its path allows.
    #[default]
    Earliest,
    /// As far from the bounds of guards and invariants as possible.
    Lenient,
}

impl From<DelaysName> for DelayChoice {
    fn from(name: DelaysName) -> Self {
        match name {
            DelaysName::Earliest => Self::Earliest,
            DelaysName::Lenient => Self::Lenient,
        }
    }
}

impl TraceName {
    /// The trace to look for, where the run is drawn whether or not it is printed.
    pub(crate) fn at_least(self, is_drawn: bool) -> Self {
        if is_drawn && self == Self::None { Self::Some } else { self }
    }
}

impl SearchArguments {
    /// Whether several threads explore in layers.
    pub(crate) fn explores_in_layers(&self) -> bool {
        matches!(self.strategy, Strategy::Blind(Order::BreadthFirst) | Strategy::Auto { .. })
    }

    /// Whether the strategy uses several threads.
    pub(crate) fn uses_threads(&self) -> bool {
        self.explores_in_layers() || is_asynchronous(&self.strategy)
    }

    /// The number of threads by default: two for a portfolio if the machine has them, with which it
    /// gives the same answers on every machine.
    pub(crate) fn default_threads(&self) -> Option<NonZeroUsize> {
        let is_portfolio = matches!(self.strategy, Strategy::Auto { .. });
        let available = available_parallelism().ok().filter(|_| is_portfolio)?;
        Some(available.min(NonZeroUsize::MIN.saturating_add(1)))
    }

    /// The options for a search that gives this trace.
    pub(crate) fn options(&self, trace: TraceName) -> VerifyOptions {
        let memory = self.memory.or_else(default_memory_limit);
        VerifyOptions {
            strategy: self.strategy.clone(),
            seed: self.seed,
            threads: None,
            sampling: zonaut_engine::SamplingOptions::default(),
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
            distribution: None,
            spill: None,
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
