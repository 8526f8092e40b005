//! The tables of stochastic semantics: clock constraints with any bound, rates of clocks,
//! exponential rates, and weights of branches.

use crate::code::{CodeRef, Machine};
use crate::condition::{ClockRow, CompiledCondition, Constraint};
use crate::network::{ActionId, CompiledNetwork, CompiledQuery};
use crate::random::generator;
use crate::real_code::RealMemory;
use crate::translate::Translator;
use zonaut_base::Id;
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::statistical::{RealCellId, RealExpression, RealId, RealRole, RealUse, Stem};
use zonaut_model::{ClockId, EdgeId, Expression, ExpressionId, Model, Place, ProcessId, Relation};

/// A constraint `x - y` below a bound, on rows of clocks; row 0 is the constant 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RealConstraint {
    /// The clock.
    pub x: ClockRow,
    /// The clock that is subtracted.
    pub y: ClockRow,
    /// The bound on the difference.
    pub bound: f64,
    /// Whether the bound itself is excluded.
    pub is_strict: bool,
}

impl RealConstraint {
    /// The constraints equivalent to `x - y relation value`, one or two.
    pub(crate) fn of(
        x: ClockRow,
        y: ClockRow,
        relation: Relation,
        value: f64,
    ) -> [Option<Self>; 2] {
        let upper = |is_strict| Some(Self { x, y, bound: value, is_strict });
        let lower = |is_strict| Some(Self { x: y, y: x, bound: -value, is_strict });
        match relation {
            Relation::Less => [upper(true), None],
            Relation::LessEqual => [upper(false), None],
            Relation::Equal => [upper(false), lower(false)],
            Relation::GreaterEqual => [lower(false), None],
            Relation::Greater => [lower(true), None],
        }
    }
}

impl From<Constraint> for RealConstraint {
    fn from(Constraint { x, y, bound }: Constraint) -> Self {
        Self { x, y, bound: bound.value().into(), is_strict: bound.is_strict() }
    }
}

/// A quantity that changes while time passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowTarget {
    /// A clock, by its index.
    Clock(usize),
    /// A hybrid clock, by its cell.
    Cell(usize),
}

/// A rate that a location sets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flow {
    /// The quantity.
    pub target: FlowTarget,
    /// Its rate in the current state.
    pub rate: f64,
    /// Whether the rate changes while time passes.
    pub is_curved: bool,
}

/// The exponential rate of a location.
#[derive(Clone, Copy, Debug)]
struct CompiledExponential {
    rate: CodeRef,
    scale: Option<CodeRef>,
    at: ExpressionId,
}

/// The rate of a hybrid clock.
#[derive(Clone, Debug)]
struct CompiledHybridRate {
    condition: Option<CodeRef>,
    first: u32,
    displacement: CodeRef,
    rate: CodeRef,
}

/// The floating-point expressions of a query.
#[derive(Clone, Copy, Debug)]
pub struct CompiledNumber {
    pub(crate) code: CodeRef,
    pub(crate) is_timed: bool,
}

impl CompiledNumber {
    /// Whether it changes while time passes.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }
}

/// The tables of stochastic semantics.
#[derive(Clone, Debug)]
pub(crate) struct SamplingTables {
    /// The weights of the actions.
    weights: Vec<Option<CodeRef>>,
    /// The exponential rates, by process and location.
    exponential: Vec<Vec<Option<CompiledExponential>>>,
    /// The rates of hybrid clocks, by process and location.
    hybrid: Vec<Vec<Vec<CompiledHybridRate>>>,
    /// The cells of hybrid clocks.
    hybrid_cells: Vec<usize>,
    /// By process and location, whether a rate there changes while time passes.
    curved: Vec<Vec<bool>>,
    /// By process and edge, the stem of a branch.
    stems: Vec<Vec<Option<Stem>>>,
    /// The initial values of cells: code for those that are computed.
    starts: Vec<Option<CodeRef>>,
    clock_starts: Vec<f64>,
}

