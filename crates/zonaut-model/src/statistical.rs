//! The statistical part of a model: floating point, distributions, rates, weights and external
//! functions, in typed form.
//!
//! A symbolic state holds integers, locations and clocks. Floating point is kept apart from it,
//! here. Where an integer expression depends on floating point, the arena of
//! [`Expressions`](crate::Expressions) holds a *stand-in* that symbolic analysis can evaluate, and
//! [`Statistical::uses`] holds its meaning. A stand-in has the value 0 and the integer effects of
//! the expression that it replaces. If its value matters, or if it lacks an effect of that
//! expression, the stand-in is *needed*, and symbolic analyses must refuse the model:
//! [`Model::needed_reals`] finds these stand-ins.

use crate::{
    Argument, BinaryOperator, ClockId, EdgeId, Expression, ExpressionId, Extremum, Formula,
    FunctionId, LocalId, LocationId, Model, Place, ProcessId, QueryId, QueryKind, Range, Statement,
    UnaryOperator,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use zonaut_base::{Id, IndexVec, define_id};

define_id!(
    /// A floating-point expression.
    pub struct RealId
);
define_id!(
    /// A number of the floating-point storage.
    pub struct RealCellId
);
define_id!(
    /// An external function.
    pub struct ExternalId
);

/// A floating-point number; two are equal if their bits are equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Real(u64);

impl Real {
    /// The number `value`.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    /// Its value.
    #[must_use]
    pub const fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Debug for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value(), f)
    }
}

/// The statistical part of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistical {
    /// Floating-point storage: variables, hybrid clocks, constants, and locals of functions.
    pub cells: IndexVec<RealCellId, RealCell>,
    /// Floating-point expressions; children have smaller ids than their parents.
    pub expressions: IndexVec<RealId, RealExpression>,
    /// The meaning of stand-ins.
    pub uses: BTreeMap<ExpressionId, RealUse>,
    /// Stand-ins and calls that lack an effect on integers or clocks.
    pub lossy: BTreeSet<ExpressionId>,
    /// Floating-point arguments of calls, evaluated after the others and before the call.
    pub arguments: BTreeMap<ExpressionId, Vec<RealArgument>>,
    /// Floating-point parameters and results of functions.
    pub functions: BTreeMap<FunctionId, RealSignature>,
    /// External functions. Their libraries are never opened.
    pub externals: IndexVec<ExternalId, External>,
    /// Exponential rates of locations.
    pub exponential_rates: BTreeMap<(ProcessId, LocationId), ExponentialRate>,
    /// Rates of hybrid clocks.
    pub rates: Vec<HybridRate>,
    /// Weights of branches; a branch without a weight has weight 1.
    pub weights: BTreeMap<(ProcessId, EdgeId), Weight>,
    /// The edges before branchpoints, for the edges through them.
    pub stems: BTreeMap<(ProcessId, EdgeId), Stem>,
    /// Initial values of clocks that do not start at a natural number.
    pub clock_starts: BTreeMap<ClockId, Real>,
}

/// A number of the floating-point storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RealCell {
    /// The full name, such as `Tank(2).level[3]`.
    pub name: String,
    /// The process it is local to.
    pub owner: Option<ProcessId>,
    /// Its role.
    pub role: RealRole,
    /// The values it can hold.
    pub kind: RealKind,
    /// Its initial value, evaluated at the start of a run; 0 if absent.
    pub initial: Option<RealId>,
}

/// The role of a floating-point cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealRole {
    /// A variable of the state.
    Variable,
    /// A clock of the state whose rate is any number.
    HybridClock,
    /// A constant that is computed at the start of a run.
    Constant,
    /// Working storage of a function.
    Local,
}

/// The values of a floating-point cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealKind {
    /// Floating-point numbers.
    Double,
    /// Integers of a range: a field of a struct with floating-point fields.
    Integer(Range),
}

/// A floating-point expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RealExpression {
    /// A number.
    Constant(Real),
    /// The value of an integer expression.
    Integer(ExpressionId),
    /// The content of a place.
    Read(Place<RealCellId>),
    /// The value of a clock.
    Clock(Place<ClockId>),
    /// The negative.
    Negate(RealId),
    /// An arithmetic operator, with division and power over floating-point numbers.
    Binary(BinaryOperator, RealId, RealId),
    /// `condition ? yes : no`; only the chosen side is evaluated.
    Conditional(ExpressionId, RealId, RealId),
    /// The sum of the body for every value of `low..=high`, ascending.
    Sum {
        /// The storage of the bound variable.
        binder: LocalId,
        /// The first value.
        low: i32,
        /// The last value.
        high: i32,
        /// The summand.
        body: RealId,
    },
    /// A function of the language, applied to numbers.
    Apply(RealFunction, Vec<RealId>),
    /// The result of an external function.
    External(ExternalId, Vec<ExternalArgument>),
    /// The number, evaluated after the expressions have run in order.
    After(Vec<ExpressionId>, RealId),
}

