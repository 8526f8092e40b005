//! Tasks: supported queries about a supported model, and questions without a query.

use crate::answer::maximal_runs::LivenessQuestion;
use crate::answer::reachability::{ReachabilityQuery, ReachabilityQuestion};
use crate::answer::sampling::SamplingQuestion;
use crate::answer::values::ValuesQuestion;
use crate::answer::{Answer, Extremes, Reason, Verdict, states};
use crate::feature::Feature;
use crate::optimize::{COSTS, CostMeasure, OptimizeOptions};
use crate::optimum_certificate::OptimumEvidence;
use crate::reduction::describe_unused;
use crate::resources::{Resources, SearchListener};
use crate::session::Session;
use crate::unsupported::Unsupported;
use crate::verify::{Evidence, VerifyOptions};
use std::fmt;
use std::io::Write;
use std::time::Instant;
use zonaut_analysis::goal::Reachability;
use zonaut_base::Diagnostic;
use zonaut_liveness::Objective;
use zonaut_model::{Formula, Model, QueryId, QueryKind, StatisticalQuery};
use zonaut_space::StopReason;
use zonaut_strategy::CostStrategy;

/// A task about the model of a session, with its options and limits. Its constructors refuse
/// unsupported queries, and [performing](Self::perform) and [starting](Self::start) it are methods,
/// so an unsupported query cannot be answered.
#[derive(Clone, Debug)]
pub struct Task {
    pub(crate) session: Session,
    pub(crate) kind: TaskKind,
    pub(crate) options: VerifyOptions,
}

/// The kinds of tasks. Each is planned by one module, which turns it into a search and the result of
/// the search into an [`Answer`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskKind {
    /// Whether a state is reachable: `E<>` and `A[]`.
    Reach {
        /// The query.
        query: QueryId,
        /// Its goal.
        reachability: Reachability,
    },
    /// Whether some maximal run avoids a formula: `A<>`, `E[]` and `-->`.
    Live {
        /// The query.
        query: QueryId,
        /// The run.
        objective: Objective,
    },
    /// The extreme values of expressions: `sup`, `inf` and `bounds`.
    Values {
        /// The query.
        query: QueryId,
        /// The values.
        extremes: Extremes,
    },
    /// Estimates from a sample of random runs: `Pr`, `E` and `simulate`.
    Sample {
        /// The query.
        query: QueryId,
        /// The question.
        statistical: Box<StatisticalQuery>,
    },
    /// A run of minimal cost or time.
    Optimize {
        /// The query that has the goal.
        query: QueryId,
        /// The goal.
        goal: Formula,
        /// The minimised quantity.
        measure: CostMeasure,
        /// The strategy.
        strategy: CostStrategy,
    },
    /// The size of the state space, and unreachable parts of the model.
    Explore,
    /// Several different runs to a goal, shortest first.
    SeveralRuns {
        /// The goal.
        goal: Formula,
        /// The maximal number of runs.
        most: usize,
    },
    /// The first states of a breadth-first search with their transitions, for display.
    StateGraph {
        /// The maximal number of states.
        most: usize,
    },
}

/// The reason why a query is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It has an error, which the diagnostics of its file report.
    Damaged,
    /// It or its model needs unsupported features: all of them, those of the query first.
    Unsupported(Vec<Unsupported>),
    /// It has no goal to be optimised: it is not `E<>`.
    NoGoal,
    /// The cost annotations are not supported, with the reason and the position.
    Costs(Box<Diagnostic>),
}

impl From<Refusal> for Verdict {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Damaged => Self::DamagedQuery,
            Refusal::Unsupported(reasons) => Self::Unknown(Reason::Unsupported(reasons)),
            Refusal::NoGoal => Self::Unknown(Reason::Unsuited("a query without a goal".to_owned())),
            Refusal::Costs(diagnostic) => Self::Unknown(Reason::Costs(diagnostic)),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged => f.write_str("the query has an error"),
            Self::Unsupported(reasons) => Reason::Unsupported(reasons.clone()).fmt(f),
            Self::NoGoal => f.write_str("the query has no goal"),
            Self::Costs(diagnostic) => f.write_str(&diagnostic.message),
        }
    }
}

impl std::error::Error for Refusal {}

impl Task {
    /// The task to answer a query of the session's model.
    ///
    /// # Errors
    /// All reasons why the query is rejected.
    pub fn of_query(
        session: &Session,
        query: QueryId,
        options: &VerifyOptions,
    ) -> Result<Self, Refusal> {
        let (model, origin) = (&*session.model, &*session.origin);
        let kind = &model.queries[query].kind;
        if *kind == QueryKind::Damaged {
            return Err(Refusal::Damaged);
        }
        let mut reasons = Unsupported::of_query(model, origin, query);
        if let QueryKind::Statistical(_) = kind {
            reasons.extend(Unsupported::of_sampling(model, origin, query));
        } else {
            reasons.extend(Unsupported::of_model(model, origin));
            reasons.extend(Unsupported::of_stopwatches(model, origin, query));
        }
        match kind_of(model, query, kind) {
            Some(kind) if reasons.is_empty() => Ok(Self::new(session, kind, options)),
            _ => Err(Refusal::Unsupported(reasons)),
        }
    }

