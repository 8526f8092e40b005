//! Options of answering questions, and the receivers of progress and evidence.

use crate::answer::reachability::{ReachabilityQuery, ReachabilityQuestion};
use crate::answer::{Answer, Reason, Verdict, maximal_runs, states, values};
use crate::question::{Question, QuestionKind};
use crate::reduction::describe_unused;
use crate::resources::{ProgressListener, Resources};
use std::cell::Cell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use zonaut_evidence::SetForm;
use zonaut_model::QueryId;
use zonaut_space::StopReason;
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

/// The default time limit of the work for a certificate, in units of the time of the search.
pub const CERTIFICATION_ALLOWANCE: u32 = 3;

/// A receiver of certificates. Everything that can be written to receives a single one.
pub trait CertificateSink {
    /// The output for a new certificate about these queries, of all of them together.
    ///
    /// # Errors
    /// If there is none.
    fn open(&mut self, queries: &[QueryId]) -> io::Result<&mut dyn Write>;

    /// The form of sets of zones.
    fn set_form(&self) -> SetForm {
        SetForm::default()
    }
}

impl<W: Write> CertificateSink for W {
    fn open(&mut self, _queries: &[QueryId]) -> io::Result<&mut dyn Write> {
        Ok(self)
    }
}

/// The receivers of progress and evidence.
#[derive(Default)]
pub struct Evidence<'l> {
    /// Receives the progress of the search.
    pub listener: Option<&'l mut ProgressListener<'l>>,
    /// Receives certificates, if queries are decided.
    pub certificate: Option<&'l mut dyn CertificateSink>,
    /// The time limit for expanding pruned states for the certificate, or for a second search,
    /// unless [`CERTIFICATION_ALLOWANCE`] is longer; without it, only the limit of the query
    /// applies.
    pub closing: Option<Duration>,
    /// Receives the lowest estimate of heuristics during the search.
    pub lowest: Option<&'l Cell<Option<u32>>>,
}

impl Question {
    /// Answers the question and writes a certificate, if one is requested. The exploration does not
    /// depend on it.
    pub fn answer<'l>(&self, options: &'l VerifyOptions, evidence: Evidence<'l>) -> Answer {
        let start = Instant::now();
        let unknown = |why| Answer::unexplored(Verdict::Unknown(why), options, start);
        if let QuestionKind::Reachability(reachability) = self.kind() {
            let query = ReachabilityQuery { id: self.id(), query: self.query(), reachability };
            let session = &self.session;
            let question = ReachabilityQuestion { session, queries: &[query], options };
            let answer = question.answer(evidence, start).into_iter().next();
            return answer.unwrap_or_else(|| unknown(Reason::Stopped(StopReason::Cancelled)));
        }
        let Evidence { listener, certificate, closing, .. } = evidence;
        let output = certificate.map(|sink| sink.open(&[self.id()])).transpose();
        let (output, unwritten) = match output {
            Ok(output) => (output, None),
            Err(error) => (None, Some(Err(error.into()))),
        };
        let answered = self.answer_beyond_states(options, listener, output, closing, start);
        let answer = answered.unwrap_or_else(unknown);
        Answer { certificate: unwritten.or(answer.certificate), ..answer }
    }

    /// Answers a question that is not about reachable states.
    fn answer_beyond_states<'l>(
        &self,
        options: &'l VerifyOptions,
        listener: Option<&'l mut ProgressListener<'l>>,
        output: Option<&'l mut dyn Write>,
        closing: Option<Duration>,
        start: Instant,
    ) -> Result<Answer, Reason> {
        let (session, query) = (&self.session, self.query());
        let (answer, why) = match self.kind() {
            QuestionKind::MaximalRuns(objective) if session.model().has_rates() => {
                return states::answer(self, objective, options, start);
            }
            QuestionKind::MaximalRuns(objective) => {
                let asked =
                    maximal_runs::LivenessQuestion { session, query, objective, options, closing };
                (asked.answer(listener, output, start)?, "maximal runs")
            }
            QuestionKind::Extremes(extremes) => {
                let asked = values::ValuesQuestion { session, query, extremes, options };
                (asked.answer(listener, output, start)?, "values")
            }
            QuestionKind::Reachability(_) => return Err(Reason::Stopped(StopReason::Cancelled)),
        };
        Ok(Answer { symmetry: describe_unused(session.model(), why), ..answer })
    }
}
