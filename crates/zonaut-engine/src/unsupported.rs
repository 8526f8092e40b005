//! Unsupported features: queries that need them are rejected with all reasons.

use crate::feature::{Feature, Support};
use crate::uses::Uses;
use std::fmt;
use zonaut_base::{Diagnostic, Span};
use zonaut_model::statistical::{RealExpression, RealUse};
use zonaut_model::{Model, Origin, QueryId, QueryKind};

/// The code of unsupported features.
const UNSUPPORTED: &str = "TA1001";

/// An unsupported feature that a query needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The feature.
    pub feature: Feature,
    /// Its name, with details of the query, as in "statistical query `Pr`".
    pub name: String,
    /// The position of its first use.
    pub place: Span,
    /// Advice what to do instead.
    pub instead: &'static str,
}

impl Unsupported {
    /// All unsupported features of `model`.
    pub(crate) fn of_model(model: &Model, origin: &Origin) -> Vec<Self> {
        refused(&Uses::of_model(model, origin), |feature| feature.name().to_owned())
    }

    /// All unsupported features of a query, whatever the model.
    pub(crate) fn of_query(model: &Model, origin: &Origin, query: QueryId) -> Vec<Self> {
        let kind = &model.queries[query].kind;
        let name = |feature: Feature| match (feature, kind) {
            (Feature::Deadlock | Feature::Costs, _) => feature.name().to_owned(),
            (_, QueryKind::Unsupported(name)) => name.clone(),
            _ => feature.name().to_owned(),
        };
        refused(&Uses::of_query(model, origin, query), name)
    }

    /// All unsupported features of a statistical query and its model.
    pub(crate) fn of_sampling(model: &Model, origin: &Origin, query: QueryId) -> Vec<Self> {
        let statistical = &model.statistical;
        let mut reasons: Vec<Self> = Vec::new();
        let mut refuse = |feature: Feature, place, name: &str| {
            let Support::Refused(instead) = feature.support() else { return };
            if reasons.iter().all(|reason| reason.feature != feature) {
                reasons.push(Self { feature, name: name.to_owned(), place, instead });
            }
        };
        for (&id, meaning) in &statistical.uses {
            let feature = match meaning {
                RealUse::External(..) => Feature::ExternalFunctions,
                RealUse::Spawn(_) | RealUse::Exit | RealUse::NumberOf(_) => {
                    Feature::DynamicTemplates
                }
                _ => continue,
            };
            refuse(feature, origin.expressions[id], feature.name());
        }
        let is_external = |real: &RealExpression| matches!(real, RealExpression::External(..));
        if statistical.expressions.iter().any(is_external) {
            let feature = Feature::ExternalFunctions;
            refuse(feature, origin.queries[query], feature.name());
        }
        if model.has_priorities() {
            let place = origin.queries[query];
            let name = "statistical queries about models with priorities".to_owned();
            let instead = "remove the priorities, or ask `E<>` or `A[]`";
            reasons.push(Self { feature: Feature::Priorities, name, place, instead });
        }
        reasons
    }

    /// The reasons why a query about deadlocks is rejected for a model with stopwatches: whether a
    /// delay enables a transition is unknown if it depends on clock differences, or on guards that
    /// decide when time stops.
    pub(crate) fn of_stopwatches(model: &Model, origin: &Origin, query: QueryId) -> Vec<Self> {
        let uses = Uses::of_model(model, origin);
        let asked = Uses::of_query(model, origin, query);
        let has = |uses: &Uses, feature| uses.iter().any(|(used, _)| used == feature);
        let is_hard = has(&asked, Feature::Deadlock)
            && (has(&uses, Feature::ClockDifferences) || has(&uses, Feature::GuardedUrgency));
        let rates = uses.iter().filter(|(feature, _)| *feature == Feature::Rates && is_hard);
        let refusal = |(feature, place)| Self {
            feature,
            name: "deadlocks with stopwatches and clock differences or guarded urgency".to_owned(),
            place,
            instead: "remove `deadlock` from the query",
        };
        rates.map(refusal).collect()
    }

    /// The reason as a warning at its position.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("not supported: {}", self.name);
        Diagnostic::warning(UNSUPPORTED, self.place, message).with_help(self.instead)
    }
}

/// The name and the advice, as in reports.
impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

fn refused(uses: &Uses, name: impl Fn(Feature) -> String) -> Vec<Unsupported> {
    let refused = uses.iter().filter_map(|(feature, place)| match feature.support() {
        Support::Answered | Support::Ignored(_) => None,
        Support::Refused(instead) => Some((feature, place, instead)),
    });
    refused
        .map(|(feature, place, instead)| {
            let name = name(feature);
            Unsupported { feature, name, place, instead }
        })
        .collect()
}

/// The name of a kind of query, such as `E<>`.
pub(crate) fn kind_name(kind: &QueryKind) -> &str {
    match kind {
        QueryKind::Possibly(_) => "E<>",
        QueryKind::Always(_) => "A[]",
        QueryKind::PossiblyAlways(_) => "E[]",
        QueryKind::Eventually(_) => "A<>",
        QueryKind::LeadsTo(..) => "-->",
        QueryKind::Supremum(..) => "sup",
        QueryKind::Infimum(..) => "inf",
        QueryKind::Bounds(..) => "bounds",
        QueryKind::Statistical(_) => "statistical",
        QueryKind::Unsupported(name) => name,
        QueryKind::Damaged => "damaged",
    }
}
