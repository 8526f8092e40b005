//! The stack machine that evaluates code over concrete values.
//!
//! There is no recursion: operands wait on one stack, callers on another. Code that does not fit
//! together (an operand that is missing, a place that does not exist) makes the core text
//! malformed; it is noticed when it is run.

use crate::cartesian::Guess;
use crate::code::{Code, Operation, Operator, Over, PLUS, Root, Span};
use crate::core::Core;
use crate::refusal::{Refusal, Text, Trouble};
use crate::zone::Effect;

/// The working memory of evaluations.
#[derive(Clone, Debug)]
pub(crate) struct Machine<'c> {
    core: &'c Core,
    /// The content of the cells.
    pub(crate) cells: Vec<i64>,
    /// Where the processes are.
    pub(crate) locations: Vec<usize>,
    /// What happened to clocks, in order.
    pub(crate) effects: Vec<Effect>,
    /// Chooses what is read, where that is not known.
    pub(crate) guess: Option<Guess>,
    locals: Vec<i64>,
    stack: Vec<i64>,
    callers: Vec<Caller<'c>>,
    budget: u64,
    steps: u64,
}

/// Who goes on when a function returns.
#[derive(Clone, Copy, Debug)]
struct Caller<'c> {
    code: &'c Code,
    position: usize,
    /// How many operands it has on the stack.
    height: usize,
}

/// No displacement is as large as this, so that sums with it do not overflow.
const FARTHEST: i64 = 1 << 40;

/// The most operands that may wait.
const STACK: usize = 1 << 24;

impl<'c> Machine<'c> {
    /// A machine that takes at most `budget` steps in one evaluation.
    pub(crate) fn new(core: &'c Core, budget: u64) -> Self {
        Self {
            core,
            cells: core.cells.iter().map(|cell| cell.initial).collect(),
            locations: core.processes.iter().map(|process| process.initial).collect(),
            effects: Vec::new(),
            guess: None,
            locals: vec![0; core.locals.len()],
            stack: Vec::new(),
            callers: Vec::new(),
            budget,
            steps: 0,
        }
    }

    /// Puts a value of a `select` variable into working storage.
    pub(crate) fn select(&mut self, local: usize, value: i64) {
        if let Some(slot) = self.locals.get_mut(local) {
            *slot = value;
        }
    }

    /// Gives cells that are not part of the state their initial values.
    pub(crate) fn forget_meta(&mut self) {
        for (value, cell) in self.cells.iter_mut().zip(&self.core.cells) {
            if cell.meta {
                *value = cell.initial;
            }
        }
    }

    /// Whether the value of `code` is not 0.
    pub(crate) fn holds(&mut self, code: &'c Code) -> Result<bool, Trouble> {
        Ok(self.evaluate(code)? != 0)
    }

    /// The value of `code`.
    pub(crate) fn evaluate(&mut self, code: &'c Code) -> Result<i64, Trouble> {
        self.stack.clear();
        self.callers.clear();
        self.steps = 0;
        let (mut code, mut position) = (code, 0);
        while let Some(&operation) = code.operations.get(position) {
            self.count(1)?;
            position += 1;
            match operation {
                Operation::Call(function) => {
                    self.pass_arguments(function).map_err(|t| blame(t, code))?;
                    let height = self.stack.len();
                    self.callers.push(Caller { code, position, height });
                    let function = self.core.functions.get(function);
                    code = &function.ok_or_else(|| broken(code))?.body;
                    position = 0;
                }
                Operation::Return => {
                    let value = self.pop().map_err(|t| blame(t, code))?;
                    let caller = self.callers.pop().ok_or_else(|| broken(code))?;
                    self.stack.truncate(caller.height);
                    self.stack.push(value);
                    (code, position) = (caller.code, caller.position);
                }
                _ => position = self.step(operation, position).map_err(|t| blame(t, code))?,
            }
        }
        match (self.stack.as_slice(), self.callers.is_empty()) {
            (&[value], true) => Ok(value),
            _ => Err(broken(code)),
        }
    }

