//! The models under `models/` with the drop-in replacement: verdicts are the expected ones, and
//! traces as text, as a file of numbers with the intermediate format, and as XML agree.

mod support;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Bench, Run};

#[derive(Deserialize)]
struct Expectations {
    model: PathBuf,
    queries: Option<PathBuf>,
    query: Vec<Expectation>,
}

#[derive(Deserialize)]
struct Expectation {
    verdict: String,
}

/// A model with its queries, and the verdicts expected.
struct Example {
    files: Vec<PathBuf>,
    verdicts: Vec<String>,
}

fn examples() -> Vec<Example> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models"));
    let mut found = Vec::new();
    for folder in fs::read_dir(root).expect("models").map(|entry| entry.expect("an entry").path()) {
        let Ok(files) = fs::read_dir(folder) else { continue };
        for file in files.map(|entry| entry.expect("an entry").path()) {
            if !file.to_string_lossy().ends_with(".expected.toml") {
                continue;
            }
            let text = fs::read_to_string(&file).expect("a readable file");
            let expected: Expectations = toml::from_str(&text).expect("a list of expectations");
            let names = std::iter::once(expected.model).chain(expected.queries);
            let verdicts = expected.query.into_iter().map(|query| query.verdict).collect();
            let files = names.map(|name| file.with_file_name(name)).collect();
            found.push(Example { files, verdicts });
        }
    }
    assert!(found.len() >= 10);
    found
}

fn run(bench: &Bench, example: &Example, words: &[&str], environment: &[(&str, &str)]) -> Run {
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.env_remove("UPPAAL_COMPILE_ONLY").env_remove("ZONAUT_UPPAAL_VERSION");
    command.arg("verifyta").args(&example.files).args(words).envs(environment.iter().copied());
    bench.finish(&mut command)
}

/// The verdicts in a report, in the words of expectations.
fn verdicts(report: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for line in report.lines() {
        if line.starts_with("Verifying formula") {
            found.push("unknown");
        } else if line == " -- Formula is satisfied." {
            *found.last_mut().expect("a formula") = "satisfied";
        } else if line == " -- Formula is NOT satisfied." {
            *found.last_mut().expect("a formula") = "not_satisfied";
        }
    }
    found
}

#[test]
fn the_verdicts_are_the_expected_ones() {
    for example in examples() {
        let bench = Bench::new();
        for order in ["-o0", "-o1", "-o2"] {
            let run = run(&bench, &example, &[order], &[]);
            assert_eq!(verdicts(&run.stdout), example.verdicts, "{:?}", example.files);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{:?}", example.files);
        }
    }
}

/// A step of a trace in any format: locations, variables, and the edges that lead there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Step {
    locations: Vec<String>,
    variables: BTreeMap<String, String>,
    /// The source, the target and the three labels.
    edges: Vec<(String, String, [String; 3])>,
}

/// Reads the text of a trace.
fn read_text(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut edges = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "State:" {
            let locations = lines.next().expect("locations");
            let locations = locations.strip_prefix("( ").and_then(|l| l.strip_suffix(" )"));
            let locations = locations.expect("brackets").split(' ').map(str::to_owned).collect();
            let values = lines.next().unwrap_or_default().split_whitespace();
            let values = values.map(|pair| pair.split_once('=').expect("an equals sign"));
            let variables = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let step =
                Step { locations, variables: variables.collect(), edges: edges.split_off(0) };
            steps.push(step);
        } else if let Some((ends, labels)) = line.trim_start().split_once(" { ") {
            let (source, target) = ends.split_once("->").expect("an arrow");
            let labels = labels.strip_suffix(" }").expect("a bracket");
            let (guard, rest) = labels.split_once(", ").expect("a guard");
            edges.push((
                source.to_owned(),
                target.to_owned(),
                [guard, rest, ""].map(str::to_owned),
            ));
        }
    }
    steps
}

