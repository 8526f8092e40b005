//! Certification of answers by the independent checker, in a separate process.

use crate::certificate_file::{CertificateFile, Written, time_to_check};
use crate::check_certificate::{Outcome, Shown, ShownClaim};
use crate::optimize::outcome_of;
use crate::patience::Patience;
use clap::ValueEnum;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempPath;
use zonaut_console::{Asking, Console, held_memory};
use zonaut_engine::report::{AnswerRecord, Certificate};
use zonaut_engine::{
    Answer, CertificateSink, Evidence, FoundValues, OptimizeOptions, Optimized, Optimum, Query,
    QueryId, Session, StopReason, Unwritten, Value, Verdict,
};

/// When answers are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum CertifyName {
    /// Every answer, however long it takes.
    Always,
    /// Every run; a set of zones for at most a second or as long as the search took.
    #[default]
    Auto,
    /// None.
    Never,
}

/// The result of certifying an answer.
#[derive(Debug)]
#[must_use]
pub(crate) enum Certification {
    /// The independent checker accepted the certificate.
    Certified,
    /// The answer was not certified, with the reason.
    Uncertified(String),
    /// There is no verdict to certify, with the reason.
    Nothing(String),
    /// A signal interrupted the check.
    Interrupted,
    /// A certificate or a check was requested and could not be completed.
    Undelivered(String),
    /// The independent checker rejected the certificate, or the evidence contradicts the verdict.
    Rejected(Rejection),
    /// The evidence refutes the author's cost estimate that the answer relies on.
    Refuted(String),
}

/// A rejected certificate.
#[derive(Debug)]
pub(crate) struct Rejection {
    pub(crate) reason: String,
    /// The files with the core text and the certificate.
    pub(crate) files: Vec<PathBuf>,
}

/// An answer with its certification.
pub(crate) struct Checked {
    pub(crate) answer: Answer,
    pub(crate) certification: Certification,
    pub(crate) effort: Effort,
}

impl Checked {
    /// The record of the answer, with the effort of its certification.
    pub(crate) fn record<'r>(
        &'r self,
        session: &'r Session,
        id: QueryId,
        certificate: &Certificate,
    ) -> AnswerRecord<'r> {
        let bytes = usize::try_from(self.effort.memory).unwrap_or(usize::MAX);
        AnswerRecord::of(session, id, &self.answer, certificate)
            .with_certification(self.effort.time.as_secs_f64(), bytes)
    }
}

/// The effort of certification, besides that of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effort {
    /// The time of writing and checking the certificate.
    pub(crate) time: Duration,
    /// The peak memory of the checker.
    pub(crate) memory: u64,
}

impl Certification {
    /// The certification as it appears in records.
    pub(crate) fn record(&self) -> Certificate {
        match (self, self.reason()) {
            (Self::Rejected(rejection), _) => Certificate::Rejected(rejection.reason.clone()),
            (_, Some(why)) => Certificate::Missing(why),
            (_, None) => Certificate::Accepted,
        }
    }

    /// The reason why the answer is not certified; `None` if it is.
    pub(crate) fn reason(&self) -> Option<String> {
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

/// The reason for certificates that `auto` skips because of their time.
const TOO_LONG: &str = "certification would take longer than the search; `--certify always` waits \
                        for it";

/// Writes certificates and runs the checker.
pub(crate) struct Certifier<'a> {
    pub(crate) mode: CertifyName,
    /// The destination that the user requested.
    pub(crate) target: Option<&'a Path>,
    /// Whether there are several queries, each with its own certificate file.
    pub(crate) has_several: bool,
    /// The limits on time and memory of the query, including its certification.
    pub(crate) patience: Patience,
    /// The peak memory of the checker.
    pub(crate) checker_memory: u64,
}

impl Certifier<'_> {
    /// Answers a query and checks the answer.
    pub(crate) fn ask(
        &mut self,
        asking: &mut Asking<'_>,
        id: QueryId,
        console: &mut Console<'_>,
    ) -> Checked {
        let begun = Instant::now();
        self.patience = Patience::of(&asking.options().resources);
        self.checker_memory = 0;
        let mut file = self.open(&asking.session().model().queries[id]);
        let certificate = file.as_mut().and_then(|file| file.as_mut().ok());
        let certificate = certificate.map(|file| file as &mut dyn CertificateSink);
        let evidence = Evidence { certificate, closing: self.closing(), ..Evidence::default() };
        let answer = asking.answer(id, evidence, console);
        let core = || asking.session().core_text(Some(id));
        // The verdict is shown while its certificate is checked.
        let verdict = answer.verdict.name().replace('_', " ");
        let is_checked = file.is_some() && is_decided(&answer.verdict);
        let line =
            is_checked.then(|| asking.phase(id, &format!("{verdict}, checking the certificate")));
        let is_asked = file.is_some();
        let certification = self.judge(file, &answer, core);
        drop(line);
        let searched = Duration::try_from_secs_f64(answer.seconds).unwrap_or_default();
        let time = begun.elapsed().saturating_sub(searched);
        let effort = Effort {
            time: if is_asked { time } else { Duration::ZERO },
            memory: self.checker_memory,
        };
        Checked { answer, certification, effort }
    }

