//! `zonaut race`: compares strategies on the same queries.

use crate::arguments::definition;
use crate::limits::LimitArguments;
use crate::loading::{read, with_problems_shown, within};
use crate::reports::{command, file_name};
use crate::search_arguments::seconds;
use clap::Args;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;
use zonaut_console::{
    Asking, Console, Interrupt, Status, format_seconds, format_size, in_order, one_line,
    parse_size, status_of, wants_old_syntax, write_file,
};
use zonaut_draw::Curve;
use zonaut_engine::report::{AnswerRecord, Certificate};
use zonaut_engine::{
    Answer, Progress, QueryId, QuerySource, Resources, Session, Snapshot, Strategy, TraceWish,
    Verdict, VerifyOptions, default_memory_limit,
};
use zonaut_report::{Heat, RaceReport, write_race};

/// Compare strategies on the same queries, each with the same limits.
///
/// Exit codes are those of `verify`; strategies that do not decide a query are ignored.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut race model.xml bfs dfs
  zonaut race model.xml -q 'E<> Plant.done' bfs 'greedy(hu)' 'astar(rd)' --time 60
  zonaut race fischer.xta --queries fischer.q bfs dfs --json")]
pub(crate) struct RaceArguments {
    /// The model, in XML or XTA; `-` is standard input.
    model: PathBuf,
    /// The strategies, as in `bfs` or `astar(rd)`; see `zonaut strategies`.
    #[arg(required = true, value_name = "STRATEGY")]
    strategies: Vec<Strategy>,
    /// A query; may be given several times; by default, the queries of the model.
    #[arg(long = "query", short = 'q', value_name = "FORMULA", conflicts_with = "queries")]
    formulas: Vec<String>,
    /// A query file.
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Stop each strategy after this many seconds for each query.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Stop each strategy when its states and heuristics need this much memory, as in 512M or 4G; by
    /// default 80 % of the available memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Stop each strategy after this many explored states.
    #[arg(long, value_name = "COUNT")]
    states: Option<usize>,
    /// The seed of random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Run this many strategies side by side. Times are then those of a shared machine, and the
    /// memory limit is that of all of them together.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    threads: NonZeroUsize,
    /// Print one JSON object for each query and strategy instead of tables.
    #[arg(long)]
    json: bool,
    /// Write an HTML report with the tables and plots of explored and stored states and estimates.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Replace the value of a constant of the model, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    define: Vec<(String, i64)>,
    #[command(flatten)]
    limits: LimitArguments,
}

impl RaceArguments {
    fn source(&self) -> QuerySource {
        match &self.queries {
            Some(path) => QuerySource::File(path.clone()),
            None if self.formulas.is_empty() => QuerySource::WithModel,
            None => QuerySource::Formulas(self.formulas.clone()),
        }
    }

    /// The options of a strategy, with the same limits for all. Traces are requested, so that their
    /// lengths are known.
    fn options(&self, strategy: Strategy, resources: &Resources) -> VerifyOptions {
        VerifyOptions {
            strategy,
            seed: self.seed,
            trace: TraceWish::Some,
            resources: resources.clone(),
            ..VerifyOptions::default()
        }
    }
}