/// The names of the intermediate format.
#[derive(Default)]
struct Names {
    clocks: Vec<String>,
    variables: Vec<(i64, i64, String)>,
    /// By address.
    locations: BTreeMap<usize, String>,
    processes: Vec<Process>,
    expressions: BTreeMap<usize, String>,
}

#[derive(Default)]
struct Process {
    name: String,
    locations: Vec<usize>,
    edges: Vec<[usize; 5]>,
}

fn number<N: std::str::FromStr<Err: std::fmt::Debug>>(word: &str) -> N {
    word.parse().expect("a number")
}

fn read_names(text: &str) -> Names {
    let mut names = Names::default();
    let mut sections = text.split("\n\n");
    let mut section = |title: &str| -> Vec<Vec<String>> {
        let mut lines = sections.next().expect("a section").lines();
        assert_eq!(lines.next(), Some(title));
        lines.map(|line| line.splitn(7, ':').map(str::to_owned).collect()).collect()
    };
    for (address, fields) in section("layout").iter().enumerate() {
        assert_eq!(number::<usize>(&fields[0]), address);
        match fields[1].as_str() {
            "clock" => names.clocks.push(fields[3].clone()),
            "var" | "meta" => {
                let name = fields[6].clone();
                names.variables.push((number(&fields[2]), number(&fields[3]), name));
            }
            _ => drop(names.locations.insert(address, fields[3].clone())),
        }
    }
    assert!(!section("instructions").is_empty());
    for fields in section("processes") {
        names.processes.push(Process { name: fields[2].clone(), ..Process::default() });
    }
    for fields in section("locations") {
        names.processes[number::<usize>(&fields[1])].locations.push(number(&fields[0]));
    }
    for fields in section("edges") {
        let edge = [1, 2, 3, 4, 5].map(|field: usize| number(&fields[field]));
        names.processes[number::<usize>(&fields[0])].edges.push(edge);
    }
    for fields in section("expressions") {
        names.expressions.insert(number(&fields[0]), fields[3..].join(":"));
    }
    names
}

impl Names {
    fn location(&self, process: usize, address: usize) -> String {
        format!("{}.{}", self.processes[process].name, self.locations[&address])
    }

    /// Reads a trace file.
    fn read(&self, text: &str) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next().filter(|&line| line != ".") {
            let mut step = Step::default();
            for (process, word) in line.split_whitespace().enumerate() {
                let address = self.processes[process].locations[number::<usize>(word)];
                step.locations.push(self.location(process, address));
            }
            assert_eq!((step.locations.len(), lines.next()), (self.processes.len(), Some(".")));
            self.read_bounds(&mut lines);
            let values: Vec<&str> = lines.next().expect("values").split_whitespace().collect();
            assert_eq!((values.len(), lines.next()), (self.variables.len(), Some(".")));
            for ((low, high, name), value) in self.variables.iter().zip(values) {
                assert!((low..=high).contains(&&number(value)), "{name}={value}");
                step.variables.insert(name.clone(), value.to_owned());
            }
            if !steps.is_empty() {
                let edges = lines.next().expect("edges").strip_suffix("; .").expect("a dot");
                step.edges = edges.split(" ; ").map(|edge| self.edge(edge)).collect();
            }
            steps.push(step);
        }
        assert_eq!(lines.next(), None);
        steps
    }

    /// Reads bounds up to a dot, and checks that some valuation satisfies them.
    fn read_bounds<'t>(&self, lines: &mut impl Iterator<Item = &'t str>) {
        let count = self.clocks.len();
        // Twice the value, and one less if the bound is strict: then sums of bounds can be
        // compared.
        let mut bounds = vec![vec![i64::MAX / 4; count]; count];
        while let Some(line) = lines.next().filter(|&line| line != ".") {
            let numbers: Vec<i64> = line.split_whitespace().map(number).collect();
            let (x, y, bound) = (numbers[0] as usize, numbers[1] as usize, numbers[2]);
            bounds[x][y] = 1000 * (bound >> 1) - (bound & 1);
            assert_eq!(lines.next(), Some("."));
        }
        for z in 0..count {
            for x in 0..count {
                for y in 0..count {
                    bounds[x][y] = bounds[x][y].min(bounds[x][z] + bounds[z][y]);
                }
            }
        }
        assert!((0..count).all(|x| bounds[x][x] >= 0), "an empty zone");
    }

    fn edge(&self, words: &str) -> (String, String, [String; 3]) {
        let words: Vec<usize> = words.split_whitespace().map(number).collect();
        let [source, target, labels @ ..] = self.processes[words[0]].edges[words[1]];
        let [guard, sync, update] = labels.map(|address| self.expressions[&address].clone());
        let labels = [guard, format!("{sync}, {update}"), String::new()];
        (self.location(words[0], source), self.location(words[0], target), labels)
    }
}

