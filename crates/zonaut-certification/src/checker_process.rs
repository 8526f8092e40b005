//! The checker as a separate process, so that limits can stop it and its errors cannot harm the
//! process that waits for it.
//!
//! The parent starts a [`CheckerProgram`] with the names of two files and reads one line of JSON
//! from it. The child calls [`answer_parent`]. The checker ends with its parent: it watches its
//! standard input, a pipe that closes when the parent ends in whatever way.

use crate::checker_answer::CheckerAnswer;
use crate::patience::Patience;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use zonaut_certify::{Limits, check};
use zonaut_engine::{StopReason, held_memory};

/// The maximal length of an answer; longer output is not an answer.
const LONGEST_ANSWER: u64 = 1 << 24;

/// The program that checks certificates. It is started with these arguments, followed by
/// `--max-file-size=BYTES` if there is such a limit, `--`, the file of the core text and the
/// certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckerProgram {
    /// The executable file.
    pub path: PathBuf,
    /// The arguments before the files.
    pub arguments: Vec<OsString>,
}

/// The files of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedFiles {
    /// The core text.
    pub core: PathBuf,
    /// The certificate.
    pub certificate: PathBuf,
    /// The maximal size of the certificate in bytes, if it is limited.
    pub max_file_size: Option<u64>,
}

/// The end of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Check {
    /// The result.
    pub result: CheckResult,
    /// The peak memory of the checker in bytes; zero if it is unknown.
    pub memory: u64,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckResult {
    /// The checker answered.
    Answered(CheckerAnswer),
    /// The checker ended without an answer: it crashed, or it is another program.
    NoAnswer,
    /// A limit was reached or the caller cancelled, and the checker was killed.
    Stopped(StopReason),
}

impl CheckerProgram {
    /// Runs the checker to its end, or kills it at a limit of `patience`.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn check(&self, files: &CheckedFiles, patience: &Patience) -> io::Result<Check> {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments);
        if let Some(bytes) = files.max_file_size {
            command.arg(format!("--max-file-size={bytes}"));
        }
        command.arg("--").arg(&files.core).arg(&files.certificate);
        // The pipe closes when this process ends, even if it is killed.
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        // Waiting would close the input if it were not kept open here.
        let input = child.stdin.take();
        // A checker with a full pipe would never end: a thread reads its output.
        let (line, lines) = mpsc::channel();
        let output = child.stdout.take();
        thread::Builder::new().name("checker".into()).spawn(move || {
            let mut text = Vec::new();
            let read = output.map(|output| output.take(LONGEST_ANSWER).read_to_end(&mut text));
            // The receiver is gone if the checker was stopped.
            let _ = line.send(read.and_then(Result::ok).map(|_| text));
        })?;
        let mut memory = 0;
        let ended = patience.wait(|| {
            if child.try_wait()?.is_some() {
                return Ok(Some(Ok(())));
            }
            let held = held_memory(child.id()).unwrap_or(0);
            memory = held.max(memory);
            Ok(patience.is_too_much(held).then_some(Err(StopReason::MemoryLimit)))
        });
        let stopped = match ended {
            Ok(ended) => ended.and_then(|ended| ended).err(),
            Err(error) => {
                let _ = child.kill();
                return Err(error);
            }
        };
        if let Some(why) = stopped {
            // It may have exited in the meantime.
            let _ = child.kill();
            child.wait()?;
            return Ok(Check { result: CheckResult::Stopped(why), memory });
        }
        drop(input);
        // A process that the checker left behind may keep its output open.
        let line = patience.wait(|| match lines.try_recv() {
            Ok(line) => Ok(Some(line)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Ok(Some(None)),
        })?;
        let result = match line {
            Err(why) => CheckResult::Stopped(why),
            Ok(line) => match line.and_then(|line| serde_json::from_slice(&line).ok()) {
                Some(answer) => CheckResult::Answered(answer),
                // A signal from a terminal reaches both processes.
                None if patience.over() == Some(StopReason::Cancelled) => {
                    CheckResult::Stopped(StopReason::Cancelled)
                }
                None => CheckResult::NoAnswer,
            },
        };
        Ok(Check { result, memory })
    }
}

