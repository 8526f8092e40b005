//! Templates: chains of instantiations, free parameters, and their processes.

use crate::codes;
use crate::functions::{ParameterType, Reference};
use crate::lowering::{Lowering, Owner};
use crate::operand::Operand;
use crate::scope::{Access, Entity, Level, ScopeNames};
use crate::value_type::{StorageClass, Type};
use crate::written_parameters::written_parameters;
use std::collections::HashMap;
use zonaut_base::{Diagnostic, Span};
use zonaut_model::{Place, Process, ProcessId, ProcessOrigin, ScalarSetId, ScalarUseKind, Storage};
use zonaut_syntax::tree::{
    Dialect, ExpressionId, Instantiation, Name, Parameter, Template, TypeKind,
};

/// A template, or an instantiation, which is a template itself.
#[derive(Clone, Debug)]
pub(crate) struct TemplateEntity<'a> {
    name: &'a Name,
    pub(crate) parameters: &'a [Parameter],
    /// For each parameter, whether the template writes it, so that it is a variable.
    written: Vec<bool>,
    body: TemplateBody<'a>,
    is_used: bool,
}

#[derive(Clone, Debug)]
enum TemplateBody<'a> {
    Base(&'a Template),
    Derived { inner: usize, arguments: &'a [ExpressionId] },
    Damaged,
}

/// The processes with one name, by the values of their free parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessSet {
    pub(crate) members: HashMap<Vec<i32>, ProcessId>,
    /// For each free parameter, the scalar set of its type, if any.
    pub(crate) parameters: Vec<Option<ScalarSetId>>,
    /// Whether processes are missing because of errors, so that queries about them are not checked.
    pub(crate) is_damaged: bool,
}

/// A name on the `system` line.
#[derive(Clone, Copy)]
pub(crate) struct SystemEntry<'a> {
    pub(crate) name: &'a Name,
    pub(crate) priority: u32,
}

impl<'a> Lowering<'a> {
    /// Declares the templates of the document.
    pub(crate) fn declare_templates(&mut self) {
        let written = written_parameters(self.document);
        for (template, written) in self.document.templates.iter().zip(written) {
            let index = self.templates.len();
            self.templates.push(TemplateEntity {
                name: &template.name,
                parameters: &template.parameters,
                written,
                body: TemplateBody::Base(template),
                is_used: false,
            });
            self.declare(Level::Global, &template.name, Entity::Template(index));
        }
    }

    /// Declares `P(parameters) = T(arguments);`.
    pub(crate) fn instantiation(&mut self, written: &'a Instantiation, level: Level) {
        let inner = self.template_named(&written.template);
        let body = match inner {
            None => TemplateBody::Damaged,
            Some(inner) => {
                let wanted = self.templates[inner].parameters.len();
                if wanted != written.arguments.len() {
                    let message = format!(
                        "`{}` takes {wanted} arguments, not {}",
                        written.template.text,
                        written.arguments.len()
                    );
                    let declared = self.templates[inner].name.span;
                    let diagnostic =
                        Diagnostic::error(codes::ARGUMENT_COUNT, written.template.span, message)
                            .with_label(declared, "declared here")
                            .with_help("give one argument for each parameter of the template");
                    self.report(diagnostic);
                    TemplateBody::Damaged
                } else {
                    TemplateBody::Derived { inner, arguments: &written.arguments }
                }
            }
        };
        let index = self.templates.len();
        self.templates.push(TemplateEntity {
            name: &written.name,
            parameters: &written.parameters,
            // An instantiation has no code that could write them.
            written: vec![false; written.parameters.len()],
            body,
            is_used: false,
        });
        self.declare(level, &written.name, Entity::Template(index));
    }

