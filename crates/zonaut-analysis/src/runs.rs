//! Runs over sets of values: every variable takes each of its values in turn, but only when it is
//! read.
//!
//! A *run* evaluates expressions on single values. When it reads a variable for the first time, a
//! value is chosen from the variable's set and kept for the rest of the run. [`Runs::for_each`]
//! repeats the run for every sequence of choices, last choice first, so that `a[i]` branches over
//! the values of `i` and then over those of the one element that is read. The runs are exactly the
//! evaluations of all tuples of values, up to differences in variables that are not read: a
//! property holds for every run if and only if it holds for every tuple. This is more precise than
//! value sets, and takes more time; so there are limits.

use crate::domain::{Applied, Domain, Limited, Truth};
use crate::failure::FailureKinds;
use crate::normal_form::{Binding, Bindings, Test};
use crate::variables::{Meaning, VariableId, Variables};
use crate::walk::Walk;
use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_model::interpret::{ErrorKind, apply, apply_unary};
use zonaut_model::{
    BinaryOperator, LocalId, LocationId, Model, PlaceIndex, ProcessId, Range, Storage,
    UnaryOperator,
};

/// The sets that values are chosen from.
pub trait Choices {
    /// The number of values to choose from; `None` if the set is too large to enumerate.
    fn count(&self, variable: VariableId) -> Option<u32>;
    /// The value at a position.
    fn value(&self, variable: VariableId, position: u32) -> i32;
}

/// The result of all runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every sequence of choices was run.
    Complete {
        /// Whether some run failed.
        failed: bool,
    },
    /// The callback stopped the enumeration.
    Stopped,
    /// Not all runs were performed.
    Unknown,
}

/// The limits of one enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of runs.
    pub runs: u32,
    /// Maximum number of steps of all runs together.
    pub steps: u32,
}

impl Limits {
    /// The limits of enumerations that are performed once.
    pub const PREPARATION: Self = Self { runs: 4096, steps: 1 << 17 };
    /// The limits of enumerations that are performed for every state.
    pub const STATE: Self = Self { runs: 512, steps: 1 << 14 };
}

/// A value chosen for a variable.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// The variable or, behind all variables, the temporary storage.
    slot: u32,
    /// The index of the chosen value.
    position: u32,
    count: u32,
}

/// The working memory of runs; it is reused between enumerations.
#[derive(Clone, Debug)]
pub struct Runs<'m> {
    model: &'m Model,
    limits: Limits,
    tape: Tape,
    /// The steps of the last enumeration, which are reported to the meter before the next one.
    owed: u32,
}

/// The state of a run and of the choices before it.
#[derive(Clone, Debug)]
struct Tape {
    variables: Variables,
    /// The value of each variable in this run, valid if `known` is the number of the run.
    values: Vec<i32>,
    known: Vec<u64>,
    run: u64,
    locals: Vec<i32>,
    free: Vec<(LocalId, i32, i32)>,
    /// The variables written in this run.
    written: Vec<VariableId>,
    is_written: Vec<u64>,
    choices: Vec<Choice>,
    /// The number of choices that this run has reached.
    passed: usize,
    steps: u32,
    /// Whether a set that is too large was read, or the budget is spent.
    is_unknown: bool,
    meter: Meter,
}

/// The domain of single values that are chosen on demand.
#[derive(Debug)]
pub struct Chosen<'r, S> {
    model: &'r Model,
    tape: &'r mut Tape,
    sets: &'r S,
}

/// A walk over single values.
pub type RunWalk<'m, 'r, S> = Walk<'m, Chosen<'r, S>>;

