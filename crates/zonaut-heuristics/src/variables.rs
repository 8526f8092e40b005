//! The variables of a discrete state: where each process is, then what each cell holds.

use zonaut_base::{Id, define_id};
use zonaut_model::{CellId, Model, ProcessId};

define_id!(
    /// A position in the values of a state.
    pub(crate) struct VariableId
);

/// What the variables can hold.
#[derive(Clone, Debug)]
pub(crate) struct Variables {
    processes: usize,
    domains: Vec<Domain>,
}

/// The values `low..low + size`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Domain {
    pub(crate) low: i32,
    pub(crate) size: u64,
}

impl Variables {
    pub(crate) fn new(model: &Model) -> Self {
        let processes = model.processes.iter();
        let locations = processes.map(|p| Domain { low: 0, size: p.locations.len() as u64 });
        let cells = model.cells.iter();
        let contents = cells.map(|cell| Domain { low: cell.range.low, size: cell.range.size() });
        Self { processes: model.processes.len(), domains: locations.chain(contents).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.domains.len()
    }

    pub(crate) fn domain(&self, variable: VariableId) -> Domain {
        self.domains[variable.index()]
    }

    pub(crate) fn process(&self, process: ProcessId) -> VariableId {
        VariableId::from_index(process.index())
    }

    pub(crate) fn cell(&self, cell: CellId) -> VariableId {
        VariableId::from_index(self.processes + cell.index())
    }

    /// The process whose location the variable is, or the cell whose content it is.
    pub(crate) fn meaning(&self, variable: VariableId) -> Result<ProcessId, CellId> {
        match variable.index().checked_sub(self.processes) {
            None => Ok(ProcessId::from_index(variable.index())),
            Some(cell) => Err(CellId::from_index(cell)),
        }
    }
}
