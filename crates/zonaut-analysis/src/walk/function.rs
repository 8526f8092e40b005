//! Functions and their statements.

use super::place::{Chosen, Displacements};
use super::{Returned, Walk};
use crate::domain::{Domain, Truth};
use crate::failure::FailureKind;
use zonaut_model::interpret::offset;
use zonaut_model::{
    Argument, ExpressionId, FunctionId, LocalId, Parameter, Range, Statement, Storage,
};

/// A loop.
#[derive(Clone, Copy)]
struct Loop<'s> {
    condition: ExpressionId,
    body: &'s [Statement],
}

impl<D: Domain> Walk<'_, D> {
    pub(super) fn call(
        &mut self,
        id: ExpressionId,
        function: FunctionId,
        arguments: &[Argument],
    ) -> Option<D::Value> {
        let model = self.model;
        let function = &model.functions[function];
        let mut values = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            match argument {
                Argument::Value(value) => values.push(self.value(*value)?),
                Argument::Content(place) => {
                    self.domain.pay(parameter.length)?;
                    let source = self.chosen(id, place)?;
                    for k in 0..parameter.length as usize {
                        values.push(self.load(&source, k)?);
                    }
                }
            }
        }
        let targets = function.parameters.iter().flat_map(|parameter| addresses(*parameter));
        for (target, value) in targets.zip(values) {
            self.store_at(id, target, &value)?;
        }
        let scope = self.domain.scope(&self.memory);
        let outer = self.returned.take();
        let end = self.run(&function.body);
        let returned = std::mem::replace(&mut self.returned, outer);
        let value = self.result(id, function.result, end, returned);
        self.domain.leave(&mut self.memory, scope);
        value
    }

    /// The value of a call, from the memory at the end of its body and at its returns.
    fn result(
        &mut self,
        id: ExpressionId,
        result: Option<Parameter>,
        end: Option<()>,
        returned: Option<Returned<D>>,
    ) -> Option<D::Value> {
        let Some(result) = result else {
            match (end, returned) {
                (Some(()), Some((memory, _))) => self.domain.join_memory(&mut self.memory, memory),
                (Some(()), None) => {}
                (None, returned) => self.memory = returned?.0,
            }
            return Some(self.domain.constant(0));
        };
        if end.is_some() {
            self.fail(FailureKind::MissingReturn, id);
        }
        let (memory, value) = returned?;
        self.memory = memory;
        match value {
            Some(value) => self.store_at(id, Storage::Local(result.first), &value),
            // `ReturnContent` has left arrays and structs in the result storage.
            None => Some(self.domain.constant(0)),
        }
    }

    /// Runs statements; `None` if their end is never reached.
    pub(super) fn run(&mut self, body: &[Statement]) -> Option<()> {
        for statement in body {
            if self.patience == 0 {
                return self.jump_over();
            }
            self.run_statement(statement)?;
        }
        Some(())
    }

    fn run_statement(&mut self, statement: &Statement) -> Option<()> {
        match statement {
            Statement::Expression(expression) => self.value(*expression).map(|_| ()),
            Statement::If(condition, yes, no) => self.choose_body(*condition, yes, no),
            Statement::While(condition, body) => {
                self.repeat(Loop { condition: *condition, body }, true)
            }
            Statement::DoWhile(body, condition) => {
                self.repeat(Loop { condition: *condition, body }, false)
            }
            Statement::Iterate { binder, low, high, body } => {
                self.iterate(*binder, Range { low: *low, high: *high }, body)
            }
            Statement::Return(value) => {
                let value = match value {
                    Some(value) => Some(self.value(*value)?),
                    None => None,
                };
                self.leave_function(value)
            }
            Statement::ReturnContent { source, target, at } => {
                let source = self.chosen(*at, source)?;
                let root = Storage::Local(target.first);
                let target_place = Chosen::known(root);
                for k in 0..target.length as usize {
                    let value = self.load(&source, k)?;
                    self.store(*at, &target_place, k, value)?;
                }
                self.leave_function(None)
            }
            Statement::Assert(condition) => {
                let value = self.value(*condition)?;
                let truth = self.domain.truth(&value);
                if truth == Truth::Holds {
                    return Some(());
                }
                self.fail(FailureKind::Assertion, *condition);
                if truth == Truth::Fails { None } else { self.assume(*condition, true) }
            }
        }
    }

    /// Records the memory at a `return`; no statement follows.
    pub(super) fn leave_function(&mut self, value: Option<D::Value>) -> Option<()> {
        self.returns += 1;
        let value = value.map(|value| self.domain.result(&self.memory, value));
        self.returned = Some(match self.returned.take() {
            None => (self.memory.clone(), value),
            Some((mut memory, other)) => {
                self.domain.join_memory(&mut memory, self.memory.clone());
                let both = match (other, value) {
                    (Some(other), Some(value)) => Some(self.domain.join(other, value)),
                    (other, value) => other.or(value),
                };
                (memory, both)
            }
        });
        None
    }

    fn iterate(&mut self, binder: LocalId, values: Range, body: &[Statement]) -> Option<()> {
        if values.low > values.high {
            return Some(());
        }
        let count = values.size();
        if count <= u64::from(self.unrolling) {
            self.unrolling -= count as u32;
            for value in values.low..=values.high {
                self.step()?;
                self.bind(binder, value);
                self.run(body)?;
            }
            return Some(());
        }
        loop {
            let (before, steps) = (self.memory.clone(), self.steps);
            let value = self.domain.between(values.low, values.high)?;
            self.domain.store(&mut self.memory, Storage::Local(binder), value);
            self.step()?;
            self.run(body)?;
            if !self.domain.widen(&before, &mut self.memory) {
                self.repeat_steps(steps, count);
                return Some(());
            }
        }
    }

    /// Runs a loop, unrolled as far as possible.
    fn repeat(&mut self, all: Loop<'_>, tests_first: bool) -> Option<()> {
        let (scope, returns) = (self.domain.scope(&self.memory), self.returns);
        let end = self.rounds(all, tests_first);
        if end.is_some() && self.returns == returns {
            self.domain.leave(&mut self.memory, scope);
        }
        end
    }

    fn rounds(&mut self, all: Loop<'_>, tests_first: bool) -> Option<()> {
        let mut ends = None;
        let mut undecided = 0;
        let mut is_tested = tests_first;
        loop {
            if is_tested {
                match self.may_go_on(all.condition, &mut ends) {
                    None | Some(Truth::Fails) => return self.reach_only(ends),
                    Some(Truth::Holds) => {}
                    Some(Truth::Either) => undecided += 1,
                }
            }
            is_tested = true;
            if self.unrolling == 0 || undecided > self.domain.undecided_rounds() {
                return self.rounds_together(all, ends);
            }
            self.unrolling -= 1;
            if self.run(all.body).is_none() {
                return self.reach_only(ends);
            }
        }
    }

    /// Any number of rounds of a loop whose test has held.
    fn rounds_together(&mut self, all: Loop<'_>, mut ends: Option<D::Memory>) -> Option<()> {
        // The number of rounds is unknown.
        self.fail(FailureKind::Budget, all.condition);
        loop {
            let before = self.memory.clone();
            if self.run(all.body).is_none() {
                break;
            }
            if !self.may_go_on(all.condition, &mut ends).is_some_and(Truth::may_hold)
                || !self.domain.widen(&before, &mut self.memory)
            {
                break;
            }
        }
        self.reach_only(ends)
    }

    /// Evaluates the test of a loop, and records the memory at its exit.
    fn may_go_on(
        &mut self,
        condition: ExpressionId,
        ends: &mut Option<D::Memory>,
    ) -> Option<Truth> {
        let value = self.value(condition)?;
        let truth = self.domain.truth(&value);
        match truth {
            Truth::Holds => {}
            Truth::Fails => self.end_here(ends),
            Truth::Either => {
                self.domain.decide(&mut self.memory, &value);
                let before = self.memory.clone();
                if self.assume(condition, false).is_some() {
                    self.end_here(ends);
                }
                self.memory = before;
                self.assume(condition, true)?;
            }
        }
        Some(truth)
    }

    /// Continues with the recorded ends, if there are any.
    fn reach_only(&mut self, ends: Option<D::Memory>) -> Option<()> {
        self.memory = ends?;
        Some(())
    }
}

impl<V> Chosen<V, Storage> {
    fn known(root: Storage) -> Self {
        Self::new(root, Displacements::One(0), Vec::new())
    }
}

fn addresses(parameter: Parameter) -> impl Iterator<Item = Storage> {
    (0..parameter.length as usize).map(move |k| offset(Storage::Local(parameter.first), k))
}
