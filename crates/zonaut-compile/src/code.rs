//! Instructions and the machine that runs them.
//!
//! Expressions are compiled to code for a stack machine. The machine reads and writes the values of
//! a state in place and collects the effects on clocks, because it does not know zones.

use crate::real_code::{RealMemory, RealOp};
use zonaut_base::{Id, Meter};
use zonaut_model::ClockId;
use zonaut_model::interpret::{
    ClockEffect, ErrorKind, RunTimeError, apply, apply_unary, clock_value,
};
use zonaut_model::statistical::RealKind;
use zonaut_model::{BinaryOperator, ExpressionId, Range, UnaryOperator, ValueOf};

/// The start of the code of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CodeRef(pub(crate) u32);

/// The memory that an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Segment {
    /// The values of the state: locations, followed by cells.
    State,
    /// Temporary storage.
    Local,
    /// Constant storage.
    Constant,
}

/// An address: a segment and a position in it. A "displaced" instruction pops an offset from the
/// stack and adds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) segment: Segment,
    pub(crate) position: u32,
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// Pushes a number.
    Push(i32),
    /// Drops the top.
    Pop,
    /// Pushes the content of an address.
    Load(Address),
    /// Pops a displacement, pushes the content of the displaced address.
    LoadDisplaced(Address),
    /// Pops an index, checks it, and pushes its part of a displacement.
    FirstIndex { low: i32, size: u32, stride: u32 },
    /// Pops an index, checks it, and adds its part to the displacement below it.
    Index { low: i32, size: u32, stride: u32 },
    /// Pops an operand, pushes the value.
    Unary(UnaryOperator),
    /// Pops the right, then the left operand, pushes the value.
    Binary(BinaryOperator),
    /// Pops the left operand, pushes the value; the right one is this number.
    BinaryWith(BinaryOperator, i32),
    /// Replaces the top by its truth value, 0 or 1.
    Truth,
    /// Jumps.
    Jump(u32),
    /// Pops a condition and jumps if it is zero.
    JumpIfZero(u32),
    /// If the top is zero, jumps and keeps it; else drops it.
    SkipIfZero(u32),
    /// If the top is not zero, jumps and keeps it; else drops it.
    SkipUnlessZero(u32),
    /// Pops a value into temporary storage, without check.
    Bind(u32),
    /// If the bound variable is below `high`, increments it and jumps.
    Advance { local: u32, high: i32, back: u32 },
    /// Pops the value, then the displacement; stores; pushes the value before or after.
    Assign { target: Address, operator: Option<BinaryOperator>, result: ValueOf },
    /// Pops the displacements of source and target and copies.
    Copy { target: Address, source: Address, length: u32 },
    /// Pops the displacements of both places and pushes whether their contents are equal.
    Same { left: Address, right: Address, length: u32 },
    /// Pops a displacement and pushes `length` integers.
    PushContent { source: Address, length: u32 },
    /// Pops `length` integers into temporary storage from `first` on, with range check.
    StoreParameter { first: u32, length: u32 },
    /// Calls the function at this position.
    Call(u32),
    /// Returns to the caller.
    Return,
    /// Pops a value, then a displacement; sets a clock.
    SetClock(u32),
    /// Pops the displacements of source and target; copies a clock.
    CopyClock { target: u32, source: u32 },
    /// Pops a price.
    AddCost,
    /// Pops a condition that must not be zero.
    Assert,
    /// Control reached the end of a function that should have returned a value.
    MissingReturn,
    /// Counts a step, without effect.
    Wait,
    /// An instruction on floating-point numbers.
    Real(RealOp),
    /// The end of an expression.
    End,
}

/// All code of a network with the data to run it and to report errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    /// For each instruction, the expression it belongs to.
    pub(crate) blame: Vec<ExpressionId>,
    pub(crate) constants: Vec<i32>,
    pub(crate) state_ranges: Vec<Range>,
    pub(crate) local_ranges: Vec<Range>,
    pub(crate) real_constants: Vec<f64>,
    pub(crate) real_kinds: Vec<RealKind>,
}

