//! SHA-256 digests of texts and of written output.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{self, Write};
use zonaut_space::Meter;

/// The digest of `bytes`, in hexadecimal.
#[must_use]
pub fn of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(digest: &[u8]) -> String {
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A writer that hashes the bytes written through it, and meters them.
pub struct Hashed<'w> {
    out: &'w mut dyn Write,
    hash: Sha256,
    meter: &'w Meter,
}

impl<'w> Hashed<'w> {
    /// A writer to `out` that counts on `meter`.
    pub fn new(out: &'w mut dyn Write, meter: &'w Meter) -> Self {
        Self { out, hash: Sha256::new(), meter }
    }

    /// Writes the last line, which contains the digest of all lines before it.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(self) -> io::Result<()> {
        writeln!(self.out, "end sha256:{}", hexadecimal(&self.hash.finalize()))?;
        self.out.flush()
    }
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let steps = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.meter.spend(steps).map_err(|why| io::Error::other(why.to_string()))?;
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
