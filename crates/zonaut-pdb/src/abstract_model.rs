//! The abstract model: the original model without the symbols that a pattern drops.
//!
//! # The claim
//! For every run of the original model there is a run of the abstract model through the images of
//! its states, with at most as many transitions; and if the goal holds in a state of the original,
//! the abstract goal holds in its image. Hence distances in the abstract model are lower bounds.
//!
//! The image of a state omits the locations of dropped processes and the values of dropped cells
//! and clocks. The abstract model simulates each step of the original:
//!
//! * *A delay.* Invariants of the abstract model are weaker, locations of kept processes are urgent
//!   only if they were, and a channel is urgent only if no weakened edge takes part, and no edge
//!   that may be on another channel in the original, so that a synchronisation that is enabled in
//!   the abstract model is enabled in the original. So the abstract model can delay as long, also
//!   over several delays of the original with steps between them that have no abstract counterpart.
//!   The zones of the abstract model contain all these points, because none of its urgent channels
//!   has clocks in its guards: those would cut zones at points where only the original continues.
//! * *A transition without kept processes.* By the closure it changes no kept symbol: the abstract
//!   model stays in its state.
//! * *An internal edge of a kept process.* Its guard is weaker in the abstract model, its updates
//!   do the same to kept symbols, the invariants of the target are weaker.
//! * *Two kept processes synchronise.* So they do in the abstract model, under any name of the
//!   channel. An edge whose channel depends on a dropped symbol has a copy for every channel.
//! * *A kept process synchronises with a dropped one.* The silent copy of its edge is taken.
//! * *A kept process broadcasts.* Every kept process that receives in the original has its guard
//!   satisfied in the abstract model and receives there. A process that does not receive has no
//!   enabled receiving edge in the original; if it has one in the abstract model, its guard was
//!   weakened, and it takes the self-loop.
//! * *A dropped process broadcasts.* The stub sends; the receivers do as before. If no kept
//!   process receives, the abstract model stays in its state.
//! * *The committed rule.* If a kept process is committed in the abstract model, the original
//!   transition has a committed participant. If that one is kept, the abstract transition has it
//!   too. If it is dropped and others are kept, the rule would be violated; then no location of the
//!   abstract model is committed.
//! * *Weights and prices.* The participants of an abstract transition take part in the original
//!   one, so that its weight and its cost are no greater. Prices that read dropped symbols are
//!   removed.
//! * *A failure.* Updates and invariants of the abstract model read kept symbols only, so they fail
//!   only if the original fails. A failing guard, however, would also suppress all other edges of
//!   its state; the abstract model has guards that may fail only if the original evaluates them in
//!   the same states.
//!
//! Priorities are dropped: a transition that they forbid in the abstract model may be allowed in
//! the original.

use crate::access::Accesses;
use crate::failure::Failures;
use crate::faults::{Clause, is_disabled};
use crate::origin::Origins;
use crate::partners::{Partners, Side};
use crate::pattern::{Pattern, hooks};
use crate::updates::{Unit, units};
use crate::weaken::Weakening;
use zonaut_analysis::mention::Mentions;
use zonaut_analysis::{IdSet, Symbols, roots};
use zonaut_base::{Id, IndexVec};
use zonaut_heuristics::Participant;
use zonaut_model::{
    ChannelId, Condition, Direction, Edge, EdgeId, Expression, ExpressionId, Expressions, Formula,
    Location, LocationId, LocationKind, Model, Place, Process, ProcessId, Query, QueryKind,
    Statistical, Synchronisation,
};

/// The name of the process that represents dropped senders of broadcasts.
pub const STUB: &str = "Environment";

/// The abstraction of a model by a pattern.
#[derive(Clone, Debug)]
pub struct AbstractModel {
    /// The abstract model; its only query is the reachability of the goal.
    pub model: Model,
    /// The goal without dropped symbols.
    pub goal: Formula,
    /// The dropped symbols.
    pub dropped: Symbols,
    /// The kept processes of the original, in the order of the abstract model; a stub comes after
    /// them.
    pub processes: Vec<ProcessId>,
    /// Whether a run-time error can occur in the original, so that abstract dead ends may still
    /// lead to one.
    pub original_may_fail: bool,
    /// The edges of the original that abstract edges stand for.
    pub(crate) origins: Origins,
}