pub(crate) fn run(arguments: &RaceArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let memory = arguments.memory.or_else(default_memory_limit);
    let resources = Resources {
        time: arguments.time,
        memory: memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        states: arguments.states,
        ..Resources::default()
    };
    let options = arguments.limits.options(arguments.define.clone(), wants_old_syntax());
    let options = within(options, &resources);
    let loaded = read(&arguments.model, &arguments.source(), &options);
    let loaded = match with_problems_shown(loaded, console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    if session.queries().next().is_none() {
        console.complain("error: there are no queries");
        console.complain("  = help: give formulas with -q");
        return Ok(Status::WrongInput);
    }
    let interrupt = Interrupt::watch(&resources.cancelled);
    let heats = Vec::new();
    let mut race = Race { arguments, session: &session, resources, interrupt, console, heats };
    let queries: Vec<QueryId> = session.queries().map(|(id, _)| id).collect();
    let mut worst = Status::Success;
    for (position, id) in queries.into_iter().enumerate() {
        if position > 0 && !arguments.json {
            writeln!(race.console.out)?;
        }
        worst = worst.or_worse(race.query(id)?);
        if race.is_over() {
            worst = race.interrupt.status().unwrap_or(Status::Undecided);
            break;
        }
    }
    Ok(race.write_page().or_worse(worst))
}

/// The shared context of all runs of a comparison.
struct Race<'r, 'c> {
    arguments: &'r RaceArguments,
    session: &'r Session,
    resources: Resources,
    interrupt: Interrupt,
    console: &'r mut Console<'c>,
    /// The answered queries, for the report.
    heats: Vec<Heat>,
}

impl Race<'_, '_> {
    /// Answers one query with all strategies.
    fn query(&mut self, id: QueryId) -> io::Result<Status> {
        let mut answers = Vec::new();
        let mut charts = CHARTS.map(|(name, _)| (name, Vec::new()));
        let entry = Entry {
            session: self.session,
            arguments: self.arguments,
            resources: &self.resources,
            interrupt: &self.interrupt,
            query: id,
        };
        let mut receive = |run: StrategyRun, console: &mut Console<'_>| {
            if entry.arguments.json {
                let record = record(entry.session, id, &run.answer);
                serde_json::to_writer(&mut *console.out, &record)?;
                writeln!(console.out)?;
                console.out.flush()?;
            }
            for ((_, curves), (_, count)) in charts.iter_mut().zip(CHARTS) {
                let at = |sample: &Snapshot| Some((sample.elapsed.as_secs_f64(), count(sample)?));
                let points = run.samples.iter().filter_map(at).collect();
                // A strategy without a heuristic has an empty curve, which reserves its colour.
                curves.push(Curve { name: run.strategy.to_string(), points });
            }
            answers.push(run.answer);
            Ok::<_, io::Error>(match entry.resources.cancelled.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        };
        let strategies = &self.arguments.strategies;
        match self.arguments.threads.get() {
            1 => {
                for strategy in strategies {
                    let run = entry.run(strategy, self.console);
                    if receive(run, self.console)?.is_break() {
                        break;
                    }
                }
            }
            _ => in_order(
                self.arguments.threads,
                strategies,
                |strategy| entry.run_silently(strategy),
                |run| receive(run, self.console),
            )?,
        }
        let formula = one_line(&self.session.model().queries[id].text);
        let records = answers.iter().map(|answer| record(self.session, id, answer));
        let lanes = self.arguments.strategies.iter().zip(records);
        let rows = lanes.map(|(strategy, record)| row(&strategy.to_string(), &record));
        let rows: Vec<[String; 8]> = rows.collect();
        if !self.arguments.json {
            writeln!(self.console.out, "{formula}")?;
            write_table(&rows, self.console.out)?;
            if let Some(row) = first_decided(&answers).and_then(|winner| rows.get(winner)) {
                writeln!(self.console.out, "  {} decided first", row[0])?;
            }
            self.console.out.flush()?;
        }
        let rows = rows.into_iter().map(Vec::from).collect();
        let is_drawn = |curves: &[Curve]| curves.iter().any(lasts);
        let charts = charts.into_iter().filter(|(_, curves)| is_drawn(curves)).collect();
        let winner = first_decided(&answers);
        self.heats.push(Heat { query: formula, winner, rows, charts });
        Ok(self.judge(&answers))
    }

    /// The exit status for a query: that of the strategies that decided it, if they agree.
    fn judge(&mut self, answers: &[Answer]) -> Status {
        let is_decided =
            |verdict: &&Verdict| matches!(verdict, Verdict::Satisfied | Verdict::NotSatisfied);
        let mut decided = answers.iter().map(|answer| &answer.verdict).filter(is_decided);
        let Some(first) = decided.next() else {
            let ends = answers.iter().map(|answer| status_of(&answer.verdict));
            return ends.reduce(Status::or_worse).unwrap_or(Status::Undecided);
        };
        if decided.all(|verdict| verdict == first) {
            return status_of(first);
        }
        self.console.complain(
            "error: the strategies contradict each other. This is a bug in Zonaut, not in your \
             model.\nPlease report it with the model and the arguments of this run.",
        );
        Status::Bug
    }

    /// Writes the report, if requested.
    fn write_page(&mut self) -> Status {
        let Some(target) = &self.arguments.report else { return Status::Success };
        let page = write_race(&RaceReport {
            model: &file_name(self.session),
            command: &command(),
            program: concat!("zonaut ", env!("CARGO_PKG_VERSION")),
            columns: &COLUMNS,
            heats: &self.heats,
        });
        write_file(target, &page, self.console)
    }

    fn is_over(&self) -> bool {
        self.resources.cancelled.load(Ordering::Relaxed)
    }
}

/// A query that strategies answer, and the limits of each.
#[derive(Clone, Copy)]
struct Entry<'r> {
    session: &'r Session,
    arguments: &'r RaceArguments,
    resources: &'r Resources,
    interrupt: &'r Interrupt,
    query: QueryId,
}

/// The run of one strategy.
struct StrategyRun {
    strategy: Strategy,
    answer: Answer,
    /// Its progress, from the start to the end.
    samples: Vec<Snapshot>,
}

impl Entry<'_> {
    fn run(&self, strategy: &Strategy, console: &mut Console<'_>) -> StrategyRun {
        let options = self.arguments.options(strategy.clone(), self.resources);
        let mut asking = Asking::new(self.session, &options, self.interrupt);
        if self.arguments.threads.get() > 1 {
            asking = asking.silent();
        }
        let answer = asking.answer(self.query, console);
        let (first, end) = (Snapshot::default(), last_sample(&asking, &answer));
        let samples = [first].into_iter().chain(asking.samples().iter().copied());
        let samples = samples.chain([end]).collect();
        StrategyRun { strategy: strategy.clone(), answer, samples }
    }

    /// The same without a progress line, beside others.
    fn run_silently(&self, strategy: &Strategy) -> StrategyRun {
        let (mut out, mut err) = (io::sink(), io::sink());
        self.run(strategy, &mut Console::plain(&mut out, &mut err))
    }
}