/// The meaning of a stand-in: the expression that it replaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RealUse {
    /// 1 if the comparison holds, else 0.
    Compare(BinaryOperator, RealId, RealId),
    /// 1 if both places have the same content, of this number of cells, else 0.
    SameContent(Place<RealCellId>, Place<RealCellId>, u32),
    /// An integer: the value of a function such as `fint`, or of an integer cell.
    Integer(RealId),
    /// A number where symbolic analysis requires an integer: a bound, a new value or a rate of a
    /// clock.
    Number(RealId),
    /// Stores a number. Value 0.
    Assign(Place<RealCellId>, RealId),
    /// Copies the content of this number of cells from the second place to the first. Value 0.
    CopyContent(Place<RealCellId>, Place<RealCellId>, u32),
    /// Sets this number of cells to 0. Value 0.
    Clear(Place<RealCellId>, u32),
    /// Evaluates a number for its effects. Value 0.
    Evaluate(RealId),
    /// Runs a call that writes only floating-point storage. Value 0.
    Run(ExpressionId),
    /// Calls an external function for its effect. Value 0.
    External(ExternalId, Vec<ExternalArgument>),
    /// Starts a process of a dynamic template, by name. Value 0.
    Spawn(String),
    /// Terminates the executing process, an instance of a dynamic template. Value 0.
    Exit,
    /// The number of running processes of a dynamic template, by name.
    NumberOf(String),
}

/// A floating-point argument, stored in the parameter before the function runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RealArgument {
    /// A number for the cell.
    Value(RealCellId, RealId),
    /// The content of an array or struct, copied to this number of cells from the first on.
    Content(RealCellId, Place<RealCellId>, u32),
}

/// The floating-point part of a function's signature.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RealSignature {
    /// The floating-point parameters that are passed by value, in order.
    pub parameters: Vec<RealBlock>,
    /// The result; absent if it is not a floating-point one.
    pub result: Option<RealBlock>,
}

/// Consecutive floating-point cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RealBlock {
    /// The first one.
    pub first: RealCellId,
    /// Their number.
    pub length: u32,
}

/// An external function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// The library as written.
    pub library: String,
    /// The function's name in the library.
    pub symbol: String,
    /// The function's name in the model.
    pub name: String,
}

/// An argument of an external function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExternalArgument {
    /// An integer or the content of an integer array or struct.
    Integer(Argument),
    /// This number of integers from a place on, which the library may write.
    Reference(Place<crate::Storage>, u32),
    /// A number.
    Real(RealId),
    /// The content of this number of floating-point cells.
    RealContent(Place<RealCellId>, u32),
    /// A text.
    Text(String),
}

/// An exponential rate: `rate`, or `rate : scale`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExponentialRate {
    /// The rate, or its numerator.
    pub rate: RealId,
    /// The denominator after the colon.
    pub scale: Option<RealId>,
    /// Its position, for errors.
    pub at: ExpressionId,
}

/// The edge before a branchpoint, of which an edge is a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stem {
    /// The position of the edge in its template.
    pub index: u32,
    /// The number of its select variables, which are the first of the edge.
    pub select: u32,
}

/// The weight of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weight {
    /// The weight.
    pub value: RealId,
    /// Its position, for errors.
    pub at: ExpressionId,
}

/// The rate of a hybrid clock in a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HybridRate {
    /// The process.
    pub process: ProcessId,
    /// The location.
    pub location: LocationId,
    /// The rate applies only if this holds.
    pub condition: Option<ExpressionId>,
    /// The clock.
    pub clock: Place<RealCellId>,
    /// The rate.
    pub rate: RealId,
    /// Its position, for errors.
    pub at: ExpressionId,
}

