//! The features of the server, as a client sees them.

use crate::support::{Client, position_of};
use serde_json::{Value, json};
use zonaut_engine::VerifyOptions;
use zonaut_lsp::{FindSettings, FolderSettings};

const URI: &str = "file:///models/gate.xta";
const QUERIES: &str = "file:///models/gate.q";
const MODEL: &str = "\
// Kommentar: ä𝄞
const int N = 2 + 1;
typedef int[0, N - 1] id_t;
struct { int[0,9] level; bool open; } tank;
clock x;
broadcast chan go[N];
int total(const int a, int &b) { int c = a; b = c; return b; }
process Train(const id_t id, int[1,5] speed) {
    clock y;
    state far { y <= 5 }, near;
    commit near;
    init far;
    trans far -> near { guard y >= speed && tank.open; sync go[id]!; assign x = 0, tank.level = total(id, tank.level); },
          near -> far { };
}
T0 = Train(0, 3);
T1 = Train(1, 3);
system T0, T1;
";
const FORMULAS: &str = "// safety\nA[] not (T0.near and T1.near)\nE<> T0.near && x <= 1\n";

fn opened() -> Client {
    let mut client = Client::new();
    client.open(URI, MODEL);
    assert_eq!(client.diagnostics(URI, 1), Vec::<Value>::new());
    client.open(QUERIES, FORMULAS);
    assert_eq!(client.diagnostics(QUERIES, 1), Vec::<Value>::new());
    client
}

/// The text that hovering over the marked position shows.
fn hover(client: &mut Client, uri: &str, text: &str, word: &str) -> String {
    let found = client.at("textDocument/hover", uri, text, word).expect("an answer");
    let value = found["contents"]["value"].as_str().unwrap_or("nothing");
    value.trim_start_matches("```xta\n").trim_end_matches("\n```").to_owned()
}

#[test]
fn hovers_show_types_ranges_and_values() {
    let mut client = opened();
    for (word, expected) in [
        ("const int |N", "const int N = 3"),
        ("typedef int[0, |N", "const int N = 3"),
        ("clock |x;", "clock x"),
        ("chan |go", "broadcast chan[3] go"),
        ("id_t |id", "const int[0,2] id"),
        ("const |id_t id", "typedef int[0,2] id_t"),
        ("tank.|open", "field bool open"),
        ("= |total(id", "int total(const int a, int &b)"),
        ("process |Train", "process Train(const id_t id, int[1,5] speed)"),
        ("T0 = |Train", "process Train(const id_t id, int[1,5] speed)"),
        ("commit |near", "committed location Train.near"),
        ("init |far", "location Train.far, invariant y <= 5"),
        ("|system T0", "nothing"),
    ] {
        assert_eq!(hover(&mut client, URI, MODEL, word), expected, "{word}");
    }
    assert_eq!(hover(&mut client, QUERIES, FORMULAS, "T0.|near"), "committed location Train.near");
    assert_eq!(hover(&mut client, QUERIES, FORMULAS, "(|T0"), "process T0, an instance of Train");
    client.finish();
}

/// The line of the definition of the marked name.
fn definition(client: &mut Client, uri: &str, text: &str, word: &str) -> (String, u64) {
    let found = client.at("textDocument/definition", uri, text, word).expect("an answer");
    let uri = found["uri"].as_str().unwrap_or("none").to_owned();
    (uri, found["range"]["start"]["line"].as_u64().unwrap_or(99))
}

#[test]
fn definitions_are_found_across_documents() {
    let mut client = opened();
    let model = |line| (URI.to_owned(), line);
    for (word, line) in [
        ("= |total(id", 6),
        ("go[|id]", 7),
        ("trans |far", 9),
        ("b = |c", 6),
        ("system |T0", 15),
        ("tank.|level = total", 3),
    ] {
        assert_eq!(definition(&mut client, URI, MODEL, word), model(line), "{word}");
    }
    assert_eq!(definition(&mut client, QUERIES, FORMULAS, "T1.|near"), model(9));
    assert_eq!(definition(&mut client, QUERIES, FORMULAS, "&& |x"), model(4));
    client.finish();
}

/// The number of edits of a document.
fn edits(edit: &Value, uri: &str) -> usize {
    let changes = edit["documentChanges"].as_array().cloned().unwrap_or_default();
    let own = changes.iter().filter(|it| it["textDocument"]["uri"] == json!(uri));
    own.map(|it| it["edits"].as_array().map_or(0, Vec::len)).sum()
}

