//! Descriptions of heuristics.

use std::fmt;

/// The precision of the abstraction beyond locations and values.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Precision {
    /// Distinguishes the values that clocks can have at the current locations.
    pub clocks: bool,
    /// Distinguishes the values that variables can have at the source location of an edge.
    pub values: bool,
}

/// The treatment of processes that no other process influences.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Inputs {
    /// Kept only if the goal refers to them.
    #[default]
    Dropped,
    /// Kept if they move on the relaxed path.
    Kept,
    /// Kept if they move on the direct part of the relaxed path, without steps that are needed only
    /// by the right sides of assignments; the same for all other processes: the paper's footnote 7.
    Direct,
}

/// The description of a heuristic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HeuristicSpec {
    /// The blind heuristic: 0 for every state.
    Blind,
    /// The number of conditions of the goal that do not hold.
    Hamming,
    /// The maximum of the graph distances of the processes.
    GreatestDistance,
    /// The sum of the graph distances of the processes.
    SumOfDistances,
    /// The lower bound of the monotonicity abstraction.
    Lower {
        /// The number of cached estimates.
        cache: u32,
        /// The precision of the abstraction beyond locations and values.
        precision: Precision,
    },
    /// The upper bound of the monotonicity abstraction.
    Upper {
        /// The number of cached estimates.
        cache: u32,
    },
    /// A pattern database.
    Pattern(PatternSpec),
    /// A predicate abstraction.
    Predicates(PredicateSpec),
    /// The product of all automata, with merged locations.
    Merged(MergeSpec),
    /// The maximum of some estimates.
    Max(Vec<HeuristicSpec>),
    /// The sum of some estimates.
    Sum(Vec<HeuristicSpec>),
    /// The sum of some estimates with cost partitioning.
    Shared(Vec<HeuristicSpec>),
    /// A multiple of an estimate.
    Weighted(Box<HeuristicSpec>, u32),
}

/// A pattern database: the symbols it keeps, and the limits of its construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternSpec {
    /// The selection of the symbols that are kept.
    pub selector: Selector,
    /// The number of states at which the construction stops.
    pub states: u32,
    /// The number of seconds after which the construction stops.
    pub seconds: Option<u32>,
    /// The number of megabytes at which the construction stops.
    pub megabytes: Option<u32>,
}

impl PatternSpec {
    /// The description without limits.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { states: u32::MAX, seconds: None, megabytes: None, ..self.clone() }
    }

    /// The default number of states at which the construction stops. An abstract model can have
    /// more states than the original, because dropped symbols no longer constrain it.
    pub const DEFAULT_STATES: u32 = 50_000;
}

/// The selection of the symbols that a pattern database keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selector {
    /// The symbols of one abstract error path.
    ErrorPath {
        /// The treatment of processes that no other process influences.
        inputs: Inputs,
    },
    /// The symbols that may influence the goal within a number of layers.
    Cone {
        /// The number of layers.
        layers: u32,
    },
    /// The symbols that may influence the goal within as many layers as the limits admit.
    Deepening,
}

/// A predicate abstraction: the partition of the model, and the limits of its construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PredicateSpec {
    /// The maximum number of processes of a part; `None` for one part with all processes.
    pub split: Option<u32>,
    /// The combination of the distances of parts.
    pub sum: PartSum,
    /// The source of the predicates.
    pub refine: Refinement,
    /// The abstract paths from which predicates are learnt.
    pub paths: RefutedPaths,
    /// The predicates that are learnt from a refuted path.
    pub learn: Lesson,
    /// The number of transitions around the goal within which the predicates of the text are used
    /// besides learnt ones.
    pub perimeter: u32,
    /// The number of abstract states around the goal that include all processes, if the model is
    /// split and the predicates are those of the text.
    pub near: u32,
    /// The number of abstract states at which the construction of a part stops.
    pub states: u32,
    /// The number of seconds after which the construction stops.
    pub seconds: Option<u32>,
    /// The number of megabytes at which the construction of a part stops.
    pub megabytes: Option<u32>,
}