macro_rules! functions {
    ($($variant:ident = $name:literal, $arity:literal, $result:ident;)*) => {
        /// A function of the language on floating-point numbers.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum RealFunction { $(#[doc = concat!("`", $name, "`")] $variant,)* }

        impl RealFunction {
            /// All functions.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in models.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The number of arguments.
            #[must_use]
            pub fn arity(self) -> usize {
                match self { $(Self::$variant => $arity,)* }
            }

            /// The type of the value.
            #[must_use]
            pub fn result(self) -> RealResult {
                match self { $(Self::$variant => RealResult::$result,)* }
            }
        }
    };
}

/// The type of a function's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealResult {
    /// A floating-point number.
    Double,
    /// An integer.
    Integer,
    /// A truth value.
    Boolean,
    /// A floating-point number drawn from a distribution.
    Random,
}

functions! {
    Absolute = "fabs", 1, Double;
    Modulo = "fmod", 2, Double;
    FusedMultiplyAdd = "fma", 3, Double;
    Maximum = "fmax", 2, Double;
    Minimum = "fmin", 2, Double;
    PositiveDifference = "fdim", 2, Double;
    Exponential = "exp", 1, Double;
    Exponential2 = "exp2", 1, Double;
    ExponentialMinusOne = "expm1", 1, Double;
    NaturalLogarithm = "ln", 1, Double;
    Logarithm = "log", 1, Double;
    Logarithm10 = "log10", 1, Double;
    Logarithm2 = "log2", 1, Double;
    LogarithmPlusOne = "log1p", 1, Double;
    Power = "pow", 2, Double;
    SquareRoot = "sqrt", 1, Double;
    CubeRoot = "cbrt", 1, Double;
    Hypotenuse = "hypot", 2, Double;
    Sine = "sin", 1, Double;
    Cosine = "cos", 1, Double;
    Tangent = "tan", 1, Double;
    ArcSine = "asin", 1, Double;
    ArcCosine = "acos", 1, Double;
    ArcTangent = "atan", 1, Double;
    ArcTangent2 = "atan2", 2, Double;
    HyperbolicSine = "sinh", 1, Double;
    HyperbolicCosine = "cosh", 1, Double;
    HyperbolicTangent = "tanh", 1, Double;
    AreaSine = "asinh", 1, Double;
    AreaCosine = "acosh", 1, Double;
    AreaTangent = "atanh", 1, Double;
    Error = "erf", 1, Double;
    ErrorComplement = "erfc", 1, Double;
    Gamma = "tgamma", 1, Double;
    LogarithmOfGamma = "lgamma", 1, Double;
    Ceiling = "ceil", 1, Double;
    Floor = "floor", 1, Double;
    Truncation = "trunc", 1, Double;
    Rounding = "round", 1, Double;
    ToInteger = "fint", 1, Integer;
    Scale = "ldexp", 2, Double;
    IntegerExponent = "ilogb", 1, Integer;
    Exponent = "logb", 1, Double;
    NextAfter = "nextafter", 2, Double;
    CopySign = "copysign", 2, Double;
    Classify = "fpclassify", 1, Integer;
    IsFinite = "isfinite", 1, Boolean;
    IsInfinite = "isinf", 1, Boolean;
    IsNotANumber = "isnan", 1, Boolean;
    IsNormal = "isnormal", 1, Boolean;
    SignBit = "signbit", 1, Boolean;
    IsUnordered = "isunordered", 1, Boolean;
    Uniform = "random", 1, Random;
    RandomArcSine = "random_arcsine", 2, Random;
    RandomBeta = "random_beta", 2, Random;
    RandomGamma = "random_gamma", 2, Random;
    RandomNormal = "random_normal", 2, Random;
    RandomPoisson = "random_poisson", 1, Random;
    RandomTriangular = "random_tri", 3, Random;
    RandomWeibull = "random_weibull", 2, Random;
}

impl RealFunction {
    /// The function with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|function| function.name() == name)
    }

    /// The value for constant arguments; `None` if the standard library lacks the function or if
    /// the result is random.
    #[must_use]
    pub fn constant(self, arguments: &[f64]) -> Option<f64> {
        Some(match (self, arguments) {
            (Self::Absolute, [x]) => x.abs(),
            (Self::Modulo, [x, y]) => x % y,
            (Self::FusedMultiplyAdd, [x, y, z]) => x.mul_add(*y, *z),
            (Self::Maximum, [x, y]) => x.max(*y),
            (Self::Minimum, [x, y]) => x.min(*y),
            (Self::Exponential, [x]) => x.exp(),
            (Self::NaturalLogarithm | Self::Logarithm, [x]) => x.ln(),
            (Self::Logarithm10, [x]) => x.log10(),
            (Self::Logarithm2, [x]) => x.log2(),
            (Self::Power, [x, y]) => x.powf(*y),
            (Self::SquareRoot, [x]) => x.sqrt(),
            (Self::CubeRoot, [x]) => x.cbrt(),
            (Self::Ceiling, [x]) => x.ceil(),
            (Self::Floor, [x]) => x.floor(),
            (Self::Truncation | Self::ToInteger, [x]) => x.trunc(),
            (Self::Rounding, [x]) => x.round(),
            _ => return None,
        })
    }
}

