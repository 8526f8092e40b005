//! The stack machine that evaluates code.
//!
//! Values are ranges of numbers ([`Span`]); they are single numbers if all cells are known.
//!
//! There is no recursion: operands are kept on one stack, callers on another. Invalid code (a
//! missing operand, storage that does not exist) makes the core text malformed; it is detected when
//! it runs.

use crate::cartesian::Guess;
use crate::code::{Code, Operation, Over, Range, Root};
use crate::core::{Core, Function, State};
use crate::refusal::{Refusal, Text, Trouble};
use crate::span::{Shape, Span, apply};
use crate::zone::Effect;
use std::collections::BTreeMap;

/// The interpreter and its working memory.
pub(crate) struct Machine<'c> {
    core: &'c Core,
    pub(crate) state: State,
    /// The effects on clocks, in order.
    pub(crate) effects: Vec<Effect>,
    /// Chooses the values of reads that are not known.
    pub(crate) guess: Option<Guess>,
    /// The cells of the state that do not hold a single number, with their possible contents.
    pub(crate) contents: BTreeMap<usize, Span>,
    locals: Vec<Span>,
    stack: Vec<Span>,
    /// The running code, last, and the callers that wait for it.
    frames: Vec<Frame<'c>>,
    budget: u64,
    /// The steps of the current evaluation.
    steps: u64,
    /// The steps of earlier evaluations.
    earlier: u64,
}

/// An activation record: running code and its position.
#[derive(Clone, Copy)]
struct Frame<'c> {
    code: &'c Code,
    /// The next operation.
    position: usize,
    /// The number of operands on the stack that belong to callers.
    height: usize,
}

/// An upper limit of all displacements; sums with it do not overflow.
const FARTHEST: i64 = 1 << 40;

/// The maximal size of the operand stack.
const STACK: usize = 1 << 24;

impl<'c> Machine<'c> {
    /// A machine that takes at most `budget` steps in one evaluation.
    pub(crate) fn new(core: &'c Core, budget: u64) -> Self {
        Self {
            core,
            state: core.initial(),
            effects: Vec::new(),
            guess: None,
            contents: BTreeMap::new(),
            locals: vec![Span::only(0); core.locals.len()],
            stack: Vec::new(),
            frames: Vec::new(),
            budget,
            steps: 0,
            earlier: 0,
        }
    }

    /// Puts a value of a `select` variable into working storage.
    pub(crate) fn select(&mut self, local: usize, value: i64) {
        if let Some(slot) = self.locals.get_mut(local) {
            *slot = Span::only(value);
        }
    }

    /// Resets the cells that are not part of the state to their initial values.
    pub(crate) fn forget_meta(&mut self) {
        for (place, cell) in self.core.cells.iter().enumerate() {
            if cell.meta {
                self.state.cells[place] = cell.initial;
                self.contents.remove(&place);
            }
        }
    }

    /// Whether the value of `code` is not 0.
    pub(crate) fn holds(&mut self, code: &'c Code) -> Result<bool, Trouble> {
        self.run(code)?.truth()
    }

    /// Narrows the contents of cells to those for which `condition` may hold, if it compares two
    /// cells and the ends of their ranges decide it. The truth of the condition is open.
    pub(crate) fn assume(&mut self, condition: &Code) {
        use Operation::{Binary, Read};
        let [Read(Root::Cell(a)), Read(Root::Cell(b)), Binary(operator)] = condition.operations[..]
        else {
            return;
        };
        if let (Some(&left), Some(&right)) = (self.contents.get(&a), self.contents.get(&b)) {
            let fails = |left, right| {
                apply(operator, left, right).is_ok_and(|result| result.ends() == (0, 0))
            };
            let left = left.without_ends(|part| fails(part, right));
            self.store_cell(a, left);
            self.store_cell(b, right.without_ends(|part| fails(left, part)));
        }
    }

