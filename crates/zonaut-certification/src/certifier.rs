//! Certification of answers: from the file of a certificate to the decision about it.

use crate::allowance::time_to_check;
use crate::certificate_file::{CertificateFile, Written};
use crate::checker_answer::{CheckerAnswer, Proof};
use crate::checker_process::{CheckResult, CheckedFiles, CheckerProgram};
use crate::claim::Claim;
use crate::patience::Patience;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempPath;
use zonaut_engine::report::{AnswerRecord, Certificate};
use zonaut_engine::{
    Answer, CertificateSink, QueryId, Resources, Session, StopReason, Unwritten, Verdict,
};

/// The policy of certification: which answers are checked, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Every answer, however long it takes.
    Always,
    /// Every run; a set of zones for at most a second or three times as long as the search took.
    #[default]
    Auto,
    /// None.
    Never,
}

/// The result of certifying an answer.
#[derive(Clone, Debug)]
#[must_use]
pub enum Certification {
    /// The independent checker accepted the certificate.
    Certified,
    /// The answer was not certified, with the reason.
    Uncertified(String),
    /// There is no verdict to certify, with the reason.
    Nothing(String),
    /// The check was cancelled.
    Interrupted,
    /// A certificate or a check was requested and could not be completed.
    Undelivered(String),
    /// The independent checker rejected the certificate, or the evidence contradicts the verdict.
    Rejected(Rejection),
    /// The evidence refutes the author's cost estimate that the answer relies on.
    Refuted(String),
}

/// A rejected certificate.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// The reason.
    pub reason: String,
    /// The files with the core text and the certificate.
    pub files: Vec<PathBuf>,
}

/// The certification of an answer, and its effort.
#[derive(Clone, Debug)]
#[must_use]
pub struct Certified {
    /// The result.
    pub certification: Certification,
    /// The time of writing and checking the certificate; zero if none was requested.
    pub time: Duration,
    /// The peak memory of the checker in bytes.
    pub memory: u64,
}

impl Certified {
    /// The record of the answer with its certification.
    #[must_use]
    pub fn record<'r>(
        &self,
        session: &'r Session,
        id: QueryId,
        answer: &'r Answer,
    ) -> AnswerRecord<'r> {
        AnswerRecord::of(session, id, answer, &self.certification.record())
            .with_certification(self.time.as_secs_f64(), self.memory_bytes())
    }

    /// The peak memory of the checker, as in records.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        usize::try_from(self.memory).unwrap_or(usize::MAX)
    }
}

impl Certification {
    /// The certification as it appears in records.
    #[must_use]
    pub fn record(&self) -> Certificate {
        match (self, self.reason()) {
            (Self::Rejected(rejection), _) => Certificate::Rejected(rejection.reason.clone()),
            (Self::Refuted(why), _) => Certificate::Refuted(why.clone()),
            (_, Some(why)) => Certificate::Missing(why),
            (_, None) => Certificate::Accepted,
        }
    }

    /// The reason why the answer is not certified; `None` if it is.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Certified => None,
            Self::Uncertified(why) | Self::Undelivered(why) | Self::Refuted(why) => {
                Some(why.clone())
            }
            Self::Nothing(why) => Some(format!("nothing to certify: {why}")),
            Self::Interrupted => Some("interrupted".to_owned()),
            Self::Rejected(rejection) => Some(rejection.reason.clone()),
        }
    }
}

/// The reason for answers without a check if none was requested.
const NOT_ASKED: &str = "not requested";

/// The reason for certificates that [`Policy::Auto`] skips because of their time.
const TOO_LONG: &str = "certification would take longer than three times the search";

/// Writes certificates and runs the checker.
#[derive(Clone, Debug)]
pub struct Certifier {
    /// The policy.
    pub policy: Policy,
    /// The checker.
    pub checker: CheckerProgram,
    /// The advice for certificates that [`Policy::Auto`] skips because of their time, in the words of
    /// the front end; it follows the reason.
    pub advice: &'static str,
}

impl Certifier {
    /// Begins to certify an answer that is searched from now on. The limits of `resources` include
    /// the certificate, which is kept at `target` if that is given.
    pub fn begin<'c>(&'c self, target: Option<&'c Path>, resources: &Resources) -> Attempt<'c> {
        let patience = Patience::of(resources);
        let (begun, file) = (Instant::now(), None);
        Attempt { certifier: self, target, patience, begun, file, memory: 0 }
    }