    /// The file for the certificate of `query`, if one is needed.
    fn open(&self, query: &Query) -> Option<io::Result<CertificateFile>> {
        let patience = self.patience.clone();
        match (self.target, self.mode) {
            // A pipe or a device receives all certificates, one after the other.
            (Some(target), _) if self.has_several && (target.is_file() || !target.exists()) => {
                Some(CertificateFile::at(&numbered(target, query.index), patience))
            }
            (Some(target), _) => Some(CertificateFile::at(target, patience)),
            (None, CertifyName::Never) => None,
            (None, mode) => {
                Some(Ok(CertificateFile::temporary(mode == CertifyName::Auto, patience)))
            }
        }
    }

    /// The time limit for exploring pruned states for the certificate.
    fn closing(&self) -> Option<Duration> {
        let is_limited = self.mode == CertifyName::Auto && self.target.is_none();
        is_limited.then(|| time_to_check(Duration::ZERO))
    }

    /// Moves the certificate of `answer` to its destination and checks it.
    fn judge(
        &mut self,
        file: Option<io::Result<CertificateFile>>,
        answer: &Answer,
        core: impl FnOnce() -> String,
    ) -> Certification {
        let Some(file) = file else { return Certification::Uncertified(NOT_ASKED.to_owned()) };
        let outcome = answer.certificate.as_ref().filter(|_| is_decided(&answer.verdict));
        let Some(outcome) = outcome else {
            return file.map_or_else(
                |error| self.unwritten(&error),
                |_| Certification::Nothing(reason_of(&answer.verdict)),
            );
        };
        let written = match self.delivered(file, outcome) {
            Ok(written) => written,
            Err(certification) => return certification,
        };
        // A run is short compared with the search: its check is fast.
        let is_run = answer.depth.is_some();
        let is_limited = self.mode == CertifyName::Auto && !is_run;
        let searched = Duration::try_from_secs_f64(answer.seconds).unwrap_or_default();
        let limit = is_limited.then(|| time_to_check(searched));
        self.check(written, &core(), &Expected::of(answer), limit)
    }

    /// The file of a certificate to be checked; the certification if there is none.
    fn delivered(
        &self,
        file: io::Result<CertificateFile>,
        outcome: &Result<(), Unwritten>,
    ) -> Result<Written, Certification> {
        let written = match (file, outcome) {
            (Err(error), _) => return Err(self.unwritten(&error)),
            (Ok(_), Err(Unwritten::Stopped(why))) => return Err(self.stopped(*why)),
            (Ok(_), Err(Unwritten::Contradiction(why))) => {
                let (reason, files) = ((*why).to_owned(), Vec::new());
                return Err(Certification::Rejected(Rejection { reason, files }));
            }
            (Ok(_), Err(Unwritten::FalseEstimate(why))) => {
                return Err(Certification::Refuted((*why).to_owned()));
            }
            (Ok(_), Err(Unwritten::Symmetry)) => {
                return Err(Certification::Uncertified("symmetry".to_owned()));
            }
            (Ok(_), Err(Unwritten::NoSuchKind(kind))) => {
                return Err(Certification::Uncertified((*kind).to_owned()));
            }
            (Ok(file), Err(Unwritten::Failed(error))) => match file.refusal() {
                Some(why) => return Err(self.undelivered(why.to_owned())),
                None => return Err(self.unwritten(error)),
            },
            (Ok(file), Ok(())) => file.finish().map_err(|error| self.unwritten(&error))?,
        };
        match self.mode {
            CertifyName::Never => Err(Certification::Uncertified(NOT_ASKED.to_owned())),
            CertifyName::Always | CertifyName::Auto => Ok(written),
        }
    }

