//! Addresses of documents: `file` URIs and paths.

use std::path::{Path, PathBuf};

const SCHEME: &str = "file://";

/// The path of a `file` URI; `None` for other URIs, such as those of unsaved documents.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix(SCHEME)?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes = decoded(path.strip_prefix('/').map(|_| path)?)?;
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/models` is a path of Windows.
    let is_drive = text.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    Some(PathBuf::from(if is_drive { &text[1..] } else { &text[..] }))
}

/// The bytes that percent-encoded text stands for; `None` if it is malformed.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = tail;
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    Some(bytes)
}

/// The `file` URI of an absolute path.
pub(crate) fn uri_of(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(SCHEME);
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_correspond() {
        for path in ["/a/b.xta", "/with space/ä%.q", "/x+y/(z).xml"] {
            assert_eq!(path_of(&uri_of(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(path_of("file://localhost/a"), Some(PathBuf::from("/a")));
        for uri in ["untitled:Untitled-1", "file://", "file:///%zz", "file://host/a", ""] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
    }
}
