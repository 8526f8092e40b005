//! No core text makes the checker panic, whatever the certificate about it.
//!
//! An input is a core text, a line `----`, a line with the kind, and the body of a certificate; the
//! frame of the certificate is added.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zonaut_certify::{Limits, check, fingerprint, seal};

fuzz_target!(|text: &str| {
    let (core, rest) = text.split_once("----\n").unwrap_or((text, "unreach\nabs incl\nnodes 0\n"));
    let (kind, body) = rest.split_once('\n').unwrap_or((rest, ""));
    let names = core.lines().filter_map(|line| line.strip_prefix("clock "));
    let names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).collect();
    let clocks = names.iter().fold(names.len().to_string(), |all, name| format!("{all} {name}"));
    let core_line = fingerprint(core.as_bytes());
    let head = format!("tacert 1\nkind {kind}\ncore {core_line}\nclocks {clocks}\n");
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    let limits = Limits { nodes: 1_000, bounds: 1 << 16, steps: 20_000, ..Limits::default() };
    let _ = check(core, &seal(format!("{head}{body}{end}")), &limits);
});
