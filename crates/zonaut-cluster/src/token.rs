//! The common secret of the processes of a search.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The least length of a token, in bytes.
const LEAST: usize = 16;
/// The greatest length of a token, in bytes.
const MOST: u64 = 4096;

/// The number of bytes of a nonce and of a proof.
pub(crate) const PROOF_BYTES: usize = 32;

/// A secret that the processes of a search have in common.
#[derive(Clone)]
pub struct Token(Vec<u8>);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// A random token.
    ///
    /// # Errors
    /// If the machine has no source of randomness.
    pub fn random() -> io::Result<Self> {
        Ok(Self(random_bytes()?.to_vec()))
    }

    /// The token in a file that its owner alone can read; spaces around it do not count.
    ///
    /// # Errors
    /// If the file cannot be read, others can read it, or the token is shorter than 16 bytes.
    pub fn read(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if file.metadata()?.permissions().mode() & 0o077 != 0 {
                let why = "others than its owner can read it; `chmod 600` changes that";
                return Err(io::Error::other(why));
            }
        }
        Self::from_reader(file)
    }

    /// The token that `reader` gives.
    ///
    /// # Errors
    /// If it cannot be read, or is shorter than 16 bytes.
    pub fn from_reader(reader: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        reader.take(MOST).read_to_end(&mut bytes)?;
        let token = bytes.trim_ascii().to_vec();
        match token.len() < LEAST {
            true => Err(io::Error::other(format!("a token has at least {LEAST} bytes"))),
            false => Ok(Self(token)),
        }
    }

    /// The token in hexadecimal form, for the standard input of a process.
    #[must_use]
    pub fn for_process(&self) -> (Self, String) {
        let text: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        (Self(text.as_bytes().to_vec()), text)
    }

    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.0)
            .expect("invariant: HMAC takes keys of any length");
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    /// The proof of knowing the token, for these parts of a conversation.
    pub(crate) fn proof(&self, parts: &[&[u8]]) -> [u8; PROOF_BYTES] {
        self.mac(parts).finalize().into_bytes().into()
    }

    /// Whether a proof is right, in a time that does not depend on it.
    pub(crate) fn is_proof(&self, parts: &[&[u8]], proof: &[u8]) -> bool {
        self.mac(parts).verify_slice(proof).is_ok()
    }
}

/// Random bytes for a nonce or a token.
pub(crate) fn random_bytes() -> io::Result<[u8; PROOF_BYTES]> {
    let mut bytes = [0; PROOF_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_depend_on_the_token_and_on_every_part() {
        let token = Token::from_reader(&b" 0123456789abcdef\n"[..]).expect("a token");
        let other = Token::from_reader(&b"0123456789abcdeF"[..]).expect("a token");
        let proof = token.proof(&[b"a", b"bc"]);
        assert!(token.is_proof(&[b"a", b"bc"], &proof));
        for parts in [&[&b"ab"[..], b"c"][..], &[b"a"], &[b"a", b"bd"]] {
            assert!(!token.is_proof(parts, &proof));
        }
        assert!(!other.is_proof(&[b"a", b"bc"], &proof));
        assert!(!token.is_proof(&[b"a", b"bc"], &proof[..31]));
        assert_ne!(random_bytes().expect("bytes"), random_bytes().expect("bytes"));
    }

    #[test]
    fn short_tokens_and_open_files_are_refused() {
        assert!(Token::from_reader(&b"0123456789abcde \n"[..]).is_err());
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        assert!(Token::read(&path).is_err());
        std::fs::write(&path, "0123456789abcdef").expect("a file");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let with = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode));
            with(0o640).expect("permissions");
            let refused = Token::read(&path).expect_err("others can read it").to_string();
            assert!(refused.contains("chmod 600"), "{refused}");
            with(0o600).expect("permissions");
        }
        assert!(Token::read(&path).is_ok());
    }
}