    /// The value of `code`.
    pub(crate) fn evaluate(&mut self, code: &'c Code) -> Result<i64, Trouble> {
        self.run(code)?.single()
    }

    /// The value of `code`, which may be open.
    pub(crate) fn run(&mut self, code: &'c Code) -> Result<Span, Trouble> {
        if let [Operation::Push(value)] = code.operations[..] {
            return Ok(Span::only(value));
        }
        self.stack.clear();
        self.frames.clear();
        self.earlier = self.earlier.saturating_add(std::mem::take(&mut self.steps));
        let mut frame = Frame { code, position: 0, height: 0 };
        while let Some(&operation) = frame.code.operations.get(frame.position) {
            frame.position += 1;
            let done = self.count(1).and_then(|()| self.step(operation, &mut frame));
            done.map_err(|trouble| blame(trouble, frame.code))?;
        }
        match (self.stack.as_slice(), self.frames.is_empty()) {
            (&[value], true) => Ok(value),
            _ => Err(broken(frame.code)),
        }
    }

    /// The steps since the last call.
    pub(crate) fn take_steps(&mut self) -> u64 {
        std::mem::take(&mut self.earlier).saturating_add(std::mem::take(&mut self.steps))
    }

    fn count(&mut self, steps: usize) -> Result<(), Trouble> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > self.budget || self.stack.len() > STACK {
            return Err(Trouble::undecided("an evaluation takes too many steps"));
        }
        Ok(())
    }

    /// Executes an operation that may change the control flow.
    fn step(&mut self, operation: Operation, frame: &mut Frame<'c>) -> Result<(), Trouble> {
        let next = frame.position;
        match operation {
            Operation::Call(function) => {
                let function = self.core.functions.get(function).ok_or_else(unfit)?;
                self.pass_arguments(function)?;
                self.frames.push(*frame);
                *frame = Frame { code: &function.body, position: 0, height: self.stack.len() };
            }
            Operation::Return => {
                let value = self.pop()?;
                self.stack.truncate(frame.height);
                self.stack.push(value);
                *frame = self.frames.pop().ok_or_else(unfit)?;
            }
            Operation::Decide(decisive, end) => {
                if self.pop()?.truth()? == decisive {
                    self.stack.push(Span::only(i64::from(decisive)));
                    frame.position = end;
                }
            }
            Operation::Jump(target) => frame.position = target,
            Operation::Unless(target) => {
                if !self.pop()?.truth()? {
                    frame.position = target;
                }
            }
            Operation::Begin(over, range, end) => {
                let neutral = Span::only(i64::from(over == Over::ForAll));
                frame.position = self.turn(over, range, neutral, range.low, [next, end])?;
            }
            Operation::Next(over, range, start) => {
                frame.position = self.next(over, range, [start, next])?;
            }
            _ => self.compute(operation)?,
        }
        Ok(())
    }

    fn compute(&mut self, operation: Operation) -> Result<(), Trouble> {
        let value = match operation {
            Operation::Push(value) => Span::only(value),
            Operation::Index { low, size, stride } => {
                let (index, below) = (self.number()? - low, self.number()?);
                fails_unless((0..size).contains(&index), "an index is out of range")?;
                let sum = index.checked_mul(stride).and_then(|part| part.checked_add(below));
                Span::only(sum.filter(|&sum| sum < FARTHEST).ok_or_else(unfit)?)
            }
            Operation::Read(root) => self.load(root, 0)?,
            Operation::Load(root) => {
                let displacement = self.number()?;
                self.load(root, displacement)?
            }
            Operation::Store { root, operator, old } => {
                let (value, displacement) = (self.pop()?, self.number()?);
                let before = self.load(root, displacement)?;
                let after = match operator {
                    Some(operator) => apply(operator, before, value)?,
                    None => value,
                };
                self.store(root, displacement, after)?;
                if old { before } else { after }
            }
            Operation::Same(left, right, length) => {
                let (second, first) = (self.number()?, self.number()?);
                let left = self.content(left, first, length)?;
                let right = self.content(right, second, length)?;
                Span::only(i64::from(are_same(&left, &right)?))
            }
            Operation::Copy(target, source, length) => {
                let (from, to) = (self.number()?, self.number()?);
                // All numbers are read before the first is written: source and target may overlap.
                for (k, value) in self.content(source, from, length)?.into_iter().enumerate() {
                    self.store(target, to + k as i64, value)?;
                }
                Span::only(0)
            }
            Operation::Content(root, length) => {
                let displacement = self.number()?;
                let content = self.content(root, displacement, length)?;
                self.stack.extend(content);
                return Ok(());
            }
            Operation::Reset(clock) => {
                let (value, displacement) = (self.number()?, self.number()?);
                let clock = self.clock(clock, displacement)?;
                fails_unless(value >= 0, "a clock is set to a negative value")?;
                clock_bound(value)?;
                self.effects.push(Effect::Set(clock, value * self.core.scale()));
                Span::only(0)
            }
            Operation::CopyClock(target, source) => {
                let (from, to) = (self.number()?, self.number()?);
                let (target, source) = (self.clock(target, to)?, self.clock(source, from)?);
                self.effects.push(Effect::Copy(target, source));
                Span::only(0)
            }
            Operation::Cost => {
                let price = self.pop()?.require(0, i64::MAX, "the cost decreases")?;
                if let Some(measure) = self.core.measure.filter(|measure| measure.has_prices) {
                    self.effects.push(Effect::Add(measure.clock, price.single()?));
                }
                Span::only(0)
            }
            Operation::Drop => return self.pop().map(|_| ()),
            Operation::At(process, location) => {
                let at = self.state.locations.get_mut(process).ok_or_else(unfit)?;
                let guess = self.guess.as_mut();
                if let Some(place) = guess.and_then(|guess| guess.value(self.core, process)) {
                    *at = place as usize;
                }
                Span::only(i64::from(*at == location))
            }
            Operation::Negate => self.pop()?.negative()?,
            Operation::Not => self.pop()?.opposite(),
            Operation::Truth => self.pop()?.truth_value(),
            Operation::Binary(operator) => {
                let (right, left) = (self.pop()?, self.pop()?);
                apply(operator, left, right)?
            }
            Operation::Missing => return Err(Trouble::RunTime("a function ends without a value")),
            Operation::Assert => {
                return fails_unless(self.pop()?.truth()?, "an assertion does not hold");
            }
            _ => return Err(unfit()),
        };
        self.stack.push(value);
        Ok(())
    }

    /// Uses the value of the loop body, and continues with the next value or leaves the loop.
    fn next(
        &mut self,
        over: Over,
        range: Range,
        [start, end]: [usize; 2],
    ) -> Result<usize, Trouble> {
        let body = if over == Over::Each { Span::only(0) } else { self.pop()? };
        let (present, result) = (self.number()?, self.pop()?);
        let (result, is_decided) = match over {
            Over::ForAll => (body.truth_value(), !body.truth()?),
            Over::Exists => (body.truth_value(), body.truth()?),
            Over::Sum => (apply(SUM, result, body)?, false),
            Over::Each => (Span::only(0), false),
        };
        let value = if is_decided { range.high } else { present } + 1;
        self.turn(over, range, result, value, [start, end])
    }

    /// Begins an iteration of a loop; the stack holds the result so far and the value. Leaves the
    /// loop with the result after the last value.
    fn turn(
        &mut self,
        over: Over,
        range: Range,
        result: Span,
        value: i64,
        [start, end]: [usize; 2],
    ) -> Result<usize, Trouble> {
        if over != Over::Each || value <= range.high {
            self.stack.push(result);
        }
        if value > range.high {
            return Ok(end);
        }
        self.stack.push(Span::only(value));
        *self.locals.get_mut(range.local).ok_or_else(unfit)? = Span::only(value);
        Ok(start)
    }

    /// Moves the evaluated arguments to the parameters of a function.
    fn pass_arguments(&mut self, function: &Function) -> Result<(), Trouble> {
        let count = function.parameters.len();
        let first = self.stack.len().checked_sub(count).ok_or_else(unfit)?;
        let arguments = self.stack.split_off(first);
        self.count(count)?;
        for (&local, value) in function.parameters.iter().zip(arguments) {
            self.store(Root::Local(local), 0, value)?;
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<Span, Trouble> {
        self.stack.pop().ok_or_else(unfit)
    }

    fn number(&mut self) -> Result<i64, Trouble> {
        self.pop()?.single()
    }

    fn content(&mut self, root: Root, first: i64, length: usize) -> Result<Vec<Span>, Trouble> {
        self.count(length)?;
        (0..length).map(|k| self.load(root, first + k as i64)).collect()
    }

    fn place(&self, root: Root, displacement: i64) -> Result<usize, Trouble> {
        let (first, count) = match root {
            Root::Cell(first) => (first, self.state.cells.len()),
            Root::Local(first) => (first, self.locals.len()),
            Root::Constant(first) => (first, self.core.constants.len()),
        };
        displaced(first, displacement, 0..count)
    }

    fn load(&mut self, root: Root, displacement: i64) -> Result<Span, Trouble> {
        let place = self.place(root, displacement)?;
        Ok(match root {
            Root::Cell(_) => {
                let asked = self.core.processes.len() + place;
                let guess = self.guess.as_mut();
                if let Some(value) = guess.and_then(|guess| guess.value(self.core, asked)) {
                    self.state.cells[place] = value;
                }
                let known = Span::only(self.state.cells[place]);
                self.contents.get(&place).copied().unwrap_or(known)
            }
            Root::Local(_) => self.locals[place],
            Root::Constant(_) => Span::only(self.core.constants[place]),
        })
    }

    fn store(&mut self, root: Root, displacement: i64, value: Span) -> Result<(), Trouble> {
        let place = self.place(root, displacement)?;
        let (low, high) = match root {
            Root::Cell(_) => self.core.cells[place].range,
            Root::Local(_) => self.core.locals[place],
            Root::Constant(_) => return Err(unfit()),
        };
        let value = value.require(low, high, "a value is out of range")?;
        match root {
            Root::Cell(_) => self.store_cell(place, value),
            _ => self.locals[place] = value,
        }
        Ok(())
    }

    fn store_cell(&mut self, place: usize, value: Span) {
        if let Ok(number) = value.single() {
            self.state.cells[place] = number;
            self.contents.remove(&place);
        } else {
            self.contents.insert(place, value);
        }
        if let Some(guess) = &mut self.guess {
            guess.write(self.core, place);
        }
    }

    fn clock(&self, first: usize, displacement: i64) -> Result<usize, Trouble> {
        displaced(first, displacement, 1..self.core.clocks.len())
    }
}

/// One of the `existing` elements, at a displacement from the first of an array.
pub(crate) fn displaced(
    first: usize,
    displacement: i64,
    existing: std::ops::Range<usize>,
) -> Result<usize, Trouble> {
    let place = usize::try_from(displacement).ok().and_then(|distance| first.checked_add(distance));
    place.filter(|place| existing.contains(place)).ok_or_else(unfit)
}

/// The refusal of invalid code.
fn broken(code: &Code) -> Trouble {
    let message = "code that does not fit together".to_owned();
    Refusal::Malformed { text: Text::Core, line: code.line, message }.into()
}

/// The refusal of an operation with wrong operands; [`blame`] adds the line.
fn unfit() -> Trouble {
    broken(&Code::default())
}

/// The same refusal, with the line of `code`.
pub(crate) fn blame(trouble: Trouble, code: &Code) -> Trouble {
    match trouble {
        Trouble::Refused(Refusal::Malformed { .. }) => broken(code),
        other => other,
    }
}

fn fails_unless(condition: bool, message: &'static str) -> Result<(), Trouble> {
    if condition { Ok(()) } else { Err(Trouble::RunTime(message)) }
}

/// The greatest value that a clock may be set to or compared with.
const CLOCK_LIMIT: i64 = (1 << 30) - 1;

/// The value `value`, where a clock or a difference of clocks may be compared with it.
pub(crate) fn clock_bound(value: i64) -> Result<i64, Trouble> {
    let is_within = (-CLOCK_LIMIT..=CLOCK_LIMIT).contains(&value);
    fails_unless(is_within, "a clock is set to or compared with a value beyond the limit")?;
    Ok(value)
}

/// Whether two sequences of cells have the same content.
fn are_same(left: &[Span], right: &[Span]) -> Result<bool, Trouble> {
    let mut open = None;
    for (&left, &right) in left.iter().zip(right) {
        match left.equals(right) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(trouble) => open = Some(trouble),
        }
    }
    open.map_or(Ok(true), Err)
}