    /// The template with this name; reports an unknown one.
    pub(crate) fn template_named(&mut self, name: &Name) -> Option<usize> {
        self.record_use(&name.text, name.span);
        match self.scope.find(&name.text).map(|(symbol, _)| &symbol.entity) {
            Some(Entity::Template(index)) => Some(*index),
            Some(other) => {
                let message = format!("`{}` is {}, not a template", name.text, other.describe());
                let help = "name a template or an instantiation";
                self.error(codes::WRONG_KIND_OF_NAME, name.span, message, help);
                None
            }
            None => {
                let is_template = |entity: &Entity| matches!(entity, Entity::Template(_));
                let help = match self.scope.similar(&name.text, is_template) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => "declare the template first".to_owned(),
                };
                let message = format!("unknown template or process `{}`", name.text);
                self.error(codes::UNKNOWN_NAME, name.span, message, help);
                None
            }
        }
    }

    /// Lowers all processes of one name on the `system` line.
    pub(crate) fn processes(&mut self, template: usize, entry: SystemEntry<'a>) {
        let Some(combinations) = self.free_values(template, entry.name.span) else {
            return self.mark_processes_damaged(entry.name);
        };
        let parameters = self.scalar_parameters(template);
        self.note_processes(&parameters, self.model.processes.next_id(), &combinations);
        let mut set = ProcessSet { parameters, ..ProcessSet::default() };
        for values in combinations {
            let name = process_name(&entry.name.text, &values);
            let id = self.model.processes.next_id();
            self.owner = Some(Owner { process: id, name: name.clone() });
            let instance = self.open_instance(template, &values);
            let made = instance.and_then(|(base, frame)| {
                self.scope.instance = Some(frame);
                self.process(base, name, entry).map(|made| (made, frame))
            });
            self.scope.instance = None;
            self.owner = None;
            if self.is_too_large() {
                let limit = self.limits.elements;
                let message = format!("the processes need more than {limit} elements in all");
                let help = "use fewer or smaller processes, or raise the limit";
                self.error(codes::PROCESS_LIMIT, entry.name.span, message, help);
                return self.mark_processes_damaged(entry.name);
            }
            if made.is_none() {
                self.record_loss(entry.name.span);
                set.is_damaged = true;
            }
            if let Some(((process, origin), frame)) = made {
                self.location_and_edge_count +=
                    (process.locations.len() + process.edges.len()) as u64;
                self.model.processes.push(process);
                self.origin.processes.push(origin);
                self.process_instances.push(frame);
                set.members.insert(values, id);
            }
        }
        self.process_sets.insert(entry.name.text.clone(), set);
    }

    /// Records that the processes of this name cannot be lowered; an error has been reported.
    pub(crate) fn mark_processes_damaged(&mut self, name: &Name) {
        let set = ProcessSet { is_damaged: true, ..ProcessSet::default() };
        self.process_sets.insert(name.text.clone(), set);
        if self.scope.find(&name.text).is_none() {
            self.declare(Level::System, name, Entity::Damaged);
        }
    }

    /// The scalar sets of the free parameters.
    fn scalar_parameters(&mut self, template: usize) -> Vec<Option<ScalarSetId>> {
        self.scope.sees_system = true;
        let parameters = self.templates[template].parameters;
        let mut sets = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let ty = self.parameter_type(parameter).ty;
            sets.push(match &ty {
                Type::Scalar(set, _) => Some(*set),
                _ => None,
            });
            self.push_parameter(parameter, ty.range().low, ty);
        }
        self.scope.inner.clear();
        sets
    }

    /// All combinations of values of the free parameters, in lexicographic order.
    fn free_values(&mut self, template: usize, span: Span) -> Option<Vec<Vec<i32>>> {
        let parameters = self.templates[template].parameters;
        self.scope.sees_system = true;
        let count = self.count_combinations(parameters, span);
        let result = count.and_then(|count| {
            let total = count.saturating_add(self.model.processes.len() as u64);
            let limit = self.limits.processes;
            if total > limit {
                let message =
                    format!("this makes {count} processes, beyond the limit of {limit} in all");
                let help = "use smaller parameter types, bind parameters, or raise the limit";
                self.error(codes::PROCESS_LIMIT, span, message, help);
                return None;
            }
            let mut all = Vec::new();
            self.combine(parameters, &mut Vec::new(), &mut all).then_some(all)
        });
        self.scope.inner.clear();
        result
    }

    fn count_combinations(&mut self, parameters: &'a [Parameter], span: Span) -> Option<u64> {
        let mut count = 1_u64;
        for parameter in parameters {
            let ty = self.free_parameter_type(parameter, span)?;
            let range = ty.range();
            count = count.saturating_mul(range.size());
            self.push_parameter(parameter, range.low, ty);
        }
        self.scope.inner.clear();
        Some(count)
    }

    fn push_parameter(&mut self, parameter: &Parameter, value: i32, ty: Type) {
        self.scope.inner.push(ScopeNames::new());
        self.declare(Level::Inner, &parameter.declarator.name, Entity::Constant(value, ty));
    }

    fn free_parameter_type(&mut self, parameter: &'a Parameter, system: Span) -> Option<Type> {
        let ParameterType { ty, by_reference, .. } = self.parameter_type(parameter);
        let unbounded = matches!(parameter.ty.kind, TypeKind::Integer(None));
        let fits = matches!(ty, Type::Integer(_) | Type::Boolean | Type::Scalar(..));
        if matches!(ty, Type::Damaged) {
            return None;
        }
        if fits && !by_reference && !unbounded {
            return Some(ty);
        }
        let name = &parameter.declarator.name;
        let message = format!("the parameter `{}` has no value", name.text);
        let diagnostic = Diagnostic::error(codes::FREE_PARAMETER, system, message)
            .with_label(name.span, "this parameter")
            .with_help("bind it in an instantiation, or give it a bounded integer or scalar type");
        self.report(diagnostic);
        None
    }

    fn combine(
        &mut self,
        parameters: &'a [Parameter],
        values: &mut Vec<i32>,
        all: &mut Vec<Vec<i32>>,
    ) -> bool {
        let Some(parameter) = parameters.get(values.len()) else {
            all.push(values.clone());
            return all.len() as u64 <= self.limits.processes;
        };
        let ty = self.parameter_type(parameter).ty;
        let range = ty.range();
        for value in range.low..=range.high {
            self.push_parameter(parameter, value, ty.clone());
            values.push(value);
            let is_within = self.combine(parameters, values, all);
            values.pop();
            self.scope.inner.pop();
            if !is_within {
                return false;
            }
        }
        true
    }

    /// Follows a chain of instantiations to its template; returns the template and its instance.
    fn open_instance(&mut self, template: usize, values: &[i32]) -> Option<(&'a Template, usize)> {
        let frame = self.scope.add_instance();
        self.scope.instance = Some(frame);
        self.scope.sees_system = true;
        let parameters = self.templates[template].parameters;
        for (position, (parameter, value)) in parameters.iter().zip(values).enumerate() {
            let (name, ty) = (&parameter.declarator.name, self.parameter_type(parameter).ty);
            let entity = if self.templates[template].written[position] {
                self.parameter_variable(name, ty, &[*value])
            } else {
                Entity::Constant(*value, ty)
            };
            self.declare(Level::Instance, name, entity);
        }
        self.follow_chain(template, frame)
    }

    fn follow_chain(
        &mut self,
        mut template: usize,
        mut frame: usize,
    ) -> Option<(&'a Template, usize)> {
        loop {
            self.templates[template].is_used = true;
            match self.templates[template].body {
                TemplateBody::Damaged => return None,
                TemplateBody::Base(base) => return Some((base, frame)),
                TemplateBody::Derived { inner, arguments } => {
                    let next = self.scope.add_instance();
                    let parameters = self.templates[inner].parameters;
                    let mut is_complete = true;
                    for (position, (parameter, &argument)) in
                        parameters.iter().zip(arguments).enumerate()
                    {
                        let name = &parameter.declarator.name;
                        self.scope.instance = Some(next);
                        let declared = self.parameter_type(parameter);
                        self.scope.instance = Some(frame);
                        let is_variable = self.templates[inner].written[position]
                            && declared.ty.class() == StorageClass::Data;
                        let entity = if is_variable {
                            self.written_argument(name, declared.ty, argument)
                        } else {
                            self.template_argument(&declared, name, argument)
                        };
                        self.scope.instance = Some(next);
                        is_complete &= entity.is_some();
                        self.declare(Level::Instance, name, entity.unwrap_or(Entity::Damaged));
                    }
                    if !is_complete {
                        return None;
                    }
                    (template, frame) = (inner, next);
                }
            }
        }
    }

    /// The entity that a parameter of a template is bound to.
    fn template_argument(
        &mut self,
        parameter: &ParameterType,
        name: &Name,
        argument: ExpressionId,
    ) -> Option<Entity> {
        let span = self.span_of(argument);
        match parameter.ty.class() {
            StorageClass::Damaged | StorageClass::Void => return None,
            StorageClass::Floating | StorageClass::Text => {
                return self.real_template_argument(parameter, name, argument, span);
            }
            StorageClass::Data | StorageClass::Clock | StorageClass::Channel => {}
        }
        if parameter.by_reference {
            return self.template_reference(parameter, argument, span);
        }
        self.template_value(&parameter.ty, argument)
    }

    fn real_template_argument(
        &mut self,
        parameter: &ParameterType,
        name: &Name,
        argument: ExpressionId,
        span: Span,
    ) -> Option<Entity> {
        if parameter.ty == Type::Text {
            return match self.operand(argument) {
                Operand::Text(text) => Some(Entity::Text(text)),
                Operand::Damaged => None,
                other => {
                    let message = format!("{} is not a string", other.describe());
                    self.error(codes::TYPE_MISMATCH, span, message, "write it in quotes");
                    None
                }
            };
        }
        if parameter.by_reference {
            return self.template_reference(parameter, argument, span);
        }
        let mut values = Vec::new();
        if !self.real_value(&parameter.ty, argument, &mut values) {
            return None;
        }
        let is_constant = parameter.constant || !self.changed_names.contains(&name.text);
        Some(self.real_storage(&name.text, parameter.ty.clone(), is_constant, &values, span))
    }

    /// The variable of a written parameter, initialised with the value of its argument.
    fn written_argument(
        &mut self,
        name: &Name,
        ty: Type,
        argument: ExpressionId,
    ) -> Option<Entity> {
        let content = match ty.is_aggregate() {
            true => self.constant_content(argument, &ty)?,
            false => vec![self.constant_of_type(argument, &ty)?],
        };
        Some(self.parameter_variable(name, ty, &content))
    }

    /// A variable of the process for a parameter that the template writes.
    fn parameter_variable(&mut self, name: &Name, ty: Type, initial: &[i32]) -> Entity {
        if !self.check_storage(self.model.cells.len(), ty.size(), name.span) {
            return Entity::Damaged;
        }
        let first = self.allocate_cells(&name.text, &ty, initial, false, name.span);
        Entity::Data(Place::fixed(Storage::Cell(first)), ty, Access::Writable)
    }

    fn template_value(&mut self, ty: &Type, argument: ExpressionId) -> Option<Entity> {
        let ty = &ty.of_constant();
        if !ty.is_aggregate() {
            let value = self.constant_of_type(argument, ty)?;
            return Some(Entity::Constant(value, ty.clone()));
        }
        let content = self.constant_content(argument, ty)?;
        self.note_list(ty, ScalarUseKind::Constant);
        let first = self.constant_block(content);
        Some(Entity::Data(Place::fixed(Storage::Constant(first)), ty.clone(), Access::Constant))
    }

    fn template_reference(
        &mut self,
        parameter: &ParameterType,
        argument: ExpressionId,
        span: Span,
    ) -> Option<Entity> {
        let operand =
            self.without_effects(span, "an argument of a template", |this| this.operand(argument));
        let is_old = self.document.dialect == Dialect::Old;
        let is_value = match &operand {
            Operand::Value(..) => !parameter.ty.is_aggregate(),
            Operand::Real(_) => return self.real_constant_reference(parameter, argument, span),
            // The result of a function has no storage of its own.
            Operand::Data(data) => !data.prelude.is_empty() && data.ty.matches(&parameter.ty),
            _ => false,
        };
        if is_value && (parameter.constant || is_old) {
            return self.template_value(&parameter.ty, argument);
        }
        // In the 3.x language, constants may be passed to all parameters that are only read.
        let lenient = ParameterType { constant: parameter.constant || is_old, ..parameter.clone() };
        let reference = self.reference(&lenient, &operand, span)??;
        if !reference.indices().is_empty() {
            let message = "the index of an argument must be known before the model runs";
            let help = "use constants and parameters in the index";
            self.error(codes::NOT_CONSTANT, span, message, help);
            return None;
        }
        Some(match reference {
            Reference::Data(place, ty, access) => {
                let access = if parameter.constant { Access::Constant } else { access };
                Entity::Data(place, ty, access)
            }
            Reference::Clock(place, ty) => Entity::Clock(place, ty),
            Reference::Channel(place, ty) => Entity::Channel(place, ty),
            Reference::Real(place, ty, access) => {
                let access = if parameter.constant { Access::Constant } else { access };
                Entity::Real(place, ty, access)
            }
            Reference::Value => return None,
        })
    }

    /// Binds a number to a reference parameter that is only read.
    fn real_constant_reference(
        &mut self,
        parameter: &ParameterType,
        argument: ExpressionId,
        span: Span,
    ) -> Option<Entity> {
        if !parameter.constant || parameter.ty != Type::Floating {
            let message = "a number cannot be passed by reference";
            let help = "pass a variable, or declare the parameter `const`";
            self.error(codes::REFERENCE_ARGUMENT, span, message, help);
            return None;
        }
        let mut values = Vec::new();
        let known = self.real_value(&parameter.ty, argument, &mut values);
        known.then(|| self.real_storage("argument", Type::Floating, true, &values, span))
    }

    /// Checks templates and instantiations without processes, with placeholder arguments.
    pub(crate) fn check_unused_templates(&mut self) {
        // In reverse order: an instantiation uses, and thereby checks, the earlier ones.
        for index in (0..self.templates.len()).rev() {
            if self.templates[index].is_used {
                continue;
            }
            let checkpoint = self.checkpoint();
            self.has_placeholders = true;
            let name = self.templates[index].name;
            let process = self.model.processes.next_id();
            self.owner = Some(Owner { process, name: name.text.to_string() });
            if let Some((base, frame)) = self.open_placeholder_instance(index) {
                self.scope.instance = Some(frame);
                let entry = SystemEntry { name, priority: 0 };
                self.process(base, name.text.to_string(), entry);
            }
            self.owner = None;
            self.scope.instance = None;
            self.has_placeholders = false;
            self.roll_back(&checkpoint);
        }
    }

    fn open_placeholder_instance(&mut self, template: usize) -> Option<(&'a Template, usize)> {
        let frame = self.scope.add_instance();
        self.scope.instance = Some(frame);
        self.scope.sees_system = true;
        let parameters = self.templates[template].parameters;
        for (position, parameter) in parameters.iter().enumerate() {
            let declared = self.parameter_type(parameter);
            let name = &parameter.declarator.name;
            let span = name.span;
            let is_written = self.templates[template].written[position];
            let entity = match self.placeholder(&declared, span) {
                None => Entity::Damaged,
                Some(Reference::Data(place, ty, access)) => Entity::Data(place, ty, access),
                Some(Reference::Clock(place, ty)) => Entity::Clock(place, ty),
                Some(Reference::Channel(place, ty)) => Entity::Channel(place, ty),
                Some(Reference::Real(place, ty, access)) => Entity::Real(place, ty, access),
                Some(Reference::Value)
                    if is_written && declared.ty.class() == StorageClass::Data =>
                {
                    let initial = self.placeholder_content(&declared.ty, span);
                    match initial {
                        Some(initial) => self.parameter_variable(name, declared.ty, &initial),
                        None => Entity::Damaged,
                    }
                }
                Some(Reference::Value) => self.placeholder_value(declared.ty, span),
            };
            self.declare(Level::Instance, name, entity);
        }
        self.follow_chain(template, frame)
    }

    /// The placeholder content of a parameter; reports and returns `None` if it is too large.
    fn placeholder_content(&mut self, ty: &Type, span: Span) -> Option<Vec<i32>> {
        let fits = self.check_storage(self.model.constants.len(), ty.size(), span);
        fits.then(|| Self::default_values(ty))
    }

    fn placeholder_value(&mut self, ty: Type, span: Span) -> Entity {
        match ty.class() {
            StorageClass::Data if ty.is_aggregate() => {
                let Some(content) = self.placeholder_content(&ty, span) else {
                    return Entity::Damaged;
                };
                let first = self.constant_block(content);
                Entity::Data(Place::fixed(Storage::Constant(first)), ty, Access::Constant)
            }
            StorageClass::Data => Entity::Constant(ty.default_value(), ty),
            StorageClass::Floating => self.real_storage("placeholder", ty, false, &[], span),
            StorageClass::Text => Entity::Text("".into()),
            _ => Entity::Damaged,
        }
    }

    /// Lowers the template of the current instance to a process.
    fn process(
        &mut self,
        template: &'a Template,
        name: String,
        entry: SystemEntry<'a>,
    ) -> Option<(Process, ProcessOrigin)> {
        self.scope.sees_system = false;
        self.declarations(&template.declarations, Level::Instance);
        let names = self.location_names(template);
        self.record_nodes(template);
        let Some(initial) = template.initial else {
            let message = format!("the template `{}` has no initial location", template.name.text);
            let help = "mark one of its locations as initial";
            self.error(codes::NO_INITIAL_LOCATION, template.name.span, message, help);
            return None;
        };
        let locations = self.locations(template, names);
        let (edges, edge_origins) = self.edges(template);
        let process = Process {
            name,
            template: template.name.text.to_string(),
            priority: entry.priority,
            locations,
            initial: crate::edges::location_id(initial),
            edges,
        };
        let origin = ProcessOrigin {
            template: template.name.span,
            system: entry.name.span,
            locations: template.locations.iter().map(|location| location.span).collect(),
            edges: edge_origins,
        };
        Some((process, origin))
    }
}

/// `name(1,2)`, or the name alone if there are no values.
pub(crate) fn process_name<T: ToString>(name: &str, values: &[T]) -> String {
    if values.is_empty() {
        return name.to_owned();
    }
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("{name}({})", values.join(","))
}
