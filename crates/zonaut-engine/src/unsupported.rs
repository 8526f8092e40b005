//! What cannot be answered yet: refused by name, never answered wrongly.

use zonaut_model::{Formula, Model, Query, QueryKind};

/// Why `query` cannot be answered on `model`; nothing if it can.
pub(crate) fn why_unsupported(model: &Model, query: &Query) -> Option<String> {
    let of_query = match &query.kind {
        QueryKind::Possibly(formula) | QueryKind::Always(formula) => deadlock(formula),
        QueryKind::PossiblyAlways(_) => Some("liveness (`E[]`)".to_owned()),
        QueryKind::Eventually(_) => Some("liveness (`A<>`)".to_owned()),
        QueryKind::LeadsTo(..) => Some("liveness (`-->`)".to_owned()),
        QueryKind::Supremum(..) => Some("`sup`".to_owned()),
        QueryKind::Infimum(..) => Some("`inf`".to_owned()),
        QueryKind::Bounds(..) => Some("`bounds`".to_owned()),
        QueryKind::Unsupported(name) => Some(name.clone()),
    };
    of_query.or_else(|| why_model_unsupported(model))
}

/// Why `model` cannot be explored; nothing if it can.
pub(crate) fn why_model_unsupported(model: &Model) -> Option<String> {
    if model.has_priorities() {
        return Some("priorities".to_owned());
    }
    model.has_rates().then(|| "stopwatches".to_owned())
}

fn deadlock(formula: &Formula) -> Option<String> {
    formula.mentions_deadlock().then(|| "`deadlock`".to_owned())
}
