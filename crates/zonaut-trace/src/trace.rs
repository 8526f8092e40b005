//! Runs in the user's names.

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_concrete::ConcreteRun;
use zonaut_model::{EdgeId, Model, Origin, ProcessId};

/// A concrete run: states, exact delays, and the transitions between them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The initial state.
    pub start: TraceState,
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// The delay after the last transition, after which the formula holds.
    pub last_delay: Rational,
    /// The values of clocks after that delay.
    #[serde(skip)]
    pub last_clocks: Vec<Rational>,
    /// Whether the last transition fails at run time.
    pub fails: bool,
    /// The continuation of a maximal run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<Continuation>,
}

/// The continuation of a maximal run after its last step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Continuation {
    /// The transitions from this one on, counted from 0, are repeated for ever. Delays may differ
    /// from round to round.
    Repeats {
        /// The index of the first of them.
        from: usize,
    },
    /// Time diverges.
    Diverges,
    /// No transition is enabled any more, and time passes as far as invariants allow.
    Blocked,
}

impl Continuation {
    /// A description of the continuation; steps are counted from 1.
    #[must_use]
    pub fn described(self) -> String {
        match self {
            Self::Repeats { from } => {
                format!("the transitions from step {} on repeat for ever", from + 1)
            }
            Self::Diverges => "time passes for ever".to_owned(),
            Self::Blocked => "no transition is enabled any more; time passes as far as invariants \
                 allow"
                .to_owned(),
        }
    }
}

impl Trace {
    /// The duration of the run. The delay behind the last transition of a loop belongs to the next
    /// round.
    #[must_use]
    pub fn duration(&self) -> Rational {
        let is_loop = matches!(self.continuation, Some(Continuation::Repeats { .. }));
        let end = self.dates().into_iter().rev().nth(usize::from(is_loop));
        end.unwrap_or(Rational::from(0))
    }

    /// The same run with every state lasting one time unit: charts of it have an axis of steps.
    #[must_use]
    pub fn by_steps(&self) -> Self {
        let one = Rational::from(1);
        let steps = self.steps.iter().map(|step| TraceStep { delay: one, ..step.clone() });
        Self { steps: steps.collect(), last_delay: one, ..self.clone() }
    }

    /// The dates at which the states are reached, the first one 0, followed by the date of the end:
    /// one date more than states.
    #[must_use]
    pub fn dates(&self) -> Vec<Rational> {
        let delays = || self.steps.iter().map(|step| step.delay).chain([self.last_delay]);
        let common = delays().fold(1, |all, d| least_common_multiple(all, d.denominator.into()));
        // Delays of one run have a common denominator that is at most its number of dates.
        let narrow = |number: i128| i64::try_from(number).unwrap_or(i64::MAX);
        let mut now: i128 = 0;
        let later = delays().map(|delay| {
            now += i128::from(delay.numerator) * (common / i128::from(delay.denominator));
            Rational::new(narrow(now), narrow(common))
        });
        [Rational::new(0, 1)].into_iter().chain(later).collect()
    }
}

/// A rational number of time units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rational {
    /// The numerator.
    pub numerator: i64,
    /// The denominator; positive.
    pub denominator: i64,
}

impl Rational {
    /// `numerator / denominator` in lowest terms.
    #[must_use]
    pub fn new(numerator: i64, denominator: i64) -> Self {
        let divisor = greatest_common_divisor(numerator.into(), denominator.into()).max(1);
        // The divisor is not larger than the number.
        let divisor = i64::try_from(divisor).unwrap_or(1);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The nearest floating-point number.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The mean of two numbers.
    pub(crate) fn halfway(self, other: Self) -> Self {
        (self + other) * Self { numerator: 1, denominator: 2 }
    }

    fn wide(self) -> (i128, i128) {
        (self.numerator.into(), self.denominator.into())
    }

    /// `numerator / denominator` in lowest terms.
    fn narrow(numerator: i128, denominator: i128) -> Self {
        let divisor = greatest_common_divisor(numerator, denominator).max(1);
        let narrow = |number: i128| i64::try_from(number / divisor).unwrap_or(i64::MAX);
        Self { numerator: narrow(numerator), denominator: narrow(denominator) }
    }
}

impl From<i64> for Rational {
    fn from(number: i64) -> Self {
        Self { numerator: number, denominator: 1 }
    }
}

impl From<i32> for Rational {
    fn from(number: i32) -> Self {
        Self { numerator: number.into(), denominator: 1 }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        let [a, b] = [*self, *other].map(Rational::wide);
        (a.0 * b.1).cmp(&(b.0 * a.1))
    }
}

/// For the numbers of one run, sums, differences and products are exact.
impl std::ops::Add for Rational {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let [a, b] = [self, other].map(Rational::wide);
        Self::narrow(a.0 * b.1 + b.0 * a.1, a.1 * b.1)
    }
}

impl std::ops::Sub for Rational {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { numerator: -other.numerator, ..other }
    }
}