    /// Begins to certify the answers to a batch of queries that are searched from now on, within the
    /// limits of the batch.
    pub fn begin_batch(&self, resources: &Resources) -> BatchAttempt<'_> {
        let (patience, begun) = (Patience::of(resources), Instant::now());
        BatchAttempt { certifier: self, patience, begun }
    }
}

/// The certificates of a batch of queries: a file for each, or for several together.
#[derive(Debug)]
pub struct CertificateFiles {
    is_hasty: bool,
    patience: Patience,
    files: Vec<SharedFile>,
}

/// A certificate about one or several queries.
#[derive(Debug)]
struct SharedFile {
    queries: Vec<QueryId>,
    file: CertificateFile,
}

impl CertificateSink for CertificateFiles {
    fn open(&mut self, queries: &[QueryId]) -> io::Result<&mut dyn Write> {
        let file = CertificateFile::temporary(self.is_hasty, self.patience.clone());
        let at = self.files.len();
        self.files.push(SharedFile { queries: queries.to_vec(), file });
        Ok(&mut self.files[at].file)
    }
}

/// The certification of the answers to a batch of queries.
#[derive(Debug)]
#[must_use]
pub struct BatchAttempt<'c> {
    certifier: &'c Certifier,
    patience: Patience,
    begun: Instant,
}

impl<'c> BatchAttempt<'c> {
    /// The receiver of certificates during the search; `None` if none are requested.
    #[must_use]
    pub fn files(&self) -> Option<CertificateFiles> {
        let is_hasty = self.certifier.policy == Policy::Auto;
        let (patience, files) = (self.patience.clone(), Vec::new());
        (self.certifier.policy != Policy::Never).then_some(CertificateFiles {
            is_hasty,
            patience,
            files,
        })
    }

    /// The time limit for exploring pruned states for a certificate.
    #[must_use]
    pub fn closing(&self) -> Option<Duration> {
        (self.certifier.policy == Policy::Auto).then(|| time_to_check(Duration::ZERO))
    }

    /// Checks the certificates of the answers, each file once. The time and the memory of a check
    /// count for its first query.
    pub fn finish(
        self,
        session: &Session,
        answers: &[(QueryId, Answer)],
        files: Option<CertificateFiles>,
    ) -> Vec<Certified> {
        let searched = answers.iter().map(|(_, answer)| answer.seconds).fold(0.0, f64::max);
        let searched = Duration::try_from_secs_f64(searched).unwrap_or_default();
        let is_asked = files.is_some();
        let mut written = self.begun.elapsed().saturating_sub(searched);
        let mut certified: BTreeMap<QueryId, Certified> = BTreeMap::new();
        for SharedFile { queries, file } in files.into_iter().flat_map(|files| files.files) {
            let answer = answers.iter().find(|(id, _)| queries.first() == Some(id));
            let Some((_, answer)) = answer else { continue };
            let mut attempt = self.attempt(Some(Ok(Some(file))));
            let certification = match queries[..] {
                [id] => {
                    attempt.judge(answer, Claim::of_answer(answer), || session.core_text(Some(id)))
                }
                _ => attempt.judge(answer, Some(Claim::of_conjunction()), || {
                    session.core_text_of_all(&queries)
                }),
            };
            let time = std::mem::take(&mut written) + attempt.begun.elapsed();
            let mut one = Certified { certification, time, memory: attempt.memory };
            for id in queries {
                certified.insert(id, one.clone());
                one = Certified { time: Duration::ZERO, memory: 0, ..one };
            }
        }
        let unwritten = |answer: &Answer| Certified {
            certification: match is_asked {
                true => Certification::Nothing(reason_of(answer)),
                false => Certification::Uncertified(NOT_ASKED.to_owned()),
            },
            time: Duration::ZERO,
            memory: 0,
        };
        let all = answers.iter();
        all.map(|(id, answer)| certified.remove(id).unwrap_or_else(|| unwritten(answer))).collect()
    }

    fn attempt(&self, file: Option<io::Result<Option<CertificateFile>>>) -> Attempt<'c> {
        let (certifier, patience) = (self.certifier, self.patience.clone());
        Attempt { certifier, target: None, patience, begun: Instant::now(), file, memory: 0 }
    }
}