    /// Certifies and checks the result of an optimisation.
    pub(crate) fn certify_optimum(
        &mut self,
        session: &Session,
        (id, found): (QueryId, &Optimized),
        options: &OptimizeOptions,
    ) -> Certification {
        let claim = match (&found.optimum, found.cost) {
            (Optimum::Proven, Some(cost)) if cost.is_attained() => {
                ShownClaim::LeastCost(cost.value())
            }
            (Optimum::Proven, Some(cost)) => ShownClaim::CostInfimum(cost.value()),
            (Optimum::Unreachable, _) => ShownClaim::NotSatisfied,
            _ => {
                let (verdict, reason) = outcome_of(found);
                return Certification::Nothing(reason.unwrap_or_else(|| verdict.to_owned()));
            }
        };
        let expected = Expected { claim, values: Vec::new() };
        let Some(mut file) = self.open(&session.model().queries[id]) else {
            return Certification::Uncertified(NOT_ASKED.to_owned());
        };
        let searched = Duration::try_from_secs_f64(found.seconds).unwrap_or_default();
        let is_limited = self.mode == CertifyName::Auto;
        let limit = is_limited.then(|| time_to_check(searched));
        let closing = limit.filter(|_| self.target.is_none());
        let outcome = match &mut file {
            Ok(file) => session.certify_optimum((id, found), options, closing, file),
            Err(_) => Ok(()),
        };
        let core = || session.core_text_of_optimum(id, found, options.rates);
        match self.delivered(file, &outcome) {
            Ok(written) => self.check(written, &core(), &expected, limit),
            Err(certification) => certification,
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
        if is_own { TOO_LONG.to_owned() } else { why.to_string() }
    }

    /// A failure is an error only if certification was requested.
    fn undelivered(&self, why: String) -> Certification {
        if self.target.is_some() || self.mode == CertifyName::Always {
            Certification::Undelivered(why)
        } else {
            Certification::Uncertified(why)
        }
    }

    fn check(
        &mut self,
        written: Written,
        core: &str,
        expected: &Expected,
        limit: Option<Duration>,
    ) -> Certification {
        let certificate: &Path = match &written {
            Written::Temporary(path) => path,
            Written::Kept(path) => path,
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
        let program = std::env::current_exe();
        let ended = program.and_then(|program| {
            let words = ["check-certificate".into(), (&*core).into(), certificate.into()];
            let patience = self.patience.within(limit);
            let mut child = Child { program: &program, words: &words, patience, held: 0 };
            let ended = child.run();
            self.checker_memory = self.checker_memory.max(child.held);
            ended
        });
        match ended {
            Ok(Ended::ByItself(line)) => match judgement(&line, expected) {
                Judgement::Accepted => Certification::Certified,
                Judgement::Undecided(why) => Certification::Uncertified(why),
                Judgement::Rejected(reason) => {
                    Certification::Rejected(Rejection { reason, files: kept(core, written) })
                }
                Judgement::Missing => {
                    self.undelivered("the checker ended without an answer".to_owned())
                }
            },
            // The certificate is complete; a check was requested only with `always`.
            Ok(Ended::Early(why @ (StopReason::TimeLimit | StopReason::MemoryLimit)))
                if self.mode == CertifyName::Auto =>
            {
                Certification::Uncertified(self.described(why))
            }
            Ok(Ended::Early(why)) => self.stopped(why),
            Err(error) => self.undelivered(format!("the checker cannot be run: {error}")),
        }
    }
}

/// The reason why a verdict cannot be certified.
fn reason_of(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Unknown(reason) => reason.to_string(),
        Verdict::Error(_) => "the query itself fails at run time".to_owned(),
        Verdict::NoInitialState => "the initial state violates an invariant".to_owned(),
        Verdict::DamagedQuery => "the query has an error".to_owned(),
        Verdict::Spurious | Verdict::WronglyPruned => "Zonaut contradicts itself".to_owned(),
        Verdict::Satisfied | Verdict::NotSatisfied => "the verdict has no evidence".to_owned(),
    }
}

/// Whether the verdict can be certified.
fn is_decided(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Satisfied | Verdict::NotSatisfied | Verdict::Error(_))
}

