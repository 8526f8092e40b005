//! Quantifiers, arrays and structs, functions and their statements.

use super::{Evaluator, Outcome, Stop, ValueSets};
use zonaut_base::Id;
use zonaut_model::interpret::{apply, offset};
use zonaut_model::{
    Argument, BinaryOperator, Expression, ExpressionId, Function, FunctionId, LocalId, Parameter,
    QuantifierKind, Statement, Storage,
};

enum Flow {
    Next,
    /// The number that is returned, if it is one.
    Return(Option<i32>),
}

impl Evaluator<'_> {
    pub(super) fn evaluate_aggregate<S: ValueSets>(
        &mut self,
        sets: &S,
        id: ExpressionId,
    ) -> Outcome<i32> {
        let model = self.model;
        match &model.expressions[id] {
            Expression::Quantifier { kind, binder, low, high, body } => {
                self.quantify(sets, *kind, (*binder, *low, *high), *body)
            }
            Expression::SameContent(left, right, length) => {
                self.pay_for_content(*length)?;
                let (left, right) = (self.address(sets, left)?, self.address(sets, right)?);
                for k in 0..*length as usize {
                    if self.load(sets, offset(left, k))? != self.load(sets, offset(right, k))? {
                        return Ok(0);
                    }
                }
                Ok(1)
            }
            Expression::CopyContent(target, source, length) => {
                let (target, source) = (self.address(sets, target)?, self.address(sets, source)?);
                self.copy(sets, target, source, *length)?;
                Ok(0)
            }
            Expression::Call(function, arguments) => self.call(sets, *function, arguments),
            _ => Err(Stop::Unknown),
        }
    }

    fn quantify<S: ValueSets>(
        &mut self,
        sets: &S,
        kind: QuantifierKind,
        (binder, low, high): (LocalId, i32, i32),
        body: ExpressionId,
    ) -> Outcome<i32> {
        let mut sum = 0;
        for value in low..=high {
            self.locals[binder.index()] = value;
            let value = self.evaluate(sets, body)?;
            match kind {
                QuantifierKind::ForAll if value == 0 => return Ok(0),
                QuantifierKind::Exists if value != 0 => return Ok(1),
                QuantifierKind::ForAll | QuantifierKind::Exists => {}
                QuantifierKind::Sum => {
                    sum = apply(BinaryOperator::Add, sum, value).map_err(|_| Stop::Failed)?;
                }
            }
        }
        Ok(if kind == QuantifierKind::ForAll { 1 } else { sum })
    }

    fn copy<S: ValueSets>(
        &mut self,
        sets: &S,
        target: Storage,
        source: Storage,
        length: u32,
    ) -> Outcome<()> {
        self.pay_for_content(length)?;
        // Read everything first: the places may overlap.
        let content: Outcome<Vec<i32>> =
            (0..length as usize).map(|k| self.load(sets, offset(source, k))).collect();
        for (k, value) in content?.into_iter().enumerate() {
            self.store(offset(target, k), value)?;
        }
        Ok(())
    }

    fn call<S: ValueSets>(
        &mut self,
        sets: &S,
        function: FunctionId,
        arguments: &[Argument],
    ) -> Outcome<i32> {
        let model = self.model;
        let function = &model.functions[function];
        let mut values = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            match argument {
                Argument::Value(value) => values.push(self.evaluate(sets, *value)?),
                Argument::Content(place) => {
                    self.pay_for_content(parameter.length)?;
                    let source = self.address(sets, place)?;
                    for k in 0..parameter.length as usize {
                        values.push(self.load(sets, offset(source, k))?);
                    }
                }
            }
        }
        let targets = function.parameters.iter().flat_map(|parameter| addresses(*parameter));
        for (target, value) in targets.zip(values) {
            self.store(target, value)?;
        }
        self.run_function(sets, function)
    }

    fn run_function<S: ValueSets>(&mut self, sets: &S, function: &Function) -> Outcome<i32> {
        match (self.run_all(sets, &function.body)?, function.result) {
            (Flow::Next, Some(_)) => Err(Stop::Failed),
            (Flow::Return(Some(value)), Some(result)) => {
                self.store(Storage::Local(result.first), value)?;
                Ok(value)
            }
            // Arrays and structs were left in the result storage by `ReturnContent`.
            (Flow::Return(None), Some(_)) | (_, None) => Ok(0),
        }
    }

    fn run_all<S: ValueSets>(&mut self, sets: &S, body: &[Statement]) -> Outcome<Flow> {
        for statement in body {
            if let Flow::Return(value) = self.run_statement(sets, statement)? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    fn run_statement<S: ValueSets>(&mut self, sets: &S, statement: &Statement) -> Outcome<Flow> {
        match statement {
            Statement::Expression(expression) => {
                self.evaluate(sets, *expression)?;
            }
            Statement::If(condition, yes, no) => {
                let chosen = if self.evaluate(sets, *condition)? != 0 { yes } else { no };
                return self.run_all(sets, chosen);
            }
            Statement::While(condition, body) => {
                while self.evaluate(sets, *condition)? != 0 {
                    if let Flow::Return(value) = self.run_all(sets, body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::DoWhile(body, condition) => loop {
                if let Flow::Return(value) = self.run_all(sets, body)? {
                    return Ok(Flow::Return(value));
                }
                if self.evaluate(sets, *condition)? == 0 {
                    break;
                }
            },
            Statement::Iterate { binder, low, high, body } => {
                for value in *low..=*high {
                    self.steps = self.steps.checked_sub(1).ok_or(Stop::Unknown)?;
                    self.locals[binder.index()] = value;
                    if let Flow::Return(value) = self.run_all(sets, body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::Return(value) => {
                let value = value.map(|value| self.evaluate(sets, value)).transpose()?;
                return Ok(Flow::Return(value));
            }
            Statement::ReturnContent { source, target, .. } => {
                let source = self.address(sets, source)?;
                for (k, address) in addresses(*target).enumerate() {
                    let value = self.load(sets, offset(source, k))?;
                    self.store(address, value)?;
                }
                return Ok(Flow::Return(None));
            }
            Statement::Assert(condition) => {
                if self.evaluate(sets, *condition)? == 0 {
                    return Err(Stop::Failed);
                }
            }
        }
        Ok(Flow::Next)
    }
}

fn addresses(parameter: Parameter) -> impl Iterator<Item = Storage> {
    (0..parameter.length as usize).map(move |k| offset(Storage::Local(parameter.first), k))
}
