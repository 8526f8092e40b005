//! Injected faults, which the tests of the protocol must detect.

#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "protocol/support.rs"]
mod support;

use serde_json::{Value, json};
use support::{Client, position_of};
use zonaut_lsp::faults::{Fault, select};

const URI: &str = "file:///models/fault.xta";
const MODEL: &str = "clock x;\nint n; /* \u{e4}\u{1d11e} */ int wide;\n\
    process P() { state a, b; init a; trans a -> b { guard n < 3; assign n = n + wide; }; }\nsystem P;\n";

/// An edit changes the diagnostics.
fn edits_are_analysed() -> bool {
    let mut client = Client::new();
    client.open(URI, MODEL);
    let before = client.diagnostics(URI, 1).len();
    client.replace(URI, 2, &MODEL.replace("int n;", "int m;"));
    let after = client.diagnostics(URI, 2).len();
    client.finish();
    before == 0 && after > 0
}

/// All uses of a name are found.
fn references_are_complete() -> bool {
    let mut client = Client::new();
    client.open(URI, MODEL);
    let mut params = position_of(URI, MODEL, "int |n");
    params["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", params).expect("an answer");
    client.finish();
    found.as_array().map(Vec::len) == Some(4)
}

/// A name behind characters of several bytes is found.
fn positions_count_units() -> bool {
    let mut client = Client::new();
    client.open(URI, MODEL);
    let found = client.at("textDocument/hover", URI, MODEL, "int |wide").expect("an answer");
    client.finish();
    found != Value::Null && found["contents"]["value"].as_str().unwrap_or("").contains("wide")
}

#[test]
fn every_fault_is_detected() {
    let checks = [
        (Fault::StaleAnalysis, edits_are_analysed as fn() -> bool),
        (Fault::MissedReference, references_are_complete),
        (Fault::BytesForUnits, positions_count_units),
    ];
    assert_eq!(checks.map(|(fault, _)| fault), Fault::ALL);
    select(None);
    assert!(checks.iter().all(|(_, check)| check()));
    for fault in Fault::ALL {
        select(Some(*fault));
        for (detected, check) in checks {
            assert_eq!(check(), detected != *fault, "{fault:?} by the check for {detected:?}");
        }
    }
    select(None);
}