/// The combination of the distances of parts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PartSum {
    /// They are added, so that two parts may count one transition.
    #[default]
    Added,
    /// They are added with cost partitioning.
    Shared,
}

/// The source of the predicates of an abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Refinement {
    /// The text of the model.
    #[default]
    None,
    /// Refinement by spurious abstract paths, with this maximum number of rounds.
    AtMost(u32),
    /// Refinement by spurious abstract paths, as long as they become longer.
    WhileGrowing,
}

/// The spurious abstract paths from which predicates are learnt in a round.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RefutedPaths {
    /// One shortest path.
    One,
    /// All shortest paths.
    All,
    /// The largest set of shortest paths that the same predicates refute.
    #[default]
    Most,
}

/// The predicates that are learnt from a spurious abstract path.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lesson {
    /// The conditions that the step at which it becomes infeasible needs, and those before.
    #[default]
    Needed,
    /// The guards that do not hold on it.
    Guards,
}

/// Merged automata: the parameters and limits of merging.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeSpec {
    /// The maximum number of locations that an automaton keeps.
    pub locations: u32,
    /// The number of variables that are automata of their own.
    pub variables: u32,
    /// The number of states, of all automata together, at which merging stops.
    pub states: u32,
    /// The number of seconds after which merging stops.
    pub seconds: Option<u32>,
    /// The number of megabytes at which merging stops.
    pub megabytes: Option<u32>,
}

impl MergeSpec {
    /// The default number of locations that an automaton keeps.
    pub const DEFAULT_LOCATIONS: u32 = 50;
    /// The default number of variables that are automata of their own.
    pub const DEFAULT_VARIABLES: u32 = 5;
    /// The greatest accepted number of locations that an automaton keeps.
    pub const MOST_LOCATIONS: u32 = 2_000;
    /// The default number of states at which merging stops.
    pub const DEFAULT_STATES: u32 = 1_000_000;

    /// The description without limits.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { states: u32::MAX, seconds: None, megabytes: None, ..self.clone() }
    }
}

impl PredicateSpec {
    /// The description without limits.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { states: u32::MAX, seconds: None, megabytes: None, ..self.clone() }
    }

    /// The default maximum number of processes of a part.
    pub const DEFAULT_SPLIT: u32 = 2;
    /// The default perimeter.
    pub const DEFAULT_PERIMETER: u32 = 3;
    /// The default number of abstract states around the goal that include all processes.
    pub const DEFAULT_NEAR: u32 = 200;
    /// The default number of abstract states at which the construction of a part stops.
    pub const DEFAULT_STATES: u32 = 20_000;

    /// Whether it is admissible.
    #[must_use]
    pub fn is_admissible(&self) -> bool {
        self.split.is_none() || self.sum == PartSum::Shared
    }
}

/// The heuristics without parameters.
const PLAIN: [HeuristicSpec; 4] = [
    HeuristicSpec::Blind,
    HeuristicSpec::Hamming,
    HeuristicSpec::GreatestDistance,
    HeuristicSpec::SumOfDistances,
];

impl HeuristicSpec {
    /// The heuristic without parameters that is displayed as `name`.
    pub(super) fn plain(name: &str) -> Option<Self> {
        PLAIN.into_iter().find(|plain| plain.to_string() == name)
    }

    /// The default number of cached estimates.
    pub const DEFAULT_CACHE: u32 = 1 << 18;

    /// Whether it supports weights of transitions, as cost partitioning requires.
    pub(super) fn is_shareable(&self) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.selector != Selector::Deepening,
            Self::Lower { precision, .. } => *precision == Precision::default(),
            _ => false,
        }
    }

    /// Whether it is admissible, by its entry in the catalogue: `max` is if its parts are.
    #[must_use]
    pub fn is_admissible(&self) -> bool {
        match self {
            Self::Blind | Self::GreatestDistance | Self::Lower { .. } | Self::Pattern(_) => true,
            Self::Merged(_) => true,
            Self::Predicates(predicates) => predicates.is_admissible(),
            Self::Hamming | Self::SumOfDistances | Self::Upper { .. } => false,
            Self::Max(parts) => parts.iter().all(Self::is_admissible),
            Self::Shared(_) => true,
            Self::Sum(_) | Self::Weighted(..) => false,
        }
    }
}

