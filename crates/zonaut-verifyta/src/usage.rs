//! The resources that this process has used, for the option `-u`.

use std::fs;
use std::time::Duration;

/// Most systems count processor time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// The processor time of this process, if the system reports it.
pub(crate) fn processor_time() -> Option<Duration> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| TICK * ticks)
}

/// The user time in the text of `/proc/self/stat`: the twelfth field after the name, which may
/// contain blanks and brackets.
fn ticks(text: &str) -> Option<u32> {
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(11)?.parse().ok()
}

/// The memory of a process in KiB, zero if the system does not report it.
pub(crate) struct MemoryUse {
    /// The address space.
    pub(crate) address_space: u64,
    /// The resident part of it.
    pub(crate) resident: u64,
}

/// The memory of this process.
pub(crate) fn memory() -> MemoryUse {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    MemoryUse { address_space: kilobytes(&text, "VmSize:"), resident: kilobytes(&text, "VmRSS:") }
}

fn kilobytes(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_hides_no_field() {
        let text = "7 (a ) (b) S 1 2 3 4 5 6 7 8 9 10 345 12 13";
        assert_eq!(ticks(text), Some(345));
        assert_eq!(ticks("7 (a"), None);
    }

    #[test]
    fn memory_is_found_by_its_name() {
        assert_eq!(kilobytes("VmPeak:\t 9 kB\nVmSize:\t  1204 kB\n", "VmSize:"), 1204);
        assert_eq!(kilobytes("", "VmSize:"), 0);
    }
}
