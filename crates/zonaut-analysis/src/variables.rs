//! The variables of a discrete state: the location of each process, followed by each cell.

use zonaut_base::{Id, define_id};
use zonaut_model::{CellId, Model, ProcessId};

define_id!(
    /// A position in the values of a state.
    pub struct VariableId
);

/// The values that the variables can have.
#[derive(Clone, Debug)]
pub struct Variables {
    processes: usize,
    domains: Vec<Values>,
}

/// The values `low..low + size`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Values {
    /// The least value.
    pub low: i32,
    /// The number of values.
    pub size: u64,
}

/// The symbol that a variable represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The location of a process.
    Process(ProcessId),
    /// The content of a cell.
    Cell(CellId),
}

impl Variables {
    /// The variables of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let processes = model.processes.iter();
        let locations = processes.map(|p| Values { low: 0, size: p.locations.len() as u64 });
        let cells = model.cells.iter();
        let contents = cells.map(|cell| Values { low: cell.range.low, size: cell.range.size() });
        Self { processes: model.processes.len(), domains: locations.chain(contents).collect() }
    }

    /// The number of variables.
    #[must_use]
    pub fn len(&self) -> usize {
        self.domains.len()
    }

    /// Whether there are no variables.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty()
    }

    /// The values that a variable can have.
    #[must_use]
    pub fn domain(&self, variable: VariableId) -> Values {
        self.domains[variable.index()]
    }

    /// The variable of the location of a process.
    #[must_use]
    pub fn process(&self, process: ProcessId) -> VariableId {
        VariableId::from_index(process.index())
    }

    /// The variable of a cell.
    #[must_use]
    pub fn cell(&self, cell: CellId) -> VariableId {
        VariableId::from_index(self.processes + cell.index())
    }

    /// The symbol that the variable represents.
    #[must_use]
    pub fn meaning(&self, variable: VariableId) -> Meaning {
        match variable.index().checked_sub(self.processes) {
            None => Meaning::Process(ProcessId::from_index(variable.index())),
            Some(cell) => Meaning::Cell(CellId::from_index(cell)),
        }
    }
}