/// The certification of one answer.
#[derive(Debug)]
#[must_use]
pub struct Attempt<'c> {
    certifier: &'c Certifier,
    /// The requested destination of the certificate.
    target: Option<&'c Path>,
    patience: Patience,
    begun: Instant,
    /// The result of opening the certificate, if it was requested; the file is lent while an answer
    /// is searched.
    file: Option<io::Result<Option<CertificateFile>>>,
    /// The peak memory of the checker.
    memory: u64,
}

impl Attempt<'_> {
    /// Opens the certificate, to be written during the search. Returns `None` if none is requested
    /// or it cannot be opened. It has to be [given back](Self::give_back) after the search.
    pub fn take_file(&mut self) -> Option<CertificateFile> {
        self.open();
        self.file.as_mut()?.as_mut().ok()?.take()
    }

    /// Takes the certificate back after the search.
    pub fn give_back(&mut self, file: CertificateFile) {
        self.file = Some(Ok(Some(file)));
    }

    /// The time limit for exploring pruned states for the certificate.
    #[must_use]
    pub fn closing(&self) -> Option<Duration> {
        let is_limited = self.certifier.policy == Policy::Auto && self.target.is_none();
        is_limited.then(|| time_to_check(Duration::ZERO))
    }

    /// Whether the certificate of `answer` is going to be checked or kept.
    #[must_use]
    pub fn concerns(&self, answer: &Answer) -> bool {
        self.file.is_some() && Claim::of_answer(answer).is_some()
    }

    /// Moves the certificate of `answer` to its destination and checks it.
    pub fn finish(mut self, session: &Session, id: QueryId, answer: &Answer) -> Certified {
        let is_asked = self.file.is_some();
        let claim = Claim::of_answer(answer);
        let core = || session.core_text_of_answer(id, answer);
        let certification = self.judge(answer, claim, core);
        let searched = Duration::try_from_secs_f64(answer.seconds).unwrap_or_default();
        let time = self.begun.elapsed().saturating_sub(searched);
        let time = if is_asked { time } else { Duration::ZERO };
        Certified { certification, time, memory: self.memory }
    }

    /// Opens the certificate if one is needed.
    fn open(&mut self) {
        let patience = self.patience.clone();
        self.file = match (self.target, self.certifier.policy) {
            (Some(target), _) => Some(CertificateFile::at(target, patience).map(Some)),
            (None, Policy::Never) => None,
            (None, policy) => {
                Some(Ok(Some(CertificateFile::temporary(policy == Policy::Auto, patience))))
            }
        };
    }

    /// Checks that the certificate of `answer` proves a claim about a core text.
    fn judge(
        &mut self,
        answer: &Answer,
        claim: Option<Claim>,
        core: impl FnOnce() -> String,
    ) -> Certification {
        let Some(file) = self.file.take() else {
            return Certification::Uncertified(NOT_ASKED.to_owned());
        };
        let (Some(outcome), Some(claim)) = (&answer.certificate, claim) else {
            return match file {
                Err(error) => self.unwritten(&error),
                Ok(_) => Certification::Nothing(reason_of(answer)),
            };
        };
        let written = match self.delivered(file, outcome) {
            Ok(written) => written,
            Err(certification) => return certification,
        };
        // A run is short compared with the search: its check is fast.
        let is_run = answer.depth.is_some();
        let is_limited = self.certifier.policy == Policy::Auto && !is_run;
        let searched = Duration::try_from_secs_f64(answer.seconds).unwrap_or_default();
        let limit = is_limited.then(|| time_to_check(searched));
        self.check(written, &core(), &claim, limit)
    }

    /// The file of a certificate to be checked; the certification if none is checked.
    fn delivered(
        &self,
        file: io::Result<Option<CertificateFile>>,
        outcome: &Result<(), Unwritten>,
    ) -> Result<Written, Certification> {
        let file = match file {
            Ok(Some(file)) => file,
            Ok(None) => return Err(self.undelivered("the certificate is lost".to_owned())),
            Err(error) => return Err(self.unwritten(&error)),
        };
        match outcome {
            Ok(()) => {}
            Err(Unwritten::Stopped(why)) => return Err(self.stopped(*why)),
            Err(Unwritten::Contradiction(why)) => {
                let (reason, files) = ((*why).to_owned(), Vec::new());
                return Err(Certification::Rejected(Rejection { reason, files }));
            }
            Err(Unwritten::FalseEstimate(why)) => {
                return Err(Certification::Refuted((*why).to_owned()));
            }
            Err(Unwritten::Symmetry) => {
                return Err(Certification::Uncertified("symmetry".to_owned()));
            }
            Err(Unwritten::NoSuchKind(kind)) => {
                return Err(Certification::Uncertified((*kind).to_owned()));
            }
            Err(Unwritten::Failed(error)) => match file.refusal() {
                Some(why) => return Err(self.undelivered(why.to_owned())),
                None => return Err(self.unwritten(error)),
            },
        }
        let written = file.finish().map_err(|error| self.unwritten(&error))?;
        match self.certifier.policy {
            Policy::Never => Err(Certification::Uncertified(NOT_ASKED.to_owned())),
            Policy::Always | Policy::Auto => Ok(written),
        }
    }

    fn unwritten(&self, error: &io::Error) -> Certification {
        match self.patience.over().filter(|_| error.kind() == io::ErrorKind::TimedOut) {
            Some(why) => self.stopped(why),
            None => self.undelivered(format!("the certificate cannot be written: {error}")),
        }
    }

    fn stopped(&self, why: StopReason) -> Certification {
        match why {
            StopReason::Cancelled => Certification::Interrupted,
            why => self.undelivered(self.described(why)),
        }
    }

    /// A description of a stop reason; a default limit is named as such.
    fn described(&self, why: StopReason) -> String {
        let is_own = why == StopReason::TimeLimit && self.patience.over().is_none();
        if is_own { format!("{TOO_LONG}{}", self.certifier.advice) } else { why.to_string() }
    }

    /// A failure is an error only if certification was requested.
    fn undelivered(&self, why: String) -> Certification {
        if self.target.is_some() || self.certifier.policy == Policy::Always {
            Certification::Undelivered(why)
        } else {
            Certification::Uncertified(why)
        }
    }

    fn check(
        &mut self,
        written: Written,
        core: &str,
        claim: &Claim,
        limit: Option<Duration>,
    ) -> Certification {
        let certificate = match &written {
            Written::Temporary(path) => path.to_path_buf(),
            Written::Kept(path) => path.clone(),
            Written::Gone => {
                return Certification::Uncertified("the certificate cannot be read again".into());
            }
        };
        let core = match core_file(core) {
            Ok(core) => core,
            Err(error) => {
                return self.undelivered(format!("the core text cannot be written: {error}"));
            }
        };
        let files = CheckedFiles { core: core.to_path_buf(), certificate, max_file_size: None };
        let check = match self.certifier.checker.check(&files, &self.patience.within(limit)) {
            Ok(check) => check,
            Err(error) => return self.undelivered(format!("the checker cannot be run: {error}")),
        };
        self.memory = self.memory.max(check.memory);
        match check.result {
            CheckResult::Answered(answer) => match Judgement::of(answer, claim) {
                Judgement::Accepted => Certification::Certified,
                Judgement::Undecided(why) => Certification::Uncertified(why),
                Judgement::Rejected(reason) => {
                    Certification::Rejected(Rejection { reason, files: kept(core, written) })
                }
                Judgement::Missing => self.undelivered(NO_ANSWER.to_owned()),
            },
            CheckResult::NoAnswer => self.undelivered(NO_ANSWER.to_owned()),
            // The certificate is complete; a check was requested only with `always`.
            CheckResult::Stopped(why @ (StopReason::TimeLimit | StopReason::MemoryLimit))
                if self.certifier.policy == Policy::Auto =>
            {
                Certification::Uncertified(self.described(why))
            }
            CheckResult::Stopped(why) => self.stopped(why),
        }
    }
}

