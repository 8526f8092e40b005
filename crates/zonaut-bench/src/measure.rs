//! Execution and measurement of runs in separate processes.

use crate::job::{Job, Output, Preparation};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use wait4::Wait4;
use zonaut_console::Interrupt;

/// Period of the polls of a run.
const PERIOD: Duration = Duration::from_millis(2);
/// Additional time beyond its limit before a run is killed.
const GRACE: Duration = Duration::from_secs(10);

/// The results and resources of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measurement {
    /// The verdicts, or the kind of failure.
    pub(crate) outcome: String,
    /// Absent after a signal, and if the program could not be started.
    pub(crate) exit_code: Option<i32>,
    pub(crate) transitions: Option<u64>,
    pub(crate) explored: Option<u64>,
    pub(crate) stored: Option<u64>,
    /// The time of the search only, as our own tool reports it.
    pub(crate) search_seconds: Option<f64>,
    /// The part of it that heuristics took, including their preparation.
    #[serde(default)]
    pub(crate) guide_seconds: Option<f64>,
    /// The cost of the incumbent, and the lower bound.
    #[serde(default)]
    pub(crate) cost: Option<u64>,
    #[serde(default)]
    pub(crate) lower_bound: Option<u64>,
    /// The cost of the first solution, and the number of states explored until it was found.
    #[serde(default)]
    pub(crate) first_cost: Option<u64>,
    #[serde(default)]
    pub(crate) first_explored: Option<u64>,
    pub(crate) wall_seconds: f64,
    pub(crate) user_seconds: f64,
    pub(crate) peak_bytes: u64,
}

impl Measurement {
    /// Whether our own tool crashed or reported a bug.
    pub(crate) fn is_broken(&self) -> bool {
        self.outcome == CRASHED || self.exit_code == Some(4)
    }
}

const CRASHED: &str = "crashed";

/// Runs all samples of `job` sequentially. A signal cancels them.
pub(crate) fn measure(job: &Job, interrupt: &Interrupt) -> Vec<Measurement> {
    let failed = |error: io::Error| Measurement {
        outcome: format!("not run: {error}"),
        ..Measurement::default()
    };
    if let Some(preparation) = &job.preparation
        && let Err(error) = preparation.run()
    {
        return vec![failed(error)];
    }
    let sample = |sample| try_measure(job, sample, interrupt).unwrap_or_else(failed);
    job.samples.iter().map(|words| sample(words)).collect()
}

impl Preparation {
    fn run(&self) -> io::Result<()> {
        let status = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(File::create(&self.file)?)
            .stderr(Stdio::null())
            .status()?;
        match status.success() {
            true => Ok(()),
            false => Err(io::Error::other(format!("{} failed", self.program))),
        }
    }
}

fn try_measure(job: &Job, sample: &[OsString], interrupt: &Interrupt) -> io::Result<Measurement> {
    let start = Instant::now();
    let mut child = Command::new(&job.program)
        .args(&job.arguments)
        .args(sample)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = child.stdout.take();
    let kind = job.output.clone();
    // The output is read during the run, so that a full pipe does not block it.
    let reader = thread::spawn(move || output.map(|output| Found::read(output, &kind)));
    let deadline = Duration::from_secs(job.limits.time) + GRACE;
    let mut ended_by_us = false;
    let used = loop {
        if let Some(used) = child.try_wait4()? {
            break used;
        }
        // A signal may have arrived before the run could receive it.
        let is_over = start.elapsed() > deadline || interrupt.status().is_some();
        if !ended_by_us && is_over {
            child.kill()?;
            ended_by_us = true;
        }
        thread::sleep(PERIOD);
    };
    let wall_seconds = start.elapsed().as_secs_f64();
    let found = reader.join().map_err(|_| io::Error::other("the reader failed"))?;
    let found = found.transpose()?.unwrap_or_default();
    let exit_code = used.status.code();
    let mut measurement = Measurement {
        outcome: match exit_code {
            Some(code) => format!("exit {code}"),
            None if ended_by_us => "time limit".to_owned(),
            None => CRASHED.to_owned(),
        },
        exit_code,
        wall_seconds,
        user_seconds: used.rusage.utime.as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
        ..Default::default()
    };
    measurement.add(found);
    Ok(measurement)
}

/// The numbers in the output of a run.
#[derive(Default)]
struct Found {
    records: Vec<Record>,
    explored: Option<u64>,
    stored: Option<u64>,
}

/// The relevant fields of a JSON object of our own tool.
#[derive(Deserialize)]
struct Record {
    event: Option<String>,
    cost: Option<u64>,
    lower_bound: Option<u64>,
    verdict: Option<String>,
    complete: Option<bool>,
    reason: Option<String>,
    transitions: Option<u64>,
    explored: Option<u64>,
    stored: Option<u64>,
    seconds: Option<f64>,
    /// Without the certificate; absent if it is not reported.
    search_seconds: Option<f64>,
    guide: Option<HeuristicWork>,
}

#[derive(Deserialize)]
struct HeuristicWork {
    seconds: Option<f64>,
    preparation_seconds: Option<f64>,
}

impl Record {
    /// Whether it is a progress record with an improved solution, not a result.
    fn is_improvement(&self) -> bool {
        self.event.as_deref() == Some("improvement")
    }
}

