//! Construction of networks in Rust code.
//!
//! The builder makes the same [`Model`] as the front end makes from text. The example is a lamp
//! that a press switches on for at most ten time units.
//!
//! ```
//! use zonaut_model::Range;
//! use zonaut_model::builder::NetworkBuilder;
//!
//! let mut network = NetworkBuilder::new();
//! let press = network.channel("press");
//! let count = network.integer("count", Range { low: 0, high: 9 }, 0);
//!
//! let lamp = network.process("Lamp");
//! let x = network.local_clock(lamp, "x");
//! let off = network.location(lamp, "off");
//! let on = network.location(lamp, "on");
//! network.invariant(lamp, on, x.at_most(10));
//! network.edge(lamp, off, on).receive(press).update(x.reset()).update(count.set(count + 1));
//! network.edge(lamp, on, off).guard(x.at_least(5)).guard(count.term().less(9));
//!
//! let user = network.process("User");
//! let idle = network.location(user, "idle");
//! network.edge(user, idle, idle).send(press);
//!
//! network.possibly("E<> Lamp.on", network.at(lamp, on));
//! let model = network.finish().expect("the network is well formed");
//! assert_eq!(model.processes.len(), 2);
//! ```

mod process;
mod term;

pub use process::EdgeBuilder;
pub use term::{Array, Claim, ClockHandle, ClockTest, Term, Test, Update, Variable};

use crate::validate::Problem;
use crate::{
    Cell, CellId, CellKind, Channel, ChannelId, Clock, ClockId, Formula, Location, LocationId,
    LocationKind, Model, Process, ProcessId, Query, QueryKind, Range,
};
use process::{PendingLocation, PendingProcess};
use zonaut_base::IndexVec;

/// A network under construction.
///
/// A process starts in its first location unless [`initial`](Self::initial) sets another.
#[derive(Clone, Debug, Default)]
pub struct NetworkBuilder {
    model: Model,
    processes: IndexVec<ProcessId, PendingProcess>,
    queries: Vec<(String, PendingQuery)>,
}

#[derive(Clone, Debug)]
enum PendingQuery {
    Possibly(Claim),
    Always(Claim),
    PossiblyAlways(Claim),
    Eventually(Claim),
    LeadsTo(Claim, Claim),
}

/// A channel of a network under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelHandle(pub(crate) ChannelId);

impl NetworkBuilder {
    /// An empty network.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A global clock that starts at 0.
    pub fn clock(&mut self, name: &str) -> ClockHandle {
        self.add_clock(name.to_owned(), None)
    }

    /// A clock of a process.
    pub fn local_clock(&mut self, process: ProcessId, name: &str) -> ClockHandle {
        let name = format!("{}.{name}", self.processes[process].name);
        self.add_clock(name, Some(process))
    }

    fn add_clock(&mut self, name: String, owner: Option<ProcessId>) -> ClockHandle {
        ClockHandle(self.model.clocks.push(Clock { name, owner, initial: 0 }))
    }

    /// A global integer.
    pub fn integer(&mut self, name: &str, range: Range, initial: i32) -> Variable {
        Variable(self.add_cell(name.to_owned(), None, CellKind::Integer, range, initial))
    }

    /// A global truth value.
    pub fn boolean(&mut self, name: &str, initial: i32) -> Variable {
        let name = name.to_owned();
        Variable(self.add_cell(name, None, CellKind::Boolean, Range::BOOLEAN, initial))
    }

    /// An integer of a process.
    pub fn local_integer(
        &mut self,
        process: ProcessId,
        name: &str,
        range: Range,
        initial: i32,
    ) -> Variable {
        let name = format!("{}.{name}", self.processes[process].name);
        Variable(self.add_cell(name, Some(process), CellKind::Integer, range, initial))
    }

    /// A global array of integers, indexed from 0.
    pub fn integers(&mut self, name: &str, range: Range, initial: &[i32]) -> Array {
        let first = self.model.cells.next_id();
        for (index, value) in initial.iter().enumerate() {
            let name = format!("{name}[{index}]");
            self.add_cell(name, None, CellKind::Integer, range, *value);
        }
        Array { first, size: initial.len() as u32 }
    }

    fn add_cell(
        &mut self,
        name: String,
        owner: Option<ProcessId>,
        kind: CellKind,
        range: Range,
        initial: i32,
    ) -> CellId {
        self.model.cells.push(Cell { name, owner, kind, range, initial, meta: false })
    }

    /// A binary channel: one sender and one receiver synchronise.
    pub fn channel(&mut self, name: &str) -> ChannelHandle {
        self.add_channel(name, |_| {})
    }

    /// A broadcast channel: one sender and every enabled receiver synchronise.
    pub fn broadcast_channel(&mut self, name: &str) -> ChannelHandle {
        self.add_channel(name, |channel| channel.broadcast = true)
    }

    /// An urgent channel: no delay while a synchronisation on it is enabled.
    pub fn urgent_channel(&mut self, name: &str) -> ChannelHandle {
        self.add_channel(name, |channel| channel.urgent = true)
    }

    fn add_channel(&mut self, name: &str, adjust: impl FnOnce(&mut Channel)) -> ChannelHandle {
        let name = name.to_owned();
        let mut channel = Channel { name, broadcast: false, urgent: false, priority: 0 };
        adjust(&mut channel);
        ChannelHandle(self.model.channels.push(channel))
    }

