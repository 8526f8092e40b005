//! Recorded runs: saved traces of any format, as far as they determine which transitions to take.
//!
//! A recorded step names edges; a reader of the model may have changed since. Delays and values are
//! present where the format has them.

use crate::trace::{Rational, Trace, TraceEdge};
use serde::Deserialize;
use std::collections::HashMap;
use zonaut_model::Model;

/// A recorded transition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordedStep {
    /// Its edges, the sender's first.
    pub edges: Vec<RecordedEdge>,
    /// The delay before it; `None` if the format has none.
    pub delay: Option<Rational>,
    /// Values of variables after it, as far as the format has them.
    pub variables: Vec<(String, i32)>,
}

/// A recorded edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedEdge {
    /// The process.
    pub process: String,
    /// The position of the edge among those of its process, from 0.
    pub edge: usize,
    /// The edge with its labels, if the format has them.
    pub written: Option<TraceEdge>,
    /// The values of its select variables, if the format has them.
    pub select: Option<Vec<i32>>,
}

/// A recorded run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordedRun {
    /// Its transitions.
    pub steps: Vec<RecordedStep>,
    /// The delay after the last one; `None` if the format has none.
    pub last_delay: Option<Rational>,
}

/// A JSON file with a run: the run itself, or an answer that contains it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Saved {
    Run(Trace),
    Answer { trace: Trace },
}

impl RecordedRun {
    /// The transitions of a run; a failing one at its end is omitted.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let steps = trace.steps.iter().take(trace.steps.len() - usize::from(trace.fails));
        let edge = |edge: &TraceEdge| RecordedEdge {
            process: edge.process.clone(),
            edge: edge.edge,
            select: Some(edge.select.iter().map(|(_, value)| *value).collect()),
            written: Some(edge.clone()),
        };
        let steps = steps.map(|step| RecordedStep {
            edges: step.edges.iter().map(edge).collect(),
            delay: Some(step.delay),
            variables: step.state.variables.clone(),
        });
        Self { steps: steps.collect(), last_delay: Some(trace.last_delay) }
    }

    /// Reads a saved run of any supported format: JSON, UPPAAL's XML, or `.xtr`, whose numbers
    /// refer to the intermediate format of `model`.
    ///
    /// # Errors
    /// A message if the text has none of these formats.
    pub fn read(text: &str, model: &Model) -> Result<Self, String> {
        let start = text.trim_start();
        if start.starts_with('{') {
            return Ok(Self::of(&saved_trace(text)?));
        }
        if start.starts_with('<') {
            return read_xml(text);
        }
        read_xtr(text, model).ok_or_else(|| {
            "neither JSON, nor an XML trace, nor an .xtr file of this model".to_owned()
        })
    }
}

/// Reads a run in JSON: the run itself, or an answer that contains it. Answers to several queries
/// are one object a line; the first run counts.
///
/// # Errors
/// A message if the text has no run.
pub fn saved_trace(text: &str) -> Result<Trace, String> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let values: Result<Vec<_>, _> = values.collect();
    let values = values.map_err(|error| format!("not a trace in JSON: {error}"))?;
    let mut saved = values.into_iter().filter_map(|it| serde_json::from_value(it).ok());
    match saved.next() {
        Some(Saved::Run(trace) | Saved::Answer { trace }) => Ok(trace),
        None => Err("the file has neither a trace nor an answer with one".to_owned()),
    }
}

