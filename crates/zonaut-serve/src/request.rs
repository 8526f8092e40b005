//! Requests: the head with a limit, then a body of a known length.

use std::collections::BTreeMap;
use std::io::{self, Read};

/// Maximum sizes of a head and of a body in bytes.
pub(crate) const MOST_HEAD: usize = 8 << 10;
pub(crate) const MOST_BODY: usize = 64 << 10;
/// Maximum size of a body with a source text or a trace.
const MOST_TEXT: usize = 8 << 20;

/// The maximum size of the body of a request.
fn most_body(path: &str) -> usize {
    match path {
        "/api/edit" | "/api/open" => MOST_TEXT,
        _ => MOST_BODY,
    }
}

/// A request that was read in full.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The headers by names in lower case; each occurs once.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// The reason why there is no request.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// The connection broke or timed out.
    Io(io::Error),
    /// The request is refused: the status, and the message.
    Refused(u16, &'static str),
}

impl From<io::Error> for RequestError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

const MALFORMED: RequestError = RequestError::Refused(400, "the request is malformed");

impl Request {
    /// Reads a request. Bytes after it are ignored.
    pub(crate) fn read(mut from: impl Read) -> Result<Self, RequestError> {
        let (head, mut body) = read_head(&mut from)?;
        let head = String::from_utf8(head).map_err(|_| MALFORMED)?;
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(path), Some("HTTP/1.1"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(MALFORMED);
        };
        let headers = headers(lines)?;
        if headers.contains_key("transfer-encoding") || headers.contains_key("expect") {
            return Err(RequestError::Refused(501, "a request body needs a Content-Length"));
        }
        let length = match headers.get("content-length") {
            // Digits only: no sign and no blanks.
            Some(text) if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() => {
                text.parse().unwrap_or(usize::MAX)
            }
            Some(_) => return Err(MALFORMED),
            None => 0,
        };
        if length > most_body(path) {
            return Err(RequestError::Refused(413, "the request is too large"));
        }
        body.truncate(length);
        let missing = (length - body.len()) as u64;
        from.take(missing).read_to_end(&mut body)?;
        if body.len() < length {
            return Err(MALFORMED);
        }
        Ok(Self { method: method.to_owned(), path: path.to_owned(), headers, body })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// The bytes before the empty line, and those that were read after it.
fn read_head(from: &mut impl Read) -> Result<(Vec<u8>, Vec<u8>), RequestError> {
    const END: &[u8] = b"\r\n\r\n";
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    loop {
        let count = from.read(&mut chunk)?;
        if count == 0 {
            return Err(MALFORMED);
        }
        let searched = head.len().saturating_sub(END.len());
        head.extend_from_slice(&chunk[..count]);
        let found = head[searched..].windows(END.len()).position(|window| window == END);
        if let Some(at) = found.map(|at| searched + at).filter(|&at| at <= MOST_HEAD) {
            let rest = head.split_off(at + END.len());
            head.truncate(at);
            return Ok((head, rest));
        }
        if head.len() > MOST_HEAD {
            return Err(RequestError::Refused(431, "the head of the request is too large"));
        }
    }
}

fn headers<'l>(
    lines: impl Iterator<Item = &'l str>,
) -> Result<BTreeMap<String, String>, RequestError> {
    let mut headers = BTreeMap::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(MALFORMED)?;
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        // Duplicate headers are refused: proxies and servers interpret them differently, which
        // attacks exploit.
        let value = value.trim_matches([' ', '\t']).to_owned();
        if !is_name || headers.insert(name.to_ascii_lowercase(), value).is_some() {
            return Err(MALFORMED);
        }
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, &str, &str), u16>) {
        let read = Request::read(text.as_bytes());
        let read = match &read {
            Ok(request) => {
                let body = std::str::from_utf8(&request.body).expect("text");
                Ok((request.method.as_str(), request.path.as_str(), body))
            }
            Err(RequestError::Refused(status, _)) => Err(*status),
            Err(RequestError::Io(error)) => panic!("{error}"),
        };
        assert_eq!(read, expected, "{text:?}");
    }

    #[test]
    fn requests_have_a_line_headers_and_a_body_of_a_known_length() {
        check("GET / HTTP/1.1\r\n\r\n", Ok(("GET", "/", "")));
        check("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}more", Ok(("POST", "/a", "{}")));
    }

    #[test]
    fn malformed_requests_are_refused() {
        for text in [
            "",
            "GET / HTTP/1.1\r\n",
            "GET /\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\n: nothing\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n{}",
            "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{}",
            "\u{1}\u{2}\r\n\r\n",
        ] {
            check(text, Err(400));
        }
        check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Err(501));
    }

    #[test]
    fn large_requests_are_refused_before_they_are_read() {
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(MOST_HEAD));
        check(&long, Err(431));
        let endless = "GET / HTTP/1.1\r\n".to_owned() + &"a: b\r\n".repeat(MOST_HEAD);
        check(&endless, Err(431));
        let huge = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", MOST_BODY + 1);
        check(&huge, Err(413));
        let beyond = "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n";
        check(beyond, Err(413));
    }
}
