//! Processes and checkpoints of a search: their options, and their beginning and end.

use crate::search_arguments::seconds;
use clap::Args;
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use zonaut_cluster::{ClusterError, Folder, Hosts, Star, Subject, Terms, Token, Waiting};
use zonaut_console::{Console, OwnProgram, Status, one_line};
use zonaut_engine::{
    Answer, Order, QueryKind, Reason, SearchDistribution, Session, Strategy, SymmetryWish,
    TraceWish, Verdict, VerifyOptions, is_standard_input,
};

/// Options of searches with several processes, or with checkpoints. They need a single `E<>` or `A[]`
/// query, and search breadth first without symmetry reduction.
#[derive(Args, Debug, Default, Clone)]
#[command(next_help_heading = "Processes and checkpoints")]
pub(crate) struct DistributionArguments {
    /// Explore breadth first with this many processes on this machine, each with `--threads` threads.
    #[arg(long, value_name = "COUNT", conflicts_with = "hosts")]
    processes: Option<NonZeroUsize>,
    /// Explore breadth first with the processes that this file lists, one host:port a line.
    ///
    /// Each is started by hand with the same command line and its own `--process`.
    #[arg(long, value_name = "FILE", requires = "process", requires = "token")]
    hosts: Option<PathBuf>,
    /// The number of this process in the file of hosts; process 0 prints the answer.
    #[arg(long, value_name = "NUMBER")]
    process: Option<usize>,
    /// The file with the common token of all processes, which its owner alone can read.
    #[arg(long, value_name = "FILE", requires = "hosts")]
    token: Option<PathBuf>,
    /// Write checkpoints to this folder; `zonaut resume FOLDER` continues from the last one.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// The time between two checkpoints, as in 30s or 5m.
    ///
    /// It is longer if writing them takes more than 5 % of the time.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = interval)]
    checkpoint_every: Interval,
    /// The address of process 0 that started this process.
    #[arg(long, hide = true, requires = "process")]
    join: Option<SocketAddr>,
    /// Continue the checkpoint in the folder.
    #[arg(skip)]
    pub(crate) is_resumed: bool,
}

/// A time between two checkpoints.
#[derive(Clone, Copy, Debug, Default)]
struct Interval(Duration);

fn interval(word: &str) -> Result<Interval, String> {
    let (number, unit) = match word.strip_suffix('m') {
        Some(minutes) => (minutes, 60),
        None => (word.strip_suffix('s').unwrap_or(word), 1),
    };
    let wrong = |_| format!("`{word}` is not a time such as 30s or 5m");
    Ok(Interval(seconds(number).map_err(wrong)? * unit))
}

/// The options of this kind with a value, which are not part of a saved command line.
const WITH_VALUE: &[&str] = &[
    "--processes",
    "--hosts",
    "--process",
    "--token",
    "--checkpoint",
    "--checkpoint-every",
    "--join",
    "--threads",
];

/// The processes and checkpoints of a search that has begun.
#[derive(Default)]
pub(crate) struct Distributed {
    star: Option<Arc<Star>>,
    folder: Option<Arc<Folder>>,
    is_member: bool,
    /// The processes that this one has started. Declared last: they see that the connections end.
    _children: Children,
}

/// Processes that end with this one.
#[derive(Default)]
struct Children(Vec<Child>);

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended is only waited for.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The circumstances in which a search begins.
pub(crate) struct Beginning<'b> {
    pub(crate) arguments: &'b DistributionArguments,
    pub(crate) session: &'b Session,
    pub(crate) model: &'b Path,
    /// The number of threads of each process, if it is given.
    pub(crate) threads: Option<NonZeroUsize>,
    /// The words of the command line.
    pub(crate) words: &'b [OsString],
}

/// An error in the input, with help.
struct WrongInput {
    error: String,
    help: Option<&'static str>,
}

impl WrongInput {
    fn new(error: impl Into<String>, help: &'static str) -> Self {
        Self { error: error.into(), help: Some(help) }
    }
}