impl AbstractModel {
    /// The abstraction of `model` for the goal `goal`.
    #[must_use]
    pub fn new(model: &Model, goal: &Formula, pattern: &Pattern) -> Self {
        let abstract_model = Builder::new(model, pattern.dropped().clone()).build(goal);
        // Symbols that only dropped conditions read are not needed either.
        let dropped = abstract_model.with_unobserved();
        if dropped == abstract_model.dropped {
            abstract_model
        } else {
            Builder::new(model, dropped).build(goal)
        }
    }

    /// The edges of the original that abstract edges stand for. The others have no effect in the
    /// abstract model.
    #[must_use]
    pub fn seen_edges(&self) -> Vec<Participant> {
        self.origins.edges.iter().flatten().flatten().copied().collect()
    }

    /// The dropped symbols and those that the abstract model does not observe.
    fn with_unobserved(&self) -> Symbols {
        let observed = crate::pattern::observed(&self.model, &self.goal);
        let mut dropped = self.dropped.clone();
        let cells = self.model.cells.ids().filter(|&cell| !observed.cells.contains(cell));
        dropped.cells.extend(&cells.collect());
        let clocks = self.model.clocks.ids().filter(|&clock| !observed.clocks.contains(clock));
        dropped.clocks.extend(&clocks.collect());
        dropped
    }
}

struct Builder<'m> {
    model: &'m Model,
    dropped: Symbols,
    accesses: Accesses<'m>,
    mentions: Mentions<'m>,
    partners: Partners,
}

/// An edge without dropped symbols, before its synchronisation is determined.
struct Reduced {
    edge: Edge,
    /// Whether it may be enabled, or on a channel, in states in which the original edge is not.
    is_weaker: bool,
    /// Whether its channel depends on a dropped symbol.
    is_uncertain: bool,
}

impl<'m> Builder<'m> {
    fn new(model: &'m Model, dropped: Symbols) -> Self {
        let (accesses, mentions) = (Accesses::new(model), Mentions::new(model));
        Self { model, dropped, accesses, mentions, partners: Partners::new(model) }
    }

    fn build(self, goal: &Formula) -> AbstractModel {
        let failures = Failures::new(self.model);
        let mut weakening = Weakening::new(self.model, &self.dropped, &failures);
        let kept: Vec<ProcessId> =
            self.model.processes.ids().filter(|&p| !self.dropped.processes.contains(p)).collect();
        let mut weaker_channels = IdSet::default();
        let mut processes: IndexVec<ProcessId, Process> = IndexVec::new();
        let mut origins = Origins::default();
        for &process in &kept {
            let (definition, edges) = self.process(process, &mut weakening, &mut weaker_channels);
            processes.push(definition);
            origins.edges.push(edges);
        }
        self.add_stub(&mut processes);
        let is_stub = processes.len() > kept.len();
        if let Some(stub) = processes.iter().last().filter(|_| is_stub) {
            origins.edges.push(vec![Vec::new(); stub.edges.len()]);
        }
        let original_may_fail = failures.anywhere(goal);
        let goal = weakening.formula(goal);
        let hooks = |updates: &[ExpressionId]| self.updates(updates, &weakening);
        let (before_update, after_update) =
            (hooks(&self.model.before_update), hooks(&self.model.after_update));
        let mut model = Model {
            expressions: weakening.expressions,
            processes,
            before_update,
            after_update,
            queries: IndexVec::new(),
            // The remaining processes and cells are renumbered.
            scalar_uses: Vec::new(),
            statistical: Statistical::default(),
            ..self.model.clone()
        };
        let is_same = self.dropped.is_empty();
        for (id, channel) in model.channels.iter_mut().enumerate() {
            let id = ChannelId::from_index(id);
            let is_weaker =
                weaker_channels.contains(id) || self.partners.involves_dropped(id, &self.dropped);
            if !is_disabled(Clause::Urgency) {
                channel.urgent &= !is_weaker;
            }
            if !is_same {
                channel.priority = self.model.default_priority;
            }
        }
        for (cell, definition) in model.cells.iter_mut().enumerate() {
            definition.meta |= self.dropped.cells.contains(Id::from_index(cell));
        }
        let text = "E<> the goal".to_owned();
        let kind = QueryKind::Possibly(goal.clone());
        model.queries.push(Query { index: 1, text, kind });
        renumber(&mut model, &kept);
        forget_unused(&mut model);
        AbstractModel {
            model,
            goal,
            dropped: self.dropped,
            processes: kept,
            original_may_fail,
            origins,
        }
    }