/// The direct parts of a floating-point expression or of a stand-in's meaning.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RealParts {
    /// Floating-point operands.
    pub reals: Vec<RealId>,
    /// Integer operands, those of computed indices included.
    pub integers: Vec<ExpressionId>,
    /// The least number of floating-point cells that contains all its places.
    pub cells_end: usize,
}

impl RealParts {
    fn indices<Root>(&mut self, place: &Place<Root>) {
        self.integers.extend(place.indices.iter().map(|index| index.value));
    }

    fn place(&mut self, place: &Place<RealCellId>, length: u32) {
        self.indices(place);
        let end = place.root.index() + place.extent() + length as usize;
        self.cells_end = self.cells_end.max(end);
    }

    fn external(&mut self, arguments: &[ExternalArgument]) {
        for argument in arguments {
            match argument {
                ExternalArgument::Integer(Argument::Value(id)) => self.integers.push(*id),
                ExternalArgument::Integer(Argument::Content(place))
                | ExternalArgument::Reference(place, _) => self.indices(place),
                ExternalArgument::Real(id) => self.reals.push(*id),
                ExternalArgument::RealContent(place, length) => self.place(place, *length),
                ExternalArgument::Text(_) => {}
            }
        }
    }
}

impl RealExpression {
    /// Its direct parts.
    #[must_use]
    pub fn parts(&self) -> RealParts {
        let mut parts = RealParts::default();
        match self {
            Self::Constant(_) => {}
            Self::Integer(id) => parts.integers.push(*id),
            Self::Read(place) => parts.place(place, 1),
            Self::Clock(place) => parts.indices(place),
            Self::Negate(a) | Self::Sum { body: a, .. } => parts.reals.push(*a),
            Self::Binary(_, a, b) => parts.reals.extend([*a, *b]),
            Self::Conditional(condition, a, b) => {
                parts.integers.push(*condition);
                parts.reals.extend([*a, *b]);
            }
            Self::Apply(_, arguments) => parts.reals.extend(arguments),
            Self::External(_, arguments) => parts.external(arguments),
            Self::After(run, last) => {
                parts.integers.extend(run);
                parts.reals.push(*last);
            }
        }
        parts
    }
}

impl RealArgument {
    /// Its direct parts.
    #[must_use]
    pub fn parts(&self) -> RealParts {
        let mut parts = RealParts::default();
        match self {
            Self::Value(cell, value) => {
                parts.reals.push(*value);
                parts.place(&Place::fixed(*cell), 1);
            }
            Self::Content(cell, place, length) => {
                parts.place(&Place::fixed(*cell), *length);
                parts.place(place, *length);
            }
        }
        parts
    }
}

/// A construct that symbolic analysis does not support.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Construct {
    /// Floating-point numbers.
    FloatingPoint,
    /// Numbers drawn from a distribution.
    Random,
    /// External functions.
    External,
    /// Processes that are started at run time.
    Dynamic,
}

/// A stand-in or call that symbolic analysis needs but cannot evaluate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NeededReal {
    /// The stand-in or the call.
    pub at: ExpressionId,
    /// The unsupported construct.
    pub construct: Construct,
}

impl RealUse {
    /// Its direct parts.
    #[must_use]
    pub fn parts(&self) -> RealParts {
        let mut parts = RealParts::default();
        match self {
            Self::Compare(_, a, b) => parts.reals.extend([*a, *b]),
            Self::Integer(a) | Self::Number(a) | Self::Evaluate(a) => parts.reals.push(*a),
            Self::Run(id) => parts.integers.push(*id),
            Self::Assign(place, value) => {
                parts.place(place, 1);
                parts.reals.push(*value);
            }
            Self::SameContent(a, b, length) | Self::CopyContent(a, b, length) => {
                parts.place(a, *length);
                parts.place(b, *length);
            }
            Self::Clear(place, length) => parts.place(place, *length),
            Self::External(_, arguments) => parts.external(arguments),
            Self::Spawn(_) | Self::Exit | Self::NumberOf(_) => {}
        }
        parts
    }