impl<E: std::fmt::Display> From<E> for WrongInput {
    fn from(error: E) -> Self {
        Self { error: error.to_string(), help: None }
    }
}

/// The reason for which a search does not begin.
enum NotBegun {
    Input(WrongInput),
    Lost(String),
}

impl From<WrongInput> for NotBegun {
    fn from(wrong: WrongInput) -> Self {
        Self::Input(wrong)
    }
}

impl From<ClusterError> for NotBegun {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Input(what) => Self::Input(what.into()),
            ClusterError::Lost(what) => Self::Lost(what),
        }
    }
}

impl DistributionArguments {
    /// Whether the search has several processes or checkpoints.
    pub(crate) fn is_used(&self) -> bool {
        self.processes.is_some() || self.hosts.is_some() || self.checkpoint.is_some()
    }
}

impl Distributed {
    /// Whether this process works for another one, which prints the answer.
    pub(crate) fn is_member(&self) -> bool {
        self.is_member
    }

    /// Starts or joins the other processes, and opens the folder of checkpoints.
    ///
    /// # Errors
    /// The exit status, after a message.
    pub(crate) fn begin(
        beginning: &Beginning<'_>,
        options: &mut VerifyOptions,
        console: &mut Console<'_>,
    ) -> Result<Self, Status> {
        if !beginning.arguments.is_used() {
            return Ok(Self::default());
        }
        match beginning.begin(options) {
            Ok(distributed) => Ok(distributed),
            Err(NotBegun::Input(WrongInput { error, help })) => {
                console.complain(&format!("error: {}", one_line(&error)));
                if let Some(help) = help {
                    console.complain(&format!("  = help: {help}"));
                }
                Err(Status::WrongInput)
            }
            Err(NotBegun::Lost(what)) => {
                console.complain(&format!("error: {}", one_line(&what)));
                Err(Status::Undecided)
            }
        }
    }

    /// Tells why a search ended early, and how it continues.
    pub(crate) fn report(&self, answer: &Answer, console: &mut Console<'_>) {
        if !matches!(answer.verdict, Verdict::Unknown(Reason::Stopped(_))) {
            return;
        }
        self.report_failures(console);
        if let Some(folder) = self.folder.as_ref().filter(|folder| folder.written() > 0) {
            let shown = one_line(&folder.path().display().to_string());
            console.complain(&format!("note: `zonaut resume {shown}` continues the search"));
        }
    }

    fn report_failures(&self, console: &mut Console<'_>) -> bool {
        let failures = [
            self.star.as_ref().and_then(|star| star.failure()),
            self.folder.as_ref().and_then(|folder| folder.failure()),
        ];
        let mut has_failed = false;
        for failure in failures.into_iter().flatten() {
            console.complain(&format!("error: {}", one_line(&failure)));
            has_failed = true;
        }
        has_failed
    }

    /// The exit status of a process that worked for another one.
    pub(crate) fn end_of_member(&self, console: &mut Console<'_>) -> Status {
        match self.report_failures(console) {
            true => Status::Undecided,
            false => Status::Success,
        }
    }
}

