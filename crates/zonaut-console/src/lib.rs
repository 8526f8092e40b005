//! Code that the command-line programs of Zonaut share: terminals, exit codes and process limits.
//!
//! It provides the output streams ([`Console`]), exit statuses ([`Status`]), signals
//! ([`Interrupt`]), execution of queries with a progress display ([`Asking`]), and independent jobs
//! side by side ([`in_order`]). It knows verdicts
//! and progress, but neither arguments nor formats of reports.

mod asking;
mod console;
mod duration;
mod environment;
mod file;
mod folded;
mod in_order;
mod interrupt;
mod memory_size;
mod own_program;
mod progress_line;
mod status;
mod verdict;

pub use asking::{Asking, Fastest};
pub use console::{Console, terminal_width};
pub use duration::format_seconds;
pub use environment::wants_old_syntax;
pub use file::write_file;
pub use folded::folded;
pub use in_order::in_order;
pub use interrupt::Interrupt;
pub use memory_size::{format_size, parse_size};
pub use own_program::OwnProgram;
pub use progress_line::ProgressLine;
pub use status::Status;
pub use verdict::status_of;

pub use zonaut_base::{is_unsafe, most_similar, one_line};
