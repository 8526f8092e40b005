//! The network of timed automata that the front end produces and all later stages work on: names
//! are resolved, types checked, constants folded, and templates instantiated.
//!
//! # Shape
//!
//! * **One address space.** Arrays and structs are laid out as consecutive [`Cell`]s. A discrete
//!   state is therefore a vector of integers, and every analysis works element by element. A
//!   [`Place`] is an address with the indices that are computed at run time.
//! * **No references and no recursion.** A function is specialised for the process and for the
//!   storage that its reference parameters are bound to. The language forbids recursion, so locals
//!   of functions have fixed addresses ([`Local`]).
//! * **One form of expressions**, in an arena, children before parents. Evaluators are separate:
//!   [`interpret`] is the reference evaluator over concrete values; [`interval`] has interval
//!   arithmetic for the evaluators over ranges.
//! * **No source positions.** [`Origin`] maps elements to their source text, outside the model, so
//!   that equality of models does not depend on where their text stands.

mod automaton;
pub mod builder;
mod chart;
mod children;
pub mod core_text;
mod effects;
mod expression;
mod function;
pub mod interpret;
pub mod interval;
mod origin;
mod query;
pub mod statistical;
mod statistical_query;
mod storage;
mod validate;

pub use automaton::{
    ClockConstraint, Condition, Direction, Edge, EdgeId, Location, LocationId, LocationKind,
    Process, ProcessId, Rate, Relation, Select, Synchronisation,
};
pub use chart::{ChartBar, ChartRow};
pub use children::Usage;
pub use effects::Effects;
pub use expression::{
    Argument, BinaryOperator, Expression, ExpressionId, Expressions, QuantifierKind, UnaryOperator,
    ValueOf,
};
pub use function::{Function, FunctionId, Parameter, Statement};
pub use origin::{EdgeOrigin, Origin, ProcessOrigin};
pub use query::{Extremum, Formula, Query, QueryId, QueryKind};
pub use statistical::Statistical;
pub use statistical_query::{
    Experiment, Observed, PathFormula, RunBound, RunFilter, RunMeasure, StatisticalQuery,
};
pub use storage::{
    CLOCK_LIMIT, Cell, CellId, CellKind, Channel, ChannelId, Clock, ClockId, ConstantId, Local,
    LocalId, Place, PlaceIndex, Range, ScalarSet, ScalarSetId, ScalarUse, ScalarUseKind, Storage,
};
pub use validate::Problem;

use zonaut_base::IndexVec;

/// A network of timed automata with its queries.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Integer variables of the state, `meta` variables included.
    pub cells: IndexVec<CellId, Cell>,
    /// Working storage of functions, quantifiers and selects; its values do not outlive a
    /// transition.
    pub locals: IndexVec<LocalId, Local>,
    /// Constant storage: arrays and structs declared `const`, and initial values.
    pub constants: IndexVec<ConstantId, i32>,
    /// Clocks, without the reference clock of zones.
    pub clocks: IndexVec<ClockId, Clock>,
    /// Channels.
    pub channels: IndexVec<ChannelId, Channel>,
    /// Scalar sets.
    pub scalar_sets: IndexVec<ScalarSetId, ScalarSet>,
    /// Uses of scalar sets, as far as symmetry depends on them.
    pub scalar_uses: Vec<ScalarUse>,
    /// Functions, each after the functions it calls.
    pub functions: IndexVec<FunctionId, Function>,
    /// Processes, in system order.
    pub processes: IndexVec<ProcessId, Process>,
    /// All expressions.
    pub expressions: Expressions,
    /// Updates before the first update of every transition.
    pub before_update: Vec<ExpressionId>,
    /// Updates after the last update of every transition.
    pub after_update: Vec<ExpressionId>,
    /// The priority of internal transitions and of channels that no declaration names.
    pub default_priority: u32,
    /// The queries.
    pub queries: IndexVec<QueryId, Query>,
    /// The rows of the model's Gantt chart.
    pub chart: Vec<ChartRow>,
    /// Floating point and all else that symbolic analysis does not support.
    pub statistical: Statistical,
}

impl Model {
    /// The initial value of every cell.
    #[must_use]
    pub fn initial_cells(&self) -> Vec<i32> {
        self.cells.iter().map(|cell| cell.initial).collect()
    }

    /// Whether priorities order any two transitions.
    #[must_use]
    pub fn has_priorities(&self) -> bool {
        self.channels.iter().any(|channel| channel.priority != self.default_priority)
            || self.processes.iter().any(|process| process.priority != 0)
    }

    /// Whether any location sets the rate of a clock.
    #[must_use]
    pub fn has_rates(&self) -> bool {
        let mut locations = self.processes.iter().flat_map(|process| &process.locations);
        locations.any(|location| !location.rates.is_empty())
    }

    /// The process with this name, as queries write it: `Gate` or `Train(3)`.
    #[must_use]
    pub fn process_named(&self, name: &str) -> Option<ProcessId> {
        self.processes.iter_enumerated().find(|(_, process)| process.name == name).map(|(id, _)| id)
    }
}