/// The reason if the checker ends without an answer.
const NO_ANSWER: &str = "the checker ended without an answer";

/// The reason why a verdict cannot be certified.
fn reason_of(answer: &Answer) -> String {
    match &answer.verdict {
        Verdict::Satisfied | Verdict::NotSatisfied if answer.sample().is_some() => {
            "random runs prove nothing".to_owned()
        }
        Verdict::Unknown(reason) => reason.to_string(),
        // The error of an optimisation is one of the model.
        Verdict::Error(_) if answer.optimum().is_some() => {
            answer.verdict.reason().unwrap_or_default()
        }
        Verdict::Error(_) => "the query itself fails at run time".to_owned(),
        Verdict::CostOverflow(diagnostic) => diagnostic.message.clone(),
        Verdict::FailedRun(why) => why.clone(),
        Verdict::NoInitialState => "the initial state violates an invariant".to_owned(),
        Verdict::DamagedQuery => "the query has an error".to_owned(),
        Verdict::Spurious | Verdict::WronglyPruned => "Zonaut contradicts itself".to_owned(),
        Verdict::Satisfied | Verdict::NotSatisfied => "the verdict has no evidence".to_owned(),
    }
}

/// A temporary file with a core text for the checker; removed when it is dropped.
///
/// # Errors
/// If the file cannot be written.
pub fn core_file(text: &str) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix("zonaut-").suffix(".core").tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file.into_temp_path())
}

