//! Locations and edges of a process.

use crate::clock_constraints::Conjunction;
use crate::codes;
use crate::lowering::Lowering;
use crate::operand::Operand;
use crate::scope::{Entity, Frame, Level};
use crate::value_type::Type;
use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    Direction, Edge, EdgeId, EdgeOrigin, ExpressionId, Location, LocationId, LocationKind,
    Relation, ScalarUseKind, Select, Synchronisation,
};
use zonaut_syntax::print_expression;
use zonaut_syntax::tree::{self, Node, Template, TypeKind};

/// The same location in the model.
pub(crate) fn location_id(id: tree::LocationId) -> LocationId {
    LocationId::from_index(id.index())
}

/// An edge from location to location, through a branchpoint or not.
#[derive(Clone, Copy)]
struct Path<'a> {
    index: usize,
    first: &'a tree::Edge,
    branch: Option<&'a tree::Edge>,
    source: tree::LocationId,
    target: tree::LocationId,
}

impl<'a> Lowering<'a> {
    /// The names of the locations, which are declared on the way.
    pub(crate) fn location_names(&mut self, template: &'a Template) -> Vec<String> {
        let mut names = Vec::new();
        for (index, location) in template.locations.iter().enumerate() {
            match (&location.name, &location.xml_id) {
                (Some(name), _) => {
                    let entity = Entity::Location(LocationId::from_index(index));
                    self.declare(Level::Instance, name, entity);
                    names.push(name.text.to_string());
                }
                (None, Some(id)) => names.push(format!("_{id}")),
                (None, None) => names.push(format!("_L{index}")),
            }
        }
        names
    }

    pub(crate) fn locations(
        &mut self,
        template: &'a Template,
        names: Vec<String>,
    ) -> IndexVec<LocationId, Location> {
        let locations = template.locations.iter().zip(names);
        locations.map(|(location, name)| self.location(location, name)).collect()
    }

    fn location(&mut self, location: &'a tree::Location, name: String) -> Location {
        for &rate in &location.exponential_rate {
            self.look_through(rate);
        }
        let conjunction = self.conjunction_of(&location.invariant, "an invariant");
        self.warn_about_invariant(&conjunction);
        if let [_, (_, second), ..] = conjunction.cost_rates.as_slice() {
            let (second, help) = (*second, "add them up in one rate");
            self.error(codes::COST_RATE, second, "a location has one cost rate at most", help);
        }
        let cost_rate = conjunction.cost_rates.first().map(|(rate, _)| *rate);
        let rates = conjunction.rates.iter().map(|(rate, _)| rate.clone()).collect();
        let rest = Conjunction { rates: Vec::new(), cost_rates: Vec::new(), ..conjunction };
        Location {
            name,
            kind: match location.kind {
                tree::LocationKind::Ordinary => LocationKind::Ordinary,
                tree::LocationKind::Urgent => LocationKind::Urgent,
                tree::LocationKind::Committed => LocationKind::Committed,
            },
            invariant: self.condition_of(rest),
            rates,
            cost_rate,
        }
    }

    fn warn_about_invariant(&mut self, invariant: &Conjunction) {
        for (constraint, span) in &invariant.clocks {
            if constraint.right.is_some() {
                continue;
            }
            match constraint.relation {
                Relation::LessEqual => {}
                Relation::Less => {
                    let message = "strict invariant: time stops just before the bound";
                    let help = "use `<=` unless this is intended";
                    self.warning(codes::STRICT_INVARIANT, *span, message, help);
                }
                Relation::Equal => {
                    let message = "an equality in an invariant, which other tools refuse";
                    let help = "use `<=` here and `>=` in the guards of edges that lead here";
                    self.warning(codes::INVARIANT_BOUND, *span, message, help);
                }
                Relation::GreaterEqual | Relation::Greater => {
                    let message = "a lower bound in an invariant, which other tools refuse";
                    let help =
                        "a lower bound is usually part of the guards of edges that lead here";
                    self.warning(codes::INVARIANT_BOUND, *span, message, help);
                }
            }
        }
    }

    /// All edges. An edge through a branchpoint becomes one edge for each branch.
    pub(crate) fn edges(
        &mut self,
        template: &'a Template,
    ) -> (IndexVec<EdgeId, Edge>, IndexVec<EdgeId, EdgeOrigin>) {
        let mut edges = IndexVec::new();
        let mut origins = IndexVec::new();
        for path in self.paths(template) {
            if let Some((edge, origin)) = self.edge(path) {
                edges.push(edge);
                origins.push(origin);
            }
        }
        (edges, origins)
    }

