//! Certification with checkers that answer, crash, hang, are missing or print garbage, and with
//! certificates that cannot be written.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use zonaut_certification::{
    Certification, Certified, Certifier, CheckedFiles, CheckerAnswer, CheckerProgram, Policy,
    check_files,
};
use zonaut_engine::report::Certificate;
use zonaut_engine::{
    Answer, CertificateRequest, Evidence, LoadOptions, OptimizeOptions, QueryId, Resources,
    Session, Task, VerifyOptions, load_text,
};

const MODEL: &str = "clock x; process P() { state a, b { x <= 5 }, c; init a;
    trans a -> b { assign x = 0; }, b -> a { guard x >= 2; }; } system P;
    query { E<> P.b && x > 3\n E<> P.c\n }";

/// A checker that accepts a run of the first query.
const ACCEPTS: &str = r#"echo '{"answer":"accepted","claim":{"statement":"satisfied","values":[]},"kind":"reach","size":2,"measure":null,"text":"accepted"}'"#;

fn script(text: &str) -> CheckerProgram {
    CheckerProgram { path: "/bin/sh".into(), arguments: vec!["-c".into(), text.into()] }
}

fn session() -> Session {
    load_text("p.xta", MODEL, &LoadOptions::default()).session().expect("a model")
}

/// The query with this position.
fn query(session: &Session, position: usize) -> QueryId {
    session.queries().nth(position).expect("a query").0
}

/// An answer with its certification.
struct Checked {
    answer: Answer,
    certified: Certified,
}

struct Setup<'s> {
    checker: CheckerProgram,
    policy: Policy,
    target: Option<&'s Path>,
    resources: Resources,
    /// The position of the query.
    position: usize,
}

impl Setup<'_> {
    fn of(text: &str) -> Self {
        Self {
            checker: script(text),
            policy: Policy::Auto,
            target: None,
            resources: Resources::default(),
            position: 0,
        }
    }

    fn ask(self) -> Checked {
        let session = session();
        let id = query(&session, self.position);
        let certifier =
            Certifier { policy: self.policy, checker: self.checker, advice: "; wait for it" };
        let options = VerifyOptions { resources: self.resources, ..VerifyOptions::default() };
        let mut attempt = certifier.begin(self.target, &options.resources);
        let mut file = attempt.take_file();
        let certificate = file.as_mut().map(|file| file as &mut dyn zonaut_engine::CertificateSink);
        let evidence = Evidence { certificate, closing: attempt.closing(), ..Evidence::default() };
        let answer = session.verify_with_certificate(id, &options, evidence);
        if let Some(file) = file {
            attempt.give_back(file);
        }
        let certified = attempt.finish(&session, id, &answer);
        Checked { answer, certified }
    }

    fn certification(self) -> Certification {
        self.ask().certified.certification
    }
}

#[test]
fn an_accepted_certificate_certifies_the_answer() {
    let Checked { answer, certified } = Setup::of(ACCEPTS).ask();
    assert!(matches!(certified.certification, Certification::Certified), "{certified:?}");
    assert!(certified.time > Duration::ZERO);
    let session = session();
    let record = certified.record(&session, query(&session, 0), &answer);
    assert!(record.certified && record.uncertified_reason.is_none());
    assert!(record.effort.seconds > record.effort.search_seconds);
}

