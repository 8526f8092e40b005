//! The memory of the machine, and the default memory limit.

use std::fs;
use std::path::Path;

/// The default share of the available memory that states may use.
const DEFAULT_SHARE: (u64, u64) = (4, 5);

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
