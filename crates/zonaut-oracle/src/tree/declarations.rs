//! Declarations, types and initial values.

use super::calls::converted;
use super::expressions::Operand;
use super::machine::{Binding, Lvalue, Machine, Names, Outcome, Process, Stop, check};
use super::value::{PLAIN, Type, Value, WIDE};
use std::sync::Arc;
use zonaut_syntax::tree::{
    Declaration, DeclarationKind, Declarator, Dimension, ExpressionId, ExpressionKind, Initializer,
    Parameter, Prefix, Template, TypeExpression, TypeKind,
};

/// A process to be declared.
struct Member<'n, 'd> {
    /// Its name, or that of the set of processes it belongs to.
    name: &'n Arc<str>,
    template: usize,
    /// The unbound parameters, and their values.
    free: &'d [Parameter],
    values: Vec<i64>,
    /// The arguments of the template; without them, its own parameters are free.
    arguments: Option<&'d [ExpressionId]>,
}

impl<'d> Machine<'d> {
    /// Declares everything in the document, and its processes.
    pub(super) fn declare_all(&mut self) -> Outcome<()> {
        let document = self.document;
        self.globals.push(("int32_t".into(), Binding::Type(WIDE)));
        self.declare(&document.declarations)?;
        self.declare(&document.system.declarations)?;
        for process in document.system.levels.iter().flatten() {
            self.process(&process.name.text)?;
        }
        Ok(())
    }

    /// Declares the process that a name of the `system` line denotes.
    fn process(&mut self, name: &Arc<str>) -> Outcome<()> {
        let document = self.document;
        let declarations = document.declarations.iter().chain(&document.system.declarations);
        let instantiation =
            declarations.into_iter().find_map(|declaration| match &declaration.kind {
                DeclarationKind::Instantiation(made) if made.name.text == *name => Some(made),
                _ => None,
            });
        let template = instantiation.map_or(name, |made| &made.template.text);
        let arguments = instantiation.map(|made| made.arguments.as_slice());
        let named = |template_: &Template| template_.name.text == *template;
        let position = document.templates.iter().position(named);
        let position = position.ok_or(Stop::Beyond("an unknown template"))?;
        let template = &document.templates[position];
        let free = instantiation.map_or(&template.parameters, |made| &made.parameters);
        for values in self.combinations(free)? {
            self.declare_process(Member { name, template: position, free, arguments, values })?;
        }
        Ok(())
    }

    /// All combinations of values of unbound parameters; the last one changes fastest.
    fn combinations(&mut self, free: &'d [Parameter]) -> Outcome<Vec<Vec<i64>>> {
        let mut all: Vec<Vec<i64>> = vec![Vec::new()];
        for parameter in free {
            let (low, high) = match self.type_of(&parameter.ty)? {
                Type::Number { low, high } if high - low < 8 => (low, high),
                Type::Boolean => (0, 1),
                _ => return Err(Stop::Beyond("such free parameters")),
            };
            let extended = |before: &Vec<i64>| {
                let before = before.clone();
                (low..=high).map(move |value| [before.as_slice(), &[value]].concat())
            };
            all = all.iter().flat_map(extended).collect();
        }
        Ok(all)
    }

