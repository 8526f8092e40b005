//! A connection to another process: whole messages, and signs of life between them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::star::SILENCE;

/// The kinds of frames. Each has its kind, the number of a process in four bytes, its length in
/// eight bytes, and its content. The process is the receiver on the way to the first process, and the
/// sender on the way from it.
const HEARTBEAT: u8 = 0;
const MESSAGE: u8 = 1;
/// The sender ends because of the reason in the frame.
const FAREWELL: u8 = 2;

/// The number of bytes before the content of a frame.
const HEADER: usize = 13;
/// Frames with a longer content are written without copying it.
const SHORT: usize = 1 << 14;

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

/// A message, and the process that it comes from or goes to.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) process: u32,
    pub(crate) content: Vec<u8>,
}

/// A connection to another process, which has shaken hands.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    writer: Mutex<TcpStream>,
}

impl Connection {
    /// The connection over this stream.
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        Ok(Self { writer: Mutex::new(stream.try_clone()?), stream })
    }

    /// Starts a thread that reads messages and gives them away, the reason of the end last.
    pub(crate) fn listen(
        &self,
        mut give: impl FnMut(Result<Message, Ended>) + Send + 'static,
    ) -> io::Result<()> {
        let mut reader = self.stream.try_clone()?;
        let read = move || loop {
            let message = read_message(&mut reader);
            let is_last = message.is_err();
            give(message);
            if is_last {
                return;
            }
        };
        thread::Builder::new().name("connection".into()).spawn(read)?;
        Ok(())
    }

    fn write(&self, kind: u8, process: u32, content: &[u8]) -> Result<(), Ended> {
        let mut frame = Vec::with_capacity(HEADER + SHORT.min(content.len()));
        frame.push(kind);
        frame.extend(process.to_le_bytes());
        frame.extend((content.len() as u64).to_le_bytes());
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if content.len() <= SHORT {
            frame.extend(content);
            return Ok(writer.write_all(&frame)?);
        }
        writer.write_all(&frame)?;
        Ok(writer.write_all(content)?)
    }

    /// Sends a message.
    pub(crate) fn send(&self, process: u32, content: &[u8]) -> Result<(), Ended> {
        self.write(MESSAGE, process, content)
    }

    /// Sends a sign of life.
    pub(crate) fn beat(&self) -> Result<(), Ended> {
        self.write(HEARTBEAT, 0, &[])
    }

    /// Says why this process ends. Whether it arrives does not matter.
    pub(crate) fn say_farewell(&self, why: &str) {
        let _ = self.write(FAREWELL, 0, why.as_bytes());
    }

    /// Ends the connection, and with it the thread that reads.
    pub(crate) fn close(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Reads the next message; signs of life before it only count as such.
fn read_message(reader: &mut TcpStream) -> Result<Message, Ended> {
    loop {
        let mut header = [0; HEADER];
        reader.read_exact(&mut header)?;
        let [kind, a, b, c, d, len @ ..] = header;
        let (process, len) = (u32::from_le_bytes([a, b, c, d]), u64::from_le_bytes(len));
        match kind {
            HEARTBEAT if len == 0 => {}
            MESSAGE if len <= MOST_BYTES => {
                return Ok(Message { process, content: read_content(reader, len)? });
            }
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
