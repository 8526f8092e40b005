//! Guides, as data.

use std::fmt;
use zonaut_heuristics::Sight;
use zonaut_pdb::Inputs;

/// What tells a search how far the goal is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guide {
    /// Nothing.
    Blind,
    /// The number of conditions of the goal that do not hold.
    Hamming,
    /// The greatest of the graph distances in the processes.
    GreatestDistance,
    /// The sum of the graph distances in the processes.
    SumOfDistances,
    /// The lower bound of the monotonicity abstraction.
    Lower {
        /// The number of values that are remembered.
        cache: u32,
        /// What is told apart besides locations and values.
        sight: Sight,
    },
    /// The upper bound of the monotonicity abstraction.
    Upper {
        /// The number of values that are remembered.
        cache: u32,
    },
    /// A pattern database.
    Pattern(PatternGuide),
    /// A predicate abstraction.
    Predicates(PredicateGuide),
    /// The product of all automata, with merged locations.
    Merged(MergeGuide),
    /// The greatest of some estimates.
    Max(Vec<Guide>),
    /// The sum of some estimates.
    Sum(Vec<Guide>),
    /// The sum of some estimates that share what transitions count.
    Shared(Vec<Guide>),
    /// A multiple of an estimate.
    Weighted(Box<Guide>, u32),
}

/// A pattern database: what it keeps of the model, and what building it may cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternGuide {
    /// What is kept.
    pub selector: Selector,
    /// The number of states at which building stops.
    pub states: u32,
    /// The seconds after which building stops.
    pub seconds: Option<u32>,
    /// The megabytes at which building stops.
    pub megabytes: Option<u32>,
}

impl PatternGuide {
    /// The same without limits.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { states: u32::MAX, seconds: None, megabytes: None, ..self.clone() }
    }

    /// The number of states at which building stops where nothing else is said. A part of a model
    /// can have more states than the model, because what is left out no longer restrains it.
    pub const DEFAULT_STATES: u32 = 50_000;
}

/// Which part of a model a pattern database keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selector {
    /// What one abstract error path touches.
    RussianDoll {
        /// Whether processes that nothing else influences are kept.
        inputs: Inputs,
    },
    /// What may influence the goal in so many steps.
    Cone {
        /// The number of layers.
        layers: u32,
    },
    /// What may influence the goal in as many steps as there is room for.
    Deepening,
}

/// A predicate abstraction: how the model is cut, and what building it may cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PredicateGuide {
    /// The most processes of a part; all are in one part where it is absent.
    pub split: Option<u32>,
    /// How distances of parts become one.
    pub sum: PartSum,
    /// How the predicates are found.
    pub refine: Refinement,
    /// From which ways predicates are learnt.
    pub ways: RefutedWays,
    /// What is learnt from a way.
    pub learn: Lesson,
    /// So many transitions around the goal, the predicates of the text count beside learnt ones.
    pub perimeter: u32,
    /// So many abstract states around the goal know all processes, where the model is split and the
    /// predicates are those of the text.
    pub near: u32,
    /// The number of abstract states at which building a part stops.
    pub states: u32,
    /// The seconds after which building stops.
    pub seconds: Option<u32>,
    /// The megabytes at which building a part stops.
    pub megabytes: Option<u32>,
}

/// How the distances of parts become one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PartSum {
    /// They are added, so that two parts may count one transition.
    #[default]
    Added,
    /// They share what a transition counts.
    Shared,
}

/// How the predicates of an abstraction are found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Refinement {
    /// In the text.
    #[default]
    None,
    /// By abstract ways that cannot be taken, so many times at most.
    AtMost(u32),
    /// By abstract ways that cannot be taken, as long as they become longer.
    WhileGrowing,
}

/// From which abstract ways predicates are learnt in a round.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RefutedWays {
    /// From a shortest one.
    One,
    /// From all shortest ones.
    All,
    /// From those of the shortest ones that the same predicates refute, if they are the most.
    #[default]
    Most,
}

/// What is learnt from an abstract way that cannot be taken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lesson {
    /// What is needed where it gets stuck, and before.
    #[default]
    Needed,
    /// The guards that do not hold on it.
    Guards,
}

