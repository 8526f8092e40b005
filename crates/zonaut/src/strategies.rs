//! `zonaut strategies`: the notation of strategies.

use crate::arguments::StrategiesArguments;
use serde::Serialize;
use std::io::{self, Write};
use zonaut_console::{Console, Status};
use zonaut_engine::strategy::catalogue::{ALIASES, Guarantee, Kind, PARTS, Parameter, Part};

/// The groups of strategies and heuristics in the output.
const GROUPS: [(Kind, &str); 5] = [
    (Kind::Search, "Searches"),
    (Kind::Heuristic, "Heuristics"),
    (Kind::Combinator, "Combinations of heuristics"),
    (Kind::CostSearch, "Searches of zonaut optimize"),
    (Kind::Estimate, "Lower bounds of the remaining cost"),
];

#[derive(Serialize)]
struct Record {
    name: &'static str,
    kind: &'static str,
    usage: String,
    summary: &'static str,
    guarantee: &'static str,
    sees_dead_ends: bool,
    source: &'static str,
    example: &'static str,
}

pub(crate) fn run(
    arguments: &StrategiesArguments,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let out = &mut *console.out;
    if arguments.json {
        for part in PARTS {
            serde_json::to_writer(&mut *out, &record(part))?;
            writeln!(out)?;
        }
    } else if arguments.markdown {
        write_markdown(out)?;
    } else {
        let mut text = Vec::new();
        write_text(&mut text)?;
        console.write_folded(&String::from_utf8_lossy(&text))?;
    }
    Ok(Status::Success)
}

fn record(part: &'static Part) -> Record {
    Record {
        name: part.name,
        kind: kind_name(part.kind),
        usage: usage(part),
        summary: part.summary,
        guarantee: guarantee(part),
        sees_dead_ends: part.sees_dead_ends,
        source: part.source,
        example: part.example,
    }
}

fn write_text(out: &mut dyn Write) -> io::Result<()> {
    for (kind, title) in GROUPS {
        writeln!(out, "{title}:")?;
        for part in PARTS.iter().filter(|part| part.kind == kind) {
            writeln!(out, "  {}", usage(part))?;
            writeln!(out, "      {} ({})", part.summary, guarantee(part))?;
            for alias in aliases(part) {
                writeln!(out, "      alias: {alias}")?;
            }
            // Parameters for heuristics need no explanation at every search.
            let is_said =
                |parameter: &&Parameter| !parameter.name.is_empty() || part.kind.is_about_costs();
            for parameter in part.parameters.iter().filter(is_said) {
                let default = match parameter.default {
                    "none" => String::new(),
                    default => format!(" (default {default})"),
                };
                writeln!(out, "      {}: {}{default}", named(part, parameter), parameter.meaning)?;
            }
        }
        writeln!(out)?;
    }
    writeln!(out, "Example: zonaut verify model.xml --strategy 'greedy(max(hu, du), ties=fifo)'")?;
    writeln!(out, "Example: zonaut optimize shop.xta --strategy 'astar(rem(auto))'")
}

fn write_markdown(out: &mut dyn Write) -> io::Result<()> {
    for (index, (kind, title)) in GROUPS.into_iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        writeln!(out, "{gap}### {title}\n")?;
        writeln!(
            out,
            "| strategy expression | description | guarantee | source \
                       |\n|---|---|---|---|"
        )?;
        for part in PARTS.iter().filter(|part| part.kind == kind) {
            let (usage, promise) = (usage(part), guarantee(part));
            let aliases: String = aliases(part).map(|alias| format!("; alias `{alias}`")).collect();
            let (summary, source) = (part.summary, part.source);
            writeln!(out, "| `{usage}` | {summary}{aliases} | {promise} | {source} |")?;
        }
    }
    Ok(())
}

/// The alternative names of `part`.
fn aliases(part: &Part) -> impl Iterator<Item = &'static str> {
    let (name, is_search) = (part.name, part.kind == Kind::Search);
    ALIASES.iter().filter(move |alias| is_search && alias.part == name).map(|alias| alias.name)
}

/// The notation of the part, with its defaults.
fn usage(part: &Part) -> String {
    let parameters: Vec<String> = part
        .parameters
        .iter()
        .map(|parameter| match (parameter.name, parameter.default) {
            ("", _) if parameter.meaning.starts_with("two") => "HEURISTIC, HEURISTIC, \
                                                                ..."
            .to_owned(),
            ("", default) if part.kind == Kind::Estimate => default.to_owned(),
            ("", "none") => "[BOUND]".to_owned(),
            ("", _) => named(part, parameter).to_owned(),
            (name, "none") => format!("{name}=N"),
            (name, default) => format!("{name}={default}"),
        })
        .collect();
    match parameters.is_empty() {
        true => part.name.to_owned(),
        false => format!("{}({})", part.name, parameters.join(", ")),
    }
}

/// The name of a parameter.
fn named(part: &Part, parameter: &Parameter) -> &'static str {
    match (parameter.name, part.kind) {
        ("", Kind::CostSearch) => "BOUND",
        ("", Kind::Estimate) => "SOURCES",
        ("", _) => "HEURISTIC",
        (name, _) => name,
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Search => "search",
        Kind::Heuristic => "guide",
        Kind::Combinator => "combinator",
        Kind::CostSearch => "cost-search",
        Kind::Estimate => "estimate",
    }
}

/// The guarantee of the part, in words.
fn guarantee(part: &Part) -> &'static str {
    match (part.kind, part.guarantee, part.sees_dead_ends) {
        (Kind::Search, Guarantee::Yes, _) => "shortest path",
        (Kind::Search, ..) => "some path",
        (Kind::CostSearch, ..) => "optimal run",
        (_, Guarantee::Yes, true) => "admissible, detects dead ends",
        (_, Guarantee::Yes, false) => "admissible",
        (_, Guarantee::No, true) => "not admissible, detects dead ends",
        (_, Guarantee::No, false) => "not admissible",
        (_, Guarantee::ByParameters, true) => "admissible for some parameters, detects dead ends",
        (_, Guarantee::ByParameters, false) => "admissible for some parameters",
        (_, Guarantee::LikeParts, _) => "admissible if its heuristics are",
    }
}
