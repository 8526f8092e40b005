//! The features of the language and their support: the only list of supported features.

use Support::{Answered, Ignored, Refused};
use serde::{Serialize, Serializer};

/// The support of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// Answers respect the feature.
    Answered,
    /// The feature is parsed and has no influence on answers, with the reason why that is sound.
    Ignored(&'static str),
    /// Queries that need the feature are rejected, with the advice what to do instead.
    Refused(&'static str),
}

macro_rules! features {
    ($($variant:ident = $name:literal, $meaning:literal, $support:expr;)*) => {
        /// A feature of the language that some analyses treat specially or not at all.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Feature { $(#[doc = $meaning] $variant,)* }

        impl Feature {
            /// All features, in the order of reports.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its meaning in one sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// The support of the feature. This is the only list: queries are rejected by it, and
            /// documents show it.
            #[must_use]
            pub fn support(self) -> Support {
                match self { $(Self::$variant => $support,)* }
            }
        }
    };
}

features! {
    Reachability = "reachability", "The query asks whether a state is reachable.", Answered;
    Safety = "safety", "The query asks whether all reachable states satisfy a formula.", Answered;
    Liveness = "liveness", "The query is about maximal runs.", Answered;
    Extrema = "extrema", "The query asks for the infimum or supremum of an expression.", Answered;
    Until = "until queries", "The query asks whether one condition holds until another does.",
        Refused("record in a variable that the second condition has held, and ask `A[]`");
    Statistical = "statistical queries", "The query asks for probabilities or samples of runs.",
        Answered;
    Mitl = "MITL queries", "The query asks for the probability of a formula of metric temporal logic.",
        Refused("ask `Pr[<=T] (<> p)`, `Pr[<=T] ([] p)` or `Pr[<=T] (p U q)`");
    Games = "game queries", "The query asks for a winning strategy against the environment.",
        Refused("model a strategy as a process, and check whether it wins");
    Strategies = "strategy queries", "The query learns, stores or uses a strategy.",
        Refused("model the strategy as a process of the network");
    Refinement = "refinement queries", "The query compares specifications.",
        Refused("model the specification as an observer, and check whether it can be violated");
    SequenceCharts = "sequence chart queries", "The query asks whether a chart is satisfied.",
        Refused("model the chart as an observer, and check whether it can be violated");
    FloatingPoint = "floating point",
        "The query, a condition, an integer or a clock depends on floating-point numbers.",
        Refused("use integers, in a smaller unit, or ask a statistical query");
    RandomNumbers = "random numbers", "A condition, an integer or a clock is drawn at random.",
        Refused("choose the number with `select`, or ask a statistical query");
    ExternalFunctions = "external functions", "A function of a library is called.",
        Refused("write the function in the model");
    DynamicTemplates = "dynamic templates", "Processes are spawned at run time.",
        Refused("declare the maximal number of processes, each with an edge that starts it");
    ClockRates = "clock rates other than 0 and 1", "Clocks have rates other than 0 and 1.",
        Refused("declare the clock `hybrid` if only doubles depend on it, or ask a statistical query");
    Unsupported = "queries of other kinds", "The query is of an unknown kind.",
        Refused("ask `E<>` or `A[]`");
    Deadlock = "deadlock", "The query mentions deadlocks.", Answered;
    ClockConstraints = "clock constraints", "The query has clock constraints.", Answered;
    ClockDifferences = "clock differences", "Differences of clocks are compared.", Answered;
    BroadcastChannels = "broadcast channels", "A synchronisation reaches every enabled receiver.",
        Answered;
    GuardedBroadcast = "clock guards on broadcast receivers",
        "The set of receivers depends on clocks.",
        Answered;
    UrgentChannels = "urgent channels", "Time stops while a synchronisation is enabled.", Answered;
    GuardedUrgency = "clock guards on urgent channels", "Urgency depends on clocks.",
        Answered;
    UrgentLocations = "urgent locations", "Time does not pass in some locations.", Answered;
    CommittedLocations = "committed locations", "Some locations must be left at once.", Answered;
    Select = "select", "Edges choose values non-deterministically.", Answered;
    Functions = "functions", "Expressions call functions.", Answered;
    Quantifiers = "quantifiers", "Expressions range over the values of a type.", Answered;
    ScalarSets = "scalar sets", "Processes or data are symmetric by declaration.", Answered;
    MetaVariables = "meta variables", "Some variables are not part of the state.", Answered;
    UpdateHooks = "before and after update", "Every transition executes additional updates.",
        Answered;
    VariableBounds = "run-time clock bounds", "Clocks are compared with values of variables.",
        Answered;
    ClockValues = "clocks set to values", "Clocks are set to values other than zero.", Answered;
    ClockCopies = "clock copies", "Clocks are set to the values of other clocks.", Answered;
    LowerInvariants = "lower bounds in invariants",
        "A location can only be entered once a lower bound holds.",
        Answered;
    Priorities = "priorities", "Transitions have priorities.", Answered;
    Rates = "stopwatches", "Clocks are stopped in some locations.", Answered;
    Costs = "costs", "Locations have cost rates, or edges have costs.",
        Ignored("costs do not affect the behaviour");
    ExponentialRates = "exponential rates",
        "The sojourn time of a location is exponentially distributed.",
        Ignored("only statistical queries depend on probabilities");
    Weights = "probabilistic branches", "Branches of an edge are chosen by probabilities.",
        Ignored("only statistical queries depend on probabilities");
    Game = "uncontrollable edges", "Some edges belong to the environment.",
        Ignored("supported queries do not distinguish players");
}

impl Feature {
    /// Whether queries that need it are rejected.
    #[must_use]
    pub fn is_refused(self) -> bool {
        matches!(self.support(), Refused(_))
    }

    /// The supported features in three lines, as the README shows them.
    #[must_use]
    pub fn overview() -> String {
        let named = |fits: fn(Support) -> bool| {
            let features = Self::ALL.iter().filter(|feature| fits(feature.support()));
            features.map(|feature| feature.name()).collect::<Vec<_>>().join(", ")
        };
        format!(
            "| support | features |\n|---|---|\n| supported | {} |\n\
             | accepted, without effect on verdicts | {} |\n\
             | not supported, rejected by name | {} |\n",
            named(|support| support == Answered),
            named(|support| matches!(support, Ignored(_))),
            named(|support| matches!(support, Refused(_))),
        )
    }

    /// The table of all features, as the documents show it.
    #[must_use]
    pub fn table() -> String {
        let mut table = "| feature | support | note |\n|---|---|---|\n".to_owned();
        for feature in Self::ALL {
            let (answers, why) = match feature.support() {
                Answered => ("supported", ""),
                Ignored(why) => ("no effect on verdicts", why),
                Refused(instead) => ("not supported", instead),
            };
            table += &format!("| {} | {answers} | {why} |\n", feature.name());
        }
        table
    }
}

impl Serialize for Feature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_every_refusal_has_advice() {
        let names: BTreeSet<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        assert_eq!(names.len(), Feature::ALL.len());
        for feature in Feature::ALL {
            match feature.support() {
                Answered => {}
                Ignored(why) | Refused(why) => assert!(!why.is_empty()),
            }
        }
    }
}
