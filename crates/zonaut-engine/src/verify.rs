//! Answering questions: with which options, and who is told what.

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

/// Which trace is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceWish {
    /// None.
    #[default]
    None,
    /// The one that the search finds.
    Some,
    /// One with the fewest transitions. The search is then breadth first, unless the strategy
    /// promises such a trace by itself, and respects depth.
    Shortest,
}

/// Whether symmetry of scalar sets is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymmetryWish {
    /// Where it is sound.
    #[default]
    Use,
    /// Nowhere.
    Ignore,
}

/// How a query is answered.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// How to search.
    pub strategy: Strategy,
    /// The seed of random choices.
    pub seed: u64,
    /// The abstraction of zones; without one, the best that is sound and with which the search
    /// ends.
    pub abstraction: Option<Abstraction>,
    /// How stored states are compared; without one, the coarsest that is sound.
    pub comparison: Option<Comparison>,
    /// Whether symmetry is used.
    pub symmetry: SymmetryWish,
    /// Which trace is wanted.
    pub trace: TraceWish,
    /// What the search may use.
    pub resources: Resources,
    /// The folder in which pattern databases are kept between runs; without it, they are not.
    pub databases: Option<PathBuf>,
    /// Whether to say what a proof depends on, where a lazy search finds one.
    pub explain: bool,
}

/// Who is told what besides the answer.
#[derive(Default)]
pub struct Evidence<'l> {
    /// Who is told how the search goes on.
    pub listener: Option<&'l mut ProgressListener<'l>>,
    /// Where the certificate is written, if there is an answer.
    pub certificate: Option<&'l mut dyn Write>,
    /// How long it may take to expand, for the certificate, what guides have pruned, unless the
    /// search took longer; without it, there is no limit but that of the query.
    pub closing: Option<Duration>,
    /// Where the lowest estimate of guides is noted while they search for a goal.
    pub lowest: Option<&'l Cell<Option<u32>>>,
}

impl Question {
    /// Answers the question and writes a certificate of the answer, if one is wanted. What is
    /// explored to find the answer does not depend on it.
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
