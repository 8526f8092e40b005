//! One run in a process of its own, with what it used.

use super::suite::Job;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use wait4::Wait4;

/// How often a run is looked at.
const PERIOD: Duration = Duration::from_millis(2);
/// How much longer than its limit a run may take before it is ended.
const GRACE: Duration = Duration::from_secs(10);

/// What a run gave and used.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Measurement {
    /// The verdicts, or how the run ended.
    pub(super) outcome: String,
    /// Absent after a signal, and where the program could not be run.
    pub(super) exit_code: Option<i32>,
    pub(super) transitions: Option<u64>,
    pub(super) explored: Option<u64>,
    pub(super) stored: Option<u64>,
    /// The time of exploration alone, as our own tool reports it.
    pub(super) search_seconds: Option<f64>,
    pub(super) wall_seconds: f64,
    pub(super) user_seconds: f64,
    pub(super) peak_bytes: u64,
}

impl Measurement {
    /// Whether our own tool did what it never may.
    pub(super) fn is_broken(&self) -> bool {
        self.outcome == CRASHED || self.exit_code == Some(4)
    }
}

const CRASHED: &str = "crashed";

/// Runs `job` and waits for it.
pub(super) fn measure(job: &Job) -> Measurement {
    match try_measure(job) {
        Ok(measurement) => measurement,
        Err(error) => Measurement { outcome: format!("not run: {error}"), ..Default::default() },
    }
}

fn try_measure(job: &Job) -> io::Result<Measurement> {
    let start = Instant::now();
    let mut child = Command::new(&job.program)
        .args(&job.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut output = child.stdout.take();
    // Read while it runs, or a long output would stop it.
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        let read = output.as_mut().map(|output| output.read_to_end(&mut text));
        read.transpose().map(|_| text)
    });
    let deadline = Duration::from_secs(job.limits.time) + GRACE;
    let mut ended_by_us = false;
    let used = loop {
        if let Some(used) = child.try_wait4()? {
            break used;
        }
        if !ended_by_us && start.elapsed() > deadline {
            child.kill()?;
            ended_by_us = true;
        }
        thread::sleep(PERIOD);
    };
    let wall_seconds = start.elapsed().as_secs_f64();
    let text = reader.join().map_err(|_| io::Error::other("the reader failed"))??;
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
    if job.is_ours() {
        measurement.read_report(&String::from_utf8_lossy(&text));
    }
    Ok(measurement)
}

impl Measurement {
    /// Adds what the JSON lines of our own tool say: verdicts in order, counts in total.
    fn read_report(&mut self, text: &str) {
        let records = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut outcomes = Vec::new();
        for record in records {
            let count = |key: &str| record.get(key).and_then(Value::as_u64);
            add(&mut self.explored, count("explored"));
            add(&mut self.stored, count("stored"));
            self.transitions = count("transitions").or(self.transitions);
            if let Some(seconds) = record.get("seconds").and_then(Value::as_f64) {
                *self.search_seconds.get_or_insert(0.0) += seconds;
            }
            let verdict = record.get("verdict").and_then(Value::as_str);
            let complete = record.get("complete").and_then(Value::as_bool);
            let reason = record.get("reason").and_then(Value::as_str);
            outcomes.push(match (verdict, complete, reason) {
                (_, Some(true), _) => "complete".to_owned(),
                (_, _, Some(reason)) => reason.to_owned(),
                (Some(verdict), _, None) => verdict.replace('_', " "),
                _ => "incomplete".to_owned(),
            });
        }
        if !outcomes.is_empty() {
            self.outcome = outcomes.join("; ");
        }
    }
}

fn add(total: &mut Option<u64>, count: Option<u64>) {
    if let Some(count) = count {
        *total = Some(total.unwrap_or(0) + count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_several_queries_are_added_up() {
        let mut measurement = Measurement::default();
        measurement.read_report(
            "{\"verdict\":\"satisfied\",\"explored\":3,\"stored\":4,\"transitions\":7,\"seconds\":0.5}\n\
             {\"verdict\":\"unknown\",\"reason\":\"time limit\",\"explored\":10,\"stored\":20,\
             \"transitions\":null,\"seconds\":1.0}\n",
        );
        assert_eq!(measurement.outcome, "satisfied; time limit");
        assert_eq!((measurement.explored, measurement.stored), (Some(13), Some(24)));
        assert_eq!((measurement.transitions, measurement.search_seconds), (Some(7), Some(1.5)));
    }

    #[test]
    fn an_exploration_is_complete_or_says_why_not() {
        let mut measurement = Measurement::default();
        measurement.read_report("{\"complete\":true,\"reason\":null,\"explored\":3,\"stored\":4}");
        assert_eq!(measurement.outcome, "complete");
    }
}