    /// The task to find an optimal run to the goal of an `E<>` query.
    ///
    /// # Errors
    /// If the query has no goal, a cost rate depends on clocks, or unsupported features are needed.
    pub fn optimize(
        session: &Session,
        query: QueryId,
        options: &OptimizeOptions,
    ) -> Result<Self, Refusal> {
        let (model, origin) = (&*session.model, &*session.origin);
        let QueryKind::Possibly(goal) = &model.queries[query].kind else {
            return Err(Refusal::NoGoal);
        };
        let mut reasons = Unsupported::of_query(model, origin, query);
        reasons.extend(Unsupported::of_model(model, origin));
        let (strategy, measure) = (options.strategy, CostMeasure::Cost(options.rates));
        // A cost rate that depends on clocks is floating point, which its author did not write.
        let locations = model.processes.iter().flat_map(|process| &process.locations);
        let rates: Vec<_> = locations
            .filter_map(|location| location.cost_rate)
            .map(|rate| origin.expressions[rate])
            .collect();
        let is_rate = |reason: &&Unsupported| {
            reason.feature == Feature::FloatingPoint && rates.contains(&reason.place)
        };
        if let Some(rate) = reasons.iter().find(is_rate) {
            let message = "the cost rate depends on clocks or on floating point";
            let diagnostic = Diagnostic::error(COSTS, rate.place, message);
            let help = "write a number or an expression over constants";
            return Err(Refusal::Costs(Box::new(diagnostic.with_help(help))));
        }
        if !reasons.is_empty() {
            return Err(Refusal::Unsupported(reasons));
        }
        let kind = TaskKind::Optimize { query, goal: goal.clone(), measure, strategy };
        Ok(Self::new(
            session,
            kind,
            &VerifyOptions {
                seed: options.seed,
                threads: options.threads,
                resources: options.resources.clone(),
                ..VerifyOptions::default()
            },
        ))
    }

    /// The task to find a run of minimal time to the goal of a query; `None` if reachability does
    /// not decide the query.
    #[must_use]
    pub fn fastest_run(session: &Session, query: QueryId, resources: &Resources) -> Option<Self> {
        let model = session.model();
        let Reachability { goal, .. } = Reachability::of(model, &model.queries[query].kind)?;
        let (strategy, measure) = (CostStrategy::default(), CostMeasure::Time);
        let kind = TaskKind::Optimize { query, goal, measure, strategy };
        Some(Self::new(session, kind, &VerifyOptions::within(resources)))
    }

    /// The task to find at most `most` different runs that decide an `E<>` or `A[]` query, shortest
    /// first.
    ///
    /// # Errors
    /// If reachability does not decide the query, or it needs unsupported features.
    pub fn several_runs(
        session: &Session,
        query: QueryId,
        most: usize,
        options: &VerifyOptions,
    ) -> Result<Self, Refusal> {
        let task = Self::of_query(session, query, options)?;
        let TaskKind::Reach { reachability, .. } = &task.kind else {
            return Err(Refusal::NoGoal);
        };
        let goal = reachability.goal.clone();
        Ok(Self { kind: TaskKind::SeveralRuns { goal, most }, ..task })
    }

    /// The task to explore all reachable states.
    #[must_use]
    pub fn explore(session: &Session, options: &VerifyOptions) -> Self {
        Self::new(session, TaskKind::Explore, options)
    }

    /// The task to compute the state graph with at most `most` states.
    #[must_use]
    pub fn state_graph(session: &Session, most: usize, resources: &Resources) -> Self {
        Self::new(session, TaskKind::StateGraph { most }, &VerifyOptions::within(resources))
    }

    fn new(session: &Session, kind: TaskKind, options: &VerifyOptions) -> Self {
        Self { session: session.clone(), kind, options: options.clone() }
    }

    /// The kind of the task.
    #[must_use]
    pub fn kind(&self) -> &TaskKind {
        &self.kind
    }

    /// The same task with other limits.
    pub(crate) fn within(mut self, resources: Resources) -> Self {
        self.options.resources = resources;
        self
    }

    /// Performs the task and writes a certificate, if one is requested. The exploration does not
    /// depend on it.
    pub fn perform(&self, evidence: Evidence<'_>) -> Answer {
        let start = Instant::now();
        let answered = self.plan(evidence.shortened(), start);
        answered
            .unwrap_or_else(|why| Answer::unexplored(Verdict::Unknown(why), &self.options, start))
    }

