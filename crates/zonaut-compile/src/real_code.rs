//! Instructions on floating-point numbers, and their working memory.
//!
//! Floating point is part of the code only if a network is compiled
//! [for sampling](crate::CompiledNetwork::for_sampling). Its state is kept in the machine, not in
//! the values of a discrete state: a sampled run goes forward and never returns to a state.

use crate::code::{Machine, Program};
use crate::random::{Generator, draw};
use zonaut_model::BinaryOperator;
use zonaut_model::interpret::ErrorKind;
use zonaut_model::statistical::{RealFunction, RealKind, RealResult};

/// One instruction on floating-point numbers. They have a stack of their own; displacements,
/// truth values and converted integers are on the stack of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RealOp {
    /// Pushes a constant of the program.
    Constant(u32),
    /// Pops an integer, pushes it as a number.
    FromInteger,
    /// Pops a displacement, pushes the content of a cell.
    Load(u32),
    /// Pops a displacement, pushes the value of a clock.
    Clock(u32),
    /// Replaces the top by its negative.
    Negate,
    /// Pops the right, then the left operand, pushes the value.
    Binary(BinaryOperator),
    /// Pops the right, then the left operand, pushes the truth value as an integer.
    Compare(BinaryOperator),
    /// Pops the arguments, pushes the value.
    Apply(RealFunction),
    /// Pops a number, pushes it as an integer.
    ToInteger,
    /// Pops a number and a displacement, stores the number.
    Store(u32),
    /// Pops the displacements of source and target and copies this number of cells.
    Copy { target: u32, source: u32, length: u32 },
    /// Pops the displacements of both places and pushes whether their contents are equal.
    Same { left: u32, right: u32, length: u32 },
    /// Pops a displacement and sets this number of cells to 0.
    Clear { target: u32, length: u32 },
    /// Drops the top.
    Pop,
    /// Pops a number and a displacement; sets a clock.
    SetClock(u32),
    /// Pops the displacements of source and target; copies a clock.
    CopyClock { target: u32, source: u32 },
}

/// The floating-point part of the state and of the working memory.
#[derive(Clone, Debug)]
pub struct RealMemory {
    /// The floating-point cells: variables, hybrid clocks, constants and locals.
    pub cells: Vec<f64>,
    /// The values of the clocks.
    pub clocks: Vec<f64>,
    /// The generator of random numbers.
    pub random: Generator,
    pub(crate) stack: Vec<f64>,
}

impl RealMemory {
    pub(crate) fn pop(&mut self) -> f64 {
        self.stack.pop().expect("invariant: code keeps the stack of numbers balanced")
    }

    /// Pushes the value of an operation.
    fn push(&mut self, value: f64) -> Result<(), ErrorKind> {
        if value.is_nan() {
            return Err(ErrorKind::NotANumber);
        }
        self.stack.push(value);
        Ok(())
    }
}

impl Program {
    /// Executes one instruction on floating-point numbers.
    pub(crate) fn execute_real(&self, op: RealOp, machine: &mut Machine) -> Result<(), ErrorKind> {
        let Machine { reals: Some(reals), stack, .. } = machine else {
            return Err(ErrorKind::NotANumber);
        };
        let displaced = |stack: &mut Vec<i32>, first: u32| {
            let displacement = stack.pop().expect("invariant: a displacement is on the stack");
            first as usize + displacement as usize
        };
        match op {
            RealOp::Constant(index) => reals.stack.push(self.real_constants[index as usize]),
            RealOp::FromInteger => {
                let value = stack.pop().expect("invariant: an integer is on the stack");
                reals.stack.push(value.into());
            }
            RealOp::Load(first) => {
                let value = reals.cells[displaced(stack, first)];
                reals.stack.push(value);
            }
            RealOp::Clock(first) => {
                let value = reals.clocks[displaced(stack, first)];
                reals.stack.push(value);
            }
            RealOp::Negate => {
                let value = reals.pop();
                reals.stack.push(-value);
            }
            RealOp::Binary(operator) => {
                let right = reals.pop();
                let left = reals.pop();
                reals.push(compute(operator, left, right)?)?;
            }
            RealOp::Compare(operator) => {
                let right = reals.pop();
                let left = reals.pop();
                stack.push(i32::from(holds(operator, left, right)));
            }
            RealOp::Apply(function) => apply(function, reals)?,
            RealOp::ToInteger => stack.push(integer(reals.pop())?),
            RealOp::Store(first) => {
                let value = reals.pop();
                let cell = displaced(stack, first);
                self.store_real(cell, value, reals)?;
            }
            RealOp::Copy { target, source, length } => {
                let (source, target) = (displaced(stack, source), displaced(stack, target));
                reals.cells.copy_within(source..source + length as usize, target);
            }
            RealOp::Same { left, right, length } => {
                let (right, left) = (displaced(stack, right), displaced(stack, left));
                let length = length as usize;
                let cells = &reals.cells;
                let is_same = cells[left..left + length] == cells[right..right + length];
                stack.push(i32::from(is_same));
            }
            RealOp::Clear { target, length } => {
                let target = displaced(stack, target);
                reals.cells[target..target + length as usize].fill(0.0);
            }
            RealOp::Pop => {
                reals.pop();
            }
            RealOp::SetClock(first) => {
                let value = reals.pop();
                let clock = displaced(stack, first);
                reals.clocks[clock] = value;
            }
            RealOp::CopyClock { target, source } => {
                let (source, target) = (displaced(stack, source), displaced(stack, target));
                reals.clocks[target] = reals.clocks[source];
            }
        }
        Ok(())
    }