impl fmt::Display for HeuristicSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blind => f.write_str("blind"),
            Self::Hamming => f.write_str("hamming"),
            Self::GreatestDistance => f.write_str("dl"),
            Self::SumOfDistances => f.write_str("du"),
            Self::Lower { cache, precision } => write_relaxed(f, "hl", *cache, *precision),
            Self::Upper { cache } => write_relaxed(f, "hu", *cache, Precision::default()),
            Self::Pattern(pattern) => pattern.fmt(f),
            Self::Predicates(predicates) => predicates.fmt(f),
            Self::Merged(merge) => merge.fmt(f),
            Self::Max(parts) => write_combined(f, "max", parts),
            Self::Sum(parts) => write_combined(f, "sum", parts),
            Self::Shared(parts) => {
                f.write_str("sum(")?;
                write_list(f, parts)?;
                write!(f, ", partition={SHARED})")
            }
            Self::Weighted(part, weight) => write!(f, "weighted({part}, weight={weight})"),
        }
    }
}

impl fmt::Display for PatternSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.selector {
            Selector::ErrorPath { .. } => "rd",
            Selector::Cone { .. } | Selector::Deepening => "cone",
        })?;
        let named = [
            ("states", Some(self.states).filter(|&states| states != Self::DEFAULT_STATES)),
            ("seconds", self.seconds),
            ("memory", self.megabytes),
        ];
        let mut named_parameters = named_parameters(&named);
        match self.selector {
            Selector::ErrorPath { inputs } if inputs == Inputs::default() => {}
            Selector::ErrorPath { inputs } => {
                named_parameters.insert(0, format!("inputs={}", inputs_name(inputs)));
            }
            Selector::Cone { layers } => named_parameters.insert(0, format!("d={layers}")),
            Selector::Deepening => named_parameters.insert(0, format!("d={AUTO}")),
        }
        write_named(f, &named_parameters)
    }
}

impl fmt::Display for MergeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unusual = |value: u32, usual: u32| Some(value).filter(|&value| value != usual);
        let named = [
            ("n", unusual(self.locations, Self::DEFAULT_LOCATIONS)),
            ("variables", unusual(self.variables, Self::DEFAULT_VARIABLES)),
            ("states", unusual(self.states, Self::DEFAULT_STATES)),
            ("seconds", self.seconds),
            ("memory", self.megabytes),
        ];
        f.write_str("merge")?;
        write_named(f, &named_parameters(&named))
    }
}

impl fmt::Display for PredicateSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            ("states", Some(self.states).filter(|&states| states != Self::DEFAULT_STATES)),
            ("seconds", self.seconds),
            ("memory", self.megabytes),
        ];
        let mut named_parameters = named_parameters(&named);
        if self.near != Self::DEFAULT_NEAR {
            named_parameters.insert(0, format!("near={}", self.near));
        }
        if self.perimeter != Self::DEFAULT_PERIMETER {
            named_parameters.insert(0, format!("perimeter={}", self.perimeter));
        }
        if self.learn != Lesson::default() {
            named_parameters.insert(0, format!("learn={}", lesson_name(self.learn)));
        }
        if self.paths != RefutedPaths::default() {
            named_parameters.insert(0, format!("ways={}", paths_name(self.paths)));
        }
        match self.refine {
            Refinement::None => {}
            Refinement::AtMost(rounds) => named_parameters.insert(0, format!("refine={rounds}")),
            Refinement::WhileGrowing => named_parameters.insert(0, format!("refine={AUTO}")),
        }
        if self.sum != PartSum::default() {
            named_parameters.insert(0, format!("sum={}", sum_name(self.sum)));
        }
        match self.split {
            None => named_parameters.insert(0, format!("split={ALL}")),
            Some(Self::DEFAULT_SPLIT) => {}
            Some(split) => named_parameters.insert(0, format!("split={split}")),
        }
        f.write_str("pa")?;
        write_named(f, &named_parameters)
    }
}