#[test]
fn references_and_rename_cover_the_queries() {
    let mut client = opened();
    let mut params = position_of(URI, MODEL, "commit |near");
    params["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", params).expect("references");
    let found = found.as_array().expect("a list");
    let count = |uri: &str| found.iter().filter(|it| it["uri"] == json!(uri)).count();
    assert_eq!((count(URI), count(QUERIES)), (4, 3));

    let mut params = position_of(QUERIES, FORMULAS, "T0.|near");
    params["newName"] = json!("close");
    let edit = client.request("textDocument/rename", params).expect("edits");
    assert_eq!((edits(&edit, URI), edits(&edit, QUERIES)), (4, 3));
    client.finish();
}

#[test]
fn renames_that_would_clash_are_refused() {
    let mut client = opened();
    for (word, name) in [
        ("commit |near", "far"),
        ("commit |near", "1st"),
        ("commit |near", "clock"),
        // The parameter would hide the constant.
        ("const id_t |id", "x"),
        ("|system T0", "other"),
    ] {
        let mut params = position_of(URI, MODEL, word);
        params["newName"] = json!(name);
        assert!(client.request("textDocument/rename", params).is_err(), "{word} {name}");
    }
    let damaged = MODEL.replace("clock x;", "clock x");
    client.replace(URI, 2, &damaged);
    let mut params = position_of(URI, &damaged, "commit |near");
    params["newName"] = json!("close");
    assert!(client.request("textDocument/rename", params).is_err());
    client.finish();
}

/// The labels of completion at the marked position.
fn completion(client: &mut Client, uri: &str, text: &str, word: &str) -> Vec<String> {
    let found = client.at("textDocument/completion", uri, text, word).expect("an answer");
    let items = found.as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["label"].as_str().unwrap_or("").to_owned()).collect()
}

#[test]
fn completion_knows_scopes_and_members() {
    let mut client = opened();
    let inside = completion(&mut client, URI, MODEL, "guard |y");
    for name in ["y", "speed", "id", "x", "N", "total", "far", "clock"] {
        assert!(inside.contains(&name.to_owned()), "{name}: {inside:?}");
    }
    assert!(!inside.contains(&"c".to_owned()), "a local of a function");
    let outside = completion(&mut client, URI, MODEL, "system |T0");
    assert!(!outside.contains(&"speed".to_owned()));
    assert_eq!(completion(&mut client, URI, MODEL, "tank.|open"), ["level", "open"]);
    // The text of a query under construction does not parse.
    client.replace(QUERIES, 2, "E<> T1.\n");
    let members = completion(&mut client, QUERIES, "E<> T1.\n", "T1.|");
    for name in ["far", "near", "y", "speed"] {
        assert!(members.contains(&name.to_owned()), "{name}: {members:?}");
    }
    assert!(!members.contains(&"x".to_owned()));
    client.finish();
}

#[test]
fn signatures_name_the_active_parameter() {
    let mut client = opened();
    let help =
        client.at("textDocument/signatureHelp", URI, MODEL, "total(id, |tank").expect("help");
    assert_eq!(help["signatures"][0]["label"], json!("total(const int a, int &b)"));
    assert_eq!(help["activeParameter"], json!(1));
    let help = client.at("textDocument/signatureHelp", URI, MODEL, "Train(|0").expect("help");
    assert_eq!(help["signatures"][0]["label"], json!("Train(const id_t id, int[1,5] speed)"));
    client.finish();
}

#[test]
fn symbols_are_nested() {
    let mut client = opened();
    let params = json!({ "textDocument": { "uri": URI } });
    let symbols = client.request("textDocument/documentSymbol", params).expect("symbols");
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter().map(|it| it["name"].as_str().unwrap_or("").to_owned()).collect()
    };
    assert_eq!(names(&symbols), ["N", "id_t", "tank", "x", "go", "total", "Train", "T0", "T1"]);
    assert_eq!(names(&symbols[6]["children"]), ["y", "far", "near"]);
    client.finish();
}

#[test]
fn semantic_tokens_are_in_order_and_complete() {
    let mut client = opened();
    let params = json!({ "textDocument": { "uri": QUERIES } });
    let tokens = client.request("textDocument/semanticTokens/full", params).expect("tokens");
    let data: Vec<u64> = tokens["data"]
        .as_array()
        .map_or_else(Vec::new, |data| data.iter().map(|it| it.as_u64().unwrap_or(0)).collect());
    // `T0`, `near`, `T1`, `near` in the second line, `T0`, `near`, `x` in the third.
    let expected = [
        [1, 9, 2, 5, 0],
        [0, 3, 4, 6, 0],
        [0, 9, 2, 5, 0],
        [0, 3, 4, 6, 0],
        [1, 4, 2, 5, 0],
        [0, 3, 4, 6, 0],
        [0, 8, 1, 0, 0],
    ];
    assert_eq!(data, expected.concat());
    client.finish();
}

