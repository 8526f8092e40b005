//! Every JSON output agrees with its schema, and the schema describes all of it.

mod support;

use serde_json::{Map, Value};
use support::{Bench, Run};

/// The keywords that schemas may use; others would not be checked.
const KEYWORDS: [&str; 14] = [
    "$schema",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "minimum",
    "pattern",
];

/// The schema with this name.
fn schema(name: &str) -> Value {
    let run = Bench::new().run(&["schema", name]);
    assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect(name)
}

/// The violations of `schema`, a part of `root`, by `value`. Fields that the schema does not
/// describe are violations here.
fn problems(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let keys = schema.as_object().expect("a schema is an object");
    for key in keys.keys() {
        assert!(KEYWORDS.contains(&key.as_str()), "{path}: the keyword `{key}`");
    }
    if let Some(reference) = keys.get("$ref").and_then(Value::as_str) {
        return match reference.strip_prefix('#') {
            Some(pointer) => problems(root, root.pointer(pointer).expect(reference), value, path),
            None => {
                let name = reference.strip_suffix(".json").expect(reference);
                let other = self::schema(name);
                problems(&other, &other, value, path)
            }
        };
    }
    if let Some(choices) = keys.get("anyOf").and_then(Value::as_array) {
        let found: Vec<_> = choices.iter().map(|one| problems(root, one, value, path)).collect();
        let none = found.iter().all(|problems| !problems.is_empty());
        return if none { found.concat() } else { Vec::new() };
    }
    let mut found = Vec::new();
    let types = match &keys["type"] {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    if !types.iter().any(|name| is_of_type(value, name.as_str().expect("the name of a type"))) {
        found.push(format!("{path}: {value} is not {}", keys["type"]));
    }
    if let Some(values) = keys.get("enum").and_then(Value::as_array)
        && !values.contains(value)
    {
        found.push(format!("{path}: {value} is none of {values:?}"));
    }
    if let (Some(least), Some(number)) =
        (keys.get("minimum").and_then(Value::as_f64), value.as_f64())
        && number < least
    {
        found.push(format!("{path}: {number} is less than {least}"));
    }
    if let (Some(items), Some(values)) = (keys.get("items"), value.as_array()) {
        for (position, value) in values.iter().enumerate() {
            found.extend(problems(root, items, value, &format!("{path}[{position}]")));
        }
    }
    if let Some(object) = value.as_object() {
        found.extend(problems_of_fields(root, keys, object, path));
    }
    found
}

fn problems_of_fields(
    root: &Value,
    keys: &Map<String, Value>,
    object: &Map<String, Value>,
    path: &str,
) -> Vec<String> {
    let mut found = Vec::new();
    for name in keys.get("required").and_then(Value::as_array).into_iter().flatten() {
        let name = name.as_str().expect("the name of a field");
        if !object.contains_key(name) {
            found.push(format!("{path}: `{name}` is missing"));
        }
    }
    for (name, value) in object {
        let described = keys.get("properties").and_then(|properties| properties.get(name));
        match described.or(keys.get("additionalProperties")) {
            Some(schema) => found.extend(problems(root, schema, value, &format!("{path}.{name}"))),
            None => found.push(format!("{path}: `{name}` is not described")),
        }
    }
    found
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => false,
    }
}

/// Checks every line of an output, and returns the lines.
fn check(name: &str, output: &str) -> Vec<Value> {
    let schema = schema(name);
    let lines: Vec<Value> = output.lines().map(|l| serde_json::from_str(l).expect(l)).collect();
    assert!(!lines.is_empty(), "{name}");
    for line in &lines {
        assert_eq!(problems(&schema, &schema, line, name), Vec::<String>::new(), "{line}");
    }
    lines
}

const MODEL: &str = "\
int i; int a[2]; clock x; chan c;
process P() { state s, t, u; init s;
trans s -> t { select k : int[0, 1]; guard x > 1; sync c!; assign a[k] = 1, x = 0; },
t -> u { guard i > 0; }; }
process Q() { state s; init s; trans s -> s { sync c?; }; }
system P, Q;
";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("m.xta", MODEL);
    bench.write("fails.xta", "int[0, 1] i; process P() { state s; init s; trans s -> s { assign i = i + 1; }; } system P;");
    bench.write("wrong.xta", "process P() { state s; init s; } system P, Q;");
    bench.write("m.q", "E<> P.t /* EXPECT:T */\nA[] P.s\nE<> P.u /* EXPECT:T */\n");
    bench
}

fn run(bench: &Bench, words: &[&str]) -> Run {
    let run = bench.run(words);
    assert!(matches!(run.code, Some(0..=5)), "{words:?}: {}", run.stderr);
    run
}

