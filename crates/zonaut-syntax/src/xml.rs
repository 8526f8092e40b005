//! Reading of UPPAAL's XML format.

mod model;
mod queries;
mod reader;
mod template;

pub(crate) use model::read_xml;
pub(crate) use reader::{ElementId, Tree, read};
