//! Documents whose files are written and whose commands are run, in order.
//!
//! A block ```` ```KIND NAME ```` is the file with that name. Each line of a block ```` ```sh ````
//! is run by a shell in which `zonaut` is the binary; its exit code is 0, or that of `# exits with
//! N`. The lines of a block ```` ```text ```` occur in the output of the commands before it, in
//! this order; `...` stands for omitted lines. Seconds and sizes of memory may differ.

use super::{Bench, Run};
use std::path::Path;

/// The blocks of a page, with the text after their fences.
pub(crate) fn blocks(document: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in document.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_owned(), String::new())),
            (None, None) => {}
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    blocks
}

/// Executes a document; returns its numbers of commands and of shown lines of output.
pub(crate) fn play(document: &str) -> (usize, usize) {
    let bench = Bench::new();
    let (mut commands, mut shown) = (0, 0);
    let mut output = String::new();
    for (info, text) in blocks(document) {
        match (info.as_str(), info.split_once(' ')) {
            (_, Some((_, name))) => drop(bench.write(name, text)),
            ("sh", None) => {
                output.clear();
                for line in text.lines() {
                    let run = run(&bench, line);
                    assert_eq!(run.code, Some(expected_code(line)), "{line}: {run:?}");
                    output.push_str(&run.stdout);
                    output.push_str(&run.stderr);
                    commands += 1;
                }
            }
            ("text", None) => shown += compare(&text, &output),
            _ => {}
        }
    }
    (commands, shown)
}

fn expected_code(line: &str) -> i32 {
    let code = line.split_once("# exits with ").map(|(_, code)| code.trim().parse());
    code.map_or(0, |code| code.expect("a number after `# exits with`"))
}

/// Runs a line of a shell in which `zonaut` is the binary.
fn run(bench: &Bench, line: &str) -> Run {
    let folder = Path::new(env!("CARGO_BIN_EXE_zonaut")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = bench.command("sh");
    command.args(["-c", line]).env("PATH", format!("{}:{path}", folder.display()));
    bench.finish(&mut command)
}

/// Finds the lines of `expected` in `output`, in order; returns their number.
pub(crate) fn compare(expected: &str, output: &str) -> usize {
    let mut lines = output.lines().map(measured);
    let expected =
        expected.lines().map(str::trim_end).filter(|line| !line.is_empty() && *line != "...");
    expected
        .map(|line| {
            let wanted = measured(line);
            assert!(lines.any(|line| line == wanted), "not shown:\n{line}\nin:\n{output}");
        })
        .count()
}

/// A line without machine-dependent parts: seconds and sizes of memory.
fn measured(line: &str) -> String {
    let mut words: Vec<&str> = line.trim_end().split(' ').collect();
    for position in 1..words.len() {
        let unit = words[position].trim_end_matches([',', ')']);
        let number = words[position - 1].trim_start_matches('(');
        if ["s", "ms", "B", "KB", "MB"].contains(&unit)
            && (number.parse::<f64>().is_ok() || number == "<1")
        {
            words[position - 1] = "N";
            words[position] = "UNIT";
        }
    }
    // The time of a certificate is printed only if it is long.
    let line = words.join(" ");
    line.replace(" of these N UNIT and N UNIT for the certificate,", "")
        .replace(" of these N UNIT for the certificate,", "")
}