/// The value of an attribute.
fn attribute<'t>(element: &'t str, name: &str) -> &'t str {
    let (_, rest) = element.split_once(&format!(" {name}=\"")).expect("the attribute");
    rest.split_once('"').expect("its end").0
}

/// The locations in the states of an XML trace, and the number of edges of each transition.
fn read_xml(text: &str) -> (Vec<Vec<String>>, Vec<usize>) {
    let (mut states, mut transitions) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words = |name: &str| attribute(line, name).split_whitespace().map(str::to_owned);
        if line.starts_with("<location_vector") {
            states.push(words("locations").collect());
        } else if line.starts_with("<transition") {
            transitions.push(words("edges").count());
        }
    }
    (states, transitions)
}

/// Labels with commas in guards are ambiguous in a text, so they are compared as a whole.
fn joined(steps: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    for (_, _, labels) in steps.iter_mut().flat_map(|step| &mut step.edges) {
        let all = labels.join(", ").trim_end_matches(", ").to_owned();
        *labels = [all, String::new(), String::new()];
    }
    steps
}

#[test]
fn all_formats_of_a_trace_agree() {
    let mut compared = 0;
    for example in examples() {
        let bench = Bench::new();
        let names = run(&bench, &example, &[], &[("UPPAAL_COMPILE_ONLY", "1")]);
        let names = read_names(&names.stdout);
        for formula in 0..example.verdicts.len() {
            let index = formula.to_string();
            let text = run(&bench, &example, &["-qt1", "--query-index", &index], &[]);
            if text.code != Some(0) || text.stderr.is_empty() {
                continue;
            }
            let files = run(
                &bench,
                &example,
                &["-qt1", "-f", "t", "-X", "t", "--query-index", &index],
                &[],
            );
            assert_eq!((files.code, files.stderr.as_str()), (Some(0), ""));
            let read = |name: String| fs::read_to_string(bench.path(&name)).expect("a trace");
            let numbered = names.read(&read(format!("t-{}", formula + 1)));
            let mut shown = read_text(&text.stderr);
            // A delay at the end is followed by one more state.
            shown.truncate(numbered.len());
            for (shown, numbered) in joined(&shown).iter().zip(joined(&numbered)) {
                assert_eq!(
                    (&shown.locations, &shown.edges),
                    (&numbered.locations, &numbered.edges)
                );
                for (name, value) in &numbered.variables {
                    let is_same = shown.variables.get(name).is_none_or(|shown| shown == value);
                    assert!(is_same, "{name}: {shown:?} {numbered:?}");
                }
            }
            let (states, transitions) = read_xml(&read(format!("t{}.xml", formula + 1)));
            let locations: Vec<_> = numbered.iter().map(|step| step.locations.clone()).collect();
            assert_eq!(states, locations);
            let edges: Vec<usize> = numbered[1..].iter().map(|step| step.edges.len()).collect();
            assert_eq!(transitions, edges);
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}
