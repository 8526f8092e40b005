//! Decoding of files to text: UTF-8 and UTF-16 by their byte order marks, Latin-1 if a file
//! declares it.

/// A decoded text, with a problem of its encoding if it has one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// The problem of its encoding.
    pub problem: Option<EncodingProblem>,
}

/// A problem of the encoding of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EncodingProblem {
    /// The character at this offset of the text is invalid in its encoding; the text is cut a
    /// little after it.
    Invalid {
        /// The offset of the invalid character.
        offset: u32,
        /// The encoding.
        encoding: &'static str,
    },
    /// The file is not UTF-8 from this offset of the text on, and was read as Latin-1.
    AssumedLatin1 {
        /// The offset of the first byte that is not UTF-8.
        offset: u32,
    },
    /// The file declares an unknown encoding; the name is at this range of offsets.
    Unknown {
        /// The offset at which the name begins.
        start: u32,
        /// The offset at which the name ends.
        end: u32,
    },
}

/// Number of bytes that are kept behind an invalid character, so that its line can be shown.
const CONTEXT_BYTES: usize = 200;

/// Decodes the bytes of a file.
#[must_use]
pub fn decode(mut bytes: Vec<u8>) -> Decoded {
    match bytes.as_slice() {
        [0xEF, 0xBB, 0xBF, ..] => {
            bytes.drain(..3);
            utf8(bytes, OnFailure::Refuse)
        }
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => unmarked(bytes),
    }
}

fn unmarked(bytes: Vec<u8>) -> Decoded {
    if !bytes.trim_ascii_start().starts_with(b"<") {
        // Textual models carry no declaration; old ones have Latin-1 in their comments.
        return utf8(bytes, OnFailure::AssumeLatin1);
    }
    let Some((start, name)) = declared_encoding(&bytes) else {
        return utf8(bytes, OnFailure::Refuse);
    };
    match name.to_ascii_lowercase().as_str() {
        "iso-8859-1" | "latin1" | "latin-1" | "windows-1252" | "cp1252" => {
            Decoded { text: latin1(&bytes), problem: None }
        }
        // UTF-16 is recognised by its byte order mark; a file without it was saved as UTF-8 and
        // kept its declaration.
        "utf-8" | "utf8" | "us-ascii" | "ascii" | "utf-16" => utf8(bytes, OnFailure::Refuse),
        _ => {
            let problem = Some(EncodingProblem::Unknown { start, end: start + name.len() as u32 });
            Decoded { problem, ..utf8(bytes, OnFailure::Refuse) }
        }
    }
}

/// The name of the encoding in an XML declaration, and its offset.
fn declared_encoding(bytes: &[u8]) -> Option<(u32, &str)> {
    let head = &bytes[..bytes.len().min(CONTEXT_BYTES)];
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(&head[..end]).ok()?;
    if !declaration.trim_start().starts_with("<?xml") {
        return None;
    }
    let key = declaration.find("encoding")?;
    let opening = key + declaration[key..].find(['"', '\''])?;
    let quote = declaration[opening..].chars().next()?;
    let value = &declaration[opening + 1..];
    Some((opening as u32 + 1, &value[..value.find(quote)?]))
}

#[derive(Clone, Copy)]
enum OnFailure {
    Refuse,
    AssumeLatin1,
}

fn utf8(bytes: Vec<u8>, on_failure: OnFailure) -> Decoded {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Decoded { text, problem: None },
        Err(error) => error,
    };
    let (offset, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
    match on_failure {
        OnFailure::Refuse => {
            let end = bytes.len().min(offset + CONTEXT_BYTES);
            let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let problem =
                Some(EncodingProblem::Invalid { offset: offset as u32, encoding: "UTF-8" });
            Decoded { text, problem }
        }
        OnFailure::AssumeLatin1 => {
            // Characters before the first invalid one may have a different length in UTF-8.
            let offset: usize =
                bytes[..offset].iter().map(|&byte| latin1_char(byte).len_utf8()).sum();
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            Decoded {
                text: latin1(bytes),
                problem: Some(EncodingProblem::AssumedLatin1 { offset }),
            }
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let units = bytes.chunks(2).map(|pair| match *pair {
        [a, b] => unit([a, b]),
        // A lone last byte becomes a lone surrogate, which is invalid.
        _ => 0xD800,
    });
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut problem = None;
    for character in char::decode_utf16(units) {
        if let Ok(character) = character {
            text.push(character);
        } else {
            let offset = text.len() as u32;
            text.push(char::REPLACEMENT_CHARACTER);
            problem = Some(EncodingProblem::Invalid { offset, encoding: "UTF-16" });
            break;
        }
    }
    Decoded { text, problem }
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| latin1_char(byte)).collect()
}

/// The characters of windows-1252 from 0x80 to 0x9F, where ISO 8859-1 has control characters.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

fn latin1_char(byte: u8) -> char {
    match byte {
        0x80..=0x9F => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, problem: Option<EncodingProblem>) {
        assert_eq!(decode(bytes.to_vec()), Decoded { text: text.to_owned(), problem });
    }

    #[test]
    fn utf8_is_read_with_and_without_its_mark() {
        check("clock ä;".as_bytes(), "clock ä;", None);
        check(b"\xEF\xBB\xBFclock x;", "clock x;", None);
        check(b"\xEF\xBB\xBF", "", None);
        check(b"", "", None);
    }

    #[test]
    fn utf16_is_read_by_its_mark() {
        let little: Vec<u8> = "\u{FEFF}x ä 😀".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{FEFF}x ä 😀".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&little, "x ä 😀", None);
        check(&big, "x ä 😀", None);
        let problem = EncodingProblem::Invalid { offset: 1, encoding: "UTF-16" };
        check(b"\xFF\xFEx\0\0", "x\u{FFFD}", Some(problem));
    }

    #[test]
    fn latin1_is_read_where_it_is_declared() {
        let head = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>";
        check(&[head.as_bytes(), b"\xE4\x80"].concat(), &format!("{head}ä€"), None);
    }

    #[test]
    fn an_invalid_byte_of_xml_is_found() {
        let problem = EncodingProblem::Invalid { offset: 4, encoding: "UTF-8" };
        check(b"<nta\xFFx", "<nta\u{FFFD}x", Some(problem));
    }

    #[test]
    fn a_textual_model_may_have_latin1_in_its_comments() {
        let problem = EncodingProblem::AssumedLatin1 { offset: 3 };
        check(b"// \xE4", "// ä", Some(problem));
    }

    #[test]
    fn an_unknown_declared_encoding_is_pointed_at() {
        let text = "<?xml encoding='koi8-r'?>";
        check(text.as_bytes(), text, Some(EncodingProblem::Unknown { start: 16, end: 22 }));
    }

    #[test]
    fn every_single_byte_decodes_without_panic() {
        for byte in 0..=u8::MAX {
            for head in [&b""[..], b"<", b"<?xml encoding='", b"\xFF\xFE", b"\xEF\xBB\xBF"] {
                let decoded = decode([head, &[byte]].concat());
                if let Some(EncodingProblem::Invalid { offset, .. }) = decoded.problem {
                    assert!((offset as usize) < decoded.text.len());
                }
            }
        }
    }
}
