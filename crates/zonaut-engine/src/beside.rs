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
