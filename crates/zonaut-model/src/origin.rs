//! Where the elements of a model came from.

use crate::{
    CellId, ChannelId, ClockId, Edge, EdgeId, ExpressionId, FunctionId, LocationId, Model, Process,
    ProcessId, QueryId,
};
use zonaut_base::{FileId, Id, IndexVec, Span};

/// The source of every element of a model: the way back from ids to the user's text.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Of expressions.
    pub expressions: IndexVec<ExpressionId, Span>,
    /// Of cells: the declared name.
    pub cells: IndexVec<CellId, Span>,
    /// Of clocks: the declared name.
    pub clocks: IndexVec<ClockId, Span>,
    /// Of channels: the declared name.
    pub channels: IndexVec<ChannelId, Span>,
    /// Of functions: the declared name.
    pub functions: IndexVec<FunctionId, Span>,
    /// Of processes.
    pub processes: IndexVec<ProcessId, ProcessOrigin>,
    /// Of queries: the formula.
    pub queries: IndexVec<QueryId, Span>,
}

impl Origin {
    /// The origin of a model that was made in code: everything comes from nowhere, the start of a
    /// file that does not exist.
    #[must_use]
    pub fn nowhere(model: &Model) -> Self {
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
        }
    }
}

/// The source of a process.
#[derive(Clone, Debug)]
pub struct ProcessOrigin {
    /// Where the template is named.
    pub template: Span,
    /// Where the process is named on the `system` line.
    pub system: Span,
    /// Its locations.
    pub locations: IndexVec<LocationId, Span>,
    /// Its edges.
    pub edges: IndexVec<EdgeId, EdgeOrigin>,
}

/// The source of an edge.
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
