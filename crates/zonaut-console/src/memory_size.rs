//! Amounts of memory: parsing and formatting.

/// A number of bytes such as `4G`, `512M`, `1.5GB`, `64k` or `1000000`.
///
/// # Errors
/// Fails if the word is not a size, or exceeds all memory.
pub fn parse_size(word: &str) -> Result<u64, String> {
    let wrong = || format!("`{word}` is not a size such as 512M or 4G");
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match word[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(wrong()),
    };
    if let Ok(number) = digits.parse::<u64>() {
        return number.checked_mul(factor).ok_or_else(wrong);
    }
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let bytes = number * factor as f64;
    if bytes.is_finite() && (0.0..1e18).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// A number of bytes as text, with one decimal.
#[must_use]
pub fn format_size(bytes: u64) -> String {
    let mut amount = bytes as f64;
    for unit in ["B", "KB", "MB", "GB"] {
        if amount < 1024.0 {
            let digits = usize::from(unit != "B");
            return format!("{amount:.digits$} {unit}");
        }
        amount /= 1024.0;
    }
    format!("{amount:.1} TB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (word, bytes) in [
            ("1000000", 1_000_000),
            ("64k", 65536),
            ("512M", 512 << 20),
            ("4G", 4 << 30),
            ("1.5GB", 3 << 29),
            ("2tib", 2 << 40),
            ("0", 0),
        ] {
            assert_eq!(parse_size(word), Ok(bytes), "{word}");
        }
        for wrong in ["", "G", "4X", "-1", "1 G", "99999999999T", "nan", "infG", "1e30"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_shown_with_one_digit() {
        assert_eq!(format_size(999), "999 B");
        assert_eq!(format_size(1536), "1.5 KB");
        assert_eq!(format_size(4 << 30), "4.0 GB");
        assert_eq!(format_size(5 << 40), "5.0 TB");
    }
}