fn read_xml(text: &str) -> Result<RecordedRun, String> {
    let mut values: HashMap<String, Vec<(String, i32)>> = HashMap::new();
    let mut vectors: HashMap<String, String> = HashMap::new();
    let (mut steps, mut vector) = (Vec::new(), String::new());
    let mut is_trace = false;
    for tag in text.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let get = |key: &str| attribute(tag, key);
        match name {
            "trace" => is_trace = true,
            "variable_vector" => vector = get("id").unwrap_or_default(),
            "variable_state" => {
                if let (Some(variable), Some(Ok(value))) =
                    (get("variable"), get("value").map(|value| value.parse()))
                {
                    let name = variable.strip_prefix("sys.").unwrap_or(&variable).to_owned();
                    values.entry(vector.clone()).or_default().push((name, value));
                }
            }
            "node" => {
                if let (Some(id), Some(vector)) = (get("id"), get("variable_vector")) {
                    vectors.insert(id, vector.trim().to_owned());
                }
            }
            "transition" => {
                let edges = get("edges").unwrap_or_default();
                let edges: Option<Vec<RecordedEdge>> =
                    edges.split_whitespace().map(xml_edge).collect();
                let edges = edges.ok_or("a transition of the trace has no valid edges")?;
                let target = get("to").and_then(|to| values.get(vectors.get(&to)?).cloned());
                let variables = target.unwrap_or_default();
                steps.push(RecordedStep { edges, delay: None, variables });
            }
            _ => {}
        }
    }
    match is_trace {
        true => Ok(RecordedRun { steps, last_delay: None }),
        false => Err("the XML file is not a trace".to_owned()),
    }
}

/// An edge such as `Train(1).Edge3`, counted from 1.
fn xml_edge(text: &str) -> Option<RecordedEdge> {
    let (process, number) = text.rsplit_once(".Edge")?;
    let edge = number.parse::<usize>().ok()?.checked_sub(1)?;
    Some(RecordedEdge { process: process.to_owned(), edge, written: None, select: None })
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag;
    loop {
        let at = rest.find(name)?;
        let is_start = rest[..at].ends_with(char::is_whitespace);
        let after = rest[at + name.len()..].trim_start();
        if let Some(value) = after.strip_prefix('=').filter(|_| is_start) {
            let value = value.trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let value = &value[1..];
            let text = &value[..value.find(quote)?];
            let entities =
                [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
            return Some(entities.iter().fold(text.to_owned(), |all, (e, c)| all.replace(e, c)));
        }
        rest = &rest[at + name.len()..];
    }
}

/// The tokens of an `.xtr` file.
struct Tokens<'t> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'t>>,
}

impl Tokens<'_> {
    /// The numbers up to the next dot.
    fn numbers(&mut self) -> Option<Vec<i32>> {
        let mut numbers = Vec::new();
        loop {
            match self.words.next()? {
                "." => return Some(numbers),
                word => numbers.push(word.parse().ok()?),
            }
        }
    }

    /// The locations and variables of a state; its zone is skipped.
    fn state(&mut self) -> Option<[Vec<i32>; 2]> {
        let locations = self.numbers()?;
        while self.words.peek()? != &"." {
            // A bound, which ends with a dot of its own. It may be wider than a variable.
            while self.words.next()? != "." {}
        }
        self.words.next()?;
        Some([locations, self.numbers()?])
    }
}

fn read_xtr(text: &str, model: &Model) -> Option<RecordedRun> {
    let mut tokens = Tokens { words: text.split_whitespace().peekable() };
    let [locations, _] = tokens.state()?;
    if locations.len() != model.processes.len() {
        return None;
    }
    let mut steps = Vec::new();
    while tokens.words.peek()? != &"." {
        let [_, cells] = tokens.state()?;
        let (mut edges, mut numbers) = (Vec::new(), Vec::new());
        loop {
            match tokens.words.next()? {
                "." => break,
                ";" => {
                    let (process, rest) = numbers.split_first()?;
                    let (edge, select) = rest.split_first()?;
                    let process: usize = usize::try_from(*process).ok()?;
                    let process = model.processes.iter().nth(process)?.name.clone();
                    let (edge, select) = (usize::try_from(*edge).ok()?, Some(select.to_vec()));
                    edges.push(RecordedEdge { process, edge, written: None, select });
                    numbers.clear();
                }
                word => numbers.push(word.parse::<i32>().ok()?),
            }
        }
        let named = model.cells.iter().zip(cells).filter(|(cell, _)| !cell.meta);
        let variables = named.map(|(cell, value)| (cell.name.clone(), value)).collect();
        steps.push(RecordedStep { edges, delay: None, variables });
    }
    Some(RecordedRun { steps, last_delay: None })
}