/// Merged automata: how far, and what merging may cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeGuide {
    /// The most locations that an automaton keeps.
    pub locations: u32,
    /// How many variables are automata of their own.
    pub variables: u32,
    /// The number of states, of all automata together, at which merging stops.
    pub states: u32,
    /// The seconds after which merging stops.
    pub seconds: Option<u32>,
    /// The megabytes at which merging stops.
    pub megabytes: Option<u32>,
}

impl MergeGuide {
    /// The number of locations that an automaton keeps where nothing else is said.
    pub const DEFAULT_LOCATIONS: u32 = 50;
    /// The number of variables that are automata of their own where nothing else is said.
    pub const DEFAULT_VARIABLES: u32 = 5;
    /// The most locations that an automaton can be told to keep.
    pub const MOST_LOCATIONS: u32 = 2_000;
    /// The number of states at which merging stops where nothing else is said.
    pub const DEFAULT_STATES: u32 = 1_000_000;

    /// The same without limits.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { states: u32::MAX, seconds: None, megabytes: None, ..self.clone() }
    }
}

impl PredicateGuide {
    /// The same without limits.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { states: u32::MAX, seconds: None, megabytes: None, ..self.clone() }
    }

    /// The most processes of a part where nothing else is said.
    pub const DEFAULT_SPLIT: u32 = 2;
    /// The perimeter where nothing else is said.
    pub const DEFAULT_PERIMETER: u32 = 3;
    /// The number of abstract states around the goal that know all processes where nothing else is
    /// said.
    pub const DEFAULT_NEAR: u32 = 200;
    /// The number of abstract states at which building a part stops where nothing else is said.
    pub const DEFAULT_STATES: u32 = 20_000;

    /// Whether its estimates never exceed the true distance.
    #[must_use]
    pub fn is_admissible(&self) -> bool {
        self.split.is_none() || self.sum == PartSum::Shared
    }
}

impl Guide {
    /// The number of remembered values where nothing else is said.
    pub const DEFAULT_CACHE: u32 = 1 << 18;

    /// Whether it can estimate what a share of every transition counts.
    pub(super) fn is_shareable(&self) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.selector != Selector::Deepening,
            Self::Lower { sight, .. } => *sight == Sight::default(),
            _ => false,
        }
    }

    /// Whether its estimates never exceed the true distance, by its place in the catalogue: `max`
    /// keeps what its parts have.
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

impl fmt::Display for Guide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blind => f.write_str("blind"),
            Self::Hamming => f.write_str("hamming"),
            Self::GreatestDistance => f.write_str("dl"),
            Self::SumOfDistances => f.write_str("du"),
            Self::Lower { cache, sight } => write_relaxed(f, "hl", *cache, *sight),
            Self::Upper { cache } => write_relaxed(f, "hu", *cache, Sight::default()),
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

impl fmt::Display for PatternGuide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.selector {
            Selector::RussianDoll { .. } => "rd",
            Selector::Cone { .. } | Selector::Deepening => "cone",
        })?;
        let named = [
            ("states", Some(self.states).filter(|&states| states != Self::DEFAULT_STATES)),
            ("seconds", self.seconds),
            ("memory", self.megabytes),
        ];
        let mut said = said(&named);
        match self.selector {
            Selector::RussianDoll { inputs } if inputs == Inputs::default() => {}
            Selector::RussianDoll { inputs } => {
                said.insert(0, format!("inputs={}", inputs_name(inputs)));
            }
            Selector::Cone { layers } => said.insert(0, format!("d={layers}")),
            Selector::Deepening => said.insert(0, format!("d={AUTO}")),
        }
        write_named(f, &said)
    }
}

impl fmt::Display for MergeGuide {
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
        write_named(f, &said(&named))
    }
}

