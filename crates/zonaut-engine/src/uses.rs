//! The features of the language that a model or a query uses, and their positions.

use crate::feature::Feature;
use std::collections::{BTreeMap, BTreeSet};
use zonaut_base::Span;
use zonaut_model::statistical::Construct;
use zonaut_model::{
    CellKind, Condition, Direction, Expression, ExpressionId, Extremum, Formula, LocationId,
    LocationKind, Model, Origin, ProcessId, QueryId, QueryKind, Relation,
};
use zonaut_syntax::tree::Document;

/// The used features, each with the position of its first use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Uses {
    places: BTreeMap<Feature, Span>,
}

impl Uses {
    /// The features of a model without its queries.
    pub(crate) fn of_model(model: &Model, origin: &Origin) -> Self {
        let mut uses = Self::default();
        uses.note_declarations(model, origin);
        for process in model.processes.ids() {
            uses.note_locations(model, origin, process);
            uses.note_edges(model, origin, process);
        }
        for (id, expression) in model.expressions.iter_enumerated() {
            uses.note_expression(model, expression, origin.expressions[id]);
        }
        for &clock in model.statistical.clock_starts.keys() {
            uses.note(Feature::FloatingPoint, origin.clocks[clock]);
        }
        let locations = model.processes.iter().flat_map(|process| &process.locations);
        let rates = locations.flat_map(|location| &location.rates).map(|rate| rate.rate);
        let rates: BTreeSet<ExpressionId> = rates.collect();
        for needed in model.needed_reals() {
            let feature = match feature_of_construct(needed.construct) {
                Feature::FloatingPoint if rates.contains(&needed.at) => Feature::ClockRates,
                feature => feature,
            };
            uses.note(feature, origin.expressions[needed.at]);
        }
        uses
    }

    /// The features of a document that its model does not represent.
    pub(crate) fn of_document(document: &Document) -> Self {
        let mut uses = Self::default();
        for template in &document.templates {
            for rate in template.locations.iter().flat_map(|location| &location.exponential_rate) {
                uses.note(Feature::ExponentialRates, document.expressions[*rate].span);
            }
            for weight in template.edges.iter().filter_map(|edge| edge.probability) {
                uses.note(Feature::Weights, document.expressions[weight].span);
            }
        }
        uses
    }

    /// The features that a query needs.
    pub(crate) fn of_query(model: &Model, origin: &Origin, query: QueryId) -> Self {
        let (mut uses, place) = (Self::default(), origin.queries[query]);
        let kind = &model.queries[query].kind;
        if let Some(feature) = feature_of_kind(kind) {
            uses.note(feature, place);
        }
        for needed in model.needed_reals_of(query) {
            uses.note(feature_of_construct(needed.construct), origin.expressions[needed.at]);
        }
        match kind {
            QueryKind::Possibly(p)
            | QueryKind::Always(p)
            | QueryKind::PossiblyAlways(p)
            | QueryKind::Eventually(p) => uses.note_formula(p, place),
            QueryKind::LeadsTo(p, q) => {
                uses.note_formula(p, place);
                uses.note_formula(q, place);
            }
            QueryKind::Supremum(p, values)
            | QueryKind::Infimum(p, values)
            | QueryKind::Bounds(p, values) => {
                uses.note_formula(p, place);
                if values.contains(&Extremum::Cost) {
                    uses.note(Feature::Costs, place);
                }
            }
            QueryKind::Statistical(_) | QueryKind::Unsupported(_) | QueryKind::Damaged => {}
        }
        uses
    }

