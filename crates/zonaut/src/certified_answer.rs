//! Answers with their certification, as `verify` and `test` report them.

use clap::ValueEnum;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use zonaut_certification::{Certification, Certified, Certifier, CheckerProgram, Policy};
use zonaut_console::{Asking, Console, OwnProgram};
use zonaut_engine::report::AnswerRecord;
use zonaut_engine::{Answer, CertificateRequest, QueryBatch, QueryId, Session};

/// When answers are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum CertifyName {
    /// Every answer, however long it takes.
    Always,
    /// Every run; a set of zones for at most a second or three times as long as the search took.
    #[default]
    Auto,
    /// None.
    Never,
}

impl From<CertifyName> for Policy {
    fn from(name: CertifyName) -> Self {
        match name {
            CertifyName::Always => Self::Always,
            CertifyName::Auto => Self::Auto,
            CertifyName::Never => Self::Never,
        }
    }
}

/// The command of the checker process.
const CHECKER: &str = "check-certificate";

/// The checker: this program, with a command that is not for users.
pub fn checker() -> CheckerProgram {
    // Starting a checker without a path fails with an error that is reported.
    let program = OwnProgram::current();
    let (path, mut arguments) = program.map(|own| (own.path, own.arguments)).unwrap_or_default();
    arguments.push(CHECKER.into());
    CheckerProgram { path, arguments }
}

/// The certifier for a policy of the command line; the checker uses this many threads, by default one
/// for each processor.
pub(crate) fn certifier(name: CertifyName, threads: Option<NonZeroUsize>) -> Certifier {
    let mut checker = checker();
    checker.arguments.extend(threads.map(|threads| format!("--threads={threads}").into()));
    Certifier { policy: name.into(), checker, advice: "; `--certify always` waits for it" }
}

/// An answer with its certification.
pub(crate) struct Checked {
    pub(crate) answer: Answer,
    pub(crate) certified: Certified,
}

/// Answers queries and certifies the answers, together where queries share an exploration.
pub(crate) struct Checking {
    certifier: Certifier,
    /// Answers to queries that are requested later.
    known: BTreeMap<QueryId, Checked>,
}

impl Checking {
    /// Certifies by a policy of the command line, with a [`certifier`].
    pub(crate) fn new(name: CertifyName, threads: Option<NonZeroUsize>) -> Self {
        Self { certifier: certifier(name, threads), known: BTreeMap::new() }
    }

    /// Answers a query and certifies the answer; the certificate is kept at `target` if that is
    /// given, and then it is about this query alone.
    pub(crate) fn ask(
        &mut self,
        target: Option<&Path>,
        asking: &mut Asking<'_>,
        id: QueryId,
        console: &mut Console<'_>,
    ) -> Checked {
        if target.is_none()
            && let Some(batch) = asking.take_batch(id)
        {
            self.ask_batch(batch, asking, console);
        }
        let known = self.known.remove(&id);
        known.unwrap_or_else(|| Checked::ask(&self.certifier, target, asking, id, console))
    }

    fn ask_batch(&mut self, batch: QueryBatch, asking: &mut Asking<'_>, console: &mut Console<'_>) {
        let attempt = self.certifier.begin_batch(&batch.resources());
        let (answers, files) = match attempt.files() {
            Some(sink) => {
                let request = CertificateRequest { sink, closing: attempt.closing() };
                let answered = asking.answer_batch_with_certificates(batch, request, console);
                (answered.result, Some(answered.sink))
            }
            None => (asking.answer_batch(batch, console), None),
        };
        let first = answers.first().filter(|_| files.is_some());
        let line = first.map(|(id, _)| asking.phase(*id, "checking the certificates"));
        let certified = attempt.finish(asking.session(), &answers, files);
        drop(line);
        let checked = answers.into_iter().zip(certified);
        self.known
            .extend(checked.map(|((id, answer), certified)| (id, Checked { answer, certified })));
    }
}

impl Checked {
    /// Whether the certificate was written to `path`.
    pub(crate) fn has_written(&self, path: &Path) -> bool {
        let kind = &self.certified.certification;
        matches!(kind, Certification::Certified | Certification::Uncertified(_)) && path.is_file()
    }

    /// Answers a query and certifies the answer; the certificate is kept at `target` if that is
    /// given.
    fn ask(
        certifier: &Certifier,
        target: Option<&Path>,
        asking: &mut Asking<'_>,
        id: QueryId,
        console: &mut Console<'_>,
    ) -> Self {
        let mut attempt = certifier.begin(target, &asking.options().resources);
        let answer = match attempt.take_file() {
            Some(sink) => {
                let request = CertificateRequest { sink, closing: attempt.closing() };
                let answered = asking.answer_with_certificate(id, request, console);
                attempt.give_back(answered.sink);
                answered.result
            }
            None => asking.answer(id, console),
        };
        // The verdict is shown while its certificate is checked.
        let verdict = answer.verdict.name().replace('_', " ");
        let line = attempt
            .concerns(&answer)
            .then(|| asking.phase(id, &format!("{verdict}, checking the certificate")));
        let certified = attempt.finish(asking.session(), id, &answer);
        drop(line);
        Self { answer, certified }
    }

    /// The record of the answer, with the effort of its certification.
    pub(crate) fn record<'r>(&'r self, session: &'r Session, id: QueryId) -> AnswerRecord<'r> {
        self.certified.record(session, id, &self.answer)
    }
}

/// The destination of the certificate of a query, if the user requested one: each of several queries
/// has its own file. A pipe or a device receives all certificates, one after the other.
pub(crate) fn certificate_path(
    target: Option<&Path>,
    has_several: bool,
    index: u32,
) -> Option<PathBuf> {
    let target = target?;
    let is_file = target.is_file() || !target.exists();
    Some(if has_several && is_file { numbered(target, index) } else { target.to_owned() })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_the_extension() {
        let check = |path: &str| numbered(Path::new(path), 3).display().to_string();
        assert_eq!(check("a/b.cert"), "a/b-3.cert");
        assert_eq!(check("b"), "b-3");
        assert_eq!(check("x.y/b.tar.gz"), "x.y/b.tar-3.gz");
    }

    #[test]
    fn only_files_are_numbered() {
        let check = |target: &str, has_several| {
            certificate_path(Some(Path::new(target)), has_several, 2)
                .map(|path| path.display().to_string())
        };
        assert_eq!(check("missing.cert", true).as_deref(), Some("missing-2.cert"));
        assert_eq!(check("missing.cert", false).as_deref(), Some("missing.cert"));
        #[cfg(unix)]
        assert_eq!(check("/dev/null", true).as_deref(), Some("/dev/null"));
        assert_eq!(certificate_path(None, true, 2), None);
    }
}
