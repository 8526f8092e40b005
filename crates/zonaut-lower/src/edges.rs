//! Lowering of the locations and edges of a process.

use crate::clock_constraints::Conjunction;
use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{HybridEquation, Operand};
use crate::scope::{Entity, Level, ScopeNames};
use crate::value_type::Type;
use zonaut_base::{Diagnostic, Id, IndexVec, Span};
use zonaut_model::statistical::{ExponentialRate, HybridRate, Stem, Weight};
use zonaut_model::{
    Direction, Edge, EdgeId, EdgeOrigin, Expression, ExpressionId, Location, LocationId,
    LocationKind, Relation, ScalarUseKind, Select, Synchronisation,
};
use zonaut_syntax::print_expression;
use zonaut_syntax::tree::{self, ExpressionKind, Node, Template, TypeKind};

/// The id of the same location in the model.
pub(crate) fn location_id(id: tree::LocationId) -> LocationId {
    LocationId::from_index(id.index())
}

/// The lowered labels of an edge, with those of its branch.
#[derive(Default)]
struct EdgeLabels {
    select: Vec<Select>,
    select_names: Vec<String>,
    guard: Conjunction,
    synchronisation: Option<(Synchronisation, Span)>,
    updates: Vec<ExpressionId>,
}

/// An edge from a location to a location, directly or through a branchpoint.
#[derive(Clone, Copy)]
struct BranchedEdge<'a> {
    index: usize,
    first: &'a tree::Edge,
    branch: Option<&'a tree::Edge>,
    source: tree::LocationId,
    target: tree::LocationId,
}

