//! Which parts of the language a model or a query uses: what decides which analysis can answer.

use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use zonaut_model::{
    CellKind, Condition, Direction, Expression, ExpressionId, Extremum, Formula, LocationKind,
    Model, Process, Query, QueryKind, Relation,
};

macro_rules! features {
    ($($variant:ident = $name:literal, $meaning:literal;)*) => {
        /// A part of the language that some analyses treat specially or not at all.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Feature { $(#[doc = $meaning] $variant,)* }

        impl Feature {
            /// The name in reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, in one sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

features! {
    Reachability = "reachability", "The query asks whether some state can be reached.";
    Safety = "safety", "The query asks whether every reachable state is good.";
    Liveness = "liveness", "The query asks about whole runs.";
    Extrema = "extrema", "The query asks for the extreme values of an expression.";
    Unsupported = "unsupported", "The query is of a kind that Zonaut does not answer.";
    Deadlock = "deadlock", "The query mentions states without a next action.";
    ClockConstraints = "clock constraints", "The query compares clocks.";
    ClockDifferences = "clock differences", "Differences of clocks are compared.";
    BroadcastChannels = "broadcast channels", "A message reaches every receiver that is ready.";
    GuardedBroadcast = "clock guards on broadcast receivers", "Who receives depends on clocks.";
    UrgentChannels = "urgent channels", "Time stops while a synchronisation is enabled.";
    GuardedUrgency = "clock guards on urgent channels", "When time stops depends on clocks.";
    UrgentLocations = "urgent locations", "Time does not pass in some locations.";
    CommittedLocations = "committed locations", "Some locations must be left at once.";
    Select = "select", "Edges choose values.";
    Functions = "functions", "Expressions call functions.";
    Quantifiers = "quantifiers", "Expressions range over the values of a type.";
    ScalarSets = "scalar sets", "Processes or data are symmetric by declaration.";
    MetaVariables = "meta variables", "Some variables are not part of the state.";
    UpdateHooks = "before and after update", "Every transition runs further updates.";
    VariableBounds = "run-time clock bounds", "Clocks are compared with values of variables.";
    ClockValues = "clocks set to values", "Clocks are set to something else than zero.";
    ClockCopies = "clock copies", "Clocks are set to the values of other clocks.";
    LowerInvariants = "lower bounds in invariants", "Entering a location too early is impossible.";
    Priorities = "priorities", "Some transitions go before others.";
    Rates = "clock rates", "Clocks stop or run at other speeds.";
    Costs = "costs", "Staying in locations or taking edges costs something.";
    Game = "uncontrollable edges", "Some edges belong to the environment.";
}

impl Serialize for Feature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The features that a model uses, its queries apart.
#[must_use]
pub fn features_of_model(model: &Model) -> BTreeSet<Feature> {
    let mut found = BTreeSet::new();
    let mut note = |present: bool, feature| {
        if present {
            found.insert(feature);
        }
    };
    note(model.channels.iter().any(|channel| channel.broadcast), Feature::BroadcastChannels);
    note(model.channels.iter().any(|channel| channel.urgent), Feature::UrgentChannels);
    note(!model.functions.is_empty(), Feature::Functions);
    note(
        model.cells.iter().any(|cell| matches!(cell.kind, CellKind::Scalar(_))),
        Feature::ScalarSets,
    );
    note(model.cells.iter().any(|cell| cell.meta), Feature::MetaVariables);
    let has_hooks = !model.before_update.is_empty() || !model.after_update.is_empty();
    note(has_hooks, Feature::UpdateHooks);
    note(model.has_priorities(), Feature::Priorities);
    note(model.has_rates(), Feature::Rates);
    for process in &model.processes {
        note_process(model, process, &mut found);
    }
    for expression in &model.expressions {
        note_expression(model, expression, &mut found);
    }
    found
}

fn note_process(model: &Model, process: &Process, found: &mut BTreeSet<Feature>) {
    for location in &process.locations {
        match location.kind {
            LocationKind::Ordinary => {}
            LocationKind::Urgent => drop(found.insert(Feature::UrgentLocations)),
            LocationKind::Committed => drop(found.insert(Feature::CommittedLocations)),
        }
        if location.cost_rate.is_some() {
            found.insert(Feature::Costs);
        }
        note_condition(model, &location.invariant, found);
        let bounds_below = |relation| !matches!(relation, Relation::Less | Relation::LessEqual);
        if location.invariant.clocks.iter().any(|c| c.right.is_none() && bounds_below(c.relation)) {
            found.insert(Feature::LowerInvariants);
        }
    }
    for edge in &process.edges {
        if !edge.select.is_empty() {
            found.insert(Feature::Select);
        }
        if !edge.controllable {
            found.insert(Feature::Game);
        }
        note_condition(model, &edge.guard, found);
        let Some(synchronisation) = &edge.synchronisation else { continue };
        if edge.guard.clocks.is_empty() {
            continue;
        }
        let channel = &model.channels[synchronisation.channel.root];
        if channel.broadcast && synchronisation.direction == Direction::Receive {
            found.insert(Feature::GuardedBroadcast);
        }
        if channel.urgent {
            found.insert(Feature::GuardedUrgency);
        }
    }
}

fn note_condition(model: &Model, condition: &Condition, found: &mut BTreeSet<Feature>) {
    for constraint in &condition.clocks {
        if constraint.right.is_some() {
            found.insert(Feature::ClockDifferences);
        }
        if constant(model, constraint.bound).is_none() {
            found.insert(Feature::VariableBounds);
        }
    }
}

fn note_expression(model: &Model, expression: &Expression, found: &mut BTreeSet<Feature>) {
    match expression {
        Expression::Quantifier { .. } => drop(found.insert(Feature::Quantifiers)),
        Expression::CopyClock(..) => drop(found.insert(Feature::ClockCopies)),
        Expression::AddCost(_) => drop(found.insert(Feature::Costs)),
        Expression::AssignClock(_, value) if constant(model, *value) != Some(0) => {
            found.insert(Feature::ClockValues);
        }
        _ => {}
    }
}

fn constant(model: &Model, id: ExpressionId) -> Option<i32> {
    match model.expressions[id] {
        Expression::Constant(value) => Some(value),
        _ => None,
    }
}

/// The features that a query needs.
#[must_use]
pub fn features_of_query(query: &Query) -> BTreeSet<Feature> {
    let mut found = BTreeSet::new();
    match &query.kind {
        QueryKind::Possibly(p) => {
            found.insert(Feature::Reachability);
            note_formula(p, &mut found);
        }
        QueryKind::Always(p) => {
            found.insert(Feature::Safety);
            note_formula(p, &mut found);
        }
        QueryKind::PossiblyAlways(p) | QueryKind::Eventually(p) => {
            found.insert(Feature::Liveness);
            note_formula(p, &mut found);
        }
        QueryKind::LeadsTo(p, q) => {
            found.insert(Feature::Liveness);
            note_formula(p, &mut found);
            note_formula(q, &mut found);
        }
        QueryKind::Supremum(p, values)
        | QueryKind::Infimum(p, values)
        | QueryKind::Bounds(p, values) => {
            found.insert(Feature::Extrema);
            note_formula(p, &mut found);
            if values.contains(&Extremum::Cost) {
                found.insert(Feature::Costs);
            }
        }
        QueryKind::Unsupported(_) => drop(found.insert(Feature::Unsupported)),
    }
    found
}

fn note_formula(formula: &Formula, found: &mut BTreeSet<Feature>) {
    if formula.mentions_deadlock() {
        found.insert(Feature::Deadlock);
    }
    formula.for_each_constraint(&mut |constraint| {
        let is_difference = constraint.right.is_some();
        let differences = Feature::ClockDifferences;
        found.insert(if is_difference { differences } else { Feature::ClockConstraints });
    });
}