/// The working memory of evaluation, with the collected effects on clocks.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) stack: Vec<i32>,
    calls: Vec<u32>,
    locals: Vec<i32>,
    meter: Meter,
    /// The remaining steps of the current block, after which the meter is informed.
    fuel: u64,
    /// The steps that this evaluation may take beyond the current block.
    reserve: u64,
    budget: u64,
    /// The effects on clocks, in order.
    pub clock_effects: Vec<ClockEffect>,
    /// The accumulated cost.
    pub cost: i64,
    /// The floating-point part of the state, if the network is compiled for sampling.
    pub reals: Option<Box<RealMemory>>,
}

/// Number of steps that are reported to the meter together.
const BLOCK: u64 = 1 << 11;

/// Arrays longer than this count as steps when they are copied or compared.
const SHORT: u32 = 64;

impl Machine {
    /// Sets a clock of a sampled run. Not inlined, so that updates of symbolic states stay short.
    #[inline(never)]
    pub(crate) fn set_real_clock(&mut self, clock: ClockId, value: i32) {
        if let Some(reals) = &mut self.reals {
            reals.clocks[clock.index()] = value.into();
        }
    }

    /// A machine with `budget` steps for each evaluation, at least a block, which count on `meter`.
    pub(crate) fn new(program: &Program, budget: u64, meter: &Meter) -> Self {
        Self {
            stack: Vec::new(),
            calls: Vec::new(),
            locals: vec![0; program.local_ranges.len()],
            meter: meter.clone(),
            fuel: 0,
            reserve: 0,
            budget: budget.max(BLOCK),
            clock_effects: Vec::new(),
            cost: 0,
            reals: None,
        }
    }

    /// The meter that counts its steps.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Counts work around evaluations.
    ///
    /// # Errors
    /// The meter has stopped.
    #[inline]
    pub fn spend(&self, steps: usize) -> Result<(), RunTimeError> {
        self.meter.spend(u32::try_from(steps).unwrap_or(u32::MAX)).map_err(|why| RunTimeError {
            kind: ErrorKind::Stopped(why),
            expression: ExpressionId::from_index(0),
        })
    }

    /// Takes a further block from the steps of this evaluation.
    #[cold]
    fn refuel(&mut self) -> Result<(), ErrorKind> {
        if self.reserve == 0 {
            return Err(ErrorKind::Budget);
        }
        self.fuel = self.reserve.min(BLOCK);
        self.reserve -= self.fuel;
        self.meter.spend(self.fuel as u32).map_err(ErrorKind::Stopped)
    }

    fn pay_for_content(&self, length: u32) -> Result<(), ErrorKind> {
        if length <= SHORT {
            return Ok(());
        }
        self.meter.spend(length).map_err(ErrorKind::Stopped)
    }

    fn pop(&mut self) -> i32 {
        self.stack.pop().expect("invariant: code keeps the stack balanced")
    }

    fn displaced(&mut self, address: Address) -> Address {
        let displacement = self.pop();
        Address { position: address.position + displacement as u32, ..address }
    }
}

