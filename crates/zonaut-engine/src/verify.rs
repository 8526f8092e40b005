//! Options of answering questions, and the receivers of progress and evidence.

use crate::answer::{Answer, Verdict, maximal_runs, reachability, states, values};
use crate::question::{Question, QuestionKind};
use crate::reduction::describe_unused;
use crate::resources::{ProgressListener, Resources};
use std::cell::Cell;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use zonaut_strategy::Strategy;
use zonaut_zonegraph::{Abstraction, Comparison};

/// The requested trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceWish {
    /// None.
    #[default]
    None,
    /// The trace that the search finds.
    Some,
    /// A trace with the fewest transitions. The search is breadth first, unless the strategy
    /// guarantees a shortest trace, and covering preserves depth.
    Shortest,
}

/// The use of symmetry reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymmetryWish {
    /// Used if it is sound.
    #[default]
    Use,
    /// Not used.
    Ignore,
}

/// The options for answering a query.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The strategy.
    pub strategy: Strategy,
    /// The seed of random choices.
    pub seed: u64,
    /// The abstraction of zones; by default the coarsest that is sound and for which the search
    /// terminates.
    pub abstraction: Option<Abstraction>,
    /// The covering relation; by default the coarsest that is sound.
    pub comparison: Option<Comparison>,
    /// The use of symmetry reduction.
    pub symmetry: SymmetryWish,
    /// The requested trace.
    pub trace: TraceWish,
    /// The limits of the search.
    pub resources: Resources,
    /// The folder of stored pattern databases; without it, none are stored.
    pub databases: Option<PathBuf>,
    /// Whether to report the facts that the proof of a lazy search depends on.
    pub explain: bool,
}

/// The receivers of progress and evidence.
#[derive(Default)]
pub struct Evidence<'l> {
    /// Receives the progress of the search.
    pub listener: Option<&'l mut ProgressListener<'l>>,
    /// Receives the certificate, if the query is decided.
    pub certificate: Option<&'l mut dyn Write>,
    /// The time limit for expanding pruned states for the certificate, unless the search took
    /// longer; without it, only the limit of the query applies.
    pub closing: Option<Duration>,
    /// Receives the lowest estimate of heuristics during the search.
    pub lowest: Option<&'l Cell<Option<u32>>>,
}

impl Question {
    /// Answers the question and writes a certificate, if one is requested. The exploration does not
    /// depend on it.
    pub fn answer<'l>(&self, options: &'l VerifyOptions, evidence: Evidence<'l>) -> Answer {
        let start = Instant::now();
        let (session, query) = (&self.session, self.query());
        let unused = |answer: Answer, why| Answer {
            symmetry: describe_unused(session.model(), why),
            ..answer
        };
        let answered = match self.kind() {
            QuestionKind::Reachability(reachability) => {
                let asked = reachability::Asked { session, query, reachability, options };
                asked.answer(evidence, start)
            }
            QuestionKind::MaximalRuns(objective) => {
                if session.model().has_rates() {
                    let answered = states::answer((session, query), objective, options, start);
                    return answered.unwrap_or_else(|why| {
                        Answer::unexplored(Verdict::Unknown(why), options, start)
                    });
                }
                let asked = maximal_runs::Asked { session, query, objective, options };
                asked.answer(evidence, start).map(|answer| unused(answer, "maximal runs"))
            }
            QuestionKind::Extremes(extremes) => {
                let asked = values::Asked { session, query, extremes, options };
                asked.answer(evidence, start).map(|answer| unused(answer, "values"))
            }
        };
        answered.unwrap_or_else(|why| Answer::unexplored(Verdict::Unknown(why), options, start))
    }
}
