//! `zonaut serve`: an explorer in a browser of this machine.

use crate::arguments::InputArguments;
use crate::certified_answer::checker;
use crate::loading::{query_source, read, with_problems_shown, within};
use crate::search_arguments::seconds;
use clap::Args;
use std::io;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use zonaut_certification::{Certifier, Policy};
use zonaut_console::{Console, Interrupt, Status, parse_size, wants_old_syntax};
use zonaut_engine::{Resources, default_memory_limit};
use zonaut_serve::{Server, Subject, Watched};

/// Simulate a model and check its queries in a browser.
///
/// Prints the address of the page; it is served to this machine only, until the program ends.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut serve --open train-gate.xml
  zonaut serve fischer.xta fischer.q --define N=3 --time 60")]
pub(crate) struct ServeArguments {
    /// Open the page in the default browser.
    #[arg(long)]
    open: bool,
    /// Stop each query after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Stop a query when its states need this much memory, as in 512M or 4G; by default 80 % of the
    /// available memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    #[command(flatten)]
    input: InputArguments,
}

pub(crate) fn run(arguments: &ServeArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let input = &arguments.input;
    let memory = arguments.memory.or_else(default_memory_limit);
    let memory = memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let resources = Resources { time: arguments.time, memory, ..Resources::default() };
    let options = input.limits.options(input.define.clone(), wants_old_syntax());
    let options = within(options, &resources);
    let loaded = read(&input.model, &query_source(input), &options);
    let loaded = match with_problems_shown(loaded, console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    if loaded.session().is_none() {
        return Ok(Status::WrongInput);
    }
    let watched = Some(Watched { model: input.model.clone(), queries: query_source(input) });
    let certifier = Certifier { policy: Policy::Auto, checker: checker(), advice: "" };
    let subject = Subject { loaded, options, resources, certifier, watched };
    let server = match Server::bind(subject) {
        Ok(server) => server,
        Err(error) => {
            console.complain(&format!("error: the explorer cannot be started: {error}"));
            return Ok(Status::Undecided);
        }
    };
    let ended = Arc::new(AtomicBool::new(false));
    let interrupt = Interrupt::watch(&ended);
    writeln!(console.out, "{}", server.url())?;
    console.out.flush()?;
    console.complain("Open this address in a browser on this machine; press Ctrl-C to stop.");
    if arguments.open && !opened(&server.url()) {
        console.complain("note: no browser could be started; open the address by hand");
    }
    server.run(&ended)?;
    Ok(interrupt.status().unwrap_or(Status::Success))
}

/// Starts the default browser; `false` if that fails.
fn opened(url: &str) -> bool {
    let programs: &[&[&str]] = match std::env::consts::OS {
        "macos" => &[&["open"]],
        "windows" => &[&["rundll32", "url.dll,FileProtocolHandler"]],
        _ => &[&["xdg-open"], &["gio", "open"]],
    };
    programs.iter().any(|words| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(url).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
    })
}
