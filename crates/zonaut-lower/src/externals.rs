//! External functions and dynamic templates: declared and checked, but never loaded or started.

use crate::codes;
use crate::functions::ParameterType;
use crate::lowering::Lowering;
use crate::operand::{Code, Operand, RealCode};
use crate::scope::{Access, Entity, Level};
use crate::value_type::{StorageClass, Type};
use zonaut_base::Span;
use zonaut_model::Argument;
use zonaut_model::statistical::{External, ExternalArgument, ExternalId, RealExpression, RealUse};
use zonaut_syntax::tree::{self, Initializer, Name};

/// An external function with the types of its declaration.
#[derive(Clone, Debug)]
pub(crate) struct ExternalEntity {
    id: ExternalId,
    parameters: Vec<ParameterType>,
    pub(crate) result: Type,
}

impl<'a> Lowering<'a> {
    /// Declares the functions of a library.
    pub(crate) fn import(&mut self, import: &'a tree::Import, level: Level) {
        for function in &import.functions {
            let result = self.type_of(&function.result, None);
            if matches!(result.class(), StorageClass::Clock | StorageClass::Channel)
                || result.is_aggregate()
            {
                let message = format!("an external function cannot return a {result}");
                let help = "return a number, or pass an array by reference";
                self.error(codes::TYPE_HERE, function.result.span, message, help);
                continue;
            }
            let parameters: Vec<ParameterType> = function
                .parameters
                .iter()
                .map(|parameter| self.parameter_type(parameter))
                .collect();
            let name = function.alias.as_ref().unwrap_or(&function.name);
            let id = self.model.statistical.externals.push(External {
                library: import.library.to_string(),
                symbol: function.name.text.to_string(),
                name: name.text.to_string(),
            });
            let index = self.externals.len();
            self.externals.push(ExternalEntity { id, parameters, result });
            self.declare(level, name, Entity::External(index));
        }
    }