    /// An abstract process, and for each of its edges those of the original.
    fn process(
        &self,
        process: ProcessId,
        weakening: &mut Weakening<'_>,
        weaker_channels: &mut IdSet<ChannelId>,
    ) -> (Process, Vec<Vec<Participant>>) {
        let definition = &self.model.processes[process];
        let mut locations: IndexVec<LocationId, Location> = IndexVec::new();
        for location in &definition.locations {
            let (invariant, _) = weakening.condition(&location.invariant);
            let kind = match location.kind {
                LocationKind::Committed if self.breaks_committed_rule() => LocationKind::Urgent,
                kind => kind,
            };
            let name = location.name.clone();
            locations.push(Location { name, kind, invariant, rates: Vec::new(), cost_rate: None });
        }
        let mut edges = Edges::default();
        for (id, edge) in definition.edges.iter_enumerated() {
            let reduced = self.reduce(edge, weakening);
            let has_clocks = !edge.guard.clocks.is_empty();
            if reduced.is_weaker || has_clocks {
                weaker_channels.extend(&edge.channels().collect());
            }
            self.settle(Participant { process, edge: id }, reduced, &mut edges);
        }
        for edge in edges.edges.iter_mut() {
            let expressions = &weakening.expressions;
            forget_unread_selects(edge, expressions, &self.mentions);
        }
        let priority = if self.dropped.is_empty() { definition.priority } else { 0 };
        let process = Process { priority, locations, edges: edges.edges, ..definition.clone() };
        (process, edges.origins)
    }

    /// Whether a dropped process can leave a committed location together with kept ones.
    fn breaks_committed_rule(&self) -> bool {
        let leaves = |process: ProcessId| {
            let definition = &self.model.processes[process];
            definition.edges.iter().any(|edge| {
                definition.locations[edge.source].kind == LocationKind::Committed
                    && edge.channels().any(|c| self.partners.involves_kept(c, &self.dropped))
            })
        };
        !is_disabled(Clause::Committed) && self.dropped.processes.iter().any(leaves)
    }

    fn reduce(&self, edge: &Edge, weakening: &mut Weakening<'_>) -> Reduced {
        let (guard, is_weaker) = weakening.condition(&edge.guard);
        let updates = self.updates(&edge.updates, weakening);
        let may_fail = is_weaker || weakening.evaluates_more();
        let label = edge.synchronisation.as_ref();
        let is_uncertain = label.is_some_and(|l| weakening.is_uncertain(&l.channel, may_fail));
        let is_weaker = is_weaker || is_uncertain;
        Reduced { edge: Edge { guard, updates, ..edge.clone() }, is_weaker, is_uncertain }
    }

