//! The program `zonaut-certify`.

use crate::{certificate, core};
use std::process::Command;

/// The exit code and the output for two texts, or for missing files.
fn run(name: &str, texts: Option<(&str, &str)>) -> std::io::Result<(Option<i32>, String)> {
    let unique = format!("zonaut-certify-{}-{name}", std::process::id());
    let directory = std::env::temp_dir().join(unique);
    std::fs::create_dir_all(&directory)?;
    let (core, certificate) = (directory.join("model.core"), directory.join("model.cert"));
    if let Some((core_text, certificate_text)) = texts {
        std::fs::write(&core, core_text)?;
        std::fs::write(&certificate, certificate_text)?;
    }
    let program = env!("CARGO_BIN_EXE_zonaut-certify");
    let output = Command::new(program).args([&core, &certificate]).output()?;
    std::fs::remove_dir_all(directory)?;
    Ok((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
fn each_answer_has_its_exit_code() {
    let core = core("clock x; process P() { state a; init a; } system P;", "E<> x > 1");
    let good = certificate(&core, "reach", "denom 1\ndelay 2\ngoal\n");
    let bad = certificate(&core, "reach", "denom 1\ndelay 1\ngoal\n");
    let (code, text) = run("good", Some((&core, &good))).unwrap();
    assert_eq!((code, text.as_str()), (Some(0), "accepted: satisfied (a run of 1 steps)\n"));
    let (code, text) = run("bad", Some((&core, &bad))).unwrap();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.starts_with("rejected: line 7:"), "{text}");
    let (code, text) = run("cut", Some((&core, &good[..40]))).unwrap();
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = run("other", Some((&core.replace("x 0", "x 1"), &good))).unwrap();
    assert_eq!(code, Some(3), "{text}");
    assert_eq!(run("none", None).unwrap().0, Some(2));
    let usage = Command::new(env!("CARGO_BIN_EXE_zonaut-certify")).output().unwrap();
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn control_characters_of_a_text_do_not_reach_the_terminal() {
    let core = core("process P() { state a; init a; } system P;", "E<> P.a");
    let text = certificate(&core, "reach", "denom \u{1b}[31m\ngoal\n");
    let (code, line) = run("control", Some((&core, &text))).unwrap();
    assert_eq!(code, Some(2));
    assert!(!line.trim_end().chars().any(char::is_control), "{line:?}");
}
