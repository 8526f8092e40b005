//! Settings of the folder of a model. The program that serves the editor finds and checks them.

use std::path::Path;
use zonaut_engine::VerifyOptions;

/// The settings that apply to a model.
#[derive(Clone, Debug, Default)]
pub struct FolderSettings {
    /// Constants and their values.
    pub defines: Vec<(String, i64)>,
    /// The options of checks. Limits of time and memory are set only if the folder sets them.
    pub options: VerifyOptions,
}

/// Finds the settings of a model by its path; `None` if none apply. The error has a place.
pub type FindSettings = Box<dyn Fn(&Path) -> Result<Option<FolderSettings>, String>>;
