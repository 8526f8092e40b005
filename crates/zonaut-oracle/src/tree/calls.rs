//! Members, calls and arguments.

use super::expressions::Operand;
use super::machine::{Binding, Machine, Names, Outcome, Scope, Stop, check};
use super::statements::Flow;
use super::value::{Type, Value};
use zonaut_model::interpret::ErrorKind;
use zonaut_model::statistical::{Real, RealFunction};
use zonaut_syntax::tree::{ExpressionId, ExpressionKind, Function, Parameter};

impl<'d> Machine<'d> {
    /// The process that an expression of a query names.
    pub(super) fn process_named(&self, id: ExpressionId) -> Option<usize> {
        let name = match &self.source[id].kind {
            ExpressionKind::Name(name) => name.to_string(),
            ExpressionKind::Call(set, arguments) => {
                let ExpressionKind::Name(set) = &self.source[*set].kind else { return None };
                let values: Option<Vec<String>> = arguments
                    .iter()
                    .map(|argument| match self.source[*argument].kind {
                        ExpressionKind::Integer(value) => Some(value.to_string()),
                        _ => None,
                    })
                    .collect();
                format!("{set}({})", values?.join(","))
            }
            _ => return None,
        };
        if self.find(&name).is_ok() {
            return None;
        }
        self.processes.iter().position(|process| *process.name == *name)
    }

    /// `value.member`, or a member of a process in a query.
    pub(super) fn member(&mut self, of: ExpressionId, name: &str) -> Outcome<Operand> {
        if let Some(process) = self.process_named(of) {
            return self.process_member(process, name);
        }
        match self.operand(of)? {
            Operand::Lvalue(mut place) => {
                let Type::Struct(members) = self.type_at(&place) else {
                    return Err(Stop::Beyond("a member of no struct"));
                };
                let position = members.iter().position(|(member, _)| **member == *name);
                place.path.push(position.ok_or(Stop::Beyond("an unknown member"))?);
                Ok(Operand::Lvalue(place))
            }
            // Only a type has the names of members, so a temporary value gets a variable of its
            // type.
            Operand::Value(value) => {
                let ty = self.type_of_result(of)?;
                let Type::Struct(members) = &ty else {
                    return Err(Stop::Beyond("a member of no struct"));
                };
                let position = members.iter().position(|(member, _)| **member == *name);
                let position = position.ok_or(Stop::Beyond("an unknown member"))?;
                match value {
                    Value::Struct(mut parts) => Ok(Operand::Value(parts.swap_remove(position))),
                    _ => Err(Stop::Beyond("a member of no struct")),
                }
            }
        }
    }

    /// The type of a temporary value: that of the function, variable or member it comes from.
    pub(super) fn type_of_result(&mut self, id: ExpressionId) -> Outcome<Type> {
        let source = self.source;
        match &source[id].kind {
            ExpressionKind::Call(callee, _) => match self.callee(*callee)? {
                Binding::Function(function, process) => {
                    self.in_scope(process, |machine| machine.type_of(&function.result))
                }
                _ => Err(Stop::Beyond("a call of no function")),
            },
            ExpressionKind::Conditional(_, yes, _) => self.type_of_result(*yes),
            ExpressionKind::Name(name) => match self.find(name)? {
                Binding::Lvalue(place) => Ok(self.type_at(&place).clone()),
                _ => Err(Stop::Beyond("a name that is no value")),
            },
            ExpressionKind::Index(array, _) => match self.type_of_result(*array)? {
                Type::Array { element, .. } => Ok(*element),
                _ => Err(Stop::Beyond("an index into no array")),
            },
            ExpressionKind::Field(of, name) => match self.type_of_result(*of)? {
                Type::Struct(members) => {
                    let found = members.into_iter().find(|(member, _)| *member == name.text);
                    found.map(|(_, ty)| ty).ok_or(Stop::Beyond("an unknown member"))
                }
                _ => Err(Stop::Beyond("a member of no struct")),
            },
            _ => Err(Stop::Beyond("a value of unknown type")),
        }
    }

    fn process_member(&mut self, process: usize, name: &str) -> Outcome<Operand> {
        let template = &self.document.templates[self.processes[process].template];
        let is_named = |location: &zonaut_syntax::tree::Location| {
            location.name.as_ref().is_some_and(|own| *own.text == *name)
        };
        if let Some(location) = template.locations.iter().position(is_named) {
            let is_there = self.locations[process] == location;
            return Ok(Operand::Value(Value::Number(i64::from(is_there))));
        }
        let mut names = self.processes[process].names.iter().rev();
        match names.find(|(candidate, _)| **candidate == *name) {
            Some((_, Binding::Lvalue(place))) => Ok(Operand::Lvalue(place.clone())),
            _ => Err(Stop::Beyond("an unknown name of a process")),
        }
    }

