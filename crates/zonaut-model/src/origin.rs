//! Source positions of the elements of a model.

use crate::{
    CellId, ChannelId, ClockId, Edge, EdgeId, ExpressionId, FunctionId, LocationId, Model, Process,
    ProcessId, QueryId,
};
use zonaut_base::{FileId, Id, IndexVec, Span};

/// The source positions of a model's elements: maps ids to the user's text.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Positions of expressions.
    pub expressions: IndexVec<ExpressionId, Span>,
    /// Positions of cells: their declared names.
    pub cells: IndexVec<CellId, Span>,
    /// Positions of clocks: their declared names.
    pub clocks: IndexVec<ClockId, Span>,
    /// Positions of channels: their declared names.
    pub channels: IndexVec<ChannelId, Span>,
    /// Positions of functions: their declared names.
    pub functions: IndexVec<FunctionId, Span>,
    /// Positions of processes and of their parts.
    pub processes: IndexVec<ProcessId, ProcessOrigin>,
    /// Positions of queries: their formulas.
    pub queries: IndexVec<QueryId, Span>,
    /// The expressions whose values queries ask for, as written; none for queries of other kinds.
    pub values: IndexVec<QueryId, Vec<String>>,
}

impl Origin {
    /// The origin of a model that was constructed in code: every position is the start of a file
    /// that does not exist.
    #[must_use]
    pub fn unknown(model: &Model) -> Self {
        let span = Span { file: FileId::from_index(0), start: 0, end: 0 };
        let edge = |(index, edge): (usize, &Edge)| EdgeOrigin {
            span,
            branch: None,
            index: index as u32,
            guard: String::new(),
            synchronisation: String::new(),
            updates: String::new(),
            select: (0..edge.select.len()).map(|k| format!("select{k}")).collect(),
        };
        let process = |process: &Process| ProcessOrigin {
            template: span,
            system: span,
            locations: process.locations.iter().map(|_| span).collect(),
            edges: process.edges.iter().enumerate().map(edge).collect(),
        };
        Self {
            expressions: model.expressions.iter().map(|_| span).collect(),
            cells: model.cells.iter().map(|_| span).collect(),
            clocks: model.clocks.iter().map(|_| span).collect(),
            channels: model.channels.iter().map(|_| span).collect(),
            functions: model.functions.iter().map(|_| span).collect(),
            processes: model.processes.iter().map(process).collect(),
            queries: model.queries.iter().map(|_| span).collect(),
            values: model.queries.iter().map(|_| Vec::new()).collect(),
        }
    }
}

/// The source positions of a process.
#[derive(Clone, Debug)]
pub struct ProcessOrigin {
    /// The name in the template's declaration.
    pub template: Span,
    /// The name on the `system` line.
    pub system: Span,
    /// Positions of its locations.
    pub locations: IndexVec<LocationId, Span>,
    /// Positions of its edges.
    pub edges: IndexVec<EdgeId, EdgeOrigin>,
}

/// The source position and the labels of an edge.
#[derive(Clone, Debug)]
pub struct EdgeOrigin {
    /// The whole edge; for an edge through a branchpoint, the part before it.
    pub span: Span,
    /// The branch, for an edge through a branchpoint.
    pub branch: Option<Span>,
    /// The position of the edge in its template, from 0.
    pub index: u32,
    /// The text of the guard, as written.
    pub guard: String,
    /// The text of the synchronisation, as written.
    pub synchronisation: String,
    /// The text of the updates, as written.
    pub updates: String,
    /// The names of the select variables, in order.
    pub select: Vec<String>,
}
