//! The time from a keystroke in a large model to its diagnostics.
//!
//! The times are printed, not checked: they depend on the machine and the build.

use crate::support::Client;
use serde_json::json;
use std::time::{Duration, Instant};

const URI: &str = "file:///models/large.xta";
/// The number of templates, each of 47 lines.
const TEMPLATES: usize = 43;
/// The number of keystrokes.
const KEYSTROKES: i32 = 40;

/// A model of about 2,000 lines with functions, arrays, structs and two processes for each template.
fn large_model() -> String {
    let mut text = String::from("const int N = 8;\nclock x;\n");
    for template in 0..TEMPLATES {
        text.push_str(&format!(
            "chan go{template}[N];\nint[0,99] level{template}[N];\n\
             int step{template}(int a, int b) {{\n    int c = a;\n    for (i : int[0,7]) {{\n        \
             if (level{template}[i] > b) {{\n            c += level{template}[i];\n        }}\n    }}\n    \
             return c % 100;\n}}\nprocess P{template}(const int[0,1] id) {{\n    clock y;\n    \
             int[0,9] n = 0;\n    state s0"
        ));
        (1..15).for_each(|location| {
            text.push_str(&format!(",\n          s{location} {{ y <= {location} + N }}"))
        });
        text.push_str(";\n    init s0;\n    trans\n");
        for edge in 0..15 {
            let (target, end) = ((edge + 1) % 15, if edge == 14 { ";" } else { "," });
            text.push_str(&format!(
                "        s{edge} -> s{target} {{ guard y >= {edge} && n < 9; sync go{template}[id]!; \
                 assign y = 0, n = (n + 1) % 9, level{template}[n] = step{template}(n, {edge}); }}{end}\n"
            ));
        }
        text.push_str("}\n");
    }
    let names: Vec<String> = (0..TEMPLATES).map(|template| format!("P{template}")).collect();
    text.push_str(&format!("system {};\n", names.join(", ")));
    text
}

#[test]
fn keystrokes_in_a_large_model_are_diagnosed() {
    let text = large_model();
    let lines = text.lines().count();
    assert!(lines >= 2_000, "{lines}");
    let mut client = Client::new();
    client.open(URI, &text);
    assert!(client.diagnostics(URI, 1).is_empty());
    let line = text.lines().position(|line| line.contains("int step20")).expect("a function");
    let mut times: Vec<Duration> = Vec::new();
    for key in 0..KEYSTROKES {
        // A blank, or a name that makes the declaration wrong.
        let (inserted, problems) = if key % 2 == 0 { ("z ", true) } else { ("", false) };
        let end = if key % 2 == 0 { 0 } else { 2 };
        let range = json!({
            "start": { "line": line, "character": 0 }, "end": { "line": line, "character": end }
        });
        let start = Instant::now();
        client.change(URI, key + 2, &json!([{ "range": range, "text": inserted }]));
        let found = client.diagnostics(URI, key + 2);
        times.push(start.elapsed());
        assert_eq!(!found.is_empty(), problems, "{found:?}");
    }
    times.sort_unstable();
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    eprintln!("{lines} lines: median {median:.1?}, longest {longest:.1?}, the pause included");
    client.finish();
}
