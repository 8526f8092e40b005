//! Small networks as data: made by the generator, reduced by shrinking, printed as XTA.

mod build;
mod metamorphic;
mod print;
mod shrink;
mod visit;

pub use shrink::shrink;

/// A network with one query, small enough to be changed at random.
///
/// Names follow from positions: clocks `x0`, variables `v0`, channels `c0`, processes `P0`,
/// locations `l0`. An array `a` of three numbers and the functions of [`Function`] are declared
/// where they are used.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Specification {
    /// The clocks.
    pub clocks: Vec<ClockSpecification>,
    /// The integer variables, all global.
    pub variables: Vec<VariableSpecification>,
    /// The channels.
    pub channels: Vec<ChannelSpecification>,
    /// The processes, in system order.
    pub processes: Vec<ProcessSpecification>,
    /// The query.
    pub query: QuerySpecification,
}

/// A clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockSpecification {
    /// The process that declares it; absent for a global one. Other processes may not use it.
    pub owner: Option<usize>,
}

/// An integer variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VariableSpecification {
    /// The largest value; the smallest is 0.
    pub high: i32,
    /// The first value.
    pub initial: i32,
    /// Whether it is reset to its initial value at the end of each transition.
    pub meta: bool,
}

/// A channel, or an array of channels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChannelSpecification {
    /// Whether every enabled receiver takes part.
    pub broadcast: bool,
    /// Whether time stops while a synchronisation is enabled.
    pub urgent: bool,
    /// The number of elements of an array.
    pub size: Option<u32>,
    /// Its priority relative to internal transitions.
    pub priority: ChannelPriority,
}

/// The priority of a channel, compared with that of internal transitions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ChannelPriority {
    /// It is lower.
    Low,
    /// It is the same.
    #[default]
    Same,
    /// It is higher.
    High,
}

/// A process. It starts in its first location.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ProcessSpecification {
    /// Its locations.
    pub locations: Vec<LocationSpecification>,
    /// Its edges.
    pub edges: Vec<EdgeSpecification>,
    /// Whether its priority is higher than that of the process before it; otherwise, both are
    /// equal.
    pub rises: bool,
}

/// A location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LocationSpecification {
    /// Whether it is urgent or committed.
    pub kind: zonaut_model::LocationKind,
    /// The clock part of its invariant.
    pub invariant: Vec<Atom>,
    /// The data part of its invariant.
    pub data: Option<Comparison>,
}

impl Default for LocationSpecification {
    fn default() -> Self {
        let kind = zonaut_model::LocationKind::Ordinary;
        Self { kind, invariant: Vec::new(), data: None }
    }
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct EdgeSpecification {
    /// The position of its source location.
    pub source: usize,
    /// The position of its target location.
    pub target: usize,
    /// The largest value of its `select` variable, which runs from 0.
    pub select: Option<i32>,
    /// The clock part of its guard.
    pub guard: Vec<Atom>,
    /// The data part of its guard.
    pub data: Option<Comparison>,
    /// Its synchronisation label.
    pub synchronisation: Option<Label>,
    /// Its updates, in order.
    pub updates: Vec<Update>,
}

/// A constraint on a clock, or on the difference of two.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The clock.
    pub left: usize,
    /// The clock that is subtracted.
    pub right: Option<usize>,
    /// The comparison operator.
    pub relation: zonaut_model::Relation,
    /// The right side.
    pub bound: Value,
}

/// A comparison of numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Comparison {
    /// The left side.
    pub left: Value,
    /// The comparison operator.
    pub operator: Operator,
    /// The right side.
    pub right: Value,
}

/// A comparison operator on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
}

/// A number, computed at run time.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A number.
    Constant(i32),
    /// The content of a variable.
    Variable(usize),
    /// The `select` variable of the edge.
    Selected,
    /// The element of the array at an index.
    Element(Box<Value>),
    /// A sum.
    Sum(Box<Value>, Box<Value>),
    /// The remainder by a number.
    Remainder(Box<Value>, i32),
    /// The result of a function.
    Call(Function, Box<Value>),
}

/// The functions that a specification can use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Function {
    /// The minimum of 2 and the argument, computed by a condition.
    Clip,
    /// The sum of the numbers up to the argument, at most 3, computed by a loop.
    Triangle,
}

/// An update.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Update {
    /// Sets a variable.
    Set(usize, Value),
    /// Sets the element of the array at an index.
    SetElement(Value, Value),
    /// Sets a clock to a number.
    Reset(usize, Value),
    /// Sets the first clock to the value of the second.
    Copy(usize, usize),
}

/// A synchronisation label.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The channel.
    pub channel: usize,
    /// The index, for an array.
    pub index: Option<Value>,
    /// Whether it sends or receives.
    pub direction: zonaut_model::Direction,
}

/// The query about a network.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct QuerySpecification {
    /// Whether it is `E<> goal`; otherwise it is `A[] not goal`.
    pub possibly: bool,
    /// The locations of the goal, as process and location.
    pub locations: Vec<(usize, usize)>,
    /// The clock constraints of the goal.
    pub atoms: Vec<Atom>,
    /// The data part of the goal.
    pub data: Option<Comparison>,
    /// Locations, as process and location, that the processes must not be in.
    pub elsewhere: Vec<(usize, usize)>,
    /// A location, as process and location, that satisfies the goal by itself.
    pub alternative: Option<(usize, usize)>,
    /// Whether goal states must be deadlocked or must not be; `None` if either is allowed.
    pub deadlock: Option<bool>,
}

impl QuerySpecification {
    /// The query `E<>` for a location of a process.
    #[must_use]
    pub fn possibly_at(process: usize, location: usize) -> Self {
        Self {
            possibly: true,
            locations: vec![(process, location)],
            atoms: Vec::new(),
            data: None,
            elsewhere: Vec::new(),
            alternative: None,
            deadlock: None,
        }
    }

    /// Calls `visit` with every location that is named.
    pub fn for_each_location_mut(&mut self, visit: &mut impl FnMut(&mut (usize, usize))) {
        let named = self.locations.iter_mut().chain(&mut self.elsewhere);
        named.chain(&mut self.alternative).for_each(visit);
    }

    /// Removes the parts that name an unwanted location.
    pub fn retain_locations(&mut self, is_wanted: impl Fn(&(usize, usize)) -> bool) {
        self.locations.retain(&is_wanted);
        self.elsewhere.retain(&is_wanted);
        self.alternative = self.alternative.filter(is_wanted);
    }
}

impl Specification {
    /// The priorities of the processes.
    pub fn process_priorities(&self) -> impl Iterator<Item = u32> {
        let mut level = 0;
        self.processes.iter().enumerate().map(move |(position, process)| {
            level += u32::from(process.rises && position > 0);
            level
        })
    }

    /// Whether some channel has a priority other than that of internal transitions.
    #[must_use]
    pub fn orders_channels(&self) -> bool {
        self.channels.iter().any(|channel| channel.priority != ChannelPriority::Same)
    }

    /// The number of edges: the size of a specification in reports.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.processes.iter().map(|process| process.edges.len()).sum()
    }
}