impl SamplingTables {
    pub(crate) fn new(translator: &mut Translator<'_>, weights: Vec<Option<CodeRef>>) -> Self {
        let model = translator.model;
        let statistical = &model.statistical;
        let zero = ExpressionId::from_index(0);
        let (mut exponential, mut hybrid, mut curved) = (Vec::new(), Vec::new(), Vec::new());
        for (process, definition) in model.processes.iter_enumerated() {
            let mut rates = Vec::new();
            let mut flows: Vec<Vec<CompiledHybridRate>> =
                definition.locations.iter().map(|_| Vec::new()).collect();
            let mut bends: Vec<bool> = Vec::new();
            for (id, location) in definition.locations.iter_enumerated() {
                let rate = statistical.exponential_rates.get(&(process, id));
                rates.push(rate.map(|rate| CompiledExponential {
                    rate: translator.real_expression(rate.rate, rate.at),
                    scale: rate.scale.map(|scale| translator.real_expression(scale, rate.at)),
                    at: rate.at,
                }));
                let time = TimeUse::of(model);
                bends.push(location.rates.iter().any(|rate| time.expression(rate.rate)));
            }
            for rate in statistical.rates.iter().filter(|rate| rate.process == process) {
                let Place { root, indices } = &rate.clock;
                flows[rate.location.index()].push(CompiledHybridRate {
                    condition: rate.condition.map(|condition| translator.expression(condition)),
                    first: root.index() as u32,
                    displacement: translator.displacement_code(indices, rate.at),
                    rate: translator.real_expression(rate.rate, rate.at),
                });
                bends[rate.location.index()] |= TimeUse::of(model).real(rate.rate);
            }
            exponential.push(rates);
            hybrid.push(flows);
            curved.push(bends);
        }
        let starts = statistical.cells.iter();
        let starts =
            starts.map(|cell| cell.initial.map(|real| translator.real_expression(real, zero)));
        let starts = starts.collect();
        let start = |(id, clock): (ClockId, &zonaut_model::Clock)| {
            let start = statistical.clock_starts.get(&id);
            start.map_or(f64::from(clock.initial), |start| start.value())
        };
        let is_hybrid = |role| role == RealRole::HybridClock;
        let cells = statistical.cells.iter().enumerate();
        let stem =
            |process: ProcessId, edge: EdgeId| statistical.stems.get(&(process, edge)).copied();
        Self {
            weights,
            exponential,
            hybrid,
            hybrid_cells: cells.filter(|(_, c)| is_hybrid(c.role)).map(|(k, _)| k).collect(),
            curved,
            stems: model
                .processes
                .iter_enumerated()
                .map(|(process, p)| p.edges.ids().map(|edge| stem(process, edge)).collect())
                .collect(),
            starts,
            clock_starts: model.clocks.iter_enumerated().map(start).collect(),
        }
    }
}

impl CompiledNetwork {
    fn tables(&self) -> &SamplingTables {
        self.sampling.as_ref().expect("invariant: the network is compiled for sampling")
    }

    /// Starts run number `run` under `seed`: sets `values` and the floating-point memory of the
    /// machine to the initial state.
    ///
    /// # Errors
    /// If an initial value cannot be computed.
    pub fn start_run(
        &self,
        seed: u64,
        run: u64,
        values: &mut Vec<i32>,
        machine: &mut Machine,
    ) -> Result<(), RunTimeError> {
        let tables = self.tables();
        values.clear();
        values.extend_from_slice(&self.initial);
        let reals = machine.reals.get_or_insert_with(|| {
            Box::new(RealMemory {
                cells: vec![0.0; tables.starts.len()],
                clocks: vec![0.0; tables.clock_starts.len()],
                random: generator(seed, run),
                stack: Vec::new(),
            })
        });
        reals.random = generator(seed, run);
        reals.stack.clear();
        reals.cells.fill(0.0);
        reals.clocks.copy_from_slice(&tables.clock_starts);
        for (cell, start) in tables.starts.iter().enumerate() {
            let Some(code) = start else { continue };
            let value = self.program.run_real(*code, values, machine)?;
            if let Some(reals) = &mut machine.reals {
                reals.cells[cell] = value;
            }
        }
        Ok(())
    }

    /// Calls `visit` with every clock constraint of `condition` that applies.
    ///
    /// # Errors
    /// If evaluation fails.
    #[inline]
    pub fn for_each_real_constraint(
        &self,
        condition: &CompiledCondition,
        values: &mut [i32],
        machine: &mut Machine,
        visit: impl FnMut(RealConstraint),
    ) -> Result<(), RunTimeError> {
        condition.for_each_real_constraint(&self.program, values, machine, visit)
    }

