//! The syntax tree: produced by the parsers, consumed by the printers and by type checking.
//!
//! XML, XTA and the 3.x dialect share one tree. Expressions are stored in an arena
//! ([`Expressions`]) and refer to each other by id, children before parents. A sum of a hundred
//! thousand terms is as deep as it is long; an arena is traversed and dropped without recursion.

mod declaration;
mod expression;
mod query;
mod template;

pub use declaration::{
    ChannelPriority, Comment, Declaration, DeclarationKind, Declarator, Dimension,
    ExternalFunction, Field, Function, Import, Initializer, InitializerItem, Instantiation,
    Parameter, Prefix, PriorityLevel, Statement, StatementKind, TypeExpression, TypeKind,
};
pub use expression::{
    AssignmentOperator, BinaryOperator, Binder, Expression, ExpressionId, ExpressionKind,
    Expressions, Name, QuantifierKind, StepOperator, UnaryOperator,
};
pub use query::{
    Expectation, Experiment, PathFormula, Queries, Query, QueryEntry, RunBound, RunFilter,
    RunMeasure, StatisticalQuery, WrittenExpression,
};
pub use template::{
    Branchpoint, BranchpointId, Direction, Edge, EdgeLayout, Endpoint, LabelKind, Location,
    LocationId, LocationKind, LocationLayout, Node, Point, Synchronisation, Template,
};

use zonaut_base::{FileId, Span};

/// The textual language of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// The language of UPPAAL 4 and later.
    Current,
    /// The language of UPPAAL 3.x.
    Old,
}

/// A whole model file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file it was read from.
    pub file: FileId,
    /// The language of its declarations and labels.
    pub dialect: Dialect,
    /// All expressions of the document except those of its queries.
    pub expressions: Expressions,
    /// Global declarations, in order.
    pub declarations: Vec<Declaration>,
    /// Templates (processes of XTA), in order.
    pub templates: Vec<Template>,
    /// The section after the templates.
    pub system: System,
    /// The queries inside the model file.
    pub queries: Queries,
}

/// The last section of a model: more declarations, instantiations, and the processes that run.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Declarations and instantiations before the `system` line, in order.
    pub declarations: Vec<Declaration>,
    /// The processes of the `system` line by priority level (separated by `<`), lowest first.
    pub levels: Vec<Vec<SystemProcess>>,
    /// The span of the `system` line; absent in a damaged document.
    pub span: Option<Span>,
    /// Progress measures: a hint for searches, without effect on verdicts.
    pub progress: Vec<ProgressMeasure>,
    /// Rows of a Gantt chart, without effect on verdicts.
    pub gantt: Vec<GanttRow>,
}

/// A name on the `system` line.
#[derive(Clone, Debug)]
pub struct SystemProcess {
    /// The name of a template or an instantiation.
    pub name: Name,
}

/// One entry of a `progress` section.
#[derive(Clone, Debug)]
pub struct ProgressMeasure {
    /// The optional guard before the colon.
    pub guard: Option<ExpressionId>,
    /// The measure.
    pub measure: ExpressionId,
}

/// One row of a `gantt` section: `name(i : T) : condition -> colour, ...;`.
#[derive(Clone, Debug)]
pub struct GanttRow {
    /// The row's name.
    pub name: Name,
    /// Parameters; the chart has one row for each of their values.
    pub binders: Vec<Binder>,
    /// Its bars.
    pub bars: Vec<GanttBar>,
}

/// One kind of bar in a row of a Gantt chart.
#[derive(Clone, Debug)]
pub struct GanttBar {
    /// Binders of a `for` in front of the bar.
    pub binders: Vec<Binder>,
    /// The condition under which the bar is drawn.
    pub condition: ExpressionId,
    /// Its colour.
    pub colour: ExpressionId,
}
