//! Models without some of their parts, as text.

use crate::answer::Reason;
use crate::session::Session;
use crate::unsupported::Unsupported;
use std::fmt;
use zonaut_analysis::goal::Reachability;
use zonaut_base::Id;
use zonaut_model::{Formula, Model, QueryId};
use zonaut_pdb::{
    IdSet, Inputs, Pattern, Symbols, cone, error_path_pattern, formula_text, model_text,
};

/// What is left out of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// Processes, variables, clocks and channels of these names.
    Dropped(Vec<String>),
    /// All that an abstract path to the goal does not touch.
    ErrorPath,
    /// All that influences the goal through more than so many others.
    Cone(u32),
}

/// A model without some of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractModel {
    /// The model in UPPAAL's text.
    pub text: String,
    /// The query about it.
    pub query: String,
    /// The names of the processes that were left out.
    pub dropped_processes: Vec<String>,
    /// The names of the variables and clocks that were left out.
    pub dropped_variables: Vec<String>,
}

/// Why nothing can be left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelectionError {
    /// Nothing in the model has this name.
    UnknownName(String),
    /// The query does not ask whether something can be reached.
    NoReachability,
    /// The model or the query needs what is not supported yet.
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
    /// The model without what `selection` says and what has to go with it, for one of the queries
    /// or none. Its goal is reached in no more steps than the model's.
    ///
    /// # Errors
    /// Where a name is unknown, the query is no question of reachability, or the model needs what is
    /// not supported.
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
                Reachability::of(&model.queries[query].kind)
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

/// The symbols of these names. The name of an array or a struct stands for all its parts, that of a
/// template for all its processes.
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

/// The elements that are called `name`, or are a part of what is called so.
fn matching<'n, I: Id>(names: impl Iterator<Item = &'n str>, name: &str) -> IdSet<I> {
    let is_part = |full: &str| {
        full.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '(']))
    };
    names.enumerate().filter(|(_, full)| is_part(full)).map(|(id, _)| I::from_index(id)).collect()
}