impl<'m> Runs<'m> {
    /// Working memory for runs over expressions of `model`.
    #[must_use]
    pub fn new(model: &'m Model, limits: Limits) -> Self {
        let variables = Variables::new(model);
        let slots = variables.len() + model.locals.len();
        let tape = Tape {
            values: vec![0; variables.len()],
            known: vec![0; slots],
            run: 0,
            locals: vec![0; model.locals.len()],
            free: Vec::new(),
            written: Vec::new(),
            is_written: vec![0; variables.len()],
            variables,
            choices: Vec::new(),
            passed: 0,
            steps: 0,
            is_unknown: false,
            meter: Meter::default(),
        };
        Self { model, limits, tape, owed: 0 }
    }

    /// The runs with a meter. After it has stopped, every outcome is unknown.
    #[must_use]
    pub fn metered(mut self, meter: &Meter) -> Self {
        self.tape.meter = meter.clone();
        self
    }

    /// The meter that counts the steps.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.tape.meter
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Calls `attempt` for every sequence of choices, until it breaks. It returns `None` if an
    /// evaluation did.
    pub fn for_each<S: Choices>(
        &mut self,
        sets: &S,
        bindings: &Bindings,
        attempt: impl FnMut(&mut RunWalk<'m, '_, S>) -> Option<ControlFlow<()>>,
    ) -> Outcome {
        if self.tape.meter.spend(self.owed).is_err() {
            return Outcome::Unknown;
        }
        let outcome = self.all(sets, bindings, attempt);
        self.owed = 1 + self.limits.steps - self.tape.steps;
        outcome
    }

    fn all<S: Choices>(
        &mut self,
        sets: &S,
        bindings: &Bindings,
        mut attempt: impl FnMut(&mut RunWalk<'m, '_, S>) -> Option<ControlFlow<()>>,
    ) -> Outcome {
        self.tape.prepare(bindings, self.limits.steps);
        let domain = Chosen { model: self.model, tape: &mut self.tape, sets };
        let mut walk = Walk::new(self.model, domain, ());
        let mut failed = false;
        for _ in 0..self.limits.runs {
            walk.domain.tape.begin();
            match attempt(&mut walk) {
                Some(ControlFlow::Continue(())) => {}
                Some(ControlFlow::Break(())) => return Outcome::Stopped,
                None if walk.domain.tape.is_unknown => return Outcome::Unknown,
                None => {
                    failed = true;
                    walk.restart(());
                }
            }
            if !walk.domain.tape.advance() {
                return Outcome::Complete { failed };
            }
        }
        Outcome::Unknown
    }

    /// The choices of variables in the last run.
    pub fn choices(&self) -> impl Iterator<Item = (VariableId, u32)> {
        self.tape.choices()
    }
}

impl<S: Choices> RunWalk<'_, '_, S> {
    /// Whether a test holds.
    pub fn satisfies(&mut self, test: &Test) -> Option<bool> {
        Some(self.test(test)? == Truth::Holds)
    }

    /// The element that indices select, by its offset from the first.
    pub fn displacement_of(&mut self, indices: &[PlaceIndex]) -> Option<usize> {
        self.displacements(indices)?.as_slice().first().copied()
    }

    /// The choices of variables in this run.
    pub fn choices(&self) -> impl Iterator<Item = (VariableId, u32)> {
        self.domain.tape.choices()
    }

    /// Ends a transition after its updates: `meta` variables have their initial values again.
    pub fn end_transition(&mut self) {
        let model = self.model();
        let tape = &mut *self.domain.tape;
        for position in 0..tape.written.len() {
            let variable = tape.written[position];
            if let Meaning::Cell(cell) = tape.variables.meaning(variable)
                && model.cells[cell].meta
            {
                tape.values[variable.index()] = model.cells[cell].initial;
            }
        }
    }

    /// The values that this run wrote.
    pub fn written(&self) -> impl Iterator<Item = (VariableId, i32)> {
        let tape = &*self.domain.tape;
        tape.written.iter().map(|&variable| (variable, tape.values[variable.index()]))
    }
}