/// Checks a certificate for a parent process and writes the answer to `out`, as the [program of a
/// checker](CheckerProgram) does. Returns `false` without an answer if the checker panics, or if
/// `parent` closes before: a check never outlives its parent.
///
/// # Errors
/// If a thread cannot be started or `out` fails.
pub fn answer_parent(
    files: CheckedFiles,
    threads: Option<NonZeroUsize>,
    mut parent: impl Read + Send + 'static,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let (answer, answers) = mpsc::channel();
    let orphaned = answer.clone();
    thread::Builder::new().spawn(move || {
        let mut byte = [0];
        while parent.read(&mut byte).is_ok_and(|count| count > 0) {}
        let _ = orphaned.send(None);
    })?;
    thread::Builder::new().spawn(move || {
        // A checker that panics has no answer; the parent process must not wait for one.
        let _ = answer.send(panic::catch_unwind(|| check_files(&files, threads)).ok());
    })?;
    let Ok(Some(answer)) = answers.recv() else { return Ok(false) };
    serde_json::to_writer(&mut *out, &answer)?;
    writeln!(out)?;
    Ok(true)
}

/// The checker's answer about these files, with this many threads; by default, one for each processor.
#[must_use]
pub fn check_files(files: &CheckedFiles, threads: Option<NonZeroUsize>) -> CheckerAnswer {
    let limits = Limits::default();
    let limits = Limits { threads: threads.unwrap_or(limits.threads), ..limits };
    let core = read(&files.core, None);
    let core = core.and_then(|core| String::from_utf8(core).map_err(io::Error::other));
    match (core, read(&files.certificate, files.max_file_size)) {
        (Ok(core), Ok(certificate)) => check(&core, &certificate, &limits).into(),
        (Err(error), _) | (_, Err(error)) => {
            CheckerAnswer::Unreadable { reason: error.to_string() }
        }
    }
}