    /// Whether symbolic analysis can omit it.
    fn is_negligible(&self) -> bool {
        !self.is_needed()
    }

    /// Whether symbolic analysis needs its value or its effect.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        match self {
            Self::Assign(..)
            | Self::CopyContent(..)
            | Self::Clear(..)
            | Self::Evaluate(_)
            | Self::Run(_) => false,
            Self::Compare(..)
            | Self::SameContent(..)
            | Self::Integer(_)
            | Self::Number(_)
            | Self::External(..)
            | Self::Spawn(_)
            | Self::Exit
            | Self::NumberOf(_) => true,
        }
    }
}

impl Statistical {
    /// Whether no expression, clock or rate of the model depends on the statistical part.
    #[must_use]
    pub fn is_symbolic(&self) -> bool {
        self.uses.is_empty() && self.lossy.is_empty() && self.clock_starts.is_empty()
    }

    /// The construct that a stand-in or a lossy call replaces.
    fn construct(&self, at: ExpressionId) -> Construct {
        let mut open: Vec<RealId> = Vec::new();
        match self.uses.get(&at) {
            Some(RealUse::External(..)) => return Construct::External,
            Some(RealUse::Spawn(_) | RealUse::Exit | RealUse::NumberOf(_)) => {
                return Construct::Dynamic;
            }
            Some(other) => open.extend(other.parts().reals),
            None => {}
        }
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &self.expressions[id] {
                RealExpression::Apply(function, _) if function.result() == RealResult::Random => {
                    return Construct::Random;
                }
                RealExpression::External(..) => return Construct::External,
                other => open.extend(other.parts().reals),
            }
        }
        Construct::FloatingPoint
    }
}

impl Model {
    /// The stand-ins and calls of the instantiated system that symbolic analysis needs but cannot
    /// evaluate, in order of their ids: those in guards, invariants, rates, synchronisations,
    /// updates, hooks, and the functions that these call.
    #[must_use]
    pub fn needed_reals(&self) -> Vec<NeededReal> {
        if self.statistical.is_symbolic() {
            return Vec::new();
        }
        let mut reach = ReachableExpressions::new(self);
        let hooks = self.before_update.iter().chain(&self.after_update);
        reach.open.extend(hooks);
        for process in &self.processes {
            for location in &process.locations {
                reach.condition(&location.invariant);
                for rate in &location.rates {
                    reach.open.extend(rate.condition);
                    reach.place(&rate.clock);
                    reach.open.push(rate.rate);
                }
                reach.open.extend(location.cost_rate);
            }
            for edge in &process.edges {
                reach.condition(&edge.guard);
                if let Some(synchronisation) = &edge.synchronisation {
                    reach.place(&synchronisation.channel);
                }
                reach.open.extend(&edge.updates);
            }
        }
        reach.needed()
    }

    /// Whether symbolic analysis can evaluate a condition exactly.
    #[must_use]
    pub fn is_symbolic(&self, condition: &crate::Condition) -> bool {
        let mut reach = ReachableExpressions::new(self);
        reach.condition(condition);
        self.statistical.is_symbolic() || reach.needed().is_empty()
    }

    /// The stand-ins and calls of a query that symbolic analysis needs but cannot evaluate.
    #[must_use]
    pub fn needed_reals_of(&self, query: QueryId) -> Vec<NeededReal> {
        if self.statistical.is_symbolic() {
            return Vec::new();
        }
        let mut reach = ReachableExpressions::new(self);
        match &self.queries[query].kind {
            QueryKind::Possibly(p)
            | QueryKind::Always(p)
            | QueryKind::PossiblyAlways(p)
            | QueryKind::Eventually(p) => reach.formula(p),
            QueryKind::LeadsTo(p, q) => {
                reach.formula(p);
                reach.formula(q);
            }
            QueryKind::Supremum(p, values)
            | QueryKind::Infimum(p, values)
            | QueryKind::Bounds(p, values) => {
                reach.formula(p);
                for value in values {
                    match value {
                        Extremum::Integer(id) => reach.open.push(*id),
                        Extremum::Clock(place) => reach.place(place),
                        Extremum::Cost => {}
                    }
                }
            }
            QueryKind::Statistical(_) | QueryKind::Unsupported(_) | QueryKind::Damaged => {}
        }
        reach.needed()
    }
}

