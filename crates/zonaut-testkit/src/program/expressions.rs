//! Random calls, arrays and structs, and assignments.

use super::value_type::{PathStep, Ty};
use super::writer::{Passing, Signature, Variable, Writer};

impl Writer {
    /// Runs `work` with a bound name in scope.
    pub(super) fn with_binder<T>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let variable = Variable {
            name: name.to_owned(),
            ty: Ty::Number(0),
            is_writable: false,
            is_state: false,
        };
        self.variables.push(variable);
        let result = work(self);
        self.variables.retain(|variable| variable.name != name);
        result
    }

    /// A value of any type.
    pub(super) fn value(&mut self, ty: Ty, depth: usize) -> String {
        match ty {
            Ty::Number(_) => {
                let (low, high) = self.types.range(ty);
                self.fitting(low, high, depth)
            }
            Ty::Boolean => self.condition(depth),
            Ty::Aggregate(_) => self.aggregate(ty, depth),
        }
    }

    /// An array or a struct.
    pub(super) fn aggregate(&mut self, ty: Ty, depth: usize) -> String {
        if depth > 0 {
            let below = depth - 1;
            match self.random.below(10) {
                0..=4 => {
                    if let Some(call) = self.call(below, |result| result == Some(ty)) {
                        return call;
                    }
                }
                5 | 6 => {
                    let condition = self.condition(below);
                    let (yes, no) = (self.aggregate(ty, below), self.aggregate(ty, below));
                    return format!("({condition} ? {yes} : {no})");
                }
                _ => {}
            }
        }
        let found = self.place(false, depth, |found| found == ty);
        found.expect("invariant: there is a global variable of each array and struct").0
    }

    /// A part of a temporary array or struct.
    pub(super) fn part_of_value(&mut self, depth: usize, is_wanted: impl Fn(Ty) -> bool) -> String {
        let mut parts = Vec::new();
        for aggregate in (0..self.types.aggregates.len()).map(Ty::Aggregate) {
            for (path, ty) in self.types.parts(aggregate) {
                if is_wanted(ty) {
                    parts.push((aggregate, path));
                }
            }
        }
        if parts.is_empty() {
            return self.literal(0, 1);
        }
        let (aggregate, path) = self.random.choose(&parts);
        let mut text = self.aggregate(aggregate, depth + 1);
        for step in path {
            match step {
                PathStep::Member(member) => text = format!("{text}.{member}"),
                PathStep::Element { low, size } => {
                    text = format!("{text}[{}]", self.fitting(low, low + size - 1, depth));
                }
            }
        }
        text
    }

    /// A call with a wanted result type, or a smaller expression if there is no such function.
    pub(super) fn call_of(&mut self, depth: usize, is_wanted: impl Fn(Ty) -> bool) -> String {
        match self.call(depth, |result| result.is_some_and(&is_wanted)) {
            Some(call) => call,
            None => match self.place(false, depth, &is_wanted) {
                Some((place, _)) => place,
                None => self.literal(0, 1),
            },
        }
    }

    /// A call of a function with a wanted result type.
    pub(super) fn call(
        &mut self,
        depth: usize,
        is_wanted: impl Fn(Option<Ty>) -> bool,
    ) -> Option<String> {
        let may_call = |function: &&Signature| {
            (function.is_pure || self.writes_state) && is_wanted(function.result)
        };
        let functions: Vec<Signature> = self.functions.iter().filter(may_call).cloned().collect();
        if functions.is_empty() {
            return None;
        }
        let function = self.random.choose(&functions);
        let mut arguments = Vec::new();
        for (ty, passing) in function.parameters {
            arguments.push(self.argument(ty, passing, depth)?);
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    fn argument(&mut self, ty: Ty, passing: Passing, depth: usize) -> Option<String> {
        let is_written = match passing {
            Passing::Value => return Some(self.value(ty, depth)),
            Passing::Reference => true,
            Passing::ConstantReference => false,
        };
        self.place(is_written, depth, |found| found == ty).map(|(place, _)| place)
    }

    /// An assignment to a number or truth value, given the text of the lvalue.
    pub(super) fn scalar_assignment(&mut self, place: &str, ty: Ty, depth: usize) -> String {
        let Ty::Number(number) = ty else {
            return format!("{place} = {}", self.condition(depth));
        };
        let (low, high) = self.types.range(ty);
        if self.random.chance(65) {
            return format!("{place} = {}", self.fitting(low, high, depth));
        }
        let is_wide = self.types.numbers[number].is_wide();
        if is_wide || self.wants_failure() {
            let operator = self.random.choose(&["+=", "-=", "*=", "|=", "^="]);
            return format!("{place} {operator} {}", self.fitting(0, 3, depth));
        }
        if low > 0 {
            return format!("{place} = {}", self.fitting(low, high, depth));
        }
        match self.random.below(4) {
            0 => format!("{place} %= (1 + {})", self.fitting(0, 3, depth)),
            1 => format!("{place} /= {}", self.random.choose(&["2", "3"])),
            2 => format!("{place} >>= {}", self.fitting(0, 3, depth)),
            _ if low == 0 => format!("{place} &= {}", self.number(depth)),
            _ => format!("{place} /= (1 + {})", self.fitting(0, 3, depth)),
        }
    }
}
