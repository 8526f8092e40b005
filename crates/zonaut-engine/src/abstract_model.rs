//! Abstract models: a model without some of its processes, variables, clocks and channels, as text.

use crate::answer::Reason;
use crate::session::Session;
use crate::unsupported::Unsupported;
use std::fmt;
use zonaut_analysis::goal::Reachability;
use zonaut_base::Id;
use zonaut_model::{Formula, Model, QueryId};
use zonaut_pdb::{IdSet, Inputs, Pattern, Symbols, cone, error_path_pattern};
use zonaut_printer::{formula_text, model_text};

/// The symbols that an abstraction removes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// Processes, variables, clocks and channels with these names.
    Dropped(Vec<String>),
    /// All symbols that an abstract error path does not touch.
    ErrorPath,
    /// All symbols outside the cone of influence of this depth.
    Cone(u32),
}

/// An abstract model with its query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractModel {
    /// The model in UPPAAL's textual format.
    pub text: String,
    /// The query, abstracted in the same way.
    pub query: String,
    /// The names of the removed processes.
    pub dropped_processes: Vec<String>,
    /// The names of the removed variables and clocks.
    pub dropped_variables: Vec<String>,
}

/// The reason why a model cannot be abstracted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelectionError {
    /// The model has no symbol with this name.
    UnknownName(String),
    /// The query is not a reachability query.
    NoReachability,
    /// The model or the query needs unsupported features.
    Unsupported(Vec<Unsupported>),
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName(name) => {
                write!(f, "no process, variable, clock or channel is called `{name}`")
            }
            Self::NoReachability => f.write_str("only `E<>` and `A[]` have a goal to keep"),
            Self::Unsupported(reasons) => Reason::Unsupported(reasons.clone()).fmt(f),
        }
    }
}

impl std::error::Error for SelectionError {}

impl Session {
    /// The model without the symbols of `selection` and those that depend on them, for one of the
    /// queries or none. The distance to its goal is at most that of the model.
    ///
    /// # Errors
    /// If a name is unknown, the query is not a reachability query, or the model needs an
    /// unsupported feature.
    pub fn abstracted(
        &self,
        query: Option<QueryId>,
        selection: &Selection,
    ) -> Result<AbstractModel, SelectionError> {
        let model = self.model();
        let reasons = self.unsupported(query);
        if !reasons.is_empty() {
            return Err(SelectionError::Unsupported(reasons));
        }
        let goal = match query {
            None => Formula::truth(),
            Some(query) => {
                Reachability::of(model, &model.queries[query].kind)
                    .ok_or(SelectionError::NoReachability)?
                    .goal
            }
        };
        let pattern = match selection {
            Selection::Dropped(names) => Pattern::dropping(model, &named(model, names)?),
            Selection::ErrorPath => error_path_pattern(model, &goal, Inputs::default()),
            Selection::Cone(depth) => cone(model, &goal, *depth),
        };
        let child = zonaut_pdb::AbstractModel::new(model, &goal, &pattern);
        let processes = child.dropped.processes.iter();
        let cells = child.dropped.cells.iter().map(|cell| model.cells[cell].name.clone());
        let clocks = child.dropped.clocks.iter().map(|clock| model.clocks[clock].name.clone());
        Ok(AbstractModel {
            text: model_text(&child.model),
            query: format!("E<> {}", formula_text(&child.model, &child.goal)),
            dropped_processes: processes.map(|id| model.processes[id].name.clone()).collect(),
            dropped_variables: cells.chain(clocks).collect(),
        })
    }
}

/// The symbols with these names. The name of an array or a struct means all its parts, that of a
/// template all its processes.
fn named(model: &Model, names: &[String]) -> Result<Symbols, SelectionError> {
    let mut symbols = Symbols::default();
    for name in names {
        let found = Symbols {
            processes: matching(model.processes.iter().map(|p| p.name.as_str()), name),
            cells: matching(model.cells.iter().map(|cell| cell.name.as_str()), name),
            clocks: matching(model.clocks.iter().map(|clock| clock.name.as_str()), name),
            channels: matching(model.channels.iter().map(|c| c.name.as_str()), name),
        };
        if found.is_empty() {
            return Err(SelectionError::UnknownName(name.clone()));
        }
        symbols.extend(&found);
    }
    Ok(symbols)
}

/// The elements with this name, or that are a part of an array or a struct with this name.
fn matching<'n, I: Id>(names: impl Iterator<Item = &'n str>, name: &str) -> IdSet<I> {
    let is_part = |full: &str| {
        full.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '(']))
    };
    names.enumerate().filter(|(_, full)| is_part(full)).map(|(id, _)| I::from_index(id)).collect()
}
