//! Certification of answers: writes certificates to files, runs the independent checker in a
//! separate process with limits on time and memory, and compares the claim that it accepts with the
//! answer.
//!
//! It is used by all front ends and knows neither arguments nor terminals. The checker is a
//! [program](CheckerProgram) that the caller names; the library never starts its own executable.
//! Only files pass between the engine and the checker, and one line of JSON comes back.
//!
//! ```no_run
//! use zonaut_certification::{Certification, Certifier, CheckerProgram, Policy};
//! use zonaut_engine::{Evidence, LoadOptions, VerifyOptions, load_text};
//!
//! let text = "process P() { state a, b; init a; trans a -> b { }; } system P; query { E<> P.b }";
//! let session = load_text("p.xta", text, &LoadOptions::default()).session().expect("a model");
//! let (id, _) = session.queries().next().expect("a query");
//! let checker = CheckerProgram { path: "zonaut".into(), arguments: vec!["check-certificate".into()] };
//! let certifier = Certifier { policy: Policy::Always, checker, advice: "" };
//! let options = VerifyOptions::default();
//! let mut attempt = certifier.begin(None, &options.resources);
//! let mut file = attempt.take_file().expect("a temporary file");
//! let evidence = Evidence { certificate: Some(&mut file), ..Evidence::default() };
//! let answer = session.verify_with_certificate(id, &options, evidence);
//! attempt.give_back(file);
//! let certified = attempt.finish(&session, id, &answer);
//! assert!(matches!(certified.certification, Certification::Certified));
//! ```

mod allowance;
mod certificate_file;
mod certifier;
mod checker_answer;
mod checker_process;
mod claim;
mod patience;
mod pipe;

pub use certificate_file::CertificateFile;
pub use certifier::{
    Attempt, BatchAttempt, CertificateFiles, Certification, Certified, Certifier, Policy,
    Rejection, core_file,
};
pub use checker_answer::{CheckerAnswer, Proof};
pub use checker_process::{
    Check, CheckResult, CheckedFiles, CheckerProgram, answer_parent, check_files,
};
pub use claim::{Claim, Extreme, Statement, ValueRange};
pub use patience::Patience;