#[test]
fn answers_agree_with_their_schema() {
    let bench = bench();
    for words in [
        &["verify", "m.xta", "m.q", "--trace", "shortest"][..],
        &["verify", "m.xta", "m.q", "--strategy", "astar(hl)", "--certify", "never"],
        &["verify", "m.xta", "-q", "A<> P.t", "-q", "E<> P.t", "--time", "0"],
        &["verify", "m.xta", "-q", "E[] not P.t", "-q", "A<> P.t", "--trace", "some"],
        &["verify", "m.xta", "-q", "bounds: x", "-q", "inf{P.t}: x", "--trace", "some"],
        &["verify", "fails.xta", "-q", "E<> i == 5"],
    ] {
        let run = run(&bench, &[words, &["--json"]].concat());
        check("verify", &run.stdout);
    }
    let first = run(&bench, &["verify", "m.xta", "m.q", "--trace", "some", "--json"]);
    let first = &check("verify", &first.stdout)[0];
    // A field that is missing or has another type is detected.
    let schema = schema("verify");
    let mut damaged = first.clone();
    damaged["explored"] = "many".into();
    damaged.as_object_mut().unwrap().remove("verdict");
    damaged["trace"]["steps"][0]["delay"] = 5.into();
    damaged["more"] = Value::Null;
    let mut found = problems(&schema, &schema, &damaged, "v");
    found.sort();
    assert_eq!(
        found,
        [
            "v.explored: \"many\" is not \"integer\"",
            "v.trace.steps[0].delay: 5 is not \"string\"",
            "v: `more` is not described",
            "v: `verdict` is missing",
        ]
    );
}

#[test]
fn optimal_runs_agree_with_their_schema() {
    let bench = bench();
    for words in [
        &["optimize", "m.xta", "-q", "E<> P.t", "--trace", "--json"][..],
        &["optimize", "m.xta", "-q", "E<> P.u", "--json"],
        &["optimize", "fails.xta", "-q", "E<> i == 5", "--json"],
    ] {
        check("optimize", &run(&bench, words).stdout);
    }
}

#[test]
fn explorations_agree_with_their_schema() {
    let bench = bench();
    let explored = run(&bench, &["explore", "m.xta", "--json"]);
    let lines = check("explore", &explored.stdout);
    assert_eq!(lines[0]["unreached_locations"][0]["location"], "u");
    check("explore", &run(&bench, &["explore", "fails.xta", "--json"]).stdout);
}

#[test]
fn models_and_diagnostics_agree_with_their_schema() {
    let bench = bench();
    check("check", &run(&bench, &["check", "m.xta", "m.q", "--json"]).stdout);
    let lines = check("check", &run(&bench, &["check", "wrong.xta", "--json"]).stdout);
    assert_eq!(lines[0]["ok"], false);
    check("check", &run(&bench, &["check", "none.xta", "--json"]).stdout);
}

#[test]
fn checks_of_certificates_agree_with_their_schema() {
    let bench = bench();
    let words = ["verify", "m.xta", "-q", "E<> P.t", "--certificate", "m.cert"];
    assert_eq!(bench.run(&words).code, Some(0));
    check("certify", &run(&bench, &["certify", "m.xta", "m.cert", "--json"]).stdout);
    let words = ["optimize", "m.xta", "-q", "E<> P.t", "--certificate", "m.cert"];
    assert_eq!(bench.run(&words).code, Some(0));
    let lines = check("certify", &run(&bench, &["certify", "m.xta", "m.cert", "--json"]).stdout);
    assert_eq!((&lines[0]["kind"], &lines[0]["measure"]), (&"mincost".into(), &"sum".into()));
    let words = ["verify", "m.xta", "-q", "A<> P.t", "--certificate", "m.cert"];
    assert!(bench.run(&words).code.is_some_and(|code| code < 2));
    check("certify", &run(&bench, &["certify", "m.xta", "m.cert", "--json"]).stdout);
    bench.write("m.cert", "nonsense");
    let words = ["certify", "m.xta", "m.cert", "-q", "E<> P.t", "--json"];
    let lines = check("certify", &run(&bench, &words).stdout);
    assert_eq!(lines[0]["answer"], "malformed");
}

#[test]
fn tests_agree_with_their_schema() {
    let bench = bench();
    let words = ["test", "m.xta", "wrong.xta", "none.xta", "--json"];
    let lines = check("test", &run(&bench, &words).stdout);
    assert_eq!(lines.len(), 3 + 2 + 1);
}

#[test]
fn measured_runs_agree_with_their_schema() {
    let bench = bench();
    bench.write(
        "suite.toml",
        "[[run]]\nmodel = \"m.xta\"\nformulas = [\"E<> P.t\"]\nstrategies = [\"bfs\", \"rdfs\"]\n\
         seeds = [1, 2]\nreference = { explored = 3 }\n\
         [[run]]\nmodel = \"m.xta\"\nexplore = true\n[[run.peer]]\nname = \"p\"\n\
         command = [\"sh\", \"-c\", \"exit 0\"]\n",
    );
    let words = ["bench", "suite.toml", "--allow-commands", "--format", "json"];
    let lines = check("bench", &run(&bench, &words).stdout);
    assert_eq!(lines.len(), 4);
}

#[test]
fn strategies_and_saved_runs_agree_with_their_schemas() {
    let bench = bench();
    check("strategies", &run(&bench, &["strategies", "--json"]).stdout);
    let words = ["verify", "m.xta", "-q", "E<> P.t", "--trace", "some", "--json"];
    let line: Value = serde_json::from_str(&run(&bench, &words).stdout).unwrap();
    check("trace", &line["trace"].to_string());
}

#[test]
fn schemas_are_listed_and_unknown_ones_refused() {
    let bench = Bench::new();
    let listed = bench.run(&["schema"]).stdout;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(listed.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}");
        assert_eq!(schema(&name)["$schema"], "https://json-schema.org/draft/2020-12/schema");
        files += 1;
    }
    assert_eq!(listed.lines().count(), files);
    assert_eq!(bench.run(&["schema", "nothing"]).code, Some(2));
}