/// The index of the answer that decided in the least time; of equal ones, the one that explored the
/// fewest states.
fn first_decided(answers: &[Answer]) -> Option<usize> {
    let is_decided =
        |answer: &Answer| matches!(answer.verdict, Verdict::Satisfied | Verdict::NotSatisfied);
    let decided = answers.iter().enumerate().filter(|(_, answer)| is_decided(answer));
    let key = |answer: &Answer| {
        // Differences below a millisecond are noise.
        ((answer.seconds * 1000.0).round() as u64, answer.statistics.explored)
    };
    decided.min_by_key(|(_, answer)| key(answer)).map(|(number, _)| number)
}

fn record<'a>(session: &'a Session, id: QueryId, answer: &'a Answer) -> AnswerRecord<'a> {
    let unchecked = Certificate::Missing("not requested".to_owned());
    AnswerRecord { trace: None, ..AnswerRecord::of(session, id, answer, &unchecked) }
}

/// The shortest search that is sampled often enough for a curve, in seconds.
const SHORTEST: f64 = 0.1;

/// Whether a curve shows a development: a single moment is none, and the table has its value.
fn lasts(curve: &Curve) -> bool {
    let times = [curve.points.first(), curve.points.last()];
    let [Some((first, _)), Some((last, _))] = times else { return false };
    *first < 0.9 * last && *last >= SHORTEST
}

/// A quantity that is drawn over time.
type Count = fn(&Snapshot) -> Option<f64>;
const CHARTS: [(&str, Count); 5] = [
    ("Explored states over time", |at| Some(at.progress.explored as f64)),
    ("Stored states over time", |at| Some(at.progress.stored as f64)),
    ("Depth over time", |at| Some(f64::from(at.progress.depth))),
    ("Best estimate over time", |at| at.lowest.map(f64::from)),
    ("Kilobytes over time", |at| Some(at.progress.bytes as f64 / f64::from(1 << 10))),
];

/// The statistics at the end of a search.
fn last_sample(asking: &Asking<'_>, answer: &Answer) -> Snapshot {
    let before = asking.samples().last();
    let progress = Progress {
        explored: answer.statistics.explored,
        stored: answer.statistics.stored,
        bytes: answer.statistics.bytes,
        depth: before.map_or(0, |sample| sample.progress.depth),
        waiting: 0,
    };
    let elapsed = Duration::try_from_secs_f64(answer.seconds).unwrap_or_default();
    Snapshot { elapsed, progress, ..before.copied().unwrap_or_default() }
}

/// The columns of a table; the first and the last are aligned to the left.
const COLUMNS: [&str; 8] =
    ["strategy", "verdict", "transitions", "explored", "stored", "time", "memory", ""];

fn row(strategy: &str, record: &AnswerRecord<'_>) -> [String; 8] {
    [
        one_line(strategy),
        record.verdict.replace('_', " "),
        record.effort.transitions.map_or_else(|| "-".to_owned(), |count| count.to_string()),
        record.effort.explored.to_string(),
        record.effort.stored.to_string(),
        format_seconds(record.effort.seconds),
        format_size(record.effort.memory_bytes as u64),
        record.reason.as_deref().map(one_line).unwrap_or_default(),
    ]
}

fn write_table(rows: &[[String; 8]], out: &mut dyn Write) -> io::Result<()> {
    let heading = COLUMNS.map(str::to_owned);
    let all = || [&heading].into_iter().chain(rows);
    let mut widths = [0; 8];
    for cells in all() {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = cell.chars().count().max(*width);
        }
    }
    for cells in all() {
        let mut line = String::from(" ");
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let is_text = column < 2 || column == 7;
            line.push(' ');
            line.push_str(&match is_text {
                true => format!("{cell:<width$} "),
                false => format!("{cell:>width$} "),
            });
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let row = |cells: [&str; 8]| cells.map(str::to_owned);
        let rows = [
            row(["bfs", "satisfied", "12", "100", "90", "0.100 s", "1.0 MB", ""]),
            row(["greedy(hu)", "unknown", "-", "7", "9", "9.000 s", "20.0 KB", "time limit"]),
        ];
        let mut out = Vec::new();
        write_table(&rows, &mut out).expect("a vector takes everything");
        let expected = [
            "  strategy    verdict    transitions  explored  stored     time   memory\n",
            "  bfs         satisfied           12       100      90  0.100 s   1.0 MB\n",
            "  greedy(hu)  unknown              -         7       9  9.000 s  20.0 KB  time limit\n",
        ];
        assert_eq!(String::from_utf8(out).expect("text"), expected.concat());
    }
}
