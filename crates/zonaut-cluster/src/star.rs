//! A star of processes: all are connected with the first one, which passes messages on.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use zonaut_base::StopReason;
use zonaut_search::{Network, Place};

use crate::connection::{Connection, Ended, Message};
use crate::handshake::{Refused, Terms, join, welcome};
use crate::token::Token;

/// The time without a sign of life after which a process counts as lost.
pub const SILENCE: Duration = Duration::from_secs(8);
/// The time in which all processes have to join.
const JOINING: Duration = Duration::from_secs(10);
/// The time between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// The time between two looks at the listener.
const LOOK: Duration = Duration::from_millis(1);
/// The time between two attempts to connect.
const RETRY: Duration = Duration::from_millis(100);
/// The greatest number of handshakes at the same time.
const MOST_HANDSHAKES: usize = 64;

/// The reason for which processes cannot work together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClusterError {
    /// The input is wrong: an address, a token, a model, options or a number of a process.
    Input(String),
    /// A process is missing or lost.
    Lost(String),
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(what) | Self::Lost(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ClusterError {}

/// The first process of a search, which waits for the others.
#[derive(Debug)]
pub struct Waiting {
    listener: TcpListener,
    token: Token,
    terms: Terms,
    /// The names of the processes, for messages.
    names: Vec<String>,
}

impl Waiting {
    /// Listens at one of these addresses.
    ///
    /// # Errors
    /// If none of them is one of this machine, or all are in use.
    pub fn listen(
        addresses: &[SocketAddr],
        token: Token,
        terms: Terms,
        names: Vec<String>,
    ) -> Result<Self, ClusterError> {
        let wrong = |error: io::Error| {
            let name = names.first().cloned().unwrap_or_default();
            ClusterError::Input(format!("process 0 cannot listen at {name}: {error}"))
        };
        let listener = TcpListener::bind(addresses).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        Ok(Self { listener, token, terms, names })
    }

    /// The address at which it listens.
    ///
    /// # Errors
    /// If the machine does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits until all processes have joined; then nothing listens any more. `is_cancelled` ends the
    /// waiting.
    ///
    /// # Errors
    /// If a process is missing after some seconds, with all that is known about the reason.
    pub fn accept(self, is_cancelled: impl Fn() -> bool) -> Result<Star, ClusterError> {
        let Self { listener, token, terms, names } = self;
        let processes = terms.processes;
        let taken = Arc::new(Mutex::new(vec![false; processes]));
        let shared = Arc::new((token, terms));
        let (give, joined) = mpsc::channel::<Result<(u32, TcpStream), String>>();
        let mut connections: Vec<Option<Connection>> = (0..processes).map(|_| None).collect();
        let mut refusals: Vec<String> = Vec::new();
        let (deadline, mut handshakes) = (Instant::now() + JOINING, 0_usize);
        let mut beaten = Instant::now();
        while connections.iter().skip(1).any(Option::is_none) {
            if beaten.elapsed() >= HEARTBEAT {
                beaten = Instant::now();
                // A process that has ended is noticed when all have joined.
                connections.iter().flatten().for_each(|connection| _ = connection.beat());
            }
            if Instant::now() >= deadline || is_cancelled() {
                return Err(missing(&connections, &names, &refusals, is_cancelled()));
            }
            match listener.accept() {
                Ok((stream, address)) if handshakes < MOST_HANDSHAKES => {
                    handshakes += 1;
                    let (give, taken) = (give.clone(), Arc::clone(&taken));
                    let shared = Arc::clone(&shared);
                    let shake = move || {
                        // Whether the receiver still waits does not matter.
                        let _ = give.send(shake_hands(stream, address, &shared, &taken));
                    };
                    let _ = thread::Builder::new().name("handshake".into()).spawn(shake);
                }
                Ok(_) => {}
                Err(_) => thread::sleep(LOOK),
            }
            for shaken in joined.try_iter() {
                handshakes = handshakes.saturating_sub(1);
                match shaken {
                    Ok((process, stream)) => {
                        let lost = |error: io::Error| ClusterError::Lost(error.to_string());
                        connections[process as usize] =
                            Some(Connection::new(stream).map_err(lost)?);
                    }
                    Err(refusal) => refusals.push(refusal),
                }
            }
        }
        drop(listener);
        Star::new(Place { process: 0, processes }, connections, names)
    }
}

/// Shakes hands with a process that wants to join.
fn shake_hands(
    mut stream: TcpStream,
    address: SocketAddr,
    shared: &(Token, Terms),
    taken: &Mutex<Vec<bool>>,
) -> Result<(u32, TcpStream), String> {
    let (token, terms) = shared;
    let take = |member: u32| {
        let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(member as usize) {
            Some(is_taken) if member > 0 && !*is_taken => {
                *is_taken = true;
                Ok(())
            }
            Some(_) if member > 0 => Err(format!("process {member} has joined already")),
            _ => Err(format!("there is no process {member} to join")),
        }
    };
    let shaken = stream.set_nonblocking(false).map_err(Refused::from);
    match shaken.and_then(|()| welcome(&mut stream, token, terms, take)) {
        Ok(member) => Ok((member, stream)),
        Err(Refused::Token) => Err(format!("a connection from {address} has another token")),
        Err(Refused::Terms(refusal)) => Err(refusal),
        Err(Refused::Broken(_)) => {
            Err(format!("a connection from {address} is no process of this search"))
        }
    }
}

fn missing(
    connections: &[Option<Connection>],
    names: &[String],
    refusals: &[String],
    is_cancelled: bool,
) -> ClusterError {
    let missing: Vec<String> = connections
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, connection)| connection.is_none())
        .map(|(process, _)| named(names, process))
        .collect();
    let mut text = match is_cancelled {
        true => "cancelled before all processes had joined".to_owned(),
        false => format!("not joined within {} s: {}", JOINING.as_secs(), missing.join(", ")),
    };
    // Garbage on the port must not fill the terminal.
    for refusal in refusals.iter().rev().take(3) {
        text.push_str(&format!("; {refusal}"));
    }
    ClusterError::Lost(text)
}