impl Program {
    /// The value of the expression at `code` in the state with these `values`, which it may
    /// change.
    pub(crate) fn run(
        &self,
        code: CodeRef,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<i32, RunTimeError> {
        self.run_to_end(code, values, machine)?;
        Ok(machine.pop())
    }

    /// The value of the floating-point expression at `code`.
    pub(crate) fn run_real(
        &self,
        code: CodeRef,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<f64, RunTimeError> {
        self.run_to_end(code, values, machine)?;
        Ok(machine.reals.as_mut().map_or(0.0, |reals| reals.pop()))
    }

    /// Runs the code up to its end.
    #[inline]
    fn run_to_end(
        &self,
        code: CodeRef,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<(), RunTimeError> {
        machine.stack.clear();
        machine.calls.clear();
        // The rest of the last block is used first.
        machine.reserve = machine.budget - machine.fuel;
        let mut at = code.0 as usize;
        loop {
            let op = self.ops[at];
            if op == Op::End {
                return Ok(());
            }
            match self.execute(op, at, values, machine) {
                Ok(next) => at = next,
                Err(kind) => return Err(self.error(kind, at, machine)),
            }
        }
    }

    fn error(&self, kind: ErrorKind, at: usize, machine: &Machine) -> RunTimeError {
        // A function that ends without a value is reported at its call.
        let caller = machine.calls.last().map_or(at, |&back| back as usize - 1);
        let at = if kind == ErrorKind::MissingReturn { caller } else { at };
        RunTimeError { kind, expression: self.blame[at] }
    }

    /// Executes one instruction and returns the position of the next one.
    fn execute(
        &self,
        op: Op,
        at: usize,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<usize, ErrorKind> {
        match op {
            Op::Push(value) => machine.stack.push(value),
            Op::Pop => {
                machine.pop();
            }
            Op::Load(address) => {
                let value = self.load(address, values, machine);
                machine.stack.push(value);
            }
            Op::LoadDisplaced(address) => {
                let address = machine.displaced(address);
                let value = self.load(address, values, machine);
                machine.stack.push(value);
            }
            Op::FirstIndex { low, size, stride } => {
                let displacement = index(low, size, stride, machine)?;
                machine.stack.push(displacement);
            }
            Op::Index { low, size, stride } => {
                let displacement = index(low, size, stride, machine)?;
                let before = machine.pop();
                machine.stack.push(before + displacement);
            }
            Op::Unary(operator) => {
                let operand = machine.pop();
                machine.stack.push(apply_unary(operator, operand)?);
            }
            Op::Binary(operator) => {
                let right = machine.pop();
                let left = machine.pop();
                machine.stack.push(apply(operator, left, right)?);
            }
            Op::BinaryWith(operator, right) => {
                let left = machine.pop();
                machine.stack.push(apply(operator, left, right)?);
            }
            Op::Truth => {
                let operand = machine.pop();
                machine.stack.push(i32::from(operand != 0));
            }
            Op::Assign { target, operator, result } => {
                let value = machine.pop();
                let target = machine.displaced(target);
                let before = self.load(target, values, machine);
                let after =
                    operator.map_or(Ok(value), |operator| apply(operator, before, value))?;
                self.store(target, after, values, machine)?;
                machine.stack.push(if result == ValueOf::Before { before } else { after });
            }
            Op::Copy { target, source, length } => {
                self.copy(target, source, length, values, machine)?;
            }
            Op::Same { left, right, length } => {
                machine.pay_for_content(length)?;
                let right = machine.displaced(right);
                let left = machine.displaced(left);
                let same = |k| {
                    self.load(shifted(left, k), values, machine)
                        == self.load(shifted(right, k), values, machine)
                };
                let same = (0..length).all(same);
                machine.stack.push(i32::from(same));
            }
            Op::PushContent { source, length } => {
                machine.pay_for_content(length)?;
                let source = machine.displaced(source);
                for k in 0..length {
                    let value = self.load(shifted(source, k), values, machine);
                    machine.stack.push(value);
                }
            }
            Op::StoreParameter { first, length } => {
                for position in (first..first + length).rev() {
                    let value = machine.pop();
                    let address = Address { segment: Segment::Local, position };
                    self.store(address, value, values, machine)?;
                }
            }
            Op::Real(op) => self.execute_real(op, machine)?,
            _ => return Self::control(op, at, machine),
        }
        Ok(at + 1)
    }

    /// Executes an instruction that jumps, calls, or has an effect outside the state.
    fn control(op: Op, at: usize, machine: &mut Machine) -> Result<usize, ErrorKind> {
        let next = at + 1;
        match op {
            Op::Jump(target) => {
                burn(machine)?;
                return Ok(target as usize);
            }
            Op::JumpIfZero(target) => {
                return Ok(if machine.pop() == 0 { target as usize } else { next });
            }
            Op::SkipIfZero(target) | Op::SkipUnlessZero(target) => {
                let top = machine.pop();
                if (top == 0) == matches!(op, Op::SkipIfZero(_)) {
                    machine.stack.push(top);
                    return Ok(target as usize);
                }
            }
            Op::Bind(local) => machine.locals[local as usize] = machine.pop(),
            Op::Advance { local, high, back } => {
                burn(machine)?;
                let value = &mut machine.locals[local as usize];
                if *value < high {
                    *value += 1;
                    return Ok(back as usize);
                }
            }
            Op::Call(target) => {
                burn(machine)?;
                machine.calls.push(next as u32);
                return Ok(target as usize);
            }
            Op::Return => {
                let back = machine.calls.pop().expect("invariant: a return follows a call");
                return Ok(back as usize);
            }
            Op::SetClock(root) => {
                let value = clock_value(machine.pop())?;
                let clock = root as usize + machine.pop() as usize;
                let clock = Id::from_index(clock);
                machine.clock_effects.push(ClockEffect::Set(clock, value));
            }
            Op::CopyClock { target, source } => {
                let source = Id::from_index(source as usize + machine.pop() as usize);
                let target = Id::from_index(target as usize + machine.pop() as usize);
                machine.clock_effects.push(ClockEffect::Copy(target, source));
            }
            Op::AddCost => {
                let price = machine.pop();
                if price < 0 {
                    return Err(ErrorKind::NegativeCost(price));
                }
                machine.cost += i64::from(price);
            }
            Op::Assert => {
                let holds = machine.pop() != 0;
                return if holds { Ok(next) } else { Err(ErrorKind::Assertion) };
            }
            Op::MissingReturn => return Err(ErrorKind::MissingReturn),
            Op::Wait => burn(machine)?,
            _ => {}
        }
        Ok(next)
    }

    #[inline]
    fn load(&self, address: Address, values: &[i32], machine: &Machine) -> i32 {
        let position = address.position as usize;
        match address.segment {
            Segment::State => values[position],
            Segment::Local => machine.locals[position],
            Segment::Constant => self.constants[position],
        }
    }

    fn store(
        &self,
        address: Address,
        value: i32,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<(), ErrorKind> {
        let position = address.position as usize;
        let (slot, range) = match address.segment {
            Segment::State => (&mut values[position], self.state_ranges[position]),
            Segment::Local => (&mut machine.locals[position], self.local_ranges[position]),
            // The front end rejects assignments to constants.
            Segment::Constant => return Ok(()),
        };
        if !range.contains(i64::from(value)) {
            return Err(ErrorKind::Range(i64::from(value), range));
        }
        *slot = value;
        Ok(())
    }

    fn copy(
        &self,
        target: Address,
        source: Address,
        length: u32,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<(), ErrorKind> {
        machine.pay_for_content(length)?;
        let source = machine.displaced(source);
        let target = machine.displaced(target);
        // Everything is read before anything is written: the places may overlap.
        let content: Vec<i32> =
            (0..length).map(|k| self.load(shifted(source, k), values, machine)).collect();
        for (k, value) in content.into_iter().enumerate() {
            self.store(shifted(target, k as u32), value, values, machine)?;
        }
        machine.stack.push(0);
        Ok(())
    }
}

fn index(low: i32, size: u32, stride: u32, machine: &mut Machine) -> Result<i32, ErrorKind> {
    let value = machine.pop();
    let position = i64::from(value) - i64::from(low);
    if position < 0 || position >= i64::from(size) {
        let high = low.wrapping_add(size as i32).wrapping_sub(1);
        return Err(ErrorKind::Index(value, Range { low, high }));
    }
    Ok(position as i32 * stride as i32)
}

fn shifted(address: Address, by: u32) -> Address {
    Address { position: address.position + by, ..address }
}

fn burn(machine: &mut Machine) -> Result<(), ErrorKind> {
    if machine.fuel == 0 {
        machine.refuel()?;
    }
    machine.fuel -= 1;
    Ok(())
}
