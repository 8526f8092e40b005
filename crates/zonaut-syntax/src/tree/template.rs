//! Syntax trees of templates: locations, branchpoints and edges, with their coordinates if any.

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
    /// The names of locations behind `init`, `commit` and `urgent` in XTA.
    pub mentions: Vec<Endpoint>,
    /// Its edges, in order.
    pub edges: Vec<Edge>,
    /// The whole template.
    pub span: Span,
}

/// The urgency of a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LocationKind {
    /// Time may pass.
    Ordinary,
    /// Time may not pass.
    Urgent,
    /// Time may not pass, and the next transition leaves a committed location.
    Committed,
}

/// A location.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its name; absent for an anonymous location of XML.
    pub name: Option<Name>,
    /// Its id in XML.
    pub xml_id: Option<Arc<str>>,
    /// Its urgency.
    pub kind: LocationKind,
    /// Its invariant, a conjunction.
    pub invariant: Vec<ExpressionId>,
    /// Its exponential rate: one expression, or two separated by a colon. Symbolic analysis ignores
    /// it.
    pub exponential_rate: Vec<ExpressionId>,
    /// Comments and other free text, preserved for the printers: label kind and text.
    pub notes: Vec<(Arc<str>, String)>,
    /// Its coordinates.
    pub layout: LocationLayout,
    /// The whole location.
    pub span: Span,
}

/// A branchpoint: the target of an edge, and the source of its weighted branches.
#[derive(Clone, Debug)]
pub struct Branchpoint {
    /// Its name or XML id.
    pub name: Name,
    /// Its coordinates.
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
    /// The node; absent if the name is unknown, which is reported.
    pub node: Option<Node>,
    /// The position of the name.
    pub span: Span,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Its source.
    pub source: Endpoint,
    /// Its target.
    pub target: Endpoint,
    /// `select` bindings.
    pub select: Vec<Binder>,
    /// Its guard, a conjunction.
    pub guard: Vec<ExpressionId>,
    /// Its synchronisation.
    pub synchronisation: Option<Synchronisation>,
    /// Its updates, in order.
    pub updates: Vec<ExpressionId>,
    /// The weight of a branch.
    pub probability: Option<ExpressionId>,
    /// Whether the system controls the edge; `false` for an edge of the environment (games only).
    pub controllable: bool,
    /// Comments and other free text, preserved for the printers: label kind and text.
    pub notes: Vec<(Arc<str>, String)>,
    /// Its coordinates.
    pub layout: EdgeLayout,
    /// The whole edge.
    pub span: Span,
}

/// A synchronisation label.
#[derive(Clone, Debug)]
pub struct Synchronisation {
    /// The channel.
    pub channel: ExpressionId,
    /// The side of the synchronisation.
    pub direction: Direction,
    /// The whole label.
    pub span: Span,
}

/// The side of a synchronisation that an edge is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
    /// `c`, a synchronisation of all participants as in CSP (recognised, not supported).
    Together,
}

/// A point of the drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The horizontal coordinate, growing to the right.
    pub x: i32,
    /// The vertical coordinate, growing downwards.
    pub y: i32,
}

/// The kind of a label of an edge or a location.
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

/// The coordinates of a location and its labels.
#[derive(Clone, Debug, Default)]
pub struct LocationLayout {
    /// The position of the location.
    pub position: Option<Point>,
    /// The position of its name.
    pub name: Option<Point>,
    /// Its colour as XML writes it.
    pub colour: Option<Arc<str>>,
    /// The positions of its labels.
    pub labels: Vec<(LabelKind, Point)>,
}

/// The coordinates of an edge and its labels.
#[derive(Clone, Debug, Default)]
pub struct EdgeLayout {
    /// The nails (bends) of the edge.
    pub nails: Vec<Point>,
    /// Its colour as XML writes it.
    pub colour: Option<Arc<str>>,
    /// The positions of its labels.
    pub labels: Vec<(LabelKind, Point)>,
}