    /// Stores a number in a cell.
    pub(crate) fn store_real(
        &self,
        cell: usize,
        value: f64,
        reals: &mut RealMemory,
    ) -> Result<(), ErrorKind> {
        if let RealKind::Integer(range) = self.real_kinds[cell] {
            let value = integer(value)?;
            if !range.contains(value.into()) {
                return Err(ErrorKind::Range(value.into(), range));
            }
        }
        reals.cells[cell] = value;
        Ok(())
    }
}

/// The integer part of a number.
fn integer(value: f64) -> Result<i32, ErrorKind> {
    let whole = value.trunc();
    if whole.is_nan() {
        return Err(ErrorKind::NotANumber);
    }
    if whole < f64::from(i32::MIN) || whole > f64::from(i32::MAX) {
        return Err(ErrorKind::Overflow);
    }
    Ok(whole as i32)
}

fn compute(operator: BinaryOperator, left: f64, right: f64) -> Result<f64, ErrorKind> {
    Ok(match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide if right == 0.0 => return Err(ErrorKind::Division),
        BinaryOperator::Divide => left / right,
        BinaryOperator::Remainder if right == 0.0 => return Err(ErrorKind::Division),
        BinaryOperator::Remainder => left % right,
        BinaryOperator::Power => libm::pow(left, right),
        BinaryOperator::Minimum => left.min(right),
        BinaryOperator::Maximum => left.max(right),
        other => f64::from(u8::from(holds(other, left, right))),
    })
}

fn holds(operator: BinaryOperator, left: f64, right: f64) -> bool {
    match operator {
        BinaryOperator::Less => left < right,
        BinaryOperator::LessEqual => left <= right,
        BinaryOperator::Equal => left == right,
        BinaryOperator::GreaterEqual => left >= right,
        BinaryOperator::Greater => left > right,
        _ => left != right,
    }
}

/// Replaces the arguments on the stack by the value of a function.
fn apply(function: RealFunction, reals: &mut RealMemory) -> Result<(), ErrorKind> {
    let arity = function.arity();
    let mut arguments = [0.0; 3];
    for slot in arguments[..arity].iter_mut().rev() {
        *slot = reals.pop();
    }
    let value = if function.result() == RealResult::Random {
        draw(function, arguments, &mut reals.random)?
    } else {
        value_of(function, arguments)
    };
    reals.push(value)
}

/// The value of a function that is not random. All transcendental functions are computed by the
/// same library on every platform, so that a seed gives the same runs everywhere.
fn value_of(function: RealFunction, [x, y, z]: [f64; 3]) -> f64 {
    use RealFunction as F;
    let truth = |value: bool| f64::from(u8::from(value));
    match function {
        F::Absolute => x.abs(),
        F::Modulo => libm::fmod(x, y),
        F::FusedMultiplyAdd => libm::fma(x, y, z),
        F::Maximum => x.max(y),
        F::Minimum => x.min(y),
        F::PositiveDifference => libm::fdim(x, y),
        F::Exponential => libm::exp(x),
        F::Exponential2 => libm::exp2(x),
        F::ExponentialMinusOne => libm::expm1(x),
        F::NaturalLogarithm | F::Logarithm => libm::log(x),
        F::Logarithm10 => libm::log10(x),
        F::Logarithm2 => libm::log2(x),
        F::LogarithmPlusOne => libm::log1p(x),
        F::Power => libm::pow(x, y),
        F::SquareRoot => x.sqrt(),
        F::CubeRoot => libm::cbrt(x),
        F::Hypotenuse => libm::hypot(x, y),
        F::Sine => libm::sin(x),
        F::Cosine => libm::cos(x),
        F::Tangent => libm::tan(x),
        F::ArcSine => libm::asin(x),
        F::ArcCosine => libm::acos(x),
        F::ArcTangent => libm::atan(x),
        F::ArcTangent2 => libm::atan2(x, y),
        F::HyperbolicSine => libm::sinh(x),
        F::HyperbolicCosine => libm::cosh(x),
        F::HyperbolicTangent => libm::tanh(x),
        F::AreaSine => libm::asinh(x),
        F::AreaCosine => libm::acosh(x),
        F::AreaTangent => libm::atanh(x),
        F::Error => libm::erf(x),
        F::ErrorComplement => libm::erfc(x),
        F::Gamma => libm::tgamma(x),
        F::LogarithmOfGamma => libm::lgamma(x),
        F::Ceiling => x.ceil(),
        F::Floor => x.floor(),
        F::Truncation | F::ToInteger => x.trunc(),
        F::Rounding => x.round(),
        F::Scale => libm::ldexp(x, y.clamp(-5000.0, 5000.0) as i32),
        F::IntegerExponent => f64::from(libm::ilogb(x)),
        F::Exponent if x == 0.0 => f64::NEG_INFINITY,
        F::Exponent if x.is_infinite() => f64::INFINITY,
        F::Exponent => f64::from(libm::ilogb(x)),
        F::NextAfter => libm::nextafter(x, y),
        F::CopySign => x.copysign(y),
        F::Classify => f64::from(match x.classify() {
            std::num::FpCategory::Nan => 0,
            std::num::FpCategory::Infinite => 1,
            std::num::FpCategory::Zero => 2,
            std::num::FpCategory::Subnormal => 3,
            std::num::FpCategory::Normal => 4,
        }),
        F::IsFinite => truth(x.is_finite()),
        F::IsInfinite => truth(x.is_infinite()),
        F::IsNotANumber | F::IsUnordered => truth(x.is_nan()),
        F::IsNormal => truth(x.is_normal()),
        F::SignBit => truth(x.is_sign_negative()),
        // Random functions are drawn instead.
        F::Uniform
        | F::RandomArcSine
        | F::RandomBeta
        | F::RandomGamma
        | F::RandomNormal
        | F::RandomPoisson
        | F::RandomTriangular
        | F::RandomWeibull => f64::NAN,
    }
}
