//! The handshake: both sides prove that they know the token, and compare their terms.
//!
//! | from | content |
//! |---|---|
//! | member | magic, its number, nonce |
//! | first process | magic, nonce, proof |
//! | member | proof, terms |
//! | first process | empty, or the reason of a refusal |
//!
//! A proof is an HMAC over the role, the number of the member and both nonces, so that none can be
//! repeated or sent back. The first process proves itself first, and learns nothing about the member's
//! terms otherwise.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::token::{PROOF_BYTES, Token, random_bytes};

/// The beginning of every conversation, with the version of the protocol.
const MAGIC: &[u8; 8] = b"zonaut-1";
/// The time in which an unauthenticated connection has to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The greatest length of terms and refusals, in bytes.
const MOST_TEXT: u32 = 1 << 16;

/// The facts that all processes of a search have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    /// The version of the program.
    pub version: String,
    /// The digest of the model and the query.
    pub digest: String,
    /// The options that matter.
    pub options: String,
    /// The number of processes.
    pub processes: usize,
}

impl Terms {
    fn text(&self) -> String {
        let Self { version, digest, options, processes } = self;
        format!("{version}\n{digest}\n{processes}\n{options}")
    }

    /// The difference to the terms of another process, if there is one.
    fn difference(&self, text: &str) -> Option<String> {
        let mut lines = text.splitn(4, '\n');
        let mut line = || lines.next().unwrap_or_default();
        let (version, digest, processes, options) = (line(), line(), line(), line());
        if version != self.version {
            return Some(format!("it has version {version}, and process 0 has {}", self.version));
        }
        if digest != self.digest {
            return Some("its model or query differs from that of process 0".to_owned());
        }
        if processes != self.processes.to_string() {
            let here = self.processes;
            return Some(format!("it expects {processes} processes, and process 0 expects {here}"));
        }
        let differs = options != self.options;
        differs.then(|| format!("its options `{options}` differ from `{}`", self.options))
    }
}

/// The end of a handshake that failed.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The connection broke, or something else than a process of a search is at its end.
    Broken(io::Error),
    /// The other side does not know the token.
    Token,
    /// The first process refuses the member.
    Terms(String),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

fn read<const N: usize>(stream: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_text(stream: &mut TcpStream) -> io::Result<String> {
    let len = u32::from_le_bytes(read(stream)?);
    if len > MOST_TEXT {
        return Err(io::Error::other("a text is too long"));
    }
    let mut bytes = vec![0; len as usize];
    stream.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn write_text(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    let bytes = &text.as_bytes()[..text.len().min(MOST_TEXT as usize)];
    // One packet: the rest of a second one would wait until the other side confirms the first.
    stream.write_all(&[&(bytes.len() as u32).to_le_bytes(), bytes].concat())
}

/// The bytes of the roles in proofs.
const FIRST: &[u8] = b"first process";
const MEMBER: &[u8] = b"member";

/// The handshake of a member with the first process.
pub(crate) fn join(
    stream: &mut TcpStream,
    member: u32,
    token: &Token,
    terms: &Terms,
) -> Result<(), Refused> {
    stream.set_read_timeout(Some(PATIENCE * 4))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (number, nonce) = (member.to_le_bytes(), random_bytes()?);
    stream.write_all(&[&MAGIC[..], &number, &nonce].concat())?;
    if read::<8>(stream)? != *MAGIC {
        return Err(io::Error::other("it is no process of a search").into());
    }
    let theirs = read::<PROOF_BYTES>(stream)?;
    let proof = read::<PROOF_BYTES>(stream)?;
    if !token.is_proof(&[FIRST, &number, &nonce, &theirs], &proof) {
        return Err(Refused::Token);
    }
    stream.set_nodelay(true)?;
    stream.write_all(&token.proof(&[MEMBER, &number, &nonce, &theirs]))?;
    write_text(stream, &terms.text())?;
    match read_text(stream)? {
        refusal if refusal.is_empty() => Ok(()),
        refusal => Err(Refused::Terms(refusal)),
    }
}

/// The handshake of the first process with a member, whose number it returns. `take` is asked whether
/// the member with this number may join.
pub(crate) fn welcome(
    stream: &mut TcpStream,
    token: &Token,
    terms: &Terms,
    take: impl FnOnce(u32) -> Result<(), String>,
) -> Result<u32, Refused> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    if read::<8>(stream)? != *MAGIC {
        return Err(io::Error::other("it is no process of a search").into());
    }
    let number = read::<4>(stream)?;
    let theirs = read::<PROOF_BYTES>(stream)?;
    let nonce = random_bytes()?;
    let proof = token.proof(&[FIRST, &number, &theirs, &nonce]);
    stream.write_all(&[&MAGIC[..], &nonce, &proof].concat())?;
    let proof = read::<PROOF_BYTES>(stream)?;
    if !token.is_proof(&[MEMBER, &number, &theirs, &nonce], &proof) {
        return Err(Refused::Token);
    }
    let member = u32::from_le_bytes(number);
    let refusal = match terms.difference(&read_text(stream)?) {
        Some(difference) => Some(difference),
        None => take(member).err(),
    };
    write_text(stream, refusal.as_deref().unwrap_or_default())?;
    match refusal {
        None => Ok(member),
        Some(refusal) => Err(Refused::Terms(format!("process {member} was refused: {refusal}"))),
    }
}