impl Beginning<'_> {
    fn begin(&self, options: &mut VerifyOptions) -> Result<Distributed, NotBegun> {
        self.check(options)?;
        options.strategy = Strategy::Blind(Order::BreadthFirst);
        options.symmetry = SymmetryWish::Ignore;
        options.threads = self.threads;
        let cancelled = Arc::clone(&options.resources.cancelled);
        let arguments = self.arguments;
        let process = arguments.process.unwrap_or(0);
        let mut distribution = SearchDistribution::default();
        let mut distributed = Distributed { is_member: process > 0, ..Distributed::default() };
        if let Some(folder) = arguments.checkpoint.as_deref().filter(|_| process == 0) {
            let (subject, every) = (self.subject(options)?, arguments.checkpoint_every.0);
            let folder = match arguments.is_resumed {
                true => {
                    let resumed = Folder::resume(folder, &subject, every);
                    let (folder, saved) = resumed.map_err(WrongInput::from)?;
                    distribution.saved = Some(Arc::new(saved.search));
                    folder
                }
                false => Folder::create(folder, subject, every).map_err(WrongInput::from)?,
            };
            let folder = Arc::new(folder);
            distribution.keeper = Some(Arc::clone(&folder) as _);
            distributed.folder = Some(folder);
        }
        let star = match (&arguments.hosts, arguments.processes) {
            (Some(hosts), _) => Some(self.connect_hosts(hosts, process, options, &cancelled)?),
            (None, Some(count)) if count.get() > 1 => {
                let (star, children) = self.connect_here(count.get(), options, &cancelled)?;
                distributed._children = children;
                Some(star)
            }
            (None, _) => None,
        };
        distributed.star = star.map(Arc::new);
        distribution.network = distributed.star.as_ref().map(|star| Arc::clone(star) as _);
        options.distribution = Some(distribution);
        Ok(distributed)
    }

    fn check(&self, options: &VerifyOptions) -> Result<(), WrongInput> {
        let is_suited =
            |kind: &QueryKind| matches!(kind, QueryKind::Possibly(_) | QueryKind::Always(_));
        let mut queries = self.session.queries();
        let is_one = queries.next().is_some_and(|(_, query)| is_suited(&query.kind))
            && queries.next().is_none();
        if !is_one {
            let error = "processes and checkpoints need a single `E<>` or `A[]` query";
            return Err(WrongInput::new(error, "give it with -q"));
        }
        let is_breadth_first = matches!(
            options.strategy,
            Strategy::Auto { .. } | Strategy::Blind(Order::BreadthFirst)
        );
        if !is_breadth_first {
            let error = "processes and checkpoints need the strategy `bfs`";
            return Err(WrongInput::new(error, "give it, or no `--strategy`"));
        }
        if self.arguments.process.is_some()
            && self.arguments.hosts.is_none()
            && self.arguments.join.is_none()
        {
            return Err(WrongInput::new(
                "`--process` needs `--hosts`",
                "see `zonaut verify --help`",
            ));
        }
        let several = self.arguments.processes.is_some_and(|count| count.get() > 1);
        if is_standard_input(self.model) && (several || self.arguments.checkpoint.is_some()) {
            let error = "a model from standard input is read only once";
            return Err(WrongInput::new(error, "write it to a file"));
        }
        Ok(())
    }

    /// The options that matter for the states of a search.
    fn relevant(options: &VerifyOptions) -> String {
        let VerifyOptions { abstraction, comparison, trace, .. } = options;
        let name = |name: Option<String>| name.unwrap_or_else(|| "default".to_owned());
        format!(
            "abstraction {}, store {}, {}",
            name(abstraction.map(|one| one.name().to_owned())),
            name(comparison.map(|one| format!("{one:?}").to_lowercase())),
            match trace {
                TraceWish::Shortest => "shortest trace",
                TraceWish::None | TraceWish::Some => "any trace",
            }
        )
    }

    fn digest(&self) -> String {
        let query = self.session.queries().next().map(|(id, _)| id);
        self.session.digest(query)
    }

    fn subject(&self, options: &VerifyOptions) -> Result<Subject, WrongInput> {
        let directory = std::env::current_dir()?;
        let directory = directory.into_os_string().into_string();
        let not_text = |_| WrongInput::new("a file name is not valid UTF-8", "rename the file");
        let mut words = Vec::new();
        let mut given = command_words(self.words).iter();
        while let Some(word) = given.next() {
            let word = word.clone().into_string().map_err(not_text)?;
            if WITH_VALUE.contains(&word.as_str()) {
                given.next();
            } else if !WITH_VALUE.iter().any(|name| is_assignment(&word, name)) {
                words.push(word);
            }
        }
        Ok(Subject {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            digest: self.digest(),
            options: Self::relevant(options),
            words,
            directory: directory.map_err(not_text)?,
        })
    }

    fn terms(&self, processes: usize, options: &VerifyOptions) -> Terms {
        let threads = options.threads.map_or(1, NonZeroUsize::get);
        Terms {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            digest: self.digest(),
            options: format!("{}, {threads} threads", Self::relevant(options)),
            processes,
        }
    }

    /// Connects the processes that a file of hosts lists.
    fn connect_hosts(
        &self,
        file: &Path,
        process: usize,
        options: &VerifyOptions,
        cancelled: &AtomicBool,
    ) -> Result<Star, NotBegun> {
        let shown = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| WrongInput::from(format!("{shown} cannot be read: {error}")))?;
        let hosts = Hosts::parse(&text).map_err(|error| {
            WrongInput::new(format!("{shown}: {error}"), "one host:port a line")
        })?;
        if process >= hosts.names.len() {
            let (most, error) = (hosts.names.len() - 1, format!("there is no process {process}"));
            return Err(WrongInput::from(format!("{error}: {shown} lists 0 to {most}")).into());
        }
        let token = self.arguments.token.as_deref().unwrap_or(Path::new(""));
        let shown = token.display();
        let token = Token::read(token)
            .map_err(|error| WrongInput::from(format!("the token file {shown}: {error}")))?;
        let addresses = hosts.first().map_err(WrongInput::from)?;
        let terms = self.terms(hosts.names.len(), options);
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        Ok(match process {
            0 => Waiting::listen(&addresses, token, terms, hosts.names)?.accept(is_cancelled)?,
            _ => Star::join(&addresses, process, &token, &terms, hosts.names, is_cancelled)?,
        })
    }

    /// Starts processes on this machine, or joins the one that has started this one.
    fn connect_here(
        &self,
        processes: usize,
        options: &VerifyOptions,
        cancelled: &AtomicBool,
    ) -> Result<(Star, Children), NotBegun> {
        let terms = self.terms(processes, options);
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        if let (Some(address), Some(process)) = (self.arguments.join, self.arguments.process) {
            let token = Token::from_reader(io::stdin()).map_err(WrongInput::from)?;
            let star = Star::join(&[address], process, &token, &terms, Vec::new(), is_cancelled)?;
            return Ok((star, Children::default()));
        }
        let (token, secret) = Token::random().map_err(WrongInput::from)?.for_process();
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let waiting = Waiting::listen(&[loopback], token, terms, Vec::new())?;
        let lost =
            |error: io::Error| NotBegun::Lost(format!("a process cannot be started: {error}"));
        let address = waiting.address().map_err(lost)?;
        let own = OwnProgram::current().map_err(lost)?;
        let mut children = Children::default();
        for process in 1..processes {
            let command = command_words(self.words);
            let before = &self.words[1.min(self.words.len())..self.words.len() - command.len()];
            let mut child = Command::new(&own.path)
                .args(&own.arguments)
                .args(before)
                .args(["--join", &address.to_string(), "--process", &process.to_string()])
                .args(command)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map_err(lost)?;
            let input = child.stdin.take();
            children.0.push(child);
            if let Some(mut input) = input {
                // A process that has ended already is noticed because it does not join.
                let _ = input.write_all(secret.as_bytes());
            }
        }
        Ok((waiting.accept(is_cancelled)?, children))
    }
}

/// The words after the name of the command.
fn command_words(words: &[OsString]) -> &[OsString] {
    let command = words.iter().position(|word| word == "verify" || word == "resume");
    command.map_or(&[], |position| &words[position + 1..])
}

fn is_assignment(word: &str, name: &str) -> bool {
    word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_units() {
        let of = |word: &str| interval(word).map(|Interval(time)| time);
        assert_eq!(of("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(of("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(of("5m"), Ok(Duration::from_secs(300)));
        for wrong in ["", "s", "-1s", "3h", "5ms"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
