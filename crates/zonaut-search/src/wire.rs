//! Numbers, steps and payloads as bytes, for messages and files.
//!
//! Everything that is read is checked against the length of the bytes, and nothing is allocated for
//! more elements than the bytes can hold.

/// Bytes that do not have the expected form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bytes do not have the expected form")
    }
}

impl std::error::Error for Malformed {}

/// The form of steps and payloads outside the process.
///
/// Law: a process with the same model and options reads what another one has written.
pub trait Codec<Step, Item>: Sync {
    /// The number of a step in this process, which is less than the number of its steps.
    fn step_number(&self, step: Step) -> u32;
    /// Appends a step.
    fn write_step(&self, step: Step, to: &mut Vec<u8>);
    /// Reads a step.
    ///
    /// # Errors
    /// If the bytes are not a step of the model.
    fn read_step(&self, from: &mut Bytes<'_>) -> Result<Step, Malformed>;
    /// Appends a payload without its length.
    fn write_payload(&self, payload: &[Item], to: &mut Vec<u8>);
    /// Reads a payload of this many elements over `into`.
    ///
    /// # Errors
    /// If the bytes are not such a payload.
    fn read_payload(
        &self,
        len: usize,
        from: &mut Bytes<'_>,
        into: &mut Vec<Item>,
    ) -> Result<(), Malformed>;
}

/// Bytes that are read from their beginning.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    /// All of these bytes.
    #[must_use]
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all bytes are read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn take(&mut self, len: usize) -> Result<&'b [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    /// A number of one byte.
    ///
    /// # Errors
    /// At the end of the bytes.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    /// A number of four bytes.
    ///
    /// # Errors
    /// At the end of the bytes.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// A number of eight bytes.
    ///
    /// # Errors
    /// At the end of the bytes.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of elements, each of which takes at least `least` bytes of the rest.
    ///
    /// # Errors
    /// If the rest is too short for them.
    pub fn count(&mut self, least: usize) -> Result<usize, Malformed> {
        let count = usize::try_from(self.u64()?).map_err(|_| Malformed)?;
        match count.checked_mul(least.max(1)) {
            Some(bytes) if bytes <= self.0.len() => Ok(count),
            _ => Err(Malformed),
        }
    }

    /// Bytes with their length before them.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn blob(&mut self) -> Result<&'b [u8], Malformed> {
        let len = self.count(1)?;
        self.take(len)
    }
}

/// Appends a number of four bytes.
pub fn put_u32(to: &mut Vec<u8>, number: u32) {
    to.extend_from_slice(&number.to_le_bytes());
}

/// Appends a number of eight bytes.
pub fn put_u64(to: &mut Vec<u8>, number: u64) {
    to.extend_from_slice(&number.to_le_bytes());
}

/// Appends bytes with their length before them.
pub fn put_blob(to: &mut Vec<u8>, bytes: &[u8]) {
    put_u64(to, bytes.len() as u64);
    to.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_blobs_are_read_back_and_ends_are_noticed() {
        let mut bytes = vec![7];
        put_u32(&mut bytes, 0xdead_beef);
        put_u64(&mut bytes, u64::MAX - 1);
        put_blob(&mut bytes, b"zone");
        let mut read = Bytes::new(&bytes);
        assert_eq!((read.u8(), read.u32()), (Ok(7), Ok(0xdead_beef)));
        assert_eq!((read.u64(), read.blob()), (Ok(u64::MAX - 1), Ok(&b"zone"[..])));
        assert!(read.is_empty());
        assert_eq!(read.u8(), Err(Malformed));
        // A length beyond the end is refused before anything is allocated.
        let mut long = Vec::new();
        put_u64(&mut long, u64::MAX);
        assert_eq!(Bytes::new(&long).blob(), Err(Malformed));
        assert_eq!(Bytes::new(&long).count(usize::MAX), Err(Malformed));
    }
}