#[test]
fn code_inside_xml_has_names() {
    let uri = "file:///models/lamp.xml";
    let text = "<nta><declaration>const int MAX = 7;\nclock x;</declaration>\n\
        <template><name>Lamp</name><declaration>int n;</declaration>\n\
        <location id=\"id0\"><name>off</name><label kind=\"invariant\">x &lt;= MAX</label></location>\n\
        <init ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id0\"/>\n\
        <label kind=\"guard\">n &lt; 3 &amp;&amp; x &gt; 1</label></transition></template>\n\
        <system>system Lamp;</system><queries><query><formula>E&lt;&gt; Lamp.off</formula>\
        <comment/></query></queries></nta>";
    let mut client = Client::new();
    client.open(uri, text);
    assert_eq!(client.diagnostics(uri, 1), Vec::<Value>::new());
    assert_eq!(hover(&mut client, uri, text, "&lt;= |MAX"), "const int MAX = 7");
    assert_eq!(hover(&mut client, uri, text, "&amp;&amp; |x"), "clock x");
    assert_eq!(hover(&mut client, uri, text, "Lamp.|off"), "location Lamp.off, invariant x <= MAX");
    assert_eq!(definition(&mut client, uri, text, "<source ref=\"|id0").1, 3);
    let labels = completion(&mut client, uri, text, "guard\">|n");
    assert!(labels.contains(&"n".to_owned()) && labels.contains(&"MAX".to_owned()));
    assert!(completion(&mut client, uri, text, "<na|me>Lamp").is_empty());
    let mut params = position_of(uri, text, "<name>|off");
    params["newName"] = json!("dark");
    let edit = client.request("textDocument/rename", params).expect("edits");
    assert_eq!(edits(&edit, uri), 2);
    let broken = text.replace("n &lt; 3", "n &lt; y3");
    client.replace(uri, 2, &broken);
    let problems = client.diagnostics(uri, 2);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0]["range"]["start"], json!({ "line": 5, "character": 27 }));
    client.finish();
}

#[test]
fn diagnostics_follow_edits_of_the_model_beside() {
    let mut client = opened();
    client.replace(QUERIES, 2, "E<> T0.nowhere\n");
    let problems = client.diagnostics(QUERIES, 2);
    assert_eq!(problems.len(), 1);
    assert!(problems[0]["message"].as_str().unwrap_or("").contains("nowhere"));
    assert_eq!(problems[0]["range"]["start"], json!({ "line": 0, "character": 7 }));
    // The model gets the location: the queries are correct, though their text is the same.
    client.replace(URI, 2, &MODEL.replace("near", "nowhere"));
    assert_eq!(client.diagnostics(URI, 2), Vec::<Value>::new());
    assert_eq!(client.diagnostics(QUERIES, 2), Vec::<Value>::new());
    client.finish();
}

#[test]
fn queries_without_a_model_are_noted() {
    let mut client = Client::new();
    let uri = "file:///no/such/folder/alone.q";
    client.open(uri, "E<> P.a\nA[] (\n");
    let problems = client.diagnostics(uri, 1);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|it| it["severity"] == json!(3)));
    client.replace(uri, 2, "// model: other.xta\nE<> P.a\n");
    client.diagnostics(uri, 2);
    client.open("file:///no/such/folder/other.xta", "process P() { state a; init a; } system P;");
    assert_eq!(client.diagnostics(uri, 2), Vec::<Value>::new());
    client.finish();
}

/// The titles of the lenses of the queries.
fn lenses(client: &mut Client) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": QUERIES } });
    let lenses = client.request("textDocument/codeLens", params).expect("lenses");
    let lenses = lenses.as_array().cloned().unwrap_or_default();
    lenses.iter().map(|it| it["command"]["title"].as_str().unwrap_or("").to_owned()).collect()
}

fn inlays(client: &mut Client) -> Vec<String> {
    let range = json!({
        "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 }
    });
    let params = json!({ "textDocument": { "uri": QUERIES }, "range": range });
    let hints = client.request("textDocument/inlayHint", params).expect("inlays");
    let hints = hints.as_array().cloned().unwrap_or_default();
    hints.iter().map(|it| it["label"].as_str().unwrap_or("").to_owned()).collect()
}