/// The expressions that can be evaluated, collected from a set of roots.
struct ReachableExpressions<'m> {
    model: &'m Model,
    open: Vec<ExpressionId>,
    seen: Vec<bool>,
    functions: Vec<bool>,
    found: BTreeSet<ExpressionId>,
}

impl<'m> ReachableExpressions<'m> {
    fn new(model: &'m Model) -> Self {
        Self {
            model,
            open: Vec::new(),
            seen: vec![false; model.expressions.len()],
            functions: vec![false; model.functions.len()],
            found: BTreeSet::new(),
        }
    }

    fn place<Root>(&mut self, place: &Place<Root>) {
        self.open.extend(place.indices.iter().map(|index| index.value));
    }

    fn condition(&mut self, condition: &crate::Condition) {
        self.open.extend(condition.data);
        for constraint in &condition.clocks {
            self.constraint(constraint);
        }
    }

    fn constraint(&mut self, constraint: &crate::ClockConstraint) {
        self.open.extend(constraint.condition);
        self.place(&constraint.left);
        if let Some(right) = &constraint.right {
            self.place(right);
        }
        self.open.push(constraint.bound);
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Data(id) => self.open.push(*id),
            Formula::Clock(constraint) => self.constraint(constraint),
            Formula::Deadlock => {}
            Formula::Not(inner) => self.formula(inner),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.formula(part));
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Expression(id) | Statement::Assert(id) => self.open.push(*id),
                Statement::Return(value) => self.open.extend(value),
                _ if self.is_inert(statement) => {}
                Statement::If(condition, yes, no) => {
                    self.open.push(*condition);
                    self.statements(yes);
                    self.statements(no);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.open.push(*condition);
                    self.statements(body);
                }
                Statement::Iterate { body, .. } => self.statements(body),
                Statement::ReturnContent { source, .. } => self.place(source),
            }
        }
    }

    /// Whether a statement branches on floating point, and its branches write only floating point.
    /// Symbolic analysis may take either branch: it has no effect there and terminates for all
    /// values.
    fn is_inert(&self, statement: &Statement) -> bool {
        let all = |body: &[Statement]| body.iter().all(|statement| self.is_inert(statement));
        match statement {
            Statement::Expression(id) => self.is_stand_in(*id, RealUse::is_negligible),
            Statement::If(condition, yes, no) => {
                self.is_unknown(*condition, true) && all(yes) && all(no)
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                self.is_unknown(*condition, false) && all(body)
            }
            Statement::Iterate { body, .. } => all(body),
            Statement::Return(_) | Statement::ReturnContent { .. } | Statement::Assert(_) => false,
        }
    }

    /// Whether an expression is a stand-in without integer effects whose meaning satisfies `fits`.
    fn is_stand_in(&self, id: ExpressionId, fits: impl Fn(&RealUse) -> bool) -> bool {
        let statistical = &self.model.statistical;
        statistical.uses.get(&id).is_some_and(fits)
            && !statistical.lossy.contains(&id)
            && matches!(self.model.expressions[id], Expression::Constant(0))
    }

    /// Whether a condition consists of stand-ins without integer effects. If negations are not
    /// allowed, symbolic analysis evaluates such a condition to 0.
    fn is_unknown(&self, condition: ExpressionId, may_negate: bool) -> bool {
        let mut open = vec![condition];
        while let Some(id) = open.pop() {
            match self.model.expressions[id] {
                Expression::And(a, b) | Expression::Or(a, b) => open.extend([a, b]),
                Expression::Unary(UnaryOperator::Not, a) if may_negate => open.push(a),
                _ if self.is_stand_in(id, |meaning| matches!(meaning, RealUse::Compare(..))) => {}
                _ => return false,
            }
        }
        true
    }

    fn needed(mut self) -> Vec<NeededReal> {
        let statistical = &self.model.statistical;
        while let Some(id) = self.open.pop() {
            if std::mem::replace(&mut self.seen[id.index()], true) {
                continue;
            }
            let is_needed = statistical.uses.get(&id).is_some_and(RealUse::is_needed);
            if is_needed || statistical.lossy.contains(&id) {
                self.found.insert(id);
            }
            let expression = &self.model.expressions[id];
            expression.for_each_child(|child| self.open.push(child));
            if let Expression::Call(function, _) = expression
                && !std::mem::replace(&mut self.functions[function.index()], true)
            {
                self.statements(&self.model.functions[*function].body);
            }
        }
        let construct = |at| NeededReal { at, construct: statistical.construct(at) };
        self.found.iter().copied().map(construct).collect()
    }
}