/// The content of a file with at most this many bytes.
fn read(path: &Path, most: Option<u64>) -> io::Result<Vec<u8>> {
    let most = most.unwrap_or(u64::MAX);
    let file = File::open(path)?;
    // Reserved exactly, a file takes no more memory than it has bytes.
    let expected = file.metadata().map_or(0, |metadata| metadata.len()).min(most);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(expected).unwrap_or(0).saturating_add(1))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::claim::{Claim, Statement};
    use std::sync::atomic::Ordering;
    use std::time::{Duration, Instant};

    /// A checker that is a shell script.
    fn script(text: &str) -> CheckerProgram {
        CheckerProgram { path: "/bin/sh".into(), arguments: vec!["-c".into(), text.into()] }
    }

    fn files() -> CheckedFiles {
        CheckedFiles { core: "core".into(), certificate: "cert".into(), max_file_size: None }
    }

    fn run(text: &str, patience: &Patience) -> CheckResult {
        script(text).check(&files(), patience).unwrap().result
    }

    #[test]
    fn an_answer_is_read_whatever_the_exit_code_is() {
        let answer = r#"{"answer":"rejected","reason":"node 3"}"#;
        let expected = CheckerAnswer::Rejected { reason: "node 3".to_owned() };
        for end in ["", "; exit 3"] {
            let ended = run(&format!("echo '{answer}'{end}"), &Patience::default());
            assert_eq!(ended, CheckResult::Answered(expected.clone()));
        }
    }

    #[test]
    fn files_follow_the_arguments() {
        let text = r#"printf '{"answer":"undecided","reason":"%s %s %s"}' "$0" "$1" "$2""#;
        let given = |max_file_size, expected: &str| {
            let files = CheckedFiles { max_file_size, ..files() };
            let ended = script(text).check(&files, &Patience::default()).unwrap();
            let reason = expected.to_owned();
            assert_eq!(ended.result, CheckResult::Answered(CheckerAnswer::Undecided { reason }));
        };
        given(None, "-- core cert");
        given(Some(7), "--max-file-size=7 -- core");
    }

    #[test]
    fn crashes_and_garbage_are_no_answers() {
        for text in [
            "exit 0",
            "exit 101",
            "kill -9 $$",
            "echo accepted: satisfied",
            "echo '{}'",
            r#"echo '{"answer":"accepted"}'"#,
            r#"echo '{"answer":"rejected","reason":"x"} more'"#,
            r"printf '\377\376'",
            // More than a pipe holds, and more than is read.
            "head -c 300000 /dev/zero",
            "head -c 30000000 /dev/zero",
        ] {
            assert_eq!(run(text, &Patience::default()), CheckResult::NoAnswer, "{text}");
        }
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let program = CheckerProgram { path: "/nonexistent/checker".into(), arguments: Vec::new() };
        let error = program.check(&files(), &Patience::default()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_checker_that_hangs_is_killed_at_its_limit_or_on_request() {
        let begun = Instant::now();
        let short = Patience::default().within(Some(Duration::from_millis(30)));
        let ended = run("exec sleep 1000", &short);
        assert_eq!(ended, CheckResult::Stopped(StopReason::TimeLimit));
        let cancelled = Patience::default();
        cancelled.cancelled.store(true, Ordering::Relaxed);
        let ended = run("exec sleep 1000", &cancelled);
        assert_eq!(ended, CheckResult::Stopped(StopReason::Cancelled));
        assert!(begun.elapsed() < Duration::from_secs(100));
    }

    /// A signal from a terminal ends the checker too; that must not look like a crash.
    #[test]
    fn a_checker_that_ends_with_the_interruption_is_interrupted() {
        let patience = Patience::default();
        patience.cancelled.store(true, Ordering::Relaxed);
        for _ in 0..20 {
            let ended = run("exit 130", &patience);
            assert_eq!(ended, CheckResult::Stopped(StopReason::Cancelled));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_checker_is_killed_at_the_shared_memory_limit() {
        let text = "x=$(head -c 200000000 /dev/zero | tr '\\0' a); sleep 9";
        let patience = Patience { memory: Some(64 << 20), ..Patience::default() };
        let ended = script(text).check(&files(), &patience).unwrap();
        assert_eq!(ended.result, CheckResult::Stopped(StopReason::MemoryLimit));
        assert!(ended.memory > 0);
    }

    #[test]
    fn an_orphan_gives_up() {
        let mut out = Vec::new();
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        // Opening the pipe blocks; the closed input ends the check.
        let files = CheckedFiles { core: pipe.clone(), certificate: pipe, max_file_size: None };
        assert!(!answer_parent(files, None, io::empty(), &mut out).unwrap());
        assert!(out.is_empty());
    }

    #[test]
    fn answers_survive_the_path_between_processes() {
        let claim = Claim { statement: Statement::CostInfimum(-3), values: Vec::new() };
        let (kind, text) = ("mincost".to_owned(), "accepted".to_owned());
        let measure = Some("sum".to_owned());
        let proof = crate::Proof { claim, kind, size: 3, measure, text };
        for answer in [
            CheckerAnswer::Accepted(proof),
            CheckerAnswer::Malformed { reason: "line 3".to_owned() },
            CheckerAnswer::WrongModel { reason: String::new() },
            CheckerAnswer::Unreadable { reason: "\"\n".to_owned() },
        ] {
            let line = serde_json::to_vec(&answer).unwrap();
            assert_eq!(serde_json::from_slice::<CheckerAnswer>(&line).unwrap(), answer);
        }
    }

    #[test]
    fn large_and_missing_files_are_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        let core = folder.path().join("core");
        std::fs::write(&core, "0123456789").unwrap();
        let check = |certificate: &Path, most| {
            let certificate = certificate.to_owned();
            let files = CheckedFiles { core: core.clone(), certificate, max_file_size: Some(most) };
            matches!(check_files(&files, None), CheckerAnswer::Unreadable { .. })
        };
        assert!(check(&core, 9));
        assert!(!check(&core, 10));
        assert!(check(&folder.path().join("missing"), 10));
    }
}