#[test]
fn queries_are_checked_and_verdicts_go_stale() {
    let mut client = opened();
    assert_eq!(lenses(&mut client), ["check", "check"]);
    assert_eq!(inlays(&mut client), Vec::<String>::new());
    let argument = |query| json!({ "uri": QUERIES, "query": query });
    let first = client.command("zonaut.check", &argument(0)).expect("a verdict");
    assert_eq!(first["verdict"], json!("satisfied"), "committed locations exclude each other");
    let second = client.command("zonaut.check", &argument(1)).expect("a verdict");
    assert_eq!(second["verdict"], json!("not_satisfied"), "the tank is never open");
    client.wait_for("workspace/inlayHint/refresh");
    client.wait_for("workspace/codeLens/refresh");
    assert_eq!(inlays(&mut client), ["✓ satisfied", "✗ not satisfied"]);
    assert_eq!(lenses(&mut client), ["✓ satisfied: check again", "✗ not satisfied: check again"]);
    assert_eq!(client.command("zonaut.showTrace", &argument(1)), Ok(Value::Null));

    let opened = MODEL.replace("&& tank.open", "");
    client.replace(URI, 2, &opened);
    assert_eq!(inlays(&mut client), ["✓ satisfied (stale)", "✗ not satisfied (stale)"]);
    let again = client.command("zonaut.check", &argument(1)).expect("a verdict");
    assert_eq!((&again["verdict"], &again["hasTrace"]), (&json!("satisfied"), &json!(true)));
    assert_eq!(inlays(&mut client), ["✓ satisfied (stale)", "✓ satisfied"]);
    let trace = client.command("zonaut.showTrace", &argument(1)).expect("a trace");
    assert!(trace["text"].as_str().unwrap_or("").contains("T0.near"), "{trace}");
    assert!(trace["svg"].as_str().unwrap_or("").contains("<svg"), "{trace}");
    // Back to the old text: the first verdict is about it again.
    client.replace(URI, 3, MODEL);
    assert_eq!(inlays(&mut client), ["✓ satisfied", "✓ satisfied (stale)"]);
    // A changed query keeps a stale verdict at its position.
    client.replace(QUERIES, 2, "A[] not T0.near\n\nE<> T0.near && x <= 1\n");
    assert_eq!(inlays(&mut client), ["✓ satisfied (stale)", "✓ satisfied (stale)"]);
    client.finish();
}

#[test]
fn refused_checks_have_reasons() {
    let mut client = opened();
    for argument in [
        json!({ "uri": QUERIES, "query": 7 }),
        json!({ "uri": "file:///none.q", "query": 0 }),
        json!({ "uri": QUERIES }),
        json!(3),
        Value::Null,
    ] {
        assert!(client.command("zonaut.check", &argument).is_err(), "{argument}");
    }
    assert!(client.command("zonaut.none", &json!({ "uri": QUERIES, "query": 0 })).is_err());
    client.replace(URI, 2, "system");
    let check = client.command("zonaut.check", &json!({ "uri": QUERIES, "query": 0 }));
    assert!(check.is_err(), "the model has errors");
    client.finish();
}

/// A model whose state space is too large to explore in a test.
const ENDLESS: &str = "int[0,30000] a, b, c; process P() { state s; init s; trans \
    s -> s { guard a < 30000; assign a++; }, s -> s { guard b < 30000; assign b++; }, \
    s -> s { guard c < 30000; assign c++; }; } system P; query { A[] a + b + c <= 90000 }";

#[test]
fn running_checks_are_cancelled() {
    let mut client = Client::new();
    client.open(URI, ENDLESS);
    assert_eq!(client.diagnostics(URI, 1), Vec::<Value>::new());
    let argument = json!({ "uri": URI, "query": 0 });
    let params = json!({ "command": "zonaut.check", "arguments": [argument] });
    let check = client.ask("workspace/executeCommand", params.clone());
    client.wait_for("workspace/codeLens/refresh");
    let lens = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let title = lens.expect("lenses")[0]["command"]["title"].clone();
    assert!(title.as_str().unwrap_or("").starts_with("cancel"), "{title}");
    assert_eq!(client.command("zonaut.cancel", &argument), Ok(json!(true)));
    assert_eq!(client.answer(&check).expect("a verdict")["verdict"], json!("unknown"));
    assert_eq!(client.command("zonaut.cancel", &argument), Ok(json!(false)));

    // The protocol's own cancellation ends the search as well.
    let check = client.ask("workspace/executeCommand", params.clone());
    client.wait_for("workspace/codeLens/refresh");
    client.notify("$/cancelRequest", json!({ "id": check }));
    assert_eq!(client.answer(&check), Err(-32800));

    // A document that is closed takes its searches with it.
    let check = client.ask("workspace/executeCommand", params);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(client.answer(&check), Err(-32803));
    client.finish();
}