/// Keeps both files for a bug report, as far as possible.
fn kept(core: TempPath, written: Written) -> Vec<PathBuf> {
    let certificate = match written {
        Written::Temporary(path) => path.keep().ok(),
        Written::Kept(path) => Some(path),
        Written::Gone => None,
    };
    core.keep().ok().into_iter().chain(certificate).collect()
}

/// The meaning of the checker's answer for a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Judgement {
    Accepted,
    Undecided(String),
    Rejected(String),
    Missing,
}

impl Judgement {
    /// Only an accepted certificate of the same claim counts.
    fn of(answer: CheckerAnswer, expected: &Claim) -> Self {
        match answer {
            CheckerAnswer::Accepted(Proof { claim, text, .. }) => match claim == *expected {
                true => Self::Accepted,
                false => Self::Rejected(format!("it proves another claim: {text}")),
            },
            // An undecided check is not a rejection.
            CheckerAnswer::Undecided { reason } => {
                Self::Undecided(format!("undecided by the checker: {reason}"))
            }
            CheckerAnswer::Rejected { reason }
            | CheckerAnswer::Malformed { reason }
            | CheckerAnswer::WrongModel { reason } => Self::Rejected(reason),
            CheckerAnswer::Unreadable { .. } => Self::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Extreme, Statement, ValueRange};

    #[test]
    fn only_an_accepted_certificate_of_the_same_claim_counts() {
        use Statement::{CostInfimum, Fails, LeastCost, NotSatisfied, Satisfied};
        let claim = |statement, values: &[ValueRange]| Claim { statement, values: values.to_vec() };
        let accepted = |claim| {
            let (kind, text) = ("unreach".to_owned(), "accepted".to_owned());
            CheckerAnswer::Accepted(Proof { claim, kind, size: 3, measure: None, text })
        };
        let all = [Satisfied, NotSatisfied, Fails, LeastCost(3), LeastCost(4), CostInfimum(3)];
        for proven in all {
            for expected in all {
                let judged = Judgement::of(accepted(claim(proven, &[])), &claim(expected, &[]));
                let is_accepted = judged == Judgement::Accepted;
                assert_eq!(is_accepted, proven == expected, "{proven:?} {expected:?}");
            }
        }
        let range = |least| ValueRange { least: Some(least), greatest: None };
        let two = claim(Satisfied, &[range(Extreme::Attained(2))]);
        assert_eq!(Judgement::of(accepted(two.clone()), &two), Judgement::Accepted);
        for other in [Extreme::Attained(1), Extreme::Approached(2), Extreme::Unbounded] {
            let judged = Judgement::of(accepted(claim(Satisfied, &[range(other)])), &two);
            assert!(matches!(judged, Judgement::Rejected(_)), "{other:?}");
        }
        let reason = || "accepted: satisfied".to_owned();
        for answer in [
            CheckerAnswer::Rejected { reason: reason() },
            CheckerAnswer::Malformed { reason: reason() },
            CheckerAnswer::WrongModel { reason: reason() },
        ] {
            assert!(matches!(Judgement::of(answer, &two), Judgement::Rejected(_)));
        }
        // A limit is recognised by its type, whatever the text is.
        let limit = CheckerAnswer::Undecided { reason: "malformed: 2001 clocks".to_owned() };
        assert!(matches!(Judgement::of(limit, &two), Judgement::Undecided(_)));
        let unreadable = CheckerAnswer::Unreadable { reason: reason() };
        assert_eq!(Judgement::of(unreadable, &two), Judgement::Missing);
    }
}