    /// The exponential rate of the location of a process; `None` if it has none.
    ///
    /// # Errors
    /// If it cannot be evaluated, or is negative.
    pub fn exponential_rate(
        &self,
        process: usize,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<Option<f64>, RunTimeError> {
        let location = values[process] as usize;
        let Some(exponential) = self.tables().exponential[process][location] else {
            return Ok(None);
        };
        let mut rate = self.program.run_real(exponential.rate, values, machine)?;
        let error = |kind| RunTimeError { kind, expression: exponential.at };
        if let Some(scale) = exponential.scale {
            let scale = self.program.run_real(scale, values, machine)?;
            if scale == 0.0 {
                return Err(error(ErrorKind::Division));
            }
            rate /= scale;
        }
        if rate < 0.0 { Err(error(ErrorKind::NegativeRate)) } else { Ok(Some(rate)) }
    }

    /// Whether the location of a process has an exponential rate.
    #[must_use]
    pub fn has_exponential_rate(&self, process: usize, values: &[i32]) -> bool {
        self.tables().exponential[process][values[process] as usize].is_some()
    }

    /// The weight of an action: 1 unless its branch has one.
    ///
    /// # Errors
    /// If it cannot be evaluated, or is negative.
    pub fn weight(
        &self,
        action: ActionId,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<f64, RunTimeError> {
        let Some(code) = self.tables().weights[action.index()] else { return Ok(1.0) };
        let weight = self.program.run_real(code, values, machine)?;
        if weight < 0.0 {
            return Err(self.weight_error(action, ErrorKind::NegativeRate));
        }
        Ok(weight)
    }

    /// An error at the weight of an action.
    #[must_use]
    pub fn weight_error(&self, action: ActionId, kind: ErrorKind) -> RunTimeError {
        let code = self.tables().weights[action.index()];
        let blame = code.map(|code| self.program.blame[code.0 as usize]);
        RunTimeError { kind, expression: blame.unwrap_or(ExpressionId::from_index(0)) }
    }

    /// The stem of an action, if it is a branch.
    #[must_use]
    pub fn stem(&self, action: ActionId) -> Option<Stem> {
        let action = self.action(action);
        self.tables().stems[action.process.index()][action.edge.index()]
    }

    /// Whether a rate in these locations changes while time passes.
    #[must_use]
    pub fn is_curved(&self, values: &[i32]) -> bool {
        let curved = &self.tables().curved;
        (0..self.process_count()).any(|process| curved[process][values[process] as usize])
    }

    /// Whether an invariant depends on floating point that changes while time passes.
    #[must_use]
    pub fn has_timed_invariants(&self) -> bool {
        self.locations().any(|location| location.invariant.is_timed())
    }

    /// The cells of hybrid clocks.
    #[must_use]
    pub fn hybrid_cells(&self) -> &[usize] {
        &self.tables().hybrid_cells
    }

    /// Calls `visit` with every rate that a location sets, in system order.
    ///
    /// # Errors
    /// If a rate cannot be evaluated.
    pub fn for_each_flow(
        &self,
        values: &mut [i32],
        machine: &mut Machine,
        mut visit: impl FnMut(Flow),
    ) -> Result<(), RunTimeError> {
        for process in 0..self.process_count() {
            for compiled in &self.location(process, values).rates {
                if let Some((row, rate)) = compiled.number(&self.program, values, machine)? {
                    let target = FlowTarget::Clock(row as usize - 1);
                    visit(Flow { target, rate, is_curved: compiled.is_curved });
                }
            }
            for rate in &self.tables().hybrid[process][values[process] as usize] {
                if let Some(condition) = rate.condition
                    && self.program.run(condition, values, machine)? == 0
                {
                    continue;
                }
                let displacement = self.program.run(rate.displacement, values, machine)?;
                let target = FlowTarget::Cell(rate.first as usize + displacement as usize);
                let rate = self.program.run_real(rate.rate, values, machine)?;
                visit(Flow { target, rate, is_curved: true });
            }
        }
        Ok(())
    }
}

impl CompiledQuery {
    /// The value of a number in the state of the machine.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn number(
        &self,
        number: CompiledNumber,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<f64, RunTimeError> {
        self.program.run_real(number.code, values, machine)
    }

    /// Calls `visit` with every clock constraint of `condition` that applies, with bounds of any
    /// number.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn for_each_real_constraint(
        &self,
        condition: &CompiledCondition,
        values: &mut [i32],
        machine: &mut Machine,
        visit: impl FnMut(RealConstraint),
    ) -> Result<(), RunTimeError> {
        condition.for_each_real_constraint(&self.program, values, machine, visit)
    }
}

/// Whether expressions depend on clocks, also through hybrid clocks and functions.
pub(crate) struct TimeUse<'m> {
    model: &'m Model,
}

impl<'m> TimeUse<'m> {
    pub(crate) fn of(model: &'m Model) -> Self {
        Self { model }
    }

    /// Whether a floating-point expression depends on a clock.
    pub(crate) fn real(&self, real: RealId) -> bool {
        let statistical = &self.model.statistical;
        let expression = &statistical.expressions[real];
        let of_place = |place: &Place<RealCellId>| {
            let first = place.root.index();
            let mut cells = first..=first + place.extent();
            cells.any(|k| statistical.cells[Id::from_index(k)].role == RealRole::HybridClock)
        };
        match expression {
            RealExpression::Clock(_) => true,
            RealExpression::Read(place) if of_place(place) => true,
            _ => {
                let parts = expression.parts();
                parts.reals.iter().any(|&part| self.real(part))
                    || parts.integers.iter().any(|&part| self.expression(part))
            }
        }
    }

    /// Whether an integer expression depends on a clock. A call of a function counts as one, if the
    /// model has floating point.
    pub(crate) fn expression(&self, id: ExpressionId) -> bool {
        let statistical = &self.model.statistical;
        if statistical.uses.is_empty() {
            return false;
        }
        if let Some(meaning) = statistical.uses.get(&id)
            && self.meaning(meaning)
        {
            return true;
        }
        let expression = &self.model.expressions[id];
        if let Expression::Call(..) = expression {
            return !statistical.cells.is_empty();
        }
        let mut is_timed = false;
        expression.for_each_child(|child| is_timed |= self.expression(child));
        is_timed
    }

    fn meaning(&self, meaning: &RealUse) -> bool {
        let parts = meaning.parts();
        parts.reals.iter().any(|&part| self.real(part))
            || parts.integers.iter().any(|&part| self.expression(part))
    }
}
