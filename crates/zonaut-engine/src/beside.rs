//! Files that appear as a whole: written beside their place, then moved there.

use std::io;
use std::path::Path;
use tempfile::NamedTempFile;

/// A new file in the folder of `target`, to be filled and then moved there with
/// [`NamedTempFile::persist`]; otherwise it is removed.
///
/// Its name is random and it is created exclusively, so that neither another process, be it in
/// another container, nor a symbolic link can lie in wait under that name.
///
/// # Errors
/// Where the folder does not take a file.
pub fn beside(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".zonaut-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The user's file, with the permissions that the user's files have.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::io::Write;

    #[test]
    fn what_is_not_moved_is_gone_and_names_differ() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        let files: Vec<NamedTempFile> = (0..50).map(|_| beside(&target).unwrap()).collect();
        let names: BTreeSet<_> = files.iter().map(|file| file.path().to_owned()).collect();
        assert_eq!(names.len(), 50);
        let own = std::process::id().to_string();
        assert!(names.iter().all(|name| !name.to_string_lossy().contains(&format!("-{own}."))));
        drop(files);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut file = beside(&target).unwrap();
        file.write_all(b"whole").unwrap();
        file.persist(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