fn named(names: &[String], process: usize) -> String {
    match names.get(process).filter(|name| !name.is_empty()) {
        Some(name) => format!("process {process} ({name})"),
        None => format!("process {process}"),
    }
}

/// The connections of a process with the others of a search.
pub struct Star {
    place: Place,
    /// By process. The first one is connected with all, the others with the first one.
    connections: Arc<Vec<Option<Connection>>>,
    /// By process, the messages that have come from it.
    inboxes: Vec<Mutex<Receiver<Incoming>>>,
    names: Vec<String>,
    failure: Mutex<Option<String>>,
    has_ended: Arc<AtomicBool>,
}

/// The content of the next message, or the reason why the connection has ended.
type Incoming = Result<Vec<u8>, Ended>;

impl fmt::Debug for Star {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Star").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Star {
    fn new(
        place: Place,
        connections: Vec<Option<Connection>>,
        names: Vec<String>,
    ) -> Result<Self, ClusterError> {
        let (connections, has_ended) = (Arc::new(connections), Arc::new(AtomicBool::new(false)));
        let (outlets, inboxes): (Vec<_>, Vec<_>) =
            (0..place.processes).map(|_| mpsc::channel()).unzip();
        let start = || -> io::Result<()> {
            for (process, connection) in connections.iter().enumerate() {
                let Some(connection) = connection else { continue };
                match place.process {
                    0 => {
                        let (outlet, others) = (outlets[process].clone(), Arc::clone(&connections));
                        let process = process as u32;
                        connection
                            .listen(move |one| take_or_pass_on(one, process, &outlet, &others))?;
                    }
                    _ => {
                        let outlets = outlets.clone();
                        connection.listen(move |one| take(one, &outlets))?;
                    }
                }
            }
            let (connections, has_ended) = (Arc::clone(&connections), Arc::clone(&has_ended));
            let beat = move || {
                while !has_ended.load(Ordering::Relaxed) {
                    // A connection that is broken is noticed where messages are received.
                    connections.iter().flatten().for_each(|connection| _ = connection.beat());
                    thread::park_timeout(HEARTBEAT);
                }
            };
            thread::Builder::new().name("heartbeat".into()).spawn(beat).map(drop)
        };
        start().map_err(|error| ClusterError::Lost(format!("a thread cannot start: {error}")))?;
        let inboxes = inboxes.into_iter().map(Mutex::new).collect();
        Ok(Self { place, connections, inboxes, names, failure: Mutex::new(None), has_ended })
    }