    fn callee(&mut self, callee: ExpressionId) -> Outcome<Binding<'d>> {
        let source = self.source;
        match &source[callee].kind {
            ExpressionKind::Name(name) => self.find(name),
            ExpressionKind::Field(process, name) => {
                let process = self.process_named(*process);
                let process = process.ok_or(Stop::Beyond("a call of no function"))?;
                let mut names = self.processes[process].names.iter().rev();
                let found = names.find(|(candidate, _)| *candidate == name.text);
                found.map(|(_, binding)| binding.clone()).ok_or(Stop::Beyond("an unknown name"))
            }
            _ => Err(Stop::Beyond("a call of no function")),
        }
    }

    /// Evaluates arguments from left to right, binds the parameters, and runs the body.
    pub(super) fn call(
        &mut self,
        callee: ExpressionId,
        arguments: &[ExpressionId],
    ) -> Outcome<Value> {
        if let Some(function) = self.function_of_language(callee) {
            return self.apply_function(function, arguments);
        }
        let Binding::Function(function, process) = self.callee(callee)? else {
            return Err(Stop::Beyond("a call of no function"));
        };
        let before = self.variables.len();
        let mut passed = Vec::new();
        for (parameter, &argument) in function.parameters.iter().zip(arguments) {
            passed.push(match self.operand(argument)? {
                Operand::Lvalue(place) if !parameter.by_reference => {
                    Operand::Value(self.read(&place))
                }
                operand => operand,
            });
        }
        let mut names: Names<'d> = Vec::new();
        for (parameter, operand) in function.parameters.iter().zip(passed) {
            let binding = match operand {
                Operand::Lvalue(place) => Binding::Lvalue(place),
                Operand::Value(value) => self.argument(parameter, process, value)?,
            };
            names.push((parameter.declarator.name.text.clone(), binding));
        }
        let source = std::mem::replace(&mut self.source, &self.document.expressions);
        let scope = std::mem::replace(&mut self.scope, Scope { process, blocks: vec![names] });
        let result = self.body(function);
        self.scope = scope;
        self.source = source;
        self.variables.truncate(before);
        result
    }

    /// The function of the language that an undeclared name denotes.
    fn function_of_language(&self, callee: ExpressionId) -> Option<RealFunction> {
        match &self.source[callee].kind {
            ExpressionKind::Name(name) if self.find(name).is_err() => RealFunction::named(name),
            _ => None,
        }
    }

    fn apply_function(
        &mut self,
        function: RealFunction,
        arguments: &[ExpressionId],
    ) -> Outcome<Value> {
        let numbers = arguments.iter().map(|argument| self.real(*argument));
        let numbers = numbers.collect::<Outcome<Vec<f64>>>()?;
        let random = self.random.as_mut().ok_or(Stop::Beyond("functions of numbers"))?;
        match (function, numbers.as_slice()) {
            (RealFunction::Uniform, [most]) if *most > 0.0 => {
                Ok(Value::Real(Real::new(most * random.unit())))
            }
            (RealFunction::ToInteger, [number]) => Ok(Value::Number(number.trunc() as i64)),
            (function, numbers) => {
                let value = function.constant(numbers);
                let value = value.ok_or(Stop::Beyond("such a function of numbers"))?;
                Ok(Value::Real(Real::new(value)))
            }
        }
    }

    fn argument(
        &mut self,
        parameter: &'d Parameter,
        process: Option<usize>,
        value: Value,
    ) -> Outcome<Binding<'d>> {
        let ty = self.in_scope(process, |machine| {
            let ty = machine.type_of(&parameter.ty)?;
            machine.dimensioned(ty, &parameter.declarator)
        })?;
        let ty = if parameter.ty.prefix.constant { ty.of_constant() } else { ty };
        let value = converted(&ty, value);
        check(&ty, &value)?;
        Ok(Binding::Lvalue(self.add(ty, value)))
    }

    fn body(&mut self, function: &'d Function) -> Outcome<Value> {
        let ty = self.type_of(&function.result)?;
        match self.run(&function.body)? {
            Flow::Return(Some(value)) => {
                let value = converted(&ty, value);
                check(&ty, &value)?;
                Ok(value)
            }
            _ if ty == Type::Void => Ok(Value::Number(0)),
            _ => Err(Stop::Failed(ErrorKind::MissingReturn)),
        }
    }

    /// Runs `work` in the scope of a function of `process`.
    fn in_scope<T>(
        &mut self,
        process: Option<usize>,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let source = std::mem::replace(&mut self.source, &self.document.expressions);
        let scope = std::mem::replace(&mut self.scope, Scope { process, blocks: Vec::new() });
        let result = work(self);
        self.scope = scope;
        self.source = source;
        result
    }
}

/// Converts a number to a type: truth values are 0 or 1.
pub(super) fn converted(ty: &Type, value: Value) -> Value {
    match (ty, value) {
        (Type::Boolean, Value::Number(number)) => Value::Number(i64::from(number != 0)),
        (Type::Double, Value::Number(number)) => Value::Real(Real::new(number as f64)),
        (_, value) => value,
    }
}