    fn paths(&mut self, template: &'a Template) -> Vec<Path<'a>> {
        let mut branches: IndexVec<tree::BranchpointId, Vec<&'a tree::Edge>> =
            template.branchpoints.iter().map(|_| Vec::new()).collect();
        for edge in &template.edges {
            if let Some(Node::Branchpoint(point)) = edge.source.node {
                self.check_branch(edge);
                branches[point].push(edge);
            }
        }
        let mut paths = Vec::new();
        for (index, first) in template.edges.iter().enumerate() {
            let Some(Node::Location(source)) = first.source.node else { continue };
            match first.target.node {
                None => {}
                Some(Node::Location(target)) => {
                    paths.push(Path { index, first, branch: None, source, target });
                }
                Some(Node::Branchpoint(point)) => {
                    for &branch in &branches[point] {
                        let Some(Node::Location(target)) = branch.target.node else { continue };
                        paths.push(Path { index, first, branch: Some(branch), source, target });
                    }
                }
            }
        }
        paths
    }

    fn check_branch(&mut self, edge: &tree::Edge) {
        if matches!(edge.target.node, Some(Node::Branchpoint(_))) {
            let message = "a branch leads to another branchpoint";
            let help = "let every branch end in a location";
            self.error(codes::BRANCHPOINT, edge.target.span, message, help);
        }
        let guard = edge.guard.first().map(|guard| self.span_of(*guard));
        let sync = edge.synchronisation.as_ref().map(|sync| sync.span);
        if let Some(span) = guard.or(sync) {
            let message = "a branch cannot have a guard or a synchronisation";
            let help = "move it to the edge that leads to the branchpoint";
            self.error(codes::BRANCHPOINT, span, message, help);
        }
    }

    fn edge(&mut self, path: Path<'a>) -> Option<(Edge, EdgeOrigin)> {
        self.scope.inner.push(Frame::new());
        let result = self.edge_in_scope(path);
        self.scope.inner.pop();
        result
    }

    fn edge_in_scope(&mut self, path: Path<'a>) -> Option<(Edge, EdgeOrigin)> {
        let Path { first, branch, .. } = path;
        let mut select = Vec::new();
        let mut select_names = Vec::new();
        let branch_select = branch.map_or(&[][..], |branch| &branch.select);
        for binder in first.select.iter().chain(branch_select) {
            let Some(values) = self.values_of(&binder.ty) else {
                self.lost(binder.ty.span);
                return None;
            };
            if values.low > values.high {
                self.report_empty_select(binder);
                return None;
            }
            let local = self.bind(binder, &values);
            if let Type::Scalar(set, _) = values.ty {
                self.note_use(set, ScalarUseKind::Select(local));
            }
            select.push(Select { binder: local, low: values.low, high: values.high });
            select_names.push(binder.name.text.to_string());
        }
        let guard = self.conjunction_of(&first.guard, "a guard");
        let has_clock_guard = guard.clocks.first().map(|(_, span)| *span);
        let guard = self.condition_of(guard);
        let synchronisation =
            first.synchronisation.as_ref().and_then(|sync| self.synchronisation(sync));
        if let (Some(sync), Some(span)) = (&synchronisation, has_clock_guard)
            && self.model.channels[sync.channel.root].urgent
        {
            let message = "a clock guard on an urgent channel";
            let help = "time stops as soon as the guard holds; other tools refuse this";
            self.warning(codes::URGENT_CLOCK_GUARD, span, message, help);
        }
        let mut updates = self.updates(&first.updates);
        if let Some(branch) = branch {
            if let Some(weight) = branch.probability {
                self.look_through(weight);
            }
            updates.extend(self.updates(&branch.updates));
        }
        let edge = Edge {
            source: location_id(path.source),
            target: location_id(path.target),
            select,
            guard,
            synchronisation,
            updates,
            controllable: first.controllable,
        };
        Some((edge, self.edge_origin(path, select_names)))
    }

    fn edge_origin(&self, path: Path<'a>, select: Vec<String>) -> EdgeOrigin {
        let Path { first, branch, index, .. } = path;
        let branch_updates = branch.map_or(&[][..], |branch| &branch.updates);
        let updates: Vec<String> =
            first.updates.iter().chain(branch_updates).map(|id| self.text_of(*id)).collect();
        let guard: Vec<String> = first.guard.iter().map(|id| self.text_of(*id)).collect();
        let synchronisation = first.synchronisation.as_ref().map_or_else(String::new, |sync| {
            let mark = match sync.direction {
                tree::Direction::Send => "!",
                tree::Direction::Receive => "?",
                tree::Direction::Together => "",
            };
            format!("{}{mark}", self.text_of(sync.channel))
        });
        EdgeOrigin {
            span: first.span,
            branch: branch.map(|branch| branch.span),
            index: index as u32,
            guard: guard.join(" && "),
            synchronisation,
            updates: updates.join(", "),
            select,
        }
    }

    fn text_of(&self, id: tree::ExpressionId) -> String {
        print_expression(self.source, id)
    }

    fn report_empty_select(&mut self, binder: &tree::Binder) {
        let TypeKind::Integer(Some((low, high))) = &binder.ty.kind else { return };
        if self.is_globally_constant(*low) && self.is_globally_constant(*high) {
            let message = format!("`{}` has no value to take", binder.name.text);
            let help = "the first bound must not be above the second";
            self.value_error(codes::EMPTY_RANGE, binder.ty.span, message, help);
        }
    }

    fn synchronisation(&mut self, sync: &'a tree::Synchronisation) -> Option<Synchronisation> {
        let span = self.span_of(sync.channel);
        let operand =
            self.without_effects(span, "a synchronisation", |this| this.operand(sync.channel));
        let channel = match operand {
            Operand::Channel(place, Type::Channel { .. }) => place,
            Operand::Damaged => {
                self.lost(span);
                return None;
            }
            other => {
                let message = format!("{} cannot synchronise", other.describe());
                let help = "name a channel, or one element of an array of channels";
                self.error(codes::SYNCHRONISATION, span, message, help);
                return None;
            }
        };
        let direction = match sync.direction {
            tree::Direction::Send => Direction::Send,
            tree::Direction::Receive => Direction::Receive,
            tree::Direction::Together => {
                let message = "synchronisation of all at once is not supported";
                let help = "write `!` or `?` after the channel";
                self.error(codes::UNSUPPORTED, sync.span, message, help);
                return None;
            }
        };
        Some(Synchronisation { channel, direction })
    }

    /// Lowers updates, leaving out what has no effect.
    pub(crate) fn updates(&mut self, updates: &[tree::ExpressionId]) -> Vec<ExpressionId> {
        updates.iter().filter_map(|update| self.effect(*update)).collect()
    }
}