impl Found {
    /// Reads an output to its end. Runs can be long, and the memory peak of this process counts as
    /// the peak of the processes that it starts: nothing is kept but the numbers.
    fn read(output: impl Read, kind: &Output) -> io::Result<Self> {
        let mut output = BufReader::new(output);
        let mut found = Self::default();
        match kind {
            Output::Ours => {
                let records = serde_json::Deserializer::from_reader(&mut output).into_iter();
                found.records = records.map_while(Result::ok).collect();
            }
            Output::Words { explored, stored } => {
                let mut line = Vec::new();
                while output.read_until(b'\n', &mut line)? > 0 {
                    let text = String::from_utf8_lossy(&line);
                    let number = |word: &Option<String>| number_after(&text, word.as_deref()?);
                    found.explored = found.explored.or_else(|| number(explored));
                    found.stored = found.stored.or_else(|| number(stored));
                    line.clear();
                }
            }
        }
        io::copy(&mut output, &mut io::sink())?;
        Ok(found)
    }
}

/// The first integer behind `word`, if `line` begins with it.
fn number_after(line: &str, word: &str) -> Option<u64> {
    let rest = line.trim_start().strip_prefix(word)?;
    let digits = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

impl Measurement {
    /// Adds the results of the output: verdicts in order, counts in total.
    fn add(&mut self, found: Found) {
        (self.explored, self.stored) = (found.explored, found.stored);
        let mut outcomes = Vec::new();
        for record in found.records {
            if record.is_improvement() {
                self.first_cost = self.first_cost.or(record.cost);
                self.first_explored = self.first_explored.or(record.explored);
                continue;
            }
            (self.cost, self.lower_bound) = (record.cost, record.lower_bound);
            add(&mut self.explored, record.explored);
            add(&mut self.stored, record.stored);
            add(&mut self.search_seconds, record.search_seconds.or(record.seconds));
            self.transitions = record.transitions.or(self.transitions);
            if let Some(heuristic) = record.guide {
                add(&mut self.guide_seconds, heuristic.seconds);
                add(&mut self.guide_seconds, heuristic.preparation_seconds);
            }
            outcomes.push(match (record.verdict, record.complete, record.reason) {
                (_, Some(true), _) => "complete".to_owned(),
                (_, _, Some(reason)) => reason,
                (Some(verdict), _, None) => verdict.replace('_', " "),
                _ => "incomplete".to_owned(),
            });
        }
        if !outcomes.is_empty() {
            self.outcome = outcomes.join("; ");
        }
    }
}

fn add<T: Copy + Default + std::ops::Add<Output = T>>(total: &mut Option<T>, part: Option<T>) {
    if let Some(part) = part {
        *total = Some(total.unwrap_or_default() + part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &Output, text: &str) -> Measurement {
        let mut measurement = Measurement::default();
        measurement.add(Found::read(text.as_bytes(), kind).unwrap());
        measurement
    }

    #[test]
    fn reports_of_several_queries_are_added_up() {
        let measurement = check(
            &Output::Ours,
            "{\"verdict\":\"satisfied\",\"explored\":3,\"stored\":4,\"transitions\":7,\"seconds\":2.5,\
             \"search_seconds\":0.5,\
             \"guide\":{\"seconds\":0.25,\"preparation_seconds\":0.125}}\n\
             {\"verdict\":\"unknown\",\"reason\":\"time limit\",\"explored\":10,\"stored\":20,\
             \"transitions\":null,\"seconds\":1.0,\"guide\":null}\n",
        );
        assert_eq!(measurement.outcome, "satisfied; time limit");
        assert_eq!((measurement.explored, measurement.stored), (Some(13), Some(24)));
        assert_eq!((measurement.transitions, measurement.search_seconds), (Some(7), Some(1.5)));
        assert_eq!(measurement.guide_seconds, Some(0.375));
    }

    #[test]
    fn improvements_are_distinguished_from_the_result() {
        let measurement = check(
            &Output::Ours,
            "{\"event\":\"improvement\",\"seconds\":0.1,\"cost\":65,\"lower_bound\":30,\"explored\":9}\n\
             {\"event\":\"improvement\",\"seconds\":0.2,\"cost\":60,\"lower_bound\":40,\"explored\":12}\n\
             {\"event\":\"result\",\"verdict\":\"unknown\",\"reason\":\"time limit\",\"cost\":60,\
             \"lower_bound\":50,\"explored\":20,\"stored\":30,\"seconds\":1.0}\n",
        );
        assert_eq!((measurement.cost, measurement.lower_bound), (Some(60), Some(50)));
        assert_eq!((measurement.first_cost, measurement.first_explored), (Some(65), Some(9)));
        assert_eq!((measurement.explored, measurement.search_seconds), (Some(20), Some(1.0)));
        assert_eq!(measurement.outcome, "time limit");
    }

    #[test]
    fn an_exploration_is_complete_or_has_a_reason() {
        let text = "{\"complete\":true,\"reason\":null,\"explored\":3,\"stored\":4}";
        let measurement = check(&Output::Ours, text);
        assert_eq!(measurement.outcome, "complete");
    }

    #[test]
    fn numbers_of_other_tools_stand_behind_their_words() {
        let text = "COVERED_STATES 9\nSTORED_STATES 727\nvisited: 977 states\nvisited 1\n";
        let words = |explored: &str, stored: &str| Output::Words {
            explored: Some(explored.to_owned()),
            stored: Some(stored.to_owned()),
        };
        let measurement = check(&words("visited", "STORED_STATES"), text);
        assert_eq!((measurement.explored, measurement.stored), (Some(977), Some(727)));
        let measurement = check(&words("STATES", "absent"), text);
        assert_eq!((measurement.explored, measurement.stored), (None, None));
        assert_eq!(number_after("time x\n", "time"), None);
    }
}