impl fmt::Display for PredicateGuide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            ("states", Some(self.states).filter(|&states| states != Self::DEFAULT_STATES)),
            ("seconds", self.seconds),
            ("memory", self.megabytes),
        ];
        let mut said = said(&named);
        if self.near != Self::DEFAULT_NEAR {
            said.insert(0, format!("near={}", self.near));
        }
        if self.perimeter != Self::DEFAULT_PERIMETER {
            said.insert(0, format!("perimeter={}", self.perimeter));
        }
        if self.learn != Lesson::default() {
            said.insert(0, format!("learn={}", lesson_name(self.learn)));
        }
        if self.ways != RefutedWays::default() {
            said.insert(0, format!("ways={}", ways_name(self.ways)));
        }
        match self.refine {
            Refinement::None => {}
            Refinement::AtMost(rounds) => said.insert(0, format!("refine={rounds}")),
            Refinement::WhileGrowing => said.insert(0, format!("refine={AUTO}")),
        }
        if self.sum != PartSum::default() {
            said.insert(0, format!("sum={}", sum_name(self.sum)));
        }
        match self.split {
            None => said.insert(0, format!("split={ALL}")),
            Some(Self::DEFAULT_SPLIT) => {}
            Some(split) => said.insert(0, format!("split={split}")),
        }
        f.write_str("pa")?;
        write_named(f, &said)
    }
}

/// The parameters that are said.
fn said(named: &[(&str, Option<u32>)]) -> Vec<String> {
    let all = named.iter();
    all.filter_map(|(name, value)| value.map(|value| format!("{name}={value}"))).collect()
}

fn write_named(f: &mut fmt::Formatter<'_>, said: &[String]) -> fmt::Result {
    if said.is_empty() { Ok(()) } else { write!(f, "({})", said.join(", ")) }
}

/// What is said for refinement as long as it helps, and for as many layers as there is room for.
pub(super) const AUTO: &str = "auto";

/// What is said for one part with all processes.
pub(super) const ALL: &str = "all";

/// What is said for sums whose guides share what transitions count, and for those that do not.
pub(super) const SHARED: &str = "shared";
pub(super) const OFF: &str = "off";

/// How the distances of parts can become one.
pub(super) const SUMS: [PartSum; 2] = [PartSum::Added, PartSum::Shared];

pub(super) fn sum_name(sum: PartSum) -> &'static str {
    match sum {
        PartSum::Added => "added",
        PartSum::Shared => SHARED,
    }
}

/// From which ways predicates can be learnt.
pub(super) const WAYS: [RefutedWays; 3] = [RefutedWays::One, RefutedWays::All, RefutedWays::Most];

pub(super) fn ways_name(ways: RefutedWays) -> &'static str {
    match ways {
        RefutedWays::One => "one",
        RefutedWays::All => "all",
        RefutedWays::Most => "most",
    }
}

/// What can be learnt from a way.
pub(super) const LESSONS: [Lesson; 2] = [Lesson::Needed, Lesson::Guards];

pub(super) fn lesson_name(lesson: Lesson) -> &'static str {
    match lesson {
        Lesson::Needed => "needed",
        Lesson::Guards => "guards",
    }
}

/// What can become of the inputs of a Russian Doll.
pub(super) const INPUTS: [Inputs; 3] = [Inputs::Dropped, Inputs::Kept, Inputs::Direct];

pub(super) fn inputs_name(inputs: Inputs) -> &'static str {
    match inputs {
        Inputs::Dropped => "dropped",
        Inputs::Kept => "kept",
        Inputs::Direct => "direct",
    }
}

/// What is said for what is told apart by location, or not at all.
pub(super) const LOCATION: &str = "location";
pub(super) const IGNORED: &str = "ignored";

fn write_relaxed(f: &mut fmt::Formatter<'_>, name: &str, cache: u32, sight: Sight) -> fmt::Result {
    let mut said = Vec::new();
    if sight.clocks {
        said.push(format!("clocks={LOCATION}"));
    }
    if sight.values {
        said.push(format!("values={LOCATION}"));
    }
    if cache != Guide::DEFAULT_CACHE {
        said.push(format!("cache={cache}"));
    }
    f.write_str(name)?;
    write_named(f, &said)
}

fn write_combined(f: &mut fmt::Formatter<'_>, name: &str, parts: &[Guide]) -> fmt::Result {
    write!(f, "{name}(")?;
    write_list(f, parts)?;
    f.write_str(")")
}

/// The guides, separated by commas.
pub(super) fn write_list(f: &mut fmt::Formatter<'_>, guides: &[Guide]) -> fmt::Result {
    for (index, guide) in guides.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{guide}")?;
    }
    Ok(())
}