impl<'a> Lowering<'a> {
    /// The names of the locations; each is declared as well.
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
        let locations = template.locations.iter().zip(names).enumerate();
        locations
            .map(|(index, (location, name))| {
                self.location(location, LocationId::from_index(index), name)
            })
            .collect()
    }

    fn location(&mut self, location: &'a tree::Location, id: LocationId, name: String) -> Location {
        self.exponential_rate(location, id);
        let conjunction =
            self.as_code(|this| this.conjunction_of(&location.invariant, "an invariant"));
        self.warn_about_invariant(&conjunction);
        if let [_, (_, second), ..] = conjunction.cost_rates.as_slice() {
            let (second, help) = (*second, "add them up in one rate");
            self.error(codes::COST_RATE, second, "a location has one cost rate at most", help);
        }
        let cost_rate = conjunction.cost_rates.first().map(|(rate, _)| *rate);
        let rates = conjunction.rates.iter().map(|(rate, _)| rate.clone()).collect();
        self.hybrid_rates(id, conjunction.hybrid_rates.clone());
        let rest = Conjunction {
            rates: Vec::new(),
            cost_rates: Vec::new(),
            hybrid_rates: Vec::new(),
            ..conjunction
        };
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

    /// Records the exponential rate of a location. No verdict depends on it: errors in it are
    /// reported as warnings, and the rate is omitted.
    fn exponential_rate(&mut self, location: &'a tree::Location, id: LocationId) {
        let Some(&first) = location.exponential_rate.first() else { return };
        let at = self.push(Expression::Constant(0), self.span_of(first));
        let rate = self.leniently(|this| {
            let scale = match location.exponential_rate.get(1) {
                Some(scale) => Some(this.real(*scale)?),
                None => None,
            };
            Some(ExponentialRate { rate: this.real(first)?, scale, at })
        });
        if let (Some(rate), Some(owner)) = (rate, &self.owner) {
            self.model.statistical.exponential_rates.insert((owner.process, id), rate);
        }
    }

    fn hybrid_rates(&mut self, location: LocationId, equations: Vec<(HybridEquation, Span)>) {
        let Some(owner) = &self.owner else { return };
        let process = owner.process;
        let mut rates = Vec::new();
        for (HybridEquation { condition, clock, rate }, span) in equations {
            let at = self.push(Expression::Constant(0), span);
            rates.push(HybridRate { process, location, condition, clock, rate, at });
        }
        self.model.statistical.rates.extend(rates);
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

    /// Lowers all edges. An edge through a branchpoint becomes one edge for each branch.
    pub(crate) fn edges(
        &mut self,
        template: &'a Template,
    ) -> (IndexVec<EdgeId, Edge>, IndexVec<EdgeId, EdgeOrigin>) {
        let mut edges = IndexVec::new();
        let mut origins = IndexVec::new();
        for written in self.branched_edges(template) {
            self.weight = None;
            if let Some((edge, origin)) = self.edge(written) {
                let weight = self.weight.take();
                if let (Some(_), Some(owner)) = (written.branch, &self.owner) {
                    let key = (owner.process, edges.next_id());
                    let select = written.first.select.len() as u32;
                    let stem = Stem { index: written.index as u32, select };
                    self.model.statistical.stems.insert(key, stem);
                    if let Some(weight) = weight {
                        self.model.statistical.weights.insert(key, weight);
                    }
                }
                edges.push(edge);
                origins.push(origin);
            }
        }
        (edges, origins)
    }

    fn branched_edges(&mut self, template: &'a Template) -> Vec<BranchedEdge<'a>> {
        let mut branches: IndexVec<tree::BranchpointId, Vec<&'a tree::Edge>> =
            template.branchpoints.iter().map(|_| Vec::new()).collect();
        for edge in &template.edges {
            if let Some(Node::Branchpoint(point)) = edge.source.node {
                self.check_branch(edge);
                branches[point].push(edge);
            }
        }
        let mut edges = Vec::new();
        for (index, first) in template.edges.iter().enumerate() {
            let Some(Node::Location(source)) = first.source.node else { continue };
            match first.target.node {
                None => {}
                Some(Node::Location(target)) => {
                    edges.push(BranchedEdge { index, first, branch: None, source, target });
                }
                Some(Node::Branchpoint(point)) => {
                    for &branch in &branches[point] {
                        let Some(Node::Location(target)) = branch.target.node else { continue };
                        edges.push(BranchedEdge {
                            index,
                            first,
                            branch: Some(branch),
                            source,
                            target,
                        });
                    }
                }
            }
        }
        edges
    }

    fn check_branch(&mut self, edge: &tree::Edge) {
        if matches!(edge.target.node, Some(Node::Branchpoint(_))) {
            let message = "a branch leads to another branchpoint";
            let help = "let every branch end in a location";
            self.error(codes::BRANCHPOINT, edge.target.span, message, help);
        }
        if let Some(sync) = &edge.synchronisation
            && sync.direction == tree::Direction::Receive
        {
            let message = "a branch cannot receive";
            let help = "receive on the edge that leads to the branchpoint; a branch may only send";
            self.error(codes::BRANCHPOINT, sync.span, message, help);
        }
    }

    fn edge(&mut self, written: BranchedEdge<'a>) -> Option<(Edge, EdgeOrigin)> {
        self.scope.inner.push(ScopeNames::new());
        let result = self.as_code(|this| this.edge_in_scope(written));
        self.scope.inner.pop();
        result
    }

    fn edge_in_scope(&mut self, written: BranchedEdge<'a>) -> Option<(Edge, EdgeOrigin)> {
        let mut labels = EdgeLabels::default();
        self.add_labels(written.first, &mut labels)?;
        if let Some(branch) = written.branch {
            // The `select` variables of a branch are not visible in the edge before it.
            self.scope.inner.push(ScopeNames::new());
            let is_complete = self.add_labels(branch, &mut labels);
            self.scope.inner.pop();
            is_complete?;
            if let Some(weight) = branch.probability {
                let at = self.push(Expression::Constant(0), self.span_of(weight));
                self.weight =
                    self.leniently(|this| this.real(weight)).map(|value| Weight { value, at });
            }
        }
        let has_clock_guard = labels.guard.clocks.first().map(|(_, span)| *span);
        if let (Some((sync, _)), Some(span)) = (&labels.synchronisation, has_clock_guard)
            && self.model.channels[sync.channel.root].urgent
        {
            let message = "a clock guard on an urgent channel";
            let help = "time stops as soon as the guard holds; other tools refuse this";
            self.warning(codes::URGENT_CLOCK_GUARD, span, message, help);
        }
        let edge = Edge {
            source: location_id(written.source),
            target: location_id(written.target),
            select: labels.select,
            guard: self.condition_of(labels.guard),
            synchronisation: labels.synchronisation.map(|(synchronisation, _)| synchronisation),
            updates: labels.updates,
            controllable: written.first.controllable,
        };
        Some((edge, self.edge_origin(written, labels.select_names)))
    }

    /// Adds the labels of an edge or of a branch. Guards are conjoined, because all of them are
    /// evaluated before any update; updates run in order.
    fn add_labels(&mut self, edge: &'a tree::Edge, labels: &mut EdgeLabels) -> Option<()> {
        for binder in &edge.select {
            let Some(values) = self.values_of(&binder.ty) else {
                self.record_loss(binder.ty.span);
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
            labels.select.push(Select { binder: local, low: values.low, high: values.high });
            labels.select_names.push(binder.name.text.to_string());
        }
        let guard = self.conjunction_of(&edge.guard, "a guard");
        self.join(&mut labels.guard, guard);
        if let Some(sync) = &edge.synchronisation {
            if let Some((_, first)) = &labels.synchronisation {
                let message = "an edge and its branch both synchronise";
                let diagnostic = Diagnostic::error(codes::BRANCHPOINT, sync.span, message)
                    .with_label(*first, "the synchronisation of the edge")
                    .with_help(
                        "synchronise on the edge that leads to the branchpoint, or on its branches",
                    );
                self.report(diagnostic);
            } else {
                labels.synchronisation =
                    self.synchronisation(sync).map(|lowered| (lowered, sync.span));
            }
        }
        labels.updates.extend(self.updates(&edge.updates));
        Some(())
    }

    fn edge_origin(&self, written: BranchedEdge<'a>, select: Vec<String>) -> EdgeOrigin {
        let BranchedEdge { first, branch, index, .. } = written;
        let parts = || [first].into_iter().chain(branch);
        let updates = parts().flat_map(|edge| &edge.updates).map(|id| self.text_of(*id));
        let updates: Vec<String> = updates.collect();
        let guard: Vec<tree::ExpressionId> =
            parts().flat_map(|edge| edge.guard.iter().copied()).collect();
        let synchronisation = parts().find_map(|edge| edge.synchronisation.as_ref());
        let synchronisation = synchronisation.map_or_else(String::new, |sync| {
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
            guard: self.conjunction_text(&guard),
            synchronisation,
            updates: updates.join(", "),
            select,
        }
    }

    /// The text of a conjunction. Conjuncts that bind less tightly than `&&` are put into
    /// parentheses.
    fn conjunction_text(&self, parts: &[tree::ExpressionId]) -> String {
        let text = |id: &tree::ExpressionId| {
            let is_loose = match &self.source[*id].kind {
                ExpressionKind::Binary(operator, ..) => {
                    use tree::BinaryOperator::{Imply, Or, Xor};
                    matches!(operator, Or | Xor | Imply)
                }
                ExpressionKind::Conditional(..) | ExpressionKind::Quantifier(..) => true,
                _ => false,
            };
            let text = self.text_of(*id);
            if is_loose && parts.len() > 1 { format!("({text})") } else { text }
        };
        parts.iter().map(text).collect::<Vec<_>>().join(" && ")
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
                self.record_loss(span);
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

    /// Lowers updates; those without effect are omitted.
    pub(crate) fn updates(&mut self, updates: &[tree::ExpressionId]) -> Vec<ExpressionId> {
        self.as_code(|this| updates.iter().filter_map(|update| this.effect(*update)).collect())
    }
}