/// `path` with a number before its extension.
pub(crate) fn numbered(path: &Path, index: u32) -> PathBuf {
    let mut name = path.file_stem().map(OsString::from).unwrap_or_default();
    name.push(format!("-{index}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A temporary file with a core text for the checker.
pub(crate) fn core_file(text: &str) -> io::Result<TempPath> {
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

/// The checker's result for a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Judgement {
    Accepted,
    Undecided(String),
    Rejected(String),
    Missing,
}

/// The claim that a certificate has to prove.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Expected {
    claim: ShownClaim,
    values: Vec<String>,
}

impl Expected {
    /// The claim that the certificate of an answer has to prove.
    fn of(answer: &Answer) -> Self {
        let claim = match answer.verdict {
            Verdict::Satisfied => ShownClaim::Satisfied,
            Verdict::NotSatisfied => ShownClaim::NotSatisfied,
            _ => ShownClaim::Fails,
        };
        let has_values = claim == ShownClaim::Satisfied;
        let values = answer.values.iter().filter(|_| has_values).map(value_words).collect();
        Self { claim, values }
    }
}

/// The values of an expression in the checker's notation, such as `>=2 <5`.
fn value_words(found: &FoundValues) -> String {
    let words = |value: Option<Value>, [attained, approached]: [&str; 2]| {
        value.map(|value| match value {
            Value::Attained(number) => format!("{attained}{number}"),
            Value::Approached(number) => format!("{approached}{number}"),
            Value::Unbounded => "unbounded".to_owned(),
        })
    };
    let (least, greatest) = (words(found.infimum, [">=", ">"]), words(found.supremum, ["<=", "<"]));
    let words: Vec<String> = least.into_iter().chain(greatest).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(" ") }
}

/// The meaning of the checker's JSON output, given the expected claim.
fn judgement(line: &str, expected: &Expected) -> Judgement {
    match serde_json::from_str(line) {
        Ok(Outcome::Accepted(Shown { claim, values, text, .. })) => {
            match claim == expected.claim && values == expected.values {
                true => Judgement::Accepted,
                false => Judgement::Rejected(format!("it proves another claim: {text}")),
            }
        }
        // An undecided check is not a rejection.
        Ok(Outcome::Undecided { reason }) => {
            Judgement::Undecided(format!("undecided by the checker: {reason}"))
        }
        Ok(
            Outcome::Rejected { reason }
            | Outcome::Malformed { reason }
            | Outcome::WrongModel { reason },
        ) => Judgement::Rejected(reason),
        Ok(Outcome::Unreadable { .. }) | Err(_) => Judgement::Missing,
    }
}

/// A process with limits on its time and, together with this process, on its memory.
pub(crate) struct Child<'a> {
    pub(crate) program: &'a Path,
    pub(crate) words: &'a [OsString],
    pub(crate) patience: Patience,
    /// Its peak memory.
    pub(crate) held: u64,
}

/// The end of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// It exited, with this line of output.
    ByItself(String),
    /// It was killed.
    Early(StopReason),
}

