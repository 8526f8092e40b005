//! Questions: queries that are supported, about a model that is supported.

use crate::answer::{Extremes, Reason, Verdict};
use crate::session::Session;
use crate::unsupported::Unsupported;
use std::fmt;
use zonaut_analysis::goal::Reachability;
use zonaut_liveness::Objective;
use zonaut_model::{Model, Query, QueryId, QueryKind};

/// A supported query. [`Question::of`] is the only constructor and [answering](Self::answer) is a
/// method, so an unsupported query or model cannot be answered.
#[derive(Clone, Debug)]
pub struct Question {
    pub(crate) session: Session,
    query: QueryId,
    kind: QuestionKind,
}

/// The kinds of questions. Each is answered by a module under `answer`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum QuestionKind {
    /// Whether a state is reachable: `E<>` and `A[]`.
    Reachability(Reachability),
    /// Whether some maximal run avoids a formula: `A<>`, `E[]` and `-->`.
    MaximalRuns(Objective),
    /// The extreme values of expressions: `sup`, `inf` and `bounds`.
    Extremes(Extremes),
}

/// The reason why a query is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It has an error, which the diagnostics of its file report.
    Damaged,
    /// It or its model needs unsupported features: all of them, those of the query first.
    Unsupported(Vec<Unsupported>),
}

impl From<Refusal> for Verdict {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Damaged => Self::DamagedQuery,
            Refusal::Unsupported(reasons) => Self::Unknown(Reason::Unsupported(reasons)),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged => f.write_str("the query has an error"),
            Self::Unsupported(reasons) => Reason::Unsupported(reasons.clone()).fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl Question {
    /// The question of a query of the session's model.
    ///
    /// # Errors
    /// All reasons why the query is rejected.
    pub fn of(session: &Session, query: QueryId) -> Result<Self, Refusal> {
        let (model, origin) = (&*session.model, &*session.origin);
        let kind = &model.queries[query].kind;
        if *kind == QueryKind::Damaged {
            return Err(Refusal::Damaged);
        }
        let mut reasons = Unsupported::of_query(model, origin, query);
        reasons.extend(Unsupported::of_model(model, origin));
        reasons.extend(Unsupported::of_stopwatches(model, origin, query));
        match kind_of(model, kind) {
            Some(kind) if reasons.is_empty() => Ok(Self { session: session.clone(), query, kind }),
            _ => Err(Refusal::Unsupported(reasons)),
        }
    }

    /// The query.
    #[must_use]
    pub fn query(&self) -> &Query {
        &self.session.model.queries[self.query]
    }

    /// The number of the query.
    #[must_use]
    pub fn id(&self) -> QueryId {
        self.query
    }

    /// The kind of the question.
    #[must_use]
    pub fn kind(&self) -> &QuestionKind {
        &self.kind
    }
}

/// The kind of question that a query asks; `None` if no module answers it. Agrees with the table of
/// [features](crate::Feature).
fn kind_of(model: &Model, kind: &QueryKind) -> Option<QuestionKind> {
    match kind {
        QueryKind::Possibly(_) | QueryKind::Always(_) => {
            Reachability::of(model, kind).map(QuestionKind::Reachability)
        }
        QueryKind::PossiblyAlways(_) | QueryKind::Eventually(_) | QueryKind::LeadsTo(..) => {
            Objective::of(kind).map(QuestionKind::MaximalRuns)
        }
        QueryKind::Supremum(..) | QueryKind::Infimum(..) | QueryKind::Bounds(..) => {
            Extremes::of(kind).map(QuestionKind::Extremes)
        }
        QueryKind::Unsupported(_) | QueryKind::Damaged => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Feature;
    use crate::load::{LoadOptions, load_text};
    use crate::uses::feature_of_kind;
    use zonaut_model::Formula;

    #[test]
    fn a_kind_is_answered_if_and_only_if_its_feature_is_supported() {
        let p = Formula::truth;
        let kinds = [
            QueryKind::Possibly(p()),
            QueryKind::Always(p()),
            QueryKind::PossiblyAlways(p()),
            QueryKind::Eventually(p()),
            QueryKind::LeadsTo(p(), p()),
            QueryKind::Supremum(p(), Vec::new()),
            QueryKind::Infimum(p(), Vec::new()),
            QueryKind::Bounds(p(), Vec::new()),
            QueryKind::Unsupported("statistical query `Pr`".to_owned()),
            QueryKind::Unsupported("a kind that is not there yet".to_owned()),
        ];
        for kind in kinds {
            let feature = feature_of_kind(&kind).expect("every kind has a name");
            assert_eq!(
                kind_of(&Model::default(), &kind).is_some(),
                !feature.is_refused(),
                "{kind:?}"
            );
        }
        assert_eq!(feature_of_kind(&QueryKind::Damaged), None);
        assert_eq!(kind_of(&Model::default(), &QueryKind::Damaged), None);
    }

    #[test]
    fn every_kind_that_the_parser_recognises_has_a_feature_of_its_own() {
        let queries = [
            ("Pr[<=10](<> P.a)", Feature::Statistical),
            ("simulate[<=10]{ P.a }", Feature::Statistical),
            ("E[<=10; 10](max: n)", Feature::Statistical),
            ("control: A<> P.a", Feature::Games),
            ("strategy s = control: A<> P.a", Feature::Strategies),
            ("minE(n)[<=10] : <> P.a", Feature::Strategies),
            ("refinement: P <= P", Feature::Refinement),
            ("sat: P", Feature::SequenceCharts),
            ("A[ P.a U P.a ]", Feature::Until),
            ("A[ P.a W P.a ]", Feature::Until),
        ];
        for (query, feature) in queries {
            let text = format!(
                "int n; process P() {{ state a; init a; }} system P; query {{ {query}\n }}"
            );
            let loaded = load_text("m.xta", &text, &LoadOptions::default());
            let session = loaded.session().expect("a correct model");
            let found: Vec<_> = session.queries().map(|(_, q)| feature_of_kind(&q.kind)).collect();
            assert_eq!(found, [Some(feature)], "{query}");
        }
    }
}
