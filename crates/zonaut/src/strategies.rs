//! `zonaut strategies`: the notation of strategies.

use crate::arguments::StrategiesArguments;
use serde::Serialize;
use std::io::{self, Write};
use zonaut_console::{Console, Status};
use zonaut_engine::strategy::catalogue::{Guarantee, Kind, PARTS, Parameter, Part};

/// The groups of strategies and heuristics in the output.
const GROUPS: [(Kind, &str); 5] = [
    (Kind::Search, "Searches"),
    (Kind::Heuristic, "Guides"),
    (Kind::Combinator, "Combined guides"),
    (Kind::CostSearch, "Searches for cheapest runs (zonaut optimize)"),
    (Kind::Estimate, "Estimates of what is left to pay"),
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
        writeln!(out, "| written | what it does | promise | from |\n|---|---|---|---|")?;
        for part in PARTS.iter().filter(|part| part.kind == kind) {
            let (usage, promise) = (usage(part), guarantee(part));
            writeln!(out, "| `{usage}` | {} | {promise} | {} |", part.summary, part.source)?;
        }
    }
    Ok(())
}

/// The notation of the part, with its defaults.
fn usage(part: &Part) -> String {
    let parameters: Vec<String> = part
        .parameters
        .iter()
        .map(|parameter| match (parameter.name, parameter.default) {
            ("", _) if parameter.meaning.starts_with("two") => "GUIDE, GUIDE, ...".to_owned(),
            ("", default) if part.kind == Kind::Estimate => default.to_owned(),
            ("", "none") => "[ESTIMATE]".to_owned(),
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
        ("", Kind::CostSearch) => "ESTIMATE",
        ("", Kind::Estimate) => "WHAT",
        ("", _) => "GUIDE",
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
        (Kind::Search, Guarantee::Yes, _) => "a shortest run",
        (Kind::Search, ..) => "some run",
        (Kind::CostSearch, ..) => "a cheapest run",
        (_, Guarantee::Yes, true) => "admissible, sees dead ends",
        (_, Guarantee::Yes, false) => "admissible",
        (_, Guarantee::No, true) => "may overestimate, sees dead ends",
        (_, Guarantee::No, false) => "may overestimate",
        (_, Guarantee::ByParameters, true) => "admissible by its parameters, sees dead ends",
        (_, Guarantee::ByParameters, false) => "admissible by its parameters",
        (_, Guarantee::LikeParts, _) => "admissible if its guides are",
    }
}