    /// A call of an external function.
    pub(crate) fn external_call(
        &mut self,
        external: usize,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Operand {
        let ExternalEntity { id, parameters, result } = self.externals[external].clone();
        let name = self.model.statistical.externals[id].name.clone();
        if parameters.len() != arguments.len() {
            return self.wrong_count(&name, parameters.len(), arguments.len(), span);
        }
        let mut bound = Vec::with_capacity(arguments.len());
        for (parameter, &argument) in parameters.iter().zip(arguments) {
            bound.push(self.external_argument(parameter, argument));
        }
        let bound: Option<Vec<ExternalArgument>> = bound.into_iter().collect();
        let Some(bound) = bound else { return Operand::Damaged };
        if bound.iter().any(|argument| matches!(argument, ExternalArgument::Reference(..))) {
            self.effects.writes = true;
        }
        if matches!(result, Type::Void) {
            let id = self.stand_in(RealUse::External(id, bound), span);
            return Operand::Effect(id);
        }
        let value = self.push_real(RealExpression::External(id, bound));
        match result {
            Type::Floating => Operand::Real(RealCode::Run(value)),
            ty if ty.is_number() => {
                Operand::Value(Code::Run(self.stand_in(RealUse::Integer(value), span)), ty)
            }
            Type::Damaged => Operand::Damaged,
            ty => {
                let message = format!("the value of an external function of type {ty}");
                self.error(codes::UNSUPPORTED, span, message, "return a number");
                Operand::Damaged
            }
        }
    }

    fn external_argument(
        &mut self,
        parameter: &ParameterType,
        argument: tree::ExpressionId,
    ) -> Option<ExternalArgument> {
        let span = self.span_of(argument);
        let operand = self.operand(argument);
        let ty = &parameter.ty;
        let is_changed = parameter.by_reference && !parameter.constant;
        match operand {
            Operand::Damaged => None,
            Operand::Text(text) if *ty == Type::Text => {
                Some(ExternalArgument::Text(text.to_string()))
            }
            Operand::RealData(data) if ty.is_aggregate() && data.ty.matches(ty) => {
                Some(ExternalArgument::RealContent(data.place, ty.size() as u32))
            }
            Operand::Data(data) if is_changed && data.ty.matches(ty) => {
                let writable = data.access == Access::Writable && data.prelude.is_empty();
                if !writable {
                    let message = "something read-only cannot be passed by reference";
                    let help = "pass a variable, or declare the parameter `const`";
                    self.error(codes::REFERENCE_ARGUMENT, span, message, help);
                    return None;
                }
                Some(ExternalArgument::Reference(data.place, ty.size() as u32))
            }
            Operand::Data(data) if ty.is_aggregate() && data.ty.matches(ty) => {
                Some(ExternalArgument::Integer(Argument::Content(data.place)))
            }
            operand if *ty == Type::Floating => {
                let code = self.real_operand(operand, span)?;
                Some(ExternalArgument::Real(self.real_of(code)))
            }
            operand if !ty.is_aggregate() && ty.class() == StorageClass::Data => {
                let code = self.converted(operand, ty, span)?;
                let value = self.expression_of(code, span);
                Some(ExternalArgument::Integer(Argument::Value(value)))
            }
            other => {
                let message = format!("{} is not a {ty}", other.describe());
                let help = "pass a value of the type of the parameter";
                self.error(codes::TYPE_MISMATCH, span, message, help);
                None
            }
        }
    }

    /// The entity of a `string`.
    pub(crate) fn text_entity(&mut self, declarator: &'a tree::Declarator) -> Entity {
        let span = declarator.name.span;
        let Some(Initializer::Value(id)) = &declarator.initializer else {
            let message = format!("the string `{}` has no value", declarator.name.text);
            let help = "write `= \"text\"` after its name";
            self.error(codes::MISSING_INITIALISER, span, message, help);
            return Entity::Damaged;
        };
        match self.operand(*id) {
            Operand::Text(text) => Entity::Text(text),
            Operand::Damaged => Entity::Damaged,
            other => {
                let message = format!("{} is not a string", other.describe());
                let span = self.span_of(*id);
                self.error(codes::TYPE_MISMATCH, span, message, "write it in quotes");
                Entity::Damaged
            }
        }
    }

    /// Checks a declaration of a dynamic template.
    pub(crate) fn dynamic(&mut self, name: &'a Name) {
        if self.template_named(name).is_some() {
            self.dynamic_templates.insert(name.text.clone());
        }
    }

    /// `spawn T(arguments)`.
    pub(crate) fn spawn(
        &mut self,
        template: &'a Name,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Operand {
        if !self.dynamic_templates.contains(&template.text) {
            let message = format!("`{}` is not declared as a dynamic template", template.text);
            let help = "declare it with `dynamic`";
            self.error(codes::WRONG_KIND_OF_NAME, template.span, message, help);
            return Operand::Damaged;
        }
        let Some(index) = self.template_named(template) else { return Operand::Damaged };
        let wanted = self.templates[index].parameters.len();
        if wanted != arguments.len() {
            return self.wrong_count(&template.text, wanted, arguments.len(), span);
        }
        for &argument in arguments {
            if matches!(self.operand(argument), Operand::Damaged) {
                return Operand::Damaged;
            }
        }
        let id = self.stand_in(RealUse::Spawn(template.text.to_string()), span);
        self.effects.writes = true;
        Operand::Effect(id)
    }

    /// `exit()` and `numOf(T)`; `None` for other names.
    pub(crate) fn dynamic_call(
        &mut self,
        name: &str,
        arguments: &'a [tree::ExpressionId],
        span: Span,
    ) -> Option<Operand> {
        let is_dynamic = !self.dynamic_templates.is_empty();
        match (name, arguments) {
            ("exit", []) if is_dynamic => {
                let id = self.stand_in(RealUse::Exit, span);
                self.effects.writes = true;
                Some(Operand::Effect(id))
            }
            ("numOf", [template]) if is_dynamic => {
                let tree::ExpressionKind::Name(name) = &self.source[*template].kind else {
                    return None;
                };
                let id = self.stand_in(RealUse::NumberOf(name.to_string()), span);
                Some(Operand::Value(Code::Run(id), Type::NUMBER))
            }
            _ => None,
        }
    }
}
