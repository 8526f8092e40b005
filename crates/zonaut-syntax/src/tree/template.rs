//! Templates: locations, branchpoints and edges, with their layout where the file has one.

use super::{Binder, Declaration, ExpressionId, Name, Parameter};
use std::sync::Arc;
use zonaut_base::{IndexVec, Span, define_id};

define_id!(
    /// A location of a template.
    pub struct LocationId
);
define_id!(
    /// A branchpoint of a template.
    pub struct BranchpointId
);

/// A template (a `process` of XTA).
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its own declarations.
    pub declarations: Vec<Declaration>,
    /// Its locations.
    pub locations: IndexVec<LocationId, Location>,
    /// Its branchpoints.
    pub branchpoints: IndexVec<BranchpointId, Branchpoint>,
    /// Its initial location; absent in a damaged template.
    pub initial: Option<LocationId>,
    /// Its edges, in order.
    pub edges: Vec<Edge>,
    /// The whole of it.
    pub span: Span,
}

/// How urgent a location is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LocationKind {
    /// Time may pass.
    Ordinary,
    /// Time may not pass.
    Urgent,
    /// Time may not pass, and the next step leaves a committed location.
    Committed,
}

/// A location.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its name; an anonymous location of XML has none.
    pub name: Option<Name>,
    /// The id that XML gives it.
    pub xml_id: Option<Arc<str>>,
    /// How urgent it is.
    pub kind: LocationKind,
    /// Its invariant, a conjunction.
    pub invariant: Vec<ExpressionId>,
    /// Its exponential rate (one expression, or two around a colon), without symbolic meaning.
    pub exponential_rate: Vec<ExpressionId>,
    /// A comment or other free text kept for the printer: label kind and text.
    pub notes: Vec<(Arc<str>, String)>,
    /// Where it is drawn.
    pub layout: LocationLayout,
    /// The whole of it.
    pub span: Span,
}

/// A branchpoint: what an edge leads to before its weighted branches.
#[derive(Clone, Debug)]
pub struct Branchpoint {
    /// Its name or XML id.
    pub name: Name,
    /// Where it is drawn.
    pub position: Option<Point>,
}

/// A location or a branchpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// A location.
    Location(LocationId),
    /// A branchpoint.
    Branchpoint(BranchpointId),
}

/// An end of an edge.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// What it is; absent where a name is unknown (a diagnostic says so).
    pub node: Option<Node>,
    /// Where it is named.
    pub span: Span,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: Endpoint,
    /// Where it leads.
    pub target: Endpoint,
    /// `select` bindings.
    pub select: Vec<Binder>,
    /// Its guard, a conjunction.
    pub guard: Vec<ExpressionId>,
    /// Its synchronisation.
    pub synchronisation: Option<Synchronisation>,
    /// Its updates, in order.
    pub updates: Vec<ExpressionId>,
    /// Its weight, on a branch.
    pub probability: Option<ExpressionId>,
    /// Whether it is the system's own; `false` for an edge of the environment (games only).
    pub controllable: bool,
    /// A comment or other free text kept for the printer: label kind and text.
    pub notes: Vec<(Arc<str>, String)>,
    /// Where it is drawn.
    pub layout: EdgeLayout,
    /// The whole of it.
    pub span: Span,
}

/// A synchronisation label.
#[derive(Clone, Debug)]
pub struct Synchronisation {
    /// The channel.
    pub channel: ExpressionId,
    /// Which side of it.
    pub direction: Direction,
    /// The whole label.
    pub span: Span,
}

/// Which side of a synchronisation an edge is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
    /// `c`, all at once as in CSP (recognised, not supported).
    Together,
}

/// A point of the drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// To the right.
    pub x: i32,
    /// Downwards.
    pub y: i32,
}

/// Which label of an edge or a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LabelKind {
    /// `select`
    Select,
    /// `guard`
    Guard,
    /// `synchronisation`
    Synchronisation,
    /// `assignment`
    Assignment,
    /// `probability`
    Probability,
    /// `invariant`
    Invariant,
    /// `exponentialrate`
    ExponentialRate,
}

/// Where a location and its texts are drawn.
#[derive(Clone, Debug, Default)]
pub struct LocationLayout {
    /// The location itself.
    pub position: Option<Point>,
    /// Its name.
    pub name: Option<Point>,
    /// Its colour as XML writes it.
    pub colour: Option<Arc<str>>,
    /// Its labels.
    pub labels: Vec<(LabelKind, Point)>,
}

/// Where an edge and its texts are drawn.
#[derive(Clone, Debug, Default)]
pub struct EdgeLayout {
    /// Bends.
    pub nails: Vec<Point>,
    /// Its colour as XML writes it.
    pub colour: Option<Arc<str>>,
    /// Its labels.
    pub labels: Vec<(LabelKind, Point)>,
}