impl std::ops::Mul for Rational {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let [a, b] = [self, other].map(Rational::wide);
        Self::narrow(a.0 * b.0, a.1 * b.1)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl Serialize for Rational {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rational {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (numerator, denominator) = text.split_once('/').unwrap_or((&text, "1"));
        match (numerator.parse(), denominator.parse()) {
            (Ok(numerator), Ok(denominator)) if denominator > 0 => {
                Ok(Self::new(numerator, denominator))
            }
            _ => Err(de::Error::custom(format!("`{text}` is not a rational number"))),
        }
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { greatest_common_divisor(b, a % b) }
}

/// The least number that both divide.
pub(crate) fn least_common_multiple(a: i128, b: i128) -> i128 {
    a / greatest_common_divisor(a, b) * b
}

/// A concrete state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceState {
    /// The location of every process, such as `Train(2).Cross`.
    pub locations: Vec<String>,
    /// Variables and their values.
    #[serde(serialize_with = "as_map", deserialize_with = "from_map")]
    pub variables: Vec<(String, i32)>,
    /// Clocks and their values.
    #[serde(serialize_with = "as_map", deserialize_with = "from_map")]
    pub clocks: Vec<(String, Rational)>,
}

/// A delay, a transition, and the state after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    /// The delay before the transition.
    pub delay: Rational,
    /// The edges taken, the sender's first, receivers in system order.
    pub edges: Vec<TraceEdge>,
    /// The state after the transition.
    pub state: TraceState,
}

/// An edge of a transition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceEdge {
    /// The process.
    pub process: String,
    /// The source location.
    pub source: String,
    /// The target location.
    pub target: String,
    /// The position of the edge among those of its process, from 0.
    pub edge: usize,
    /// The guard, as written.
    pub guard: String,
    /// The synchronisation, as written.
    pub synchronisation: String,
    /// The updates, as written.
    pub updates: String,
    /// The values chosen for select variables.
    #[serde(serialize_with = "as_map", deserialize_with = "from_map")]
    pub select: Vec<(String, i32)>,
}

/// Writes names with their values as an object, in order.
fn as_map<S: Serializer, V: Serialize>(
    pairs: &[(String, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Reads an object as names with their values, in order.
fn from_map<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<(String, V)>, D::Error> {
    struct Pairs<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Pairs<V> {
        type Value = Vec<(String, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object with a value for each name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
    deserializer.deserialize_map(Pairs(PhantomData))
}

/// The translation of runs to the user's names.
#[derive(Clone, Copy, Debug)]
pub struct Namer<'m> {
    /// The model.
    pub model: &'m Model,
    /// The source elements of its ids.
    pub origin: &'m Origin,
}

impl Namer<'_> {
    /// A run in the user's names.
    #[must_use]
    pub fn trace(&self, network: &CompiledNetwork, run: &ConcreteRun) -> Trace {
        let rational = |numerator| Rational::new(numerator, run.denominator);
        let state = |values: &[i32], clocks: &[i64]| self.state(values, clocks, run.denominator);
        let steps = run.steps.iter().map(|step| TraceStep {
            delay: rational(step.delay),
            edges: step.participants.iter().map(|&action| self.edge(network, action)).collect(),
            state: state(&step.values, &step.clocks),
        });
        Trace {
            start: state(&run.start, &run.start_clocks),
            steps: steps.collect(),
            last_delay: rational(run.last_delay),
            last_clocks: run.last_clocks.iter().map(|&value| rational(value)).collect(),
            fails: run.fails,
            continuation: None,
        }
    }

    fn state(&self, values: &[i32], clocks: &[i64], denominator: i64) -> TraceState {
        let clocks = self.model.clocks.iter().zip(clocks);
        TraceState {
            locations: self.locations(values),
            variables: self.variables(values),
            clocks: clocks
                .map(|(clock, &value)| (clock.name.clone(), Rational::new(value, denominator)))
                .collect(),
        }
    }

    /// The variables, except those that are not part of the state.
    #[must_use]
    pub fn variables(&self, values: &[i32]) -> Vec<(String, i32)> {
        let cells = self.model.cells.iter().zip(&values[self.model.processes.len()..]);
        let stored = cells.filter(|(cell, _)| !cell.meta);
        stored.map(|(cell, &value)| (cell.name.clone(), value)).collect()
    }

    /// The location of every process.
    #[must_use]
    pub fn locations(&self, values: &[i32]) -> Vec<String> {
        let processes = self.model.processes.iter().zip(values);
        let name = |(process, &location): (&zonaut_model::Process, &i32)| {
            let location = &process.locations[Id::from_index(location as usize)];
            format!("{}.{}", process.name, location.name)
        };
        processes.map(name).collect()
    }

    /// An action in the user's names.
    #[must_use]
    pub fn edge(&self, network: &CompiledNetwork, action: ActionId) -> TraceEdge {
        let action = network.action(action);
        self.named_edge(action.process, action.edge, &action.select)
    }

    /// An edge in the user's names, with these values of its select variables.
    #[must_use]
    pub fn named_edge(&self, process: ProcessId, edge: EdgeId, select: &[i32]) -> TraceEdge {
        let definition = &self.model.processes[process];
        let origin = &self.origin.processes[process].edges[edge];
        let name = |location| definition.locations[location].name.clone();
        let select = origin.select.iter().cloned().zip(select.iter().copied());
        TraceEdge {
            process: definition.name.clone(),
            source: name(definition.edges[edge].source),
            target: name(definition.edges[edge].target),
            edge: edge.index(),
            guard: origin.guard.clone(),
            synchronisation: origin.synchronisation.clone(),
            updates: origin.updates.clone(),
            select: select.collect(),
        }
    }
}
