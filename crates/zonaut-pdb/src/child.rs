//! The model without what a pattern drops.
//!
//! # The claim
//! For every run of the parent there is a run of the child through the images of its states, with
//! at most as many transitions; and where the goal holds in a state of the parent, the goal of the
//! child holds in its image. Hence distances in the child are lower bounds.
//!
//! The image of a state forgets the locations of dropped processes and the values of dropped cells
//! and clocks. What one step of the parent can be, and what the child does:
//!
//! * *A delay.* Invariants of the child are weaker, locations of kept processes are urgent only
//!   where they were, and a channel is urgent only if nothing weaker takes part, and nothing that
//!   may be on another channel in the parent, so that what is enabled in the child is enabled in the
//!   parent. So the child can wait as long, also over several delays of the parent with steps
//!   between them that the child does not see. The zones of the child hold all these points, because
//!   no urgent channel of the child has clocks in its guards: those would cut zones where only the
//!   parent goes on.
//! * *A transition without kept processes.* By the closure it changes nothing that is kept: the
//!   child stays where it is.
//! * *An internal edge of a kept process.* Its guard is weaker in the child, its updates do the same
//!   to kept symbols, the invariants of the target are weaker.
//! * *Two kept processes synchronise.* So they do in the child, whatever became of the channel's
//!   name. An edge whose channel is chosen by a dropped symbol has a copy for every channel.
//! * *A kept process synchronises with a dropped one.* The silent copy of its edge is taken.
//! * *A kept process broadcasts.* Every kept process that receives in the parent has its guard
//!   satisfied in the child and receives there. One that stays out has no enabled receiving edge in
//!   the parent; if it has one in the child, its guard was weakened, and it takes the loop.
//! * *A dropped process broadcasts.* The stub sends; the receivers do as before. Where no kept
//!   process receives, the child stays where it is.
//! * *The committed rule.* If a kept process is committed in the child, the parent's transition has
//!   a committed participant. If that one is kept, the child's transition has it too. If it is
//!   dropped and others are kept, the rule would be broken; then no location of the child is
//!   committed.
//! * *Weights and prices.* Who takes part in a transition of the child takes part in that of the
//!   parent, so that it counts no more and costs no more. Prices that read dropped symbols go.
//! * *A failure.* Updates and invariants of the child read kept symbols only, so they fail where the
//!   parent fails. A failing guard, however, would take all other edges of its state with it; the
//!   child has guards that may fail only where the parent evaluates them in the same states.
//!
//! Priorities are dropped: what they would forbid may be allowed in the parent.

use crate::access::Accesses;
use crate::failure::Failures;
use crate::faults::{Clause, is_left_out};
use crate::mention::{Mentions, elements};
use crate::origin::Origins;
use crate::partners::{Partners, Side, channels_of};
use crate::pattern::{Pattern, hooks};
use crate::updates::{Unit, units};
use crate::weaken::Weakening;
use zonaut_analysis::{IdSet, Symbols};
use zonaut_base::{Id, IndexVec};
use zonaut_heuristics::Participant;
use zonaut_model::{
    ChannelId, Condition, Direction, Edge, EdgeId, Expression, ExpressionId, Formula, Location,
    LocationId, LocationKind, Model, Place, Process, ProcessId, Query, QueryKind, Statistical,
    Synchronisation,
};

/// The name of the process that stands for dropped senders of broadcasts.
pub const STUB: &str = "Environment";

/// The child of a model under a pattern.
#[derive(Clone, Debug)]
pub struct Child {
    /// The child; its only query asks whether the goal can be reached.
    pub model: Model,
    /// The goal without dropped symbols.
    pub goal: Formula,
    /// What is dropped.
    pub dropped: Symbols,
    /// Processes of the parent, in the order of the child's; a stub comes after them.
    pub processes: Vec<ProcessId>,
    /// Whether something in the parent can fail at run time, so that what the child does not see
    /// may still be worth a look.
    pub parent_may_fail: bool,
    /// The edges of the parent.
    pub(crate) origins: Origins,
}

impl Child {
    /// The child of `model` for the goal `goal`.
    #[must_use]
    pub fn new(model: &Model, goal: &Formula, pattern: &Pattern) -> Self {
        let child = Builder::new(model, pattern.dropped().clone()).build(goal);
        // What only dropped conditions read is not needed either.
        let dropped = child.with_unobserved();
        if dropped == child.dropped { child } else { Builder::new(model, dropped).build(goal) }
    }

    /// The edges of the parent that edges of the child stand for. Others do nothing in the child.
    #[must_use]
    pub fn seen_edges(&self) -> Vec<Participant> {
        self.origins.edges.iter().flatten().flatten().copied().collect()
    }

    /// What is dropped and what nothing in the child observes.
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

/// An edge without dropped symbols, before its synchronisation is settled.
struct Reduced {
    edge: Edge,
    /// Whether it may be enabled, or on a channel, where the edge of the parent is not.
    is_weaker: bool,
    /// Whether a dropped symbol chooses its channel.
    is_uncertain: bool,
}

impl<'m> Builder<'m> {
    fn new(model: &'m Model, dropped: Symbols) -> Self {
        let (accesses, mentions) = (Accesses::new(model), Mentions::new(model));
        Self { model, dropped, accesses, mentions, partners: Partners::new(model) }
    }