    /// The features, each with its position.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Feature, Span)> {
        self.places.iter().map(|(&feature, &place)| (feature, place))
    }

    /// The features alone.
    pub(crate) fn features(&self) -> impl Iterator<Item = Feature> {
        self.places.keys().copied()
    }

    fn note(&mut self, feature: Feature, place: Span) {
        self.places.entry(feature).or_insert(place);
    }

    fn note_declarations(&mut self, model: &Model, origin: &Origin) {
        for (id, channel) in model.channels.iter_enumerated() {
            let place = origin.channels[id];
            let uses = [
                (channel.broadcast, Feature::BroadcastChannels),
                (channel.urgent, Feature::UrgentChannels),
                (channel.priority != model.default_priority, Feature::Priorities),
            ];
            self.note_those(&uses, place);
        }
        for (id, process) in model.processes.iter_enumerated() {
            self.note_those(
                &[(process.priority != 0, Feature::Priorities)],
                origin.processes[id].system,
            );
        }
        for (id, cell) in model.cells.iter_enumerated() {
            let is_scalar = matches!(cell.kind, CellKind::Scalar(_));
            let uses = [(is_scalar, Feature::ScalarSets), (cell.meta, Feature::MetaVariables)];
            self.note_those(&uses, origin.cells[id]);
        }
        if let Some(&place) = origin.functions.iter().next() {
            self.note(Feature::Functions, place);
        }
        let hooks = model.before_update.iter().chain(&model.after_update);
        for &hook in hooks {
            self.note(Feature::UpdateHooks, origin.expressions[hook]);
        }
    }

    fn note_those(&mut self, uses: &[(bool, Feature)], place: Span) {
        for &(_, feature) in uses.iter().filter(|(is_used, _)| *is_used) {
            self.note(feature, place);
        }
    }

    fn note_locations(&mut self, model: &Model, origin: &Origin, process: ProcessId) {
        for id in model.processes[process].locations.ids() {
            self.note_location(model, origin, process, id);
        }
    }

    fn note_location(
        &mut self,
        model: &Model,
        origin: &Origin,
        process: ProcessId,
        id: LocationId,
    ) {
        let location = &model.processes[process].locations[id];
        let place = origin.processes[process].locations[id];
        let bounds_below = |relation| !matches!(relation, Relation::Less | Relation::LessEqual);
        let is_lower = location.invariant.clocks.iter();
        let is_lower = { is_lower }.any(|c| c.right.is_none() && bounds_below(c.relation));
        let uses = [
            (location.kind == LocationKind::Urgent, Feature::UrgentLocations),
            (location.kind == LocationKind::Committed, Feature::CommittedLocations),
            (is_lower, Feature::LowerInvariants),
        ];
        self.note_those(&uses, place);
        if let Some(rate) = location.rates.first() {
            self.note(Feature::Rates, origin.expressions[rate.rate]);
        }
        if let Some(rate) = location.cost_rate {
            self.note(Feature::Costs, origin.expressions[rate]);
        }
        self.note_condition(model, &location.invariant, place);
    }

    fn note_edges(&mut self, model: &Model, origin: &Origin, process: ProcessId) {
        for (id, edge) in model.processes[process].edges.iter_enumerated() {
            let place = origin.processes[process].edges[id].span;
            let uses =
                [(!edge.select.is_empty(), Feature::Select), (!edge.controllable, Feature::Game)];
            self.note_those(&uses, place);
            self.note_condition(model, &edge.guard, place);
            let Some(synchronisation) = &edge.synchronisation else { continue };
            if edge.guard.clocks.is_empty() {
                continue;
            }
            let channel = &model.channels[synchronisation.channel.root];
            let receives = synchronisation.direction == Direction::Receive;
            let uses = [
                (channel.broadcast && receives, Feature::GuardedBroadcast),
                (channel.urgent, Feature::GuardedUrgency),
            ];
            self.note_those(&uses, place);
        }
    }

    fn note_condition(&mut self, model: &Model, condition: &Condition, place: Span) {
        for constraint in &condition.clocks {
            let uses = [
                (constraint.right.is_some(), Feature::ClockDifferences),
                (constant(model, constraint.bound).is_none(), Feature::VariableBounds),
            ];
            self.note_those(&uses, place);
        }
    }

    fn note_expression(&mut self, model: &Model, expression: &Expression, place: Span) {
        match expression {
            Expression::Quantifier { .. } => self.note(Feature::Quantifiers, place),
            Expression::CopyClock(..) => self.note(Feature::ClockCopies, place),
            Expression::AddCost(_) => self.note(Feature::Costs, place),
            Expression::AssignClock(_, value) if constant(model, *value) != Some(0) => {
                self.note(Feature::ClockValues, place);
            }
            _ => {}
        }
    }

    fn note_formula(&mut self, formula: &Formula, place: Span) {
        if formula.mentions_deadlock() {
            self.note(Feature::Deadlock, place);
        }
        formula.for_each_constraint(&mut |constraint| {
            let is_difference = constraint.right.is_some();
            let differences = Feature::ClockDifferences;
            self.note(if is_difference { differences } else { Feature::ClockConstraints }, place);
        });
    }
}

fn constant(model: &Model, id: ExpressionId) -> Option<i32> {
    match model.expressions[id] {
        Expression::Constant(value) => Some(value),
        _ => None,
    }
}

/// The feature of a construct of statistical models.
fn feature_of_construct(construct: Construct) -> Feature {
    match construct {
        Construct::FloatingPoint => Feature::FloatingPoint,
        Construct::Random => Feature::RandomNumbers,
        Construct::External => Feature::ExternalFunctions,
        Construct::Dynamic => Feature::DynamicTemplates,
    }
}

/// The feature of this kind of query; `None` if the kind is unknown.
pub(crate) fn feature_of_kind(kind: &QueryKind) -> Option<Feature> {
    Some(match kind {
        QueryKind::Possibly(_) => Feature::Reachability,
        QueryKind::Always(_) => Feature::Safety,
        QueryKind::PossiblyAlways(_) | QueryKind::Eventually(_) | QueryKind::LeadsTo(..) => {
            Feature::Liveness
        }
        QueryKind::Supremum(..) | QueryKind::Infimum(..) | QueryKind::Bounds(..) => {
            Feature::Extrema
        }
        QueryKind::Statistical(_) => Feature::Statistical,
        QueryKind::Unsupported(name) => feature_of_name(name),
        QueryKind::Damaged => return None,
    })
}

/// The feature of a kind of query that the parser only knows by name.
fn feature_of_name(name: &str) -> Feature {
    const BY_FIRST_WORD: [(&str, Feature); 9] = [
        ("MITL", Feature::Mitl),
        ("game", Feature::Games),
        ("strategy", Feature::Strategies),
        ("refinement", Feature::Refinement),
        ("sequence", Feature::SequenceCharts),
        ("until", Feature::Until),
        ("weak", Feature::Until),
        ("floating", Feature::FloatingPoint),
        ("dynamic", Feature::DynamicTemplates),
    ];
    let first = name.split(' ').next().unwrap_or_default();
    let known = BY_FIRST_WORD.iter().find(|(word, _)| *word == first);
    known.map_or(Feature::Unsupported, |(_, feature)| *feature)
}