    /// A process that is the only instance of a template of the same name.
    pub fn process(&mut self, name: &str) -> ProcessId {
        self.instance(name, name)
    }

    /// A process such as `Train(3)` of a template such as `Train`.
    pub fn instance(&mut self, name: &str, template: &str) -> ProcessId {
        self.processes.push(PendingProcess {
            name: name.to_owned(),
            template: template.to_owned(),
            ..PendingProcess::default()
        })
    }

    /// A location in which time may pass.
    pub fn location(&mut self, process: ProcessId, name: &str) -> LocationId {
        self.add_location(process, name, LocationKind::Ordinary)
    }

    /// A location in which time may not pass.
    pub fn urgent_location(&mut self, process: ProcessId, name: &str) -> LocationId {
        self.add_location(process, name, LocationKind::Urgent)
    }

    /// A committed location: no delay, and the next transition leaves a committed location.
    pub fn committed_location(&mut self, process: ProcessId, name: &str) -> LocationId {
        self.add_location(process, name, LocationKind::Committed)
    }

    fn add_location(&mut self, process: ProcessId, name: &str, kind: LocationKind) -> LocationId {
        let name = name.to_owned();
        self.processes[process].locations.push(PendingLocation { name, kind, tests: Vec::new() })
    }

    /// Sets the initial location of a process.
    pub fn initial(&mut self, process: ProcessId, location: LocationId) {
        self.processes[process].initial = Some(location);
    }

    /// Adds a condition to the invariant of a location.
    pub fn invariant(
        &mut self,
        process: ProcessId,
        location: LocationId,
        condition: impl Into<Test>,
    ) {
        self.processes[process].locations[location].tests.push(condition.into());
    }

    /// Adds an edge, which the methods of the returned builder complete.
    pub fn edge(
        &mut self,
        process: ProcessId,
        source: LocationId,
        target: LocationId,
    ) -> EdgeBuilder<'_> {
        EdgeBuilder::new(&mut self.processes[process].edges, source, target)
    }

    /// Whether a process is in a location; for queries.
    #[must_use]
    pub fn at(&self, process: ProcessId, location: LocationId) -> Term {
        Term::at(process, location)
    }

    /// Adds the query `E<> claim`.
    pub fn possibly(&mut self, text: &str, claim: impl Into<Claim>) {
        self.queries.push((text.to_owned(), PendingQuery::Possibly(claim.into())));
    }

    /// Adds the query `A[] claim`.
    pub fn always(&mut self, text: &str, claim: impl Into<Claim>) {
        self.queries.push((text.to_owned(), PendingQuery::Always(claim.into())));
    }

    /// Adds the query `E[] claim`.
    pub fn possibly_always(&mut self, text: &str, claim: impl Into<Claim>) {
        self.queries.push((text.to_owned(), PendingQuery::PossiblyAlways(claim.into())));
    }

    /// Adds the query `A<> claim`.
    pub fn eventually(&mut self, text: &str, claim: impl Into<Claim>) {
        self.queries.push((text.to_owned(), PendingQuery::Eventually(claim.into())));
    }

    /// Adds the query `first --> then`.
    pub fn leads_to(&mut self, text: &str, first: impl Into<Claim>, then: impl Into<Claim>) {
        let query = PendingQuery::LeadsTo(first.into(), then.into());
        self.queries.push((text.to_owned(), query));
    }

    /// The finished model.
    ///
    /// # Errors
    /// All problems of the network, such as ids of another network, initial values outside their
    /// ranges, or processes without locations.
    pub fn finish(self) -> Result<Model, Vec<Problem>> {
        let Self { mut model, processes, queries } = self;
        for process in &processes {
            let finished = finished_process(&mut model, process);
            model.processes.push(finished);
        }
        for (index, (text, query)) in queries.into_iter().enumerate() {
            let kind = finished_query(&mut model, &query);
            model.queries.push(Query { index: index as u32 + 1, text, kind });
        }
        model.validate().map(|()| model)
    }
}

fn finished_process(model: &mut Model, pending: &PendingProcess) -> Process {
    let mut locations = IndexVec::new();
    for location in &pending.locations {
        let invariant = Test::conjunction(&location.tests, model);
        locations.push(Location {
            name: location.name.clone(),
            kind: location.kind,
            invariant,
            rates: Vec::new(),
            cost_rate: None,
        });
    }
    let first = zonaut_base::Id::from_index(0);
    Process {
        name: pending.name.clone(),
        template: pending.template.clone(),
        priority: 0,
        locations,
        initial: pending.initial.unwrap_or(first),
        edges: pending.edges.iter().map(|edge| edge.finished(model)).collect(),
    }
}

fn finished_query(model: &mut Model, query: &PendingQuery) -> QueryKind {
    let mut formula = |claim: &Claim| -> Formula { claim.formula(model) };
    match query {
        PendingQuery::Possibly(p) => QueryKind::Possibly(formula(p)),
        PendingQuery::Always(p) => QueryKind::Always(formula(p)),
        PendingQuery::PossiblyAlways(p) => QueryKind::PossiblyAlways(formula(p)),
        PendingQuery::Eventually(p) => QueryKind::Eventually(formula(p)),
        PendingQuery::LeadsTo(p, q) => QueryKind::LeadsTo(formula(p), formula(q)),
    }
}

impl ClockHandle {
    /// The clock in the finished model.
    #[must_use]
    pub fn id(self) -> ClockId {
        self.0
    }
}
