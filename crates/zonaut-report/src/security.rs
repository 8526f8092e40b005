//! The content security policy of the page, and the escaping of texts.

use sha2::{Digest, Sha256};

/// The policy of a page with one style sheet and one script: nothing else is loaded, sent or run.
pub(crate) fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src {}; script-src {}",
        source_digest(style),
        source_digest(script),
    )
}

/// The digest of a style sheet or a script in the notation of policies.
#[must_use]
pub fn source_digest(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

/// `json` as the content of an element: no text in it can end the element or begin another.
pub(crate) fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let is_padding = digit > chunk.len();
            let value = bits >> (18 - 6 * digit) & 63;
            text.push(if is_padding { '=' } else { DIGITS[value as usize] as char });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let check = |text: &str, encoded: &str| assert_eq!(base64(text.as_bytes()), encoded);
        check("", "");
        check("f", "Zg==");
        check("fo", "Zm8=");
        check("foo", "Zm9v");
        check("foobar", "Zm9vYmFy");
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn embedded_text_ends_no_element() {
        let text = serde_json::to_string("</script><!--&").expect("a string");
        let safe = embedded(&text);
        assert!(!safe.contains(['<', '>', '&']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), "</script><!--&");
    }
}
