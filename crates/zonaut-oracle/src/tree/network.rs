//! Edges, and the transitions in which they synchronise.

use super::machine::{Binding, Lvalue, Machine, Outcome, Scope, State, Stop};
use super::value::{Type, Value};
use zonaut_base::Id;
use zonaut_syntax::tree::{
    BinaryOperator, Direction, Edge, ExpressionId, ExpressionKind, LocationKind, Node, Template,
};

/// An edge, with a branch if it leads to a branchpoint, and values for the selections of both.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) process: usize,
    pub(super) edge: usize,
    pub(super) branch: Option<usize>,
    /// The position among all edges of the template from location to location.
    pub(super) path: usize,
    pub(super) select: Vec<i64>,
}

/// An action whose guard holds, and its channel.
pub(super) struct Offer {
    pub(super) action: Action,
    pub(super) synchronisation: Option<(Lvalue, bool, Direction)>,
}

impl<'d> Machine<'d> {
    pub(super) fn template(&self, process: usize) -> &'d Template {
        &self.document.templates[self.processes[process].template]
    }

    /// The edge of an action, and its branch.
    pub(super) fn parts(&self, action: &Action) -> Vec<&'d Edge> {
        let edges = &self.template(action.process).edges;
        let positions = [action.edge].into_iter().chain(action.branch);
        positions.map(|position| &edges[position]).collect()
    }

    fn synchronises(&self, action: &Action) -> bool {
        self.parts(action).iter().any(|part| part.synchronisation.is_some())
    }

    /// Every edge from a location, with each of its branches if it leads to a branchpoint.
    fn paths(&self, process: usize) -> Vec<(usize, Option<usize>)> {
        let edges = &self.template(process).edges;
        let mut paths = Vec::new();
        for (position, edge) in edges.iter().enumerate() {
            match (edge.source.node, edge.target.node) {
                (Some(Node::Location(_)), Some(Node::Location(_))) => paths.push((position, None)),
                (Some(Node::Location(_)), point @ Some(Node::Branchpoint(_))) => {
                    let branches = edges.iter().enumerate();
                    let branches = branches.filter(|(_, branch)| branch.source.node == point);
                    paths.extend(branches.map(|(branch, _)| (position, Some(branch))));
                }
                _ => {}
            }
        }
        paths
    }

    pub(super) fn kind(&self, state: &State, process: usize) -> LocationKind {
        let location = Id::from_index(state.locations[process]);
        self.template(process).locations[location].kind
    }

    /// Whether some process is in a location of this kind.
    pub(super) fn is_somewhere(&self, state: &State, kind: LocationKind) -> bool {
        (0..self.processes.len()).any(|process| self.kind(state, process) == kind)
    }

    /// The edges that leave the current location of a process, in all their selections.
    pub(super) fn actions(&mut self, state: &State, process: usize) -> Outcome<Vec<Action>> {
        let source = Node::Location(Id::from_index(state.locations[process]));
        let mut actions = Vec::new();
        for (path, (edge, branch)) in self.paths(process).into_iter().enumerate() {
            let whole = Action { process, edge, branch, path, select: Vec::new() };
            let parts = self.parts(&whole);
            if parts[0].source.node != Some(source) {
                continue;
            }
            let mut selections: Vec<Vec<i64>> = vec![Vec::new()];
            for binder in parts.iter().flat_map(|part| &part.select) {
                self.scope = Scope { process: Some(process), blocks: Vec::new() };
                let (low, high) = self.values_of(&binder.ty)?;
                let extended = |before: &Vec<i64>| {
                    let before = before.clone();
                    (low..=high).map(move |value| [before.as_slice(), &[value]].concat())
                };
                selections = selections.iter().flat_map(extended).collect();
            }
            let action = |select| Action { select, ..whole.clone() };
            actions.extend(selections.into_iter().map(action));
        }
        Ok(actions)
    }

    /// Runs `work` on the edge of an action and on its branch, each in its own scope: a branch sees
    /// the selections of the edge before it.
    pub(super) fn for_each_part(
        &mut self,
        action: &Action,
        mut work: impl FnMut(&mut Self, &'d Edge) -> Outcome<()>,
    ) -> Outcome<()> {
        let parts = self.parts(action);
        self.scope = Scope { process: Some(action.process), blocks: Vec::new() };
        self.in_block(|machine| {
            let mut values = action.select.iter();
            for part in parts {
                machine.scope.blocks.push(Vec::new());
                for (binder, &value) in part.select.iter().zip(values.by_ref()) {
                    let place = machine.add(super::value::WIDE, Value::Number(value));
                    machine.bind(&binder.name.text, Binding::Lvalue(place));
                }
                work(machine, part)?;
            }
            Ok(())
        })
    }

    /// Whether the conditions without clocks hold, from left to right with short circuits.
    fn data_holds(&mut self, parts: &[ExpressionId]) -> Outcome<bool> {
        for part in self.conjuncts(parts) {
            if !self.mentions_clock(part) && !self.is_rate(part) && !self.holds(part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the conditions on clocks hold. All of their bounds are evaluated.
    fn clocks_hold(&mut self, parts: &[ExpressionId]) -> Outcome<bool> {
        let mut all = true;
        for part in self.conjuncts(parts) {
            if self.mentions_clock(part) && !self.is_rate(part) {
                all &= self.holds(part)?;
            }
        }
        Ok(all)
    }

    /// Whether a conjunct of an invariant is the rate of a clock.
    pub(super) fn is_rate(&self, part: ExpressionId) -> bool {
        match self.source[part].kind {
            ExpressionKind::Binary(BinaryOperator::Equal, left, right) => [left, right]
                .iter()
                .any(|side| matches!(self.source[*side].kind, ExpressionKind::Rate(_))),
            _ => false,
        }
    }

    pub(super) fn conjuncts(&self, parts: &[ExpressionId]) -> Vec<ExpressionId> {
        let mut conjuncts = Vec::new();
        let mut open: Vec<ExpressionId> = parts.iter().rev().copied().collect();
        while let Some(part) = open.pop() {
            match self.source[part].kind {
                ExpressionKind::Binary(BinaryOperator::And, left, right) => {
                    open.extend([right, left]);
                }
                _ => conjuncts.push(part),
            }
        }
        conjuncts
    }

    pub(super) fn mentions_clock(&self, id: ExpressionId) -> bool {
        self.is_clock(id)
            || match &self.source[id].kind {
                ExpressionKind::Unary(_, inner) | ExpressionKind::Quantifier(_, _, inner) => {
                    self.mentions_clock(*inner)
                }
                ExpressionKind::Binary(_, left, right) => {
                    self.mentions_clock(*left) || self.mentions_clock(*right)
                }
                ExpressionKind::Conditional(condition, yes, no) => {
                    [condition, yes, no].iter().any(|part| self.mentions_clock(**part))
                }
                _ => false,
            }
    }

    /// Whether the data guard of an action holds in the loaded state.
    pub(super) fn data_guard_holds(&mut self, action: &Action) -> Outcome<bool> {
        let mut all = true;
        self.for_each_part(action, |machine, part| {
            all = all && machine.data_holds(&part.guard)?;
            Ok(())
        })?;
        Ok(all)
    }

    /// The offer of an action in the loaded state.
    pub(super) fn offer(&mut self, action: &Action) -> Outcome<Option<Offer>> {
        if !self.data_guard_holds(action)? {
            return Ok(None);
        }
        let mut holds = true;
        self.for_each_part(action, |machine, part| {
            holds &= machine.clocks_hold(&part.guard)?;
            Ok(())
        })?;
        let mut synchronisation = None;
        self.for_each_part(action, |machine, part| {
            let Some(label) = &part.synchronisation else { return Ok(()) };
            let channel = machine.place(label.channel)?;
            let Type::Channel { broadcast, .. } = *machine.type_at(&channel) else {
                return Err(Stop::Beyond("a synchronisation on no channel"));
            };
            synchronisation = Some((channel, broadcast, label.direction));
            Ok(())
        })?;
        Ok(holds.then(|| Offer { action: action.clone(), synchronisation }))
    }

    /// Whether the invariants of all current locations hold.
    pub(super) fn invariant_holds(&mut self, state: &State) -> Outcome<bool> {
        let mut all = true;
        for process in 0..self.processes.len() {
            match self.parts_of_invariant_hold(state, process)? {
                [false, _] => return Ok(false),
                [true, holds] => all &= holds,
            }
        }
        Ok(all)
    }

    /// Whether the invariant of the current location of a process holds.
    pub(super) fn invariant_of_holds(&mut self, state: &State, process: usize) -> Outcome<bool> {
        Ok(self.parts_of_invariant_hold(state, process)? == [true, true])
    }

    /// Whether the data part of the invariant holds, and then the clock part.
    fn parts_of_invariant_hold(&mut self, state: &State, process: usize) -> Outcome<[bool; 2]> {
        self.load(state);
        let location = Id::from_index(state.locations[process]);
        let invariant = &self.template(process).locations[location].invariant;
        self.scope = Scope { process: Some(process), blocks: Vec::new() };
        if !self.data_holds(invariant)? {
            return Ok([false, false]);
        }
        Ok([true, self.clocks_hold(invariant)?])
    }

    /// Runs the updates of an action.
    pub(super) fn update(&mut self, action: &Action) -> Outcome<()> {
        self.for_each_part(action, |machine, part| {
            part.updates.iter().try_for_each(|update| machine.operand(*update).map(drop))
        })
    }

    /// The transitions from a state, each with its target: `None` if an invariant disables it.
    ///
    /// # Errors
    /// If the evaluation of a guard or a channel fails.
    pub(super) fn steps(&mut self, state: &State) -> Outcome<Vec<Outcome<Option<State>>>> {
        self.load(state);
        let is_committed = self.is_somewhere(state, LocationKind::Committed);
        let mut offers = Vec::new();
        for process in 0..self.processes.len() {
            let is_excluded = is_committed && self.kind(state, process) != LocationKind::Committed;
            for action in self.actions(state, process)? {
                if is_excluded && !self.synchronises(&action) {
                    continue;
                }
                self.load(state);
                offers.extend(self.offer(&action)?);
            }
        }
        let mut groups = Vec::new();
        for offer in &offers {
            groups.extend(joined(offer, &offers));
        }
        if is_committed {
            let leaves =
                |action: &&Action| self.kind(state, action.process) == LocationKind::Committed;
            groups.retain(|group| group.iter().any(leaves));
        }
        Ok(groups.into_iter().map(|group| self.take(state, &group)).collect())
    }

    pub(super) fn take(&mut self, state: &State, group: &[&Action]) -> Outcome<Option<State>> {
        self.load(state);
        let mut locations = state.locations.clone();
        for action in group {
            self.update(action)?;
            for part in self.parts(action) {
                if let Some(Node::Location(target)) = part.target.node {
                    locations[action.process] = target.index();
                }
            }
        }
        let successor = State { locations, values: self.values() };
        Ok(self.invariant_holds(&successor)?.then_some(successor))
    }
}

/// The synchronisations that an offer initiates.
pub(super) fn joined<'o>(first: &'o Offer, offers: &'o [Offer]) -> Vec<Vec<&'o Action>> {
    let Some((channel, broadcast, direction)) = &first.synchronisation else {
        return vec![vec![&first.action]];
    };
    if *direction != Direction::Send {
        return Vec::new();
    }
    let receivers: Vec<&Action> = offers
        .iter()
        .filter(|other| other.action.process != first.action.process)
        .filter(|other| match &other.synchronisation {
            Some((other, _, direction)) => other == channel && *direction == Direction::Receive,
            None => false,
        })
        .map(|other| &other.action)
        .collect();
    if !broadcast {
        return receivers.into_iter().map(|receiver| vec![&first.action, receiver]).collect();
    }
    let mut groups = vec![vec![&first.action]];
    let mut processes: Vec<usize> = receivers.iter().map(|receiver| receiver.process).collect();
    processes.dedup();
    for process in processes {
        let choices: Vec<&Action> =
            receivers.iter().copied().filter(|receiver| receiver.process == process).collect();
        let extended = |group: &Vec<&'o Action>| {
            let group = group.clone();
            let with = move |choice: &&'o Action| [group.as_slice(), &[*choice]].concat();
            choices.iter().map(with).collect::<Vec<_>>()
        };
        groups = groups.iter().flat_map(extended).collect();
    }
    groups
}