    /// Declares a process for one combination of values of the free parameters.
    fn declare_process(&mut self, member: Member<'_, 'd>) -> Outcome<()> {
        let Member { name, template: position, free, arguments, values } = member;
        let template = &self.document.templates[position];
        let mut given: Names<'d> = Vec::new();
        for (parameter, value) in free.iter().zip(&values) {
            let place = self.parameter(parameter, Value::Number(*value))?;
            given.push((parameter.declarator.name.text.clone(), Binding::Lvalue(place)));
        }
        let names = match arguments {
            None => given,
            Some(arguments) => {
                self.scope.blocks.push(given);
                let mut names: Names<'d> = Vec::new();
                for (parameter, &argument) in template.parameters.iter().zip(arguments) {
                    let bound = self.template_argument(parameter, argument)?;
                    names.push((parameter.declarator.name.text.clone(), Binding::Lvalue(bound)));
                }
                self.scope.blocks.pop();
                names
            }
        };
        let name = match values.as_slice() {
            [] => name.clone(),
            values => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!("{name}({})", values.join(",")).into()
            }
        };
        self.processes.push(Process { name, template: position, names });
        self.scope.process = Some(self.processes.len() - 1);
        let declared = self.declare(&template.declarations);
        self.scope.process = None;
        declared
    }

    fn template_argument(
        &mut self,
        parameter: &'d Parameter,
        argument: ExpressionId,
    ) -> Outcome<Lvalue> {
        let operand = self.operand(argument)?;
        let value = match operand {
            Operand::Lvalue(place) if parameter.by_reference => return Ok(place),
            Operand::Lvalue(place) => self.read(&place),
            Operand::Value(value) => value,
        };
        self.parameter(parameter, value)
    }

    /// A variable for a value parameter. One that is not `const` may be assigned within its range;
    /// constants, and all parameters initially, may have any value of 32 bits.
    fn parameter(&mut self, parameter: &'d Parameter, value: Value) -> Outcome<Lvalue> {
        let ty = self.type_of(&parameter.ty)?;
        let ty = self.dimensioned(ty, &parameter.declarator)?;
        let constant = ty.clone().of_constant();
        let value = converted(&ty, value);
        check(&constant, &value)?;
        Ok(self.add(if parameter.ty.prefix.constant { constant } else { ty }, value))
    }

    /// Declares names in the innermost block.
    pub(super) fn declare(&mut self, declarations: &'d [Declaration]) -> Outcome<()> {
        for declaration in declarations {
            match &declaration.kind {
                DeclarationKind::Variables(written, declarators) => {
                    for declarator in declarators {
                        self.variable(written, declarator)?;
                    }
                }
                DeclarationKind::Typedef(written, declarators) => {
                    for declarator in declarators {
                        let ty = self.type_of(written)?;
                        let ty = self.dimensioned(ty, declarator)?;
                        self.bind(&declarator.name.text, Binding::Type(ty));
                    }
                }
                DeclarationKind::Function(function) => {
                    let process = self.scope.process;
                    self.bind(&function.name.text, Binding::Function(function, process));
                }
                DeclarationKind::Instantiation(_) | DeclarationKind::Comment(_) => {}
                DeclarationKind::ChannelPriority(_)
                | DeclarationKind::Import(_)
                | DeclarationKind::Dynamic(..)
                | DeclarationKind::BeforeUpdate(_)
                | DeclarationKind::AfterUpdate(_) => {
                    return Err(Stop::Beyond("such a declaration"));
                }
            }
        }
        Ok(())
    }

    fn variable(&mut self, written: &'d TypeExpression, declarator: &'d Declarator) -> Outcome<()> {
        let Prefix { constant, meta, urgent, hybrid, .. } = written.prefix;
        if meta || hybrid || urgent && self.random.is_none() {
            return Err(Stop::Beyond("such a variable"));
        }
        let ty = self.type_of(written)?;
        let ty = self.dimensioned(ty, declarator)?;
        let ty = if constant { ty.of_constant() } else { ty };
        let value = match &declarator.initializer {
            None => ty.default(),
            Some(initializer) => self.initialised(&ty, initializer)?,
        };
        let place = self.add(ty, value);
        self.bind(&declarator.name.text, Binding::Lvalue(place));
        Ok(())
    }

    /// The value of an initialiser, evaluated in the order of the text.
    fn initialised(&mut self, ty: &Type, initializer: &'d Initializer) -> Outcome<Value> {
        match (initializer, ty) {
            (Initializer::Value(id), _) => {
                let value = self.value(*id)?;
                let value = converted(ty, value);
                check(ty, &value)?;
                Ok(value)
            }
            (Initializer::List(items, _), Type::Array { element, .. }) => {
                let parts = items.iter().map(|item| self.initialised(element, &item.value));
                Ok(Value::Array(parts.collect::<Outcome<_>>()?))
            }
            (Initializer::List(items, _), Type::Struct(members)) => {
                let Value::Struct(mut parts) = ty.default() else {
                    return Err(Stop::Beyond("such an initialiser"));
                };
                for (position, item) in items.iter().enumerate() {
                    let named = item.field.as_ref().and_then(|field| {
                        members.iter().position(|(member, _)| *member == field.text)
                    });
                    let position = named.unwrap_or(position);
                    parts[position] = self.initialised(&members[position].1, &item.value)?;
                }
                Ok(Value::Struct(parts))
            }
            _ => Err(Stop::Beyond("such an initialiser")),
        }
    }

    pub(super) fn type_of(&mut self, written: &'d TypeExpression) -> Outcome<Type> {
        Ok(match &written.kind {
            TypeKind::Integer(None) => PLAIN,
            TypeKind::Integer(Some((low, high))) => {
                Type::Number { low: self.number(*low)?, high: self.number(*high)? }
            }
            TypeKind::Boolean => Type::Boolean,
            TypeKind::Clock => Type::Clock,
            TypeKind::Channel => {
                Type::Channel { broadcast: written.prefix.broadcast, urgent: written.prefix.urgent }
            }
            TypeKind::Double if self.random.is_some() => Type::Double,
            TypeKind::Void => Type::Void,
            TypeKind::Named(name) => match self.find(name)? {
                Binding::Type(ty) => ty,
                _ => return Err(Stop::Beyond("a name that is no type")),
            },
            TypeKind::Struct(fields) => {
                let mut members = Vec::new();
                for field in fields {
                    for declarator in &field.declarators {
                        let ty = self.type_of(&field.ty)?;
                        let ty = self.dimensioned(ty, declarator)?;
                        members.push((declarator.name.text.clone(), ty));
                    }
                }
                Type::Struct(members)
            }
            TypeKind::Double | TypeKind::Text | TypeKind::Scalar(_) => {
                return Err(Stop::Beyond("such a type"));
            }
        })
    }

    /// A type with the array dimensions of a declarator.
    pub(super) fn dimensioned(&mut self, base: Type, declarator: &'d Declarator) -> Outcome<Type> {
        let mut ty = base;
        for dimension in declarator.dimensions.iter().rev() {
            let (low, high) = match dimension {
                Dimension::Type(written) => self.values_of(written)?,
                Dimension::Size(size) => match self.type_named_by(*size) {
                    Some(Type::Number { low, high }) => (low, high),
                    Some(_) => return Err(Stop::Beyond("such a dimension")),
                    None => (0, self.number(*size)? - 1),
                },
            };
            let size = (high - low + 1).max(0) as usize;
            ty = Type::Array { low, size, element: Box::new(ty) };
        }
        Ok(ty)
    }

    fn type_named_by(&self, id: ExpressionId) -> Option<Type> {
        let ExpressionKind::Name(name) = &self.source[id].kind else { return None };
        match self.find(name) {
            Ok(Binding::Type(ty)) => Some(ty),
            _ => None,
        }
    }

    /// The values of a type.
    pub(super) fn values_of(&mut self, written: &TypeExpression) -> Outcome<(i64, i64)> {
        match &written.kind {
            TypeKind::Integer(Some((low, high))) => Ok((self.number(*low)?, self.number(*high)?)),
            TypeKind::Boolean => Ok((0, 1)),
            TypeKind::Named(name) => match self.find(name)? {
                Binding::Type(Type::Number { low, high }) => Ok((low, high)),
                Binding::Type(Type::Boolean) => Ok((0, 1)),
                _ => Err(Stop::Beyond("values of such a type")),
            },
            _ => Err(Stop::Beyond("values of such a type")),
        }
    }
}
