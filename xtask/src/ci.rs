//! All checks that a change must pass, cheapest first, stopping at the first failure.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::report::{Failure, Outcome};
use crate::{deps, editor_test, python_test, tidy, ui_test};

/// One step: how it is shown and what it does.
enum Step {
    /// Runs cargo with these arguments and extra environment variables.
    Cargo {
        arguments: &'static [&'static str],
        environment: &'static [(&'static str, &'static str)],
    },
    /// Runs an external cargo subcommand, if it is installed.
    Tool { name: &'static str, arguments: &'static [&'static str] },
    /// Runs ignored tests if an environment variable announces their prerequisites.
    Ignored { variable: &'static str, arguments: &'static [&'static str] },
    /// Starts a program that was built before, in parallel with the following steps, and waits for
    /// it at the end.
    Beside { program: &'static str, arguments: &'static [&'static str] },
    /// Runs a task of xtask in this process.
    Task { name: &'static str, run: fn(&Path) -> Outcome },
}

const STEPS: &[Step] = &[
    Step::Cargo { arguments: &["fmt", "--all", "--", "--check"], environment: &[] },
    Step::Task { name: "deps", run: deps::run },
    Step::Task { name: "tidy", run: tidy::run },
    Step::Tool { name: "deny", arguments: &["check", "licenses", "bans", "sources"] },
    Step::Cargo {
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        environment: &[],
    },
    // The fuzz targets are only compiled, never linked, so that the fuzzer itself need not be
    // built: its path is overridden.
    Step::Cargo {
        arguments: &["check", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target"],
        environment: &[("CUSTOM_LIBFUZZER_PATH", "none/libfuzzer.a")],
    },
    Step::Cargo { arguments: &["test", "--workspace", "--no-run"], environment: &[] },
    // Tests do not always use all processors. The soak program that was built with them has all
    // debug checks; building it optimised would take longer than it saves.
    Step::Beside { program: SOAK, arguments: &["--models", "20000", "--seed", "0"] },
    Step::Cargo { arguments: &["test", "--workspace"], environment: &[] },
    Step::Ignored {
        variable: "ZONAUT_MODELS",
        arguments: &["test", "--workspace", "--", "--ignored", "public_models"],
    },
    Step::Ignored {
        variable: "ZONAUT_CLIENTS",
        arguments: &["test", "-p", "zonaut", "--test", "clients", "--", "--ignored"],
    },
    Step::Cargo {
        arguments: &["doc", "--workspace", "--no-deps"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    Step::Task { name: "ui-test", run: ui_test::run_after_tests },
    Step::Task { name: "python-test", run: python_test::run_after_tests },
    Step::Task { name: "editor-test", run: editor_test::run_after_tests },
];

/// The soak program: random models against the oracles.
const SOAK: &str = "target/debug/soak";

/// Runs all steps in the folder `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    let mut beside = Vec::new();
    for step in STEPS {
        eprintln!("ci: {}", step.title());
        step.run(root, &mut beside)?;
    }
    for helper in beside {
        helper.finish()?;
    }
    eprintln!("ci: passed");
    Ok(())
}

/// A program that runs in parallel, and is killed when this process ends.
struct Helper {
    title: String,
    program: Child,
}

impl Helper {
    /// Starts the program; its output is shown when it is waited for.
    fn start(title: String, command: &mut Command) -> Result<Self, Failure> {
        let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let program = started.map_err(|error| Failure::Environment(format!("{title}: {error}")))?;
        Ok(Self { title, program })
    }

    /// Waits for the program.
    fn finish(mut self) -> Outcome {
        let unreadable = |error: std::io::Error| Failure::Environment(error.to_string());
        eprintln!("ci: {}", self.title);
        if let Some(output) = self.program.stdout.as_mut() {
            std::io::copy(output, &mut std::io::stdout()).map_err(unreadable)?;
        }
        let status = self.program.wait().map_err(unreadable)?;
        if status.success() { Ok(()) } else { Err(Failure::Step(self.title.clone())) }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // A program that has ended already needs no signal.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

impl Step {
    /// The command line of the step.
    fn title(&self) -> String {
        match self {
            Step::Task { name, .. } => format!("cargo xtask {name}"),
            Step::Tool { name, arguments } => format!("cargo {name} {}", arguments.join(" ")),
            Step::Ignored { arguments, .. } => format!("cargo {}", arguments.join(" ")),
            Step::Beside { program, arguments } => format!("{program} {} &", arguments.join(" ")),
            Step::Cargo { arguments, environment } => {
                let mut title = String::new();
                for (name, value) in *environment {
                    title.push_str(&format!("{name}=\"{value}\" "));
                }
                title.push_str("cargo ");
                title.push_str(&arguments.join(" "));
                title
            }
        }
    }

    /// Runs the step, or adds the program that it starts to `beside`.
    fn run(&self, root: &Path, beside: &mut Vec<Helper>) -> Outcome {
        match self {
            Step::Task { run, .. } => run(root),
            Step::Tool { name, .. } if !is_installed(name) => {
                eprintln!("ci: skipped, cargo-{name} is not installed");
                Ok(())
            }
            Step::Ignored { variable, .. } if std::env::var_os(variable).is_none() => {
                eprintln!("ci: skipped, {variable} is not set");
                Ok(())
            }
            Step::Beside { program, arguments } => {
                let mut command = Command::new(root.join(program));
                command.args(*arguments).current_dir(root);
                beside.push(Helper::start(self.title(), &mut command)?);
                Ok(())
            }
            Step::Ignored { arguments, .. } => self.run_cargo(arguments, &[], root),
            Step::Tool { name, arguments } => {
                let words: Vec<&str> = [name].into_iter().chain(*arguments).copied().collect();
                self.run_cargo(&words, &[], root)
            }
            Step::Cargo { arguments, environment } => self.run_cargo(arguments, environment, root),
        }
    }

    fn run_cargo(&self, words: &[&str], environment: &[(&str, &str)], root: &Path) -> Outcome {
        let status = Command::new(cargo_program())
            .args(words)
            .envs(environment.iter().copied())
            .current_dir(root)
            .status()
            .map_err(|error| Failure::Environment(format!("cargo: {error}")))?;
        if status.success() { Ok(()) } else { Err(Failure::Step(self.title())) }
    }
}

/// Whether cargo finds a command of this name.
fn is_installed(name: &str) -> bool {
    let mut command = Command::new(cargo_program());
    command.args([name, "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The cargo that runs xtask, so that the selected toolchain stays selected.
pub(crate) fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_as_command_lines() {
        let titles: Vec<String> = STEPS.iter().map(Step::title).collect();
        assert!(titles.contains(&"cargo test --workspace".to_owned()));
        assert!(titles.contains(&"cargo xtask deps".to_owned()));
        let public = "cargo test --workspace -- --ignored public_models";
        assert!(titles.contains(&public.to_owned()));
        assert!(titles.contains(&"cargo xtask tidy".to_owned()));
        assert!(titles.contains(&"target/debug/soak --models 20000 --seed 0 &".to_owned()));
        assert!(
            titles.contains(
                &"RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --no-deps".to_owned()
            )
        );
    }

    #[test]
    fn a_missing_tool_is_skipped() {
        let step = Step::Tool { name: "no-such-tool", arguments: &["check"] };
        assert_eq!(step.title(), "cargo no-such-tool check");
        assert!(step.run(Path::new("."), &mut Vec::new()).is_ok());
        assert!(is_installed("fmt"));
    }

    #[test]
    fn tests_without_their_prerequisites_are_named_and_skipped() {
        let step = Step::Ignored { variable: "NO_SUCH_VARIABLE", arguments: &["no-such-command"] };
        assert!(step.run(Path::new("."), &mut Vec::new()).is_ok());
    }

    #[test]
    fn the_result_of_a_parallel_program_counts() {
        for (program, succeeds) in [("/bin/true", true), ("/bin/false", false)] {
            let step = Step::Beside { program, arguments: &[] };
            let mut beside = Vec::new();
            assert!(step.run(Path::new("."), &mut beside).is_ok());
            assert_eq!(beside.pop().unwrap().finish().is_ok(), succeeds);
        }
    }

    #[test]
    fn a_failing_step_stops_with_exit_code_one() {
        let step = Step::Cargo { arguments: &["no-such-command"], environment: &[] };
        let failure = step.run(Path::new("."), &mut Vec::new()).unwrap_err();
        assert_eq!(failure.exit_code(), 1);
    }
}
