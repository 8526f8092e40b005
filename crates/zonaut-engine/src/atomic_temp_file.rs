//! Atomic replacement of files: written to a temporary file in the same folder, then renamed.

use std::io;
use std::path::Path;
use tempfile::NamedTempFile;

/// A new temporary file in the folder of `target`, to be written and then renamed to it with
/// [`NamedTempFile::persist`]; otherwise it is removed.
///
/// Its name is random and it is created exclusively, so that neither another process, even in
/// another container, nor a symbolic link can occupy that name.
///
/// # Errors
/// If the file cannot be created in the folder.
pub fn atomic_temp_file(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".zonaut-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The file belongs to the user and has the default permissions of new files.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}