    fn count(&mut self, steps: usize) -> Result<(), Trouble> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > self.budget || self.stack.len() > STACK {
            return Err(Trouble::undecided("an evaluation takes too many steps"));
        }
        Ok(())
    }

    /// Carries out an operation and says where to go on.
    fn step(&mut self, operation: Operation, next: usize) -> Result<usize, Trouble> {
        match operation {
            Operation::And(end) => {
                if self.pop()? == 0 {
                    self.stack.push(0);
                    return Ok(end);
                }
            }
            Operation::Or(end) => {
                if self.pop()? != 0 {
                    self.stack.push(1);
                    return Ok(end);
                }
            }
            Operation::Jump(target) => return Ok(target),
            Operation::Unless(target) => {
                if self.pop()? == 0 {
                    return Ok(target);
                }
            }
            Operation::Begin(span, end) => return self.begin(span, next, end),
            Operation::Next(span, start) => return self.next(span, start, next),
            _ => self.compute(operation)?,
        }
        Ok(next)
    }

    fn compute(&mut self, operation: Operation) -> Result<(), Trouble> {
        let value = match operation {
            Operation::Push(value) => value,
            Operation::Index { low, size, stride } => {
                let (index, below) = (self.pop()? - low, self.pop()?);
                if index < 0 || index >= size {
                    return Err(Trouble::RunTime("an index is out of range"));
                }
                let sum = index.checked_mul(stride).and_then(|part| part.checked_add(below));
                sum.filter(|&sum| sum < FARTHEST).ok_or_else(unfit)?
            }
            Operation::Read(root) => self.load(root, 0)?,
            Operation::Load(root) => {
                let displacement = self.pop()?;
                self.load(root, displacement)?
            }
            Operation::Store { root, operator, old } => {
                let (value, displacement) = (self.pop()?, self.pop()?);
                let before = self.load(root, displacement)?;
                let after = match operator {
                    Some(operator) => apply(operator, before, value)?,
                    None => value,
                };
                self.store(root, displacement, after)?;
                if old { before } else { after }
            }
            Operation::Same(left, right, length) => {
                let (second, first) = (self.pop()?, self.pop()?);
                let left = self.content(left, first, length)?;
                i64::from(left == self.content(right, second, length)?)
            }
            Operation::Copy(target, source, length) => {
                let (from, to) = (self.pop()?, self.pop()?);
                // All is read before anything is written: the places may overlap.
                for (k, value) in self.content(source, from, length)?.into_iter().enumerate() {
                    self.store(target, to + k as i64, value)?;
                }
                0
            }
            Operation::Content(root, length) => {
                let displacement = self.pop()?;
                let content = self.content(root, displacement, length)?;
                self.stack.extend(content);
                return Ok(());
            }
            Operation::Reset(clock) => {
                let (value, displacement) = (self.pop()?, self.pop()?);
                let clock = self.clock(clock, displacement)?;
                if value < 0 {
                    return Err(Trouble::RunTime("a clock is set to a negative value"));
                }
                self.effects.push(Effect::Set(clock, value));
                0
            }
            Operation::CopyClock(target, source) => {
                let (from, to) = (self.pop()?, self.pop()?);
                let (target, source) = (self.clock(target, to)?, self.clock(source, from)?);
                self.effects.push(Effect::Copy(target, source));
                0
            }
            Operation::Cost if self.pop()? < 0 => {
                return Err(Trouble::RunTime("the cost decreases"));
            }
            Operation::Cost => 0,
            Operation::Drop => return self.pop().map(|_| ()),
            Operation::At(process, location) => {
                let at = self.locations.get_mut(process).ok_or_else(unfit)?;
                let guess = self.guess.as_mut();
                if let Some(place) = guess.and_then(|guess| guess.location(self.core, process)) {
                    *at = place;
                }
                i64::from(*at == location)
            }
            Operation::Negate => fits(-self.pop()?)?,
            Operation::Not => i64::from(self.pop()? == 0),
            Operation::Truth => i64::from(self.pop()? != 0),
            Operation::Binary(operator) => {
                let (right, left) = (self.pop()?, self.pop()?);
                apply(operator, left, right)?
            }
            Operation::Missing => return Err(Trouble::RunTime("a function ends without a value")),
            Operation::Assert if self.pop()? == 0 => {
                return Err(Trouble::RunTime("an assertion does not hold"));
            }
            Operation::Assert => return Ok(()),
            _ => return Err(unfit()),
        };
        self.stack.push(value);
        Ok(())
    }

    /// Starts a loop: the stack holds a sum, where there is one, and the present value.
    fn begin(&mut self, span: Span, start: usize, end: usize) -> Result<usize, Trouble> {
        if span.low > span.high {
            match span.over {
                Over::ForAll => self.stack.push(1),
                Over::Exists | Over::Sum => self.stack.push(0),
                Over::Each => {}
            }
            return Ok(end);
        }
        if span.over == Over::Sum {
            self.stack.push(0);
        }
        self.stack.push(span.low);
        self.bind(span, span.low)?;
        Ok(start)
    }

    /// Uses the value of the body and goes on with the next value, or leaves the result.
    fn next(&mut self, span: Span, start: usize, end: usize) -> Result<usize, Trouble> {
        let body = if span.over == Over::Each { 0 } else { self.pop()? };
        let present = self.pop()?;
        let decision = match span.over {
            Over::ForAll if body == 0 => Some(0),
            Over::Exists if body != 0 => Some(1),
            _ => None,
        };
        if let Some(value) = decision {
            self.stack.push(value);
            return Ok(end);
        }
        if span.over == Over::Sum {
            let sum = apply(PLUS, self.pop()?, body)?;
            self.stack.push(sum);
        }
        if present < span.high {
            self.stack.push(present + 1);
            self.bind(span, present + 1)?;
            return Ok(start);
        }
        match span.over {
            Over::ForAll => self.stack.push(1),
            Over::Exists => self.stack.push(0),
            Over::Sum | Over::Each => {}
        }
        Ok(end)
    }

    fn bind(&mut self, span: Span, value: i64) -> Result<(), Trouble> {
        let slot = self.locals.get_mut(span.local).ok_or_else(unfit)?;
        *slot = value;
        Ok(())
    }

    /// Moves the arguments, all evaluated, to the parameters of a function.
    fn pass_arguments(&mut self, function: usize) -> Result<(), Trouble> {
        let function = self.core.functions.get(function).ok_or_else(unfit)?;
        let count = function.parameters.len();
        let first = self.stack.len().checked_sub(count).ok_or_else(unfit)?;
        let arguments = self.stack.split_off(first);
        self.count(count)?;
        for (&local, value) in function.parameters.iter().zip(arguments) {
            self.store(Root::Local(local), 0, value)?;
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<i64, Trouble> {
        self.stack.pop().ok_or_else(unfit)
    }

    fn content(&mut self, root: Root, first: i64, length: usize) -> Result<Vec<i64>, Trouble> {
        self.count(length)?;
        (0..length).map(|k| self.load(root, first + k as i64)).collect()
    }

    fn load(&mut self, root: Root, displacement: i64) -> Result<i64, Trouble> {
        let (Root::Cell(first) | Root::Local(first) | Root::Constant(first)) = root;
        let place = displaced(first, displacement).ok_or_else(unfit)?;
        let values = match root {
            Root::Cell(_) => {
                let guess = self.guess.as_mut();
                if let Some(value) = guess.and_then(|guess| guess.cell(self.core, place)) {
                    self.cells[place] = value;
                }
                &self.cells
            }
            Root::Local(_) => &self.locals,
            Root::Constant(_) => &self.core.constants,
        };
        values.get(place).copied().ok_or_else(unfit)
    }

    fn store(&mut self, root: Root, displacement: i64, value: i64) -> Result<(), Trouble> {
        let (values, first) = match root {
            Root::Cell(first) => (&mut self.cells, first),
            Root::Local(first) => (&mut self.locals, first),
            Root::Constant(_) => return Err(unfit()),
        };
        let place = displaced(first, displacement).ok_or_else(unfit)?;
        let range = match root {
            Root::Cell(_) => self.core.cells.get(place).map(|cell| cell.range),
            _ => self.core.locals.get(place).copied(),
        };
        let (slot, (low, high)) = values.get_mut(place).zip(range).ok_or_else(unfit)?;
        if value < low || value > high {
            return Err(Trouble::RunTime("a value is out of range"));
        }
        *slot = value;
        if let (Root::Cell(_), Some(guess)) = (root, &mut self.guess) {
            guess.write(self.core, place);
        }
        Ok(())
    }

    fn clock(&self, first: usize, displacement: i64) -> Result<usize, Trouble> {
        self.core.clock(first, displacement).ok_or_else(unfit)
    }
}

pub(crate) fn displaced(first: usize, displacement: i64) -> Option<usize> {
    first.checked_add(usize::try_from(displacement).ok()?)
}

/// The trouble with code that does not fit together.
pub(crate) fn broken(code: &Code) -> Trouble {
    let message = "code that does not fit together".to_owned();
    Refusal::Malformed { text: Text::Core, line: code.line, message }.into()
}

/// The trouble with an operation whose operands are wrong; [`blame`] adds the line.
fn unfit() -> Trouble {
    broken(&Code::default())
}

/// The same trouble, with the line of `code`.
fn blame(trouble: Trouble, code: &Code) -> Trouble {
    match trouble {
        Trouble::Refused(Refusal::Malformed { .. }) => broken(code),
        other => other,
    }
}

fn fits(value: i64) -> Result<i64, Trouble> {
    match i32::try_from(value) {
        Ok(_) => Ok(value),
        Err(_) => Err(Trouble::RunTime("a value does not fit 32 bits")),
    }
}

/// Applies an infix operator to 32-bit operands. Products of two fit 64 bits.
fn apply(operator: Operator, left: i64, right: i64) -> Result<i64, Trouble> {
    let (a, b) = (fits(left)?, fits(right)?);
    let division = Trouble::RunTime("division by zero");
    let shift = || match b {
        0..=31 => Ok(1i64 << b),
        _ => Err(Trouble::RunTime("a shift is not between 0 and 31")),
    };
    fits(match operator.0 {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a.checked_div(b).ok_or(division)?,
        "%" => a.checked_rem(b).ok_or(division)?,
        "**" => power(a, b)?,
        "<<" => a * shift()?,
        ">>" => a.div_euclid(shift()?),
        "<?" => a.min(b),
        ">?" => a.max(b),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<" => i64::from(a < b),
        "<=" => i64::from(a <= b),
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        ">=" => i64::from(a >= b),
        ">" => i64::from(a > b),
        _ => return Err(unfit()),
    })
}

/// A power by repeated multiplication. Beyond 32 factors only 0, 1 and -1 stay within 32 bits, and
/// their powers depend on the parity of the exponent alone.
fn power(base: i64, exponent: i64) -> Result<i64, Trouble> {
    if exponent < 0 {
        return Err(Trouble::RunTime("an exponent is negative"));
    }
    let factors = if exponent > 64 { 64 + exponent % 2 } else { exponent };
    (0..factors).try_fold(1, |product, _| fits(product * base))
}
