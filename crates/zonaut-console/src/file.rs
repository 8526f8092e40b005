//! Output files of commands.

use crate::console::Console;
use crate::status::Status;
use std::fs;
use std::io;
use std::path::Path;
use zonaut_base::one_line;

/// Writes a whole file or none, and names it: a partially written one is removed.
pub fn write_file(path: &Path, text: &str, console: &mut Console<'_>) -> Status {
    let shown = one_line(&path.display().to_string());
    let created = fs::File::create(path);
    let mut file = match created {
        Ok(file) => file,
        Err(error) => {
            console.complain(&format!("error: `{shown}` cannot be written: {error}"));
            return Status::WrongInput;
        }
    };
    match io::Write::write_all(&mut file, text.as_bytes()) {
        Ok(()) => {
            console.complain(&format!("wrote {shown}"));
            Status::Success
        }
        Err(error) => {
            let is_ours = file.metadata().is_ok_and(|metadata| metadata.is_file());
            drop(file);
            if is_ours {
                let _ = fs::remove_file(path);
            }
            console.complain(&format!("error: `{shown}` cannot be written: {error}"));
            Status::Undecided
        }
    }
}
