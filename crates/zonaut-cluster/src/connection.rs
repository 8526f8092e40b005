//! A connection to another process: whole messages, and signs of life between them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::star::SILENCE;

/// The kinds of frames. Each has its kind, its length in eight bytes, and its content.
const HEARTBEAT: u8 = 0;
const MESSAGE: u8 = 1;
/// The sender ends because of the reason in the frame.
const FAREWELL: u8 = 2;

/// The greatest length of a message that is read, in bytes.
const MOST_BYTES: u64 = 1 << 40;
/// The number of bytes for which memory is reserved before they arrive.
const CHUNK: u64 = 1 << 20;

/// The reason for which a connection has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// The other process has closed it, or has died.
    Closed,
    /// There was no sign of life for some seconds.
    Silent,
    /// The other process said why it ends.
    Farewell(String),
    /// Something else.
    Broken(String),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{
            BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof, WouldBlock,
        };
        match error.kind() {
            UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => Self::Closed,
            WouldBlock | TimedOut => Self::Silent,
            _ => Self::Broken(error.to_string()),
        }
    }
}

/// A connection to another process, which has shaken hands.
#[derive(Debug)]
pub(crate) struct Connection {
    writer: Mutex<TcpStream>,
    messages: Mutex<Receiver<Result<Vec<u8>, Ended>>>,
}

impl Connection {
    /// Starts to read messages.
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let mut reader = stream.try_clone()?;
        let (give, messages) = mpsc::channel();
        let read = move || loop {
            let message = read_message(&mut reader);
            let is_last = message.is_err();
            if give.send(message).is_err() || is_last {
                return;
            }
        };
        thread::Builder::new().name("connection".into()).spawn(read)?;
        Ok(Self { writer: Mutex::new(stream), messages: Mutex::new(messages) })
    }

    fn write(&self, kind: u8, content: &[u8]) -> Result<(), Ended> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut header = [kind; 9];
        header[1..].copy_from_slice(&(content.len() as u64).to_le_bytes());
        writer.write_all(&header)?;
        writer.write_all(content)?;
        Ok(())
    }

    /// Sends a message.
    pub(crate) fn send(&self, message: &[u8]) -> Result<(), Ended> {
        self.write(MESSAGE, message)
    }

    /// Sends a sign of life.
    pub(crate) fn beat(&self) -> Result<(), Ended> {
        self.write(HEARTBEAT, &[])
    }

    /// Says why this process ends. Whether it arrives does not matter.
    pub(crate) fn say_farewell(&self, why: &str) {
        let _ = self.write(FAREWELL, why.as_bytes());
    }

    /// The next message. It waits as long as there are signs of life.
    pub(crate) fn receive(&self) -> Result<Vec<u8>, Ended> {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.recv().unwrap_or(Err(Ended::Closed))
    }

    /// Ends the connection, and with it the thread that reads.
    pub(crate) fn close(&self) {
        if let Ok(writer) = self.writer.try_lock() {
            let _ = writer.shutdown(Shutdown::Both);
        }
    }
}

/// Reads the next message; signs of life before it only count as such.
fn read_message(reader: &mut TcpStream) -> Result<Vec<u8>, Ended> {
    loop {
        let mut header = [0; 9];
        reader.read_exact(&mut header)?;
        let [kind, len @ ..] = header;
        let len = u64::from_le_bytes(len);
        match kind {
            HEARTBEAT if len == 0 => {}
            MESSAGE if len <= MOST_BYTES => return read_content(reader, len),
            FAREWELL if len <= CHUNK => {
                let why = read_content(reader, len)?;
                return Err(Ended::Farewell(String::from_utf8_lossy(&why).into_owned()));
            }
            _ => return Err(Ended::Broken("it sends something else than messages".to_owned())),
        }
    }
}

fn read_content(reader: &mut TcpStream, len: u64) -> Result<Vec<u8>, Ended> {
    let mut content = Vec::new();
    let mut left = len;
    while left > 0 {
        let next = left.min(CHUNK);
        content
            .try_reserve(next as usize)
            .map_err(|_| Ended::Broken("out of memory".to_owned()))?;
        let start = content.len();
        content.resize(start + next as usize, 0);
        reader.read_exact(&mut content[start..])?;
        left -= next;
    }
    Ok(content)
}
