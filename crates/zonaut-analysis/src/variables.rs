//! The variables of a discrete state: where each process is, then what each cell holds.

use zonaut_base::{Id, define_id};
use zonaut_model::{CellId, Model, ProcessId};

define_id!(
    /// A position in the values of a state.
    pub struct VariableId
);

/// What the variables can hold.
#[derive(Clone, Debug)]
pub struct Variables {
    processes: usize,
    domains: Vec<Values>,
}

/// The values `low..low + size`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Values {
    /// The first.
    pub low: i32,
    /// How many there are.
    pub size: u64,
}

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Where a process is.
    Process(ProcessId),
    /// What a cell holds.
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

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.domains.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty()
    }

    /// What a variable can hold.
    #[must_use]
    pub fn domain(&self, variable: VariableId) -> Values {
        self.domains[variable.index()]
    }

    /// Where a process is.
    #[must_use]
    pub fn process(&self, process: ProcessId) -> VariableId {
        VariableId::from_index(process.index())
    }

    /// What a cell holds.
    #[must_use]
    pub fn cell(&self, cell: CellId) -> VariableId {
        VariableId::from_index(self.processes + cell.index())
    }

    /// What the variable stands for.
    #[must_use]
    pub fn meaning(&self, variable: VariableId) -> Meaning {
        match variable.index().checked_sub(self.processes) {
            None => Meaning::Process(ProcessId::from_index(variable.index())),
            Some(cell) => Meaning::Cell(CellId::from_index(cell)),
        }
    }
}
