//! The fallback for evaluations that take too long: nested calls and loops can have exponentially
//! many steps.
//!
//! Statements are then skipped instead of walked: every symbol that occurs in any function may be
//! read, and may be written with any value. That takes time once per model. The failures inside are
//! not known, so the failure [`FailureKind::Budget`] stands for all kinds.

use super::Walk;
use crate::domain::Domain;
use crate::failure::FailureKind;
use crate::interval::range_of;
use std::collections::BTreeSet;
use zonaut_base::Id;
use zonaut_model::interpret::offset;
use zonaut_model::{
    ClockId, Expression, ExpressionId, LocationId, Model, Place, ProcessId, Range, Statement,
    Storage, Usage,
};

/// The symbols that occur in the functions of a model.
#[derive(Clone, Default, Debug)]
pub(super) struct FunctionSymbols {
    read: BTreeSet<Storage>,
    written: BTreeSet<Storage>,
    clocks_read: Vec<ClockId>,
    clocks_written: Vec<ClockId>,
    locations: Vec<(ProcessId, LocationId)>,
    /// An expression for failures.
    blame: Option<ExpressionId>,
}

impl FunctionSymbols {
    fn new(model: &Model) -> Self {
        let mut this = Self::default();
        let mut open = Vec::new();
        for function in &model.functions {
            this.statements(&function.body, &mut open);
            for parameter in function.parameters.iter().chain(&function.result) {
                let place = Place::fixed(Storage::Local(parameter.first));
                this.written.extend(elements(&place, parameter.length));
            }
        }
        this.blame = open.first().copied();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                model.expressions[id].for_each_child(|child| open.push(child));
                this.expression(model, &model.expressions[id]);
            }
        }
        this.clocks_read.sort_unstable();
        this.clocks_read.dedup();
        this.clocks_written.sort_unstable();
        this.clocks_written.dedup();
        this
    }

    fn statements(&mut self, body: &[Statement], open: &mut Vec<ExpressionId>) {
        for statement in body {
            match statement {
                Statement::Expression(id) | Statement::Assert(id) => open.push(*id),
                Statement::If(condition, yes, no) => {
                    open.push(*condition);
                    self.statements(yes, open);
                    self.statements(no, open);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    open.push(*condition);
                    self.statements(body, open);
                }
                Statement::Iterate { binder, body, .. } => {
                    self.written.insert(Storage::Local(*binder));
                    self.statements(body, open);
                }
                Statement::Return(value) => open.extend(value),
                Statement::ReturnContent { source, target, .. } => {
                    open.extend(source.indices.iter().map(|index| index.value));
                    self.read.extend(elements(source, target.length));
                }
            }
        }
    }

    fn expression(&mut self, model: &Model, expression: &Expression) {
        match expression {
            Expression::At(process, location) => self.locations.push((*process, *location)),
            Expression::Quantifier { binder, .. } => {
                self.written.insert(Storage::Local(*binder));
            }
            _ => {}
        }
        expression.for_each_place(|place, usage| match usage {
            Usage::Read(length) => self.read.extend(elements(place, length)),
            Usage::Written(length) => self.written.extend(elements(place, length)),
            Usage::Argument(function, number) => {
                let length = model.functions[function].parameters[number].length;
                self.read.extend(elements(place, length));
            }
        });
        expression.for_each_clock_place(|place, is_written| {
            let first = place.root.index();
            let clocks = (first..=first + place.extent()).map(ClockId::from_index);
            if is_written {
                self.clocks_written.extend(clocks);
            } else {
                self.clocks_read.extend(clocks);
            }
        });
    }
}

fn elements(place: &Place<Storage>, length: u32) -> impl Iterator<Item = Storage> + use<> {
    let root = place.root;
    (0..place.extent() + length as usize).map(move |distance| offset(root, distance))
}

impl<D: Domain> Walk<'_, D> {
    /// Skips statements of a function: they may do anything, reach their end, or return.
    pub(super) fn jump_over(&mut self) -> Option<()> {
        let model = self.model;
        let named = self.named.take().unwrap_or_else(|| Box::new(FunctionSymbols::new(model)));
        let done = self.pretend(&named);
        self.named = Some(named);
        done
    }

    fn pretend(&mut self, named: &FunctionSymbols) -> Option<()> {
        if let Some(blame) = named.blame {
            self.fail(FailureKind::Budget, blame);
        }
        let mut anything = self.domain.between(i32::MIN, i32::MAX)?;
        for &address in &named.read {
            let content = self.domain.load(&self.memory, address)?;
            anything = self.domain.influenced(anything, &content);
        }
        for &(process, location) in &named.locations {
            let is_there = self.domain.at(process, location)?;
            anything = self.domain.influenced(anything, &is_there);
        }
        for &address in &named.written {
            let Range { low, high } = range_of(self.model, address);
            let value = self.domain.between(low, high)?;
            let value = self.domain.influenced(value, &anything);
            if !matches!(address, Storage::Constant(_)) {
                self.domain.store_perhaps(&mut self.memory, address, value);
            }
        }
        for &clock in &named.clocks_read {
            self.domain.read_clock(&self.memory, clock);
        }
        // Two clocks at once, so that none is certainly set.
        for &clock in &named.clocks_written {
            self.domain.set_clock(&mut self.memory, &[clock, clock], &anything);
            for &source in &named.clocks_read {
                self.domain.copy_clock(&mut self.memory, &[clock, clock], &[source]);
            }
        }
        let end = self.memory.clone();
        self.leave_function(Some(anything));
        self.memory = end;
        Some(())
    }
}