    fn build(self, goal: &Formula) -> Child {
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
        let parent_may_fail = failures.anywhere(goal);
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
            // What is left of processes and cells is numbered anew.
            scalar_uses: Vec::new(),
            statistical: Statistical::default(),
            ..self.model.clone()
        };
        let is_same = self.dropped.is_empty();
        for (id, channel) in model.channels.iter_mut().enumerate() {
            let id = ChannelId::from_index(id);
            let is_weaker =
                weaker_channels.contains(id) || self.partners.involves_dropped(id, &self.dropped);
            if !is_left_out(Clause::Urgency) {
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
        Child { model, goal, dropped: self.dropped, processes: kept, parent_may_fail, origins }
    }

    /// A process, and for each of its edges those of the parent.
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
                weaker_channels.extend(&channels_of(edge).collect());
            }
            self.settle(Participant { process, edge: id }, reduced, &mut edges);
        }
        for edge in edges.edges.iter_mut() {
            let expressions = &weakening.expressions;
            crate::roots::forget_unread_selects(edge, expressions, &self.mentions);
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
                    && channels_of(edge).any(|c| self.partners.involves_kept(c, &self.dropped))
            })
        };
        !is_left_out(Clause::Committed) && self.dropped.processes.iter().any(leaves)
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

    /// The updates that still do something: those that write something kept, and what they need
    /// for it. By the closure they read nothing dropped.
    fn updates(&self, updates: &[ExpressionId], weakening: &Weakening<'_>) -> Vec<ExpressionId> {
        let is_kept = |unit: &Unit| {
            let is_touched = unit.parts.iter().any(|&(_, part)| weakening.is_touched(part));
            let pays = |&(_, part): &(usize, ExpressionId)| {
                matches!(self.model.expressions[part], Expression::AddCost(_))
            };
            (!unit.access.writes.is_within(&self.dropped) || unit.parts.iter().any(pays))
                && (!is_touched || is_left_out(Clause::Flow))
        };
        let units = units(&self.accesses, updates).into_iter().filter(is_kept);
        let mut parts: Vec<(usize, ExpressionId)> = units.flat_map(|unit| unit.parts).collect();
        parts.sort_unstable();
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Adds the edges that stand for one edge of the parent.
    fn settle(&self, origin: Participant, reduced: Reduced, into: &mut Edges) {
        let Reduced { edge, is_weaker, is_uncertain } = reduced;
        let Some(sync) = edge.synchronisation.clone() else {
            into.add_internal(edge, origin, self.has_hooks());
            return;
        };
        let own = Side { process: origin.process, direction: sync.direction };
        let channels: Vec<ChannelId> = elements(&sync.channel).collect();
        let is_silent = |&channel: &ChannelId| {
            !self.model.channels[channel].broadcast
                && (self.partners.has_dropped(sync.direction, channel, &self.dropped)
                    || self.dropped.channels.contains(channel))
        };
        if channels.iter().any(is_silent) && !is_left_out(Clause::SilentCopy) {
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
                    partner && !(is_left_out(Clause::BothSides) && is_free)
                }
            }
        };
        let is_expanded = is_uncertain && !is_left_out(Clause::EveryChannel);
        let places: Vec<Place<ChannelId>> = if is_expanded {
            channels.iter().filter(|channel| stays(channel)).map(|&c| Place::fixed(c)).collect()
        } else if channels.iter().any(stays) {
            vec![sync.channel.clone()]
        } else {
            Vec::new()
        };
        for channel in places {
            let is_broadcast = elements(&channel).any(|c| self.model.channels[c].broadcast);
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

    /// Adds a process that sends what dropped processes broadcast to kept ones, at any time.
    fn add_stub(&self, processes: &mut IndexVec<ProcessId, Process>) {
        let channels = self.partners.stubs(self.model, &self.dropped);
        if channels.is_empty() || is_left_out(Clause::SenderStub) {
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

/// The edges of a process of the child.
#[derive(Default)]
struct Edges {
    edges: IndexVec<EdgeId, Edge>,
    /// By edge, those of the parent that it stands for.
    origins: Vec<Vec<Participant>>,
    /// Where receivers may stay out already.
    loops: Vec<(LocationId, Place<ChannelId>)>,
}

impl Edges {
    fn add(&mut self, edge: Edge, origins: Vec<Participant>) {
        self.edges.push(edge);
        self.origins.push(origins);
    }

    /// Adds an edge without synchronisation, unless it does nothing: the child can stay where it
    /// is instead. Updates of every transition would be something.
    fn add_internal(&mut self, edge: Edge, origin: Participant, has_hooks: bool) {
        let does_nothing = edge.source == edge.target && edge.updates.is_empty();
        if does_nothing && !has_hooks {
            return;
        }
        match self.edges.iter().position(|other| *other == edge) {
            Some(_) if is_left_out(Clause::LighterTwin) => {}
            Some(twin) => self.origins[twin].push(origin),
            None => self.add(edge, vec![origin]),
        }
    }

    /// Lets the process of a receiving edge take part without doing anything.
    fn add_loop(&mut self, edge: &Edge) {
        let Some(sync) = &edge.synchronisation else { return };
        let key = (edge.source, sync.channel.clone());
        if is_left_out(Clause::ReceiverLoop) || self.loops.contains(&key) {
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

/// Numbers the kept processes anew, in what names them.
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

/// Empties expressions and functions that nothing uses, so that no analysis looks at them.
fn forget_unused(model: &mut Model) {
    let mut used: IdSet<ExpressionId> = IdSet::default();
    let mut open = crate::roots::roots(model);
    while let Some(id) = open.pop() {
        if !used.insert(id) {
            continue;
        }
        model.expressions[id].for_each_child(|child| open.push(child));
        if let Expression::Call(function, _) = &model.expressions[id] {
            crate::roots::of_body(&model.functions[*function].body, &mut open);
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