    /// The updates that still have an effect: those that write a kept symbol, and those they depend
    /// on. By the closure they read no dropped symbol.
    fn updates(&self, updates: &[ExpressionId], weakening: &Weakening<'_>) -> Vec<ExpressionId> {
        let is_kept = |unit: &Unit| {
            let is_touched = unit.parts.iter().any(|&(_, part)| weakening.is_touched(part));
            let pays = |&(_, part): &(usize, ExpressionId)| {
                matches!(self.model.expressions[part], Expression::AddCost(_))
            };
            (!unit.access.writes.is_within(&self.dropped) || unit.parts.iter().any(pays))
                && (!is_touched || is_disabled(Clause::Flow))
        };
        let units = units(&self.accesses, updates).into_iter().filter(is_kept);
        let mut parts: Vec<(usize, ExpressionId)> = units.flat_map(|unit| unit.parts).collect();
        parts.sort_unstable();
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Adds the edges that stand for one edge of the original.
    fn settle(&self, origin: Participant, reduced: Reduced, into: &mut Edges) {
        let Reduced { edge, is_weaker, is_uncertain } = reduced;
        let Some(sync) = edge.synchronisation.clone() else {
            into.add_internal(edge, origin, self.has_hooks());
            return;
        };
        let own = Side { process: origin.process, direction: sync.direction };
        let channels: Vec<ChannelId> = sync.channel.elements().collect();
        let is_silent = |&channel: &ChannelId| {
            !self.model.channels[channel].broadcast
                && (self.partners.has_dropped(sync.direction, channel, &self.dropped)
                    || self.dropped.channels.contains(channel))
        };
        if channels.iter().any(is_silent) && !is_disabled(Clause::SilentCopy) {
            let silent = Edge { synchronisation: None, ..edge.clone() };
            into.add_internal(silent, origin, self.has_hooks());
        }
        let stays = |&channel: &ChannelId| {
            let partner = self.partners.has_kept(own, channel, &self.dropped);
            let by_dropped = self.partners.has_dropped(sync.direction, channel, &self.dropped);
            match (self.model.channels[channel].broadcast, sync.direction) {
                (true, Direction::Send) => true,
                (true, Direction::Receive) => partner || by_dropped,
                (false, _) => {
                    let is_free = self.dropped.channels.contains(channel);
                    partner && !(is_disabled(Clause::BothSides) && is_free)
                }
            }
        };
        let is_expanded = is_uncertain && !is_disabled(Clause::EveryChannel);
        let places: Vec<Place<ChannelId>> = if is_expanded {
            channels.iter().filter(|channel| stays(channel)).map(|&c| Place::fixed(c)).collect()
        } else if channels.iter().any(stays) {
            vec![sync.channel.clone()]
        } else {
            Vec::new()
        };
        for channel in places {
            let is_broadcast = channel.elements().any(|c| self.model.channels[c].broadcast);
            let synchronisation = Some(Synchronisation { channel, direction: sync.direction });
            let edge = Edge { synchronisation, ..edge.clone() };
            if is_broadcast && is_weaker && sync.direction == Direction::Receive {
                into.add_loop(&edge);
            }
            into.add(edge, vec![origin]);
        }
    }

    fn has_hooks(&self) -> bool {
        hooks(self.model).next().is_some()
    }

    /// Adds a process that sends the broadcasts of dropped processes to kept ones, at any time.
    fn add_stub(&self, processes: &mut IndexVec<ProcessId, Process>) {
        let channels = self.partners.stubs(self.model, &self.dropped);
        if channels.is_empty() || is_disabled(Clause::SenderStub) {
            return;
        }
        let mut locations = IndexVec::new();
        let here = locations.push(Location {
            name: "any".to_owned(),
            kind: LocationKind::Ordinary,
            invariant: Condition::default(),
            rates: Vec::new(),
            cost_rate: None,
        });
        let send = |&channel: &ChannelId| Edge {
            source: here,
            target: here,
            select: Vec::new(),
            guard: Condition::default(),
            synchronisation: Some(Synchronisation {
                channel: Place::fixed(channel),
                direction: Direction::Send,
            }),
            updates: Vec::new(),
            controllable: true,
        };
        processes.push(Process {
            name: STUB.to_owned(),
            template: STUB.to_owned(),
            priority: 0,
            initial: here,
            edges: channels.iter().map(send).collect(),
            locations,
        });
    }
}

/// The edges of an abstract process.
#[derive(Default)]
struct Edges {
    edges: IndexVec<EdgeId, Edge>,
    /// By edge, those of the original that it stands for.
    origins: Vec<Vec<Participant>>,
    /// The self-loops of receivers that exist already.
    loops: Vec<(LocationId, Place<ChannelId>)>,
}

impl Edges {
    fn add(&mut self, edge: Edge, origins: Vec<Participant>) {
        self.edges.push(edge);
        self.origins.push(origins);
    }