impl Tape {
    fn prepare(&mut self, bindings: &Bindings, steps: u32) {
        self.free.clear();
        for &(local, binding) in bindings {
            match binding {
                Binding::Value(value) => self.locals[local.index()] = value,
                Binding::Any(low, high) => self.free.push((local, low, high)),
            }
        }
        self.choices.clear();
        self.steps = steps;
        self.is_unknown = false;
    }

    fn begin(&mut self) {
        self.run += 1;
        self.passed = 0;
        self.written.clear();
    }

    /// Advances to the next sequence of choices, if there is one.
    fn advance(&mut self) -> bool {
        // There are no choices that the run did not reach: a run repeats the one before up to the
        // choice that changed.
        while let Some(last) = self.choices.last_mut() {
            if last.position + 1 < last.count {
                last.position += 1;
                return true;
            }
            self.choices.pop();
        }
        false
    }

    fn choices(&self) -> impl Iterator<Item = (VariableId, u32)> {
        let variables = self.variables.len();
        let chosen = self.choices.iter().filter(move |choice| (choice.slot as usize) < variables);
        chosen.map(|choice| (VariableId::from_index(choice.slot as usize), choice.position))
    }

    fn choose(&mut self, slot: usize, count: Option<u32>) -> Option<u32> {
        if let Some(choice) = self.choices.get(self.passed) {
            debug_assert_eq!(choice.slot as usize, slot, "a run repeats the one before");
            self.passed += 1;
            return Some(choice.position);
        }
        let Some(count) = count.filter(|&count| count > 0) else { return self.give_up() };
        self.choices.push(Choice { slot: slot as u32, position: 0, count });
        self.passed += 1;
        Some(0)
    }

    fn give_up<T>(&mut self) -> Option<T> {
        self.is_unknown = true;
        None
    }

    /// Chooses a value for temporary storage that is free and has none in this run.
    fn choose_local(&mut self, local: LocalId) -> Option<()> {
        let Some(&(_, low, high)) = self.free.iter().find(|(free, ..)| *free == local) else {
            return Some(());
        };
        let slot = self.variables.len() + local.index();
        if self.known[slot] != self.run {
            let size = i64::from(high) - i64::from(low) + 1;
            let position = self.choose(slot, u32::try_from(size).ok())?;
            self.locals[local.index()] = low + position as i32;
            self.known[slot] = self.run;
        }
        Some(())
    }
}

impl<S: Choices> Chosen<'_, S> {
    fn read(&mut self, variable: VariableId) -> Option<i32> {
        let slot = variable.index();
        if self.tape.known[slot] != self.tape.run {
            let position = self.tape.choose(slot, self.sets.count(variable))?;
            self.tape.values[slot] = self.sets.value(variable, position);
            self.tape.known[slot] = self.tape.run;
        }
        Some(self.tape.values[slot])
    }
}

fn applied(result: Result<i32, ErrorKind>) -> Applied<i32> {
    match result {
        Ok(value) => Applied::safe(value),
        Err(kind) => Applied { value: None, failures: FailureKinds::only(kind.into()) },
    }
}