#[test]
fn the_checker_gets_the_core_text_and_the_certificate() {
    for position in [0, 1] {
        let folder = tempfile::tempdir().expect("a folder");
        let (core, certificate) = (folder.path().join("core"), folder.path().join("certificate"));
        let text = format!(r#"cp "$1" '{}'; cp "$2" '{}'"#, core.display(), certificate.display());
        let certification = Setup { position, ..Setup::of(&text) }.certification();
        assert!(matches!(certification, Certification::Uncertified(_)), "{certification:?}");
        let files = CheckedFiles { core, certificate, max_file_size: None };
        let answer = check_files(&files, None);
        assert!(matches!(answer, CheckerAnswer::Accepted(_)), "{answer:?}");
    }
}

#[test]
fn another_claim_is_rejected_and_its_files_are_kept() {
    let certification = Setup { position: 1, ..Setup::of(ACCEPTS) }.certification();
    let Certification::Rejected(rejection) = &certification else {
        unreachable!("{certification:?}")
    };
    assert!(rejection.reason.contains("another claim"), "{}", rejection.reason);
    assert_eq!(rejection.files.len(), 2);
    for file in &rejection.files {
        fs::remove_file(file).expect("a kept file");
    }
    assert!(matches!(certification.record(), Certificate::Rejected(_)));
}

#[test]
fn a_checker_without_an_answer_is_an_error_only_where_a_check_was_requested() {
    for text in ["kill -9 $$", "exit 0", "echo garbage", "echo '{}'", "head -c 300000 /dev/zero"] {
        for (policy, is_error) in [(Policy::Auto, false), (Policy::Always, true)] {
            let found = Setup { policy, ..Setup::of(text) }.certification();
            let why = found.reason().unwrap_or_default();
            assert_eq!(why, "the checker ended without an answer", "{text}");
            assert_eq!(matches!(found, Certification::Undelivered(_)), is_error, "{text}");
        }
    }
}

#[test]
fn a_missing_checker_is_reported() {
    let checker = CheckerProgram { path: "/nonexistent/checker".into(), arguments: Vec::new() };
    let found = Setup { checker, ..Setup::of("") }.certification();
    let why = found.reason().unwrap_or_default();
    assert!(why.starts_with("the checker cannot be run: "), "{why}");
    assert!(matches!(found, Certification::Uncertified(_)), "{found:?}");
}

#[test]
fn the_limit_of_the_query_includes_the_check() {
    for (policy, is_error) in [(Policy::Auto, false), (Policy::Always, true)] {
        let begun = Instant::now();
        let resources =
            Resources { time: Some(Duration::from_millis(300)), ..Resources::default() };
        let setup = Setup { policy, resources, ..Setup::of("exec sleep 1000") };
        let found = setup.certification();
        assert!(begun.elapsed() < Duration::from_secs(60));
        assert_eq!(matches!(found, Certification::Undelivered(_)), is_error, "{found:?}");
        let why = found.reason().unwrap_or_default();
        assert!(why.contains("time"), "{why}");
    }
}

/// Without a limit of the query, a set of zones is checked for at most a second or three times as
/// long as the search took.
#[test]
fn a_check_has_an_allowance_of_its_own() {
    let begun = Instant::now();
    let found = Setup { position: 1, ..Setup::of("exec sleep 1000") }.certification();
    assert!((1..60).contains(&begun.elapsed().as_secs()));
    let why = found.reason().unwrap_or_default();
    assert_eq!(why, "certification would take longer than three times the search; wait for it");
    assert!(matches!(found, Certification::Uncertified(_)), "{found:?}");
}

#[test]
fn a_cancelled_check_is_interrupted() {
    for policy in [Policy::Auto, Policy::Always] {
        let resources = Resources::default();
        let cancelled = Arc::clone(&resources.cancelled);
        let signal = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            cancelled.store(true, Ordering::Relaxed);
        });
        let found = Setup { policy, resources, ..Setup::of("exec sleep 1000") }.certification();
        signal.join().expect("a signal");
        assert!(matches!(found, Certification::Interrupted), "{found:?}");
    }
}

#[test]
fn certificates_that_cannot_be_written_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let missing = folder.path().join("missing").join("c.cert");
    let inside_file = file.join("c.cert");
    let mut targets = vec![missing.as_path(), inside_file.as_path(), folder.path()];
    // A full disk.
    targets.extend(Some(Path::new("/dev/full")).filter(|path| path.exists()));
    for target in targets {
        for policy in [Policy::Auto, Policy::Never] {
            let setup = Setup { policy, target: Some(target), ..Setup::of(ACCEPTS) };
            let found = setup.certification();
            let why = found.reason().unwrap_or_default();
            assert!(why.starts_with("the certificate cannot be written: "), "{why}");
            assert!(matches!(found, Certification::Undelivered(_)), "{found:?}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_policy_without_checks_only_keeps_the_certificate() {
    let found = Setup { policy: Policy::Never, ..Setup::of("exit 1") }.ask().certified;
    assert_eq!(found.certification.reason().as_deref(), Some("not requested"));
    assert_eq!(found.time, Duration::ZERO);
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("c.cert");
    let setup = Setup { policy: Policy::Never, target: Some(&target), ..Setup::of("exit 1") };
    assert_eq!(setup.certification().reason().as_deref(), Some("not requested"));
    assert!(fs::read_to_string(&target).expect("a certificate").starts_with("tacert 1"));
}

#[test]
fn an_undecided_query_has_nothing_to_certify() {
    let resources = Resources::default();
    resources.cancelled.store(true, Ordering::Relaxed);
    let found = Setup { resources, ..Setup::of(ACCEPTS) }.certification();
    assert!(matches!(found, Certification::Nothing(_)), "{found:?}");
}

#[test]
fn an_optimum_needs_a_certificate_of_its_cost() {
    let session = session();
    let id = query(&session, 0);
    let options = OptimizeOptions::default();
    let check = |statement: &str| {
        let text = format!(
            r#"echo '{{"answer":"accepted","claim":{{"statement":{statement},"values":[]}},"kind":"mincost","size":2,"measure":"sum","text":"accepted"}}'"#
        );
        let certifier = Certifier { policy: Policy::Auto, checker: script(&text), advice: "" };
        let mut attempt = certifier.begin(None, &options.resources);
        let sink = attempt.take_file().expect("a file");
        let task = Task::optimize(&session, id, &options).expect("a goal");
        let request = CertificateRequest { sink, closing: attempt.closing() };
        let found = task.start_with_certificate(request).join().expect("no panic");
        attempt.give_back(found.sink);
        let cost = found.result.cost().expect("a cost");
        assert!(!cost.is_attained() && cost.value() == 3, "{cost}");
        attempt.finish(&session, id, &found.result).certification
    };
    assert!(matches!(check(r#"{"cost_infimum":3}"#), Certification::Certified));
    for statement in [r#"{"least_cost":3}"#, r#"{"cost_infimum":4}"#, r#""satisfied""#] {
        let Certification::Rejected(rejection) = check(statement) else {
            unreachable!("{statement}")
        };
        for file in rejection.files {
            fs::remove_file(file).expect("a kept file");
        }
    }
}