/// The parameters with a value, as `name=value`.
fn named_parameters(named: &[(&str, Option<u32>)]) -> Vec<String> {
    let all = named.iter();
    all.filter_map(|(name, value)| value.map(|value| format!("{name}={value}"))).collect()
}

fn write_named(f: &mut fmt::Formatter<'_>, named_parameters: &[String]) -> fmt::Result {
    if named_parameters.is_empty() {
        Ok(())
    } else {
        write!(f, "({})", named_parameters.join(", "))
    }
}

/// The word for refinement as long as paths grow, and for as many layers as the limits admit.
pub(super) const AUTO: &str = "auto";

/// The word for one part with all processes.
pub(super) const ALL: &str = "all";

/// The words for sums with cost partitioning, and without.
pub(super) const SHARED: &str = "shared";
pub(super) const OFF: &str = "off";

/// The combinations of the distances of parts.
pub(super) const SUMS: [PartSum; 2] = [PartSum::Added, PartSum::Shared];

pub(super) fn sum_name(sum: PartSum) -> &'static str {
    match sum {
        PartSum::Added => "added",
        PartSum::Shared => SHARED,
    }
}

/// The selections of spurious paths from which predicates are learnt.
pub(super) const PATHS: [RefutedPaths; 3] =
    [RefutedPaths::One, RefutedPaths::All, RefutedPaths::Most];

pub(super) fn paths_name(paths: RefutedPaths) -> &'static str {
    match paths {
        RefutedPaths::One => "one",
        RefutedPaths::All => "all",
        RefutedPaths::Most => "most",
    }
}

/// The predicates that can be learnt from a path.
pub(super) const LESSONS: [Lesson; 2] = [Lesson::Needed, Lesson::Guards];

pub(super) fn lesson_name(lesson: Lesson) -> &'static str {
    match lesson {
        Lesson::Needed => "needed",
        Lesson::Guards => "guards",
    }
}

/// The treatments of inputs by error path patterns.
pub(super) const INPUTS: [Inputs; 3] = [Inputs::Dropped, Inputs::Kept, Inputs::Direct];

pub(super) fn inputs_name(inputs: Inputs) -> &'static str {
    match inputs {
        Inputs::Dropped => "dropped",
        Inputs::Kept => "kept",
        Inputs::Direct => "direct",
    }
}

/// The words for a precision by location, and for no precision.
pub(super) const LOCATION: &str = "location";
pub(super) const IGNORED: &str = "ignored";

fn write_relaxed(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    cache: u32,
    precision: Precision,
) -> fmt::Result {
    let mut named_parameters = Vec::new();
    if precision.clocks {
        named_parameters.push(format!("clocks={LOCATION}"));
    }
    if precision.values {
        named_parameters.push(format!("values={LOCATION}"));
    }
    if cache != HeuristicSpec::DEFAULT_CACHE {
        named_parameters.push(format!("cache={cache}"));
    }
    f.write_str(name)?;
    write_named(f, &named_parameters)
}

fn write_combined(f: &mut fmt::Formatter<'_>, name: &str, parts: &[HeuristicSpec]) -> fmt::Result {
    write!(f, "{name}(")?;
    write_list(f, parts)?;
    f.write_str(")")
}

/// The heuristics, separated by commas.
pub(super) fn write_list(f: &mut fmt::Formatter<'_>, heuristics: &[HeuristicSpec]) -> fmt::Result {
    for (index, heuristic) in heuristics.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{heuristic}")?;
    }
    Ok(())
}
