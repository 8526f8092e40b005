//! The files that are read, and the errors for others.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;
use zonaut_engine::{DEFAULT_MAX_FILE_BYTES, atomic_temp_file, read_bytes};

fn check(path: &Path, limit: u64) -> String {
    match read_bytes(path, limit) {
        Ok(bytes) => format!("{} bytes", bytes.len()),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

#[test]
fn a_file_up_to_the_limit_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.xta");
    fs::write(&path, "clock x;").unwrap();
    assert_eq!(check(&path, 8), "8 bytes");
    assert_eq!(check(&path, 7), "TA0003: the file is larger than the limit of 7 bytes");
}

#[test]
fn only_regular_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(check(folder.path(), 8), "TA0002: this is a folder, not a file");
    assert_eq!(check(&folder.path().join("m"), 8), "TA0001: there is no such file");
    #[cfg(unix)]
    assert_eq!(check(Path::new("/dev/zero"), 8), "TA0002: this is a device, not a file");
}

#[test]
fn a_huge_sparse_file_is_refused_by_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.xml");
    File::create(&path).unwrap().set_len(5 << 30).unwrap();
    assert_eq!(
        check(&path, DEFAULT_MAX_FILE_BYTES),
        "TA0003: the file is larger than the limit of 268435456 bytes"
    );
}

#[test]
fn a_compressed_file_is_refused_by_its_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.xml");
    fs::write(&path, [0x1F, 0x8B, 8, 0]).unwrap();
    assert_eq!(check(&path, 8), "TA0004: the file is compressed with gzip");
}

#[test]
fn unrenamed_temporary_files_are_removed_and_have_distinct_names() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a");
    let files: Vec<NamedTempFile> = (0..50).map(|_| atomic_temp_file(&target).unwrap()).collect();
    let names: BTreeSet<_> = files.iter().map(|file| file.path().to_owned()).collect();
    assert_eq!(names.len(), 50);
    let own = std::process::id().to_string();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains(&format!("-{own}."))));
    drop(files);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let mut file = atomic_temp_file(&target).unwrap();
    file.write_all(b"whole").unwrap();
    file.persist(&target).unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"whole");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