    /// Joins the search of the first process, which listens at one of these addresses or will soon.
    ///
    /// # Errors
    /// If it cannot be reached within some seconds, has another token, or refuses.
    pub fn join(
        addresses: &[SocketAddr],
        process: usize,
        token: &Token,
        terms: &Terms,
        names: Vec<String>,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Self, ClusterError> {
        let deadline = Instant::now() + JOINING;
        let first = named(&names, 0);
        loop {
            match attempt(addresses, process, token, terms) {
                Ok(stream) => {
                    let lost = |error: io::Error| ClusterError::Lost(error.to_string());
                    let mut connections: Vec<Option<Connection>> =
                        (0..terms.processes).map(|_| None).collect();
                    connections[0] = Some(Connection::new(stream).map_err(lost)?);
                    let place = Place { process, processes: terms.processes };
                    return Self::new(place, connections, names);
                }
                Err(Refused::Token) => {
                    return Err(ClusterError::Input(format!("{first} has another token")));
                }
                Err(Refused::Terms(refusal)) => {
                    return Err(ClusterError::Input(format!(
                        "{first} refuses this one: {refusal}"
                    )));
                }
                Err(Refused::Broken(error)) if Instant::now() >= deadline || is_cancelled() => {
                    return Err(ClusterError::Lost(format!("{first} cannot be reached: {error}")));
                }
                Err(Refused::Broken(_)) => thread::sleep(RETRY),
            }
        }
    }

    /// The reason for which the search cannot continue, if a process is lost.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the search everywhere, because `process` is lost.
    fn fail(&self, process: usize, why: &Ended) -> StopReason {
        let name = named(&self.names, process);
        let text = match why {
            Ended::Closed => format!("{name} has ended"),
            Ended::Silent => format!("{name} gave no sign of life for {} s", SILENCE.as_secs()),
            Ended::Farewell(why) => why.clone(),
            Ended::Broken(why) => format!("{name} cannot be understood: {why}"),
        };
        // The lost one does not listen, and writing to it may block.
        let others = self.connections.iter().enumerate().filter(|(other, _)| *other != process);
        for connection in others.filter_map(|(_, connection)| connection.as_ref()) {
            connection.say_farewell(&text);
        }
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
        StopReason::Cancelled
    }

    /// The connection over which a process is reached, and the process at its other end.
    fn way_to(&self, process: usize) -> Option<(&Connection, usize)> {
        let next = if self.place.process == 0 { process } else { 0 };
        self.connections.get(next)?.as_ref().map(|connection| (connection, next))
    }
}

/// Takes a message of `process` to the first process, or passes it on to another one.
fn take_or_pass_on(
    message: Result<Message, Ended>,
    process: u32,
    outlet: &Sender<Incoming>,
    others: &[Option<Connection>],
) {
    match message {
        Ok(Message { process: 0, content }) => _ = outlet.send(Ok(content)),
        Ok(Message { process: to, content }) => {
            if let Some(Some(other)) = others.get(to as usize).filter(|_| to != process) {
                // If it is lost, its own connection ends.
                let _ = other.send(process, &content);
            }
        }
        Err(why) => _ = outlet.send(Err(why)),
    }
}

/// Takes a message that the first process has sent or passed on.
fn take(message: Result<Message, Ended>, outlets: &[Sender<Incoming>]) {
    match message {
        Ok(Message { process, content }) => {
            if let Some(outlet) = outlets.get(process as usize) {
                let _ = outlet.send(Ok(content));
            }
        }
        Err(why) => outlets.iter().for_each(|outlet| _ = outlet.send(Err(why.clone()))),
    }
}

/// An attempt to join.
fn attempt(
    addresses: &[SocketAddr],
    process: usize,
    token: &Token,
    terms: &Terms,
) -> Result<TcpStream, Refused> {
    let mut last = io::Error::other("it has no address");
    for address in addresses {
        match TcpStream::connect_timeout(address, Duration::from_secs(2)) {
            Ok(mut stream) => {
                join(&mut stream, process as u32, token, terms)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(Refused::Broken(last))
}

impl Network for Star {
    fn place(&self) -> Place {
        self.place
    }

    fn send(&self, messages: Vec<Vec<u8>>) -> Result<(), StopReason> {
        for (process, message) in messages.iter().enumerate() {
            let way = self.way_to(process).filter(|_| process != self.place.process);
            let Some((connection, next)) = way else { continue };
            // The first process tells the others who is the sender.
            let named = if self.place.process == 0 { 0 } else { process as u32 };
            if let Err(why) = connection.send(named, message) {
                // It may have said why it has ended.
                let inbox = self.inboxes[next].lock().unwrap_or_else(PoisonError::into_inner);
                let mut last = std::iter::from_fn(|| inbox.recv_timeout(HEARTBEAT).ok());
                let said = last.find_map(Result::err);
                let why = said.filter(|said| matches!(said, Ended::Farewell(_))).unwrap_or(why);
                return Err(self.fail(next, &why));
            }
        }
        Ok(())
    }

    fn receive(&self) -> Result<Vec<Vec<u8>>, StopReason> {
        let mut received = Vec::new();
        for (process, inbox) in self.inboxes.iter().enumerate() {
            received.push(if process == self.place.process {
                Vec::new()
            } else {
                let inbox = inbox.lock().unwrap_or_else(PoisonError::into_inner);
                let lost = if self.place.process == 0 { process } else { 0 };
                let next = inbox.recv().unwrap_or(Err(Ended::Closed));
                next.map_err(|why| self.fail(lost, &why))?
            });
        }
        Ok(received)
    }
}

impl Drop for Star {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.connections.iter().flatten().for_each(Connection::close);
    }
}

#[cfg(test)]
mod tests;
