//! Amounts of memory: parsing, formatting, and the memory of the machine.

use std::fs;
use std::path::Path;

/// The default share of the available memory that states may use.
const DEFAULT_SHARE: (u64, u64) = (4, 5);

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

/// The default memory limit of states: 80 % of the memory of the machine or of its control group;
/// `None` if neither is known.
#[must_use]
pub fn default_memory_limit() -> Option<u64> {
    let available = available_memory(Path::new("/"))?;
    Some(available / DEFAULT_SHARE.1 * DEFAULT_SHARE.0)
}

/// The memory of the machine or of a control group, for this root of the file system.
fn available_memory(root: &Path) -> Option<u64> {
    let read = |path: &str| fs::read_to_string(root.join(path)).ok();
    let machine = read("proc/meminfo").and_then(|text| machine_memory(&text));
    let groups = read("proc/self/cgroup").unwrap_or_default();
    let limits = control_group_files(&groups).into_iter();
    let limits = limits.filter_map(|path| read(&path)?.trim().parse::<u64>().ok());
    limits.chain(machine).min()
}

/// The total in the text of `/proc/meminfo`.
fn machine_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The files that may contain limits: those of the control groups in the text of
/// `/proc/self/cgroup` and of all enclosing groups, for both versions of control groups.
fn control_group_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next(), fields.next(), fields.next());
        let (Some(controllers), Some(path)) = (controllers, path) else { continue };
        let (folder, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let ancestors = Path::new(path.trim_start_matches('/')).ancestors();
        for group in ancestors.filter(|group| !group.starts_with("..")) {
            files.push(Path::new(folder).join(group).join(file).display().to_string());
        }
    }
    files
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

    fn check(files: &[(&str, &str)], expected: Option<u64>) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(available_memory(root.path()), expected);
    }

    #[test]
    fn the_smallest_limit_counts() {
        let machine = ("proc/meminfo", "MemTotal:        2048 kB\nMemFree: 7 kB\n");
        check(&[], None);
        check(&[machine], Some(2 << 20));
        let second = ("proc/self/cgroup", "0::/a/b\n");
        check(&[machine, second, ("sys/fs/cgroup/a/b/memory.max", "max\n")], Some(2 << 20));
        check(&[machine, second, ("sys/fs/cgroup/a/memory.max", "1000\n")], Some(1000));
        check(&[machine, second, ("sys/fs/cgroup/memory.max", "9000\n")], Some(9000));
        let first = ("proc/self/cgroup", "5:cpu:/x\n4:memory,pids:/c\n");
        let limit = ("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "500\n");
        check(&[machine, first, limit], Some(500));
    }
}
