//! Messages over byte streams: a header with the length, and a body in JSON.
//!
//! A body that is no message is reported to the client and skipped. A damaged header ends the
//! connection, because the start of the next message is unknown then.

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, Message, Notification};
use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

/// The longest line of a header, in bytes.
const MOST_HEADER_BYTES: u64 = 4096;
/// The largest body, in bytes.
const MOST_BODY_BYTES: usize = 256 << 20;

/// A message of the stream, or the reason why a body is none.
type Received = Result<Message, String>;

/// A connection to a client over byte streams, and the threads that serve it.
pub(crate) struct Streams {
    pub(crate) connection: Connection,
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Streams {
    /// Starts to read from `input` and to write to `output`.
    pub(crate) fn start(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (to_client, outgoing) = unbounded();
        let (to_server, incoming) = unbounded();
        let complaints = to_client.clone();
        let reader = thread::Builder::new()
            .name("editor input".into())
            .spawn(move || read_all(input, &to_server, &complaints))?;
        let writer = thread::Builder::new()
            .name("editor output".into())
            .spawn(move || write_all(output, &outgoing))?;
        let connection = Connection { sender: to_client, receiver: incoming };
        Ok(Self { connection, reader, writer })
    }

    /// Waits until everything is written. The input may still be open: its thread ends with the
    /// process.
    pub(crate) fn finish(self) -> io::Result<()> {
        let Self { connection, reader, writer } = self;
        drop(connection);
        if !reader.is_finished() {
            return Ok(());
        }
        let broken = |_| io::Error::other("a thread of the connection panicked");
        let read = reader.join().map_err(broken)?;
        writer.join().map_err(broken)?.and(read)
    }
}

fn read_all(
    mut input: impl BufRead,
    messages: &Sender<Message>,
    complaints: &Sender<Message>,
) -> io::Result<()> {
    while let Some(received) = read(&mut input)? {
        match received {
            Ok(message) => {
                let is_last = matches!(&message, Message::Notification(it) if it.method == "exit");
                if messages.send(message).is_err() || is_last {
                    break;
                }
            }
            Err(reason) => {
                let message = format!("a message was ignored: {reason}");
                let params = serde_json::json!({ "type": 1, "message": message });
                let complaint = Notification::new("window/logMessage".to_owned(), params);
                if complaints.send(complaint.into()).is_err() {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// The next message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Received>> {
    let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let count = input.by_ref().take(MOST_HEADER_BYTES).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(None);
        }
        let line = String::from_utf8(line).map_err(|_| damaged("a header is not text"))?;
        let Some(line) = line.strip_suffix('\n') else {
            return Err(damaged("a header has no end"));
        };
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| damaged("a header has no colon"))?;
        if name.eq_ignore_ascii_case("content-length") {
            let number = value.trim().parse::<usize>().ok();
            length = number.filter(|length| *length <= MOST_BODY_BYTES);
            if length.is_none() {
                return Err(damaged("the length of a message is no number, or too large"));
            }
        }
    }
    let length = length.ok_or_else(|| damaged("a message has no length"))?;
    let mut body = Vec::new();
    if input.by_ref().take(length as u64).read_to_end(&mut body)? < length {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&body).map_err(|error| error.to_string())))
}

fn write_all(mut output: impl Write, messages: &Receiver<Message>) -> io::Result<()> {
    for message in messages {
        message.write(&mut output)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        let shown = match read(&mut input.as_bytes()) {
            Ok(None) => "end".to_owned(),
            Ok(Some(Ok(Message::Notification(it)))) => it.method,
            Ok(Some(Ok(_))) => "message".to_owned(),
            Ok(Some(Err(_))) => "skipped".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{input:?}");
    }

    #[test]
    fn damaged_streams_are_recognised() {
        check("", "end");
        check("Content-Length: 14\r\n\r\n{\"method\":\"a\"}", "a");
        check("content-length:14\nX: y\n\n{\"method\":\"a\"}", "a");
        check("Content-Length: 5\r\n\r\n{bad}", "skipped");
        check("Content-Length: 3\r\n\r\n\u{fffd}", "skipped");
        check("Content-Length: 9\r\n\r\n{}", "end");
        check("X: y\r\n\r\n", "a message has no length");
        check("rubbish\r\n", "a header has no colon");
        check("rubbish", "a header has no end");
        check(
            "Content-Length: 99999999999999\r\n\r\n",
            "the length of a message is no number, or too large",
        );
    }
}
