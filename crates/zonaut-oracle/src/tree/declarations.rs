//! Declarations, types and initial values.

use super::calls::converted;
use super::expressions::Operand;
use super::machine::{Binding, Machine, Names, Outcome, Place, Process, Stop, check};
use super::value::{PLAIN, Type, Value, WIDE};
use std::sync::Arc;
use zonaut_syntax::tree::{
    Declaration, DeclarationKind, Declarator, Dimension, ExpressionId, ExpressionKind, Initializer,
    Parameter, Prefix, Template, TypeExpression, TypeKind,
};

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

    /// The process that a name on the `system` line stands for.
    fn process(&mut self, name: &Arc<str>) -> Outcome<()> {
        let document = self.document;
        let declarations = document.declarations.iter().chain(&document.system.declarations);
        let instantiation =
            declarations.into_iter().find_map(|declaration| match &declaration.kind {
                DeclarationKind::Instantiation(made) if made.name.text == *name => Some(made),
                _ => None,
            });
        let (template, arguments): (_, &[ExpressionId]) = match instantiation {
            Some(made) => (&made.template.text, &made.arguments),
            None => (name, &[]),
        };
        let named = |template_: &Template| template_.name.text == *template;
        let position = document.templates.iter().position(named);
        let position = position.ok_or(Stop::Beyond("an unknown template"))?;
        let template = &document.templates[position];
        if !template.branchpoints.is_empty() {
            return Err(Stop::Beyond("branchpoints"));
        }
        if template.parameters.len() != arguments.len() {
            return Err(Stop::Beyond("free parameters"));
        }
        let mut names: Names<'d> = Vec::new();
        for (parameter, &argument) in template.parameters.iter().zip(arguments) {
            let bound = self.template_argument(parameter, argument)?;
            names.push((parameter.declarator.name.text.clone(), Binding::Place(bound)));
        }
        self.processes.push(Process { name: name.clone(), template: position, names });
        self.sight.process = Some(self.processes.len() - 1);
        let declared = self.declare(&template.declarations);
        self.sight.process = None;
        declared
    }

    fn template_argument(
        &mut self,
        parameter: &'d Parameter,
        argument: ExpressionId,
    ) -> Outcome<Place> {
        let operand = self.operand(argument)?;
        let value = match operand {
            Operand::Place(place) if parameter.by_reference => return Ok(place),
            Operand::Place(place) => self.read(&place),
            Operand::Value(value) => value,
        };
        let ty = self.type_of(&parameter.ty)?;
        let ty = self.dimensioned(ty, &parameter.declarator)?.of_constant();
        let value = converted(&ty, value);
        check(&ty, &value)?;
        Ok(self.add(ty, value))
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
                    let process = self.sight.process;
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
        if meta || urgent || hybrid {
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
        self.bind(&declarator.name.text, Binding::Place(place));
        Ok(())
    }

    /// The value of an initialiser: what is written first is evaluated first.
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
            TypeKind::Channel => Type::Channel { broadcast: written.prefix.broadcast },
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
