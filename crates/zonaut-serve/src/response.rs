//! Responses, with the headers that restrict what a browser may do with them.

use serde::Serialize;
use std::io::{self, Write};

/// An answer of known length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Response {
    status: u16,
    kind: &'static str,
    /// The content security policy.
    policy: String,
    body: Vec<u8>,
}

/// The policy of responses that are not pages.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

impl Response {
    /// A short text, such as a refusal.
    pub(crate) fn plain(status: u16, text: &str) -> Self {
        let body = format!("{text}\n").into_bytes();
        Self { status, kind: "text/plain; charset=utf-8", policy: NOTHING.to_owned(), body }
    }

    /// A page with this policy.
    pub(crate) fn page(html: String, policy: String) -> Self {
        let kind = "text/html; charset=utf-8";
        Self { status: 200, kind, policy, body: html.into_bytes() }
    }

    /// A text to be saved and not shown.
    pub(crate) fn text(body: String) -> Self {
        let kind = "text/plain; charset=utf-8";
        Self { status: 200, kind, policy: NOTHING.to_owned(), body: body.into_bytes() }
    }

    pub(crate) fn json(record: &impl Serialize) -> Self {
        match serde_json::to_vec(record) {
            Ok(body) => {
                let kind = "application/json";
                Self { status: 200, kind, policy: NOTHING.to_owned(), body }
            }
            Err(_) => Self::plain(500, "the response cannot be serialised"),
        }
    }

    pub(crate) fn write(&self, to: impl Write) -> io::Result<()> {
        let length = Some(self.body.len());
        let mut to = begin(to, self.status, self.kind, &self.policy, length)?;
        to.write_all(&self.body)?;
        to.flush()
    }
}

/// Begins a response that ends with the connection.
pub(crate) fn begin_lines(to: impl Write) -> io::Result<impl Write> {
    begin(to, 200, "application/x-ndjson", NOTHING, None)
}

fn begin<W: Write>(
    mut to: W,
    status: u16,
    kind: &str,
    policy: &str,
    length: Option<usize>,
) -> io::Result<W> {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        _ => "Error",
    };
    let mut head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nContent-Security-Policy: {policy}\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n"
    );
    if let Some(length) = length {
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    head.push_str("\r\n");
    to.write_all(head.as_bytes())?;
    Ok(to)
}
