//! Completions and manual pages name all commands.

mod support;

use std::fs;
use support::Bench;

const COMMANDS: [&str; 8] =
    ["verify", "test", "explore", "check", "convert", "generate", "bench", "certify"];

#[test]
fn completions_name_all_commands() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = bench.run(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{shell}");
        for command in COMMANDS {
            assert!(run.stdout.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(bench.run(&["completions", "abacus"]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn bash_accepts_its_completions() {
    let bench = Bench::new();
    bench.write("zonaut.bash", bench.run(&["completions", "bash"]).stdout);
    let mut command = bench.command("bash");
    let script = "source ./zonaut.bash; COMP_WORDS=(zonaut gen); COMP_CWORD=1; \
                  _zonaut zonaut gen zonaut; echo \"${COMPREPLY[@]}\"";
    command.args(["--norc", "-c", script]);
    if command.output().is_err() {
        eprintln!("skipped: there is no bash");
        return;
    }
    let run = bench.finish(&mut command);
    assert_eq!((run.code, run.stdout.trim()), (Some(0), "generate"), "{}", run.stderr);
}

#[test]
fn every_command_has_a_page_with_its_examples() {
    let bench = Bench::new();
    let run = bench.run(&["manual"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains(".TH zonaut 1") && run.stdout.contains("zonaut\\-verify(1)"));
    assert_eq!(bench.run(&["manual", "-o", "man/man1"]).code, Some(0));
    for command in COMMANDS {
        let page = fs::read_to_string(bench.path(&format!("man/man1/zonaut-{command}.1"))).unwrap();
        assert!(page.contains("Examples:"), "{command}: {page}");
    }
    assert!(!bench.path("man/man1/zonaut-check-certificate.1").exists());
    bench.write("file", "");
    assert_eq!(bench.run(&["manual", "-o", "file"]).code, Some(2));
}