impl<S: Choices> Domain for Chosen<'_, S> {
    type Value = i32;
    type Memory = ();
    type Scope = ();
    const TAKES_DOWN_FAILURES: bool = false;

    #[inline]
    fn constant(&mut self, value: i32) -> i32 {
        value
    }

    /// Select variables are bound before a run; no other variable is open.
    fn between(&mut self, low: i32, high: i32) -> Option<i32> {
        if low == high { Some(low) } else { self.tape.give_up() }
    }

    #[inline]
    fn unary(&mut self, operator: UnaryOperator, operand: &i32) -> Applied<i32> {
        applied(apply_unary(operator, *operand))
    }

    #[inline]
    fn binary(&mut self, operator: BinaryOperator, left: &i32, right: &i32) -> Applied<i32> {
        applied(apply(operator, *left, *right))
    }

    fn sum(&mut self, value: &i32, count: u64) -> Applied<i32> {
        let sum = i64::try_from(count).ok().and_then(|count| i64::from(*value).checked_mul(count));
        applied(sum.and_then(|sum| i32::try_from(sum).ok()).ok_or(ErrorKind::Overflow))
    }

    #[inline]
    fn truth(&self, value: &i32) -> Truth {
        if *value != 0 { Truth::Holds } else { Truth::Fails }
    }

    #[inline]
    fn limit(&mut self, value: &i32, range: Range) -> Limited<i32> {
        let is_inside = range.contains(i64::from(*value));
        Limited { inside: is_inside.then_some(*value), may_exceed: !is_inside }
    }

    fn span(&self, value: &i32) -> (i32, i32) {
        (*value, *value)
    }

    /// Never called: every condition is decided.
    fn join(&mut self, one: i32, _other: i32) -> i32 {
        one
    }

    fn load(&mut self, _memory: &(), address: Storage) -> Option<i32> {
        match address {
            Storage::Cell(cell) => self.read(self.tape.variables.cell(cell)),
            Storage::Constant(constant) => Some(self.model.constants[constant]),
            Storage::Local(local) => {
                if !self.tape.free.is_empty() {
                    self.tape.choose_local(local)?;
                }
                Some(self.tape.locals[local.index()])
            }
        }
    }

    fn store(&mut self, _memory: &mut (), address: Storage, value: i32) {
        match address {
            Storage::Cell(cell) => {
                let tape = &mut *self.tape;
                let variable = tape.variables.cell(cell);
                tape.values[variable.index()] = value;
                tape.known[variable.index()] = tape.run;
                if tape.is_written[variable.index()] != tape.run {
                    tape.is_written[variable.index()] = tape.run;
                    tape.written.push(variable);
                }
            }
            Storage::Local(local) => self.tape.locals[local.index()] = value,
            Storage::Constant(_) => {}
        }
    }

    /// Never called: every index is decided.
    fn store_perhaps(&mut self, memory: &mut (), address: Storage, value: i32) {
        self.store(memory, address, value);
    }

    fn at(&mut self, process: ProcessId, location: LocationId) -> Option<i32> {
        let at = self.read(self.tape.variables.process(process))?;
        Some(i32::from(at == location.index() as i32))
    }

    fn join_memory(&mut self, (): &mut (), (): ()) {}

    fn widen(&mut self, (): &(), (): &mut ()) -> bool {
        false
    }

    fn scope(&self, (): &()) {}

    fn unrolling(&self) -> u32 {
        u32::MAX
    }

    /// The limits count the steps.
    fn patience(&self) -> u64 {
        u64::MAX
    }

    #[inline]
    fn step(&mut self) -> Option<()> {
        match self.tape.steps.checked_sub(1) {
            Some(left) => {
                self.tape.steps = left;
                Some(())
            }
            None => self.tape.give_up(),
        }
    }

    fn pay(&mut self, length: u32) -> Option<()> {
        match self.tape.meter.spend(length) {
            Ok(()) => Some(()),
            Err(_) => self.tape.give_up(),
        }
    }
}

/// One value for each variable.
#[derive(Clone, Copy, Debug)]
pub struct Exactly<'v>(pub &'v [i32]);

impl Choices for Exactly<'_> {
    fn count(&self, _: VariableId) -> Option<u32> {
        Some(1)
    }
    fn value(&self, variable: VariableId, _: u32) -> i32 {
        self.0[variable.index()]
    }
}

/// Every value of the declared range.
#[derive(Clone, Copy, Debug)]
pub struct Everything<'v>(pub &'v Variables);

impl Choices for Everything<'_> {
    fn count(&self, variable: VariableId) -> Option<u32> {
        u32::try_from(self.0.domain(variable).size)
            .ok()
            .filter(|&size| size <= Limits::PREPARATION.runs)
    }
    fn value(&self, variable: VariableId, position: u32) -> i32 {
        self.0.domain(variable).low + position as i32
    }
}