    /// Leaves the task to the module that plans its kind.
    fn plan<'l>(&'l self, evidence: Evidence<'l>, start: Instant) -> Result<Answer, Reason> {
        let Self { session, kind, options } = self;
        match kind {
            TaskKind::Reach { query, reachability } => {
                let (id, query) = (*query, &session.model().queries[*query]);
                let queries = &[ReachabilityQuery { id, query, reachability }];
                let question = ReachabilityQuestion { session, queries, options };
                let answers = question.answer(evidence, start);
                answers.into_iter().next().ok_or(Reason::Stopped(StopReason::Cancelled))
            }
            TaskKind::Live { query: id, objective } => {
                let mut possible = None;
                if session.model().has_rates() {
                    let answer = states::answer(session, *id, objective, options, start)?;
                    if !matches!(answer.verdict, Verdict::Unknown(Reason::Stopwatches(_))) {
                        return Ok(answer);
                    }
                    possible = Some(answer);
                }
                let (query, closing) = (&session.model().queries[*id], evidence.closing);
                let asked = LivenessQuestion { session, query, objective, options, closing };
                let searched = self.answer_with_one_certificate(
                    *id,
                    evidence,
                    "maximal runs",
                    |listener, output| asked.answer(listener, output, start),
                );
                let is_decided = |answer: &Answer| !matches!(answer.verdict, Verdict::Unknown(_));
                match possible {
                    Some(possible) => Ok(searched.ok().filter(is_decided).unwrap_or(possible)),
                    None => searched,
                }
            }
            TaskKind::Values { query, extremes } => {
                let asked = ValuesQuestion { session, query: *query, extremes, options };
                self.answer_with_one_certificate(*query, evidence, "values", |listener, output| {
                    asked.answer(listener, output, start)
                })
            }
            TaskKind::Sample { query, statistical } => {
                let asked = SamplingQuestion { session, query: *query, statistical, options };
                asked.answer(evidence.listener, start)
            }
            TaskKind::Optimize { query, goal, measure, strategy } => {
                let Evidence { listener, certificate, closing, .. } = evidence;
                let objective = session.objective(*query, goal, *measure)?;
                let found =
                    session.find_optimum(&objective, *strategy, options, start, listener)?;
                let Some(sink) = certificate else { return Ok(found) };
                let evidence = OptimumEvidence {
                    session,
                    objective: &objective,
                    resources: options.resources.for_evidence(start, closing),
                };
                let certificate = evidence.write(&found, sink);
                Ok(Answer { certificate, ..found })
            }
            TaskKind::Explore => session.explore(options, start, evidence.listener),
            TaskKind::SeveralRuns { goal, most } => {
                session.several_runs(goal, *most, options, start, evidence.listener)
            }
            TaskKind::StateGraph { most } => {
                session.state_graph(*most, options, start, evidence.listener)
            }
        }
    }

    /// Answers a query that has a single certificate and does not use symmetry, because it is about
    /// `subject`.
    fn answer_with_one_certificate<'l>(
        &self,
        query: QueryId,
        evidence: Evidence<'l>,
        subject: &str,
        answer: impl FnOnce(
            Option<&'l mut SearchListener<'l>>,
            Option<&'l mut dyn Write>,
        ) -> Result<Answer, Reason>,
    ) -> Result<Answer, Reason> {
        let output = evidence.certificate.map(|sink| sink.open(&[query])).transpose();
        let (output, unwritten) = match output {
            Ok(output) => (output, None),
            Err(error) => (None, Some(Err(error.into()))),
        };
        let answer = answer(evidence.listener, output)?;
        let symmetry = describe_unused(self.session.model(), subject);
        Ok(Answer { certificate: unwritten.or(answer.certificate), symmetry, ..answer })
    }
}

/// The kind of task that answers a query of this kind; `None` if no module does. Agrees with the
/// table of [features](crate::Feature).
fn kind_of(model: &Model, query: QueryId, kind: &QueryKind) -> Option<TaskKind> {
    match kind {
        QueryKind::Possibly(_) | QueryKind::Always(_) => {
            let reachability = Reachability::of(model, kind)?;
            Some(TaskKind::Reach { query, reachability })
        }
        QueryKind::PossiblyAlways(_) | QueryKind::Eventually(_) | QueryKind::LeadsTo(..) => {
            Some(TaskKind::Live { query, objective: Objective::of(kind)? })
        }
        QueryKind::Supremum(..) | QueryKind::Infimum(..) | QueryKind::Bounds(..) => {
            Some(TaskKind::Values { query, extremes: Extremes::of(kind)? })
        }
        QueryKind::Statistical(statistical) => {
            Some(TaskKind::Sample { query, statistical: statistical.clone() })
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
    use zonaut_base::Id;

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
        let task_of = |kind: &QueryKind| kind_of(&Model::default(), QueryId::from_index(0), kind);
        for kind in kinds {
            let feature = feature_of_kind(&kind).expect("every kind has a name");
            assert_eq!(task_of(&kind).is_some(), !feature.is_refused(), "{kind:?}");
        }
        assert_eq!(feature_of_kind(&QueryKind::Damaged), None);
        assert_eq!(task_of(&QueryKind::Damaged), None);
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