    /// Adds an edge without synchronisation, unless it has no effect: the abstract model can stay
    /// in its state instead. Updates of every transition are an effect.
    fn add_internal(&mut self, edge: Edge, origin: Participant, has_hooks: bool) {
        let does_nothing = edge.source == edge.target && edge.updates.is_empty();
        if does_nothing && !has_hooks {
            return;
        }
        match self.edges.iter().position(|other| *other == edge) {
            Some(_) if is_disabled(Clause::LighterTwin) => {}
            Some(twin) => self.origins[twin].push(origin),
            None => self.add(edge, vec![origin]),
        }
    }

    /// Adds a self-loop with which the process of a receiving edge joins a broadcast without an
    /// effect.
    fn add_loop(&mut self, edge: &Edge) {
        let Some(sync) = &edge.synchronisation else { return };
        let key = (edge.source, sync.channel.clone());
        if is_disabled(Clause::ReceiverLoop) || self.loops.contains(&key) {
            return;
        }
        self.loops.push(key);
        let stays = Edge {
            target: edge.source,
            guard: Condition::default(),
            updates: Vec::new(),
            ..edge.clone()
        };
        self.add(stays, Vec::new());
    }
}

/// Renumbers the kept processes in all references to them.
fn renumber(model: &mut Model, kept: &[ProcessId]) {
    let position = |process: ProcessId| kept.iter().position(|&other| other == process);
    for expression in model.expressions.iter_mut() {
        if let Expression::At(process, location) = *expression {
            *expression = match position(process) {
                Some(position) => Expression::At(Id::from_index(position), location),
                None => Expression::Constant(0),
            };
        }
    }
    let owner = |old: Option<ProcessId>| old.and_then(position).map(ProcessId::from_index);
    model.cells.iter_mut().for_each(|cell| cell.owner = owner(cell.owner));
    model.clocks.iter_mut().for_each(|clock| clock.owner = owner(clock.owner));
}

/// Removes from an edge the select variables that are never read, neither directly nor by a
/// function that gets a reference to them: each of their values would give the same action. A
/// select variable with an empty range stays, because it disables the edge.
fn forget_unread_selects(edge: &mut Edge, expressions: &Expressions, mentions: &Mentions<'_>) {
    let (mut open, mut read) = (Vec::new(), IdSet::default());
    roots::of_edge(edge, &mut open);
    while let Some(id) = open.pop() {
        read.extend(&mentions.own(&expressions[id]).locals_read);
        expressions[id].for_each_child(|child| open.push(child));
    }
    edge.select.retain(|select| select.low > select.high || read.contains(select.binder));
}

/// Clears unused expressions and functions, so that no analysis considers them.
fn forget_unused(model: &mut Model) {
    let mut used: IdSet<ExpressionId> = IdSet::default();
    let mut open = roots::of_model(model);
    while let Some(id) = open.pop() {
        if !used.insert(id) {
            continue;
        }
        model.expressions[id].for_each_child(|child| open.push(child));
        if let Expression::Call(function, _) = &model.expressions[id] {
            roots::of_function(&model.functions[*function], &mut open);
        }
    }
    let mut called: IdSet<zonaut_model::FunctionId> = IdSet::default();
    for (index, expression) in model.expressions.iter_mut().enumerate() {
        if !used.contains(Id::from_index(index)) {
            *expression = Expression::Constant(0);
        } else if let Expression::Call(function, _) = expression {
            called.insert(*function);
        }
    }
    for (index, function) in model.functions.iter_mut().enumerate() {
        if !called.contains(Id::from_index(index)) {
            function.body.clear();
        }
    }
}