/// The function of an operator on 32-bit operands. Products of two fit 64 bits.
type Computation = fn(i64, i64) -> Result<i64, Trouble>;

/// An infix operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator {
    pub(crate) function: Computation,
    pub(crate) shape: Shape,
}

const SUM: Operator = Operator { function: |a, b| Ok(a + b), shape: Shape::Ends };

/// The operator that a symbol stands for.
pub(crate) fn operator(symbol: &str) -> Option<Operator> {
    let shape = match symbol {
        "/" | "<<" | ">>" => Shape::LeftEnds,
        "%" => Shape::Remainder,
        "==" | "!=" => Shape::Equality,
        "**" | "&" | "|" | "^" => Shape::Any,
        _ => Shape::Ends,
    };
    Some(Operator { function: function(symbol)?, shape })
}

fn function(symbol: &str) -> Option<Computation> {
    Some(match symbol {
        "+" => |a, b| Ok(a + b),
        "-" => |a, b| Ok(a - b),
        "*" => |a, b| Ok(a * b),
        "/" => |a, b| a.checked_div(b).ok_or(DIVISION),
        "%" => |a, b| a.checked_rem(b).ok_or(DIVISION),
        "**" => power,
        "<<" => |a, b| Ok(a * shift(b)?),
        ">>" => |a, b| Ok(a.div_euclid(shift(b)?)),
        "<?" => |a, b| Ok(a.min(b)),
        ">?" => |a, b| Ok(a.max(b)),
        "&" => |a, b| Ok(a & b),
        "|" => |a, b| Ok(a | b),
        "^" => |a, b| Ok(a ^ b),
        "<" => |a, b| Ok(i64::from(a < b)),
        "<=" => |a, b| Ok(i64::from(a <= b)),
        "==" => |a, b| Ok(i64::from(a == b)),
        "!=" => |a, b| Ok(i64::from(a != b)),
        ">=" => |a, b| Ok(i64::from(a >= b)),
        ">" => |a, b| Ok(i64::from(a > b)),
        _ => return None,
    })
}

const DIVISION: Trouble = Trouble::RunTime("division by zero");

/// The power of two that a shift multiplies or divides by.
fn shift(distance: i64) -> Result<i64, Trouble> {
    fails_unless((0..=31).contains(&distance), "a shift is not between 0 and 31")?;
    Ok(1 << distance)
}

/// Computes a power; a result beyond 64 bits is also beyond 32.
fn power(base: i64, exponent: i64) -> Result<i64, Trouble> {
    fails_unless(exponent >= 0, "an exponent is negative")?;
    Ok(base.checked_pow(exponent as u32).unwrap_or(i64::MAX))
}