#[test]
fn the_automaton_at_the_cursor_is_drawn() {
    let mut client = opened();
    let argument = |uri: &str, text, word| {
        let at = position_of(uri, text, word);
        json!({ "uri": uri, "position": at["position"] })
    };
    let drawn = client.command("zonaut.draw", &argument(URI, MODEL, "commit |near")).expect("svg");
    assert_eq!(drawn["name"], json!("Train"));
    let svg = drawn["svg"].as_str().unwrap_or("");
    assert!(svg.contains("<svg") && svg.contains("near"), "{svg}");
    let named = client.command("zonaut.draw", &argument(QUERIES, FORMULAS, "(|T0")).expect("svg");
    assert_eq!(named["name"], json!("Train"));
    client.replace(URI, 2, "int x;");
    let none = client.command("zonaut.draw", &argument(URI, "int x;", "|x"));
    assert_eq!(none, Ok(Value::Null));
    client.finish();
}

#[test]
fn documents_are_formatted() {
    let mut client = opened();
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    let edits = client.request("textDocument/formatting", params).expect("edits");
    let text = edits[0]["newText"].as_str().unwrap_or("");
    assert!(text.contains("\n  state far { y <= 5 }, near;\n  commit near;\n"), "{text}");
    client.finish();
}

#[test]
fn settings_of_a_folder_set_constants_and_options() {
    let text = "const int N = 2;\nprocess P() { int[0,9] n; state a, b; init a;\n\
        trans a -> a { guard n < N; assign n = n + 1; }, a -> b { guard n == 5; }; }\nsystem P;\n\
        query E<> P.b\n";
    let text = text.replace("query E<> P.b\n", "");
    let (folder, queries) = ("/models/", "E<> P.b\n");
    let settings = move || -> FindSettings {
        Box::new(move |path| {
            let options = VerifyOptions { seed: 7, ..VerifyOptions::default() };
            let settings = FolderSettings { defines: vec![("N".to_owned(), 5)], options };
            match path.to_string_lossy().as_ref() {
                "/broken/gate.xta" => Err("zonaut.toml:1:1: unknown key `n`".to_owned()),
                other => Ok(other.starts_with(folder).then_some(settings)),
            }
        })
    };
    let mut client = Client::with_settings(settings);
    for (folder, value, verdict) in [("models", "5", "satisfied"), ("other", "2", "not_satisfied")]
    {
        let uri = format!("file:///{folder}/gate.xta");
        let list = format!("file:///{folder}/gate.q");
        client.open(&uri, &text);
        client.open(&list, queries);
        assert_eq!(hover(&mut client, &uri, &text, "int |N"), format!("const int N = {value}"));
        let answer = client.command("zonaut.check", &json!({ "uri": list, "query": 0 }));
        assert_eq!(answer.expect("a verdict")["verdict"], json!(verdict), "{folder}");
    }
    // A mistake in the settings is shown, and the model is analysed without them.
    let broken = "file:///broken/gate.xta";
    client.open(broken, &text);
    let problems = client.diagnostics(broken, 1);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0]["message"].as_str().unwrap_or("").contains("unknown key `n`"));
    assert_eq!(hover(&mut client, broken, &text, "int |N"), "const int N = 2");
    client.finish();
}

#[test]
fn a_constant_of_the_settings_that_the_model_lacks_is_shown() {
    let settings = || -> FindSettings {
        Box::new(|_| {
            let defines = vec![("M".to_owned(), 5)];
            Ok(Some(FolderSettings { defines, ..FolderSettings::default() }))
        })
    };
    let mut client = Client::with_settings(settings);
    client.open(URI, MODEL);
    let problems = client.diagnostics(URI, 1);
    assert!(!problems.is_empty());
    assert!(problems[0]["message"].as_str().unwrap_or("").contains("settings of this folder"));
    client.finish();
}

#[test]
fn names_in_quantifiers_over_nothing_are_renamed() {
    let text = "const int N = 1;\nclock y[2];\nprocess P() { state a, b; init a;\n\
        trans a -> b { guard forall (i : int[0,N-2]) y[i] >= N; }; }\nsystem P;\n";
    let mut client = Client::new();
    client.open(URI, text);
    assert_eq!(client.diagnostics(URI, 1), Vec::<Value>::new());
    for (word, count) in [("clock |y", 2), ("int |N", 3), ("forall (|i", 2)] {
        let mut params = position_of(URI, text, word);
        params["newName"] = json!("renamed");
        let edit = client.request("textDocument/rename", params).expect("edits");
        assert_eq!(edits(&edit, URI), count, "{word}");
    }
    client.finish();
}