impl Child<'_> {
    /// Runs it to its end, or kills it at a limit.
    pub(crate) fn run(&mut self) -> io::Result<Ended> {
        let mut child = Command::new(self.program)
            .args(self.words)
            // The pipe closes when this process ends, even if it is killed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        // Waiting would close the input if it were not kept open here.
        let input = child.stdin.take();
        let (patience, most) = (&self.patience, &mut self.held);
        let ended = patience.wait(|| {
            if child.try_wait()?.is_some() {
                return Ok(Some(Ok(())));
            }
            let held = held_memory(child.id()).unwrap_or(0);
            *most = held.max(*most);
            Ok(patience.is_too_much(held).then_some(Err(StopReason::MemoryLimit)))
        })?;
        if let Err(why) = ended.and_then(|ended| ended) {
            // It may have exited in the meantime.
            let _ = child.kill();
            child.wait()?;
            return Ok(Ended::Early(why));
        }
        drop(input);
        let mut line = String::new();
        if let Some(mut output) = child.stdout.take() {
            output.read_to_string(&mut line)?;
        }
        Ok(Ended::ByItself(line.trim_end().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::sync::atomic::Ordering;

    #[test]
    fn only_an_accepted_certificate_of_the_same_claim_counts() {
        let given = |outcome: Outcome, claim, values: &[&str]| {
            let values = values.iter().map(|value| (*value).to_owned()).collect();
            let line = serde_json::to_string(&outcome).unwrap();
            judgement(&line, &Expected { claim, values })
        };
        let shown = |claim, values: &[&str]| {
            let values = values.iter().map(|value| (*value).to_owned()).collect();
            let (kind, text) = ("unreach".to_owned(), "accepted".to_owned());
            Outcome::Accepted(Shown { claim, kind, size: 3, values, measure: None, text })
        };
        use ShownClaim::{CostInfimum, LeastCost, NotSatisfied, Satisfied};
        for claim in [Satisfied, NotSatisfied, LeastCost(3), CostInfimum(3)] {
            for other in [Satisfied, NotSatisfied, LeastCost(3), LeastCost(4), CostInfimum(3)] {
                let judged = given(shown(claim, &[]), other, &[]);
                assert_eq!(judged == Judgement::Accepted, claim == other, "{claim:?} {other:?}");
            }
        }
        assert_eq!(given(shown(Satisfied, &[">=2"]), Satisfied, &[">=2"]), Judgement::Accepted);
        let other = given(shown(Satisfied, &[">=2"]), Satisfied, &[">=1"]);
        assert!(matches!(other, Judgement::Rejected(_)));
        let reason = || "accepted: satisfied".to_owned();
        for outcome in [
            Outcome::Rejected { reason: reason() },
            Outcome::Malformed { reason: reason() },
            Outcome::WrongModel { reason: reason() },
        ] {
            assert!(matches!(given(outcome, Satisfied, &[]), Judgement::Rejected(_)));
        }
        // A limit is recognised by its type, whatever the text is.
        let limit = Outcome::Undecided { reason: "malformed: more than 2000 clocks".to_owned() };
        assert!(matches!(given(limit, Satisfied, &[]), Judgement::Undecided(_)));
        let expected = Expected { claim: Satisfied, values: Vec::new() };
        for line in ["", "accepted: satisfied (3 nodes)", "running 0 tests", "{}"] {
            assert_eq!(judgement(line, &expected), Judgement::Missing, "{line}");
        }
    }

    #[test]
    fn values_count_only_if_they_are_the_same() {
        let (expression, run) = ("x".to_owned(), None);
        let (infimum, supremum) = (Some(Value::Attained(2)), Some(Value::Approached(5)));
        let found = FoundValues { expression, infimum, supremum, is_bound: false, run };
        assert_eq!(value_words(&found), ">=2 <5");
        let none = FoundValues { infimum: None, supremum: None, ..found.clone() };
        assert_eq!(value_words(&none), "none");
        let endless = FoundValues { infimum: None, supremum: Some(Value::Unbounded), ..found };
        assert_eq!(value_words(&endless), "unbounded");
    }

    #[test]
    fn numbers_come_before_the_extension() {
        let check = |path: &str| numbered(Path::new(path), 3).display().to_string();
        assert_eq!(check("a/b.cert"), "a/b-3.cert");
        assert_eq!(check("b"), "b-3");
        assert_eq!(check("x.y/b.tar.gz"), "x.y/b.tar-3.gz");
    }

    #[cfg(unix)]
    #[test]
    fn a_process_exits_or_is_killed_at_a_limit_or_on_request() {
        let check = |script: &str, limit, is_cancelled| {
            let words = ["-c".into(), script.into()];
            let patience = Patience::default().within(limit);
            patience.cancelled.store(is_cancelled, Ordering::Relaxed);
            let program = Path::new("/bin/sh");
            Child { program, words: &words, patience, held: 0 }.run().unwrap()
        };
        assert_eq!(check("echo yes; exit 3", None, false), Ended::ByItself("yes".into()));
        let short = Some(Duration::from_millis(30));
        let ended = check("exec sleep 1000", short, false);
        assert_eq!(ended, Ended::Early(StopReason::TimeLimit));
        let ended = check("exec sleep 1000", None, true);
        assert_eq!(ended, Ended::Early(StopReason::Cancelled));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_killed_at_the_shared_memory_limit() {
        let words = ["-c".into(), "x=$(head -c 200000000 /dev/zero | tr '\\0' a); sleep 9".into()];
        let patience = Patience { memory: Some(64 << 20), ..Patience::default() };
        let program = Path::new("/bin/sh");
        let mut child = Child { program, words: &words, patience, held: 0 };
        assert_eq!(child.run().unwrap(), Ended::Early(StopReason::MemoryLimit));
        assert!(child.held > 0);
    }
}
