//! An interactive explorer of one model in a web browser, served on the loopback address only.
//!
//! A [`Server`] listens on a free port of the loopback address. Its page shows the automata, the
//! enabled transitions and why others are disabled, the run so far, the zone of two clocks and the
//! graph of states; it runs queries and steps through their witnesses and counterexamples. The page
//! sends indices of choices, texts of formulas and texts of labels, and never a file path: the
//! server reads no file besides the given model and its queries, which it reads again when they
//! change, and writes none besides the model, when a change is saved. Answers are certified: their
//! certificates are temporary files.
//!
//! Access is restricted: requests need the secret token that is part of the address after its `#`,
//! which browsers never send by themselves, must name this server as their host, and must not come
//! from a page of another origin. Requests have limits on their size, their time and their number.
//! A search is cancelled when its page disconnects.
//!
//! The protocol is the part of HTTP/1.1 that this page needs: one request for each connection, with
//! a length; everything else is refused.

mod ask;
mod edit;
mod explorer;
mod graph;
mod guard;
mod page;
mod request;
mod response;
mod source_edit;
mod watch;

pub use watch::FileStamps;

use explorer::Explorer;
use guard::{Guard, Refusal};
use request::{Request, RequestError};
use response::Response;
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use watch::Display;
use zonaut_certification::Certifier;
use zonaut_engine::{LoadOptions, Loaded, QuerySource, Resources};

/// Maximum number of concurrent requests.
const MOST_CONNECTIONS: usize = 16;
/// Maximum time for a client to send its request, or to receive its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Period of checks for the end of the server while no client connects.
const PERIOD: Duration = Duration::from_millis(20);
/// The stack size of a thread that answers: formulas are evaluated recursively. Only the used part
/// of it takes memory.
const STACK_BYTES: usize = 256 << 20;

/// The model that a server shows, and the limits of its searches.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The model.
    pub loaded: Loaded,
    /// The options it was read with: formulas are read with the same options.
    pub options: LoadOptions,
    /// The limits of each query. The server has a cancellation of its own for each of them.
    pub resources: Resources,
    /// The certifier of answers.
    pub certifier: Certifier,
    /// The files it was read from, which are read again when they change.
    pub watched: Option<Watched>,
}

/// The files of a model.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The model.
    pub model: PathBuf,
    /// The origin of its queries.
    pub queries: QuerySource,
}

/// A server that is bound to a port and can be [run](Server::run).
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// The data that all connections share.
struct Shared {
    guard: Guard,
    display: Display,
    connections: AtomicUsize,
    /// Set when the server stops: searches are cancelled.
    ended: AtomicBool,
}

impl Server {
    /// A server on a free port of the loopback address.
    ///
    /// # Errors
    /// Fails if no port or no randomness is available, or if the model has errors.
    pub fn bind(subject: Subject) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let guard = Guard::new(listener.local_addr()?.port())?;
        let explorer = Explorer::new(subject)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the model has errors"))?;
        let (connections, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
        let display = Display::new(explorer);
        Ok(Self { listener, shared: Arc::new(Shared { guard, display, connections, ended }) })
    }

    /// The address of the page, with the token.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.guard.url()
    }

    /// Answers requests until `ended` is set.
    ///
    /// # Errors
    /// Fails if connections cannot be accepted any more.
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

    /// Answers one connection on a separate thread. If there are too many, or no thread is
    /// available, the connection is closed.
    fn answer(&self, stream: TcpStream) {
        let before = self.shared.connections.fetch_add(1, Ordering::Relaxed);
        let permit = ConnectionPermit(Arc::clone(&self.shared));
        if before >= MOST_CONNECTIONS {
            return;
        }
        let builder = thread::Builder::new().name("explorer".into()).stack_size(STACK_BYTES);
        // If the thread cannot be started, the connection is closed, which informs the client.
        let _ = builder.spawn(move || {
            // If a connection breaks, there is no client to inform.
            let _ = converse(&permit.0, &stream);
        });
    }
}

/// A permit for a connection, released when it is dropped.
struct ConnectionPermit(Arc<Shared>);

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let end = Instant::now() + PATIENCE;
    let request = match Request::read(DeadlineReader { stream, end }) {
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

/// A connection with a deadline for reading, independent of the number of reads.
struct DeadlineReader<'s> {
    stream: &'s TcpStream,
    end: Instant,
}

impl Read for DeadlineReader<'_> {
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
    let explorer = &*shared.display.current();
    let response = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => page::page(),
        ("POST", "/api/model") => Response::json(&explorer.model()),
        ("POST", "/api/state") => explorer.state(&request.body),
        ("POST", "/api/graph") => graph::graph(explorer, &request.body),
        ("POST", "/api/path") => graph::path_to_node(explorer, &request.body),
        ("POST", "/api/watch") => shared.display.watch(),
        ("POST", "/api/follow") => shared.display.follow(&request.body),
        ("POST", "/api/open") => explorer.open(&request.body),
        ("POST", "/api/source") => explorer.source_text(),
        ("POST", "/api/labels") => explorer.labels_of(&request.body),
        ("POST", "/api/drawing") => explorer.drawing(&request.body),
        ("POST", "/api/edit") => explorer.edit(&request.body),
        ("POST", "/api/save") => explorer.save(&request.body),
        ("POST", "/api/ask") => return ask::answer(explorer, request, stream, &shared.ended),
        _ => Response::plain(404, "not found"),
    };
    response.write(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_slow_client_is_disconnected() {
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
        let read = Request::read(DeadlineReader { stream: &server, end });
        assert!(matches!(read, Err(RequestError::Io(_))), "{read:?}");
        drop(server);
        slow.join().expect("no panic");
    }
}
