//! An explorer of one model in a browser, served by this process to this machine alone.
//!
//! A [`Server`] listens on a free port of the loopback address. Its page shows the automata, what
//! can be taken next and why the rest cannot, the run so far, the zone of two clocks, the graph of
//! states; it asks queries and steps through the runs that answer them. The page sends numbers of choices and texts
//! of formulas, and never a path: nothing is read but the model that was given.
//!
//! Nobody else gets in: requests need the secret that is part of the address after its `#`, which
//! browsers never send by themselves, must name this server as their host, and must not come from a
//! page of another origin. Requests have limits on their size, their time and their number. A search
//! ends when the page that asked for it goes away.
//!
//! The protocol is the part of HTTP/1.1 that this page needs: one request for each connection, with
//! a length; everything else is refused.

mod ask;
mod explorer;
mod graph;
mod guard;
mod page;
mod request;
mod response;

use explorer::Explorer;
use guard::{Guard, Refusal};
use request::{Request, RequestError};
use response::Response;
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use zonaut_engine::{LoadOptions, Loaded, Resources};

/// How many requests are answered at once.
const MOST_CONNECTIONS: usize = 16;
/// How long a client may take to send its request, or to take its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the end is looked for while nobody asks anything.
const PERIOD: Duration = Duration::from_millis(20);
/// The stack of a thread that answers: formulas are evaluated part by part, each on top of the one
/// before. Only what is used of it takes memory.
const STACK_BYTES: usize = 256 << 20;

/// What a server shows, and what its searches may use.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The model.
    pub loaded: Loaded,
    /// How it was read: formulas are read in the same way.
    pub options: LoadOptions,
    /// What each query may use. The server has a cancellation of its own for each of them.
    pub resources: Resources,
}

/// A server that has a port and waits to be [run](Server::run).
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What all connections share.
struct Shared {
    guard: Guard,
    explorer: Explorer,
    connections: AtomicUsize,
    /// Set when the server ends: searches end with it.
    ended: Arc<AtomicBool>,
}

impl Server {
    /// A server on a free port of the loopback address.
    ///
    /// # Errors
    /// Where there is no port or no randomness to be had, or the model has errors.
    pub fn bind(subject: Subject) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let guard = Guard::new(listener.local_addr()?.port())?;
        let explorer = Explorer::new(subject)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the model has errors"))?;
        let (connections, ended) = (AtomicUsize::new(0), Arc::default());
        Ok(Self { listener, shared: Arc::new(Shared { guard, explorer, connections, ended }) })
    }

    /// The address of the page, with the secret.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.guard.url()
    }

    /// Answers requests until `ended` is set.
    ///
    /// # Errors
    /// Where no connections can be accepted any more.
    pub fn run(&self, ended: &AtomicBool) -> io::Result<()> {
        while !ended.load(Ordering::Relaxed) {
            match self.listener.accept() {
                Ok((stream, _)) => self.answer(stream),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PERIOD),
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => return Err(error),
            }
        }
        self.shared.ended.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Answers one connection on a thread of its own. Where there are too many, or no thread is to
    /// be had, it is closed.
    fn answer(&self, stream: TcpStream) {
        let before = self.shared.connections.fetch_add(1, Ordering::Relaxed);
        let place = Place(Arc::clone(&self.shared));
        if before >= MOST_CONNECTIONS {
            return;
        }
        let builder = thread::Builder::new().name("explorer".into()).stack_size(STACK_BYTES);
        // A closed connection says enough.
        let _ = builder.spawn(move || {
            // Nobody is left to tell where a connection breaks.
            let _ = converse(&place.0, &stream);
        });
    }
}

/// One of the places for connections, free again when this is dropped.
struct Place(Arc<Shared>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let end = Instant::now() + PATIENCE;
    let request = match Request::read(Timely { stream, end }) {
        Ok(request) => request,
        Err(RequestError::Io(error)) => return Err(error),
        Err(RequestError::Refused(status, why)) => {
            return Response::plain(status, why).write(stream);
        }
    };
    match shared.guard.admit(&request) {
        Ok(()) => route(shared, &request, stream),
        Err(Refusal { status, why }) => Response::plain(status, why).write(stream),
    }
}

/// A connection that is read until a moment, however slowly its bytes come.
struct Timely<'s> {
    stream: &'s TcpStream,
    end: Instant,
}

impl Read for Timely<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let rest = self.end.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(rest))?;
        self.stream.read(bytes)
    }
}

fn route(shared: &Shared, request: &Request, stream: &TcpStream) -> io::Result<()> {
    let explorer = &shared.explorer;
    let response = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => page::page(),
        ("POST", "/api/model") => Response::json(&explorer.model()),
        ("POST", "/api/state") => explorer.state(&request.body),
        ("POST", "/api/graph") => graph::graph(explorer),
        ("POST", "/api/way") => graph::way(explorer, &request.body),
        ("POST", "/api/save") => explorer.save(&request.body),
        ("POST", "/api/ask") => return ask::answer(explorer, request, stream, &shared.ended),
        _ => Response::plain(404, "there is nothing here"),
    };
    response.write(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_client_that_dawdles_is_not_waited_for() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut client = TcpStream::connect(address).expect("a connection");
        let (server, _) = listener.accept().expect("a connection");
        let end = Instant::now() + Duration::from_millis(200);
        let slow = thread::spawn(move || {
            // A byte now and then keeps each read short, and never ends.
            while client.write_all(b"a").is_ok() && Instant::now() < end + Duration::from_secs(5) {
                thread::sleep(Duration::from_millis(20));
            }
        });
        let read = Request::read(Timely { stream: &server, end });
        assert!(matches!(read, Err(RequestError::Io(_))), "{read:?}");
        drop(server);
        slow.join().expect("no panic");
    }
}
